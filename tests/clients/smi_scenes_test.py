#!/usr/bin/env python3
"""nvidia-smi, each version, on the machines on which other programs are looked at: its list, its table and its query."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from clients import available_smi
from scenes import Gpu, Looks, Machine

QUERY = (
    "index,name,uuid,pci.bus_id,temperature.gpu,power.draw,power.limit,utilization.gpu,memory.total,memory.used,"
    "mig.mode.current,fan.speed"
)
LOST = 15  # nvidia-smi's exit status, and NVML's error


def number(cell: str) -> float | None:
    return None if cell.startswith("[") else float(cell)


def look_at(looks: Looks, gpu: Gpu, cells: list[str]) -> None:
    index, name, uuid, bus_id, celsius, watts, limit, used, total, memory, mig, fan = cells
    looks.gpu(gpu, index=int(index), name=name, uuid=uuid, bus_id=bus_id, celsius=number(celsius), watts=int(number(watts) or 0))
    looks.gpu(gpu, limit_watts=int(number(limit) or 0), used_percent=number(used), total_mib=number(total), mig=mig == "Enabled")
    looks.gpu(gpu, fan_percent=number(fan))
    if not gpu.mig:
        looks.gpu(gpu, used_mib=number(memory))


def look_at_list(looks: Looks, machine: Machine, text: str) -> None:
    looks.equal("list", re.findall(r"^GPU (\d+): (.*) \(UUID: (GPU-[^)]*)\)$", text, re.M),
                [(str(gpu.index), gpu.name, gpu.uuid) for gpu in machine.usable])  # fmt: skip
    devices = re.findall(r"^  MIG (\S+) +Device +\d+: \(UUID: MIG-", text, re.M)
    looks.equal("MIG devices", devices, [name for gpu in machine.usable for name in gpu.mig_devices])


def look_at_table(looks: Looks, machine: Machine, text: str) -> None:
    rows = re.findall(r"^\| *\S+ +(\d+)C +P\d+ +(\d+)W / +(\d+)(W|\.\.\.) \|", text, re.M)
    looks.equal("table", len(rows), len(machine.usable))
    for gpu, (celsius, watts, limit, unit) in zip(machine.usable, rows):
        looks.gpu(gpu, celsius=int(celsius), watts=int(watts))
        if unit == "W":
            looks.gpu(gpu, limit_watts=int(limit))
        else:  # 535 has no room for four digits
            looks.equal(f"GPU {gpu.index} limit", str(gpu.limit_watts).startswith(limit), True)


def check(looks: Looks, machine: Machine, smi: Path) -> None:
    lost = machine.usable != machine.gpus
    listed = machine.run([smi, "-L"])
    looks.equal("end of -L", listed.code, LOST if lost else 0)
    look_at_list(looks, machine, listed.text)
    table = machine.run([smi])
    if lost:  # of a machine with a lost GPU it shows no table
        looks.equal("loss", "GPU is lost" in table.text, True)
        table = machine.run([smi, "-i", ",".join(str(gpu.index) for gpu in machine.usable)])
    look_at_table(looks, machine, table.text)
    usable = ",".join(str(gpu.index) for gpu in machine.usable)
    queried = machine.run([smi, "-i", usable, f"--query-gpu={QUERY}", "--format=csv,noheader,nounits"])
    rows = [line.split(", ") for line in queried.text.splitlines()]
    looks.equal("rows", [len(row) for row in rows], [QUERY.count(",") + 1] * len(machine.usable))
    for gpu, row in zip(machine.usable, rows):
        look_at(looks, gpu, row)
    apps = machine.run([smi, "-i", usable, "--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits"])
    running = [f"{gpu.uuid}, {pid}, {mib}" for gpu in machine.usable for pid, mib in gpu.processes]
    looks.equal("processes", apps.text.splitlines(), running)


def main() -> int:
    wrong = 0
    for branch, smi in available_smi().items():
        looks = Looks(f"nvidia-smi {branch}")
        for machine in looks.machines():
            check(looks, machine, smi)
        wrong |= looks.end()
    return wrong


if __name__ == "__main__":
    sys.exit(main())
