#!/usr/bin/env python3
"""machines_test.py PAGE NVMLKIT [--write]: docs/reference/machines.md has the table that `nvmlkit machines` prints."""

import json
import subprocess
import sys
from pathlib import Path

HEAD = """# Built-in machines

`nvmlkit run -m NAME` starts a program on one of these machines, and `nvmlkit machines` lists them. The files are in
`profiles/`. A comment at the top of each file gives the sources of its values. [NVLink and
topology](../guides/nvlink.md) describes the servers among them.

| name | GPUs | GPU | memory of a GPU | architecture | driver |
|---|---|---|---|---|---|
"""


def page(nvmlkit: str) -> str:
    machines = json.loads(subprocess.run([nvmlkit, "machines", "--json"], capture_output=True, text=True, check=True).stdout)
    return HEAD + "".join(
        f"| `{m['name']}` | {m['count']} | {m['gpu']} | {m['memory_bytes'] >> 20} MiB | {m['architecture']} | {m['driver_version']} |\n"
        for m in machines)


def main() -> int:
    file = Path(sys.argv[1])
    wanted = page(sys.argv[2])
    if sys.argv[3:] == ["--write"]:
        file.write_text(wanted, encoding="utf-8")
        return 0
    if file.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"{file} differs from `nvmlkit machines`; run: python3 {' '.join(sys.argv)} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
