#!/usr/bin/env python3
"""Proves that the tests can fail: applies small wrong edits, one at a time, and demands that a test notices each.

The lists beside this file hold the edits, one list for each folder of sources, or several: io.toml, integrate.toml,
integrate-implicit.toml. Each edit names a file, a text that occurs in it exactly once, what to put there instead, the
tests (regular expressions of CTest names) of which at least one must fail, and why it matters: what goes wrong for the
user. `long = true` where the tests skip unless DARBOUX_LONG is set, and so does the mutant; `needs = "avx512f"` where other processors
never reach the code; `survives` has the reason where no test can notice it (it costs time only, or a second check does the same): it is
skipped, and the reason is printed each time. What was killed is kept beside the build: with --go-on, an edit that was killed in these very
sources is not made again, so that a run of all can be ended and gone on with. All of it happens in a private
copy of the sources with its own build, so an interrupted run leaves nothing behind in the working tree.
"""

import argparse
import functools
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = "tests/mutants"  # the folder
REQUIRED = {"name", "file", "find", "replace", "tests", "why"}
JOBS = str(len(os.sched_getaffinity(0)))
TEST_TIMEOUT = "120"  # seconds; a mutant that makes a test run forever counts as killed
BUILD_TIMEOUT = 900  # of a mutant
SKIPPED = "SKIP_TIME"  # CTest's way to name the reason of a skip


class Trouble(Exception):
    """The mutant says nothing about the tests: it does not apply, does not compile, or its tests fail without it."""


def git(*arguments):
    result = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None


def read_mutants(folder=None):
    """Of all lists, or of those of a folder: NAME.toml and NAME-TOPIC.toml."""
    mutants = {}
    for path in sorted((ROOT / LISTS).glob("*.toml")):
        for mutant in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", []):
            name = mutant.get("name", "?")
            if missing := REQUIRED - mutant.keys():
                raise SystemExit(f"{path.name}: mutant {name} lacks {', '.join(sorted(missing))}")
            if not mutant.get("survives", "a reason").strip():
                raise SystemExit(f"{path.name}: mutant {name} survives without a reason: say it, or write a test that notices")
            if name in mutants:
                other = f"{mutants[name][0]}.toml"
                raise SystemExit(f"{path.name}: mutant {name} has the name of one in {other}: choose another")
            mutants[name] = (path.stem, mutant)
    chosen = [mutant for place, mutant in mutants.values() if folder is None or f"{place}-".startswith(f"{folder}-")]
    if folder is not None and not chosen:
        raise SystemExit(f"--folder {folder}: no {LISTS}/{folder}.toml has mutants")
    return chosen


def edit(mutant):
    """What it does to the sources and how that is noticed; where it is listed, and why, does not matter."""
    return {key: value for key, value in mutant.items() if key != "why"}


def edits_before():
    """Those listed in the commit before this one."""
    files = git("ls-tree", "--name-only", "HEAD~1", f"{LISTS}/").splitlines()
    lists = [name for name in files if name.endswith(".toml")]
    return [edit(m) for name in lists for m in tomllib.loads(git("show", f"HEAD~1:{name}")).get("mutant", [])]


def touched_by_changes(mutants):
    """Those whose file or whose tests differ from the commit before this one, and those that it did not list."""
    changed = git("diff", "--name-only", "HEAD~1")
    if changed is None:  # no commit before this one
        return mutants
    files = set((changed + git("ls-files", "--others", "--exclude-standard")).splitlines())
    known = edits_before()
    folders = affected_test_folders(files)
    return [m for m in mutants if m["file"] in files or edit(m) not in known or folders & test_folders(m)]


def why_stale(mutant):
    """Why the edit cannot be made, or None."""
    path = ROOT / mutant["file"]
    if not path.is_file():
        return f"there is no {mutant['file']}"
    count = path.read_text(encoding="utf-8").count(mutant["find"])
    return None if count == 1 else f"its text occurs {count} times in {mutant['file']}, not once"


def check(mutants):
    """Only whether all edits can be made: takes no build."""
    stale = [(mutant["name"], reason) for mutant in mutants if (reason := why_stale(mutant))]
    for name, reason in stale:
        print(f"STALE     {name}: {reason}")
    print(f"{len(mutants) - len(stale)} of {len(mutants)} mutants apply")
    return 1 if stale else 0


def test_folders(mutant):
    """The folders of its tests: CTest's names begin with them."""
    return {match[0] for pattern in mutant["tests"] if (match := re.match(r"\w+", pattern))}


def targets_of(mutant):
    """What to build for its tests: the programs of their folders. Nothing by name, hence everything, where one has none."""
    folders = test_folders(mutant)
    if not all(any((ROOT / "tests" / folder).glob("*_test.cpp")) for folder in folders):
        return []
    return [f"{folder}_test" for folder in folders]


def targets_of_all(mutants):
    """What is to be built before the first of them; nothing by name where one needs everything."""
    targets = [targets_of(mutant) for mutant in mutants]
    return sorted({name for names in targets for name in names}) if all(targets) else []


