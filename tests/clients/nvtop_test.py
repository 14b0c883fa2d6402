#!/usr/bin/env python3
"""nvtop: its screen on a terminal. It leaves lost GPUs out and numbers the others anew."""

from __future__ import annotations

import re
import sys

from clients import unpacked
from scenes import Gpu, Looks
from terminal import screen_of

NVTOP = unpacked("bookworm", "usr/bin/nvtop")
LIBRARIES = unpacked("bookworm", "usr/lib/x86_64-linux-gnu")
HEAD = re.compile(r"Device (\d+) ?\[(.*?)\] ")


def boxes(screen: str) -> dict[int, tuple[str, str, str]]:
    """Of each device its name and the two lines below its head: they stand side by side."""
    lines, found = screen.split("\n"), {}
    for number, line in enumerate(lines[:-2]):
        heads = list(HEAD.finditer(line))
        for head, following in zip(heads, [*heads[1:], None]):
            span = slice(head.start() - 1, following.start() - 1 if following else None)
            found[int(head[1])] = (head[2], lines[number + 1][span], lines[number + 2][span])
    return found


def gibibytes(mib: float) -> str:
    """As nvtop cuts them to five digits."""
    return f"{mib / 1024:.3f}Gi"


def look_at(looks: Looks, gpu: Gpu, box: tuple[str, str, str]) -> None:
    name, middle, bars = box
    shown = re.search(r"GPU (\d+)MHz.*TEMP +(\d+).C FAN +(N/A|\d+)% POW +(\d+) / +(\d+)", middle)
    used = re.search(r"GPU\[[| ]*?(\d+%|N/A)\].*MEM\[[| ]*([\d.]+Gi)/([\d.]+Gi)", bars)
    if not shown or not used:
        return looks.equal(f"GPU {gpu.index}", (middle, bars), "its lines")
    looks.gpu(gpu, name=name, celsius=int(shown[2]), watts=int(shown[4]), limit_watts=int(shown[5]))
    looks.gpu(gpu, fan_percent=None if shown[3] == "N/A" else int(shown[3]))
    looks.gpu(gpu, used_percent=None if used[1] == "N/A" else int(used[1][:-1]))
    looks.equal(f"GPU {gpu.index} graphics clock", int(shown[1]), gpu.model["clocks"]["graphics_current"])
    looks.equal(f"GPU {gpu.index} memory", used[3], gibibytes(gpu.total_mib))
    if not gpu.mig:  # the plain memory call counts what the driver keeps as used
        looks.equal(f"GPU {gpu.index} used memory", used[2], gibibytes(gpu.used_mib + gpu.reserved_mib))


def main() -> int:
    looks = Looks("nvtop")
    for machine in looks.machines():
        gpus = machine.usable
        columns, rows = (400, 150) if len(gpus) > 8 else (180, 60)
        environment = machine.environment
        environment["LD_LIBRARY_PATH"] += f":{LIBRARIES}"
        complete = lambda screen: len(found := boxes(screen)) >= len(gpus) and all("MEM[" in box[2] for box in found.values())
        screen = screen_of([str(NVTOP)], environment, columns, rows, complete)
        found = boxes(screen)
        looks.equal("devices", sorted(found), list(range(len(gpus))))
        rows = re.findall(r"^ *(\d+) +\S+ +(\d+) +Compute +\S+ +(\d+)MiB", screen, re.M)
        looks.equal("processes", sorted((int(device), int(pid), int(mib)) for pid, device, mib in rows),
                    [(place, pid, mib) for place, gpu in enumerate(gpus) for pid, mib in gpu.processes])  # fmt: skip
        for place, gpu in enumerate(gpus):
            if place in found:
                look_at(looks, gpu, found[place])
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
