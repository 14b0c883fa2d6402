#!/usr/bin/env python3
"""clang-tidy over a build tree's compile commands, as many at a time as there are cores.

    tidy.py BUILD CHECKS

What a compilation read, the configuration and the program are hashed; a compilation that was clean is not looked at again until
one of them changes. Prints each finding of our own files once; ends with 1 when there is one."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FINDING = re.compile(r"^(?P<file>/[^:]+):\d+:\d+: (warning|error): .*\[[\w.,-]+\]$")


@cache
def digest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def digest_of(parts: list[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_ours(path: str) -> bool:
    relative = os.path.relpath(path, ROOT)
    return not relative.startswith(("..", "build/")) and "generated/" not in relative


class Unit:
    """One compilation: its source, its command, and the stamp of the last time that it was clean."""

    def __init__(self, entry: dict, build: Path, checks: str, tool: str) -> None:
        self.file, self.directory = entry["file"], entry["directory"]
        self.command = shlex.split(entry["command"])
        if "ccache" in self.command[0]:
            del self.command[0]
        self.build, self.checks = build, checks
        self.identity = [tool, checks, digest(str(ROOT / ".clang-tidy")), *self.command]
        self.stamp = build / "tidy" / digest_of([self.file, *self.command])

    def is_clean(self) -> bool:
        try:
            known, *files = self.stamp.read_text().splitlines()
        except (OSError, ValueError):
            return False
        return known == self.key(files)

    def key(self, files: list[str]) -> str:
        return digest_of(self.identity + [f"{file} {digest(file)}" for file in files])

    def files_read(self) -> list[str]:
        """Our own files among those that the compilation reads, by the preprocessor."""
        at = self.command.index("-o")
        command = [*self.command[:at], *self.command[at + 2 :], "-MM"]
        rule = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, check=True).stdout
        files = rule.partition(":")[2].replace("\\\n", " ").split()
        return sorted({os.path.normpath(os.path.join(self.directory, file)) for file in files})

    def look(self) -> list[str]:
        """The findings, each with the lines that go with it."""
        result = subprocess.run(
            ["clang-tidy", "--quiet", f"-p={self.build}", f"--checks=-*,{self.checks}", f"--header-filter=^{ROOT}/", self.file],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        findings = findings_of(result.stdout)
        if result.returncode not in (0, 1) or "clang-diagnostic-error" in result.stdout:
            findings.append(f"{self.file}: clang-tidy ended with {result.returncode}\n{result.stdout}{result.stderr}")
        if not findings:
            self.stamp.parent.mkdir(exist_ok=True)
            files = self.files_read()
            self.stamp.write_text("\n".join([self.key(files), *files]))
        return findings


def findings_of(output: str) -> list[str]:
    findings: list[str] = []
    keep = False
    for line in output.splitlines():
        if match := FINDING.match(line):
            keep = is_ours(match["file"])
            if keep:
                findings.append(os.path.relpath(match["file"], ROOT) + line[len(match["file"]) :])
        elif keep and ": note: " in line and "/" in line:
            findings[-1] += f"\n    {line.partition(': note: ')[2]}"
    return findings


def main() -> int:
    build, checks = Path(sys.argv[1]).resolve(), sys.argv[2]
    tool = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    units = [Unit(entry, build, checks, tool) for file, entry in entries.items() if "/generated/" not in file and not file.endswith(".c")]
    make_missing(build, [source for unit in units for source in included(unit.file)])
    stale = [unit for unit in units if not unit.is_clean()]
    # The largest first, so that no core waits for it at the end.
    stale.sort(key=lambda unit: -sum(os.path.getsize(f) for f in included(unit.file)))
    findings: set[str] = set()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(Unit.look, stale):
            for finding in found:
                if finding not in findings:
                    print(finding, flush=True)
                findings.add(finding)
    print(f"clang-tidy: {len(units)} compilations, {len(stale)} looked at, {len(findings)} findings", file=sys.stderr)
    return 1 if findings else 0


def make_missing(build: Path, sources: list[str]) -> None:
    """Sources that the build makes."""
    missing = {os.path.relpath(source, build) for source in sources if not os.path.exists(source)}
    if missing:
        subprocess.run(["ninja", "-C", build, *sorted(missing)], check=True, stdout=subprocess.DEVNULL)


def included(file: str) -> list[str]:
    """The sources of a unity build's compilation, or the source itself."""
    if "/Unity/" not in file:
        return [file]
    return re.findall(r'^#include "([^"]+)"', Path(file).read_text(), re.M)


if __name__ == "__main__":
    sys.exit(main())
