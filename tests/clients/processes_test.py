#!/usr/bin/env python3
"""Programs that use simulated GPUs, as nvidia-smi sees them: their PIDs, their memory, their ends, their accounting."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND, available_smi, skip
from fixture import ClientTest

if os.geteuid() != 0:
    skip("switching accounting and compute modes needs root, here as on hardware")
SMI = available_smi()


class Processes(ClientTest):
    def run_program(self, *options: str, program: tuple[str, ...] = ("sleep", "60")) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [COMMAND, "run", *options, "--", *program],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process: subprocess.Popen[str]) -> None:
        """The command and its program, which would hold the pipes."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def status(self) -> list[dict]:
        return json.loads(self.good("status", "--json"))["processes"]

    def wait_for(self, count: int) -> list[dict]:
        deadline = time.monotonic() + 20
        while len(self.status()) != count and time.monotonic() < deadline:
            time.sleep(0.02)
        processes = self.status()
        self.assertEqual(len(processes), count, processes)
        return processes

    def test_the_host_lists_the_processes_of_a_container(self) -> None:
        """A container, as far as processes see it: a PID namespace with its own /proc."""
        inside = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
        if subprocess.run([*inside, "true"], stderr=subprocess.PIPE).returncode != 0:
            self.skipTest("needs the right to make PID namespaces")
        for smi in self.on_every_branch():
            container = subprocess.Popen(
                [*inside, COMMAND, "run", "--uses", "gpu=1", "--memory", "1GiB", "--", "sh", "-c", f"{smi} --query-compute-apps=pid --format=csv,noheader; sleep 60"],
                env=self.environment, stdout=subprocess.PIPE, text=True, start_new_session=True,
            )  # fmt: skip
            self.addCleanup(self.end, container)
            own = int(container.stdout.readline())
            pid = self.wait_for(1)[0]["pid"]
            numbers = Path(f"/proc/{pid}/status").read_text().split("NSpid:")[1].splitlines()[0].split()
            self.assertEqual(numbers, [str(pid), str(own)])
            self.assertEqual(self.query(smi, "pid,used_memory", "compute-apps"), [f"{pid}, 1024"])
            self.assertFalse(self.status()[0]["elsewhere"])
            os.killpg(container.pid, signal.SIGKILL)
            self.wait_for(0)

    def test_a_program_is_there_until_it_is_killed(self) -> None:
        for smi in self.on_every_branch():
            before = [int(used) for used in self.query(smi, "memory.used")]
            self.run_program("--uses", "gpu=0,1", "--memory", "2GiB")
            first = self.wait_for(2)[0]
            pid = first["pid"]
            # It is on the GPU before it becomes the program.
            deadline = time.monotonic() + 20
            while Path(f"/proc/{pid}/comm").read_text() != "sleep\n" and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(Path(f"/proc/{pid}/comm").read_text(), "sleep\n")
            self.assertEqual(
                [(p["gpu"], p["pid"], p["type"], p["name"], p["used_memory_bytes"]) for p in self.status()],
                [(gpu, pid, "C", "sleep", 2 << 30) for gpu in (0, 1)],
            )
            apps = self.query(smi, "pid,name,used_memory", "compute-apps")
            self.assertEqual(apps, [f"{pid}, sleep, 2048"] * 2)
            self.assertEqual([int(u) for u in self.query(smi, "memory.used")], [b + 2048 for b in before])
            self.assertRegex(self.smi(smi), rf"1 +N/A +N/A +{pid} +C +sleep +2048MiB")
            self.assertRegex(self.smi(smi, "pmon", "-c", "1"), rf"0 +{pid} +C .*sleep")
            os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + 20
            while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(self.query(smi, "pid", "compute-apps"), [])
            self.assertEqual([int(u) for u in self.query(smi, "memory.used")], before)

    def test_accounting(self) -> None:
        for smi in self.on_every_branch():
            fields = "pid,max_memory_usage,time"
            self.smi(smi, "-am", "1")
            running = self.run_program("--uses", "gpu=1", "--memory", "512MiB")
            pid = self.wait_for(1)[0]["pid"]
            self.assertEqual(self.query(smi, fields, "accounted-apps"), [f"{pid}, 512, 0"])
            os.kill(pid, signal.SIGTERM)
            self.assertEqual(running.wait(), -signal.SIGTERM)
            ended = self.query(smi, fields, "accounted-apps")
            self.assertEqual(len(ended), 1)
            self.assertRegex(ended[0], rf"^{pid}, 512, [1-9]\d*$")
            self.assertIn("Is Running                    : 0", self.smi(smi, "-i", "1", "-q", "-d", "ACCOUNTING"))
            self.smi(smi, "-caa")
            self.assertEqual(self.query(smi, fields, "accounted-apps"), [])
            self.assertIn("Disabled Accounting Mode", self.smi(smi, "-am", "0"))

    def test_compute_modes(self) -> None:
        for smi in self.on_every_branch():
            self.smi(smi, "-c", "EXCLUSIVE_PROCESS")
            self.run_program("--uses", "gpu=0")
            self.wait_for(1)
            second = self.run_program("--uses", "gpu=all", program=("true",))
            self.assertEqual(second.communicate()[1], "nvmlkit: GPU 0: the compute mode of the GPU is Exclusive_Process, and a process uses it\n")
            self.assertEqual(second.returncode, 2)
            self.assertEqual(self.run_program("--uses", "gpu=1", program=("true",)).wait(), 0)
            self.smi(smi, "-c", "PROHIBITED")
            refused = self.run_program("--uses", "gpu=1", program=("true",))
            self.assertEqual(refused.communicate()[1], "nvmlkit: GPU 1: the compute mode of the GPU is Prohibited\n")
            self.assertEqual(self.run_program("--uses", "gpu=1", "--type", "G", program=("true",)).wait(), 0)
            self.assertIn("In use by another client", self.smi(smi, "-i", "0", "-r"))
            self.assertIn("was successfully reset", self.smi(smi, "-i", "1", "-r"))

    def test_a_program_with_a_machine_of_its_own(self) -> None:
        smi = next(iter(SMI.values()))
        listing = f"{smi} --query-compute-apps=pid,used_memory --format=csv,noheader,nounits; echo $$"
        told = self.good("run", "-m", "t4", "--uses", "gpu=3", "--memory", "1048576", "--", "sh", "-c", listing)
        app, pid = told.split("\n")[:2]
        self.assertEqual(app, f"{pid}, 1")

    def test_wrong_options_are_refused_in_one_line(self) -> None:
        self.up()
        for options, words in [
            (("--uses", "gpu=7"), "--uses: no GPU '7'; the machine has 2"),
            (("--uses", "gpu=0,,1"), "--uses: no GPU ''"),
            (("--uses", "0"), "--uses: expected gpu=INDEX"),
            (("--uses", "gpu=0", "--memory", "2GB"), "--memory: expected bytes, or a number with KiB, MiB or GiB, got '2GB'"),
            (("--uses", "gpu=0", "--memory", "99999999999GiB"), "--memory: expected bytes"),
            (("--uses", "gpu=0", "--type", "X"), "--type: expected C, G, C+G, M or M+C, got 'X'"),
            (("--uses", "gpu=0", "--memory", "900GiB"), "GPU 0: the GPU has not so much free memory"),
        ]:
            result = self.run_program(*options, program=("echo", "ran"))
            output, error = result.communicate()
            self.assertEqual((result.returncode, output), (2, ""), error)
            self.assertIn(words, error)
            self.assertEqual(len(error.splitlines()), 1)
        self.assertEqual(self.status(), [])


if __name__ == "__main__":
    unittest.main()
