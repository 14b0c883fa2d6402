#!/usr/bin/env python3
"""vGPU hosts with the real nvidia-smi: what `nvmlkit vgpu` does in one process the next nvidia-smi shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR, available_smi

SMI = available_smi()
HOST = """
base: l40s
system: {num_devices: 2}
device_defaults: {virtualization: {mode: host_vgpu}}
"""
VM = "11111111-2222-3333-4444-555555555555"


class Vgpu(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "host.yaml"
        file.write_text(HOST)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_"))}
        state = str(Path(folder.name) / "state")
        self.environment = {**clean, "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": str(LIBRARY_DIR), "NVMLKIT_STATE": state}
        self.run_command([COMMAND, "up", "-c", file, "--state", state])

    def run_command(self, command: list, expected: int = 0) -> str:
        done = subprocess.run(
            command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20
        )
        self.assertEqual(done.returncode, expected, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def nvmlkit(self, *words: str, expected: int = 0) -> str:
        return self.run_command([COMMAND, "vgpu", *words], expected)

    def create(self, *words: str) -> int:
        return json.loads(self.nvmlkit("create", *words, "--json"))[0]["id"]

    def test_created_listed_destroyed(self) -> None:
        first = self.create("gpu=0", "L40S-8Q", "--vm", VM)
        second = self.create("gpu=0", "L40S-8C", "--no-driver")
        self.assertIn("no room", self.nvmlkit("create", "gpu=0", "L40S-4Q", expected=2))
        self.assertIn("unknown type", self.nvmlkit("create", "gpu=0", "A40-4Q", expected=2))
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                table = self.run_command([smi, "vgpu"])
                self.assertRegex(table, rf"{first}\s+NVIDIA L40S-8Q\s+\|\s+1111\.\.\.")
                self.assertRegex(table, rf"{second}\s+NVIDIA L40S-8C")
                query = self.run_command([smi, "vgpu", "-q", "-i", "0"])
                self.assertEqual(re.findall(r"vGPU ID\s+: (\d+)", query), [str(first), str(second)])
                self.assertRegex(query, rf"VM UUID\s+: {VM}")
                self.assertRegex(query, r"vGPU Type\s+: 1152")
                self.assertRegex(query, r"Total\s+: 8192 MiB\n\s+Used\s+: 528 MiB")
                self.assertRegex(query, r"Guest Driver Version\s+: N/A|Guest Driver Version\s+: Not Available")
                self.assertRegex(query, r"License Status\s+: Licensed \(Expiry: Permanent\)")
                creatable = self.run_command([smi, "vgpu", "-c", "-i", "0"]).split("\n")[1:]
                names = [line.strip() for line in creatable if line.strip()]
                self.assertEqual(names, ["NVIDIA L40S-8Q", "NVIDIA L40S-8A", "NVIDIA L40S-8C"])
                supported = self.run_command([smi, "vgpu", "-s", "-i", "1"])
                self.assertEqual(supported.count("NVIDIA L40S-"), 29)
                self.assertRegex(self.run_command([smi]), r"15232MiB / +49140MiB")
        self.nvmlkit("destroy", str(first))
        self.assertIn("no vGPU has id", self.nvmlkit("destroy", str(first), expected=2))
        rows = json.loads(self.nvmlkit("list", "--json"))
        self.assertEqual([row["id"] for row in rows], [second])
        self.nvmlkit("destroy", "all")
        self.assertEqual(self.nvmlkit("list"), "no vGPUs\n")

    def test_what_a_type_is(self) -> None:
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                text = self.run_command([smi, "vgpu", "-s", "-v", "-i", "0"])
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
        self.run_command([COMMAND, "set", "gpu=0", "utilization.gpu=80"])
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                query = self.run_command([smi, "vgpu", "-q", "-i", "0"])
                self.assertEqual(re.findall(r"Gpu\s+: (\d+) %", query), ["40", "40"])

    def test_the_host(self) -> None:
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                query = self.run_command([smi, "-q", "-i", "0"])
                self.assertRegex(query, r"Virtualization Mode\s+: Host VGPU")
                self.assertRegex(query, r"Host VGPU Mode\s+: SR-IOV")
                self.assertRegex(query, r"Heterogenous Multi-vGPU\s+: Supported")
                self.assertRegex(self.run_command([smi, "vgpu", "-ss", "-i", "0"]), r"Scheduler Policy\s+: Best Effort")
                self.assertRegex(self.run_command([smi, "vgpu", "-m", "-i", "0"]), r"Migration capability\s+: Yes")
                capabilities = self.run_command([smi, "vgpu", "-sc", "-i", "0"])
                self.assertRegex(capabilities, r"Maximum Timeslice\s+: 30000000 ns")


if __name__ == "__main__":
    unittest.main()
