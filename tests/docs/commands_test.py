#!/usr/bin/env python3
"""commands_test.py ROOT: each file of the project that a shell block of a document starts is there, and can be started."""

import os
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
# A command at the begin of a line, behind variables that are set for it.
COMMAND = re.compile(r"^(?:\w+=\S* +)*((?:scripts|tests|bench|tools|examples)/\S+)", re.M)


def main() -> int:
    root = Path(sys.argv[1])
    pages = [*root.glob("*.md"), *sorted(root.glob("docs/**/*.md"))]
    commands = failures = 0
    for page in pages:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for name in COMMAND.findall(block):
                commands += 1
                file = root / name
                if not (file.is_file() and os.access(file, os.X_OK)):
                    print(f"{page.relative_to(root)}: {name} {'cannot be started' if file.is_file() else 'is not there'}")
                    failures += 1
    print(f"{len(pages)} pages, {commands} commands, {failures} failures")
    return 1 if failures or commands < 15 else 0


if __name__ == "__main__":
    sys.exit(main())
