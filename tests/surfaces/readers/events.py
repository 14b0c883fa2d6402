"""Events: a program that registered every event of every GPU, and of the system, before a change."""

from __future__ import annotations

import ctypes
import re
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

from . import fields
from .nvml import Nvml, facts, result_name


class EventData(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong),
                ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]  # fmt: skip


@cache
def type_names() -> dict[int, str]:
    known = {name: about["v"] for name, about in facts("constants").items() if re.match(r"nvmlEventType|nvmlEventMig", name)}
    return {bit: re.sub("nvmlEvent(Type)?", "", name) for name, bit in known.items() if bit and bit & (bit - 1) == 0}


def describe(event: EventData, places: dict[int | None, int]) -> str:
    name = type_names().get(event.type, str(event.type))
    gpu = f"gpu{places.get(event.device, '?')}"
    if name == "XidCriticalError":
        return f"{gpu} Xid {event.data}"
    return f"{gpu} {name}" + (f" {event.data}" if name == "GpuRecoveryAction" else "")


class Waiter:
    """In the process that waits."""

    def __init__(self, library: Path, uuids: list[str]) -> None:
        self.nvml = Nvml(library)
        self.set = ctypes.c_void_p()
        self.places: dict[int | None, int] = {}
        self.handles: dict[int, ctypes.c_void_p] = {}
        assert self.nvml.call("nvmlInit_v2") == 0
        assert self.nvml.call("nvmlEventSetCreate", ctypes.byref(self.set)) == 0
        for place, uuid in enumerate(uuids):
            result, handle = self.nvml.handle("nvmlDeviceGetHandleByUUID", uuid.encode())
            if result != 0:
                continue
            types = ctypes.c_ulonglong()
            assert self.nvml.call("nvmlDeviceGetSupportedEventTypes", handle, ctypes.byref(types)) == 0
            assert self.nvml.call("nvmlDeviceRegisterEvents", handle, types, self.set) == 0
            self.places[handle.value], self.handles[place] = place, handle

    def drain(self) -> list[str]:
        out = []
        for _ in range(500):
            event = EventData()
            result = self.nvml.call("nvmlEventSetWait_v2", self.set, ctypes.byref(event), 0)
            if result_name(result) == "TIMEOUT":
                return out
            out.append(describe(event, self.places) if result == 0 else f"wait fails: {result_name(result)}")
        return [*out, "the wait does not come to rest"]

    def values(self) -> dict[str, str]:
        """With the handles from before the change."""
        out = {}
        for place, handle in self.handles.items():
            uuid = self.nvml.text("nvmlDeviceGetUUID", handle)
            out[f"gpu{place} UUID"] = uuid
            out |= {f"gpu{place} {name}": value for name, value in self.nvml.gpu(handle).items()}
            out |= {f"gpu{place} field {name}": value for name, value in fields.of_gpu(self.nvml, handle).items()}
        return out


def serve(library: Path, uuids: list[str], here: Connection) -> None:
    waiter = Waiter(library, uuids)
    here.send("ready")
    while True:
        here.send({"events": waiter.drain, "values": waiter.values}[here.recv()]())
