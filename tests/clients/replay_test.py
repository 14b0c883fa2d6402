#!/usr/bin/env python3
"""nvmlkit replay: recordings that programs made on simulated machines drive other ones, which nvidia-smi then reads."""

from __future__ import annotations

import gzip
import json
import re
import unittest
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR, available_smi
from fixture import ClientTest

HEAT = "{end: 10m, steps: [{do: load gpu=all 90% --memory 40%}, {at: 3m, gpus: 1, do: fault xid 79, for: 2m}]}"


class Replay(ClientTest):
    def write(self, text: str | bytes, name: str) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def recorded(self, machine: str = "h100") -> Path:
        file = self.folder / "recorded.om"
        scenario = self.write(HEAT, "s.yaml")
        self.good("scenario", "run", scenario, "-m", machine, "-n", "2", "--record", file, "--every", "15s")
        return file

    def smi_output(self, *arguments: str) -> str:
        return self.good("smi", "--library", LIBRARY_DIR / "libnvidia-ml.so.1", *arguments)

    def test_a_recording_of_a_scenario(self) -> None:
        report = self.folder / "report.json"
        text = self.good("replay", self.recorded(), "-m", "h100", "-n", "2", "--check", "--json", report)
        self.assertIn("0 off by more than 1 %", text)
        self.assertIn("Xids raised: 1", text)
        result = json.loads(report.read_text())
        self.assertTrue(result["check"])
        self.assertEqual(result["duration_s"], 600)
        energy = next(field for field in result["fields"] if field["field"] == "power.total_energy_consumption_mj")
        self.assertGreater(energy["values"], 70)
        self.assertEqual(energy["off"], 0)

    def test_the_same_as_an_answer_of_prometheus_and_compressed(self) -> None:
        series: dict[str, list[list[object]]] = {}
        for line in self.recorded().read_text().splitlines():
            if found := re.match(r"(\w+)\{(.*)\} (\S+) (\S+)$", line):
                labels = {**dict(re.findall(r'(\w+)="([^"]*)"', found[2])), "__name__": found[1]}
                series.setdefault(json.dumps(labels), []).append([float(found[4]), found[3]])
        matrix = [{"metric": json.loads(labels), "values": values} for labels, values in series.items()]
        answer = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": matrix}}, indent=1)
        texts = []
        for file in (self.write(answer, "a.json"), self.write(gzip.compress(answer.encode()), "a.json.gz"), self.recorded()):
            text = self.good("replay", file, "-m", "h100", "-n", "2", "--check")
            texts.append(text.split("\n", 1)[1])
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])

    def test_what_nvidia_smi_printed_is_what_it_prints_again(self) -> None:
        fields = "index,power.draw,temperature.gpu,utilization.gpu,utilization.memory,memory.used,clocks.sm,clocks.mem,pstate"
        self.up("h100", 2)
        self.good("time", "virtual")
        self.good("load", "gpu=1", "80%", "--memory", "30%")
        self.good("set", "gpu=1", "memory.used_bytes=10737418240")
        self.good("time", "advance", "5m")
        query, monitor = self.smi_output(f"--query-gpu={fields}", "--format=csv"), self.smi_output("dmon", "-s", "pucm", "-c", "1")
        again = self.smi_output(f"--query-gpu={fields}", "--format=csv,noheader")
        self.good("down", "--state", self.state)
        for name, text in (("query.csv", query), ("dmon.txt", monitor)):
            with self.subTest(name):
                self.up("a100", 2)
                self.good("time", "virtual")
                text = self.good("replay", self.write(text, name), "--check", "--keep")
                self.assertIn(" 0 off by more than 1 %", text)
                shown = self.smi_output(f"--query-gpu={fields}", "--format=csv,noheader")
                for program in available_smi().values():
                    self.assertEqual(self.smi(program, f"--query-gpu={fields}", "--format=csv,noheader", code=0), shown)
                if name == "query.csv":
                    self.assertEqual(shown, again)
                self.good("down", "--state", self.state)

    def test_a_machine_that_is_up_is_given_back(self) -> None:
        self.up("h100", 2)
        file = self.recorded()
        before = [self.good("get", "gpu=all", path) for path in ("power.limit_mw", "memory", "workload", "ecc")]
        text = self.good("replay", file, "--virtual", "--check", "--from", "1m", "--to", "4m")
        self.assertIn("over 3m", text)
        after = [self.good("get", "gpu=all", path) for path in ("power.limit_mw", "memory", "workload", "ecc")]
        self.assertEqual(before, after)
        self.assertEqual(self.good("fault"), "no faults\n")
        self.assertIn("real", self.good("time"))
        self.good("replay", file, "--speed", "2000")

    def test_a_load_with_the_shape_of_a_file(self) -> None:
        self.up("h100", 2)
        file = self.write("index, utilization.gpu [%], utilization.memory [%]\n" + "0, 90 %, 40 %\n" * 20 + "0, 30 %, 9 %\n" * 20, "q.csv")
        self.good("time", "virtual")
        energy = int(self.good("get", "gpu=1", "power.total_energy_consumption_mj"))
        self.good("load", "gpu=1", "--from", file)
        self.assertEqual(self.good("get", "gpu=1", "utilization.gpu").strip(), "0")
        used = int(self.good("get", "gpu=1", "power.total_energy_consumption_mj")) - energy
        self.assertGreater(used, 8_000_000, "forty seconds of work, in mJ")
        self.assertIn("how much?", self.refused("load", "gpu=1"))
        self.assertIn("no GPU '7'", self.refused("load", "gpu=7", "--from", file))
        self.assertIn("cannot be read", self.refused("load", "gpu=1", "--from", self.folder / "none"))

    def test_a_kernel_log_breaks_gpus(self) -> None:
        self.up("h100", 2)
        log = self.write("[ 10.5] NVRM: Xid (PCI:0000:07:00): 79, pid=1\n", "dmesg.txt")
        self.good("replay", log, "--keep")
        self.assertIn("gpu=0 lost", self.good("fault"))
        self.assertIn("Xid", self.good("kernel-log"))

    def test_bad_input_is_one_line_with_its_place(self) -> None:
        for text, message in {
            "hello\n": ":1: expected JSON or text of Prometheus",
            "# gpu    pwr\n    0    hot\n": ":2: expected a number or - in column pwr, got 'hot'",
            "index, power.draw [W]\n7, 50 W\n": "the recording has GPUs up to number 7, the machine has 2",
            "": ":1: expected JSON",
        }.items():
            with self.subTest(text):
                self.assertIn(message, self.refused("replay", self.write(text, "bad"), "-m", "t4", "-n", "2"))
        self.assertIn("cannot be read", self.refused("replay", self.folder / "none", "-m", "t4"))
        self.assertIn("is a folder", self.refused("replay", self.folder, "-m", "t4"))
        self.assertIn("--speed", self.refused("replay", self.recorded(), "-m", "t4", "--speed", "x"))
        self.assertIn("--from", self.refused("replay", self.recorded(), "-m", "t4", "-n", "2", "--from", "x"))

    def test_a_check_that_does_not_hold_is_the_exit_status(self) -> None:
        result = self.nvmlkit("replay", self.recorded("h100"), "-m", "a100", "-n", "2", "--check")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("off: memory.free_bytes", result.stdout)


if __name__ == "__main__":
    assert COMMAND.exists()
    unittest.main()
