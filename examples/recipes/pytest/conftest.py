"""Fixtures: a simulated machine of its own for each test, so that tests may run side by side (`pytest -n auto`)."""

import subprocess

import pytest


class Machine:
    """Up until the test ends: a machine is a file, and no process stays behind."""

    def __init__(self, folder, *options):
        self.state = folder / "machine"
        self.nvmlkit("up", *options)

    def nvmlkit(self, *words):
        """steer it: machine.nvmlkit("fault", "gpu=1", "xid", "79")"""
        command = ["nvmlkit", *words, "--state", self.state]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def start(self, *program):
        """A program that sees the machine's GPUs."""
        return subprocess.Popen(["nvmlkit", "run", "--state", self.state, "--", *program], stdout=subprocess.PIPE, text=True)

    def run(self, *program):
        with self.start(*program) as process:
            out = process.communicate(timeout=60)[0]
        assert process.returncode == 0
        return out


@pytest.fixture
def make_machine(tmp_path):
    machines = []

    def make(*options):
        machines.append(Machine(tmp_path, *options))
        return machines[-1]

    yield make
    for machine in machines:
        machine.nvmlkit("down")


@pytest.fixture
def machine(make_machine):
    return make_machine("-m", "h100", "-n", "4")
