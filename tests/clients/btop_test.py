#!/usr/bin/env python3
"""btop of a newer suite, started through the loader of that suite: the panels of the first four GPUs on a terminal.

Of a GPU without utilization, as in MIG mode, it leaves the line with the temperature out; of a lost GPU it shows an empty panel."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from clients import unpacked
from scenes import Gpu, Looks, Machine
from terminal import screen_of

BTOP = unpacked("trixie", "usr/bin/btop")
LIBRARIES = unpacked("trixie", "usr/lib/x86_64-linux-gnu")
PANELS = 4


def panels(screen: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for part in re.split(r"(?=╭─┐.gpu\d┌)", screen):
        if head := re.match(r"╭─┐.gpu(\d)┌", part):
            found[int(head[1])] = part
    return found


def screen(machine: Machine, count: int) -> str:
    environment = machine.environment
    settings = Path(environment["XDG_CONFIG_HOME"], "btop")
    settings.mkdir(parents=True)
    boxes = " ".join(f"gpu{index}" for index in range(count))
    Path(settings, "btop.conf").write_text(f'#? Config for btop v. 1.3.2\nshown_boxes = "{boxes}"\nupdate_ms = 500\n')
    path = f"{environment.pop('LD_LIBRARY_PATH')}:{LIBRARIES}"
    loader = str(LIBRARIES / "ld-linux-x86-64.so.2")
    living = sum(not gpu.lost for gpu in machine.gpus[:count])
    complete = lambda text: text.count("PWR") == text.count("Total:") == living and len(panels(text)) == count
    return screen_of([loader, "--library-path", path, str(BTOP), "--utf-force"], environment, 120, 15 * count, complete)


def look_at(looks: Looks, gpu: Gpu, panel: str) -> None:
    if gpu.lost:
        return looks.equal(f"GPU {gpu.index}", "Mhz" in panel or "PWR" in panel, False)
    head = re.search(r"│ +│?.*╭─┐(.+?)┌─+┐(\d+) Mhz", panel)
    power = re.search(r"PWR .*?(\d+)W P-state: +P\d", panel)
    total = re.search(r"Total: +([\d.]+) GiB", panel)
    if not head or not power or not total:
        return looks.equal(f"GPU {gpu.index}", panel, "its lines")
    looks.equal(f"GPU {gpu.index} name", "NVIDIA " in gpu.name and "NVIDIA " + head[1] or head[1], gpu.name)
    looks.equal(f"GPU {gpu.index} graphics clock", int(head[2]), gpu.model["clocks"]["graphics_current"])
    looks.gpu(gpu, watts=int(power[1]))
    looks.equal(f"GPU {gpu.index} memory", abs(float(total[1]) * 1024 / gpu.total_mib - 1) < 0.01, True)
    use = re.search(r"GPU .*? (\d+)% .*? (\d+)°C", panel)
    looks.gpu(gpu, used_percent=int(use[1]) if use else None)
    if not gpu.mig:
        looks.gpu(gpu, celsius=int(use[2]) if use else None)


def main() -> int:
    looks = Looks("btop")
    for machine in looks.machines():
        count = min(len(machine.gpus), PANELS)
        found = panels(screen(machine, count))
        looks.equal("panels", sorted(found), list(range(count)))
        for gpu in machine.gpus[:count]:
            look_at(looks, gpu, found.get(gpu.index, ""))
    return looks.end("four panels each")


if __name__ == "__main__":
    sys.exit(main())
