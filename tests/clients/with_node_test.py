#!/usr/bin/env python3
"""nvmlkit run --with-node: programs that read /proc, /sys and /dev at their fixed paths find the machine's files there, in a mount
namespace and by the preloaded library."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from clients import COMMAND
from fixture import ClientTest

IS_ROOT = os.geteuid() == 0
NAMESPACES = ["unshare", "--mount"] if IS_ROOT else ["unshare", "--mount", "--map-root-user"]
HAS_NAMESPACES = subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode == 0

HOST_PCI = Path("/sys/bus/pci/devices")


def names_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()


class Files(ClientTest):
    """What both ways show."""

    mode = ""

    def on(self, script: str, *options: str, machine: str = "h100") -> str:
        return self.good("run", "-m", machine, f"--with-node={self.mode}", *options, "--", "sh", "-c", script)

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
        seen = self.good("run", "--name", "default", f"--with-node={self.mode}", "--", "sh", "-c", script)
        self.assertEqual(len(seen.split()), 2)
        self.assertEqual(self.good("get", "gpu=1", "name"), "Tesla T4\n")

    def test_nothing_stays_behind(self) -> None:
        before = Path("/proc/self/mountinfo").read_text()
        process = subprocess.Popen(
            [COMMAND, "run", "-m", "t4", f"--with-node={self.mode}", "--", "sh", "-c", "echo up; exec sleep 60"],
            env=self.environment, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.assertEqual(process.stdout.readline(), "up\n")
        self.assertEqual(Path("/proc/self/mountinfo").read_text(), before)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), -signal.SIGTERM)
        process.stdout.close()
        self.assertEqual(names_in(self.folder / "nvmlkit" / "node"), set())
        self.assertEqual([name for name in names_in(self.folder / "nvmlkit") if name.startswith("run-")], [])

    def test_the_status_is_that_of_the_program(self) -> None:
        self.assertEqual(self.nvmlkit("run", "-m", "t4", f"--with-node={self.mode}", "--", "sh", "-c", "exit 7").returncode, 7)
        missing = self.nvmlkit("run", "-m", "t4", f"--with-node={self.mode}", "--", "no-such-program", PATH="/usr/bin:/bin")
        self.assertEqual(missing.returncode, 127)


@unittest.skipUnless(HAS_NAMESPACES, "no mount namespaces")
class InNamespace(Files):
    mode = "namespace"

    def test_it_is_the_first_choice(self) -> None:
        result = self.nvmlkit("run", "-m", "t4", "--with-node", "--", "sh", "-c", "echo $LD_PRELOAD; cat /proc/driver/nvidia/version")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn("preload", result.stderr)
        self.assertRegex(result.stdout, r"^\nNVRM version")

class ByLibrary(Files):
    mode = "preload"

    def python(self, script: str) -> str:
        return self.good("run", "-m", "h100", "--with-node=preload", "--", sys.executable, "-c", "import glob, os\n" + script).strip()

    def test_paths_are_those_of_the_machine(self) -> None:
        gpu = "/sys/bus/pci/devices/0000:53:00.0"
        real = "/sys/devices/pci0000:53/0000:53:00.0"
        self.assertEqual(self.python(f"print(os.path.realpath('{gpu}'), os.readlink('{gpu}'))"), f"{real} ../../..{real[4:]}")
        self.assertEqual(self.on(f"cd {gpu} && pwd -P && cat vendor && readlink -f driver"), f"{real}\n0x10de\n/sys/bus/pci/drivers/nvidia\n")
        self.assertEqual(self.python(f"os.chdir('{gpu}'); print(os.getcwd(), os.path.exists('../0000:53:00.0/config'))"), f"{real} True")
        self.assertEqual(self.python("os.chdir('/sys/bus'); print(os.getcwd(), os.path.isdir('pci/drivers/nvidia'))"), "/sys/bus True")
        self.assertEqual(self.python("f = os.open('/', os.O_RDONLY); print(os.stat('proc/driver/nvidia/params', dir_fd=f).st_size > 100)"), "True")

    def test_listings(self) -> None:
        self.assertEqual(self.python("print(len(glob.glob('/proc/driver/nvidia/gpus/*/information')))"), "8")
        self.assertEqual(self.on("set -- /proc/driver/nvidia/gpus/*/information; echo $#"), "8\n")
        self.assertEqual(self.on("find /sys/bus/pci/drivers/nvidia -name '0000*' -type l | wc -l"), "8\n")
        # Other programs' files beneath / may go while find reads: its status says that, and is not this test's business.
        find = "find / -maxdepth 3 -path /proc -prune -o -path /sys/module/nvidia -print 2>/dev/null || true"
        self.assertEqual(self.on(find), "/sys/module/nvidia\n")

    def test_files_of_the_host_are_no_links(self) -> None:
        self.assertEqual(self.on("find /dev -maxdepth 1 -name null -type c"), "/dev/null\n")
        self.assertEqual(self.on("stat -c '%F %t:%T' /dev/null"), "character special file 1:3\n")
        self.assertEqual(self.on("ls -l /dev/null | head -c 1; ls -ld /sys/class/net | head -c 1"), "cd")
        self.assertEqual(self.python("print([e.is_symlink() for e in os.scandir('/dev') if e.name == 'null'])"), "[False]")
        self.assertEqual(self.on("ls -l /sys/bus/pci/devices /proc/driver/nvidia >/dev/null 2>&1 && ls /proc/self/status"), "/proc/self/status\n")

    def test_what_is_missing_stays_missing(self) -> None:
        script = """
