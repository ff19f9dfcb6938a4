"""checks.py OUT: what ArviZ and CmdStanPy read from the runs in OUT is what is in the files, and what ArviZ says about it is
what `darboux summary` says. Prints one line per check."""

import json
import logging
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import arviz
import cmdstanpy
import matplotlib
import numpy as np
import pandas as pd
from common import STATISTICS, check

sys.path.insert(0, str(Path(__file__).parents[2] / "bench/posteriors"))
import judge

matplotlib.use("agg")
logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
SAME = 1e-9


def differs(theirs, ours, tolerance=0.0):
    """The largest relative difference, as a problem if it exceeds the tolerance."""
    theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
    if theirs.shape != ours.shape:
        return f"shape {theirs.shape}, not {ours.shape}"
    if np.any(np.isnan(theirs) != np.isnan(ours)):
        return "missing in one and not in the other"
    equal = (theirs == ours) | np.isnan(ours)
    error = np.where(equal, 0.0, np.abs(theirs - ours) / np.maximum(np.abs(ours), 1e-300))
    worst = np.unravel_index(np.argmax(error), error.shape)
    if error[worst] <= tolerance:
        return None
    return f"{theirs[worst]!r} is not {ours[worst]!r} (relative difference {error[worst]:.1e})"


class Run:
    """What is in the files, read with nothing but pandas: arrays are chain × draw."""

    def __init__(self, folder):
        self.folder = folder
        self.files = sorted(folder.glob("chain_*.csv"))
        self.told = json.loads((folder / "summary.json").read_text())
        self.rows = {row["name"]: row for row in self.told["rows"]}
        self.tuning = json.loads((folder / "tuning.json").read_text())
        manifest = json.loads((folder / "run.json").read_text())
        self.has_warmup = manifest["asked"]["warmup"] > 0
        self.warmup = manifest["files"][0]["warmup_rows"]  # those in the files
        frames = [pd.read_csv(f, comment="#", float_precision="round_trip") for f in self.files]
        self.all = {name: np.array([frame[name] for frame in frames]) for name in frames[0].columns}
        self.drawn = {name: values[:, self.warmup :] for name, values in self.all.items()}

    def statistic(self, name):
        return [np.nan if row[name] is None else row[name] for row in self.rows.values()]

    def inverse_metric(self):
        """L Lᵀ, or its diagonal, or nothing."""
        factor = self.tuning["factor"]
        if factor == "identity":
            return None
        if "diagonal" in factor:
            return np.square(factor["diagonal"])
        return np.array(factor) @ np.array(factor).T


def column_of(name):
    return name.replace("[", ".").replace(",", ".").replace("]", "")


def entry_of(dataset, name):
    """x[1,2] of an array x."""
    base, _, indices = name.rstrip("]").partition("[")
    return dataset[base].values[(..., *(int(i) - 1 for i in indices.split(",")))] if indices else dataset[base].values


