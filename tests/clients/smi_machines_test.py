#!/usr/bin/env python3
"""Every setter of nvidia-smi on every built-in machine: the next nvidia-smi shows it, or the first one says why not."""

from __future__ import annotations

import json
import os
import re
import unittest
from pathlib import Path

from clients import available_smi, distinct_machines, skip
from fixture import ClientTest

if os.geteuid() != 0:
    skip("setting needs root, here as on hardware")
SMI = available_smi()
SINCE_HOPPER = {"hopper", "blackwell", "rubin"}


def has_clocks(gpu: dict) -> bool:
    return bool(gpu["supported_clocks"]["memory_clocks"])


class OnMachines(ClientTest):
    def on_every_machine(self, *names: str, where=lambda gpu: True):
        """Two GPUs of each machine for each nvidia-smi: (nvidia-smi, what `nvmlkit get` says of GPU 0, its architecture).

        `where` leaves out the machines whose GPUs lack what a test is about; some must be left.
        """
        met = 0
        for machine in distinct_machines():
            if names and machine["name"] not in names:
                continue
            for branch, smi in SMI.items():
                self.up(machine["name"])
                gpu = self.gpu()
                if not where(gpu):
                    continue
                met += 1
                with self.subTest(machine=machine["name"], branch=branch):
                    yield smi, gpu, machine["architecture"]
        self.assertGreater(met, 0)

    def gpu(self) -> dict:
        return json.loads(self.good("get", "gpu=0", "--json"))[0]["value"]


