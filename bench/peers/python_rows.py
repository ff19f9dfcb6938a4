"""Darboux from Python beside what Python's users have, at defaults, for compare.py: models of PyMC beside nutpie, of NumPyro beside its own
NUTS, and a Stan program beside our command line."""
import pathlib
import types

import numpy as np

import stan_program
from worker import write_run

HERE = pathlib.Path(__file__).parent
MODELS = HERE.parent / "posteriors/models"
# What a row is called, the model, who samples it beside us.
CASES = [("python-schools", "pymc-schools", "nutpie"), ("python-groups", "pymc-groups", "nutpie"),
         ("python-credit", "pymc-credit", "nutpie"), ("python-numpyro", "numpyro-groups", "NumPyro"),
         ("python-stan", "hmm", "command line")]


def worker(comparison, method, model):
    options = comparison.options
    flags = ["--runs", str(options.runs), "--limit", str(options.limit)]
    return lambda folder: comparison.execute([options.python, HERE / "python_worker.py", method, model, folder, *flags])


def command_line(comparison, model):
    """The whole of `darboux sample`, files and all; the program is compiled before."""
    darboux, program = comparison.root / "release/bin/darboux", MODELS / f"{model}.stan"

    def runs_in(folder):
        comparison.execute([darboux, "compile", program])
        for seed in range(1, comparison.options.runs + 1):
            out = folder / f"run-{seed}"
            _, seconds = comparison.execute([darboux, "sample", program, "--data", program.with_suffix(".data.json"), "--seed", str(seed),
                                             "--threads", "1", "--out", out, "--quiet"])
            read, costs = stan_program.read_run(out)
            before, after = (costs[phase]["gradients"] for phase in ("warmup", "sampling"))
            write_run(folder / str(seed), np.stack([draws for _, draws, _ in read]), {
                "warmup_seconds": seconds * before / (before + after), "sampling_seconds": seconds * after / (before + after),
                "gradients": after})

    return runs_in


def measure(comparison):
    """Cases that were measured."""
    cases = []
    for name, model, other in CASES:
        case = types.SimpleNamespace(data=pathlib.Path(name))
        beside = f"{other} defaults"
        theirs = command_line(comparison, model) if other == "command line" else worker(comparison, other.lower(), model)
        for method, runs_in in ((beside, theirs), ("Darboux defaults", worker(comparison, "darboux", model))):
            if comparison.wanted(name, method):
                comparison.measure(case, method, runs_in, beside)
        cases.append(case)
    return cases
