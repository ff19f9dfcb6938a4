#!/usr/bin/env python3
"""Several processes on this machine: how long they take, and how much of that they spend telling each other something.

usage: ranks.py DARBOUX [chains|rows]

chains: processes share the chains, beside one process with as many threads.
rows: processes share the rows of a table (--shard rows), each with one thread, beside one process with one and with two threads, which
does so as well, and one that has the table as a whole.
Times are seconds of warm-up and sampling together, as run.json has them; of three runs the fastest, since others use this machine too.
An iteration is one transition of each chain. Bytes are those of all processes where they share chains, and of the first where they
share rows. MPIRUN names another launcher than mpirun.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 3
COLUMNS = 7
MPIRUN = os.environ.get("MPIRUN", "mpirun")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def launcher(processes):
    """Open MPI starts no more processes than there are processors unless told, and binds each to one of them."""
    version = subprocess.run([MPIRUN, "--version"], check=True, capture_output=True, text=True).stdout
    flags = ["--oversubscribe", "--bind-to", "none"] if "Open MPI" in version or "OpenRTE" in version else []
    return [MPIRUN, *flags, "-n", str(processes)]


def write_table(file, rows, columns):
    """A made-up regression."""
    numbers = random.Random(1)
    beta = [numbers.gauss(0, 1) / math.sqrt(columns) for _ in range(columns)]
    with open(file, "w", encoding="utf-8") as out:
        out.write(",".join(["y"] + [f"x{j}" for j in range(1, columns + 1)]) + "\n")
        for _ in range(rows):
            x = [numbers.gauss(0, 1) for _ in range(columns)]
            logit = sum(b * v for b, v in zip(beta, x))
            y = 1 if numbers.random() < 1 / (1 + math.exp(-logit)) else 0
            out.write(f"{y}," + ",".join(f"{v:.4f}" for v in x) + "\n")


def run(program, processes, arguments, folder):
    """The manifest of a run."""
    out = Path(folder) / "run"
    command = [program, "sample", "logistic", "--seed", "1", "--quiet", "--out", str(out), *arguments]
    if processes > 1:
        command = [*launcher(processes), *command]
    subprocess.run(command, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    manifest = json.loads((out / "run.json").read_text(encoding="utf-8"))
    subprocess.run(["rm", "-r", str(out)], check=True)
    return manifest


def fastest(program, processes, arguments, folder):
    runs = [run(program, processes, arguments, folder) for _ in range(REPEATS)]
    return min(runs, key=seconds_of)


def seconds_of(manifest):
    return manifest["warmup"]["seconds"] + manifest["sampling"]["seconds"]


def row(what, manifest, beside, chains, iterations):
    cluster = manifest.get("cluster") or {}
    cells = [what, f"{seconds_of(manifest):.2f}", f"{seconds_of(beside) / seconds_of(manifest):.2f}"]
    if cluster:
        cells += [
            f"{cluster['seconds']:.2f}",
            f"{cluster['exchanges'] / iterations:.2f}",
            f"{cluster['bytes'] / iterations / 1000:.1f}",
            f"{cluster['bytes'] / iterations / chains:.0f}",
        ]
    print("| " + " | ".join(cells + ["–"] * (COLUMNS - len(cells))) + " |", flush=True)


def head(title):
    print(f"\n{title}\n")
    print("| | seconds | times as fast | of these in exchanges | exchanges per iteration | kB per iteration | bytes per transition |")
    print("|" + "---|" * COLUMNS)


def share_chains(program, folder):
    for rows, columns, draws in (1000, 20, 2000), (10000, 50, 200):
        table = f"{folder}/{rows}.csv"
        write_table(table, rows, columns)
        head(f"64 chains, {rows} × {columns + 1}, {draws} draws of each after 500 iterations")
        settings = ["--data", table, "--chains", "64", "--warmup", "500", "--draws", str(draws)]
        alone = fastest(program, 1, [*settings, "--threads", "2"], folder)
        row("1 process, 2 threads", alone, alone, 64, 500 + draws)
        for processes, threads in (2, 1), (4, 1):
            shared = fastest(program, processes, [*settings, "--threads", str(threads)], folder)
            row(f"{processes} processes, {threads} thread each", shared, alone, 64, 500 + draws)


def share_rows(program, folder):
    for rows, columns, iterations in (10000, 50, 300), (100000, 100, 60):
        table = f"{folder}/{rows}.csv"
        write_table(table, rows, columns)
        head(f"16 chains, {rows} × {columns + 1}, {iterations} iterations")
        settings = ["--data", table, "--chains", "16", "--warmup", str(iterations // 2), "--draws", str(iterations // 2)]
        one, two, shared = ["--threads", "1"], ["--threads", "2"], ["--shard", "rows"]
        alone = fastest(program, 1, [*settings, *shared, *one], folder)
        for what, processes, more in (
            ("1 process, 1 thread", 1, None),
            ("1 process, 2 threads", 1, [*shared, *two]),
            ("1 process, 2 threads, the table as a whole", 1, two),
            ("2 processes, 1 thread each", 2, [*shared, *one]),
            ("4 processes, 1 thread each", 4, [*shared, *one]),
        ):
            manifest = fastest(program, processes, [*settings, *more], folder) if more else alone
            row(what, manifest, alone, 16, iterations)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    wanted = sys.argv[2:] or ["chains", "rows"]
    with tempfile.TemporaryDirectory() as folder:
        print(f"{os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}")
        for name, measure in ("chains", share_chains), ("rows", share_rows):
            if name in wanted:
                measure(sys.argv[1], folder)
        print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
