#!/usr/bin/env python3
"""NVIDIA's device plugin for Kubernetes, unmodified, on a driver root, with a kubelet of the test's own: the devices that it
offers, the containers that it prepares, and their health after faults."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import private_host
from clients import COMMAND, LIBRARY_DIR, available_smi, skip, tell
from engines import UNPACKED, UNPACKED_LIBRARIES, Podman, Unusable, find_program, make_root

PLUGIN = find_program("nvidia-device-plugin", "NVMLKIT_TEST_NVIDIA_DEVICE_PLUGIN")
if not PLUGIN:
    skip("no nvidia-device-plugin in PATH; NVMLKIT_TEST_NVIDIA_DEVICE_PLUGIN can name one")
private_host.enter(UNPACKED_LIBRARIES)
sys.path.append(str(UNPACKED / "usr/lib/python3/dist-packages"))
try:
    import grpc
except ImportError as error:
    skip(f"no gRPC for Python (scripts/setup unpacks it): {error}")
from kubelet import Kubelet  # noqa: E402

KUBELET = Path("/var/lib/kubelet/device-plugins")  # the plugin knows no other place
SPECIFICATION = Path("/run/cdi/k8s.device-plugin.nvidia.com-gpu.json")
SMI = available_smi()[max(available_smi())]
OTHERS = 1000
MIG = {"version": "1.0", "base": "h100", "devices": [
    {"index": 1, "mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}]}  # fmt: skip


class DevicePlugin(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o755)
        self.root, self.log, self.calls = (self.folder / name for name in ("gpus", "log", "calls"))
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("NVMLKIT_", "LD_LIBRARY"))}
        KUBELET.mkdir(parents=True, exist_ok=True)
        self.kubelet = Kubelet(grpc, KUBELET)
        self.addCleanup(self.kubelet.stop)
        self.plugin: subprocess.Popen[bytes] | None = None
        self.addCleanup(self.end)

    def nvmlkit(self, *words: str | Path) -> str:
        return subprocess.run([COMMAND, *words], env=self.environment, check=True, capture_output=True, text=True).stdout

    def lay_out(self, *machine: str | Path) -> list[str]:
        """Renders the root, and returns the UUIDs of its GPUs."""
        self.nvmlkit("root", self.root, *machine, "--nvidia-smi", SMI, "--mode", "0644")
        state = self.root / "run/nvmlkit/state"
        return [gpu["value"] for gpu in json.loads(self.nvmlkit("get", "gpu=all", "uuid", "--json", "--state", state))]

    def fault(self, *words: str) -> None:
        self.nvmlkit("fault", *words, "--state", self.root / "run/nvmlkit/state")

    def start(self, *options: str):
        self.end()
        command = [PLUGIN, f"--driver-root={self.root}", f"--driver-root-ctr-path={self.root}", f"--dev-root={self.root}",
                   f"--nvidia-cdi-hook-path={PLUGIN.with_name('nvidia-cdi-hook')}", "--device-list-strategy=cdi-cri", "--mps-root=",
                   *options]  # fmt: skip
        self.kubelet.plugins.clear()
        with self.log.open("ab") as log:
            environment = {**self.environment, "NVMLKIT_DEBUG": str(self.calls)}
            self.plugin = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def end(self) -> None:
        if self.plugin:
            self.plugin.terminate()
            self.plugin.wait(30)
            self.plugin = None

    def offered(self, resource: str):
        try:
            return self.kubelet.wait_for(f"nvidia.com/{resource}")
        except TimeoutError as error:
            self.fail(f"{error}\n{self.log.read_text()[-3000:]}")

    def waits(self) -> int:
        return len(re.findall(r"\bnvmlEventSetWait\w*\(.*\) = ", self.calls.read_text()))

    def listed(self, devices: list[str], user: int) -> list[str]:
        """nvidia-smi -L in a container of podman's."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        folder.chmod(0o755)
        container = make_root(folder / "container", SMI, LIBRARY_DIR / "libnvidia-ml.so.1", LIBRARY_DIR / "libcuda.so.1")
        result = Podman(folder).run(container, ["/usr/bin/nvidia-smi", "-L"], devices, user)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        return re.findall(r"\(UUID: (\S+)\)", result.stdout)

    def check_containers(self, devices: list[str], expected: list[str]) -> None:
        try:
            for user in (0, OTHERS):
                self.assertEqual(self.listed(devices, user), expected)
        except Unusable as reason:
            tell(f"clients.device_plugin without containers: {reason}")

    def test_a_container_lists_the_gpus_that_were_allocated(self) -> None:
        uuids = self.lay_out("-m", "h100")
        self.start()
        gpus = self.offered("gpu")
        self.assertEqual(gpus.healthy(), set(uuids))
        allocation = gpus.allocate(uuids[6], uuids[2])
        self.assertEqual(set(allocation.cdi_devices), {f"k8s.device-plugin.nvidia.com/gpu={uuids[gpu]}" for gpu in (2, 6)})
        self.assertEqual(json.loads(SPECIFICATION.read_text())["kind"], "k8s.device-plugin.nvidia.com/gpu")
        self.check_containers(allocation.cdi_devices, [uuids[2], uuids[6]])
        self.check_containers(gpus.allocate(uuids[3]).cdi_devices, [uuids[3]])

    def test_mig_devices_are_resources(self) -> None:
        machine = self.folder / "machine.yaml"
        machine.write_text(json.dumps(MIG))
        uuids = self.lay_out("-c", machine)
        with private_host.driver_files(self.root):
            self.start("--mig-strategy=mixed")
            (large,) = self.offered("mig-3g.40gb").healthy()
            (small,) = self.offered("mig-1g.10gb").healthy()
            self.assertEqual(self.offered("gpu").healthy(), {*uuids} - {uuids[1]})
            self.end()  # with the mounts of the namespace that the plugin read
        self.assertTrue(large.startswith("MIG-") and small.startswith("MIG-") and large != small)
        self.check_containers([f"k8s.device-plugin.nvidia.com/gpu={small}"], [uuids[1], small])

    def test_a_lost_gpu_leaves_the_others_healthy(self) -> None:
        uuids = self.lay_out("-m", "h100")
        self.start()
        gpus = self.offered("gpu")
        self.assertEqual(gpus.healthy(), set(uuids))
        lines, waits, begin = len(self.log.read_text().splitlines()), self.waits(), time.monotonic()
        self.fault("gpu=0", "xid", "79")
        gpus.wait(lambda devices: devices[uuids[0]] == "Unhealthy", 5)
        self.assertEqual(gpus.healthy(), set(uuids[1:]))
        time.sleep(5)
        self.assertEqual(gpus.healthy(), set(uuids[1:]))
        self.fault("gpu=3", "xid", "48")
        gpus.wait(lambda devices: devices[uuids[3]] == "Unhealthy", 5)
        time.sleep(max(0, begin + 10 - time.monotonic()))
        self.assertEqual(gpus.healthy(), set(uuids) - {uuids[0], uuids[3]})
        tell(f"clients.device_plugin: {self.waits() - waits} waits ended and "
             f"{len(self.log.read_text().splitlines()) - lines} lines were logged in 10 s after the loss of a GPU")  # fmt: skip
        self.assertIn(self.waits() - waits, range(2, 10))  # two or more, because there were two Xids
        self.assertLess(len(self.log.read_text().splitlines()) - lines, 50)

    def test_a_plugin_that_starts_after_the_loss(self) -> None:
        """It asks for a handle of each GPU and ends at the lost one, as in reports; without that GPU on the bus it has seven."""
        uuids = self.lay_out("-m", "h100")
        self.fault("gpu=0", "xid", "79")
        self.start()
        self.assertNotEqual(self.plugin.wait(60), 0)
        self.plugin = None
        self.assertIn("error getting device handle for index '0': GPU is lost", self.log.read_text())
        self.fault("gpu=0", "off-bus")
        self.start()
        gpus = self.offered("gpu")
        self.assertEqual(gpus.healthy(), set(uuids[1:]))
        self.fault(f"gpu={uuids[5]}", "xid", "48")
        gpus.wait(lambda devices: devices[uuids[5]] == "Unhealthy", 5)
        self.assertEqual(gpus.healthy(), set(uuids[1:]) - {uuids[5]})


if __name__ == "__main__":
    sys.exit(unittest.main())
