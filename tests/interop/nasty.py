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
        self.half = self.draws // 2  # of split chains

    def repeats(self):
        """Whether two equal draws lie beside the 5 % or 95 % quantile."""
        ordered = np.sort(self.x, axis=None)
        places = [int(p * (ordered.size - 1)) for p in (0.05, 0.95)]
        return any(ordered[i] == ordered[i + 1] for i in places)

    def has_two_values(self):
        values = np.unique(self.x)
        return values.size == 2 and np.median(self.x) == values.mean()

    def has_constant_tail(self):
        return any(np.unique(self.x <= q).size == 1 for q in (np.quantile(self.x, p) for p in (0.05, 0.95)))

    def is_beyond_squares(self):
        return self.finite and not 1e-150 < np.abs(self.x).max() < 1e150

    def is_nearly_constant(self):
        return self.finite and np.ptp(self.x) < 1e-14 * np.abs(self.x).max()

    def alternates(self):
        """Whether 1 + the correlation of neighbours is nearly 0."""
        with np.errstate(all="ignore"):
            return self.finite and np.mean([np.corrcoef(chain[1:], chain[:-1])[0, 1] for chain in self.x]) < -0.85


def same(theirs, ours):
    if math.isnan(theirs) or math.isnan(ours):
        return math.isnan(theirs) and math.isnan(ours)
    return theirs == ours or abs(theirs - ours) <= SAME * max(abs(theirs), abs(ours))


def near(share):
    """Alike, but for so much of either."""
    return lambda case, theirs, ours: abs(theirs - ours) <= share * max(abs(theirs), abs(ours))


def ours_undefined(case, theirs, ours):
    return math.isnan(ours)


def theirs_undefined(case, theirs, ours):
    return math.isnan(theirs) and not math.isnan(ours)


def theirs_lost(case, theirs, ours):
    """By squares that no double holds."""
    return (theirs == 0.0 or not math.isfinite(theirs)) and math.isfinite(ours) and ours > 0.0


def ess_is(here, there):
    """Of S draws of split chains. An error of the mean goes with one over the square root."""

    def holds(case, theirs, ours):
        total = 2 * case.half * case.chains
        a, b = here(total), there(total)
        return same(ours, a) and same(theirs, b) or same(ours / theirs, math.sqrt(b / a))

    return holds


def half(total):
    return total / 2


def limit(total):
    return total * math.log10(total)


ESS = ["ess_bulk", "ess_tail", "mcse_mean"]
ALL = [*ESS, "rhat"]

# Tool, statistics, for which cases, what holds then, and why. docs/diagnostics.md has the conventions.
EXPLANATIONS = [
    ("ArviZ", ESS, lambda c: c.constant, ours_undefined, "draws that are all equal have as many effective ones as there are"),
    ("ArviZ", ["ess_tail"], lambda c: c.has_constant_tail(), ours_undefined, "and so has a tail that all draws are in"),
    ("ArviZ", ALL, lambda c: not c.finite, ours_undefined, "an infinite draw is a large one"),
    ("ArviZ", ["rhat"], lambda c: c.chains == 1, theirs_undefined, "one chain has no R-hat"),
    ("ArviZ", ["rhat"], lambda c: c.draws % 2 == 1, near(0.3), "R-hat folds about the median of split draws, which lack one where lengths are odd"),
    ("ArviZ", ["sd", "mcse_mean"], lambda c: c.is_beyond_squares(), theirs_lost, "squares overflow, or underflow"),
    ("ArviZ", ["sd", "mcse_mean"], lambda c: c.is_nearly_constant(), near(0.2), "draws differ by a few last bits, and so do sums"),
    ("ArviZ", ["q5", "q50", "q95"], lambda c: not c.finite, theirs_undefined, "quantiles lie between infinite numbers"),
    ("ArviZ", ESS, lambda c: c.half == 2, ours_undefined, "half chains of two draws tell nothing of how they are correlated"),
    ("ArviZ", ESS, lambda c: c.half in (3, 4, 5), ess_is(half, limit), "half chains of 3 to 5 draws have no lags to look at: S log10(S), not S/2"),
    ("ArviZ", ESS, lambda c: c.half % 2 == 1, near(0.4), "Geyer's sequence has a pair more where half chains are odd"),
    ("ArviZ", ["ess_tail"], lambda c: c.repeats(), near(0.2), "a quantile between equal draws is rounded, perhaps below them"),
    ("posterior", ["ess_bulk", "rhat"], lambda c: not c.finite, ours_undefined, "an infinite draw has a rank"),
    ("posterior", ["ess_bulk", "mcse_mean"], lambda c: c.alternates(), ess_is(limit, half), "draws that alternate are worth S/2, not S log10(S)"),
    ("posterior", ["rhat"], lambda c: c.has_two_values(), theirs_undefined,
     "two values that lie symmetrically become one when they are folded, and there is no R-hat"),
    ("posterior", ["sd", "mcse_mean", "ess_tail"], lambda c: c.is_beyond_squares(), theirs_lost, "squares overflow, or underflow"),
    ("posterior", ["mcse_mean"], lambda c: c.is_nearly_constant(), near(0.2), "draws differ by a few last bits, and so do sums"),
]


def judge(tool, case, theirs, ours, used):
    """What is wrong, if anything."""
    problems = []
    for statistic in STATISTICS:
        if same(theirs[statistic], ours[statistic]):
            continue
        for i, (of, statistics, applies, holds, _) in enumerate(EXPLANATIONS):
            if of == tool and statistic in statistics and applies(case) and holds(case, theirs[statistic], ours[statistic]):
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
