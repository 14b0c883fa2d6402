#!/usr/bin/env python3
"""pcp's NVIDIA agent, in a pminfo that loads it itself, without a daemon. The agent of this version fills no bus id."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from clients import unpacked
from scenes import MIB, Looks, Machine

UNPACKED = unpacked("bookworm", "usr").parent
AGENT = UNPACKED / "usr/lib/pcp/pmdas/nvidia"
LIBRARIES = f"{UNPACKED}/usr/lib:{UNPACKED}/usr/lib/x86_64-linux-gnu"


def metrics(machine: Machine, configuration: Path, names: Path) -> dict[str, dict[int, str]]:
    """The values of each metric by GPU."""
    pminfo = UNPACKED / "usr/bin/pminfo"
    load = f"add,120,{AGENT}/pmda_nvidia.so,nvidia_init"
    shown = machine.run(
        [pminfo, "-L", "-K", "clear", "-K", load, "-n", names, "-f", "nvidia"],
        LD_LIBRARY_PATH=LIBRARIES, PCP_CONF=str(configuration),
    )  # fmt: skip
    found: dict[str, dict[int, str]] = {}
    name = ""
    for line in shown.text.splitlines():
        if re.fullmatch(r"nvidia\.[\w.]+", line):
            name = line.removeprefix("nvidia.")
            found[name] = {}
        elif value := re.match(r' +inst \[(\d+) or "gpu\d+"\] value "?(.*?)"?$', line):
            found[name][int(value[1])] = value[2]
        elif value := re.match(r" +value (\d+)", line):
            found[name] = {0: value[1]}
    return found


def main() -> int:
    looks = Looks("pcp pmdanvidia")
    with tempfile.TemporaryDirectory() as folder:
        # Where its parts are, and the names of its metrics, which an installation would have put together.
        configuration, names = Path(folder, "pcp.conf"), Path(folder, "names")
        text = (unpacked("bookworm", "etc/pcp.conf")).read_text()
        text = re.sub(r"=(/usr|/etc)", rf"={UNPACKED}\1", text)
        configuration.write_text(re.sub(r"=(/var|/run)", rf"={folder}\1", text))
        names.write_text(f'#define NVML 120\nroot {{ nvidia }}\n#include "{AGENT}/pmns"\n')
        for machine in looks.machines():
            found = metrics(machine, configuration, names)
            looks.equal("cards", found.get("numcards"), {0: str(len(machine.gpus))})
            for gpu in machine.usable:
                value = {name: values.get(gpu.index, "") for name, values in found.items()}
                looks.gpu(gpu, name=value.get("cardname"), uuid=value.get("carduuid"))
                looks.equal(f"GPU {gpu.index} temperature", value.get("temperature"), str(gpu.celsius))
                looks.equal(f"GPU {gpu.index} power", value.get("power"), str(gpu.model["power"]["current_draw_mw"]))
                looks.equal(f"GPU {gpu.index} processes", value.get("nprocs"), str(len(gpu.processes)))
                looks.equal(f"GPU {gpu.index} memory", value.get("memtotal"), str(gpu.model["memory"]["total_bytes"]))
                if not gpu.mig:
                    used = (gpu.used_mib + gpu.reserved_mib) * MIB
                    looks.equal(f"GPU {gpu.index} use", value.get("gpuactive"), str(gpu.used_percent))
                    looks.equal(f"GPU {gpu.index} used memory", abs(int(value.get("memused") or 0) - used) < MIB, True)
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
