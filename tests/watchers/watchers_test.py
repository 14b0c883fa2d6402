#!/usr/bin/env python3
"""nvtop, gpustat, `nvmlkit top`, a waiter for events, the page and Prometheus watch one machine, while a scenario raises and heals
every kind of fault. Each shows it within one of its own refreshes, or has no value for it.

    watchers_test.py --show [WORDS]    what each watcher shows of the faults whose words contain WORDS"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
import unittest
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from clients import PATIENCE, UNDER_QEMU, skip, tell  # noqa: E402
from fixture import ClientTest  # noqa: E402

from expectation import Nothing, Stays, check_of  # noqa: E402
from faults import FAULTS, MACHINE, Fault, kinds_of_program  # noqa: E402
from on_terminals import Gpustat, Nvtop, Top  # noqa: E402
from others import EventWaiter, Page, Prometheus, Served  # noqa: E402
from scenario import Scenario  # noqa: E402
from watcher import View, Watcher, now  # noqa: E402

SHOW = "--show" in sys.argv
FIRST_FRAMES = 120
COST = 0.25  # seconds of a frame on an idle machine, from asking the driver until it is seen here
WAITER_LIMIT = 0.010
TRIES = 3


def busy() -> float:
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Table(ClientTest):
    def test_every_kind_of_fault_is_in_the_table(self) -> None:
        self.assertEqual(kinds_of_program(self.good("fault", "--help")), {fault.kind for fault in FAULTS})


class Watchers(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        machine = self.folder / "machine.yaml"
        machine.write_text(json.dumps(MACHINE))
        self.up(machine, None)
        environment = {**self.environment, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config")}
        self.served = Served(self, "--open-metrics", "--interval", "500ms")
        self.watchers: list[Watcher] = []
        self.missing: list[str] = []
        for name, kind, make in (
            ("nvtop", Nvtop, lambda: Nvtop(environment)),
            ("gpustat", Gpustat, lambda: Gpustat(environment)),
            ("nvmlkit top", Top, lambda: Top(environment)),
            ("python3-pynvml", EventWaiter, lambda: EventWaiter(environment)),
            ("chromium", Page, lambda: Page(self.served)),
            ("prometheus", Prometheus, lambda: Prometheus(self.served, self.folder)),
        ):  # fmt: skip
            self.begin(make()) if kind.is_there() else self.missing.append(name)
        self.good("load", "gpu=all", "100%")
        for watcher in self.watchers:
            if watcher.key != "waiter":
                self.assertIsNotNone(watcher.wait(0, bool, FIRST_FRAMES), f"{watcher.name} shows nothing")
        self.wait_until_busy()
        self.random = random.Random(17)
        self.signal = 0
        self.delays: dict[str, list[float]] = {watcher.key: [] for watcher in self.watchers}

    def begin(self, watcher: Watcher) -> None:
        watcher.begin()
        self.addCleanup(watcher.end)
        self.watchers.append(watcher)

    def wait_until_busy(self) -> None:
        """Every watcher shows the load, before which a slower clock would be no fault."""
        for watcher in self.watchers:
            if watcher.key in ("nvtop", "page"):
                self.assertIsNotNone(watcher.wait(0, lambda view: int((view.get("0 clock") or "0").split()[0]) > 1900, FIRST_FRAMES))

    def test_each_watcher_shows_each_fault_within_its_refresh(self) -> None:
        if SHOW:
            self.show(" ".join(sys.argv[2:]))
            return
        begin = time.monotonic()
        late = again = self.run_faults(FAULTS)
        for _ in range(TRIES - 1):  # other programs may have had the processor
            if late:
                late = self.run_faults([fault for fault in FAULTS if fault.words in late])
        self.report(time.monotonic() - begin, again)
        self.assertEqual(late, {})
        if self.delays.get("waiter"):
            self.assertLess(statistics.median(self.delays["waiter"]), WAITER_LIMIT)

    def run_faults(self, faults: list[Fault]) -> dict[str, str]:
        """Raises and heals them in a scenario. Those that a watcher showed late."""
        scenario = Scenario(self, [step for fault in faults for step in (f"fault {fault.words}", fault.heal)], self.signal)
        late: dict[str, str] = {}
        seen: list[tuple[Fault, int, float]] = []  # by the waiter: fault, step, time
        for place, fault in enumerate(faults):
            for raised in (True, False):
                for watcher, began, shown in self.step(scenario, fault, raised):
                    if watcher.key == "waiter":
                        seen.append((fault, 2 * place, shown))
                        continue
                    delay = max(0.0, shown - began)
                    self.delays[watcher.key].append(delay / watcher.refresh)
                    if delay > watcher.refresh + watcher.start + COST * busy():
                        late[fault.words] = f"{watcher.name} after {delay:.2f} s" + ("" if raised else ", healed")
        self.signal = scenario.signal
        began_at = scenario.end()
        for fault, place, shown in seen:
            self.delays["waiter"].append(shown - began_at[place])
            if shown - began_at[place] > WAITER_LIMIT * busy():
                late[fault.words] = f"event waiter after {1000 * (shown - began_at[place]):.1f} ms"
        return late

    def step(self, scenario: Scenario, fault: Fault, raised: bool) -> Iterator[tuple[Watcher, float, float]]:
        """The watchers that have to show it: when the step began, when they did."""
        time.sleep(self.random.uniform(0, 0.5))  # not always right after a frame
        signal = now()
        before = {watcher.key: watcher.newest() for watcher in self.watchers}
        wanted = {watcher: words for watcher in self.watchers if (words := words_for(fault, watcher, raised))}
        for watcher, words in wanted.items():
            if watcher.key != "waiter":
                self.assertEqual(check_of(words)(before[watcher.key], before[watcher.key]), not raised, f"{watcher.name} before {fault.words}: {words}; {before[watcher.key]}")
        began = scenario.next()
        for watcher, words in wanted.items():
            holds = check_of(words)
            shown = watcher.wait(signal, lambda view: holds(view, before[watcher.key]) == raised, PATIENCE)  # noqa: B023
            self.assertIsNotNone(shown, f"{watcher.name}, {fault.words}{'' if raised else ', healed'}: {words}; it shows {watcher.newest()}")
            assert shown is not None
            yield watcher, began, shown

    def report(self, seconds: float, again: dict[str, str]) -> None:
        shown = []
        for watcher in self.watchers:
            delays = self.delays[watcher.key]
            if watcher.key == "waiter":
                shown.append(f"{watcher.name} {1000 * statistics.median(delays):.1f} ms (most {1000 * max(delays):.1f}, {len(delays)} faults)")
            else:
                shown.append(f"{watcher.name} {statistics.median(delays):.2f} refreshes of {watcher.refresh:g} s (most {max(delays):.2f}, {len(delays)} changes)")
        tell(f"watchers: {len(FAULTS)} faults of {len({fault.kind for fault in FAULTS})} kinds raised and healed in {seconds:.0f} s while {busy():.1f} programs "
             f"share a processor; {'; '.join(shown)}; {len(again)} late and tried again {again or ''}"
             + (f"; not installed: {', '.join(self.missing)}" if self.missing else ""))  # fmt: skip

    def show(self, words: str) -> None:
        """What changes in the frames of each."""
        for fault in FAULTS:
            if words in fault.words:
                for command in (f"fault {fault.words}", fault.heal):
                    before, signal = {watcher: watcher.newest() for watcher in self.watchers}, now()
                    print(f"== {command}")
                    self.good(*command.split())
                    time.sleep(2.5)
                    for watcher in self.watchers:
                        print_changes(watcher, before[watcher], signal)


def words_for(fault: Fault, watcher: Watcher, raised: bool) -> str:
    expected = fault.of(watcher.key)
    if isinstance(expected, Nothing):
        return ""
    if isinstance(expected, Stays):
        return expected.words if raised else ""
    return expected if watcher.key != "waiter" or raised else ""


def print_changes(watcher: Watcher, before: View, signal: float) -> None:
    if watcher.key == "waiter":
        for when, view in watcher.since(signal)[1:]:
            print(f"   {watcher.name}: {1000 * (when - signal):.1f} ms {view}")
        return
    view = watcher.newest()
    for name in sorted({**before, **view}):
        if before.get(name) != view.get(name):
            print(f"   {watcher.name}: {name}: {before.get(name)!r} -> {view.get(name)!r}")


if __name__ == "__main__":
    if UNDER_QEMU:
        skip("it measures time, and an emulator has another one")
    unittest.main(argv=sys.argv[:1], verbosity=2)
