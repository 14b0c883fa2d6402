"""The chart alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import objects
from case import FEATURES, VALIDATIONS, ClusterTest
from content import COMMAND


class ChartTests(ClusterTest):
    def test_10_install(self) -> None:
        self.chart("install")
        uuids = self.uuids()
        self.assertEqual(len(set(uuids)), 8)
        plain = subprocess.run([COMMAND, "run", "-m", "h100", "--", COMMAND, "list"], capture_output=True, text=True).stdout
        self.assertFalse([uuid for uuid in uuids if uuid in plain], "the UUIDs of every other node")
        self.assertIn("pci-0302_10de.present=true\n", Path(FEATURES).read_text())
        self.assertIn(f"NVIDIA_DRIVER_ROOT={objects.ROOT}\n", Path(VALIDATIONS, "driver-ready").read_text())
        self.assertTrue(Path("/var/run/cdi/nvidia.com-gpu.yaml").exists())

    def test_11_the_machine_survives_a_kill_of_its_container(self) -> None:
        self.nvmlkit("fault", "gpu=3", "lost")
        os.kill(self.pid_of_node(), 9)
        self.cluster.wait("a restart", self.has_restarted)
        self.assertIn("lost", self.nvmlkit("status"))
        self.nvmlkit("heal", "gpu=3")
