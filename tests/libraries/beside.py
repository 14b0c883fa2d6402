"""The same calls in our library and in NVIDIA's, where that is installed: which answers differ.

A test imports this file and hands main() a generator of answers. Calls that need a GPU are not for it. NVIDIA's library does
not survive some calls, so a forked child makes them first, unless all are safe."""

from __future__ import annotations

import ctypes
import glob
import json
import mmap
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

MISSING = 77  # the test is skipped
CRASHED = "crashed"
Answer = tuple[str, object]


class Scout:
    """A forked child that makes the calls first, all that are left. When one ends it, its parent knows how many came before,
    makes them itself, answers that one without making it, and sends the next child."""

    def __init__(self) -> None:
        self.calls = ctypes.c_longlong.from_buffer(mmap.mmap(-1, 8))  # which the child has survived
        self.is_here = False  # true in the child
        self.ahead = 0  # calls that the parent can make

    def survives_next(self) -> bool:
        """Whether the call behind the last one can be made. Where the child came to the end, its parent ends, too."""
        if self.is_here:
            return True
        if self.ahead == 0:
            self._send()
        self.ahead -= 1
        return self.is_here or self.ahead > 0

    def survived(self) -> None:
        if self.is_here:
            self.calls.value += 1

    def _send(self) -> None:
        self.calls.value = 0
        child = os.fork()
        if child == 0:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            self.is_here = True
            return
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            os._exit(os.WEXITSTATUS(status))
        self.ahead = self.calls.value + 1  # with the one that ended it


class Library:
    """Functions of a library."""

    def __init__(self, path: str, all_are_safe: bool) -> None:
        self.functions = ctypes.CDLL(path)
        self.scout = None if all_are_safe else Scout()

    def __call__(self, name: str, *arguments: object) -> object:
        function = getattr(self.functions, name)
        if self.scout is None:
            return function(*arguments)
        if not self.scout.survives_next():
            return CRASHED
        result = function(*arguments)
        self.scout.survived()
        return result


def answers_of(path: str, to: str) -> dict[str, object]:
    """In a process of its own, since both libraries have the same names. What a library needs is beside it."""
    folders = os.path.dirname(os.path.abspath(path)) + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    ran = subprocess.run([sys.executable, sys.argv[0], "--answers", path, to], capture_output=True, check=False,
                         env={**os.environ, "LD_LIBRARY_PATH": folders})
    if ran.returncode != 0:
        sys.exit(f"{path}: its answers ended with {ran.returncode}\n{ran.stderr.decode(errors='replace')[-2000:]}")
    with open(to, encoding="utf-8") as file:
        return json.load(file)


def main(answers: Callable[[Library], Iterator[Answer]], all_are_safe: bool = False) -> None:
    if sys.argv[1] == "--answers":
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            json.dump(dict(answers(Library(sys.argv[2], all_are_safe))), file)
        return
    ours, pattern = sys.argv[1:3]
    installed = sorted(glob.glob(pattern))
    if not installed:
        print(f"{os.path.basename(pattern)} of NVIDIA is not installed")
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        got = answers_of(ours, f"{folder}/ours")
        expected = answers_of(installed[-1], f"{folder}/nvidias")
    different = [name for name in expected if expected[name] != CRASHED and got[name] != expected[name]]
    for name in different:
        print(f"{name}: ours {got[name]}, NVIDIA's {expected[name]}")
    print(f"{len(expected)} answers, {len(different)} differ")
    if different or len(expected) < 20:
        sys.exit(1)
