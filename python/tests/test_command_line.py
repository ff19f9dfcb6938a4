"""Draws are those of the command line: DARBOUX_PROGRAM names the program, and data are those of the repository."""

import csv
import json
import os
import pathlib
import re
import subprocess

import darboux
import numpy as np
import pandas
import pytest

PROGRAM = os.environ.get("DARBOUX_PROGRAM", "")
ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not PROGRAM, reason="DARBOUX_PROGRAM is not set")


def command_line(folder, *words):
    common = ["--seed", "3", "--draws", "50", "--warmup", "100", "--quiet", "--out", folder]
    subprocess.run([PROGRAM, "sample", *words, *common], check=True)
    return rows_of(folder, 2)


def rows_of(folder, chain):
    rows = [line for line in (folder / f"chain_{chain}.csv").read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(rows))


def in_python(model):
    return darboux.sample(model, seed=3, draws=50, tune=100, progressbar=False).posterior.isel(chain=1)


def test_of_a_table(tmp_path):
    file = ROOT / "data/german.csv"
    expected = command_line(tmp_path / "out", "logistic", "--data", file)
    table = np.genfromtxt(file, delimiter=",", names=True)
    names = [name for name in table.dtype.names if name != "y"]
    found = in_python(darboux.models.logistic(np.column_stack([table[n] for n in names]), table["y"], names=names))
    for name in ["intercept", *names]:
        assert found[name].values.tolist() == [float(row[name]) for row in expected], name


@pytest.mark.parametrize("words", [[], ["--trajectory", "chees", "--metric", "diagonal"], ["--trajectory", "nuts"]])
def test_what_was_chosen_is_said_in_the_same_words(tmp_path, words):
    command = [PROGRAM, "sample", "gaussian", "--seed", "3", "--draws", "50", "--warmup", "300", *words, "--out", tmp_path / "out"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.replace("--motion", "motion").splitlines()
    settings = {name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)}
    found = darboux.sample(darboux.models.named("gaussian"), seed=3, draws=50, tune=300, progressbar=False, **settings).darboux
    expected = [line for line in printed if line.partition(":")[0] in ("Trajectories", "Motion", "Metric", "Coordinates", "Gradients")]
    assert [f"{name}: {text}" for name, text in found.how.items()] == expected
    manifest = json.loads((tmp_path / "out/run.json").read_text(encoding="utf-8"))
    for name in ("stages", "step_spread", "momentum_kept", "motion", "metric", "metric_draws", "coordinates_bent", "step_size"):
        assert found.cost[name] == manifest["tuning"][name], name
    assert found.cost.get("steps", manifest["tuning"]["steps"]) == manifest["tuning"]["steps"]


@pytest.mark.parametrize(
    "settings",
    [
        {"trajectory": "nuts"},
        {"trajectory": "chees", "metric": "diagonal", "thin": "3"},
        {"metric": "low-rank", "map": "sinh-arcsinh"},
        {"motion": "microcanonical", "stages": "2"},
        {"integrator": "leapfrog", "order": "4", "momentum-kept": "0.5"},
        {"structure": "magnetic-position", "strength": "0.3"},
        {"structure": "magnetic-momentum", "structure-seed": "7"},
        {"structure": "coupled", "integrator": "midpoint"},
        {"structure": "coupled", "integrator": "doubled"},
        {"init": "uniform", "step-size": "0.3", "direction": "random"},
        {"target-ess": "300", "max-draws": "400"},
    ],
    ids=str,
)
def test_with_settings_of_all_kinds(tmp_path, settings):
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    command_line(tmp_path / "out", "funnel-centred" if "map" in settings else "banana", *words)
    model = darboux.models.named("funnel-centred" if "map" in settings else "banana")
    given = {name.replace("-", "_"): value for name, value in settings.items()}
    trace = darboux.sample(model, seed=3, draws=50, tune=100, progressbar=False, **given)
    for chain in range(4):
        expected = rows_of(tmp_path / "out", chain + 1)
        found = np.concatenate([trace.posterior[name][chain].values.reshape(len(expected), -1) for name in trace.posterior], axis=1)
        columns = [name for name in expected[0] if not name.endswith("__")]
        assert found.tolist() == [[float(row[name]) for name in columns] for row in expected]


@pytest.mark.parametrize("precision", ["single", "mixed"])
def test_with_gradients_of_any_precision(tmp_path, precision):
    columns, y = some_passengers()
    file = as_file(tmp_path / "passengers.csv", columns, y)
    settings = {"gradient-precision": precision} | ({"structure": "coupled"} if precision == "mixed" else {})
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    expected = command_line(tmp_path / "out", "logistic", "--data", file, "--response", "survived", *words)
    given = {name.replace("-", "_"): value for name, value in settings.items()}
    trace = darboux.sample(darboux.models.logistic(columns, y), seed=3, draws=50, tune=100, progressbar=False, **given)
    assert trace.attrs["gradient_precision"] == precision
    assert trace.posterior["age"][1].values.tolist() == [float(row["age"]) for row in expected]


