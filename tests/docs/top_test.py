#!/usr/bin/env python3
"""top_test.py PAGE NVMLKIT [--write]: the picture in docs/guides/top.md is what `nvmlkit top` draws.

The machine has virtual time, so that its values are the same in each run. The curves depend on when the frames were
drawn, and the host and the clock on the machine: they are not compared."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

MARK = "<!-- picture -->\n```\n"
STEPS = [
    ["load gpu=0 95% --memory 60%", "load gpu=1 60%", "load gpu=2 100% --memory 80%", "load gpu=5 30%", "fault gpu=5 thermal hw"],
    ["load gpu=0 35%", "load gpu=1 90%"],
    ["load gpu=0 70% --memory 50%", "fault gpu=3 xid 79"],
    ["load gpu=0 92% --memory 60%"],
]
ADVANCES = 3  # of time, after each step
SETTLED = 12  # frames after the last step: no value of before it is shown any more
ROWS = 24


class Frames:
    """The newest frame of a batch; read all the time, so that it is never an old one."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self.newest: list[str] = []
        self.count = 0
        self.changed = threading.Condition()
        threading.Thread(target=self.read, args=(program,), daemon=True).start()

    def read(self, program: subprocess.Popen[str]) -> None:
        assert program.stdout
        while lines := [line.rstrip("\n") for line in itertools.islice(program.stdout, ROWS + 1)]:
            with self.changed:
                self.newest = lines[:ROWS]
                self.count += 1
                self.changed.notify_all()

    def wait_for(self, complete: Callable[[list[str]], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: complete(self.newest), 60)

    def next(self, frames: int) -> list[str]:
        with self.changed:
            end = self.count + frames + 1  # the next one may have been under way
            assert self.changed.wait_for(lambda: self.count >= end, 60)
            return self.newest


def picture(nvmlkit: str) -> str:
    """The last frame of half a minute."""
    with tempfile.TemporaryDirectory() as folder:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("NVMLKIT_")}
        environment = {**clean, "NVMLKIT_STATE": f"{folder}/machine", "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        subprocess.run([nvmlkit, "up", "-m", "h100", "--state", f"{folder}/machine"], check=True, stdout=subprocess.PIPE,
                       env={**environment, "NVMLKIT_TIME": "virtual"})  # fmt: skip

        def steer(command: str) -> None:
            subprocess.run([nvmlkit, *command.split()], env=environment, check=True, stdout=subprocess.PIPE)

        user = subprocess.Popen([nvmlkit, "run", "--uses", "gpu=0", "--memory", "41GiB", "--", "sleep", "100"], env=environment)
        top = subprocess.Popen([nvmlkit, "top", "--batch", "--interval", "100ms", "--size", "80x24"], env=environment,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
        frames = Frames(top)
        try:
            frames.wait_for(lambda frame: any("PID" in line for line in frame))
            for step in STEPS:
                for command in step:
                    steer(command)
                for _ in range(ADVANCES):
                    steer("time advance 3s")
                    frames.next(1)
            return "\n".join(frames.next(SETTLED))
        finally:
            top.kill()
            top.wait()
            user.terminate()
            user.wait()


def known(frame: list[str]) -> list[str]:
    """The lines without curves, host, clock and PID."""
    lines = [re.sub(r"PID +\d+", "PID", line) for line in frame[1:] if not re.search("[⠀-⣿]", line) and line.strip()]
    return [re.sub(r"\d\d:\d\d:\d\d", "", line) for line in lines]


def anonymous(text: str) -> str:
    """On a host of no name."""
    head, rest = text.split("\n", 1)
    parts = re.fullmatch(r" nvmlkit top  \S+  (.*?) +(\S+ s  )\d\d:\d\d:\d\d", head)
    assert parts, head
    left, right = f" nvmlkit top  node-1  {parts[1]}", f"{parts[2]}12:00:00"
    rest = re.sub(r"PID +\d+", "PID     4242", rest)
    return f"{left}{right:>{79 - len(left)}}\n" + re.sub(r"\d\d:\d\d:\d\d  GPU", "12:00:00  GPU", rest)


def main() -> int:
    file, nvmlkit = Path(sys.argv[1]), sys.argv[2]
    page = file.read_text(encoding="utf-8")
    before, rest = page.split(MARK)
    old, after = re.split(r"^```\n", rest, maxsplit=1, flags=re.M)
    new = anonymous(picture(nvmlkit))
    if sys.argv[3:] == ["--write"]:
        file.write_text(f"{before}{MARK}{new}\n```\n{after}", encoding="utf-8")
        return 0
    if known(old.splitlines()) == known(new.splitlines()):
        return 0
    print(f"{file} shows\n{old}\nand `nvmlkit top` shows\n{new}\nrun: python3 {' '.join(sys.argv)} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
