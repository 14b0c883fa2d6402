"""NVSentinel by its own chart: a fault of a simulated GPU is an entry of the journal, a condition of the node and a row of the
database; the node is cordoned and drained, and comes back after a reset of the GPU. NVMLKIT_NVSENTINEL names a checkout."""

from __future__ import annotations

import glob
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import objects
from case import ClusterTest
from cluster import ADDRESS, NODE
from content import NVSENTINEL, PROGRAMS_OF_NVSENTINEL, SOURCE, name_of_nvsentinel
from programs import find

sys.path.insert(0, str(SOURCE / "tests" / "clients"))
import host_journal  # noqa: E402 # of the test's own folder

RELEASE = ("nvsentinel", "--namespace", "nvsentinel")
DATABASE = Path("/run/database")
CURSORS = Path("/run/nvsentinel/syslog_monitor")
METADATA = Path("/var/lib/nvsentinel/gpu_metadata.json")
# A user without rights: PostgreSQL refuses root.
USER = "nobody"
CONDITION = "SysLogsXIDError"
# The chart's syslog monitor reads the journal every 15 s.
ROUNDS = 40
# The labels of a node with GPUs, which GPU feature discovery sets on others.
LABELS = {"nvidia.com/gpu.present": "true"}
SMALL = {"requests": {"cpu": "10m", "memory": "16Mi"}}


def program_of_database(name: str) -> str | None:
    places = [find(name), *sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))]
    return next((place for place in places if place), None)


class Database:
    """PostgreSQL with NVSentinel's tables."""

    def __init__(self, test: ClusterTest, tables: Path) -> None:
        DATABASE.mkdir()
        test.addCleanup(shutil.rmtree, DATABASE)
        shutil.chown(DATABASE, USER)
        self._run("initdb", "--auth=trust", f"--pgdata={DATABASE}/data", f"--username={USER}", "--no-sync")
        with (DATABASE / "data/pg_hba.conf").open("a") as rules:
            rules.write("host all all all trust\n")
        options = {"listen_addresses": ADDRESS, "unix_socket_directories": str(DATABASE), "fsync": "off"}
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        test.cluster.start_command("postgres", *self._as_user("postgres"), "-D", f"{DATABASE}/data", *settings)
        # Its clients do not end before it.
        test.addCleanup(test.cluster.end_program, "postgres", signal.SIGINT)
        test.cluster.wait("the database", lambda: self._psql("postgres", "select 1", check=False).returncode == 0)
        self._psql("postgres", "create database nvsentinel")
        self._run("psql", "-q", "-h", str(DATABASE), "-d", "nvsentinel", "-v", "ON_ERROR_STOP=1", text=tables.read_text())

    @staticmethod
    def _as_user(program: str) -> list[str]:
        return ["setpriv", f"--reuid={USER}", "--clear-groups", str(program_of_database(program))]

    def _run(self, program: str, *arguments: str, text: str | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        result = subprocess.run([*self._as_user(program), *arguments], input=text, capture_output=True, text=True, cwd="/")
        assert not check or result.returncode == 0, result.stdout + result.stderr
        return result

    def _psql(self, database: str, words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return self._run("psql", "-h", str(DATABASE), "-d", database, "-Atc", words, check=check)

    def events(self) -> list[dict[str, object]]:
        rows = self._psql("nvsentinel", "select document->'healthevent' from health_events order by created_at").stdout
        return [json.loads(row) for row in rows.splitlines()]


def values() -> dict[str, object]:
    """A database without certificates, the driver on the node, no Prometheus operator. A cluster of one node has no use for a limit of
    half of the nodes."""
    connection = {"host": ADDRESS, "port": 5432, "database": "nvsentinel", "username": USER, "sslmode": "disable"}
    parts: dict[str, dict[str, object]] = {
        "platformConnector": {"postgresqlStore": {"clientCertMountPath": ""}},
        "syslog-health-monitor": {"journalHostPath": str(host_journal.FOLDER.parent)},
        "metadata-collector": {},
        "labeler": {"assumeDriverInstalled": True},
        "fault-quarantine": {"clientCertMountPath": "", "circuitBreaker": {"enabled": False}},
        "node-drainer": {"clientCertMountPath": "", "userNamespaces": [{"name": "*", "mode": "Immediate"}]},
        "fault-remediation": {"clientCertMountPath": ""},
    }
    names = {"platformConnector": "platform-connectors"}
    for part, settings in parts.items():
        settings |= {"image": {"repository": name_of_nvsentinel(names.get(part, part))}, "resources": SMALL}
    return parts | {
        "global": {
            "image": {"tag": "1"},
            "datastore": {"provider": "postgresql", "connection": connection},
            "gpuHealthMonitor": {"enabled": False},
            "faultQuarantine": {"enabled": True},
            "nodeDrainer": {"enabled": True},
            "faultRemediation": {"enabled": True},
        },
        "networkPolicy": {"enabled": False},
        "podMonitor": {"enabled": False},
    }


def reset_of(uuid: str) -> str:
    """Of a GPU, on a node whose runtime gives a container its GPUs."""
    container = {
        "name": "reset",
        "image": f"{name_of_nvsentinel('gpu-reset')}:1",
        "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}, {"name": "NVIDIA_GPU_RESETS", "value": uuid}],
        "securityContext": {"privileged": True},
        "volumeMounts": [{"name": "log", "mountPath": "/dev/log"}],
    }
    pod = {
        "runtimeClassName": "nvidia",
        "restartPolicy": "Never",
        "tolerations": [{"operator": "Exists"}],
        "containers": [container],
        "volumes": [{"name": "log", "hostPath": {"path": "/run/systemd/journal/dev-log"}}],
    }
    metadata = {"name": "reset", "namespace": "nvsentinel"}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})


