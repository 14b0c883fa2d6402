"""What must hold between the surfaces of a machine at any moment. Each check yields what disagrees, with both surfaces.

Exceptions that the guides document:
* A GPU that is drained is hidden from programs that start, and its files stay.
* A GPU that is lost is counted by NVML, and its handle is not given out. nvidia-smi ends with an error.
* A GPU in MIG mode without MIG devices has no CDI device of its own; CUDA counts none of its devices beside whole GPUs.
* A fault of the machine hides all GPUs from programs. docs/guides/faults.md has which of the kernel's files stay."""

from __future__ import annotations

import re
from collections.abc import Iterator

from world import Snapshot, Values

Disagreement = tuple[str, str, str]  # two surfaces, and what they show


class View:
    """A snapshot, by GPU."""

    def __init__(self, snapshot: Snapshot, gpus: int) -> None:
        self.snapshot, self.gpus = snapshot, range(gpus)

    def value(self, surface: str, gpu: int, name: str) -> str | None:
        return self.snapshot[surface].get(f"gpu{gpu} {name}")

    @property
    def nvml(self) -> Values:
        return self.snapshot["NVML"]

    def starts(self) -> bool:
        return self.nvml["init"] == "SUCCESS"

    def handle(self, gpu: int) -> str:
        return self.nvml.get(f"gpu{gpu} handle", "NOT_STARTED")

    def is_read(self, gpu: int) -> bool:
        """NVML reads it: not lost, off the bus, drained or waiting for a reset."""
        return self.handle(gpu) == "SUCCESS" and self.value("NVML", gpu, "PowerManagementMode") != "RESET_REQUIRED"

    def smi_works(self) -> bool:
        return self.snapshot.get("nvidia-smi", {}).get("status of -q") == "0"


def listed(view: View, drained: set[int]) -> Iterator[Disagreement]:
    """The GPUs of NVML, in /dev, /proc, /sys and CDI. A GPU in MIG mode has no CDI device of its own."""
    of_nvml = {gpu for gpu in view.gpus if view.handle(gpu) != "NOT_FOUND"} | drained
    minors = {gpu: view.value("NVML", gpu, "MinorNumber") for gpu in view.gpus}
    places = {
        "/dev": {gpu for gpu in view.gpus if f"dev/nvidia{minors[gpu] if (minors[gpu] or '').isdigit() else gpu}" in view.snapshot["/dev"]},
        "/proc": {gpu for gpu in view.gpus if f"proc/driver/nvidia/gpus/gpu{gpu}/registry" in view.snapshot["/proc"]},
        "/sys": {gpu for gpu in view.gpus if f"sys/bus/pci/devices/gpu{gpu}" in view.snapshot["/sys"]},
    }
    for surface, gpus in places.items():
        if gpus != of_nvml:
            yield "NVML", surface, f"GPUs {sorted(of_nvml)} and {sorted(gpus)}"
    nodes = set(re.findall(r"/dev/nvidia(\d+)\b", view.snapshot["CDI"]["all"]))
    in_dev = set(re.findall(r"^dev/nvidia(\d+)$", "\n".join(view.snapshot["/dev"]), re.M))
    if not nodes <= in_dev:
        yield "CDI", "/dev", f"nodes {sorted(nodes)} and {sorted(in_dev)}"
    whole = {gpu for gpu in view.gpus if f"gpu{gpu}" in view.snapshot["CDI"]}
    if not whole <= of_nvml:
        yield "NVML", "CDI", f"GPUs {sorted(of_nvml)} and {sorted(whole)}"
    in_mig_mode = {gpu for gpu in view.gpus if view.value("NVML", gpu, "MigMode currentMode") == "1"}
    unread = {gpu for gpu in view.gpus if not view.is_read(gpu)}
    if missing := of_nvml - whole - in_mig_mode - unread:
        yield "NVML", "CDI", f"GPUs {sorted(missing)} have no CDI device"


