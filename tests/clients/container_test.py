#!/usr/bin/env python3
"""Programs in containers that others than nvmlkit prepared: the libraries of a root find their machine without a variable.

A container here is a folder that a program gets as its root. A file in it is a hard link of the host's, as a bind mount is.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR, TRIPLE, available_smi, nvidia_smi, skip
from fixture import ClientTest

PROGRAM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else skip("no program to run in a container")
LIBRARIES = Path("usr/lib") / TRIPLE
LIBRARY_NAMES = ("libnvidia-ml.so", "libcuda.so")
BY_NVIDIA = "run/nvidia-persistenced/socket"
OTHERS = 1000  # a user who has nothing to do with the host's

IS_ROOT = os.geteuid() == 0
MAY_UNSHARE = subprocess.run(["unshare", "--map-root-user", "true"], capture_output=True, check=False).returncode == 0
if not IS_ROOT and not MAY_UNSHARE:
    skip("neither root nor user namespaces")


# Starts NVML, and again, and once more after the command of its arguments.
TWICE = """
import ctypes, subprocess, sys
nvml = ctypes.CDLL(sys.argv[1])
for command in ([], [], sys.argv[2:]):
    if command:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    count = ctypes.c_uint()
    assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0
    print(count.value)
    nvml.nvmlShutdown()
