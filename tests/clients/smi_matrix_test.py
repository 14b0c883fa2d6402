#!/usr/bin/env python3
"""Every command that people run, with each real nvidia-smi, on each built-in machine.

No command may crash, hang or print "Unknown Error"; a command marked `works` must also succeed. Prints how many ran, went
well (with those that the GPU refuses: "not supported", a warning), were wrong, and crashed."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from clients import PATIENCE, Result, available_smi, machines, run, tell


@dataclass(frozen=True)
class Command:
    line: str  # arguments; {name} stands for a value of the machine, see `values_of`
    works: bool = False  # must end with 0
    endless: bool = False  # runs until Ctrl+C
    only: tuple[str, ...] = ()  # branches that know the option; empty = all


def works(*lines: str) -> list[Command]:
    return [Command(line, works=True) for line in lines]


def runs(*lines: str, only: tuple[str, ...] = ()) -> list[Command]:
    return [Command(line, only=only) for line in lines]


DISPLAYS = (
    "MEMORY UTILIZATION ECC TEMPERATURE POWER CLOCK COMPUTE PIDS PERFORMANCE SUPPORTED_CLOCKS PAGE_RETIREMENT "
    "ACCOUNTING ENCODER_STATS SUPPORTED_GPU_TARGET_TEMP VOLTAGE FBC_STATS ROW_REMAPPER RESET_STATUS "
    "MEMORY,UTILIZATION,ECC,TEMPERATURE,POWER,CLOCK"
).split()

COMMANDS: list[Command] = [
    # Looking
    *works("", "-L", "-q", "-q -x", "-q -x --dtd", "-q -i 0", "-h", "-B", "-i 0", "-i {last}"),
    *works(*(f"-q -d {display}" for display in DISPLAYS)),
    Command("--version", works=True, only=("550", "555")),
    Command("-q -d GSP_FIRMWARE_VERSION", works=True, only=("550", "555")),
    *works("-q -d MEMORY -i {last}", "-q -d CLOCK,POWER -i {uuid}"),
    *works("-q -i {index}", "-q -i {uuid}", "-q -i {bus}", "-q -x -i {uuid}", "-i {uuid}", "-i {bus}"),
    *runs("-L -i 0", "-L -f {file}"),
    *works("-i {uuid} --query-gpu=name --format=csv", "-i {bus} --query-gpu=name --format=csv"),
    *works("-i 0,{last} --query-gpu=index,name --format=csv", "-i {short_bus} --query-gpu=name --format=csv"),
    *runs("-i {serial} --query-gpu=name --format=csv", "-i 4096 -q", "-i GPU-00000000-0000-0000-0000-000000000000 -q"),
    *runs("-i nonsense -L", "-q -u", "-u -q -x", "--no-such-option"),
    *works("-q -f {file}", "-q -x -f {file}", "--dtd", "--dtd -u"),
    Command("-l 1", works=True, endless=True),
    Command("dmon", works=True, endless=True),
    Command("pmon", works=True, endless=True),
    Command("-lms 200 --query-gpu=utilization.gpu --format=csv", works=True, endless=True),
    Command("--query-gpu=timestamp,power.draw -l 1 --format=csv", works=True, endless=True),
    # Queries
    *works("--query-gpu={all_fields} --format=csv", "--query-gpu={all_fields} --format=csv,noheader,nounits"),
    *works("--help-query-gpu", "--help-query-compute-apps", "--help-query-accounted-apps"),
    *works("--help-query-supported-clocks", "--help-query-retired-pages", "--help-query-remapped-rows"),
    *works("--query-compute-apps=timestamp,gpu_name,gpu_bus_id,gpu_serial,gpu_uuid,pid,name,used_memory --format=csv"),
    *works("--query-compute-apps=pid --format=csv,noheader"),
    *runs("--query-accounted-apps=gpu_name,gpu_uuid,pid,gpu_util,mem_util,max_memory_usage,time --format=csv"),
    *runs("--query-supported-clocks=timestamp,gpu_name,gpu_bus_id,gpu_uuid,memory,graphics --format=csv"),
    *runs("--query-retired-pages=gpu_uuid,retired_pages.address,retired_pages.timestamp,retired_pages.cause --format=csv"),
    *runs(
        "--query-remapped-rows=gpu_uuid,remapped_rows.correctable,remapped_rows.uncorrectable,remapped_rows.pending,"
        "remapped_rows.failure --format=csv"
    ),
    # Topology, links
    *works("topo -m", "topo -mp"),
    *runs("topo -p2p r", "topo -p2p w", "topo -p2p n", "topo -p2p a", "topo -p2p p", "topo -c 0", "topo -n 0 -i 0"),
    *runs("topo -n 4 -i 0", "topo -p -i 0,{last}", "topo -C -i 0", "topo -M -i 0", "topo -gnid -i 0", "topo -h"),
    *runs("nvlink -s", "nvlink -c", "nvlink -e", "nvlink -p", "nvlink -R", "nvlink -gt d", "nvlink -gt r", "nvlink -h"),
    *runs("nvlink -s -i 0", "nvlink -ec", "nvlink -cBridge", "nvlink -re", "nvlink -r 0", "nvlink -sc 0bz", "nvlink -g 0"),
    *runs("nvlink -gLowPwrInfo", "nvlink -sLowPwrThres 100", only=("550", "555")),
    *runs("c2c -s", "c2c -h", "pci -gErrCnt", "pci -gCnt", "pci -h", "pci -cErrCnt"),
    # Monitoring
    *works("dmon -c 1", "dmon -c 1 -s pucvmet", "dmon -c 1 -i 0", "dmon -c 1 -o DT", "dmon -h", "pmon -h"),
    *works("pmon -c 1", "pmon -c 1 -s um", "pmon -c 1 -i 0"),
    *works("dmon -c 1 -s p", "dmon -c 1 -s u", "dmon -c 1 -s c", "dmon -c 1 -s v", "dmon -c 1 -s m", "dmon -c 1 -s e"),
    *works("dmon -c 1 -s t"),
    *runs("dmon -c 1 --gpm-metrics 1,2,3", only=("550", "555")),
    # MIG
    *runs("mig -lgip", "mig -lgipp", "mig -lgi", "mig -lci", "mig -lcip", "mig -cgi 0", "mig -cgi 19,19 -C", "mig -cci"),
    *runs("mig -dci", "mig -dgi", "mig -h", "mig -lgip -i 0", "-mig 1", "-mig 0", "-mig 1 -i 0"),
    # Setting
    *runs("-pm 1", "-pm 0", "-pm 1 -i 0", "-pl {power}", "-pl 1", "-pl 100000", "-pl {power} -i {uuid}"),
    *runs("-lgc {graphics}", "-lgc {graphics},{graphics}", "-lgc 0,100000", "-rgc", "-lmc {memory}", "-rmc"),
    *runs("-lmcd {memory}", "-rmcd", "-ac {memory},{graphics}", "-ac 1,1", "-rac", "-e 0", "-e 1", "-p 0", "-p 1"),
    *runs("-c 0", "-c 1", "-c 2", "-c 3", "-c 9", "-am 1", "-am 0", "-caa", "-r", "-r -i 0", "--gom=0", "--gom=1"),
    *runs("-fdm 0", "-dm 0", "-gtt 75", "-cc 0", "-cc 1", "-vm 3", "--auto-boost-default=1", "--auto-boost-permission=0"),
    *runs("-pl {power} --scope=1", "-lgc {graphics} --mode=1", "-eow -pm 1", "-t 0", "-pl {power} -eow"),
    # Other subcommands
    *runs("vgpu", "vgpu -q", "vgpu -s", "vgpu -c", "vgpu -m", "vgpu -ss", "vgpu -h"),
    Command("vgpu -u", endless=True),
    Command("vgpu -p", endless=True),
    *runs("conf-compute -f", "conf-compute -grs", "conf-compute -e", "conf-compute -gm", "conf-compute -h"),
    *runs("conf-compute -d", "conf-compute -gc", "conf-compute -srs 1", "conf-compute -q"),
    *runs("drain -q -p {drain_bus}", "drain -m 0 -p {drain_bus}", "drain -q", "drain -h", "clocks", "clocks -h", "clocks --sync-boost-list"),
    *runs("clocks --sync-boost-add 0,{last}", "clocks --sync-boost-remove 0", "clocks -som 1"),
    *runs("compute-policy -l", "compute-policy --set-timeslice default", "compute-policy -h"),
    *runs("boost-slider -l", "boost-slider --vboost 1", "boost-slider -h", "power-hint -l", "power-hint -h"),
    *runs("base-clocks", "base-clocks -h", "encodersessions -c 1", "encodersessions -h", "fbcsessions -c 1"),
    *runs("fbcsessions -h", "gpm -h", "gpm -g", "gpm -s 1", "daemon -h", "replay -h"),
    *runs("power-smoothing", "power-profiles"),
]

REFUSAL = re.compile(r"not supported|n't supported|unavailable|unable to|failed to|warning|insufficient|invalid|no devices", re.I)


def query_fields(smi: Path, machine: str) -> list[str]:
    """Every field that --help-query-gpu lists, by its first name."""
    text = run([smi, "--help-query-gpu"], machine).text
    return [match[1] for match in re.finditer(r'^"([A-Za-z0-9_.]+)"', text, re.M)]


def values_of(smi: Path, machine: str, folder: str) -> dict[str, str]:
    """What the placeholders of the commands stand for on this machine."""
    fields = query_fields(smi, machine)
    query = "index,uuid,pci.bus_id,serial,power.limit,clocks.max.graphics,clocks.max.memory"
    rows = run([smi, f"--query-gpu={query}", "--format=csv,noheader,nounits"], machine).text.strip().splitlines()
    if not fields or not rows or rows[0].count(",") != query.count(","):
        raise SystemExit(f"{machine}: nvidia-smi does not answer a plain query:\n" + "\n".join(rows))
    index, uuid, bus, serial, power, graphics, memory = (cell.strip() for cell in rows[0].split(","))
    return {
        "index": index, "uuid": uuid, "bus": bus, "short_bus": bus.removeprefix("00000000:"), "drain_bus": bus[4:], "serial": serial,
        "last": rows[-1].split(",")[0], "all_fields": ",".join(fields), "file": f"{folder}/smi-{{}}.txt",
        "power": power.split(".")[0] if power[0].isdigit() else "200",
        "graphics": graphics if graphics.isdigit() else "1000", "memory": memory if memory.isdigit() else "1000",
    }  # fmt: skip


# These versions of nvidia-smi make room for 256 graphics clocks. These GPUs have more, the library says so, and
# nvidia-smi prints its name for a code that it does not expect.
TOO_MANY_CLOCKS = re.compile(r"(Graphics\s*: |<supported_graphics_clock>)Unknown Error")
MACHINES_WITH_TOO_MANY_CLOCKS = ("gb200", "gb200-tray", "gb300", "rtx5090", "rtxpro6000")


def verdict(command: Command, machine: str, result: Result) -> tuple[str, str]:
    """One of ok, refused, crashed, wrong; and for the last two, why."""
    if result.hung:
        return "crashed", "did not end"
    if result.crashed:
        return "crashed", f"ended with {result.code}"
    text = TOO_MANY_CLOCKS.sub("", result.text) if machine in MACHINES_WITH_TOO_MANY_CLOCKS else result.text
    if "Unknown Error" in text:
        return "wrong", "prints Unknown Error"
    if command.works and result.code != 0:
        return "wrong", f"ended with {result.code}: {' / '.join(result.text.strip().splitlines()[-2:])[:200]}"
    return ("refused" if result.code != 0 or (not command.works and REFUSAL.search(result.text)) else "ok"), ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", help="only this driver branch")
    parser.add_argument("--machine", help="only this machine")
    parser.add_argument("--verbose", action="store_true", help="print every command with its verdict")
    options = parser.parse_args()
    names = [options.machine] if options.machine else [machine["name"] for machine in machines()]
    tally = dict.fromkeys(("ok", "refused", "crashed", "wrong"), 0)
    smis = {branch: smi for branch, smi in available_smi().items() if options.version in (None, branch)}
    # Those that run until Ctrl+C mostly sleep.
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(8) as busy, ThreadPoolExecutor(64) as sleeping:
        jobs = []
        for branch, smi in smis.items():
            for machine in names:
                values = values_of(smi, machine, folder)
                for command in COMMANDS:
                    if command.only and branch not in command.only:
                        continue
                    line = command.line.format(**values).replace("{}", f"{branch}-{len(jobs)}")
                    pool, interrupt = (sleeping, 2.5) if command.endless else (busy, None)
                    jobs.append((branch, machine, command, pool.submit(run, [smi, *line.split()], machine, PATIENCE, interrupt)))
        for branch, machine, command, future in jobs:
            outcome, reason = verdict(command, machine, future.result())
            tally[outcome] += 1
            if reason:
                print(f"FAIL {branch} {machine}: nvidia-smi {command.line}: {reason}")
            elif options.verbose:
                print(f"{outcome:8} {branch} {machine}: nvidia-smi {command.line}")
    tell(
        f"nvidia-smi {', '.join(smis)} on {len(names)} machines: {len(jobs)} commands, {tally['ok'] + tally['refused']} ok "
        f"({tally['refused']} of them refused by the GPU), {tally['wrong']} wrong, {tally['crashed']} crashed"
    )
    return 1 if tally["wrong"] or tally["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main())