def check_arviz(run):
    name = f"ArviZ: {run.folder.name}"
    data = arviz.from_cmdstan(str(run.folder / "chain_*.csv"), save_warmup=run.warmup > 0)
    posterior = {row: entry_of(data.posterior, row) for row in run.rows if row != "lp__"}
    check(f"{name}: draws", next(filter(None, (differs(x, run.drawn[column_of(row)]) for row, x in posterior.items())), None))
    for theirs, column in STATISTICS.items():
        check(f"{name}: {column}", differs(data.sample_stats[theirs].values, run.drawn[column]))
    check(f"{name}: divergences", differs(data.sample_stats["diverging"].values.sum(), run.told["divergences"]))
    if run.warmup:
        check(f"{name}: warm-up", differs(data.warmup_sample_stats["energy"].values, run.all["energy__"][:, : run.warmup]))
    check(f"{name}: ebfmi", differs(arviz.bfmi(data), [chain["ebfmi"] for chain in run.told["chains"]], SAME))
    values = {"lp__": data.sample_stats["lp"].values} | posterior
    functions = {
        "mean": np.mean,
        "sd": lambda x: np.std(x, ddof=1),
        "q5": lambda x: np.quantile(x, 0.05),
        "q50": np.median,
        "q95": lambda x: np.quantile(x, 0.95),
        "q2.5": lambda x: np.quantile(x, 0.025),
        "hdi95_low": lambda x: arviz.hdi(x.ravel(), hdi_prob=0.95)[0],
        "hdi95_high": lambda x: arviz.hdi(x.ravel(), hdi_prob=0.95)[1],
        "above_zero": lambda x: np.mean(x > 0),
        "mcse_mean": lambda x: arviz.mcse(x, method="mean"),
        "ess_bulk": lambda x: arviz.ess(x, method="bulk"),
        "ess_tail": lambda x: arviz.ess(x, method="tail"),
    }
    if run.told["draws_per_chain"] % 2 == 0:  # it folds about another median where n is odd: docs/diagnostics.md
        functions["rhat"] = lambda x: arviz.rhat(x)
    for statistic, function in functions.items():
        ours, theirs = run.statistic(statistic), [function(values[row]) for row in run.rows]
        if statistic == "ess_tail":  # ArviZ rounds a quantile between equal draws: docs/diagnostics.md
            kept = [i for i, row in enumerate(run.rows) if not repeats(values[row])]
            ours, theirs = [ours[i] for i in kept], [theirs[i] for i in kept]
        check(f"{name}: {statistic}", differs(theirs, ours, SAME))


def repeats(x):
    """Whether the 5 % or 95 % quantile lies between two equal draws."""
    ordered = np.sort(x, axis=None)
    places = [int(p * (ordered.size - 1)) for p in (0.05, 0.95)]
    return any(ordered[i] == ordered[i + 1] for i in places)


def check_cmdstanpy(run):
    name = f"CmdStanPy: {run.folder.name}"
    fit = cmdstanpy.from_csv([str(f) for f in run.files])  # a folder's files would come in the order of the file system
    check(f"{name}: chains and draws", differs([fit.chains, fit.num_draws_sampling], next(iter(run.drawn.values())).shape))
    check(f"{name}: names", None if [column_of(c) for c in fit.column_names] == list(run.all) else f"{fit.column_names}")
    draws = fit.draws(inc_warmup=run.warmup > 0)  # draw × chain × column
    check(f"{name}: draws", differs(draws, np.array(list(run.all.values())).transpose(2, 1, 0)))
    sampler = fit.method_variables()  # with warm-up, if it was saved
    for column in STATISTICS.values():
        check(f"{name}: {column}", differs(sampler[column].T, run.all[column]))
    divergences = sampler["divergent__"][run.warmup :].sum()  # fit.divergences of 1.3.0 leaves out the first draw
    check(f"{name}: divergences", differs(divergences, run.told["divergences"]))
    check(f"{name}: step size", differs(fit.step_size, [run.tuning["step_size"]] * len(run.files)))
    metric = run.inverse_metric()
    if metric is not None:
        check(f"{name}: inverse metric", differs(fit.inv_metric, np.array([metric] * len(run.files)), 1e-12))
    else:
        check(f"{name}: unit metric", None if fit.metric_type == "unit_e" else fit.metric_type)


def check_judge(run):
    """What ./dev bench --posteriors calls effective draws and R-hat of any sampler."""
    for statistic, function in {"ess_bulk": judge.ess_bulk, "rhat": judge.rhat}.items():
        theirs = [function(run.drawn[column_of(row)]) for row in run.rows]
        check(f"judge: {run.folder.name}: {statistic}", differs(theirs, run.statistic(statistic), SAME))


