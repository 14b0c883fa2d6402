"""Runs one program in the interpreter and in compiled code, and says whether both did the same."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

BUILD = Path(os.environ.get("NVMLKIT_BUILD_DIR", Path(__file__).resolve().parents[1] / "build" / "release"))
# What a program writes is cut behind this.
MOST_WRITTEN = 1 << 28
# By its limit of processor time, itself or below `nvmlkit run`.
STOPPED = {sign * number + base for number in (signal.SIGXCPU, signal.SIGKILL) for sign, base in ((-1, 0), (1, 128))}
# Lines with such words are of times, and of what is computed from them.
OF_TIMES = re.compile(r"time|second|\bm?s\b|\bus\b|msec|usec|GB/s|MB/s|GiB/s|flop|bandwidth|throughput|speed|perf|elapsed|duration|per sec|latency|\(n?s\)|/s\b", re.IGNORECASE)


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


def same(one: Ended, other: Ended) -> bool:
    return one.status == other.status and one.lines() == other.lines()


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


def run_in(engine: str, command: list[str | Path], folder: Path, most: float, *, machine: str, build: Path = BUILD) -> Ended:
    """On a simulated machine, with one thread, with nothing compiled before."""
    with tempfile.TemporaryDirectory(prefix="cache-") as cache:
        settings = {"NVMLKIT_CUDA_ENGINE": engine, "NVMLKIT_CUDA_THREADS": "1", "CUDA_CACHE_PATH": cache}
        return run([build / "bin" / "nvmlkit", "run", "-m", machine, "--", *command], folder, most, settings)
