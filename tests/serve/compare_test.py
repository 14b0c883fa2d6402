#!/usr/bin/env python3
"""`nvmlkit serve` beside a recording: each format, its times, deviations, wrong recordings."""

from __future__ import annotations

import base64
import gzip
import time
import unittest
from typing import Any

from serving import PATIENCE, Served, ServeTest

# Two GPUs, a sample a second: power 100, 110, 120, ... W and 300 W.
QUERY = "index, power.draw [W], temperature.gpu, memory.used [MiB]\n" + "".join(
    f"0, {100 + 10 * second}.00 W, 40, 1024 MiB\n1, 300.00 W, 50, 2048 MiB\n" for second in range(60)
)
DMON = "# gpu    pwr  gtemp     sm\n# Idx      W      C      %\n" + "    0    250     61     70\n    1    260     62     80\n" * 20
PROMETHEUS = "".join(
    f'DCGM_FI_DEV_POWER_USAGE{{gpu="{gpu}",Hostname="a"}} {200 + 100 * gpu} {1000 * second}\n' for gpu in range(2) for second in range(1700000000, 1700000030)
)


class Compare(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("h100", 2)
        self.good("time", "virtual", "--state", self.state)
        self.served = self.serve("--interval", "100ms")

    def begin(self, served: Served | None = None, **body: Any) -> Any:
        answer = (served or self.served).ask("POST", "/api/v1/comparison", body)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json

    def sample(self, good: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while not good(sample := self.served.get("/api/v1/live")):
            self.assertLess(time.monotonic(), end, sample)
            time.sleep(0.02)
        return sample

    def advance(self, seconds: int) -> None:
        self.assertEqual(self.served.steer(f"time advance {seconds}s").status, 200)

    def test_recorded_values_follow_the_time_of_the_machine(self) -> None:
        self.assertNotIn("recorded", self.served.get("/api/v1/live"))
        status = self.begin(name="query.csv", text=QUERY)
        self.assertEqual((status["state"], status["duration_s"], status["format"]), ("running", 59, "nvidia-smi --query-gpu"))
        for step, power in ((0, 100), (3, 130), (7, 200), (49, 690)):
            if step:
                self.advance(step)
            sample = self.sample(lambda sample: sample.get("recorded", {}).get("power") == [power, 300])
            self.assertEqual((sample["recorded"]["temperature"], sample["recorded"]["memory_used"]), ([40, 50], [1024, 2048]))
            self.assertEqual(set(sample["recorded"]), {"power", "temperature", "memory_used"})
        self.advance(2)
        self.sample(lambda sample: sample["recorded"]["power"] == [None, None])
        status = self.served.get("/api/v1/comparison")
        self.assertEqual((status["state"], status["at_s"]), ("over", 59))
        self.assertEqual(self.served.ask("DELETE", "/api/v1/comparison").json, {"state": "none"})
        self.sample(lambda sample: "recorded" not in sample)

    def test_from(self) -> None:
        self.begin(text=QUERY, **{"from": "30s"})
        self.sample(lambda sample: sample.get("recorded", {}).get("power") == [400, 300])

    def test_deviations(self) -> None:
        for command in ("set gpu=0 power.current_draw_mw=150000", "set gpu=1 power.current_draw_mw=280000", "set gpu=0 thermal.temperature_gpu_c=44"):
            answer = self.served.steer(command)
            self.assertEqual(answer.status, 200, answer.body)
        self.sample(lambda sample: sample["values"]["power"] == [150, 280])
        self.begin(text=QUERY)
        power = self.sample(lambda sample: "recorded" in sample) and self.deviation("power")
        self.assertEqual(power, {"mean": [50, 20], "largest": [50, 20]})
        self.assertEqual(self.deviation("temperature")["mean"][0], 4)
        self.advance(55)  # 650 W were recorded
        self.sample(lambda sample: sample["recorded"]["power"][0] == 650)
        power = self.deviation("power")
        self.assertEqual(power["largest"], [500, 20])
        self.assertTrue(50 < power["mean"][0] < 500, power)

    def deviation(self, measure: str) -> Any:
        return self.served.get("/api/v1/comparison")["deviations"][measure]

    def test_formats(self) -> None:
        packed = base64.b64encode(gzip.compress(QUERY.encode())).decode()
        for body, power in (({"text": DMON}, [250, 260]), ({"text": PROMETHEUS}, [200, 300]), ({"gzip": packed}, [100, 300])):
            self.begin(**body)
            self.sample(lambda sample: sample.get("recorded", {}).get("power") == power)

    def test_files_of_the_command_line(self) -> None:
        file = self.folder / "query.csv"
        file.write_text(QUERY)
        self.served.end()
        self.served = self.serve("--interval", "100ms", "--recording", file)
        self.assertEqual(self.served.get("/api/v1/recordings"), [{"name": str(file), "format": "nvidia-smi --query-gpu", "duration_s": 59}])
        self.begin(name=str(file))
        self.sample(lambda sample: sample.get("recorded", {}).get("power") == [100, 300])
        file.write_text("nothing")
        self.assertIn("query.csv", self.refused("serve", "--recording", file))
        self.assertIn("missing.csv", self.refused("serve", "--recording", self.folder / "missing.csv"))

    def test_wrong_recordings_are_refused_with_a_reason(self) -> None:
        bomb = base64.b64encode(gzip.compress(b"x" * (65 << 20))).decode()
        for body, words in (
            ({}, "`name`, `text` or `gzip`"),
            ({"name": "none"}, "unknown recording"),
            ({"text": "nothing"}, "expected JSON or text of Prometheus"),
            ({"text": QUERY.replace("\n1,", "\n7,"), "name": "many.csv"}, "GPU"),
            ({"text": "index, pcie.link.gen.current\n0, 4\n"}, "no value that the page shows"),
            ({"gzip": "%%%"}, "gzip: expected base64"),
            ({"gzip": "AAAA"}, "expected JSON"),
            ({"gzip": base64.b64encode(gzip.compress(QUERY.encode())[:-20]).decode()}, "broken or cut"),
            ({"gzip": bomb}, "more than 64 MiB"),
            ({"text": QUERY, "from": "soon"}, "soon"),
            ({"text": 5}, "text: expected a text"),
        ):
            with self.subTest(words=words):
                answer = self.served.ask("POST", "/api/v1/comparison", body)
                self.assertIn(answer.status, (409, 422))
                self.assertIn(words, answer.json["message"])
        self.assertEqual(self.served.get("/api/v1/comparison"), {"state": "none"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
