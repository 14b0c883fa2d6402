"""dcgm-exporter with DCGM's library on the node. NVMLKIT_DCGM names the file system of its container image, unpacked."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import objects
from case import ClusterTest
from content import DCGM, DCGM_IMAGE

PORT = 9400
# Where the chart's driver root has NVML. The host engine loads the library by its name.
LIBRARIES = f"{objects.ROOT}/usr/lib/x86_64-linux-gnu"
# The kubelet tells there which pod has which GPU.
POD_RESOURCES = "/var/lib/kubelet/pod-resources"


def exporter() -> str:
    """As NVIDIA's chart runs it, and with the host's network, where the test reads it."""
    folders = {"nvidia": "/run/nvidia", "pods": POD_RESOURCES}
    container = {
        "name": "c",
        "image": DCGM_IMAGE,
        "imagePullPolicy": "Never",
        "command": ["dcgm-exporter", "-f", "/etc/dcgm-exporter/default-counters.csv", "-a", f":{PORT}", "-c", "1000"],
        "env": [{"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"}, {"name": "LD_LIBRARY_PATH", "value": LIBRARIES}],
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in folders.items()],
    }
    pod = {
        "hostNetwork": True,
        "tolerations": [{"operator": "Exists"}],
        "terminationGracePeriodSeconds": 1,
        "containers": [container],
        "volumes": [{"name": name, "hostPath": {"path": path}} for name, path in folders.items()],
    }
    metadata = {"name": "dcgm-exporter", "namespace": "kube-system", "labels": {"name": "dcgm-exporter"}}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})


def metrics() -> dict[tuple[str, str], tuple[float, str]]:
    """By name and UUID: the value and the pod."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/metrics", timeout=10) as answer:
            text = answer.read().decode()
    except (urllib.error.URLError, OSError):
        return {}
    out = {}
    for name, words, value in re.findall(r"^(DCGM_\w+)\{(.*)\} (\S+)$", text, re.M):
        labels = dict(re.findall(r'(\w+)="([^"]*)"', words))
        out[name, labels["UUID"]] = float(value), labels.get("pod", "")
    return out


class DcgmTests(ClusterTest):
    def test_47_dcgm_exporter(self) -> None:
        """It names the pods on the GPUs, and shows loads and Xids of the machine."""
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        if not DCGM:
            self.skipTest("no DCGM: NVMLKIT_DCGM")
        self.chart("upgrade")
        self.start_plugin({"nvidia.com/gpu": 8})
        text = self.run_pod("trains", "nvidia-smi -L", 2)
        of_pod = set(re.findall(r"GPU-[0-9a-f-]+", text))
        self.assertEqual(len(of_pod), 2, text)
        self.cluster.apply(exporter())
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "pod", "dcgm-exporter", "--grace-period=0", "--force")
        uuids = self.uuids()
        of_metrics = lambda: {uuid for (name, uuid), (_, pod) in metrics().items() if pod == "trains"}  # noqa: E731
        self.cluster.wait("the pod's GPUs in the metrics", lambda: of_metrics() == of_pod)
        self.assertEqual({uuid for name, uuid in metrics() if name == "DCGM_FI_DEV_GPU_TEMP"}, set(uuids))
        self.nvmlkit("load", "gpu=3", "80%")
        self.addCleanup(self.nvmlkit, "load", "gpu=3", "off")
        self.cluster.wait("a load in the metrics", lambda: metrics().get(("DCGM_FI_DEV_GPU_UTIL", uuids[3]), (0.0, ""))[0] == 80)
        self.nvmlkit("fault", "gpu=5", "xid", "48")
        self.addCleanup(self.nvmlkit, "heal", "gpu=5")
        self.cluster.wait("an Xid in the metrics", lambda: metrics().get(("DCGM_FI_DEV_XID_ERRORS", uuids[5]), (0.0, ""))[0] == 48)