def counted(view: View, drained: set[int]) -> Iterator[Disagreement]:
    of_nvml = {gpu for gpu in view.gpus if view.handle(gpu) != "NOT_FOUND"}
    if view.nvml["count"] != str(len(of_nvml)):
        yield "NVML", "NVML", f"the count is {view.nvml['count']}, GPUs with a handle are {sorted(of_nvml)}"
    # Whole GPUs, also those that NVML cannot read now.
    whole = {gpu for gpu in view.gpus if f"gpu{gpu}" in view.snapshot["CDI"]} - drained
    of_cuda = {gpu for gpu in view.gpus if f"gpu{gpu}" in view.snapshot["CUDA"]}
    if of_cuda != whole:
        yield "CDI", "CUDA", f"GPUs {sorted(whole)} and {sorted(of_cuda)}"
    if view.smi_works():
        smi = {gpu for gpu in view.gpus if f"gpu{gpu}" in view.snapshot["nvidia-smi"]}
        if smi != of_nvml:
            yield "NVML", "nvidia-smi", f"GPUs {sorted(of_nvml)} and {sorted(smi)}"


def kernels_run(view: View, drained: set[int]) -> Iterator[Disagreement]:
    """CUDA works on exactly the GPUs that NVML shows as healthy."""
    for gpu in view.gpus:
        seen = view.snapshot["CUDA"].get(f"gpu{gpu} kernel")
        if seen is None:
            continue
        action = view.value("field ids", gpu, "GET_GPU_RECOVERY_ACTION")
        mode = view.value("NVML", gpu, "ComputeMode")
        refuses = not view.is_read(gpu) or action == "1" or mode == "2"
        if refuses == (seen == "works"):
            yield "NVML", "CUDA", f"gpu{gpu}: recovery action {action}, compute mode {mode}; a kernel: {seen}"


def mig_devices(view: View, drained: set[int]) -> Iterator[Disagreement]:
    in_nvml = {uuid for gpu in view.gpus for uuid in (view.value("NVML", gpu, "MigDevices") or "").split(", ") if uuid}
    hidden = {gpu for gpu in view.gpus if not view.is_read(gpu)}
    in_cdi = {name for name in view.snapshot["CDI"] if name.startswith("MIG-")}
    of_hidden = {name for name in in_cdi if any(re.search(rf"/dev/nvidia{gpu}\b", view.snapshot["CDI"][name]) for gpu in hidden)}
    if in_nvml != in_cdi - of_hidden:
        yield "NVML", "CDI", f"MIG devices {sorted(in_nvml)} and {sorted(in_cdi - of_hidden)}"
    numbered = [name for name in view.snapshot["CDI"] if re.fullmatch(r"\d+:\d+", name)]
    if len(numbered) != len(in_cdi):
        yield "CDI", "CDI", f"{numbered} for {sorted(in_cdi)}"
    for name in in_cdi:
        for node in view.snapshot["CDI"][name].split():
            if node.removeprefix("/") not in view.snapshot["/dev"]:
                yield "CDI", "/dev", f"{name} has {node}, which is not there"
    accesses = [path for path in view.snapshot["/proc"] if re.search(r"/gi\d+/ci\d+/access$", path)]
    if len(accesses) != len(in_cdi):
        yield "CDI", "/proc", f"{sorted(in_cdi)} and {accesses}"
    if view.smi_works():
        in_smi = {name.removeprefix("-L ") for name in view.snapshot["nvidia-smi"] if name.startswith("-L MIG-")}
        if in_smi != in_nvml:
            yield "NVML", "nvidia-smi", f"MIG devices {sorted(in_nvml)} and {sorted(in_smi)}"


