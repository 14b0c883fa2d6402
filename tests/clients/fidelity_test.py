#!/usr/bin/env python3
"""What a real machine printed, our machine prints again.

Every capture of `nvidia-smi -q` or `-q -x` in the shared folder is imported. Where the real nvidia-smi of the capture's
driver branch is here, it runs on the imported machine and its output is compared line by line. For captures of other
drivers the nearest one runs, and every value that both outputs show is compared. docs/fidelity.md explains what differs.

The captures are other people's data and no part of the project; without them the test is skipped."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from clients import COMMAND, SOURCE, available_smi, environment, skip, tell

# The figures reached. The test fails below them; raise them when they are exceeded.
LINES_EQUAL = 99.64  # per cent of the lines of captures whose nvidia-smi is here
VALUES_EQUAL = 99.90  # per cent of the values of other captures

# What nvidia-smi prints where it was not told; a machine answers with what its profile says.
# What makes a GPU that GPU. Import writes what differs from the built-in machine, so none of these may be written.
DEFINING = re.compile(
    r"^ +(name|brand|architecture|device_id|base_class|sub_class|device_max_link_gen|max_link_width|memory_clocks"
    r"|(graphics|sm|memory|video)_max|graphics_max_customer_boost|\w+_app_default|(default|min|max)_limit_mw"
    r"|(shutdown|slowdown)_threshold_c|\w*max_operating_c|\w+_tlimit_c|target_\w+_c|total_bytes|oem_object|ecc_object"
    r"|pwr_object|buffer_size):"
)
# An L40S with ECC has less memory than one without; both were captured.
BY_MODE = ("l40s", "total_bytes")
# Of a GPU with margins nvidia-smi prints no degrees, though an H100 answers all.
NOT_PRINTED = re.compile(r"((shutdown|slowdown)_threshold|(memory_)?max_operating)_c: N/A$")
# A board of 500 W with the name of that of 400 W, which two other captures have.
OTHER_BOARDS = ("a100-sxm4-80gb-v12dtd-535.54.03-telegraf",)
NOT_TOLD = ("Requested functionality has been deprecated", "Insufficient Permissions", "Unknown Error")


@dataclass
class Log:
    """One output of -q or -q -x inside a capture."""

    capture: str
    xml: bool
    driver: str
    lines: list[str]

    @property
    def branch(self) -> str:
        return self.driver.split(".")[0]


@dataclass
class Score:
    total: int = 0
    equal: int = 0
    classes: dict[str, list[tuple[str, str, str]]] = field(default_factory=lambda: defaultdict(list))

    def differ(self, name: str, capture: str, captured: str, ours: str) -> None:
        self.classes[name].append((capture, captured, ours))

    @property
    def percentage(self) -> float:
        return 100.0 * self.equal / self.total if self.total else 0.0


def captures_folder() -> Path:
    facts = os.environ.get("NVMLKIT_SHARED_FACTS_DIR")
    folder = (Path(facts) if facts else SOURCE.parent / "shared" / "facts").parent / "captures"
    if not folder.is_dir():
        skip(f"no captures in {folder}")
    return folder


def first_log(path: Path) -> Log | None:
    """The log that import reads: the first of a file."""
    lines = path.read_text(errors="replace").splitlines()
    for start, line in enumerate(lines):
        if "<nvidia_smi_log" in line:
            end = next(i for i in range(start, len(lines)) if "</nvidia_smi_log>" in lines[i])
            body, xml = lines[start : end + 1], True
        elif line.strip() == "==============NVSMI LOG==============":
            end = start + 1
            while end < len(lines) and re.match(r"\s|$|GPU [0-9A-Fa-f:.]+$|[A-Z][\w ]* : ", lines[end]):
                end += 1
            body, xml = lines[start:end], False
        else:
            continue
        driver = re.search(r"(?:Driver Version\s*: |<driver_version>)([\d.]+)", "\n".join(body))
        return Log(path.stem, xml, driver.group(1) if driver else "0", body) if driver else None
    return None


def nearest(smis: dict[str, Path], branch: str) -> Path:
    """Older drivers cut memory off at whole MiB, newer ones round up: the nearest nvidia-smi prints most alike."""
    return smis[min(smis, key=lambda here: abs(int(here) - int(branch)))]


def import_capture(path: Path, folder: Path) -> Path | None:
    machine = folder / f"{path.stem}.yaml"
    done = subprocess.run([COMMAND, "import", path, "-o", machine], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"FAIL {path.name} is not imported: {done.stderr.strip()}")
        return None
    return machine


def smi_lines(smi: Path, machine: Path, xml: bool) -> list[str]:
    command = [smi, "-q", "-x"] if xml else [smi, "-q"]
    done = subprocess.run(command, env={**environment(str(machine)), "TZ": "UTC"}, capture_output=True, text=True)
    return done.stdout.splitlines()


def plain(lines: list[str], xml: bool) -> list[str]:
    """Without indentation, empty lines, the frame of the document and the time. XML in one form: some captures went
    through programs that write it another way."""
    if xml:
        lines = xml_lines(lines)
    stripped = (line.strip() for line in lines)
    return [line for line in stripped if line and not re.match(r"Timestamp|<timestamp>|<\?xml|<!DOCTYPE|=====", line)]


def xml_lines(lines: list[str]) -> list[str]:
    out: list[str] = []

    def walk(element: ElementTree.Element) -> None:
        attributes = "".join(f' {name}="{value}"' for name, value in element.items())
        text = (element.text or "").strip()
        if len(element) == 0 and text:
            return out.append(f"<{element.tag}{attributes}>{text}</{element.tag}>")
        out.extend([f"<{element.tag}{attributes}>", text])
        for child in element:
            walk(child)
        out.append(f"</{element.tag}>")

    start = next((i for i, line in enumerate(lines) if "<nvidia_smi_log" in line), len(lines))
    if start < len(lines):
        walk(ElementTree.fromstring("\n".join(lines[start:])))
    return out


def blocks(lines: list[str]) -> list[list[str]]:
    """The host, and each GPU."""
    out: list[list[str]] = [[]]
    for line in lines:
        if re.match(r"<gpu id=|GPU [0-9A-Fa-f]{8}:", line):
            out.append([])
        out[-1].append(line)
    return out


def class_of(line: str) -> str:
    tag = re.match(r"</?(\w+)", line)
    return f"<{tag.group(1)}>" if tag else re.split(r"\s+: ", line)[0]


def compare_lines(score: Score, log: Log, ours: list[str]) -> None:
    theirs_blocks, our_blocks = blocks(plain(log.lines, log.xml)), blocks(plain(ours, log.xml))
    our_blocks += [[]] * (len(theirs_blocks) - len(our_blocks))
    for theirs, own in zip(theirs_blocks, our_blocks):
        score.total += len(theirs)
        for kind, a, b, c, d in difflib.SequenceMatcher(None, theirs, own, autojunk=False).get_opcodes():
            if kind == "equal":
                score.equal += b - a
                continue
            for i in range(max(b - a, d - c)):
                captured = theirs[a + i] if a + i < b else "(no line)"
                printed = own[c + i] if c + i < d else "(no line)"
                score.differ(class_of(captured if a + i < b else printed), log.capture, captured, printed)


def xml_values(lines: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}

    def walk(element: ElementTree.Element, path: str) -> None:
        seen: dict[str, int] = defaultdict(int)
        for child in element:
            seen[child.tag] += 1
            here = f"{path}/{child.tag}" + (f"[{seen[child.tag]}]" if seen[child.tag] > 1 or child.tag == "gpu" else "")
            if len(child) == 0:
                values[here] = (child.text or "").strip()
            walk(child, here)

    walk(ElementTree.fromstring("\n".join(lines)), "")
    return values


def text_values(lines: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    stack: list[tuple[int, str]] = []
    gpus = 0
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while stack and stack[-1][0] >= indent:
            stack.pop()
        name, colon, value = re.match(r"\s*(.*?)\s*(?:(:)(?: (.*))?)?$", line).groups() if " :" in line else (line.strip(), None, None)
        if indent == 0 and re.match(r"GPU [0-9A-Fa-f]{8}:", line):
            gpus += 1
            name, colon = f"gpu[{gpus}]", None
        path = "/".join([part for _, part in stack] + [name])
        if colon:
            while path in values:
                path += "'"
            values[path] = (value or "").strip()
        stack.append((indent, name))
    return values


def compare_values(score: Score, log: Log, ours: list[str]) -> None:
    start = next((i for i, line in enumerate(ours) if "<nvidia_smi_log" in line), None) if log.xml else 0
    if start is None:
        score.total += 1
        return score.differ("no output", log.capture, "", "\n".join(ours)[:200])
    read = xml_values if log.xml else text_values
    theirs, own = read(log.lines), read(ours[start:])
    for path in sorted(theirs.keys() & own.keys()):
        name = re.sub(r"\[\d+\]", "", path)
        if "imestamp" == name.strip("/")[1:] or theirs[path] in NOT_TOLD or own[path] in NOT_TOLD:
            continue
        score.total += 1
        if theirs[path] == own[path]:
            score.equal += 1
        else:
            score.differ(name, log.capture, theirs[path], own[path])


def profile_differences(machine: Path) -> list[str] | None:
    """Defining values in which a captured GPU differs from the built-in machine; nothing if there is no such machine."""
    lines = machine.read_text().splitlines()
    base = next((line.split(": ")[1] for line in lines if line.startswith("base: ")), None)
    if base is None:
        return None
    found = [(base, match.group(1), line.strip()) for line in lines if (match := DEFINING.match(line))]
    return [f"{base}: {line}" for base, key, line in found if (base, key) != BY_MODE and not NOT_PRINTED.match(line)]


def report(title: str, unit: str, captures: int, score: Score, least: float) -> bool:
    tell(f"fidelity {title}: {captures} captures, {score.total} {unit}, {score.equal} equal, {score.percentage:.2f} %")
    for name, cases in sorted(score.classes.items(), key=lambda item: -len(item[1])):
        capture, captured, ours = cases[0]
        print(f"  {len(cases):5} {name}: {captured!r} here {ours!r} ({capture}"
              + (f" and {len({case[0] for case in cases}) - 1} more" if len({case[0] for case in cases}) > 1 else "") + ")")
    if score.percentage >= least:
        return True
    print(f"FAIL {title}: {score.percentage:.2f} % is below {least} %")
    return False


def main() -> int:
    folder = captures_folder()
    smis = available_smi()
    lines, values = Score(), Score()
    compared = {"lines": 0, "values": 0}
    known, differences = 0, []
    good = True
    only = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(folder.glob("*.txt")):
            if only and path.stem not in only:
                continue
            log = first_log(path)
            if log is None:
                continue
            machine = import_capture(path, Path(scratch))
            if machine is None:
                good = False
                continue
            differs = profile_differences(machine) if path.stem not in OTHER_BOARDS else None
            known += differs is not None
            differences += [f"{path.stem}: {line}" for line in differs or []]
            if log.branch in smis:
                compared["lines"] += 1
                compare_lines(lines, log, smi_lines(smis[log.branch], machine, log.xml))
            else:
                compared["values"] += 1
                compare_values(values, log, smi_lines(nearest(smis, log.branch), machine, log.xml))
    if not compared["lines"]:
        skip("no capture of a branch whose nvidia-smi is here")
    good &= report("of the same branch", "lines", compared["lines"], lines, 0 if only else LINES_EQUAL)
    if compared["values"]:
        good &= report("of other drivers", "values", compared["values"], values, 0 if only else VALUES_EQUAL)
    print(f"built-in machines: {known} captures of their GPUs, {len(differences)} defining values differ")
    for line in differences:
        print(f"FAIL {line}")
    return 0 if good and not differences else 1


if __name__ == "__main__":
    sys.exit(main())
