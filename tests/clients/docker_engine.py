"""Docker, as far as the tests need it: a daemon in a network namespace of its own, which changes nothing of the host's network.

scripts/setup unpacks Docker 26 of Debian 13. It runs on Debian 12 with that system's runc.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from clients import SOURCE
from engines import Result, Unusable, find_program, needed_program

UNPACKED = SOURCE / "build/third-party/clients/docker"
FIRST_WITH_CDI = 25


class Docker:
    name = "docker"
    # A container writes to a layer of its own, not to the root that it was made from.
    keeps_roots = True

    def __init__(self, folder: Path, images_in_containerd: bool = False) -> None:
        daemon = find_program("dockerd", "NVMLKIT_TEST_DOCKERD") or UNPACKED / "usr/sbin/dockerd"
        if not daemon.exists():
            raise Unusable("no dockerd here (scripts/setup unpacks it; NVMLKIT_TEST_DOCKERD can name one)")
        self.daemon_version = subprocess.run([daemon, "--version"], capture_output=True, text=True).stdout.strip()
        version = re.search(r"\b(\d+)\.\d+", self.daemon_version)
        if not version or int(version[1]) < FIRST_WITH_CDI:
            raise Unusable(f"{self.daemon_version or daemon}: knows no CDI; NVMLKIT_TEST_DOCKERD can name Docker {FIRST_WITH_CDI}")
        self.folder = folder / self.name
        self.folder.mkdir()
        self.socket = Path("/run/nvmlkit-test-docker.sock")  # of the test's own /run: a short path
        (self.folder / "runc").symlink_to(needed_program("runc"))
        # Its own client and containerd, where it was unpacked with them.
        beside = daemon.parent.parent / "bin"
        self.environment = {"PATH": f"{self.folder}:{beside}:{os.environ['PATH']}", "DOCKER_HOST": f"unix://{self.socket}",
                            "DOCKER_CONFIG": str(self.folder / "client"), "HOME": str(self.folder)}  # fmt: skip
        settings = {"features": {"cdi": True, "containerd-snapshotter": images_in_containerd}, "cdi-spec-dirs": ["/run/cdi"],
                    "hosts": [f"unix://{self.socket}"], "data-root": str(self.folder / "data"), "exec-root": "/run/nvmlkit-test-docker",
                    "storage-driver": "native" if images_in_containerd else "vfs",
                    "pidfile": str(self.folder / "pid"), "bridge": "none", "iptables": False, "userland-proxy": False,
                    "ip-forward": False, "exec-opts": ["native.cgroupdriver=cgroupfs"]}  # fmt: skip
        (self.folder / "daemon.json").write_text(json.dumps(settings))
        self.images: dict[Path, str] = {}
        self.log = self.folder / "log"
        command = ["unshare", "--net", daemon, "--config-file", self.folder / "daemon.json"]
        with self.log.open("w") as log:
            self.daemon = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while self.docker("version").returncode:
            if self.daemon.poll() is not None or time.monotonic() > end:
                self.stop()
                raise Unusable(f"{self.daemon_version} does not start: {self.log.read_text()[-500:]}")
            time.sleep(0.1)

    def version(self) -> str:
        return self.daemon_version

    def run(self, root: Path, command: list[str], devices: list[str], user: int = 0, variables: Iterable[str] = ()) -> Result:
        if root not in self.images:
            self.images[root] = f"nvmlkit.test/root:{len(self.images)}"
            self._import(root, self.images[root])
        return self.run_image(self.images[root], command, devices, user, variables)

    def run_image(
        self, image: str, command: list[str], devices: list[str], user: int | None = None, variables: Iterable[str] = ()
    ) -> Result:
        known = [f"--env={variable}" for variable in variables]
        given = [word for device in devices for word in ("--device", device)]
        who = [] if user is None else ["--user", f"{user}:{user}"]
        return self.docker("run", "--rm", "--network=none", *given, *known, *who, image, *command)

    def docker(self, *arguments: str | Path) -> Result:
        return subprocess.run(["docker", *arguments], env=self.environment, capture_output=True, text=True, timeout=120)

    def stop(self) -> None:
        self.daemon.terminate()
        self.daemon.wait(60)

    def _import(self, root: Path, image: str) -> None:
        archive = self.folder / "root.tar"
        subprocess.run(["tar", "--create", "--file", archive, "--directory", root, "."], check=True)
        result = self.docker("import", archive, image)
        archive.unlink()
        if result.returncode:
            raise RuntimeError(f"docker import: {result.stderr}")
