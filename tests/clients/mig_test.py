#!/usr/bin/env python3
"""MIG with the real nvidia-smi, each command in a process of its own: what it prints is what captures of hardware show.

The figures are those of the captures h100-sxm-mig-lgip-1, a100-sxm4-40gb-mig-lgip-1, b200-mig-lgip-1-partial,
a100-mig-guide-1, h200-mig-590.48.01-utku, a30-mig-535.183.01-1, a30-550.90.07-mig-table and
rtxpro6000-maxq-mig-580.105.08-1."""

from __future__ import annotations

import os
import re
import unittest
from pathlib import Path

from clients import available_smi, skip
from fixture import ClientTest

if os.geteuid() != 0:
    skip("MIG needs root, here as on hardware")
SMI = available_smi()

# name, id, free/total, GiB, P2P, SM, DEC, ENC, CE, JPEG, OFA
PROFILES = {
    "a100": """
        1g.5gb    19 7/7  4.75 No  14 0 0 1 0 0
        1g.5gb+me 20 1/1  4.75 No  14 1 0 1 1 1
        1g.10gb   15 4/4  9.75 No  14 1 0 1 0 0
        2g.10gb   14 3/3  9.75 No  28 1 0 2 0 0
        3g.20gb    9 2/2 19.62 No  42 2 0 3 0 0
        4g.20gb    5 1/1 19.62 No  56 2 0 4 0 0
        7g.40gb    0 1/1 39.38 No  98 5 0 7 1 1""",
    "h100": """
        1g.10gb    19 7/7  9.75 No  16 1 0 1 1 0
        1g.10gb+me 20 1/1  9.75 No  16 1 0 1 1 1
        1g.20gb    15 4/4 19.62 No  26 1 0 1 1 0
        2g.20gb    14 3/3 19.62 No  32 2 0 2 2 0
        3g.40gb     9 2/2 39.50 No  60 3 0 3 3 0
        4g.40gb     5 1/1 39.50 No  64 4 0 4 4 0
        7g.80gb     0 1/1 79.25 No 132 7 0 8 7 1""",
    "b200": """
        1g.23gb    19 7/7 22.00 No  18 1 0 2 1 0
        1g.23gb+me 20 1/1 22.00 No  18 1 0 2 1 1
        1g.45gb    15 4/4 44.25 No  30 1 0 2 1 0
        2g.45gb    14 3/3 44.25 No  36 2 0 4 2 0""",
}
# 3g, 2g and 1g as `-cgi 9,14,19` makes them: GPU instance id, name, profile, placement
NAMES = {"a100": ("3g.20gb", "2g.10gb", "1g.5gb"), "h100": ("3g.40gb", "2g.20gb", "1g.10gb"),
         "b200": ("3g.90gb", "2g.45gb", "1g.23gb")}
IDS = (2, 3, 9)
PLACEMENTS = ("4:4", "0:2", "2:1")
COMPUTE_PROFILES = (2, 1, 0)


def rows(text: str) -> list[list[str]]:
    """The words of a table's rows; a profile's two lines are one row."""
    out: list[list[str]] = []
    for line in text.splitlines():
        words = line.strip("| ").replace("*", " * ").split()
        if line.startswith("|") and "MIG" in words:
            out.append(words)
        elif out and re.fullmatch(r"\|[\s\d]+\|", line):
            out[-1] += words
    return out