def of_the_driver(view: View, drained: set[int]) -> Iterator[Disagreement]:
    """Values of a GPU that the kernel shows in /proc and /sys."""
    for gpu in filter(view.is_read, view.gpus):
        about = f"proc/driver/nvidia/gpus/gpu{gpu}/information"
        folder = next((path.rpartition("/")[0] for path in view.snapshot["/sys"] if path.endswith(f"/gpu{gpu}/irq")), "")
        generation = {"1": "2.5", "2": "5.0", "3": "8.0", "4": "16.0", "5": "32.0", "6": "64.0"}
        for name, surface, key, expected in (
            ("VbiosVersion", "/proc", f"{about}/Video BIOS", str),
            ("MinorNumber", "/proc", f"{about}/Device Minor", str),
            ("IrqNum", "/sys", f"{folder}/irq", str),
            ("CurrPcieLinkWidth", "/sys", f"{folder}/current_link_width", str),
            ("CurrPcieLinkGeneration", "/sys", f"{folder}/current_link_speed", lambda v: f"{generation[v]} GT/s PCIe"),
        ):
            value, shown = view.value("NVML", gpu, name), view.snapshot[surface].get(key)
            if value and value.isdigit() | ("." in value) and shown != expected(value):
                yield "NVML", surface, f"gpu{gpu} {name}: {value} and {shown}"


# Function, field id and the line of nvidia-smi that mean the same
SAME = [
    ("PersistenceMode", None, "Persistence Mode", {"0": "Disabled", "1": "Enabled"}),
    ("ComputeMode", None, "Compute Mode", {"0": "Default", "2": "Prohibited", "3": "Exclusive_Process"}),
    ("AccountingMode", None, "Accounting Mode", {"0": "Disabled", "1": "Enabled"}),
    ("EccMode current", "ECC_CURRENT", "ECC Mode/Current", {"0": "Disabled", "1": "Enabled"}),
    ("EccMode pending", "ECC_PENDING", "ECC Mode/Pending", {"0": "Disabled", "1": "Enabled"}),
    ("MigMode currentMode", None, "MIG Mode/Current", {"0": "Disabled", "1": "Enabled"}),
    ("MigMode pendingMode", None, "MIG Mode/Pending", {"0": "Disabled", "1": "Enabled"}),
    ("PowerManagementLimit", "POWER_REQUESTED_LIMIT", "GPU Power Readings/Requested Power Limit", "W"),
    ("EnforcedPowerLimit", "POWER_CURRENT_LIMIT", "GPU Power Readings/Current Power Limit", "W"),
    ("ClockInfo 0", None, "Clocks/Graphics", "{} MHz"),
    ("ClockInfo 1", None, "Clocks/SM", "{} MHz"),
    ("ClockInfo 2", None, "Clocks/Memory", "{} MHz"),
    ("ApplicationsClock 0", None, "Applications Clocks/Graphics", "{} MHz"),
    ("TemperatureV temperature", None, "Temperature/GPU Current Temp", "{} C"),
    ("UtilizationRates gpu", None, "Utilization/Gpu", "{} %"),
    ("VbiosVersion", None, "VBIOS Version", "{}"),
    ("MinorNumber", None, "Minor Number", "{}"),
    ("CurrPcieLinkGeneration", None, "PCI/GPU Link Info/PCIe Generation/Current", "{}"),
    ("CurrPcieLinkWidth", None, "PCI/GPU Link Info/Link Width/Current", "{}x"),
    ("RemappedRows corrActiveRemaps", "REMAPPED_COR", "Remapped Rows/Correctable Error", "{}"),
    ("RemappedRows uncActiveRemaps", "REMAPPED_UNC", "Remapped Rows/Uncorrectable Error", "{}"),
    ("RemappedRows bPending", "REMAPPED_PENDING", "Remapped Rows/Pending", {"0": "No", "1": "Yes"}),
    ("RemappedRows bFailureOccurred", "REMAPPED_FAILURE", "Remapped Rows/Remapping Failure Occurred", {"0": "No", "1": "Yes"}),
    ("RetiredPagesPendingStatus", "RETIRED_PENDING", "Retired Pages/Pending Page Blacklist", {"0": "No", "1": "Yes"}),
    (None, "RETIRED_DBE", "Retired Pages/Double Bit ECC", "{}"),
    ("TotalEccErrors 0 0", "ECC_SBE_VOL_TOTAL", "ECC Errors/Volatile/Single Bit/Total", "{}"),
    ("TotalEccErrors 1 0", "ECC_DBE_VOL_TOTAL", "ECC Errors/Volatile/Double Bit/Total", "{}"),
    ("TotalEccErrors 0 1", "ECC_SBE_AGG_TOTAL", "ECC Errors/Aggregate/Single Bit/Total", "{}"),
    ("TotalEccErrors 1 1", "ECC_DBE_AGG_TOTAL", "ECC Errors/Aggregate/Double Bit/Total", "{}"),
    ("MemoryErrorCounter 0 0 2", "ECC_SBE_VOL_DEV", "ECC Errors/Volatile/DRAM Correctable", "{}"),
    ("MemoryErrorCounter 1 0 2", "ECC_DBE_VOL_DEV", "ECC Errors/Volatile/DRAM Uncorrectable", "{}"),
    ("MemoryErrorCounter 0 1 2", "ECC_SBE_AGG_DEV", "ECC Errors/Aggregate/DRAM Correctable", "{}"),
    ("MemoryErrorCounter 1 1 2", "ECC_DBE_AGG_DEV", "ECC Errors/Aggregate/DRAM Uncorrectable", "{}"),
    ("MemoryErrorCounter 0 0 7", None, "ECC Errors/Volatile/SRAM Correctable", "{}"),
    (None, "RESET_STATUS", "GPU Reset Status/Reset Required", {"0": "No", "1": "Yes"}),
    (None, "DRAIN_AND_RESET_STATUS", "GPU Reset Status/Drain and Reset Recommended", {"0": "No", "1": "Yes"}),
    ("GpuFabricInfo state", None, "Fabric/State", {"1": "Not Started", "2": "In Progress", "3": "Completed"}),
    ("GpuFabricInfo_v4 state", None, "Fabric/State", {"1": "Not Started", "2": "In Progress", "3": "Completed"}),
]  # fmt: skip


