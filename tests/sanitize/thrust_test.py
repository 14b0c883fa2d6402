#!/usr/bin/env python3
"""Thrust's algorithms under each tool: no finding. Needs nvcc, and a minute to compile."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sanitized import COMMAND, run, TOOL  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "thrust.cu"
NVCC = os.environ.get("NVMLKIT_TEST_NVCC")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck", "leakcheck")


class Thrust(unittest.TestCase):
    def test_no_finding(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = str(Path(folder) / "program")
            subprocess.run([NVCC, "-std=c++17", "-cudart", "shared", "-lineinfo", "-gencode", "arch=compute_80,code=compute_80",
                            "-o", program, str(SOURCE)], check=True, stderr=subprocess.DEVNULL)
            for tool in TOOLS:
                with self.subTest(tool):
                    text = run([TOOL, "--tool", tool, program])[1]
                    self.assertIn("result 0\n", text)
                    self.assertRegex(text, "SUMMARY: 0 (hazards|errors)")
            text = run([COMMAND, "sanitize", "--tool", "racecheck", "--schedules", "3", "--", program])[1]
            self.assertIn("SCHEDULE SUMMARY: 3 schedules, 0 with another output, 0 with another end\n", text)
            self.assertIn("RACECHECK SUMMARY: 0 hazards", text)


if __name__ == "__main__":
    if not NVCC:
        print("no nvcc")
        sys.exit(77)
    unittest.main()
