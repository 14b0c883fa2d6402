#!/usr/bin/env python3
"""NVSentinel's monitors, unmodified, on a node: the health events that they send about faults, with the GPU, NVSwitch or adapter that
each names. The test is the platform connector that takes the events. Needs root."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from concurrent import futures
from pathlib import Path

import host_journal
import private_host
import protobuf
from clients import COMMAND, available_smi, skip
from engines import UNPACKED, UNPACKED_LIBRARIES, find_program

PROGRAMS = ("syslog-health-monitor", "nic-health-monitor", "metadata-collector")
FOLDER = os.environ.get("NVMLKIT_TEST_NVSENTINEL", "")
FOUND = {name: Path(FOLDER) / name if FOLDER else find_program(name) for name in PROGRAMS}
if missing := [name for name, path in FOUND.items() if not path or not path.exists()]:
    skip(f"no {', '.join(missing)} of NVSentinel in PATH; NVMLKIT_TEST_NVSENTINEL can name their folder")
if not host_journal.JOURNALD.exists() or not Path("/etc/machine-id").exists():
    skip(f"no {host_journal.JOURNALD}, or no /etc/machine-id")
private_host.enter(UNPACKED_LIBRARIES)
sys.path.append(str(UNPACKED / "usr/lib/python3/dist-packages"))
try:
    import grpc
except ImportError as error:
    skip(f"no gRPC for Python (scripts/setup unpacks it): {error}")

SMI = available_smi()[max(available_smi())]
MONITORED = Path("/nvsentinel")  # where the pods of the monitors have files of the node; the journal has no other place
METADATA = Path("/var/lib/nvsentinel/gpu_metadata.json")
COUNTERS = """sysClassNetPath = "/nvsentinel/sys/class/net"
sysClassInfinibandPath = "/nvsentinel/sys/class/infiniband"
[counterDetection]
enabled = true
[[counterDetection.counters]]
name = "link_downed"
enabled = true
thresholdType = "delta"
threshold = 0
[[counterDetection.counters]]
name = "link_error_recovery"
enabled = true
thresholdType = "velocity"
threshold = 5.0
velocityUnit = "minute"
"""


class Event:
    """A HealthEvent of NVSentinel's health_event.proto."""

    def __init__(self, data: bytes) -> None:
        fields = protobuf.decode(data)
        self.check, self.message = protobuf.text(data, 4), protobuf.text(data, 7)
        self.fatal, self.healthy = 5 in fields, 6 in fields
        self.codes = protobuf.texts(data, 9)
        self.entities = {protobuf.text(entity, 1): protobuf.text(entity, 2) for entity in fields.get(10, [])}

    def __repr__(self) -> str:
        return f"{self.check} {'healthy' if self.healthy else 'fatal' if self.fatal else 'non-fatal'} {self.codes} {self.entities}"


class Connector:
    """Takes the events of the monitors."""

    def __init__(self, socket: Path) -> None:
        self.events: list[Event] = []
        self._news = threading.Condition()
        handler = grpc.unary_unary_rpc_method_handler(self._take)
        self._server = grpc.server(futures.ThreadPoolExecutor(4))
        service = grpc.method_handlers_generic_handler("datamodels.PlatformConnector", {"HealthEventOccurredV1": handler})
        self._server.add_generic_rpc_handlers((service,))
        self._server.add_insecure_port(f"unix:{socket}")
        self._server.start()

    def stop(self) -> None:
        self._server.stop(0).wait()

    def wait(self, what: str, condition: Callable[[Event], bool]) -> Event:
        """The first event that meets the condition, and takes it out with those before it."""

        def first() -> int | None:
            return next((at for at, event in enumerate(self.events) if condition(event)), None)

        with self._news:
            if not self._news.wait_for(lambda: first() is not None, 60):
                raise TimeoutError(f"{what}: {self.events}")
            at = first()
            event = self.events[at]
            del self.events[: at + 1]
            return event

    def _take(self, request: bytes, _context) -> bytes:
        with self._news:
            self.events += [Event(event) for event in protobuf.decode(request).get(2, [])]
            self._news.notify_all()
        return b""


