#!/usr/bin/env python3
"""Debian's python3-pynvml and gpustat on every built-in machine.

Every nvmlDeviceGet* and nvmlSystemGet* function of pynvml is called on a GPU in a process of its own: a value or an
NVML error is an answer, a crash is not."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from clients import COMMAND, environment, machines, run, skip

PYTHON = "/usr/bin/python3"  # the one that Debian's modules belong to

COUNT = "import pynvml; pynvml.nvmlInit(); print(pynvml.nvmlDeviceGetCount())"

# Prints "name answer" per function. Functions that take more than a handle get small integers.
CALL_EVERYTHING = """
import inspect, pynvml
pynvml.nvmlInit()
handle = pynvml.nvmlDeviceGetHandleByIndex(0)
for name in sorted(dir(pynvml)):
    if not name.startswith(('nvmlDeviceGet', 'nvmlSystemGet')):
        continue
    function = getattr(pynvml, name)
    if not inspect.isfunction(function):
        continue
    required = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    arguments = [handle if p.name in ('handle', 'device', 'handle1', 'handle2', 'device1', 'device2') else 0 for p in required]
    if name.endswith(('ByUUID', 'BySerial', 'ByPciBusId')):
        arguments = [b'nothing']
    print(name, end=' ', flush=True)
    try:
        print(type(function(*arguments)).__name__, flush=True)
    except pynvml.NVMLError as error:
        print(f'error-{error.value}', flush=True)
    except (TypeError, AttributeError, KeyError, ValueError, IndexError) as error:
        print(f'python-{type(error).__name__}', flush=True)  # pynvml's own, before or after the call
pynvml.nvmlShutdown()
"""


def main() -> int:
    if subprocess.run([PYTHON, "-c", "import pynvml"], capture_output=True).returncode:
        skip("python3-pynvml is missing")
    failures = 0

    def check(condition: bool, message: str) -> None:
        nonlocal failures
        if not condition:
            failures += 1
            print(f"FAIL {message}")

    plain = subprocess.run([COMMAND, "run", "-m", "h100", "--", PYTHON, "-c", COUNT], capture_output=True, text=True)
    check(plain.stdout == "8\n", f"nvmlkit run -m h100 -- python3 ...: {plain.stdout!r} {plain.stderr!r}")

    known = machines()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda machine: run([PYTHON, "-c", CALL_EVERYTHING], machine["name"], 60), known))
    for machine, result in zip(known, results):
        lines = result.text.splitlines()
        answers = [line.split()[1] for line in lines if len(line.split()) == 2]
        values = sum(not answer.startswith(("error-", "python-")) for answer in answers)
        unknown = [line for line in lines if line.endswith(("error-999", "error-13"))]
        check(result.code == 0 and not result.hung, f"{machine['name']}: ended with {result.code} at {lines[-1:]}")
        check(values > 60, f"{machine['name']}: only {values} of {len(answers)} functions give a value")
        check(not unknown, f"{machine['name']}: {unknown}")
        print(f"pynvml on {machine['name']}: {len(answers)} functions called, {values} values")

    if subprocess.run([PYTHON, "-c", "import gpustat"], capture_output=True, env=environment("h100")).returncode:
        print("gpustat is missing, not checked")
    else:
        for machine in known:
            # With gpustat's own command line, by Debian's Python.
            result = run([PYTHON, "-m", "gpustat", "--no-color"], machine["name"])
            rows = [line for line in result.text.splitlines() if line.startswith("[")]
            check(result.code == 0 and len(rows) == machine["count"], f"gpustat on {machine['name']}: {result.text[-300:]}")
        print(f"gpustat: {len(known)} machines")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
