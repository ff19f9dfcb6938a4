"""zarr_checks.py PROGRAM DATA OUT: what xarray and ArviZ read from Zarr stores and netCDF files of runs in OUT is, bit by bit, what is
in their Stan CSV files; a store opens while its run goes on. Prints one line per check; a warning of a reader is a failure."""

import json
import random
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import arviz
import numpy as np
import pandas as pd
import xarray
from common import STATISTICS, check

warnings.simplefilter("error")


def differs(theirs, ours):
    theirs, ours = np.asarray(theirs, float), np.asarray(ours, float)
    if theirs.shape != ours.shape:
        return f"shape {theirs.shape}, not {ours.shape}"
    return None if theirs.tobytes() == ours.tobytes() else f"{np.sum(theirs != ours)} numbers differ"


def sample(program, folder, *arguments):
    subprocess.run([program, "sample", *arguments, "--seed", "1", "--quiet", "--format", "csv,zarr", "--out", folder], check=True)


def drawn(folder):
    """By column, chain × draw, with warm-up."""
    files = sorted(folder.glob("chain_*.csv"))
    frames = [pd.read_csv(f, comment="#", dtype=str).astype(float) for f in files]  # every bit, by Python's own reading
    return {name: np.array([frame[name] for frame in frames]) for name in frames[0].columns}


def columns(variable, array):
    """The columns of Stan CSV that an array stands for, in the order of its entries."""
    labels = [array.coords[dim].values for dim in array.dims[2:]]
    if not labels:
        return [variable]
    if labels[0].dtype.kind in "UTO":
        return None  # names of a table's columns: all there are, in order
    return [f"{variable}." + ".".join(str(i + 1) for i in index) for index in np.ndindex(array.shape[2:])]


def check_tree(name, tree, folder):
    csv = drawn(folder)
    warmup = json.loads((folder / "run.json").read_text())["files"][0]["warmup_rows"]
    own = [column for column in csv if not column.endswith("__")]
    for prefix, rows in (("", slice(warmup, None)), ("warmup_", slice(0, warmup))):
        if f"{prefix}posterior" not in tree.children:
            check(f"{name}: {prefix}groups", None if prefix and not warmup else "missing")
            continue
        seen = []
        for variable, array in tree[f"{prefix}posterior"].data_vars.items():
            wanted = columns(variable, array) or own
            seen += wanted
            values = np.moveaxis(array.values.reshape(*array.shape[:2], -1), 2, 0)
            check(f"{name}: {prefix}{variable}", differs(values, [csv[column][:, rows] for column in wanted]))
        check(f"{name}: {prefix}names", None if sorted(seen) == sorted(own) else f"{seen}")
        statistics = tree[f"{prefix}sample_stats"]
        for theirs, column in STATISTICS.items():
            check(f"{name}: {prefix}{theirs}", differs(statistics[theirs].values, csv[column][:, rows]))
        check(f"{name}: {prefix}type of truths", None if statistics["diverging"].dtype == bool else "no bool")


def check_regression(name, tree, data):
    table = pd.read_csv(data)
    response = next(iter(tree["observed_data"].data_vars))
    check(f"{name}: outcomes", differs(tree["observed_data"][response].values, table[response]))
    names = list(tree["posterior"]["beta"].coords["column"].values)
    check(f"{name}: a column by its name", differs(tree["posterior"]["beta"].sel(column=names[1]), tree["posterior"]["beta"][:, :, 1]))
    missing = [label for label in names[1:] if label.split("[")[0] not in table.columns]  # text columns have a name for each level
    check(f"{name}: names are those of columns", f"{missing}" if missing else None)
    design = tree["constant_data"]["X"]
    numbers = [label for label in names if label in table.columns]
    check(f"{name}: design", differs(design.sel(column=numbers).values, table[numbers]))
    check(f"{name}: column of ones", differs(design.sel(column="intercept").values, np.ones(len(table))))
    check(f"{name}: axis of observations", None if design.dims[0] == tree["observed_data"][response].dims[0] else f"{design.dims}")


