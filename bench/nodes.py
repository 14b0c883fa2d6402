#!/usr/bin/env python3
"""What nodes cost: starts many `nvmlkit node` side by side and prints the median and the largest of each figure for one node.
    bench/nodes.py [--nodes N] [--machine MACHINE] [--rest SECONDS] [--folder DIR]
The folder needs 13 MB for each node, and the user an inotify instance for each (sysctl fs.inotify.max_user_instances). NVMLKIT_BUILD_DIR is the build, build/release by default."""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("NVMLKIT_BUILD_DIR", Path(__file__).resolve().parents[1] / "build" / "release")).resolve()


class Node:
    def __init__(self, folder: Path, machine: str) -> None:
        self.folder = folder
        folder.mkdir()
        self.ready = folder / "ready"
        command = [BUILD / "bin" / "nvmlkit", "node", folder / "root", "-m", machine, "--cdi-dir", folder, "--ready-file", self.ready]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("NVMLKIT_")}
        self.began = time.monotonic()
        self.errors = folder / "errors"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(command, env=clean, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

    def wait(self) -> float:
        """Milliseconds until the root was complete."""
        while not self.ready.exists():
            if self.process.poll() is not None:
                sys.exit(f"{self.folder}: the node ended with {self.process.returncode}: {self.errors.read_text().strip()}")
            time.sleep(0.001)
        return (time.monotonic() - self.began) * 1000

    def read(self, file: str) -> str:
        return Path(f"/proc/{self.process.pid}/{file}").read_text()

    def cpu_ms(self) -> float:
        return int(self.read("schedstat").split()[0]) / 1e6

    def memory_kib(self) -> tuple[int, int]:
        """Its part of all memory (PSS), and what is its alone and no file's."""
        lines = {line.split(":")[0]: line.split()[1] for line in self.read("smaps_rollup").splitlines()[1:]}
        return int(lines["Pss"]), int(lines["Anonymous"])

    def wake_ups(self) -> int:
        lines = dict(line.split(":", 1) for line in self.read("status").splitlines())
        return int(lines["voluntary_ctxt_switches"]) + int(lines["nonvoluntary_ctxt_switches"])


def show(name: str, values: list[float], unit: str) -> None:
    print(f"{name:34} {statistics.median(values):10.1f} {max(values):10.1f}  {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--machine", default="dgx-h100")
    parser.add_argument("--rest", type=float, default=30)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    nodes: list[Node] = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        try:
            began = time.monotonic()
            starts = []
            for i in range(arguments.nodes):
                nodes.append(Node(Path(folder) / f"{i}", arguments.machine))
                starts.append(nodes[-1].wait())
            total = time.monotonic() - began
            time.sleep(1)
            cpu = [node.cpu_ms() for node in nodes]
            switches = [node.wake_ups() for node in nodes]
            time.sleep(arguments.rest)
            memory = [node.memory_kib() for node in nodes]
            at_rest = [after.wake_ups() - before for after, before in zip(nodes, switches)]
            cpu_at_rest = [node.cpu_ms() - before for node, before in zip(nodes, cpu)]
            disk = [int(subprocess.run(["du", "-sk", node.folder], capture_output=True, text=True, check=True).stdout.split()[0]) for node in nodes[:20]]
            print(f"{arguments.nodes} nodes of {arguments.machine}, started one after the other in {total:.1f} s")
            print(f"{'one node':34} {'median':>10} {'largest':>10}")
            show("start, until its files are complete", starts, "ms")
            show("start, processor time", cpu, "ms")
            show("memory, its part (PSS)", [pss / 1024 for pss, _ in memory], "MiB")
            show("memory, its own", [own / 1024 for _, own in memory], "MiB")
            show("files", [kib / 1024 for kib in disk], "MiB")
            show(f"wake-ups in {arguments.rest:.0f} s at rest", [float(n) for n in at_rest], "")
            show(f"processor time in {arguments.rest:.0f} s at rest", cpu_at_rest, "ms")
        finally:
            for node in nodes:
                node.process.send_signal(signal.SIGKILL)
            for node in nodes:
                node.process.wait()


if __name__ == "__main__":
    main()
