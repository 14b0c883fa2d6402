"""Runs programs in the interpreter and in compiled code, compares what they print, and keeps what came of each. For
hecbench.py and cccl.py."""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

BUILD = Path(os.environ.get("NVMLKIT_BUILD_DIR", Path(__file__).resolve().parents[1] / "build" / "release"))
# What a program writes is cut behind this.
MOST_WRITTEN = 1 << 28
# By its limit of processor time, itself or below `nvmlkit run`.
STOPPED = {sign * number + base for number in (signal.SIGXCPU, signal.SIGKILL) for sign, base in ((-1, 0), (1, 128))}
# Lines with such words are of times, and of what is computed from them.
UNITS = r"\bm?s\b|\b[un]s\b|[mu]sec|\(n?s\)|s\]|[GM]B/s|GiB/s|/s\b|per (sec|ns)|\d\d:\d\d:\d\d"
OF_TIMES = re.compile(
    r"time|timing|second|elapsed|duration|latency|speed|perf|flop|bandwidth|throughput|" + UNITS, re.IGNORECASE
)


@dataclass
class Ended:
    seconds: float  # of the processor, with those that the program started
    status: int | None  # None: it was stopped
    written: bytes

    @property
    def is_right(self) -> bool:
        return self.status == 0

    def lines(self) -> list[str]:
        """Without those of times."""
        return [line for line in self.written.decode(errors="replace").splitlines() if not OF_TIMES.search(line)]


def run(command: list[str | Path], folder: Path, most: float, settings: dict[str, str] | None = None) -> Ended:
    """`most`: seconds of the processor. A program that sleeps is stopped, too."""

    limited = ["sh", "-c", f'ulimit -c 0; ulimit -f {MOST_WRITTEN // 512}; ulimit -t {int(most) + 1}; exec "$@"', "sh", *command]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NVMLKIT_", "CUDA_CACHE"))}
    with tempfile.TemporaryFile() as written:
        process = subprocess.Popen(
            limited, cwd=folder, env=environment | (settings or {}), stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT, process_group=0
        )
        end = time.monotonic() + 8 * most + 60
        pid = 0
        while pid == 0:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid == 0 and time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                end += 60
            if pid == 0:
                time.sleep(0.02)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        written.seek(0)
        seconds = usage.ru_utime + usage.ru_stime
        return Ended(seconds, None if code in STOPPED else code, written.read(MOST_WRITTEN))


def run_in(
    engine: str, command: list[str | Path], folder: Path, most: float, *, machine: str, build: Path = BUILD, cache: Path | None = None
) -> Ended:
    """On a simulated machine, with one thread. Without a cache, nothing is compiled before."""
    with contextlib.ExitStack() as stack:
        kept = cache or stack.enter_context(tempfile.TemporaryDirectory(prefix="cache-"))
        settings = {"NVMLKIT_CUDA_ENGINE": engine, "NVMLKIT_CUDA_THREADS": "1", "CUDA_CACHE_PATH": str(kept)}
        return run([build / "bin" / "nvmlkit", "run", "-m", machine, "--", *command], folder, most, settings)


def chosen(names: Iterable[str], only: list[str], done: Iterable[str]) -> list[str]:
    """Those that were asked for, or all that are not done, by chance, so that a part of them is a sample. The same order each time."""
    out = sorted(names)
    if unknown := sorted(set(only) - set(out)):
        sys.exit(f"--only: there is no {', '.join(unknown)}")
    random.Random(1).shuffle(out)
    before = set(done)
    return [name for name in out if (name in only if only else name not in before)]


class Results:
    """A file with a row for each program: its name, what came of it, and more."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()

    def rows(self) -> dict[str, list[str]]:
        """The last one of each name."""
        if not self.path.exists():
            return {}
        return {row[0]: row[1:] for row in (line.split("\t") for line in self.path.read_text().splitlines())}

    def make(self, names: Iterable[str], result: Callable[[str], list[str]], workers: int) -> None:
        def one(name: str) -> None:
            row = "\t".join([name, *result(name)]) + "\n"
            with self.lock, self.path.open("a") as out:
                out.write(row)
            print(row, end="", flush=True)

        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for each in [pool.submit(one, name) for name in names]:
                each.result()

    def summary(self, between: str = "\n") -> str:
        verdicts = collections.Counter(row[0] for row in self.rows().values())
        return between.join(f"{count} {verdict}" for verdict, count in verdicts.most_common())


def names_in(words: str) -> list[str]:
    return [name for name in words.split(",") if name]


def parser(description: str | None) -> argparse.ArgumentParser:
    out = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    out.add_argument("checkout", type=Path)
    out.add_argument("--work", type=Path, required=True)
    out.add_argument("--only", type=names_in, default=[], help="names, with commas between them")
    out.add_argument("--workers", type=int, default=os.cpu_count())
    out.add_argument("--build", type=Path, default=BUILD, help="of nvmlkit")
    return out
