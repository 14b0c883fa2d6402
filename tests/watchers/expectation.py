"""What a watcher must show of a fault, in words: `0 temperature is N/A`, `0 state has lost`, `event new Xid 31`, `error present`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from watcher import View

Check = Callable[[View, View], bool]  # of a frame and of the frame before the fault


@dataclass(frozen=True)
class Nothing:
    """The watcher has no value for it."""

    reason: str


@dataclass(frozen=True)
class Stays:
    """The watcher shows it, and healing ends nothing that it shows: a counter, an event."""

    words: str


Expectation = str | Stays | Nothing


def number(text: str) -> float:
    found = re.search(r"-?\d+(\.\d+)?", text)
    return float(found[0]) if found else float("nan")


def new_lines(text: str, before: str) -> list[str]:
    return [line for line in text.splitlines() if line not in before.splitlines()]


OPERATORS: dict[str, Callable[[str, str, str], bool]] = {
    "is": lambda shown, value, _: shown == value,
    "has": lambda shown, value, _: value in shown,
    "lacks": lambda shown, value, _: bool(shown) and value not in shown,
    "<": lambda shown, value, _: number(shown) < float(value),
    "grows": lambda shown, _, before: number(shown) > (number(before) if before else 0),
    "new": lambda shown, value, before: any(value in line for line in new_lines(shown, before)),
}


def check_of(words: str) -> Check:
    if found := re.fullmatch(r"(.+) (present|absent)", words):
        return lambda view, _: (found[1] in view) == (found[2] == "present")
    found = re.fullmatch(r"(.+?) (is|has|lacks|<|grows|new)(?: (.+))?", words)
    if not found:
        raise ValueError(f"no expectation: {words}")
    holds = OPERATORS[found[2]]
    return lambda view, before: holds(view.get(found[1], ""), found[3] or "", before.get(found[1], ""))
