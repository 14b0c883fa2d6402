#!/usr/bin/env python3
"""The recipes of examples/recipes: those of test frameworks run, and the steps of pipelines run in a shell. Of those that need a
cluster, every command is a shell's, every file of nvmlkit that they name exists, and every object is one of Kubernetes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml
from clients import COMMAND, SOURCE, SYSTEM_PYTHON, environment, nvidia_smi
from pipelines import GitHub, GitLab

sys.path.insert(0, str(SOURCE / "tests" / "kubernetes"))
import api_schema  # noqa: E402  (of another folder)

RECIPES = SOURCE / "examples" / "recipes"


class Recipes(unittest.TestCase):
    def path_with(self, **programs: Path) -> dict[str, str]:
        """An environment in whose PATH these programs stand first."""
        folder = self.temporary()
        for name, target in programs.items():
            (folder / name.replace("_", "-")).symlink_to(target)
        mine = environment("h100")
        del mine["LD_LIBRARY_PATH"], mine["NVMLKIT_MACHINE"]  # a user has neither
        return {**mine, "PATH": f"{folder}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(self.temporary())}

    def temporary(self) -> Path:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def good(self, *command: str | Path, **options: object) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)  # type: ignore[call-overload]
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return str(done.stdout)

    @unittest.skipUnless(shutil.which("bats"), "no bats")
    def test_bats(self) -> None:
        smi = nvidia_smi("550") or nvidia_smi("535")
        if not smi:
            self.skipTest("no nvidia-smi")
        out = self.good("bats", "--tap", RECIPES / "bats" / "gpus.bats", env=self.path_with(nvmlkit=COMMAND, nvidia_smi=smi))
        self.assertRegex(out, r"\A1\.\.3\n")
        self.assertEqual(len(re.findall(r"^ok \d+ (?!.*# skip)", out, re.M)), 3, out)

    @unittest.skipUnless(shutil.which("go"), "no go")
    def test_go(self) -> None:
        env = {**self.path_with(nvmlkit=COMMAND), "GOFLAGS": "", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}
        self.good("go", "vet", ".", cwd=RECIPES / "go", env=env)
        out = self.good("go", "test", "-count=1", "-v", ".", cwd=RECIPES / "go", env=env)
        for name in ("GPUFallsOffTheBus", "AHotGPU", "ALostGPU", "AnIncident"):
            self.assertIn(f"--- PASS: Test{name} ", out)

    @unittest.skipIf(subprocess.run([SYSTEM_PYTHON, "-c", "import pytest, pynvml"], capture_output=True).returncode, "no python3-pytest or python3-pynvml")
    def test_pytest(self) -> None:
        """Two runs side by side: each test has a machine of its own."""
        env = {**self.path_with(nvmlkit=COMMAND), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [SYSTEM_PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", RECIPES / "pytest"]
        with ThreadPoolExecutor(2) as pool:
            for out in pool.map(lambda _: self.good(*command, env=env), range(2)):
                self.assertRegex(out, r"\n8 passed in ")

    @unittest.skipUnless(shutil.which("cmake") and Path("/usr/include/gtest/gtest.h").exists(), "no cmake or no libgtest-dev")
    def test_googletest(self) -> None:
        env, build = self.path_with(nvmlkit=COMMAND), self.temporary()
        self.good("cmake", "-S", RECIPES / "googletest", "-B", build, env=env)
        self.good("cmake", "--build", build, env=env)
        self.assertIn("100% tests passed, 0 tests failed out of 3", self.good("ctest", "--test-dir", build, "-j3", env=env))

    @unittest.skipUnless(shutil.which("cargo"), "no cargo")
    def test_rust(self) -> None:
        crate = self.temporary() / "rust"
        shutil.copytree(RECIPES / "rust", crate)  # cargo writes beside the sources
        out = self.good("cargo", "test", "--offline", cwd=crate, env=self.path_with(nvmlkit=COMMAND))
        self.assertIn("test result: ok. 3 passed; 0 failed", out)

    def test_steps_of_github_actions(self) -> None:
        workflow = GitHub(RECIPES / "github-actions" / "machine.yaml")
        self.assertEqual(workflow.mistakes(), [])
        self.assertEqual(len(workflow.runs()), 9)
        for variables in workflow.runs():
            folder = self.checkout()
            done = workflow.run(variables, folder, self.path_with(nvmlkit=COMMAND), leave_out=("Build nvmlkit",))
            self.assertEqual(done, 5)
            self.assertIn('tests="4" failures="0"', (folder / "incident.xml").read_text())

    def test_scripts_of_gitlab(self) -> None:
        pipeline = GitLab(RECIPES / "gitlab" / ".gitlab-ci.yml")
        self.assertEqual(pipeline.mistakes(), [])
        jobs = [(job, variables) for job, variables in pipeline.runs() if job != "nvmlkit"]
        self.assertEqual(len(jobs), 10)
        for job, variables in jobs:
            folder = self.checkout()
            pipeline.run(job, variables, folder, self.path_with(nvmlkit=COMMAND))
            for path in pipeline.reports(job):
                self.assertTrue((folder / path).exists(), path)

    def test_builds_of_pipelines(self) -> None:
        """They take minutes: what they name is there, and this build is of these targets."""
        presets = json.loads((SOURCE / "CMakePresets.json").read_text())
        for text in (GitHub(RECIPES / "github-actions" / "machine.yaml").step("Build nvmlkit"), GitLab(RECIPES / "gitlab" / ".gitlab-ci.yml").scripts("nvmlkit")):
            self.good("bash", "-n", "-c", text)
            self.assertIn("cd nvmlkit && scripts/setup --build && cmake --preset release && cmake --build --preset release --target nvmlkit_cli nvidia-ml", text)
        self.assertIn("release", [preset["name"] for preset in presets["buildPresets"]])
        self.assertIn("--build", (SOURCE / "scripts" / "setup").read_text())
        self.assertTrue((COMMAND.parents[1] / "lib" / "libnvidia-ml.so.1").exists())

    def checkout(self) -> Path:
        """A folder with nvmlkit beside the sources."""
        folder = self.temporary()
        (folder / "nvmlkit").symlink_to(SOURCE)
        return folder

    def test_workflow(self) -> None:
        workflow = yaml.safe_load((RECIPES / "github-actions" / "gpus.yaml").read_text())
        steps = workflow["jobs"]["cluster"]["steps"]
        commands = [step["run"] for step in steps if "run" in step]
        self.assertGreater(len(commands), 3)
        for text in commands:
            self.good("bash", "-n", "-c", text)
            for path in re.findall(r"nvmlkit/((?:deploy|scripts|docs)/[\w./-]+)", text):
                self.assertTrue((SOURCE / path).exists(), path)
        self.assertIn("scripts/image --name localhost/nvmlkit:0.1.0", "".join(commands))
        values = yaml.safe_load((SOURCE / "deploy" / "chart" / "nvmlkit" / "values.yaml").read_text())
        for key in re.findall(r"--set '?([\w.]+?)(?:\[\d\][\w.]*)?=", "".join(commands)):
            part = values
            for name in key.split("."):
                self.assertIn(name, part, f"a value of the chart: {key}")
                part = part[name]

    def test_chainsaw(self) -> None:
        folder = RECIPES / "chainsaw" / "gpu-falls-off"
        steps = yaml.safe_load((folder / "chainsaw-test.yaml").read_text())["spec"]["steps"]
        named = {operation["file"] for step in steps for each in step["try"] for operation in each.values()}
        self.assertEqual(named, {file.name for file in folder.iterdir()} - {"chainsaw-test.yaml"})
        if not api_schema.client():
            self.skipTest("no python3-kubernetes")
        scenario = yaml.safe_load((folder / "scenario.yaml").read_text())
        self.assertEqual(api_schema.check(scenario), [])
        for file, content in scenario["data"].items():
            path = self.temporary() / file
            path.write_text(content)
            self.good(COMMAND, "scenario", "run", path, "-m", "h100")


if __name__ == "__main__":
    unittest.main()
