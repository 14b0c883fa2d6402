#!/usr/bin/env python3
"""What leptonai's gpud reads of a machine, one place after the other. gpud itself needs packages that Debian does not have.

The expressions and file names are those of its sources, commit 4a8de33a. `clients.pynvml` calls each NVML function that it
calls, on every machine."""

from __future__ import annotations

import json
import re
import unittest
from datetime import datetime, timezone
from pathlib import Path

from clients import SOURCE, TRIPLE, machines
from fixture import ClientTest
from pci_readers import nvpci

XID = re.compile(r"NVRM: Xid \(((?:PCI:)?[0-9a-fA-F:]+)\).*?: (\d+),")
XID_OF_A_LINK = re.compile(
    r"NVRM: Xid \(PCI:([0-9a-fA-F:]+)\): (\d+)(?:, pid=(\d+), name=([^,]+))?, ([A-Z_]+(?:/[A-Z_]+)?)\s+(Nonfatal|Fatal)\s+"
    r"(XC[01])\s+(i\d+)\s+Link\s+(-?\d+)\s+\((0x[0-9a-fA-F]+)\s+(0x[0-9a-fA-F]+)"
)
OFF_THE_BUS = re.compile(r"NVRM:\s+GPU ((?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2})\.0:\s+GPU has fallen off the bus\.?")
SXID, SXID_DEVICE = re.compile(r"SXid.*?: (\d+),"), re.compile(r"SXid \((PCI:[0-9a-fA-F:\.]+)\)")
PROBLEMS_OF_THE_MANAGER = re.compile(
    r"detected NVSwitch (non-)?fatal error|failed to find the GPU handle|detected number of NVSwitches don't match|NV_WARN_NOTHING_TO_DO"
)
COUNTERS = {
    "excessive_buffer_overrun_errors", "link_downed", "link_error_recovery", "local_link_integrity_errors", "port_rcv_data",
    "port_rcv_errors", "port_rcv_packets", "port_rcv_remote_physical_errors", "port_rcv_switch_relay_errors", "port_xmit_data",
    "port_rcv_constraint_errors", "port_xmit_constraint_errors", "port_xmit_discards", "port_xmit_packets", "port_xmit_wait",
    "symbol_error", "unicast_rcv_packets", "unicast_xmit_packets", "multicast_rcv_packets", "multicast_xmit_packets",
    "VL15_dropped",
}  # fmt: skip
SERVERS = ("dgx-a100", "dgx-h100", "hgx-b200", "hgx-h200")
LIBRARY_FOLDERS = ("usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu")


def numbered(text: str) -> tuple[int, str]:
    """`4: ACTIVE`; it takes exactly one colon."""
    number, name = text.split(":")
    return int(number), name.strip()


class KernelMessages(ClientTest):
    def messages(self) -> list[str]:
        return [record.split(";", 1)[1] for record in self.good("kernel-log", "--format", "kmsg").splitlines()]

    def test_every_xid(self) -> None:
        """The number and the GPU of each Xid that a driver raises, from its line and from no other."""
        text = (SOURCE / "registry/semantics/values/xids.yaml").read_text(encoding="utf-8")
        self.up("h100", 2)
        bus = self.good("get", "gpu=1", "pci.bus_id").strip()[4:-2].lower()
        seen = len(self.messages())
        for number in re.findall(r"^(\d+):", text, re.M):
            with self.subTest(xid=number):
                self.good("fault", "gpu=1", "xid", number)
                self.good("heal", "gpu=1")
                new = self.messages()[seen:]
                seen += len(new)
                found = [match.groups() for message in new if (match := XID.search(message))]
                self.assertIn((f"PCI:{bus}", number), found)
                self.assertEqual({device for device, _ in found}, {f"PCI:{bus}"})

    def test_a_gpu_off_the_bus(self) -> None:
        self.up("h100", 2)
        bus = self.good("get", "gpu=1", "pci.bus_id").strip()[4:-2].lower()
        self.good("fault", "gpu=1", "xid", "79")
        self.assertEqual([match[1] for text in self.messages() if (match := OFF_THE_BUS.search(text))], [bus])

    def test_a_link_of_blackwell(self) -> None:
        """The expression takes a number as PID only, as drivers from 570 on write it."""
        file = self.folder / "b200.yaml"
        file.write_text(json.dumps({"version": "1.0", "base": "b200", "system": {"driver_version": "580.105.08"}}))
        self.up(file, None)
        self.good("fault", "gpu=0", "nvlink", "5", "down")
        found = [match for message in self.messages() if (match := XID_OF_A_LINK.search(message))]
        self.assertEqual([(match[2], match[6], int(match[9])) for match in found], [("149", "Fatal", 5)])

    def test_sxids(self) -> None:
        self.up("dgx-h100", None)
        self.good("fault", "nvswitch=1", "sxid", "12028", "32")
        self.good("fault", "gpu=0", "nvlink", "4", "down")
        lines = [message for message in self.messages() if "SXid" in message]
        self.assertEqual([(SXID_DEVICE.search(line)[1], SXID.search(line)[1]) for line in lines],
                         [("PCI:0000:06:00.0", "12028"), ("PCI:0000:05:00.0", "20034")])  # fmt: skip


