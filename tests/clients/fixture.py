"""The fixture of the client tests: a folder and an environment of the test's own, the `nvmlkit` command in it, a machine that is
up, and programs that see this machine."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from clients import COMMAND, available_smi

# What would choose a machine or a driver library other than the test's.
FOREIGN = ("NVMLKIT_", "MOCK_NVML_", "LD_LIBRARY_PATH")


class ClientTest(unittest.TestCase):
    folder: Path
    state: Path  # the state file of the machine that is up
    environment: dict[str, str]

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.state = self.folder / "machine"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        self.environment = {**clean, "LC_ALL": "C.UTF-8", "XDG_RUNTIME_DIR": folder.name}

    def run_in(self, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end in the test's environment and the variables of `more`."""
        return subprocess.run(
            command,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def nvmlkit(self, *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        return self.run_in(COMMAND, *arguments, **more)

    def good(self, *arguments: str | Path, **more: str) -> str:
        """What the command prints that succeeds."""
        result = self.nvmlkit(*arguments, **more)
        self.assertEqual(result.returncode, 0, f"{arguments}: {result.stdout}{result.stderr}")
        return result.stdout

    def refused(self, *arguments: str | Path, **more: str) -> str:
        """The one line in which the command refuses."""
        result = self.nvmlkit(*arguments, **more)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        return result.stderr

    def up(self, machine: str | Path = "h100", gpus: int | None = 2) -> None:
        """Brings a machine up, built-in or of a file; what runs afterwards in the test's environment sees it."""
        count = () if gpus is None else ("-n", str(gpus))
        line = self.good("up", "-m", machine, *count, "--state", self.state)
        self.environment.update(re.findall(r"(\w+)='([^']*)'", line))

    def smi(self, program: Path, *arguments: str, code: int | None = None) -> str:
        """What nvidia-smi prints on both outputs; it must end with `code` where that is given."""
        result = self.run_in(program, *arguments)
        text = result.stdout + result.stderr
        if code is not None:
            self.assertEqual(result.returncode, code, f"{arguments}: {text}")
        return text

    def query(self, program: Path, fields: str, of: str = "gpu") -> list[str]:
        """The lines of nvidia-smi's CSV, without header and units."""
        return self.smi(program, f"--query-{of}={fields}", "--format=csv,noheader,nounits", code=0).splitlines()

    def on_every_branch(self, machine: str | Path = "h100", gpus: int | None = 2) -> Iterator[Path]:
        """The nvidia-smi of each driver branch, on a new machine each."""
        for branch, program in available_smi().items():
            with self.subTest(branch=branch, machine=machine):
                self.up(machine, gpus)
                yield program