class Mig(ClientTest):
    def smi(self, program: Path, *arguments: str, code: int | None = 0) -> str:
        return super().smi(program, *arguments, code=code)

    def test_profiles(self) -> None:
        for machine, expected in PROFILES.items():
            for smi in self.on_every_branch(machine, gpus=1):
                self.assertIn("Enabled MIG Mode for GPU", self.smi(smi, "-mig", "1"))
                wanted = [["0", "MIG", *line.split()] for line in expected.strip().splitlines()]
                self.assertEqual(rows(self.smi(smi, "mig", "-lgip"))[: len(wanted)], wanted)

    def test_profiles_with_the_mode_off(self) -> None:
        """535 looks at the mode first. Later versions print the profiles of the empty GPU."""
        expected = [["0", "MIG", *line.split()] for line in PROFILES["h100"].strip().splitlines()]
        for smi in self.on_every_branch("h100", gpus=1):
            listed = self.smi(smi, "mig", "-lgip", code=None)
            if "No MIG-enabled devices found" in listed:
                continue
            self.assertNotIn("Failed", listed)
            self.assertEqual(rows(listed)[: len(expected)], expected)

    def test_placements(self) -> None:
        for machine in PROFILES:
            for smi in self.on_every_branch(machine, gpus=1):
                self.smi(smi, "-mig", "1")
                lines = [re.sub(r"\s+", " ", line) for line in self.smi(smi, "mig", "-lgipp").splitlines()]
                self.assertEqual(
                    lines,
                    ["GPU 0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1",
                     "GPU 0 Profile ID 20 Placements: {0,1,2,3,4,5,6}:1",
                     "GPU 0 Profile ID 15 Placements: {0,2,4,6}:2",
                     "GPU 0 Profile ID 14 Placements: {0,2,4}:2",
                     "GPU 0 Profile ID 9 Placements: {0,4}:4",
                     "GPU 0 Profile ID 5 Placement : {0}:4",
                     "GPU 0 Profile ID 0 Placement : {0}:8"],
                )

    def test_life(self) -> None:
        for machine, names in NAMES.items():
            for smi in self.on_every_branch(machine, gpus=1):
                self.smi(smi, "-mig", "1")
                self.create(smi, names)
                self.lists(smi, names)
                self.refusals(smi)
                self.destroy(smi)
                self.assertIn("Disabled MIG Mode for GPU", self.smi(smi, "-mig", "0"))
                self.assertNotIn("MIG", self.smi(smi, "-L"))

    def create(self, smi: Path, names: tuple[str, ...]) -> None:
        lines = [re.sub(r"\s+", " ", line) for line in self.smi(smi, "mig", "-cgi", "9,14,19", "-C").splitlines()]
        wanted = []
        for instance, name, profile, compute in zip(IDS, names, (9, 14, 19), COMPUTE_PROFILES):
            padded = str(profile).rjust(2)
            made = f"Successfully created GPU instance ID {instance} on GPU 0 using profile MIG {name} (ID {padded})"
            wanted.append(re.sub(r"\s+", " ", made))
            wanted.append(
                f"Successfully created compute instance ID 0 on GPU 0 GPU instance ID {instance} "
                f"using profile MIG {name} (ID {compute})"
            )
        self.assertEqual(lines, wanted)

    def lists(self, smi: Path, names: tuple[str, ...]) -> None:
        instances = rows(self.smi(smi, "mig", "-lgi"))
        wanted = [["0", "MIG", name, str(profile), str(instance), place]
                  for name, profile, instance, place in zip(names, (9, 14, 19), IDS, PLACEMENTS)]
        self.assertEqual(sorted(instances), sorted(wanted))
        compute = rows(self.smi(smi, "mig", "-lci"))
        wanted = [["0", str(instance), "MIG", name, str(profile), "0", f"0:{size}"]
                  for instance, name, profile, size in zip(IDS, names, COMPUTE_PROFILES, (3, 2, 1))]
        self.assertEqual(sorted(compute), sorted(wanted))
        devices = re.findall(r"^  MIG (\S+)\s+Device\s+(\d): \(UUID: (MIG-[0-9a-f-]{36})\)$", self.smi(smi, "-L"), re.M)
        self.assertEqual([device[:2] for device in devices], [(name, str(i)) for i, name in enumerate(names)])
        self.assertEqual(len({device[2] for device in devices}), 3)
        table = re.findall(r"^\|  0 +(\d+)   (\d)   (\d)  \| +(\d+)MiB / +(\d+)MiB", self.smi(smi), re.M)
        self.assertEqual([row[:3] for row in table], [(str(i), "0", str(n)) for n, i in enumerate(IDS)])
        self.assertEqual(self.smi(smi, "-q").count("MIG Device"), 3)

    def refusals(self, smi: Path) -> None:
        text = self.smi(smi, "mig", "-cgi", "9", code=23)
        self.assertIn("Unable to create a GPU instance on GPU  0 using profile 9: Insufficient Resources", text)
        self.assertIn("Failed to create GPU instances: Insufficient Resources", text)
        self.assertIn("In use by another client", self.smi(smi, "mig", "-dgi", code=19))
        self.assertIn("MIG mode is in pending disable state for GPU", self.smi(smi, "-mig", "0"))
        self.smi(smi, "-mig", "1")
        # nvidia-smi looks for a MIG UUID among the GPUs, and finds none.
        uuid = re.search(r"MIG-[0-9a-f-]{36}", self.smi(smi, "-L")).group()
        self.assertIn("No devices were found", self.smi(smi, "-q", "-i", uuid, code=6))

    def destroy(self, smi: Path) -> None:
        text = self.smi(smi, "mig", "-dci")
        for instance in IDS:
            self.assertRegex(text, rf"Successfully destroyed compute instance ID  0 from GPU  0 GPU instance ID +{instance}\n")
        text = self.smi(smi, "mig", "-dgi")
        for instance in IDS:
            self.assertRegex(text, rf"Successfully destroyed GPU instance ID +{instance} from GPU  0\n")

    def test_compute_profiles(self) -> None:
        for smi in self.on_every_branch("a100", gpus=1):
            self.smi(smi, "-mig", "1")
            self.smi(smi, "mig", "-cgi", "5")
            self.assertEqual(
                [" ".join(row) for row in rows(self.smi(smi, "mig", "-lcip"))],
                ["0 1 MIG 1c.4g.20gb 0 4/4 14 2 0 0 4 0",
                 "0 1 MIG 2c.4g.20gb 1 2/2 28 2 0 0 4 0",
                 "0 1 MIG 4g.20gb 3 * 1/1 56 2 0 0 4 0"],
            )
            self.smi(smi, "mig", "-gi", "1", "-cci", "0,0")
            self.assertEqual([row[4:] for row in rows(self.smi(smi, "mig", "-lci"))], [["0", "0", "0:1"], ["0", "1", "1:1"]])

    # The layout of the capture of an H200: a GPU instance of two compute instances, and others beside it.
    def test_layout_of_an_h200(self) -> None:
        machine = self.folder / "h200.yaml"
        machine.write_text(
            "base: h200\ndevice_defaults:\n  mig:\n    mode_current: enabled\n    instances:\n"
            "      - {profile: 3g.71gb, compute_instances: [{profile: 1c.3g.71gb}, {profile: 2c.3g.71gb}]}\n"
            "      - {profile: 2g.35gb}\n      - {profile: 1g.18gb}\n      - {profile: 1g.18gb}\n"
        )
        wanted = [  # GI, CI, device, used MiB, MiB, SM, ECC, CE, ENC, DEC, OFA, JPG
            (2, 0, 0, 22, 71424, 16, 0, 3, 0, 3, 0, 3),
            (2, 1, 1, 32, 0, 3, 0, 3, 0, 3),  # before 580 nvidia-smi prints shared memory once
            (3, 0, 2, 17, 33280, 32, 0, 2, 0, 2, 0, 2),
            (9, 0, 3, 9, 16384, 16, 0, 1, 0, 1, 0, 1),
            (10, 0, 4, 9, 16384, 16, 0, 1, 0, 1, 0, 1),
        ]
        bar1 = [59237, 29618, 14809, 14809]
        for branch, smi in SMI.items():
            self.up(machine, 1)
            text = self.smi(smi)
            found = [tuple(int(word) for word in re.findall(r"\d+", line))
                     for line in re.findall(r"^\|  0 +\d+   \d   \d  \|.*$", text, re.M)]
            cut = branch == "535"  # it cuts MiB where later versions round
            found = [(*row[1:4], row[4] + cut, *row[5:]) if len(row) == 13 else row[1:] for row in found]
            self.assertEqual(found, wanted, branch)
            self.assertEqual([int(size) for size in re.findall(r"^\|                  \| +0MiB / +(\d+)MiB", text, re.M)], bar1)
            self.assertRegex(text, r" 55MiB / +14377\S+ \|     N/A      Default")
            listed = re.findall(r"^  MIG (\S+)\s+Device\s+(\d):", self.smi(smi, "-L"), re.M)
            self.assertEqual([name for name, _ in listed], ["1c.3g.71gb", "2c.3g.71gb", "2g.35gb", "1g.18gb", "1g.18gb"])

    # What somebody did with an A30, command by command.
    def test_captured_life_of_an_a30(self) -> None:
        for smi in self.on_every_branch("a30", gpus=1):
            self.smi(smi, "-mig", "1")
            self.assertEqual(
                self.smi(smi, "mig", "-lgipp").splitlines(),
                ["GPU  0 Profile ID 14 Placements: {0,1,2,3}:1", "GPU  0 Profile ID 21 Placements: {0,1,2,3}:1",
                 "GPU  0 Profile ID  5 Placements: {0,2}:2", "GPU  0 Profile ID  6 Placements: {0,2}:2",
                 "GPU  0 Profile ID  0 Placement : {0}:4"],
            )
            self.assertEqual(
                [" ".join(row[2:]) for row in rows(self.smi(smi, "mig", "-lgip"))],
                ["1g.6gb 14 4/4 5.81 No 14 1 0 1 0 0", "1g.6gb+me 21 1/1 5.81 No 14 1 0 1 1 1",
                 "2g.12gb 5 2/2 11.69 No 28 2 0 2 0 0", "2g.12gb+me 6 1/1 11.69 No 28 2 0 2 1 1",
                 "4g.24gb 0 1/1 23.44 No 56 4 0 4 1 1"],
            )
            for profile, instance in (("14", 3), ("14", 4), ("5", 2)):
                self.assertIn(f"GPU instance ID  {instance} on GPU  0", self.smi(smi, "mig", "-cgi", profile, "-C"))
            self.assertEqual(
                [" ".join(row[2:]) for row in rows(self.smi(smi, "mig", "-lgi"))],
                ["1g.6gb 14 3 0:1", "1g.6gb 14 4 1:1", "2g.12gb 5 2 2:2"],
            )
            self.assertEqual(
                [" ".join(row[2:]) for row in rows(self.smi(smi, "mig", "-lcip", "-gi", "2"))],
                ["MIG 1c.2g.12gb 0 0/2 14 2 0 0 2 0", "MIG 2g.12gb 1 * 0/1 28 2 0 0 2 0"],
            )
            listed = re.findall(r"^  MIG (\S+)\s+Device\s+(\d):", self.smi(smi, "-L"), re.M)
            self.assertEqual(listed, [("2g.12gb", "0"), ("1g.6gb", "1"), ("1g.6gb", "2")])
            table = re.sub(r" +", " ", self.smi(smi))
            # 535 cuts MiB where later versions round up: captures of 535.183.01 and of 550.90.07.
            all_of_it, half, small = (50, 25, 12) if smi == SMI.get("535") else (51, 26, 13)
            for line in (rf"{all_of_it}MiB / 24576MiB", rf"| 0 2 0 0 | {half}MiB / 11968MiB | 28 0 | 2 0 2 0 0 |",
                         rf"| 0 3 0 1 | {small}MiB / 5952MiB | 14 0 | 1 0 1 0 0 |", r"0MiB / 16383MiB", r"0MiB / 8191MiB"):
                self.assertIn(line, table)

    # nvidia-smi knows the kinds of profiles of its time; those with graphics, with all media engines and without any are newer.
    def test_profiles_of_an_rtx_pro_6000(self) -> None:
        for smi in self.on_every_branch("rtxpro6000", gpus=1):
            self.smi(smi, "-mig", "1")
            self.assertEqual(
                [" ".join(row[2:]) for row in rows(self.smi(smi, "mig", "-lgip"))],
                ["1g.24gb 14 4/4 23.62 No 46 1 1 1 1 0", "1g.24gb+me 21 1/1 23.62 No 46 1 1 1 1 1",
                 "2g.48gb 5 2/2 47.38 No 94 2 2 2 2 0", "4g.96gb 0 1/1 95.00 No 188 4 4 4 4 1"],
            )
            self.assertIn("Profile ID  5 Placements: {0,6}:6", self.smi(smi, "mig", "-lgipp"))
            self.assertIn("GPU instance ID  3 on GPU  0 using profile MIG 1g.24gb", self.smi(smi, "mig", "-cgi", "14", "-C"))
            self.assertRegex(self.smi(smi), r"64MiB / 24192MiB +\| 46 ")

    def test_processes(self) -> None:
        machine = self.folder / "busy.yaml"
        machine.write_text(
            "base: h100\ndevice_defaults:\n  mig:\n    mode_current: enabled\n"
            "    instances: [{profile: 3g.40gb, start: 4}, {profile: 1g.10gb}]\n"
            "  processes: [{pid: 7, name: trainer, gpu_instance: 2, used_memory_mib: 100}]\n"
        )
        for branch, smi in SMI.items():
            self.up(machine, 1)
            self.assertRegex(self.smi(smi), r"\|    0    2    0          7      C   trainer +100MiB \|", branch)


if __name__ == "__main__":
    unittest.main(verbosity=2)
