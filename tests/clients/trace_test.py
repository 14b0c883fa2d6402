#!/usr/bin/env python3
"""`nvmlkit trace`: what programs print is the same in a replay without a machine; files of threads, forks, killed programs and
full disks; the commands that read them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from collections import Counter
from pathlib import Path

from clients import BRANCHES, COMMAND, LIBRARY_DIR, SYSTEM_PYTHON, available_smi, tell
from fixture import ClientTest

TRACE = LIBRARY_DIR / "trace"

MACHINE = """version: "1.0"
base: h100
system: {num_devices: 3}
devices:
- index: 0
  mig: {mode_current: enabled, instances: [{profile: 3g.40gb}, {profile: 1g.10gb}]}
- index: 1
  workload: {gpu: 80, memory: 40}
  processes: [{pid: 4242, type: C, name: python3, used_memory_mib: 301}]
- {index: 2, base: t4}
"""

OUTPUTS = [
    [],
    ["-L"],
    ["-q"],
    ["-q", "-x"],
    ["-q", "-d", "MEMORY,ECC,CLOCK,POWER"],
    ["--query-gpu=name,uuid,power.draw,temperature.gpu,memory.used,utilization.gpu", "--format=csv"],
    ["--query-compute-apps=pid,used_memory", "--format=csv"],
    ["topo", "-m"],
    ["nvlink", "-s"],
    ["mig", "-lgi"],
]

# Calls NVML from threads, then from a child: N calls each. Prints a line when a thread has made a hundred.
PROGRAM = """
import ctypes, os, sys, threading
nvml = ctypes.CDLL("libnvidia-ml.so.1")
calls, forks = int(sys.argv[1]), len(sys.argv) > 2
assert nvml.nvmlInit_v2() == 0
device = ctypes.c_void_p()
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
def work():
    power = ctypes.c_uint()
    for i in range(1, calls + 1):
        assert nvml.nvmlDeviceGetPowerUsage(device, ctypes.byref(power)) == 0
        if i % 100 == 0: os.write(1, b"hundred\\n")
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
if forks and os.fork() == 0:
    assert nvml.nvmlInit_v2() == 0
    work()
    sys.exit(0)
