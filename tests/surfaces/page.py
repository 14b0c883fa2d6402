#!/usr/bin/env python3
"""page.py ROOT [--write]: docs/reference/surfaces.md, the table of faults and setters against surfaces.

Without --write the page is compared with the table that the tests surfaces.* check."""

from __future__ import annotations

import sys
from pathlib import Path

from table import GROUPS
from table.row import SURFACES, Row
from words import of_cell

HEAD = """<!-- Made by tests/surfaces/page.py --write. Do not edit. -->
# Where a fault or a setting shows

Each row is one change of GPU 1, or of the whole machine. Each cell names what the surface shows then. A dash means that the
surface shows nothing of the change. Every cell is a test, the dashes too: the tests `surfaces.*` read the whole surface before and
after the change, and compare all differences with `tests/surfaces/table/`. The tests `surfaces.random_*` make random changes, and
hold all surfaces against one another after each. [Broken GPUs](../guides/faults.md) and [setters](../guides/setters.md) explain
the changes.

| column | the test reads |
|---|---|
| NVML | every function that reads a GPU, in a program that starts after the change |
| event | an event set with all events of all GPUs, in a program that started before |
| field ids | `nvmlDeviceGetFieldValues` with every field id |
| nvidia-smi | the output of `nvidia-smi -q`, `-L` and `nvlink -s` (555.58) |
| log | the kernel log, and the fabric manager's log. The lines with UUID and serial number of the GPU are left out |
| `/proc`, `/sys`, `/dev` | the files of the root that `nvmlkit node` keeps |
| CDI | the CDI specification of the node, device by device |
| InfiniBand | `/sys/class/infiniband` of the node |
| DCGM | the calls of NVML that the health checks and policies of DCGM 4.6 make, from its source |
| CUDA | the devices of a program that starts after the change, and a kernel on each |

Faults of network adapters alone change an InfiniBand port.
"""


def line(row: Row) -> str:
    words = row.name.removeprefix("fault ").replace("gpu=1 ", "")
    what = words if row.title and not row.title.startswith("fault ") else f"`{words}`"
    then = f", {row.then.removeprefix('time advance ')} later" if row.then else ""
    cells = " | ".join(of_cell(surface, row.cells.get(surface, {})) for surface in SURFACES)
    return f"| {what}{then} | {row.machine} | {cells} |"


def page() -> str:
    out = [HEAD]
    for title, rows in GROUPS:
        out.append(f"\n## {title}\n\n| change | machine | {' | '.join(SURFACES)} |\n|{'---|' * (len(SURFACES) + 2)}")
        out += [line(row) for row in rows]
    return "\n".join(out) + "\n"


def main() -> int:
    path = Path(sys.argv[1]) / "docs/reference/surfaces.md"
    if "--write" in sys.argv:
        path.write_text(page(), encoding="utf-8")
    elif path.read_text(encoding="utf-8") != page():
        print(f"{path} is not what the table says now; run: python3 tests/surfaces/page.py . --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
