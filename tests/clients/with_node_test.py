#!/usr/bin/env python3
"""nvmlkit run --with-node: programs that read /proc, /sys and /dev at their fixed paths find the machine's files there."""

from __future__ import annotations

import os
import signal
import subprocess
import unittest
from pathlib import Path

from clients import COMMAND, skip
from fixture import ClientTest

IS_ROOT = os.geteuid() == 0
NAMESPACES = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--mount", "--map-root-user"]
if subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode != 0:
    skip("no mount namespaces")

HOST_PCI = Path("/sys/bus/pci/devices")


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


class WithNode(ClientTest):
    def on(self, script: str, *options: str, machine: str = "h100") -> str:
        return self.good("run", "-m", machine, "--with-node", *options, "--", "sh", "-c", script)

    def test_files_of_the_driver(self) -> None:
        version = self.on("cat /sys/module/nvidia/version").strip()
        self.assertIn(f"Kernel Module  {version} ", self.on("cat /proc/driver/nvidia/version"))
        information = self.on("cat /proc/driver/nvidia/gpus/*/information", "-n", "3")
        self.assertEqual(information.count("NVIDIA H100"), 3)
        self.assertRegex(self.on("cat /proc/devices"), r"195 nvidia\n")

    def test_gpus_stand_beside_the_devices_of_the_host(self) -> None:
        host = names_in(HOST_PCI)
        seen = set(self.on(f"ls {HOST_PCI}").split())
        added = seen - host
        self.assertEqual((len(added), host - seen), (8, set()))
        for name in sorted(added):
            self.assertEqual(self.on(f"cat {HOST_PCI}/{name}/vendor"), "0x10de\n")

    def test_the_rest_of_the_host_stays(self) -> None:
        for folder in ("/sys/class/net", "/sys/devices/system/cpu", "/dev/pts"):
            if Path(folder).is_dir():
                self.assertEqual(set(self.on(f"ls {folder}").split()), names_in(Path(folder)), folder)
        self.assertEqual(self.on("echo text >/dev/null; head -c 4 /dev/zero | wc -c; test -e /dev/nvidia7 && echo node"), "4\nnode\n")

    def test_who_the_program_is_stays(self) -> None:
        self.assertEqual(self.on("id -u; id -g").split(), [str(os.geteuid()), str(os.getegid())])

    def test_a_machine_that_is_up(self) -> None:
        self.good("up", "-m", "t4", "-n", "2")
        script = f"grep -l 0x10de {HOST_PCI}/*/vendor"
        seen = self.good("run", "--name", "default", "--with-node", "--", "sh", "-c", script)
        self.assertEqual(len(seen.split()), 2)
        self.assertEqual(self.good("get", "gpu=1", "name"), "Tesla T4\n")

    def test_nothing_stays_behind(self) -> None:
        before = Path("/proc/self/mountinfo").read_text()
        process = subprocess.Popen(
            [COMMAND, "run", "-m", "t4", "--with-node", "--", "sh", "-c", "echo up; exec sleep 60"],
            env=self.environment, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.assertEqual(process.stdout.readline(), "up\n")
        self.assertEqual(Path("/proc/self/mountinfo").read_text(), before)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), -signal.SIGTERM)
        process.stdout.close()
        self.assertEqual(names_in(self.folder / "nvmlkit" / "node"), set())

    def test_the_status_is_that_of_the_program(self) -> None:
        self.assertEqual(self.nvmlkit("run", "-m", "t4", "--with-node", "--", "sh", "-c", "exit 7").returncode, 7)
        missing = self.nvmlkit("run", "-m", "t4", "--with-node", "--", "no-such-program", PATH="/usr/bin:/bin")
        self.assertEqual(missing.returncode, 127)

    def test_a_system_that_allows_no_namespace(self) -> None:
        forbid = "echo 0 >/proc/sys/user/max_mnt_namespaces && exec \"$@\""
        user = ["unshare", "--user", "--map-root-user"]
        result = self.run_in(*user, "sh", "-c", forbid, "sh", COMMAND, "run", "-m", "t4", "--with-node", "--", "true")
        if "Operation not permitted" in result.stderr and "nvmlkit" not in result.stderr:
            self.skipTest("no user namespaces")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"^nvmlkit: --with-node: no mount namespace: .*; run it as root, or allow user namespaces")
        self.assertEqual(len(result.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
