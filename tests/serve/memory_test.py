#!/usr/bin/env python3
"""The memory of a page of `nvmlkit serve` and of its server while much happens: JavaScript objects, nodes, processes.

    memory_test.py                                looks for half a minute
    memory_test.py --minutes 60 --gpus 8          looks for an hour
    memory_test.py --minutes 60 --gpus 256 --interval 1s
"""

from __future__ import annotations

import sys
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from browser import Browser, need_browser
from serving import Served, ServeTest, tell

MIB = 1 << 20
HEAP_MAY_GROW = 2 * MIB
# The server keeps up to 4 MiB of a stream that a browser on a busy machine reads late, and not all of that goes back to
# the system. Over many minutes that is done before the first look.
SERVER_MAY_GROW = 2 * MIB
UNREAD_MAY_GROW = 8 * MIB
NODES_MAY_GROW = 200
# The lists of the page show 300 events, and every second command raises one.
COMMANDS_UNTIL_FULL = 620


def option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


MINUTES = float(option("--minutes", "0.5"))
GPUS = int(option("--gpus", "16"))
INTERVAL = option("--interval", "100ms")
LOOKS = 12 if MINUTES >= 5 else 2


def resident(pid: int) -> int:
    """Bytes of memory of a process, without what it shares with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Private_Clean", "Private_Dirty")))


@dataclass
class Look:
    minute: float
    heap: int
    nodes: int
    listeners: int
    server: int
    renderer: int

    def __str__(self) -> str:
        return (f"minute {self.minute:5.1f}: objects {self.heap / MIB:5.2f} MiB, {self.nodes} nodes, {self.listeners} listeners; "
                f"server {self.server / MIB:5.2f} MiB, renderer {self.renderer / MIB:5.1f} MiB")  # fmt: skip


class Memory(ServeTest):
    def look(self, browser: Browser, served: Served, begin: float) -> Look:
        heap = browser.heap()
        nodes, listeners = browser.nodes()
        return Look((time.monotonic() - begin) / 60, heap, nodes, listeners, resident(served.process.pid), resident(browser.renderer()))

    def work(self, served: Served, seconds: float) -> None:
        """Faults come and go."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            gpu = self.done // 2 % GPUS
            answer = served.steer(f"heal gpu={gpu}" if self.done % 2 else f"fault gpu={gpu} xid 31")
            self.assertEqual(answer.status, 200, answer.body)
            time.sleep(0.1)
            self.done += 1

    def test_it_stays_flat(self) -> None:
        browser = Browser()
        self.addCleanup(browser.end)
        served = self.serve("-m", "h100", "-n", str(GPUS), "--interval", INTERVAL)
        browser.open(served, "topology")
        browser.wait("live", lambda: browser.text("#connection") == "live")
        served.steer("load gpu=all 80%")
        self.done = 0
        begin = time.monotonic()
        # The rings of the page and of the server are full after 600 samples.
        self.work(served, max(60.0, 620 * self.seconds_of_interval()))
        while self.done < COMMANDS_UNTIL_FULL:
            self.work(served, 1)
        looks = [self.look(browser, served, begin)]
        for _ in range(LOOKS):
            self.work(served, 60 * MINUTES / LOOKS)
            looks.append(self.look(browser, served, begin))
            if MINUTES >= 5:
                print(looks[-1], flush=True)
        self.assertEqual(browser.text("#connection"), "live")
        self.assertEqual(browser.console(), [])
        first, last = looks[0], looks[-1]
        tell(f"serve: memory over {MINUTES:g} minutes, {GPUS} GPUs, a sample each {INTERVAL}, {self.done} commands: first {first}")
        tell(f"serve: memory over {MINUTES:g} minutes, {GPUS} GPUs: last {last}")
        self.assertLess(last.heap, first.heap + HEAP_MAY_GROW)
        self.assertLess(last.server, first.server + SERVER_MAY_GROW + (0 if MINUTES >= 5 else UNREAD_MAY_GROW))
        self.assertLess(last.nodes, first.nodes + NODES_MAY_GROW)
        self.assertLessEqual(last.listeners, first.listeners + NODES_MAY_GROW)

    @staticmethod
    def seconds_of_interval() -> float:
        return float(INTERVAL[:-2]) / 1000 if INTERVAL.endswith("ms") else float(INTERVAL[:-1])


if __name__ == "__main__":
    need_browser()
    unittest.main(argv=sys.argv[:1], verbosity=2)
