#!/usr/bin/env python3
"""Whether draws are still the same to the last bit: checksums of what fixed runs write, against what is stored.

  bits.py PROGRAM           compares with checksums.json
  bits.py PROGRAM --store   writes the checksums of this class of processor into it

A change that is meant to leave draws as they are must not change a checksum; one that is meant to change them stores new ones and
says why. The class of processor is x86-64-v3, which later ones can compute as too, with the kernels for AVX2 and with those for any
processor. Bits may differ between classes and between versions of the C library: others than those stored are skipped, visibly.
"""
import argparse
import hashlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

STORED = pathlib.Path(__file__).with_name("checksums.json")
GERMAN = str(pathlib.Path(__file__).parents[2] / "data/german.csv")
LOGISTIC = ["logistic", "--data", GERMAN, "--prior-intercept", "1", "--standardise", "all", "--warmup", "120", "--draws", "20"]
COUPLED = ["--structure", "coupled", "--strength", "0.5"]
SHORT = ["--warmup", "150", "--draws", "30"]
LONG = ["--warmup", "400", "--draws", "30"]  # enough for warm-up to choose steps and motion, and to bend coordinates
UNTUNED = ["--warmup", "0", "--draws", "20", "--step-size", "0.1", "--steps", "5"]
RUNS = {
    "leapfrog, single precision": LOGISTIC,
    "leapfrog, full precision": [*LOGISTIC, "--gradient-precision", "full"],
    "leapfrog of order 4, single precision": [*LOGISTIC, "--order", "4"],
    "leapfrog, 19 chains on 3 threads": [*LOGISTIC, "--chains", "19", "--threads", "3", "--save-warmup", "--thin", "3"],
    "leapfrog, nuts": [*LOGISTIC, "--trajectory", "nuts"],
    "leapfrog, diagonal metric, chees": [*LOGISTIC, "--metric", "diagonal"],
    "leapfrog, low-rank metric": [*LOGISTIC, "--metric", "low-rank"],
    "magnetic-leapfrog, single precision": [*LOGISTIC, "--structure", "magnetic-position"],
    "magnetic-leapfrog, nuts": ["banana", *SHORT, "--structure", "magnetic-position", "--trajectory", "nuts"],
    "split-midpoint, mixed precision": [*LOGISTIC, "--structure", "magnetic-momentum"],
    "split-midpoint, full precision, nuts": ["skewed", "--dimension", "5", *SHORT, *COUPLED, "--trajectory", "nuts"],
    "split-midpoint without warm-up": ["skewed", "--dimension", "20", *UNTUNED, *COUPLED],
    "midpoint, mixed precision": [*LOGISTIC, *COUPLED, "--integrator", "midpoint"],
    "midpoint, half of the reverse checks": ["skewed", *SHORT, *COUPLED, "--integrator", "midpoint", "--reverse-check", "0.5"],
    "doubled, single precision": [*LOGISTIC, *COUPLED, "--integrator", "doubled"],
    "doubled of order 4": ["fitzhugh-nagumo", *SHORT, *COUPLED, "--integrator", "doubled", "--order", "4"],
    "explicit": ["skewed", "--dimension", "7", *SHORT, *COUPLED, "--integrator", "explicit"],
    "explicit at an angle": ["skewed", *UNTUNED, *COUPLED, "--integrator", "explicit", "--angle", "0.3"],
    "prior starts": ["fitzhugh-nagumo", *SHORT, "--init", "prior"],
    "many dimensions": ["gaussian", "--dimension", "250", *SHORT],
    "random directions": ["student-t", *SHORT, "--direction", "random", "--momentum-kept", "0.5"],
    "given steps": ["mixture", *SHORT, "--steps", "7", "--metric", "identity"],
    "given time": ["funnel", *SHORT, "--trajectory-time", "2.5"],
    "chosen steps, bent coordinates": ["skewed", "--dimension", "10", *LONG],
    "chosen motion": ["student-t", "--dimension", "6", *LONG],
    "microcanonical, three stages": ["student-t", "--dimension", "6", *SHORT, "--motion", "microcanonical", "--stages", "3"],
    "leapfrog, two stages, single precision": [*LOGISTIC, "--stages", "2"],
    "magnetic-leapfrog, three stages": ["banana", *SHORT, "--structure", "magnetic-position", "--stages", "3"],
    "split-midpoint, two stages": ["skewed", "--dimension", "5", *SHORT, *COUPLED, "--stages", "2"],
}


def checksum(program, arguments, kernels, folder):
    """Of the rows of all files of draws and statistics, and the class of processor that the manifest names."""
    command = [program, "sample", *arguments, "--seed", "3", "--quiet", "--out", folder]
    if "--threads" not in arguments:
        command += ["--threads", "1"]
    run = subprocess.run(command, env={**os.environ, "DARBOUX_CPU": kernels}, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{run.stderr}")
    digest = hashlib.sha256()
    folder = pathlib.Path(folder)
    for file in sorted(folder.glob("chain_*.csv")) + sorted(folder.glob("statistics/chain_*.csv")):
        digest.update(b"".join(line for line in file.read_bytes().splitlines(True) if not line.startswith(b"#")))
    return digest.hexdigest()[:16], json.loads((folder / "run.json").read_text())["cpu_class"]


def kind_of(cpu_class, kernels):
    """The name under which checksums are stored."""
    processor = "x86-64-v3" if cpu_class.startswith(("x86-64-v3", "x86-64-v4")) else cpu_class
    return f"{processor}, kernels for {kernels}, {' '.join(platform.libc_ver())}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    failed = skipped = 0
    for kernels in "avx2", "baseline":
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
            made = dict(zip(RUNS, pool.map(lambda name: checksum(options.program, RUNS[name], kernels, f"{folder}/{name}"), RUNS)))
        where = kind_of(next(iter(made.values()))[1], kernels)
        if options.store:
            stored[where] = {name: bits for name, (bits, _) in made.items()}
        elif where not in stored:
            print(f"skipped: no checksums are stored for {where}")
            skipped += 1
        else:
            for name, (bits, _) in made.items():
                if bits != stored[where].get(name):
                    print(f"FAILED: {name} on {where}: {bits} instead of {stored[where].get(name)}")
                    failed += 1
            print(f"compared: {len(made)} runs on {where}")
    if options.store:
        STORED.write_text(json.dumps(stored, indent=1) + "\n")
    return 1 if failed else 77 if skipped == 2 else 0


if __name__ == "__main__":
    sys.exit(main())
