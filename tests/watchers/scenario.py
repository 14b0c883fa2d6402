"""A run of `nvmlkit scenario`, each of whose steps begins when the test wants it."""

from __future__ import annotations

import json
import re
import subprocess

from clients import COMMAND, PATIENCE
from fixture import ClientTest

SIGNAL = "pcie.replay_counter"  # of GPU 2, which no expectation is about: a step waits for its value
FIRST = "11004"  # an SXid: the kernel log has the time of this first step


class Scenario:
    """Its times are those of the kernel log's clock."""

    def __init__(self, test: ClientTest, steps: list[str], signal: int) -> None:
        self.test, self.signal = test, signal
        self.results = test.folder / "results.json"
        file = test.folder / "faults.yaml"
        waiting = [{"when": f"gpu=2 {SIGNAL} >= {signal + 1 + place}", "do": step} for place, step in enumerate(steps)]
        file.write_text(json.dumps({"end": "1h", "steps": [{"do": f"fault nvswitch=0 sxid {FIRST}"}, *waiting]}))  # JSON is YAML
        self.process = subprocess.Popen([COMMAND, "scenario", "run", file, "--json", self.results], env=test.environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        test.addCleanup(self.close)
        at = self.read()
        log = test.good("kernel-log", "--format", "kmsg")
        self.first = int(re.findall(rf"^\d+,\d+,(\d+),-;.*SXid.* {FIRST}, ", log, re.M)[-1]) / 1e6
        self.begin = self.first - at

    def read(self) -> float:
        """When a step was done, in the time of the run."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        found = re.match(r" *([\d.]+)s +done ", line)
        if not found:
            raise AssertionError(f"the scenario: {line}{self.process.stdout.read()}")
        return float(found[1])

    def next(self) -> float:
        """Lets the next step begin; when it did."""
        self.signal += 1
        self.test.good("set", "gpu=2", f"{SIGNAL}={self.signal}")
        return self.begin + self.read()

    def end(self) -> list[float]:
        """When the commands of the steps ran, to the microsecond: next() knows milliseconds."""
        self.test.assertEqual(self.process.wait(PATIENCE), 0)
        steps = json.loads(self.results.read_text())["steps"]
        return [self.first + step["ended_s"] - steps[0]["ended_s"] for step in steps[1:]]

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
