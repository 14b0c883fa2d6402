#!/usr/bin/env python3
"""architecture_test.py ROOT [--write]: docs/internals/rooms.md shows the list of rooms in tests/house/rooms.txt."""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```rooms\n(.*?)^```$", re.M | re.S)


def main() -> int:
    root = Path(sys.argv[1])
    page = root / "docs/internals/rooms.md"
    text = page.read_text(encoding="utf-8")
    rooms = "".join(f"{line.rstrip()}\n" for line in (root / "tests/house/rooms.txt").read_text(encoding="utf-8").splitlines()
                    if line.strip() and not line.startswith("#"))
    shown = BLOCK.search(text)
    if not shown or not rooms:
        print(f"{page}: no list of rooms")
        return 1
    if sys.argv[2:] == ["--write"]:
        page.write_text(text[:shown.start(1)] + rooms + text[shown.end(1):], encoding="utf-8")
        return 0
    if shown.group(1) == rooms:
        return 0
    print(f"{page} shows another list than tests/house/rooms.txt; run: python3 {sys.argv[0]} {root} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
