#!/usr/bin/env python3
"""What docs/scaling.md says is computed is what bench/scaling_model.py computes."""

import contextlib
import io
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import scaling_model  # noqa: E402


class ScalingModel(unittest.TestCase):
    def test_the_page_has_its_tables(self):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            scaling_model.main()
        page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
        tables = printed.getvalue().strip().split("\n\n")
        self.assertGreaterEqual(len(tables), 2)
        for table in tables:
            self.assertIn(table + "\n", page)

    def test_the_page_has_its_constants(self):
        page = (ROOT / "docs/scaling.md").read_text(encoding="utf-8")
        for network in scaling_model.NETWORKS:
            said = f"{network.latency * 1e6:g} µs, {network.message * 1e6:g} µs and {network.bandwidth / 1e9:g} GB/s"
            self.assertIn(said, page.replace("\n", " "))

    def test_whole_subtrees(self):
        for pieces, processes, expected in (16, 1, 1), (16, 2, 2), (16, 3, 7), (80, 2, 5), (4096, 64, 64):
            self.assertEqual(scaling_model.subtrees(pieces, processes), expected, (pieces, processes))


if __name__ == "__main__":
    unittest.main()
