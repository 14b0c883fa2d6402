"""Pods with the GPUs of NVIDIA's device plugin."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import objects
from case import EXAMPLES, GPU, STATE, ClusterTest
from programs import find

# What a pod asks of its GPUs.
ASKS = {"nvmlkit.io/load": "80%", "nvmlkit.io/memory": "40Gi"}


class PluginTests(ClusterTest):
    def test_20_the_plugin_with_our_specification(self) -> None:
        """The steps of the guide for nodes without NVIDIA's container toolkit."""
        self.need("nvidia-device-plugin")
        self.chart("upgrade", "cdi.kind=k8s.device-plugin.nvidia.com/gpu")
        self.apply_example("device-plugin.yaml")
        self.cluster.wait("8 GPUs", lambda: self.allocatable() == "8")
        text = self.run_pod("own", "nvidia-smi -L", 2)
        self.assertEqual(len(set(re.findall(r"^GPU \d: NVIDIA H100 80GB HBM3 \(UUID: (GPU-\S+)\)$", text, re.M)) & set(self.uuids())), 2, text)
        self.chart("upgrade")

    def test_21_two_gpus_in_a_pod(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        self.start_plugin({"nvidia.com/gpu": 8})
        seen: list[str] = []
        for name in ("first", "second"):
            text = self.run_pod(name, "nvidia-smi -L; env | grep -i nvmlkit", 2)
            found = re.findall(r"^GPU (\d): NVIDIA H100 80GB HBM3 \(UUID: (GPU-[0-9a-f-]+)\)$", text, re.M)
            self.assertEqual([index for index, _ in found], ["0", "1"], text)
            self.assertEqual(len(text.splitlines()), 2, text)
            seen += [uuid for _, uuid in found]
        self.assertEqual(len(set(seen)), 4, seen)
        self.assertLessEqual(set(seen), set(self.uuids()))

    def test_22_a_user_without_rights(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        text = self.run_pod("nonroot", "id -u; nvidia-smi -L", 1, securityContext={"runAsUser": 1000, "runAsGroup": 1000})
        self.assertRegex(text, r"\A1000\nGPU 0: NVIDIA H100 80GB HBM3 \(UUID: GPU-[0-9a-f-]+\)\n\Z")

    def test_23_a_pod_without_a_gpu(self) -> None:
        text = self.run_pod("plain", "ls /dev; ls /run; nvidia-smi -L")
        self.assertIn("nvidia-smi: not found", text)
        self.assertNotIn("nvidia0", text)

    def test_24_a_setting_in_a_pod_is_seen_on_the_node(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        text = self.run_pod("setter", "nvidia-smi -i 0 -pl 333; nvidia-smi -L", 1)
        uuid = re.findall(r"GPU-[0-9a-f-]+", text)[-1]
        index = self.uuids().index(uuid)
        self.assertIn("333000", self.nvmlkit("get", f"gpu={index}", "power.limit_mw"), text)

    def test_25_a_fault_takes_a_gpu_away(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        # As in the guide: by the pod of the node.
        of_pod = ("-n", "nvmlkit", "exec", "ds/nvmlkit-default", "--", "nvmlkit")
        self.cluster.kubectl(*of_pod, "fault", "gpu=5", "xid", "48", "--state", str(STATE))
        seconds = self.cluster.wait("the fault", lambda: self.allocatable() == "7")
        print(f"allocatable 7 after {seconds:.1f} s", flush=True)
        self.cluster.kubectl(*of_pod, "heal", "gpu=5", "--state", str(STATE))
        self.restart_plugin()
        self.cluster.wait("the healed GPU", lambda: self.allocatable() == "8")

    def test_26_a_pod_without_a_state(self) -> None:
        """The driver's libraries, and no machine behind them: a line lists the places, and nothing is invented."""
        self.need()
        libraries = f"{objects.ROOT}/usr/lib/{os.uname().machine}-linux-gnu"
        volumes = [
            {"name": "libraries", "hostPath": {"path": libraries}},
            {"name": "programs", "hostPath": {"path": f"{objects.ROOT}/usr/bin"}},
        ]
        manifest = json.loads(objects.pod("stateless", "LD_LIBRARY_PATH=/libraries /programs/nvidia-smi -L 2>&1; echo end; sleep 3600"))
        manifest["spec"]["volumes"] = volumes
        manifest["spec"]["containers"][0]["volumeMounts"] = [{"name": each["name"], "mountPath": f"/{each['name']}"} for each in volumes]
        text = self.start_pod("stateless", json.dumps(manifest))
        self.assertEqual(text.count("this library of a driver root finds no state"), 1, text)
        self.assertNotIn("GPU 0", text)

    def test_27_time_slicing(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        file = self.cluster.work / "plugin/config.yaml"
        file.parent.mkdir()
        file.write_text(self.config_of_example("time-slicing.yaml"))
        self.start_plugin({"nvidia.com/gpu": 32}, CONFIG_FILE=str(file))
        seen = []
        for name in ("slice-1", "slice-2"):
            found = re.findall(GPU, self.run_pod(name, "nvidia-smi -L", 1), re.M)
            self.assertEqual([model for model, _ in found], ["NVIDIA H100 80GB HBM3"])
            seen += [uuid for _, uuid in found]
        self.assertLessEqual(set(seen), set(self.uuids()))

    def test_28_a_pod_without_a_cuda_program_uses_its_gpus(self) -> None:
        """By the annotations of the guide, which arrive as variables; the program of the pod knows nothing of GPUs."""
        self.need("nvidia-device-plugin")
        self.use_our_hook()
        manifest = self.idle_pod("busy", ASKS)
        manifest["spec"]["containers"][0]["env"] = [
            {"name": f"NVMLKIT_{name.upper()}", "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['nvmlkit.io/{name}']"}}}
            for name in ("load", "memory")
        ]
        self.check_use_by("busy", self.start_pod("busy", json.dumps(manifest)))
        self.chart("upgrade")

    def test_29_annotations_that_containerd_hands_over(self) -> None:
        """With the file of the guide beside containerd's configuration, and not before. The pod belongs to another user."""
        self.need("nvidia-device-plugin")
        self.use_our_hook()
        before = self.idle_pod("before", ASKS)
        self.assertNotIn("40960", self.start_pod("before", json.dumps(before)))
        self.assertNotIn("Process", self.status())
        self.delete_pod("before")
        self.let_annotations_through()
        annotated = self.idle_pod("annotated", ASKS, securityContext={"runAsUser": 1000, "runAsGroup": 1000})
        text = self.start_pod("annotated", json.dumps(annotated))
        self.assertEqual(text.splitlines()[-2:], ["1, 40960 MiB"] * 2, "its own number of its process")
        self.check_use_by("annotated", text)
        self.cluster.apply(json.dumps(self.idle_pod("wrong", {"nvmlkit.io/load": "a lot"})))
        self.addCleanup(self.delete_pod, "wrong")
        line = "nvmlkit-cdi-hook: annotation nvmlkit.io/load: expected a whole percentage from 0% to 100%, got 'a lot'"
        events = ("get", "events", "--field-selector=involvedObject.name=wrong", "-o", "jsonpath={.items[*].message}")
        self.cluster.wait(f"an event: {line}", lambda: line in self.cluster.kubectl(*events))
        self.chart("upgrade")

    def use_our_hook(self) -> None:
        self.end_plugin()
        self.chart("upgrade", "cdi.kind=k8s.device-plugin.nvidia.com/gpu", "cdi.hook.enabled=true")
        self.apply_example("device-plugin.yaml")
        self.cluster.wait("8 GPUs", lambda: self.allocatable() == "8")

    def let_annotations_through(self) -> None:
        """Until the end of the test."""
        node = self.cluster.nodes[0]
        file = node.configure_containerd(EXAMPLES / "containerd-annotations.toml")
        self.addCleanup(self.cluster.restart_containerd, node)
        self.addCleanup(file.unlink)
        self.cluster.restart_containerd(node)

    @staticmethod
    def idle_pod(name: str, annotations: dict[str, str], **spec: object) -> dict:
        """With two GPUs that its program leaves alone."""
        listing = "nvidia-smi -L; nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader"
        manifest = json.loads(objects.pod(name, f"({listing}) 2>&1; echo end; sleep 3600", 2, **spec))
        manifest["metadata"]["annotations"] = annotations
        return manifest

    def check_use_by(self, pod: str, text: str) -> None:
        """Of both GPUs that the pod listed, until it is deleted."""
        gpus = sorted(self.uuids().index(uuid) for _, uuid in re.findall(GPU, text, re.M))
        self.assertEqual(len(gpus), 2, text)
        processes = re.findall(r"^Process +GPU (\d) +(\d+) +C +(\d+) MiB +sh$", self.status(), re.M)
        self.assertEqual([(int(gpu), int(mib)) for gpu, _, mib in processes], [(gpu, 40960) for gpu in gpus])
        for _, pid, _ in processes:
            self.assertIn("kubepods", Path(f"/proc/{pid}/cgroup").read_text(), "its number on the node")
        self.cluster.wait("the load", lambda: all(self.utilization(gpu) > 60 for gpu in gpus))
        self.delete_pod(pod)
        self.cluster.wait("idle GPUs", lambda: all(self.utilization(gpu) == 0 for gpu in gpus))
        self.assertNotIn("Process", self.status())

    def delete_pod(self, name: str) -> None:
        self.cluster.kubectl("delete", "pod", name, "--force", "--grace-period=0")

    def utilization(self, gpu: int) -> int:
        return int(self.nvmlkit("get", f"gpu={gpu}", "utilization.gpu"))

    @staticmethod
    def config_of_example(name: str) -> str:
        """The file in the ConfigMap of an example."""
        text = (EXAMPLES / name).read_text()
        block = re.search(r"^  config\.yaml: \|\n((?:    .*\n|\n)+)", text, re.M)
        assert block, name
        return re.sub(r"^    ", "", block.group(1), flags=re.M)
