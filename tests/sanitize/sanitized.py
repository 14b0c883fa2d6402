"""Programs under `nvmlkit sanitize`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

BINARIES = Path(os.environ["NVMLKIT_BUILD_DIR"]) / "bin"
COMMAND, TOOL = str(BINARIES / "nvmlkit"), str(BINARIES / "compute-sanitizer")
RUN_KERNEL = os.environ["NVMLKIT_TEST_RUN_KERNEL"]


def run(command: list[str]) -> tuple[int, str]:
    """The exit status, and what came on stdout and stderr."""
    variables = {**os.environ, "NVMLKIT_MACHINE": "h100"}
    done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.returncode, done.stdout


def sanitize(options: list[str], program: list[str]) -> tuple[int, str]:
    return run([COMMAND, "sanitize", *options, "--", *program])
