"""The kernel log of the machine and the log of the fabric manager, a message a line."""

from __future__ import annotations

import re
from pathlib import Path

KNOWN = [
    (r"NVRM: Xid \(PCI:([0-9a-f:]+)\): 154, .* to 0x(\d) \(.*\)", r"\1 Xid 154 to \2"),
    (r"NVRM: Xid \(PCI:([0-9a-f:]+)[^)]*\): (\d+), .*", r"\1 Xid \2"),
    (r"NVRM: GPU at PCI:([0-9a-f:]+): GPU-.*", r"\1 UUID"),
    (r"NVRM: GPU ([0-9a-f:]+)\.0: GPU has fallen off the bus\.", r"\1 fallen off the bus"),
    (r"NVRM: GPU ([0-9a-f:]+)\.0: GPU serial number is .*", r"\1 serial number"),
    (r"NVRM: GPU Board Serial Number: .*", "board serial number"),
    (r"(nvidia-nvswitch\d+): SXid \(PCI:[0-9a-f:.]+\): (\d+), (\S+), .*", r"\1 SXid \2 \3"),
    (r"NVRM: API mismatch: the client.*", "API mismatch"),
]


def short(message: str, bus_ids: list[str]) -> str:
    """A message that is known, in a few words."""
    for pattern, words in KNOWN:
        if match := re.fullmatch(pattern, message):
            message = match.expand(words)
            break
    for place, bus_id in enumerate(bus_ids):
        message = message.replace(bus_id[4:].removesuffix(".0"), f"gpu{place}")
    return message


def messages(dmesg: str, bus_ids: list[str]) -> list[str]:
    """Of the output of `nvmlkit kernel-log`, without the load of the module; lines that continue one are left out."""
    lines = [match[1] for line in dmesg.splitlines() if (match := re.match(r"\[ *\d+\.\d+\] (\S.*)", line))]
    return [short(line, bus_ids) for line in lines if "NVRM: loading" not in line]


def of_fabric_manager(root: Path) -> list[str]:
    try:
        lines = (root / "var/log/fabricmanager.log").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    lines = [re.sub(r"^\[[^]]*\] *", "", line) for line in lines]
    return [re.sub(r".*detected NVSwitch (\S+) error (\d+) on .* physical id (\d+) port (\d+)", r"switch \3 port \4 \2 \1", line) for line in lines]
