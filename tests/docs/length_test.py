#!/usr/bin/env python3
"""length_test.py ROOT: the pages that a newcomer reads first stay short."""

import sys
from pathlib import Path

LIMITS = {"README.md": 120, "docs/README.md": 60, "docs/architecture.md": 150}


def main() -> int:
    root = Path(sys.argv[1])
    failures = 0
    for name, limit in LIMITS.items():
        lines = len((root / name).read_text(encoding="utf-8").splitlines())
        if lines > limit:
            print(f"{name} has {lines} lines; at most {limit} are allowed: move details to another page")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
