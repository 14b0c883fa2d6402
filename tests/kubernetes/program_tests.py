"""Others of NVIDIA's programs: GPU feature discovery, the driver of dynamic resource allocation."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import objects
from case import FEATURES, GPU, MIG, VALIDATIONS, ClusterTest
from content import COMMAND, SOURCE
from mig_tests import MIXED


class ProgramTests(ClusterTest):
    def test_40_labels_of_gpu_feature_discovery(self) -> None:
        self.need("gpu-feature-discovery")
        self.chart("upgrade")
        self.apply_example("gpu-feature-discovery.yaml")
        file = Path(FEATURES).parent / "gfd"
        self.addCleanup(lambda: file.unlink(missing_ok=True))
        self.cluster.wait("labels", file.exists)
        labels = dict(line.split("=", 1) for line in file.read_text().splitlines())
        self.assertEqual(labels["nvidia.com/gpu.mode"], "compute")
        self.assertEqual(labels["nvidia.com/gpu.machine"], "Simulated-GPU-server")
        # The nodes of deploy/fleet have the same.
        fleet = subprocess.run([SOURCE / "deploy/fleet", "1", "-m", "h100"], capture_output=True, text=True, check=True,
                               env={**os.environ, "NVMLKIT": str(COMMAND)})  # fmt: skip
        (node,) = json.loads(fleet.stdout)["items"]
        wanted = {key: value for key, value in node["metadata"]["labels"].items() if key.startswith("nvidia.com/")}
        self.assertEqual({key: labels.get(key) for key in wanted if key != "nvidia.com/gpu.present"},
                         {key: value for key, value in wanted.items() if key != "nvidia.com/gpu.present"})  # fmt: skip

    def test_42_the_validator_of_the_gpu_operator(self) -> None:
        """Its step for the driver, with the file that the others wait for as the result."""
        self.need("nvidia-validator")
        file = Path(VALIDATIONS) / "driver-ready"
        ours = file.read_text()
        file.unlink()
        self.cluster.apply(objects.VALIDATOR_RIGHTS)
        folders = {"validations": VALIDATIONS, "nvidia": objects.ROOT}
        environment = {"COMPONENT": "driver", "WITH_WAIT": "true", "OPERATOR_NAMESPACE": "kube-system",
                       "DISABLE_DEV_CHAR_SYMLINK_CREATION": "true"}  # fmt: skip
        command = ["sh", "-c", "nvidia-validator && echo end; sleep 3600"]
        self.cluster.apply(objects.program_of_nvidia("validator", command, environment, folders))
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "ds", "validator")
        log = ("-n", "kube-system", "logs", "-l", "name=validator", "--tail=-1")
        self.cluster.wait("the validation", lambda: self.cluster.kubectl(*log, check=False).endswith("end\n"))
        self.assertIn("NVIDIA H100 80GB HBM3", self.cluster.kubectl(*log))
        self.assertEqual(set(file.read_text().split()), set(ours.split()))

    def test_45_the_validator_sees_a_toolkit_on_the_node(self) -> None:
        """Its step for the toolkit runs nvidia-smi in a container of the RuntimeClass, which NVIDIA's runtime prepares by our
        specification; without this step, the operator's components wait."""
        self.need("nvidia-validator", "nvidia-container-runtime")
        self.install_toolkit()
        self.chart("upgrade", "runtimeClass.create=true", "runtimeClass.handler=nvidia")
        environment = {"COMPONENT": "toolkit", "WITH_WAIT": "false", "NVIDIA_VISIBLE_DEVICES": "all"}
        command = ["sh", "-c", "nvidia-validator && echo end; sleep 3600"]
        manifest = objects.program_of_nvidia("toolkit", command, environment, {"validations": VALIDATIONS}, runtimeClassName="nvidia")
        self.cluster.apply(manifest)
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "ds", "toolkit")
        log = ("-n", "kube-system", "logs", "-l", "name=toolkit", "--tail=-1")
        self.cluster.wait("the validation", lambda: self.cluster.kubectl(*log, check=False).endswith("end\n"))
        self.assertIn("NVIDIA H100 80GB HBM3", self.cluster.kubectl(*log))
        self.assertTrue((Path(VALIDATIONS) / "toolkit-ready").exists())
        (Path(VALIDATIONS) / "toolkit-ready").unlink()

    def test_41_a_claim_of_dynamic_resource_allocation(self) -> None:
        self.need("gpu-kubelet-plugin", "nvidia-cdi-hook")
        self.apply_example("dra-driver.yaml")
        path = "jsonpath={.items[*].spec.devices[*].attributes.uuid.string}"
        slices = ("get", "resourceslices", "-o", path)
        self.cluster.wait("the slice", lambda: set(self.cluster.kubectl(*slices, check=False).split()) == set(self.uuids()))
        self.compare_with_fleet()
        self.cluster.apply(objects.claim("two", 2))
        text = self.run_pod("claims", "nvidia-smi -L; env | grep -i nvmlkit", claimed="two")
        found = re.findall(r"^GPU \d: NVIDIA H100 80GB HBM3 \(UUID: (GPU-[0-9a-f-]+)\)$", text, re.M)
        self.assertEqual(len(set(found)), 2, text)
        self.assertLessEqual(set(found), set(self.uuids()))
        self.taint_of_a_fault(set(found))

    def compare_with_fleet(self) -> None:
        """The slices of deploy/fleet have the same attributes, but for what each node has of its own."""
        fleet = subprocess.run([SOURCE / "deploy/fleet", "1", "-m", "h100", "--resource-slices"], capture_output=True, text=True, check=True,
                               env={**os.environ, "NVMLKIT": str(COMMAND)})  # fmt: skip
        own = ("uuid", "resource.kubernetes.io/pcieRoot")

        def known(text: str) -> dict[str, Any]:
            slices = [item for item in json.loads(text)["items"] if item["kind"] == "ResourceSlice"]
            return {device["name"]: (device["capacity"], {key: value for key, value in device["attributes"].items() if key not in own})
                    for item in slices for device in item["spec"]["devices"]}  # fmt: skip

        self.assertEqual(known(fleet.stdout), known(self.cluster.kubectl("get", "resourceslices", "-o", "json")))

    def taint_of_a_fault(self, used: set[str]) -> None:
        """A critical Xid taints its GPU, and the scheduler then passes it over."""
        index, uuid = next((i, uuid) for i, uuid in enumerate(self.uuids()) if uuid not in used)
        self.nvmlkit("fault", f"gpu={index}", "xid", "48")

        def taints() -> dict[str, list[dict[str, str]]]:
            items = json.loads(self.cluster.kubectl("get", "resourceslices", "-o", "json"))["items"]
            devices = [device for item in items for device in item["spec"]["devices"]]
            return {device["attributes"]["uuid"]["string"]: device["taints"] for device in devices if device.get("taints")}

        seconds = self.cluster.wait("the taint", lambda: bool(taints()))
        print(f"a tainted device after {seconds:.1f} s", flush=True)
        self.assertEqual(list(taints()), [uuid])
        (taint,) = taints()[uuid]
        # Of the newest Xid: an H100 contains the error and raises 94 after 48.
        self.assertEqual((taint["key"], taint["effect"]), ("gpu.nvidia.com/xid", "NoSchedule"))
        self.assertIn(taint["value"], ("48", "94"))
        self.cluster.apply(objects.claim("five", 5))
        found = re.findall(GPU, self.run_pod("others", "nvidia-smi -L", claimed="five"), re.M)
        self.assertEqual({seen for _, seen in found}, set(self.uuids()) - used - {uuid})
        self.nvmlkit("heal", f"gpu={index}")

    def test_43_a_claim_of_a_mig_device(self) -> None:
        """Beside a claim of the GPU that is whole."""
        self.need("gpu-kubelet-plugin", "nvidia-cdi-hook")
        self.machine(MIXED)
        self.apply_example("dra-driver.yaml")
        types = ("get", "resourceslices", "-o", "jsonpath={.items[*].spec.devices[*].attributes.type.string}")
        self.cluster.wait("the slice", lambda: sorted(self.cluster.kubectl(*types, check=False).split()) == ["gpu", "mig", "mig"])
        self.cluster.apply(objects.claim("slices", 2, "mig"))
        self.cluster.apply(objects.claim("whole", 1))
        found = re.findall(MIG, self.run_pod("of-slices", "nvidia-smi -L", claimed="slices"), re.M)
        self.assertEqual(sorted(profile for profile, _ in found), ["1g.10gb", "3g.40gb"])
        self.assertEqual(len({uuid for _, uuid in found}), 2)
        text = self.run_pod("of-whole", "nvidia-smi -L", claimed="whole")
        self.assertRegex(text, r"\AGPU 0: NVIDIA H100 80GB HBM3 \(UUID: GPU-[0-9a-f-]+\)\n\Z")
