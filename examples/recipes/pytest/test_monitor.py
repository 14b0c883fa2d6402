"""A monitor on simulated GPUs: `pytest`, with nvmlkit in PATH."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("pynvml")
HERE = Path(__file__).parent
MONITOR = (sys.executable, HERE / "monitor.py")


def test_a_healthy_machine(machine):
    assert machine.run(*MONITOR) == "all is well\n"


def test_a_hot_gpu(machine):
    machine.nvmlkit("set", "gpu=2", "thermal.gpu=91")
    assert machine.run(*MONITOR) == "GPU 2: 91 C\n"


def test_a_gpu_is_lost_while_the_monitor_runs(machine):
    monitor = machine.start(*MONITOR, "0.05")
    try:
        assert monitor.stdout.readline() == "all is well\n"
        machine.nvmlkit("fault", "gpu=1", "xid", "79")
        seen = [monitor.stdout.readline() for _ in range(3)]
        assert seen[-1] == "GPU 1: GPU is lost\n"
        machine.nvmlkit("heal", "gpu=1")
        seen = [monitor.stdout.readline() for _ in range(3)]
        assert seen[-1] == "all is well\n"
    finally:
        monitor.terminate()
        monitor.communicate()


def test_mig_devices(make_machine):
    machine = make_machine("-c", HERE / "mig.yaml")
    assert machine.run(*MONITOR) == "GPU 0: NVIDIA H100 80GB HBM3 MIG 3g.40gb; GPU 0: NVIDIA H100 80GB HBM3 MIG 1g.10gb\n"


@pytest.mark.parametrize("driver", ["535", "550", "580"])
def test_every_driver(make_machine, driver):
    machine = make_machine("-m", "t4", "-n", "1", "--driver", driver)
    assert machine.run(*MONITOR) == "all is well\n"


def test_an_incident(tmp_path):
    """A scenario with expectations, on a machine of its own whose time jumps: ten minutes take less than a second."""
    report = tmp_path / "incident.xml"
    subprocess.run(["nvmlkit", "scenario", "run", HERE.parent / "scenario" / "incident.yaml", "-m", "h100", "--junit", report], check=True)
    assert [case.get("name") for case in ElementTree.parse(report).iter("testcase")] == ["work", "heat", "lost", "back"]
