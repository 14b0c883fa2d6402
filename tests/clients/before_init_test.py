#!/usr/bin/env python3
"""Before nvmlInit our library answers every function as the real libraries do.

Each real library loads without a GPU: its exported functions are called with null and with zeroed arguments, and so
are ours. The one difference allowed is nvmlInit itself, which finds a machine here (0) and none there (9). Functions
whose first call changes what a null pointer means (nvmlErrorString returns text) are compared apart."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from clients import BRANCHES, LIBRARY_DIR, environment, real_library, skip

OURS = LIBRARY_DIR / "libnvidia-ml.so.1"
CONTROL_NODE = Path("/dev/nvidiactl")
INIT = {"nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags"}
APART = {"nvmlErrorString"}


def exported(library: Path) -> list[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r" T (nvml\w+)", listing)))


def answers(probe: Path, library: Path, symbols: list[str]) -> dict[str, tuple[str, ...]]:
    text = subprocess.run(
        [probe, library], input="\n".join(symbols) + "\n", check=True, capture_output=True, text=True,
        env=environment("h100"),
    ).stdout  # fmt: skip
    return {name: tuple(rest) for name, *rest in (line.split() for line in text.splitlines())}


def error_texts(probe: Path, library: Path) -> dict[str, str]:
    text = subprocess.run([probe, "--errors", library], check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ", 1) for line in text.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe", type=Path, help="the before_init program")
    parser.add_argument("--show", action="store_true", help="print what the real libraries answer other than 1")
    options = parser.parse_args()
    probe, show = options.probe, options.show
    libraries = {branch: path for branch in BRANCHES if (path := real_library(branch))}
    if not libraries:
        skip("no real libnvidia-ml here (scripts/setup unpacks it)")
    failures = 0
    for branch, library in libraries.items():
        symbols = [name for name in exported(library) if name not in APART]
        real = answers(probe, library, symbols)
        if show:
            print("\n".join(f"{branch} {name} {answer}" for name, answer in real.items() if answer != ("1", "1")))
            continue
        ours = answers(probe, OURS, symbols)
        differ = {name for name in symbols if real[name] != ours[name]}
        for name in sorted(differ - INIT):
            failures += 1
            print(f"FAIL {branch} {name}: null, zeroed: real {real[name]}, ours {ours[name]}")
        for name in sorted(INIT & set(symbols)):
            if "0" not in ours[name]:
                failures += 1
                print(f"FAIL {branch} {name}: ours answers {ours[name]}, expected a machine")
        real_texts, our_texts = error_texts(probe, library), error_texts(probe, OURS)
        # A code that a branch does not know yet may have a text in ours.
        newer = {code for code, text in real_texts.items() if text == "Unknown Error" and 0 < int(code) < 100}
        wrong = [code for code, text in real_texts.items() if our_texts[code] != text and code not in newer]
        for code in wrong:
            failures += 1
            print(f"FAIL {branch} nvmlErrorString({code}): real {real_texts[code]!r}, ours {our_texts[code]!r}")
        print(f"driver {branch}: {len(symbols)} functions before init, {len(differ - INIT)} differ; "
              f"{len(real_texts)} error texts, {len(wrong)} differ", flush=True)  # fmt: skip
    return 1 if failures else 0


def main_without_traces() -> int:
    """nvmlInit of the real library, run by root, makes its control node, which changes what other programs find."""
    had_node = CONTROL_NODE.exists()
    try:
        return main()
    finally:
        if not had_node:
            CONTROL_NODE.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main_without_traces())
