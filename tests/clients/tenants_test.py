#!/usr/bin/env python3
"""nvmlkit mig and nvmlkit process, as the real nvidia-smi sees what they made: devices, processes, memory, accounting, commands
at once and commands that are killed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from clients import COMMAND, LIBRARY_DIR, available_smi
from events_test import COMMON
from fixture import ClientTest

SMI = available_smi()

# Waits for one event of the change of MIG mode, and prints when it came.
WAITER = COMMON + """
gpu = ctypes.c_void_p()
assert nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(gpu)) == 0
assert nvml.nvmlDeviceRegisterEvents(gpu, ctypes.c_ulonglong(256), events) == 0
print("ready", flush=True)
code = nvml.nvmlEventSetWait_v2(events, ctypes.byref(data), 60000)
print(json.dumps([code, data.type]), flush=True)
"""


class Tenants(ClientTest):
    def processes(self) -> list[dict[str, object]]:
        return json.loads(self.good("process", "list", "--json"))

    def devices(self, program: object) -> list[str]:
        listing = self.smi(program, "-L", code=0)  # type: ignore[arg-type]
        return re.findall(r"MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-\S+)\)", listing)

    def test_the_same_devices_as_nvidia_smi_makes(self) -> None:
        for smi in self.on_every_branch("h100", gpus=2):
            self.assertEqual(self.good("mig", "enable", "gpu=0"), "")
            made = self.good("mig", "create", "gpu=0", "9,14,1g.10gb")
            ours = self.devices(smi)
            self.assertEqual([name for name, _ in ours], ["3g.40gb", "2g.20gb", "1g.10gb"])
            self.assertEqual(re.findall(r"MIG-\S+", made), [uuid for _, uuid in ours])
            if os.geteuid() == 0:
                self.smi(smi, "mig", "-i", "0", "-dci", code=0)
                self.smi(smi, "mig", "-i", "0", "-dgi", code=0)
                self.assertEqual(self.devices(smi), [])
                self.smi(smi, "mig", "-i", "0", "-cgi", "9,14,19", "-C", code=0)
                self.assertEqual(self.devices(smi), ours)
                refusal = self.smi(smi, "mig", "-i", "0", "-cgi", "9")
                self.assertIn("Insufficient Resources", refusal)
            self.assertIn("there is room for 1 x 1g.10gb", self.refused("mig", "create", "gpu=0", "9"))
            self.good("mig", "clear", "gpu=0")
            self.assertEqual(self.devices(smi), [])
            self.good("mig", "disable", "gpu=0")
            self.assertEqual(self.query(smi, "mig.mode.current,mig.mode.pending"), ["Disabled, Disabled"] * 2)

    def test_a_device_in_use_is_refused_to_both(self) -> None:
        for smi in self.on_every_branch("h100", gpus=1):
            self.good("mig", "enable", "gpu=0")
            self.good("mig", "create", "gpu=0", "3g.40gb:4")
            pid = self.good("process", "start", "gpu=0", "train.py", "--gi", "2", "--memory", "2GiB").strip()
            table = self.smi(smi, code=0)
            self.assertRegex(table, rf"\|\s+0\s+2\s+0\s+{pid}\s+C\s+train.py\s+2048MiB \|")
            self.assertRegex(table, r"\d+MiB / 40448MiB")
            if os.geteuid() == 0:
                self.assertIn("In use by another client", self.smi(smi, "mig", "-dci"))
            line = self.refused("mig", "destroy", "gpu=0", "2")
            self.assertEqual(line, f"nvmlkit: GPU 0: compute instance 0 of GPU instance 2 is in use by process {pid} (train.py); end it first\n")
            self.good("process", "end", "gpu=0", pid)
            self.assertIn("No running processes found", self.smi(smi, code=0))
            self.good("mig", "destroy", "gpu=0", "2")

    def test_a_pending_mode_names_who_uses_the_gpu(self) -> None:
        self.up("h100", 1)
        pid = self.good("process", "start", "gpu=0", "train.py").strip()
        result = self.nvmlkit("mig", "enable", "gpu=0")
        self.assertEqual((result.returncode, result.stdout), (0, ""))
        self.assertEqual(result.stderr, f"nvmlkit: GPU 0: the mode is pending until the GPU is reset: it is in use by process {pid} (train.py)\n")
        self.assertEqual(json.loads(self.good("mig", "list", "--json"))[0]["pending_mode"], "enabled")

    def test_processes_as_nvidia_smi_lists_them(self) -> None:
        for smi in self.on_every_branch("h100", gpus=2):
            pid = self.good("process", "start", "gpu=0,1", "train.py", "--memory", "2GiB", "--sm", "40%").strip()
            shows = self.good("process", "start", "gpu=1", "Xorg", "--memory", "128MiB", "--type", "G").strip()
            self.assertGreaterEqual(int(pid), 1 << 22, "no program has such a number")
            apps = self.query(smi, "pid,process_name,used_memory", of="compute-apps")
            self.assertEqual(apps, [f"{pid}, train.py, 2048"] * 2)
            self.assertRegex(self.smi(smi, code=0), rf"\|\s+1\s+N/A\s+N/A\s+{shows}\s+G\s+Xorg\s+128MiB \|")
            deadline = time.monotonic() + 20
            while self.query(smi, "utilization.gpu")[0] != "40" and time.monotonic() < deadline:
                time.sleep(0.1)
            self.assertEqual(self.query(smi, "utilization.gpu"), ["40", "40"])
            self.assertIn("train.py", self.smi(smi, "pmon", "-c", "1", code=0))
            of_first = next(each for each in self.processes() if each["gpu"] == 0)
            self.assertEqual((str(of_first["pid"]), of_first["sm_percent"]), (pid, 40))
            before = self.query(smi, "memory.used")
            self.good("process", "end", "gpu=0", "train.py")
            self.assertEqual(self.query(smi, "pid", of="compute-apps"), [pid])
            self.good("process", "end", "gpu=all", "all")
            after = self.query(smi, "memory.used")
            self.assertEqual([int(b) - int(a) for b, a in zip(before, after)], [2048, 2048 + 128])
            self.assertEqual(self.processes(), [])

    def test_programs_are_not_ended(self) -> None:
        self.up("h100", 1)
        program = subprocess.Popen(
            [COMMAND, "run", "--uses", "gpu=0", "--", "sleep", "60"], env=self.environment, start_new_session=True
        )
        self.addCleanup(program.wait)
        self.addCleanup(os.killpg, program.pid, signal.SIGKILL)
        while not self.processes():
            time.sleep(0.02)
        pid = self.processes()[0]["pid"]
        self.assertEqual(self.processes()[0]["origin"], "program")
        self.assertIn(f"end it with kill {pid}", self.refused("process", "end", "gpu=0", str(pid)))
        self.good("process", "start", "gpu=0", "beside")
        self.good("process", "end", "gpu=0", "all")
        self.assertEqual([each["pid"] for each in self.processes()], [pid])

    def test_many_commands_at_once(self) -> None:
        """Two hundred processes, started by commands that run side by side, each with a number of its own."""
        self.up("h100", 2)
        running = [
            subprocess.Popen([COMMAND, "process", "start", "gpu=all", f"worker-{i}", "--memory", "16MiB"],
                             env=self.environment, stdout=subprocess.PIPE, text=True)
            for i in range(200)
        ]  # fmt: skip
        pids = [int(each.communicate(timeout=120)[0]) for each in running]
        self.assertEqual(len(set(pids)), 200)
        self.assertEqual(sorted(each["pid"] for each in self.processes() if each["gpu"] == 1), sorted(pids))
        for smi in SMI.values():
            self.assertEqual(len(self.query(smi, "pid", of="compute-apps")), 400)
        self.good("process", "end", "gpu=all", "all")
        self.assertEqual(self.processes(), [])

    def test_killed_commands_leave_a_whole_machine(self) -> None:
        """A command that is killed has done all of its work on a GPU or nothing."""
        self.up("h100", 1)
        self.good("mig", "enable", "gpu=0")
        chance = random.Random(3)
        seen = set()
        for _ in range(60):
            command = subprocess.Popen([COMMAND, "mig", "create", "gpu=0", "3g.40gb,2g.20gb,1g.10gb"], env=self.environment,
                                       stdout=subprocess.DEVNULL)  # fmt: skip
            time.sleep(chance.uniform(0, 0.02))
            command.kill()
            command.wait()
            instances = json.loads(self.good("mig", "list", "--json"))[0]["gpu_instances"]
            seen.add(len(instances))
            self.assertIn([each["profile"] for each in instances], [[], ["3g.40gb", "2g.20gb", "1g.10gb"]])
            self.assertTrue(all(each["compute_instances"] for each in instances))
            self.good("mig", "clear", "gpu=0")
        self.assertIn(3, seen)

    def test_a_waiter_hears_of_the_mode(self) -> None:
        self.up("h100", 1)
        waiter = subprocess.Popen([sys.executable, "-c", WAITER, LIBRARY_DIR / "libnvidia-ml.so.1"], env=self.environment,
                                  stdout=subprocess.PIPE, text=True)  # fmt: skip
        assert waiter.stdout is not None
        self.assertEqual(waiter.stdout.readline(), "ready\n")
        self.good("mig", "enable", "gpu=0")
        self.assertEqual(json.loads(waiter.communicate(timeout=60)[0]), [0, 256])

    def test_json(self) -> None:
        self.up("h100", 1)
        self.good("mig", "enable", "gpu=0")
        made = json.loads(self.good("mig", "create", "gpu=0", "2g.20gb:2", "--json"))
        uuid = made[0]["mig_devices"][0].pop("uuid")
        self.assertEqual(made, [{
            "gpu": 0, "pending": False,
            "gpu_instances": [{"id": 4, "profile": "2g.20gb", "start": 2}],
            "mig_devices": [{"gpu_instance": 4, "compute_instance": 0}]}])  # fmt: skip
        listed = json.loads(self.good("mig", "list", "--json"))[0]["gpu_instances"][0]
        self.assertEqual(listed["compute_instances"][0]["uuid"], uuid)
        free = {row["profile"]: row["free"] for row in json.loads(self.good("mig", "profiles", "--json"))}
        self.assertEqual((free["7g.80gb"], free["3g.40gb"], free["1g.10gb"]), (0, 1, 5))
        pid = json.loads(self.good("process", "start", "gpu=0", "a", "--gi", "4", "--json"))["pid"]
        self.assertEqual(self.processes()[0], {
            "gpu": 0, "gpu_instance": 4, "compute_instance": 0, "pid": pid, "type": "C", "name": "a", "used_memory_bytes": 0,
            "sm_percent": 0, "origin": "simulated", "elsewhere": False})  # fmt: skip


if __name__ == "__main__":
    unittest.main()
