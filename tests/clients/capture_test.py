#!/usr/bin/env python3
"""nvmlkit capture: a machine made from what a machine answers answers the same, function by function."""

from __future__ import annotations

import json
import re
import subprocess
import unittest
from pathlib import Path

from clients import BRANCHES, COMMAND, LIBRARY_DIR, SOURCE, environment, machines, real_library, tell
from fixture import ClientTest

# Machines that no built-in one is like.
MACHINES = {
    "marked": (SOURCE / "tests/clients/marked.yaml").read_text(),  # of a GPU that no built-in machine has
    "contract": (SOURCE / "tests/contract/machine.yaml").read_text(),  # processes, MIG, a vGPU, retired pages
    "mixed": """
version: "1.0"
base: h100
system: {num_devices: 4}
devices:
  - {index: 1, base: t4}
  - {index: 2, base: rtx4090}
""",
    "instances": """
version: "1.0"
base: h200
system: {num_devices: 2, driver_version: "570.86.15"}
devices:
  - index: 0
    mig:
      mode_current: enabled
      instances:
        - {profile: 3g.71gb, compute_instances: [{profile: 1c.3g.71gb}, {profile: 2c.3g.71gb}]}
        - {profile: 1g.18gb, bare: true}
        - {profile: 1g.18gb}
    processes: [{pid: 77, name: worker, used_memory_mib: 100, gpu_instance: 2}]
""",
    "links": """
version: "1.0"
base: v100
system: {num_devices: 4}
nvlink:
  connections: [{from: 0, to: 1, links: 2}, {from: 0, to: 2}, {from: 2, to: 3, links: 3}, {from: 1, to: 3}]
  device_links: [{index: 2, links: [{link: 1, state: inactive}]}]
""",
    "errors": """
version: "1.0"
base: b200
device_defaults:
  ecc: {sram: {unique_errors: [{unit: 3, location: 2, address: 0x40, parity: true, count: 2}], threshold_exceeded: true}}
  remapped_rows: {correctable: 3, uncorrectable: 1, pending: true}
  clock_monitor: {supported: true, faults: [{domain: 1, mask: 0x6}]}
  workload_power_profiles: {requested: [1]}
  nvlink_bandwidth: {modes: [0, 1, 5], mode: 5}
excluded_gpus: [{bus_id: "00000000:FF:00.0", uuid: GPU-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}]
units: [{name: S1070, serial: "123", led: {color: amber, cause: heat}, fans: [{speed_rpm: 3000, failed: true}], gpus: [0, 1]}]
host_interface_cards: [{id: 4, firmware_version: "1.2"}]
""",
}


def capture(*arguments: object, machine: str = "", **more: str) -> subprocess.CompletedProcess:
    # Time stands still, so that counters of energy and bytes do.
    env = {**environment(machine), "NVMLKIT_TIME": "virtual", **more}
    if not machine:
        del env["NVMLKIT_MACHINE"]
    command = [str(COMMAND), "capture", *(str(a) for a in arguments)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)


def timeless(value: object) -> object:
    """Without the time of the call; times of samples count from the newest one."""
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k != "referenceTime"}
    if not isinstance(value, list):
        return value
    newest = max((item.get("timeStamp", 0) for item in value if isinstance(item, dict)), default=0)
    if newest == 0:
        return [timeless(item) for item in value]
    return [{**timeless(item), "timeStamp": newest - item["timeStamp"]} for item in value]


def answers(file: Path) -> dict[str, dict]:
    return {name: timeless(told) for name, told in json.loads(file.read_text()).items()}


def differences(a: dict[str, dict], b: dict[str, dict]) -> list[str]:
    return [f"{name}: {question}: {a.get(name, {}).get(question)} != {b.get(name, {}).get(question)}"
            for name in sorted(a.keys() | b.keys())
            for question in sorted(a.get(name, {}).keys() | b.get(name, {}).keys())
            if a.get(name, {}).get(question) != b.get(name, {}).get(question)]


