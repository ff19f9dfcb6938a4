"""nasty.py PROGRAM OUT: diagnostics of draws that no sampler should leave, by `darboux summary`, by ArviZ and by R's posterior: equal, or
undefined in all, or explained by a line of EXPLANATIONS. Prints one line per quantity and tool."""

import json
import math
import subprocess
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import arviz
import numpy as np
from common import check

SAME = 1e-9
STATISTICS = ["mean", "sd", "q5", "q50", "q95", "mcse_mean", "ess_bulk", "ess_tail", "rhat"]
SHAPES = [(4, 100), (4, 101), (1, 100), (1, 30), (2, 50), (2, 8), (3, 13), (4, 4), (1, 5), (10, 40)]  # chains, draws


def kinds(chains, draws):
    """Draws by name: chain × draw."""
    random = np.random.default_rng([chains, draws])
    normal = random.standard_normal((chains, draws))
    t = np.arange(draws)
    first, last = normal.copy(), normal.copy()
    first[0, 0], last[-1, -1] = np.nan, np.inf
    both = normal.copy()
    both[0, :2] = np.inf, -np.inf
    stuck, outlier, apart, wide = normal.copy(), normal.copy(), normal.copy(), normal.copy()
    stuck[0], outlier[0, 1] = 0.25, 1e12
    apart[-1] += 5.0
    wide[-1] *= 30.0
    walk = np.cumsum(normal, axis=1)
    return {
        "normal": normal,
        "constant": np.full_like(normal, 3.5),
        "constant-zero": np.zeros_like(normal),
        "constant-huge": np.full_like(normal, 1e300),
        "own-constants": np.repeat(np.arange(chains)[:, None] * 1.0, draws, axis=1),
        "rounded": np.round(normal),
        "rounded-finely": np.round(normal, 1),
        "zero-one": (normal > 0) * 1.0,
        "rarely-one": (normal > 1.9) * 1.0,
        "nan": first,
        "infinite": last,
        "both-infinite": both,
        "stuck": stuck,
        "apart": apart,
        "wide": wide,
        "outlier": outlier,
        "alternating": (-1.0) ** t + 0.1 * normal,
        "exactly-alternating": np.repeat(((-1.0) ** t)[None, :], chains, axis=0),
        "trend": t + normal,
        "walk": walk,
        "repeated": normal[:, t // 3],
        "cauchy": np.tan(np.pi * (random.random((chains, draws)) - 0.5)),
        "heavier": np.exp(3.0 * normal) * np.sign(random.random((chains, draws)) - 0.5),
        "huge": normal * 1e300,
        "tiny": normal * 1e-300,
        "offset": 1e12 + np.round(normal * 1024),
        "nearly-constant": 1.0 + 1e-15 * np.round(normal),
    }


def write(folder, quantities):
    folder.mkdir(parents=True)
    for chain in range(next(iter(quantities.values())).shape[0]):
        rows = zip(*(values[chain] for values in quantities.values()), strict=True)
        lines = ["# model = nasty", ",".join(["lp__", *quantities]), *(",".join(["0", *(repr(float(x)) for x in row)]) for row in rows)]
        (folder / f"chain_{chain + 1:02}.csv").write_text("\n".join(lines) + "\n")


def by_darboux(program, folder):
    told = folder / "summary.json"
    subprocess.run([program, "summary", folder, "--json", told], check=True, stdout=subprocess.DEVNULL)
    rows = json.loads(told.read_text())["rows"]
    return {row["name"]: {key: as_number(row[key]) for key in STATISTICS} for row in rows}


def as_number(value):
    return math.nan if value is None else float(value)


def by_arviz(x):
    functions = {
        "mean": np.mean,
        "sd": lambda x: np.std(x, ddof=1),
        "q5": lambda x: np.quantile(x, 0.05),
        "q50": np.median,
        "q95": lambda x: np.quantile(x, 0.95),
        "mcse_mean": lambda x: arviz.mcse(x, method="mean"),
        "ess_bulk": lambda x: arviz.ess(x, method="bulk"),
        "ess_tail": lambda x: arviz.ess(x, method="tail"),
        "rhat": arviz.rhat,
    }
    found = {}
    for name, function in functions.items():
        try:
            found[name] = float(function(x))
        except Exception:  # it does not say which: what it cannot do is undefined
            found[name] = math.nan
    return found


class Case:
    def __init__(self, kind, x):
        self.kind, self.x = kind, x
        self.chains, self.draws = x.shape
        self.finite = bool(np.isfinite(x).all())
        self.constant = self.finite and np.ptp(x) < 2.3e-16 * np.abs(x).max() or self.finite and np.ptp(x) == 0
        self.half = self.draws // 2

    def repeats(self):
        """Whether two equal draws lie beside the 5 % or 95 % quantile."""
        ordered = np.sort(self.x, axis=None)
        places = [int(p * (ordered.size - 1)) for p in (0.05, 0.95)]
        return any(ordered[i] == ordered[i + 1] for i in places)

    def two_values(self):
        return np.unique(self.x).size == 2


def same(theirs, ours):
    if math.isnan(theirs) or math.isnan(ours):
        return math.isnan(theirs) and math.isnan(ours)
    return theirs == ours or abs(theirs - ours) <= SAME * max(abs(theirs), abs(ours))


UNDEFINED = "ours is undefined"
EITHER = "as they are"
ESS = {"ess_bulk", "ess_tail", "mcse_mean"}
DIAGNOSTICS = ESS | {"rhat"}

# Tool, statistics, for which cases, what ours is then, and why. docs/diagnostics.md has the conventions.
EXPLANATIONS = []


def judge(tool, case, theirs, ours, used):
    """What is wrong, if anything."""
    problems = []
    for statistic in STATISTICS:
        if same(theirs[statistic], ours[statistic]):
            continue
        for i, (of, statistics, applies, what, _) in enumerate(EXPLANATIONS):
            if of == tool and statistic in statistics and applies(case) and (what is EITHER or math.isnan(ours[statistic])):
                used.add(i)
                break
        else:
            problems.append(f"{statistic} is {ours[statistic]!r} here and {theirs[statistic]!r} there")
    return "; ".join(problems)


def main():
    program, out = sys.argv[1], Path(sys.argv[2])
    subprocess.run(["rm", "-rf", out], check=True)
    cases = {shape: kinds(*shape) for shape in SHAPES}
    for (chains, draws), quantities in cases.items():
        write(out / f"{chains}x{draws}", quantities)
    has_posterior = subprocess.run(["Rscript", Path(__file__).with_name("nasty.R"), out], capture_output=True, text=True).returncode == 0
    used, count = set(), 0
    for (chains, draws), quantities in cases.items():
        folder = out / f"{chains}x{draws}"
        ours = by_darboux(program, folder)
        posterior = json.loads((folder / "posterior.json").read_text()) if has_posterior else {}
        for kind, x in quantities.items():
            case = Case(kind, x)
            count += 1
            check(f"ArviZ: {chains} × {draws} {kind}", judge("ArviZ", case, by_arviz(x), ours[kind], used))
            if has_posterior:
                theirs = {key: float(posterior[kind][key]) for key in STATISTICS}
                check(f"posterior: {chains} × {draws} {kind}", judge("posterior", case, theirs, ours[kind], used))
    for i, (tool, *_, why) in enumerate(EXPLANATIONS):
        if tool == "ArviZ" or has_posterior:
            check(f"{tool}: {why}", None if i in used else "an explanation that nothing needs")
    check("two hundred quantities and more", None if count >= 200 else f"{count}")
    print(f"read with ArviZ {arviz.__version__}" + ("" if has_posterior else "; posterior is not here"))


if __name__ == "__main__":
    main()