def check_kinds(run):
    """Parameters of every shape, as CmdStanPy gives them back; ArviZ cannot read complex numbers, of CmdStan neither."""
    variables = cmdstanpy.from_csv([str(f) for f in run.files]).stan_variables()
    one_after_the_other = {name: values.reshape(-1) for name, values in run.drawn.items()}  # chains
    for name, shape in {"mu": (), "p": (3,), "R": (2, 2), "m": (2, 2, 3), "z": (3,), "k": ()}.items():
        check(f"CmdStanPy: shape of {name}", None if variables[name].shape[1:] == shape else f"{variables[name].shape[1:]}")
    check("CmdStanPy: an entry of an array of matrices", differs(variables["m"][:, 1, 0, 2], one_after_the_other["m.2.1.3"]))
    w = one_after_the_other["w.real"] + 1j * one_after_the_other["w.imag"]
    check("CmdStanPy: a complex number", None if np.array_equal(variables["w"], w) else f"{variables['w'][0]}, not {w[0]}")
    pair = [draw[1][0] for draw in variables["pair"]]
    check("CmdStanPy: a vector in a tuple", differs(pair, one_after_the_other["pair:2.1"]))


def check_observations(run):
    """What the model says of single observations, against its formula on the data, and what ArviZ makes of both."""
    manifest = json.loads((run.folder / "run.json").read_text())
    data = pd.read_csv(manifest["asked"]["data"])
    y = data.pop(manifest["decided"]["response"]).to_numpy(float)
    coefficients = np.array([run.drawn[name] for name in list(run.drawn)[-data.shape[1] :]])
    eta = run.drawn["intercept"][..., None] + np.einsum("kcd,ik->cdi", coefficients, data.to_numpy(float))
    expected = -np.logaddexp(0, -(2 * y - 1) * eta)  # chain × draw × observation

    def rows(folder):
        files = sorted((run.folder / folder).glob("chain_*.csv"))
        return np.array([pd.read_csv(file, comment="#", float_precision="round_trip") for file in files])

    log_lik, y_rep = rows("log_likelihood"), rows("posterior_predictive")
    check("observations: log likelihood", differs(log_lik, expected, SAME))
    likelihood = json.loads((run.folder / "observations.json").read_text())["likelihood"]
    check("observations: mean likelihood", differs(likelihood, np.exp(expected).mean((0, 1)), SAME))
    posterior = {"b": run.drawn["intercept"]}
    ours, theirs = (arviz.from_dict(posterior, log_likelihood={"y": terms}) for terms in (log_lik, expected))
    for criterion in (arviz.loo, arviz.waic):
        found, wanted = criterion(ours, pointwise=True), criterion(theirs, pointwise=True)
        name = "loo" if criterion is arviz.loo else "waic"
        check(f"ArviZ: {name} of the log likelihood", differs(found[f"elpd_{name}"], wanted[f"elpd_{name}"], SAME))
        check(f"ArviZ: {name} of each observation", differs(found[f"{name}_i"], wanted[f"{name}_i"], 1e-7))
    every_fourth = np.exp(np.where(y == 1, expected, np.log1p(-np.exp(expected))))[:, 2::4]  # the draws that were predicted with
    surprise = (y_rep - every_fourth).sum() / np.sqrt((every_fourth * (1 - every_fourth)).sum())
    check("observations: predictions", None if abs(surprise) < 5 else f"{surprise:.1f} standard deviations from their mean")
    told = arviz.from_dict(posterior, posterior_predictive={"y": y_rep}, observed_data={"y": y})
    arviz.plot_ppc(told, num_pp_samples=20, random_seed=1)
    check("ArviZ: plot_ppc", None)


def attempt(check_run, run):
    try:
        check_run(run)
    except Exception as error:  # a tool that cannot read the files at all
        check(f"{check_run.__name__}: {run.folder.name}", f"{type(error).__name__}: {error}")


def main():
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        run = Run(folder)
        if folder.name == "kinds":
            attempt(check_kinds, run)
            continue
        if folder.name == "observed":
            attempt(check_observations, run)
        attempt(check_arviz, run)
        attempt(check_judge, run)
        if run.has_warmup:  # its from_csv takes no file without, of whatever sampler
            attempt(check_cmdstanpy, run)
    print(f"read with ArviZ {arviz.__version__}, CmdStanPy {cmdstanpy.__version__}")


main()
