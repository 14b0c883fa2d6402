"""NVML: every function that only reads a GPU, with all members of the values it returns.

The shapes of the functions and structures are those of registry/facts/."""

from __future__ import annotations

import ctypes
import json
import re
from functools import cache
from pathlib import Path

FACTS = Path(__file__).resolve().parents[3] / "registry/facts"

SIZES = {"char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4, "long long": 8,
         "unsigned long long": 8, "double": 8}  # fmt: skip
# Inputs of functions that read one of several values.
INPUTS: dict[str, list[tuple[int, ...]]] = {
    "nvmlDeviceGetClockInfo": [(i,) for i in range(4)],
    "nvmlDeviceGetMaxClockInfo": [(i,) for i in range(4)],
    "nvmlDeviceGetApplicationsClock": [(i,) for i in (0, 2)],
    "nvmlDeviceGetTotalEccErrors": [(kind, period) for kind in (0, 1) for period in (0, 1)],
    "nvmlDeviceGetMemoryErrorCounter": [(kind, period, place) for kind in (0, 1) for period in (0, 1) for place in range(8)],
    "nvmlDeviceGetFanSpeed_v2": [(i,) for i in range(2)],
    "nvmlDeviceGetNvLinkState": [(i,) for i in range(18)],
    "nvmlDeviceGetNvLinkErrorCounter": [(link, counter) for link in range(4) for counter in range(5)],
    "nvmlDeviceGetTemperatureThreshold": [(i,) for i in range(4)],
    "nvmlDeviceGetAPIRestriction": [(i,) for i in range(2)],
    "nvmlDeviceGetViolationStatus": [(i,) for i in range(2)],
}
# Versions whose value is of another kind than that of older versions: both are read.
ALONE = ("nvmlDeviceGetGpuFabricInfo_v4",)
# Of the moment, not of the machine.
MOVING = ("version", "referenceTime")
# Other words for values that another surface shows, and lists of another kind.
LEFT_OUT = re.compile(r"Handle|CpuAffinity|Brand|Vgpu|Samples|BridgeChip|LastBBXFlush|GridLicens|Pgpu|PerformanceModes|CurrentClockFreqs|DynamicPstates|ThrottleReasons|Uptime|RemapTable|NvlePrivate")


@cache
def facts(name: str) -> list | dict:
    return json.loads((FACTS / f"{name}.json").read_text(encoding="utf-8"))


@cache
def result_names() -> dict[int, str]:
    values = next(entry["values"] for entry in facts("enums") if "NVML_ERROR_GPU_IS_LOST" in json.dumps(entry))
    pairs = values.items() if isinstance(values, dict) else ((value["name"], value["v"]) for value in values)
    return {number: name.replace("NVML_ERROR_", "").replace("NVML_", "") for name, number in pairs}


def result_name(result: int) -> str:
    return result_names().get(result, str(result))


@cache
def structures() -> dict[str, dict]:
    out = {}
    for entry in facts("structs"):
        for name in (entry["name"], *entry.get("aliases", [])):
            out.setdefault(name, entry)
    return out


