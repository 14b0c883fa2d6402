#!/usr/bin/env python3
"""answers_page.py ROOT ANSWERS [--write]: docs/reference/gpus.md, which function answers on which GPU and why not.

ANSWERS asks every function on the built-in machines. Without --write the page is compared with what they answer now."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SUCCESS, INVALID_ARGUMENT, NOT_SUPPORTED = 0, 2, 3
HOST = "device_defaults: {virtualization: {mode: host_vgpu}}"
MIG = "device_defaults: {mig: {mode_current: enabled, instances: [{profile: 1g.10gb}]}}"
# heading of the column, machine, what is added to it
COLUMNS = [
    ("Volta V100", "v100", ""),
    ("Turing T4", "t4", ""),
    ("Ampere A10", "a10", ""),
    ("Ampere A100", "a100", ""),
    ("Ada L40S", "l40s", ""),
    ("Ada RTX 4090", "rtx4090", ""),
    ("Hopper H100", "h100", ""),
    ("Blackwell B200", "b200", ""),
    ("Blackwell RTX PRO 6000", "rtxpro6000", ""),
    ("Integrated, Thor", "thor", ""),
    ("Rubin VR200", "vr200", ""),
    ("L40S, vGPU host", "l40s", HOST),
    ("H100, MIG mode", "h100", MIG),
    ("H100, MIG device", "mig", MIG),
]
HEAD = """<!-- Made by tests/contract/answers_page.py --write. Do not edit. -->
# Which function answers on which GPU

The result of every function that takes a GPU, on built-in machines, from calls of the driver library. *yes*: the function works, or
refuses only these arguments; –: Not Supported; *invalid*: it accepts no MIG device. *Depends on* is the first architecture with the
function, or the fields of the machine that it reads: a GPU without them does not support it. A machine file can add fields to a GPU;
the columns do not show that. `nvmlkit caps` prints such a list for any machine, and for a real driver. [What is
simulated](simulated.md) covers functions that take no GPU, field ids and GPM metrics.
"""


def ask(answers: str, machine: str, more: str) -> dict[str, int]:
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        mig = machine == "mig"
        file.write(f"base: {'h100' if mig else machine}\nsystem: {{enforce_privilege: false, num_devices: 2}}\n{more}\n")
        file.flush()
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_"))}
        done = subprocess.run(
            [answers] + (["mig"] if mig else []),
            env={**clean, "NVMLKIT_MACHINE": file.name, "NVMLKIT_TIME": "virtual"},
            check=True, capture_output=True, text=True, timeout=300,
        )
    return {name: int(result) for name, result in (line.split("\t") for line in done.stdout.splitlines())}


def word(result: int, mig: bool) -> str:
    if result == NOT_SUPPORTED:
        return "–"
    return "invalid" if mig and result == INVALID_ARGUMENT else "yes"


def page(root: Path, answers: str) -> str:
    told = [ask(answers, machine, more) for _, machine, more in COLUMNS]
    out = [HEAD]
    heading = ""
    seen = 0
    for line in (root / "docs/reference/simulated.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## ") and seen:
            break
        if line.startswith("### "):
            heading = line[4:]
        row = re.match(r"\| `(\w+)` \| (.*?) \| (.*?) \|", line)
        if not row or row[1] not in told[0]:
            continue
        if heading:
            columns = " | ".join(column for column, _, _ in COLUMNS)
            out.append(f"\n## {heading}\n\n| function | {columns} | depends on |\n|{'---|' * (len(COLUMNS) + 2)}")
            heading = ""
        cells = [word(result[row[1]], machine == "mig") for result, (_, machine, _) in zip(told, COLUMNS)]
        why = f"from {row[2]}; " if row[2] and "–" in cells else ""
        why += row[3].split("; sets")[0] if "–" in cells else ""
        out.append(f"| `{row[1]}` | {' | '.join(cells)} | {why.rstrip('; ')} |")
        seen += 1
    missing = len(told[0]) - seen
    if missing:
        sys.exit(f"docs/reference/simulated.md lacks {missing} of {len(told[0])} functions")
    return "\n".join(out) + "\n"


def main() -> int:
    root, answers = Path(sys.argv[1]), sys.argv[2]
    file = root / "docs/reference/gpus.md"
    text = page(root, answers)
    if "--write" in sys.argv:
        file.write_text(text, encoding="utf-8")
        return 0
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        print(f"{file} is not what the driver answers; make it anew: {sys.argv[0]} {root} {answers} --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