def some_passengers(rows=120):
    """Columns of every kind, with places where something is missing."""
    random = np.random.default_rng(4)
    columns = {
        "class": random.choice(["third", "first", "second, upper"], rows).tolist(),
        "age": random.normal(40, 12, rows).round(1),
        "married": random.uniform(size=rows) < 0.4,
        "port": random.choice(["Å", "Z", "a"], rows).tolist(),
        "fare": random.gamma(2.0, 20.0, rows),
        "rare": (np.arange(rows) % 50 == 0).astype(float),
    }
    logit = 0.05 * (columns["age"] - 40) - 0.8 * columns["married"] + np.where(np.array(columns["class"]) == "third", 0.7, 0.0)
    return columns, np.where(random.uniform(size=rows) < 1 / (1 + np.exp(-logit)), "yes", "no").tolist()


def with_gaps(columns):
    out = {name: list(values) for name, values in columns.items()}
    out["class"][3], out["age"][7], out["married"][7], out["port"][20] = None, np.nan, None, "NA"
    return out


def as_file(path, columns, y):
    """As pandas and R write such a table."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "survived"])
        for row in zip(*columns.values(), y, strict=True):
            writer.writerow("" if pandas.isna(v) else repr(float(v)) if isinstance(v, float) else v for v in row)
    return path


def agree(model, expected, folder):
    found = in_python(model)
    columns = [name for name in expected[0] if not name.endswith("__")]  # the same names, as files of Stan spell them
    assert len(columns) == len(model.names)
    for name, column in zip(model.names, columns, strict=True):
        assert found[name].values.tolist() == [float(row[column]) for row in expected], name
    manifest = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    told = [warning.replace(" (--drop)", "") for warning in manifest["warnings"]]  # which is for files
    assert model.remarks == told[: len(model.remarks)]
    for what in ("rows", "rows_left_out", "predictors", "categories"):
        assert model.facts["data"][what] == manifest["data"][what], what
    assert model.facts["prior"] == manifest["prior"]


@pytest.mark.parametrize("gaps", [False, True])
def test_of_columns_of_every_kind(tmp_path, gaps):
    columns, y = some_passengers()
    if gaps:
        columns = with_gaps(columns)
    file = as_file(tmp_path / "passengers.csv", columns, y)
    settings = ["--response", "survived", "--reference", "class=third", "--na", "drop"]
    expected = command_line(tmp_path / "out", "logistic", "--data", file, *settings)
    model = darboux.models.logistic(columns, y, reference={"class": "third"}, na="drop")
    assert {"class[first]", "class[second, upper]", "married[True]", "port[Å]"} <= set(model.names)
    assert any("rare" in remark for remark in model.remarks)
    agree(model, expected, tmp_path / "out")


@pytest.mark.parametrize("gaps", [False, True])
def test_of_a_data_frame(tmp_path, gaps):
    columns, y = some_passengers()
    frame = pandas.DataFrame(with_gaps(columns) if gaps else columns)
    frame["class"] = frame["class"].astype("category")
    file = tmp_path / "passengers.csv"
    frame.assign(survived=y).to_csv(file, index=False)
    expected = command_line(tmp_path / "out", "logistic", "--data", file, "--response", "survived", "--na", "drop")
    agree(darboux.models.logistic(frame, pandas.Series(y), na="drop"), expected, tmp_path / "out")


def test_of_a_stan_program(tmp_path):
    program, data = (ROOT / "tests/stan/programs" / name for name in ("schools.stan", "schools.json"))
    try:
        model = darboux.from_stan(program, data, seed=3)
    except ValueError as reason:
        if "there is no Stan here" not in str(reason):
            raise
        pytest.skip(str(reason))
    expected = command_line(tmp_path / "out", program, "--data", data)
    trace = darboux.sample(model, seed=3, draws=50, tune=100, progressbar=False)
    found = trace.posterior.isel(chain=1)
    given = json.loads(data.read_text())
    assert {name: values.values.tolist() for name, values in trace.constant_data.items()} == given
    assert re.fullmatch(r"2\.\d+\.\d+", trace.attrs["stan_version"])
    library = subprocess.run([PROGRAM, "compile", program], check=True, capture_output=True, text=True).stdout.strip()
    of_library = darboux.sample(darboux.from_stan(library, data, seed=3), draws=5, tune=50, progressbar=False)
    assert re.fullmatch(r"2\.\d+\.\d+", of_library.attrs["bridgestan_version"])  # of the interface
    of_dict = in_python(darboux.from_stan(program, given | {"y": np.array(given["y"])}, seed=3))
    assert of_dict["mu"].values.tolist() == found["mu"].values.tolist()
    for name, values in (("mu", found["mu"]), ("theta.3", found["theta"][:, 2]), ("again.8", found["again"][:, 7])):
        assert values.values.tolist() == [float(row[name]) for row in expected], name