"""


def needs_root(test):
    return unittest.skipUnless(IS_ROOT, "only root becomes another user")(test)


class Container:
    """A folder with programs and what they load, and nothing of a driver."""

    def __init__(self, folder: Path, *programs: Path) -> None:
        self.folder = folder
        for name in ("dev", "run", "tmp", "var"):
            (folder / name).mkdir(parents=True)
        (folder / "var/run").symlink_to("/run")
        for program in programs:
            self.give(program, program.name, copy=True)
        for file in (*programs, *(LIBRARY_DIR / f"{name}.1" for name in LIBRARY_NAMES)):
            for needed in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", file], capture_output=True, text=True).stdout):
                self.give(Path(needed), needed.lstrip("/"), copy=True)

    def give(self, file: Path, path: str, copy: bool = False) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        (shutil.copy if copy else os.link)(file, place)

    def give_driver(self, root: Path, *nodes: str) -> None:
        """What NVIDIA's generators give of a root: libraries, with the links that their hooks make, and nodes."""
        for name in LIBRARY_NAMES:
            library = (root / LIBRARIES / f"{name}.1").resolve()
            self.give(library, f"{LIBRARIES}/{library.name}")
            link = self.folder / LIBRARIES / f"{name}.1"
            link.unlink(missing_ok=True)
            link.symlink_to(library.name)
        for node in nodes:
            place = self.folder / "dev" / node
            place.parent.mkdir(exist_ok=True)
            place.touch()

    def run(self, program: str, user: int | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        become = ["chroot", *([f"--userspec={user}:{user}"] if user else []), self.folder]
        prefix = [] if IS_ROOT else ["unshare", "--map-root-user"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LD_LIBRARY_PATH": f"/{LIBRARIES}", **variables}
        return subprocess.run([*prefix, *become, *program.split()], env=environment, capture_output=True, text=True, timeout=120)


class Answers:
    def __init__(self, result: subprocess.CompletedProcess[str]) -> None:
        self.gpus = re.findall(r"^gpu (\S+)$", result.stdout, re.M)
        self.errors = result.stderr
        numbers = re.findall(r"^(\w+) (-?\d+)(?: (\d+))?$", result.stdout, re.M)
        self.codes = {name: int(code) for name, code, _ in numbers}
        self.counts = {name: int(count) for name, _, count in numbers if count}


class InContainer(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.folder.chmod(0o755)
        self.root = self.folder / "gpus"

    def lay_out(self, *options: str) -> None:
        self.good("root", self.root, "-m", "h100", *options)
        state = self.root / "run/nvmlkit/state"
        listed = json.loads(self.good("get", "gpu=all", "uuid", "--json", "--state", state))
        self.uuids = [entry["value"] for entry in listed]

    def container(self, *nodes: str, programs: tuple[Path, ...] = (PROGRAM,)) -> Container:
        self.made = getattr(self, "made", 0) + 1
        out = Container(self.folder / f"container-{self.made}", *programs)
        out.give_driver(self.root, *nodes)
        return out

    def ask(self, container: Container, user: int | None = None, **variables: str) -> Answers:
        result = container.run(f"/{PROGRAM.name}", user, **variables)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return Answers(result)

    def two_of_eight(self, path: str | None) -> Container:
        container = self.container("nvidiactl", "nvidia-uvm", "nvidia2", "nvidia5")
        if path:
            container.give(self.root / BY_NVIDIA, path)
        return container

    def check_two(self, answers: Answers) -> None:
        self.assertEqual(answers.errors, "")
        self.assertEqual(answers.gpus, [self.uuids[2], self.uuids[5]])
        self.assertEqual((answers.codes["cuda"], answers.counts["cuda"]), (0, 2))

    def test_a_program_sees_its_gpus_and_no_others(self) -> None:
        self.lay_out()
        for path in (BY_NVIDIA, "run/nvmlkit/state"):
            with self.subTest(path):
                self.check_two(self.ask(self.two_of_eight(path)))

    def test_a_folder_var_run_of_its_own_is_one_of_the_places(self) -> None:
        self.lay_out()
        container = self.two_of_eight(None)
        (container.folder / "var/run").unlink()
        container.give(self.root / BY_NVIDIA, "var/run/nvidia-persistenced/socket")
        self.check_two(self.ask(container))

    def test_containers_and_host_share_the_machine(self) -> None:
        self.lay_out()
        container = self.two_of_eight(BY_NVIDIA)
        answers = self.ask(container)
        if IS_ROOT:
            self.assertEqual(answers.codes["limit"], 0)
            self.assertEqual(self.good("get", "gpu=2", "power.limit_mw", "--state", self.root / "run/nvmlkit/state"), "300000\n")
        self.good("fault", "gpu=2", "off-bus", "--state", self.root / BY_NVIDIA)
        self.assertEqual(self.ask(container).gpus, [self.uuids[5]])

    def test_without_a_state_there_is_no_driver(self) -> None:
        self.lay_out()
        answers = self.ask(self.two_of_eight(None))
        self.assertEqual((answers.codes["nvml"], answers.codes["cuda"]), (9, 100))
        lines = answers.errors.splitlines()
        self.assertEqual(len(lines), 2, answers.errors)
        for line, library in zip(lines, LIBRARY_NAMES):
            self.assertRegex(line, rf"^nvmlkit: /{LIBRARIES}/{library}\.[0-9.]+: this library of a driver root finds no state")
            for path in ("/run/nvmlkit/state", f"/{BY_NVIDIA}", f"/var/{BY_NVIDIA}"):
                self.assertIn(f" {path} is missing", line)

    def test_the_command_finds_the_machine_too(self) -> None:
        self.lay_out()
        container = self.container("nvidiactl", "nvidia2", programs=(COMMAND,))
        result = container.run("/nvmlkit get gpu=0 uuid")
        self.assertEqual(result.returncode, 2)
        self.assertIn("no machine is up; make it with `nvmlkit up`", result.stderr)
        container.give(self.root / BY_NVIDIA, BY_NVIDIA)
        result = container.run("/nvmlkit get gpu=0 uuid")
        self.assertEqual((result.stdout, result.stderr), (self.uuids[0] + "\n", ""))
        self.assertIn(f"/{BY_NVIDIA}", container.run("/nvmlkit status").stdout)

    def test_variables_decide_first(self) -> None:
        self.lay_out()
        container = self.two_of_eight(BY_NVIDIA)
        answers = self.ask(container, NVMLKIT_MACHINE="t4", NVMLKIT_GPU_COUNT="3")
        self.assertEqual((answers.counts["nvml"], answers.counts["cuda"]), (3, 3))
        answers = self.ask(container, NVMLKIT_STATE=f"/{BY_NVIDIA}")
        self.assertEqual((answers.counts["nvml"], answers.counts["cuda"]), (8, 8))
        answers = self.ask(container, NVMLKIT_DEVICE_NODES="")
        self.assertEqual((answers.counts["nvml"], answers.counts["cuda"]), (8, 8))
        self.check_two(self.ask(container, NVMLKIT_GPU_COUNT="3"))

    def test_the_socket_of_the_real_daemon_is_left_alone(self) -> None:
        self.lay_out()
        container = self.two_of_eight(None)
        (container.folder / BY_NVIDIA).parent.mkdir()
        with socket.socket(socket.AF_UNIX) as daemon:
            folder = os.open(container.folder / "run/nvidia-persistenced", os.O_PATH)
            daemon.bind(f"/proc/self/fd/{folder}/socket")  # a path of at most 107 bytes
            os.close(folder)
            daemon.listen()
            answers = self.ask(container)
            self.assertEqual(answers.codes["nvml"], 9)
            self.assertIn(f"/{BY_NVIDIA} is a socket", answers.errors)
            container.give(self.root / BY_NVIDIA, "run/nvmlkit/state")
            self.check_two(self.ask(container))
            daemon.setblocking(False)
            self.assertRaises(BlockingIOError, daemon.accept)

    def test_a_mig_device(self) -> None:
        file = self.folder / "machine.yaml"
        instances = [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]
        file.write_text(json.dumps({"version": "1.0", "base": "h100", "devices": [
            {"index": 1, "mig": {"mode_current": "enabled", "instances": instances}}]}))  # fmt: skip
        self.good("root", self.root, "-c", file)
        minors = dict(line.split() for line in (self.root / "proc/driver/nvidia-caps/mig-minors").read_text().splitlines())
        folder = self.root / "proc/driver/nvidia/capabilities/gpu1/mig"
        caps = [f"nvidia-caps/nvidia-cap{minors[name]}" for name in self.capabilities_of_first(folder)]
        smi = nvidia_smi(max(available_smi()))
        container = self.container("nvidiactl", "nvidia1", *caps, programs=(smi,))
        container.give(self.root / BY_NVIDIA, BY_NVIDIA)
        listed = container.run("/nvidia-smi -L").stdout.splitlines()
        self.assertEqual(len(listed), 2, listed)
        self.assertIn("MIG 3g.40gb     Device  0:", listed[1])

    @staticmethod
    def capabilities_of_first(folder: Path) -> list[str]:
        instance = sorted(folder.glob("gi*"))[0].name
        return [f"gpu1/{instance}/access", f"gpu1/{instance}/ci0/access"]

    def test_a_root_in_a_container_is_found_from_its_library(self) -> None:
        """A device plugin has the whole root, and no node in its own /dev until a runtime gives it some."""
        self.lay_out()
        container = Container(self.folder / "plugin", PROGRAM)
        shutil.copytree(self.root / "usr", container.folder / "driver-root/usr", symlinks=True)
        shutil.copytree(self.root / "dev", container.folder / "driver-root/dev", copy_function=lambda _, to: Path(to).touch())
        container.give(self.root / BY_NVIDIA, "driver-root/run/nvmlkit/state")
        for place in (LIBRARIES, Path("usr/lib/wsl/lib")):
            answers = self.ask(container, LD_LIBRARY_PATH=f"/driver-root/{place}")
            self.assertEqual((answers.errors, answers.gpus, answers.counts["cuda"]), ("", self.uuids, 8))
        for node in ("nvidiactl", "nvidia3"):
            (container.folder / "dev" / node).touch()
        answers = self.ask(container, LD_LIBRARY_PATH=f"/driver-root/{LIBRARIES}")
        self.assertEqual((answers.errors, answers.gpus, answers.counts["cuda"]), ("", [self.uuids[3]], 1))

    def test_the_root_itself_can_be_the_root_of_a_program(self) -> None:
        self.lay_out()
        container = Container(self.folder / "chroot", PROGRAM)
        shutil.rmtree(container.folder / "var")
        shutil.copytree(container.folder, self.root, dirs_exist_ok=True, symlinks=True)
        container.folder = self.root
        self.assertEqual(self.ask(container).gpus, self.uuids)

    def test_a_program_run_by_hand_on_the_host(self) -> None:
        self.lay_out()
        self.environment["NVMLKIT_DEVICE_NODES"] = str(self.root / "dev")  # whatever GPUs this host has
        listed = self.run_in(PROGRAM, LD_LIBRARY_PATH=str(self.root / LIBRARIES))
        self.assertEqual((Answers(listed).gpus, listed.stderr), (self.uuids, ""))
        shutil.rmtree(self.root / "run")
        refused = Answers(self.run_in(PROGRAM, LD_LIBRARY_PATH=str(self.root / LIBRARIES)))
        self.assertEqual((refused.codes["nvml"], refused.codes["cuda"]), (9, 100))
        self.assertIn(f"{self.root.resolve()}/run/nvmlkit/state is missing", refused.errors)

    def test_a_root_that_is_rendered_again_is_seen_at_the_next_start(self) -> None:
        self.lay_out()
        script = self.folder / "twice.py"
        script.write_text(TWICE)
        again = [COMMAND, "root", self.root, "-m", "t4", "-n", "3"]
        nvml = self.root / LIBRARIES / "libnvidia-ml.so.1"
        printed = self.run_in(sys.executable, script, nvml, *again, NVMLKIT_DEVICE_NODES=str(self.root / "dev"))
        self.assertEqual(printed.stdout.split(), ["8", "8", "3"], printed.stderr)

    @needs_root
    def test_a_read_only_mount(self) -> None:
        """Older generators mount what they find in a root read-only."""
        self.lay_out()
        container = self.two_of_eight(None)
        place = container.folder / BY_NVIDIA
        place.parent.mkdir()
        place.touch()
        script = 'mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" || exit 77; exec chroot "$3" "$4"'
        result = self.run_in("unshare", "--mount", "sh", "-c", script, "sh", self.root / BY_NVIDIA, place, container.folder,
                             f"/{PROGRAM.name}", LD_LIBRARY_PATH="")  # fmt: skip
        if result.returncode == 77:
            self.skipTest("no mounts here")
        answers = Answers(result)
        self.check_two(answers)
        self.assertEqual([answers.codes[name] for name in ("limit", "events", "context", "memory")], [4, 10, 0, 0])

    @needs_root
    def test_another_user_needs_to_be_admitted(self) -> None:
        self.lay_out()
        answers = self.ask(self.two_of_eight(BY_NVIDIA), OTHERS)
        self.assertEqual((answers.codes["nvml"], answers.codes["cuda"]), (999, 999))
        self.assertEqual(
            answers.errors.splitlines(),
            [f"nvmlkit: /{BY_NVIDIA}: cannot be opened: Permission denied; the file is of user 0:0 with mode 0600, the "
             f"process is user {OTHERS}:{OTHERS}; admit it with --owner, --group or --mode of `nvmlkit root` or `nvmlkit up`"] * 2,
        )  # fmt: skip

    @needs_root
    def test_another_user_who_may_read(self) -> None:
        """Sees the GPUs, waits for events and runs CUDA programs; the program is not in the list of processes."""
        self.lay_out("--mode", "0644")
        answers = self.ask(self.two_of_eight(BY_NVIDIA), OTHERS)
        self.check_two(answers)
        self.assertEqual([answers.codes[name] for name in ("limit", "events", "shutdown", "context", "memory")], [4, 10, 0, 0, 0])

    @needs_root
    def test_another_user_who_may_write_has_no_more_privileges(self) -> None:
        for options in (("--mode", "0666"), ("--owner", str(OTHERS)), ("--group", str(OTHERS), "--mode", "0660")):
            with self.subTest(options):
                self.lay_out(*options)
                answers = self.ask(self.two_of_eight(BY_NVIDIA), OTHERS)
                self.check_two(answers)
                self.assertEqual([answers.codes[name] for name in ("limit", "events", "context", "memory")], [4, 10, 0, 0])


if __name__ == "__main__":
    unittest.main()
