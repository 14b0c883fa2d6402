"""A host of the test's own: a mount namespace with a /dev without GPUs, an empty /run, and folders of /var/lib that vanish.

Container engines, kubelets and NVIDIA's generators use fixed paths. Nothing that a test does there reaches the real host.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from clients import skip

_INSIDE = "NVMLKIT_TEST_PRIVATE_HOST"
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "fuse")


def enter(libraries: str = "") -> None:
    """Starts the test again in the namespace, with folders of libraries for the loader; only root may. The test ends as skipped
    where there can be none."""
    if os.environ.pop(_INSIDE, None):
        _lay_out()
        return
    if os.geteuid() != 0:
        skip("only root has a mount namespace with devices")
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False).returncode:
        skip("no mount namespaces here")
    os.environ[_INSIDE] = "1"
    if libraries:
        os.environ["LD_LIBRARY_PATH"] = libraries
    os.execvp(unshare[0], [*unshare, sys.executable, *sys.argv])


def mount(*arguments: str | Path) -> None:
    result = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        skip(f"mount {' '.join(map(str, arguments))}: {result.stderr.strip()}")


@contextlib.contextmanager
def driver_files(root: Path) -> Iterator[None]:
    """The files of a root below /proc at their fixed paths, for a generator that reads them there.

    Not for longer: a hook of NVIDIA's mounts a changed `params` over that of the container if the host has one, and the /proc
    of a container shows none without the kernel module.
    """
    places = ("/proc/driver", "/proc/devices")
    for place in places:
        mount("--bind", root / place.lstrip("/"), place)
    try:
        yield
    finally:
        subprocess.run(["umount", *places], check=True)


def _lay_out() -> None:
    top = Path(tempfile.mkdtemp())
    mount("-t", "tmpfs", "tmpfs", top)
    dev, upper = top / "dev", top / "upper"
    for folder in (dev / "shm", dev / "pts", upper, top / "work"):
        folder.mkdir(parents=True)
    for name in _DEVICES:
        if (Path("/dev") / name).exists():
            (dev / name).touch()
            mount("--bind", f"/dev/{name}", dev / name)
    mount("--rbind", "/dev/pts", dev / "pts")
    for name, target in {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        (dev / name).symlink_to(target)
    mount("-t", "overlay", "overlay", "-o", f"lowerdir=/var/lib,upperdir={upper},workdir={top}/work", "/var/lib")
    mount("--rbind", dev, "/dev")
    mount("-t", "tmpfs", "tmpfs", "/run")
    for folder in ("/run/cdi", "/run/lock"):
        Path(folder).mkdir()
