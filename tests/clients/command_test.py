#!/usr/bin/env python3
"""The nvmlkit command: what it starts, with which environment, and how it refuses."""

from __future__ import annotations

import os
import unittest

from clients import LIBRARY_DIR, SOURCE
from fixture import ClientTest

GOOD = 'version: "1.0"\nbase: t4\ndevice_defaults:\n  name: Good GPU\n'
BAD = 'version: "1.0"\nbase: t4\ndevice_defaults:\n  nane: Bad GPU\n'


class Run(ClientTest):
    def environment_of(self, *arguments: str, **more: str) -> dict[str, str]:
        """The environment of a program that the command runs."""
        told = self.good("run", *arguments, "--", "/usr/bin/env", "-0", **more)
        return dict(entry.split("=", 1) for entry in told.split("\0") if entry)

    def file(self, text: str) -> str:
        path = self.folder / "machine.yaml"
        path.write_text(text)
        return str(path)

    def test_sets_the_machine_and_the_library(self) -> None:
        environment = self.environment_of("-m", "h100", "-n", "3", LD_LIBRARY_PATH="/some/where")
        self.assertEqual(environment["NVMLKIT_MACHINE"], "h100")
        self.assertEqual(environment["NVMLKIT_GPU_COUNT"], "3")
        self.assertEqual(environment["LD_LIBRARY_PATH"], f"{LIBRARY_DIR}:/some/where")

    def test_a_chosen_machine_replaces_the_inherited_one(self) -> None:
        inherited = {"NVMLKIT_MACHINE": "t4", "NVMLKIT_GPU_COUNT": "2", "MOCK_NVML_CONFIG": "/no/such", "MOCK_NVML_NUM_DEVICES": "1"}
        environment = self.environment_of("-m", "h100", **inherited)
        self.assertEqual(environment["NVMLKIT_MACHINE"], "h100")
        self.assertNotIn("NVMLKIT_GPU_COUNT", environment)
        self.assertFalse([name for name in environment if name.startswith("MOCK_NVML_")])

    def test_without_a_choice_the_environment_stands(self) -> None:
        environment = self.environment_of(NVMLKIT_MACHINE="t4", NVMLKIT_GPU_COUNT="2")
        self.assertEqual((environment["NVMLKIT_MACHINE"], environment["NVMLKIT_GPU_COUNT"]), ("t4", "2"))
        # Only the folder of the library: an empty entry would mean the current folder.
        self.assertEqual(environment["LD_LIBRARY_PATH"], str(LIBRARY_DIR))

    def test_a_file_is_passed_as_an_absolute_path(self) -> None:
        path = self.file(GOOD)
        for option in ("-c", "-m"):
            relative = os.path.relpath(path)
            self.assertEqual(self.environment_of(option, relative)["NVMLKIT_MACHINE"], path)

    def test_options_after_the_program_are_its_own(self) -> None:
        for separator in ([], ["--"]):
            result = self.nvmlkit("run", "-m", "t4", *separator, "/bin/echo", "-m", "a100", "--help", "--", "x")
            self.assertEqual(result.stdout, "-m a100 --help -- x\n")

    def test_the_status_is_that_of_the_program(self) -> None:
        self.assertEqual(self.nvmlkit("run", "-m", "t4", "--", "/bin/sh", "-c", "exit 7").returncode, 7)

    def test_a_bad_file_ends_it_before_the_program_starts(self) -> None:
        path = self.file(BAD)
        result = self.nvmlkit("run", "-c", path, "--", "/bin/echo", "started")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(f"{path}:4:", result.stderr)
        self.assertIn("name", result.stderr)

    def test_an_unknown_machine(self) -> None:
        result = self.nvmlkit("run", "-m", "h1000", "--", "/bin/echo", "started")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("h100", result.stderr)

    def test_a_missing_file(self) -> None:
        result = self.nvmlkit("run", "-c", "/no/such/machine.yaml", "--", "/bin/echo", "started")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("/no/such/machine.yaml", result.stderr)

    def test_a_missing_program(self) -> None:
        result = self.nvmlkit("run", "-m", "t4", "--", "no-such-program-here")
        self.assertEqual(result.returncode, 127)
        self.assertIn("no-such-program-here", result.stderr)

    def test_no_program(self) -> None:
        self.assertEqual(self.nvmlkit("run", "-m", "t4").returncode, 2)

    def test_name_and_file_exclude_each_other(self) -> None:
        self.assertEqual(self.nvmlkit("run", "-m", "t4", "-c", self.file(GOOD), "--", "/bin/true").returncode, 2)


class Others(ClientTest):
    def test_machines(self) -> None:
        result = self.nvmlkit("machines")
        names = [line.split()[0] for line in result.stdout.splitlines()[1:]]
        self.assertEqual(sorted(names), sorted(path.stem for path in (SOURCE / "profiles").glob("*.yaml")))

    def test_list(self) -> None:
        result = self.nvmlkit("list", "-m", "h100")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 9)
        self.assertIn("NVIDIA H100 80GB HBM3", result.stdout)
        self.assertEqual(len(self.nvmlkit("list", "-m", "h100", "-n", "2").stdout.splitlines()), 3)

    def test_list_of_a_lost_gpu(self) -> None:
        healthy = self.good("list", "-m", "t4", "-n", "2").splitlines()
        lines = self.good("list", "-m", "t4", "-n", "2", NVMLKIT_FAULT="gpu=1 lost").splitlines()
        self.assertEqual(lines, [*healthy[:2], "1    GPU is lost"])

    def test_check(self) -> None:
        path = self.folder / "machine.yaml"
        path.write_text(GOOD)
        self.assertIn("4 x Good GPU", self.good("check", path))
        path.write_text(BAD)
        self.assertEqual(self.nvmlkit("check", path).returncode, 2)

    def test_usage(self) -> None:
        self.assertRegex(self.nvmlkit("--version").stdout, r"^nvmlkit \d+\.\d+\.\d+$")
        self.assertEqual(self.nvmlkit("--help").returncode, 0)
        self.assertEqual(self.nvmlkit("no-such-command").returncode, 2)
        self.assertEqual(self.nvmlkit().returncode, 2)


if __name__ == "__main__":
    unittest.main()