def check_observations(tree, folder):
    """Groups of observations have the numbers of the files, and ArviZ's loo those of a sum by hand."""
    response = next(iter(tree["observed_data"].data_vars))
    for group, name in (("log_likelihood", "log_lik"), ("posterior_predictive", "y_rep")):
        files = sorted((folder / group).glob("chain_*.csv"))
        rows = np.array([pd.read_csv(f, comment="#", dtype=str).astype(float).filter(regex=f"^{name}[.]") for f in files])
        check(f"Zarr: {group}", differs(tree[group][response].values, rows))
    terms = tree["log_likelihood"][response].values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some observations are influential is no fault of the store
        loo = arviz.loo(tree, pointwise=True)
    logit = tree["constant_data"]["X"].values @ np.moveaxis(tree["posterior"]["beta"].values, 2, 1)  # chain × observation × draw
    by_hand = -np.log1p(np.exp(np.moveaxis(logit, 1, 2) * (1 - 2 * tree["observed_data"][response].values)))
    check("Zarr: log likelihood from X and beta", None if np.allclose(by_hand, terms, rtol=1e-9) else f"{np.abs(by_hand - terms).max()}")
    lppd = np.log(np.exp(terms).mean(axis=(0, 1)))
    gap = (lppd - loo.elpd_i.values.reshape(lppd.shape)).sum() - loo.p
    check("ArviZ: loo of a store", None if abs(gap) < 1e-6 and 10 < loo.p < 40 else f"{loo}, gap {gap}")


def check_comparison(out):
    """ArviZ compares two priors by what is in the stores, and lays predictions beside what was observed."""
    with (xarray.open_datatree(out / "observed/draws.zarr", engine="zarr") as wide,
          xarray.open_datatree(out / "narrow/draws.zarr", engine="zarr") as narrow):  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compared = arviz.compare({"wide": wide, "narrow": narrow}, round_to="none")
            gaps = [abs(compared.loc[name, "elpd"] - arviz.loo(tree).elpd) for name, tree in (("wide", wide), ("narrow", narrow))]
        check("ArviZ: compare of two stores", None if max(gaps) < 1e-9 and list(compared.index) == ["wide", "narrow"] else f"{compared}")
        arviz.plot_ppc_pava(wide, backend="none")  # raises where a group or a dimension is not what it should be
        check("ArviZ: plot_ppc_pava", None)


def check_converted(program, data, out):
    """A run in Stan CSV alone, converted: the groups of one that writes its store itself, and loo works on them."""
    plain, files = out / "plain", {"zarr": out / "plain.zarr", "netcdf": out / "plain.nc"}
    subprocess.run([program, "sample", "logistic", "--data", data, "--warmup", "300", "--draws", "250", "--log-likelihood",
                    "--posterior-predictive", "40", "--seed", "1", "--quiet", "--out", plain], check=True)  # fmt: skip
    for target, file in files.items():
        subprocess.run([program, "convert", plain, "--to", target, "--output", file], check=True, stdout=subprocess.DEVNULL)
    with xarray.open_datatree(out / "observed/draws.zarr", engine="zarr") as own:
        for target, engine in (("zarr", "zarr"), ("netcdf", "netcdf4")):
            with xarray.open_datatree(files[target], engine=engine) as tree:
                others = []
                for group in own.children:
                    for name, array in own[group].to_dataset().variables.items():
                        theirs = tree[group].to_dataset().variables.get(name) if group in tree.children else None
                        same = theirs is not None and theirs.dims == array.dims and theirs.dtype.kind in (array.dtype.kind, "O")
                        if not same or not np.array_equal(theirs.values, array.values):
                            others.append(f"{group}/{name}")
                check(f"converted to {target}: all groups", f"{others} differ" if others else None)
                counts = [tree[group].to_dataset()["y"].dtype.kind for group in ("observed_data", "posterior_predictive")]
                check(f"converted to {target}: outcomes and predictions are whole", None if counts == ["i", "i"] else f"{counts}")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that other figures suit outcomes of two values better
                    gap = abs(arviz.loo(tree).elpd - arviz.loo(own).elpd)
                    arviz.plot_ppc_rootogram(tree, backend="none")  # which refuses what are no counts
                check(f"ArviZ: loo of a run converted to {target}", None if gap < 1e-9 else f"gap {gap}")
                check(f"ArviZ: plot_ppc_rootogram of a run converted to {target}", None)


def look(folder):
    """All draws in a store, as they are now."""
    with xarray.open_datatree(folder / "draws.zarr", engine="zarr") as tree:
        now = tree["posterior"].to_dataset().load()
        steps = tree["sample_stats"]["n_steps"].values
    good = steps.shape == (4, now.sizes["draw"]) and (steps > 0).all()
    return now, None if good else f"statistics of {steps.shape}, all of trajectories: {(steps > 0).all()}"


