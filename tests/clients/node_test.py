#!/usr/bin/env python3
"""nvmlkit node: the folder is what `nvmlkit root` renders from the same machine, after each change, and it rests while nothing
changes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND, tell
from node_support import Changer, NodeTest, Tree, tree_of

MIG = {"version": "1.0", "base": "h100", "devices": [{"index": 0, "mig": {"mode_current": "enabled"}}]}

# That have an entry for each GPU.
FOLDERS = ("sys/bus/pci/devices", "sys/bus/pci/drivers/nvidia", "proc/driver/nvidia/gpus")


def context_switches(process: int) -> int:
    """Of all threads of the process, wanted and not."""
    lines = [line for task in Path(f"/proc/{process}/task").iterdir() for line in (task / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)


class Node(NodeTest):
    def fault(self, *words: str) -> None:
        self.good("fault", *words, "--state", self.own_state)

    def heal(self, *words: str) -> None:
        self.good("heal", *words, "--state", self.own_state)

    def check(self, why: str) -> float:
        """The folder becomes true, without another change."""
        return self.wait_for_tree(self.expected(), why)

    def names(self) -> list[str]:
        return [device["name"] for device in json.loads((self.root / "nvidia-cdi.json").read_text())["devices"]]

    def test_a_gpu_off_the_bus_leaves_and_comes_back(self) -> None:
        cdi = self.folder / "cdi"
        self.node("-m", "h100", "--cdi-dir", cdi)
        healthy = tree_of(self.root)
        self.assertEqual(healthy, self.expected())
        bus_id = sorted(path.name for path in (self.root / "proc/driver/nvidia/gpus").iterdir())[2]
        own = ["dev/nvidia2", *(f"{folder}/{bus_id}" for folder in FOLDERS)]
        uuid = json.loads(self.good("get", "gpu=2", "uuid", "--json", "--state", self.own_state))[0]["value"]
        self.assertIn(uuid, self.names())
        for fault in ("off-bus", "removed"):
            with self.subTest(fault):
                self.fault("gpu=2", fault)
                self.check(fault)
                for path in own:
                    self.assertFalse(os.path.lexists(self.root / path), path)
                self.assertEqual(list((self.root / "sys/devices").rglob(bus_id)), [])
                self.assertNotIn(uuid, self.names())
                self.assertEqual([name for name in self.names() if name.isdigit()], [str(i) for i in range(7)])
                self.assertEqual((cdi / "nvidia.com-gpu.yaml").read_text(), (self.root / "etc/cdi/nvidia.yaml").read_text())
                self.assertEqual([path.name for path in cdi.iterdir()], ["nvidia.com-gpu.yaml"])
                self.heal("gpu=2")
                self.wait_for_tree(healthy, "healed")
        self.assertEqual((cdi / "nvidia.com-gpu.yaml").read_text(), (self.root / "etc/cdi/nvidia.yaml").read_text())

    def test_other_programs_learn_that_the_driver_is_there(self) -> None:
        features, validations = self.folder / "features.d/nvmlkit", self.folder / "validations"
        notices = ("--features", features, "--validations", validations)
        node = self.node("-m", "h100", "--remove", *notices)
        self.assertEqual(features.read_text(), "pci-0302_10de.present=true\npci-10de.present=true\n")
        ready = dict(line.split("=") for line in (validations / "driver-ready").read_text().splitlines())
        self.assertEqual(ready.pop("IS_HOST_DRIVER"), "false")
        # As the validator of the GPU operator writes it, which mounts the root there: tests/kubernetes holds the two together.
        place = "/driver-root"
        self.assertEqual(ready, {"NVIDIA_DRIVER_ROOT": str(self.root), "DRIVER_ROOT_CTR_PATH": place,
                                 "NVIDIA_DEV_ROOT": str(self.root), "DEV_ROOT_CTR_PATH": place})  # fmt: skip
        self.assertIn("GDRCOPY_ENABLED: false\n", (validations / ".driver-ctr-ready").read_text())
        node.terminate()
        node.wait(60)
        self.assertEqual([*features.parent.iterdir(), *validations.iterdir()], [])
        node = self.node("-m", "h100", *notices)
        node.terminate()
        node.wait(60)
        self.assertTrue(features.exists(), "the driver is still there")

    def test_a_program_asks_whether_a_node_is_ready(self) -> None:
        def asked(code: int) -> str:
            result = self.nvmlkit("status", "--ready-file", self.ready)
            self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
            return result.stderr

        self.assertIn("is ready", asked(1))
        node = self.node("-m", "t4")
        self.assertEqual(asked(0), "")
        node.kill()
        node.wait(60)
        self.assertIn(f"its process {node.pid} has ended", asked(1))
        bad = subprocess.run([COMMAND, "node", self.root, "--ready-file", self.ready, "--cdi-kind", "x"], env=self.environment,
                             capture_output=True, text=True)  # fmt: skip
        self.assertEqual(bad.returncode, 2)
        self.assertFalse(self.ready.exists(), "of the node before")

    @unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/proc/driver"), "needs root, for a host with a driver")
    def test_a_host_with_a_driver_is_refused_where_that_is_asked(self) -> None:
        for options, code in ((("--no-real-driver",), 2), ((), 0)):
            program = f"{COMMAND} node {self.root} -m t4 --ready-file {self.ready} {' '.join(options)}"
            script = f"{program} & node=$!; for i in $(seq 600); do test -e {self.ready} && kill $node; sleep 0.05; kill -0 $node || break; done; wait $node"
            result = self.nvmlkit("run", "-m", "h100", "--with-node", "--", "sh", "-c", script)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual("/proc/driver/nvidia/version: this host has NVIDIA's kernel driver (NVRM version: " in result.stderr, bool(code))
            self.assertEqual(self.root.exists(), not code)

    def test_a_seed_tells_nodes_of_one_machine_apart(self) -> None:
        uuids = set()
        for seed in ("", "rack-1", "rack-2"):
            environment = {"NVMLKIT_MACHINE": "h100", "NVMLKIT_GPU_COUNT": "2", "NVMLKIT_SEED": seed}
            node = self.node("--remove", **environment)
            got = json.loads(self.good("get", "gpu=all", "uuid", "--json", "--state", self.own_state))
            self.assertIn("Machine      h100\n", self.good("status", "--state", self.own_state))
            uuids |= {entry["value"] for entry in got}
            node.terminate()
            node.wait(60)
        self.assertEqual(len(uuids), 6)

    def test_a_gpu_that_the_driver_still_counts_stays(self) -> None:
        self.node("-m", "h100", "-n", "2")
        healthy = tree_of(self.root)
        self.fault("gpu=1", "lost")
        self.assertIn("dev/nvidia1", self.expected())
        self.wait_for_tree(self.expected(), "lost")
        self.assertEqual({path for path in tree_of(self.root)}, set(healthy))

    def test_a_machine_without_devices(self) -> None:
        self.node("-m", "t4")
        healthy = tree_of(self.root)
        self.fault("machine", "no-devices")
        self.check("no devices")
        self.assertEqual(self.names(), ["all"])
        self.heal("machine")
        self.wait_for_tree(healthy, "devices again")

    @unittest.skipIf(os.geteuid() != 0, "MIG needs root, here as on hardware")
    def test_mig_devices_come_and_go(self) -> None:
        file = self.folder / "machine.yaml"
        file.write_text(json.dumps(MIG))
        self.node("-c", file, "-n", "2")
        empty = tree_of(self.root)
        changer = Changer({**self.environment, "NVMLKIT_STATE": str(self.own_state)})
        self.addCleanup(changer.end)
        changer.do("+gi")
        self.check("an instance")
        capabilities = self.root / "proc/driver/nvidia/capabilities/gpu0/mig"
        self.assertEqual(len([*capabilities.glob("gi*/access")]), 1)
        changer.do("+ci")
        self.check("a device")
        self.assertEqual(len([*capabilities.glob("gi*/ci*/access")]), 1)
        self.assertEqual(len([name for name in self.names() if name.startswith("MIG-")]), 1)
        self.assertIn("0:0", self.names())
        self.assertGreater(len([*(self.root / "dev/nvidia-caps").iterdir()]), 3)
        changer.do("-ci")
        changer.do("-gi")
        self.wait_for_tree(empty, "no instance")

    def test_time_alone_changes_files(self) -> None:
        self.node("-m", "rtx4090")
        rest = tree_of(self.root)
        speed = next(path for path in rest if path.endswith("/current_link_speed"))
        self.assertEqual(rest[speed][1], b"2.5 GT/s PCIe\n")
        self.good("load", "gpu=0", "80%", "--state", self.own_state)
        busy = self.expected()
        self.assertNotEqual(busy[speed], rest[speed])
        self.wait_for_tree(busy, "busy")
        self.good("load", "gpu=0", "off", "--state", self.own_state)
        self.assertEqual(self.expected()[speed], busy[speed], "the link stays up for a while")
        self.wait_for_tree(rest, "at rest again, without a command")

    def test_it_rests(self) -> None:
        node = self.node("-m", "h100")
        self.fault("gpu=3", "off-bus")
        self.check("off the bus")
        time.sleep(0.2)  # it rests a little after its work
        before = context_switches(node.pid)
        time.sleep(2.5)
        self.assertEqual(context_switches(node.pid), before)
        self.heal("gpu=3")
        self.check("healed")
        self.assertGreater(context_switches(node.pid), before)

    def test_it_reacts_at_once(self) -> None:
        node = self.node("-m", "h100")
        trees: list[Tree] = []
        for command in (self.fault, self.heal):
            command("gpu=5", *(["off-bus"] if command == self.fault else []))
            self.check("first")
            trees.append(tree_of(self.root))
        changed = {path for path in {**trees[0], **trees[1]} if trees[0].get(path) != trees[1].get(path)}
        seconds = []
        for i in range(20):
            self.fault("gpu=5", "off-bus") if i % 2 == 0 else self.heal("gpu=5")
            seconds.append(self.wait_for_files(trees[i % 2], changed))
            self.assertEqual(tree_of(self.root), trees[i % 2])
        seconds.sort()
        tell(f"nvmlkit node: true {seconds[10] * 1000:.0f} ms after a change (median of 20, {seconds[-1] * 1000:.0f} at most)")
        self.assertIsNone(node.poll())

    def test_a_second_one_is_refused(self) -> None:
        self.node("-m", "t4")
        self.assertIn("another `nvmlkit node` or `nvmlkit root` works in this folder", self.refused("node", self.root))
        self.assertIn("another `nvmlkit node`", self.refused("root", self.root, "-m", "t4"))

    def test_the_end(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            node = self.node("-m", "t4")
            node.send_signal(number)
            self.assertEqual((node.wait(60), self.ready.exists()), (0, False))
            self.assertEqual(tree_of(self.root), self.expected())
            self.assertFalse((self.root / ".nvmlkit-staging").exists())
        cdi = self.folder / "cdi"
        node = self.node("--remove", "--cdi-dir", cdi)
        node.terminate()
        self.assertEqual((node.wait(60), self.root.exists(), [*cdi.iterdir()]), (0, False, []))

    def test_the_machine_stays(self) -> None:
        node = self.node("-m", "h100", "-n", "2")
        inode = self.own_state.stat().st_ino
        self.fault("gpu=1", "off-bus")
        for arguments in (("-m", "h100", "-n", "2"), ()):
            node.kill()
            node.wait()
            node = self.node(*arguments)
            self.assertEqual(self.own_state.stat().st_ino, inode)
            self.assertEqual(self.own_state.stat().st_ino, (self.root / "run/nvidia-persistenced/socket").stat().st_ino)
            self.assertFalse((self.root / "dev/nvidia1").exists())
            self.assertEqual(tree_of(self.root), self.expected())

    def test_a_root_is_taken_over(self) -> None:
        self.good("root", self.root, "-m", "h100")
        before = {path: (self.root / path).lstat().st_ino for path in tree_of(self.root)}
        self.node()
        nodes = {path for path in before if path.startswith("dev/")} if os.geteuid() != 0 else set()
        after = {path: (self.root / path).lstat().st_ino for path in tree_of(self.root)}
        self.assertEqual({path for path in before if before[path] != after.get(path)} - nodes, {".nvmlkit-root"})

    def test_another_machine_of_the_same_name(self) -> None:
        state = self.folder / "up"
        self.good("up", "-m", "t4", "--state", state)
        node = self.node("--state", state)
        self.assertEqual(tree_of(self.root), self.expected(state))
        self.good("up", "-m", "h100", "-n", "3", "--state", state)
        self.wait_for_tree(self.expected(state), "replaced")
        for link in ("run/nvmlkit/state", "run/nvidia-persistenced/socket"):
            self.assertTrue((self.root / link).samefile(state))
        self.good("fault", "gpu=0", "off-bus", "--state", state)
        self.wait_for_tree(self.expected(state), "a fault of the new machine")
        self.good("down", "--state", state)
        self.good("fault", "gpu=1", "off-bus", "--state", self.own_state)
        self.assertIsNone(node.poll())

    def test_the_kernel_log(self) -> None:
        log = self.folder / "kmsg"

        def xids() -> list[str]:
            return re.findall(r"NVRM: Xid \(PCI:[0-9a-f:]+\): (\d+),", log.read_text())

        def wait_for(numbers: list[str]) -> None:
            end = time.monotonic() + 30
            while xids() != numbers:
                self.assertLess(time.monotonic(), end, log.read_text())
                time.sleep(0.005)

        node = self.node("-m", "h100", "-n", "2", "--kernel-log", log)
        self.fault("gpu=0", "xid", "31")
        wait_for(["31"])
        time.sleep(0.2)  # the place of the message is written
        node.kill()
        node.wait()
        self.fault("gpu=1", "xid", "79")
        self.node("--kernel-log", log)
        wait_for(["31", "79"])
        self.fault("gpu=0", "xid", "43")
        wait_for(["31", "79", "43"])
        self.assertIn("cannot be opened", self.refused("node", self.folder / "more", "-m", "t4", "--kernel-log", self.folder))

    def test_what_others_break_is_mended_on_demand(self) -> None:
        node = self.node("-m", "t4")
        good = tree_of(self.root)
        (self.root / "dev/nvidia0").unlink()
        (self.root / "dev-nodes").chmod(0o600)
        (self.root / "dev-nodes").write_text("nothing")
        (self.root / "sys/more").write_text("more")
        subprocess.run(["rm", "-r", self.root / "proc"], check=True)
        node.send_signal(signal.SIGHUP)
        self.wait_for_tree(good, "SIGHUP")

    def test_a_service_manager_learns_of_it(self) -> None:
        for name in (str(self.folder / "notify"), "\0nvmlkit-node-test-" + str(os.getpid())):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(name)
                manager.settimeout(60)
                node = self.node("-m", "t4", NOTIFY_SOCKET=name.replace("\0", "@"))
                self.assertEqual(manager.recv(100).split(b"\n")[0], b"READY=1")
                node.terminate()
                self.assertEqual(manager.recv(100), b"STOPPING=1")
                node.wait(60)

    def test_what_cannot_be_written_is_tried_again(self) -> None:
        cdi = self.folder / "cdi"
        node = self.node("-m", "t4", "-n", "2", "--cdi-dir", cdi)
        subprocess.run(["rm", "-r", cdi], check=True)
        cdi.write_text("no folder")
        self.fault("gpu=1", "off-bus")
        self.check("the rest is true")
        cdi.unlink()
        end = time.monotonic() + 30
        while not (cdi / "nvidia.com-gpu.yaml").exists() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual((cdi / "nvidia.com-gpu.yaml").read_text(), (self.root / "etc/cdi/nvidia.yaml").read_text())
        node.terminate()
        self.assertEqual(node.communicate()[1].count(f"{cdi}"), 1, "said once")

    def test_bad_input(self) -> None:
        (self.folder / "file").write_text("x")
        self.assertIn("is no folder", self.refused("node", self.folder / "file"))
        self.root.mkdir()
        (self.root / "mine").write_text("x")
        self.assertIn("nvmlkit did not make", self.refused("node", self.root, "-m", "t4"))
        self.assertEqual([path.name for path in self.root.iterdir()], ["mine"])
        (self.root / "mine").unlink()
        # A runtime makes folders for a mount whose source is missing.
        for place in ("proc/devices", "sys", "dev/nvidia0", "etc/cdi", "opt"):
            (self.root / place).mkdir(parents=True)
        (self.root / "sys/link").symlink_to("..")
        self.assertIn("nvmlkit did not make", self.refused("node", self.root, "-m", "t4"))
        (self.root / "sys/link").unlink()
        self.good("root", self.root, "-m", "t4")
        self.assertIn("nvidia", (self.root / "proc/devices").read_text())
        self.assertFalse((self.root / "dev/nvidia0").is_dir())
        self.own_state.write_text("no state")
        self.assertIn("is no state file", self.refused("node", self.root))


if __name__ == "__main__":
    unittest.main()
