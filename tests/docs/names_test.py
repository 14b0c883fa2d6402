#!/usr/bin/env python3
"""names_test.py ROOT: each abi::NAME and abi::PREFIX_... that headers, registry and guides mention is in the ABI."""

import re
import sys
from pathlib import Path

MENTION = re.compile(r"\babi::(\w+)(\.\.\.)?")


def main() -> int:
    root = Path(sys.argv[1])
    abi = (root / "include/nvmlkit/generated/abi.hpp").read_text(encoding="utf-8")
    abi += (root / "include/nvmlkit/abi/legacy.hpp").read_text(encoding="utf-8")
    names = set(re.findall(r"\w+", re.sub(r"//[^\n]*", "", abi)))
    pages = [*root.glob("include/nvmlkit/**/*.hpp"), *root.glob("registry/semantics/**/*.yaml"), *root.glob("docs/**/*.md")]
    mentions = failures = 0
    for page in pages:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for name, prefix in MENTION.findall(line):
                mentions += 1
                if name in names or (prefix and any(n.startswith(name) for n in names)):
                    continue
                print(f"{page.relative_to(root)}:{number}: the ABI has no {name}{prefix}")
                failures += 1
    print(f"{len(pages)} files, {mentions} names, {failures} failures")
    return 1 if failures or mentions < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
