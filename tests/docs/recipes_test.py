#!/usr/bin/env python3
"""recipes_test.py ROOT [--write]: docs/guides/recipes.md shows the files of examples/recipes as they are.

A line `<!-- file: pytest/conftest.py -->` stands before each block."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SHOWN = re.compile(r"(<!-- file: (\S+) -->\n```\S+\n)(.*?)(^```$)", re.M | re.S)
FEWEST = 9


def main() -> int:
    root = Path(sys.argv[1])
    page = root / "docs" / "guides" / "recipes.md"
    text = page.read_text(encoding="utf-8")
    wanted = SHOWN.sub(lambda found: found[1] + (root / "examples" / "recipes" / found[2]).read_text(encoding="utf-8") + found[4], text)
    if sys.argv[2:] == ["--write"]:
        page.write_text(wanted, encoding="utf-8")
        return 0
    blocks = len(SHOWN.findall(text))
    if text == wanted and blocks >= FEWEST:
        print(f"{blocks} files")
        return 0
    print(f"{page}: {blocks} files; it differs from examples/recipes; run: python3 {' '.join(sys.argv)} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
