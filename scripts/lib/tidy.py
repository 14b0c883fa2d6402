#!/usr/bin/env python3
"""clang-tidy over a build tree's compile commands, as many at a time as there are cores.

    tidy.py BUILD CHECKS [--since COMMIT]

With --since only sources and headers that changed after that commit are looked at: what did not change says the same as it said
then. All are, where the repository does not know the commit, or where the rules changed since.

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
    changed = changed_since(sys.argv[4]) if sys.argv[3:4] == ["--since"] else None
    tool = subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=True).stdout
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    units = [Unit(entry, build, checks, tool) for file, entry in entries.items() if "/generated/" not in file and not file.endswith(".c")]
    make_missing(build, [source for unit in units for source in included(unit.file)])
    units = needed(units, changed)
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


RULES = (".clang-tidy", "scripts/lib/tidy.py")


def changed_since(commit: str) -> set[str] | None:
    """The files that differ from a commit, new ones too; nothing where that cannot be said."""
    files: set[str] = set()
    for command in (["diff", "--name-only", commit], ["ls-files", "--others", "--exclude-standard"]):
        result = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            return None
        files.update(result.stdout.split("\n"))
    return None if files.intersection(RULES) else {str(ROOT / file) for file in files if file}


def needed(units: list[Unit], changed: set[str] | None) -> list[Unit]:
    """Those of the compilations that together hold all sources that people write; with `changed`, those that hold what changed:
    each source, and each header once."""
    kept, held = [], set()
    for unit in sorted(units, key=lambda unit: -len(included(unit.file))):
        sources = {source for source in included(unit.file) if "/generated/" not in source}
        files = sources if changed is None else headers_of(sources).intersection(changed)
        if not files <= held:
            held |= files
            kept.append(unit)
    return kept


def headers_of(sources: set[str]) -> set[str]:
    """The sources, and our headers that they include, however deep: by their text, which is quicker than a preprocessor."""
    found, rest = set(sources), list(sources)
    while rest:
        for header in quoted(rest.pop()) - found:
            found.add(header)
            rest.append(header)
    return found


@cache
def quoted(file: str) -> frozenset[str]:
    """Our files that a file may mean by its #include lines."""
    try:
        names = re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', Path(file).read_text(errors="replace"), re.M)
    except OSError:
        return frozenset()
    places = [Path(file).parent, *(ROOT / folder for folder in ("src", "include", "tools", "tests", ".")), *ancestors(Path(file))]
    paths = {os.path.normpath(place / name) for name in names for place in places}
    return frozenset(path for path in paths if os.path.isfile(path))


def ancestors(file: Path) -> list[Path]:
    """The folders above a file as far as the repository: a target may name any of them to its compiler."""
    return [folder for folder in file.parents if folder.is_relative_to(ROOT)]


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
