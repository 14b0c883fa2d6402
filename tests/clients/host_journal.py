"""The journal of a host of the test's own: real journald in a mount namespace, and a terminal in the place of /dev/kmsg, as charts of
Kubernetes want a device there. The test does the kernel's part: a record that a program wrote has the facility user. Needs root."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import subprocess
import threading
import tty
from collections.abc import Callable
from pathlib import Path

JOURNALD = Path("/lib/systemd/systemd-journald")
FOLDER = Path("/run/log/journal")
_MACHINE_ID = "0123456789abcdef0123456789abcdef"
_USER = 1 << 3  # the facility
# A message can have several lines.
_RECORD = re.compile(r"<(\d+)>(.*?)\n(?=<\d+>|\Z)", re.DOTALL)


def _mount(source: str | Path, place: str) -> None:
    subprocess.run(["mount", "--bind", source, place], check=True)


class HostJournal:
    """Of the mount namespace of this process, with an empty /run. `start` starts a program that the caller ends."""

    def __init__(self, folder: Path, start: Callable[..., object]) -> None:
        for place in (FOLDER / _MACHINE_ID, Path("/run/systemd/journal")):
            place.mkdir(parents=True)
        (folder / "id").write_text(f"{_MACHINE_ID}\n")
        _mount(folder / "id", "/etc/machine-id")
        # One record is one read for journald.
        os.mkfifo(folder / "read")
        self._to_journald = os.open(folder / "read", os.O_RDWR | os.O_CLOEXEC)
        fcntl.fcntl(self._to_journald, fcntl.F_SETFL, os.O_DIRECT)
        see = 'mount --bind "$1" /dev/kmsg && exec "$2"'
        if not Path("/dev/kmsg").exists():
            Path("/dev/kmsg").touch()
        start("unshare", "--mount", "--propagation", "private", "sh", "-c", see, "sh", folder / "read", JOURNALD)
        written, self._terminal = pty.openpty()
        tty.setraw(self._terminal)
        threading.Thread(target=self._kernel, args=(written,), daemon=True).start()

    @staticmethod
    def has_begun() -> bool:
        return any(FOLDER.rglob("*.journal"))

    def take_kmsg(self) -> None:
        """From now on, what programs write to /dev/kmsg comes into this journal."""
        _mount(os.ttyname(self._terminal), "/dev/kmsg")

    def _kernel(self, written: int) -> None:
        number, text = 0, ""
        while True:
            text += os.read(written, 8192).decode()
            if not text.endswith("\n"):
                continue
            for match in _RECORD.finditer(text):
                number += 1
                message = match[2].replace("\n", r"\x0a")
                os.write(self._to_journald, f"{_USER + int(match[1])},{number},{number},-;{message}\n".encode())
            text = ""
