#!/usr/bin/env python3
"""Programs of nvcc whose kernels and launches need an order: nothing is found while it is kept, and the fault is without."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sanitized import BINARIES, COMMAND, run, TOOL  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "order.cu"
NVCC = os.environ.get("NVMLKIT_TEST_NVCC")
ONE_WARP = "Both threads are in one warp"
LAUNCHES = "Nothing orders the two: no stream, event"
# The part, the mark of a line that the report names, and a text of the report.
PARTS = [
    ("sum", "sum", "__shared__ memory"),
    ("barrier", "by barrier", "__shared__ memory"),
    ("pipeline", "pipeline", "The copy has not been waited for"),
    ("flag", "flag", "__global__ memory"),
    ("last_block", None, "is_last"),
    ("grid", "grid", "__global__ memory"),
    ("tile", "tile", ONE_WARP),
    ("room", None, "__shared__ memory"),
    ("lock", "lock", "__global__ memory"),
    ("events", "copy", LAUNCHES),
    ("streams", "copy", LAUNCHES),
    ("host", "copy", LAUNCHES),
    ("graph", "copy", LAUNCHES),
]


# Programs of kept_back.cu: the tool that finds the fault.
KEPT_BACK = {
    "transpose": "racecheck", "smooth": "racecheck", "histogram": "racecheck", "shuffle": "synccheck", "group_sync": "synccheck",
    "barrier_init": "racecheck", "stages": "racecheck", "scoped": "racecheck", "waits": "synccheck", "last_warp": "racecheck",
    "copy_in_another_stream": "racecheck", "captured_fork": "racecheck",
}


# Programs of children.cu: a text of the report.
CHILDREN = {
    "after_barrier": "children.cu:{take} ", "before_writes": "children.cu:{take} ", "in_order": "children.cu:{add} ",
    "at_the_end": "children.cu:{take} ", "nested": LAUNCHES,
}


# The same of hopper.cu: clusters, bulk copies, matrices.
HOPPER = {"histogram": "histogram", "exchange": "exchange", "bulk": None, "product": "product"}


def build(source: Path, folder: str, *options: str, target: str = "compute_80") -> str:
    program = str(Path(folder) / "program")
    subprocess.run([NVCC, "-std=c++17", "-cudart", "shared", "-lineinfo", "-gencode", f"arch={target},code={target}", *options, "-o",
                     program, str(source)], check=True, stderr=subprocess.DEVNULL)
    return program


def line_of(mark: str, source: Path = SOURCE) -> int:
    return next(k for k, line in enumerate(source.read_text().splitlines(), 1) if line.endswith("// " + mark))


class Order(unittest.TestCase):
    def test_parts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = build(SOURCE, folder)
            for part, mark, text in PARTS:
                with self.subTest(part):
                    right = run([TOOL, "--tool", "racecheck", program, part, "right"])[1]
                    self.assertIn("result 0\n", right)
                    self.assertIn("RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)", right)
                    wrong = run([TOOL, "--tool", "racecheck", program, part, "wrong"])[1]
                    self.assertIn("Race reported between", wrong)
                    self.assertIn(text, wrong)
                    if mark:
                        self.assertIn(f"order.cu:{line_of(mark)} ", wrong.replace("\n", " "))

    def test_kept_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = build(SOURCE.with_name("kept_back.cu"), folder)
            for name, tool in KEPT_BACK.items():
                for other in ("racecheck", "synccheck"):
                    with self.subTest(name, tool=other):
                        command = [COMMAND, "sanitize", "--tool", other]
                        right = run([*command, "--", program, name, "right"])[1]
                        self.assertIn("result 0\n", right)
                        self.assertRegex(right, "SUMMARY: 0 (hazards|errors)")
                        if other == tool:
                            self.assertNotRegex(run([*command, "--hang-timeout", "2", "--", program, name, "wrong"])[1], "SUMMARY: 0 (hazards|errors)")

    def test_libraries(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = build(SOURCE.with_name("libraries.cu"), folder)
            for tool in ("racecheck", "synccheck"):
                text = run([TOOL, "--tool", tool, program])[1]
                self.assertIn("result 0\n", text)
                self.assertRegex(text, "SUMMARY: 0 (hazards|errors)")

    def test_children(self) -> None:
        source = SOURCE.with_name("children.cu")
        with tempfile.TemporaryDirectory() as folder:
            program = build(source, folder, "-rdc=true", "-lcudadevrt")
            lines = {mark: line_of(mark, source) for mark in ("take", "add")}
            for name, text in CHILDREN.items():
                with self.subTest(name):
                    right = run([TOOL, "--tool", "racecheck", program, name, "right"])[1]
                    self.assertIn("result 0\n", right)
                    self.assertIn("RACECHECK SUMMARY: 0 hazards displayed", right)
                    wrong = run([TOOL, "--tool", "racecheck", program, name, "wrong"])[1]
                    self.assertIn("Race reported between", wrong)
                    self.assertIn(text.format(**lines), wrong.replace("\n", " "))

    def test_hopper(self) -> None:
        source = SOURCE.with_name("hopper.cu")
        with tempfile.TemporaryDirectory() as folder:
            program = build(source, folder, target="compute_90")
            for name, mark in HOPPER.items():
                with self.subTest(name):
                    for tool in ("racecheck", "initcheck"):
                        right = run([TOOL, "--tool", tool, program, name, "right"])[1]
                        self.assertIn("result 0\n", right)
                        self.assertRegex(right, "SUMMARY: 0 (hazards|errors)")
                    wrong = run([TOOL, "--tool", "racecheck", program, name, "wrong"])[1]
                    self.assertIn("Error: Race reported between", wrong)
                    text = f"hopper.cu:{line_of(mark, source)} " if mark else "The copy has not been waited for"
                    self.assertIn(text, wrong.replace("\n", " "))

    def test_kernels_that_launch_kernels(self) -> None:
        program = BINARIES.parent / "tests/cuda/programs/nvcc13_linked"
        if not program.exists():
            self.skipTest("no nvcc 13")
        for tool in ("memcheck", "initcheck", "racecheck", "synccheck"):
            with self.subTest(tool):
                self.assertRegex(run([TOOL, "--tool", tool, program])[1], "SUMMARY: 0 (hazards|errors)")


if __name__ == "__main__":
    if not NVCC:
        print("no nvcc")
        sys.exit(77)
    unittest.main()
