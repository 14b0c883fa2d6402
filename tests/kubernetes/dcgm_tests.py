"""dcgm-exporter with DCGM's library on the node, as a pod and by its own chart. NVMLKIT_DCGM names the file system of its container
image, unpacked; NVMLKIT_DCGM_EXPORTER a checkout with the chart."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request

import objects
from case import EXAMPLES, ClusterTest
from content import DCGM, DCGM_EXPORTER, DCGM_IMAGE

PORT = 9400
# Where the chart's driver root has NVML. The host engine loads the library by its name.
LIBRARIES = f"{objects.ROOT}/usr/lib/x86_64-linux-gnu"
# The kubelet tells there which pod has which GPU.
POD_RESOURCES = "/var/lib/kubelet/pod-resources"


def exporter() -> str:
    """With the host's network, where the test reads it."""
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
        self.start_machine()
        self.cluster.apply(exporter())
        self.addCleanup(self.cluster.kubectl, "-n", "kube-system", "delete", "pod", "dcgm-exporter", "--grace-period=0", "--force")
        self.look_at_metrics()

    def test_47_dcgm_exporter_by_its_chart(self) -> None:
        """With the values of the guide."""
        if not DCGM_EXPORTER:
            self.skipTest("NVMLKIT_DCGM_EXPORTER names no checkout of dcgm-exporter")
        self.start_machine()
        release = ("dcgm-exporter", "--namespace", "dcgm-exporter")
        repository, tag = DCGM_IMAGE.rsplit(":", 1)
        values = {"image.repository": repository, "image.tag": tag, "hostNetwork": "true", "resources.requests.cpu": "10m"}
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        settings += ["-f", str(EXAMPLES / "dcgm-exporter/values.yaml")]
        self.cluster.helm("install", *release, str(DCGM_EXPORTER / "deployment"), "--create-namespace", *settings)
        pods = ("-n", "dcgm-exporter", "get", "pods", "-o", "name")
        self.addCleanup(self.cluster.wait, "the exporter's end", lambda: "pod/" not in self.cluster.kubectl(*pods))
        self.addCleanup(self.cluster.helm, "uninstall", *release)
        self.look_at_metrics()

    def start_machine(self) -> None:
        """With a pod on two of its GPUs."""
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        if not DCGM:
            self.skipTest("no DCGM: NVMLKIT_DCGM")
        self.chart("upgrade")
        self.start_plugin({"nvidia.com/gpu": 8})
        text = self.run_pod("trains", "nvidia-smi -L", 2)
        self.of_pod = set(re.findall(r"GPU-[0-9a-f-]+", text))
        self.assertEqual(len(self.of_pod), 2, text)

    def look_at_metrics(self) -> None:
        """They name the pods on the GPUs, and show loads and Xids of the machine."""
        uuids = self.uuids()
        of_metrics = lambda: {uuid for (name, uuid), (_, pod) in metrics().items() if pod == "trains"}  # noqa: E731
        self.cluster.wait("the pod's GPUs in the metrics", lambda: of_metrics() == self.of_pod)
        self.assertEqual({uuid for name, uuid in metrics() if name == "DCGM_FI_DEV_GPU_TEMP"}, set(uuids))
        self.nvmlkit("load", "gpu=3", "80%")
        self.addCleanup(self.nvmlkit, "load", "gpu=3", "off")
        self.cluster.wait("a load in the metrics", lambda: metrics().get(("DCGM_FI_DEV_GPU_UTIL", uuids[3]), (0.0, ""))[0] == 80)
        self.nvmlkit("fault", "gpu=5", "xid", "48")
        self.addCleanup(self.nvmlkit, "heal", "gpu=5")
        self.cluster.wait("an Xid in the metrics", lambda: metrics().get(("DCGM_FI_DEV_XID_ERRORS", uuids[5]), (0.0, ""))[0] == 48)