def entries_text(raw: bytes, layout: dict) -> str:
    """A structure, or an array of them without the unused ones at its end."""
    step = layout["size"]
    used = -(-len(raw.rstrip(b"\0")) // step) * step
    entries = (raw[at : at + step] for at in range(0, used, step))
    return " ".join(":".join(member_text(entry, member) for member in layout["fields"]) for entry in entries)


def member_text(buffer: ctypes.Array | bytes, member: dict) -> str:
    at, size = member["off"], member["size"]
    raw = bytes(buffer)[at : at + size]
    if member["type"] == "char":
        return raw.split(b"\0")[0].decode(errors="replace")
    if member["type"] in structures():
        return entries_text(raw, structures()[member["type"]])
    if member.get("dims") or size > 8:
        return raw.hex()
    return str(int.from_bytes(raw, "little"))


class Out:
    """Where a function writes: a number, a text or a structure."""

    def __init__(self, parameter: dict) -> None:
        self.layout = structures().get(parameter["base"]) if parameter["kind"] == "struct" else None
        self.name = parameter["name"]
        size = self.layout["size"] if self.layout else SIZES.get(parameter["base"], 4)
        self.buffer = ctypes.create_string_buffer(size)
        macro = self.layout.get("version_macro") if self.layout else None
        if macro:
            self.buffer[0:4] = max(macro.values()).to_bytes(4, "little")

    def values(self) -> dict[str, str]:
        if not self.layout:
            return {self.name: str(int.from_bytes(bytes(self.buffer), "little"))}
        return {f["name"]: member_text(self.buffer, f) for f in self.layout["fields"] if f["name"] not in MOVING}


def is_readable(function: dict) -> bool:
    name, parameters = function["name"], function["params"]
    if not re.match(r"nvmlDeviceGet|nvmlDeviceIs", name) or LEFT_OUT.search(name):
        return False
    if not parameters or parameters[0]["base"] != "nvmlDevice_t" or parameters[0]["ptr"]:
        return False
    rest = parameters[1 + (len(INPUTS[name][0]) if name in INPUTS else 0) :]
    if len(rest) == 2 and rest[0]["base"] == "char":
        return rest[1]["ptr"] == 0
    known = all(p["ptr"] == 1 and (p["kind"] in ("int", "enum") or p["base"] in structures()) for p in rest)
    return bool(rest) and known and not any("ount" in p["name"] and len(rest) > 1 for p in rest)


def label_of(name: str) -> str:
    """Without the version, if newer versions take the place of older ones."""
    return re.sub(r"^nvmlDevice(Get)?", "", name if name in ALONE else re.sub(r"_v\d+$", "", name))


@cache
def readable() -> list[dict]:
    """Of several versions of a function the newest."""
    newest: dict[str, dict] = {}
    for function in facts("functions"):
        if is_readable(function):
            key = label_of(function["name"])
            if key not in newest or function["name"] > newest[key]["name"]:
                newest[key] = function
    return list(newest.values())


class Nvml:
    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))

    def call(self, name: str, *arguments: object) -> int:
        return int(self.library[name](*arguments))

    def handle(self, function: str, key: object) -> tuple[int, ctypes.c_void_p]:
        handle = ctypes.c_void_p()
        return self.call(function, key, ctypes.byref(handle)), handle

    def number(self, function: str, *inputs: object) -> str:
        out = ctypes.c_ulonglong()
        result = self.call(function, *inputs, ctypes.byref(out))
        return str(out.value) if result == 0 else result_name(result)

    def text(self, function: str, *inputs: object) -> str:
        out = ctypes.create_string_buffer(128)
        result = self.call(function, *inputs, out, 128)
        return out.value.decode() if result == 0 else result_name(result)

    def read(self, function: dict, gpu: ctypes.c_void_p, inputs: tuple[int, ...]) -> dict[str, str]:
        rest = function["params"][1 + len(inputs) :]
        label = label_of(function["name"]) + "".join(f" {i}" for i in inputs)
        if rest[0]["base"] == "char":
            return {label: self.text(function["name"], gpu, *inputs)}
        outs = [Out(parameter) for parameter in rest]
        result = self.call(function["name"], gpu, *inputs, *(out.buffer for out in outs))
        if result != 0:
            return {label: result_name(result)}
        values = {name: value for out in outs for name, value in out.values().items()}
        if len(values) == 1:
            return {label: next(iter(values.values()))}
        return {f"{label} {name}": value for name, value in values.items()}

    def gpu(self, gpu: ctypes.c_void_p) -> dict[str, str]:
        out: dict[str, str] = {}
        for function in readable():
            for inputs in INPUTS.get(function["name"], [()]):
                out |= self.read(function, gpu, inputs)
        return out | self.mig_devices(gpu)

    def mig_devices(self, gpu: ctypes.c_void_p) -> dict[str, str]:
        uuids = []
        for i in range(8):
            device = ctypes.c_void_p()
            if self.call("nvmlDeviceGetMigDeviceHandleByIndex", gpu, i, ctypes.byref(device)) == 0:
                uuids.append(self.text("nvmlDeviceGetUUID", device))
        return {"MigDevices": ", ".join(uuids)}

    def drain_state(self, bus_id: str) -> str:
        return self.number("nvmlDeviceQueryDrainState", pci_info(bus_id))


def pci_info(bus_id: str) -> ctypes.Array:
    """nvmlPciInfo_t with the address."""
    pci = ctypes.create_string_buffer(68)
    domain, bus, device = bus_id.split(":")
    for at, number in ((16, domain), (20, bus), (24, device.split(".")[0])):
        pci[at : at + 4] = int(number, 16).to_bytes(4, "little")
    pci[36 : 36 + len(bus_id)] = bus_id.encode()
    return pci


def read(library: Path, uuids: list[str], bus_ids: list[str]) -> dict[str, str]:
    """Of all GPUs, as a program that starts now; without handle there is nothing more of a GPU."""
    nvml = Nvml(library)
    started = nvml.call("nvmlInit_v2")
    if started != 0:
        return {"init": result_name(started)}
    out = {"init": "SUCCESS", "count": nvml.number("nvmlDeviceGetCount_v2"),
           "driver": nvml.text("nvmlSystemGetDriverVersion"), "NVLink bandwidth": nvml.number("nvmlSystemGetNvlinkBwMode")}  # fmt: skip
    listed = []
    for i in range(int(out["count"])):
        result, handle = nvml.handle("nvmlDeviceGetHandleByIndex_v2", i)
        uuid = nvml.text("nvmlDeviceGetUUID", handle) if result == 0 else result_name(result)
        listed.append(f"gpu{uuids.index(uuid)}" if uuid in uuids else uuid)
    out["list"] = " ".join(listed)
    for place, uuid in enumerate(uuids):
        result, handle = nvml.handle("nvmlDeviceGetHandleByUUID", uuid.encode())
        out[f"gpu{place} handle"] = result_name(result)
        out[f"drain state of gpu{place}"] = nvml.drain_state(bus_ids[place])
        if result == 0:
            out |= {f"gpu{place} {name}": value for name, value in nvml.gpu(handle).items()}
    nvml.call("nvmlShutdown")
    return out
