#!/usr/bin/env python3
"""Debian's python3-pynvml, and that of a newer suite: every function of the module, on every built-in machine.

A value or an NVML error is an answer; a crash, an unknown error and, on a driver that has the function, Function Not Found
are not. pynvml_calls.py does the calls."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clients import COMMAND, SOURCE, SYSTEM_PYTHON, environment, machines, skip, tell

NEWER = SOURCE / "build/third-party/clients/trixie/usr/lib/python3/dist-packages"
CALLS = Path(__file__).with_name("pynvml_calls.py")
COUNT = "import pynvml; pynvml.nvmlInit(); print(pynvml.nvmlDeviceGetCount())"
# So that what a built-in machine lacks is there too.
EQUIPPED = """version: "1.0"
base: l40s
device_defaults: {virtualization: {mode: host_vgpu}}
units: [{name: S1070, serial: "0325", fans: [{speed_rpm: 3000}], gpus: [0, 1]}]
devices: [{index: 0, vgpu: {instances: [{type: L40S-8Q}]}}]
"""
# No driver of the three branches exports them.
IN_NO_DRIVER = {"nvmlDeviceCcuGetStreamState", "nvmlDeviceCcuSetStreamState"}
# What pynvml says itself, whatever the driver.
STUMBLES = {"nvmlFriendlyObjectToStruct", "nvmlDeviceSetNvLinkUtilizationControl"}

failures = 0


def check(condition: object, message: str) -> None:
    global failures
    if not condition:
        failures += 1
        print(f"FAIL {message}")


def call_everything(modules: Path | None, machine: str) -> tuple[int, str, dict[str, str]]:
    found = {"PYTHONPATH": str(modules)} if modules else {}
    done = subprocess.run(
        [SYSTEM_PYTHON, CALLS], env={**environment(machine), **found, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stderr[-300:], dict(re.findall(r"^(\w+) (\S+)$", done.stdout, re.M))


def check_module(modules: Path | None, names: list[str]) -> None:
    listing = "import inspect, pynvml; print(*(n for n, f in vars(pynvml).items() if n.startswith('nvml') and inspect.isfunction(f)))"
    found = {"PYTHONPATH": str(modules)} if modules else {}
    functions = set(subprocess.check_output([SYSTEM_PYTHON, "-c", listing], env={**environment("h100"), **found}, text=True).split())
    answered: set[str] = set()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda name: call_everything(modules, name), names))
    for name, (code, errors, answers) in zip(names, results):
        check(code == 0, f"{name}: ended with {code} at {list(answers)[-1:]}: {errors}")
        check(answers.keys() == functions, f"{name}: not called: {sorted(functions - answers.keys())}")
        values = {function for function, answer in answers.items() if not answer.startswith(("error-", "python-"))}
        answered |= values
        check(len(values) > 100, f"{name}: only {len(values)} of {len(answers)} functions give a value")
        for function, answer in answers.items():
            check(answer != "error-999", f"{name}: {function}: Unknown Error")
            check(answer != "error-13" or function in IN_NO_DRIVER, f"{name}: {function}: Function Not Found")
            check(not answer.startswith("python-") or function in STUMBLES, f"{name}: {function}: {answer}")
    tell(
        f"pynvml {'of trixie' if modules else 'of this system'}: {len(names)} machines, {len(functions)} functions, all called, "
        f"{len(answered)} with a value on one of them"
    )


def main() -> int:
    if subprocess.run([SYSTEM_PYTHON, "-c", "import pynvml"], capture_output=True).returncode:
        skip("python3-pynvml is missing")
    plain = subprocess.run([COMMAND, "run", "-m", "h100", "--", SYSTEM_PYTHON, "-c", COUNT], capture_output=True, text=True)
    check(plain.stdout == "8\n", f"nvmlkit run -m h100 -- python3 ...: {plain.stdout!r} {plain.stderr!r}")
    with tempfile.TemporaryDirectory() as folder:
        equipped = Path(folder, "equipped.yaml")
        equipped.write_text(EQUIPPED)
        names = [machine["name"] for machine in machines()] + [str(equipped)]
        check_module(None, names)
        if NEWER.exists():
            check_module(NEWER, names)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