def has_changed(before, now):
    """Why these are not draws of one run."""
    both = slice(0, min(before.sizes["draw"], now.sizes["draw"]))
    return None if now.isel(draw=both).equals(before.isel(draw=both)) else "draws have changed"


def got_fewer(before, now):
    counts = [draws.sizes["draw"] for draws in (before, now)]
    return None if counts[1] >= counts[0] else f"{counts[1]} draws, where there were {counts[0]}"


def check_running(program, out):
    """Opened again and again while a run goes on: it gets longer, and what was there stays; after kill -9 too, and when it was gone on with."""
    folder = out / "running"
    arguments = ["sample", "banana", "--seed", "1", "--quiet", "--format", "zarr", "--draws", "100000000", "--max-seconds", "120",
                 "--checkpoint-seconds", "0.2", "--out", folder]  # fmt: skip
    run = subprocess.Popen([program, *arguments])
    lengths, before, problem = [], None, None
    try:
        while run.poll() is None and problem is None and len(set(lengths)) < 5:
            if (folder / "draws.zarr/.zmetadata").exists():
                now, problem = look(folder)
                lengths.append(now.sizes["draw"])
                if before is not None:
                    problem = problem or has_changed(before, now) or got_fewer(before, now)
                before = now
            time.sleep(0.2)
    finally:
        run.kill()
        run.wait()
    check("a run that goes on", problem)
    check("a run that goes on gets longer", None if len(set(lengths)) > 3 else f"{lengths}")
    print(f"opened {len(lengths)} times, with {min(lengths)} to {max(lengths)} draws of each chain")
    most, problem = look(folder)
    check("after kill -9", problem or has_changed(before, most) or got_fewer(before, most))
    for kill in range(3):  # it begins again where its checkpoint was
        run = subprocess.Popen([program, "resume", folder, "--quiet"])
        time.sleep(random.uniform(0.0, 1.5))
        run.kill()
        run.wait()
        now, problem = look(folder)
        check(f"gone on with, and killed again, {kill + 1}", problem or has_changed(most, now))
        most = max(most, now, key=lambda draws: draws.sizes["draw"])
    subprocess.run([program, "resume", folder, "--quiet", "--max-seconds", "0.1"], check=True)
    now, problem = look(folder)
    check("gone on with to its end", problem or has_changed(most, now) or got_fewer(most, now))


def main():
    program, data, out = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    sample(program, out / "regression", "logistic", "--data", data, "--warmup", "300", "--draws", "1500")
    sample(program, out / "observed", "logistic", "--data", data, "--warmup", "300", "--draws", "250", "--log-likelihood",
           "--posterior-predictive", "40")
    sample(program, out / "narrow", "logistic", "--data", data, "--warmup", "300", "--draws", "250", "--prior-scale", "0.05", "--log-likelihood")
    sample(program, out / "thinned", "gaussian", "--dimension", "3", "--warmup", "300", "--draws", "400", "--thin", "4", "--save-warmup")
    sample(program, out / "trees", "funnel", "--trajectory", "nuts", "--warmup", "300", "--draws", "2500")
    for folder in sorted(out.iterdir()):
        with xarray.open_datatree(folder / "draws.zarr", engine="zarr") as tree:
            check_tree(f"Zarr: {folder.name}", tree, folder)
            if folder.name == "regression":
                check_regression("Zarr", tree, data)
            if folder.name == "observed":
                check_observations(tree, folder)
            summary = arviz.summary(tree, round_to="none")
            told = subprocess.run([program, "summary", folder, "--json", "-"], check=True, capture_output=True, text=True).stdout
            bulk = [row["ess_bulk"] for row in json.loads(told)["rows"] if row["name"] != "lp__"]
            close = np.allclose(summary["ess_bulk"].astype(float), bulk, rtol=1e-9)
            check(f"ArviZ: {folder.name}: ess_bulk", None if close else f"{list(summary['ess_bulk'])}, not {bulk}")
        file = folder.with_suffix(".nc")
        subprocess.run([program, "convert", folder, "--to", "netcdf", "--output", file], check=True, stdout=subprocess.DEVNULL)
        with xarray.open_datatree(file, engine="netcdf4") as tree:
            check_tree(f"netCDF: {folder.name}", tree, folder)
            if folder.name == "regression":
                check_regression("netCDF", tree, data)
    check_comparison(out)
    check_converted(program, data, out)
    check_running(program, out)
    print(f"read with ArviZ {arviz.__version__}, xarray {xarray.__version__}")


main()
