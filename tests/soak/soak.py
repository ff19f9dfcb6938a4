#!/usr/bin/env python3
"""soak.py PROGRAM [--minutes M] [--runs N] [--seed S]: many runs at once, of several models and settings, on the processors there are. They
are killed at random moments, in every way, have disks that are too small, and are gone on with. Every one of them has to end
complete, with the same bytes as a run of its settings that nothing disturbed. Exit status 1 where one does not, with what differs."""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DATA = Path(__file__).parents[2] / "data/german.csv"
ALL_FORMATS = "--format csv,zarr --save-warmup"
CASES = {  # half a second of a processor or so
    "default": "banana --warmup 3000 --draws 12000",
    "default, shapes": f"skewed --warmup 2000 --draws 4000 {ALL_FORMATS}",
    "nuts": "funnel --trajectory nuts --warmup 1500 --draws 3000 --format zarr",
    "chees": "skewed --trajectory chees --metric diagonal --warmup 3000 --draws 6000",
    "doubled": "gaussian --structure coupled --integrator doubled --warmup 1500 --draws 2000",
    "split-midpoint": "gaussian --structure coupled --warmup 1500 --draws 2000 --format zarr",
    "microcanonical": "gaussian --motion microcanonical --momentum-kept 0.7 --warmup 3000 --draws 6000 --thin 3",
    "many chains": "banana --chains 40 --warmup 500 --draws 1000",
    "regression": f"logistic --data {DATA} --log-likelihood --warmup 300 --draws 100 {ALL_FORMATS}",
    "target": "eight-schools --target-ess 6000",
}
ENOUGH = "64m"  # of a disk
LEAST = 0.1  # seconds that a run is thought to take
PATIENCE = 600  # seconds, with a run that nothing disturbs any more
OF_TIME = {"started", "left_checkpoints", "seconds", "cpu_seconds", "threads", "told", "created_at", "warmup_time", "sampling_time",
           "least_draws"}  # how many there were when it was gone on with
DEATHS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]


