#!/usr/bin/env python3
"""nvmlkit scenario: runs on machines that are up and on machines of its own, results, exit statuses, the schema."""

from __future__ import annotations

import json
import subprocess
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

from clients import COMMAND, SOURCE
from fixture import ClientTest

HEAT = """
seed: 7
groups: {victims: {count: 2}}
steps:
  - do: load gpu=all 90% --memory 40%
  - {at: 20s, name: hot, gpus: victims, do: [set thermal.gpu=95, fault xid 48], expect: clocks.sm < 1200, within: 5s}
  - {at: 30s, gpus: victims, do: fault off-bus, for: 20s}
  - {when: gpu 0 thermal.gpu > 36, within: 10m, do: set gpu=0 power.limit=300000}
  - {at: 60s, every: 30s, repeat: 15, chance: 50%, any: [fault gpu=0 xid 31, fault gpu=1 xid 43]}
"""


class Scenario(ClientTest):
    def write(self, text: str, name: str = "s.yaml") -> Path:
        path = self.folder / name
        path.write_text(text)
        return path

    def value(self, gpu: str, path: str) -> str:
        return self.good("get", gpu, path).strip()

    def test_ten_minutes_in_seconds_and_twice_the_same(self) -> None:
        file = self.write(HEAT)
        results: list[tuple[bytes, bytes, str]] = []
        for name in ("one", "two"):
            outputs = (self.folder / f"{name}.json", self.folder / f"{name}.xml")
            begin = time.monotonic()
            text = self.good("scenario", "run", file, "-m", "h100", "--json", outputs[0], "--junit", outputs[1])
            self.assertLess(time.monotonic() - begin, 30)
            results.append((outputs[0].read_bytes(), outputs[1].read_bytes(), text))
        self.assertEqual(results[0], results[1])
        report = json.loads(results[0][0])
        self.assertEqual((report["scenario"], report["seed"], report["passed"]), ("s", "7", True))
        self.assertGreaterEqual(report["duration_s"], 480)
        hot = next(step for step in report["steps"] if step["name"] == "hot")
        self.assertEqual((len(hot["gpus"]), hot["outcome"], hot["began_s"]), (2, "done", 20))
        self.assertEqual([step["gpus"] for step in report["steps"] if step["step"] == 3], [hot["gpus"]], "a group is drawn once")
        suite = ElementTree.fromstring(results[0][1]).find("testsuite")
        assert suite is not None
        self.assertEqual((suite.get("tests"), suite.get("failures")), (str(len(report["steps"])), "0"))

    def test_another_seed_is_another_draw(self) -> None:
        file = self.write(HEAT)
        plans = {self.good("scenario", "run", file, "-m", "h100", "--dry-run", "--seed", str(seed)) for seed in range(8)}
        self.assertGreater(len(plans), 3)

    def test_a_machine_that_is_up(self) -> None:
        self.up("h100", 2)
        file = self.write("steps: [{gpus: 1, do: [fault thermal, set power.limit=300000]}, {after: 200ms, do: load gpu=0 50%}]")
        text = self.good("scenario", "run", file)
        self.assertIn("fault gpu=1 thermal; set gpu=1 power.limit=300000", text)
        self.assertEqual(self.good("fault"), "gpu=1 thermal hw\n")
        self.assertEqual(self.value("gpu=1", "power.limit"), "300000")
        file = self.write("steps: [{do: heal gpu=1}, {after: 10m, do: load gpu=0 off}]")
        before = self.good("time")
        for options in (("--virtual",), ("--speed", "10000")):
            begin = time.monotonic()
            self.good("scenario", "run", file, *options)
            self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(before.split()[0], self.good("time").split()[0], "the pace is what it was")
        self.assertEqual(self.good("fault"), "no faults\n")

    def test_a_change_of_another_program_is_seen_at_once(self) -> None:
        self.up("h100", 1)
        file = self.write("steps: [{when: gpu=0 fault == lost, within: 60s, do: heal gpu=0}]")
        run = subprocess.Popen([COMMAND, "scenario", "run", file], env=self.environment, stdout=subprocess.PIPE, text=True)
        time.sleep(0.5)
        self.good("fault", "gpu=0", "lost")
        self.assertIn("done", run.communicate(timeout=60)[0])
        self.assertEqual(run.returncode, 0)

    def test_a_failure_is_the_exit_status(self) -> None:
        file = self.write("steps: [{do: set gpu=0 thermal.gpu=95, expect: gpu=0 thermal.gpu < 90, within: 2s}, {do: heal}]")
        junit = self.folder / "junit.xml"
        result = self.nvmlkit("scenario", "run", file, "-m", "t4", "--junit", junit)
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        self.assertIn("gpu=0 thermal.gpu < 90 did not hold within 2s; seen: gpu 0: 95", result.stdout)
        self.assertIn("1 done, 1 failed", result.stdout)
        failure = ElementTree.parse(junit).find(".//failure")
        assert failure is not None
        self.assertIn("did not hold", failure.get("message") or "")

    def test_bad_input_is_one_line_with_its_place(self) -> None:
        for text, message in {
            "steps: [{do: faul xid 1}]": ":1:14: unknown command 'faul'; did you mean 'fault'?",
            "steps:\n  - at: 5x\n    do: heal": ":2:9: expected a time such as 500ms, 10s, 5m or 2h, got '5x'",
            "steps: [{do: fault xidd 1}]": ":1:14: unknown fault of a GPU 'xidd'; did you mean 'xid'?",
            "steps: [{gpus: 9, do: heal}]": ":1:16: no GPU '9'; the machine has 2",
            "steps: [{do: heal, every: 1s}]": "this step repeats without end",
        }.items():
            with self.subTest(text):
                file = self.write(text)
                self.assertIn(f"{file}{message}" if message.startswith(":") else message,
                              self.refused("scenario", "run", file, "-m", "t4", "-n", "2"))  # fmt: skip
        self.assertIn("such file", self.refused("scenario", "check", self.folder / "none.yaml"))
        file = self.write("steps: [{do: heal}]")
        self.assertIn("--speed", self.refused("scenario", "run", file, "-m", "t4", "--speed", "fast"))
        self.assertIn("no machine is up", self.refused("scenario", "run", file))
        self.assertIn("--node-label", self.refused("scenario", "run", file, "-m", "t4", "--node-label", "x"))

    def test_nodes_by_options(self) -> None:
        file = self.write("nodes: {labels: {zone: 'eu-*'}}\nsteps: [{do: heal}]")
        for options, outcome in (((), "1 done"), (("--node-name", "a"), "0 done, 1 elsewhere"),
                                 (("--node-name", "a", "--node-label", "zone=eu-1", "--node-label", "b=c"), "1 done")):  # fmt: skip
            self.assertIn(f"\n{outcome}\n", self.good("scenario", "run", file, "-m", "t4", *options))
        labels = self.write('zone="us-1"\n', "labels")
        self.assertIn("1 elsewhere", self.good("scenario", "run", file, "-m", "t4", NVMLKIT_NODE_NAME="a", NVMLKIT_NODE_LABELS=str(labels)))

    def test_the_examples(self) -> None:
        try:
            import yaml
        except ImportError:
            self.skipTest("no python3-yaml")
        count = 0
        for example in sorted((SOURCE / "deploy/examples").glob("scenario-*.yaml")):
            for name, text in yaml.safe_load(example.read_text())["data"].items():
                self.good("scenario", "check", self.write(text, name), "-m", "h100")
                count += 1
        self.assertGreater(count, 1)

    def test_the_schema_accepts_what_the_reader_accepts(self) -> None:
        text = self.good("scenario", "schema")
        committed = SOURCE / "docs/reference/scenario.schema.json"
        self.assertEqual(text, committed.read_text(), f"stale: nvmlkit scenario schema > {committed}")
        schema = json.loads(text)
        self.assertEqual(schema["required"], ["steps"])
        try:
            import jsonschema
            import yaml
        except ImportError:
            self.skipTest("no python3-jsonschema or python3-yaml")
        jsonschema.validate(yaml.safe_load(HEAT), schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({"steps": [{"at": "5x", "do": "heal"}]}, schema)


if __name__ == "__main__":
    unittest.main()