def affected_test_folders(changed):
    """Folders of tests/ with a file that changed or that includes one that did."""
    tests = ROOT / "tests"
    includes = {}  # of each file, as paths in the repository
    for path in [*tests.glob("*/*.cpp"), *tests.glob("*/*.hpp")]:
        named = re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
        places = [place / name for name in named for place in (path.parent, tests)]
        includes[path.relative_to(ROOT).as_posix()] = {p.relative_to(ROOT).as_posix() for p in places if p.is_file()}
    affected = {file for file in changed if file.startswith("tests/")}
    while more := {file for file, included in includes.items() if included & affected} - affected:
        affected |= more
    return {Path(file).parts[1] for file in affected if file in includes}


class Verdicts:
    """Which edits were killed in which sources, and by what test. Of others nothing is kept: they are made again."""

    def __init__(self, file):
        self.file = file
        self.killers = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def place(self, mutant):
        return digest(json.dumps(edit(mutant), sort_keys=True).encode() + digest_of_sources().encode())

    def killer(self, mutant):
        return self.killers.get(self.place(mutant))

    def keep(self, mutant, killer):
        self.killers[self.place(mutant)] = killer
        self.file.parent.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.killers), encoding="utf-8")
        new.replace(self.file)


def digest(content):
    return hashlib.sha256(content).hexdigest()


