#!/usr/bin/env python3
"""words_test.py ROOT: the prose of the documents keeps the measurable rules of CONTRIBUTING.md.

Long sentences, and words that stand in for a noun or for the field's verb. Code, quoted messages and the table of
examples in CONTRIBUTING.md are no prose.
"""

import re
import sys
from pathlib import Path

MOST_WORDS = 40
WRONG = {
    r"\b(?:tells|told|telling)\b": "reports, returns, prints",
    r"\b(?:whoever|whatever|whichever)\b": "name the reader, the process, the value",
    r"\b(?:nobody|somebody|anybody|everybody)\b": "name the user, the program, the thread",
    r"\bhears? of\b": "gets, receives",
    r"\bof no effect\b": "has no effect",
    r"\bis (?:there|not there)\b": "exists, is missing",
    r"\bthere is none\b": "name the missing thing",
}
PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/cuda-programs/*.md", "docs/guides/*.md", "docs/internals/*.md", "src/**/README.md", "tools/**/README.md"]


def blocks(text: str) -> list[tuple[int, str]]:
    """Paragraphs, items of lists and cells of tables, each with its line."""
    text = re.sub(r"^ *```.*?^ *```", lambda code: "\n" * code.group(0).count("\n"), text, flags=re.M | re.S)
    found: list[tuple[int, str]] = []
    paragraph = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("|"):
            found += [(number, cell.strip()) for cell in stripped.strip("|").split("|")]
            paragraph = False
        elif not stripped or stripped.startswith("#"):
            paragraph = False
        elif paragraph and not re.match(r"(?:[*-]|\d+\.) ", stripped):
            found[-1] = (found[-1][0], f"{found[-1][1]} {stripped}")
        else:
            found.append((number, stripped))
            paragraph = True
    return found


def sentences(block: str) -> list[str]:
    plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`|\"[^\"]*\"", "code", block))
    return re.split(r"(?<=[.:;?])\s", plain)


def complaints(text: str) -> list[tuple[int, str]]:
    out = []
    for number, block in blocks(text):
        for sentence in sentences(block):
            words = len(sentence.split())
            # A sentence of commas is a list of names, however long.
            if words > MOST_WORDS and sentence.count(",") < words / 6:
                out.append((number, f"{words} words in a sentence, at most {MOST_WORDS}: {sentence[:60]}..."))
            for pattern, better in WRONG.items():
                for match in re.finditer(pattern, sentence, re.I):
                    out.append((number, f"'{match.group(0)}': {better}"))
    return out


def main() -> int:
    root = Path(sys.argv[1])
    pages = failures = 0
    for pattern in PAGES:
        for page in sorted(root.glob(pattern)):
            text = page.read_text(encoding="utf-8")
            if page.name == "CONTRIBUTING.md":
                text = re.sub(r"^## Words.*", lambda rules: "\n" * rules.group(0).count("\n"), text, flags=re.M | re.S)
            pages += 1
            for number, complaint in complaints(text):
                print(f"{page.relative_to(root)}:{number}: {complaint}")
                failures += 1
    if not complaints("Whoever reads it is told so."):  # the check itself works
        failures += 1
    print(f"{pages} pages, {failures} failures")
    return 1 if failures or pages < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
