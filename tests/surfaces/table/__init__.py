"""The table of faults and setters against surfaces, by subject."""

from . import board, calls, fields, links, machine, memory, reach, setters
from .machines import MACHINES

GROUPS = [
    ("Xids, and GPUs out of reach", reach.ROWS),
    ("Memory errors", memory.ROWS),
    ("Heat, power, fans, InfoROM", board.ROWS),
    ("Links and fabric", links.ROWS),
    ("Events by themselves, and calls that fail", calls.ROWS),
    ("Faults of the machine", machine.ROWS),
    ("Setters", setters.ROWS),
    ("Values of a machine that `nvmlkit set` changes", fields.ROWS),
]
ROWS = [row for _, rows in GROUPS for row in rows]

__all__ = ["GROUPS", "MACHINES", "ROWS"]
