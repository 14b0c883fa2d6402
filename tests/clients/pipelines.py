"""Pipelines of GitHub Actions and GitLab: their structure, and their commands in a shell of this machine."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

STEP_KEYS = {"name", "uses", "with", "run", "if", "env", "id"}
JOB_KEYS = {"stage", "image", "script", "before_script", "artifacts", "extends", "parallel", "variables"}


def products(matrix: dict[str, Any]) -> list[dict[str, str]]:
    return [dict(zip(matrix, values)) for values in itertools.product(*matrix.values())]


def shell(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"status {done.returncode} of {command[-1]}: {done.stdout}{done.stderr}")


class GitHub:
    """A workflow with one job."""

    def __init__(self, file: Path) -> None:
        self.content = yaml.safe_load(file.read_text())
        (self.job,) = self.content["jobs"].values()

    def mistakes(self) -> list[str]:
        found = [f"no {key}" for key in ("name", "jobs") if key not in self.content]
        if True not in self.content:  # `on` is a truth value of YAML 1.1
            found.append("no on")
        if "runs-on" not in self.job:
            found.append("no runs-on")
        for step in self.job["steps"]:
            if unknown := step.keys() - STEP_KEYS:
                found.append(f"unknown keys {unknown}")
            if ("run" in step) == ("uses" in step):
                found.append(f"neither run nor uses, or both: {step}")
        return found

    def step(self, name: str) -> str:
        return next(step["run"] for step in self.job["steps"] if step.get("name") == name)

    def runs(self) -> list[dict[str, str]]:
        """The variables of each job that the matrix makes."""
        return products(self.job["strategy"]["matrix"])

    def run(self, variables: dict[str, str], folder: Path, environment: dict[str, str], leave_out: tuple[str, ...]) -> int:
        """Runs the steps as the runner does; how many."""
        state = folder / "environment"
        state.touch()
        done = 0
        for step in self.job["steps"]:
            if "run" not in step or step.get("name") in leave_out:
                continue
            text = re.sub(r"\$\{\{ *matrix\.(\w+) *\}\}", lambda found: variables[found[1]], step["run"])
            if "${{" in text:
                raise AssertionError(f"an expression that is not known here: {text}")
            mine = dict(line.split("=", 1) for line in state.read_text().splitlines() if line)
            shell(["bash", "-e", "-c", text], folder, {**environment, **mine, "GITHUB_ENV": str(state)})
            done += 1
        return done


class GitLab:
    def __init__(self, file: Path) -> None:
        self.content = yaml.safe_load(file.read_text())
        self.jobs = {name: self.extended(name) for name in self.content if name not in ("variables", "stages")}

    def extended(self, name: str) -> dict[str, Any]:
        job = dict(self.content[name])
        return {**self.extended(job["extends"]), **job} if "extends" in job else job

    def mistakes(self) -> list[str]:
        found = []
        for name, job in self.jobs.items():
            found += [f"{name}: unknown key {key}" for key in job.keys() - JOB_KEYS]
            if job.get("stage") not in self.content["stages"]:
                found.append(f"{name}: no stage")
            if not name.startswith(".") and not all(isinstance(line, str) for line in job.get("script", [None])):
                found.append(f"{name}: a script is a list of text")
        return found

    def scripts(self, name: str) -> str:
        job = self.jobs[name]
        return "\n".join([*job.get("before_script", []), *job["script"]])

    def runs(self) -> list[tuple[str, dict[str, str]]]:
        """Each job with its variables."""
        out: list[tuple[str, dict[str, str]]] = []
        for name, job in self.jobs.items():
            if not name.startswith("."):
                matrix = job.get("parallel", {}).get("matrix", [{}])
                out += [(name, variables) for entry in matrix for variables in products(entry)]
        return out

    def run(self, name: str, variables: dict[str, str], folder: Path, environment: dict[str, str]) -> None:
        shell(["bash", "-e", "-o", "pipefail", "-c", self.scripts(name)], folder, {**environment, **variables})

    def reports(self, name: str) -> list[str]:
        return list(self.jobs[name].get("artifacts", {}).get("reports", {}).values())