def without_times(value):
    """Of JSON what runs of the same settings have in common."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in OF_TIME}
    if isinstance(value, list):
        return [without_times(each) for each in value if not (isinstance(each, list) and each[:1] == ["start_datetime"])]
    return value


def content(file):
    """The bytes of a file, but for what speaks of time."""
    data = file.read_bytes()
    if file.suffix == ".csv":
        lines = data.split(b"\n")
        return b"\n".join(x for x in lines if not (x.startswith(b"#") and (b"start_datetime" in x or b" seconds (" in x)))
    if file.suffix == ".json" or file.name.startswith(".z"):
        return without_times(json.loads(data))
    return data


def contents(folder):
    files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("checkpoint")]
    return {str(file.relative_to(folder)): content(file) for file in files}


def differences(found, wanted):
    """Names of files that only one of two runs has, or that differ."""
    return sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name))


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def can_mount(folder):
    """Whether small disks can be had: by root, in a place of their own, so that nothing is left of them when this ends."""
    if os.geteuid() != 0:
        return False
    tried = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", folder], capture_output=True)
    if tried.returncode == 0:
        subprocess.run(["umount", folder], check=True)
    return tried.returncode == 0


class Soak:
    def __init__(self, program, scratch, options):
        self.program = str(Path(program).resolve())
        self.scratch = scratch
        self.options = options
        self.wanted = {}  # contents, seconds of a processor and bytes of each case
        self.counts = collections.Counter()
        self.failures = []
        self.lock = threading.Lock()
        (scratch / "try").mkdir()
        self.has_disks = can_mount(scratch / "try")

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def fail(self, place, text):
        with self.lock:
            kept = self.scratch.parent / f"{self.scratch.name}-failed-{len(self.failures)}"
            shutil.copytree(place, kept, dirs_exist_ok=True)
            self.failures.append(f"{text}; kept in {kept}")
            print(f"FAILED: {self.failures[-1]}", flush=True)

    def start(self, place, arguments, limit=None):
        """`limit` is of the size of a file, in blocks of 512 bytes: what there is of full disks without root."""
        shell = (f"ulimit -f {limit}; " if limit else "") + 'exec "$@"'
        with open(place / ".err", "wb") as err:
            return subprocess.Popen(["sh", "-c", shell, "sh", self.program, *arguments, "--quiet"], cwd=place,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)  # fmt: skip

    def sample(self, case):
        every = "0.2" if "target" not in case else "0.02"
        return ["sample", *CASES[case].split(), "--seed", "3", "--checkpoint-seconds", every, "--out", "out"]

    def make_reference(self, case):
        place = self.scratch / f"whole-{len(self.wanted)}"
        place.mkdir()
        before = os.times()
        status = self.start(place, self.sample(case)).wait()
        after = os.times()
        if status != 0:
            sys.exit(f"the run that nothing disturbs failed: {case}: {(place / '.err').read_text()}")
        took = after.children_user - before.children_user + after.children_system - before.children_system
        self.wanted[case] = (contents(place / "out"), took, size_of(place / "out"))

    def resize(self, place, size, *how):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}{''.join(how)}", "tmpfs", place], check=True)

    def run(self, index):
        chance = random.Random(f"{self.options.seed}/{index}")
        case = list(CASES)[index % len(CASES)]
        place = self.scratch / f"run-{index}"
        place.mkdir()
        is_small = chance.random() < 0.3
        if self.has_disks:
            size = str(int(chance.uniform(0.05, 1.2) * self.wanted[case][2]) + 8192) if is_small else ENOUGH
            self.resize(place, size)
        try:
            self.disturb(chance, case, place, is_small)
        finally:
            if self.has_disks:
                subprocess.run(["umount", "-l", place], check=True)
            shutil.rmtree(place)

    def wait(self, child, seconds, death, is_to_die):
        """Its exit status, and whether it was killed."""
        try:
            return child.wait(seconds if is_to_die else PATIENCE), False
        except subprocess.TimeoutExpired:
            child.send_signal(death if is_to_die else signal.SIGKILL)
            status = child.wait()
            if is_to_die:
                self.count(death.name)
            return status, is_to_die

    def disturb(self, chance, case, place, is_small):
        """Starts a run, and goes on with it until it is complete."""
        wanted, took, size = self.wanted[case]
        others = self.options.runs / len(os.sched_getaffinity(0))  # that wait for the same processor
        expected = max(LEAST, took * others)  # seconds by the clock
        troubles = chance.randint(0, 4)
        while True:
            has_begun = (place / "out/run.json").is_file()
            if not has_begun:
                shutil.rmtree(place / "out", ignore_errors=True)
            arguments = ["resume", "out", "--threads", str(chance.randint(1, 3))] if has_begun else self.sample(case)
            self.count("gone on with" if has_begun else "begun")
            limit = None if self.has_disks or not is_small else int(chance.uniform(0.05, 0.3) * size / 512) + 8
            child = self.start(place, arguments, limit)
            status, was_killed = self.wait(child, chance.uniform(0.0, 1.2) * expected, chance.choice(DEATHS), troubles > 0)
            troubles -= was_killed
            if status == 0:
                break
            said = (place / ".err").read_text(errors="replace").strip()
            if is_small and any(words in said for words in ("No space left", "File too large")):
                self.count("full disks")
                is_small = False
                if self.has_disks:
                    self.resize(place, ENOUGH, ",remount")
            elif not was_killed:
                return self.fail(place, f"{case}: exit status {status}: {said}")
        if different := differences(contents(place / "out"), wanted):
            return self.fail(place, f"{case}: other bytes in {', '.join(different[:5])}")
        if json.loads((place / "out/run.json").read_text())["status"] != "complete":
            return self.fail(place, f"{case}: it is not complete")
        self.count("complete, with the same bytes")

    def until(self, end):
        """So many at once; none is begun after the end, and those that are there are gone on with."""
        numbers = iter(range(10**9))

        def one_after_the_other():
            while time.monotonic() < end and not self.failures:
                with self.lock:
                    index = next(numbers)
                self.run(index)

        with ThreadPoolExecutor(self.options.runs) as pool:
            for done in [pool.submit(one_after_the_other) for _ in range(self.options.runs)]:
                done.result()

    def summary(self):
        c = self.counts
        deaths = ", ".join(f"{c[each.name]} {each.name}" for each in DEATHS)
        disks = "small disks" if self.has_disks else "limits of files, since small disks take the rights of root"
        return (
            f"{self.options.runs} runs at once on {len(os.sched_getaffinity(0))} processors: {c['begun']} begun, "
            f"{c['gone on with']} times gone on with; {sum(c[each.name] for each in DEATHS)} kills ({deaths}); "
            f"{c['full disks']} full ({disks}); {c['complete, with the same bytes']} complete, with the same bytes; "
            f"{len(self.failures)} not"
        )


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=10.0, help="none is begun after so long (default 10)")
    parser.add_argument("--runs", type=int, default=64, help="at once (default 64)")
    parser.add_argument("--seed", default="1", help="of kills and disks; their moments depend on the machine, too")
    return parser.parse_args()


def main():
    options = read_options()
    own_mounts = "DARBOUX_SOAK_MOUNTS"
    if os.geteuid() == 0 and shutil.which("unshare") and own_mounts not in os.environ:
        os.environ[own_mounts] = "own"
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0:
            os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory(prefix="darboux-soak-") as scratch:
        soak = Soak(options.program, Path(scratch), options)
        begin = time.monotonic()
        for case in CASES:
            soak.make_reference(case)
        soak.until(time.monotonic() + 60.0 * options.minutes)
        print(f"{soak.summary()} ({time.monotonic() - begin:.0f} s)")
    did_something = all(soak.counts[what] for what in ("complete, with the same bytes", "gone on with", "SIGKILL"))
    if not did_something:
        print("FAILED: nothing was killed and gone on with in this time: give it more --minutes")
    return 1 if soak.failures or not did_something else 0


if __name__ == "__main__":
    sys.exit(main())
