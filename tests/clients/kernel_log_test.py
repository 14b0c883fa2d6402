#!/usr/bin/env python3
"""nvmlkit kernel-log: the log of a machine, as the readers of agents find their messages in it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND, PROCESSOR, available_smi
from fixture import ClientTest

# What agents look for, from their sources (docs/guides/faults.md names the files). DCGM and gpud read records, each with
# one read; node-problem-detector compares the message behind the record's head; NVSentinel reads the journal.
DCGM_XID = re.compile(r"\d+,\d+,(\d+),.*;NVRM: Xid \(PCI:(.*)\): (\d+),.*", re.DOTALL)
GPUD_XID = re.compile(r"NVRM: Xid.*?: (\d+),")
GPUD_DEVICE = re.compile(r"NVRM: Xid \(((?:PCI:)?[0-9a-fA-F:]+)\)")
GPUD_SXID = re.compile(r"SXid.*?: (\d+),")
SENTINEL_GPU = re.compile(r"NVRM: GPU at PCI:([0-9a-fA-F:.]+): (GPU-[0-9a-fA-F-]+)")
SENTINEL_SXID = re.compile(
    r"nvidia-nvswitch(\d+): SXid \(PCI:([0-9a-fA-F:.]+)\): (\d+), (Fatal|Non-fatal), Link (\d+) (.+)"
)
SENTINEL_NVLINK5 = re.compile(
    r"NVRM: Xid \(PCI:([^)]+)\): (\d+)(?:, pid=[^,]*)?(?:, name=[^,]*)?, "
    r"(\w+)\s+(\w+)\s+(\w+)\s+(\w+)\s+Link\s+(-?\d+)\s+\((0x[0-9a-fA-F]+)\s+(0x[0-9a-fA-F]+)"
)
NPD_RULE = re.compile(r"NVRM: Xid \(PCI:[^)]+\): 79,.*")


def read_kmsg(record: str) -> tuple[int, int, int, str]:
    """Priority, sequence, microseconds and message, as gpud and go-kmsg-parser split a record."""
    head, message = record.split(";", 1)
    priority, sequence, time = head.split(",")[:3]
    return int(priority), int(sequence), int(time), message


class KernelLog(ClientTest):
    def records(self) -> list[str]:
        return self.good("kernel-log", "--format", "kmsg").splitlines(keepends=True)

    def follow(self, *arguments: str | Path) -> subprocess.Popen[str]:
        program = subprocess.Popen(
            [COMMAND, "kernel-log", "--follow", *arguments], env=self.environment, stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        assert program.stdout is not None
        self.addCleanup(program.stdout.close)
        return program

    def test_xid_79_of_one_gpu(self) -> None:
        self.up("h100", 8)
        bus = self.good("get", "gpu=3", "pci.bus_id").strip()[4:-2].lower()
        said = self.good("fault", "gpu=3", "xid", "79")
        line = f"NVRM: Xid (PCI:{bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
        self.assertIn(f"kernel log: {line}\n", said)
        log = self.good("kernel-log")
        self.assertRegex(log, r"^\[ *\d+\.\d{6}\] NVRM: loading NVIDIA UNIX " + PROCESSOR + r" Kernel Module  550\.163\.01  ")
        self.assertEqual([text.split("] ", 1)[1] for text in log.splitlines() if "Xid" in text], [line])
        self.assertEqual(len(log.splitlines()), 1 + len(said.splitlines()))
        # Each agent's reader
        xids = [match.groups() for record in self.records() if (match := DCGM_XID.fullmatch(record))]
        self.assertEqual([xid[1:] for xid in xids], [(bus, "79")])
        uptime = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        self.assertLess(abs(uptime - int(xids[0][0]) / 1e6), 600)
        self.assertEqual([GPUD_XID.findall(text) for text in log.splitlines() if "Xid" in text], [["79"]])
        self.assertEqual(GPUD_DEVICE.findall(log), [f"PCI:{bus}"])
        self.assertEqual(SENTINEL_GPU.findall(log), [(bus, self.good("get", "gpu=3", "uuid").strip())])
        self.assertEqual(len([record for record in self.records() if NPD_RULE.match(read_kmsg(record)[3])]), 1)

    def test_records_are_numbered(self) -> None:
        self.up()
        self.good("fault", "gpu=all", "xid", "31")
        self.good("set", "gpu=0", "thermal.gpu=60")
        self.good("fault", "gpu=0", "ecc", "dram", "uncorrected", "--count", "2")
        records = [read_kmsg(record) for record in self.records()]
        self.assertEqual({priority for priority, *_ in records}, {4})
        times = [time for _, _, time, _ in records]
        self.assertEqual(times, sorted(times))
        sequences = [sequence for _, sequence, _, _ in records]
        self.assertEqual(sequences, sorted(set(sequences)))
        for number in (31, 48, 63, 94):
            self.assertTrue(any(f"): {number}, " in message for *_, message in records), number)

    def test_nvswitches(self) -> None:
        self.up("dgx-h100", None)
        self.good("fault", "gpu=2", "nvlink", "4", "down")
        self.assertEqual(
            self.good("fault", "nvswitch=1", "sxid", "12028", "32"),
            "kernel log: nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error\n",
        )
        log = self.good("kernel-log")
        self.assertEqual(GPUD_SXID.findall(log), ["20034", "12028"])
        found = SENTINEL_SXID.findall(log)
        self.assertEqual([(match[2], match[3]) for match in found], [("20034", "Fatal"), ("12028", "Non-fatal")])
        self.assertEqual({read_kmsg(record)[0] for record in self.records() if "SXid" in record}, {3})
        for words in ("nvswitch=4 sxid 20034", "nvswitch=0 sxid 1", "nvswitch=0 sxid", "nvswitch=0 sxid 20034 64",
                      "nvswitch=0 sxid 20034 1 2", "nvswitch=0 lost"):  # fmt: skip
            self.refused("fault", *words.split())
        self.up("a10")
        self.assertIn("no NVSwitch", self.refused("fault", "nvswitch=0", "sxid", "20034"))

    def test_links_of_blackwell(self) -> None:
        self.up("b200")
        self.good("fault", "gpu=0", "nvlink", "5", "down")
        match = SENTINEL_NVLINK5.search(self.good("kernel-log"))
        self.assertIsNotNone(match)
        assert match is not None
        self.assertEqual((match[2], match[4], int(match[7])), ("149", "Fatal", 5))

    def test_a_client_of_another_version(self) -> None:
        smi = next(iter(available_smi().values()))
        self.up()
        self.good("fault", "machine", "version-mismatch")
        self.assertEqual(self.run_in(smi).returncode, 18)
        last = read_kmsg(self.records()[-1])
        self.assertTrue(last[3].startswith("NVRM: API mismatch: the client has the version 550.163.02, but\\x0aNVRM: this"))
        lines = self.good("kernel-log").splitlines()
        self.assertRegex(lines[-1], r"^ +NVRM: components have the same version\.$")

    def test_the_process_that_uses_the_gpu(self) -> None:
        self.up()
        user = subprocess.Popen(
            [COMMAND, "run", "--state", self.state, "--uses", "gpu=1", "--", "sleep", "100"],
            env=self.environment,
            start_new_session=True,
        )
        self.addCleanup(user.wait)
        self.addCleanup(os.killpg, user.pid, signal.SIGKILL)
        follower = self.follow()
        assert follower.stdout is not None
        # It is on the GPU before it becomes the program.
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            used = re.search(r"GPU 1 +(\d+) .* sleep$", status := self.good("status"), re.M)
            if used and Path(f"/proc/{used[1]}/comm").read_text() == "sleep\n":
                break
            time.sleep(0.02)
        self.good("fault", "gpu=1", "xid", "43")
        line = next(line for line in follower.stdout if "Xid" in line)
        match = re.search(r": 43, pid=(\d+), name=sleep, Ch 00000008$", line)
        assert match is not None, line
        self.assertIn(match[1], status)

    def test_followers(self) -> None:
        self.up()
        self.good("fault", "gpu=0", "xid", "13")
        pipe = self.folder / "kmsg"
        os.mkfifo(pipe)
        file = self.folder / "log"
        everything, to_pipe, to_file = self.follow(), self.follow("--output", pipe), self.follow("--output", file)
        assert everything.stdout is not None
        for line in everything.stdout:
            if "Xid" in line:
                break
        self.good("fault", "gpu=1", "xid", "31")
        for line in everything.stdout:
            if "Xid" in line:
                self.assertIn("): 31, ", line)
                break
        # One read of the pipe is one record, as with /dev/kmsg.
        reader = os.open(pipe, os.O_RDONLY)
        self.addCleanup(os.close, reader)
        records = self.records()
        self.assertEqual([os.read(reader, 8192).decode() for _ in records], records)
        # All end with the machine.
        self.good("down", "--state", self.state)
        for program in (everything, to_pipe, to_file):
            self.assertEqual(program.wait(timeout=60), 0)
        self.assertEqual(file.read_text(encoding="utf-8"), "".join(records))

    def test_a_follower_at_rest_sleeps(self) -> None:
        self.up()
        follower = self.follow()
        assert follower.stdout is not None
        follower.stdout.readline()

        def switches() -> int:
            status = Path(f"/proc/{follower.pid}/status").read_text(encoding="ascii")
            return sum(int(count) for count in re.findall(r"ctxt_switches:\s+(\d+)", status))

        subprocess.run(["sleep", "0.5"], check=True)
        before = switches()
        subprocess.run(["sleep", "2"], check=True)
        self.assertEqual(switches(), before)
        follower.send_signal(signal.SIGTERM)

    def test_the_newest(self) -> None:
        self.up()
        self.good("fault", "gpu=0", "xid", "13")
        self.assertIn("Xid", self.good("kernel-log", "--since", "1h"))
        self.assertEqual(self.good("kernel-log", "--since", "1s") if self.sleep(3) else "", "")
        for wrong in ("soon", "5", "5d", "-1s"):
            self.assertIn("--since", self.refused("kernel-log", f"--since={wrong}"))
        self.refused("kernel-log", "--output", self.folder / "no" / "folder")
        self.refused("kernel-log", "--format", "json")

    def sleep(self, seconds: int) -> bool:
        return subprocess.run(["sleep", str(seconds)], check=True).returncode == 0


if __name__ == "__main__":
    unittest.main()
