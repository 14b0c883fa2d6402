"""A program that watches a machine: its frames, each with the time at which it was seen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

View = dict[str, str]  # what a frame shows: a text for each name


def now() -> float:
    """The clock of the kernel log."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Watcher:
    """Keeps its newest frames. A subclass calls take() from a thread of its own."""

    name = ""
    key = ""  # of faults.py
    refresh = 0.5  # seconds between two frames of the program
    start = 0.0  # seconds that it needs to start again, if a fault ends it

    def __init__(self) -> None:
        self.frames: list[tuple[float, View]] = []
        self.changed = threading.Condition()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.failure: BaseException | None = None

    @staticmethod
    def is_there() -> bool:
        """Whether its program is installed."""
        return True

    def begin(self) -> None:
        self.thread.start()

    def end(self) -> None:
        self.ending.set()
        self.thread.join(30)

    def _run(self) -> None:
        try:
            self.watch()
        except BaseException as error:  # the test raises it
            if not self.ending.is_set():
                self.failure = error
                with self.changed:
                    self.changed.notify_all()

    def watch(self) -> None:
        raise NotImplementedError

    def take(self, view: View, when: float | None = None) -> None:
        with self.changed:
            if self.frames and self.frames[-1][1] == view and not self.counts_every_frame():
                return
            self.frames.append((now() if when is None else when, view))
            self.changed.notify_all()

    def counts_every_frame(self) -> bool:
        """Whether a frame like the one before is a frame: an event is."""
        return False

    def newest(self) -> View:
        with self.changed:
            return self.frames[-1][1] if self.frames else {}

    def since(self, when: float) -> list[tuple[float, View]]:
        """What it shows at this time, and each later frame."""
        with self.changed:
            place = next((i for i, (seen, _) in enumerate(self.frames) if seen > when), len(self.frames))
            shown = [(when, self.frames[place - 1][1])] if place else []
            return shown + self.frames[place:]

    def wait(self, when: float, good: Callable[[View], bool], timeout: float) -> float | None:
        """The time of the first good frame from `when` on."""
        end = time.monotonic() + timeout
        while True:
            with self.changed:
                count = len(self.frames)
            for seen, view in self.since(when):
                if good(view):
                    return seen
            if self.failure:
                raise AssertionError(f"{self.name}: {self.failure}")
            with self.changed:
                if len(self.frames) == count and not self.changed.wait(max(0.0, end - time.monotonic())):
                    return None
