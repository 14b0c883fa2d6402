#!/usr/bin/env python3
"""Each kernel of cases.py: nothing is found in the right one, and the fault of the wrong one is."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from bit_cases import CASES as BITS  # noqa: E402
from cases import CASES as USUAL, Case, choose  # noqa: E402
from copy_cases import CASES as COPIES  # noqa: E402
from sanitized import RUN_KERNEL, sanitize  # noqa: E402

CASES = USUAL + COPIES + BITS


class Pairs(unittest.TestCase):
    def report(self, case: Case, wrong: bool) -> str:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.ptx"
            path.write_text(case.text(wrong))
            words = [choose(case.word, wrong)] if choose(case.word, wrong) else []
            program = [RUN_KERNEL, *words, str(path), "kernel", *choose(case.shape, wrong).split(),
                       *choose(case.arguments, wrong).split()]
            return sanitize(["--tool", case.tool, *case.options], program)[1]

    def test_pairs(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                right = self.report(case, wrong=False)
                self.assertIn("result 0\n", right)
                none = ("RACECHECK SUMMARY: 0 hazards displayed" if case.tool == "racecheck" else "ERROR SUMMARY: 0 errors\n")
                self.assertIn("========= " + none, right)
                wrong = self.report(case, wrong=True)
                for text in case.says:
                    self.assertIn(text, wrong)
                self.assertNotIn(none, wrong)

    def test_threads_that_a_wrong_access_ended(self) -> None:
        """They come to no barrier, and only the access is a fault."""
        case = Case("ended", "mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 40;\n@%p1 ld.global.u32 %r2, [%rd1+4096];\nbar.sync 0;", [],
                    shape="1 64 0", tool="all")
        text = self.report(case, wrong=False)
        self.assertIn("Invalid __global__ read of size 4 bytes", text)
        self.assertNotIn("Barrier error", text)

    def test_names_are_different(self) -> None:
        names = [case.name for case in CASES]
        self.assertEqual(len(names), len(set(names)))
        for case in CASES:
            self.assertTrue(case.says and (case.text(True) != case.text(False) or "<<" in case.arguments + case.shape + case.word), case.name)


if __name__ == "__main__":
    os.environ.setdefault("NVMLKIT_MACHINE", "h100")
    unittest.main()
