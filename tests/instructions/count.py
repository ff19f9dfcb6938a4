#!/usr/bin/env python3
"""How many instructions fixed runs take, against what is stored: a slowdown that clocks cannot see on a busy machine.

  count.py PROGRAM           compares with counts.json, 3 % either way
  count.py PROGRAM --store   writes counts.json

Counted by valgrind, which knows no AVX-512: the code is that for AVX2. Runs have one thread and one block of chains, whose work
does not depend on the clock. Counts depend on the compiler and the C library, so others than those stored are not compared.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ALLOWANCE = 0.03
STORED = pathlib.Path(__file__).with_name("counts.json")
GERMAN = str(pathlib.Path(__file__).parents[2] / "data/german.csv")
LOGISTIC = ["logistic", "--data", GERMAN, "--prior-intercept", "1", "--standardise", "all"]
SHORT = ["--warmup", "100", "--draws", "100"]
UNTUNED = ["--warmup", "0", "--draws", "40", "--step-size", "0.1", "--steps", "5", "--metric", "identity"]
RUNS = {
    "logistic, leapfrog": [*LOGISTIC, *SHORT],
    "logistic, magnetic-leapfrog": [*LOGISTIC, *SHORT, "--structure", "magnetic-position"],
    "skewed, split-midpoint": ["skewed", "--dimension", "20", *UNTUNED, "--structure", "coupled"],
    "fitzhugh-nagumo": ["fitzhugh-nagumo", *SHORT],
    "skewed, chosen steps and bent coordinates": ["skewed", "--dimension", "10", "--warmup", "400", "--draws", "100"],
    "student-t, chosen motion": ["student-t", "--dimension", "6", "--warmup", "400", "--draws", "100"],
    "gaussian, nuts": ["gaussian", "--dimension", "2", "--warmup", "100", "--draws", "1000", "--chains", "1",
                       "--trajectory", "nuts"],
}


def count(program, arguments, folder):
    """Instructions of one run, and the versions that its manifest names."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "sample", *arguments,
               "--seed", "1", "--threads", "1", "--quiet", "--out", folder]
    run = subprocess.run(command, env={**os.environ, "DARBOUX_CPU": "avx2", "LC_ALL": "C"}, capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not counted:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{run.stderr}")
    return int(counted[1]), json.loads((pathlib.Path(folder) / "run.json").read_text())["versions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        return print("skipped: instruction counts, valgrind is not here")

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        counted = dict(zip(RUNS, pool.map(lambda name: count(options.program, RUNS[name], f"{folder}/{name}"), RUNS)))
    versions = next(iter(counted.values()))[1]
    built_with = {"compiler": versions["compiler"], "libc": platform.libc_ver()[1]}
    counts = {name: instructions for name, (instructions, _) in counted.items()}
    if options.store:
        STORED.write_text(json.dumps({**built_with, "instructions": counts}, indent=2) + "\n")
        return print(f"Stored in {STORED}: {counts}")

    stored = json.loads(STORED.read_text())
    expected = stored.pop("instructions")
    if stored != built_with:
        return print(f"skipped: instruction counts, stored for {stored}, but this is {built_with}")
    for name, instructions in counts.items():
        change = instructions / expected[name] - 1
        verdict = "passed" if abs(change) <= ALLOWANCE else "FAILED"
        print(f"{verdict}: {name}: {instructions / 1e6:.1f} million instructions, {100 * change:+.2f} %")
    if any(abs(counts[name] / expected[name] - 1) > ALLOWANCE for name in counts):
        print("If that is meant: ./dev bench --instructions --store")
        return 1


if __name__ == "__main__":
    sys.exit(main())
