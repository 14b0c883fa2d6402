#!/usr/bin/env python3
"""Debian's numba: kernels in Python go through libNVVM to PTX, which our libcuda links and runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from clients import COMMAND, SOURCE, environment, skip, tell, unpacked

PYTHON = "/usr/bin/python3"
KERNELS = Path(__file__).with_name("numba_kernels.py")


def toolkit(folder: Path, libraries: Path) -> None:
    """What numba looks for in CUDA_HOME: libNVVM, and libdevice of the same release."""
    libdevice = SOURCE / "build" / "third-party" / "cuda-11.8" / "nvvm" / "libdevice"
    if not libdevice.exists():
        skip("no libdevice of CUDA 11.8 (scripts/setup --with-cuda unpacks it)")
    (folder / "nvvm" / "lib64").mkdir(parents=True)
    (folder / "nvvm" / "libdevice").symlink_to(libdevice)
    (folder / "nvvm" / "lib64" / "libnvvm.so.4").symlink_to(libraries / "libnvvm.so.4")
    (folder / "lib64").mkdir()


def main() -> int:
    modules = unpacked("numba", "usr/lib/python3/dist-packages")
    libraries = unpacked("numba", "usr/lib/x86_64-linux-gnu")
    with tempfile.TemporaryDirectory() as folder:
        toolkit(Path(folder), libraries)
        env = environment("a100") | {"PYTHONPATH": str(modules), "CUDA_HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        env["LD_LIBRARY_PATH"] = ":".join(str(libraries / part) for part in ("", "blas", "lapack"))
        imported = subprocess.run([PYTHON, "-c", "import numba"], env=env, capture_output=True, text=True, check=False)
        if imported.returncode:
            skip(f"numba does not start: {imported.stderr.strip().splitlines()[-1]}")
        done = subprocess.run(
            [COMMAND, "run", "-m", "a100", "--", PYTHON, KERNELS], env=env, capture_output=True, text=True, timeout=100
        )
    tell(f"numba: {done.stdout.strip()}")
    if done.returncode or "kernels 6" not in done.stdout:
        print(done.stdout, done.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
