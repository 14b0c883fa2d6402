"""What the tests with real programs share: where the programs and our library are, how to run one on a machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path

SKIP = 77  # ctest's SKIP_RETURN_CODE for these tests
SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NVMLKIT_BUILD_DIR", SOURCE / "build" / "release")).resolve()
LIBRARY_DIR = BUILD / "lib"
COMMAND = BUILD / "bin" / "nvmlkit"
PROCESSORS = {62: "x86_64", 183: "aarch64"}  # by the number in an ELF file
# The one that Debian's modules belong to.
SYSTEM_PYTHON = os.environ.get("NVMLKIT_TEST_PYTHON", "/usr/bin/python3")
BRANCHES = {"535": "bookworm", "550": "trixie", "555": "experimental"}


UNDER_QEMU = "QEMU_LD_PREFIX" in os.environ
# Seconds until a program counts as one that does not end: more under an emulator.
PATIENCE = 120 if UNDER_QEMU else 20
# The reasons: tests/emulator.hpp.
needs_start_times = unittest.skipIf(UNDER_QEMU, "qemu-user makes up the start time of a process")
needs_robust_locks = unittest.skipIf(UNDER_QEMU, "qemu-user has no robust locks")


def processor() -> str:
    """The processor that was built for: another one than this machine's after scripts/cross."""
    try:
        with COMMAND.open("rb") as file:
            header = file.read(20)
    except OSError:
        return os.uname().machine
    return PROCESSORS.get(int.from_bytes(header[18:20], "little"), os.uname().machine)


PROCESSOR = processor()
TRIPLE = f"{PROCESSOR}-linux-gnu"


def tell(line: str) -> None:
    """What a test saw, in one line: scripts/test prints these lines of all tests."""
    print(line, flush=True)
    if report := os.environ.get("NVMLKIT_TEST_REPORT"):
        with open(report, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def skip(reason: str) -> None:
    tell(f"skipped {Path(sys.argv[0]).stem}: {reason}")
    sys.exit(SKIP)


def unpacked(suite: str, path: str) -> Path:
    """A file or folder of the programs that scripts/setup unpacked; without it the test is skipped."""
    found = SOURCE / "build" / "third-party" / "clients" / suite / path
    if not found.exists():
        skip(f"no {path} in build/third-party/clients/{suite} (scripts/setup unpacks it)")
    return found


def third_party(branch: str, variable: str, pattern: str) -> Path | None:
    """A real file of a driver branch: from the environment, else from what scripts/setup unpacked."""
    named = os.environ.get(f"NVMLKIT_TEST_{variable}_{branch}")
    if named:
        return Path(named)
    found = sorted((SOURCE / "build" / "third-party" / BRANCHES[branch]).glob(pattern))
    return found[0] if found else None


def nvidia_smi(branch: str) -> Path | None:
    # Only beside the library of the same branch: a suite may have moved on.
    return third_party(branch, "SMI", "usr/lib/nvidia/current/nvidia-smi") if real_library(branch) else None


def real_library(branch: str) -> Path | None:
    return third_party(branch, "LIB", f"usr/lib/*/nvidia/current/libnvidia-ml.so.{branch}.*")


def available_smi() -> dict[str, Path]:
    """The real nvidia-smi of each branch; ends the test as skipped when there is none."""
    found = {branch: path for branch in BRANCHES if (path := nvidia_smi(branch))}
    for branch in BRANCHES.keys() - found.keys():
        print(f"nvidia-smi {branch} is missing (scripts/setup unpacks it)")
    if not found:
        skip("no nvidia-smi here")
    return found


def machines() -> list[dict]:
    """The built-in machines, as `nvmlkit machines --json` tells them."""
    return json.loads(subprocess.run([COMMAND, "machines", "--json"], check=True, capture_output=True, text=True).stdout)


def distinct_machines() -> list[dict]:
    """One machine for each GPU: those of the same GPUs in another server differ in their topology only."""
    by_gpu: dict[str, dict] = {}
    for machine in sorted(machines(), key=lambda machine: len(machine["name"])):
        by_gpu.setdefault(machine["gpu"], machine)
    return sorted(by_gpu.values(), key=lambda machine: machine["name"])


def environment(machine: str) -> dict[str, str]:
    """The environment in which a program finds our library and a machine."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_"))}
    return {**clean, "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": str(LIBRARY_DIR), "NVMLKIT_MACHINE": machine}


@dataclass(frozen=True)
class Result:
    code: int  # negative = killed by that signal, as in subprocess
    text: str  # what it wrote on both outputs
    hung: bool = False

    @property
    def crashed(self) -> bool:
        return self.code < 0 or self.code in (128 + signal.SIGSEGV, 128 + signal.SIGABRT)


def run(command: list[str | Path], machine: str, timeout: float = 120, interrupt_after: float | None = None) -> Result:
    """Runs a program to its end. With interrupt_after it is one that runs until Ctrl+C, and gets one."""
    process = subprocess.Popen(
        command, env=environment(machine), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = process.communicate(timeout=interrupt_after or timeout)
    except subprocess.TimeoutExpired:
        if interrupt_after is None:
            process.kill()
            output, _ = process.communicate()
            return Result(process.returncode, output.decode(errors="replace"), hung=True)
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            return Result(process.returncode, output.decode(errors="replace"), hung=True)
        code = 0 if process.returncode in (-signal.SIGINT, 128 + signal.SIGINT) else process.returncode
        return Result(code, output.decode(errors="replace"))
    return Result(process.returncode, output.decode(errors="replace"))
