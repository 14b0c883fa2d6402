#!/usr/bin/env python3
"""The counters of dcgm-exporter, read as DCGM 4.6 reads them: the same NVML functions, fields and versions of structs. Each value is the
one that `nvmlkit serve` exports under the counter's name."""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from clients import LIBRARY_DIR, SOURCE
from fixture import ClientTest

sys.path.insert(0, str(SOURCE / "tests" / "serve"))
from serving import Served  # noqa: E402  (of another folder)

NO_GPUS, NO_ATTACH = 1, 2
TIMEOUT, NOT_SUPPORTED = 10, 3
XID, MIG_CHANGE = 8, 256
EVERY_LINK = 2**32 - 1
UINT, ULONG, ULONGLONG, LONGLONG, DOUBLE = 1, 2, 3, 4, 0  # types of a field's value


def version_of(struct: type[ctypes.Structure], number: int) -> int:
    return ctypes.sizeof(struct) | number << 24


class Value(ctypes.Union):
    _fields_ = [("d", ctypes.c_double), ("i", ctypes.c_int), ("u", ctypes.c_uint), ("l", ctypes.c_ulong), ("q", ctypes.c_ulonglong)]


class Field(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("time", ctypes.c_longlong), ("latency", ctypes.c_longlong),
                ("type", ctypes.c_uint), ("result", ctypes.c_uint), ("value", Value)]  # fmt: skip


class Memory(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint), ("total", ctypes.c_ulonglong), ("reserved", ctypes.c_ulonglong),
                ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]  # fmt: skip


class Event(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong),
                ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]  # fmt: skip


class Metric(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("result", ctypes.c_uint), ("value", ctypes.c_double), ("names", ctypes.c_char_p * 3)]


class Metrics(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint), ("count", ctypes.c_uint), ("earlier", ctypes.c_void_p), ("later", ctypes.c_void_p),
                ("metrics", Metric * 333)]  # fmt: skip


class Support(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint), ("supported", ctypes.c_uint)]


class Nvml:
    def __init__(self, path: Path) -> None:
        self.library = ctypes.CDLL(str(path))

    def __call__(self, name: str, *arguments: object, result: int = 0) -> None:
        got = getattr(self.library, f"nvml{name}")(*arguments)
        assert got == result, f"{name}: {got}"

    def numbers(self, name: str, *arguments: object, count: int = 1) -> tuple[int, ...]:
        values = [ctypes.c_uint() for _ in range(count)]
        self(name, *arguments, *(ctypes.byref(value) for value in values))
        return tuple(value.value for value in values)

    def text(self, name: str) -> str:
        text = ctypes.create_string_buffer(96)
        self(name, text, 96)
        return text.value.decode()


