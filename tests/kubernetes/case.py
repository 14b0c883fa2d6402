"""What the tests of the cluster share: the cluster with the images in it, the chart, pods."""

from __future__ import annotations

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import objects
from cluster import NODE, Cluster
from content import COMMAND, SOURCE, WITH_DRIVER, image_of_build, images_of_tests, real_smi
from kubelet import Node
from programs import find

CHART = SOURCE / "deploy/chart/nvmlkit"
EXAMPLES = SOURCE / "deploy/examples"
STATE = Path(objects.ROOT) / "run/nvmlkit/state"
FEATURES = "/etc/kubernetes/node-feature-discovery/features.d/nvmlkit"
VALIDATIONS = "/run/nvidia/validations"
GPU = r"^GPU \d+: (.+) \(UUID: (GPU-[0-9a-f-]+)\)$"
MIG = r"^  MIG (\S+) +Device +\d+: \(UUID: (MIG-[0-9a-f-]+)\)$"
# Slow where the machine has other work.
SECONDS = "180s"


def entries(*folders: str) -> set[str]:
    out = set()
    for folder in folders:
        out |= {os.path.join(top, name) for top, names, files in os.walk(folder) for name in (*names, *files)}
    return out


class ClusterTest(unittest.TestCase):
    cluster: Cluster
    before: set[str]

    @classmethod
    def setUpClass(cls) -> None:
        work = Path(os.environ["NVMLKIT_CLUSTER_WORK"])
        cls.cluster = Cluster(work)
        cls.addClassCleanup(cls.cluster.stop)
        images = images_of_tests(work)
        named = os.environ.get("NVMLKIT_IMAGE")
        images.append(Path(named) if named else image_of_build().write(work / "nvmlkit.tar"))
        cls.cluster.start(images)
        cls.image = cls.name_of_our_image()
        cls.before = cls.entries_of_node()

    @classmethod
    def name_of_our_image(cls) -> str:
        names = cls.cluster.nodes[0].ctr("images", "list", "-q").stdout.split()
        ours = [name for name in names if re.search(r"/nvmlkit:", name) and name != WITH_DRIVER]
        assert len(ours) == 1, names
        return ours[0]

    @staticmethod
    def entries_of_node() -> set[str]:
        devices = {path for path in entries("/dev") if "nvidia" in path}
        return devices | entries("/run/nvidia", "/run/cdi", "/var/run/cdi", "/etc/kubernetes", "/etc/cdi")

    def settings(self, *more: str) -> list[str]:
        repository, tag = self.image.rsplit(":", 1)
        out = [f"image.repository={repository}", f"image.tag={tag}", f"validations={VALIDATIONS}", f"features={FEATURES}", *more]
        if smi := real_smi():
            out.append(f"nvidiaSmi.hostPath={smi}")
        return [word for setting in out for word in ("--set", setting)]

    def chart(self, verb: str, *more: str, wait: bool = True, values: dict[str, object] | None = None) -> str:
        options = ["--namespace", "nvmlkit", *(["--wait", "--timeout", SECONDS] if wait else [])]
        if verb == "install":
            options.append("--create-namespace")
        if values is not None:
            file = self.cluster.work / "values.json"
            file.write_text(json.dumps(values))
            options += ["-f", str(file)]
        return self.cluster.helm(verb, "nvmlkit", str(CHART), *options, *self.settings(*more))

    def machine(self, file: dict[str, object], *more: str) -> None:
        """A machine file for all nodes."""
        self.chart("upgrade", *more, values={"machines": {"own": file}, "pools": [{"name": "default", "machine": "own"}]})

    def nvmlkit(self, *arguments: str) -> str:
        """The command of a person who is on the node."""
        result = subprocess.run([COMMAND, *arguments, "--state", STATE], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def uuids(self) -> list[str]:
        count = len(list(Path(objects.ROOT).glob("dev/nvidia[0-9]*")))
        return [self.nvmlkit("get", f"gpu={index}", "uuid").strip() for index in range(count)]

    def allocatable(self, resource: str = "nvidia.com/gpu", node: str = NODE) -> str:
        return self.cluster.node("{.status.allocatable." + resource.replace(".", r"\.") + "}", node)

    def run_pod(self, name: str, command: str, gpus: int = 0, claimed: str = "", **spec: object) -> str:
        """What the pod printed; it stays until the end of the test."""
        return self.start_pod(name, objects.pod(name, f"({command}) 2>&1; echo end; sleep 3600", gpus, claimed, **spec))

    def start_pod(self, name: str, manifest: str) -> str:
        delete = ("delete", "pod", name, "--force", "--grace-period=0")
        self.cluster.apply(manifest)
        self.addCleanup(self.cluster.kubectl, *delete, check=False)

        def has_ended() -> bool:
            # The kubelet refuses a pod that comes while a device plugin starts anew. A controller would make it again.
            if self.cluster.kubectl("get", "pod", name, "-o", "jsonpath={.status.reason}", check=False) == "UnexpectedAdmissionError":
                self.cluster.kubectl(*delete)
                self.cluster.apply(manifest)
            return self.cluster.kubectl("logs", name, check=False).endswith("end\n")

        self.cluster.wait(f"pod {name}", has_ended)
        return self.cluster.kubectl("logs", name).removesuffix("end\n")

    def need(self, *programs: str) -> None:
        for program in programs:
            if find(program) is None:
                self.skipTest(f"no {program} in PATH")
        if real_smi() is None:
            self.skipTest("no nvidia-smi: scripts/setup, or NVMLKIT_SMI")

    def apply_example(self, name: str) -> None:
        """Of deploy/examples, with the program of the tests; until the end of the test."""
        text = (EXAMPLES / name).read_text()
        manifest, count = re.subn(r"image: (nvcr|registry\.k8s)\.io/\S+", f"image: {objects.NVIDIA}", text)
        self.assertGreaterEqual(count, 1, name)
        self.cluster.apply(manifest)
        self.addCleanup(self.cluster.kubectl, "delete", "--cascade=foreground", "-f", "-", text=manifest)

    def install_toolkit(self) -> None:
        """NVIDIA's runtime on the node, as the guide has it; until the end of the test."""
        settings = Path("/etc/nvidia-container-runtime")
        settings.mkdir(exist_ok=True)
        text = (EXAMPLES / "nvidia-container-runtime.toml").read_text()
        (settings / "config.toml").write_text(text.replace('mode = "cdi"', f'mode = "cdi"\nruntimes = ["{find("runc")}"]', 1))
        node = self.cluster.nodes[0]
        folder = node.work / "containerd.d"
        folder.mkdir(exist_ok=True)
        text = (EXAMPLES / "containerd-nvidia.toml").read_text()
        (folder / "nvidia.toml").write_text(text.replace("/usr/bin/nvidia-container-runtime", str(find("nvidia-container-runtime"))))
        self.addCleanup((folder / "nvidia.toml").unlink)
        self.cluster.restart_containerd(node)

    def start_plugin(self, wanted: dict[str, int], **environment: str) -> None:
        """Anew, with these resources of the node as the result. Never two plugins of a node at once: where a kubelet notices the end of one
        after it has registered the next, it ends the connection to the next, whose GPUs are then unhealthy for good."""
        self.delete_plugin()
        self.cluster.apply(objects.device_plugin(str(find("nvidia-cdi-hook")), **environment))
        # The node's count is that of the plugin before, until this one is registered.
        logs = ("-n", "kube-system", "logs", "-l", "name=nvidia-device-plugin", "--tail=-1")
        self.cluster.wait("the plugin", lambda: "Registered device plugin" in self.cluster.kubectl(*logs, check=False))
        for resource, count in wanted.items():
            self.cluster.wait(f"{count} {resource}", lambda: self.allocatable(resource) == str(count))

    def end_plugin(self) -> None:
        """With its specification: one more of the same devices would exclude both."""
        self.delete_plugin()
        for file in Path("/var/run/cdi").glob("k8s.device-plugin.nvidia.com-*.json"):
            file.unlink()

    def delete_plugin(self) -> None:
        """Returns when its pods have ended."""
        delete = ("delete", "ds", "nvidia-device-plugin", "--ignore-not-found", "--cascade=foreground")
        self.cluster.kubectl("-n", "kube-system", *delete)

    def restart_plugin(self) -> None:
        """The next pod comes after the end of this one."""
        self.cluster.kubectl("-n", "kube-system", "delete", "pod", "-l", "name=nvidia-device-plugin")

    def logs(self, pool: str, tail: int = 3) -> str:
        return self.cluster.kubectl("-n", "nvmlkit", "logs", "-l", f"nvmlkit.io/pool={pool}", f"--tail={tail}", check=False)

    def status(self, node: Node | None = None) -> str:
        state = node.path(str(STATE)) if node else STATE
        return subprocess.run([COMMAND, "status", "--state", state], capture_output=True, text=True).stdout

    def messages(self) -> str:
        """Of the warnings about the chart's pods."""
        columns = "custom-columns=REASON:.reason,HOST:.source.host,MESSAGE:.message"
        return self.cluster.kubectl("-n", "nvmlkit", "get", "events", "--field-selector=type=Warning", "-o", columns, check=False)

    def wait_for_event(self, text: str) -> None:
        """A warning with this line, of the node's kubelet."""
        self.cluster.wait(f"an event: {text}", lambda: text in self.messages())

    def pid_of_node(self) -> int:
        """Of `nvmlkit node` on the first node."""
        tasks = [line.split() for line in self.cluster.nodes[0].ctr("tasks", "list").stdout.splitlines()]
        pids = [int(task[1]) for task in tasks if self.is_node(task)]
        self.assertEqual(len(pids), 1, tasks)
        return pids[0]

    @staticmethod
    def is_node(task: list[str]) -> bool:
        try:
            words = Path(f"/proc/{task[1]}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[1:3] == [b"node", objects.ROOT.encode()]

    def has_restarted(self) -> bool:
        status = "jsonpath={.items[0].status.containerStatuses[0].restartCount}/{.items[0].status.containerStatuses[0].ready}"
        return self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", status) == "1/true"
