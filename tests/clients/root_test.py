#!/usr/bin/env python3
"""nvmlkit root: the files of a driver root, the CDI specification, and what programs see with them."""

from __future__ import annotations

import copy
import grp
import json
import os
import pwd
import re
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from cdi_rules import problems
from clients import TRIPLE, available_smi, machines
from fixture import ClientTest

try:
    import yaml
except ImportError:
    yaml = None

MIG = {"version": "1.0", "base": "dgx-h100", "devices": [
    {"index": 1, "mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}]}  # fmt: skip


# The state, where the root's libraries look, and where NVIDIA's generators of CDI specifications do.
LINKS = ("run/nvmlkit/state", "run/nvidia-persistenced/socket")


class Root(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"
        self.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"

    def lay_out(self, document: dict) -> None:
        file = self.folder / "machine.yaml"
        file.write_text(json.dumps(document))
        self.good("root", self.root, "-c", file)

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def specification(self) -> dict:
        return json.loads(self.read("nvidia-cdi.json"))

    def run_smi(self, devices: list[str], *arguments: str) -> str:
        """nvidia-smi with what a container gets that is given these devices: its variables, and a /dev with its nodes."""
        specification = self.specification()
        given = [device["containerEdits"] for device in specification["devices"] if device["name"] in devices]
        self.assertEqual(len(given), len(devices))
        dev = self.folder / "dev"
        subprocess.run(["rm", "-rf", dev], check=True)
        variables = dict(entry.split("=", 1) for entry in specification["containerEdits"]["env"])
        for mount in [mount for edits in [specification["containerEdits"], *given] for mount in edits["mounts"]]:
            self.assertTrue(Path(mount["hostPath"]).exists(), mount)
            if mount["containerPath"].startswith("/dev/"):
                node = Path(f"{self.folder}{mount['containerPath']}")
                node.parent.mkdir(parents=True, exist_ok=True)
                node.touch()
            elif mount["containerPath"] == variables["NVMLKIT_STATE"]:
                variables["NVMLKIT_STATE"] = mount["hostPath"]
        self.assertEqual(variables.pop("NVMLKIT_DEVICE_NODES"), "/dev")
        environment = {**self.environment, **variables, "NVMLKIT_DEVICE_NODES": str(dev),
                       "LD_LIBRARY_PATH": str(self.root / "usr/lib" / TRIPLE)}  # fmt: skip
        smi = available_smi()
        return subprocess.run([smi[max(smi)], *arguments], capture_output=True, text=True, env=environment, timeout=120).stdout

    def test_the_library_stands_as_a_driver_installs_it(self) -> None:
        self.good("root", self.root, "-m", "t4")
        library = self.root / "usr/lib" / TRIPLE
        version = self.read("sys/module/nvidia/version").strip()
        self.assertEqual(os.readlink(library / "libnvidia-ml.so.1"), f"libnvidia-ml.so.{version}")
        self.assertEqual(os.readlink(library / "libnvidia-ml.so"), "libnvidia-ml.so.1")
        self.assertTrue((library / f"libnvidia-ml.so.{version}").is_file())
        wsl = self.root / "usr/lib/wsl/lib/libnvidia-ml.so.1"
        self.assertEqual(wsl.resolve(), (library / f"libnvidia-ml.so.{version}").resolve())
        self.assertRegex(self.read("proc/driver/nvidia/version"), rf"^NVRM version: NVIDIA UNIX .*Kernel Module.*  {version}  ")

    def test_each_gpu_has_its_files(self) -> None:
        self.lay_out(MIG)
        listed = json.loads(self.good("get", "gpu=all", "--json", "--state", self.root / "run/nvmlkit/state"))
        self.assertEqual(len(listed), 8)
        for entry in listed:
            gpu = entry["value"]
            bus_id = gpu["pci"]["bus_id"].lower()[4:]
            told = dict(re.findall(r"^(.*?):\s+(.*)$", self.read(f"proc/driver/nvidia/gpus/{bus_id}/information"), re.M))
            self.assertEqual((told["Model"], told["GPU UUID"], told["Video BIOS"], told["Bus Location"], told["Device Minor"], told["IRQ"]),
                             (gpu["name"], gpu["uuid"], gpu["vbios_version"], bus_id, str(gpu["minor_number"]), str(gpu["irq_num"])))  # fmt: skip
            sysfs = self.root / "sys/bus/pci/devices" / bus_id
            self.assertEqual((sysfs / "vendor").read_text(), "0x10de\n")
            self.assertEqual((sysfs / "device").read_text(), f"0x{gpu['pci']['device_id'] >> 16:04x}\n")
            self.assertEqual((sysfs / "class").read_text(), "0x030200\n")
            self.assertEqual((sysfs / "current_link_width").read_text(), f"{gpu['pcie']['current_link_width']}\n")
            self.assertEqual((sysfs / "driver").resolve(), self.root.resolve() / "sys/bus/pci/drivers/nvidia")
            self.assertEqual((sysfs / "config").read_bytes()[:4], bytes.fromhex("de103023"))
            self.assertTrue((self.root / f"dev/nvidia{gpu['minor_number']}").exists())
            self.assertIn(f"/dev/nvidia{gpu['minor_number']} c 195 {gpu['minor_number']} 0666", self.read("dev-nodes"))
        first = self.root / "sys/bus/pci/devices/0000:1b:00.0"
        self.assertEqual((first / "numa_node").read_text(), "0\n")
        self.assertEqual((first / "local_cpulist").read_text(), "0-55,112-167\n")
        self.assertEqual((first / "current_link_speed").read_text(), "32.0 GT/s PCIe\n")
        adapters = sorted(path.name for path in (self.root / "sys/class/infiniband").iterdir())
        self.assertEqual(len(adapters), 12)
        self.assertEqual((self.root / "sys/class/infiniband/mlx5_0/device/vendor").read_text(), "0x15b3\n")

    def test_nodes_are_devices_where_they_may_be(self) -> None:
        self.good("root", self.root, "-m", "t4")
        node = (self.root / "dev/nvidia0").stat()
        if stat.S_ISCHR(node.st_mode):
            self.assertEqual(os.major(node.st_rdev), 195)
        else:
            self.assertNotEqual((os.geteuid(), node.st_size), (0, 1))
            self.assertEqual(node.st_size, 0)

    def test_capabilities_are_those_of_the_instances(self) -> None:
        self.lay_out(MIG)
        minors = dict(line.split() for line in self.read("proc/driver/nvidia-caps/mig-minors").splitlines())
        self.assertEqual((minors["config"], minors["monitor"], minors["gpu0/gi0/access"], minors["gpu31/gi14/ci6/access"]),
                         ("1", "2", "3", "4321"))  # fmt: skip
        folder = self.root / "proc/driver/nvidia/capabilities"
        files = [path for path in (folder / "gpu1").rglob("access")]
        self.assertEqual(len(files), 4)
        for path in files:
            minor = re.search(r"^DeviceFileMinor: (\d+)$", path.read_text(), re.M)[1]
            self.assertEqual(minors[str(path.relative_to(folder)).replace("/mig/", "/")], minor)
            self.assertTrue((self.root / f"dev/nvidia-caps/nvidia-cap{minor}").exists())

    def test_the_specification_follows_the_rules_on_every_machine(self) -> None:
        for name in [machine["name"] for machine in machines()]:
            with self.subTest(name):
                self.good("root", self.root, "-m", name)
                specification = self.specification()
                self.assertEqual(problems(specification), [])
                self.assertEqual(specification["kind"], "nvidia.com/gpu")
                if yaml:
                    self.assertEqual(yaml.safe_load(self.read("etc/cdi/nvidia.yaml")), specification)
        self.lay_out(MIG)
        self.assertEqual(problems(self.specification()), [])
        self.good("root", self.root, "-m", "t4", "-n", "0")
        self.assertEqual(problems(self.specification()), [])

    def test_the_rules_find_what_is_wrong(self) -> None:
        self.good("root", self.root, "-m", "t4")
        good = self.specification()
        for change in (
            lambda s: s.pop("kind"), lambda s: s.update(kind="nvidia.com"), lambda s: s.update(cdiVersion="9"),
            lambda s: s.update(other=1), lambda s: s["devices"][0].update(name="-0"), lambda s: s["devices"].append(s["devices"][0]),
            lambda s: s["devices"][0].update(containerEdits={}), lambda s: s["containerEdits"]["env"].append("X"),
            lambda s: s["containerEdits"]["mounts"][0].update(hostPath="usr"), lambda s: s["devices"].clear(),
        ):  # fmt: skip
            bad = copy.deepcopy(good)
            change(bad)
            self.assertNotEqual(problems(bad), [])

    def test_devices_are_named_by_index_and_uuid(self) -> None:
        self.lay_out(MIG)
        names = [device["name"] for device in self.specification()["devices"]]
        self.assertIn("0", names)
        self.assertNotIn("1", names, "a GPU in MIG mode does no work")
        self.assertEqual([name for name in names if ":" in name], ["1:0", "1:1"])
        self.assertEqual(len([name for name in names if name.startswith("GPU-")]), 7)
        self.assertEqual(len([name for name in names if name.startswith("MIG-")]), 2)
        self.assertEqual(names[-1], "all")

    def test_a_container_sees_what_it_is_given(self) -> None:
        self.lay_out(MIG)
        everything = self.run_smi(["all"], "-L").splitlines()
        self.assertEqual(len(everything), 10)
        gpus = [line for line in everything if line.startswith("GPU")]
        self.assertEqual([line.split(": ", 1)[1] for line in self.run_smi(["2", "5"], "-L").splitlines()],
                         [line.split(": ", 1)[1] for line in (gpus[2], gpus[5])])  # fmt: skip
        uuid = re.search(r"GPU-[0-9a-f-]+", gpus[3])[0]
        self.assertIn(uuid, self.run_smi([uuid], "-L"))
        one = self.run_smi(["1:1"], "-L").splitlines()
        self.assertEqual(len(one), 2)
        self.assertIn("MIG 1g.10gb     Device  0:", one[1])

    @unittest.skipIf(os.geteuid() != 0, "limits are root's to set")
    def test_containers_share_the_machine(self) -> None:
        self.good("root", self.root, "-m", "h100")
        self.run_smi(["2"], "-pl", "400")
        state = self.root / "run/nvmlkit/state"
        limits = [entry["value"] for entry in json.loads(self.good("get", "gpu=all", "power.limit_mw", "--json", "--state", state))]
        self.assertEqual(limits, [700000, 700000, 400000, *[700000] * 5])

    def test_a_machine_that_is_up_is_the_machine(self) -> None:
        state = self.folder / "up"
        self.good("up", "-m", "a100", "-n", "2", "--state", state)
        self.good("root", self.root, NVMLKIT_STATE=str(state))
        for link in LINKS:
            self.assertTrue((self.root / link).samefile(state))
        sources = [mount["hostPath"] for mount in self.specification()["containerEdits"]["mounts"]]
        self.assertIn(str(state), sources)
        self.good("root", self.root, "--state", state, "--mode", "0644")
        self.assertEqual(stat.S_IMODE(state.stat().st_mode), 0o644)

    def test_the_state_lies_where_libraries_look(self) -> None:
        self.good("root", self.root, "-m", "t4")
        files = [(self.root / link).stat() for link in LINKS]
        self.assertEqual(files[0].st_ino, files[1].st_ino)
        self.assertEqual([stat.S_IMODE(file.st_mode) for file in files], [0o600, 0o600])
        self.assertEqual(os.readlink(self.root / "var/run"), "../run")
        self.assertTrue((self.root / "var" / LINKS[1]).samefile(self.root / LINKS[0]))

    def test_the_machine_of_a_root_that_is_rendered_again_stays(self) -> None:
        self.good("root", self.root, "-m", "t4", "-n", "2")
        state = self.root / LINKS[0]
        before = state.stat().st_ino
        self.good("set", "gpu=1", "power.limit_mw=65000", "--state", state)
        self.good("root", self.root, "--state", state)
        self.assertEqual([(self.root / link).stat().st_ino for link in LINKS], [before, before])
        self.assertEqual(self.good("get", "gpu=1", "power.limit_mw", "--state", state), "65000\n")
        other = self.root / "run/other"
        self.good("up", "-m", "t4", "--state", other)
        self.assertIn("lies in the folder that is replaced", self.refused("root", self.root, "--state", other))
        self.assertTrue(other.exists())

    def test_hard_links_do_not_cross_file_systems(self) -> None:
        elsewhere = next((Path(path) for path in ("/dev/shm", "/run", "/var/tmp", "/tmp") if os.access(path, os.W_OK)
                          and Path(path).stat().st_dev != self.folder.stat().st_dev), None)  # fmt: skip
        if elsewhere is None:
            self.skipTest("one file system only")
        with tempfile.TemporaryDirectory(dir=elsewhere) as folder:
            state = Path(folder) / "up"
            self.good("up", "-m", "a100", "-n", "2", "--state", state)
            result = self.nvmlkit("root", self.root, "--state", state)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"nvmlkit: {state}: lies on another file system than {self.root}, and no hard link joins two", result.stderr)
            self.assertEqual((self.root / LINKS[0]).readlink(), state)
            self.assertFalse((self.root / LINKS[1]).exists())

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_the_state_belongs_to_whom_one_says(self) -> None:
        self.good("root", self.root, "-m", "t4", "--owner", "1000", "--group", "daemon", "--mode", "640")
        for link in LINKS:
            file = (self.root / link).stat()
            self.assertEqual((file.st_uid, file.st_gid, stat.S_IMODE(file.st_mode)), (1000, grp.getgrnam("daemon").gr_gid, 0o640))
        state = self.folder / "up"
        self.good("up", "-m", "t4", "--state", state, "--owner", "daemon", "--mode", "0666")
        self.assertEqual((state.stat().st_uid, stat.S_IMODE(state.stat().st_mode)), (pwd.getpwnam("daemon").pw_uid, 0o666))

    def test_wrong_permissions_change_nothing(self) -> None:
        cases = {"--owner": ("nobody-at-all", "-1", "4294967295", "10 "), "--group": ("no-such-group", "1.5"),
                 "--mode": ("0700", "777", "0444", "0060", "rw", "08", "4600", "06000000000000")}  # fmt: skip
        for option, values in cases.items():
            for value in values:
                with self.subTest(option=option, value=value):
                    for command in (("root", self.root), ("up", "--state", self.folder / "up")):
                        self.assertIn(f"{option}: expected", self.refused(*command, "-m", "t4", f"{option}={value}"))
        self.assertFalse(self.root.exists() or (self.folder / "up").exists())

    def test_the_specification_has_the_kind_that_is_asked_for(self) -> None:
        runtime = self.folder / "cdi"
        kind = "k8s.device-plugin.nvidia.com/gpu"
        line = self.good("root", self.root, "-m", "t4", "--cdi-kind", kind, "--cdi-dir", runtime)
        file = runtime / "k8s.device-plugin.nvidia.com-gpu.yaml"
        self.assertIn(str(file), line)
        self.assertEqual((self.specification()["kind"], problems(self.specification())), (kind, []))
        self.assertEqual(file.read_text(), self.read("etc/cdi/nvidia.yaml"))
        self.assertEqual([path.name for path in runtime.iterdir()], [file.name])
        self.good("root", self.root, "-m", "t4", "-n", "1", "--cdi-kind", kind, "--cdi-dir", runtime)
        self.assertEqual(file.read_text(), self.read("etc/cdi/nvidia.yaml"))
        file.write_text("cdiVersion: 0.6.0\n")
        self.assertIn("nvmlkit did not make it", self.refused("root", self.root, "-m", "h100", "--cdi-kind", kind, "--cdi-dir", runtime))
        self.assertEqual((file.read_text(), len(self.specification()["devices"])), ("cdiVersion: 0.6.0\n", 3))
        for wrong in ("gpu", "nvidia.com/", "/gpu", "nvidia.com/gpu/0", "1.com/gpu", "nvidia.com/gpu-", "nvidia com/gpu", "../../gpu"):
            self.assertIn("--cdi-kind: expected VENDOR/CLASS", self.refused("root", self.root, "-m", "t4", "--cdi-kind", wrong))

    def test_what_others_made_stays(self) -> None:
        self.root.mkdir()
        (self.root / "mine").write_text("x")
        self.assertIn("nvmlkit did not make", self.refused("root", self.root, "-m", "t4"))
        self.assertEqual([path.name for path in self.root.iterdir()], ["mine"])
        self.assertIn("is no folder", self.refused("root", self.root / "mine", "-m", "t4"))
        self.assertIn("is no nvidia-smi", self.refused("root", self.folder / "new", "-m", "t4", "--nvidia-smi", "/no/such"))
        self.assertIn("h100", self.refused("root", self.folder / "new", "-m", "h1000"))
        self.refused("root")
        self.refused("root", self.folder / "new", "--cdi-version", "0.1")
        self.assertFalse((self.folder / "new").exists())

    def test_its_own_is_replaced(self) -> None:
        self.good("root", self.root, "-m", "h100")
        self.good("root", self.root, "-m", "t4", "-n", "1", "--nvidia-smi", "/bin/true")
        self.assertIn("Tesla T4", "".join(path.read_text() for path in self.root.glob("proc/driver/nvidia/gpus/*/information")))
        self.assertEqual(len([*(self.root / "dev").glob("nvidia[0-9]")]), 1)
        self.assertTrue(os.access(self.root / "usr/bin/nvidia-smi", os.X_OK))
        self.assertIn("/usr/bin/nvidia-smi", [mount["containerPath"] for mount in self.specification()["containerEdits"]["mounts"]])

    def test_a_later_run_keeps_nvidia_smi_and_the_files_of_programs(self) -> None:
        without_smi = {"PATH": "/no/such"}
        self.good("root", self.root, "-m", "t4", "--nvidia-smi", "/bin/true")
        theirs = [self.root / folder / "of a program" for folder in ("root", "tmp", "var/tmp")]
        for file in theirs:
            file.touch()
        result = self.nvmlkit("root", self.root, "-m", "t4", **without_smi)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual((self.root / "usr/bin/nvidia-smi").read_bytes(), Path("/bin/true").read_bytes())
        self.assertIn("/usr/bin/nvidia-smi", [mount["containerPath"] for mount in self.specification()["containerEdits"]["mounts"]])
        self.assertTrue(all(file.exists() for file in theirs))
        self.assertIn("the root has none", self.nvmlkit("root", self.folder / "other", "-m", "t4", **without_smi).stderr)


if __name__ == "__main__":
    unittest.main()
