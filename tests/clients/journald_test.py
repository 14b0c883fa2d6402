#!/usr/bin/env python3
"""Messages of the kernel modules in the journal, as NVSentinel finds them there: real journald in a mount namespace, with a pipe in
the place of /dev/kmsg. The test does the kernel's part: a record that a program wrote has the facility user. Needs root."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import threading
import time
import unittest
from pathlib import Path

from clients import COMMAND, skip
from fixture import ClientTest

JOURNALD = Path("/lib/systemd/systemd-journald")
USER = 1 << 3  # the facility
# What NVSentinel looks for in entries with _TRANSPORT=kernel.
XID = re.compile(r"NVRM: Xid \(PCI:([0-9a-fA-F:.]+)\): (\d+),")
GPU = re.compile(r"NVRM: GPU at PCI:([0-9a-fA-F:.]+): (GPU-[0-9a-fA-F-]+)")
SXID = re.compile(r"nvidia-nvswitch(\d+): SXid \(PCI:([0-9a-fA-F:.]+)\): (\d+), (Fatal|Non-fatal), Link (\d+) (.+)")
# Prints the journal for each line that it reads.
JOURNAL = """
mount -t tmpfs run /run && mkdir -p /run/systemd/journal /run/log/journal/$(cat "$1/id") || exit 3
mount --bind "$1/id" /etc/machine-id && mount --bind "$1/read" /dev/kmsg || exit 3
"$2" 2>&- & program=$!
trap 'kill $program; wait $program' EXIT
while read -r _; do journalctl -D "/run/log/journal/$(cat "$1/id")" -o json _TRANSPORT=kernel; echo end; done
"""


class Journal(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.good("up", "-m", "dgx-h100", "--driver", "580", "--state", self.state)
        (self.folder / "id").write_text("0123456789abcdef0123456789abcdef\n")
        for pipe in ("read", "written"):
            os.mkfifo(self.folder / pipe)
        self.number = 0
        self.to_journald = self.open("read", os.O_DIRECT)
        self.journal = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c", JOURNAL, "bash", self.folder, JOURNALD],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(self.end)

    def open(self, pipe: str, flags: int = 0) -> int:
        descriptor = os.open(self.folder / pipe, os.O_RDWR | os.O_CLOEXEC)
        self.addCleanup(os.close, descriptor)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
        return descriptor

    def end(self) -> None:
        with self.journal:
            pass  # the script ends with its input

    def write(self, text: str) -> None:
        """As a write to /dev/kmsg."""
        match = re.fullmatch(r"<(\d+)>(.*)\n", text, re.DOTALL)
        assert match is not None, text
        self.number += 1
        message = match[2].replace("\n", r"\x0a")
        os.write(self.to_journald, f"{USER + int(match[1])},{self.number},{self.number},-;{message}\n".encode())

    def entries(self, count: int) -> list[str]:
        assert self.journal.stdin is not None and self.journal.stdout is not None
        deadline = time.monotonic() + 60
        while True:
            try:
                self.journal.stdin.write("\n")
                self.journal.stdin.flush()
                found = [json.loads(line)["MESSAGE"] for line in iter(self.journal.stdout.readline, "end\n") if line.strip()]
            except (BrokenPipeError, ValueError) as problem:
                skip(f"no journal in a namespace here: {problem}")
            if len(found) >= count or time.monotonic() > deadline:
                return found
            time.sleep(0.1)

    def write_log(self) -> int:
        """What `nvmlkit kernel-log` writes to /dev/kmsg; how many records."""
        pipe, taken = self.open("written"), 0
        bind = 'mount --bind "$1" /dev/kmsg && shift && exec "$@"'
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", bind, "sh", self.folder / "written", COMMAND]
        ended = threading.Event()

        def run() -> None:
            self.result = self.run_in(*command, "kernel-log", "--output", "journal-kernel", "--state", self.state)
            ended.set()

        thread = threading.Thread(target=run)
        thread.start()
        os.set_blocking(pipe, False)
        while True:
            over = ended.is_set()
            try:
                self.write(os.read(pipe, 8192).decode())
                taken += 1
            except BlockingIOError:
                if over:
                    break
                time.sleep(0.01)
        thread.join()
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        return taken

    def test_expressions_of_nvsentinel(self) -> None:
        self.good("fault", "gpu=3", "xid", "79", "--state", self.state)
        self.good("fault", "nvswitch=1", "sxid", "12028", "32", "--state", self.state)
        text = "\n".join(self.entries(self.write_log()))
        bus = self.good("get", "gpu=3", "pci.bus_id", "--state", self.state).strip()[4:-2].lower()
        uuid = self.good("get", "gpu=3", "uuid", "--state", self.state).strip()
        self.assertEqual((XID.findall(text)[0], GPU.findall(text)), ((bus, "79"), [(bus, uuid)]), text)
        self.assertEqual([match[2] for match in SXID.findall(text)], ["12028"], text)

    def test_a_plain_message_loses_its_first_word(self) -> None:
        """Why there is a place of its own for the journal."""
        self.write("<4>NVRM: Xid (PCI:0000:04:00): 79, GPU has fallen off the bus.\n")
        self.assertEqual(self.entries(1), ["Xid (PCI:0000:04:00): 79, GPU has fallen off the bus."])


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root has a mount namespace")
    for program in (str(JOURNALD), "journalctl", "unshare"):
        if not shutil.which(program):
            skip(f"no {program}")
    if not Path("/etc/machine-id").exists():
        skip("no /etc/machine-id")
    unittest.main()
