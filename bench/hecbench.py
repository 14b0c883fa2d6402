#!/usr/bin/env python3
"""HeCBench's CUDA programs in both engines: builds each, runs it as its Makefile says, and compares what it prints.
    bench/hecbench.py CHECKOUT --work DIR [--only NAME,NAME] [--workers N] [--build DIR]
CHECKOUT is a checkout of github.com/zjin-lcf/HeCBench; nothing is written there. DIR keeps programs and results: a second
call goes on with the programs that have none. Where the interpreter needs too long, the numbers among the arguments are
divided by 8, 64 or 512; the smallest ones have four times as long. `compile` has a time, too; where it needs more, `auto` is
run in its place. What the interpreter does not end is run with `auto` alone: it is compared with nothing.

DIR/results.tsv has a row for each program: what came of it, the divisor, the seconds of the processor interpreted, those of
the other engine, and which one that is. DIR/differ has what was written by those whose lines differ."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import engines

MACHINE, ARCHITECTURE = "a100", "compute_80"
MOST_BUILDING, MOST_INTERPRETED, MOST_SMALLEST, MOST_COMPILED = 600.0, 12.0, 48.0, 60.0
DIVISORS = (1, 8, 64, 512)


def divided(word: str, divisor: int) -> str:
    return str(max(1, int(word) // divisor)) if re.fullmatch(r"\d+", word) else word


def sizes(words: list[str]) -> dict[int, list[str]]:
    """The commands that differ, by their divisor."""
    out: dict[int, list[str]] = {}
    for divisor in DIVISORS:
        command = [words[0], *(divided(word, divisor) for word in words[1:])]
        if command not in out.values():
            out[divisor] = command
    return out


class Programs:
    def __init__(self, options: argparse.Namespace) -> None:
        self.work = options.work.resolve()
        self.sources = self.work / "src"
        self.build = options.build.resolve()
        if not self.sources.exists():
            shutil.copytree(options.checkout / "src", self.sources, symlinks=True)
        self.results = engines.Results(self.work / "results.tsv")

    def names(self) -> list[str]:
        return [path.name.removesuffix("-cuda") for path in self.sources.glob("*-cuda")]

    def make(self, folder: Path, *words: str) -> engines.Ended:
        # NVIDIA's runtime library inside a program works with NVIDIA's driver alone.
        settings = {"NVCC_APPEND_FLAGS": "-cudart shared"}
        return engines.run(["make", f"ARCH={ARCHITECTURE}", "LAUNCHER=", *words], folder, MOST_BUILDING, settings)

    def commands(self, folder: Path) -> list[list[str]]:
        lines = self.make(folder, "-n", "run").written.decode(errors="replace").splitlines()
        return [line.split() for line in lines if line.lstrip().startswith("./")]

    def result(self, name: str) -> list[str]:
        folder = self.sources / f"{name}-cuda"
        if not (folder / "Makefile").exists():
            return ["no Makefile"]
        if not self.make(folder).is_right:
            return ["not built"]
        commands = self.commands(folder)
        return self.in_both(name, folder, commands[0]) if commands else ["no command"]

    def in_both(self, name: str, folder: Path, words: list[str]) -> list[str]:
        commands = sizes(words)
        for divisor, command in commands.items():
            most = MOST_SMALLEST if divisor == max(commands) else MOST_INTERPRETED
            one = engines.run_in("interpret", command, folder, most, machine=MACHINE, build=self.build)
            if one.status is not None:
                break
        else:
            return self.in_auto_alone(command, folder, divisor, one.seconds)
        for engine in ("compile", "auto"):
            other = engines.run_in(engine, command, folder, MOST_COMPILED, machine=MACHINE, build=self.build)
            if other.status is not None:
                break
        if one.lines() != other.lines():
            place = self.work / "differ" / name
            place.mkdir(parents=True, exist_ok=True)
            (place / "interpreted").write_bytes(one.written)
            (place / engine).write_bytes(other.written)
        return [self.verdict(one, other), str(divisor), f"{one.seconds:.2f}", f"{other.seconds:.2f}", engine]

    def in_auto_alone(self, command: list[str], folder: Path, divisor: int, interpreted: float) -> list[str]:
        end = engines.run_in("auto", command, folder, MOST_COMPILED, machine=MACHINE, build=self.build)
        verdict = "too slow" if end.status is None else f"ends with auto, status {end.status}"
        return [verdict, str(divisor), f">{interpreted:.0f}", f"{end.seconds:.2f}", "auto"]

    def verdict(self, one: engines.Ended, other: engines.Ended) -> str:
        if other.status is None:
            return "too slow compiled"
        if one.status != other.status:
            return f"status {one.status} and {other.status}"
        return ("equal" if one.lines() == other.lines() else "lines differ") + ("" if one.is_right else f", status {one.status}")


def main() -> None:
    options = engines.parser(__doc__).parse_args()
    programs = Programs(options)
    names = engines.chosen(programs.names(), options.only, programs.results.rows())
    programs.results.make(names, programs.result, options.workers)
    print(programs.results.summary(), file=sys.stderr)


if __name__ == "__main__":
    main()
