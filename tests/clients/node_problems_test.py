#!/usr/bin/env python3
"""What nvmlkit node tells of a problem: one line on stderr, and the same to a program that asks for its readiness."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import unittest

from clients import COMMAND
from node_support import NodeTest, tree_of


class Problems(NodeTest):
    def wait_for_status(self, code: int, text: str) -> None:
        """What a probe of a container learns."""
        end = time.monotonic() + 30
        while (result := self.nvmlkit("status", "--ready-file", self.ready)).returncode != code or text not in result.stderr:
            self.assertLess(time.monotonic(), end, result.stderr)
            time.sleep(0.02)
        self.assertEqual(len(result.stderr.splitlines()), code, result.stderr)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to mount a disk")
    def test_a_full_disk_is_one_line(self) -> None:
        disk = self.folder / "disk"
        disk.mkdir()
        self.root = disk / "root"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "disk", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        self.addCleanup(self.kill_nodes)
        node = self.start("-m", "h100")
        line = r"/\S+: No space left on device, and \d+ files more"
        self.wait_for_status(1, "No space left on device, and")
        self.assertRegex(self.ready.read_text(), rf"\Aproblem: {line}\n\Z")
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.wait_for_status(0, "")
        self.assertEqual(tree_of(self.root), self.expected())
        (disk / "other").write_bytes(bytes((os.statvfs(disk).f_bavail - 1) * os.statvfs(disk).f_bsize))
        (self.root / "proc/driver/nvidia/version").unlink()
        subprocess.run(["rm", "-r", self.root / "sys"], check=True)
        (disk / "more").write_bytes(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize))
        node.send_signal(signal.SIGHUP)
        self.wait_for_status(1, "No space left on device")
        (disk / "other").unlink()
        self.wait_for_status(0, "")
        self.assertEqual(tree_of(self.root), self.expected())
        node.terminate()
        messages = node.communicate()[1].splitlines()
        self.assertEqual(len([text for text in messages if re.search("No space", text)]), 2, messages)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to mount a disk")
    def test_a_hook_where_no_program_starts_is_one_line(self) -> None:
        """As on nodes of kind, whose /run is mounted noexec."""
        disk = self.folder / "disk"
        disk.mkdir()
        self.root = disk / "nvidia" / "driver"
        subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "disk", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        self.addCleanup(self.kill_nodes)
        line = f"{self.root}: is mounted noexec, so that no container could start the hook of --cdi-hook; " \
               "mount it with exec (`mount -o remount,exec /run` on a node of kind), or name another folder\n"  # fmt: skip
        result = self.nvmlkit("node", self.root, "-m", "h100", "--cdi-hook")
        self.assertEqual((result.returncode, result.stderr), (2, f"nvmlkit: {line}"))
        self.assertFalse(self.root.exists())
        # Without the hook, nothing starts there; with exec, the hook does.
        for option, *more in (("noexec",), ("exec", "--cdi-hook")):
            subprocess.run(["mount", "-o", f"remount,{option}", disk], check=True)
            node = self.start("-m", "h100", *more)
            self.wait_for_status(0, "")
            node.terminate()
            node.communicate()

    def test_no_inotify_instance_is_one_line(self) -> None:
        """In a user namespace, whose limit the test may set."""
        line = r"this user has no inotify instance left \(limit \d+\), and a node needs one, with --scenarios two; " \
               r"raise the limit: sysctl fs\.inotify\.max_user_instances=8192\n"  # fmt: skip
        scenarios = self.folder / "scenarios"
        scenarios.mkdir()
        # One is enough for the node itself.
        for limit, more in ((0, []), (1, ["--scenarios", scenarios])):
            script = f'echo {limit} > /proc/sys/user/max_inotify_instances && exec "$@"'
            command = [COMMAND, "node", self.root, "-m", "h100", "--ready-file", self.ready, "--linger", "600", *more]
            node = subprocess.Popen(["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh", *command],
                                    env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip
            self.addCleanup(node.kill)
            while not self.ready.exists() and node.poll() is None:
                time.sleep(0.02)
            if node.poll() == 1:
                self.skipTest(f"no user namespace here: {node.communicate()[1]}")
            self.assertRegex(self.ready.read_text(), rf"\Aproblem: {line}\Z")
            node.terminate()
            self.assertRegex(node.communicate()[1], rf"\Anvmlkit: {line}\Z")
            self.assertEqual(node.returncode, 2)
            self.assertFalse(self.root.exists())

    def test_the_last_problem_stays_for_a_probe(self) -> None:
        begin = time.monotonic()
        node = self.start("--linger", "2", NVMLKIT_MACHINE="h1000")
        line = "NVMLKIT_MACHINE: unknown machine 'h1000'; did you mean 'h100'?"
        self.wait_for_status(1, line)
        self.assertEqual(self.ready.read_text(), f"problem: {line}\n")
        self.assertEqual((node.wait(60), node.communicate()[1]), (2, f"nvmlkit: {line}\n"))
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        self.assertFalse(self.ready.exists() or self.root.exists())
        node = self.start("--refuse", "node a: wrong label", "--linger", "600")
        self.wait_for_status(1, "nvmlkit: node a: wrong label\n")
        node.terminate()
        self.assertEqual((node.wait(60), node.communicate()[1]), (2, "nvmlkit: node a: wrong label\n"))
        self.assertIn("--ready-file", self.refused("node", self.root, "--linger", "1"))


if __name__ == "__main__":
    unittest.main()
