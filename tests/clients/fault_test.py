#!/usr/bin/env python3
"""nvmlkit fault and heal: what nvidia-smi shows of it, what is refused, the log of calls."""

from __future__ import annotations

import json
import os
import unittest

from clients import COMMAND, available_smi, processor
from fixture import ClientTest


class Fault(ClientTest):
    def test_a_lost_gpu(self) -> None:
        for branch, smi in available_smi().items():
            with self.subTest(branch):
                self.up()
                self.good("fault", "gpu=0", "xid", "79")
                listed = self.run_in(smi, "-L")
                self.assertEqual(listed.returncode, 15)
                self.assertIn("GPU is lost.  Reboot the system to recover this GPU", listed.stdout)
                self.assertIn("GPU 1: NVIDIA H100", listed.stdout)
                self.good("heal", "gpu=0")
                self.assertEqual(self.run_in(smi, "-L").returncode, 0)

    def test_a_gpu_that_needs_a_reset_gets_one(self) -> None:
        for branch, smi in available_smi().items():
            with self.subTest(branch):
                self.up()
                self.good("set", "gpu=all", "persistence_mode=disabled")
                self.good("fault", "gpu=1", "reset-required")
                query = ("--query-gpu=index,temperature.gpu", "--format=csv,noheader")
                self.assertIn("1, [GPU requires reset]", self.run_in(smi, *query).stdout)
                if os.geteuid() == 0:
                    self.assertEqual(self.run_in(smi, "-r", "-i", "1").returncode, 0)
                    self.assertNotIn("requires reset", self.run_in(smi, *query).stdout)

    def test_an_xid_that_asks_for_a_reset(self) -> None:
        for branch, smi in available_smi().items():
            with self.subTest(branch):
                self.up()
                self.good("set", "gpu=all", "persistence_mode=disabled")
                self.good("fault", "gpu=1", "xid", "95")
                self.assertIn("gpu=1 recovery reset", self.good("fault").splitlines())
                said = self.run_in(smi, "-q", "-i", "1").stdout
                self.assertRegex(said, r"Reset Required +: Yes\n +Drain and Reset Recommended +: No")
                self.assertIn("requires a reset before it can be used again", self.refused("run", "--uses", "gpu=1", "--", "true"))
                if os.geteuid() == 0:
                    self.assertEqual(self.run_in(smi, "-r", "-i", "1").returncode, 0)
                    self.good("run", "--uses", "gpu=1", "--", "true")

    @unittest.skipIf(processor() == "aarch64", "NVIDIA's nvidia-smi for arm64 has no command `drain`")
    def test_a_drained_gpu_takes_nobody_new(self) -> None:
        for branch, smi in available_smi().items():
            with self.subTest(branch):
                self.up()
                self.good("set", "gpu=all", "persistence_mode=disabled")
                bus = self.good("get", "gpu=1", "pci.bus_id").strip()[4:]
                if os.geteuid() != 0:
                    self.skipTest("draining needs root")
                self.assertIn("drain state to: draining", self.run_in(smi, "drain", "-p", bus, "-m", "1").stdout)
                self.assertEqual(len(self.run_in(smi, "-L").stdout.splitlines()), 1)
                self.assertIn("takes no new programs", self.refused("run", "--uses", "gpu=1", "--", "true"))
                self.assertIn("is: draining", self.run_in(smi, "drain", "-p", bus, "-q").stdout)
                self.assertEqual(self.run_in(smi, "drain", "-p", bus, "-m", "0").returncode, 0)
                self.assertEqual(len(self.run_in(smi, "-L").stdout.splitlines()), 2)

    def test_a_fan_that_fails(self) -> None:
        for branch, smi in available_smi().items():
            with self.subTest(branch):
                self.up("rtx4090")
                self.good("fault", "gpu=0", "fan", "0")
                query = self.run_in(smi, "--query-gpu=fan.speed", "--format=csv,noheader").stdout
                self.assertEqual(query.splitlines(), ["[Unknown Error]", "0 %"])
                self.assertIn("|ERR! ", self.run_in(smi).stdout)

    def test_machines_without_a_driver(self) -> None:
        texts = {
            "driver-not-loaded": (9, "couldn't communicate with the NVIDIA driver"),
            "version-mismatch": (18, "Driver/library version mismatch"),
            "no-permission": (4, "Insufficient Permissions"),
            "no-devices": (6, "No devices were found"),
        }
        for branch, smi in available_smi().items():
            self.up()
            for kind, (status, text) in texts.items():
                with self.subTest(f"{branch} {kind}"):
                    self.good("fault", "machine", kind)
                    result = self.run_in(smi)
                    self.assertEqual(result.returncode, status, result.stdout)
                    self.assertIn(text, result.stdout + result.stderr)

    def test_a_gpu_off_the_bus_is_not_listed(self) -> None:
        smi = next(iter(available_smi().values()))
        self.up()
        self.good("fault", "gpu=0", "off-bus")
        self.assertEqual(len(self.run_in(smi, "-L").stdout.splitlines()), 1)
        self.good("heal", "gpu=0", "off-bus")
        self.assertEqual(len(self.run_in(smi, "-L").stdout.splitlines()), 2)

    def test_selectors_and_the_list(self) -> None:
        self.assertIn("nvmlkit up", self.refused("fault", "gpu=0", "lost"))
        self.up()
        self.assertEqual(self.good("fault"), "no faults\n")
        uuid = self.good("get", "gpu=1", "uuid").strip()
        bus = self.good("get", "gpu=0", "pci.bus_id").strip()
        self.good("fault", f"gpu={uuid}", "thermal", "sw")
        self.good("fault", f"gpu={bus}", "power-brake")
        self.good("fault", "gpu=0", "fail", "nvmlDeviceGetMemoryInfo", "GPU_IS_LOST", "--after", "10", "--times", "3")
        self.good("fault", "machine", "no-permission")
        lines = self.good("fault").splitlines()
        self.assertEqual(lines[:3], ["machine no-permission", "gpu=0 power-brake", "gpu=1 thermal sw"])
        self.assertIn("fail nvmlDeviceGetMemoryInfo GPU_IS_LOST --after 10 --times 3", lines[3])
        listed = json.loads(self.good("fault", "--json"))
        self.assertEqual(listed["gpus"][1], {"gpu": 1, "faults": ["thermal sw"]})
        self.assertEqual(json.loads(self.good("status", "--json"))["faults"], listed)
        self.assertIn("gpu=1 thermal sw", self.good("status"))
        self.good("heal", "gpu=all")
        self.good("heal", "machine")
        self.assertEqual(self.good("fault"), "no faults\n")

    def test_refusals_change_nothing(self) -> None:
        self.up()
        for words in (
            "gpu=7 lost", "gpu=0", "gpu=0 termal", "gpu=0 xid 9999", "gpu=0 xid many", "gpu=0 ecc dram",
            "gpu=0 nvlink 99 down", "gpu=0 fail nvmlNothing UNKNOWN", "gpu=0 fail nvmlInit_v2 NOTHING",
            "gpu=0 slow nvmlInit_v2 soon", "machine explode", "lost", "gpu=0 fan 0", "gpu=0 lost --json",
        ):  # fmt: skip
            with self.subTest(words):
                self.refused("fault", *words.split())
        for words in ("", "gpu=9", "gpu=0 termal", "gpu=0 lost more", "machine explode"):
            with self.subTest(f"heal {words}"):
                self.refused("heal", *words.split())
        self.assertEqual(self.good("fault"), "no faults\n")
        self.assertEqual(json.loads(self.good("status", "--json"))["writes"], 0)
        self.good("fault", "gpu=0", "xid", "9999", "--force")

    def test_the_log_of_calls(self) -> None:
        log = self.folder / "calls.log"
        for variables, where in (
            ({"NVMLKIT_DEBUG": "1"}, None),
            ({"MOCK_NVML_DEBUG": "yes"}, None),
            ({"NVMLKIT_DEBUG": str(log)}, log),
        ):
            with self.subTest(variables):
                result = self.nvmlkit("list", NVMLKIT_MACHINE="t4", NVMLKIT_GPU_COUNT="1", **variables)
                self.assertEqual(result.returncode, 0, result.stderr)
                text = where.read_text() if where else result.stderr
                self.assertRegex(text, r"nvmlkit\[\d+:\d+\] nvmlInit_v2\(\) = SUCCESS <[\d.]+ us>")
                self.assertRegex(text, r'nvmlDeviceGetName\(device=GPU0, name="Tesla T4", length=\d+\) = SUCCESS')
                self.assertRegex(text, r"nvmlDeviceGetMemoryInfo(_v2)?\(device=GPU0, memory=\{.*total=\d+")
                for line in text.splitlines():
                    self.assertRegex(line, r"^nvmlkit\[\d+:\d+\] nvml\w+\(.*\) = \w+ <[\d.]+ us>$")

    def test_faults_of_one_process(self) -> None:
        result = self.nvmlkit("list", NVMLKIT_MACHINE="t4", NVMLKIT_FAULT="machine driver-not-loaded")
        self.assertNotEqual(result.returncode, 0)
        result = self.nvmlkit("list", NVMLKIT_MACHINE="t4", NVMLKIT_FAULT="gpu=0 explode")
        self.assertIn("NVMLKIT_FAULT: unknown fault", result.stderr)
        self.up()
        result = self.nvmlkit("run", "--", COMMAND, "list", NVMLKIT_FAULT="gpu=0 lost")
        self.assertIn("the machine is shared", result.stderr)


if __name__ == "__main__":
    unittest.main()
