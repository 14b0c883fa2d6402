#!/usr/bin/env python3
"""nvidia-smi topo, nvlink and c2c: the matrices of real machines, links that break, what counters say.

The matrices are captures, other people's data and no part of the project; without them their test is skipped."""

from __future__ import annotations

import os
import re
import unittest
from pathlib import Path

from clients import SOURCE, available_smi
from fixture import ClientTest

FACTS = os.environ.get("NVMLKIT_SHARED_FACTS_DIR") or SOURCE.parent / "shared" / "facts"
CAPTURES = Path(FACTS).parent / "captures"
MATRICES = {
    "dgx-a100": "topo-dgx-a100-1.txt",
    "dgx-h100": "topo-dgx-h100-580.126.20-1.txt",
    "hgx-h200": "topo-h200-8gpu-1.txt",
    "hgx-b200": "topo-b300-8gpu-590.44.01-1.txt",
    "gb200-tray": "topo-nvlink-gb200-1.txt",
}
SEES_ADAPTERS = ("550", "555")  # 535 asks the system alone


def matrix(text: str) -> dict[str, list[str]]:
    """The rows of `topo -m`: distances, CPUs and NUMA node, without what only newer drivers print."""
    rows = {}
    for line in re.sub(r"\x1b\[\d*m", "", text).splitlines():
        cells = [cell.strip() for cell in re.split(r"\t|  +", line)]
        if re.fullmatch(r"(GPU|NIC|mlx5_)\d+", cells[0]) and "X" in cells:
            name = cells[0].replace("mlx5_", "NIC")
            rows[name] = [cell for cell in cells[1:] if cell not in ("", "N/A")]
    return rows


class Topology(ClientTest):
    def smi_on(self, smi: Path, machine: str, *arguments: str) -> str:
        """What nvidia-smi prints on a machine of its own."""
        return self.good("run", "-m", machine, "--", smi, *arguments)

    def test_matrices_of_real_machines(self) -> None:
        if not CAPTURES.is_dir():
            self.skipTest("no captures here")
        for branch, smi in available_smi().items():
            for machine, capture in MATRICES.items():
                captured = matrix((CAPTURES / capture).read_text())
                ours = matrix(self.smi_on(smi, machine, "topo", "-m"))
                self.assertGreaterEqual(len(captured), 4)
                for row, cells in captured.items():
                    if branch in SEES_ADAPTERS:
                        self.assertEqual(ours.get(row), cells, f"{branch} {machine} {row}")
                    elif row.startswith("GPU"):
                        gpus = sum(name.startswith("GPU") for name in captured)
                        self.assertEqual(ours[row], cells[:gpus] + cells[-2:], f"{branch} {machine} {row}")
            self.assertEqual(list(self.folder.rglob("*.xml")), [])

    def test_a_machine_that_is_up_has_its_adapters(self) -> None:
        self.up("hgx-h200", gpus=None)
        for branch, smi in available_smi().items():
            rows = matrix(self.good("run", "--", smi, "topo", "-m"))
            self.assertEqual("NIC9" in rows, branch in SEES_ADAPTERS)
            told = self.good("run", "--uses", "gpu=0", "--", smi, "topo", "-m")
            self.assertEqual("NIC9: mlx5_9" in told, branch in SEES_ADAPTERS)
        self.assertEqual(list(self.folder.rglob("*.xml")), [])

    def test_direct_links_make_the_matrix_of_a_cube_mesh(self) -> None:
        for smi in available_smi().values():
            rows = matrix(self.smi_on(smi, "v100", "topo", "-m"))
            self.assertEqual(rows["GPU0"][:8], "X NV1 NV1 NV2 NV2 SYS SYS SYS".split())
            self.assertEqual(rows["GPU7"][:8], "SYS SYS SYS NV1 NV2 NV1 NV2 X".split())
            told = self.smi_on(smi, "v100", "topo", "-p2p", "n")
            self.assertIn(" GPU0\tX\tOK\tOK\tOK\tOK\tNS\tNS\tNS", told)

    def test_speeds_and_ends(self) -> None:
        for branch, smi in available_smi().items():
            for machine, links, speed in (("a100", 12, "25"), ("h100", 18, "26.562"), ("v100", 6, "25.781")):
                told = self.smi_on(smi, machine, "nvlink", "-s", "-i", "0").splitlines()[1:]
                self.assertEqual(told, [f"\t Link {i}: {speed} GB/s" for i in range(links)], branch)
            self.assertIn("Remote Device 00000000:05:00.0: Link ", self.smi_on(smi, "dgx-h100", "nvlink", "-R", "-i", "0"))
            told = self.smi_on(smi, "dgx-h100", "nvlink", "-c", "-i", "0", "-l", "3")
            self.assertIn("Link 3, P2P is supported: true", told)
            told = self.smi_on(smi, "gh200", "c2c", "-s").splitlines()
            self.assertEqual(told[1:], [f"\t C2C Link {i}: 44.712 GB/s" for i in range(10)])
            told = self.smi_on(smi, "dgx-a100", "topo", "-c", "222")
            self.assertIn("The GPUs that have an affinity with CPU 222 are:\n6, 7", told)
            self.assertIn("closest memory: 5", self.smi_on(smi, "dgx-a100", "topo", "-M", "-i", "7"))

    def test_links_that_break(self) -> None:
        self.up("h100")
        self.good("time", "virtual")
        self.good("fault", "gpu=0", "nvlink", "3", "down")
        self.good("fault", "gpu=0", "nvlink", "5", "errors")
        self.good("load", "gpu=0", "100%")
        self.good("time", "advance", "10s")
        for smi in available_smi().values():
            def told(*arguments: str) -> str:
                return self.good("run", "--", smi, "nvlink", *arguments)

            self.assertIn("\t Link 3: <inactive>\n", told("-s", "-i", "0"))
            self.assertIn("\t Link 3: <inactive>\n", told("-s", "-i", "1"))
            self.assertIn("Link 5: CRC Errors: 10\n", told("-e", "-i", "0"))
            kib = int(10 * 0.25 * 26562e6 / 1024)
            self.assertIn(f"Link 0: Data Tx: {kib} KiB\n", told("-gt", "d", "-i", "0"))
            self.assertIn("NV17", self.good("run", "--", smi, "topo", "-m"))
        for smi in available_smi().values():
            self.assertIn("Link 5: error counters reset", told("-re", "-i", "0", "-l", "5"))
            self.assertIn("Link 5: CRC Errors: 0\n", told("-e", "-i", "0"))
            break


if __name__ == "__main__":
    unittest.main()
