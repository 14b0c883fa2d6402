#!/usr/bin/env python3
"""A GPU that uses the memory of the host: what nvidia-smi prints of it, what CUDA reports, and the memory of its processes."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from clients import SYSTEM_PYTHON, available_smi, needs_start_times
from fixture import ClientTest

# Of nvidia-smi 580.00 under JetPack 7.0 and 7.1, as users published them.
ROWS = [
    "|   0  NVIDIA Thor                    Off |   00000000:01:00.0 Off |                  N/A |",
    "| N/A   N/A  N/A             N/A  /  N/A  | Not Supported          |      0%      Default |",
    "|                                         |                        |             Disabled |",
]
# Of nvidia-smi 595.78 under JetPack 7.2.
WITH_SENSORS = "| N/A   35C  N/A               1W /  N/A  | Not Supported          |      0%      Default |"
# MULTIPROCESSOR_COUNT, INTEGRATED, MAX_THREADS_PER_MULTIPROCESSOR, CLOCK_RATE, MEMORY_CLOCK_RATE, L2_CACHE_SIZE,
# GLOBAL_MEMORY_BUS_WIDTH, ASYNC_ENGINE_COUNT: what deviceQuery printed on such a kit.
ATTRIBUTES = {16: 20, 18: 1, 39: 1536, 13: 1049000, 36: 0, 38: 33554432, 37: 0, 40: 1}
TOTAL = 131881680896
CUDA = f"""
import ctypes, json, subprocess, sys
cuda, value, total, context, address = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_size_t(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceTotalMem_v2(ctypes.byref(total), 0) == 0
found = {{}}
for number in {list(ATTRIBUTES)}:
    assert cuda.cuDeviceGetAttribute(ctypes.byref(value), number, 0) == 0
    found[number] = value.value
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0 and cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(1 << 30)) == 0
shown = subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout
print(json.dumps([total.value, found, shown]))
"""


def rows_of(table: str) -> list[str]:
    lines = table.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("|   0  "))
    return lines[first : first + 3]


class Thor(ClientTest):
    def test_the_published_table(self) -> None:
        self.assertEqual(rows_of(self.good("smi", "-m", "thor")), ROWS)

    def test_a_newer_driver_with_sensors(self) -> None:
        file = self.folder / "thor.yaml"
        file.write_text(
            'base: thor\nsystem: {driver_version: "595.78"}\n'
            "device_defaults: {thermal: {temperature_gpu_c: 35}, power: {current_draw_mw: 1000}}\n"
        )
        self.assertEqual(rows_of(self.good("smi", "-c", file))[1], WITH_SENSORS)

    def test_nvidia_smi_prints_the_same(self) -> None:
        smis = available_smi()
        if not smis:
            self.skipTest("no nvidia-smi here")
        self.up("thor", None)
        for branch, smi in smis.items():
            row = rows_of(self.smi(smi))[1]
            self.assertIn("| Not Supported ", row, branch)
            shown = self.query(smi, "memory.total,memory.used,temperature.gpu,power.draw,utilization.gpu,compute_cap")
            self.assertEqual(shown, ["[N/A], [N/A], [N/A], [N/A], 0, 11.0"], branch)

    @needs_start_times
    def test_cuda_and_the_memory_of_a_process(self) -> None:
        smi = next(iter(available_smi().values()), Path("true"))
        self.up("thor", None)
        done = self.run_in(SYSTEM_PYTHON, "-c", CUDA, smi, "--query-compute-apps=used_memory", "--format=csv,noheader,nounits")
        self.assertEqual(done.returncode, 0, done.stderr)
        total, found, shown = json.loads(done.stdout)
        self.assertEqual(total, TOTAL)
        self.assertEqual({int(number): value for number, value in found.items()}, ATTRIBUTES)
        if smi.name == "nvidia-smi":
            self.assertGreater(int(shown), 1024)

    def test_the_host_is_of_arm(self) -> None:
        root = self.folder / "root"
        self.good("root", root, "-m", "thor")
        self.assertIn("Open Kernel Module for aarch64  580.00 ", (root / "proc/driver/nvidia/version").read_text())


if __name__ == "__main__":
    unittest.main()
