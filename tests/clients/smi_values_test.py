#!/usr/bin/env python3
"""What the real nvidia-smi prints is what the machine file says, value by value.

`-q -x`, `--query-gpu` and `-L` of each version on each built-in machine, and on marked.yaml, whose values all differ from
the defaults. The table below says where each key of a machine file is printed and in which form. A row that was never
compared in any run fails the test: it would prove nothing."""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from clients import SOURCE, available_smi, run, skip, tell

try:
    import yaml
except ImportError:
    skip("python3-yaml is missing")

REASONS = (
    "gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "hw_thermal_slowdown",
    "hw_power_brake_slowdown", "sync_boost", "sw_thermal_slowdown", "display_clocks_setting",
)  # fmt: skip
MARKED = Path(__file__).with_name("marked.yaml")


# --- The machine file ---------------------------------------------------------------------------------------------


def merge(base: Any, over: Any) -> Any:
    if isinstance(base, dict) and isinstance(over, dict):
        return {**base, **{key: merge(base.get(key), value) for key, value in over.items()}}
    return over


def read_machine(path: Path) -> dict:
    document = yaml.safe_load(path.read_text())
    if base := document.pop("base", None):
        parent = read_machine(SOURCE / "profiles" / f"{base}.yaml")
        # GPUs come from `devices` where a file has them, else from its base.
        devices = document.pop("devices", None)
        document = merge(parent, document)
        if devices is not None:
            by_index = {device["index"]: device for device in parent.get("devices", [])}
            for device in devices:
                by_index[device["index"]] = merge(by_index.get(device["index"], {}), device)
            document["devices"] = [by_index[index] for index in sorted(by_index)]
    return document


def gpus_of(document: dict) -> list[dict]:
    """The GPUs of a machine file with what each leaves out filled in as the format says."""
    gpus = []
    for index, device in enumerate(document["devices"]):
        gpu = merge(document.get("device_defaults", {}), device)
        serial = document["device_defaults"].get("serial")
        if "serial" not in device and serial:
            gpu["serial"] = str(int(serial) + index).zfill(len(serial))
        gpu.setdefault("minor_number", index)
        memory, bar1, pcie, power, clocks = (gpu.setdefault(k, {}) for k in ("memory", "bar1_memory", "pcie", "power", "clocks"))
        mig, gsp = gpu.get("mig", {}), gpu.get("gsp_firmware", {})
        if "mode_current" in mig:
            mig.setdefault("mode_pending", mig["mode_current"])
        if gsp.get("mode") == "enabled":
            gsp.setdefault("version", document["system"]["driver_version"])
        for reason in REASONS:
            gpu.setdefault("clocks_throttle_reasons", {}).setdefault(reason, False)
        memory.setdefault("free_bytes", memory["total_bytes"] - memory.get("reserved_bytes", 0) - memory.get("used_bytes", 0))
        if "total_bytes" in bar1:
            bar1.setdefault("free_bytes", bar1["total_bytes"] - bar1.get("used_bytes", 0))
        pcie.setdefault("device_max_link_gen", pcie.get("max_link_gen"))
        power.setdefault("limit_mw", power.get("default_limit_mw"))
        power.setdefault("enforced_limit_mw", power.get("limit_mw"))
        power.setdefault("instant_draw_mw", power.get("current_draw_mw"))
        clocks.setdefault("sm_current", clocks.get("graphics_current"))
        clocks.setdefault("sm_max", clocks.get("graphics_max"))
        gpus.append(gpu)
    return gpus


def lookup(tree: Any, key: str) -> Any:
    for part in key.split("."):
        if not isinstance(tree, dict) or part not in tree:
            return None
        tree = tree[part]
    return None if tree == "N/A" else tree


# --- Forms in which nvidia-smi prints a value ---------------------------------------------------------------------

Form = Callable[[Any], str]
text: Form = str
number: Form = lambda v: str(int(v))
mib: Form = lambda v: f"{v >> 20} MiB"
mhz: Form = lambda v: f"{v} MHz"
celsius: Form = lambda v: f"{v} C"
plain_celsius: Form = str
percent: Form = lambda v: f"{v} %"
banks: Form = lambda v: f"{v} bank(s)"
throughput: Form = lambda v: f"{v} KB/s"
lanes: Form = lambda v: f"{v}x"
yes_no: Form = lambda v: "Yes" if v else "No"
active: Form = lambda v: "Active" if v else "Not Active"
on_off: Form = lambda v: v.capitalize()
pci_id: Form = lambda v: f"{v:08X}"
pci_id_0x: Form = lambda v: f"0x{v:08X}"
us: Form = lambda v: f"{v} us"


