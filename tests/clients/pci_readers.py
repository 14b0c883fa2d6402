"""Programs that read PCI devices below /sys, on a root of `nvmlkit root`: what each of them finds, by address."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from clients import SOURCE

UNPACKED = SOURCE / "build" / "third-party" / "clients" / "bookworm"
LIBRARIES = UNPACKED / "usr/lib/x86_64-linux-gnu"


@dataclass
class Device:
    vendor: int
    device: int
    kind: int  # class and subclass
    driver: str = ""
    numa_node: int = -1
    iommu_group: int = -1
    sizes: dict[int, int] = field(default_factory=dict)  # of the resources, by their place


def number_in(path: Path) -> int:
    return int(path.read_text().strip(), 0)


def resources(text: str) -> dict[int, tuple[int, int, int]]:
    """Start, end and flags of the resources that there are. Any line of another form is an error."""
    found = {}
    for place, line in enumerate(text.strip().split("\n")):
        start, end, flags = (int(word, 0) for word in line.split(" "))
        if end != start:
            found[place] = (start, end, flags)
    return found


def nvpci(root: Path) -> dict[str, Device]:
    """As go-nvlib's nvpci does: devices of NVIDIA and Mellanox. One file that is missing or wrong ends the search."""
    found = {}
    for entry in sorted((root / "sys/bus/pci/devices").iterdir()):
        vendor = number_in(entry / "vendor")
        if vendor not in (0x10DE, 0x15B3):
            continue
        driver, group = entry / "driver", entry / "iommu_group"
        assert not (entry / "physfn").exists()
        read = resources((entry / "resource").read_text())
        found[entry.name] = Device(
            vendor,
            number_in(entry / "device"),
            number_in(entry / "class") >> 8,
            driver.resolve(strict=True).name,
            number_in(entry / "numa_node"),
            int(group.resolve(strict=True).name),
            {place: end - start + 1 for place, (start, end, _) in read.items()},
        )
    return found


def lspci_program() -> Path | None:
    unpacked = UNPACKED / "usr/bin/lspci"
    system = shutil.which("lspci", path="/usr/bin:/usr/sbin:/bin:/sbin")
    return unpacked if unpacked.exists() else Path(system) if system else None


def lspci(root: Path, *options: str) -> str:
    program = lspci_program()
    assert program
    command = [program, "-A", "linux-sysfs", "-O", f"sysfs.path={root}/sys/bus/pci", "-D", *options]
    environment = {"LD_LIBRARY_PATH": str(LIBRARIES)} if program.is_relative_to(UNPACKED) else {}
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, env={"LC_ALL": "C", **environment}, check=True)
    complaints = [line for line in result.stderr.splitlines() if "libkmod" not in line and "pci.ids" not in line]
    assert not complaints, complaints
    return result.stdout


SIZES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def by_lspci(root: Path) -> dict[str, Device]:
    found = {}
    for block in lspci(root, "-vmmnk").strip().split("\n\n"):
        told = dict(re.findall(r"^(\w+):\s*(.*)$", block, re.M))
        found[told["Slot"]] = Device(int(told["Vendor"], 16), int(told["Device"], 16), int(told["Class"], 16),
                                     told.get("Driver", ""), int(told.get("NUMANode", -1)), int(told.get("IOMMUGroup", -1)))  # fmt: skip
    for block in lspci(root, "-vvn").strip().split("\n\n"):
        for place, size, unit in re.findall(r"^\tRegion (\d): .*\[size=(\d+)([KMGT]?)\]$", block, re.M):
            found[block.split(" ", 1)[0]].sizes[int(place)] = int(size) * SIZES[unit]
    return found


def hwloc_program() -> Path | None:
    program = UNPACKED / "usr/bin/lstopo-no-graphics"
    return program if program.exists() else None


def by_hwloc(root: Path) -> dict[str, Device]:
    """hwloc tells neither driver nor resources."""
    program = hwloc_program()
    assert program
    environment = {"LD_LIBRARY_PATH": str(LIBRARIES), "HWLOC_PLUGINS_PATH": str(LIBRARIES / "none"), "HWLOC_FSROOT": str(root),
                   "HWLOC_THISSYSTEM": "1"}  # fmt: skip
    result = subprocess.run([program, "--of", "xml", "--whole-io"], capture_output=True, text=True, timeout=60, env=environment,
                            check=True)  # fmt: skip
    found = {}
    for entry in ElementTree.fromstring(result.stdout[result.stdout.index("<?xml") :]).iter("object"):
        if entry.get("type") == "PCIDev":
            kind, vendor, device = re.match(r"([0-9a-f]{4}) \[([0-9a-f]{4}):([0-9a-f]{4})\]", entry.get("pci_type", "")).groups()
            found[entry.get("pci_busid")] = Device(int(vendor, 16), int(device, 16), int(kind, 16))
    return found
