"""Draws are those of the command line: DARBOUX_PROGRAM names the program, and data are those of the repository."""

import csv
import json
import os
import pathlib
import re
import subprocess

import darboux
import numpy as np
import pytest

PROGRAM = os.environ.get("DARBOUX_PROGRAM", "")
ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not PROGRAM, reason="DARBOUX_PROGRAM is not set")


def command_line(folder, *words):
    common = ["--seed", "3", "--draws", "50", "--warmup", "100", "--quiet", "--out", folder]
    subprocess.run([PROGRAM, "sample", *words, *common], check=True)
    rows = [line for line in (folder / "chain_2.csv").read_text().splitlines() if not line.startswith("#")]
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
    of_dict = in_python(darboux.from_stan(program, given | {"y": np.array(given["y"])}, seed=3))
    assert of_dict["mu"].values.tolist() == found["mu"].values.tolist()
    for name, values in (("mu", found["mu"]), ("theta.3", found["theta"][:, 2]), ("again.8", found["again"][:, 7])):
        assert values.values.tolist() == [float(row[name]) for row in expected], name