def watts(milliwatts: int) -> str:
    return f"{milliwatts / 1000:.2f} W"


def words(table: dict[str, str]) -> Form:
    return lambda v: table[v]


brand = words({"nvidia": "NVIDIA", "tesla": "Tesla", "geforce": "GeForce", "quadro": "Quadro", "nvidia_rtx": "NVIDIA RTX",
               "geforce_rtx": "GeForce RTX", "quadro_rtx": "Quadro RTX", "titan_rtx": "Titan RTX"})  # fmt: skip
architecture = words({"volta": "Volta", "turing": "Turing", "ampere": "Ampere", "ada": "Ada Lovelace", "ada_lovelace": "Ada Lovelace",
                      "hopper": "Hopper",
                      "blackwell": "Unknown", "rubin": "Unknown"})  # fmt: skip # these versions of nvidia-smi know neither
addressing = words({"none": "None", "hmm": "HMM", "ats": "ATS"})
compute_mode = words({"default": "Default", "exclusive_process": "Exclusive_Process", "prohibited": "Prohibited"})
virtualization = words({"none": "None", "passthrough": "Pass-Through", "vgpu": "VGPU", "host_vgpu": "Host VGPU"})


# What nvidia-smi prints in place of a value when a function fails in a way that it does not expect.
ERROR_NAMES = {
    "Uninitialized", "Invalid Argument", "Not Found", "Insufficient Size", "Unknown Error", "Function Not Found",
    "Argument Version Mismatch", "GPU is lost", "ERR!", "Insufficient Permissions", "Insufficient Resources",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    key: str  # in the machine file, of a GPU; `system.` for the host
    form: Form
    xml: str = ""  # path below <gpu>; alternatives separated by |
    field: str = ""  # of --query-gpu
    csv_form: Form | None = None  # where the CSV form differs
    since: int = 535  # the branch that prints it first


TABLE = [
    Row("power.graphics_voltage_uv", lambda v: f"{v / 1000:.3f} mV", "voltage/graphics_volt"),
    Row("system.driver_version", text, "../driver_version", "driver_version"),
    Row("name", text, "product_name", "name"),
    Row("brand", brand, "product_brand"),
    Row("architecture", architecture, "product_architecture"),
    Row("uuid", text, "uuid", "uuid"),
    Row("serial", text, "serial", "serial"),
    Row("minor_number", number, "minor_number"),
    Row("board_part_number", text, "board_part_number"),
    Row("gpu_part_number", text, "gpu_part_number"),
    Row("fru_part_number", text, "gpu_fru_part_number"),
    Row("board_id", lambda v: f"{v:#x}", "board_id"),
    Row("multi_gpu_board", yes_no, "multigpu_board"),
    Row("module_id", number, "gpu_module_id"),
    Row("vbios_version", text, "vbios_version", "vbios_version"),
    Row("compute_capability", lambda v: f"{v['major']}.{v['minor']}", field="compute_cap"),
    Row("addressing_mode", addressing, "addressing_mode", "addressing_mode"),
    Row("inforom.image_version", text, "inforom_version/img_version", "inforom.img"),
    Row("inforom.oem_object", text, "inforom_version/oem_object", "inforom.oem"),
    Row("inforom.ecc_object", text, "inforom_version/ecc_object", "inforom.ecc"),
    Row("inforom.pwr_object", text, "inforom_version/pwr_object", "inforom.pwr"),
    # Modes
    Row("display.mode", on_off, "display_mode", "display_mode"),
    Row("display.active", on_off, "display_active", "display_active"),
    Row("persistence_mode", on_off, "persistence_mode", "persistence_mode"),
    Row("sparse_operation_mode", on_off, "sparse_operation_mode"),
    Row("compute_mode", compute_mode, "compute_mode", "compute_mode"),
    Row("mig.mode_current", on_off, "mig_mode/current_mig", "mig.mode.current"),
    Row("mig.mode_pending", on_off, "mig_mode/pending_mig", "mig.mode.pending"),
    Row("accounting.mode", on_off, "accounting_mode", "accounting.mode"),
    Row("accounting.buffer_size", number, "accounting_mode_buffer_size", "accounting.buffer_size"),
    Row("virtualization.mode", virtualization, "gpu_virtualization_mode/virtualization_mode"),
    Row("gsp_firmware.version", text, "gsp_firmware_version"),
    Row("gsp_firmware.mode", on_off, field="gsp.mode.current"),
    Row("performance_state", text, "performance_state", "pstate"),
    Row("fan.speed_percent", percent, "fan_speed", "fan.speed"),
    # PCI
    Row("pci.bus_id", text, "pci/pci_bus_id", "pci.bus_id"),
    Row("pci.bus_id", lambda v: v.split(":")[1], "pci/pci_bus"),
    Row("pci.bus_id", lambda v: v.split(":")[2].split(".")[0], "pci/pci_device"),
    Row("pci.device_id", pci_id, "pci/pci_device_id", "pci.device_id", pci_id_0x),
    Row("pci.subsystem_id", pci_id, "pci/pci_sub_system_id", "pci.sub_device_id", pci_id_0x),
    Row("pci.base_class", number, "pci/pci_base_class", since=550),
    Row("pci.sub_class", number, "pci/pci_sub_class", since=550),
    Row("pcie.max_link_gen", number, "pci/pci_gpu_link_info/pcie_gen/max_link_gen", "pcie.link.gen.max"),
    Row("pcie.current_link_gen", number, "pci/pci_gpu_link_info/pcie_gen/current_link_gen", "pcie.link.gen.current"),
    Row("pcie.current_link_gen", number, "pci/pci_gpu_link_info/pcie_gen/device_current_link_gen", "pcie.link.gen.gpucurrent"),
    Row("pcie.device_max_link_gen", number, "pci/pci_gpu_link_info/pcie_gen/max_device_link_gen", "pcie.link.gen.gpumax"),
    Row("pcie.host_max_link_gen", number, "pci/pci_gpu_link_info/pcie_gen/max_host_link_gen", "pcie.link.gen.hostmax"),
    Row("pcie.max_link_width", lanes, "pci/pci_gpu_link_info/link_widths/max_link_width", "pcie.link.width.max", number),
    Row("pcie.current_link_width", lanes, "pci/pci_gpu_link_info/link_widths/current_link_width", "pcie.link.width.current", number),
    Row("pcie.replay_counter", number, "pci/replay_counter"),
    Row("pcie.tx_throughput_kbps", throughput, "pci/tx_util"),
    Row("pcie.rx_throughput_kbps", throughput, "pci/rx_util"),
    # Memory
    Row("memory.total_bytes", mib, "fb_memory_usage/total", "memory.total"),
    Row("memory.reserved_bytes", mib, "fb_memory_usage/reserved", "memory.reserved"),
    Row("memory.used_bytes", mib, "fb_memory_usage/used", "memory.used"),
    Row("memory.free_bytes", mib, "fb_memory_usage/free", "memory.free"),
    Row("bar1_memory.total_bytes", mib, "bar1_memory_usage/total"),
    Row("bar1_memory.used_bytes", mib, "bar1_memory_usage/used"),
    Row("bar1_memory.free_bytes", mib, "bar1_memory_usage/free"),
    # Work
    *(
        Row(f"utilization.{name}", percent, f"utilization/{name}_util", f"utilization.{name}" if name in ("gpu", "memory") else "")
        for name in ("gpu", "memory", "encoder", "decoder", "jpeg", "ofa")
    ),
    *(
        Row(f"{kind}.{ours}", number, f"{kind}/{theirs}", f"encoder.stats.{field}" if kind == "encoder_stats" else "")
        for kind in ("encoder_stats", "fbc_stats")
        for ours, theirs, field in (
            ("session_count", "session_count", "sessionCount"),
            ("average_fps", "average_fps", "averageFps"),
            ("average_latency_us", "average_latency", "averageLatency"),
        )
    ),
    *(
        Row(
            f"clocks_throttle_reasons.{name}", active, f"clocks_event_reasons/clocks_event_reason_{name}",
            f"clocks_event_reasons.{name}" if name != "display_clocks_setting" else "",
        )
        for name in REASONS
    ),
    # Errors
    Row("ecc.mode_current", on_off, "ecc_mode/current_ecc", "ecc.mode.current"),
    Row("ecc.mode_pending", on_off, "ecc_mode/pending_ecc", "ecc.mode.pending"),
    *(
        row
        for period in ("volatile", "aggregate")
        for row in (
            Row(f"ecc.sram.{period}.correctable", number, f"ecc_errors/{period}/sram_correctable"),
            Row(f"ecc.sram.{period}.uncorrectable_parity", number, f"ecc_errors/{period}/sram_uncorrectable_parity"),
            Row(f"ecc.sram.{period}.uncorrectable_secded", number, f"ecc_errors/{period}/sram_uncorrectable_secded"),
            Row(f"ecc.errors.{period}.single_bit.device_memory", number, f"ecc_errors/{period}/dram_correctable",
                f"ecc.errors.corrected.{period}.dram"),
            Row(f"ecc.errors.{period}.double_bit.device_memory", number, f"ecc_errors/{period}/dram_uncorrectable",
                f"ecc.errors.uncorrected.{period}.dram"),
            Row(f"ecc.errors.{period}.single_bit.sram", number, field=f"ecc.errors.corrected.{period}.sram"),
            Row(f"ecc.errors.{period}.double_bit.sram", number, field=f"ecc.errors.uncorrected.{period}.sram"),
            Row(f"ecc.errors.{period}.single_bit.total", number, field=f"ecc.errors.corrected.{period}.total"),
            Row(f"ecc.errors.{period}.double_bit.total", number, field=f"ecc.errors.uncorrected.{period}.total"),
        )
    ),
    Row("ecc.sram.threshold_exceeded", yes_no, "ecc_errors/aggregate/sram_threshold_exceeded"),
    *(
        Row(f"ecc.sram.uncorrectable_sources.{name}", number, f"ecc_errors/aggregate_uncorrectable_sram_sources/sram_{name}")
        for name in ("l2", "sm", "microcontroller", "pcie", "other")
    ),
    Row("retired_pages.single_bit_retirement.count", number, "retired_pages/multiple_single_bit_retirement/retired_count",
        "retired_pages.single_bit_ecc.count"),
    Row("retired_pages.double_bit_retirement.count", number, "retired_pages/double_bit_retirement/retired_count",
        "retired_pages.double_bit.count"),
    Row("retired_pages.pending_retirement", yes_no, "retired_pages/pending_retirement", "retired_pages.pending"),
    Row("remapped_rows.correctable", number, "remapped_rows/remapped_row_corr"),
    Row("remapped_rows.uncorrectable", number, "remapped_rows/remapped_row_unc"),
    Row("remapped_rows.pending", yes_no, "remapped_rows/remapped_row_pending"),
    Row("remapped_rows.failure_occurred", yes_no, "remapped_rows/remapped_row_failure"),
    *(
        Row(f"remapped_rows.availability_histogram.{name}", banks,
            f"remapped_rows/row_remapper_histogram/row_remapper_histogram_{name}")
        for name in ("max", "high", "partial", "low", "none")
    ),
    # Heat
    Row("thermal.temperature_gpu_c", celsius, "temperature/gpu_temp", "temperature.gpu", plain_celsius),
    Row("thermal.temperature_memory_c", celsius, "temperature/memory_temp", "temperature.memory", plain_celsius),
    Row("thermal.tlimit_c", celsius, "temperature/gpu_temp_tlimit", "temperature.gpu.tlimit", plain_celsius),
    Row("thermal.shutdown_tlimit_c", celsius, "temperature/gpu_temp_max_tlimit_threshold"),
    Row("thermal.slowdown_tlimit_c", celsius, "temperature/gpu_temp_slow_tlimit_threshold"),
    Row("thermal.max_operating_tlimit_c", celsius, "temperature/gpu_temp_max_gpu_tlimit_threshold"),
    Row("thermal.memory_max_operating_tlimit_c", celsius, "temperature/gpu_temp_max_mem_tlimit_threshold"),
    Row("thermal.shutdown_threshold_c", celsius, "temperature/gpu_temp_max_threshold"),
    Row("thermal.slowdown_threshold_c", celsius, "temperature/gpu_temp_slow_threshold"),
    Row("thermal.max_operating_c", celsius, "temperature/gpu_temp_max_gpu_threshold"),
    Row("thermal.memory_max_operating_c", celsius, "temperature/gpu_temp_max_mem_threshold"),
    Row("thermal.target_temperature_c", celsius, "temperature/gpu_target_temperature"),
    Row("thermal.target_min_c", celsius, "supported_gpu_target_temp/gpu_target_temp_min"),
    Row("thermal.target_max_c", celsius, "supported_gpu_target_temp/gpu_target_temp_max"),
    # Power
    Row("power.current_draw_mw", watts, "gpu_power_readings/power_draw", "power.draw"),
    Row("power.average_draw_mw", watts, field="power.draw.average"),
    Row("power.instant_draw_mw", watts, field="power.draw.instant"),
    Row("power.enforced_limit_mw", watts, "gpu_power_readings/current_power_limit", "enforced.power.limit"),
    Row("power.limit_mw", watts, "gpu_power_readings/requested_power_limit", "power.limit"),
    Row("power.default_limit_mw", watts, "gpu_power_readings/default_power_limit", "power.default_limit"),
    Row("power.min_limit_mw", watts, "gpu_power_readings/min_power_limit", "power.min_limit"),
    Row("power.max_limit_mw", watts, "gpu_power_readings/max_power_limit", "power.max_limit"),
    # Clocks
    *(
        Row(f"clocks.{ours}_{kind}", mhz, f"{section}/{theirs}_clock", f"clocks.{field}.{ours}" if field else "")
        for kind, section, field in (("current", "clocks", "current"), ("max", "max_clocks", "max"))
        for ours, theirs in (("graphics", "graphics"), ("sm", "sm"), ("memory", "mem"))
    ),
    Row("clocks.video_current", mhz, "clocks/video_clock", "clocks.current.video"),
    Row("clocks.video_max", mhz, "max_clocks/video_clock"),
    Row("clocks.graphics_app", mhz, "applications_clocks/graphics_clock", "clocks.applications.graphics"),
    Row("clocks.memory_app", mhz, "applications_clocks/mem_clock", "clocks.applications.memory"),
    Row("clocks.graphics_app_default", mhz, "default_applications_clocks/graphics_clock", "clocks.default_applications.graphics"),
    Row("clocks.memory_app_default", mhz, "default_applications_clocks/mem_clock", "clocks.default_applications.memory"),
    Row("clocks.graphics_max_customer_boost", mhz, "max_customer_boost_clocks/graphics_clock"),
]  # fmt: skip


class Report:
    def __init__(self) -> None:
        self.failures: dict[tuple[str, str], int] = {}  # by place and message: on how many GPUs
        self.compared: Counter[Row] = Counter()
        self.values = 0

    def fail(self, where: str, message: str) -> None:
        place = re.sub(r" GPU \d+", "", where)
        self.failures[place, message] = self.failures.get((place, message), 0) + 1

    def print(self) -> None:
        for (place, message), count in self.failures.items():
            print(f"FAIL {place}: {message}" + (f" ({count} GPUs)" if count > 1 else ""))

    def compare(self, row: Row, where: str, expected: str, actual: str) -> None:
        self.compared[row] += 1
        self.values += 1
        if expected != actual:
            self.fail(where, f"{row.key}: expected {expected!r}, printed {actual!r}")


INTEGRATED = ((11, 0), (12, 1))  # compute capabilities of GPUs that use the memory of the host


def expected_of(row: Row, gpu: dict, document: dict) -> Any:
    if row.key.startswith("memory.") and (lookup(gpu, "compute_capability.major"), lookup(gpu, "compute_capability.minor")) in INTEGRATED:
        return None
    if row.key.startswith("system."):
        return lookup(document, row.key)
    if row.key == "fan.speed_percent" and not lookup(gpu, "fan.count"):
        return None
    return lookup(gpu, row.key)


def known_fields(smi: Path, machine: str) -> set[str]:
    help_text = run([smi, "--help-query-gpu"], machine).text
    lines = [line for line in help_text.splitlines() if line.startswith('"')]
    return {name for line in lines for name in re.findall(r'"([A-Za-z0-9_.]+)"', line)}


def check_machine(report: Report, branch: str, smi: Path, machine: str, document: dict) -> None:
    gpus = gpus_of(document)
    where = f"{branch} {Path(machine).stem}"

    result = run([smi, "-q", "-x"], machine)
    try:
        log = ElementTree.fromstring(result.text[result.text.index("<nvidia_smi_log>"):])
    except (ValueError, ElementTree.ParseError) as error:
        return report.fail(where, f"-q -x gives no XML ({error}): {result.text[:200]!r}")
    elements = log.findall("gpu")
    if len(elements) != len(gpus) or log.findtext("attached_gpus") != str(len(gpus)):
        return report.fail(where, f"{len(elements)} GPUs in the XML, {len(gpus)} in the machine file")

    known = known_fields(smi, machine)
    fields = [row.field for row in TABLE if row.field in known]
    result = run([smi, f"--query-gpu=index,count,{','.join(fields)}", "--format=csv,noheader"], machine)
    rows = [[cell.strip() for cell in line] for line in csv.reader(io.StringIO(result.text))]
    if len(rows) != len(gpus) or any(len(line) != len(fields) + 2 for line in rows):
        return report.fail(where, f"--query-gpu gives no table: {result.text[:300]!r}")

    listing = run([smi, "-L"], machine).text.splitlines()
    uuids = set()
    for index, (gpu, element, line) in enumerate(zip(gpus, elements, rows)):
        here = f"{where} GPU {index}"
        cells = dict(zip(fields, line[2:]))
        if line[:2] != [str(index), str(len(gpus))]:
            report.fail(here, f"index and count print as {line[:2]}")
        uuid = element.findtext("uuid", "")
        uuids.add(uuid)
        if not re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", uuid) or cells.get("uuid") != uuid:
            report.fail(here, f"UUID {uuid!r} in the XML, {cells.get('uuid')!r} in the CSV")
        if index >= len(listing) or listing[index] != f"GPU {index}: {gpu['name']} (UUID: {uuid})":
            report.fail(here, f"-L prints {listing[index] if index < len(listing) else 'nothing'!r}")
        if element.get("id") != gpu["pci"]["bus_id"]:
            report.fail(here, f"id attribute {element.get('id')!r}")
        for row in TABLE:
            value = expected_of(row, gpu, document)
            if value is None:
                continue
            if row.xml:
                node = log.find(row.xml[3:]) if row.xml.startswith("../") else element.find(row.xml)
                if node is not None:
                    report.compare(row, f"{here} <{row.xml}>", row.form(value), (node.text or "").strip())
            if row.field in cells:
                report.compare(row, f"{here} {row.field}", (row.csv_form or row.form)(value), cells[row.field])
        check_supported_clocks(report, here, gpu, element)
        for node in element.iter():
            if (node.text or "").strip() in ERROR_NAMES and node.tag != "supported_graphics_clock":
                report.fail(here, f"<{node.tag}> prints {node.text!r}")
        for field, cell in cells.items():
            if cell.strip("[]") in ERROR_NAMES:
                report.fail(here, f"{field} prints {cell!r}")
    if len(uuids) != len(gpus):
        report.fail(where, "UUIDs repeat")


ROOM_FOR_CLOCKS = 256  # in these versions of nvidia-smi; where there are more it prints an error's name instead


def check_supported_clocks(report: Report, here: str, gpu: dict, element: ElementTree.Element) -> None:
    expected = [
        (f"{memory['freq_mhz']} MHz", [f"{clock} MHz" for clock in memory["graphics_clocks"]]
         if len(memory["graphics_clocks"]) <= ROOM_FOR_CLOCKS else ["Unknown Error"])
        for memory in lookup(gpu, "supported_clocks.memory_clocks") or []
    ]
    printed = [
        (node.findtext("value"), [clock.text for clock in node.findall("supported_graphics_clock")])
        for node in element.findall("supported_clocks/supported_mem_clock")
    ]
    report.values += sum(len(clocks) + 1 for _, clocks in expected)
    if expected and expected != printed:
        counts = [(memory, len(clocks)) for memory, clocks in printed]
        report.fail(here, f"supported clocks: {counts} printed, {[(m, len(c)) for m, c in expected]} expected")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", help="only this machine")
    options = parser.parse_args()
    machines = {path.stem: (path.stem, path) for path in sorted((SOURCE / "profiles").glob("*.yaml"))}
    machines[MARKED.stem] = (str(MARKED), MARKED)
    report = Report()
    for branch, smi in available_smi().items():
        before, failed = report.values, sum(report.failures.values())
        for stem, (machine, path) in machines.items():
            if options.machine in (None, stem):
                check_machine(report, branch, smi, machine, read_machine(path))
        differ = sum(report.failures.values()) - failed
        tell(f"nvidia-smi {branch}: {report.values - before} values of every built-in machine, {differ} differ")
    if not options.machine:
        for row in TABLE:
            if not report.compared[row]:
                report.fail("table", f"{row.key} ({row.xml or row.field}) was never compared")
    report.print()
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