class Counters(ClientTest):
    def open(self, machine: str, driver: str) -> None:
        """The steps of the host engine at its start."""
        self.good("up", "-m", machine, "-n", "2", "--driver", driver, "--state", self.state, NVMLKIT_TIME="virtual")
        os.environ["NVMLKIT_STATE"] = str(self.state)
        self.addCleanup(os.environ.pop, "NVMLKIT_STATE", None)
        self.nvml = Nvml(LIBRARY_DIR / "impersonate" / driver / "libnvidia-ml.so.1")
        self.nvml("InitWithFlags", NO_GPUS | NO_ATTACH)
        self.assertRegex(self.nvml.text("SystemGetDriverVersion"), rf"^{driver}\.")
        self.nvml("Shutdown")
        self.nvml("InitWithFlags", NO_GPUS)
        self.addCleanup(self.nvml, "Shutdown")
        self.nvml("Init_v2")
        self.addCleanup(self.nvml, "Shutdown")
        (count,) = self.nvml.numbers("DeviceGetCount_v2")
        self.gpus = [ctypes.c_void_p() for _ in range(count)]
        for index, gpu in enumerate(self.gpus):
            self.nvml("DeviceGetHandleByIndex_v2", index, ctypes.byref(gpu))

    def field(self, gpu: ctypes.c_void_p, number: int, scope: int = 0) -> float:
        field = Field(id=number, scope=scope)
        self.nvml("DeviceGetFieldValues", gpu, 1, ctypes.byref(field))
        assert field.result == 0, (number, field.result)
        return {DOUBLE: field.value.d, UINT: field.value.u, ULONG: field.value.l, ULONGLONG: field.value.q, LONGLONG: field.value.q}.get(
            field.type, field.value.i)  # fmt: skip

    def memory(self, gpu: ctypes.c_void_p) -> Memory:
        memory = Memory(version=version_of(Memory, 2))
        self.nvml("DeviceGetMemoryInfo_v2", gpu, ctypes.byref(memory))
        return memory

    def counters(self) -> dict[str, Callable[[ctypes.c_void_p], float]]:
        numbers, field = self.nvml.numbers, self.field
        return {
            "DCGM_FI_DEV_SM_CLOCK": lambda gpu: numbers("DeviceGetClockInfo", gpu, 1)[0],
            "DCGM_FI_DEV_MEM_CLOCK": lambda gpu: numbers("DeviceGetClockInfo", gpu, 2)[0],
            "DCGM_FI_DEV_MEMORY_TEMP": lambda gpu: field(gpu, 82),
            "DCGM_FI_DEV_GPU_TEMP": lambda gpu: numbers("DeviceGetTemperature", gpu, 0)[0],
            "DCGM_FI_DEV_POWER_USAGE": lambda gpu: numbers("DeviceGetPowerUsage", gpu)[0] / 1000,
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda gpu: field(gpu, 83),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": lambda gpu: numbers("DeviceGetPcieReplayCounter", gpu)[0],
            "DCGM_FI_DEV_GPU_UTIL": lambda gpu: numbers("DeviceGetUtilizationRates", gpu, count=1)[0],
            "DCGM_FI_DEV_ENC_UTIL": lambda gpu: numbers("DeviceGetEncoderUtilization", gpu, count=2)[0],
            "DCGM_FI_DEV_DEC_UTIL": lambda gpu: numbers("DeviceGetDecoderUtilization", gpu, count=2)[0],
            "DCGM_FI_DEV_FB_FREE": lambda gpu: self.memory(gpu).free >> 20,
            "DCGM_FI_DEV_FB_USED": lambda gpu: self.memory(gpu).used >> 20,
            "DCGM_FI_DEV_FB_RESERVED": lambda gpu: self.memory(gpu).reserved >> 20,
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda gpu: field(gpu, 3),
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda gpu: field(gpu, 4),
            "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": lambda gpu: field(gpu, 5),
            "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": lambda gpu: field(gpu, 6),
            "DCGM_FI_DEV_POWER_VIOLATION": lambda gpu: field(gpu, 74),
            "DCGM_FI_DEV_THERMAL_VIOLATION": lambda gpu: field(gpu, 75),
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda gpu: field(gpu, 142),
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda gpu: field(gpu, 143),
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda gpu: field(gpu, 145),
        }

    def exported(self) -> dict[tuple[str, int], float]:
        served = Served(self, "--state", self.state, "--metrics-names", "dcgm", "--open-metrics")
        text = served.ask("GET", "/metrics").body.decode()
        found = re.findall(r'^(DCGM_\w+)\{gpu="(\d+)",[^}]*\} (\S+)$', text, re.M)
        return {(name, int(gpu)): float(value) for name, gpu, value in found}

    def steer(self, *lines: str) -> None:
        for line in lines:
            self.good(*line.split(), "--state", self.state)

    def test_each_counter_has_the_exported_value(self) -> None:
        self.open("h100", "580")
        self.steer("load gpu=0 80%", "time advance 2m", "fault gpu=0 ecc dram corrected --count 3", "fault gpu=1 ecc dram uncorrected",
                   "fault gpu=1 thermal", "time advance 1m")  # fmt: skip
        exported = self.exported()
        read = {(name, index): value(gpu) for name, value in self.counters().items() for index, gpu in enumerate(self.gpus)}
        self.assertEqual({key: (value, exported.get(key)) for key, value in read.items() if exported.get(key) != value}, {})
        for name in ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"):
            self.assertGreater(read[name, 0], 0, name)
        for name in ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"):
            self.assertGreater(read[name, 1], 0, name)

    def test_the_last_xid_is_an_event(self) -> None:
        self.open("h100", "580")
        events = ctypes.c_void_p()
        self.nvml("EventSetCreate", ctypes.byref(events))
        self.addCleanup(self.nvml, "EventSetFree", events)
        for gpu in self.gpus:
            self.nvml("DeviceRegisterEvents", gpu, ctypes.c_ulonglong(XID), events)
            self.nvml("DeviceRegisterEvents", gpu, ctypes.c_ulonglong(MIG_CHANGE), events)
        event = Event()
        self.nvml("EventSetWait_v2", events, ctypes.byref(event), 10, result=TIMEOUT)
        self.steer("fault gpu=1 xid 48")
        raised = []
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.nvml.library.nvmlEventSetWait_v2(events, ctypes.byref(event), 500) == 0:
            self.assertEqual((event.type, event.device), (XID, self.gpus[1].value))
            raised.append(event.data)
        self.assertEqual(raised[0], 48)
        self.assertEqual(self.exported()["DCGM_FI_DEV_XID_ERRORS", 1], raised[-1])

    def test_profiling_counters_by_gpm(self) -> None:
        """DCGM reads them by itself from Hopper on; before, its module for profiling is NVIDIA's alone."""
        self.open("h100", "580")
        gpu = self.gpus[0]
        support = Support(version=1)
        self.nvml("GpmQueryDeviceSupport", gpu, ctypes.byref(support))
        self.assertTrue(support.supported)
        self.steer("load gpu=0 80%", "time advance 1m")
        samples = [ctypes.c_void_p(), ctypes.c_void_p()]
        for sample in samples:
            self.nvml("GpmSampleAlloc", ctypes.byref(sample))
            self.addCleanup(self.nvml, "GpmSampleFree", sample)
            self.nvml("GpmSampleGet", gpu, sample)
            self.steer("time advance 1s")
        values = {}
        for name, number in (("GR_ENGINE_ACTIVE", 1), ("PIPE_TENSOR_ACTIVE", 5), ("DRAM_ACTIVE", 10), ("PCIE_TX", 20), ("PCIE_RX", 21)):
            get = Metrics(version=1, count=1, earlier=samples[0], later=samples[1])
            get.metrics[0].id = number
            self.nvml("GpmMetricsGet", ctypes.byref(get))
            self.assertEqual(get.metrics[0].result, 0, name)
            self.assertFalse(math.isnan(get.metrics[0].value), name)
            values[name] = get.metrics[0].value
        self.assertAlmostEqual(values["GR_ENGINE_ACTIVE"], 80, delta=5)

    def test_other_counters_are_answered(self) -> None:
        """Traffic of all links together, the licence of vGPU, the driver's version."""
        self.open("h100", "580")
        for gpu in self.gpus:
            for number in (138, 139):
                self.assertGreaterEqual(self.field(gpu, number, EVERY_LINK), 0)
            self.nvml("DeviceGetGridLicensableFeatures", gpu, ctypes.create_string_buffer(65536))

    def test_system_events_of_the_host_engine(self) -> None:
        """From 580 on, it waits for GPUs that come and go."""
        for driver, there in (("570", False), ("580", True), ("610", True)):
            with self.subTest(driver):
                library = ctypes.CDLL(str(LIBRARY_DIR / "impersonate" / driver / "libnvidia-ml.so.1"))
                self.assertEqual(hasattr(library, "nvmlSystemEventSetCreate"), there)


if __name__ == "__main__":
    unittest.main()
