"""deploy/fleet without a cluster: the resources and labels of its nodes, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import api_schema

SOURCE = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("NVMLKIT_BUILD_DIR", SOURCE / "build/release")).resolve() / "bin/nvmlkit"
SPLIT = {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}
MIXED = {"base": "h100", "system": {"num_devices": 3}, "devices": [{"index": 1, "mig": SPLIT}]}
EQUAL = {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "3g.40gb"}]}
SINGLE = {"base": "h100", "system": {"num_devices": 2}, "device_defaults": {"mig": EQUAL}}


class FleetTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_fleet(self, *arguments: str, command: str | Path = COMMAND) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "NVMLKIT": str(command), "TMPDIR": str(self.folder)}
        return subprocess.run([SOURCE / "deploy/fleet", *arguments], capture_output=True, text=True, env=environment)

    def nodes(self, *arguments: str) -> list[dict[str, Any]]:
        result = self.run_fleet(*arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)["items"]

    def gpus(self, *arguments: str) -> dict[str, str]:
        (node,) = self.nodes("1", *arguments)
        status = node["status"]
        self.assertEqual(status["capacity"], status["allocatable"])
        return {key.removeprefix("nvidia.com/"): value for key, value in status["capacity"].items() if "nvidia" in key}

    def machine(self, file: dict[str, Any]) -> str:
        path = self.folder / "rack.yaml"
        path.write_text(json.dumps(file))
        return str(path)

    def test_nodes(self) -> None:
        nodes = self.nodes("3", "-m", "dgx-h100", "--first", "5", "--cpu", "8")
        self.assertEqual([node["metadata"]["name"] for node in nodes], ["dgx-h100-5", "dgx-h100-6", "dgx-h100-7"])
        labels, resources = nodes[0]["metadata"]["labels"], nodes[0]["status"]["capacity"]
        self.assertEqual((resources["nvidia.com/gpu"], resources["cpu"]), ("8", "8"))
        self.assertEqual((labels["nvidia.com/gpu.product"], labels["nvidia.com/gpu.memory"]), ("NVIDIA-H100-80GB-HBM3", "81559"))
        if api_schema.client():
            self.assertEqual([line for node in nodes for line in api_schema.check(node)], [])

    def test_mig(self) -> None:
        file = self.machine(MIXED)
        self.assertEqual(self.gpus("-m", file), {"gpu": "2", "mig-3g.40gb": "1", "mig-1g.10gb": "1"})
        self.assertEqual(self.gpus("-m", file, "--mig-strategy", "none"), {"gpu": "3"})
        self.assertIn("the same MIG devices on all GPUs", self.run_fleet("1", "-m", file, "--mig-strategy", "single").stderr)
        file = self.machine(SINGLE)
        self.assertEqual(self.gpus("-m", file, "--mig-strategy", "single"), {"gpu": "4"})
        self.assertEqual(self.gpus("-m", file), {"mig-3g.40gb": "4"})

    def test_resource_slices(self) -> None:
        for machine, count in (("dgx-h100", 8), ("t4", 1), ("vr200", 1)):
            items = self.nodes("2", "-m", machine, "-n", str(count), "--resource-slices")
            slices = [item for item in items if item["kind"] == "ResourceSlice"]
            self.assertEqual([item["spec"]["nodeName"] for item in slices], [f"{machine}-0", f"{machine}-1"])
            devices = [device for item in slices for device in item["spec"]["devices"]]
            self.assertEqual(len({device["attributes"]["uuid"]["string"] for device in devices}), 2 * count, "UUIDs of two nodes differ")
            for name in ("driverVersion", "cudaDriverVersion", "cudaComputeCapability"):
                self.assertRegex(devices[0]["attributes"][name]["version"], r"^([1-9]\d*|0)(\.([1-9]\d*|0)){2}$")
            if api_schema.client() and api_schema.model_of(slices[0]):
                self.assertEqual([line for item in slices for line in api_schema.check(item)], [])
        (_, item) = self.nodes("1", "-m", self.machine(MIXED), "--resource-slices")
        self.assertEqual([device["name"] for device in item["spec"]["devices"]], ["gpu-0", "gpu-2"], "a GPU that is split is left out")

    def test_bad_input(self) -> None:
        for arguments, command, text in (
            (("1", "-m", "h1000"), COMMAND, "unknown machine 'h1000'; did you mean 'h100'?"),
            (("1", "-m", "h100", "-n", "x"), COMMAND, "--gpus = x"),
            (("1",), "/nowhere/nvmlkit", "/nowhere/nvmlkit: No such file or directory: set NVMLKIT, or PATH"),
            (("many",), COMMAND, "many"),
        ):
            result = self.run_fleet(*arguments, command=command)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(text, result.stderr)
            self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
