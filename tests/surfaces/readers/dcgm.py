"""DCGM's reads: the calls that the health checks and policies of NVIDIA DCGM make, by check.

From the source of DCGM 4.6: modules/health, modules/policy and dcgmlib/src/DcgmCacheManager.cpp name the values, this file asks
NVML for them. Its events are those of readers/events.py that carry an Xid."""

from __future__ import annotations

import ctypes
from pathlib import Path

from . import fields
from .nvml import Nvml, Out, result_name, structures

# Check: field ids that it reads
BY_FIELD = {
    "memory": ["ECC_DBE_VOL_TOTAL", "RETIRED_SBE", "RETIRED_DBE", "RETIRED_PENDING", "REMAPPED_UNC", "REMAPPED_FAILURE",
               "REMAPPED_PENDING"],
    "power": ["PERF_POLICY_POWER"],
    "thermal": ["PERF_POLICY_THERMAL"],
    "nvlink": ["NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "NVLINK_REPLAY_ERROR_COUNT_TOTAL",
               "NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "NVLINK_COUNT_RCV_ERRORS", "NVLINK_COUNT_EFFECTIVE_ERRORS",
               "NVLINK_COUNT_SYMBOL_ERRORS", "NVLINK_COUNT_LINK_RECOVERY_EVENTS"],
    "recovery": ["GET_GPU_RECOVERY_ACTION"],
}  # fmt: skip


def of_gpu(nvml: Nvml, gpu: ctypes.c_void_p) -> dict[str, str]:
    by_name = fields.of_gpu(nvml, gpu)
    out = {f"{check} {name}": by_name[name] for check, names in BY_FIELD.items() for name in names if name in by_name}
    out["nvlink state"] = "".join("1" if by_name[f"NVLINK_GET_STATE {link}"] == "1" else "0" for link in range(fields.LINKS))
    out["memory unrepairable"] = nvml.number("nvmlDeviceGetUnrepairableMemoryFlag_v1", gpu)
    out["inforom valid"] = result_name(nvml.call("nvmlDeviceValidateInforom", gpu))
    out["pcie replays"] = nvml.number("nvmlDeviceGetPcieReplayCounter", gpu)
    out["pcie link"] = f"{nvml.number('nvmlDeviceGetCurrPcieLinkGeneration', gpu)} x{nvml.number('nvmlDeviceGetCurrPcieLinkWidth', gpu)}"
    out["thermal temperature"] = nvml.number("nvmlDeviceGetTemperature", gpu, 0)
    out["power usage"] = nvml.number("nvmlDeviceGetPowerUsage", gpu)
    layout = structures()["nvmlGpuFabricInfo_v3_t"]
    fabric = Out({"kind": "struct", "base": layout["name"], "name": "fabric"})
    result = nvml.call("nvmlDeviceGetGpuFabricInfoV", gpu, fabric.buffer)
    values = fabric.values()
    for name in ("state", "status", "healthMask", "healthSummary"):
        out[f"fabric {name}"] = values[name] if result == 0 else result_name(result)
    return out


def read(library: Path, uuids: list[str]) -> dict[str, str]:
    nvml = Nvml(library)
    started = nvml.call("nvmlInit_v2")
    if started != 0:
        return {"init": result_name(started)}
    out = {"init": "SUCCESS"}
    for place, uuid in enumerate(uuids):
        result, handle = nvml.handle("nvmlDeviceGetHandleByUUID", uuid.encode())
        out[f"gpu{place} handle"] = result_name(result)
        if result == 0:
            out |= {f"gpu{place} {name}": value for name, value in of_gpu(nvml, handle).items()}
    nvml.call("nvmlShutdown")
    return out
