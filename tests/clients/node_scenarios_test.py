#!/usr/bin/env python3
"""nvmlkit node with --scenarios and --metrics: a folder as Kubernetes mounts a ConfigMap, programs that are killed in between,
wrong files, rest, and the metrics against NVML."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from clients import LIBRARY_DIR, needs_robust_locks
from node_support import Changer, NodeTest
from node_test import context_switches

MIG = {"version": "1.0", "base": "h100", "devices": [{"index": 0, "mig": {"mode_current": "enabled"}}]}


class ConfigMap:
    """A folder as the kubelet makes it: files are links into ..data, a link that is replaced by a rename."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.version = 0
        folder.mkdir()
        self.put({})

    def put(self, files: dict[str, str]) -> None:
        self.version += 1
        data, old = self.folder / f"..2026_{self.version}", self.folder / "..data"
        before = old.resolve() if old.is_symlink() else None
        data.mkdir()
        for name, text in files.items():
            (data / name).write_text(text)
        (self.folder / "..data_tmp").symlink_to(data.name)
        os.rename(self.folder / "..data_tmp", old)
        for name in files:
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(f"..data/{name}")
        for path in self.folder.iterdir():
            if path.name not in files and not path.name.startswith(".."):
                path.unlink()
        if before:
            shutil.rmtree(before)