# Fields that an H100 has not, though the function has the counter.
NOT_OF_HOPPER = ("ECC_SBE_VOL_DEV", "ECC_DBE_VOL_DEV", "ECC_SBE_AGG_DEV", "ECC_DBE_AGG_DEV")


def in_smi(value: str, form: str | dict[str, str]) -> str:
    if isinstance(form, dict):
        return form[value]
    return f"{int(value) / 1000:.2f} W" if form == "W" else form.format(value)


def same_values(view: View, drained: set[int]) -> Iterator[Disagreement]:
    for gpu in filter(view.is_read, view.gpus):
        for function, field, line, form in SAME:
            of_function = view.value("NVML", gpu, function) if function else None
            of_field = view.value("field ids", gpu, field) if field else None
            if field in NOT_OF_HOPPER and of_field == "NOT_SUPPORTED":
                of_field = None
            if of_function is not None and of_field is not None and of_function != of_field:
                yield "NVML", "field ids", f"gpu{gpu} {function}: {of_function} and {of_field}"
            value = of_function if function else of_field
            shown = view.value("nvidia-smi", gpu, line) if view.smi_works() else None
            if shown in (None, "N/A") or value is None or not value[:1].isdigit():
                continue
            if shown != in_smi(value, form):
                yield "NVML", "nvidia-smi", f"gpu{gpu} {line}: {value} and {shown}"


def links(view: View, drained: set[int]) -> Iterator[Disagreement]:
    for gpu in filter(view.is_read, view.gpus):
        for link in range(18):
            by_function, by_field = view.value("NVML", gpu, f"NvLinkState {link}"), view.value("field ids", gpu, f"NVLINK_GET_STATE {link}")
            if by_function != by_field:
                yield "NVML", "field ids", f"gpu{gpu} link {link}: {by_function} and {by_field}"
            shown = view.value("nvidia-smi", gpu, f"nvlink -s/link {link}") if view.smi_works() else None
            if shown is not None and by_function in ("0", "1") and (shown == "<inactive>") != (by_function == "0"):
                yield "NVML", "nvidia-smi", f"gpu{gpu} link {link}: {by_function} and {shown}"
        states = "".join("1" if view.value("field ids", gpu, f"NVLINK_GET_STATE {link}") == "1" else "0" for link in range(18))
        if view.value("DCGM", gpu, "nvlink state") != states:
            yield "field ids", "DCGM", f"gpu{gpu} links: {states} and {view.value('DCGM', gpu, 'nvlink state')}"


