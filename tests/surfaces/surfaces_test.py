#!/usr/bin/env python3
"""The table of faults and setters against surfaces: each cell is what the surface shows.

  surfaces_test.py MACHINE          the rows of a machine
  surfaces_test.py --show WORDS     what the rows whose name contains WORDS show now, in the form of the table"""

from __future__ import annotations

import os
import pprint
import sys
import time
import unittest

from difference import changes
from operations import do
from table import MACHINES, ROWS
from table.row import Cells, Row
from world import Snapshot, World, tell


class Table:
    """Runs rows on one machine."""

    def __init__(self) -> None:
        self.world = World()
        self.before: dict[tuple[str, str, str], Snapshot] = {}

    def steps(self, words: str) -> None:
        for step in filter(None, words.split("; ")):
            do(self.world, step)

    def fresh(self, row: Row) -> None:
        self.world.up(MACHINES[row.machine])
        self.steps(row.before)

    def look_before(self, row: Row) -> Snapshot:
        """The same for all rows that begin in the same way. A look changes the machine: CUDA runs on it."""
        key = (row.machine, row.before, row.then)
        if key not in self.before:
            self.fresh(row)
            self.steps(row.then)
            self.before[key] = self.world.snapshot()
        return self.before[key]

    def look(self, row: Row) -> Cells:
        before = self.look_before(row)
        self.fresh(row)
        self.world.watch()
        self.steps(row.do)
        self.steps(row.then)
        after = self.world.snapshot()
        seen = {surface: changes(before.get(surface, {}), values) for surface, values in after.items()}
        return {surface: values for surface, values in seen.items() if values}


def resets(row: Row) -> bool:
    """By nvidia-smi, which does so for root only, here as on hardware."""
    return row.do.startswith("smi -r")


def disagreements(row: Row, surface: str, seen: dict[str, str]) -> list[str]:
    expected = row.cells.get(surface, {})
    return [f"{row.name} | {surface} | {key}: expected {expected.get(key, 'unchanged')!r}, seen {seen.get(key, 'unchanged')!r}"
            for key in {**expected, **seen} if expected.get(key) != seen.get(key)]  # fmt: skip


class Surfaces(unittest.TestCase):
    machine = ""

    def test_every_cell(self) -> None:
        table = Table()
        self.addCleanup(table.world.close)
        cells = 0
        begin = time.monotonic()
        rows = [row for row in ROWS if row.machine == self.machine]
        for row in rows:
            if resets(row) and (os.geteuid() != 0 or not table.world.smi):
                continue
            seen = table.look(row)
            for surface in table.before[row.machine, row.before, row.then]:
                with self.subTest(row=row.name, surface=surface):
                    wrong = disagreements(row, surface, seen.get(surface, {}))
                    self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
                cells += 1
        tell(f"surfaces of {self.machine}: {len(rows)} rows, {cells} cells, {time.monotonic() - begin:.0f} s")


def show(words: str) -> None:
    table = Table()
    try:
        for row in ROWS:
            if words in row.name:
                shown = pprint.pformat(table.look(row), width=125, sort_dicts=False)
                print(f"{row.machine}: {row.name}\n{shown}\n", flush=True)
    finally:
        table.world.close()


if __name__ == "__main__":
    if sys.argv[1] == "--show":
        show(" ".join(sys.argv[2:]))
    else:
        Surfaces.machine = sys.argv.pop(1)
        assert any(row.machine == Surfaces.machine for row in ROWS), Surfaces.machine
        unittest.main()
