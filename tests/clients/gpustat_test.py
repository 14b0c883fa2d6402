#!/usr/bin/env python3
"""gpustat, in text and JSON. This version stops at a lost GPU, and sleeps a tenth of a second for each GPU."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from clients import skip
from scenes import SCENES, Looks

GPUSTAT = ["/usr/bin/python3", "-m", "gpustat"]  # with the Python that Debian's modules belong to


def main() -> int:
    if subprocess.run([*GPUSTAT, "--version"], capture_output=True).returncode:
        skip("gpustat is missing (scripts/setup installs it)")
    looks = Looks("gpustat", [scene for scene in SCENES if scene.gpus < 64])
    pool = ThreadPoolExecutor(2)
    for machine in looks.machines():
        text, told = pool.map(lambda option: machine.run([*GPUSTAT, option]), ("--no-color", "--json"))
        if machine.usable != machine.gpus:
            looks.equal("end", (text.code, "Error on querying NVIDIA devices" in text.text), (1, True))
            continue
        rows = re.findall(r"^\[(\d+)\] (.*?) +\| +(\d+).C, +(\d+|\?\?) % \| +(\d+) / +(\d+) MB", text.text, re.M)
        looks.equal("rows", [int(row[0]) for row in rows], [gpu.index for gpu in machine.gpus])
        objects = json.loads(told.text)["gpus"] if told.code == 0 else []
        looks.equal("objects", [entry["index"] for entry in objects], [gpu.index for gpu in machine.gpus])
        for gpu, row in zip(machine.gpus, rows):
            looks.gpu(gpu, name=row[1], celsius=int(row[2]), total_mib=int(row[5]))
            looks.gpu(gpu, used_percent=None if row[3] == "??" else int(row[3]))
        for gpu, entry in zip(machine.gpus, objects):
            looks.gpu(gpu, name=entry["name"], uuid=entry["uuid"], celsius=entry["temperature.gpu"])
            looks.gpu(gpu, watts=entry["power.draw"], limit_watts=entry["enforced.power.limit"])
            looks.gpu(gpu, used_percent=entry["utilization.gpu"], total_mib=entry["memory.total"])
            looks.gpu(gpu, fan_percent=entry["fan.speed"])
            looks.gpu(gpu, processes=[(process["pid"], process["gpu_memory_usage"]) for process in entry["processes"]])
            if not gpu.mig:  # the plain memory call counts what the driver keeps as used
                looks.equal(f"GPU {gpu.index} memory", entry["memory.used"], gpu.used_mib + gpu.reserved_mib)
    return looks.end()


if __name__ == "__main__":
    sys.exit(main())
