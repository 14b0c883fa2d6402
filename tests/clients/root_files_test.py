#!/usr/bin/env python3
"""The files of a driver root beside PCI: modules, capabilities, IMEX, DMI, fabric manager, InfiniBand, firmware, chroot."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import unittest
from pathlib import Path

from clients import TRIPLE, available_smi
from fixture import ClientTest

IS_ROOT = os.geteuid() == 0
MAY_UNSHARE = subprocess.run(["unshare", "--map-root-user", "true"], capture_output=True, check=False).returncode == 0
DONE = "Successfully configured all the available GPUs and NVSwitches to route NVLink traffic."


class RootFiles(ClientTest):
    root: Path

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "root"

    def lay_out(self, machine: str | dict, *options: str) -> None:
        if isinstance(machine, dict):
            file = self.folder / "machine.yaml"
            file.write_text(json.dumps({"version": "1.0", **machine}))
            self.good("root", self.root, "-c", file, *options)
        else:
            self.good("root", self.root, "-m", machine, *options)

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def majors(self) -> dict[str, int]:
        return {name: int(major) for major, name in re.findall(r"^ *(\d+) (\S+)$", self.read("proc/devices"), re.M)}

    def nodes(self) -> dict[str, tuple[int, int]]:
        return {path: (int(major), int(minor)) for path, major, minor in re.findall(r"^(\S+) c (\d+) (\d+) ", self.read("dev-nodes"), re.M)}

    def test_modules_agree_with_one_another(self) -> None:
        for machine, adapters in (("t4", False), ("dgx-h100", True)):
            self.lay_out(machine)
            loaded = [line.split() for line in self.read("proc/modules").splitlines()]
            self.assertEqual("nvidia_peermem" in [words[0] for words in loaded], adapters)
            for name, size, users, names, state, *_ in loaded:
                own = self.root / "sys/module" / name
                if name.startswith("nvidia"):
                    self.assertEqual((own / "version").read_text(), self.read("sys/module/nvidia/version"))
                self.assertEqual(((own / "refcnt").read_text(), (own / "coresize").read_text(), state), (f"{users}\n", f"{size}\n", "Live"))
                holders = sorted(path.name for path in own.glob("holders/*"))
                self.assertEqual(holders, sorted(word for word in names.split(",") if word not in ("", "-")))
                self.assertEqual(int(users), len(holders))
            self.assertEqual({path.name for path in (self.root / "sys/module").iterdir()}, {words[0] for words in loaded})
            self.assertEqual(self.read("sys/module/nvidia_drm/parameters/modeset"), "N\n")
            driver = self.root / "sys/bus/pci/drivers/nvidia"
            self.assertTrue((driver / "module").samefile(self.root / "sys/module/nvidia"))
            # As gpud finds out whether adapters reach the memory of GPUs.
            core = [words for words in loaded if words[0] == "ib_core"]
            self.assertEqual([("nvidia_peermem" in words[3].split(",")) for words in core], [True] if adapters else [])

    def test_each_node_has_a_major_of_its_kind(self) -> None:
        for machine in ("v100", "dgx-a100", "h100", "gb200-tray"):
            self.lay_out(machine)
            majors = set(self.majors().values())
            for path, (major, minor) in self.nodes().items():
                self.assertIn(major, majors, f"{machine} {path}")
                node = (self.root / path.lstrip("/")).stat()
                if stat.S_ISCHR(node.st_mode):
                    self.assertEqual((os.major(node.st_rdev), os.minor(node.st_rdev)), (major, minor))
        self.lay_out("h100", "--driver", "535")
        self.assertEqual(self.majors().get("nvidia-frontend"), 195)
        self.assertNotIn("nvidia-caps-imex-channels", self.majors())
        self.assertFalse((self.root / "proc/driver/nvidia-caps/sys-minors").exists())

    def test_capabilities_of_the_system(self) -> None:
        self.lay_out("h100")
        self.assertEqual(self.read("proc/driver/nvidia-caps/sys-minors"), "fabric-imex-mgmt 4323\n")
        self.assertEqual(self.read("proc/driver/nvidia-caps/nvlink-minors"), "fabric-mgmt 0\n")
        told = dict(re.findall(r"^(\w+): (\d+)$", self.read("proc/driver/nvidia/capabilities/fabric-imex-mgmt"), re.M))
        self.assertEqual((told["DeviceFileMinor"], told["DeviceFileMode"]), ("4323", str(0o400)))
        self.lay_out("h100", "--driver", "610")
        minors = dict(line.split() for line in self.read("proc/driver/nvidia-caps/sys-minors").splitlines())
        self.assertEqual((minors["profiler-device"], minors["trace-device"]), ("4324", "4326"))
        self.lay_out("t4", "-n", "40")
        minors = [line.split()[1] for name in ("nvlink", "mig", "sys") for line in self.read(f"proc/driver/nvidia-caps/{name}-minors").splitlines()]
        self.assertEqual(len(minors), len(set(minors)))

    def test_imex_channels_are_where_memory_is_shared(self) -> None:
        for machine, shared in (("gb200-tray", True), ("hgx-b200", False), ("h100", False)):
            self.lay_out(machine)
            channel = self.nodes().get("/dev/nvidia-caps-imex-channels/channel0")
            self.assertEqual(channel, (self.majors()["nvidia-caps-imex-channels"], 0) if shared else None, machine)
            self.assertIn("ImexChannelCount: 2048\n", self.read("proc/driver/nvidia/params"))
            created = re.search(r"^CreateImexChannel0: (\d)$", self.read("proc/driver/nvidia/params"), re.M)
            self.assertEqual(created and created[1], {"gb200-tray": "1", "hgx-b200": "0", "h100": None}[machine])
            self.assertEqual("/dev/nvidia-caps/nvidia-cap4323" in self.nodes(), shared)
            for program in ("nvidia-imex", "nvidia-imex-ctl"):
                self.assertEqual((self.root / "usr/bin" / program).exists(), shared, f"{program} of {machine}")

    def test_numbers_come_before_texts_in_the_parameters(self) -> None:
        """nvidia-modprobe stops at the first value that is no number."""
        self.lay_out("gb200-tray")
        numeric = [re.fullmatch(r"\w+: \d+", line) is not None for line in self.read("proc/driver/nvidia/params").splitlines()]
        self.assertEqual(numeric, sorted(numeric, reverse=True))

    def test_the_computer_is_that_of_the_machine(self) -> None:
        self.lay_out("dgx-h100")
        self.assertEqual((self.read("sys/class/dmi/id/sys_vendor"), self.read("sys/class/dmi/id/product_name")), ("NVIDIA\n", "DGXH100\n"))
        uuid = self.read("sys/class/dmi/id/product_uuid")
        self.assertRegex(uuid, r"\A[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n\Z")
        self.lay_out("dgx-h100")
        self.assertEqual(self.read("sys/class/dmi/id/product_uuid"), uuid)
        product = {"vendor": "Example", "name": "Box 7", "serial": "S-1", "uuid": "00112233-4455-6677-8899-aabbccddeeff"}
        self.lay_out({"base": "t4", "system": {"product": product}})
        read = {key: self.read(f"sys/class/dmi/id/{file}").strip() for key, file in
                (("vendor", "sys_vendor"), ("name", "product_name"), ("serial", "product_serial"), ("uuid", "product_uuid"))}  # fmt: skip
        self.assertEqual(read, product)

    def test_the_fabric_manager_is_where_its_switches_are(self) -> None:
        visible = {"dgx-a100": 6, "dgx-h100": 4, "hgx-h200": 4}
        for name in ("a100", "dgx-a100", "dgx-h100", "hgx-h200", "hgx-b200", "gb200-tray", "t4", "v100"):
            self.lay_out(name)
            log = self.root / "var/log/fabricmanager.log"
            self.assertEqual(log.exists(), name not in ("gb200-tray", "t4", "v100"), name)
            if log.exists():
                lines = log.read_text().splitlines()
                for line in lines:
                    self.assertRegex(line, r"^\[[A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d\] \[INFO\] \[tid \d+\] \S")
                self.assertIn(DONE, lines[-1])
                self.assertTrue((self.root / "var/run/nvidia-fabricmanager").is_dir())
            nodes = [path for path in self.nodes() if re.fullmatch(r"/dev/nvidia-nvswitch\d+", path)]
            files = [*(self.root / "proc/driver/nvidia-nvswitch/devices").glob("*/information")]
            self.assertEqual((len(nodes), len(files)), (visible.get(name, 0),) * 2, name)

    def test_the_log_of_the_fabric_manager_says_how_far_it_is(self) -> None:
        for state, ends in (("in_progress", False), ("completed", True)):
            self.lay_out({"base": "h100", "device_defaults": {"fabric": {"state": state}}})
            self.assertEqual(DONE in self.read("var/log/fabricmanager.log"), ends, state)
        self.lay_out({"base": "h100", "device_defaults": {"fabric": {"state": "not_started"}}})
        self.assertFalse((self.root / "var/log/fabricmanager.log").exists())

    def test_infiniband_ports_have_state_and_counters(self) -> None:
        self.lay_out("dgx-h100")
        adapters = sorted((self.root / "sys/class/infiniband").iterdir())
        self.assertEqual(len(adapters), 12)
        self.assertEqual(len({(adapter / "node_guid").read_text() for adapter in adapters}), 12)
        for adapter in adapters:
            port = adapter / "ports/1"
            told = [(port / name).read_text() for name in ("state", "phys_state", "link_layer", "rate")]
            self.assertEqual(told, ["4: ACTIVE\n", "5: LinkUp\n", "InfiniBand\n", "400 Gb/sec (4X NDR)\n"])
            for name in ("counters/link_downed", "counters/symbol_error", "counters/port_rcv_data", "hw_counters/out_of_sequence"):
                self.assertEqual((port / name).read_text(), "0\n")
        self.lay_out({"base": "dgx-a100", "infiniband": {"hca_type": "MT4123", "rate_gbps": 200, "port_state": "DOWN",
                                                         "phys_state": "Polling", "guid_prefix": "0011:2233", "fw_version": "20.1"}})  # fmt: skip
        own = self.root / "sys/class/infiniband/mlx5_0"
        files = ("hca_type", "fw_ver", "node_guid", "device/device", "ports/1/state", "ports/1/phys_state", "ports/1/rate")
        self.assertEqual([(own / name).read_text().strip() for name in files],
                         ["MT4123", "20.1", "0011:2233:0000:0001", "0x101b", "1: DOWN", "2: Polling", "200 Gb/sec (4X HDR)"])  # fmt: skip

    def test_firmware_has_the_name_of_the_driver(self) -> None:
        self.lay_out("h100")
        version = self.read("sys/module/nvidia/version").strip()
        self.assertEqual({path.name for path in (self.root / "lib/firmware/nvidia" / version).iterdir()}, {"gsp_ga10x.bin", "gsp_tu10x.bin"})

    def test_libraries_have_every_name(self) -> None:
        self.lay_out("h100")
        version = self.read("sys/module/nvidia/version").strip()
        folder = self.root / "lib" / TRIPLE
        for name in ("libnvidia-ml.so", "libcuda.so"):
            if name == "libcuda.so" and not (folder / name).exists():
                continue  # built without CUDA
            files = {(folder / f"{name}{suffix}").resolve() for suffix in ("", ".1", f".{version}")}
            self.assertEqual([file.name for file in files], [f"{name}.{version}"])

    @unittest.skipUnless(IS_ROOT or MAY_UNSHARE, "neither root nor user namespaces")
    def test_a_root_can_be_changed_to(self) -> None:
        smi = available_smi()
        self.lay_out("h100", "--chroot", "--nvidia-smi", str(smi[max(smi)]))
        for link in ("bin", "lib", "lib64", "sbin"):
            self.assertEqual(os.readlink(self.root / link), f"usr/{link}")
        command = [*([] if IS_ROOT else ["unshare", "--map-root-user"]), "chroot", self.root, "nvidia-smi", "-L"]
        result = subprocess.run(command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, capture_output=True, text=True, timeout=120)
        self.assertEqual((result.returncode, len(result.stdout.splitlines())), (0, 8), result.stdout + result.stderr)
        uuid = json.loads(self.good("get", "gpu=0", "uuid", "--json", "--state", self.root / "run/nvmlkit/state"))
        self.assertIn(str(uuid[0]["value"] if isinstance(uuid, list) else uuid), result.stdout.splitlines()[0])

    def test_without_being_asked_nothing_of_this_host_is_copied(self) -> None:
        smi = available_smi()
        self.lay_out("h100", "--nvidia-smi", str(smi[max(smi)]))
        self.assertEqual([*self.root.rglob("libc.so.6"), *self.root.rglob("ld-linux*")], [])


if __name__ == "__main__":
    unittest.main()
