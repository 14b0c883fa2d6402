#!/usr/bin/env python3
"""libnvidia-nscq.so.2, called as DCGM's hostengine calls it: a session that mounts all devices, and a callback for each path.

The other ends of the links, their states and counters are those that nvidia-smi shows of the GPUs."""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path

from clients import LIBRARY_DIR, TRIPLE, available_smi
from fixture import ClientTest

MOUNT_ALL = 1
SUCCESS, NOT_IMPLEMENTED, INVALID_UUID, NOT_MOUNTABLE, UNSUPPORTED_DRIVER, DRIVER = 0, -1, -2, -3, -6, -7
OFF, ACTIVE = 0, 2


class Uuid(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 16)]


class Label(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 64)]


class Place(ctypes.Structure):
    _fields_ = [("domain", ctypes.c_uint32), ("bus", ctypes.c_uint8), ("device", ctypes.c_uint8), ("function", ctypes.c_uint8)]


class Throughput(ctypes.Structure):
    _fields_ = [("received", ctypes.c_uint64), ("sent", ctypes.c_uint64)]


class Error(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint32), ("time", ctypes.c_uint64)]


class SessionResult(ctypes.Structure):
    _fields_ = [("result", ctypes.c_int8), ("session", ctypes.c_void_p)]


def address(place: Place) -> str:
    return f"{place.domain:08x}:{place.bus:02x}:{place.device:02x}.{place.function}"


