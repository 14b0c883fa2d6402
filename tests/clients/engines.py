"""Container engines, as far as the tests need them: a program in a container with devices that CDI names, and no image.

Podman and crun come from scripts/setup. Containerd is used where there is one whose `ctr` knows CDI, which is 2.0 and later. Docker
has a file of its own, docker_engine.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterable
from pathlib import Path

from clients import SOURCE

Result = subprocess.CompletedProcess[str]
UNPACKED = SOURCE / "build/third-party/clients/engines"
UNPACKED_LIBRARIES = ":".join(map(str, (UNPACKED / "usr/lib").glob("*-linux-gnu")))
# crun refuses a host whose control groups have both versions. It makes none here.
ONE_KIND_OF_CGROUPS = """
if [ -d /sys/fs/cgroup/unified ]; then umount -R /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup; fi
exec "$@"
"""


class Unusable(Exception):
    """Why an engine cannot run here."""


def find_program(name: str, variable: str = "") -> Path | None:
    """The program that a variable names, that is in PATH, or that scripts/setup unpacked."""
    if named := variable and os.environ.get(variable):
        return Path(named)
    places = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin:{UNPACKED}/usr/bin:{UNPACKED}/usr/sbin"
    found = shutil.which(name, path=places)
    return Path(found) if found else None


def needed_program(name: str, variable: str = "") -> Path:
    if found := find_program(name, variable):
        return found
    raise Unusable(f"no {name} here" + (f" ({variable} can name one)" if variable else " (scripts/setup unpacks it)"))


def make_root(folder: Path, *programs: Path) -> Path:
    """The root of a container: folders, and what the programs need of this host to start, without the programs."""
    for name in ("dev", "etc", "proc", "run", "sys", "tmp", "usr/bin", "usr/lib", "var"):
        (folder / name).mkdir(parents=True)
    (folder / "var/run").symlink_to("/run")
    (folder / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\n")
    for program in programs:
        for needed in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", program], capture_output=True, text=True).stdout):
            place = folder / needed.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(needed, place)
    return folder


class Podman:
    name = "podman"
    keeps_roots = False  # leaves files where it mounts something

    def __init__(self, folder: Path) -> None:
        program, conmon, crun = (needed_program(name) for name in ("podman", "conmon", "crun"))
        self.folder = folder / self.name
        self.folder.mkdir()
        # Podman starts it without the variables of its own environment.
        runtime = self.folder / "crun"
        runtime.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={UNPACKED_LIBRARIES} exec {crun} "$@"\n')
        runtime.chmod(0o755)
        # Conmon has these variables alone. When its container ends, it starts podman, for which the other podman waits.
        of_conmon = [f"PATH={os.environ['PATH']}", f"LD_LIBRARY_PATH={UNPACKED_LIBRARIES}",
                     f"CONTAINERS_STORAGE_CONF={self.folder}/storage.conf"]  # fmt: skip
        (self.folder / "containers.conf").write_text(
            '[containers]\nnetns = "none"\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "crun"\n'
            f'conmon_path = ["{conmon}"]\nconmon_env_vars = {json.dumps(of_conmon)}\n[engine.runtimes]\ncrun = ["{runtime}"]\n'
        )
        (self.folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\ngraphroot = "{self.folder}/graph"\nrunroot = "{self.folder}/run"\n'
        )
        self.environment = {
            "PATH": os.environ["PATH"],
            "LD_LIBRARY_PATH": UNPACKED_LIBRARIES,
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
        }
        self.command = ["unshare", "--mount", "sh", "-c", ONE_KIND_OF_CGROUPS, "sh", program]

    def version(self) -> str:
        return self._podman("--version").stdout.strip()

    def run(self, root: Path, command: list[str], devices: list[str], user: int = 0, variables: Iterable[str] = ()) -> Result:
        # Without CAP_SYS_RESOURCE, podman's own limits are refused.
        limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
        given = [word for device in devices for word in ("--device", device)]
        who = ["--user", f"{user}:{user}"]
        known = [f"--env={variable}" for variable in variables]
        return self._podman("run", "--rm", "--cgroups=disabled", *limits, *given, *known, *who, "--rootfs", root, *command)

    def stop(self) -> None:
        pass  # no daemon

    def _podman(self, *arguments: str | Path) -> Result:
        return subprocess.run([*self.command, *arguments], env=self.environment, capture_output=True, text=True, timeout=120)


class Containerd:
    name = "containerd"
    keeps_roots = False

    def __init__(self, folder: Path) -> None:
        daemon = needed_program("containerd", "NVMLKIT_TEST_CONTAINERD")
        self.ctr = daemon.parent / "ctr"
        self.runtime = needed_program("runc")
        if int(re.search(r"\b(\d+)\.\d+", self.version())[1]) < 2:
            raise Unusable(f"{self.version()}: its ctr knows no CDI (NVMLKIT_TEST_CONTAINERD can name containerd 2)")
        self.folder = folder / self.name
        self.folder.mkdir()
        self.socket = Path("/run/nvmlkit-test-containerd")  # of the test's own /run: a short path
        config = self.folder / "config.toml"
        config.write_text(
            f'version = 2\nroot = "{self.folder}/root"\nstate = "{self.folder}/state"\n'
            'disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime"]\n'
            f'[grpc]\naddress = "{self.socket}"\n[ttrpc]\naddress = "{self.socket}.ttrpc"\n'
        )
        self.log = self.folder / "log"
        environment = {**os.environ, "PATH": f"{daemon.parent}:{os.environ['PATH']}"}
        with self.log.open("w") as log:
            self.daemon = subprocess.Popen([daemon, "-c", config], env=environment, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while self._ctr("version").returncode:
            if self.daemon.poll() is not None or time.monotonic() > end:
                self.stop()
                raise Unusable(f"containerd does not start: {self.log.read_text()[-500:]}")
            time.sleep(0.1)

    def version(self) -> str:
        return subprocess.run([self.ctr, "--version"], capture_output=True, text=True).stdout.strip()

    def run(self, root: Path, command: list[str], devices: list[str], user: int = 0, variables: Iterable[str] = ()) -> Result:
        known = [f"--env={variable}" for variable in variables]
        given = [word for device in devices for word in ("--device", device)]
        name = f"nvmlkit-{uuid.uuid4()}"
        return self._ctr("run", "--rm", *given, *known, "--runc-binary", self.runtime, "--cgroup", f"/{name}", "--user", f"{user}:{user}",
                         "--rootfs", root, name, *command)  # fmt: skip

    def stop(self) -> None:
        self.daemon.terminate()
        self.daemon.wait(30)

    def _ctr(self, *arguments: str | Path) -> Result:
        return subprocess.run([self.ctr, "--address", self.socket, *arguments], capture_output=True, text=True, timeout=120)

