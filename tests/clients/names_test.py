#!/usr/bin/env python3
"""Several machines of one user side by side: nvmlkit up --name, and the commands about one or all of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import COMMAND
from fixture import ClientTest


def has_environment(process: int) -> bool:
    """Is the process alive? A dead one that nobody has waited for has none."""
    try:
        return bool(Path(f"/proc/{process}/environ").read_bytes())
    except OSError:
        return False


class Names(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.states = self.folder / "nvmlkit"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def test_every_command_takes_a_name(self) -> None:
        self.good("up", "-m", "t4", "-n", "1")
        self.good("up", "--name", "job", "-m", "h100", "-n", "2")
        name = ("--name", "job")
        self.good("set", "gpu=1", "power.limit_mw=300000", *name)
        self.assertEqual(self.good("get", "gpu=1", "power.limit_mw", *name), "300000\n")
        self.assertEqual(len(self.good("list", *name).splitlines()), 3)
        self.good("load", "gpu=0", "80%", *name)
        self.good("release", "gpu=0", *name)
        self.assertIn("real", self.good("time", *name))
        self.good("fault", *name, "gpu=0", "xid", "31")
        self.good("fault", "gpu=0", "lost", *name)
        self.assertIn("gpu=0 lost", self.good("fault", *name))
        self.good("heal", "gpu=0", *name)
        self.assertEqual(self.good("vgpu", "list", *name), "no vGPUs\n")
        self.assertEqual(self.good("run", *name, "--", COMMAND, "get", "gpu=1", "power.limit_mw"), "300000\n")
        self.assertEqual(len(json.loads(self.good("caps", *name, "--json"))["gpus"]), 2)
        self.assertIn("base: h100", self.good("capture", *name))
        self.good("root", str(self.folder / "root"), *name)
        self.assertIn("machine-job", (self.folder / "root" / "nvidia-cdi.json").read_text())
        # None of this touched the machine without a name.
        self.assertIn("1 x Tesla T4", self.good("status"))
        self.assertEqual(json.loads(self.good("status", "--json", "--name", "default"))["writes"], 0)

    def test_a_name_stands_before_the_environment(self) -> None:
        self.good("up", "--name", "a", "-m", "t4", "-n", "1")
        self.good("up", "--name", "b", "-m", "t4", "-n", "3")
        state = str(self.states / "machine-a")
        self.assertEqual(len(self.good("list", NVMLKIT_STATE=state).splitlines()), 2)
        self.assertEqual(len(self.good("list", "--name", "b", NVMLKIT_STATE=state).splitlines()), 4)
        self.assertIn("3 x Tesla T4", self.good("status", "--name", "b", NVMLKIT_STATE=state))

    def test_up_prints_the_state_file(self) -> None:
        line = self.good("up", "--name", "test-7", "-m", "t4", "-n", "2")
        self.assertIn(f"NVMLKIT_STATE='{self.states / 'machine-test-7'}'", line)
        script = f'{line.strip()}; "{COMMAND}" set gpu=0 power.limit_mw=60000'
        subprocess.run(["/bin/sh", "-c", script], check=True, env=self.environment)
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw", "--name", "test-7"), "60000\n")

    def test_status_lists_all(self) -> None:
        self.good("up", "--name", "b", "-m", "t4", "-n", "3")
        self.good("up", "--name", "a", "-m", "h100", "-n", "2")
        lines = self.good("status").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["Name", "a", "b"])
        self.assertIn("2 x NVIDIA H100", lines[1])
        self.good("up", "-m", "l40s", "-n", "1")
        text = self.good("status")
        self.assertIn("Machine      l40s", text)
        self.assertEqual([line.split()[0] for line in text.splitlines()[-3:]], ["default", "a", "b"])
        found = json.loads(self.good("status", "--json"))
        self.assertEqual(found["machine"], "l40s")
        self.assertEqual([(m["name"], m["machine"], m["count"]) for m in found["machines"]],
                         [("default", "l40s", 1), ("a", "h100", 2), ("b", "t4", 3)])  # fmt: skip

    def test_a_file_that_cannot_be_used_is_listed_and_removed(self) -> None:
        self.good("up", "--name", "a", "-m", "t4", "-n", "1")
        state = self.states / "machine-a"
        state.write_bytes(state.read_bytes()[:4096])
        self.assertIn(str(state), self.good("status"))
        self.good("down", "--all")
        self.assertEqual(list(self.states.iterdir()), [])

    def test_down(self) -> None:
        self.good("down", "--all")
        for name in ("a", "b", "c"):
            self.good("up", "--name", name, "-m", "t4", "-n", "1")
        self.good("up", "-m", "t4", "-n", "1")
        self.good("down", "--name", "b")
        self.assertEqual(sorted(file.name for file in self.states.iterdir()), ["machine", "machine-a", "machine-c"])
        self.assertIn("'b'", self.refused("down", "--name", "b"))
        self.good("down", "--all")
        self.assertEqual(list(self.states.iterdir()), [])
        self.assertIn("--all", self.refused("down", "--all", "--name", "a"))

    def test_refusals_name_the_place_and_the_way(self) -> None:
        self.good("up", "--name", "a", "-m", "t4", "-n", "1")
        for name in ("../x", "-x", "a.b", "x" * 65, "a b"):
            with self.subTest(name=name):
                self.assertIn("--name", self.refused("up", f"--name={name}", "-m", "t4"))
        text = self.refused("get", "gpu=0", "--name", "b")
        self.assertIn("'b'", text)
        self.assertIn(": a)", text)
        self.assertIn("nvmlkit up --name b", text)
        self.assertIn(": a)", self.refused("get", "gpu=0"))
        self.assertIn("--name", self.refused("status", "--name", "a", "--state", "/x"))
        for option in (("-m", "t4"), ("-c", "x.yaml"), ("-n", "1")):
            self.refused("list", "--name", "a", *option)
        self.assertEqual(self.good("list", "--name", "a").count("Tesla T4"), 1)

    def test_a_name_that_is_up_is_not_replaced(self) -> None:
        self.good("up", "--name", "a", "-m", "t4", "-n", "1")
        self.good("set", "gpu=0", "power.limit_mw=60000", "--name", "a")
        self.assertIn("down --name a", self.refused("up", "--name", "a", "-m", "h100"))
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw", "--name", "a"), "60000\n")
        self.good("up", "--name", "a", "-m", "h100", "-n", "1", "--replace")
        self.assertEqual(self.good("get", "gpu=0", "power.limit_mw", "--name", "a"), "700000\n")
        (self.states / "machine-b").write_text("dear reader")
        self.assertIn("machine-b", self.refused("up", "--name", "b", "-m", "t4", "--replace"))

    def test_one_of_several_at_once_gets_a_name(self) -> None:
        for _ in range(3):
            machines = [self.start("up", "--name", "race", "-m", "t4", "-n", str(n)) for n in range(1, 9)]
            ends = [(process.communicate(timeout=120), process.returncode) for process in machines]
            self.assertEqual(sorted(code for _, code in ends), [0] + [2] * 7, ends)
            for (out, err), code in ends:
                self.assertEqual(("NVMLKIT_STATE" in out, "up already" in err), (code == 0, code == 2))
            winner = [code for _, code in ends].index(0) + 1
            self.assertEqual(json.loads(self.good("status", "--name", "race", "--json"))["count"], winner)
            self.good("down", "--name", "race")

    def test_jobs_with_names_never_meet(self) -> None:
        script = (
            'eval "$("$0" up --name "job-$1" -m t4 -n "$1")" && for i in 1 2 3 4 5; do'
            ' "$0" set gpu=all power.limit_mw=$((60000 + $1)) && "$0" get gpu=all power.limit_mw && "$0" list;'
            " done; \"$0\" down"
        )
        jobs = [
            subprocess.Popen(
                ["/bin/sh", "-c", script, COMMAND, str(n)], stdout=subprocess.PIPE, text=True, env=self.environment
            )
            for n in range(1, 7)
        ]
        for n, job in enumerate(jobs, start=1):
            lines = job.communicate(timeout=300)[0].splitlines()
            self.assertEqual(job.returncode, 0)
            self.assertEqual(len([line for line in lines if "Tesla T4" in line]), 5 * n)
            self.assertEqual({line[-5:] for line in lines if "limit" in line or line.isdigit()}, {str(60000 + n)})
        self.assertEqual(list(self.states.iterdir()), [])

    def test_what_a_killed_run_left_is_removed(self) -> None:
        run = self.start("run", "-m", "t4", "--", "/bin/sh", "-c", "echo ready; exec sleep 600")
        self.assertEqual(run.stdout.readline(), "ready\n")
        other = self.start("run", "-m", "t4", "--", "/bin/sh", "-c", "echo ready; exec sleep 600")
        self.assertEqual(other.stdout.readline(), "ready\n")
        left = self.states / f"run-{run.pid}"
        child = int(Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text())
        run.kill()
        run.wait()
        # The program goes on, and its children still find its machine.
        self.good("up", "--name", "a", "-m", "t4", "-n", "1")
        self.assertTrue(left.exists())
        os.kill(child, signal.SIGKILL)
        while has_environment(child):
            time.sleep(0.05)
        self.good("run", "-m", "t4", "--", "/bin/true")
        self.assertFalse(left.exists())
        # The run that is alive kept its machine, and so did the one that is up.
        self.assertTrue((self.states / f"run-{other.pid}").exists())
        self.assertTrue((self.states / "machine-a").exists())
        other.terminate()
        other.communicate(timeout=120)
        self.assertEqual([file.name for file in self.states.iterdir()], ["machine-a"])


if __name__ == "__main__":
    unittest.main()
