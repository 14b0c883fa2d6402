#!/usr/bin/env python3
"""`nvmlkit smi` prints what nvidia-smi prints.

Where nvidia-smi of the machine's driver branch is here (535, 550, 555), both run on built-in machines and on machines of
this test, and their outputs must be equal. Captures of newer drivers are imported, and the log of the imported machine is
compared with the capture line by line, as clients.fidelity does. docs/guides/smi.md shows the figures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from clients import BRANCHES, COMMAND, LIBRARY_DIR, distinct_machines, environment, nvidia_smi, skip, tell
from fidelity_test import Score, captures_folder, compare_lines, first_log, import_capture

# Per cent of the lines of all captures of 560 and newer. The test fails below; raise it when it is exceeded.
LINES_EQUAL = 99.9
OLDEST_BRANCH = 560

SMI = [COMMAND, "smi", "--library", LIBRARY_DIR / "libnvidia-ml.so.1"]

MIG_AND_PROCESSES = {
    "version": "1.0",
    "base": "h100",
    "system": {"num_devices": 3},
    "devices": [
        {
            "index": 0,
            "mig": {
                "mode_current": "enabled",
                "instances": [
                    {"profile": "3g.40gb", "compute_instances": [{"profile": "1c.3g.40gb"}, {"profile": "2c.3g.40gb"}]},
                    {"profile": "2g.20gb"},
                    {"profile": "1g.10gb"},
                ],
            },
        },
        {
            "index": 1,
            "memory": {"used_bytes": 1000 << 20},
            "utilization": {"gpu": 20, "memory": 10},
            "processes": [
                {"pid": 4242, "type": "C", "name": "python3", "used_memory_mib": 301},
                {"pid": 4343, "type": "G", "name": "/usr/lib/xorg/" + "a name longer than its column " * 3, "used_memory_mib": 11},
                {"pid": 4444, "type": "C+G", "name": "a", "used_memory_mib": 5},
            ],
        },
        {"index": 2, "fan": {"count": 1, "speed_percent": 33}},
    ],
}
MIXED = {
    "version": "1.0",
    "base": "h100",
    "system": {"num_devices": 4},
    "devices": [{"index": 1, "base": "t4"}, {"index": 2, "base": "a100"}, {"index": 3, "base": "rtx4090"}],
}
# NVLinks between GPUs, one that is down, a window that is no whole number of MiB.
OLD = {
    "version": "1.0",
    "base": "v100",
    "system": {"num_devices": 3},
    "device_defaults": {"bar1_memory": {"used_bytes": 1703936}},
}

# On every machine.
COMMANDS = [[], ["-q"], ["-q", "-x"]]
# On the machines of this test.
SECTIONS = (
    "MEMORY,UTILIZATION,ECC,TEMPERATURE,POWER,CLOCK,COMPUTE,PIDS,PERFORMANCE,SUPPORTED_CLOCKS,PAGE_RETIREMENT,ACCOUNTING,"
    "ENCODER_STATS,SUPPORTED_GPU_TARGET_TEMP,VOLTAGE,FBC_STATS,ROW_REMAPPER,RESET_STATUS"
)
MORE_COMMANDS = [
    ["-L"],
    *(["-q", "-d", section] for section in SECTIONS.split(",")),
    ["-q", "-d", "MEMORY,ECC", "-i", "1"],
    ["-q", "-i", "9"],
    ["-q", "-d", "WEATHER"],
    ["-q", "-x", "-d", "ECC"],
    ["--weather"],
    ["--query-gpu=weather", "--format=csv"],
    ["--query-gpu=name"],
    ["--query-gpu=name", "--format=xml"],
    ["--query-gpu=name,memory.total,fan.speed,temperature.gpu", "--format=csv,noheader,nounits"],
    ["--query-compute-apps=pid,name,used_memory,gpu_uuid,gpu_bus_id", "--format=csv"],
    ["topo", "-m"],
    ["mig", "-lgip"],
    ["mig", "-lgi"],
    ["mig", "-lci"],
    ["mig", "-lcip"],
    ["dmon", "-c", "1", "-s", "pucvmet"],
    *(["topo", "-p2p", capability] for capability in "rwnapx"),
    ["topo", "-p2p"],
    *(["nvlink", about] for about in ("-s", "-c", "-e", "-p", "-R", "-z")),
    ["nvlink", "-s", "-i", "1"],
    *(["pmon", "-c", "1", "-s", groups] for groups in ("u", "m", "um", "x")),
    ["pmon", "-c", "1", "-i", "1"],
    ["--query-supported-clocks=gpu_name,gpu_bus_id,gpu_serial,gpu_uuid,mem,gr", "--format=csv"],
    ["--query-supported-clocks=memory", "--format=csv,noheader,nounits"],
    ["--query-remapped-rows=gpu_uuid,remapped_rows.correctable,remapped_rows.uncorrectable,remapped_rows.pending,"
     "remapped_rows.failure", "--format=csv"],
    ["--query-remapped-rows=weather", "--format=csv"],
    ["--query-remapped-rows=gpu_name"],
    ["--query-retired-pages=gpu_name,retired_pages.address,retired_pages.timestamp,retired_pages.cause", "--format=csv"],
]


def printed(command: list, machine: str, branch: str | None = None, user: dict | None = None) -> tuple[int, str]:
    more = {"NVMLKIT_DRIVER": branch} if branch else {}
    done = subprocess.run(
        command,
        env={**environment(machine), "TZ": "UTC", **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **(user or {}),
    )
    return done.returncode, done.stdout.decode(errors="replace")


def another_user(folder: Path) -> dict:
    """People take captures without root, who sees less. Root becomes nobody here, who must be able to read the build."""
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    if os.geteuid() != 0:
        return {}
    folder.chmod(0o755)
    try:
        tried = subprocess.run([COMMAND, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **nobody)
    except OSError:
        return {}
    return nobody if tried.returncode == 0 else {}


def without_time(text: str) -> list[str]:
    """A time is of its own line, or the first value of a line of --query-gpu."""
    lines = re.sub(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}", "TIME", text, flags=re.MULTILINE).split("\n")
    return [line for line in lines if not re.match(r"Timestamp  |\s*<timestamp>|\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d", line)]


def every_field(smi: Path) -> list[str]:
    """--query-gpu with all fields that this nvidia-smi lists."""
    told = printed([smi, "--help-query-gpu"], "h100")[1]
    names = [name for name in re.findall(r'^"([\w.]+)"', told, re.MULTILINE) if name != "timestamp"]
    return [f"--query-gpu={','.join(names)}", "--format=csv"]


def compare_with_programs(folder: Path) -> bool:
    smis = {branch: path for branch in BRANCHES if (path := nvidia_smi(branch))}
    if not smis:
        skip("no nvidia-smi here")
    machines = [machine["name"] for machine in distinct_machines()]
    for name, machine in {"mig": MIG_AND_PROCESSES, "mixed": MIXED, "old": OLD}.items():
        (folder / f"{name}.json").write_text(json.dumps(machine))
        machines.append(str(folder / f"{name}.json"))
    runs = lines = different = 0
    for branch, smi in smis.items():
        for machine in machines:
            more = [*MORE_COMMANDS, every_field(smi)] if machine.endswith(".json") else []
            for command in COMMANDS + more:
                status, theirs = printed([smi, *command], machine, branch)
                own_status, ours = printed([*SMI, *command], machine, branch)
                expected, found = without_time(theirs), without_time(ours)
                wrong = sum(a != b for a, b in zip(expected, found)) + abs(len(expected) - len(found))
                runs += 1
                lines += len(expected)
                different += wrong
                if wrong or status != own_status:
                    pair = next(((a, b) for a, b in zip(expected + [""], found + [""]) if a != b), ("", ""))
                    print(f"FAIL {branch} {Path(machine).stem} {' '.join(command)[:60]}: {wrong} lines differ, status {status} "
                          f"here {own_status}; first {pair[0]!r} here {pair[1]!r}")
                    different += status != own_status
    tell(f"nvmlkit smi and nvidia-smi {', '.join(smis)}: {len(machines)} machines, {runs} outputs, {lines} lines, "
         f"{different} differ")
    return different == 0


def compare_with_captures(folder: Path, paths: list[Path], least: float) -> bool:
    total, captures, user = Score(), 0, another_user(folder)
    percentages = []
    for path in paths:
        log = first_log(path)
        if log is None or int(log.branch) < OLDEST_BRANCH:
            continue
        machine = import_capture(path, folder)
        if machine is None:
            return False
        score = Score()
        options = ["-q", "-x"] if log.xml else ["-q"]
        compare_lines(score, log, printed([*SMI, *options], str(machine), user=user)[1].splitlines())
        captures += 1
        percentages.append(score.percentage)
        total.total += score.total
        total.equal += score.equal
        for name, cases in score.classes.items():
            total.classes[name] += cases
        print(f"  {path.stem}: {' '.join(options)}, {score.total} lines, {score.equal} equal, {score.percentage:.2f} %")
    if not captures:
        return True
    mean = sum(percentages) / captures
    tell(f"nvmlkit smi and captures of {OLDEST_BRANCH} and newer: {captures} captures, {total.total} lines, {total.equal} "
         f"equal, {total.percentage:.2f} %, on average {mean:.2f} %")
    for name, cases in sorted(total.classes.items(), key=lambda item: -len(item[1])):
        capture, captured, ours = cases[0]
        print(f"  {len(cases):5} {name}: {captured!r} here {ours!r} ({capture})")
    if mean >= least:
        return True
    print(f"FAIL {mean:.2f} % on average is below {least} %")
    return False


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if sys.argv[1:]:
            return 0 if compare_with_captures(folder, [Path(name) for name in sys.argv[1:]], 0) else 1
        good = compare_with_programs(folder)
        captures = captures_folder()
        good &= compare_with_captures(folder, sorted(captures.glob("*.txt")), LINES_EQUAL)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
