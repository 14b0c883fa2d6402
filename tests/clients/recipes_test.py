#!/usr/bin/env python3
"""The recipes of examples/recipes: bats and Go run; of the others, which need a cluster, every command is a shell's, every file of
nvmlkit that they name exists, and every object is one of Kubernetes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml
from clients import COMMAND, SOURCE, environment, nvidia_smi

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
        return {**mine, "PATH": f"{folder}:{os.environ['PATH']}"}

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
        self.assertIn("--- PASS: TestGPUFallsOffTheBus", self.good("go", "test", "-count=1", "-v", ".", cwd=RECIPES / "go", env=env))

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
