"""What checkpoints cost: time of runs with and without, by turns, so that a slow moment hits all alike; of processors, and by the clock, as
waiting for a disk takes no processor. Differences below a percent are lost in the noise of a machine, so there are runs with a checkpoint
ten times as often as usual, too: a tenth of what these take longer is the share of the usual ones."""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(__file__).parents[1] / "data/german.csv"
USUAL, OFTEN = 3.0, 0.3  # seconds between checkpoints
REGRESSION = ["logistic", "--data", str(DATA), "--chains"]
CASES = {  # with draws for a second or so
    "regression, 4 chains": ([*REGRESSION, "4"], 15000),
    "regression, 64 chains": ([*REGRESSION, "64"], 900),
    "regression, 4 chains, a Zarr store": ([*REGRESSION, "4", "--format", "zarr"], 15000),
    "100 dimensions, 16 chains": (["gaussian", "--dimension", "100", "--chains", "16"], 500),
}
WAYS = {"none": ["--checkpoint-seconds", "1e9"], "usual": [], "often": ["--checkpoint-seconds", str(OFTEN)]}


def seconds_of(program, arguments, folder):
    """Of a whole run: CPU time in user and kernel mode, and by the clock."""
    shutil.rmtree(folder, ignore_errors=True)
    begin = time.monotonic()
    child = subprocess.Popen([program, "sample", *arguments, "--seed", "1", "--threads", "1", "--quiet", "--out", folder])
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"the run failed: {' '.join(arguments)}")
    return {"of CPU time": usage.ru_utime + usage.ru_stime, "by the clock": time.monotonic() - begin}


def median_and_range(values):
    return f"{100 * statistics.median(values):.2f} % ({100 * min(values):.2f} to {100 * max(values):.2f})"


def measure(name, program, seconds, rounds, scratch):
    arguments, draws = CASES[name]
    folder = scratch / "run"

    def run(draws, way):
        return seconds_of(program, [*arguments, "--draws", str(draws), *WAYS[way]], folder)

    short = run(draws, "usual")
    took = short["by the clock"]
    left = len(list(folder.glob("checkpoint*.bin")))
    print(f"{name}\n  a run of {took:.1f} s by the clock leaves {left} checkpoints")
    draws = int(draws * seconds / short["of CPU time"] * 1.6)  # what a run takes beside its draws is in the short one too
    rows = [{way: run(draws, way) for way in WAYS} for _ in range(rounds)]
    is_little = left == 0 or took > 2.0
    for kind in short:
        extra = {way: [row[way][kind] / row["none"][kind] - 1 for row in rows] for way in ("usual", "often")}
        shares = [x * OFTEN / USUAL for x in extra["often"]]
        print(f"  {rounds} runs of {statistics.median(row['none'][kind] for row in rows):.1f} s {kind} without checkpoints")
        print(f"    every {USUAL:g} s: {median_and_range(extra['usual'])} more; median and range")
        print(f"    every {OFTEN:g} s: {median_and_range(extra['often'])} more: at every {USUAL:g} s {median_and_range(shares)}")
        is_little = is_little and statistics.median(shares) < 0.01
    return is_little


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time of a run")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        good = [measure(name, options.program, options.seconds, options.rounds, Path(scratch)) for name in CASES]
    print(f"below 1 % of a run of {options.seconds:g} s, and none in a short one: {'yes' if all(good) else 'NO'}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
