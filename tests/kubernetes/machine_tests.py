"""Which machine a node has: by its label, and by the pool of its name on two nodes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time

import objects
from case import GPU, STATE, ClusterTest
from cluster import NODE
from content import COMMAND, SOURCE, real_smi
from programs import find


class MachineTests(ClusterTest):
    def test_50_a_node_chooses_its_machine_by_label(self) -> None:
        labels = ("machineLabel.enabled=true", "machineLabel.machines={t4,two-a30}", "machines.two-a30.base=a30", "gpus=2")
        self.chart("upgrade", *labels, wait=False)
        self.addCleanup(self.cluster.kubectl, "label", "node", NODE, "nvmlkit.io/machine-")
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine=t4")
        self.cluster.wait("the T4", lambda: STATE.exists() and "Tesla T4" in self.status())
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine=two-a30", "--overwrite")
        self.cluster.wait("the A30", lambda: STATE.exists() and "NVIDIA A30" in self.status())
        if find("nvidia-device-plugin") and find("nvidia-cdi-hook"):
            self.start_plugin({"nvidia.com/gpu": 2})
        # A label that names no machine: no pod of a machine, and one that says so.
        self.cluster.kubectl("label", "node", NODE, "nvmlkit.io/machine=h1000", "--overwrite")
        line = f"nvmlkit: node {NODE}: its label nvmlkit.io/machine names none of the machines t4, two-a30: change the label"
        self.cluster.wait("the message", lambda: self.logs("no-machine").startswith(line))
        self.assertEqual(len(self.logs("no-machine").splitlines()), 1)
        self.wait_for_event(line)
        self.cluster.wait("no root", lambda: not STATE.exists())

    def test_51_two_pools_of_different_machines(self) -> None:
        other = self.cluster.add_node()
        self.addCleanup(self.cluster.remove_node, other)
        pools: list[dict[str, object]] = [
            {"name": "training", "machine": "dgx-h100", "nodes": [NODE]},
            {"name": "inference", "machine": "l4", "gpus": 2, "driver": "550", "nodes": [other.name]},
        ]
        self.chart("upgrade", values={"pools": pools})
        self.assertIn("8 x NVIDIA H100 80GB HBM3", self.status())
        # Helm may count the new pods before the old one has ended.
        self.cluster.wait("the L4", lambda: "2 x NVIDIA L4" in self.status(other))
        if find("nvidia-device-plugin") and find("nvidia-cdi-hook") and real_smi():
            self.delete_plugin()
            self.cluster.apply(objects.device_plugin(str(find("nvidia-cdi-hook"))))
            for node, count, model in ((NODE, 8, "NVIDIA H100 80GB HBM3"), (other.name, 2, "NVIDIA L4")):
                self.cluster.wait(f"GPUs of {node}", lambda: self.allocatable(node=node) == str(count))
                text = self.run_pod(f"on-{node}", "nvidia-smi -L", 2, nodeSelector={"kubernetes.io/hostname": node})
                self.assertEqual([found for found, _ in re.findall(GPU, text, re.M)], [model] * 2, text)
        self.chart("upgrade", values={"pools": [pools[0]]})
        self.cluster.wait("no root on the other node", lambda: not other.path(objects.ROOT).exists())

    def test_52_a_fleet_of_nodes_without_machines(self) -> None:
        """The scheduler finds room by their resources. kwok, if it is there, keeps them ready and runs the pods in name."""
        count = 100
        kwok, stages = find("kwok"), os.environ.get("NVMLKIT_KWOK_STAGES")
        if kwok and stages:
            config = self.cluster.work / "admin.kubeconfig"
            log = (self.cluster.logs / "kwok.log").open("w")
            self.addCleanup(log.close)
            selector = "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake"
            options = (f"--kubeconfig={config}", f"--config={stages}", "--manage-all-nodes=false", selector)
            program = subprocess.Popen([kwok, *options], stdout=log, stderr=log)
            self.addCleanup(lambda: (program.terminate(), program.wait()))
        begin = time.monotonic()
        environment = {**os.environ, "NVMLKIT": str(COMMAND)}
        fleet = subprocess.run([SOURCE / "deploy/fleet", str(count), "-m", "dgx-h100", "--resource-slices"], capture_output=True, text=True, check=True, env=environment)
        made = time.monotonic()
        self.cluster.apply(fleet.stdout)
        applied = time.monotonic()
        pods = [json.loads(objects.pod(f"fleet-{number}", "true", 8)) for number in range(count)]
        for pod in pods:
            pod["spec"] |= {"tolerations": [{"operator": "Exists"}], "nodeSelector": {"type": "kwok"}}
        self.cluster.apply(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
        names = ("get", "pods", "-o", "jsonpath={range .items[*]}{.spec.nodeName}{'\\n'}{end}")
        nodes = lambda: [name for name in self.cluster.kubectl(*names).split() if name.startswith("dgx-h100-")]  # noqa: E731
        self.cluster.wait("all pods have a node", lambda: len(nodes()) == count)
        self.assertEqual(len(set(nodes())), count, "eight GPUs of a node are one pod")
        print(f"{count} nodes printed in {made - begin:.1f} s and applied in {applied - made:.1f} s; "
              f"{count} pods applied and scheduled in {time.monotonic() - applied:.1f} s", flush=True)  # fmt: skip
        if kwok and stages:
            self.look_at_kwok(count)
        self.cluster.kubectl("delete", "pods", "--all", "--force", "--grace-period=0")
        self.cluster.kubectl("delete", "resourceclaims", "--all")
        self.cluster.kubectl("delete", "nodes", "-l", "type=kwok")
        self.cluster.kubectl("delete", "resourceslices", "--all")

    def look_at_kwok(self, count: int) -> None:
        ready = ("get", "nodes", "-l", "type=kwok", "-o", "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}")
        self.cluster.wait("nodes that are ready", lambda: self.cluster.kubectl(*ready).split() == ["True"] * count)
        seconds = self.cluster.wait("pods that run", lambda: self.phases().count("Running") >= count)
        # By a claim, on the ResourceSlices of the fleet.
        self.cluster.kubectl("delete", "pods", "--all", "--force", "--grace-period=0")
        self.cluster.apply(objects.GPU_CLASS)
        self.addCleanup(self.cluster.kubectl, "delete", "-f", "-", text=objects.GPU_CLASS)
        self.cluster.apply(objects.claim("eight", 8))
        pod = json.loads(objects.pod("by-claim", "true", claimed="eight"))
        pod["spec"] |= {"tolerations": [{"operator": "Exists"}], "nodeSelector": {"type": "kwok"}}
        self.cluster.apply(json.dumps(pod))
        self.cluster.wait("a pod with a claim", lambda: self.phases() == ["Running"])
        results = ("get", "resourceclaim", "eight", "-o", "jsonpath={.status.allocation.devices.results[*].device}")
        self.assertEqual(sorted(self.cluster.kubectl(*results).split()), [f"gpu-{number}" for number in range(8)])
        print(f"kwok ran the pods {seconds:.1f} s later; a claim of eight GPUs is allocated", flush=True)

    def phases(self) -> list[str]:
        return self.cluster.kubectl("get", "pods", "-o", "jsonpath={.items[*].status.phase}").split()
