#!/usr/bin/env python3
"""What one nvidia-smi sets, the next one shows; what it may not set is refused in its own words."""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path

from clients import available_smi, skip
from fixture import ClientTest

if os.geteuid() != 0:
    skip("setting needs root, here as on hardware")
SMI = available_smi()


class Setters(ClientTest):
    def accepted(self, program: Path, *arguments: str) -> str:
        text = self.smi(program, *arguments, code=0)
        self.assertNotIn("warning", text)
        return text

    def test_power_limit(self) -> None:
        for smi in self.on_every_branch():
            self.assertIn("was set to 300.00 W from 700.00 W", self.accepted(smi, "-pl", "300"))
            self.assertEqual(self.query(smi, "power.limit,enforced.power.limit"), ["300.00, 300.00"] * 2)
            refused = self.run_in(smi, "-i", "0", "-pl", "900")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("not a valid power limit which should be between 200.00 W and 700.00 W", refused.stdout)
            self.assertEqual(self.query(smi, "power.limit"), ["300.00"] * 2)

    def test_locked_clocks(self) -> None:
        for smi in self.on_every_branch():
            before = self.query(smi, "clocks.gr,clocks.mem")
            self.assertIn("gpuClkMin 1200, gpuClkMax 1500", self.accepted(smi, "-lgc", "1200,1500"))
            self.accepted(smi, "-lmc", "1593")
            self.assertEqual(self.query(smi, "clocks.gr,clocks.mem"), ["1200, 1593"] * 2)
            self.accepted(smi, "-rgc")
            self.accepted(smi, "-rmc")
            self.assertEqual(self.query(smi, "clocks.gr,clocks.mem"), before)

    def test_applications_clocks(self) -> None:
        for smi in self.on_every_branch():
            self.accepted(smi, "-ac", "1593,1980")
            self.assertEqual(self.query(smi, "clocks.applications.memory"), ["1593"] * 2)
            self.assertIn('"(MEM 1, SM 2)" is not supported', self.smi(smi, "-i", "0", "-ac", "1,2"))
            self.accepted(smi, "-rac")
            self.assertEqual(self.query(smi, "clocks.applications.memory"), ["2619"] * 2)

    def test_modes(self) -> None:
        for smi in self.on_every_branch():
            self.assertIn("EXCLUSIVE_PROCESS", self.accepted(smi, "-c", "3"))
            self.accepted(smi, "-am", "1")
            self.accepted(smi, "-pm", "0")
            fields = "compute_mode,accounting.mode,persistence_mode"
            self.assertEqual(self.query(smi, fields), ["Exclusive_Process, Enabled, Disabled"] * 2)
            self.accepted(smi, "-i", "1", "-pm", "1")
            self.assertEqual(self.query(smi, "persistence_mode"), ["Disabled", "Enabled"])
            self.assertIn("GOM mode cannot be changed", self.smi(smi, "--gom=1"))

    def test_ecc_mode_waits_for_a_reset(self) -> None:
        for smi in self.on_every_branch():
            self.accepted(smi, "-i", "0", "-e", "0")
            fields = "ecc.mode.current,ecc.mode.pending"
            self.assertEqual(self.query(smi, fields), ["Enabled, Disabled", "Enabled, Enabled"])
            self.assertIn("was successfully reset", self.accepted(smi, "-i", "0", "-r"))
            self.assertEqual(self.query(smi, fields), ["Disabled, Disabled", "Enabled, Enabled"])
            self.assertIn("ECC features not supported", self.smi(smi, "-i", "0", "-p", "0"))
            self.assertIn("Reset volatile ECC errors to zero", self.accepted(smi, "-i", "1", "-p", "0"))

    def test_a_gpu_in_use_is_not_reset(self) -> None:
        for smi in self.on_every_branch():
            process = "processes=[{pid: 7, type: C, name: x}]"
            self.good("set", "gpu=1", process)
            refused = self.run_in(smi, "-i", "1", "-r")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("In use by another client", refused.stdout)

    def test_confidential_computing(self) -> None:
        machine = self.folder / "machine.yaml"
        machine.write_text('version: "1.0"\nbase: h100\nsystem: {conf_compute: {feature: enabled}}\n')
        self.up(machine, gpus=None)
        for branch, smi in SMI.items():
            with self.subTest(branch=branch):
                self.assertIn("CC status: ON", self.accepted(smi, "conf-compute", "-f"))
                for word, state in (("1", "ready"), ("0", "not-ready")):
                    self.accepted(smi, "conf-compute", "-srs", word)
                    self.assertIn(f"state: {state}", self.accepted(smi, "conf-compute", "-grs"))
                self.accepted(smi, "conf-compute", "-sm", "4096")
                self.assertIn("4096 KiB", self.accepted(smi, "conf-compute", "-gm"))

    def test_gpm_streaming(self) -> None:
        for smi in self.on_every_branch():
            self.assertIn("DISABLED", self.accepted(smi, "gpm", "-g"))
            self.accepted(smi, "gpm", "-s", "1")
            self.assertIn("ENABLED", self.accepted(smi, "gpm", "-g"))

    def test_what_a_t4_lacks(self) -> None:
        for smi in self.on_every_branch("t4"):
            self.assertIn("is not supported", self.smi(smi, "-lmc", "405"))

    def test_only_root_sets(self) -> None:
        for smi in self.on_every_branch():
            self.folder.chmod(0o755)
            self.state.chmod(0o666)
            command = [sys.executable, "-c", "import os, sys; os.setuid(65534); os.execv(sys.argv[1], sys.argv[1:])", smi]
            self.assertIn("Insufficient Permissions", self.run_in(*command, "-pl", "300").stdout)
            self.assertEqual(self.query(smi, "power.limit"), ["700.00"] * 2)


if __name__ == "__main__":
    unittest.main()
