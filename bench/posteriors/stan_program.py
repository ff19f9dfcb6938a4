"""Stan programs with Stan's own NUTS: where Stan is, how such a program is made, and what a run of it leaves."""
import json
import math
import os
import pathlib
import resource
import signal
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).parent
SAMPLER_COLUMNS = ["lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"]


class RunFailed(Exception):
    pass


def execute(command, most, environment, core=None):
    """What it printed and the CPU seconds that it took, of which it may take so many, however busy the machine is; on one
    core only where one is named."""
    def confine():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(most), math.ceil(most) + 10))
        if core is not None:
            os.sched_setaffinity(0, {core})

    before = os.times()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, preexec_fn=confine)
    except OSError as error:
        raise RunFailed(str(error)) from None
    after = os.times()
    if done.returncode == -signal.SIGXCPU:
        raise RunFailed(f"over {most:.0f} CPU seconds")
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise RunFailed(f"status {done.returncode}: {last}")
    return done.stdout.strip(), after.children_user + after.children_system - before.children_user - before.children_system


def with_stan(environment, darboux):
    """The environment with DARBOUX_STAN, the folder with stanc, include/ and lib/: as given, or where Darboux has it."""
    if "DARBOUX_STAN" in environment:
        return environment
    try:
        return {**environment, "DARBOUX_STAN": execute([darboux, "stan", "where"], 60, environment)[0]}
    except RunFailed as error:
        raise RunFailed(f"Stan was not found ({error}). Set DARBOUX_STAN to the folder with stanc, include/ and lib/.") from None


def made(model, cache, environment):
    """The program of a model, made where it is not there yet; its name says what it was made from."""
    return pathlib.Path(execute([HERE / "build", model, cache], 900, environment)[0])


def read_chain(path, parameters=None):
    """Names of parameters, all or those asked for, their draws [draw, parameter], and how many draws diverged."""
    with open(path) as file:
        lines = (line for line in file if not line.startswith("#"))
        header = next(lines).strip().split(",")
        rows = np.loadtxt(lines, delimiter=",", ndmin=2)
    names = parameters or [name for name in header if name not in SAMPLER_COLUMNS]
    missing = [name for name in names if name not in header]
    if missing:
        raise RunFailed(f"{path.name} has no column {missing[0]}")
    return names, rows[:, [header.index(name) for name in names]], int(rows[:, header.index("divergent__")].sum())


def read_run(folder, parameters=None):
    """All chains, as read_chain has them, and what run.json says."""
    in_order = sorted(folder.glob("chain_*.csv"), key=lambda path: int(path.stem.split("_")[1]))
    return [read_chain(path, parameters) for path in in_order], json.loads((folder / "run.json").read_text())
