"""ComputeDomains of NVIDIA's driver for dynamic resource allocation, by its own chart: nodes of one NVLink fabric."""

from __future__ import annotations

import json
import re
from pathlib import Path

import objects
from case import ClusterTest
from cluster import NODE
from content import DRA_DRIVER, DRA_IMAGE
from programs import find

MEMBERS = "resource.nvidia.com/computeDomain"
PROGRAMS = ("compute-domain-kubelet-plugin", "compute-domain-controller", "compute-domain-daemon", "nvidia-cdi-hook", "bash")
RELEASE = ("dra-driver", "--namespace", "dra-driver")


class ComputeDomainTests(ClusterTest):
    def test_44_a_compute_domain_of_two_nodes(self) -> None:
        self.need(*PROGRAMS)
        if DRA_DRIVER is None:
            self.skipTest("NVMLKIT_DRA_DRIVER names no checkout of NVIDIA's driver for dynamic resource allocation")
        other = self.cluster.add_node()
        self.addCleanup(self.cluster.remove_node, other)
        self.machine({"base": "gb200-tray"})
        for node in (NODE, other.name):
            self.cluster.kubectl("label", "node", node, "nvidia.com/gpu.present=true", "--overwrite")
        self.install(DRA_DRIVER)
        self.addCleanup(self.wait_for_end_of_daemons)
        self.cluster.apply(objects.compute_domain("shared", 2, "a-channel"))
        self.addCleanup(self.cluster.kubectl, "delete", "computedomain", "shared", "--timeout=60s", check=False)
        claims = [{"name": "channel", "resourceClaimTemplateName": "a-channel"}]
        command = "(ls -l /dev/nvidia-caps-imex-channels; echo end) 2>&1; sleep 3600"
        for number, node in enumerate((NODE, other.name)):
            pod = json.loads(objects.pod(f"member-{number}", command, resourceClaims=claims, nodeSelector={"kubernetes.io/hostname": node}))
            pod["spec"]["containers"][0]["resources"] = {"claims": [{"name": "channel"}]}
            self.cluster.apply(json.dumps(pod))
            self.addCleanup(self.cluster.kubectl, "delete", "pod", f"member-{number}", "--force", "--grace-period=0", check=False)
        for number in range(2):
            log = ("logs", f"member-{number}")
            self.cluster.wait(f"member {number}", lambda: self.cluster.kubectl(*log, check=False).endswith("end\n"))
            self.assertRegex(self.cluster.kubectl(*log), r"(?m)^c\S+ .* \d+, +0 .* channel0$")
        status = ("get", "computedomain", "shared", "-o", "jsonpath={.status.status}")
        self.cluster.wait("a domain that is ready", lambda: self.cluster.kubectl(*status) == "Ready")
        self.look_at_domain()

    def install(self, driver: Path) -> None:
        """NVIDIA's chart, with the values of the guide."""
        repository, tag = DRA_IMAGE.rsplit(":", 1)
        values = {"image.repository": repository, "image.tag": tag, "nvidiaDriverRoot": objects.ROOT,
                  "nvidiaCDIHookPath": find("nvidia-cdi-hook"), "altProcDevices": f"{objects.ROOT}/proc/devices",
                  "resources.gpus.enabled": "false"}  # fmt: skip
        settings = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        self.cluster.helm("install", *RELEASE, str(driver / "deployments/helm/dra-driver-nvidia-gpu"), "--create-namespace", *settings)
        self.addCleanup(self.cluster.helm, "uninstall", *RELEASE)

    def wait_for_end_of_daemons(self) -> None:
        """Without the driver, the kubelet cannot give back their claims, and their pods would stay."""
        daemons = ("-n", "dra-driver", "get", "pods", "-l", MEMBERS, "-o", "name")
        self.cluster.wait("the end of the domain's daemons", lambda: not self.cluster.kubectl(*daemons).strip(), 90)

    def look_at_domain(self) -> None:
        """nvidia-imex in the pods of the domain's daemons: two of the 18 nodes that it may have are there, and connected."""
        of_daemons = ("-n", "dra-driver", "get", "pods", "-l", MEMBERS, "-o", "jsonpath={.items[*].metadata.name}")
        daemons = self.cluster.kubectl(*of_daemons).split()
        self.assertEqual(len(daemons), 2)
        ask = ("-n", "dra-driver", "exec", daemons[0], "--", "nvidia-imex-ctl", "-c", "/imexd/imexd.cfg")
        self.assertEqual(self.cluster.kubectl(*ask, "-q"), "READY\n")

        def connected() -> bool:
            rows = re.findall(r"^ +[01] {8}(.*)$", self.cluster.kubectl(*ask, "-N"), re.M)
            return [row.split()[:2] for row in rows] == [["C", "C"], ["C", "C"]]

        self.cluster.wait("both are connected", connected)
        domain = json.loads(self.cluster.kubectl(*ask, "-N", "-j"))
        self.assertEqual((domain["status"], len(domain["nodes"])), ("DEGRADED", 18))
        print("a ComputeDomain of two nodes is ready", flush=True)
