#!/usr/bin/env python3
"""A machine that is up: nvmlkit up, down, status, get, set, and a run with a machine of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR
from fixture import ClientTest


class State(ClientTest):
    def test_up_prints_what_a_shell_evaluates(self) -> None:
        line = self.good("up", "-m", "t4", "-n", "3")
        script = f"{line.strip()}; exec {COMMAND} list"
        listed = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, env=self.environment)
        self.assertEqual(len(listed.stdout.splitlines()), 4, listed.stderr)
        self.assertIn(str(LIBRARY_DIR), line)
        self.assertEqual((self.folder / "nvmlkit").stat().st_mode & 0o777, 0o700)

    def test_up_puts_the_machine_where_the_environment_says(self) -> None:
        state = str(self.folder / "here")
        self.assertIn(state, self.good("up", "-m", "t4", "-n", "3", NVMLKIT_STATE=state))
        self.assertIn("3 x Tesla T4", self.good("status", NVMLKIT_STATE=state))
        self.refused("status")
        self.good("up", "-m", "h100", "-n", "2", NVMLKIT_STATE=state)
        self.assertIn("2 x NVIDIA H100", self.good("status", NVMLKIT_STATE=state))
        self.good("down", NVMLKIT_STATE=state)
        self.assertFalse(Path(state).exists())

    def test_status_and_down(self) -> None:
        self.assertIn("nvmlkit up", self.refused("status"))
        self.refused("down")
        self.good("up", "-m", "t4", "-n", "3")
        self.assertIn("3 x Tesla T4", self.good("status"))
        status = json.loads(self.good("status", "--json"))
        self.assertEqual((status["machine"], status["count"], status["writes"]), ("t4", 3, 0))
        self.good("down")
        self.refused("status")

    def test_down_removes_nothing_else(self) -> None:
        other = self.folder / "letter"
        other.write_text("dear reader")
        self.assertIn("no state file", self.refused("down", "--state", str(other)))
        self.assertTrue(other.exists())

    def test_a_folder_open_to_others_is_refused(self) -> None:
        (self.folder / "nvmlkit").mkdir()
        (self.folder / "nvmlkit").chmod(0o755)
        self.assertIn("0700", self.refused("up", "-m", "t4"))

    def test_get_and_set(self) -> None:
        self.good("up", "-m", "h100", "-n", "2")
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw"), "700000\n")
        self.good("set", "gpu=all", "power.limit_mw=300000", "thermal.temperature_gpu_c=85")
        uuid = self.good("get", "gpu=1", "uuid").strip()
        bus_id = self.good("get", "gpu=1", "pci.bus_id").strip()
        for selector in ("gpu=1", f"gpu={uuid}", f"gpu={bus_id}"):
            self.assertEqual(self.good("get", selector, "power.enforced_limit_mw"), "300000\n")
        both = json.loads(self.good("get", "gpu=all", "thermal.temperature_gpu_c", "--json"))
        self.assertEqual(both, [{"gpu": 0, "value": 85}, {"gpu": 1, "value": 85}])
        self.good("set", "gpu=0", "fan.speed_percent=N/A")
        self.assertEqual(self.good("get", "gpu=0", "fan.speed_percent"), "N/A\n")

    def test_bad_input_changes_nothing(self) -> None:
        self.good("up", "-m", "h100", "-n", "2", NVMLKIT_TIME="virtual")
        before = self.good("get", "gpu=all")
        cases = {
            ("gpu=0", "power.limt_mw=1"): "did you mean 'limit_mw'?",
            ("gpu=0", "power.limit_mw=3"): "at least 200000",
            ("gpu=all", "thermal.temperature_gpu_c=900"): "-60 to 200",
            ("gpu=0", "thermal.temperature_gpu_c=hot"): "whole number",
            ("gpu=0", "compute_mode=exclusive"): "exclusive",
            ("gpu=7", "persistence_mode=enabled"): "no GPU '7'",
            ("0", "persistence_mode=enabled"): "gpu=INDEX",
            ("gpu=0", "persistence_mode"): "PATH=VALUE",
            ("gpu=0", "name: x\nserial=1"): "path",
            ("gpu=0", "thermal.temperature_gpu_c=50", "powr.x=1"): "power",
            ("gpu=all", "uuid=GPU-00000000-0000-0000-0000-000000000000"): "uuid",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.refused("set", *arguments))
        for words in (("set",), ("set", "gpu=0"), ("status", "--jsn"), ("load", "gpu=0"), ("nonsense",)):
            self.assertEqual(len(self.refused(*words).splitlines()), 1, words)
        self.assertIn("did you mean 'power'?", self.refused("get", "gpu=0", "powr"))
        self.assertEqual(self.good("get", "gpu=all"), before)

    def test_another_file_is_refused_by_every_command(self) -> None:
        other = self.folder / "letter"
        other.write_text("dear reader" * 4000)
        for command in (["status"], ["get", "gpu=0"], ["set", "gpu=0", "name=x"], ["list"]):
            text = self.refused(*command, NVMLKIT_STATE=str(other))
            self.assertIn(str(other), text)
        self.assertIn(str(other), self.refused("up", "-m", "t4", "--state", str(other)))
        self.assertEqual(other.read_text(), "dear reader" * 4000)

    def test_run_has_a_machine_that_its_children_share(self) -> None:
        script = f"{COMMAND} set gpu=0 power.limit_mw=300000 && {COMMAND} get gpu=0 power.limit_mw; echo $NVMLKIT_STATE"
        limit, state = self.good("run", "-m", "h100", "--", "/bin/sh", "-c", script).splitlines()
        self.assertEqual(limit, "300000")
        self.assertFalse(Path(state).exists())
        self.assertEqual(list((self.folder / "nvmlkit").iterdir()), [])

    def test_run_uses_the_machine_that_is_up(self) -> None:
        self.good("up", "-m", "t4", "-n", "1")
        state = str(self.folder / "nvmlkit" / "machine")
        self.good("run", "--", COMMAND, "set", "gpu=0", "power.limit_mw=60000", NVMLKIT_STATE=state)
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw"), "60000\n")
        self.good("run", "-m", "t4", "--", COMMAND, "set", "gpu=0", "power.limit_mw=70000", NVMLKIT_STATE=state)
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw"), "60000\n")
        self.assertIn("-n", self.refused("run", "-n", "2", "--", "/bin/true", NVMLKIT_STATE=state))

    def test_signals_reach_the_program_and_its_death_is_ours(self) -> None:
        script = "trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"
        for script, expected in ((script, 9), ("echo ready; kill -KILL $$", -signal.SIGKILL)):
            run = subprocess.Popen(
                [COMMAND, "run", "-m", "t4", "--", "/bin/sh", "-c", script],
                stdout=subprocess.PIPE,
                env=self.environment,
            )
            self.assertEqual(run.stdout.readline(), b"ready\n")
            time.sleep(0.1)
            if expected == 9:
                run.terminate()
            self.assertEqual(run.wait(timeout=120), expected)
            run.stdout.close()
            self.assertEqual(list((self.folder / "nvmlkit").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