class NodeScenarios(NodeTest):
    def setUp(self) -> None:
        super().setUp()
        self.map = ConfigMap(self.folder / "scenarios")
        self.log = self.folder / "log"

    def follow(self, *arguments: str | Path, **more: str) -> subprocess.Popen[str]:
        return self.node("--scenarios", self.map.folder, "--kernel-log", self.log, *arguments, **more)

    def wait(self, what: str, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not done():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    def faults(self) -> list[str]:
        return self.good("fault", "--state", self.own_state).splitlines()

    def xids(self) -> list[str]:
        return re.findall(r"NVRM: Xid \(PCI:[0-9a-f:]+\): (\d+),", self.log.read_text()) if self.log.exists() else []

    def end(self, node: subprocess.Popen[str]) -> tuple[str, str]:
        node.terminate()
        return node.communicate(timeout=60)

    def test_files_come_change_and_go(self) -> None:
        node = self.follow("-m", "h100", "-n", "2")
        self.assertEqual(self.faults(), ["no faults"])
        self.map.put({"a.yaml": "steps: [{do: fault gpu=0 off-bus}]"})
        self.wait("a", lambda: "gpu=0 off-bus" in self.faults())
        self.wait("its file", lambda: not (self.root / "dev/nvidia0").exists())
        self.map.put({"a.yaml": "steps: [{do: fault gpu=0 off-bus}]", "b.yaml": "steps: [{do: fault gpu=1 lost}]", "notes.txt": "x"})
        self.wait("b", lambda: "gpu=1 lost" in self.faults())
        self.map.put({"b.yaml": "steps: [{do: fault gpu=1 thermal}]"})
        self.wait("a is gone, b is another", lambda: self.faults() == ["gpu=1 thermal hw"])
        self.map.put({})
        self.wait("all gone", lambda: self.faults() == ["no faults"])
        self.assertTrue((self.root / "dev/nvidia0").exists())
        out, err = self.end(node)
        self.assertEqual(out.count("scenario a.yaml: step 1 done: fault gpu=0 off-bus\n"), 1, out)
        self.assertEqual(err.replace("nvmlkit: no nvidia-smi in PATH: the root has none (--nvidia-smi)\n", ""), "")

    def test_mig_devices_and_processes_come_and_go(self) -> None:
        """The files of instances follow, and a scenario that is removed takes its instances and processes back."""
        self.follow("-m", "h100", "-n", "1")
        access = self.root / "proc/driver/nvidia/capabilities/gpu0/mig"
        steps = ["mig enable", "mig create 3g.40gb:4", "process start train.py --gi 2 --memory 2GiB"]
        self.map.put({"a.yaml": json.dumps({"steps": [{"do": steps}, {"expect": ["mig.devices == 1", "processes == 1"]}]})})
        self.wait("its file", lambda: (access / "gi2/ci0/access").exists())
        listed = json.loads(self.good("process", "list", "--json", "--state", self.own_state))
        self.assertEqual([(each["name"], each["gpu_instance"]) for each in listed], [("train.py", 2)])
        self.map.put({})
        self.wait("no file", lambda: not (access / "gi2").exists())
        self.wait("no process", lambda: self.good("process", "list", "--state", self.own_state) == "no processes\n")
        self.wait("no MIG", lambda: self.good("mig", "list", "--state", self.own_state) == "gpu=0  MIG disabled\n")

    def test_files_of_a_plain_folder(self) -> None:
        plain = self.folder / "plain"
        plain.mkdir()
        self.node("--scenarios", plain, "-m", "t4", "-n", "1")
        with (plain / "a.yaml").open("w") as file:
            for part in ("steps: ", "[{do: fault ", "gpu=0 xid 13}]\n"):
                file.write(part)
                file.flush()
                time.sleep(0.05)
        self.wait("written in parts", lambda: "gpu=0 xid 13" in self.faults())
        (plain / "a.yaml").unlink()
        self.wait("removed", lambda: self.faults() == ["no faults"])
        self.assertIn("none: is no folder", self.refused("node", self.folder / "other", "-m", "t4", "--scenarios", self.folder / "none"))

    def test_a_wrong_file_is_one_line_and_the_others_go_on(self) -> None:
        node = self.follow("-m", "t4", "-n", "1")
        good = "steps: [{do: fault gpu=0 xid 13}, {after: 500ms, do: fault gpu=0 xid 31}]"
        self.map.put({"good.yaml": good, "bad.yaml": "steps:\n  - do: faul xid 1\n", "binary.yaml": "\x01"})
        self.wait("the good one", lambda: self.xids() == ["13", "31"])
        self.map.put({"good.yaml": good, "bad.yaml": "steps:\n  - do: faul xid 1\n", "more.yaml": "steps: [{do: fault gpu=0 xid 43}]"})
        self.wait("a further one", lambda: self.xids() == ["13", "31", "43"])
        out, err = self.end(node)
        lines = [line for line in err.splitlines() if "nvidia-smi" not in line]
        self.assertEqual(len(lines), 2, err)
        self.assertEqual(lines[0], "nvmlkit: scenario bad.yaml:2:9: unknown command 'faul'; did you mean 'fault'?")
        self.assertTrue(lines[1].startswith("nvmlkit: scenario binary.yaml:1:"), lines[1])

    @needs_robust_locks
    def test_a_killed_node_does_no_step_again(self) -> None:
        count = 24
        steps = [{"at": f"{i * 100}ms", "do": f"fault gpu={i % 2} xid {13 if i % 2 else 31}"} for i in range(count)]
        self.map.put({"a.yaml": json.dumps({"steps": steps})})
        node = self.follow("-m", "h100", "-n", "2")
        chance = random.Random(5)
        errors = ""
        for _ in range(6):
            time.sleep(chance.uniform(0.02, 0.3))
            node.send_signal(signal.SIGKILL)
            errors += node.communicate()[1]
            node = self.follow()
        self.wait("all steps", lambda: json.loads((self.root / "run/nvmlkit/scenarios.json").read_text())["scenarios"]["a.yaml"]["steps"][-1]["phase"] == 6)
        errors += self.end(node)[1]
        raised = self.metrics_of_xids()
        self.assertLessEqual(raised, count)
        # A step that was interrupted had its effect or not: the kill came before its end was written down.
        self.assertGreaterEqual(raised, count - errors.count(" interrupted: "), errors)

    def metrics_of_xids(self) -> int:
        """Xids of the machine so far, counted by a further node."""
        node = self.node("--metrics", "0")
        total = sum(int(value) for value in re.findall(r"^nvmlkit_gpu_xid_total\{.*\} (\d+)$", self.metrics(node), re.M))
        self.end(node)
        return total

    def metrics(self, node: subprocess.Popen[str]) -> str:
        if not hasattr(node, "url"):
            assert node.stdout
            node.stdout.readline()
            node.url = node.stdout.readline().removeprefix("metrics: ").strip()  # type: ignore[attr-defined]
        with urllib.request.urlopen(node.url, timeout=60) as answer:  # type: ignore[attr-defined]
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            return answer.read().decode()

    def test_another_machine_begins_anew(self) -> None:
        self.map.put({"a.yaml": "steps: [{do: fault gpu=0 xid 13}]"})
        node = self.follow("-m", "t4", "-n", "1", "--remove")
        self.wait("first", lambda: self.xids() == ["13"])
        self.end(node)
        self.assertFalse(self.root.exists())
        self.follow("-m", "t4", "-n", "1")
        self.wait("second", lambda: self.xids() == ["13", "13"])

    def test_it_rests_between_the_steps(self) -> None:
        self.map.put({"a.yaml": "steps: [{do: fault gpu=0 xid 13}, {at: 1h, do: heal}]", "bad.yaml": "x"})
        node = self.follow("-m", "h100", "--metrics", "0")
        self.wait("the first step", lambda: self.xids() == ["13"])
        self.metrics(node)
        time.sleep(0.5)
        before = context_switches(node.pid)
        time.sleep(2.5)
        self.assertEqual(context_switches(node.pid), before)

    def test_conditions_and_scaled_time(self) -> None:
        self.map.put({"a.yaml": "steps: [{do: load gpu=0 100%}, {when: gpu 0 thermal.gpu > 40, do: fault gpu=0 xid 62}, {after: 10m, do: fault gpu=0 xid 45}]"})
        self.follow("-m", "h100", "-n", "1", NVMLKIT_TIME="1000")
        self.wait("both", lambda: self.xids() == ["62", "45"])

    def test_nodes_choose(self) -> None:
        text = "steps: [{nodes: worker-*, do: fault gpu=0 xid 13}, {nodes: {labels: {zone: eu}}, do: fault gpu=0 xid 31}]"
        self.map.put({"a.yaml": text})
        labels = self.folder / "labels"
        labels.write_text('zone="eu"\n')
        self.follow("-m", "t4", "-n", "1", NVMLKIT_NODE_NAME="master-1", NVMLKIT_NODE_LABELS=str(labels))
        self.wait("the second", lambda: self.xids() == ["31"])

    def test_metrics_show_scenarios_and_faults(self) -> None:
        self.map.put({"a.yaml": "steps: [{do: fault gpu=1 xid 79}, {at: 1h, do: heal}]", "bad.yaml": "x: 1"})
        node = self.follow("-m", "h100", "-n", "2", "--metrics", "127.0.0.1:0")
        self.wait("the fault", lambda: 'nvmlkit_scenario_steps_total{file="a.yaml",outcome="done"} 1' in self.metrics(node))
        text = self.metrics(node)
        for line in (
            "nvmlkit_scenario_files 2",
            'nvmlkit_scenario_state{file="bad.yaml",scenario="",state="refused"} 1',
            'nvmlkit_scenario_state{file="a.yaml",scenario="a",state="running"} 1',
            'nvmlkit_scenario_steps_pending{file="a.yaml"} 1',
        ):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r'nvmlkit_gpu_fault\{gpu="1",uuid="GPU-[0-9a-f-]+",fault="xid 79"\} 1\n')
        self.assertRegex(text, r'nvmlkit_gpu_xid_total\{gpu="1",uuid="GPU-[0-9a-f-]+",xid="79"\} 1\n')
        self.assertRegex(text, r'nvmlkit_gpu_reachable\{gpu="1",uuid="GPU-[0-9a-f-]+"\} 0\n')
        with self.assertRaises(urllib.error.HTTPError) as wrong:
            urllib.request.urlopen(node.url.replace("/metrics", "/other"), timeout=60)  # type: ignore[attr-defined]
        self.assertEqual(wrong.exception.code, 404)
        wrong.exception.close()
        taken = node.url.split("/")[2]  # type: ignore[attr-defined]
        self.assertIn("Address already in use", self.refused("node", self.folder / "more", "-m", "t4", "--metrics", taken))
        self.assertIn("--metrics: expected ADDRESS:PORT", self.refused("node", self.folder / "more", "-m", "t4", "--metrics", "here"))

    @unittest.skipIf(os.geteuid() != 0, "MIG needs root, here as on hardware")
    def test_metrics_are_what_nvml_reports(self) -> None:
        file = self.folder / "machine.yaml"
        file.write_text(json.dumps(MIG))
        node = self.follow("-c", file, "-n", "3", "--metrics", "0", NVMLKIT_TIME="virtual")
        self.good("load", "gpu=1", "80%", "--memory", "30%", "--state", self.own_state)
        self.good("fault", "gpu=2", "ecc", "dram", "corrected", "--count", "5", "--state", self.own_state)
        self.good("time", "advance", "30s", "--state", self.own_state)
        changer = Changer({**self.environment, "NVMLKIT_STATE": str(self.own_state)})
        self.addCleanup(changer.end)
        changer.do("+gi")
        changer.do("+ci")
        seen = dict(re.findall(r"^(\w+\{.*\}) (\S+)$", self.metrics(node), re.M))
        os.environ["NVMLKIT_STATE"] = str(self.own_state)
        self.addCleanup(os.environ.pop, "NVMLKIT_STATE")
        nvml = ctypes.CDLL(str(LIBRARY_DIR / "libnvidia-ml.so.1"))
        self.assertEqual(nvml.nvmlInit_v2(), 0)
        self.addCleanup(nvml.nvmlShutdown)
        compared = 0
        for i in range(3):
            for name, value in self.answers(nvml, i).items():
                self.assertEqual(float(seen[name]), value, name)
                compared += 1
        self.assertGreater(compared, 40)
        self.assertEqual(len([name for name in seen if name.startswith("nvmlkit_mig_device_info{")]), 1)

    def answers(self, nvml: ctypes.CDLL, index: int) -> dict[str, float]:
        gpu = ctypes.c_void_p()
        self.assertEqual(nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(gpu)), 0)
        uuid = ctypes.create_string_buffer(96)
        self.assertEqual(nvml.nvmlDeviceGetUUID(gpu, uuid, 96), 0)
        labels = f'gpu="{index}",uuid="{uuid.value.decode()}"'
        out: dict[str, float] = {}

        def put(name: str, more: str, factor: float, function: str, *arguments: int, kind: type = ctypes.c_uint) -> None:
            value = kind()
            if getattr(nvml, function)(gpu, *arguments, ctypes.byref(value)) == 0:
                out[f"nvmlkit_gpu_{name}{{{labels}{',' if more else ''}{more}}}"] = value.value / factor if factor >= 1 else value.value * round(1 / factor)

        put("temperature_celsius", 'of="gpu"', 1, "nvmlDeviceGetTemperature", 0)
        put("power_draw_watts", "", 1000, "nvmlDeviceGetPowerUsage")
        put("power_limit_watts", 'limit="requested"', 1000, "nvmlDeviceGetPowerManagementLimit")
        put("power_limit_watts", 'limit="enforced"', 1000, "nvmlDeviceGetEnforcedPowerLimit")
        put("energy_joules_total", "", 1000, "nvmlDeviceGetTotalEnergyConsumption", kind=ctypes.c_ulonglong)
        put("performance_state", "", 1, "nvmlDeviceGetPerformanceState")
        for clock, number in (("graphics", 0), ("sm", 1), ("memory", 2), ("video", 3)):
            put("clock_hertz", f'clock="{clock}"', 1e-6, "nvmlDeviceGetClockInfo", number)
        for kind, number in (("corrected", 0), ("uncorrected", 1)):
            for period, counter in (("volatile", 0), ("aggregate", 1)):
                put(f"ecc_errors_{period}", f'kind="{kind}"', 1, "nvmlDeviceGetTotalEccErrors", number, counter, kind=ctypes.c_ulonglong)
        rates = (ctypes.c_uint * 2)()
        if nvml.nvmlDeviceGetUtilizationRates(gpu, rates) == 0:
            out[f'nvmlkit_gpu_utilization_ratio{{{labels},engine="gpu"}}'] = rates[0] / 100
            out[f'nvmlkit_gpu_utilization_ratio{{{labels},engine="memory"}}'] = rates[1] / 100
        memory = (ctypes.c_ulonglong * 5)(2 << 24 | 40)  # version, total, reserved, free, used
        self.assertEqual(nvml.nvmlDeviceGetMemoryInfo_v2(gpu, memory), 0)
        for kind, value in zip(("total", "reserved", "free", "used"), memory[1:]):
            out[f'nvmlkit_gpu_memory_bytes{{{labels},kind="{kind}"}}'] = value
        now, pending = ctypes.c_uint(), ctypes.c_uint()
        if nvml.nvmlDeviceGetMigMode(gpu, ctypes.byref(now), ctypes.byref(pending)) == 0:
            out[f"nvmlkit_gpu_mig_enabled{{{labels}}}"] = now.value
        return out


if __name__ == "__main__":
    unittest.main()
