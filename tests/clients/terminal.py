"""A program on a terminal: what stands on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable

from clients import unpacked

sys.path.append(str(unpacked("bookworm", "usr/lib/python3/dist-packages")))
import pyte  # noqa: E402


def screen_of(
    command: list[str], environment: dict[str, str], columns: int, rows: int, complete: Callable[[str], bool],
    timeout: float = 120,
) -> str:  # fmt: skip
    """Starts the program and reads its screen until that is complete; what stands there then, or when time is over."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execvpe(command[0], command, {**environment, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    text, end = "", time.monotonic() + timeout
    try:
        while time.monotonic() < end:
            # Complete and at rest: programs draw in several writes.
            if not select.select([terminal], [], [], 0.05)[0]:
                if complete(text):
                    break
                continue
            try:
                read = os.read(terminal, 1 << 16)
            except OSError:  # the program has ended
                break
            stream.feed(read)
            text = "\n".join(line.rstrip() for line in screen.display)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
    return text
