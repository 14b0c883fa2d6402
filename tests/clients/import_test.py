#!/usr/bin/env python3
"""What nvidia-smi prints on a machine, it prints again on the machine that `nvmlkit import` makes of it.

Every built-in machine and the machines below go through it, each with one nvidia-smi and one format; --all takes every
nvidia-smi and both formats. Beside -q, the outputs of the other commands that import reads are compared as well."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tempfile
from itertools import cycle
from pathlib import Path

from clients import COMMAND, available_smi, environment, machines

FORMATS = (["-q"], ["-q", "-x"])
BESIDE = (["-L"], ["topo", "-m"], ["nvlink", "-s"], ["mig", "-lgip"], ["mig", "-lgipp"], ["mig", "-lgi"], ["mig", "-lci"])

MACHINES = {
    "mig-a100": """
base: a100
device_defaults:
  mig:
    mode_current: enabled
    instances:
      - {profile: 3g.20gb, compute_instances: [{profile: 1c.3g.20gb}, {profile: 2c.3g.20gb}]}
      - {profile: 2g.10gb}
      - {profile: 1g.5gb}
      - {profile: 1g.5gb+me}
  processes:
    - {pid: 100, name: a, used_memory_mib: 700, gpu_instance: 2}
    - {pid: 101, name: b, used_memory_mib: 11, gpu_instance: 2, compute_instance: 1}
devices:
  - {index: 1, mig: {mode_current: disabled, mode_pending: enabled, instances: []}, processes: [{pid: 7, name: x}]}
  - {index: 2, mig: {instances: []}, processes: []}
  - {index: 3, processes: [], mig: {instances: [{profile: 4g.20gb}, {profile: 2g.10gb}, {profile: 1g.10gb}]}}
  - index: 4
    processes: []
    mig: {instances: [{profile: 7g.40gb, compute_instances: [{profile: 2c.7g.40gb}, {profile: 3c.7g.40gb}]}]}
  - {index: 5, processes: [], mig: {upper_half_first: true, instances: [{profile: 4g.20gb}, {profile: 3g.20gb}]}}
""",
    "mig-h100": """
base: h100
device_defaults:
  mig:
    mode_current: enabled
    instances:
      - {profile: 3g.40gb, compute_instances: [{profile: 1c.3g.40gb}, {profile: 2c.3g.40gb}]}
      - {profile: 1g.20gb}
      - {profile: 1g.10gb+me, sram_uncorrectable: 3}
devices:
  - {index: 1, mig: {instances: [{profile: 7g.80gb}]}}
  - index: 2
    mig:
      instances:
        - {profile: 4g.40gb, compute_instances: [{profile: 1c.4g.40gb, wide: true}, {profile: 2c.4g.40gb}]}
        - {profile: 3g.40gb, compute_instances: [{profile: 1c.3g.40gb, id: 4}]}
""",
    "mig-a30": "base: a30\ndevice_defaults: {mig: {mode_current: enabled, instances: [{profile: 2g.12gb}, {profile: 1g.6gb+me}]}}",
    "mig-rtxpro6000": "base: rtxpro6000\n"
    "device_defaults: {mig: {mode_current: enabled, instances: [{profile: 2g.48gb}, {profile: 1g.24gb+gfx}]}}",
    "vgpu-host": "base: a10\ndevice_defaults: {virtualization: {mode: host_vgpu, host_vgpu_mode: sriov}}",
    "vgpu-guest": """
base: a10
device_defaults:
  virtualization: {mode: vgpu}
  grid_license: {product: NVIDIA RTX Virtual Workstation, expiry: 1800000000}
""",
    "lost": "base: h100\ndevices: [{index: 3, failure: {mode: lost}}]",
    "processes": """
base: l40s
device_defaults:
  processes:
    - {pid: 1, type: G, name: /usr/lib/xorg/Xorg, used_memory_mib: 100}
    - {pid: 2, type: C+G, name: "a b: c", used_memory_mib: 3}
    - {pid: 3, type: M+C, name: m, used_memory_mib: 4}
    - {pid: 5, name: 'ü"\\x'}
