#!/usr/bin/env python3
"""Archives of scripts/image in Docker, with both of its image stores: the one of its own reads manifest.json, that of containerd the
index.

usage: image_in_docker.py NAME ARCHIVE_OF_THIS_MACHINE ARCHIVE_OF_TWO_ARCHITECTURES
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "clients"))
import private_host  # noqa: E402
from clients import skip  # noqa: E402
from docker_engine import Docker  # noqa: E402
from engines import Unusable  # noqa: E402

GPU = "NVIDIA H100 80GB HBM3"


def check(docker: Docker, archive: str, names: set[str], to_run: str) -> None:
    loaded = docker.docker("load", "--input", archive)
    listed = docker.docker("images", "--format", "{{.Repository}}:{{.Tag}}").stdout.split()
    assert loaded.returncode == 0 and names <= set(listed), f"{loaded.stdout}{loaded.stderr}{listed}"
    result = docker.run_image(to_run, ["list", "-m", "h100", "-n", "2"], [])
    assert result.returncode == 0 and result.stdout.count(GPU) == 2, f"{to_run}: {result.stdout}{result.stderr}"
    for name in listed:
        docker.docker("rmi", name)


def main(name: str, one: str, both: str) -> None:
    own = f"{name}-{subprocess.run(['dpkg', '--print-architecture'], capture_output=True, text=True, check=True).stdout.strip()}"
    of_docker = ({name}, name), ({f"{name}-amd64", f"{name}-arm64"}, own)
    of_containerd = ({name}, name), ({name}, name)
    private_host.enter()
    with tempfile.TemporaryDirectory() as folder:
        for in_containerd, expected in ((False, of_docker), (True, of_containerd)):
            place = Path(folder) / ("containerd" if in_containerd else "docker")
            place.mkdir()
            try:
                docker = Docker(place, in_containerd)
            except Unusable as reason:
                skip(str(reason))
            try:
                for archive, (names, to_run) in zip((one, both), expected, strict=True):
                    check(docker, archive, names, to_run)
            finally:
                docker.stop()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