@functools.cache
def digest_of_sources():
    """Of all that a build or a test may read: not of what is for people, and not of the lists of edits."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    read = [name for name in sorted(names) if not re.match(rf"docs/[^/]*\.md|[^/]*\.md|{LISTS}/", name) and (ROOT / name).is_file()]
    return digest("".join(f"{name} {digest((ROOT / name).read_bytes())}\n" for name in read).encode())


class Workshop:
    """A copy of the sources and its build."""

    def __init__(self, folder):
        self.source = folder / "src"
        self.build_folder = folder / "build"
        self.verdicts = Verdicts(folder / "killed.json")

    def copy_sources(self):
        """Leaves files alone that are the same, so that a second run compiles only what changed."""
        names = set(git("ls-files", "--cached", "--others", "--exclude-standard").splitlines())
        for name in names:
            if (ROOT / name).is_file():
                self.write(name, (ROOT / name).read_bytes())
                (self.source / name).chmod((ROOT / name).stat().st_mode)
        for path in self.source.rglob("*"):
            if path.is_file() and not (ROOT / path.relative_to(self.source)).is_file():
                path.unlink()

    def write(self, name, content):
        path = self.source / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def build(self, timeout=None, targets=()):
        """Everything, unless targets are named."""
        if not (self.build_folder / "build.ninja").exists():
            # Test programs need no new link when only the library changed.
            run(["cmake", "-S", self.source, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON",
                 f"-DDARBOUX_MPI={'ON' if shutil.which('mpicxx') and shutil.which('mpirun') else 'OFF'}"])
        run(["cmake", "--build", self.build_folder, "-j", JOBS, *(word for name in targets for word in ("--target", name))],
            timeout)  # fmt: skip

    def test(self, patterns, *options):
        """Runs the tests that match; returns the outcome by name, where True is a pass."""
        report = self.build_folder / "mutant.xml"
        outcome = {}
        for some in in_pieces(sorted(patterns)):
            report.unlink(missing_ok=True)
            subprocess.run(
                ["ctest", "--test-dir", self.build_folder, "-j", JOBS, "-R", "|".join(some), "--timeout", TEST_TIMEOUT,
                 "--output-junit", report, *options],
                capture_output=True, env=os.environ | {"RC_PARAMS": "seed=1 noshrink=1"})  # fmt: skip
            cases = xml.parse(report).iter("testcase") if report.exists() else []
            outcome |= {case.get("name"): case.get("status") == "run" for case in cases if case.find("skipped") is None}
        return outcome


def in_pieces(patterns, size=20):
    """CTest cannot take a regular expression of hundreds of alternatives."""
    return [patterns[i : i + size] for i in range(0, len(patterns), size)]


def run(command, timeout=None):
    # In a session of its own, so that what it started ends with it.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)  # fmt: skip
    try:
        output, _ = process.communicate(timeout=timeout)
    except BaseException as reason:
        os.killpg(process.pid, signal.SIGKILL)
        if isinstance(reason, subprocess.TimeoutExpired):
            raise Trouble(f"the build took more than {timeout} s") from None
        raise
    if process.returncode != 0:
        errors = [line for line in output.splitlines() if "error" in line.lower()]
        raise Trouble("does not compile: " + "; ".join(errors[:3]))


def prepare(workshop, mutants):
    """The unmutated copy must build and pass. Returns the outcome of its tests."""
    workshop.copy_sources()
    workshop.build(targets=targets_of_all(mutants))
    outcome = workshop.test({pattern for mutant in mutants for pattern in mutant["tests"]})
    if failed := [name for name, passed in outcome.items() if not passed]:
        raise Trouble(f"tests fail without any mutant: {', '.join(failed)}")
    return outcome


def kill(workshop, mutant, healthy):
    """The names of tests that fail with this mutant."""
    for pattern in mutant["tests"]:
        if not any(re.search(pattern, name) for name in healthy):
            raise Trouble(f"stale mutant: no test matches {pattern}")
    if reason := why_stale(mutant):
        raise Trouble(f"stale mutant: {reason}")
    original = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    try:
        workshop.write(mutant["file"], original.replace(mutant["find"], mutant["replace"]).encode())
        workshop.build(BUILD_TIMEOUT, targets_of(mutant))
        outcome = workshop.test(mutant["tests"], "--stop-on-failure")
        return [name for name, passed in outcome.items() if not passed]
    finally:
        workshop.write(mutant["file"], original.encode())


def write_report(path, results):
    """In the form that CTest writes: a name, and what is wrong or None, for each."""
    suite = xml.Element("testsuite", name="mutants")
    for name, problem in results:
        case = xml.SubElement(suite, "testcase", name=f"mutant.{name}", status="fail" if problem else "run")
        if problem:
            xml.SubElement(case, "skipped" if problem == SKIPPED else "failure", message=problem)
    xml.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def choose(options):
    """The mutants that the options ask for, in the order in which they are tried."""
    mutants = read_mutants(options.folder)
    if options.only:
        if unknown := set(options.only) - {m["name"] for m in mutants}:
            raise SystemExit(f"no such mutant: {', '.join(sorted(unknown))}")
        mutants = [m for m in mutants if m["name"] in options.only]
    elif options.changed:
        mutants = touched_by_changes(mutants)
    if not options.check:
        mutants = [m for m in mutants if not m.get("long") or "DARBOUX_LONG" in os.environ]
    return sorted(mutants, key=lambda m: m["file"])  # a file that is mutated again is compiled once less


def processor_flags():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    return {flag for line in lines if line.startswith("flags") for flag in line.split()[2:]}


def why_skipped(mutant, is_late):
    """Why it is not tried, or None."""
    if reason := mutant.get("survives"):
        return f"survives: {reason}"
    needs = mutant.get("needs")
    if needs and needs not in processor_flags():
        return f"this processor has no {needs}"
    return "no time left" if is_late else None


def try_all(mutants, workshop, budget, goes_on=False):
    """Says what became of each. Returns pairs of its name and what is wrong, or None."""
    known = {m["name"]: killer for m in mutants if goes_on and (killer := workshop.verdicts.killer(m))}
    new = [m for m in mutants if m["name"] not in known]
    try:
        healthy = prepare(workshop, new) if new else {}
    except Trouble as trouble:
        print(f"ERROR     the unmutated copy: {trouble}")
        return [("unmutated", str(trouble))]
    results = []
    begin = time.monotonic()
    for mutant in mutants:
        start = time.monotonic()
        if killer := known.get(mutant["name"]):
            print(f"killed    {mutant['name']} by {killer}, before")
            results.append((mutant["name"], None))
            continue
        if reason := why_skipped(mutant, start - begin > budget):
            print(f"skipped   {mutant['name']}: {reason}")
            results.append((mutant["name"], SKIPPED))
            continue
        try:
            killers = kill(workshop, mutant, healthy)
            problem = None if killers else "survived"
            verdict, detail = ("killed", f" by {killers[0]}") if killers else ("SURVIVED", f": {mutant['why']}")
            if killers:
                workshop.verdicts.keep(mutant, killers[0])
        except Trouble as trouble:
            problem = str(trouble)
            verdict, detail = "ERROR", f": {trouble}"
        print(f"{verdict:<9} {mutant['name']}{detail} ({time.monotonic() - start:.0f} s)", flush=True)
        results.append((mutant["name"], problem))
    return results


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--all", action="store_true", help="all mutants (the default)")
    choice.add_argument("--changed", action="store_true", help="those of which the file, the tests or the entry changed since the last commit but one")
    choice.add_argument("--only", metavar="NAME", action="append", help="this one; may be repeated")
    parser.add_argument("--folder", metavar="NAME", help="of these, the ones listed in NAME.toml and NAME-TOPIC.toml")
    parser.add_argument("--check", action="store_true",
                        help="build nothing; only see whether each text occurs once in its file")  # fmt: skip
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=float("inf"),
                        help="start no further mutant after this time; the rest is skipped")  # fmt: skip
    parser.add_argument("--go-on", action="store_true", help="do not make edits again that were killed in these very sources")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write the results there too")
    parser.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build/mutants", help="where to work")
    return parser.parse_args()


def main():
    options = read_options()
    mutants = choose(options)
    if options.check:
        return check(mutants)
    results = try_all(mutants, Workshop(options.build.resolve()), options.budget, options.go_on)
    if options.junit:
        write_report(options.junit, results)
    killed = sum(problem is None for _, problem in results)
    skipped = sum(problem == SKIPPED for _, problem in results)
    print(f"{killed} of {len(results)} mutants killed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if killed + skipped < len(results) else 0


if __name__ == "__main__":
    sys.exit(main())
