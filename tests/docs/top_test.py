#!/usr/bin/env python3
"""top_test.py PAGE NVMLKIT [--write]: the picture in docs/guides/top.md is what `nvmlkit top` draws.

The machine has virtual time, so that its values are the same in each run. The curves depend on when the frames were
drawn, and the host and the clock on the machine: they are not compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MARK = "<!-- picture -->\n```\n"
STEPS = [
    ["load gpu=0 95% --memory 60%", "load gpu=1 60%", "load gpu=2 100% --memory 80%", "load gpu=5 30%", "fault gpu=5 thermal hw"],
    ["load gpu=0 35%", "load gpu=1 90%"],
    ["load gpu=0 70% --memory 50%", "fault gpu=3 xid 79"],
    ["load gpu=0 92% --memory 60%"],
]
SECONDS = 9  # of the machine, between two steps
CATCH_UP = 15


def picture(nvmlkit: str) -> str:
    """The last frame of a minute."""
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
        assert top.stdout

        def frame() -> list[str]:
            return [top.stdout.readline().rstrip("\n") for _ in range(25)][:24]

        try:
            while not any("PID" in line for line in frame()):
                pass
            for step in STEPS:
                for command in step:
                    steer(command)
                for _ in range(SECONDS):
                    steer("time advance 1s")
                    frame()
            for _ in range(CATCH_UP):  # frames that were drawn before the last step
                frame()
            return "\n".join(frame())
        finally:
            top.kill()
            top.communicate()
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
