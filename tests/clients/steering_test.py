#!/usr/bin/env python3
"""What nvmlkit load, set, release and time do to a machine that is up, as another process sees it."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

from fixture import ClientTest


class Steering(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.environment["NVMLKIT_TIME"] = "virtual"
        self.up("h100")

    def good(self, *arguments: str | Path, **more: str) -> str:
        result = self.nvmlkit(*arguments, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""), arguments)
        return result.stdout.strip()

    def number(self, path: str, gpu: str = "gpu=0") -> int:
        return int(self.good("get", gpu, path))

    def test_a_load_moves_what_belongs_together(self) -> None:
        self.good("load", "gpu=0", "100%", "--memory", "11%")
        self.good("time", "advance", "15s")
        self.assertEqual((self.number("utilization.gpu"), self.number("utilization.memory")), (100, 11))
        self.assertAlmostEqual(self.number("power.draw"), 632_000, delta=8_000)
        self.assertAlmostEqual(self.number("thermal.gpu"), 29 + 18, delta=2)
        self.assertEqual(self.number("clocks.graphics"), 1980)
        self.assertEqual(self.number("utilization.gpu", "gpu=1"), 0)
        self.good("load", "gpu=0", "off")
        self.good("time", "advance", "10m")
        self.assertEqual((self.number("thermal.gpu"), self.number("clocks.graphics")), (29, 345))

    def test_a_load_ends_by_itself(self) -> None:
        self.good("load", "gpu=all", "80", "--for", "10s")
        self.good("time", "advance", "9s")
        self.assertEqual(self.number("utilization.gpu", "gpu=1"), 80)
        self.good("time", "advance", "2s")
        self.assertEqual(self.number("utilization.gpu", "gpu=1"), 0)

    def test_energy_counts_while_time_passes(self) -> None:
        before = self.number("power.energy")
        self.assertEqual(self.number("power.energy"), before)
        self.good("time", "advance", "100s")
        self.assertAlmostEqual(self.number("power.energy") - before, 100 * 68_570, delta=2)

    def test_a_pin_holds_until_it_is_released(self) -> None:
        self.good("load", "gpu=0", "100%")
        self.good("set", "gpu=0", "thermal.gpu=90")
        self.good("time", "advance", "60s")
        self.assertEqual(self.number("thermal.gpu"), 90)
        self.assertEqual(self.number("clocks.graphics"), 345)
        self.assertEqual(self.good("get", "gpu=0", "clocks_throttle_reasons.hw_thermal_slowdown"), "true")
        self.assertEqual(json.loads(self.good("release", "gpu=0", "--json")), [{"gpu": 0, "released": 1}])
        self.good("time", "advance", "10m")
        self.assertLess(self.number("thermal.gpu"), 87)
        self.assertEqual(self.number("clocks.graphics"), 1980)

    def test_bad_input_changes_nothing(self) -> None:
        before = self.good("get", "gpu=all")
        cases = {
            ("load", "gpu=0", "150%"): "0% to 100%",
            ("load", "gpu=0", "much"): "0% to 100%",
            ("load", "gpu=0", "50%", "--memory", "x"): "0% to 100%",
            ("load", "gpu=0", "50%", "--for", "3 parsecs"): "10s",
            ("load", "gpu=0", "off", "--memory", "3"): "off",
            ("load", "gpu=9", "50%"): "no GPU '9'",
            ("release", "gpu=0", "nonsense"): "'nonsense'",
            ("release", "gpu=0", "power.limit"): "'power.limit'",
            ("time", "advance"): "advance by how much",
            ("time", "advance", "-3s"): "10s",
            ("time", "backwards"): "'backwards'",
            ("time", "0"): "0.001",
        }
        for arguments, expected in cases.items():
            with self.subTest(arguments=arguments):
                result = self.nvmlkit(*arguments)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(expected, result.stderr)
        self.assertEqual(self.good("get", "gpu=all"), before)


if __name__ == "__main__":
    unittest.main()
