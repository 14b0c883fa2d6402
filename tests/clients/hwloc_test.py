#!/usr/bin/env python3
"""hwloc's lstopo with its NVML plugin, which is linked against the library. It demands a handle of every GPU, so that it
gives up on a machine with a lost one.

In a root of `nvmlkit root` it finds the GPUs where the kernel's files say that they are, and the NVSwitches that their NVLinks lead to."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from clients import Result, unpacked
from scenes import SCENES, Looks, Machine, Scene, nvmlkit

LSTOPO = unpacked("bookworm", "usr/bin/lstopo-no-graphics")
LIBRARIES = unpacked("bookworm", "usr/lib/x86_64-linux-gnu")


def lstopo(machine: Machine, **more: str) -> Result:
    plugins = str(LIBRARIES / "hwloc")
    return machine.run([LSTOPO, "--of", "xml", "--whole-io"], LD_LIBRARY_PATH=str(LIBRARIES), HWLOC_PLUGINS_PATH=plugins, **more)


def topology_of(shown: Result) -> ElementTree.Element:
    return ElementTree.fromstring(shown.text[shown.text.index("<?xml") :])


def look_at_root(looks: Looks, machine: Machine) -> None:
    """Each GPU stands under its PCI address, and its NVLinks lead to the NVSwitches."""
    with tempfile.TemporaryDirectory() as folder:
        nvmlkit("root", Path(folder, "root"), "-m", "dgx-a100")
        topology = topology_of(lstopo(machine, HWLOC_FSROOT=f"{folder}/root", HWLOC_THISSYSTEM="1"))
    places = {entry.get("pci_busid"): [device.get("name") for device in entry if device.get("subtype") == "NVML"]
              for entry in topology.iter("object") if entry.get("type") == "PCIDev"}  # fmt: skip
    for gpu in machine.gpus:
        looks.equal(f"GPU {gpu.index} place", places.get(gpu.bus_id.lower()[4:]), [f"nvml{gpu.index}"])
    bandwidth = next((entry for entry in topology.iter("distances2hetero") if entry.get("name") == "NVLinkBandwidth"), None)
    looks.equal("ends of NVLinks", bandwidth is not None and bandwidth.get("nbobjs"), "14")  # eight GPUs, six NVSwitches


def main() -> int:
    looks = Looks("hwloc", [*SCENES, Scene("DGX A100", "dgx-a100", 8)])
    for machine in looks.machines():
        if machine.scene == "DGX A100":
            look_at_root(looks, machine)
            continue
        shown = lstopo(machine)
        if machine.usable != machine.gpus:
            looks.equal("end", "Assertion `ret == NVML_SUCCESS' failed" in shown.text, True)
            continue
        if shown.code != 0:
            looks.equal("end", shown.text[-300:], "")
            continue
        found = [entry for entry in topology_of(shown).iter("object") if entry.get("subtype") == "NVML"]
        looks.equal("devices", [entry.get("name") for entry in found], [f"nvml{gpu.index}" for gpu in machine.gpus])
        for gpu, entry in zip(machine.gpus, found):
            infos = {info.get("name"): info.get("value") for info in entry.iter("info")}
            looks.gpu(gpu, name=infos.get("GPUModel"), uuid=infos.get("NVIDIAUUID"))
            looks.equal(f"GPU {gpu.index} serial", infos.get("NVIDIASerial"), gpu.model["serial"])
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
