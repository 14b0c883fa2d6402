#!/usr/bin/env python3
"""Debian's numba: faults of kernels in Python are found, with their names and lines."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parents[1] / "clients"))
from clients import environment, skip, unpacked  # noqa: E402
from sanitized import COMMAND  # noqa: E402

PYTHON = "/usr/bin/python3"
KERNELS = Path(__file__).with_name("numba_kernels.py")
NVCC = os.environ.get("NVMLKIT_TEST_NVCC")
# The kernel, the tool that finds its fault, and what the report says.
FAULTS = [
    ("scale", "memcheck", ["Invalid __global__ ", "by thread (128,0,0)", "after the nearest allocation"]),
    ("reverse", "racecheck", ["Race reported between", "__shared__ memory"]),
    ("spread", "initcheck", ["Uninitialized __shared__ memory read of size 4 bytes", "and by 27 more threads"]),
]


def line_of(mark: str) -> int:
    return next(k for k, line in enumerate(KERNELS.read_text().splitlines(), 1) if line.endswith("# " + mark))


class Numba(unittest.TestCase):
    env: dict[str, str]

    def report(self, tool: str, *arguments: str) -> str:
        command = [COMMAND, "sanitize", "-m", "a100", "--tool", tool, "--", PYTHON, str(KERNELS), *arguments]
        return subprocess.run(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300).stdout

    def test_faults(self) -> None:
        for name, tool, says in FAULTS:
            with self.subTest(name):
                right = self.report(tool, name, "right")
                self.assertIn("done\n", right)
                self.assertRegex(right, "SUMMARY: 0 (hazards|errors)")
                wrong = self.report(tool, name, "wrong")
                for text in [*says, f"__main__::{name}"]:
                    self.assertIn(text, wrong)
                self.assertRegex(wrong, rf"numba_kernels\.py:{line_of(name)}\b")
                self.assertNotRegex(wrong, "SUMMARY: 0 (hazards|errors)")


def main() -> None:
    modules = unpacked("numba", "usr/lib/python3/dist-packages")
    libraries = unpacked("numba", "usr/lib/x86_64-linux-gnu")
    libdevice = Path(NVCC).parents[1] / "nvvm" / "libdevice" if NVCC else Path("/no")
    if not libdevice.exists():
        skip("no nvcc with libdevice")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "nvvm" / "lib64").mkdir(parents=True)
        (home / "lib64").mkdir()
        (home / "nvvm" / "libdevice").symlink_to(libdevice)
        (home / "nvvm" / "lib64" / "libnvvm.so.4").symlink_to(libraries / "libnvvm.so.4")
        Numba.env = environment("a100") | {"PYTHONPATH": str(modules), "CUDA_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        Numba.env["LD_LIBRARY_PATH"] = ":".join(str(libraries / part) for part in ("", "blas", "lapack"))
        started = subprocess.run([PYTHON, "-c", "import numba"], env=Numba.env, capture_output=True, text=True, check=False)
        if started.returncode:
            skip(f"numba does not start: {started.stderr.strip().splitlines()[-1]}")
        unittest.main()


if __name__ == "__main__":
    main()
