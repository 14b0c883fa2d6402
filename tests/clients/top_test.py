#!/usr/bin/env python3
"""`nvmlkit top` on a terminal and as text: what it shows, every key, its sizes, its cost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND, UNDER_QEMU, needs_start_times
from fixture import ClientTest
from terminal import TERMINAL, Terminal

FINE = re.compile(r"^.▸|^.▾", re.M)
COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?3[0-7](?:;[0-9;]*)?m")
HEAD = 3
# The list of the key `f`; a test compares them.
FAULTS = ("xid 79", "xid 48", "xid 63", "xid 74", "xid 94", "xid 95", "xid 119", "lost", "off-bus", "reset-required",
          "thermal hw", "thermal sw", "power-brake", "ecc dram corrected --count 10", "ecc dram uncorrected",
          "ecc l2 uncorrected", "remap pending", "remap failed", "nvlink 0 down", "nvlink all down", "nvlink 0 errors",
          "fan all", "inforom", "recovery reset", "fabric degraded-bandwidth", "removed")  # fmt: skip


class Top(ClientTest):
    def on_terminal(self, *arguments: str, columns: int = 80, rows: int = 24, **more: str) -> Terminal:
        command = [str(COMMAND), "top", *arguments]
        return Terminal(command, {**self.environment, "TERM": TERMINAL, **more}, columns, rows)

    def frame(self, *arguments: str, **more: str) -> list[str]:
        return self.good("top", "--once", *arguments, **more).splitlines()

    def row(self, gpu: int, *arguments: str) -> str:
        rows = [line for line in self.frame("--fold", *arguments) if re.match(rf".[▸▾] *{gpu} ", line)]
        self.assertEqual(len(rows), 1, rows)
        return rows[0]


class Values(Top):
    def test_of_a_row_are_those_of_the_machine(self) -> None:
        self.up("h100", 2)
        self.good("set", "gpu=1", "thermal.gpu=71", "power.current_draw_mw=612345", "utilization.gpu=92",
                  "memory.used_bytes=42949672960", "clocks.sm_current=1410")  # fmt: skip
        row = self.row(1)
        for text in ("H100 80GB HBM3", " 92%", "40.0/80G", "612/700W", "71°C", "1410MHz"):
            self.assertIn(text, row)
        self.assertIn("hottest 71°C GPU 1", self.frame()[1])

    def test_reasons_ecc_and_links(self) -> None:
        self.up("h100", 2)
        self.good("load", "gpu=0", "100%")
        self.good("fault", "gpu=0", "power-brake")
        self.good("fault", "gpu=0", "ecc", "dram", "corrected", "--count", "12")
        text = "\n".join(self.frame())
        self.assertIn("power brake", text)
        self.assertIn("12 corrected", text)
        self.assertRegex(text, r"PCIe gen5 x16 +↑[\d.]+ [KMG]B/s ↓[\d.]+ [KMG]B/s +NVLink x18 +↑[\d.]+ GB/s ↓[\d.]+ GB/s")

    @needs_start_times
    def test_processes_with_their_memory(self) -> None:
        self.up("h100", 2)
        program = subprocess.Popen([COMMAND, "run", "--uses", "gpu=1", "--memory", "3GiB", "--", "sleep", "60"],
                                   env=self.environment, start_new_session=True)  # fmt: skip
        self.addCleanup(lambda: (os.killpg(program.pid, signal.SIGKILL), program.wait()))
        deadline = time.monotonic() + 20
        while not (users := json.loads(self.good("status", "--json"))["processes"]) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(len(users), 1)
        lines = [line for line in self.frame() if "PID" in line]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], rf"PID +{users[0]['pid']} C +3\.0G .*sleep")

    def test_mig_devices(self) -> None:
        machine = self.folder / "mig.yaml"
        machine.write_text("base: h100\ndevice_defaults:\n  mig:\n    mode_current: enabled\n    mode_pending: enabled\n    instances:\n"
                           "      - {profile: 3g.40gb}\n      - {profile: 1g.10gb}\n", encoding="utf-8")  # fmt: skip
        self.up(machine, 1)
        lines = [line for line in self.frame() if "MIG" in line]
        self.assertEqual([re.search(r"MIG \d +(\S+)", line)[1] for line in lines], ["3g.40gb", "1g.10gb"], lines)
        self.assertRegex(lines[0], r"GI/CI \d+/\d+ +[\d.]+/40G")

    def test_on_every_driver_branch(self) -> None:
        for branch in ("535", "550", "555", "580"):
            with self.subTest(branch=branch):
                frame = "\n".join(self.frame("-m", "a100", "-n", "1", "--driver", branch))
                self.assertIn(f"driver {branch}.", frame)
                self.assertRegex(frame, r"PCIe gen4 x16 +↑")

    def test_names_of_others_bring_no_control_characters(self) -> None:
        machine = self.folder / "odd.yaml"
        machine.write_text('base: t4\ndevice_defaults:\n  name: "T4\\e[31mred"\n', encoding="utf-8")
        result = self.nvmlkit("top", "--once", "-c", machine)
        if result.returncode == 0:  # else the machine file is refused
            self.assertNotIn("\x1b", result.stdout)


class Text(Top):
    def test_frames_of_a_batch(self) -> None:
        self.up("t4", 2)
        printed = self.good("top", "--batch", "--frames", "3", "--interval", "50ms", "--size", "80x10")
        frames = printed.split("\n nvmlkit top")
        self.assertEqual(len(frames), 3)
        for frame in frames:
            self.assertLessEqual(max(map(len, frame.splitlines())), 80)

    def test_a_fault_shows_in_the_next_frame(self) -> None:
        self.up("h100", 2)
        batch = subprocess.Popen([COMMAND, "top", "--batch", "--fold", "--interval", "300ms"], env=self.environment,
                                 stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.addCleanup(lambda: (batch.kill(), batch.communicate()))
        assert batch.stdout

        def frame() -> str:
            out = ""
            for line in batch.stdout:
                if not line.strip():
                    return out
                out += line
            return out

        self.assertNotIn("LOST", frame())
        self.good("fault", "gpu=1", "lost")
        # The frame after the next one at the latest: the next one may have been under way.
        self.assertIn("LOST", frame() + frame())
        self.good("heal", "gpu=1")
        frame()
        self.assertNotIn("LOST", frame())

    def test_sorted_and_filtered(self) -> None:
        self.up("h100", 4)
        self.good("set", "gpu=2", "thermal.gpu=90")
        rows = self.frame("--fold", "--sort", "temp")[HEAD:]
        self.assertIn("90°C", rows[0])
        rows = self.frame("--fold", "--filter", "temp>=90")[HEAD:]
        self.assertEqual(len([row for row in rows if "H100" in row]), 1)

    def test_a_closed_pipe_ends_it(self) -> None:
        self.up("t4", 1)
        line = subprocess.run(f"'{COMMAND}' top --batch --interval 50ms | head -1", shell=True, env=self.environment,
                              capture_output=True, text=True, timeout=60).stdout  # fmt: skip
        self.assertIn("nvmlkit top", line)

    def test_what_is_refused(self) -> None:
        self.up("t4", 1)
        self.assertIn("not a terminal; --once or --batch", self.refused("top"))
        self.assertIn("--interval", self.refused("top", "--once", "--interval", "0"))
        self.assertIn("--size", self.refused("top", "--once", "--size", "3x3"))
        self.good("fault", "machine", "driver-not-loaded")
        result = self.nvmlkit("top", "--once")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("driver is not loaded", result.stderr)

    def test_no_gpu(self) -> None:
        self.up("t4", 1)
        self.good("fault", "machine", "no-devices")
        self.assertIn("  no GPU", self.frame())

    def test_a_made_machine_leaves_no_file(self) -> None:
        self.assertIn("Tesla T4", "\n".join(self.frame("-m", "t4", "-n", "1")))
        self.assertEqual([path.name for path in (self.folder / "nvmlkit").iterdir() if path.name.startswith("run")], [])


class Faults(Top):
    # An H100 has no fans, and the view validates no inforom.
    SILENT = ("fan all", "inforom")

    def test_of_each_kind_show_in_the_next_frame(self) -> None:
        """In virtual time nothing else changes. Xids show as events on a terminal, see below."""
        for driver in ("550", "580"):
            before = self.frame_of(driver)
            taken = 0
            for fault in FAULTS:
                with self.subTest(driver=driver, fault=fault):
                    shown = self.frame_of(driver, fault)
                    if shown is None:  # not of this GPU, or not of this driver
                        continue
                    taken += 1
                    if not fault.startswith(("xid", *self.SILENT)):
                        self.assertNotEqual(shown, before)
            self.assertGreater(taken, 20, driver)

    def frame_of(self, driver: str, fault: str = "") -> list[str] | None:
        """The frame of a new machine with a fault, without the curves; none where the fault is refused."""
        line = self.good("up", "-m", "h100", "-n", "2", "--driver", driver, "--state", self.state, NVMLKIT_TIME="virtual")
        self.environment.update(re.findall(r"(\w+)='([^']*)'", line))
        if fault and self.nvmlkit("fault", "gpu=0", *fault.split()).returncode:
            return None
        self.good("time", "advance", "5s")  # errors of a link come one a second
        return [line for line in self.frame()[1:] if not re.search("[⠀-⣿]", line)]

    def test_xids_show_as_events(self) -> None:
        self.up("h100", 2)
        with self.on_terminal() as top:
            top.wait_for(lambda s: "H100" in s)
            top.type("e")
            for fault in FAULTS:
                if fault.startswith("xid"):
                    self.good("fault", "gpu=1", *fault.split())
                    top.wait_for(lambda s, number=fault[4:]: f"GPU 1    Xid {number}" in s)
                    self.good("heal", "gpu=1")


class Keys(Top):
    def test_each(self) -> None:
        self.up("h100", 8)
        self.good("set", "gpu=6", "thermal.gpu=77")
        with self.on_terminal() as top:
            top.wait_for(lambda s: "H100" in s and "❯▾  0" in s)
            top.type("j")
            top.wait_for(lambda s: "❯▾  1" in s)
            top.type("k")
            top.wait_for(lambda s: "❯▾  0" in s)
            for key, gpu in (("\x1bOB", 1), ("\x1bOA", 0), ("\x1b[6~", 7), ("\x1b[5~", 0),
                             ("\x1b[4~", 7), ("\x1b[1~", 0)):  # fmt: skip
                top.type(key)
                top.wait_for(lambda s, gpu=gpu: f"❯▾  {gpu}" in s)
            top.type(" ")
            top.wait_for(lambda s: "❯▸  0" in s)
            top.type("\r")
            top.wait_for(lambda s: "❯▾  0" in s)
            top.type("-")
            top.wait_for(lambda s: s.count("▸") == 8)
            top.type("+")
            top.wait_for(lambda s: s.count("▾") == 3 and "▸" not in s)
            top.type("=")
            top.wait_for(lambda s: s.count("▾") == 1 and s.count("▸") == 7)
            for key, word in (("u", "util"), ("m", "mem"), ("w", "power"), ("c", "clock"), ("t", "temp")):
                top.type(key)
                top.wait_for(lambda s, word=word: f"sort {word}↓" in s)
            top.wait_for(lambda s: re.search(r"SM STATE\n.[▸▾]  6 ", s) is not None)
            top.type("r")
            top.wait_for(lambda s: "sort temp↑" in s)
            top.type("i")
            top.wait_for(lambda s: "sort" not in s.splitlines()[1])
            top.type("s")
            top.wait_for(lambda s: "sort util↓" in s)
            top.type("i/temp>")
            top.wait_for(lambda s: "filter: temp>_" in s)
            top.type("70")
            top.wait_for(lambda s: len(FINE.findall(s)) == 1 and "❯▾  6" in s)
            top.type("\x1b")
            top.wait_for(lambda s: len(FINE.findall(s)) == 8)
            top.type("e")
            top.wait_for(lambda s: "EVENTS" in s)
            top.type("e?")
            top.wait_for(lambda s: "KEYS" in s and "heal" in s)
            top.type("?]")
            top.wait_for(lambda s: " 2 s " in s)
            top.type("[[")
            top.wait_for(lambda s: " 0.5 s " in s)
            top.type("p")
            top.wait_for(lambda s: "paused" in s)
            top.type("pb")
            top.wait_for(lambda s: "paused" not in s and re.search("[▁▂▃▄▅▆▇]", s) is not None)
            top.type("q")
            self.assertEqual(top.end(), 0)

    def test_that_steer(self) -> None:
        self.up("h100", 2)
        with self.on_terminal() as top:
            top.wait_for(lambda s: "H100" in s)
            top.type("l")
            top.wait_for(lambda s: "load GPU 0 (percent, or off): 80%_" in s)
            top.type("\x7f\x7f\x7f95%\r")
            top.wait_for(lambda s: "done: load gpu=0 95%" in s and " 95%" in s)
            self.assertIn("workload.gpu=95", self.good("get", "gpu=0").splitlines())
            top.type("jf")
            top.wait_for(lambda s: "BREAK GPU 1" in s and "❯ xid 79" in s)
            top.type("\r")
            top.wait_for(lambda s: "LOST" in s and "GPU 1    Xid 79" in s)
            self.assertIn("lost", self.good("fault"))
            top.type("h")
            top.wait_for(lambda s: "LOST" not in s)
            self.assertEqual(self.good("fault"), "no faults\n")
            top.type(":set gpu=0 thermal.gpu=88\r")
            top.wait_for(lambda s: "88°C" in s)
            top.type(":set gpu=0 nonsense=1\r")
            top.wait_for(lambda s: "nonsense" in s.splitlines()[-1] and "unknown" in s.splitlines()[-1])
            top.type(":fault machine no-permission\r")
            top.wait_for(lambda s: "done: fault machine" in s)
            top.type("H")
            top.wait_for(lambda s: "done: heal machine" in s)
            self.assertEqual(self.good("fault"), "no faults\n")
            top.type("\x03")
            self.assertEqual(top.end(), 0)

    def test_every_fault_of_the_list_is_one(self) -> None:
        self.up("h100", 1)
        with self.on_terminal(rows=60) as top:
            top.wait_for(lambda s: "H100" in s)
            top.type("f")
            screen = top.wait_for(lambda s: "❯ xid 79" in s and "removed" in s)
        faults = [line[3:].strip() for line in screen.splitlines()[HEAD:] if re.match(r" [ ❯] \w", line)]
        self.assertEqual(tuple(faults), FAULTS)
        for fault in faults:
            result = self.nvmlkit("fault", "gpu=0", *fault.split())
            refusal = result.stderr.splitlines()[0] if result.returncode else ""
            self.assertRegex(refusal, r"^$|has no|cannot|does not|no fan", fault)  # words are known; an H100 lacks some parts
            self.good("heal", "gpu=0")

    def test_a_machine_that_is_not_steered(self) -> None:
        self.up("t4", 1)
        library = Path(self.environment["LD_LIBRARY_PATH"].split(":")[0]) / "libnvidia-ml.so.1"
        with self.on_terminal("--library", str(library)) as top:
            top.wait_for(lambda s: "Tesla T4" in s)
            top.type("lfhH:?")
            screen = top.wait_for(lambda s: "KEYS" in s)
            self.assertNotIn("heal", screen)
        self.assertEqual(self.good("fault"), "no faults\n")


class Screens(Top):
    def test_sizes(self) -> None:
        self.up("h100", 8)
        with self.on_terminal() as top:
            top.wait_for(lambda s: "H100" in s)
            for columns, rows in ((200, 60), (120, 40), (40, 12), (20, 5), (300, 100), (80, 24)):
                top.resize(columns, rows)
                if rows > 5:
                    top.wait_for(lambda s: "GPU" in s.splitlines()[2] and "? help" in s.splitlines()[-1])
                else:
                    top.wait_for(lambda s: "nvmlkit top" in s.splitlines()[0])
            top.resize(10, 3)
            top.wait_for(lambda s: "too small" in s)
            top.resize(300, 100)
            top.wait_for(lambda s: s.count("▾") == 8 and "BUS ID" in s)
            top.type("q")
            self.assertEqual(top.end(), 0)

    def test_colours_and_none(self) -> None:
        self.up("h100", 1)
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "vt220"}, False)):
            with self.subTest(variables=variables), self.on_terminal(**variables) as top:
                top.wait_for(lambda s: "H100" in s and "? help" in s)
                self.assertEqual(COLOUR.search(top.written) is not None, coloured)

    def test_ascii_only(self) -> None:
        self.up("h100", 2)
        for variables in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"TERM": "linux"}):
            with self.subTest(variables=variables), self.on_terminal(**variables) as top:
                screen = top.wait_for(lambda s: "H100" in s and ">-" in s)
                self.assertTrue(screen.isascii(), screen)
        self.assertTrue("".join(self.frame(LC_ALL="C")).isascii())
        self.assertTrue("".join(self.frame("--ascii")).isascii())

    def test_an_unknown_terminal(self) -> None:
        self.up("t4", 1)
        with self.on_terminal(TERM="no-such-terminal") as top:
            self.assertEqual(top.end(), 2)
            self.assertIn("TERM names no terminal", top.text())

    def test_a_signal_and_the_end_of_the_terminal(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number), self.on_terminal("-m", "t4", "-n", "1") as top:
                top.wait_for(lambda s: "Tesla T4" in s)
                os.kill(top.process, number)
                self.assertEqual(top.end(), 0)
                self.assertIn(b"\x1b[?1l", top.written)  # the keys are as before
        self.assertEqual([path.name for path in (self.folder / "nvmlkit").iterdir() if path.name.startswith("run")], [])

    def test_a_driver_that_goes_and_comes(self) -> None:
        self.up("h100", 2)
        with self.on_terminal("--interval", "200ms") as top:
            top.wait_for(lambda s: "H100" in s)
            top.type(":fault machine fail nvmlDeviceGetCount_v2 DRIVER_NOT_LOADED\r")
            top.wait_for(lambda s: "driver is not loaded" in s and "H100" not in s)
            top.type("H")
            top.wait_for(lambda s: "H100" in s)


class ManyGpus(Top):
    def test_1024_cost_less_than_two_percent_of_a_core(self) -> None:
        self.up("h100", 1024)
        self.good("load", "gpu=all", "50%")
        for arguments in ((), ("--sort", "temp")):
            with self.subTest(arguments=arguments), self.on_terminal(*arguments, columns=200, rows=60) as top:
                top.wait_for(lambda s: "of 1024" in s)
                top.type("\x1b[4~")
                top.wait_for(lambda s: arguments or "1023" in s)
                seconds, before = 8.0, self.run_time(top.process)
                end = time.monotonic() + seconds
                while time.monotonic() < end:
                    top.read(0.1)
                share = (self.run_time(top.process) - before) / seconds
                print(f"1,024 GPUs {' '.join(arguments)}: {100 * share:.2f} % of a core at a frame a second")
                self.assertLess(share, 1 if UNDER_QEMU else 0.02)

    @staticmethod
    def run_time(process: int) -> float:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


if __name__ == "__main__":
    unittest.main()
