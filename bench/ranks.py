#!/usr/bin/env python3
"""Several processes on this machine: how long they take, and how much of that they spend telling each other something.

usage: ranks.py DARBOUX [chains|rows|exchanges|files]

chains: processes share the chains, beside one process with as many threads.
rows: processes share the rows of a table (--shard rows), each with one thread, beside one process with one and with two threads, which
does so as well, and one that has the table as a whole.
exchanges: how long they take to tell each other something, over shared memory and over TCP, and what each does with what all have told it;
the constants of scaling_model.py. Over TCP there is a run of shared rows, too, beside the same over shared memory.
files: what many chains cost beside their draws.
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
import time
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


def run(program, processes, arguments, folder, environment=ENVIRONMENT):
    """The manifest of a run."""
    out = Path(folder) / "run"
    command = [program, "sample", "logistic", "--seed", "1", "--quiet", "--out", str(out), *arguments]
    if processes > 1:
        command = [*launcher(processes), *command]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    manifest = json.loads((out / "run.json").read_text(encoding="utf-8"))
    subprocess.run(["rm", "-r", str(out)], check=True)
    return manifest


def fastest(program, processes, arguments, folder, environment=ENVIRONMENT):
    runs = [run(program, processes, arguments, folder, environment) for _ in range(REPEATS)]
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


OVER_TCP = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1"}  # of Open MPI


def tell_exchanges(program, folder):
    build = Path(program).resolve().parents[1]
    tool, module = str(build / "bench/between_processes"), str(build / "lib/darboux/libdarboux_mpi.so")

    def lines(command, environment):
        out = subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout
        return [line.split() for line in out.splitlines()]

    print("\nMicroseconds of an exchange in which each gives so many bytes\n")
    first = True
    for way, more in ("shared memory", {}), ("TCP", OVER_TCP):
        for processes in 2, 4:
            found = lines([*launcher(processes), tool, module], {**ENVIRONMENT, **more})
            if first:
                print("| | " + " | ".join(line[2] for line in found) + " |\n|" + "---|" * (1 + len(found)))
            first = False
            print(f"| {processes} processes, {way} | " + " | ".join(f"{1e6 * float(line[3]):.3g}" for line in found) + " |", flush=True)
    print("\nNanoseconds of what each does\n")
    for what, *of, seconds in lines([tool], ENVIRONMENT):
        print(f"{what} {' '.join(of)}: {1e9 * float(seconds):.4g}")

    table = f"{folder}/rows.csv"
    write_table(table, 10000, 50)
    settings = ["--data", table, "--chains", "16", "--warmup", "150", "--draws", "150", "--shard", "rows", "--threads", "1"]
    head("16 chains, 10000 × 51, 300 iterations, 2 processes")
    by_memory = fastest(program, 2, settings, folder)
    row("shared memory", by_memory, by_memory, 16, 300)
    row("TCP", fastest(program, 2, settings, folder, {**ENVIRONMENT, **OVER_TCP}), by_memory, 16, 300)


def tell_files(program, folder):
    print("\nMany chains of 21 coefficients, 10 draws of each\n")
    print("| chains | seconds in all | of these warm-up and sampling | processor time |\n|---|---|---|---|")
    table = f"{folder}/few.csv"
    write_table(table, 100, 20)
    for chains in 1000, 2000:
        before, begin = os.times(), time.monotonic()
        settings = ["--data", table, "--chains", str(chains), "--warmup", "0", "--step-size", "0.1", "--draws", "10", "--threads", "2"]
        manifest = run(program, 1, settings, folder)
        seconds, after = time.monotonic() - begin, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        print(f"| {chains} | {seconds:.2f} | {seconds_of(manifest):.2f} | {cpu:.2f} |", flush=True)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    parts = {"chains": share_chains, "rows": share_rows, "exchanges": tell_exchanges, "files": tell_files}
    wanted = sys.argv[2:] or list(parts)
    with tempfile.TemporaryDirectory() as folder:
        print(f"{os.cpu_count()} processors; load {os.getloadavg()[0]:.1f}")
        for name, measure in parts.items():
            if name in wanted:
                measure(sys.argv[1], folder)
        print(f"\nload at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
