#!/usr/bin/env python3
"""Proves that the tests can fail: applies small wrong edits, one at a time, and demands that a test notices each.

mutants.toml lists the edits. Each names a file, a text that occurs in it exactly once, what to put there instead, and
the tests (regular expressions of CTest names) of which at least one must fail; `long = true` where these skip unless
DARBOUX_LONG is set, and so does the mutant. All of it happens in a private copy of
the sources with its own build, so an interrupted run leaves nothing behind in the working tree.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as xml
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = "tests/mutants/mutants.toml"
JOBS = str(len(os.sched_getaffinity(0)))
TEST_TIMEOUT = "120"  # seconds; a mutant that makes a test run forever counts as killed
BUILD_TIMEOUT = 900  # of a mutant
SKIPPED = "SKIP_TIME"  # CTest's way to name the reason of a skip


class Trouble(Exception):
    """The mutant says nothing about the tests: it does not apply, does not compile, or its tests fail without it."""


def git(*arguments):
    result = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None


def read_mutants(text):
    mutants = tomllib.loads(text).get("mutant", [])
    for mutant in mutants:
        if missing := {"name", "file", "find", "replace", "tests"} - mutant.keys():
            raise SystemExit(f"{LIST}: mutant {mutant.get('name', '?')} lacks {', '.join(sorted(missing))}")
    return mutants


def touched_by_changes(mutants):
    """Those whose file, whose tests, or whose entry in the list differ from the commit before this one."""
    changed = git("diff", "--name-only", "HEAD~1")
    if changed is None:  # no commit before this one
        return mutants
    files = set((changed + git("ls-files", "--others", "--exclude-standard")).splitlines())
    before = git("show", f"HEAD~1:{LIST}")
    known = read_mutants(before) if before else []
    folders = affected_test_folders(files)
    return [m for m in mutants if m["file"] in files or m not in known or folders & test_folders(m)]


def test_folders(mutant):
    """The folders of its tests: CTest's names begin with them."""
    return {match[0] for pattern in mutant["tests"] if (match := re.match(r"\w+", pattern))}


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


class Workshop:
    """A copy of the sources and its build."""

    def __init__(self, folder):
        self.source = folder / "src"
        self.build_folder = folder / "build"

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

    def build(self, timeout=None):
        if not (self.build_folder / "build.ninja").exists():
            # Test programs need no new link when only the library changed.
            run(["cmake", "-S", self.source, "-B", self.build_folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DDARBOUX_EXAMPLES=OFF", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"])
        run(["cmake", "--build", self.build_folder, "-j", JOBS], timeout)

    def test(self, patterns, *options):
        """Runs the tests that match; returns the outcome by name, where True is a pass."""
        report = self.build_folder / "mutant.xml"
        report.unlink(missing_ok=True)
        subprocess.run(
            ["ctest", "--test-dir", self.build_folder, "-j", JOBS, "-R", "|".join(patterns), "--timeout", TEST_TIMEOUT,
             "--output-junit", report, *options],
            capture_output=True, env=os.environ | {"RC_PARAMS": "seed=1 noshrink=1"})  # fmt: skip
        cases = xml.parse(report).iter("testcase") if report.exists() else []
        return {case.get("name"): case.get("status") == "run" for case in cases if case.find("skipped") is None}


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
    workshop.build()
    outcome = workshop.test({pattern for mutant in mutants for pattern in mutant["tests"]})
    if failed := [name for name, passed in outcome.items() if not passed]:
        raise Trouble(f"tests fail without any mutant: {', '.join(failed)}")
    return outcome


def kill(workshop, mutant, healthy):
    """The names of tests that fail with this mutant."""
    for pattern in mutant["tests"]:
        if not any(re.search(pattern, name) for name in healthy):
            raise Trouble(f"stale mutant: no test matches {pattern}")
    path = ROOT / mutant["file"]
    original = path.read_text(encoding="utf-8") if path.is_file() else ""
    if (count := original.count(mutant["find"])) != 1:
        raise Trouble(f"stale mutant: its text occurs {count} times in {mutant['file']}, not once")
    try:
        workshop.write(mutant["file"], original.replace(mutant["find"], mutant["replace"]).encode())
        workshop.build(BUILD_TIMEOUT)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--all", action="store_true", help="all mutants (the default)")
    choice.add_argument("--changed", action="store_true", help="those of which the file, the tests or the entry changed since the last commit but one")
    choice.add_argument("--only", metavar="NAME", action="append", help="this one; may be repeated")
    parser.add_argument("--budget", metavar="SECONDS", type=float, default=float("inf"),
                        help="start no further mutant after this time; the rest is skipped")  # fmt: skip
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write the results there too")
    parser.add_argument("--build", metavar="DIR", type=Path, default=ROOT / "build/mutants", help="where to work")
    options = parser.parse_args()

    listing = ROOT / LIST
    mutants = read_mutants(listing.read_text(encoding="utf-8")) if listing.exists() else []
    if options.only:
        if unknown := set(options.only) - {m["name"] for m in mutants}:
            raise SystemExit(f"no such mutant: {', '.join(sorted(unknown))}")
        mutants = [m for m in mutants if m["name"] in options.only]
    elif options.changed:
        mutants = touched_by_changes(mutants)
    mutants = [m for m in mutants if not m.get("long") or "DARBOUX_LONG" in os.environ]
    mutants.sort(key=lambda m: m["file"])  # a file that is mutated again is compiled once less

    results = []  # (name, what is wrong or None)
    workshop = Workshop(options.build.resolve())
    try:
        healthy = prepare(workshop, mutants) if mutants else {}
    except Trouble as trouble:
        print(f"ERROR     the unmutated copy: {trouble}")
        results.append(("unmutated", str(trouble)))
        mutants = []
    begin = time.monotonic()
    for mutant in mutants:
        start = time.monotonic()
        if start - begin > options.budget:
            print(f"skipped   {mutant['name']}: no time left")
            results.append((mutant["name"], SKIPPED))
            continue
        try:
            killers = kill(workshop, mutant, healthy)
            problem = None if killers else "survived"
            verdict, detail = ("killed", f" by {killers[0]}") if killers else ("SURVIVED", "")
        except Trouble as trouble:
            problem = str(trouble)
            verdict, detail = "ERROR", f": {trouble}"
        print(f"{verdict:<9} {mutant['name']}{detail} ({time.monotonic() - start:.0f} s)", flush=True)
        results.append((mutant["name"], problem))

    if options.junit:
        write_report(options.junit, results)
    killed = sum(problem is None for _, problem in results)
    skipped = sum(problem == SKIPPED for _, problem in results)
    print(f"{killed} of {len(results)} mutants killed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if killed + skipped < len(results) else 0


if __name__ == "__main__":
    sys.exit(main())
