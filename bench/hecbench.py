#!/usr/bin/env python3
"""HeCBench's CUDA programs in both engines: builds each, runs it as its Makefile says, and compares what it prints.
    bench/hecbench.py CHECKOUT --work DIR [--only NAME,NAME] [--workers N] [--build DIR]
CHECKOUT is a checkout of github.com/zjin-lcf/HeCBench; nothing is written there. DIR keeps programs and results: a second
call goes on with the programs that have none. Where the interpreter needs too long, the numbers among the arguments are
divided by 8, 64 or 512. `compile` has a time, too; where it needs more, `auto` is run in its place.

DIR/results.tsv has a row for each program: what came of it, the divisor, the seconds of the processor interpreted, those of
the other engine, and which one that is. DIR/differ has what was written by those whose lines differ."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import random
import re
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import engines

MACHINE, ARCHITECTURE = "a100", "compute_80"
MOST_BUILDING, MOST_INTERPRETED, MOST_COMPILED = 600.0, 12.0, 60.0
DIVISORS = (1, 8, 64, 512)


@dataclass
class Result:
    name: str
    verdict: str
    divisor: int = 0
    interpreted: float = 0
    other: float = 0
    engine: str = "-"

    def row(self) -> str:
        return f"{self.name}\t{self.verdict}\t{self.divisor}\t{self.interpreted:.2f}\t{self.other:.2f}\t{self.engine}\n"


def divided(word: str, divisor: int) -> str:
    return str(max(1, int(word) // divisor)) if re.fullmatch(r"\d+", word) else word


class Programs:
    def __init__(self, options: argparse.Namespace) -> None:
        self.work = options.work.resolve()
        self.sources = self.work / "src"
        self.build = options.build.resolve()
        self.workers = options.workers
        self.lock = threading.Lock()
        if not self.sources.exists():
            shutil.copytree(options.checkout / "src", self.sources, symlinks=True)
        self.results = self.work / "results.tsv"
        self.done = {line.split("\t")[0] for line in self.results.read_text().splitlines()} if self.results.exists() else set()

    def names(self) -> list[str]:
        """By chance, so that a part of them is a sample."""
        out = sorted(path.name.removesuffix("-cuda") for path in self.sources.glob("*-cuda"))
        random.Random(1).shuffle(out)
        return out

    def make(self, folder: Path, *words: str) -> engines.Ended:
        # NVIDIA's runtime library inside a program works with NVIDIA's driver alone.
        settings = {"NVCC_APPEND_FLAGS": "-cudart shared"}
        return engines.run(["make", f"ARCH={ARCHITECTURE}", "LAUNCHER=", *words], folder, MOST_BUILDING, settings)

    def commands(self, folder: Path) -> list[list[str]]:
        lines = self.make(folder, "-n", "run").written.decode(errors="replace").splitlines()
        return [line.split() for line in lines if line.lstrip().startswith("./")]

    def result(self, name: str) -> Result:
        folder = self.sources / f"{name}-cuda"
        if not (folder / "Makefile").exists():
            return Result(name, "no Makefile")
        if not self.make(folder).is_right:
            return Result(name, "not built")
        commands = self.commands(folder)
        if not commands:
            return Result(name, "no command")
        return self.in_both(name, folder, commands[0])

    def in_both(self, name: str, folder: Path, words: list[str]) -> Result:
        for divisor in DIVISORS:
            command = [words[0], *(divided(word, divisor) for word in words[1:])]
            one = engines.run_in("interpret", command, folder, MOST_INTERPRETED, machine=MACHINE, build=self.build)
            if one.status is not None:
                break
        else:
            return Result(name, "too slow", divisor, one.seconds)
        for engine in ("compile", "auto"):
            other = engines.run_in(engine, command, folder, MOST_COMPILED, machine=MACHINE, build=self.build)
            if other.status is not None:
                break
        result = Result(name, "", divisor, one.seconds, other.seconds, engine)
        if other.status is None:
            result.verdict = "too slow compiled"
        elif one.status != other.status:
            result.verdict = f"status {one.status} and {other.status}"
        else:
            result.verdict = ("equal" if engines.same(one, other) else "lines differ") + ("" if one.is_right else f", status {one.status}")
        if one.lines() != other.lines():
            place = self.work / "differ" / name
            place.mkdir(parents=True, exist_ok=True)
            (place / "interpreted").write_bytes(one.written)
            (place / engine).write_bytes(other.written)
        return result

    def one(self, name: str) -> None:
        result = self.result(name)
        with self.lock, self.results.open("a") as out:
            out.write(result.row())
        print(result.row(), end="", flush=True)

    def all(self, only: list[str]) -> None:
        wanted = [name for name in self.names() if (name in only if only else name not in self.done)]
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            for each in [pool.submit(self.one, name) for name in wanted]:
                each.result()

    def summary(self) -> str:
        rows = [line.split("\t") for line in self.results.read_text().splitlines()]
        last = {row[0]: row[1] for row in rows}
        return "\n".join(f"{count:4} {verdict}" for verdict, count in collections.Counter(last.values()).most_common())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--only", default="", help="programs, with commas between them")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--build", type=Path, default=engines.BUILD, help="of nvmlkit")
    options = parser.parse_args()
    programs = Programs(options)
    programs.all([name for name in options.only.split(",") if name])
    print(programs.summary(), file=sys.stderr)


if __name__ == "__main__":
    main()