if forks: os.wait()
"""


CLOCK = re.compile(r"\d\d:\d\d:\d\d \d{4}")


def is_a_second_apart(recorded: str, replayed: str) -> bool:
    """Whether only times of day differ. A second may begin between a call and the program's look at the clock: the time after
    a call passes as in the recording, and on a busy machine not at the same pace."""
    return recorded != replayed and CLOCK.sub("", recorded) == CLOCK.sub("", replayed)


class TraceTest(ClientTest):
    def trace(self, *words: str | Path, check: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        done = self.run_in(COMMAND, "trace", *words, **more)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def recordings(self, folder: str = "calls") -> list[Path]:
        return sorted((self.folder / folder).glob("*.nvtrace"))

    def counts(self, path: Path) -> dict:
        return json.loads(self.trace("count", "--json", path).stdout)

    def calls_of(self, path: Path, function: str) -> int:
        return sum(row["calls"] for row in self.counts(path)["functions"] if row["function"] == function)

    def python(self, *words: str) -> list[str]:
        return [SYSTEM_PYTHON, "-c", PROGRAM, *words]


class Replays(TraceTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "machine.yaml").write_text(MACHINE)

    def record_and_replay(self, machine: list[str | Path], smi: Path, arguments: list[str], number: str) -> tuple[str, str, str]:
        """What nvidia-smi printed with the machine, and without it."""
        recorded = self.run_in(COMMAND, "trace", "record", "-o", self.folder / number, *machine, "--", smi, *arguments)
        # The time that the output shows is that of the recording. No machine, no library of the environment.
        self.assertEqual(len(self.recordings(number)), 1, recorded.stderr)
        time.sleep(1.1)
        replayed = self.run_in(COMMAND, "trace", "replay", "--strict", self.folder / number, "--", smi, *arguments)
        self.assertEqual(replayed.returncode, recorded.returncode, replayed.stderr)
        return recorded.stdout, replayed.stdout, replayed.stderr

    def test_nvidia_smi_prints_the_same_bytes(self) -> None:
        compared = 0
        for branch, smi in available_smi().items():
            for driver in dict.fromkeys((branch, "550")):
                machine = ["-c", self.folder / "machine.yaml", "--driver", driver]
                for place, arguments in enumerate(OUTPUTS):
                    if driver != branch and arguments != ["-q"]:
                        continue
                    with self.subTest(branch=branch, driver=driver, arguments=arguments):
                        number = f"{branch}-{driver}-{place}"
                        for again in range(3):
                            recorded, replayed, said = self.record_and_replay(machine, smi, arguments, f"{number}-{again}")
                            if not is_a_second_apart(recorded, replayed):
                                break
                        self.assertEqual(recorded, replayed)
                        self.assertTrue(recorded)
                        self.assertEqual(said, "")
                        compared += 1
        tell(f"nvmlkit trace: {compared} outputs of nvidia-smi are equal, byte for byte, in a replay without a machine")

    def test_a_machine_of_eight_gpus(self) -> None:
        branch, smi = next(iter(available_smi().items()))
        recorded, replayed, _ = self.record_and_replay(["-m", "h100"], smi, ["-q"], "eight")
        self.assertEqual(CLOCK.sub("", recorded), CLOCK.sub("", replayed))
        self.assertEqual(recorded.count("Product Name"), 8)

    def test_without_its_machine_nvidia_smi_prints_something_else(self) -> None:
        """The replay depends on the file: another recording is another output."""
        smi = next(iter(available_smi().values()))
        outputs = {m: self.record_and_replay(["-m", m, "-n", "1"], smi, ["-L"], m)[1] for m in ("t4", "l40s")}
        self.assertIn("T4", outputs["t4"])
        self.assertIn("L40S", outputs["l40s"])

    def test_calls_outside_of_the_recording_are_listed(self) -> None:
        smi = next(iter(available_smi().values()))
        self.record_and_replay(["-m", "h100", "-n", "2"], smi, ["-L"], "listed")
        other = self.trace("replay", "--strict", self.folder / "listed", "--", smi, "-q", check=False)
        self.assertRegex(other.stderr, r"\d+ calls are not in the recording:")
        self.assertRegex(other.stderr, r"\d+ x nvml\w+\(")
        self.assertNotEqual(other.returncode, 0)

    def test_the_clock_of_the_program_is_that_of_the_recording(self) -> None:
        smi = next(iter(available_smi().values()))
        self.record_and_replay(["-m", "h100", "-n", "1"], smi, ["-L"], "clock")
        begin = json.loads(self.trace("show", "--json", "-n", "1", self.folder / "clock").stdout)["time_ns"] / 1e9
        file = self.recordings("clock")[0]
        program = [SYSTEM_PYTHON, "-c", "import time; print(time.time())"]
        shown = float(self.trace("replay", file, "--", *program).stdout)
        self.assertLess(abs(shown - begin), 1.0)
        real = float(self.trace("replay", "--real-time", file, "--", *program).stdout)
        self.assertGreater(real - begin, 1.0)

    def test_what_is_no_recording_is_refused(self) -> None:
        for words, message in (
            ([self.folder / "none", "--", "true"], "no such file"),
            ([self.folder / "machine.yaml", "--", "true"], "no recording of calls"),
            ([self.folder, "--", "true"], "has no recording of calls"),
        ):
            refused = self.trace("replay", *words, check=False)
            self.assertEqual(refused.returncode, 2)
            self.assertIn(message, refused.stderr)


class Records(TraceTest):
    def test_the_library_of_the_program_is_recorded(self) -> None:
        """Inside of another machine's run, by --library, and by the search of the library itself."""
        smi = next(iter(available_smi().values()))
        inside = self.run_in(
            COMMAND, "run", "-m", "t4", "-n", "1", "--", COMMAND, "trace", "record", "-o", self.folder / "run", "--", smi, "-L"
        )
        self.assertIn("T4", inside.stdout)
        named = self.trace("record", "-o", self.folder / "named", "--library", LIBRARY_DIR / "libnvidia-ml.so.1", "--", smi, "-L",
                           NVMLKIT_MACHINE="l4")  # fmt: skip
        self.assertIn("L4", named.stdout)
        alone = self.run_in(smi, "-L", NVMLKIT_MACHINE="a30", NVMLKIT_TRACE_RECORD=str(self.folder / "alone"),
                            LD_LIBRARY_PATH=f"{TRACE}:{LIBRARY_DIR}")  # fmt: skip
        self.assertIn("A30", alone.stdout)
        for folder in ("run", "named", "alone"):
            self.assertIn(f"{LIBRARY_DIR}/libnvidia-ml.so.1", self.trace("show", self.folder / folder).stdout.splitlines()[0])

    def test_without_a_library_the_command_is_refused(self) -> None:
        for words, more in (([], {"NVMLKIT_NVML_LIBRARY": "/missing/libnvidia-ml.so.1"}), (["--library", "/missing/lib.so"], {})):
            refused = self.trace("record", *words, "-o", self.folder / "calls", "--", "true", check=False, **more)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("/missing/", refused.stderr)
            self.assertFalse((self.folder / "calls").exists())

    def test_the_status_of_the_program_is_that_of_the_command(self) -> None:
        for words, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], -signal.SIGKILL)):
            done = self.trace("record", "-m", "h100", "-o", self.folder / "calls", "--", *words, check=False)
            self.assertEqual(done.returncode, status)
            self.assertIn("no process called NVML", done.stderr)

    def test_threads_and_children(self) -> None:
        self.trace("record", "-m", "h100", "-o", self.folder / "calls", "--", *self.python("500", "fork"))
        files = self.recordings()
        self.assertEqual(len(files), 2)
        calls = sorted(self.calls_of(file, "nvmlDeviceGetPowerUsage") for file in files)
        self.assertEqual(calls, [500, 2000])
        parent = max(files, key=lambda file: file.stat().st_size)
        self.assertEqual(len({json.loads(line)["thread"] for line in self.trace("show", "--json", parent).stdout.splitlines()}), 5)
        self.assertTrue(self.counts(parent)["complete"])

    def test_a_killed_program_leaves_its_calls(self) -> None:
        environment = {
            **self.environment,
            "NVMLKIT_MACHINE": "h100",
            "NVMLKIT_TRACE_RECORD": str(self.folder / "calls"),
            "LD_LIBRARY_PATH": f"{TRACE}:{LIBRARY_DIR}",
        }
        with subprocess.Popen(self.python("1000000000"), env=environment, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout
            hundreds = sum(program.stdout.readline() == "hundred\n" for _ in range(40))
            running = self.calls_of(self.recordings()[0], "nvmlDeviceGetPowerUsage")
            self.assertGreaterEqual(running, 3000)  # the file is read while the program runs
            program.kill()
            hundreds += program.stdout.read().count("hundred\n")
        counts = self.counts(self.recordings()[0])
        self.assertFalse(counts["complete"])
        kept = self.calls_of(self.recordings()[0], "nvmlDeviceGetPowerUsage")
        self.assertGreaterEqual(kept + counts["lost"], hundreds * 100)
        tell(f"nvmlkit trace: {kept} calls of a killed program, of at least {hundreds * 100} finished ones")

    def test_the_limit_holds(self) -> None:
        self.trace("record", "-m", "h100", "--limit", "256KiB", "-o", self.folder / "calls", "--", *self.python("20000"))
        file = self.recordings()[0]
        self.assertLessEqual(file.stat().st_size, 256 << 10)
        counts = self.counts(file)
        self.assertEqual(counts["calls"], 80002)
        self.assertGreater(counts["lost"], 0)
        self.assertEqual(self.calls_of(file, "nvmlInit_v2"), 1)
        refused = self.trace("record", "--limit", "1KiB", "--", "true", check=False)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--limit: expected at least 256KiB", refused.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "a disk of its own needs root")
    def test_a_full_disk_does_not_disturb_the_program(self) -> None:
        for size, message in (("600k", "calls"), ("16k", "the calls of this process are not recorded")):
            mount = f"mount -t tmpfs -o size={size} tmpfs {self.folder}/disk && exec \"$@\""
            (self.folder / "disk").mkdir(exist_ok=True)
            done = self.run_in("unshare", "--mount", "sh", "-c", mount, "sh", COMMAND, "trace", "record", "-m", "h100", "-o",
                               self.folder / "disk", "--", *self.python("5000"))  # fmt: skip
            if "unshare" in done.stderr or "mount:" in done.stderr:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("hundred"), 200)
            self.assertIn(message, done.stderr)


