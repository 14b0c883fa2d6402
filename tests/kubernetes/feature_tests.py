"""Node Feature Discovery by its own chart: the labels of a node with simulated GPUs. NVMLKIT_NFD names a checkout."""

from __future__ import annotations

import json
from pathlib import Path

import objects
from case import FEATURES, ClusterTest
from cluster import NODE
from content import NFD, NFD_IMAGE, PROGRAMS_OF_NFD

PREFIX = "feature.node.kubernetes.io/"
RELEASE = ("nfd", "--namespace", "node-feature-discovery")


class FeatureTests(ClusterTest):
    def test_49_labels_of_node_feature_discovery(self) -> None:
        """That of the chart's file, those of GPU feature discovery, and that of the PCI devices below the driver root's /sys."""
        self.need(*PROGRAMS_OF_NFD, "gpu-feature-discovery")
        if NFD is None:
            self.skipTest("NVMLKIT_NFD names no checkout of Node Feature Discovery")
        self.chart("upgrade")
        self.addCleanup((Path(FEATURES).parent / "gfd").unlink, missing_ok=True)
        self.apply_example("gpu-feature-discovery.yaml")
        repository, tag = NFD_IMAGE.rsplit(":", 1)
        values = {"image.repository": repository, "image.tag": tag, "image.pullPolicy": "Never", "gc.enable": "false"}
        values |= {"worker.config.core.sleepInterval": "2s", "worker.tolerations[0].operator": "Exists"}
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        self.cluster.helm("install", *RELEASE, str(NFD / "deployment/helm/node-feature-discovery"), "--create-namespace", *settings)
        # Without its hook, a job that takes the labels away: no other test reads them.
        self.addCleanup(self.cluster.helm, "uninstall", *RELEASE, "--no-hooks")
        of_pci = {f"{PREFIX}pci-0302_10de.present": "true", f"{PREFIX}pci-10de.present": "true"}
        self.wait_for_labels(of_pci | {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": "8"})
        # Without the file, the node's own /sys has no GPU.
        self.chart("upgrade", "features=")
        self.cluster.wait("no PCI device of NVIDIA", lambda: not of_pci.keys() & self.labels().keys())
        container = {"name": "worker", "volumeMounts": [{"name": "gpus", "mountPath": "/host-sys", "readOnly": True}]}
        spec = {"containers": [container], "volumes": [{"name": "gpus", "hostPath": {"path": f"{objects.ROOT}/sys"}}]}
        patch = json.dumps({"spec": {"template": {"spec": spec}}})
        self.cluster.kubectl("-n", "node-feature-discovery", "patch", "ds", "nfd-node-feature-discovery-worker", "-p", patch)
        self.wait_for_labels({f"{PREFIX}pci-0302_10de.present": "true"})

    def labels(self) -> dict[str, str]:
        out: dict[str, str] = json.loads(self.cluster.kubectl("get", "node", NODE, "-o", "json"))["metadata"]["labels"]
        return out

    def wait_for_labels(self, wanted: dict[str, str]) -> None:
        self.cluster.wait(f"{wanted}", lambda: wanted.items() <= self.labels().items())
