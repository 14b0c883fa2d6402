"""The recipes that need a cluster, on the cluster of the tests: the commands of the workflow of GitHub Actions, and the steps of the
test of chainsaw."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import objects
import yaml
from case import ClusterTest
from content import SOURCE
from programs import find

sys.path.insert(0, str(SOURCE / "tests" / "clients"))
from pipelines import GitHub  # noqa: E402  (of another folder)

RECIPES = SOURCE / "examples" / "recipes"
# What makes the image and the cluster, which are there.
OF_KIND = re.compile(r"^(docker|kind) .*\n", re.M)
CHANGED = {f"image: {where}/": f"image: {objects.NVIDIA} # " for where in ("nvcr.io", "registry.k8s.io")}


def contains(value: Any, expected: Any) -> bool:
    """As chainsaw compares: every key that is expected is there, with such a value."""
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(key in value and contains(value[key], part) for key, part in expected.items())
    return bool(value == expected)


class RecipeTests(ClusterTest):
    def test_80_the_commands_of_the_workflow(self) -> None:
        """It installs the chart, so it comes first; with the node's nvidia-smi, which a runner has not."""
        self.need("nvidia-device-plugin")
        self.end_plugin()
        self.cluster.helm("uninstall", "nvmlkit", "--namespace", "nvmlkit", "--wait")
        folder = Path(tempfile.mkdtemp(dir=self.cluster.work))
        shutil.copytree(SOURCE / "deploy", folder / "nvmlkit/deploy")
        plugin = folder / "nvmlkit/deploy/examples/device-plugin.yaml"
        text = plugin.read_text()
        for image, ours in CHANGED.items():
            text = text.replace(image, ours)
        plugin.write_text(text)
        self.addCleanup(self.cluster.kubectl, "delete", "--cascade=foreground", "-f", str(plugin), check=False)
        (folder / "test").mkdir()
        (folder / "test/pod.yaml").write_text(objects.pod("two-gpus", "ls /dev/nvidia[0-9]", 2))
        self.addCleanup(self.cluster.kubectl, "delete", "pod", "two-gpus", "--ignore-not-found", check=False)
        workflow = GitHub(RECIPES / "github-actions" / "gpus.yaml")
        tag = self.image.rsplit(":", 1)[1]
        bin_folder = folder / "bin"
        bin_folder.mkdir()
        for program in ("kubectl", "helm"):
            (bin_folder / program).symlink_to(str(find(program)))
        environment = {**self.cluster.environment, "PATH": f"{bin_folder}:/usr/bin:/bin"}
        for name in ("A cluster with simulated GPUs", "Your tests", "A GPU breaks", "What went wrong"):
            command = OF_KIND.sub("", workflow.step(name)).replace("image.tag=0.1.0", f"image.tag={tag}")
            done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stdout}{done.stderr}")
            if name == "Your tests":
                self.assertEqual(len(re.findall(r"^/dev/nvidia\d$", done.stdout, re.M)), 2, done.stdout)
        self.nvmlkit("heal", "gpu=5")

    def test_81_the_steps_of_the_test_of_chainsaw(self) -> None:
        self.need("nvidia-device-plugin", "nvidia-cdi-hook")
        self.chart("upgrade")
        self.start_plugin({"nvidia.com/gpu": 8})
        folder = RECIPES / "chainsaw" / "gpu-falls-off"
        steps = yaml.safe_load((folder / "chainsaw-test.yaml").read_text())["spec"]["steps"]
        self.addCleanup(self.cluster.kubectl, "delete", "-f", str(folder / "scenario.yaml"), "--ignore-not-found", check=False)
        for operation in (each for step in steps for each in step["try"]):
            ((verb, what),) = operation.items()
            if verb == "apply":
                self.cluster.kubectl("apply", "-f", str(folder / what["file"]))
                continue
            self.assertEqual(verb, "assert")
            wanted = yaml.safe_load((folder / what["file"]).read_text())
            self.cluster.wait(what["file"], lambda wanted=wanted: self.is_there(wanted), 240)
        self.cluster.kubectl("delete", "-f", str(folder / "scenario.yaml"))
        self.cluster.wait("the nodes' repair", lambda: self.nvmlkit("fault") == "no faults\n", 240)

    def is_there(self, wanted: dict[str, Any]) -> bool:
        labels = ",".join(f"{key}={value}" for key, value in wanted["metadata"]["labels"].items())
        found = json.loads(self.cluster.kubectl("get", wanted["kind"], "-l", labels, "-o", "json"))
        return any(contains(item, wanted) for item in found["items"])
