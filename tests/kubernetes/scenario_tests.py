"""A scenario as a ConfigMap: what it breaks shows in the device plugin's count, the kernel log and the metrics; what goes is taken
back."""

from __future__ import annotations

import json
import re
import urllib.request

from case import ClusterTest
from programs import find

LOG = "/run/nvidia/kernel.log"
SCENARIO = """
nodes: {names: gpu-node-*, pool: default}
gpus: {count: 1}
steps:
  - {at: 1s, do: fault xid 79, expect: fault != none}
"""
ELSEWHERE = "steps: [{nodes: {pool: other}, do: fault gpu=all off-bus}]"


def config_map(files: dict[str, str]) -> str:
    return json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nvmlkit-scenarios", "namespace": "nvmlkit"}, "data": files}
    )


class ScenarioTests(ClusterTest):
    def metrics(self) -> str:
        address = ("-n", "nvmlkit", "get", "pods", "-l", "nvmlkit.io/pool=default", "-o", "jsonpath={.items[0].status.podIP}")
        with urllib.request.urlopen(f"http://{self.cluster.kubectl(*address)}:9411/metrics", timeout=10) as answer:
            return str(answer.read().decode())

    def log_of_node(self) -> str:
        return self.cluster.kubectl("-n", "nvmlkit", "logs", "-l", "nvmlkit.io/pool=default", "--tail=20", check=False)

    def test_70_one_fault_and_the_whole_stack(self) -> None:
        self.chart("upgrade", "metrics.enabled=true", f"kernelLog={LOG}")
        healthy = "nvmlkit_gpu_healthy{"
        self.assertEqual(len(re.findall(rf"^{re.escape(healthy)}.* 1$", self.metrics(), re.M)), 8)
        plugin = find("nvidia-device-plugin") and find("nvidia-cdi-hook")
        if plugin:
            self.start_plugin({"nvidia.com/gpu": 8})
        self.cluster.apply(config_map({"one.yaml": SCENARIO, "elsewhere.yaml": ELSEWHERE, "wrong.yaml": "steps: [{do: faul}]"}))
        # As long as the kubelet needs for a ConfigMap.
        self.cluster.wait("the step", lambda: "scenario one.yaml: step 1 done: fault gpu=" in self.log_of_node(), 180)
        self.assertIn("nvmlkit: scenario wrong.yaml:1:14: unknown command 'faul'; did you mean 'fault'?", self.log_of_node())
        self.assertIn("step 1 elsewhere", self.log_of_node())
        self.assertEqual(len(self.nvmlkit("fault").splitlines()), 2, "an Xid, and a GPU that is lost")
        with open(LOG, encoding="utf-8") as log:
            self.assertRegex(log.read(), r"NVRM: Xid \(PCI:[0-9a-f:]+\): 79,")
        text = self.metrics()
        self.assertEqual(len(re.findall(rf"^{re.escape(healthy)}.* 0$", text, re.M)), 1)
        self.assertIn('nvmlkit_scenario_state{file="wrong.yaml",scenario="",state="refused"} 1', text)
        if plugin:
            self.cluster.wait("seven GPUs", lambda: self.allocatable() == "7")
        self.cluster.kubectl("-n", "nvmlkit", "delete", "configmap", "nvmlkit-scenarios")
        self.cluster.wait("the end", lambda: self.nvmlkit("fault") == "no faults\n", 180)
        self.assertEqual(len(re.findall(rf"^{re.escape(healthy)}.* 1$", self.metrics(), re.M)), 8)
