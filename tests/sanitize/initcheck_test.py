#!/usr/bin/env python3
"""Initcheck beyond reads of kernels: copies to the host of what nothing wrote, and memory that nothing writes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cases import ENTRY, HEAD  # noqa: E402
from sanitized import COMMAND, run, RUN_KERNEL, TOOL  # noqa: E402

NOTHING = HEAD + ENTRY + "ret;\n}\n"
# 32 threads write 4 bytes each.
WRITES = HEAD + ENTRY + "st.global.u32 [%rd4], %r1;\nret;\n}\n"
HOST_ACCESS = "Host API memory access error at host access to 0x"


class Initcheck(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self) -> None:
        self.folder.cleanup()

    def report(self, kernel: str, *memory: str, options: tuple[str, ...] = (), word: tuple[str, ...] = ("show",)) -> str:
        (self.path / "kernel.ptx").write_text(kernel)
        program = [RUN_KERNEL, *word, str(self.path / "kernel.ptx"), "kernel", "1", "32", "0", *memory]
        return run([TOOL, "--tool", "initcheck", *options, *program])[1]

    def test_copies_to_the_host(self) -> None:
        for memory in ("zero:128", "half:128"):
            self.assertIn("ERROR SUMMARY: 0 errors\n", self.report(NOTHING, memory, "zero:4"))
        self.assertIn("ERROR SUMMARY: 0 errors\n", self.report(WRITES, "raw:128", "zero:4"))
        for memory in ("raw:128", "copy:128"):  # and a copy of what nothing wrote
            text = self.report(NOTHING, memory, "zero:4")
            self.assertIn(HOST_ACCESS, text)
            self.assertIn(" of size 4 bytes\n=========     Uninitialized access to 0x", text)
            self.assertIn(" on access by cudaMemcpy source\n", text)
            self.assertRegex(text, r"Host Frame: main (in \S+ )?\[0x[0-9a-f]+\] in ")
            self.assertIn("ERROR SUMMARY: 1 error\n", text)

    def test_copies_within_the_device_are_no_use(self) -> None:
        self.assertIn("ERROR SUMMARY: 0 errors\n", self.report(NOTHING, "copy:128", "zero:4", word=()))

    def test_unused_memory(self) -> None:
        unused = ("--track-unused-memory", "yes")
        self.assertNotIn("Unused memory", self.report(NOTHING, "raw:128", "zero:4", word=()))
        self.assertIn("ERROR SUMMARY: 0 errors\n", self.report(WRITES, "raw:128", "zero:4", options=unused))
        text = self.report(WRITES, "raw:512", "zero:4", options=unused)
        self.assertRegex(text, r"Unused memory in allocation 0x[0-9a-f]+ of size 512 bytes\n")
        self.assertRegex(text, r"    Not written 384 bytes, the first of them at 0x[0-9a-f]+80\n=========     75.00% of allocation were unused.\n")
        self.assertIn("Saved host backtrace up to driver entry point at allocation time\n", text)
        self.assertEqual(text.count("Unused memory"), 1)
        # Of memory that is never freed, at the end of the program.
        self.assertIn("100.00% of allocation were unused.", self.report(NOTHING, "zero:4", "raw:64", options=unused, word=()))

    def test_files(self) -> None:
        options = ("--track-unused-memory", "yes", "--xml", "yes", "--save", str(self.path / "out.xml"))
        self.report(NOTHING, "raw:128", "zero:4", options=options)
        kinds = [record.findtext("kind") for record in ElementTree.parse(self.path / "out.xml").getroot()]
        self.assertEqual(kinds, ["Initcheck", "Initcheck"])
        run([COMMAND, "sanitize", "--tool", "initcheck", "--track-unused-memory", "yes", "--json", str(self.path / "out.json"), "--",
             RUN_KERNEL, "show", str(self.path / "kernel.ptx"), "kernel", "1", "32", "0", "raw:128", "zero:4"])
        findings = json.loads((self.path / "out.json").read_text())["findings"]
        self.assertEqual([f["kind"] for f in findings], ["host_access", "unused_memory"])


if __name__ == "__main__":
    os.environ.setdefault("NVMLKIT_MACHINE", "h100")
    unittest.main()
