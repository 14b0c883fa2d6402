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


# Its control sequences are those that pyte knows, and scrolling, see below.
TERMINAL = "screen-256color"


class Screen(pyte.Screen):
    """With the control sequences SU and SD, which ncurses writes and pyte does not know."""

    def scroll_up(self, count: int = 1) -> None:
        self.scroll(self.delete_lines, count)

    def scroll_down(self, count: int = 1) -> None:
        self.scroll(self.insert_lines, count)

    def scroll(self, edit: Callable[[int], None], count: int) -> None:
        x, y = self.cursor.x, self.cursor.y
        self.cursor.y = self.margins.top if self.margins else 0
        edit(count)
        self.cursor.x, self.cursor.y = x, y


class Stream(pyte.ByteStream):
    csi = {**pyte.ByteStream.csi, "S": "scroll_up", "T": "scroll_down"}
    events = pyte.ByteStream.events | {"scroll_up", "scroll_down"}


class Terminal:
    """A program on a terminal that is typed on: its screen now, its keys, the size of the terminal."""

    def __init__(self, command: list[str], environment: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.status: int | None = None
        self.written = b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def read(self, seconds: float) -> bool:
        """Takes what the program has written; false where it has ended."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return True
        try:
            written = os.read(self.terminal, 1 << 16)
        except OSError:
            return False
        self.written += written
        self.stream.feed(written)
        return bool(written)

    def wait_for(self, complete: Callable[[str], bool], timeout: float = 60) -> str:
        """The screen as soon as it is complete; a failure with the screen when the time is over."""
        end = time.monotonic() + timeout
        while not complete(self.text()):
            if time.monotonic() > end or not self.read(0.05):
                raise AssertionError(f"this screen never came:\n{self.text()}")
        return self.text()

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def end(self, timeout: float = 60) -> int:
        """The exit status of the program, which ends by itself; negative: the signal that ended it."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            self.read(0.05)
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                self.status = os.waitstatus_to_exitcode(status)
                while select.select([self.terminal], [], [], 0)[0] and self.read(0):
                    pass  # what it wrote last
                return self.status
        raise AssertionError(f"the program has not ended:\n{self.text()}")


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