for path in ('/sys/no', '/proc/driver/nvidia/no', '/dev/no/such', '/nowhere'):
    try: open(path)
    except OSError as error: print(error.errno, end=' ')
"""
        self.assertEqual(self.python(script), "2 2 2 2")

    def test_other_preloaded_libraries_stay(self) -> None:
        other = "/lib/x86_64-linux-gnu/libm.so.6"
        if not Path(other).exists():
            self.skipTest("no such library")
        seen = self.nvmlkit("run", "-m", "t4", "--with-node=preload", "--", "sh", "-c", "echo $LD_PRELOAD", LD_PRELOAD=other).stdout
        self.assertRegex(seen, rf"/libnvmlkit-node\.so:{other}\n$")

    @unittest.skipIf(shutil.which("lspci") is None, "no lspci")
    def test_lspci(self) -> None:
        lines = self.good("run", "-m", "h100", "--with-node=preload", "--", "lspci", "-k", "-d", "10de:").splitlines()
        self.assertEqual(len([line for line in lines if line.endswith("Kernel driver in use: nvidia")]), 8)

    def test_a_killed_command_leaves_a_folder_until_the_next(self) -> None:
        process = subprocess.Popen([COMMAND, "run", "-m", "t4", "--with-node=preload", "--", "sh", "-c", "echo up; exec sleep 60"],
                                   env=self.environment, stdout=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
        self.assertEqual(process.stdout.readline(), "up\n")
        folder = self.folder / "nvmlkit"
        views = [name for name in names_in(folder) if name.endswith(".view")]
        self.assertEqual(len(views), 1)
        process.kill()
        process.wait(30)
        self.good("run", "-m", "t4", "--with-node=preload", "--", "true")
        self.assertIn(views[0], names_in(folder), "the program uses it")
        os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        end = time.monotonic() + 30
        while views[0] in names_in(folder) and time.monotonic() < end:
            self.good("run", "-m", "t4", "--with-node=preload", "--", "true")
        self.assertEqual([name for name in names_in(folder) if name.endswith(".view")], [])


class Choice(ClientTest):
    def test_a_system_that_allows_no_namespace(self) -> None:
        forbid = "echo 0 >/proc/sys/user/max_mnt_namespaces && exec \"$@\""
        user = ["unshare", "--user", "--map-root-user"]
        result = self.run_in(*user, "sh", "-c", forbid, "sh", COMMAND, "run", "-m", "t4", "--with-node=namespace", "--", "true")
        if "Operation not permitted" in result.stderr and "nvmlkit" not in result.stderr:
            self.skipTest("no user namespaces")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"^nvmlkit: --with-node: no mount namespace: .*; run it as root, or allow user namespaces")
        self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_a_system_that_allows_no_namespace_gets_the_library(self) -> None:
        forbid = "echo 0 >/proc/sys/user/max_mnt_namespaces && exec \"$@\""
        user = ["unshare", "--user", "--map-root-user"]
        script = "cat /sys/module/nvidia/version; ls /dev/nvidia0"
        result = self.run_in(*user, "sh", "-c", forbid, "sh", COMMAND, "run", "-m", "t4", "--with-node", "--", "sh", "-c", script)
        if "Operation not permitted" in result.stderr and "nvmlkit" not in result.stderr:
            self.skipTest("no user namespaces")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^[0-9.]+\n/dev/nvidia0\n$")
        self.assertRegex(result.stderr, r"^nvmlkit: --with-node: the system allows no mount namespace, so that a preloaded library shows the files[^\n]*\n$")

    def test_another_mode_is_refused(self) -> None:
        self.assertIn("auto, namespace, preload", self.refused("run", "--with-node=magic", "--", "true"))


del Files  # its tests run in the classes that are made of it

if __name__ == "__main__":
    unittest.main()