class BuiltIn(OnMachines):
    def test_power_limit(self) -> None:
        for smi, gpu, _ in self.on_every_machine(where=lambda gpu: gpu["power"]["max_limit_mw"]):
            lowest, highest = (gpu["power"][key] // 1000 for key in ("min_limit_mw", "max_limit_mw"))
            wanted = (lowest + highest) // 2
            self.smi(smi, "-i", "0", "-pl", str(wanted))
            self.assertEqual(self.query(smi, "power.limit"), [f"{wanted}.00", f"{gpu['power']['limit_mw'] / 1000:.2f}"])
            self.assertIn("is not a valid power limit", self.smi(smi, "-pl", str(highest + 1)))
            self.assertEqual(self.query(smi, "power.limit")[0], f"{wanted}.00")

    def test_locked_clocks(self) -> None:
        for smi, gpu, architecture in self.on_every_machine(where=has_clocks):
            before = self.query(smi, "clocks.gr,clocks.mem")
            graphics = gpu["supported_clocks"]["memory_clocks"][0]["graphics_clocks"][-1]
            memory = gpu["supported_clocks"]["memory_clocks"][-1]["freq_mhz"]
            self.smi(smi, "-lgc", f"{graphics},{graphics}")
            self.assertEqual(self.query(smi, "clocks.gr"), [str(graphics)] * 2)
            locked = self.smi(smi, "-lmc", str(memory))
            if architecture == "turing":
                self.assertIn("is not supported", locked)
            else:
                self.assertEqual(self.query(smi, "clocks.mem"), [str(memory)] * 2)
                self.smi(smi, "-rmc")
            self.smi(smi, "-rgc")
            self.assertEqual(self.query(smi, "clocks.gr,clocks.mem"), before)

    def test_applications_clocks(self) -> None:
        for smi, gpu, _ in self.on_every_machine(where=lambda gpu: has_clocks(gpu) and gpu["clocks"]["graphics_app"]):
            fields = "clocks.applications.memory,clocks.applications.graphics"
            before = self.query(smi, fields)
            clock = gpu["supported_clocks"]["memory_clocks"][-1]
            memory, graphics = clock["freq_mhz"], clock["graphics_clocks"][-1]
            self.smi(smi, "-ac", f"{memory},{graphics}")
            self.assertEqual(self.query(smi, fields), [f"{memory}, {graphics}"] * 2)
            self.assertIn("is not supported", self.smi(smi, "-ac", "7,7"))
            self.smi(smi, "-rac")
            self.assertEqual(self.query(smi, fields), before)

    def test_modes(self) -> None:
        for smi, _, _ in self.on_every_machine():
            for mode, word in [("PROHIBITED", "Prohibited"), ("EXCLUSIVE_PROCESS", "Exclusive_Process"), ("0", "Default")]:
                self.smi(smi, "-c", mode)
                self.assertEqual(self.query(smi, "compute_mode"), [word] * 2)
            for number, word in [("1", "Enabled"), ("0", "Disabled")]:
                self.smi(smi, "-i", "1", "-pm", number)
                self.smi(smi, "-i", "1", "-am", number)
                self.assertEqual(self.query(smi, "persistence_mode,accounting.mode")[1], f"{word}, {word}")

    def test_ecc_waits_for_a_reset(self) -> None:
        for smi, _, _ in self.on_every_machine(where=lambda gpu: gpu["ecc"]["mode_current"]):
            fields = "ecc.mode.current,ecc.mode.pending"
            now = self.query(smi, "ecc.mode.current")[0]
            other = "Disabled" if now == "Enabled" else "Enabled"
            self.smi(smi, "-i", "0", "-e", "1" if other == "Enabled" else "0")
            self.assertEqual(self.query(smi, fields)[0], f"{now}, {other}")
            self.assertIn("was successfully reset", self.smi(smi, "-i", "0", "-r"))
            self.assertEqual(self.query(smi, fields), [f"{other}, {other}", f"{now}, {now}"])

    def test_what_these_gpus_lack_is_refused_with_its_words(self) -> None:
        for smi, gpu, _ in self.on_every_machine():
            self.assertIn("GOM mode cannot be changed", self.smi(smi, "--gom=1"))
            if not gpu["thermal"]["target_temperature_c"]:
                self.assertIn("Target Temperature Threshold not supported", self.smi(smi, "-gtt", "80"))
            self.assertIn("default auto boosted clocks is not supported", self.smi(smi, "--auto-boost-default=0"))
            if gpu["api_restriction"]["set_auto_boosted_clocks"] is None:
                self.assertIn("auto boosted clocks permissions is not supported", self.smi(smi, "--auto-boost-permission=0"))
            self.assertIn("deprecated", self.smi(smi, "-acp", "0"))

    def test_boost_slider(self) -> None:
        for smi, _, architecture in self.on_every_machine("h100", "b200", "t4"):
            self.assertNotIn("Segmentation", self.smi(smi, "boost-slider", "--vboost", "3"))
            shown = self.smi(smi, "boost-slider", "-l")
            if architecture == "hopper":
                self.assertRegex(shown, r"0 +vboost +4 +3 ")
                self.smi(smi, "boost-slider", "-i", "1", "--vboost", "5")  # more than there are
                self.assertRegex(self.smi(smi, "boost-slider", "-l"), r"1 +vboost +4 +3 ")
            else:
                self.assertIn("No supported devices found", shown)

    def test_nvlink_bandwidth_of_the_machine(self) -> None:
        for smi, _, architecture in self.on_every_machine():
            told = self.smi(smi, "nvlink", "-sBwMode", "HALF")
            if architecture in SINCE_HOPPER:
                self.assertIn("Successfully set nvlink bandwidth mode to HALF", told)
                self.assertIn("GPU NVLINK bandwidth mode: HALF", self.smi(smi, "nvlink", "-gBwMode"))
            else:
                self.assertNotIn("Successfully", told)


class WhatOnlyAMachineFileHas(OnMachines):
    """A GPU with everything that the built-in ones lack."""

    FILE = """\
version: "1.0"
base: t4
device_defaults:
  gpu_operation_mode: {current: all_on}
  thermal: {target_temperature_c: 85, target_min_c: 65, target_max_c: 90}
  clocks: {auto_boost: disabled, auto_boost_default: disabled}
  api_restriction: {set_application_clocks: enabled, set_auto_boosted_clocks: enabled}
  boost_slider: {max_level: 7}
"""

    def operation_modes(self, smi: Path) -> list[tuple[str, str]]:
        return re.findall(r"GPU Operation Mode\n +Current +: (.+)\n +Pending +: (.+)\n", self.smi(smi, "-q"))

    def test_they_are_set(self) -> None:
        file = self.folder / "machine.yaml"
        file.write_text(self.FILE)
        for branch, smi in SMI.items():
            self.up(file)
            with self.subTest(branch=branch):
                self.smi(smi, "--gom=1")
                self.assertEqual(self.operation_modes(smi), [("All On", "Compute")] * 2)
                self.assertIn("GPU Operation Mode change in flight", self.smi(smi, "-i", "1", "-r"))  # needs a reboot
                self.smi(smi, "-gtt", "70")
                self.assertRegex(self.smi(smi, "-i", "0", "-q", "-d", "TEMPERATURE"), r"GPU Target Temperature +: 70 C")
                self.assertIn("should be in range 65 - 90", self.smi(smi, "-gtt", "91"))
                self.smi(smi, "--auto-boost-default=1")
                self.assertRegex(self.smi(smi, "-i", "0", "-q", "-d", "CLOCK"), r"Auto Boost Default +: On")
                self.smi(smi, "boost-slider", "--vboost", "6")
                self.assertRegex(self.smi(smi, "boost-slider", "-l"), r"0 +vboost +7 +6 ")


if __name__ == "__main__":
    unittest.main()
