#!/usr/bin/env python3
"""nvmlkit node: what a broken driver and a lost GPU leave of the files of the kernel, and that healing brings all back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from node_support import NodeTest, Tree, tree_of

# That the kernel shows while the modules are loaded.
OF_MODULES = ("proc/driver/nvidia", "sys/module/nvidia", "sys/bus/pci/drivers/nvidia")
# That programs made, not the kernel: device nodes, specifications, logs.
MADE = ("dev/", "dev-nodes", "etc/", "nvidia-cdi.json", "usr/", "var/")


def below(tree: Tree, *places: str) -> Tree:
    return {path: entry for path, entry in tree.items() if path.startswith(places)}


class Faults(NodeTest):
    def setUp(self) -> None:
        super().setUp()
        self.node("-m", "dgx-h100")
        self.healthy = tree_of(self.root)

    def text(self, path: str) -> str:
        return (self.root / path).read_text()

    def broken(self, *words: str) -> Tree:
        """The true tree after the fault; it is the healthy one again after the test."""
        self.good("fault", *words, "--state", self.own_state)
        self.addCleanup(self.heal, words[0])
        tree = self.expected()
        self.wait_for_tree(tree, " ".join(words))
        return tree

    def heal(self, what: str) -> None:
        self.good("heal", what, "--state", self.own_state)
        self.wait_for_tree(self.healthy, "healed")

    def gpus(self) -> list[Path]:
        devices = [*(self.root / "sys/bus/pci/devices").iterdir()]
        return sorted(path for path in devices if (path / "vendor").read_text() == "0x10de\n" and (path / "class").read_text() == "0x030200\n")

    def changed(self, tree: Tree) -> set[str]:
        return {path for path in {**tree, **self.healthy} if tree.get(path) != self.healthy.get(path)}

    def test_without_modules(self) -> None:
        tree = self.broken("machine", "driver-not-loaded")
        self.assertEqual(below(tree, *OF_MODULES), {})
        self.assertNotEqual(below(self.healthy, *OF_MODULES), {})
        self.assertEqual(self.text("proc/devices"), "Character devices:\n\nBlock devices:\n")
        self.assertNotIn("nvidia", self.text("proc/modules"))
        self.assertIn("\nib_core ", self.text("proc/modules"), "adapters have modules of their own")
        self.assertEqual(below(tree, *MADE), below(self.healthy, *MADE), "no program removes what it made")
        self.assertEqual(len(self.gpus()), 8)
        for gpu in self.gpus():
            self.assertFalse((gpu / "driver").is_symlink())
            self.assertTrue((gpu / "iommu_group").is_symlink())
            self.assertNotIn("DRIVER", (gpu / "uevent").read_text())
            self.assertEqual((gpu / "enable").read_text(), "0\n")
        adapters = [*(self.root / "sys/bus/pci/drivers").iterdir()]
        self.assertEqual([path.name for path in adapters], ["mlx5_core"])

    def test_versions_that_differ(self) -> None:
        tree = self.broken("machine", "version-mismatch")
        self.assertEqual(self.changed(tree), set(), "the module has the version that it had")
        self.nvmlkit("list", "--state", self.own_state)  # a client
        log = self.good("kernel-log", "--state", self.own_state)
        version = self.text("sys/module/nvidia/version").strip()
        self.assertRegex(log, rf"API mismatch: the client (.|\n)*this kernel module has(\n.*NVRM:)? the version {version}\.")
        self.assertIn(f"Kernel Module  {version} ", self.text("proc/driver/nvidia/version"))

    def test_gpus_that_do_not_start(self) -> None:
        tree = self.broken("machine", "no-devices")
        names = [device["name"] for device in json.loads(self.text("nvidia-cdi.json"))["devices"]]
        self.assertEqual(names, ["all"])
        kept = below(self.healthy, "dev/", "sys/")
        self.assertEqual(below(tree, "dev/", "sys/"), kept)
        changed = {path for path in self.changed(tree) if path.startswith("proc/")}
        self.assertEqual(len(changed), 8)
        for path in changed:
            self.assertRegex(self.text(path), r"Model: \t\t NVIDIA H100(.|\n)*GPU UUID: \t GPU-\?{8}(.|\n)*Video BIOS: \t \?\?\.")

    def test_nodes_that_users_may_not_open(self) -> None:
        tree = self.broken("machine", "no-permission")
        self.assertEqual({path for path in self.changed(tree) if not path.startswith("dev/")}, {"dev-nodes", "proc/driver/nvidia/params"})
        for name in ("nvidia0", "nvidia7", "nvidiactl", "nvidia-uvm"):
            self.assertEqual((self.root / "dev" / name).stat().st_mode & 0o7777, 0o660, name)
        self.assertIn("DeviceFileMode: 432\n", self.text("proc/driver/nvidia/params"))

    def test_a_lost_gpu(self) -> None:
        for words in (("lost",), ("xid", "79")):
            with self.subTest(words):
                tree = self.broken("gpu=3", *words)
                lost = self.gpus()[3]
                changed = {Path(path).name for path in self.changed(tree) if not path.startswith("var/")}
                self.assertLessEqual({"config", "current_link_width"}, changed)
                self.assertLessEqual(changed, {"config", "current_link_speed", "current_link_width", "max_link_width"})
                self.assertEqual((lost / "config").read_bytes(), b"\xff" * 256)
                self.assertEqual((lost / "current_link_width").read_text(), "63\n")
                self.assertEqual((lost / "driver").resolve().name, "nvidia")
                self.assertTrue(os.path.lexists(self.root / "dev/nvidia3"))
                self.heal("gpu=3")

    @unittest.skipIf(shutil.which("lspci", path="/usr/bin:/usr/sbin:/bin:/sbin") is None, "no lspci")
    def test_a_lost_gpu_in_lspci(self) -> None:
        self.broken("gpu=3", "xid", "79")
        sysfs = f"sysfs.path={self.root}/sys/bus/pci"
        listed = subprocess.run(["lspci", "-O", sysfs, "-D", "-v", "-d", "10de:"], env=self.environment, capture_output=True, text=True, check=True)
        devices = [device for device in listed.stdout.split("\n\n") if device]
        self.assertEqual(len(devices), len([path for path in (self.root / "sys/bus/pci/devices").iterdir() if (path / "vendor").read_text() == "0x10de\n"]))
        # Before 3.8, lspci read the revision there, too, and printed `rev ff`.
        lost = [device for device in devices if "!!! Unknown header type 7f" in device]
        self.assertEqual([device.split()[0] for device in lost], [self.gpus()[3].name])
        self.assertIn("Kernel driver in use: nvidia", lost[0])


if __name__ == "__main__":
    unittest.main()
