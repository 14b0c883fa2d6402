#!/usr/bin/env python3
"""hwloc's lstopo with its NVML plugin, which is linked against the library. It demands a handle of every GPU, so that it
gives up on a machine with a lost one."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

from clients import unpacked
from scenes import Looks

LSTOPO = unpacked("bookworm", "usr/bin/lstopo-no-graphics")
LIBRARIES = unpacked("bookworm", "usr/lib/x86_64-linux-gnu")


def main() -> int:
    looks = Looks("hwloc")
    for machine in looks.machines():
        shown = machine.run(
            [LSTOPO, "--of", "xml"], LD_LIBRARY_PATH=str(LIBRARIES), HWLOC_PLUGINS_PATH=str(LIBRARIES / "hwloc")
        )
        if machine.usable != machine.gpus:
            looks.equal("end", "Assertion `ret == NVML_SUCCESS' failed" in shown.text, True)
            continue
        if shown.code != 0:
            looks.equal("end", shown.text[-300:], "")
            continue
        topology = ElementTree.fromstring(shown.text[shown.text.index("<?xml") :])
        found = [entry for entry in topology.iter("object") if entry.get("subtype") == "NVML"]
        looks.equal("devices", [entry.get("name") for entry in found], [f"nvml{gpu.index}" for gpu in machine.gpus])
        for gpu, entry in zip(machine.gpus, found):
            infos = {info.get("name"): info.get("value") for info in entry.iter("info")}
            looks.gpu(gpu, name=infos.get("GPUModel"), uuid=infos.get("NVIDIAUUID"))
            looks.equal(f"GPU {gpu.index} serial", infos.get("NVIDIASerial"), gpu.model["serial"])
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
