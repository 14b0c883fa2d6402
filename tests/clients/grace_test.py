#!/usr/bin/env python3
"""Machines with Grace CPUs, on any host: what /proc, /sys and nvidia-smi show of the processor and of the CPUs near each GPU."""

from __future__ import annotations

import unittest

from clients import PROCESSOR, nvidia_smi
from fixture import ClientTest
from topology_test import matrix

# The CPUs and the NUMA node of each GPU: 72 CPUs of each Grace.
FIRST, SECOND = ("0-71", "0"), ("72-143", "1")
NEAR = {
    "gh200": [FIRST],
    "gb200": [FIRST, FIRST, SECOND, SECOND],
    "gb200-tray": [FIRST, FIRST, SECOND, SECOND],
    "gb300": [FIRST, FIRST, SECOND, SECOND],
    "vr200": [("0-175", "0")] * 2 + [("176-351", "1")] * 2,  # Vera
}


class Grace(ClientTest):
    def test_the_kernel_module_is_that_of_arm_processors(self) -> None:
        for machine in (*NEAR, "h100", "b200"):
            root = self.folder / machine
            self.good("root", root, "-m", machine)
            told = (root / "proc/driver/nvidia/version").read_text().splitlines()[0]
            if machine in NEAR:
                self.assertIn("NVIDIA UNIX Open Kernel Module for aarch64  ", told)
            else:
                self.assertIn(PROCESSOR, told)

    def test_cpus_and_numa_nodes_of_sysfs(self) -> None:
        for machine, near in NEAR.items():
            root = self.folder / machine
            self.good("root", root, "-m", machine)
            gpus = sorted((root / "proc/driver/nvidia/gpus").iterdir())
            devices = [root / "sys/bus/pci/devices" / gpu.name for gpu in gpus]
            told = [((device / "local_cpulist").read_text().strip(), (device / "numa_node").read_text().strip()) for device in devices]
            self.assertEqual(told, near, machine)

    def test_nvidia_smi_shows_the_same(self) -> None:
        smi = nvidia_smi("550")
        if not smi:
            self.skipTest("no nvidia-smi 550 here")
        for machine, near in NEAR.items():
            rows = matrix(self.good("run", "-m", machine, "--", smi, "topo", "-m"))
            self.assertEqual([tuple(row[-2:]) for name, row in sorted(rows.items()) if name.startswith("GPU")], near, machine)


if __name__ == "__main__":
    unittest.main()