class Nscq(ClientTest):
    library: ctypes.CDLL
    session: int | None = None

    def setUp(self) -> None:
        super().setUp()
        self.library = ctypes.CDLL(str(LIBRARY_DIR / "libnvidia-nscq.so.2"))
        self.library.nscq_session_create.restype = SessionResult
        for name in ("path_observe", "mount"):
            getattr(self.library, f"nscq_session_{name}").restype = ctypes.c_int8
        self.library.nscq_uuid_to_label.restype = ctypes.c_int8
        saved = os.environ.get("NVMLKIT_STATE")
        self.addCleanup(lambda: os.environ.pop("NVMLKIT_STATE", None) if saved is None else os.environ.update(NVMLKIT_STATE=saved))
        self.addCleanup(self.close)

    def create(self, flags: int = MOUNT_ALL) -> SessionResult:
        os.environ["NVMLKIT_STATE"] = str(self.state)
        return self.library.nscq_session_create(flags)

    def open(self, machine: str | Path, flags: int = MOUNT_ALL) -> None:
        self.close()
        self.up(machine, None)
        made = self.create(flags)
        self.assertEqual(made.result, SUCCESS)
        self.session = made.session

    def close(self) -> None:
        if self.session:
            self.library.nscq_session_destroy(ctypes.c_void_p(self.session))
        self.session = None

    def observe(self, path: str, value: type, *indices: type, convert: Callable = lambda got: got, result: int = SUCCESS) -> list:
        """What the callback gets: (index, ..., value) of each call."""
        told = []

        def callback(*arguments):
            *index, code, got, data = arguments
            self.assertEqual((code, data), (SUCCESS, 77))
            told.append((*index, convert(got)))

        function = ctypes.CFUNCTYPE(None, *indices, ctypes.c_int8, value, ctypes.c_void_p)(callback)
        name = path.encode()
        code = self.library.nscq_session_path_observe(ctypes.c_void_p(self.session), name, function, ctypes.c_void_p(77), 0)
        self.assertEqual(code, result, path)
        return told

    def of_switches(self, path: str, value: type, **more) -> list:
        return self.observe(f"/{{nvswitch}}/{path}", value, ctypes.c_void_p, **more)

    def of_ports(self, path: str, value: type, **more) -> list:
        return self.observe(f"/{{nvswitch}}/nvlink/{{port}}/{path}", value, ctypes.c_void_p, ctypes.c_uint32, **more)

    def links(self) -> dict[tuple[str, int], tuple[str, int]]:
        """Port of a switch and link of a GPU at its other end, as nvidia-smi shows them."""
        smi = list(available_smi().values())[-1]
        gpus = self.query(smi, "pci.bus_id")
        found, gpu = {}, -1
        for line in self.smi(smi, "nvlink", "-R", code=0).splitlines():
            gpu = int(match[1]) if (match := re.match(r"GPU (\d+):", line)) else gpu
            if match := re.search(r"Link (\d+): Remote Device ([0-9A-F:.]+): Link (\d+)", line):
                found[match[2].lower(), int(match[3])] = (gpus[gpu].lower(), int(match[1]))
        return found

    def test_switches_of_each_server(self) -> None:
        for machine, count, architecture in (("dgx-a100", 6, 1), ("dgx-h100", 4, 2), ("hgx-h200", 4, 2)):
            with self.subTest(machine):
                self.open(machine)
                ids = self.of_switches("id/phys_id", ctypes.c_uint64)
                self.assertEqual([number for _, number in ids], list(range(count)))
                places = dict(self.of_switches("pcie/location", Place, convert=address))
                seen = {switch for switch, _ in self.links()}
                self.assertEqual(set(places.values()), seen)
                self.assertEqual({value for _, value in self.of_switches("id/arch", ctypes.c_int8)}, {architecture})
                states = self.observe("/drv/nvswitch/{device}/blacklisted", ctypes.c_bool, ctypes.c_void_p)
                self.assertEqual([(device, False) for device in places], states)

    def test_ports_are_the_other_ends_of_links(self) -> None:
        for machine in ("dgx-a100", "dgx-h100"):
            with self.subTest(machine):
                self.open(machine)
                places = dict(self.of_switches("pcie/location", Place, convert=address))
                remotes = self.of_ports("remote_device/pcie/location", Place, convert=address)
                links = {(switch, port): link for switch, port, link in self.of_ports("remote_device/id/link", ctypes.c_uint64)}
                found = {(places[switch], port): (gpu, links[switch, port]) for switch, port, gpu in remotes}
                self.assertEqual((found, len(found)), (self.links(), len(remotes)))
                self.assertEqual({kind for *_, kind in self.of_ports("remote_device/type", ctypes.c_uint8)}, {1})
                self.assertEqual({state for *_, state in self.of_ports("status/link", ctypes.c_int8)}, {ACTIVE})

    def test_uuids(self) -> None:
        self.open("dgx-h100")
        devices = [device for device, _ in self.of_switches("id/phys_id", ctypes.c_uint64)]
        labels = []
        for device in devices:
            label = Label()
            self.assertEqual(self.library.nscq_uuid_to_label(ctypes.c_void_p(device), ctypes.byref(label), 0), SUCCESS)
            labels.append(label.text.decode())
        self.assertEqual(len(set(labels)), 4)
        for label in labels:
            self.assertRegex(label, r"^SWX(-[0-9A-F]{8})(-[0-9A-F]{4}){3}-[0-9A-F]{12}$")
        # DCGM recognizes a device by the address of its UUID.
        self.assertEqual([device for device, _ in self.of_switches("status/reset_required", ctypes.c_uint8)], devices)
        uuids = dict(self.of_switches("id/uuid", Uuid, convert=lambda uuid: bytes(uuid.bytes)))
        self.assertEqual([f"SWX-{uuids[device].hex().upper()}" for device in devices],
                         [f"SWX-{label[4:].replace('-', '')}" for label in labels])  # fmt: skip
        gpu = self.good("get", "gpu=0", "uuid").strip()
        remote = self.of_ports("remote_device/id/uuid", Uuid, convert=lambda uuid: bytes(uuid.bytes).hex())
        self.assertIn(gpu[4:].replace("-", ""), {uuid for *_, uuid in remote})
        self.close()
        self.session = self.create().session
        again = self.of_switches("id/uuid", Uuid, convert=lambda uuid: bytes(uuid.bytes))
        self.assertEqual([uuid for _, uuid in again], list(uuids.values()))

    def test_a_broken_link(self) -> None:
        self.open("dgx-h100")
        place = {address: device for device, address in self.of_switches("pcie/location", Place, convert=address)}
        bus = self.good("get", "gpu=2", "pci.bus_id").strip().lower()
        switch, port = next(end for end, link in self.links().items() if link == (bus, 4))
        self.good("fault", "gpu=2", "nvlink", "4", "down")
        down = [(device, number) for device, number, state in self.of_ports("status/link", ctypes.c_int8) if state == OFF]
        self.assertEqual(down, [(place[switch], port)])
        fatal = self.of_switches("status/error/fatal", Error, convert=lambda error: error.number)
        self.assertEqual(fatal, [(place[switch], 20034)])
        self.assertEqual(self.of_switches("status/error/nonfatal", Error), [])
        self.good("fault", "nvswitch=1", "sxid", "12028", "32")
        times = self.of_switches("status/error/nonfatal", Error, convert=lambda error: (error.number, error.time))
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        self.assertEqual([number for _, (number, _) in times], [12028])
        self.assertLess(abs(uptime - times[0][1][1]), 600)
        self.good("heal", "gpu=2")
        self.assertEqual({state for *_, state in self.of_ports("status/link", ctypes.c_int8)}, {ACTIVE})

    def test_traffic_and_errors_are_those_of_the_links(self) -> None:
        self.open("dgx-h100")
        self.good("load", "gpu=all", "100")
        subprocess.run(["sleep", "2"], check=True)
        ports = self.of_ports("throughput_counters", Throughput, convert=lambda value: value.sent)
        self.assertTrue(all(sent > 0 for *_, sent in ports))
        total = self.of_switches("nvlink/throughput_counters", Throughput, convert=lambda value: value.received)
        for device, received in total:
            self.assertGreaterEqual(received + len(ports), sum(sent for switch, _, sent in ports if switch == device))
        self.good("fault", "gpu=1", "nvlink", "all", "errors")
        subprocess.run(["sleep", "2"], check=True)
        replayed = [count for *_, count in self.of_ports("status/error/replay_count", ctypes.c_uint64)]
        self.assertEqual(sum(count > 0 for count in replayed), 18)

    def test_paths_without_a_value(self) -> None:
        self.open("dgx-h100")
        self.assertEqual(self.of_switches("status/temperature/current", ctypes.c_int32), [])
        self.of_switches("no/such/path", ctypes.c_int32, result=NOT_IMPLEMENTED)
        version = self.observe("/drv/nvswitch/version", Label, convert=lambda label: label.text.decode())
        self.assertEqual(version, [("550.163.01",)])
        number = ctypes.c_uint32.in_dll(self.library, "nscq_api_version").value
        self.assertEqual(number >> 24, 2)

    def test_devices_are_mounted_one_by_one(self) -> None:
        self.open("dgx-h100", 0)
        self.assertEqual(self.of_switches("id/phys_id", ctypes.c_uint64), [])
        devices = [device for device, _ in self.observe("/drv/nvswitch/{device}/uuid", Uuid, ctypes.c_void_p)]
        self.assertEqual(len(devices), 4)
        session = ctypes.c_void_p(self.session)
        self.assertEqual(self.library.nscq_session_mount(session, ctypes.c_void_p(devices[2]), 0), SUCCESS)
        self.assertEqual(self.of_switches("id/phys_id", ctypes.c_uint64), [(devices[2], 2)])
        self.assertEqual(self.library.nscq_session_mount(session, None, 0), INVALID_UUID)
        self.assertEqual(self.library.nscq_session_mount(session, ctypes.byref(Uuid()), 0), NOT_MOUNTABLE)
        self.library.nscq_session_unmount(session, ctypes.c_void_p(devices[2]))
        self.assertEqual(self.of_switches("id/phys_id", ctypes.c_uint64), [])

    def test_machines_without_switches_or_driver(self) -> None:
        for machine in ("t4", "gb200"):
            self.open(machine)
            self.assertEqual(self.of_switches("id/phys_id", ctypes.c_uint64), [])
        self.good("fault", "machine", "driver-not-loaded")
        self.assertEqual((self.create().result, self.create().session), (DRIVER, None))
        self.good("heal", "machine")
        self.good("fault", "machine", "version-mismatch")
        self.assertEqual(self.create().result, UNSUPPORTED_DRIVER)

    def test_a_root_has_it_where_the_host_sees_switches(self) -> None:
        for machine, has in (("dgx-h100", True), ("t4", False), ("gb200", False)):
            root = self.folder / f"root-{machine}"
            self.good("root", root, "-m", machine, "--driver", "580")
            names = sorted(file.name for file in (root / f"lib/{TRIPLE}").glob("libnvidia-nscq.so*"))
            version = (root / "sys/module/nvidia/version").read_text().strip()
            self.assertEqual(names, [f"libnvidia-nscq.so{end}" for end in ("", ".2", f".{version}")] if has else [])
            mounts = json.loads((root / "nvidia-cdi.json").read_text())["containerEdits"]["mounts"]
            inside = {mount["containerPath"] for mount in mounts}
            self.assertEqual("/usr/lib64/libnvidia-nscq.so.2" in inside, has)
        # The copy finds the state of its root.
        library = self.folder / "root-dgx-h100/usr/lib" / TRIPLE / "libnvidia-nscq.so.2"
        script = """if True:
            import ctypes, sys
            class Result(ctypes.Structure):
                _fields_ = [("result", ctypes.c_int8), ("session", ctypes.c_void_p)]
            library = ctypes.CDLL(sys.argv[1])
            library.nscq_session_create.restype = Result
            session = ctypes.c_void_p(library.nscq_session_create(1).session)
            found = []
            note = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int8, ctypes.c_uint64, ctypes.c_void_p)
            note = note(lambda device, result, value, data: found.append(value))
            library.nscq_session_path_observe(session, b"/{nvswitch}/id/phys_id", note, None, 0)
            print(found)
        """
        self.environment.pop("NVMLKIT_STATE", None)
        result = self.run_in(sys.executable, "-c", script, library)
        self.assertEqual((result.stdout, result.stderr), ("[0, 1, 2, 3]\n", ""))


if __name__ == "__main__":
    unittest.main()
