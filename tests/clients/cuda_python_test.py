#!/usr/bin/env python3
"""The tests of cuda-python for NVML, and for `cuda.core.system`, on machines of several kinds.

NVMLKIT_TEST_CUDA_PYTHON is a folder as the repository is, whose extension modules are built in place: `cuda_bindings`,
`cuda_pathfinder` and, for the second part, `cuda_core`. PYTHONPATH leads to numpy where the system has none.
docs/clients.md tells why a test of FAILS fails."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clients import COMMAND, SYSTEM_PYTHON, environment, skip, tell

NAMED = os.environ.get("NVMLKIT_TEST_CUDA_PYTHON")
# Markers and options of the repository's own configuration; that one asks for a plugin that no test here uses.
CONFIGURATION = """[pytest]
addopts = -p no:cacheprovider
markers =
    agent_authored(model): x
    human_reviewed: x
    human_authored: x
    thread_unsafe(reason): x
    parallel_threads_limit(count): x
"""
WRITTEN = {
    "vgpu-host": "base: l40s\ndevice_defaults: {virtualization: {mode: host_vgpu}}\n",
    "vgpu-guest": "base: l40s\ndevice_defaults: {virtualization: {mode: vgpu}}\n",
    "mig": "base: h100\ndevice_defaults: {mig: {mode_current: enabled, instances: [{profile: 3g.40gb}, {profile: 1g.10gb}]}}\n",
}
MACHINES = ["h100", "dgx-h100", "b200", "gb200", "t4", "a100", "v100", "l4", "rtx4090", *WRITTEN]
# The newest driver, and the oldest one that has every function that the tests do not guard.
DRIVERS = ["610", "580"]
FAILS = {
    "mig": {"test_compute_mode_supported_nonroot", "test_cuda_device_order"},
    "rtx4090": {"test_fan"},
}
# It sets the affinity of its process to processors that the machine has, and this computer may not.
MAY_FAIL = {"test_device_cpu_affinity"}


@dataclass(frozen=True)
class Suite:
    package: str
    tests: str
    built: str

    def runs_in(self, folder: Path) -> bool:
        return any((folder / self.package).glob(self.built))


NVML = Suite("cuda_bindings", "tests/nvml", "cuda/bindings/nvml.*.so")
SYSTEM = Suite("cuda_core", "tests/system", "cuda/core/system/_device.*.so")


def outcomes(folder: Path, suite: Suite, machine: str, options: list[str], at: Path) -> tuple[Counter[str], set[str], str]:
    """How many tests passed, failed and were skipped, and the names of those that failed."""
    packages = [str(folder / name) for name in ("cuda_core", "cuda_bindings", "cuda_pathfinder")]
    found = ":".join([*packages, str(folder / suite.package / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])])
    report = at / "report.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(
        [COMMAND, "run", "-m", machine, *options, "--", SYSTEM_PYTHON, "-m", "pytest", "-q", "-c", at / "pytest.ini",
         f"--rootdir={folder / suite.package}", f"--junitxml={report}", folder / suite.package / suite.tests],
        env={**environment(machine), "PYTHONPATH": found, "PYTHONDONTWRITEBYTECODE": "1"}, cwd=at, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=300, check=False,
    )  # fmt: skip
    counts: Counter[str] = Counter()
    failed = set()
    cases = ElementTree.parse(report).iter("testcase") if report.exists() else []
    for case in cases:
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        counts["skipped" if kinds == {"skipped"} else "failed" if kinds else "passed"] += 1
        if kinds - {"skipped"}:
            failed.add(case.attrib["name"].split("[")[0])
    return counts, failed, done.stdout[-3000:] + done.stderr[-1000:]


def main() -> int:
    if not NAMED:
        skip("NVMLKIT_TEST_CUDA_PYTHON names no folder with cuda-python")
    folder = Path(NAMED).resolve()
    suites = [suite for suite in (NVML, SYSTEM) if suite.runs_in(folder)]
    if not suites:
        skip(f"no built extension module of cuda-python in {folder}")
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        at = Path(name)
        (at / "pytest.ini").write_text(CONFIGURATION, encoding="utf-8")
        for suite in suites:
            sums: Counter[str] = Counter()
            runs = [(machine, []) for machine in MACHINES] + [("h100", ["--driver", driver]) for driver in DRIVERS]
            for machine, options in runs:
                if text := WRITTEN.get(machine):
                    (at / f"{machine}.yaml").write_text(f'version: "1.0"\n{text}', encoding="utf-8")
                file = str(at / f"{machine}.yaml") if machine in WRITTEN else machine
                # Some tests wait for each GPU.
                few = [] if suite == NVML or machine in ("l4", "rtx4090") else ["-n", "2"]
                counts, failed, said = outcomes(folder, suite, file, [*options, *few], at)
                sums += counts
                unexpected = failed - FAILS.get(machine, set()) - MAY_FAIL
                if unexpected or counts["passed"] < 30:
                    failures += 1
                    print(f"FAIL {suite.tests} on {machine} {' '.join(options)}: {sorted(unexpected)} {dict(counts)}\n{said}")
            summary = f"{sums['passed']} passed, {sums['failed']} failed as expected, {sums['skipped']} skipped"
            tell(f"cuda-python, {suite.tests}: {len(runs)} machines, {summary}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
