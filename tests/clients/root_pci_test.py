#!/usr/bin/env python3
"""The PCI devices of a driver root, as programs that read /sys find them, on every built-in machine."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path

from clients import available_smi, machines
from fixture import ClientTest
from pci_readers import Device, by_hwloc, by_lspci, hwloc_program, lspci, lspci_program, nvpci, resources

PREFETCHABLE_64, MEMORY_32, PORTS = 0x14220C, 0x40200, 0x40101


class PciRoot(ClientTest):
    root: Path
    shared: Path  # the roots of all machines, which the tests only read
    laid_out: dict[str, list[dict]]  # the GPUs of each

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = Path(folder.name)
        cls.laid_out = {}

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"

    def lay_out(self, *options: str) -> list[dict]:
        """Lays out a root, and tells its GPUs."""
        self.good("root", self.root, *options)
        listed = json.loads(self.good("get", "gpu=all", "--json", "--state", self.root / "run/nvmlkit/state"))
        return [entry["value"] for entry in listed] if isinstance(listed, list) else [listed["value"]]

    def each_machine(self):
        for name in [machine["name"] for machine in machines()]:
            with self.subTest(name):
                self.root = self.shared / name
                if name not in self.laid_out:
                    self.laid_out[name] = self.lay_out("-m", name)
                yield name, {self.address(gpu): gpu for gpu in self.laid_out[name]}

    @staticmethod
    def address(gpu: dict) -> str:
        return gpu["pci"]["bus_id"].lower()[4:]

    def check(self, found: dict[str, Device], gpus: dict[str, dict]) -> None:
        shown = {address: device for address, device in found.items() if device.vendor == 0x10DE and device.kind >> 8 == 3}
        self.assertEqual(set(shown), set(gpus))
        for address, device in shown.items():
            pci = gpus[address]["pci"]
            self.assertEqual((device.device, device.kind), (pci["device_id"] >> 16, pci["base_class"] << 8 | pci["sub_class"]))

    def test_nvpci_finds_the_gpus_with_their_resources(self) -> None:
        for _, gpus in self.each_machine():
            found = nvpci(self.root)
            self.check(found, gpus)
            self.assertEqual(len({device.iommu_group for device in found.values()}), len(found))
            for address, gpu in gpus.items():
                self.assertEqual(found[address].driver, "nvidia")
                aperture = gpu.get("bar1_memory", {}).get("total_bytes")
                if aperture:
                    self.assertIn(aperture, found[address].sizes.values())

    def test_resources_are_those_of_a_kernel(self) -> None:
        for name, _ in self.each_machine():
            taken = []
            for path in sorted((self.root / "sys/bus/pci/devices").iterdir()):
                text = (path / "resource").read_text()
                self.assertRegex(text, r"\A(0x[0-9a-f]{16} 0x[0-9a-f]{16} 0x[0-9a-f]{16}\n){13}\Z")
                for place, (start, end, flags) in resources(text).items():
                    size = end - start + 1
                    self.assertEqual((size & (size - 1), start % size), (0, 0), f"{name} {path.name} {place}")
                    self.assertIn(flags, (PREFETCHABLE_64, MEMORY_32, PORTS))
                    taken.append((flags == PORTS, start, end))
            taken.sort()
            for before, after in zip(taken, taken[1:]):
                self.assertTrue(before[0] != after[0] or before[2] < after[1], f"{name}: {before} and {after} overlap")

    def test_registers_are_laid_out_as_on_hardware(self) -> None:
        mib, gib = 1 << 20, 1 << 30
        for name, flags in (("h100", {0: (16 * mib, PREFETCHABLE_64), 2: (128 * gib, PREFETCHABLE_64), 4: (32 * mib, PREFETCHABLE_64)}),
                            ("a100", {0: (16 * mib, MEMORY_32), 1: (64 * gib, PREFETCHABLE_64), 3: (32 * mib, PREFETCHABLE_64)}),
                            ("rtx3070ti", {0: (16 * mib, MEMORY_32), 1: (8 * gib, PREFETCHABLE_64), 3: (32 * mib, PREFETCHABLE_64),
                                           5: (128, PORTS)})):  # fmt: skip
            gpu = self.lay_out("-m", name)[0]
            read = resources((self.root / "sys/bus/pci/devices" / self.address(gpu) / "resource").read_text())
            self.assertEqual({place: (end - start + 1, flag) for place, (start, end, flag) in read.items()}, flags, name)

    def test_what_has_no_room_below_4_gib_has_no_address(self) -> None:
        gpus = self.lay_out("-m", "t4", "-n", "200")
        starts = []
        for gpu in gpus:
            first = (self.root / "sys/bus/pci/devices" / self.address(gpu) / "resource").read_text().split("\n", 1)[0]
            start, end, flags = (int(word, 0) for word in first.split())
            self.assertEqual(flags, MEMORY_32 if start else MEMORY_32 | 0x20000000)
            self.assertEqual(end - start, (16 << 20) - 1)
            starts.append(start)
        self.assertTrue(0 < sum(start == 0 for start in starts) < 200)
        self.assertEqual(len(nvpci(self.root)), 200)

    @unittest.skipIf(lspci_program() is None, "no lspci (scripts/setup unpacks it)")
    def test_lspci_reads_the_root(self) -> None:
        for _, gpus in self.each_machine():
            found = by_lspci(self.root)
            self.check(found, gpus)
            self.assertEqual(found, nvpci(self.root))

    @unittest.skipIf(lspci_program() is None, "no lspci (scripts/setup unpacks it)")
    def test_lspci_shows_the_link(self) -> None:
        self.lay_out("-m", "t4", "-n", "1")
        told = lspci(self.root, "-vv")
        self.assertRegex(told, r"LnkCap:\tPort #0, Speed 8GT/s, Width x16")
        self.assertRegex(told, r"LnkSta:\tSpeed 2.5GT/s \(downgraded\), Width x8 \(downgraded\)")

    @unittest.skipIf(hwloc_program() is None, "no hwloc (scripts/setup unpacks it)")
    def test_hwloc_reads_the_root(self) -> None:
        for _, gpus in self.each_machine():
            self.check(by_hwloc(self.root), gpus)

    def test_numa_nodes_are_those_of_nvidia_smi(self) -> None:
        smi = available_smi()
        program = smi[max(smi)]
        for name, gpus in self.each_machine():
            told = re.sub(r"\x1b\[\d*m", "", self.good("run", "-m", name, "--", program, "topo", "-m"))
            rows = [line.split("\t") for line in told.splitlines() if line]
            column = next(row.index("NUMA Affinity") for row in rows if "NUMA Affinity" in row)
            shown = [row[column].strip() for row in rows if re.fullmatch(r"GPU\d+", row[0])]
            self.assertEqual(len(shown), len(gpus))
            for node, address in zip(shown, gpus):
                file = (self.root / "sys/bus/pci/devices" / address / "numa_node").read_text().strip()
                self.assertEqual(file, node if node.isdigit() else "-1", f"{name} {address}")


if __name__ == "__main__":
    unittest.main()