class Files(ClientTest):
    def root(self, machine: str) -> Path:
        folder = self.folder / machine
        self.good("root", folder, "-m", machine)
        return folder

    def test_adapters(self) -> None:
        """It reads `/sys/class/infiniband/mlx*`; one file that is missing or of another form is an error."""
        seen = 0
        for machine in SERVERS:
            root = self.root(machine)
            for adapter in sorted((root / "sys/class/infiniband").glob("mlx*")):
                with self.subTest(machine=machine, adapter=adapter.name):
                    self.assertRegex((adapter / "fw_ver").read_text(), r"^\d+\.\d+\.\d+\n$")
                    for port in (adapter / "ports").iterdir():
                        self.assertEqual(numbered((port / "state").read_text()), (4, "ACTIVE"))
                        self.assertEqual(numbered((port / "phys_state").read_text()), (5, "LinkUp"))
                        self.assertIn((port / "link_layer").read_text().strip(), ("InfiniBand", "Ethernet"))
                        rate, unit = (port / "rate").read_text().split(" ", 1)
                        self.assertTrue(float(rate) >= 100 and unit.startswith("Gb/sec"), unit)
                        self.assertLessEqual(COUNTERS, {file.name for file in (port / "counters").iterdir()})
                        for kind in ("counters", "hw_counters"):
                            self.assertTrue(all(int(file.read_text()) >= 0 for file in (port / kind).iterdir()))
                        seen += 1
        self.assertGreater(seen, len(SERVERS))

    def test_log_of_the_fabric_manager(self) -> None:
        """Each line begins with the time. A machine without a fault has no line that it takes for one."""
        lines = (self.root("dgx-h100") / "var/log/fabricmanager.log").read_text().splitlines()
        self.assertGreater(len(lines), 1)
        for line in lines:
            datetime.strptime(re.match(r"\[([^\]]+)\]", line)[1], "%b %d %Y %H:%M:%S")
            self.assertNotRegex(line, PROBLEMS_OF_THE_MANAGER)

    def test_errors_of_switches_in_the_log_of_the_fabric_manager(self) -> None:
        """One line for each SXid of the kernel log, with its number, switch and port."""
        self.up("dgx-h100")
        self.good("fault", "nvswitch=1", "sxid", "12028", "32")
        self.good("fault", "gpu=1", "nvlink", "3", "down")
        self.good("root", self.folder / "faults")
        lines = (self.folder / "faults/var/log/fabricmanager.log").read_text().splitlines()
        messages = self.good("kernel-log", "--format", "kmsg").splitlines()
        found = [line for line in lines if PROBLEMS_OF_THE_MANAGER.search(line)]
        self.assertEqual(len(found), 2, lines)
        for line, words in zip(found, ("non-fatal error 12028", "fatal error 20034")):
            place = re.search(rf"detected NVSwitch {words} on fid 0 on NVSwitch pci bus id (\S+) physical id (\d+) port (\d+)$", line)
            self.assertIsNotNone(place, line)
            time = datetime.strptime(re.match(r"\[([^\]]+)\]", line)[1], "%b %d %Y %H:%M:%S").replace(tzinfo=timezone.utc)
            self.assertLess(abs((datetime.now(timezone.utc) - time).total_seconds()), 60, line)
            record = f"nvidia-nvswitch{place[2]}: SXid (PCI:{place[1][4:].lower()}): {words.split()[-1]}"
            self.assertTrue(any(record in message for message in messages), record)

    def test_gpus_and_switches_among_the_pci_devices(self) -> None:
        """It counts NVIDIA's 3D controllers and VGA devices, compares the count with NVML's, and looks for bridges."""
        for machine, switches in (("dgx-h100", 4), ("dgx-a100", 6), ("t4", 0)):
            found = [device for device in nvpci(self.root(machine)).values() if device.vendor == 0x10DE]
            gpus = sum(device.kind in (0x0300, 0x0302) for device in found)
            count = next(entry["count"] for entry in machines() if entry["name"] == machine)
            self.assertEqual((gpus, sum(device.kind == 0x0680 for device in found)), (count, switches), machine)

    def test_libraries(self) -> None:
        """GPUD_NVML_LIBRARY_PATH, GPUD_NVIDIA_DRIVER_ROOT, and the folders in which its check of libraries looks."""
        root = self.root("h100")
        folders = [root / folder for folder in LIBRARY_FOLDERS if (root / folder / "libnvidia-ml.so.1").exists()]
        self.assertIn(root / f"usr/lib/{TRIPLE}", folders)
        for folder in folders:
            self.assertTrue((folder / "libnvidia-ml.so").exists())


if __name__ == "__main__":
    unittest.main()
