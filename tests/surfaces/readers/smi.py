"""nvidia-smi: what -q, -L and nvlink -s print."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# Of the moment, not of the machine.
MOVING = re.compile(r"^(Timestamp|.*/Tx Throughput|.*/Rx Throughput)$")


def sections(text: str, places: dict[str, int]) -> dict[str, str]:
    """The log as path and value; texts that belong to no path are values of the GPU itself."""
    out: dict[str, str] = {}
    gpu, path = "", []
    for line in text.splitlines():
        if match := re.match(r"GPU ([0-9A-Fa-f:.]+)$", line):
            gpu, path = f"gpu{places.get(match[1].lower(), '?')}", []
            out[gpu] = "shown"
            continue
        if not line.strip() or line.startswith("====="):
            continue
        if line == "    MIG Device":
            line += f" {sum(key.endswith('/Index') and key.startswith(f'{gpu} MIG Device') for key in out)}"
        depth = (len(line) - len(line.lstrip())) // 4
        name, separator, value = (part.strip() for part in line.partition(" : "))
        path = [*path[: max(depth - 1, 0)], name]
        key = f"{gpu} {'/'.join(path)}".strip()
        if separator and not MOVING.match("/".join(path)) and name != "Timestamp":
            out[key] = value
    return out


def read(program: Path, environment: dict[str, str], bus_ids: list[str]) -> dict[str, str]:
    places = {bus_id: place for place, bus_id in enumerate(bus_ids)}

    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([program, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    code, text = run("-q")
    out = {"status of -q": str(code), **sections(text, places)}
    if code != 0:
        out = {key: value for key, value in out.items() if not key.startswith("gpu")}
        told = [line for line in text.splitlines() if line and not re.match(r"[ =]|Timestamp|Driver|CUDA|Attached|GPU 0", line)]
        for bus_id, place in places.items():
            told = [re.sub(re.escape(bus_id), f" gpu{place}", line, flags=re.I) for line in told]
        out["message"] = " ".join(told)
    code, text = run("-L")
    out["status of -L"] = str(code)
    for line in text.splitlines():
        for bus_id, place in places.items():
            line = re.sub(re.escape(bus_id), f"gpu{place}", line, flags=re.I)
        if match := re.match(r"(GPU \d+): .*\(UUID: (.*)\)", line):
            out[f"-L {match[2]}"] = match[1]
        elif match := re.match(r"  (MIG .*): \(UUID: (.*)\)", line):
            out[f"-L {match[2]}"] = re.sub(" +", " ", match[1])
        elif line and code == 0:
            out[f"-L {line}"] = "printed"
    if out["status of -q"] != "0":
        return out
    _, text = run("nvlink", "-s")
    gpu = ""
    for line in text.splitlines():
        if match := re.search(r"UUID: ([^)]*)", line):
            gpu = match[1]
        elif match := re.match(r"\s+Link (\d+): (.*)", line):
            out[f"{gpu} nvlink -s/link {match[1]}"] = match[2]
    return out
