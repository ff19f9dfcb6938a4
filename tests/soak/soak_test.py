#!/usr/bin/env python3
"""Tests of soak.py itself, with programs that only pretend: it must notice what it looks for."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).parent))
import soak

PROGRAM = """#!/bin/sh
# Of the run that nothing disturbs it makes all at once; others take a while at first.
case $1 in
  sample) [ -e ../first ] || { touch ../first; quick=yes; } ;;
  resume) quick=yes ;;
esac
mkdir -p out
echo '{"status": "running", "started": "'$$'"}' >out/run.json
[ "${quick:-}" ] || exec sleep 60
ROWS
echo '{"status": "STATUS", "started": "'$$'"}' >out/run.json
"""


class Soak(unittest.TestCase):
    def outcome(self, rows="echo 1,2 >out/chain_1.csv", status="complete", failing=""):
        """The exit status and what is printed."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name) / "darboux"
        program.write_text(PROGRAM.replace("ROWS", rows).replace("STATUS", status))
        program.chmod(0o755)
        scratch = Path(folder.name) / "scratch"
        scratch.mkdir()
        place = mock.Mock(__enter__=lambda _: str(scratch), __exit__=lambda *_: None)
        printed = io.StringIO()
        with (
            mock.patch.object(sys, "argv", ["soak.py", str(program), "--minutes", "0.05", "--runs", "4"]),
            mock.patch.dict("os.environ", {"DARBOUX_SOAK_MOUNTS": "own"}),
            mock.patch.object(soak, "CASES", {"default": ""}),
            mock.patch.object(soak, "DEATHS", [soak.signal.SIGKILL]),
            mock.patch.object(soak, "can_mount", return_value=False),
            mock.patch.object(soak, "LEAST", 1.0),  # killed after a second, once
            mock.patch.object(soak.random.Random, "uniform", return_value=1.0),
            mock.patch.object(soak.random.Random, "randint", return_value=1),
            mock.patch.object(soak.tempfile, "TemporaryDirectory", return_value=place),
            contextlib.redirect_stdout(printed),
        ):
            status = soak.main()
        return status, printed.getvalue()

    def test_the_same_bytes(self):
        status, printed = self.outcome()
        self.assertEqual(status, 0, printed)
        self.assertRegex(printed, r"[1-9]\d* complete, with the same bytes; 0 not")

    def test_other_bytes(self):
        status, printed = self.outcome("echo 1,$([ $1 = sample ] && echo 2 || echo 3) >out/chain_1.csv")
        self.assertEqual(status, 1)
        self.assertIn("default: other bytes in chain_1.csv", printed)

    def test_a_file_too_many(self):
        status, printed = self.outcome("[ $1 = sample ] || touch out/run.lock")
        self.assertEqual(status, 1)
        self.assertIn("default: other bytes in run.lock", printed)

    def test_a_run_that_cannot_be_gone_on_with(self):
        status, printed = self.outcome("[ $1 = sample ] || { echo 'no checkpoint' >&2; exit 2; }")
        self.assertEqual(status, 1)
        self.assertIn("default: exit status 2: no checkpoint", printed)

    def test_a_run_that_is_not_complete(self):
        status, printed = self.outcome(status="interrupted")
        self.assertEqual(status, 1)
        self.assertIn("default: it is not complete", printed)

    def test_times_are_not_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, store = Path(folder) / "chain_1.csv", Path(folder) / ".zattrs"
            csv.write_text("# start_datetime = 1\nx\n1\n# 2 seconds (Total)\n")
            store.write_text('{"created_at": 1, "s": [["start_datetime", "2"], ["seed", "1"]]}')
            self.assertEqual(soak.content(csv), b"x\n1\n")
            self.assertEqual(soak.content(store), {"s": [["seed", "1"]]})


if __name__ == "__main__":
    unittest.main()
