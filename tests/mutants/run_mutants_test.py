#!/usr/bin/env python3
"""Tests of run_mutants.py itself: which mutants it chooses, and that it does not hide those that it had no time for."""

import contextlib
import io
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
import run_mutants

TALLY = Path(__file__).resolve().parents[2] / "scripts/tally"


def entry(name, file, tests, find="a"):
    return f"""
[[mutant]]
name = "{name}"
file = "{file}"
find = "{find}"
replace = "b"
tests = ["{tests}"]
why = "wrong"
"""


ONE = entry("one", "src/a.cpp", "core.Names")
TWO = entry("two", "src/b.cpp", "io.*Csv")


class RunMutants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        root = mock.patch.object(run_mutants, "ROOT", self.root)
        root.start()
        self.addCleanup(root.stop)
        self.git("init", "-q")
        self.write("tests/mutants/core.toml", ONE)
        self.write("tests/mutants/io-tables.toml", TWO)
        self.write("src/a.cpp", "a")
        self.write("src/b.cpp", "a")
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
        return [m["name"] for m in run_mutants.touched_by_changes(run_mutants.read_mutants())]

    def run_with(self, *arguments):
        """The exit status, or what it refuses with, and what is printed."""
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", ["run_mutants.py", *arguments]), contextlib.redirect_stdout(printed):
            try:
                status = run_mutants.main()
            except SystemExit as refusal:
                status = refusal.code
        return status, printed.getvalue()

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
        self.write("tests/mutants/io-tables.toml", entry("two", "src/b.cpp", "io.*Csv", find="c"))
        self.assertEqual(self.chosen_after(), ["two"])

    def test_an_entry_that_moves_to_another_list_is_not_new(self):
        (self.root / "tests/mutants/io-tables.toml").unlink()
        self.write("tests/mutants/core.toml", ONE + TWO.replace("wrong", "very wrong"))
        self.assertEqual(self.chosen_after(), [])

    def test_an_entry_of_a_list_before_reasons_were_required_is_not_new(self):
        self.write("tests/mutants/core.toml", ONE.replace('why = "wrong"', ""))
        self.commit()
        self.write("tests/mutants/core.toml", ONE)
        self.assertEqual(self.chosen_after(), [])

    def test_a_folder_has_the_lists_that_begin_with_its_name(self):
        self.write("tests/mutants/ion.toml", entry("three", "src/a.cpp", "ion.*"))
        for folder in ("io", "io-tables"):
            self.assertEqual([m["name"] for m in run_mutants.read_mutants(folder)], ["two"])

    def test_an_unknown_folder_is_refused(self):
        self.assertEqual(self.run_with("--folder", "oi")[0], "--folder oi: no tests/mutants/oi.toml has mutants")

    def test_a_missing_reason_is_refused(self):
        self.write("tests/mutants/core.toml", ONE.replace('why = "wrong"', ""))
        self.assertEqual(self.run_with("--check")[0], "core.toml: mutant one lacks why")

    def test_a_name_in_two_lists_is_refused(self):
        self.write("tests/mutants/io.toml", entry("one", "src/b.cpp", "io.*Csv"))
        self.assertEqual(
            self.run_with("--check")[0], "io.toml: mutant one has the name of one in core.toml: choose another"
        )

    def test_check_passes_where_all_apply(self):
        self.assertEqual(self.run_with("--check"), (0, "2 of 2 mutants apply\n"))

    def test_check_names_all_that_do_not_apply(self):
        self.write("src/a.cpp", "aa")
        (self.root / "src/b.cpp").unlink()
        status, printed = self.run_with("--check")
        self.assertEqual(status, 1)
        self.assertIn("STALE     one: its text occurs 2 times in src/a.cpp, not once", printed)
        self.assertIn("STALE     two: there is no src/b.cpp", printed)
        self.assertIn("0 of 2 mutants apply", printed)

    def test_check_includes_those_that_run_only_on_request(self):
        self.write("tests/mutants/core.toml", entry("one", "src/a.cpp", "core.Names", find="c") + "long = true\n")
        with mock.patch.dict("os.environ"):
            run_mutants.os.environ.pop("DARBOUX_LONG", None)
            self.assertEqual(self.run_with("--check")[0], 1)

    def test_what_became_of_each_is_told(self):
        self.write("tests/mutants/io.toml", entry("three", "src/c.cpp", "io.*Csv"))
        sources = self.root / "build/src"

        def tested(workshop, patterns, *_):
            mutated = (sources / "src/a.cpp").read_text() == "b"
            return {"core.Names": not mutated, "io.Csv": True}

        with (
            mock.patch.object(run_mutants.Workshop, "build"),
            mock.patch.object(run_mutants.Workshop, "test", tested),
        ):
            status, printed = self.run_with("--build", str(sources.parent))
        self.assertEqual(status, 1)
        self.assertIn("killed    one by core.Names", printed)
        self.assertIn("SURVIVED  two: wrong", printed)
        self.assertIn("ERROR     three: stale mutant: there is no src/c.cpp", printed)
        self.assertIn("1 of 3 mutants killed", printed)
        self.assertEqual((sources / "src/a.cpp").read_text(), "a")  # as it was

    def test_a_run_of_all_goes_on_where_it_was_ended(self):
        folder = self.root.parent / f"{self.root.name}-build"
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        tried = []

        def run_again():
            tried.clear()
            run_mutants.digest_of_sources.cache_clear()
            with (
                mock.patch.object(run_mutants, "prepare", return_value={}),
                mock.patch.object(run_mutants, "kill", lambda _, m, healthy: tried.append(m["name"]) or (["core.Names"] if m["name"] == "one" else [])),
            ):
                return self.run_with("--go-on", "--build", str(folder))[1]

        run_again()
        self.assertEqual(tried, ["one", "two"])
        self.assertIn("killed    one by core.Names, before\n", run_again())
        self.assertEqual(tried, ["two"], "which survived")
        self.write("README.md", "for people")
        run_again()
        self.assertEqual(tried, ["two"])
        self.write("tests/mutants/core.toml", ONE.replace('replace = "b"', 'replace = "c"'))
        run_again()
        self.assertEqual(tried, ["one", "two"], "another edit")
        self.write("tests/core/names_test.cpp", "// another")
        run_again()
        self.assertEqual(tried, ["one", "two"], "other sources")

    def test_only_what_its_tests_need_is_built(self):
        self.write("tests/core/names_test.cpp", "")
        self.assertEqual(run_mutants.targets_of({"tests": ["core.Names", "core.Numbers"]}), ["core_test"])
        self.assertEqual(run_mutants.targets_of({"tests": ["core.Names", "package.deb"]}), [])
        core, io, package = ({"tests": [name]} for name in ("core.Names", "io.Csv", "package.deb"))
        self.assertEqual(run_mutants.targets_of_all([core, io, core]), ["core_test", "io_test"])
        self.assertEqual(run_mutants.targets_of_all([core, package]), [])

    def test_what_the_processor_never_reaches_is_a_visible_skip(self):
        self.write("tests/mutants/io.toml", entry("three", "src/a.cpp", "io.*Csv") + 'needs = "wings"\n')
        with (
            mock.patch.object(run_mutants, "prepare", return_value={}),
            mock.patch.object(run_mutants, "kill", return_value=["core.Names"]),
        ):
            status, printed = self.run_with()
        self.assertEqual(status, 0)
        self.assertIn("skipped   three: this processor has no wings", printed)
        self.assertIn("killed    one by core.Names", printed)

    def test_one_that_survives_for_a_reason_is_skipped_with_it(self):
        self.write("tests/mutants/io.toml", entry("three", "src/a.cpp", "io.*Csv") + 'survives = "only slower"\n')
        tried = []
        with (
            mock.patch.object(run_mutants, "prepare", return_value={}),
            mock.patch.object(run_mutants, "kill", lambda _, mutant, healthy: tried.append(mutant["name"]) or ["io.Csv"]),
        ):
            status, printed = self.run_with()
        self.assertEqual(status, 0)
        self.assertEqual(tried, ["one", "two"])
        self.assertIn("skipped   three: survives: only slower", printed)
        self.assertIn("2 of 3 mutants killed, 1 skipped", printed)

    def test_one_that_survives_for_no_reason_is_refused(self):
        self.write("tests/mutants/core.toml", ONE + 'survives = " "\n')
        self.assertEqual(
            self.run_with("--check")[0],
            "core.toml: mutant one survives without a reason: say it, or write a test that notices",
        )

    def test_no_time_left_is_a_visible_skip(self):
        report = self.root / "report.xml"
        with mock.patch.object(run_mutants, "prepare", return_value={}):
            status, printed = self.run_with("--budget", "-1", "--junit", str(report))
        self.assertEqual(status, 0)
        self.assertIn("skipped   one: no time left", printed)
        self.assertIn("0 of 2 mutants killed, 2 skipped", printed)
        counts = subprocess.run([TALLY, report], capture_output=True, text=True, check=True).stdout
        self.assertEqual(counts.split(), ["0", "0", "2"])  # passed, failed, skipped


if __name__ == "__main__":
    unittest.main()
