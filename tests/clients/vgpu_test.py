#!/usr/bin/env python3
"""vGPU hosts with the real nvidia-smi: what `nvmlkit vgpu` does in one process the next nvidia-smi shows."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import unittest
from pathlib import Path

from clients import available_smi
from fixture import ClientTest

SMI = available_smi()
HOST = """
base: l40s
system: {num_devices: 2}
device_defaults: {virtualization: {mode: host_vgpu}}
"""
VM = "11111111-2222-3333-4444-555555555555"


MIG_HOST = """
base: h100
system: {num_devices: 1}
device_defaults:
  virtualization: {mode: host_vgpu}
  mig: {mode_current: enabled, instances: [{profile: 3g.40gb}, {profile: 1g.10gb}]}
"""


class Vgpu(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.up_with(HOST)

    def up_with(self, machine: str) -> None:
        file = self.folder / "host.yaml"
        file.write_text(machine)
        self.up(file, gpus=None)

    def watch(self, smi: Path, *words: str, until: tuple[str, ...]) -> None:
        """Waits for lines of a command that goes on until it is stopped."""
        command = subprocess.Popen(
            [smi, "vgpu", *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )
        watchdog = threading.Timer(15, command.kill)
        watchdog.start()
        text = ""
        for line in command.stdout:
            text += line
            if all(re.search(pattern, text) for pattern in until):
                break
        watchdog.cancel()
        command.kill()
        command.communicate()
        for pattern in until:
            self.assertRegex(text, pattern)

    def smi(self, program: Path, *arguments: str, code: int | None = 0) -> str:
        return super().smi(program, *arguments, code=code)

    def vgpu(self, *words: str, expected: int = 0) -> str:
        result = self.nvmlkit("vgpu", *words)
        self.assertEqual(result.returncode, expected, f"{words}: {result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def create(self, *words: str) -> int:
        return json.loads(self.vgpu("create", *words, "--json"))[0]["id"]

    def test_created_listed_destroyed(self) -> None:
        first = self.create("gpu=0", "L40S-8Q", "--vm", VM)
        second = self.create("gpu=0", "L40S-8C", "--no-driver")
        self.assertIn("no room", self.vgpu("create", "gpu=0", "L40S-4Q", expected=2))
        self.assertIn("unknown type", self.vgpu("create", "gpu=0", "A40-4Q", expected=2))
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                table = self.smi(smi, "vgpu")
                self.assertRegex(table, rf"{first}\s+NVIDIA L40S-8Q\s+\|\s+1111\.\.\.")
                self.assertRegex(table, rf"{second}\s+NVIDIA L40S-8C")
                query = self.smi(smi, "vgpu", "-q", "-i", "0")
                self.assertEqual(re.findall(r"vGPU ID\s+: (\d+)", query), [str(first), str(second)])
                self.assertRegex(query, rf"VM UUID\s+: {VM}")
                self.assertRegex(query, r"vGPU Type\s+: 1152")
                self.assertRegex(query, r"Total\s+: 8192 MiB\n\s+Used\s+: 528 MiB")
                self.assertRegex(query, r"Guest Driver Version\s+: N/A|Guest Driver Version\s+: Not Available")
                self.assertRegex(query, r"License Status\s+: Licensed \(Expiry: Permanent\)")
                creatable = self.smi(smi, "vgpu", "-c", "-i", "0").split("\n")[1:]
                names = [line.strip() for line in creatable if line.strip()]
                self.assertEqual(names, ["NVIDIA L40S-8Q", "NVIDIA L40S-8A", "NVIDIA L40S-8C"])
                supported = self.smi(smi, "vgpu", "-s", "-i", "1")
                self.assertEqual(supported.count("NVIDIA L40S-"), 29)
                table = self.smi(smi)
                self.assertRegex(table, r"15232MiB / +49140MiB")
                self.assertEqual(len(re.findall(r"\|    0   N/A  N/A +\d+ +C\+G   vgpu +7616MiB \|", table)), 2)
        self.vgpu("destroy", str(first))
        self.assertIn("no vGPU has id", self.vgpu("destroy", str(first), expected=2))
        rows = json.loads(self.vgpu("list", "--json"))
        self.assertEqual([row["id"] for row in rows], [second])
        self.vgpu("destroy", "all")
        self.assertEqual(self.vgpu("list"), "no vGPUs\n")

    def test_what_a_type_is(self) -> None:
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                text = self.smi(smi, "vgpu", "-s", "-v", "-i", "0")
                block = text[text.index(": 0x480") :].split("vGPU Type ID")[0]
                for expected in (
                    r"Name\s+: NVIDIA L40S-8Q", r"Class\s+: Quadro", r"Max Instances\s+: 6", r"FB Memory\s+: 8192 MiB",
                    r"Device ID\s+: 0x26b910de\n", r"Sub System ID\s+: 0x26b91890\n", r"Display Heads\s+: 4",
                    r"Frame Rate Limit\s+: 60 FPS", r"GRID License\s+: Quadro-Virtual-DWS,5.0",
                ):
                    self.assertRegex(block, expected)

    def test_utilization_follows_the_load(self) -> None:
        self.create("gpu=0", "L40S-24Q")
        self.create("gpu=0", "L40S-24C")
        self.good("set", "gpu=0", "utilization.gpu=80")
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                query = self.smi(smi, "vgpu", "-q", "-i", "0")
                self.assertEqual(re.findall(r"Gpu\s+: (\d+) %", query), ["40", "40"])

    def test_sessions_and_processes(self) -> None:
        self.up_with(
            HOST + "devices:\n  - index: 0\n    utilization: {gpu: 60}\n    vgpu:\n      instances:\n"
            "        - type: L40S-24Q\n          id: 7001\n          processes: [{pid: 1200, name: blender, used_memory_mib: 512}]\n"
            "          encoder_stats: {session_count: 2, average_fps: 30}\n"
        )
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                self.watch(smi, "-p", "-i", "0", until=(r"0 +7001 +1200 +60 .* blender",))
                self.watch(smi, "-u", "-i", "0", until=(r"0 +7001 +60 +0",))
                query = self.smi(smi, "vgpu", "-q", "-i", "0")
                self.assertRegex(query, r"Active Sessions +: 2\n +Average FPS +: 30")

    def test_metrics_of_vgpus_on_mig(self) -> None:
        self.up_with(MIG_HOST)
        vgpu = self.create("gpu=0", "H100XM-3-40C")
        self.good("load", "gpu=0", "60%")
        smi = SMI.get("550")
        if smi is None:
            self.skipTest("no nvidia-smi 550")
        seen = (rf"0 +{vgpu} +0 +2 +0 +(59|60|61) +5\d ", r"0 +0 +1 +\d+ +0 +(59|60|61) ")
        self.watch(smi, "--gpm-metrics", "1,2", "-i", "0", until=seen)

    def test_settings(self) -> None:
        vgpu = self.create("gpu=0", "L40S-48Q", "--vm", VM)
        for branch, smi in SMI.items():
            if branch == "535":
                continue  # it has neither option
            with self.subTest(branch=branch):
                self.assertIn("In use", self.smi(smi, "vgpu", "-shm", "1", "-i", "0", code=19))
                self.assertIn("Enabled vGPU hetero", self.smi(smi, "vgpu", "-shm", "1", "-i", "1"))
                self.assertIn("Disabled vGPU hetero", self.smi(smi, "vgpu", "-shm", "0", "-i", "1"))
                self.smi(smi, "vgpu", "set-scheduler-state", "-i", "1", "-p", "3", "-a", "1", "-asf", "200", "-aavg", "20")
                other = self.create("gpu=1", "L40S-24Q")
                state = self.smi(smi, "vgpu", "-ss", "-i", "1")
                for line in (r"Policy +: Fixed Share", r"ARR Mode +: Enabled", r"Average Factor +: 20", r"\(ns\) +: 5000000"):
                    self.assertRegex(state, line)
                self.vgpu("destroy", str(other))
                # A vGPU that is all of a GPU has a place in the topology of its VM.
                self.assertIn("GPU0", self.smi(smi, "vgpu", "topo", VM, "-tm"))
        self.vgpu("destroy", str(vgpu))

    def test_the_host(self) -> None:
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                query = self.smi(smi, "-q", "-i", "0")
                self.assertRegex(query, r"Virtualization Mode\s+: Host VGPU")
                self.assertRegex(query, r"Host VGPU Mode\s+: SR-IOV")
                self.assertRegex(query, r"Heterogenous Multi-vGPU\s+: Supported")
                self.assertRegex(self.smi(smi, "vgpu", "-ss", "-i", "0"), r"Scheduler Policy\s+: Best Effort")
                self.assertRegex(self.smi(smi, "vgpu", "-m", "-i", "0"), r"Migration capability\s+: Yes")
                capabilities = self.smi(smi, "vgpu", "-sc", "-i", "0")
                self.assertRegex(capabilities, r"Maximum Timeslice\s+: 30000000 ns")


if __name__ == "__main__":
    unittest.main()
