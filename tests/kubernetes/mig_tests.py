"""MIG devices as resources of the device plugin, and the MIG manager that makes them."""

from __future__ import annotations

import re
from pathlib import Path

import objects
from case import MIG, ClusterTest
from cluster import NODE

# Two GPUs, one of them split.
MIXED = {
    "base": "h100",
    "system": {"num_devices": 2},
    "devices": [{"index": 1, "mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}],
}
# Two GPUs, both split into equal parts, as the strategy `single` wants it.
SINGLE = {
    "base": "h100",
    "system": {"num_devices": 2},
    "device_defaults": {"mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "3g.40gb"}]}},
}

BUS = """
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/>
    <allow receive_type="method_call"/><allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
  </policy>
</busconfig>
"""


class MigTests(ClusterTest):
    def mig_pod(self, name: str, resource: str) -> tuple[str, str]:
        """Profile and UUID of the only MIG device that a pod of one sees."""
        text = self.run_pod(name, "nvidia-smi -L", 1, resource=resource)
        found = re.findall(MIG, text, re.M)
        self.assertEqual((len(found), text.count("GPU "), len(text.splitlines())), (1, 1, 2), text)
        return found[0]

    def test_30_mixed(self) -> None:
        """The steps of the guide for nodes without NVIDIA's container toolkit."""
        self.need("nvidia-device-plugin")
        self.end_plugin()
        self.machine(MIXED, "cdi.kind=k8s.device-plugin.nvidia.com/gpu")
        self.apply_example("device-plugin-mig.yaml")
        for resource in ("gpu", "mig-3g.40gb", "mig-1g.10gb"):
            self.cluster.wait(resource, lambda: self.allocatable(f"nvidia.com/{resource}") == "1")
        uuids = set()
        for profile in ("3g.40gb", "1g.10gb"):
            seen, uuid = self.mig_pod(f"mixed-{profile.split('.')[0]}", f"nvidia.com/mig-{profile}")
            self.assertEqual(seen, profile)
            uuids.add(uuid)
        self.assertEqual(len(uuids), 2)
        text = self.run_pod("whole", "nvidia-smi -L", 1)
        self.assertRegex(text, r"\AGPU 0: NVIDIA H100 80GB HBM3 \(UUID: GPU-[0-9a-f-]+\)\n\Z")

    def test_31_single(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        self.machine(SINGLE)
        self.start_plugin({"nvidia.com/gpu": 4}, MIG_STRATEGY="single")
        found = [self.mig_pod(f"single-{number}", "nvidia.com/gpu") for number in range(2)]
        self.assertEqual([profile for profile, _ in found], ["3g.40gb", "3g.40gb"])
        self.assertEqual(len({uuid for _, uuid in found}), 2)

    def test_32_the_mig_manager_splits_gpus(self) -> None:
        """By the label of the node, as the GPU operator runs it."""
        self.need("nvidia-mig-manager", "nvidia-mig-parted", "dbus-daemon")
        self.start_bus()
        self.delete_plugin()
        self.machine({"base": "h100", "system": {"num_devices": 2}})
        self.apply_example("mig-manager.yaml")
        self.addCleanup(self.cluster.kubectl, "label", "node", NODE, "nvidia.com/mig.config-", "nvidia.com/mig.config.state-", check=False)
        for config, count in (("all-3g.40gb", 4), ("all-disabled", 0)):
            self.cluster.kubectl("label", "node", NODE, f"nvidia.com/mig.config={config}", "nvidia.com/mig.config.state-", "--overwrite")
            state = r"{.metadata.labels.nvidia\.com/mig\.config\.state}"
            self.cluster.wait(f"MIG {config}", lambda: self.cluster.node(state) in ("success", "failed"), 300)
            log = self.cluster.kubectl("-n", "kube-system", "logs", "-l", "app=nvidia-mig-manager", "--tail=60")
            self.assertEqual(self.cluster.node(state), "success", log)
            # A GPU instance and its compute instance have a file each; the node's program writes them.
            files = Path(objects.ROOT).glob
            self.cluster.wait("files", lambda: len([*files("proc/driver/nvidia/capabilities/gpu*/mig/gi*/**/access")]) == count * 2)

    def start_bus(self) -> None:
        """The manager wants the bus of systemd, and asks it for nothing here."""
        socket = Path("/run/dbus/system_bus_socket")
        socket.parent.mkdir()
        file = self.cluster.work / "bus.conf"
        file.write_text(BUS.format(socket=socket))
        self.cluster.start_program("dbus-daemon", f"--config-file={file}", "--nofork")
        self.cluster.wait("the bus", socket.exists)
