#!/usr/bin/env python3
"""A program of nvcc -lineinfo: lines of the source, inlined functions, templates, malloc in kernels, the runtime's calls."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from sanitized import run, TOOL  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "source.cu"
NVCC = os.environ.get("NVMLKIT_TEST_NVCC")


def line_of(mark: str) -> int:
    return next(k for k, line in enumerate(SOURCE.read_text().splitlines(), 1) if line.endswith("// " + mark))


def has_libdw() -> bool:
    try:
        return ctypes.CDLL("libdw.so.1") is not None
    except OSError:
        return False


class Source(unittest.TestCase):
    def test_lines(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            subprocess.run([NVCC, "-cudart", "shared", "-lineinfo", "-Xcompiler", "-g", "-gencode", "arch=compute_80,code=compute_80", "-o",
                            str(program), str(SOURCE)], check=True)
            options = ["--destroy-on-device-error", "kernel", "--leak-check", "full"]
            status, text = run([TOOL, *options, str(program)])
            whole = run([TOOL, "--backtrace-short", "no", "--strip-paths", "no", str(program)])[1]
        self.assertEqual(status, 0, text)
        self.assertIn("end\n", text)
        self.assertRegex(text, rf"at void behind<int>\(int \*, int\)\+0x[0-9a-f]+ in source\.cu:{line_of('off by one')}\n")
        self.assertIn("by thread (0,0,0) in block (1,0,0)", text)
        self.assertIn("is 1 bytes after the nearest allocation", text)
        self.assertRegex(text, rf"at put\(int \*, int\)\+0x[0-9a-f]+ in source\.cu:{line_of('inlined')}\n")
        self.assertRegex(text, rf"Device Frame: inlines\(int \*\)\+0x[0-9a-f]+ in source\.cu:{line_of('caller')}\n")
        self.assertRegex(text, rf"at heap\(\)\+0x[0-9a-f]+ in source\.cu:{line_of('behind malloc')}\n")
        self.assertIn("of size 64 bytes", text)
        self.assertIn("Malloc/Free error encountered : Double free", text)
        self.assertRegex(text, rf"at frees_twice\(\)\+0x[0-9a-f]+ in source\.cu:{line_of('freed before')}\n")
        if has_libdw():
            self.assertRegex(text, rf"Host Frame: main in source\.cu:{line_of('launch')} \[0x[0-9a-f]+\] in program\n")
        self.assertIn('Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaMemcpy.',
                      text)
        # Short: neither frames of the runtime nor those below main().
        self.assertNotRegex(text, "cudaLaunchKernel|device_stub|libc_start|_start")
        self.assertRegex(whole, r"Host Frame: (__)?cudaLaunchKernel (in /\S+ )?\[0x[0-9a-f]+\] in /\S+libcudart")
        self.assertRegex(whole, r"Host Frame: _start ")
        self.assertIn(f" in {SOURCE}:{line_of('off by one')}\n", whole)
        self.assertIn("Leaked 256 bytes at 0x", text)
        # The thread that writes behind its memory ends there, and does not free it.
        self.assertIn("Leaked 64 bytes at 0x", text)
        self.assertIn("LEAK SUMMARY: 320 bytes leaked in 2 allocations", text)


if __name__ == "__main__":
    if not NVCC:
        print("no nvcc")
        sys.exit(77)
    unittest.main()
