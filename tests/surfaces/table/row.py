"""A row of the table: a change of GPU 1, and what every surface shows of it."""

from __future__ import annotations

from dataclasses import dataclass, field

SURFACES = ["NVML", "event", "field ids", "nvidia-smi", "log", "/proc", "/sys", "/dev", "CDI", "InfiniBand", "DCGM", "CUDA"]
Cells = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Row:
    do: str  # in the words of operations.py; several are separated by `;`
    machine: str  # of machines.py
    # By surface what is different, as difference.py has it. A surface that is not here shows nothing of the change.
    cells: Cells = field(default_factory=dict)
    before: str = ""  # what is done before the first look
    then: str = ""  # what is done before both looks, such as letting time pass
    title: str = ""

    @property
    def name(self) -> str:
        return self.title or self.do
