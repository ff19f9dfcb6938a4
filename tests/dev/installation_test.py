#!/usr/bin/env python3
"""installation_test.py BUILD: the packages that docs/python.md has one install are those that the library is compiled from, no fewer and
no more: every header that its objects in BUILD were made of belongs to one of them, or to what they depend on."""

import functools
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else ROOT / "build/release"


def run(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout


def documented():
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return re.search(r"^sudo apt-get install (.*)$", page, re.MULTILINE)[1].split()


@functools.cache
def depends():
    """What each package that is installed needs."""
    lines = run("dpkg-query", "-W", "-f", "${Package}\t${Depends},${Pre-Depends}\n").splitlines()
    found = {}
    for package, _, names in (line.partition("\t") for line in lines):
        found[package] = {re.split(r"[ :(]", name.strip())[0] for name in re.split(r"[,|]", names)} - {""}
    return found


def closure(packages):
    """These and all that they depend on."""
    found, todo = set(), list(packages)
    while todo:
        package = todo.pop()
        if package not in found:
            found.add(package)
            todo += depends().get(package, ())
    return found


def headers():
    """Of the system, that objects of the library were made of."""
    found = set()
    of_the_library = False
    for line in run("ninja", "-C", str(BUILD), "-t", "deps").splitlines():
        if line and not line.startswith(" "):
            of_the_library = line.startswith("CMakeFiles/") and "mpi_module" not in line
        elif of_the_library and line.strip().startswith("/usr/"):
            found.add(str(pathlib.Path(line.strip()).resolve()))
    return sorted(found)


def owners(files):
    """The package that each file belongs to."""
    found = {}
    for line in run("dpkg-query", "-S", *files).splitlines():
        names, _, file = line.rpartition(": ")
        found[file] = {name.partition(":")[0] for name in names.split(", ")}
    return found


@unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("ninja"), "packages of Debian, and objects made by Ninja")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.headers = headers()
        cls.owners = owners(cls.headers)

    def without(self, packages):
        """Headers that are not in these packages; those of a compiler that is none of Debian's usual ones are its own, and TBB is what
        the standard library asks for wherever something else has brought it (Clang counts the question)."""
        known = closure(packages)
        others = [file for file in self.headers if not self.owners.get(file, set()) & known]
        return [file for file in others if "/llvm-" not in file and "/tbb/" not in file]

    def test_the_library_is_compiled_from_them(self):
        self.assertGreater(len(self.headers), 100, f"{BUILD} has no objects of the library")
        self.assertEqual(self.without(documented()), [])

    def test_each_of_them_is_needed(self):
        self.assertEqual(documented()[0], "g++")
        for package in documented()[1:]:  # the first is the compiler
            with self.subTest(package):
                self.assertNotEqual(self.without([other for other in documented() if other != package]), [])


if __name__ == "__main__":
    unittest.main()
