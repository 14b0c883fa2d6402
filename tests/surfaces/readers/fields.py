"""Field ids: the value of each, for each link where it belongs to one."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

from .nvml import Nvml, facts, result_name

LINKS = 18
ALL_LINKS = 0xFFFFFFFF  # as scope: of all links together


class FieldValue(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint), ("scope", ctypes.c_uint), ("timestamp", ctypes.c_longlong), ("latency", ctypes.c_longlong),
                ("type", ctypes.c_int), ("result", ctypes.c_int), ("value", ctypes.c_ulonglong)]  # fmt: skip


@cache
def field_names() -> dict[int, str]:
    """By number: the newest name without its common beginning."""
    out = {}
    for name, about in facts("constants").items():
        if name.startswith("NVML_FI_DEV_") and isinstance(about["v"], int):
            out[about["v"]] = name.removeprefix("NVML_FI_DEV_")
    return out


def is_of_link(name: str) -> bool:
    return name in ("NVLINK_GET_STATE", "NVLINK_ERROR_DL_REPLAY", "NVLINK_ERROR_DL_RECOVERY", "NVLINK_ERROR_DL_CRC")


def keys() -> list[tuple[int, int, str]]:
    out = []
    for number, name in sorted(field_names().items()):
        if is_of_link(name):
            out += [(number, link, f"{name} {link}") for link in range(LINKS)]
        else:
            out.append((number, ALL_LINKS if name.startswith("NVLINK_COUNT_") else 0, name))
    return out


def text(value: FieldValue) -> str:
    if value.result != 0:
        return result_name(value.result)
    if value.type == 0:
        return f"{ctypes.cast(ctypes.pointer(ctypes.c_ulonglong(value.value)), ctypes.POINTER(ctypes.c_double))[0]:g}"
    return str(value.value if value.type in (2, 3) else value.value & 0xFFFFFFFF)


def of_gpu(nvml: Nvml, gpu: ctypes.c_void_p) -> dict[str, str]:
    out = {}
    wanted = keys()
    for begin in range(0, len(wanted), 100):
        part = wanted[begin : begin + 100]
        values = (FieldValue * len(part))()
        for value, (number, scope, _) in zip(values, part):
            value.id, value.scope = number, scope
        result = nvml.call("nvmlDeviceGetFieldValues", gpu, len(part), values)
        for value, (_, _, name) in zip(values, part):
            out[name] = text(value) if result == 0 else result_name(result)
    return out


def read(library: Path, uuids: list[str]) -> dict[str, str]:
    nvml = Nvml(library)
    started = nvml.call("nvmlInit_v2")
    out = {"init": result_name(started)}
    if started != 0:
        return out
    for place, uuid in enumerate(uuids):
        result, handle = nvml.handle("nvmlDeviceGetHandleByUUID", uuid.encode())
        out[f"gpu{place} handle"] = result_name(result)
        if result == 0:
            out |= {f"gpu{place} {name}": value for name, value in of_gpu(nvml, handle).items()}
    nvml.call("nvmlShutdown")
    return out
