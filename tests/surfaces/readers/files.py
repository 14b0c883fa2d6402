"""The files of a root below proc, sys, dev and sys/class/infiniband, and its CDI specification."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

Tree = dict[str, tuple[str, bytes, int]]


def readable(entry: tuple[str, bytes, int]) -> str:
    kind, content, _ = entry
    if not content.isascii() or b"\0" in content:
        return f"binary, checksum {zlib.crc32(content):08x}"
    text = content.decode(errors="replace").rstrip("\n")
    return text if kind != "link" else f"-> {text}"


def of_gpus(text: str, bus_ids: list[str]) -> str:
    """The kernel's names of GPUs by place."""
    for place, bus_id in enumerate(bus_ids):
        text = text.replace(bus_id[4:], f"gpu{place}")
    return text


def part(tree: Tree, bus_ids: list[str], *, top: str, infiniband: bool = False) -> dict[str, str]:
    out = {}
    for path, entry in tree.items():
        if not path.startswith(top) or ("infiniband" in path) != infiniband:
            continue
        name, text = of_gpus(path, bus_ids), of_gpus(readable(entry), bus_ids)
        if path.endswith(("/information", "/params")):
            out |= {f"{name}/{line.split(':')[0]}": line.partition(":")[2].strip() for line in text.splitlines()}
        else:
            out[name] = text
    return out


def lines_of_dev(tree: Tree) -> dict[str, str]:
    """The nodes; `dev-nodes` lists them with type and numbers, also where no node can be made."""
    nodes = {path: "node" for path in tree if path.startswith("dev/")}
    listed = [line.split(maxsplit=1) for line in tree["dev-nodes"][1].decode().splitlines()] if "dev-nodes" in tree else []
    return {**nodes, **{f"list {path}": about for path, about in listed}}


def cdi(root: Path, uuids: list[str]) -> dict[str, str]:
    specification = json.loads((root / "nvidia-cdi.json").read_text(encoding="utf-8"))
    out = {"all containers": json.dumps(specification.get("containerEdits"))}
    for device in specification["devices"]:
        edits = device["containerEdits"]
        paths = sorted({mount["containerPath"] for mount in edits.get("mounts", [])}
                       | {node["path"] for node in edits.get("deviceNodes", [])})  # fmt: skip
        name = device["name"]
        out[f"gpu{uuids.index(name)}" if name in uuids else name] = " ".join(paths)
    return out
