#!/usr/bin/env python3
"""Compiles sources one by one, as a build folder without unity sources does: each must include what it uses.

    alone.py BUILD [--since COMMIT]

BUILD is a build tree with compile commands. With --since only sources that changed after that commit are looked at. Nothing is
written. Ends with 1 when a source does not compile."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tidy import changed_since, included, make_missing


def commands_of(build: Path) -> dict[str, tuple[str, list[str]]]:
    """For each source the folder and the words of a command that only checks it."""
    out = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        if "ccache" in words[0]:
            del words[0]
        at = words.index("-o")
        words[at : at + 2] = ["-fsyntax-only"]
        for source in included(entry["file"]):
            out[source] = entry["directory"], [source if word == entry["file"] else word for word in words]
    return out


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    changed = changed_since(sys.argv[3]) if sys.argv[2:3] == ["--since"] else None
    known = commands_of(build)
    sources = sorted(source for source in known if changed is None or source in changed)
    make_missing(build, sources)

    def check(source: str) -> subprocess.CompletedProcess[str]:
        folder, words = known[source]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, result in zip(sources, pool.map(check, sources)):
            if result.returncode:
                print(f"{source}:\n{result.stderr}")
                failed += 1
    print(f"alone: {len(sources)} sources, {failed} do not compile", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
