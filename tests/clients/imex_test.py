#!/usr/bin/env python3
"""IMEX: nvidia-imex on several nodes, each at an address of its own, and what nvidia-imex-ctl says of their domain."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import LIBRARY_DIR, PATIENCE
from fixture import ClientTest

IMEX, CONTROL = LIBRARY_DIR / "nvidia-imex", LIBRARY_DIR / "nvidia-imex-ctl"
PORT, COMMAND_PORT = 50000, 50005


class Imex(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("gb200-tray", None)
        # Ports are NVIDIA's, so that two runs of this test at once need networks of their own: addresses by the process.
        high, low = divmod(os.getpid(), 250)
        self.hosts = [f"127.{high % 250 + 1}.{low + 1}.{node}" for node in (1, 2, 3)]
        self.running: dict[int, subprocess.Popen[str]] = {}
        self.addCleanup(lambda: [self.end(node, signal.SIGKILL) for node in list(self.running)])

    def configure(self, node: int, nodes: list[str], **more: object) -> Path:
        listed = self.folder / f"nodes-{node}.cfg"
        listed.write_text("# nodes\n" + "".join(f"{host}\n" for host in nodes))
        values = {"LOG_FILE_NAME": "", "DAEMONIZE": 0, "IMEX_NODE_CONFIG_FILE": listed, "IMEX_CMD_ENABLED": 1, "SERVER_PORT": PORT,
                  "BIND_INTERFACE_IP": self.hosts[node], "IMEX_CMD_BIND_INTERFACE_IP": self.hosts[node], "IMEX_CMD_PORT": COMMAND_PORT,
                  "IMEX_WAIT_FOR_QUORUM": "RECOVERY", "IMEX_ENABLE_AUTH_ENCRYPTION": 0, **more}  # fmt: skip
        file = self.folder / f"config-{node}.cfg"
        file.write_text("".join(f"{key}={value}\n" for key, value in values.items()))
        return file

    def start(self, node: int, nodes: list[str] | None = None, options: tuple[str, ...] = (), **more: object) -> None:
        file = self.configure(node, nodes or self.hosts, **more)
        log = (self.folder / f"log-{node}").open("a")
        self.running[node] = subprocess.Popen([IMEX, "-c", file, *options], stderr=log, text=True, env=self.environment)
        log.close()

    def end(self, node: int, number: int = signal.SIGTERM) -> int:
        process = self.running.pop(node)
        process.send_signal(number)
        return process.wait(PATIENCE)

    def log(self, node: int) -> str:
        return (self.folder / f"log-{node}").read_text()

    def ask(self, node: int, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run_in(CONTROL, "-c", self.folder / f"config-{node}.cfg", *options)

    def status(self, node: int) -> str:
        return self.ask(node, "-q").stdout

    def domain(self, node: int = 0) -> dict[str, object]:
        return json.loads(self.ask(node, "-N", "-j").stdout)

    def table(self, node: int = 0) -> list[str]:
        """The letters of each node's connections."""
        return ["".join(row.split()[1:]) for row in re.findall(r"^ +\d+ {8}.*$", self.ask(node, "-N").stdout, re.M)]

    def wait_for(self, what: object, probe) -> None:  # type: ignore[no-untyped-def]
        end = time.monotonic() + PATIENCE
        while (seen := probe()) != what:
            self.assertLess(time.monotonic(), end, f"{seen} in place of {what}; {self.log(0)}")
            time.sleep(0.05)

    def test_a_domain_of_three(self) -> None:
        for node in range(3):
            self.start(node)
        self.wait_for(["CCC", "CCC", "CCC"], self.table)
        self.assertEqual([self.status(node) for node in range(3)], ["READY\n"] * 3)
        domain = self.domain(1)
        self.assertEqual(domain["status"], "UP")
        self.assertRegex(str(domain["timestamp"]), r"^\d+/\d+/\d{4} \d\d:\d\d:\d\d\.\d{3}$")
        nodes = domain["nodes"]
        assert isinstance(nodes, dict)
        version = nodes["0"]["version"]
        self.assertEqual([(nodes[i]["status"], nodes[i]["host"], nodes[i]["version"]) for i in "012"],
                         [("READY", host, version) for host in self.hosts])  # fmt: skip
        self.assertRegex(version, r"^\d{3}\.\d+")
        text = self.ask(2, "-N").stdout
        self.assertIn("Node #0   - " + self.hosts[0].ljust(15) + f" - READY                - Version: {version}\n", text)
        self.assertIn("\n Nodes From\\To  0   1   2\n       0        C   C   C\n", text)
        self.assertTrue(text.endswith("Domain State: UP\n"), text)
        self.assertIn("GPU event successfully subscribed\n", self.log(0))
        self.assertIn(f"Connection established to node 1 with ip address {self.hosts[1]}. Number of times connected: 1\n", self.log(0))

    def test_a_node_that_is_lost_and_comes_back(self) -> None:
        for node in range(3):
            self.start(node)
        self.wait_for(["CCC", "CCC", "CCC"], self.table)
        self.end(2, signal.SIGKILL)
        self.wait_for(["CCR", "CCR", "III"], self.table)
        domain = self.domain()
        self.assertEqual((domain["status"], domain["nodes"]["2"]["status"]), ("DEGRADED", "UNAVAILABLE"))  # type: ignore[index]
        self.end(1)
        self.wait_for("DOWN", lambda: self.domain()["status"])
        self.start(1)
        self.start(2)
        self.wait_for("UP", lambda: self.domain()["status"])
        self.assertIn("Number of times connected: 2", self.log(0))

    def test_a_lost_node_counts_as_gone_after_the_time_of_grace(self) -> None:
        for node in range(2):
            self.start(node, self.hosts[:2], IMEX_NODE_DISCONNECTED_GRACE_TIME=1)
        self.wait_for(["CC", "CC"], self.table)
        self.end(1)
        self.wait_for(["CD", "II"], self.table)

    def test_a_node_of_another_driver_and_one_with_another_list(self) -> None:
        self.start(0)
        self.start(1, options=("--nogpu",))
        self.start(2, nodes=self.hosts[:1] + self.hosts[2:])
        self.wait_for(["C!V!!M!", "!V!C!V!"], lambda: self.table()[:2])
        self.assertEqual(self.domain()["nodes"]["1"]["version"], "NO_GPU")  # type: ignore[index]
        self.assertEqual(self.domain()["status"], "DOWN")

    def test_quorum_of_all(self) -> None:
        self.start(0, self.hosts[:2], IMEX_WAIT_FOR_QUORUM="FULL")
        self.wait_for("WAITING_FOR_PEERS\n", lambda: self.status(0))
        self.start(1, self.hosts[:2], IMEX_WAIT_FOR_QUORUM="FULL")
        self.wait_for("READY\n", lambda: self.status(0))

    def test_a_signal_makes_it_connect_anew(self) -> None:
        self.start(0, self.hosts[:1])
        self.wait_for("UP", lambda: self.domain()["status"])
        self.running[0].send_signal(signal.SIGUSR1)
        self.wait_for(True, lambda: "Number of times connected: 2" in self.log(0))
        self.wait_for("UP", lambda: self.domain()["status"])
        self.assertEqual(self.end(0), 0)
        self.assertIn("Shutting down\n", self.log(0))

    def test_gpus_that_are_not_in_their_fabric(self) -> None:
        self.good("set", "gpu=1", "fabric.state=in_progress", "--state", self.state)
        self.start(0, self.hosts[:1])
        self.wait_for("INIT_GPU\n", lambda: self.status(0))
        self.assertEqual(self.domain()["status"], "DOWN")
        self.good("set", "gpu=1", "fabric.state=completed", "--state", self.state)
        self.wait_for("READY\n", lambda: self.status(0))

    def test_what_it_cannot_start_with(self) -> None:
        self.start(0, options=("-c", str(self.folder / "none.cfg")))
        self.assertEqual(self.running.pop(0).wait(PATIENCE), 1)
        self.assertIn("Failed to read configuration file", self.log(0))
        self.start(1, SERVER_PORT="many")
        self.assertEqual(self.running.pop(1).wait(PATIENCE), 1)
        self.assertIn("SERVER_PORT: cannot use the value 'many'", self.log(1))
        self.start(1, IMEX_ENABLE_AUTH_ENCRYPTION=1)
        self.assertEqual(self.running.pop(1).wait(PATIENCE), 1)
        self.assertIn("IMEX_ENABLE_AUTH_ENCRYPTION: cannot use the value '1'", self.log(1))
        self.start(2, IMEX_NODE_CONFIG_FILE=self.folder / "none")
        self.assertEqual(self.running.pop(2).wait(PATIENCE), 1)
        self.assertIn("Failed to read node configuration file", self.log(2))
        result = self.ask(0, "-q")
        self.assertEqual((result.returncode, result.stderr), (1, "Query Status returned error code: 14\n"))

    def test_commands_by_a_unix_socket(self) -> None:
        socket = self.folder / "imex.sock"
        self.start(0, self.hosts[:1], IMEX_CMD_PORT=0, IMEX_CMD_UNIX_DOMAIN_PATH=socket)
        self.wait_for("READY\n", lambda: self.run_in(CONTROL, "-q", f"--u={socket}").stdout)
        self.assertEqual(self.status(0), "READY\n")
        self.end(0)
        self.assertFalse(socket.exists())


if __name__ == "__main__":
    unittest.main()