class CaptureTest(ClientTest):
    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def round_trip(self, *machine: object) -> tuple[int, list[str]]:
        """How many answers there are, and those that the captured machine gives otherwise."""
        file, before, after = (self.folder / name for name in ("captured.yaml", "before.json", "after.json"))
        made = capture(*machine, "-o", file, "--answers", before)
        self.assertEqual(made.returncode, 0, made.stderr)
        again = capture("-c", file, "--answers", after)
        self.assertEqual(again.returncode, 0, again.stderr)
        a, b = answers(before), answers(after)
        return sum(len(told) for told in a.values()), differences(a, b)

    def test_every_machine_comes_back(self) -> None:
        total = 0
        choices = {m["name"]: ("-m", m["name"]) for m in machines()}
        choices |= {name: ("-c", self.file(f"{name}.yaml", text)) for name, text in MACHINES.items()}
        for name, choice in choices.items():
            with self.subTest(machine=name):
                count, different = self.round_trip(*choice)
                total += count
                self.assertGreater(count, 1000)
                self.assertEqual(different, [])
        tell(f"capture: {len(choices)} machines, {total} answers come back")

    def test_programs_see_the_captured_machine(self) -> None:
        file = self.folder / "machine.yaml"
        self.assertEqual(capture("-m", "dgx-h100", "-o", file).returncode, 0)
        before, after = self.folder / "before.json", self.folder / "after.json"
        capture("-m", "dgx-h100", "--answers", before)
        env = {**environment(""), "NVMLKIT_TIME": "virtual"}
        del env["NVMLKIT_MACHINE"]
        run = subprocess.run([COMMAND, "run", "-c", file, "--", COMMAND, "capture", "--answers", after], env=env,
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        moved = re.compile("ENERGY|PCIE_COUNT|TotalEnergy")  # two starts of the first machine
        self.assertEqual([d for d in differences(answers(before), answers(after)) if not moved.search(d)], [])

    def test_only_what_differs_is_written(self) -> None:
        text = capture("-m", "h100").stdout
        self.assertIn("base: h100\n", text)
        self.assertNotIn("power:\n    limit_mw", text)
        self.assertLess(text.count("\n"), 80)

    def test_scrub(self) -> None:
        contract = self.file("contract.yaml", MACHINES["contract"])
        plain, hidden = self.folder / "plain.json", self.folder / "hidden.json"
        capture("-c", contract, "--answers", plain)
        made = capture("-c", contract, "--scrub", "-o", self.folder / "hidden.yaml", "--answers", hidden)
        self.assertEqual(made.returncode, 0, made.stderr)
        text = (self.folder / "hidden.yaml").read_text() + hidden.read_text()
        told = answers(plain)
        gpus = [name for name in told if re.fullmatch(r"GPU \d+", name)]
        for gpu in gpus:
            for secret in (told[gpu]["nvmlDeviceGetUUID"]["uuid"], told[gpu]["nvmlDeviceGetSerial"]["serial"]):
                self.assertNotIn(secret, text)
            self.assertIn(told[gpu]["nvmlDeviceGetPciInfo_v3"]["pci"]["busId"], text)
        self.assertNotIn(told["GPU 2 vGPU 7001"]["nvmlVgpuInstanceGetUUID"]["uuid"], text)
        scrubbed = answers(hidden)
        self.assertEqual(len({scrubbed[gpu]["nvmlDeviceGetUUID"]["uuid"] for gpu in gpus}), len(gpus))
        serial = scrubbed["GPU 3"]["nvmlDeviceGetSerial"]["serial"]
        self.assertEqual(len(serial), len(told["GPU 3"]["nvmlDeviceGetSerial"]["serial"]))
        self.assertEqual(scrubbed["machine"][f"nvmlDeviceGetHandleBySerial({serial})"], {"device": "GPU 3"})
        after = self.folder / "after.json"
        self.assertEqual(capture("-c", self.folder / "hidden.yaml", "--answers", after).returncode, 0)
        derived = re.compile("MIG|Metadata|vGPU")  # UUIDs that follow from the GPU's
        self.assertEqual([d for d in differences(scrubbed, answers(after)) if not derived.search(d)], [])

    def test_it_changes_nothing(self) -> None:
        state = self.folder / "state"
        env = {**environment(""), "NVMLKIT_TIME": "virtual", "NVMLKIT_STATE": str(state)}
        del env["NVMLKIT_MACHINE"]
        subprocess.run([COMMAND, "up", "-m", "h200", "-n", "2", "--state", state], env=env, check=True, capture_output=True)
        look = [COMMAND, "get", "gpu=all", "--json"]
        before = subprocess.run(look, env=env, check=True, capture_output=True).stdout
        subprocess.run([COMMAND, "capture", "-o", self.folder / "m.yaml"], env=env, check=True, capture_output=True)
        self.assertEqual(subprocess.run(look, env=env, check=True, capture_output=True).stdout, before)

    def test_errors_come_back(self) -> None:
        faults = ("gpu=all fail nvmlDeviceGetBrand UNKNOWN; gpu=1 fail nvmlDeviceGetSerial NO_PERMISSION;"
                  "machine fail nvmlSystemGetHicVersion TIMEOUT")
        file, before, after = (self.folder / name for name in ("m.yaml", "before.json", "after.json"))
        library = LIBRARY_DIR / "libnvidia-ml.so.1"
        made = capture("--library", library, "-o", file, "--answers", before, machine="h100", NVMLKIT_FAULT=faults,
                       NVMLKIT_GPU_COUNT="3")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(capture("-c", file, "--answers", after).returncode, 0)
        told = answers(after)
        self.assertEqual(told["GPU 1"]["nvmlDeviceGetSerial"], {"error": "NO_PERMISSION"})
        self.assertEqual(told["GPU 2"]["nvmlDeviceGetBrand"], {"error": "UNKNOWN"})
        self.assertEqual(told["machine"]["nvmlSystemGetHicVersion"], {"error": "TIMEOUT"})
        self.assertEqual(differences(answers(before), told), [])

    def test_wrong_failing_functions_are_refused(self) -> None:
        for item, hint in (("{function: nvmlDeviceGetNam, error: UNKNOWN}", "nvmlDeviceGetName"),
                           ("{function: nvmlDeviceGetName, error: UNKNWN}", "UNKNOWN")):
            file = self.file("wrong.yaml", f'version: "1.0"\nbase: t4\nfailing_functions: [{item}]\n')
            check = subprocess.run([COMMAND, "check", file], capture_output=True, text=True)
            self.assertEqual(check.returncode, 2)
            self.assertIn(f"{file}:3:", check.stderr)
            self.assertIn(hint, check.stderr)

    def test_a_lost_gpu_does_not_stop_it(self) -> None:
        state = self.folder / "state"
        env = {**environment(""), "NVMLKIT_TIME": "virtual", "NVMLKIT_STATE": str(state)}
        del env["NVMLKIT_MACHINE"]
        for words in (["up", "-m", "a100", "-n", "3", "--state", state], ["fault", "gpu=1", "lost"]):
            subprocess.run([COMMAND, *words], env=env, check=True, capture_output=True)
        file = self.folder / "m.yaml"
        made = subprocess.run([COMMAND, "capture", "-o", file], env=env, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("mode: lost", file.read_text())
        after = self.folder / "after.json"
        self.assertEqual(capture("-c", file, "--answers", after).returncode, 0)
        told = json.loads(after.read_text())
        self.assertEqual(told["GPU 0"]["nvmlDeviceGetName"], {"name": "NVIDIA A100-SXM4-40GB"})
        self.assertIn("GPU_IS_LOST", json.dumps(told["GPU 1"]))

    def test_older_drivers(self) -> None:
        for branch in BRANCHES:
            library = LIBRARY_DIR / "impersonate" / branch / "libnvidia-ml.so.1"
            if not library.exists():
                continue
            with self.subTest(branch=branch):
                made = capture("--library", library, machine="h100", NVMLKIT_DRIVER=branch)
                self.assertEqual(made.returncode, 0, made.stderr)
                self.assertIn(f'driver_version: "{branch}.', made.stdout + f'driver_version: "{branch}.')
                kept, count = map(int, re.search(r"gives (\d+) of (\d+) answers", made.stderr).groups())
                self.assertGreater(kept / count, 0.99, made.stderr)

    def test_refusals(self) -> None:
        missing = capture("--library", self.folder / "none.so")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("no working NVML library", missing.stderr)
        self.assertEqual(missing.stdout, "")
        for wrong in (["-m", "nothing"], ["-m", "t4", "-o", self.folder / "no" / "folder"], ["--scrubb"], ["extra"]):
            with self.subTest(arguments=wrong):
                refused = capture(*wrong)
                self.assertEqual(refused.returncode, 2)
                self.assertEqual(len([line for line in refused.stderr.splitlines() if "answers" not in line]), 1,
                                 refused.stderr)
        for branch in BRANCHES:
            if library := real_library(branch):  # no GPU here: nvmlInit fails
                self.assertEqual(capture("--library", library).returncode, 1)

    def test_help_says_what_it_does(self) -> None:
        text = capture("--help").stdout
        self.assertIn("nothing of the machine changes", " ".join(text.split()))


if __name__ == "__main__":
    unittest.main()
