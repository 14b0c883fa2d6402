#!/usr/bin/env python3
"""Faults of network adapters, as NVSentinel's NIC monitor and gpud read them in /sys/class/infiniband: the name behind the colon of
`state` and `phys_state`, counters as whole numbers, the bus id from `device/uevent`."""

from __future__ import annotations

import json
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from node_support import NodeTest

SCENARIO = """steps:
  - at: 0s
    do: [fault nic=mlx5_7 down, fault nic=mlx5_8 errors link_error_recovery --count 9]
    for: 1h
"""
# That a monitor of NVSentinel takes for a failure, whatever their number.
FATAL = ("counters/link_downed", "counters/excessive_buffer_overrun_errors", "counters/local_link_integrity_errors",
         "hw_counters/rnr_nak_retry_err")  # fmt: skip


class NicFaults(NodeTest):
    def adapters(self) -> list[Path]:
        return sorted((self.root / "sys/class/infiniband").iterdir())

    def link(self, adapter: str) -> tuple[str, str, str]:
        port = self.root / f"sys/class/infiniband/{adapter}/ports/1"
        state, physical = ((port / name).read_text().split(":")[1].strip() for name in ("state", "phys_state"))
        return state, physical, (port / "rate").read_text().strip()

    def counters(self, adapter: str) -> dict[str, int]:
        """Those that are not 0."""
        port = self.root / f"sys/class/infiniband/{adapter}/ports/1"
        values = {f"{folder}/{file.name}": int(file.read_text()) for folder in ("counters", "hw_counters") for file in (port / folder).iterdir()}
        self.assertLessEqual(set(FATAL), set(values))
        return {name: value for name, value in values.items() if value and name != "hw_counters/lifespan"}

    def do(self, *words: str) -> str:
        return self.good(*words, "--state", self.own_state)

    def wait(self, what: str, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not done():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    def test_a_port_without_a_link(self) -> None:
        self.node("-m", "dgx-h100")
        healthy = ("ACTIVE", "LinkUp", "400 Gb/sec (4X NDR)")
        bus_ids = set()
        for adapter in self.adapters():
            self.assertEqual(self.link(adapter.name), healthy)
            self.assertEqual(self.counters(adapter.name), {})
            uevent = dict(line.split("=", 1) for line in (adapter / "device/uevent").read_text().splitlines())
            bus_ids.add(uevent["PCI_SLOT_NAME"])
        self.assertEqual(len(bus_ids), 12)
        self.assertEqual(self.do("fault", "nic=mlx5_3", "down"), "", "the kernel log has no line of it")
        self.wait_for_tree(self.expected(), "the fault")
        self.assertEqual(self.link("mlx5_3"), ("DOWN", "Polling", "10 Gb/sec (4X SDR)"))
        self.assertEqual(self.counters("mlx5_3"), {"counters/link_downed": 1})
        self.assertEqual(self.do("fault"), "nic=mlx5_3 down\n")
        self.assertEqual(json.loads(self.do("fault", "--json"))["nics"], [{"nic": "mlx5_3", "faults": ["down"]}])
        self.assertEqual([adapter.name for adapter in self.adapters() if self.link(adapter.name) != healthy], ["mlx5_3"])
        self.do("heal", "nic=mlx5_3")
        self.wait_for_tree(self.expected(), "healed")
        self.assertEqual(self.link("mlx5_3"), healthy)
        self.assertEqual(self.counters("mlx5_3"), {"counters/link_downed": 1})
        self.assertEqual(self.do("fault"), "no faults\n")

    def test_counters_of_errors(self) -> None:
        self.node("-m", "dgx-h100")
        self.do("fault", "nic=mlx5_0", "errors", "--count", "120")
        for name in FATAL:
            self.do("fault", "nic=mlx5_0", "errors", name.split("/")[1])
        self.wait_for_tree(self.expected(), "the errors")
        self.assertEqual(self.counters("mlx5_0"), {"counters/symbol_error": 120, **dict.fromkeys(FATAL, 1)})
        self.assertEqual(self.link("mlx5_0")[0], "ACTIVE")

    def test_an_adapter_for_ethernet(self) -> None:
        file = self.folder / "machine.yaml"
        file.write_text(json.dumps({"version": "1.0", "base": "dgx-h100", "infiniband": {"link_layer": "Ethernet", "rate_gbps": 200}}))
        self.node("-c", file)
        self.do("fault", "nic=mlx5_0", "down")
        self.wait_for_tree(self.expected(), "the fault")
        self.assertEqual(self.link("mlx5_0"), ("DOWN", "Disabled", "40 Gb/sec (4X QDR)"))

    def test_a_scenario_breaks_adapters(self) -> None:
        scenarios = self.folder / "scenarios"
        scenarios.mkdir()
        self.node("-m", "dgx-h100", "--scenarios", scenarios)
        (scenarios / "nics.yaml").write_text(SCENARIO)
        self.wait("the fault", lambda: self.link("mlx5_7")[0] == "DOWN")
        self.wait("the errors", lambda: self.counters("mlx5_8") == {"counters/link_error_recovery": 9})
        (scenarios / "nics.yaml").unlink()
        self.wait("the end of the scenario", lambda: self.link("mlx5_7")[0] == "ACTIVE")

    def test_wrong_words(self) -> None:
        self.node("-m", "dgx-h100")
        state = ("--state", self.own_state)
        self.assertIn("did you mean 'mlx5_0'", self.refused("fault", "nic=mlx_0", "down", *state))
        self.assertIn("did you mean 'symbol_error'", self.refused("fault", "nic=mlx5_0", "errors", "symbol_eror", *state))
        self.assertIn("is over once it happened", self.refused("heal", "nic=mlx5_0", "errors", *state))
        self.assertEqual(self.do("fault"), "no faults\n")


if __name__ == "__main__":
    unittest.main()
