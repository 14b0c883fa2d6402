#!/usr/bin/env python3
"""A CUDA program and nvidia-smi on one machine: what each sees of the other, and of faults."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from clients import COMMAND, available_smi  # noqa: E402
from fixture import ClientTest  # noqa: E402

WORKER = os.environ["NVMLKIT_TEST_CUDA_WORKER"]
SMI = next(iter(available_smi().values()))


class Worker:
    """tests/cuda/worker.c; `start` is what its context said."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "run", "--", WORKER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.start = self.answer()

    def answer(self) -> int:
        assert self.process.stdout
        return int(self.process.stdout.readline())

    def writes(self, word: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def does(self, word: str) -> int:
        self.writes(word)
        return self.answer()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def context_mib(multiprocessors):
    """The memory of a context itself: 2 KiB for each of the 2,048 threads of each multiprocessor."""
    return multiprocessors * 2048 * 2 // 1024


class OneMachine(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("h100")

    def worker(self, **variables: str) -> Worker:
        made = Worker({**self.environment, **variables})
        self.addCleanup(made.end)
        return made

    def test_a_program_is_listed_while_it_runs(self) -> None:
        worker = self.worker()
        self.assertEqual((worker.start, worker.does("load")), (0, 0))
        self.assertEqual(self.query(SMI, "used_memory", "compute-apps"), [str(1024 + context_mib(132))])
        (pid,) = self.query(SMI, "pid", "compute-apps")
        self.assertEqual(Path(f"/proc/{pid}/exe").resolve(), Path(WORKER).resolve())
        time.sleep(0.3)
        worker.does("load")
        utilization, memory = self.query(SMI, "utilization.gpu,memory.used")[0].split(", ")
        self.assertGreater(int(utilization), 0)
        self.assertGreaterEqual(int(memory), 1024)
        os.kill(int(pid), 9)
        worker.end()
        self.assertEqual(self.query(SMI, "pid", "compute-apps"), [])

    def test_a_program_of_a_mig_device(self) -> None:
        self.smi(SMI, "-i", "0", "-mig", "1")
        self.smi(SMI, "mig", "-i", "0", "-cgi", "9,14", "-C")
        first, second = re.findall("MIG-[0-9a-f-]{36}", self.smi(SMI, "-L"))
        worker = self.worker(CUDA_VISIBLE_DEVICES=second)
        self.assertEqual((worker.start, worker.does("load")), (0, 0))
        (pid,) = self.query(SMI, "pid", "compute-apps")
        self.assertRegex(self.smi(SMI), rf"\| +0 +3 +0 +{pid} +C .* {1024 + context_mib(32)}MiB \|")  # GPU, its instances, the program
        self.assertEqual(self.query(SMI, "utilization.gpu")[0], "[N/A]")
        used = [int(mib) for mib in re.findall(r"\| +(\d+)MiB / \d+MiB +\| +\d+ +0 \|", self.smi(SMI))]
        self.assertLess(used[0], 1024)
        self.assertGreaterEqual(used[1], 1024)
        small = self.worker(CUDA_VISIBLE_DEVICES=first)
        self.assertEqual(small.start, 0)
        self.assertEqual(len(self.query(SMI, "pid", "compute-apps")), 2)
        os.kill(int(pid), 9)
        worker.end()
        self.assertEqual(len(self.query(SMI, "pid", "compute-apps")), 1)

    def test_a_stray_write_is_an_xid(self) -> None:
        worker = self.worker()
        self.assertEqual(worker.does("stray"), 700)  # CUDA_ERROR_ILLEGAL_ADDRESS, and again
        self.assertEqual((worker.does("sync"), worker.does("load")), (700, 700))
        self.assertIn("xid 31", self.good("fault"))
        self.assertEqual(worker.does("new"), 700)  # no context of this process lives any more
        self.assertEqual(self.worker().start, 0)

    def test_a_lost_gpu(self) -> None:
        worker = self.worker()
        self.good("fault", "gpu=0", "xid", "79")
        self.assertEqual((worker.does("load"), worker.does("sync")), (999, 999))  # CUDA_ERROR_UNKNOWN
        self.assertEqual(self.worker().start, 46)  # CUDA_ERROR_DEVICE_UNAVAILABLE

    def test_a_gpu_is_lost_under_a_kernel(self) -> None:
        for fault, answer in (["ecc", "dram", "uncorrected"], 214), (["xid", "79"], 999):
            worker = self.worker()
            worker.writes("spin")
            time.sleep(0.1)
            self.good("fault", "gpu=0", *fault)
            self.assertEqual(worker.answer(), answer)

    def test_an_ecc_error(self) -> None:
        worker = self.worker()
        self.good("fault", "gpu=0", "ecc", "dram", "corrected")
        self.assertEqual(worker.does("load"), 0)
        self.good("fault", "gpu=1", "ecc", "dram", "uncorrected")
        self.assertEqual(worker.does("load"), 0)
        self.good("fault", "gpu=0", "ecc", "dram", "uncorrected")
        self.assertEqual((worker.does("load"), worker.does("sync")), (214, 214))  # CUDA_ERROR_ECC_UNCORRECTABLE
        self.assertEqual(self.worker().start, 0)

    def test_who_may_come(self) -> None:
        self.good("fault", "gpu=0", "reset-required")
        self.assertEqual(self.worker().start, 46)
        self.good("fault", "machine", "driver-not-loaded")
        self.assertEqual(self.worker().start, 100)  # CUDA_ERROR_NO_DEVICE


if __name__ == "__main__":
    unittest.main()
