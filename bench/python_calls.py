"""What the Python package costs beyond the work that it is given: a call of a function of NumPy, and `import darboux`.

A call is the CPU time of a gradient of a standard normal by darboux.from_numpy, less what the function takes by itself and less what the
sampler takes for the same steps of the built-in normal. An import is the CPU time of a process that imports, less that of one that does
not; `numpy` is what NumPy's own takes of it. Medians of as many repetitions as asked for, with the smallest and the largest."""

import argparse
import resource
import statistics
import subprocess
import sys
import time

import darboux
import numpy as np

MOST_SECONDS_OF_IMPORT = 0.15


def normal(q):
    return -0.5 * q @ q, -q


def alone(dim, calls=20_000):
    q = np.zeros(dim)
    begin = time.thread_time()
    for _ in range(calls):
        normal(q)
    return (time.thread_time() - begin) / calls


def sampled(model):
    """Seconds of a gradient, with all of the sampler's work, of which both models have the same."""
    cost = darboux.sample(model, seed=1, chains=1, draws=2000, tune=100, init="uniform", metric="identity", steps=10,
                          cores=1, progressbar=False).darboux.cost
    return cost["sampling_cpu_seconds"] / cost["sampling_gradients"]


def call(dim):
    return sampled(darboux.from_numpy(normal, dim)) - alone(dim) - sampled(darboux.models.named("gaussian", dim))


def process(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imported(module):
    return process(f"import {module}") - process("")


def row(name, unit, scale, seconds):
    low, middle, high = (f"{scale * x:.3g}" for x in (min(seconds), statistics.median(seconds), max(seconds)))
    print(f"| {name} | {middle} {unit} | {low} to {high} |")
    return statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = range(parser.parse_args().runs)
    print("| what | median | smallest to largest |\n|---|---|---|")
    for dim in (2, 10, 100):
        row(f"a call in {dim} dimensions", "µs", 1e6, [call(dim) for _ in runs])
    row("import numpy", "s", 1, [imported("numpy") for _ in runs])
    took = row("import darboux", "s", 1, [imported("darboux") for _ in runs])
    if took > MOST_SECONDS_OF_IMPORT:
        sys.exit(f"import darboux takes {took:.3f} s of CPU time: more than the {MOST_SECONDS_OF_IMPORT} s that docs/performance.md has room for")


if __name__ == "__main__":
    main()