class Node:
    """A node with its kernel log in a journal, and the monitors on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.root = folder, folder / "gpus"
        self.programs: list[subprocess.Popen] = []
        self.environment = {**{name: value for name, value in os.environ.items() if not name.startswith("NVMLKIT_")}, "NODE_NAME": "node-1"}
        self.connector = Connector(folder / "connector")

    def start(self, machine: str) -> None:
        self._journal()
        options = ["-m", machine, "--driver", "580", "--nvidia-smi", SMI, "--chroot", "--kernel-log", "journal-kernel"]
        folder = self.folder
        self._start(COMMAND, "node", self.root, *options, "--ready-file", folder / "ready")
        self._until((folder / "ready").exists, "nvmlkit node")
        private_host.mount("--bind", self.root / "sys", MONITORED / "sys")
        self._collect()
        (folder / "nic.toml").write_text(COUNTERS)
        common = [f"--platform-connector-socket=unix://{folder}/connector", f"--metadata-path={METADATA}"]
        nothing = folder / "nothing.toml"
        self._start(FOUND["syslog-health-monitor"], *common, "--polling-interval=1s", "--metrics-port=21121",
                    f"--state-file={folder}/syslog.json", f"--cancellations-config={nothing}")  # fmt: skip
        self._start(FOUND["nic-health-monitor"], *common, "--state-polling-interval=1s", "--metrics-port=21122",
                    f"--state-file={folder}/nic.json", f"--config={folder}/nic.toml",
                    "--checks=InfiniBandStateCheck,InfiniBandDegradationCheck")  # fmt: skip
        # A monitor that starts reads only what comes later.
        for check in ("SysLogsXIDError", "SysLogsSXIDError"):
            self.connector.wait(check, lambda event, check=check: event.check == check and event.healthy)
        self._until(lambda: (folder / "syslog.json").exists() and "SysLogsSXIDError" in (folder / "syslog.json").read_text(), "a cursor")

    def good(self, *words: str) -> str:
        result = subprocess.run([COMMAND, *words, "--state", self.root / "run/nvmlkit/state"], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def stop(self) -> None:
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            program.wait(30)
        self.connector.stop()

    def _journal(self) -> None:
        METADATA.parent.mkdir(parents=True)
        for place in ("var/log/journal", "sys", "proc"):
            (MONITORED / place).mkdir(parents=True)
        journal = host_journal.HostJournal(self.folder, self._start)
        private_host.mount("--bind", host_journal.FOLDER, MONITORED / "var/log/journal")
        private_host.mount("--rbind", "/proc", MONITORED / "proc")
        self._until(journal.has_begun, "journald")
        journal.take_kmsg()

    def _collect(self) -> None:
        """As a pod on the node: NVML and nvidia-smi of the root, and its /sys."""
        environment = {**self.environment, "LD_LIBRARY_PATH": str(next((self.root / "usr/lib").glob("*-linux-gnu"))),
                       "PATH": f"{self.root}/usr/bin:{os.environ['PATH']}"}  # fmt: skip
        see = 'mount --rbind "$1" /sys && exec "$2"'
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", see, "sh", self.root / "sys", FOUND["metadata-collector"]]
        # It ends with an error: after the metadata it looks for a kubelet.
        result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert METADATA.exists(), result.stdout + result.stderr

    def _start(self, *command: str | Path) -> None:
        with (self.folder / f"log-{len(self.programs)}").open("w") as log:
            self.programs.append(subprocess.Popen(command, env=self.environment, stdout=log, stderr=log))

    def _until(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + 60
        while not done():
            assert time.monotonic() < end, f"{what}: {[log.read_text()[-500:] for log in self.folder.glob('log-*')]}"
            time.sleep(0.05)


class NVSentinel(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        with contextlib.ExitStack() as stack:
            if not MONITORED.exists():
                MONITORED.mkdir()
                stack.callback(MONITORED.rmdir)
            private_host.mount("-t", "tmpfs", "tmpfs", MONITORED)
            stack.callback(subprocess.run, ["umount", "--recursive", "--lazy", MONITORED], check=True)
            folder = Path(tempfile.mkdtemp())
            stack.callback(shutil.rmtree, folder)
            cls.node = Node(folder)
            stack.callback(cls.node.stop)
            cls.node.start("dgx-h100")
            cls.addClassCleanup(stack.pop_all().close)

    def gpu(self, index: int) -> dict[str, str]:
        bus, uuid = (self.node.good("get", f"gpu={index}", name) for name in ("pci.bus_id", "uuid"))
        return {"PCI": bus[4:-2].lower(), "GPU_UUID": uuid}

    def wait(self, check: str, code: str) -> Event:
        return self.node.connector.wait(f"{check} {code}", lambda event: event.check == check and event.codes == [code])

    def test_metadata(self) -> None:
        metadata = json.loads(METADATA.read_text())
        for index, gpu in enumerate(metadata["gpus"]):
            self.assertEqual((gpu["pci_address"][:-2], gpu["uuid"]), tuple(self.gpu(index).values()))
        self.assertEqual((len(metadata["gpus"]), len(metadata["nvswitches"]), len(metadata["nic_topology"])), (8, 4, 12))

    def test_xids_name_their_gpu(self) -> None:
        # The table of the guide, by GPU: what one fault writes, and whether a monitor takes the first and the last for fatal.
        cases = (
            (3, "xid 79", ["79", "154"], True), (1, "xid 48", ["48", "63", "94", "154"], True),
            (1, "ecc dram uncorrected", ["48", "63", "94", "154"], True), (2, "xid 119", ["119", "154"], True),
            (2, "xid 95", ["95", "154"], True), (2, "xid 64", ["64", "154"], True), (4, "xid 140", ["140", "154"], True),
            (4, "xid 94", ["94"], False), (4, "xid 13", ["13"], False), (4, "xid 31", ["31"], False), (4, "xid 43", ["43"], False),
            (4, "xid 45", ["45"], False), (4, "xid 92", ["92"], False), (5, "lost", ["154"], True), (5, "off-bus", ["154"], True),
            (1, "xid 144", ["144.SAW_MVB"], False), (1, "xid 145", ["145.RLW_RXPIPE"], False),
        )  # fmt: skip
        for index, fault, codes, fatal in cases:
            with self.subTest(fault=fault):
                self.node.good("fault", f"gpu={index}", *fault.split())
                events = [self.wait("SysLogsXIDError", code) for code in codes]
                # An Xid of a kernel has its place on the GPU, too.
                more = {name for event in events for name in event.entities.keys() - self.gpu(index).keys()}
                self.assertEqual(more, {"GPC", "TPC", "SM"} if fault == "xid 13" else set())
                self.assertTrue(all(self.gpu(index).items() <= event.entities.items() for event in events), events)
                self.assertEqual((events[0].fatal, events[-1].fatal), (fatal, fatal), events)
                self.node.good("heal", f"gpu={index}")

    def test_an_sxid_of_an_nvswitch(self) -> None:
        for code, fatal in (("12028", False), ("20034", True)):
            self.node.good("fault", "nvswitch=1", "sxid", code, "12")
            event = self.wait("SysLogsSXIDError", code)
            self.assertEqual((event.fatal, event.entities["NVSWITCH"], event.entities["NVLINK"]), (fatal, "1", "12"))

    def test_an_sxid_names_the_gpu_at_the_link(self) -> None:
        self.node.good("fault", "gpu=6", "nvlink", "3", "down")
        self.assertTrue(self.wait("SysLogsXIDError", "74").fatal)
        event = self.wait("SysLogsSXIDError", "20034")
        self.assertTrue(event.fatal)
        uuid = self.node.good("get", "gpu=6", "uuid")
        self.assertEqual((event.entities["GPU"], event.entities["GPU_UUID"]), ("6", uuid))
        self.node.good("heal", "gpu=6")

    def test_a_reset_makes_it_healthy(self) -> None:
        self.node.good("fault", "gpu=5", "reset-required")
        self.wait("SysLogsXIDError", "154")
        uuid = self.node.good("get", "gpu=5", "uuid")
        reset = subprocess.run(["chroot", self.node.root, "nvidia-smi", "--gpu-reset", "-i", uuid], capture_output=True, text=True)
        self.assertEqual(reset.returncode, 0, reset.stdout + reset.stderr)
        self.assertEqual(self.node.good("fault"), "no faults")
        entry = f"SYSLOG_IDENTIFIER=nvsentinel-gpu-reset\nMESSAGE=GPU reset executed: {uuid}, success: true\n"
        subprocess.run(["logger", "--journald"], input=entry, text=True, check=True)
        event = self.node.connector.wait("healthy", lambda event: event.check == "SysLogsXIDError" and event.healthy)
        self.assertEqual(event.entities, self.gpu(5))

    def test_an_adapter(self) -> None:
        self.node.good("fault", "nic=mlx5_0", "down")
        names = {"NIC": "mlx5_0", "NICPort": "1"}

        def of_port(event: Event, healthy: bool) -> bool:
            return event.check == "InfiniBandStateCheck" and event.entities == names and event.healthy == healthy

        state = self.node.connector.wait("the port", lambda event: of_port(event, False))
        self.assertIn("state DOWN, phys_state Polling", state.message)
        self.node.good("heal", "nic=mlx5_0")
        self.node.connector.wait("healed", lambda event: of_port(event, True))
        self.node.good("fault", "nic=mlx5_3", "errors", "link_error_recovery", "--count", "9")
        event = self.node.connector.wait("the errors", lambda event: event.codes == ["link_error_recovery"] and not event.healthy)
        self.assertEqual((event.entities, event.fatal), ({"NIC": "mlx5_3", "NICPort": "1"}, False))


if __name__ == "__main__":
    unittest.main()
