"""Bad input and accidents: one line in the log of the pod, the same in an event, and pods that run keep their machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import objects
from case import STATE, ClusterTest
from content import WITH_DRIVER


class BadInputTests(ClusterTest):
    def test_60_bad_input_is_one_line_in_the_log(self) -> None:
        self.chart("upgrade", "pools[0].name=default", "pools[0].machine=h1000", wait=False)
        line = "nvmlkit: NVMLKIT_MACHINE: unknown machine 'h1000'; did you mean 'h100'?\n"
        self.cluster.wait("the message", lambda: self.logs("default") == line)
        self.wait_for_event(line.rstrip())
        self.chart("upgrade", "pools[0].name=default", "pools[0].machine=mine", "machines.mine.frobs=3", wait=False)
        self.cluster.wait("the message", lambda: "/machine/mine.yaml:1:1: " in self.logs("default"))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))

    def test_61_a_config_map_that_is_not_there_or_broken(self) -> None:
        pools = [{"name": "default", "configMap": {"name": "theirs", "key": "rack.yaml"}}]
        self.chart("upgrade", wait=False, values={"pools": pools})
        self.cluster.wait("the message", lambda: "/machine/rack.yaml" in self.logs("default"))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
        self.wait_for_event("nvmlkit: /machine/rack.yaml: cannot be read: No such file or directory")
        for text, message in (("base: h100\nsystem: {num_devices: many}\n", "rack.yaml:2:"), ("base: [\n", "rack.yaml:")):
            data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs", "namespace": "nvmlkit"}}
            self.cluster.apply(json.dumps({**data, "data": {"rack.yaml": text}}))
            self.cluster.kubectl("-n", "nvmlkit", "delete", "pod", "-l", "nvmlkit.io/pool=default", "--grace-period=0", "--force")
            self.cluster.wait(f"message {message}", lambda: message in self.logs("default"))
            self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
            self.wait_for_event(self.logs("default").rstrip())
        data["data"] = {"rack.yaml": "base: h100\nsystem: {num_devices: 3}\n"}
        self.cluster.apply(json.dumps(data))
        self.cluster.kubectl("-n", "nvmlkit", "delete", "pod", "-l", "nvmlkit.io/pool=default", "--grace-period=0", "--force")
        self.cluster.wait("the machine", lambda: STATE.exists() and "3 x NVIDIA H100" in self.status())

    def test_62_a_node_with_a_real_driver(self) -> None:
        repository, tag = WITH_DRIVER.rsplit(":", 1)
        self.chart("upgrade")
        image = (f"image.repository={repository}", f"image.tag={tag}", "securityContext.privileged=true")
        self.chart("upgrade", *image, "securityContext.allowPrivilegeEscalation=true", wait=False)
        line = "nvmlkit: /proc/driver/nvidia/version: this host has NVIDIA's kernel driver (NVRM version: "
        self.cluster.wait("the message", lambda: self.logs("default").startswith(line))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
        self.wait_for_event(line)
        self.assertFalse(STATE.exists())

    def test_63_a_full_disk(self) -> None:
        """Of the node's /run/nvidia. The pod waits until there is room."""
        self.end_pods()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "disk", "/run/nvidia"], check=True)
        self.chart("upgrade", wait=False)
        self.cluster.wait("the message", lambda: "No space left on device" in self.logs("default"))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
        self.wait_for_event("No space left on device")
        subprocess.run(["mount", "-o", "remount,size=64m", "/run/nvidia"], check=True)
        self.chart("upgrade")
        self.assertIn("8 x NVIDIA H100", self.status())
        self.end_pods()
        subprocess.run(["umount", "-l", "/run/nvidia"], check=True)
        self.chart("upgrade")

    def end_pods(self) -> None:
        """Of the chart; the next upgrade makes new ones."""
        self.cluster.kubectl("-n", "nvmlkit", "delete", "ds", "--all", "--wait")
        self.cluster.wait("no pod", lambda: "pod/" not in self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", "name"))

    def test_64_pods_keep_their_machine_while_the_program_of_the_node_is_killed(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        self.start_plugin({"nvidia.com/gpu": 8})
        self.run_pod("keeps", "nvidia-smi -L", 1)
        watch = ("exec", "keeps", "--", "nvidia-smi", "--query-gpu=uuid,power.limit", "--format=csv,noheader")
        before = self.cluster.kubectl(*watch)
        os.kill(self.pid_of_node(), 9)
        self.assertEqual(self.cluster.kubectl(*watch), before)
        self.cluster.wait("a restart", self.has_restarted)
        index = self.uuids().index(before.split(",")[0])
        self.nvmlkit("set", f"gpu={index}", "power.limit_mw=400000")
        self.assertIn("400.00 W", self.cluster.kubectl(*watch))

    def is_ready(self) -> bool:
        ready = "jsonpath={.items[*].status.containerStatuses[0].ready}"
        return self.cluster.kubectl("-n", "nvmlkit", "get", "pods", "-o", ready) == "true"

    def test_65_a_pod_that_is_killed_by_force_leaves_its_machine_to_the_same_settings(self) -> None:
        """Its program is stopped, so that it removes nothing at its end."""
        self.chart("upgrade")
        self.nvmlkit("fault", "gpu=2", "xid", "79")
        number = STATE.stat().st_ino
        os.kill(self.pid_of_node(), signal.SIGSTOP)
        self.cluster.kubectl("-n", "nvmlkit", "delete", "pod", "-l", "nvmlkit.io/pool=default", "--grace-period=1")
        self.cluster.wait("a new pod", self.is_ready)
        self.assertEqual(STATE.stat().st_ino, number)
        self.assertIn("gpu=2 lost", self.nvmlkit("fault"))
        os.kill(self.pid_of_node(), signal.SIGSTOP)
        self.chart("upgrade", "pools[0].name=default", "pools[0].machine=a100", "pools[0].gpus=4")
        self.assertIn("4 x NVIDIA A100", self.status())
        self.assertEqual(self.nvmlkit("fault"), "no faults\n")
        self.assertRegex(self.logs("default", -1), r"nvmlkit: /run/nvidia/driver: its machine was made from gpus none \(now '4'\), "
                         r"machine 'h100' \(now 'a100'\); a new one takes its place\n")  # fmt: skip
        self.chart("upgrade")

    def test_66_a_hook_where_no_program_starts(self) -> None:
        """As on nodes of kind, whose /run is mounted noexec."""
        self.end_pods()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "disk", "/run/nvidia"], check=True)
        self.chart("upgrade", "cdi.hook.enabled=true", wait=False)
        line = "nvmlkit: /run/nvidia/driver: is mounted noexec, so that no container could start the hook of --cdi-hook; "
        self.cluster.wait("the message", lambda: self.logs("default").startswith(line))
        self.assertEqual(len(self.logs("default").splitlines()), 1, self.logs("default"))
        self.wait_for_event(line)
        self.end_pods()
        subprocess.run(["umount", "-l", "/run/nvidia"], check=True)
        self.chart("upgrade")

    def test_67_folders_that_a_runtime_made(self) -> None:
        """containerd makes the source of a mount, where it is missing: here for a pod that comes while the root is made anew."""
        self.end_pods()
        place = Path(objects.ROOT) / "proc/devices"
        self.assertFalse(place.exists())
        volume = {"name": "devices", "hostPath": {"path": str(place)}}
        pod = json.loads(objects.pod("early", "sleep 3600", volumes=[volume]))
        pod["spec"]["containers"][0]["volumeMounts"] = [{"name": "devices", "mountPath": "/devices"}]
        self.cluster.apply(json.dumps(pod))
        self.addCleanup(self.cluster.kubectl, "delete", "pod", "early", "--force", "--grace-period=0")
        self.cluster.wait("a pod", lambda: self.cluster.phase("early") == "Running")
        self.assertTrue(place.is_dir())
        self.chart("upgrade")
        self.assertIn("nvidia", place.read_text())
        self.assertIn("8 x NVIDIA H100", self.status())
