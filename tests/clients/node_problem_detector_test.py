#!/usr/bin/env python3
"""The rules of examples/node_problem_detector for the kernel log: which of them each fault meets.

node-problem-detector itself runs if it is in PATH, or if NVMLKIT_TEST_NODE_PROBLEM_DETECTOR names it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
from collections import Counter
from pathlib import Path

from clients import COMMAND, SOURCE, available_smi, tell
from fixture import ClientTest

RULES = SOURCE / "examples" / "node_problem_detector" / "nvidia.json"
PROGRAM = os.environ.get("NVMLKIT_TEST_NODE_PROBLEM_DETECTOR") or shutil.which("node-problem-detector")
NAMESPACE = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]

# On a DGX H100: four NVSwitches that the host sees.
FAULTS = {
    "gpu=1 xid 31": ["NvidiaXid"],
    "gpu=3 xid 79": ["NvidiaXid", "GpuFellOffTheBus"],
    "gpu=2 xid 119": ["NvidiaXid", "GspDoesNotAnswer"],
    "gpu=4 xid 95": ["NvidiaXid", "ContainmentFailed"],
    "gpu=5 ecc dram uncorrected": ["NvidiaXid", "NvidiaXid", "NvidiaXid"],
    "gpu=5 ecc dram corrected": [],
    "gpu=6 thermal hw": [],
    "nvswitch=1 sxid 12028 32": ["NvidiaSXid"],
    "gpu=0 nvlink 4 down": ["NvidiaXid", "FatalSXid"],
}


def reasons(message: str) -> list[str]:
    """The rules that a message meets up to its end, as node-problem-detector compares them."""
    rules = json.loads(RULES.read_text(encoding="utf-8"))["rules"]
    return [rule["reason"] for rule in rules if re.search(f"(?:{rule['pattern']})\\Z", message)]


class Rules(ClientTest):
    def messages(self) -> list[str]:
        return [record.split(";", 1)[1] for record in self.good("kernel-log", "--format", "kmsg").splitlines()]

    def test_each_fault(self) -> None:
        self.up("dgx-h100", None)
        seen = len(self.messages())
        for fault, expected in FAULTS.items():
            with self.subTest(fault):
                self.good("fault", *fault.split())
                said = self.messages()[seen:]
                seen += len(said)
                met = [reason for message in said for reason in reasons(message)]
                self.assertEqual(Counter(met), Counter(expected), said)

    def test_a_client_of_another_version(self) -> None:
        self.up()
        self.good("fault", "machine", "version-mismatch")
        self.run_in(next(iter(available_smi().values())))
        self.assertEqual(reasons(self.messages()[-1]), ["ApiMismatch"])

    def test_the_module_and_other_messages_meet_none(self) -> None:
        self.up("dgx-h100", None)
        for message in (*self.messages(), "usb 1-1: new device", "NVRM: GPU at PCI:0000:53:00: GPU-1"):
            self.assertEqual(reasons(message), [], message)


@unittest.skipIf(PROGRAM is None, "no node-problem-detector in PATH")
@unittest.skipIf(subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode != 0, "no mount namespaces")
@unittest.skipUnless(Path("/dev/kmsg").exists(), "no /dev/kmsg, at whose place the program reads the pipe")
class RealProgram(ClientTest):
    def start(self, *command: str | Path, output: Path) -> subprocess.Popen[bytes]:
        with output.open("wb") as file:
            program = subprocess.Popen(command, env=self.environment, stdout=file, stderr=file)
        self.addCleanup(program.wait)
        self.addCleanup(program.send_signal, signal.SIGKILL)
        return program

    def test_each_fault_becomes_its_events(self) -> None:
        self.up("dgx-h100", None)
        pipe, output = self.folder / "kmsg", self.folder / "output"
        os.mkfifo(pipe)
        self.start(COMMAND, "kernel-log", "--follow", "--output", pipe, output=self.folder / "follower")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        # Without an exporter it does not start.
        self.start(*NAMESPACE, "sh", "-c", 'mount --bind "$0" /dev/kmsg && exec "$@"', pipe, PROGRAM, "--port=0",
                   "--enable-k8s-exporter=false", "--prometheus-address=127.0.0.1", f"--prometheus-port={port}", "--logtostderr",
                   "--hostname-override=node", f"--config.system-log-monitor={RULES}", output=output)  # fmt: skip
        for fault in FAULTS:
            self.good("fault", *fault.split())
        expected = Counter(reason for reasons_of_one in FAULTS.values() for reason in reasons_of_one)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            events = re.findall(r"New status generated: .*? Reason:(\w+) Message:", output.read_text(errors="replace"))
            if sum(expected.values()) <= len(events):
                break
            time.sleep(0.1)
        self.assertEqual(Counter(events), expected, output.read_text(errors="replace"))
        tell(f"node_problem_detector: {len(events)} events of {len(FAULTS)} faults")


if __name__ == "__main__":
    unittest.main()
