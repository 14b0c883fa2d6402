#!/usr/bin/env python3
"""Containers that real engines make: each lists exactly the GPUs that it was given, without a variable of the user.

The specification is ours, or the one that NVIDIA's `nvidia-ctk cdi generate` writes of our root.
"""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import private_host
from clients import COMMAND, LIBRARY_DIR, available_smi, skip, tell
from docker_engine import Docker
from engines import Containerd, Podman, Unusable, find_program, make_root

OTHERS = 1000  # a user who has nothing to do with the host's
OWN, BY_NVIDIA = "nvmlkit.test/gpu", "nvidia.com/gpu"
MIG = {"version": "1.0", "base": "h100", "devices": [
    {"index": 1, "mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}]}  # fmt: skip

private_host.enter()
NVIDIA_CTK = find_program("nvidia-ctk", "NVMLKIT_TEST_NVIDIA_CTK")
SMI = available_smi()[max(available_smi())]


class Node:
    """A driver root, the specifications of its GPUs in /run/cdi, and the root of a container."""

    def __init__(self, folder: Path) -> None:
        machine = folder / "machine.yaml"
        machine.write_text(json.dumps(MIG))
        self.root = folder / "gpus"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("NVMLKIT_", "LD_LIBRARY"))}
        options = ["--nvidia-smi", SMI, "--mode", "0644", "--cdi-kind", OWN, "--cdi-dir", "/run/cdi", "--cdi-version", "0.5.0", "--cdi-hook"]
        command = [COMMAND, "root", self.root, "-c", machine, *options]
        subprocess.run(command, env=self.environment, check=True, capture_output=True)
        listed = subprocess.run([SMI, "-L"], env={**self.environment, "LD_LIBRARY_PATH": str(LIBRARY_DIR),
                                "NVMLKIT_STATE": str(self.state)}, capture_output=True, text=True, check=True).stdout  # fmt: skip
        self.gpus = re.findall(r"^GPU \d: .*\(UUID: (GPU-\S+)\)", listed, re.M)
        self.mig_devices = re.findall(r"MIG .*\(UUID: (MIG-\S+)\)", listed)
        self.container = make_root(folder / "container", SMI, LIBRARY_DIR / "libnvidia-ml.so.1", LIBRARY_DIR / "libcuda.so.1")
        if NVIDIA_CTK:
            self.generate()

    @property
    def state(self) -> Path:
        return self.root / "run/nvmlkit/state"

    def generate(self) -> None:
        hook = NVIDIA_CTK.with_name("nvidia-cdi-hook")
        command = [NVIDIA_CTK, "cdi", "generate", f"--driver-root={self.root}", f"--dev-root={self.root}",
                   f"--nvidia-cdi-hook-path={hook}", "--output=/run/cdi/nvidia.yaml"]  # fmt: skip
        with private_host.driver_files(self.root):
            result = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        if result.returncode:
            raise RuntimeError(f"nvidia-ctk: {result.stderr}")


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        top = Path(folder.name)
        top.chmod(0o755)
        cls.node = Node(top)
        cls.engines, reasons = [], []
        for kind in (Podman, Containerd, Docker):
            try:
                engine = kind(top)
            except Unusable as reason:
                reasons.append(f"{kind.name}: {reason}")
                continue
            cls.addClassCleanup(engine.stop)
            empty = engine.run(cls.node.container, ["/no/such/program"], [])
            # Of the container's program, not of the engine's own.
            if "/no/such/program" in empty.stderr and "shared librar" not in empty.stderr:
                cls.engines.append(engine)
            else:
                reasons.append(f"{engine.version()}: makes no container here: {empty.stderr.strip()}")
        cls.kinds = [OWN, *([BY_NVIDIA] if NVIDIA_CTK else [])]
        if not NVIDIA_CTK:
            reasons.append("nvidia-ctk: not here (NVMLKIT_TEST_NVIDIA_CTK can name one)")
        for reason in reasons:
            tell(f"clients.engines without {reason}")
        if not cls.engines:
            skip("; ".join(reasons))
        tell(f"clients.engines: {', '.join(engine.version() for engine in cls.engines)}; {', '.join(cls.kinds)}")

    def setUp(self) -> None:
        self.roots = tempfile.TemporaryDirectory()
        self.addCleanup(self.roots.cleanup)

    def run_in(self, engine, devices: list[str], user: int, options: tuple[str, ...] = ("-L",), variables: tuple[str, ...] = ()):
        """nvidia-smi in a new container."""
        if engine.keeps_roots:
            return engine.run(self.node.container, ["/usr/bin/nvidia-smi", *options], devices, user, variables)
        root = Path(tempfile.mkdtemp(dir=self.roots.name))
        subprocess.run(["cp", "-a", "--link", f"{self.node.container}/.", root], check=True)
        for folder in (root, root.parent):
            folder.chmod(0o755)
        return engine.run(root, ["/usr/bin/nvidia-smi", *options], devices, user, variables)

    def each(self, check) -> None:
        """Calls `check` with a function from devices to what nvidia-smi lists: for each engine, specification and user."""
        for engine in self.engines:
            for kind in self.kinds:
                for user in (0, OTHERS):
                    with self.subTest(engine=engine.name, kind=kind, user=user):
                        check(functools.partial(self.listed, engine, kind, user))

    def listed(self, engine, kind: str, user: int, *devices: str) -> list[str]:
        result = self.run_in(engine, [f"{kind}={device}" for device in devices], user)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return re.findall(r"\(UUID: (\S+)\)", result.stdout)

    def test_the_gpus_that_were_asked_for(self) -> None:
        def check(listed) -> None:
            gpus = self.node.gpus
            self.assertEqual(listed("2"), [gpus[2]])
            self.assertEqual(listed("5", "3"), [gpus[3], gpus[5]])
            self.assertEqual(listed(gpus[7]), [gpus[7]])

        self.each(check)

    def test_a_mig_device_with_its_gpu(self) -> None:
        def check(listed) -> None:
            gpu, first, second = self.node.gpus[1], *self.node.mig_devices
            self.assertEqual(listed("1:0"), [gpu, first])
            self.assertEqual(listed(second), [gpu, second])

        self.each(check)

    def test_all(self) -> None:
        def check(listed) -> None:
            gpus = self.node.gpus
            self.assertEqual(listed("all"), [*gpus[:2], *self.node.mig_devices, *gpus[2:]])

        self.each(check)

    def test_without_a_state_there_is_no_driver(self) -> None:
        # The specification with another kind, with nothing where the state was, and without the variable that names it.
        file = "nvidia.yaml" if NVIDIA_CTK else "nvmlkit.test-gpu.yaml"
        kind = "nvmlkit.test/without"
        document = re.sub(r'kind: "?[\w./]+"?', f"kind: {kind}", (Path("/run/cdi") / file).read_text())
        for state in (self.node.state, self.node.root / "run/nvidia-persistenced/socket"):
            document = document.replace(str(state), "/dev/null")
        self.assertIn("/dev/null", document)
        document = re.sub(r"\n *- \"?NVMLKIT_STATE=[^\n]*", "", document)
        Path("/run/cdi/without.yaml").write_text(document)
        for engine in self.engines:
            for user in (0, OTHERS):
                with self.subTest(engine=engine.name, user=user):
                    result = self.run_in(engine, [f"{kind}=2"], user)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertNotIn("UUID", result.stdout)
                    self.assertEqual(result.stderr.count("this library of a driver root finds no state"), 1, result.stderr)

    def test_a_container_is_a_process_on_its_gpus(self) -> None:
        asks = ("NVMLKIT_MEMORY=3Gi", "NVMLKIT_LOAD=40%")
        listing = ("--query-compute-apps=gpu_uuid,pid,used_memory", "--format=csv,noheader,nounits")
        for engine in self.engines:
            with self.subTest(engine=engine.name):
                result = self.run_in(engine, [f"{OWN}=2", f"{OWN}=5"], 0, listing, asks)
                lines = result.stdout.splitlines()
                self.assertEqual(lines, [f"{self.node.gpus[i]}, 1, 3072" for i in (2, 5)], result.stderr)
                self.assertEqual(self.use_of_gpus(), ([], {}), "after its end")
                result = self.run_in(engine, [f"{OWN}=2"], 0, listing, ("NVMLKIT_LOAD=all",))
                self.assertNotEqual(result.returncode, 0)
                # crun names the hook alone, runc prints its line.
                self.assertRegex(result.stderr, "nvmlkit-cdi-hook|variable NVMLKIT_LOAD: expected a whole percentage")
                self.assertEqual(self.use_of_gpus(), ([], {}))

    def use_of_gpus(self) -> tuple[list, dict[str, str]]:
        def ask(*words: str) -> str:
            return subprocess.run([COMMAND, *words, "--state", self.node.state], check=True, capture_output=True, text=True).stdout

        loads = {gpu: load for gpu in range(8) if (load := ask("get", f"gpu={gpu}", "workload.gpu").strip()) != "N/A"}
        return json.loads(ask("status", "--json"))["processes"], loads

    def test_a_gpu_that_breaks_breaks_in_the_container(self) -> None:
        engine = self.engines[0]
        subprocess.run([COMMAND, "fault", "gpu=4", "off-bus", "--state", self.node.state], check=True, capture_output=True)
        try:
            self.assertEqual(self.listed(engine, self.kinds[-1], 0, "2", "4"), [self.node.gpus[2]])
        finally:
            subprocess.run([COMMAND, "heal", "gpu=4", "--state", self.node.state], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(unittest.main())
