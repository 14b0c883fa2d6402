"""NVIDIA's GPU operator by its own chart: the driver and the toolkit are on the node, the operator brings the rest."""

from __future__ import annotations

import re
from pathlib import Path

from case import EXAMPLES, GPU, VALIDATIONS, ClusterTest
from cluster import NODE
from content import DCGM, DCGM_IMAGE, GPU_OPERATOR, OPERATOR_IMAGE, PLUGIN_IMAGE
from programs import find

PROGRAMS = ("gpu-operator", "nvidia-validator", "nvidia-container-runtime", "nvidia-device-plugin",
            "gpu-feature-discovery", "nvidia-cdi-hook", "cleanup-gpuclusters")  # fmt: skip
RELEASE = ("gpu-operator", "--namespace", "gpu-operator")
# Of Node Feature Discovery, which is not on the cluster: a GPU is there, and the system of the node.
LABELS = {"pci-10de.present": "true", "system-os_release.ID": "debian", "system-os_release.VERSION_ID": "12"}
# What the operator starts on a node with a GPU, with the values of the guide.
STARTED = ("nvidia-operator-validator", "nvidia-device-plugin-daemonset", "gpu-feature-discovery",
           *(("nvidia-dcgm-exporter",) if DCGM else ()))  # fmt: skip
# Of its validator.
FILES = ("driver-ready", "toolkit-ready", "cuda-ready", "plugin-ready")


class OperatorTests(ClusterTest):
    def test_46_the_gpu_operator(self) -> None:
        self.need(*PROGRAMS)
        if GPU_OPERATOR is None:
            self.skipTest("NVMLKIT_GPU_OPERATOR names no checkout of NVIDIA's GPU operator")
        self.end_plugin()
        self.install_toolkit()
        self.chart("upgrade")
        labels = {f"feature.node.kubernetes.io/{name}": value for name, value in LABELS.items()}
        self.cluster.kubectl("label", "node", NODE, "--overwrite", *(f"{name}={value}" for name, value in labels.items()))
        self.addCleanup(self.cluster.kubectl, "label", "node", NODE, *(f"{name}-" for name in labels))
        self.install_operator(GPU_OPERATOR)
        seconds = self.cluster.wait("the operator", self.is_operator_ready, 300)
        print(f"the GPU operator is ready after {seconds:.0f} s", flush=True)
        self.cluster.wait("eight GPUs", lambda: self.allocatable() == "8")  # the kubelet writes them down later
        found = re.findall(GPU, self.run_pod("of-operator", "nvidia-smi -L", 2), re.M)
        self.assertEqual(len({uuid for _, uuid in found}), 2, found)
        self.assertLessEqual({uuid for _, uuid in found}, set(self.uuids()))

    def is_operator_ready(self) -> bool:
        """Its policy says so, also while its DaemonSets have no pods yet: the files of the validator and ready pods are there, too."""
        state = ("get", "clusterpolicy", "cluster-policy", "-o", "jsonpath={.status.state}")
        columns = "jsonpath={range .items[?(@.status.numberReady==1)]}{.metadata.name}{'\\n'}{end}"
        ready = set(self.cluster.kubectl("-n", "gpu-operator", "get", "ds", "-o", columns).split())
        return (self.cluster.kubectl(*state, check=False) == "ready" and set(STARTED) <= ready
                and all((Path(VALIDATIONS) / name).exists() for name in FILES))  # fmt: skip

    def install_operator(self, operator: Path) -> None:
        """NVIDIA's chart, with the values of the guide and the images of the tests. No Node Feature Discovery is on the cluster."""
        own, plugin, exporter = (name.rsplit("/", 1)[1].rsplit(":", 1) for name in (OPERATOR_IMAGE, PLUGIN_IMAGE, DCGM_IMAGE))
        images = {"operator": own, "validator": own, "devicePlugin": plugin, "gfd": plugin, "dcgmExporter": exporter}
        values = {f"{part}.{key}": value for part, (image, version) in images.items()
                  for key, value in (("repository", "localhost"), ("image", image), ("version", version))}  # fmt: skip
        hook = str(find("nvidia-cdi-hook"))
        values |= {"nfd.enabled": "false", "gfd.env[0].name": "USE_NODE_FEATURE_API", "devicePlugin.env[0].value": hook,
                   "devicePlugin.env[0].name": "NVIDIA_CDI_HOOK_PATH", "dcgmExporter.enabled": "true" if DCGM else "false"}  # fmt: skip
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        settings += ["--set-string", "gfd.env[0].value=false", "-f", str(EXAMPLES / "gpu-operator/values.yaml")]
        self.cluster.helm("install", *RELEASE, str(operator / "deployments/gpu-operator"), "--create-namespace", *settings)
        self.addCleanup(self.uninstall_operator)

    def uninstall_operator(self) -> None:
        self.cluster.kubectl("delete", "clusterpolicy", "cluster-policy", "--timeout=60s", check=False)
        self.cluster.helm("uninstall", *RELEASE)
        self.cluster.wait("the operator's end", lambda: not self.cluster.kubectl("-n", "gpu-operator", "get", "pods", "-o", "name").strip())
