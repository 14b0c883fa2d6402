#!/usr/bin/env python3
"""page.py ROOT [--write]: docs/reference/watchers.md is made from the table of faults.py."""

from __future__ import annotations

import sys
from pathlib import Path

sys.dont_write_bytecode = True
from faults import FAULTS  # noqa: E402

from expectation import Expectation, Nothing, Stays  # noqa: E402

WATCHERS = {"nvtop": "nvtop", "gpustat": "gpustat", "top": "`nvmlkit top`", "page": "page", "waiter": "event waiter", "prometheus": "Prometheus"}
HEAD = """# Who shows which fault

The test `clients.watchers` holds this table: six programs watch one machine while a scenario raises and heals each fault. A cell is what
appears in a frame of the program: a value of a GPU (`0 clock < 1500`), a text of its line (`0 lines has LOST`), a new event. A letter is
the reason why the program shows nothing. The machine has driver 615; GPU 0 is an H100 under load, GPU 1 a GeForce RTX 4090, GPU 2 a
Rubin. [Delays](../guides/faults.md#who-shows-a-fault-and-how-soon).

"""


def page() -> str:
    reasons: dict[str, str] = {}

    def cell(expected: Expectation) -> str:
        if isinstance(expected, Nothing):
            return reasons.setdefault(expected.reason, chr(ord("a") + len(reasons)))
        text = expected.words if isinstance(expected, Stays) else expected
        return f"`{text}`"

    lines = [f"| fault | {' | '.join(WATCHERS.values())} |", "|---" * (len(WATCHERS) + 1) + "|"]
    lines += [f"| `{fault.words}` | {' | '.join(cell(fault.of(watcher)) for watcher in WATCHERS)} |" for fault in FAULTS]
    return HEAD + "\n".join(lines) + "\n\n| | reason |\n|---|---|\n" + "".join(f"| {letter} | {reason} |\n" for reason, letter in reasons.items())


def main() -> int:
    file = Path(sys.argv[1]) / "docs" / "reference" / "watchers.md"
    if sys.argv[2:] == ["--write"]:
        file.write_text(page(), encoding="utf-8")
        return 0
    if file.exists() and file.read_text(encoding="utf-8") == page():
        return 0
    print(f"{file} differs from faults.py; run: python3 {' '.join(sys.argv)} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
