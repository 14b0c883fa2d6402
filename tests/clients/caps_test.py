#!/usr/bin/env python3
"""nvmlkit caps: what it says about the simulated machines, about impersonated drivers, and without a driver."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest

from clients import COMMAND, LIBRARY_DIR, SOURCE
from fixture import FOREIGN


def facts(name: str) -> dict | list:
    return json.loads((SOURCE / "registry" / "facts" / f"{name}.json").read_text())


FACTS = facts("drivers")
SYMBOLS = len(facts("functions")) + len(facts("undocumented"))
STATES = {"works", "no symbol", "not supported", "no permission", "not probed"}
CHANGING = re.compile("Set[A-Z]|Create(?!able)|Destroy|Clear|Reset|Free|Alloc|Remove|Wait|Init|Shutdown|Register")


def nvmlkit(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return subprocess.run(
        [COMMAND, *arguments], capture_output=True, text=True, timeout=120, env={**clean, **environment}
    )


def caps(*arguments: str, **environment: str) -> dict:
    result = nvmlkit("caps", "--json", *arguments, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def answers(report: dict) -> dict[str, list[str]]:
    return {row["symbol"]: row["answers"] for row in report["functions"]}


class Machines(unittest.TestCase):
    def test_every_symbol_on_every_gpu(self) -> None:
        for machine, count in (("h100", 8), ("t4", 4)):
            report = caps("-m", machine)
            self.assertEqual(len(report["gpus"]), count)
            self.assertEqual(len(report["functions"]), SYMBOLS)
            for row in report["functions"]:
                self.assertIn(len(row["answers"]), (1, count), row)
                for answer in row["answers"]:
                    self.assertTrue(answer in STATES or answer.startswith("error "), row)

    def test_what_machines_differ_in(self) -> None:
        h100, t4 = answers(caps("-m", "h100")), answers(caps("-m", "t4"))
        self.assertEqual(h100["nvmlDeviceGetName"], ["works"] * 8)
        self.assertEqual(h100["nvmlDeviceGetRemappedRows"], ["works"] * 8)
        self.assertEqual(t4["nvmlDeviceGetRemappedRows"], ["not supported"] * 4)
        self.assertEqual(h100["nvmlDeviceGetFanSpeed"], ["not supported"] * 8)

    def test_nothing_that_changes_is_called(self) -> None:
        report = caps("-m", "h100", "-n", "1")
        quiet = {name for name, found in answers(report).items() if found == ["not probed"]}
        for name in answers(report):
            if CHANGING.search(name):
                self.assertIn(name, quiet)
        self.assertEqual(report["not_probed"], len(quiet))
        self.assertEqual(report["answers"]["not probed"], len(quiet))

    def test_the_same_again(self) -> None:
        first, second = (nvmlkit("caps", "-m", "a100", "-n", "2").stdout for _ in range(2))
        self.assertEqual(first, second)
        self.assertIn("functions are not probed", first)
        self.assertRegex(first, r"(?m)^nvmlDeviceGetName +gpu +works$")

    def test_gpus_that_differ_are_told_apart(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write('version: "1.0"\nbase: t4\nsystem: {num_devices: 2}\ndevices:\n  - {index: 1, fan: {count: 1, speed_percent: 30}}\n')
            file.flush()
            report = nvmlkit("caps", "-c", file.name)
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertRegex(report.stdout, r"(?m)^nvmlDeviceGetFanSpeed +gpu +0: not supported, 1: works$")


class Drivers(unittest.TestCase):
    def test_symbols_are_those_of_the_branch(self) -> None:
        for branch, facts in FACTS.items():
            report = caps("-m", "h100", "-n", "1", "--driver", branch)
            # A later release of 580 was looked at than machines have.
            of_machine, looked_at = (version.split(".") for version in (report["driver_version"], facts["version"]))
            self.assertEqual(of_machine[:1] if branch == "580" else of_machine, looked_at[:1] if branch == "580" else looked_at)
            present = {name for name, found in answers(report).items() if found != ["no symbol"]}
            self.assertEqual(present, set(facts["symbols"]))

    def test_later_branches_export_more(self) -> None:
        """Those whose libraries nobody looked at export what the headers up to theirs declare: an estimate."""
        text = (SOURCE / "registry" / "semantics" / "values" / "driver_branches.yaml").read_text()
        headers = dict(re.findall(r"(?m)^(\d+): \{version: .*?header: ([\d.]+)", text))
        self.assertEqual({"535", "610", "615"} - set(headers), set())
        present = {}
        for branch in headers:
            report = caps("-m", "t4", "-n", "1", "--driver", branch)
            self.assertTrue(report["driver_version"].startswith(f"{branch}."))
            present[branch] = {name for name, found in answers(report).items() if found != ["no symbol"]}
        order = sorted(headers, key=int)
        for older, newer in zip(order, order[1:]):
            if headers[older] == headers[newer]:  # 565 had no header of its own
                self.assertEqual(present[older], present[newer], newer)
            else:
                self.assertLess(present[older], present[newer], newer)
        self.assertIn("nvmlDeviceGetBankRemapperStatus_v1", present["615"] - present["610"])
        self.assertEqual(len(present[order[-1]]), SYMBOLS)

    def test_a_difference_is_a_difference_of_lines(self) -> None:
        old, new = (nvmlkit("caps", "-m", "h100", "--driver", branch).stdout.splitlines() for branch in ("535", "550"))
        self.assertEqual(len([l for l in old if l.startswith("nvml")]), len([l for l in new if l.startswith("nvml")]))
        lines = {a.split()[0] for a, b in zip(old, new) if a != b and a.startswith("nvmlDevice")}
        self.assertIn("nvmlDeviceGetNumaNodeId", lines)
        self.assertNotIn("nvmlDeviceGetName", lines)

    def test_a_library_by_its_path(self) -> None:
        path = str(LIBRARY_DIR / "impersonate" / "550" / "libnvidia-ml.so.1")
        report = caps("--library", path, NVMLKIT_MACHINE="t4")
        self.assertEqual((report["library"], report["driver_version"]), (path, "550.163.01"))

    def test_a_version_of_a_branch(self) -> None:
        self.assertEqual(caps("-m", "t4", "--driver", "535.104.05")["driver_version"], "535.104.05")
        self.assertEqual(nvmlkit("caps", "-m", "t4", "--driver", "5x").returncode, 2)

    def test_without_a_driver(self) -> None:
        result = nvmlkit("caps", "--library", "/nonexistent/libnvidia-ml.so.1")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("no working NVML library", result.stderr)

    def test_a_library_whose_kernel_driver_is_missing_still_tells_its_symbols(self) -> None:
        for branch in ("535", "550", "555"):
            library = os.environ.get(f"NVMLKIT_TEST_LIB_{branch}")
            if not library:
                self.skipTest("no library of NVIDIA's here")
            result = nvmlkit("caps", "--json", "--library", library)
            self.assertEqual(result.returncode, 1)
            self.assertIn("no working NVML library", result.stderr)
            report = json.loads(result.stdout)
            self.assertIn("kernel driver is not loaded", report["problem"])
            self.assertIsNone(report["driver_version"])
            present = {name for name, found in answers(report).items() if found == ["not probed"]}
            self.assertEqual(present, set(FACTS[branch]["symbols"]))

    def test_a_program_gets_the_library_of_the_branch(self) -> None:
        result = nvmlkit("run", "-m", "t4", "--driver", "535", "--", "/usr/bin/env")
        environment = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
        self.assertEqual(environment["NVMLKIT_DRIVER"], "535")
        self.assertEqual(environment["LD_LIBRARY_PATH"].split(":")[0], str(LIBRARY_DIR / "impersonate" / "535"))
        newest = nvmlkit("run", "-m", "t4", "--driver", "615", "--", "/usr/bin/env").stdout
        self.assertIn(f"LD_LIBRARY_PATH={LIBRARY_DIR}\n", newest)


if __name__ == "__main__":
    unittest.main()