class Reads(TraceTest):
    def setUp(self) -> None:
        super().setUp()
        self.smi = next(iter(available_smi().values()))
        for name, limit in (("a", "400000"), ("b", "523000")):
            machine = self.folder / f"{name}.yaml"
            machine.write_text(f'version: "1.0"\nbase: h100\nsystem: {{num_devices: 1}}\ndevice_defaults: {{power: {{limit_mw: {limit}}}}}\n')
            self.trace("record", "-c", machine, "-o", self.folder / name, "--", self.smi, "--query-gpu=power.limit", "--format=csv")

    def test_show_and_count(self) -> None:
        lines = self.trace("show", self.folder / "a").stdout.splitlines()
        self.assertIn("nvidia-smi --query-gpu=power.limit --format=csv", lines[0])
        self.assertTrue(all(re.match(r" *\d+\.\d{3} ms +1  .+\) = \w+.*, \d+\.\d us$", line) for line in lines[1:]), lines[1:])
        rows = self.counts(self.recordings("a")[0])["functions"]
        self.assertEqual(sum(row["calls"] for row in rows), len(lines) - 1)
        some = self.trace("show", "--function", "nvmlInit*", self.folder / "a").stdout.splitlines()
        self.assertEqual(len(some), 2)

    def test_differences(self) -> None:
        same = self.trace("diff", self.folder / "a", self.folder / "a")
        self.assertEqual(same.stdout, "")
        other = self.trace("diff", self.folder / "a", self.folder / "b", check=False)
        self.assertEqual(other.returncode, 1)
        self.assertRegex(other.stdout, r"(?m)^-   success, \w+=400000$\n^\+   success, \w+=523000$")
        rows = json.loads(self.trace("diff", "--json", self.folder / "a", self.folder / "b", check=False).stdout)
        self.assertTrue(any(row["left"].endswith("=400000") and row["differing"] == row["left_calls"] for row in rows), rows)

    def test_lines_for_the_bindings(self) -> None:
        target = self.folder / "a.trace"
        self.trace("convert", "--json", self.folder / "a", "-o", target)
        lines = [json.loads(line) for line in target.read_text().splitlines()]
        self.assertEqual(lines[0]["nvmlkit_trace"], 2)
        counted = json.loads(self.trace("count", "--json", self.folder / "a").stdout)["functions"]
        public = {row["function"]: row["calls"] for row in counted if row["function"].startswith("nvml")}
        public.pop("nvmlInternalGetExportTable", None)
        self.assertEqual(Counter(line["f"] for line in lines[1:]), public)


if __name__ == "__main__":
    if not (TRACE / "libnvidia-ml.so.1").exists():
        from clients import skip

        skip("no lib/trace/libnvidia-ml.so.1")
    assert BRANCHES
    unittest.main(argv=sys.argv)
