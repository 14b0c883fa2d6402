#!/usr/bin/env python3
"""Random faults, heals and setters; after each, all surfaces of the machine are held against one another.

  random_test.py MACHINE [SEED]
  NVMLKIT_SURFACE_STEPS=1000   how many steps; 25 otherwise"""

from __future__ import annotations

import os
import sys
import time
import unittest

from invariants import Disagreement, disagreements, of_log
from operations import Refused, do
from steps import Steps
from table.machines import MACHINES
from world import World, tell

STEPS = int(os.environ.get("NVMLKIT_SURFACE_STEPS", "25"))
LONGEST_SEARCH = 120  # seconds for a shorter list of steps


class Life:
    """A machine, its node, and a program that started at its beginning."""

    def __init__(self, world: World, machine: dict) -> None:
        self.world = world
        world.up(machine)
        world.watch()
        self.known = len(world.log())

    def look(self) -> list[Disagreement]:
        """What disagrees now, and what was logged and reported since the last look."""
        world = self.world
        snapshot = world.snapshot()
        events = snapshot["event"]["events"].splitlines()
        messages = snapshot["log"]["messages"].splitlines()
        fresh, self.known = messages[self.known :], len(messages)
        found = disagreements(snapshot, len(world.uuids), world.older) + of_log(events, fresh, snapshot)
        if world.kept_log() != world.run("kernel-log", "--format", "kmsg"):
            found.append(("log of the node", "nvmlkit kernel-log", "they differ"))
        return found


def apply(world: World, step: str) -> bool:
    try:
        do(world, step)
    except Refused:
        return False
    return True


def shorter(machine: dict, steps: list[str]) -> list[str]:
    """Without the steps that do not matter, as far as the time allows."""
    end = time.monotonic() + LONGEST_SEARCH

    def fails(some: list[str]) -> bool:
        world = World()
        try:
            life = Life(world, machine)
            for step in some:
                apply(world, step)
            return bool(life.look())
        finally:
            world.close()

    size = len(steps) // 2
    while size >= 1 and time.monotonic() < end:
        at = 0
        while at < len(steps) and time.monotonic() < end:
            fewer = steps[:at] + steps[at + size :]
            if fewer and fails(fewer):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps


class RandomChanges(unittest.TestCase):
    machine, seed = "", 1

    def test_all_surfaces_agree(self) -> None:
        world = World()
        self.addCleanup(world.close)
        machine = MACHINES[self.machine]
        life = Life(world, machine)
        self.assertEqual(life.look(), [], "before the first step")
        steps, done, refused = Steps(self.seed, len(world.uuids)), [], 0
        begin = time.monotonic()
        while len(done) < STEPS:
            step = steps.next()
            if not apply(world, step):
                refused += 1
                continue
            done.append(step)
            if found := life.look():
                told = "".join(f"\n  {one} and {other}: {what}" for one, other, what in found)
                few = "".join(f"\n  {step}" for step in shorter(machine, done))
                self.fail(f"{self.machine}, seed {self.seed}, step {len(done)} ({step}):{told}\nwith these steps:{few}")
        tell(f"random changes of {self.machine}: {len(done)} steps, {refused} more refused, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    RandomChanges.machine = sys.argv.pop(1)
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        RandomChanges.seed = int(sys.argv.pop(1))
    unittest.main()