devices: [{index: 1, processes: []}]
""",
    "mixed": """
base: t4
system: {num_devices: 4}
devices:
  - {index: 1, name: NVIDIA L4, architecture: ada, brand: nvidia}
  - {index: 2, name: Tesla V100-SXM2-32GB, architecture: volta, memory: {total_bytes: 34359738368}}
  - {index: 3, name: Some GPU, architecture: maxwell, brand: geforce, ecc: {mode_current: N/A, mode_pending: N/A}, power: N/A}
""",
    "errors": """
base: v100
device_defaults:
  multi_gpu_board: true
  bridge_chips: [{type: plx, firmware_version: 305419896}]
  retired_pages:
    supported: true
    single_bit_retirement: {count: 2, addresses: [0x1234, 0x5678]}
    double_bit_retirement: {count: 1, addresses: [0x99]}
    pending_retirement: true
  ecc: {errors: {volatile: {single_bit: {device_memory: 7}}, aggregate: {double_bit: {l2_cache: 3}}}}
  clocks_throttle_reasons: {supported: 0x4d, sw_power_cap: true}
  clocks: {auto_boost: enabled, auto_boost_default: disabled}
  reset_status: {required: true}
""",
    "16-gpus": "base: l4\nsystem: {num_devices: 16}",
    "64-gpus": "base: t4\nsystem: {num_devices: 64}",
}

# Of a lost GPU nvidia-smi prints power limits that it never asked for.
LOST = re.compile(r"Power Limit|_power_limit>")


def output(smi: Path, machine: str, command: list[str]) -> str:
    done = subprocess.run([smi, *command], env={**environment(machine), "TZ": "UTC"}, capture_output=True, text=True)
    return done.stdout


def lines(text: str, lost: bool) -> list[str]:
    return [line for line in text.splitlines() if "imestamp  " not in line and "<timestamp>" not in line
            and not (lost and LOST.search(line))]


class Check:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = self.lines = self.differ = 0

    def round_trip(self, name: str, machine: str, smi: Path, commands: list[list[str]]) -> None:
        printed = [output(smi, machine, command) for command in commands]
        report, imported = self.folder / "report.txt", self.folder / "imported.yaml"
        report.write_text("\n".join(printed))
        done = subprocess.run([COMMAND, "import", report, "-o", imported], capture_output=True, text=True)
        self.runs += 1
        if done.returncode != 0:
            self.differ += 1
            return print(f"FAIL {name}: {done.stderr.strip()}")
        for command, before in zip(commands, printed):
            theirs = lines(before, name == "lost")
            ours = lines(output(smi, str(imported), command), name == "lost")
            self.lines += len(theirs)
            changes = [line for line in difflib.ndiff(theirs, ours) if line[:2] in ("- ", "+ ")] if theirs != ours else []
            self.differ += len(changes)
            for line in changes[:8]:
                print(f"FAIL {name}, nvidia-smi {' '.join(command)}: {line}")


def main() -> int:
    smis = available_smi()
    everything = "--all" in sys.argv[1:]
    combinations = [(smi, form) for form in FORMATS for smi in smis.values()]
    turn = cycle(combinations)
    with tempfile.TemporaryDirectory() as scratch:
        check = Check(Path(scratch))
        given = {machine["name"]: machine["name"] for machine in machines()}
        for name, text in MACHINES.items():
            path = Path(scratch) / f"{name}.yaml"
            path.write_text('version: "1.0"\n' + text.strip() + "\n")
            given[name] = str(path)
        for name, machine in given.items():
            for smi, form in combinations if everything else [next(turn)]:
                check.round_trip(name, machine, smi, [form])
        for name in given if everything else ("dgx-h100", "v100", "mig-a100", "mig-h100", "mig-a30"):
            check.round_trip(name, given[name], list(smis.values())[-1], [["-q"], *BESIDE])
        print(f"import round trip: {len(given)} machines, {check.runs} runs, {check.lines} lines, {check.differ} differ")
    return 1 if check.differ else 0


if __name__ == "__main__":
    sys.exit(main())
