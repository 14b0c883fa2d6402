"""A machine that is up, a node that keeps its root, and a snapshot of every surface."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))

from clients import BRANCHES, COMMAND, LIBRARY_DIR, nvidia_smi, tell  # noqa: E402, F401
from node_support import tree_of  # noqa: E402
from readers import cuda, dcgm, events, fields, files, logs, nvml, smi  # noqa: E402
from readers.child import Child, read_in_child  # noqa: E402
from table.row import SURFACES  # noqa: E402

NVML_LIBRARY = LIBRARY_DIR / "libnvidia-ml.so.1"
CUDA_LIBRARY = LIBRARY_DIR / "libcuda.so.1"

Values = dict[str, str]
Snapshot = dict[str, Values]


class CommandFailed(Exception):
    pass


class World:
    nvml_library = NVML_LIBRARY

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="nvmlkit-surfaces-"))
        self.state, self.root, self.other = (self.folder / name for name in ("state", "root", "other"))
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_", "LD_LIBRARY_PATH"))}
        self.environment = {**clean, "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": str(self.folder), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                            "LD_LIBRARY_PATH": str(LIBRARY_DIR), "NVMLKIT_STATE": str(self.state), "NVMLKIT_TIME": "virtual"}  # fmt: skip
        self.smi = next((path for branch in reversed(BRANCHES) if (path := nvidia_smi(branch))), None)
        self.node: subprocess.Popen | None = None
        self.waiter: Child | None = None
        self.older: Values = {}  # what the program that waits for events read for the last snapshot

    def close(self) -> None:
        self.forget_waiter()
        if self.node:
            self.node.kill()
            self.node.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def try_to(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, *words], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120)  # fmt: skip

    def run(self, *words: str | Path) -> str:
        """A command of nvmlkit that works."""
        done = self.try_to(*words)
        if done.returncode != 0:
            raise CommandFailed(f"nvmlkit {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def up(self, machine: dict) -> None:
        """A fresh machine in the place of the last one, of the text of a machine file."""
        self.forget_waiter()
        file = self.folder / "machine.yaml"
        file.write_text(json.dumps({"version": "1.0", **machine}), encoding="utf-8")
        clean = {key: value for key, value in self.environment.items() if key != "NVMLKIT_STATE"}
        done = subprocess.run([COMMAND, "up", "-c", file, "--state", self.state], env=clean, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CommandFailed(done.stderr)
        about = json.loads(self.run("get", "gpu=all", "uuid", "--json"))
        self.uuids = [entry["value"] for entry in about]
        buses = json.loads(self.run("get", "gpu=all", "pci.bus_id", "--json"))
        self.bus_ids = [entry["value"].lower() for entry in buses]
        if not self.node:
            self.start_node()

    def start_node(self) -> None:
        ready = self.folder / "ready"
        ready.unlink(missing_ok=True)
        self.node = subprocess.Popen([COMMAND, "node", self.root, "--state", self.state, "--ready-file", ready, "--kernel-log",
                                      self.folder / "kmsg"], env=self.environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL)  # fmt: skip
        end = time.monotonic() + 60
        while not ready.exists():
            assert self.node.poll() is None and time.monotonic() < end, "the node does not become ready"
            time.sleep(0.005)

    def watch(self) -> None:
        """From now on events are kept for the next snapshot."""
        self.forget_waiter()
        self.waiter = Child(lambda here: events.serve(NVML_LIBRARY, self.uuids, here), self.environment)
        self.waiter.receive()

    def forget_waiter(self) -> None:
        if self.waiter:
            self.waiter.end()
        self.waiter = None

    def settle(self) -> files.Tree:
        """The tree of the root, when it is the one that `nvmlkit root` makes of the machine as it is now."""
        end = time.monotonic() + 30
        while True:
            self.run("root", self.other, "--state", self.state)
            wanted = tree_of(self.other, self.root)
            for _ in range(100):
                if (now := tree_of(self.root)) == wanted:
                    return now
                time.sleep(0.01)
            if time.monotonic() > end:
                wrong = sorted(path for path in {*now, *wanted} if now.get(path) != wanted.get(path))
                raise AssertionError(f"the root of the node is not what the machine is, after 30 s: {wrong}")

    def read_nvml(self) -> tuple[Values, Values, Values]:
        """By a program that starts now."""
        return (nvml.read(NVML_LIBRARY, self.uuids, self.bus_ids), fields.read(NVML_LIBRARY, self.uuids),
                dcgm.read(NVML_LIBRARY, self.uuids))  # fmt: skip

    def log(self) -> list[str]:
        return logs.messages(self.run("kernel-log"), self.bus_ids)

    def kept_log(self) -> str:
        """What the node wrote."""
        return (self.folder / "kmsg").read_text(encoding="utf-8")

    def snapshot(self) -> Snapshot:
        tree = self.settle()
        seen: Snapshot = {
            "event": {"events": "\n".join(self.waiter.ask("events"))} if self.waiter else {},
            "log": {"messages": "\n".join(self.log()), "fabric manager": "\n".join(logs.of_fabric_manager(self.root))},
            "/proc": files.part(tree, self.bus_ids, top="proc/"),
            "/sys": files.part(tree, self.bus_ids, top="sys/"),
            "/dev": files.lines_of_dev(tree),
            "CDI": files.cdi(self.root, self.uuids),
            "InfiniBand": files.part(tree, self.bus_ids, top="sys/", infiniband=True),
        }
        if self.smi:
            seen["nvidia-smi"] = smi.read(self.smi, self.environment, self.bus_ids)
        seen["NVML"], seen["field ids"], seen["DCGM"] = read_in_child(self.read_nvml, self.environment)
        self.older = self.by_place(self.waiter.ask("values")) if self.waiter else {}
        # At the end: a program that uses GPUs changes the machine.
        seen["CUDA"] = read_in_child(lambda: cuda.read(CUDA_LIBRARY, self.uuids), self.environment)
        return {surface: self.by_place(seen[surface]) for surface in SURFACES if surface in seen}

    def by_place(self, values: Values) -> Values:
        """With the place of a GPU for its UUID."""
        def short(text: str) -> str:
            return re.sub("|".join(self.uuids), lambda match: f"gpu{self.uuids.index(match[0])}", text)
        return {short(key): short(value) for key, value in values.items()}
