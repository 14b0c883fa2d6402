#!/usr/bin/env python3
"""rooms_test.py ROOT: every room of src/ and tools/ has a README.md, whose tables name files and folders that are there,
and every folder of the room."""

import re
import sys
from pathlib import Path

SMALL = 2  # files that need no page


def named(page: Path) -> set[str]:
    """The names in the first columns of the tables."""
    names: set[str] = set()
    for row in re.findall(r"^\| ?([^|]*)\|", page.read_text(encoding="utf-8"), re.M):
        names.update(re.findall(r"`([^`]+)`", row))
    return names


def rooms(root: Path) -> list[Path]:
    folders = [root / "src", *(root / "src").iterdir(), *(root / "src/driver").iterdir(), *(root / "tools").iterdir()]
    return sorted(f for f in folders if f.is_dir() and len(list(f.iterdir())) > SMALL)


def problems(room: Path) -> list[str]:
    page = room / "README.md"
    if not page.exists():
        return ["has no README.md"]
    names = named(page)
    found = [f"README.md names {n}, which is not there" for n in sorted(names) if not list(room.glob(n.rstrip("/")))]
    for folder in sorted(f for f in room.iterdir() if f.is_dir() and any(f.iterdir())):
        if not any(n.startswith(folder.name + "/") for n in names):
            found.append(f"README.md does not name {folder.name}/")
    return found


def main() -> int:
    root = Path(sys.argv[1])
    failures = 0
    all_rooms = rooms(root)
    for room in all_rooms:
        for problem in problems(room):
            print(f"{room.relative_to(root)}: {problem}")
            failures += 1
    print(f"{len(all_rooms)} rooms, {failures} failures")
    return 1 if failures or len(all_rooms) < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