def older_handles(view: View, drained: set[int], older: Values) -> Iterator[Disagreement]:
    """A program that started before reads of each GPU within reach what a program reads that starts now."""
    for gpu in filter(view.is_read, view.gpus):
        for name, value in older.items():
            if not name.startswith(f"gpu{gpu} "):
                continue
            key = name.replace(" field ", " ")
            now = view.snapshot["field ids" if " field " in name else "NVML"].get(key)
            # The number of a GPU is that of the program's own list.
            if now != value and not re.search(r" (Index|MigDevices)$", name):
                yield "NVML", "an older program", f"{name}: {now} and {value}"


def broken(view: View, drained: set[int]) -> Iterator[Disagreement]:
    """The machine has a fault: no program starts."""
    if view.snapshot["CUDA"]["cuInit"] == "SUCCESS":
        yield "NVML", "CUDA", f"{view.nvml['init']} and SUCCESS"
    if view.snapshot["field ids"]["init"] != view.nvml["init"] or view.snapshot["DCGM"]["init"] != view.nvml["init"]:
        yield "NVML", "field ids", f"{view.nvml['init']} and {view.snapshot['field ids']['init']}"
    if "nvidia-smi" in view.snapshot and view.smi_works():
        yield "NVML", "nvidia-smi", f"{view.nvml['init']} and status 0"


def empty(view: View, drained: set[int]) -> Iterator[Disagreement]:
    """No GPU for programs: all are drained or away, or the driver starts none. In the latter case the kernel's files stay."""
    whole = {gpu for gpu in view.gpus if f"gpu{gpu}" in view.snapshot["CDI"]} - drained
    if whole:
        yield "NVML", "CDI", f"no GPU and {sorted(whole)}"
    if view.snapshot["CUDA"]["cuInit"] == "SUCCESS" and view.snapshot["CUDA"]["count"] != "0":
        yield "NVML", "CUDA", f"no GPU and {view.snapshot['CUDA']['count']}"
    if view.smi_works():
        yield "NVML", "nvidia-smi", "no GPU and status 0"


CHECKS = [listed, counted, kernels_run, mig_devices, of_the_driver, same_values, links]


def disagreements(snapshot: Snapshot, gpus: int, older: Values) -> list[Disagreement]:
    view = View(snapshot, gpus)
    drained = {gpu for gpu in view.gpus if view.nvml.get(f"drain state of gpu{gpu}") == "1"}
    if not view.starts():
        return list(broken(view, drained))
    if view.nvml["count"] == "0":
        return list(empty(view, drained))
    return [found for check in CHECKS for found in check(view, drained)] + list(older_handles(view, drained, older))


def of_log(events: list[str], messages: list[str], snapshot: Snapshot) -> list[Disagreement]:
    """Of a step: each Xid event is one line of the kernel log, and each line one event. Xid 154 is a recovery action, which has an
    event of its own, and is the value of the field id."""
    by_event = sorted(event for event in events if " Xid " in event)
    by_line = sorted(line for line in messages if " Xid " in line and " Xid 154 " not in line)
    out = []
    if by_event != by_line:
        out.append(("event", "log", f"{by_event} and {by_line}"))
    actions = [event.replace("GpuRecoveryAction", "Xid 154 to") for event in events if "GpuRecoveryAction" in event]
    lines = [line for line in messages if " Xid 154 " in line]
    if actions != lines:
        out.append(("event", "log", f"{actions} and {lines}"))
    last = dict(line.split(" Xid 154 to ") for line in lines)
    for gpu, action in last.items():
        field = snapshot["field ids"].get(f"{gpu} GET_GPU_RECOVERY_ACTION", action)
        if field != action:
            out.append(("log", "field ids", f"{gpu} recovery action: {action} and {field}"))
    return out
