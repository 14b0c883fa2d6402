#!/usr/bin/env python3
"""nvidia-debugdump: what it lists. It goes through two tables of private functions and stops at a lost GPU."""

from __future__ import annotations

import re
import sys

from clients import unpacked
from scenes import Looks

DEBUGDUMP = unpacked("bookworm", "usr/lib/nvidia/current/nvidia-debugdump")


def main() -> int:
    looks = Looks("nvidia-debugdump")
    for machine in looks.machines():
        shown = machine.run([DEBUGDUMP, "--list"])
        looks.equal("end", shown.code, 0)
        looks.equal("count", re.findall(r"^Found (\d+) NVIDIA devices$", shown.text, re.M), [str(len(machine.gpus))])
        found = re.findall(r"Device ID: +(\d+)\n\s*Device name: +(.*)\n\s*GPU internal ID: +(.*)\n", shown.text)
        lost = next((gpu.index for gpu in machine.gpus if gpu.lost), None)
        looks.equal("devices", [int(index) for index, *_ in found], [gpu.index for gpu in machine.gpus][:lost])
        looks.equal("lost", "nvmlDeviceGetHandleByIndex(): GPU is lost" in shown.text, lost is not None)
        for gpu, (_, name, serial) in zip(machine.gpus, found):
            looks.gpu(gpu, name=name)
            # Where there is no serial number, it shows the UUID.
            looks.equal(f"GPU {gpu.index} internal id", serial, gpu.model["serial"] or gpu.uuid)
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