class NvsentinelTests(ClusterTest):
    def test_48_nvsentinel(self) -> None:
        self.need(*PROGRAMS_OF_NVSENTINEL, "nvidia-container-runtime", "setpriv")
        if NVSENTINEL is None:
            self.skipTest("NVMLKIT_NVSENTINEL names no checkout of NVSentinel")
        if missing := [name for name in ("postgres", "initdb", "psql") if program_of_database(name) is None]:
            self.skipTest(f"no {', '.join(missing)}")
        if not host_journal.JOURNALD.exists():
            self.skipTest(f"no {host_journal.JOURNALD}")
        self.start_journal()
        database = Database(self, NVSENTINEL / "docs/postgresql-schema.sql")
        self.install_toolkit()
        self.chart("upgrade", "kernelLog=journal-kernel", "runtimeClass.create=true", "runtimeClass.handler=nvidia")
        self.addCleanup(self.chart, "upgrade")
        self.cluster.kubectl("label", "node", NODE, "--overwrite", *(f"{name}={value}" for name, value in LABELS.items()))
        self.addCleanup(self.cluster.kubectl, "label", "node", NODE, *(f"{name}-" for name in LABELS))
        self.install_nvsentinel(NVSENTINEL)
        self.cluster.wait("the condition of a healthy node", lambda: self.condition() == "False", 180)
        # A monitor that starts reads only what comes later. It reads its checks in this order.
        self.cluster.wait("a place in the journal", lambda: any("SysLogsSXIDError" in file.read_text() for file in CURSORS.glob("*")))
        self.a_fault_that_is_not_fatal()
        self.a_fatal_fault(database)
        self.a_heal(database)
        self.a_reset(database)

    def start_journal(self) -> None:
        folder = self.cluster.work / "journal"
        folder.mkdir()
        journal = host_journal.HostJournal(folder, lambda *command: self.cluster.start_command("journald", *map(str, command)))
        self.addCleanup(subprocess.run, ["umount", "/etc/machine-id"], check=True)
        self.addCleanup(self.cluster.end_program, "journald")
        self.cluster.wait("journald", journal.has_begun)
        journal.take_kmsg()
        self.addCleanup(subprocess.run, ["umount", "/dev/kmsg"], check=True)

    def install_nvsentinel(self, checkout: Path) -> None:
        file = self.cluster.work / "nvsentinel.json"
        file.write_text(json.dumps(values()))
        chart = checkout / "distros/kubernetes/nvsentinel"
        # Of the janitor, which is not on the cluster.
        self.cluster.kubectl("apply", "--server-side", "-f", str(chart / "charts/janitor/crds"))
        self.cluster.helm("install", *RELEASE, str(chart), "--create-namespace", "-f", str(file))
        self.addCleanup(self.uninstall_nvsentinel)

        def ready() -> bool:
            names = "jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/name}={.status.containerStatuses[0].ready}{'\\n'}{end}"
            lines = self.cluster.kubectl("-n", "nvsentinel", "get", "pods", "-o", names, check=False).split()
            return len(lines) == len(PROGRAMS_OF_NVSENTINEL) and all(line.endswith("=true") for line in lines)

        seconds = self.cluster.wait("the metadata", METADATA.exists, 300)
        seconds += self.cluster.wait("NVSentinel", ready, 300)
        print(f"NVSentinel is ready after {seconds:.0f} s", flush=True)
        self.assertEqual([gpu["uuid"] for gpu in json.loads(METADATA.read_text())["gpus"]], self.uuids())

    def uninstall_nvsentinel(self) -> None:
        self.cluster.helm("uninstall", *RELEASE)
        self.cluster.wait("the end", lambda: not self.cluster.kubectl("-n", "nvsentinel", "get", "pods", "-o", "name").strip())
        self.cluster.kubectl("uncordon", NODE)

    def condition(self, part: str = "status") -> str:
        return self.cluster.node(f"{{.status.conditions[?(@.type=='{CONDITION}')].{part}}}")

    def is_cordoned(self) -> bool:
        return self.cluster.node("{.spec.unschedulable}") == "true"

    def address(self, index: int) -> str:
        return self.nvmlkit("get", f"gpu={index}", "pci.bus_id").strip()[4:-2].lower()

    def a_fault_that_is_not_fatal(self) -> None:
        """An event of the node, and no more."""
        self.nvmlkit("fault", "gpu=4", "xid", "94")
        columns = "custom-columns=TYPE:.type,MESSAGE:.message"
        events = ("get", "events", "-A", "--field-selector", f"involvedObject.name={NODE}", "-o", columns, "--no-headers")
        wanted = re.compile(rf"^{CONDITION} .*ErrorCode:94 PCI:{self.address(4)}", re.M)
        self.cluster.wait("an event", lambda: bool(wanted.search(self.cluster.kubectl(*events, check=False))))
        self.assertEqual((self.condition(), self.is_cordoned()), ("False", False))
        self.nvmlkit("heal", "gpu=4")

    def a_fatal_fault(self, database: Database) -> None:
        """A condition of the node with the GPU's name, rows of the database, a node that is cordoned, and a user's pod that goes."""
        self.cluster.apply(objects.pod("works", "sleep 3600"))
        self.addCleanup(self.cluster.kubectl, "delete", "pod", "works", "--ignore-not-found", "--force", "--grace-period=0")
        self.cluster.wait("a pod", lambda: self.cluster.phase("works") == "Running")
        self.nvmlkit("fault", "gpu=3", "xid", "119")
        seconds = self.cluster.wait("the condition", lambda: self.condition() == "True")
        self.assertIn(f"ErrorCode:119 PCI:{self.address(3)} GPU_UUID:{self.uuids()[3]}", self.condition("message"))
        seconds += self.cluster.wait("a cordoned node", self.is_cordoned)
        seconds += self.cluster.wait("an evicted pod", lambda: "NotFound" in self.cluster.phase("works"))
        print(f"a node without the user's pods {seconds:.0f} s after Xid 119", flush=True)
        wanted = ("get", "rebootnodes.janitor.dgxc.nvidia.com", "-o", "jsonpath={.items[*].spec.nodeName}")
        self.cluster.wait("a reboot that is wanted", lambda: self.cluster.kubectl(*wanted, check=False) == NODE)
        fatal = [event for event in database.events() if event.get("isFatal")]
        self.assertEqual({(event["nodeName"], event["checkName"]) for event in fatal}, {(NODE, CONDITION)})
        self.assertLessEqual({"119"}, {code for event in fatal for code in event["errorCode"]})  # type: ignore[attr-defined]

    def a_heal(self, database: Database) -> None:
        """A driver writes nothing when a GPU is well, so the node stays as it is. The GPU breaks again, for the reset."""
        healthy = [event for event in database.events() if event.get("isHealthy")]
        self.nvmlkit("heal", "gpu=3")
        time.sleep(ROUNDS)
        self.assertEqual([event for event in database.events() if event.get("isHealthy")], healthy)
        self.assertEqual((self.condition(), self.is_cordoned()), ("True", True))
        self.nvmlkit("fault", "gpu=3", "xid", "119")

    def a_reset(self, database: Database) -> None:
        """By NVSentinel's script, in a pod as its janitor makes one. It writes an entry of the journal."""
        uuid = self.uuids()[3]
        self.cluster.apply(reset_of(uuid))
        self.addCleanup(self.cluster.kubectl, "-n", "nvsentinel", "delete", "pod", "reset", "--force", "--grace-period=0")
        pod = ("-n", "nvsentinel", "get", "pod", "reset", "-o", "jsonpath={.status.phase}")
        self.cluster.wait("the reset", lambda: self.cluster.kubectl(*pod, check=False) in ("Succeeded", "Failed"))
        log = self.cluster.kubectl("-n", "nvsentinel", "logs", "reset")
        self.assertEqual((self.cluster.kubectl(*pod), self.nvmlkit("fault")), ("Succeeded", "no faults\n"), log)
        seconds = self.cluster.wait("the condition", lambda: self.condition() == "False")
        seconds += self.cluster.wait("a node that takes pods", lambda: not self.is_cordoned())
        print(f"a node that takes pods {seconds:.0f} s after the reset", flush=True)
        self.assertTrue(database.events()[-1].get("isHealthy"))
