#!/usr/bin/env python3
"""nvitop of a newer suite, with the pynvml of that suite: its table, MIG devices included."""

from __future__ import annotations

import re
import subprocess
import sys

from clients import skip, unpacked
from scenes import Gpu, Looks

MODULES = unpacked("trixie", "usr/lib/python3/dist-packages")
PYTHON = "/usr/bin/python3"
SIZE = r"([\d.]+(?:B|[KMGT]iB))"


def mebibytes(text: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()
    return float(number) * {"B": 1 / (1 << 20), "KiB": 1 / 1024, "MiB": 1, "GiB": 1024, "TiB": 1 << 20}[unit]


def look_at(looks: Looks, gpu: Gpu, head: str, body: str) -> None:
    if gpu.lost:
        return looks.equal(f"GPU {gpu.index}", "ERROR: GPU is Lost" in head, True)
    looks.equal(f"GPU {gpu.index} name", gpu.name.removeprefix("NVIDIA ").startswith(head[6:23].strip().rstrip(".")), True)
    looks.equal(f"GPU {gpu.index} bus id", gpu.bus_id.upper() in head.upper(), True)
    shown = re.search(rf"(N/A|\d+%) +(\d+)C +P\d+ +(\d+)W / +(\d+)W . +{SIZE} / +{SIZE} . +(N/A|\d+%)", body)
    if not shown:
        return looks.equal(f"GPU {gpu.index}", body, "its second line")
    looks.gpu(gpu, fan_percent=None if shown[1] == "N/A" else int(shown[1][:-1]), celsius=int(shown[2]))
    looks.gpu(gpu, watts=int(shown[3]), limit_watts=int(shown[4]))
    looks.gpu(gpu, used_percent=None if shown[7] == "N/A" else int(shown[7][:-1]))
    if not gpu.mig:
        looks.equal(f"GPU {gpu.index} used memory", round(mebibytes(shown[5])), gpu.used_mib)
    looks.equal(f"GPU {gpu.index} memory", abs(mebibytes(shown[6]) / gpu.total_mib - 1) < 0.001, True)


def main() -> int:
    if subprocess.run([PYTHON, "-c", "import psutil"], capture_output=True).returncode:
        skip("nvitop needs python3-psutil (scripts/setup installs it with gpustat)")
    looks = Looks("nvitop")
    mig_devices = 0
    for machine in looks.machines():
        shown = machine.run([PYTHON, "-m", "nvitop", "--once"], PYTHONPATH=str(MODULES))
        table, _, running = shown.text.partition("Processes:")
        lines = table.splitlines()
        rows = {int(line[1:6]): number for number, line in enumerate(lines) if re.match(r"│ +\d+ +\S", line)}
        looks.equal("end", (shown.code, sorted(rows)), (0, [gpu.index for gpu in machine.gpus]))
        for gpu in machine.gpus:
            if gpu.index in rows:
                look_at(looks, gpu, lines[rows[gpu.index]], lines[rows[gpu.index] + 1])
            found = re.findall(rf"^│ {gpu.index}:\d+ +(\S+) @ GI/CI: *\d+/ ?\d+", table, re.M)
            looks.gpu(gpu, mig_devices=found)
            mig_devices += len(found)
        using = re.findall(rf"^│ +(\d+) +(\d+) C +\S+ +{SIZE}", running, re.M)
        looks.equal("processes", [(int(index), int(pid), round(mebibytes(size))) for index, pid, size in using],
                    [(gpu.index, pid, mib) for gpu in machine.usable for pid, mib in gpu.processes])  # fmt: skip
    return looks.end(f"{mig_devices} MIG devices")


if __name__ == "__main__":
    sys.exit(main())
