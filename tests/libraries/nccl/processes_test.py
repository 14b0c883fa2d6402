#!/usr/bin/env python3
"""libnccl between processes: sums, kills, aborts, calls that do not fit together, NVLinks and their counters, sockets."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients"))
from clients import COMMAND  # noqa: E402
from fixture import ClientTest  # noqa: E402

RANK = os.environ["NVMLKIT_TEST_NCCL_RANK"]
UNHANDLED_CUDA, INVALID_USAGE, REMOTE, IN_PROGRESS = "1", "5", "6", "7"
LAUNCH_FAILED, NVLINK_UNCORRECTABLE = "719", "220"


class Rank:
    """tests/libraries/nccl/rank.cpp"""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen([COMMAND, "run", "--", RANK], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, *words: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def does(self, *words: object) -> str:
        self.ask(*words)
        return self.answer()

    def end(self) -> str:
        """Its stderr."""
        self.process.kill()
        return self.process.communicate()[1]


class Processes(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        # Load alone moves nothing: the counters are those of programs.
        machine = self.folder / "quiet.yaml"
        machine.write_text("base: h100\nnvlink: {defaults: {duty_cycle: 0}}\n")
        self.up(machine, gpus=4)

    def ranks(self, count: int, blocking: bool = True, **more: str) -> list[Rank]:
        ranks = [Rank({**self.environment, **more}) for _ in range(count)]
        for rank in ranks:
            self.addCleanup(rank.end)
        unique = ranks[0].does("id")
        self.assertEqual(len(unique), 256, unique)
        for i, rank in enumerate(ranks):
            rank.ask("init", i, count, i, unique, int(blocking))
        for rank in ranks:
            self.assertEqual(rank.answer(), "0" if blocking else IN_PROGRESS)
        return ranks

    def sums(self, ranks: list[Rank], count: int) -> None:
        for rank in ranks:
            self.assertEqual(rank.does("sum", count), "0")
        for rank in ranks:
            rank.ask("wait")
        for rank in ranks:
            self.assertEqual(rank.answer(), "0 0")

    def test_sums(self) -> None:
        ranks = self.ranks(4)
        for count in (1, 3, 1000, 300_000):
            self.sums(ranks, count)
        for rank in ranks:
            rank.ask("destroy")
        for rank in ranks:
            self.assertEqual(rank.answer(), "0")

    def test_sockets(self) -> None:
        # Ranks whose machines are different: they share no memory.
        other = self.folder / "other"
        line = self.good("up", "-m", "h100", "-n", "4", "--state", other)
        self.addCleanup(self.nvmlkit, "down", "--state", other)
        self.assertIn("NVMLKIT_STATE", line)
        ranks = [Rank({**self.environment, "NVMLKIT_STATE": str(other)} if i % 2 else self.environment) for i in range(4)]
        for rank in ranks:
            self.addCleanup(rank.end)
        unique = ranks[0].does("id")
        for i, rank in enumerate(ranks):
            rank.ask("init", i, 4, i, unique)
        for rank in ranks:
            self.assertEqual(rank.answer(), "0")
        for count in (1, 1000, 300_000):
            self.sums(ranks, count)
        ranks[3].process.kill()
        self.assertEqual(ranks[0].does("sum", 1000), "0")
        self.assertEqual(ranks[0].does("async"), REMOTE)

    def test_a_killed_rank(self) -> None:
        ranks = self.ranks(3)
        for rank in ranks[:2]:
            self.assertEqual(rank.does("sum", 300_000), "0")
        ranks[2].process.kill()
        began = time.monotonic()
        for rank in ranks[:2]:
            self.assertEqual(rank.does("async"), REMOTE)
            self.assertEqual(rank.does("abort"), "0")
        self.assertLess(time.monotonic() - began, 10)
        for rank in ranks[:2]:
            self.assertTrue(rank.does("wait").startswith("0"))

    def test_abort_ends_a_collective(self) -> None:
        ranks = self.ranks(2)
        self.assertEqual(ranks[0].does("sum", 1000), "0")
        time.sleep(0.2)
        self.assertEqual(ranks[0].does("abort"), "0")
        self.assertTrue(ranks[0].does("wait").startswith("0"))
        self.assertEqual(ranks[1].does("sum", 1000), "0")
        self.assertEqual(ranks[1].does("async"), REMOTE)

    def test_calls_that_do_not_fit_together(self) -> None:
        ranks = self.ranks(2)
        ranks[0].does("sum", 1000)
        ranks[1].does("sum", 1001)
        for rank in ranks:
            rank.ask("async")
        results = {rank.answer() for rank in ranks}
        self.assertIn(INVALID_USAGE, results)
        self.assertLessEqual(results, {INVALID_USAGE, REMOTE})
        said = [rank.end() for rank in ranks]
        self.assertTrue(any("mismatch between ranks" in text and "of 1001 float32" in text for text in said), said)

    def test_without_blocking(self) -> None:
        ranks = self.ranks(2, blocking=False)
        for rank in ranks:
            while rank.does("state") == IN_PROGRESS:
                time.sleep(0.01)
        self.sums(ranks, 1000)

    def test_counters_of_a_ring(self) -> None:
        ranks = self.ranks(4)
        size = 18 << 18  # 18 links share it without a rest
        self.sums(ranks, size // 4)
        for gpu in range(4):
            sent, received = map(int, ranks[0].does("links", gpu).split())
            self.assertEqual((sent, received), (2 * 3 * size // 4 // 1024,) * 2)
        for rank in ranks:
            self.assertEqual(rank.does("broadcast", size), "0")
        for rank in ranks:
            self.assertTrue(rank.does("wait").startswith("0"))
        before = 2 * 3 * size // 4 // 1024
        for gpu, (out, into) in enumerate(((1, 0), (1, 1), (1, 1), (0, 1))):
            sent, received = map(int, ranks[0].does("links", gpu).split())
            self.assertEqual((sent - before, received - before), (out * size // 1024, into * size // 1024))

    def test_a_link_goes_down(self) -> None:
        ranks = self.ranks(2)
        self.sums(ranks, 1000)
        ranks[0].does("sum", 1000)
        self.good("fault", "gpu=0", "nvlink", "3", "down")
        self.assertEqual(ranks[0].does("async"), UNHANDLED_CUDA)
        self.assertEqual(ranks[0].does("wait").split()[0], NVLINK_UNCORRECTABLE)
        self.assertEqual(ranks[1].does("sum", 1000), "0")
        self.assertEqual(ranks[1].does("async"), REMOTE)

    def test_a_gpu_falls_off_the_bus(self) -> None:
        ranks = self.ranks(2)
        self.sums(ranks, 1000)
        ranks[0].does("sum", 1000)
        self.good("fault", "gpu=0", "lost")
        self.assertEqual(ranks[0].does("async"), UNHANDLED_CUDA)
        self.assertEqual(ranks[1].does("sum", 1000), "0")
        self.assertEqual(ranks[1].does("async"), REMOTE)

    def test_lines_of_the_log(self) -> None:
        log = self.folder / "nccl.%p"
        ranks = self.ranks(2, NCCL_DEBUG="INFO", NCCL_DEBUG_FILE=str(log))
        self.sums(ranks, 10)
        for rank in ranks:
            self.assertEqual(rank.does("destroy"), "0")
        texts = [path.read_text() for path in self.folder.glob("nccl.*")]
        self.assertEqual(len(texts), 2)
        for text in texts:
            self.assertRegex(text, r"(?m)^\S+:\d+:\d+ \[[01]\] NCCL INFO .*Init COMPLETE$")
            self.assertRegex(text, r"NCCL INFO AllReduce: opCount 0 sendbuff 0x\w+ .* count 10 datatype 7 op 0 root 0")
            self.assertIn("Destroy COMPLETE", text)
        self.assertTrue(any("NCCL version 2." in text for text in texts))


if __name__ == "__main__":
    unittest.main()
