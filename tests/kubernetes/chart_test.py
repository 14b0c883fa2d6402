"""The chart and the kustomize base without a cluster: every set of values below renders, and the API has every field of the result;
wrong values are refused. What needs helm is skipped without it (PATH, or NVMLKIT_HELM)."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

import api_schema
from programs import SKIPPED, find

try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml")
    sys.exit(SKIPPED)

SOURCE = Path(__file__).resolve().parents[2]
CHART = SOURCE / "deploy/chart/nvmlkit"
BASE = SOURCE / "deploy/kustomize/base"
EXAMPLES = SOURCE / "deploy/examples"
HELM = os.environ.get("NVMLKIT_HELM") or find("helm")

# Values, and texts that the result has to have.
GOOD: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "defaults": ({}, ("name: t-nvmlkit-default", "value: \"h100\"", "--remove", "--no-real-driver", "mountPath: /run/nvidia")),
    "pools": (
        {
            "pools": [
                {"name": "a", "machine": "h100", "nodes": ["one", "two"], "gpus": 4, "driver": "550", "seed": "x"},
                {"name": "b", "machine": "t4", "nodes": ["three"], "driver": 535, "seed": None, "state": {"keep": True, "owner": 1000}},
            ]
        },
        ("value: \"x/$(NODE_NAME)\"", "metadata.name", "value: \"550\"", "value: \"535\"", "--owner=1000"),
    ),
    "labels": (
        {"machineLabel": {"enabled": True, "machines": ["a100", "two-t4"]}, "machines": {"two-t4": {"base": "t4", "system": {"num_devices": 2}}}},
        (
            "nvmlkit.io/machine: a100",
            "operator: DoesNotExist",
            "/machine/two-t4.yaml",
            "base: t4",
            "name: t-nvmlkit-no-machine",
            "operator: NotIn",
            "--refuse=node $(NODE_NAME): its label nvmlkit.io/machine names none of the machines a100, two-t4: ",
        ),
    ),
    "text": (
        {"machines": {"mine": "base: a100\nsystem: {num_devices: 1}\n"}, "pools": [{"name": "x", "machine": "mine"}]},
        ("    base: a100\n    system: {num_devices: 1}\n", "name: t-nvmlkit-machines"),
    ),
    "config map": (
        {"pools": [{"name": "x", "configMap": {"name": "theirs", "key": "rack.yaml"}}]},
        ("/machine/rack.yaml", "configMap: {name: theirs, optional: true}"),
    ),
    "everything": (
        {
            "image": {"digest": "sha256:" + "0" * 64},
            "imagePullSecrets": [{"name": "s"}],
            "kernelLog": "/dev/kmsg",
            "validations": "/run/nvidia/validations",
            "features": "/etc/kubernetes/node-feature-discovery/features.d/nvmlkit",
            "nvidiaSmi": {"image": "localhost/smi:1"},
            "runtimeClass": {"create": True},
            "priorityClassName": "system-node-critical",
            "hostPID": True,
            "podAnnotations": {"a": "b"},
            "podLabels": {"c": "d"},
            "affinity": {"podAntiAffinity": {}},
            "state": {"mode": "0644", "group": 2000},
            "time": 60,
        },
        ("privileged: true", "kind: RuntimeClass", "nvmlkit@sha256:0", "--mode=0644", "--group=2000", "type: CharDevice", "value: \"60\""),
    ),
    "one folder for two purposes": (
        {"kernelLog": "/run/nvidia/kernel.log", "validations": "/run/nvidia/validations/"},
        ("--kernel-log=/run/nvidia/kernel.log", "--validations=/run/nvidia/validations\n"),
    ),
    "scenarios of a pool": (
        {"pools": [{"name": "a", "machine": "t4", "nodeSelector": {"zone": "eu-1"}}], "scenarios": {"configMap": "outages"}},
        ("--scenarios=/scenarios", "--node-label=zone=eu-1", "configMap: {name: outages, optional: true}", "fieldPath: metadata.labels"),
    ),
    "metrics": (
        {"metrics": {"enabled": True, "port": 9500}},
        ("--metrics=0.0.0.0:9500", "containerPort: 9500", "prometheus.io/port: \"9500\"", "name: t-nvmlkit-metrics", "clusterIP: None"),
    ),
    "journal": ({"kernelLog": "journal-kernel"}, ("--kernel-log=journal-kernel", "mountPath: /dev/kmsg", "privileged: true")),
    "file for the log": (
        {"kernelLog": "/var/log/gpus.log", "nvidiaSmi": {"hostPath": "/usr/bin/nvidia-smi"}, "cdi": {"enabled": False}},
        ("--kernel-log=/var/log/gpus.log", "mountPath: /var/log", "path: /usr/bin/nvidia-smi"),
    ),
}
# Values, and a part of the message.
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "unknown value": ({"frobs": 3}, "frobs"),
    "unknown value of a pool": ({"pools": [{"name": "a", "machine": "t4", "frobs": 3}]}, "frobs"),
    "mode as a number": ({"state": {"mode": 420}}, "mode"),
    "root below /": ({"driverRoot": "/gpus"}, "driverRoot"),
    "two machines": ({"pools": [{"name": "a", "machine": "t4", "configMap": {"name": "a", "key": "b.yaml"}}]}, "oneOf"),
    "no machine": ({"pools": [{"name": "a"}]}, "pools"),
    "metrics without a port": ({"metrics": {"enabled": True, "port": 0}}, "port"),
    "scenarios of no name": ({"scenarios": {"configMap": "No Name"}}, "configMap"),
    "no machines by label": ({"machineLabel": {"enabled": True}}, "machineLabel.machines is empty"),
    "one name twice": (
        {"pools": [{"name": "a", "machine": "t4", "nodes": ["one"]}, {"name": "a", "machine": "t4", "nodes": ["two"]}]},
        'two pools have the name "a"',
    ),
    "all nodes twice": (
        {"pools": [{"name": "a", "machine": "t4"}, {"name": "b", "machine": "t4"}]},
        'a node can belong to the pools "a" and "b"',
    ),
    "one label in common": (
        {
            "pools": [
                {"name": "a", "machine": "t4", "nodeSelector": {"gpu": "yes", "zone": "1"}},
                {"name": "b", "machine": "t4", "nodeSelector": {"gpu": "yes"}},
            ]
        },
        'a node can belong to the pools "a" and "b"',
    ),
    "one node twice": (
        {"pools": [{"name": "a", "machine": "t4", "nodes": ["one", "two"]}, {"name": "b", "machine": "t4", "nodes": ["two"]}]},
        'node "two" belongs to the pools "a" and "b"',
    ),
}


def helm(*arguments: str, values: dict[str, Any] | None = None) -> subprocess.CompletedProcess[str]:
    options = ["-f", "/dev/stdin"] if values is not None else []
    text = yaml.safe_dump(values) if values is not None else None
    return subprocess.run([str(HELM), *arguments, *options], input=text, capture_output=True, text=True)


class ChartTest(unittest.TestCase):
    def setUp(self) -> None:
        if HELM is None:
            self.skipTest("no helm in PATH or NVMLKIT_HELM")

    def test_lint(self) -> None:
        result = helm("lint", "--strict", str(CHART))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_good_values(self) -> None:
        for name, (values, texts) in GOOD.items():
            with self.subTest(name):
                result = helm("template", "t", str(CHART), "--namespace", "gpus", values=values)
                self.assertEqual(result.returncode, 0, result.stderr)
                for text in texts:
                    self.assertIn(text, result.stdout)
                documents = [document for document in yaml.safe_load_all(result.stdout) if document]
                for document in documents:
                    self.check_mounts(document)
                services = [document for document in documents if document["kind"] == "Service"]
                self.assertEqual(len(services), 1 if values.get("metrics", {}).get("enabled") else 0)
                pools = [document for document in documents if document["kind"] == "DaemonSet"]
                self.assertEqual(len({document["metadata"]["name"] for document in pools}), len(pools))
                if api_schema.client():
                    self.assertEqual([line for document in documents for line in api_schema.check(document)], [])

    def check_mounts(self, document: dict[str, Any]) -> None:
        """A rule of the API that its types do not state."""
        spec = document.get("spec", {}).get("template", {}).get("spec", {})
        volumes = [volume["name"] for volume in spec.get("volumes", [])]
        self.assertEqual(len(set(volumes)), len(volumes))
        for container in (*spec.get("initContainers", []), *spec.get("containers", [])):
            places = [mount["mountPath"] for mount in container["volumeMounts"]]
            self.assertEqual(len(set(places)), len(places), places)
            self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, set(volumes))

    def test_values_of_examples(self) -> None:
        files = sorted((EXAMPLES / "values").glob("*.yaml"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file.name):
                result = helm("template", "t", str(CHART), "-f", str(file))
                self.assertEqual(result.returncode, 0, result.stderr)

    def test_bad_values(self) -> None:
        for name, (values, text) in BAD.items():
            with self.subTest(name):
                result = helm("template", "t", str(CHART), values=values)
                self.assertNotEqual(result.returncode, 0, result.stdout)
                self.assertIn(text, result.stderr)

    def test_base_is_not_stale(self) -> None:
        environment = {**os.environ, "NVMLKIT_HELM": str(HELM)}
        result = subprocess.run([SOURCE / "deploy/render", "--check"], capture_output=True, text=True, env=environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class BaseTest(unittest.TestCase):
    """What is committed, without helm."""

    documents: list[dict[str, Any]]

    def setUp(self) -> None:
        if api_schema.client() is None:
            self.skipTest("no python3-kubernetes")
        files = [*sorted(BASE.glob("*.yaml")), *sorted(EXAMPLES.glob("*.yaml"))]
        self.documents = [document for path in files for document in yaml.safe_load_all(path.read_text()) if document]

    def test_the_api_has_every_field(self) -> None:
        kinds = {document["kind"] for document in self.documents}
        self.assertLessEqual({"DaemonSet", "Namespace", "ServiceAccount"}, kinds)
        for document in self.documents:
            # The client of Debian 12 is older than DeviceClass.
            if document["kind"] not in ("Kustomization", "DeviceClass"):
                self.assertEqual(api_schema.check(document), [])

    def test_the_check_finds_mistakes(self) -> None:
        good = next(document for document in self.documents if document["kind"] == "DaemonSet")
        for path, value, message in (
            (("spec", "template", "spec", "containers", 0, "imagePullpolicy"), "Never", "imagePullpolicy: no such field"),
            (("spec", "template", "spec", "hostPID"), "false", "hostPID: expected bool"),
            (("spec", "selector"), None, "selector"),
            (("spec", "template", "spec", "volumes", 0), "ready", "volumes[0]: expected a map"),
            (("kind",), "DemonSet", "the API has no apps/v1 DemonSet"),
        ):
            bad: Any = copy.deepcopy(good)
            inside = bad
            for key in path[:-1]:
                inside = inside[key]
            if value is None:
                del inside[path[-1]]
            else:
                inside[path[-1]] = value
            self.assertTrue(any(message in line for line in api_schema.check(bad)), (path, api_schema.check(bad)))


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    ran, skipped = program.result.testsRun, program.result.skipped
    if skipped:
        print("skipped:", ", ".join(sorted({reason for _, reason in skipped})))
    sys.exit(1 if not program.result.wasSuccessful() else SKIPPED if ran == len(skipped) else 0)
