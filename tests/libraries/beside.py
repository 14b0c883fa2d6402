"""The same calls in our library and in NVIDIA's, where that is installed: which answers differ.

A test imports this file and hands main() a generator of answers. Calls that need a GPU are not for it. Each call runs in a
child process first, unless all are safe: NVIDIA's library does not survive some of them."""

from __future__ import annotations

import ctypes
import glob
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

MISSING = 77  # the test is skipped
CRASHED = "crashed"
Answer = tuple[str, object]


class Library:
    """Functions of a library; what they print on stdout is dropped."""

    def __init__(self, path: str, all_are_safe: bool) -> None:
        self.functions = ctypes.CDLL(path)
        self.all_are_safe = all_are_safe
        self.nowhere = os.open(os.devnull, os.O_WRONLY)

    def __call__(self, name: str, *arguments: object) -> object:
        function = getattr(self.functions, name)
        if self.all_are_safe:
            return function(*arguments)
        child = os.fork()
        if child == 0:
            os.dup2(self.nowhere, 1)
            os.dup2(self.nowhere, 2)
            function(*arguments)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            return CRASHED
        return function(*arguments)


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
