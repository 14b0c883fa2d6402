#!/usr/bin/env python3
"""links_test.py ROOT: every relative link of the READMEs and of docs/ leads to a file, and its anchor to a heading."""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")


def anchors(page: Path) -> set[str]:
    found = set()
    for heading in re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def main() -> int:
    root = Path(sys.argv[1])
    pages = [root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md", *sorted(root.glob("docs/**/*.md")),
             *sorted(root.glob("src/**/README.md")), *sorted(root.glob("tools/**/README.md"))]
    known: dict[Path, set[str]] = {}
    links = failures = 0
    for page in pages:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for path, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", text)):
            links += 1
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                print(f"{page.relative_to(root)}: there is no {path}")
                failures += 1
            elif anchor and target.suffix == ".md":
                if target not in known:
                    known[target] = anchors(target)
                if anchor[1:] not in known[target]:
                    print(f"{page.relative_to(root)}: {path} has no heading {anchor}")
                    failures += 1
    print(f"{len(pages)} pages, {links} links, {failures} failures")
    return 1 if failures or links < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
