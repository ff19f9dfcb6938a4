#!/usr/bin/env python3
"""Tests of run_mutants.py itself: which mutants it chooses, and that it does not hide those that it had no time for."""

import contextlib
import io
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
import run_mutants

TALLY = Path(__file__).resolve().parents[2] / "scripts/tally"
MUTANTS = """
[[mutant]]
name = "one"
file = "src/a.cpp"
find = "a"
replace = "b"
tests = ["core.Names"]
[[mutant]]
name = "two"
file = "src/b.cpp"
find = "a"
replace = "b"
tests = ["io.*Csv"]
"""


class RunMutants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        root = mock.patch.object(run_mutants, "ROOT", self.root)
        root.start()
        self.addCleanup(root.stop)
        self.git("init", "-q")
        self.write("tests/mutants/mutants.toml", MUTANTS)
        self.write("src/a.cpp", "")
        self.write("tests/core/names_test.cpp", '#include "support/shared.hpp"\n')
        self.write("tests/io/csv_test.cpp", '#include "lines.hpp"\n')
        self.write("tests/io/lines.hpp", "")
        self.write("tests/support/shared.hpp", '#include "support/deeper.hpp"\n')
        self.write("tests/support/deeper.hpp", "")
        self.commit()

    def git(self, *arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", "-C", self.root, *identity, *arguments], check=True, capture_output=True)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")

    def chosen_after(self, *files):
        for name in files:
            with open(self.root / name, "a") as file:
                file.write("// changed\n")
        self.commit()
        mutants = run_mutants.read_mutants((self.root / run_mutants.LIST).read_text())
        return [m["name"] for m in run_mutants.touched_by_changes(mutants)]

    def test_nothing_changed(self):
        self.assertEqual(self.chosen_after(), [])

    def test_a_file_that_is_mutated(self):
        self.assertEqual(self.chosen_after("src/a.cpp"), ["one"])

    def test_a_test(self):
        self.assertEqual(self.chosen_after("tests/io/csv_test.cpp"), ["two"])

    def test_a_header_beside_a_test(self):
        self.assertEqual(self.chosen_after("tests/io/lines.hpp"), ["two"])

    def test_what_tests_share(self):
        self.assertEqual(self.chosen_after("tests/support/deeper.hpp"), ["one"])

    def test_an_entry(self):
        self.write(run_mutants.LIST, MUTANTS.replace('"a"\nreplace = "b"\ntests = ["io', '"c"\nreplace = "b"\ntests = ["io'))
        self.assertEqual(self.chosen_after(), ["two"])

    def test_no_time_left_is_a_visible_skip(self):
        report = self.root / "report.xml"
        printed = io.StringIO()
        with (
            mock.patch.object(run_mutants, "prepare", return_value={}),
            mock.patch.object(sys, "argv", ["run_mutants.py", "--budget", "-1", "--junit", str(report)]),
            contextlib.redirect_stdout(printed),
        ):
            self.assertEqual(run_mutants.main(), 0)
        self.assertIn("skipped   one: no time left", printed.getvalue())
        self.assertIn("0 of 2 mutants killed, 2 skipped", printed.getvalue())
        counts = subprocess.run([TALLY, report], capture_output=True, text=True, check=True).stdout
        self.assertEqual(counts.split(), ["0", "0", "2"])  # passed, failed, skipped


if __name__ == "__main__":
    unittest.main()
