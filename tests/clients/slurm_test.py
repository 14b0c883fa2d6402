#!/usr/bin/env python3
"""slurmd of two suites with AutoDetect: the GPUs that it finds are those of nvidia-smi, on every built-in machine.

`AutoDetect=nvml` asks the library, and `/proc` and `/dev` for MIG devices. `AutoDetect=nvidia`, of the newer suite, reads
`/proc`, `/sys` and `/dev` alone."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import unittest
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR, SOURCE, available_smi, machines, skip, tell
from fixture import ClientTest
from scenes import SCENES

UNPACKED = SOURCE / "build" / "third-party" / "clients"
NAMESPACES = subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True, check=False)
SMI = list(available_smi().values())[-1]


@dataclass(frozen=True)
class Slurm:
    folder: Path
    loader: Path
    detects: tuple[str, ...]

    @property
    def libraries(self) -> Path:
        return self.folder / "usr/lib/x86_64-linux-gnu"


SLURMS = {
    "22.05": Slurm(UNPACKED / "slurm22", Path("/lib64/ld-linux-x86-64.so.2"), ("nvml",)),
    "24.11": Slurm(UNPACKED / "slurm24", UNPACKED / "slurm24/usr/lib64/ld-linux-x86-64.so.2", ("nvml", "nvidia")),
}
SLURMS = {version: slurm for version, slurm in SLURMS.items() if (slurm.folder / "usr/sbin/slurmd-wlm").exists()}
if not SLURMS:
    skip("no slurmd in build/third-party/clients (scripts/setup unpacks it)")
if NAMESPACES.returncode != 0:
    skip("no mount namespaces")


@dataclass(frozen=True)
class Gres:
    """A line of `slurmd -G`."""

    kind: str
    files: tuple[str, ...]
    cores: str
    links: tuple[int, ...] = ()


def kind_of(name: str) -> str:
    """A GPU's name as slurm writes it."""
    return name.lower().replace(" ", "_")


def highest(cpus: str) -> int:
    return max(int(number) for number in re.findall(r"\d+", cpus))


class SlurmTest(ClientTest):
    def smi(self, *arguments: str) -> list[str]:
        text = self.good("run", "--state", self.state, "--", SMI, *arguments)
        return re.sub(r"\x1b\[\d*m", "", text).splitlines()

    def affinities(self) -> list[str]:
        rows = [line.split("\t") for line in self.smi("topo", "-m") if line]
        column = next(row.index("CPU Affinity") for row in rows if "CPU Affinity" in row)
        return [row[column].strip() for row in rows if re.fullmatch(r"GPU\d+", row[0])]

    def links(self) -> list[tuple[int, ...]]:
        """NVLinks from GPU to GPU, without an NVSwitch between them; -1 for the GPU itself."""
        order = [line.lower() for line in self.smi("--query-gpu=pci.bus_id", "--format=csv,noheader")]
        ends: list[Counter[str]] = [Counter() for _ in order]
        gpu = -1
        for line in self.smi("nvlink", "-R"):
            gpu = int(match[1]) if (match := re.match(r"GPU (\d+):", line)) else gpu
            if remote := re.search(r"Remote Device ([0-9A-F:.]+): Link", line):
                ends[gpu][remote[1].lower()] += 1
        return [tuple(-1 if mine == other else ends[mine][bus] for other, bus in enumerate(order)) for mine in range(len(order))]

    def gpus(self) -> list[dict]:
        listed = json.loads(self.good("get", "gpu=all", "--json", "--state", self.state))
        return [entry["value"] for entry in (listed if isinstance(listed, list) else [listed])]

    def configure(self, slurm: Slurm, detect: str, wanted: str, cpus: int) -> Path:
        (self.folder / "spool").mkdir(exist_ok=True)
        (self.folder / "gres.conf").write_text(f"AutoDetect={detect}\n")
        configuration = self.folder / "slurm.conf"
        configuration.write_text(
            f"ClusterName=test\nSlurmctldHost={socket.gethostname()}\nAuthType=auth/none\nGresTypes=gpu\n"
            f"NodeName=node Gres={wanted} CPUs={cpus} CoresPerSocket={cpus}\nPartitionName=all Nodes=ALL\n"
            "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
            f"SlurmdSpoolDir={self.folder}/spool\nSlurmdPidFile={self.folder}/pid\nPluginDir={slurm.libraries}/slurm-wlm\n"
        )
        return configuration

    def found(self, version: str, detect: str, wanted: str, cpus: int) -> list[Gres]:
        """What slurmd finds on the machine that is up. hwloc shows it a computer of so many cores."""
        slurm = SLURMS[version]
        program = self.folder / "slurmd"  # Debian's name of the file is another one, by which slurmd does not know itself
        program.unlink(missing_ok=True)
        program.symlink_to(slurm.folder / "usr/sbin/slurmd-wlm")
        path = ":".join(str(folder) for folder in (LIBRARY_DIR, slurm.libraries, slurm.libraries / "slurm-wlm"))
        result = self.run_in(
            COMMAND, "run", "--state", self.state, "--with-node", "--", slurm.loader, "--library-path", path, program,
            "-f", self.configure(slurm, detect, wanted, cpus), "-N", "node", "-G",
            HWLOC_SYNTHETIC=f"pack:1 core:{cpus} pu:1",
        )  # fmt: skip
        text = result.stdout + result.stderr
        self.assertEqual(result.returncode, 0, text)
        self.assertNotIn("Discarding", text)
        told = []
        for line in re.findall(r"Gres (Name=gpu .*)", text):
            words = dict(word.split("=", 1) for word in line.split())
            self.assertEqual(words["Count"], "1", line)
            links = () if words["Links"] == "(null)" else tuple(map(int, words["Links"].split(",")))
            told.append(Gres(words["Type"], tuple(words["File"].split(",")), words["Cores"], links))
        return sorted(told, key=lambda gres: gres.files)

    def check_all(self, wanted: str, expected: list[Gres]) -> None:
        """`AutoDetect=nvidia` knows no links."""
        cpus = 1 + max(highest(gres.cores) for gres in expected)
        for version, slurm in SLURMS.items():
            for detect in slurm.detects:
                with self.subTest(version=version, detect=detect):
                    linked = [gres if detect == "nvml" else Gres(gres.kind, gres.files, gres.cores) for gres in expected]
                    self.assertEqual(self.found(version, detect, wanted, cpus), linked)

    def whole_gpus(self) -> list[Gres]:
        rows = zip(self.gpus(), self.affinities(), self.links(), strict=True)
        found = [Gres(kind_of(gpu["name"]), (f"/dev/nvidia{gpu['minor_number']}",), *facts) for gpu, *facts in rows]
        return sorted(found, key=lambda gres: gres.files)

    @staticmethod
    def asked(gpus: list[Gres]) -> str:
        return ",".join(f"gpu:{kind}:{count}" for kind, count in Counter(gres.kind for gres in gpus).items())

    def test_gpus_of_every_machine(self) -> None:
        for machine in machines():
            with self.subTest(machine["name"]):
                self.up(machine["name"], None)
                gpus = self.whole_gpus()
                self.assertEqual(len(gpus), machine["count"])
                self.check_all(self.asked(gpus), gpus)
        tell(f"slurm: slurmd {', '.join(SLURMS)} finds the GPUs of {len(machines())} machines")

    def test_models_in_one_machine(self) -> None:
        file = self.folder / "mixed.yaml"
        file.write_text(next(scene for scene in SCENES if scene.name == "mixed").machine_file())
        self.up(file, None)
        gpus = self.whole_gpus()
        self.assertEqual(len({gres.kind for gres in gpus}), 4)
        self.check_all(self.asked(gpus), gpus)

    def mig_devices(self, root: Path, gpu: int, cpus: str) -> list[Gres]:
        """One GPU's, with the nodes that the access files of a driver root name."""
        model = self.gpus()[gpu]
        found = []
        for path in sorted((root / f"proc/driver/nvidia/capabilities/gpu{gpu}/mig").glob("gi*/ci*/access")):
            access = (path.parents[1] / "access", path)
            minors = [re.search(r"DeviceFileMinor: (\d+)", file.read_text())[1] for file in access]
            instance = next(entry for entry in model["mig"]["instances"] if path.parents[1].name == f"gi{entry['id']}")
            files = (f"/dev/nvidia{gpu}", *(f"/dev/nvidia-caps/nvidia-cap{minor}" for minor in minors))
            found.append(Gres(f"{kind_of(model['name']).split('-')[0]}_{instance['profile']}", files, cpus))
        return found

    def test_mig_devices(self) -> None:
        """Only NVML knows them. slurm 22.05 counts each as a GPU without links, 24.11 leaves the links out."""
        for machine, profiles in (("a100", ["3g.20gb", "2g.10gb", "1g.5gb"]), ("h100", ["4g.40gb", "1g.10gb", "1g.10gb"])):
            with self.subTest(machine):
                file, root = self.folder / "mig.yaml", self.folder / f"root-{machine}"
                instances = [{"profile": profile} for profile in profiles]
                device = {"index": 0, "mig": {"mode_current": "enabled", "instances": instances}}
                file.write_text(json.dumps({"version": "1.0", "base": machine, "system": {"num_devices": 2}, "devices": [device]}))
                self.up(file, None)
                self.good("root", root)
                first, second = self.affinities()
                small = self.mig_devices(root, 0, first)
                whole = Gres(kind_of(self.gpus()[1]["name"]), ("/dev/nvidia1",), second)
                self.assertEqual(Counter(gres.kind.rsplit("_", 1)[1] for gres in small), Counter(profiles))
                for version in SLURMS:
                    with self.subTest(version=version):
                        found = self.found(version, "nvml", self.asked([*small, whole]), 1 + highest(first))
                        self.assertTrue(all(set(gres.links) <= {0, -1} for gres in found if len(gres.files) == 3))
                        found = [Gres(gres.kind, gres.files, gres.cores) for gres in found]
                        self.assertEqual(found, sorted([*small, whole], key=lambda gres: gres.files))

    def test_a_gpu_off_the_bus(self) -> None:
        self.up("t4", 4)
        gpus = self.whole_gpus()
        self.good("fault", "gpu=1", "off-bus")
        left = [gpu for gpu in gpus if gpu.files != ("/dev/nvidia1",)]
        shorter = [Gres(gpu.kind, gpu.files, gpu.cores, tuple(link for at, link in enumerate(gpu.links) if at != 1)) for gpu in left]
        self.check_all("gpu:tesla_t4:3", shorter)

    def test_a_lost_gpu(self) -> None:
        """NVML refuses its handle; its files stay."""
        self.up("t4", 4)
        names = [f"/dev/nvidia{minor}" for minor in range(4)]
        self.good("fault", "gpu=1", "lost")
        for version, slurm in SLURMS.items():
            for detect, left in zip(slurm.detects, ([0, 2, 3], [0, 1, 2, 3])):
                with self.subTest(version=version, detect=detect):
                    found = self.found(version, detect, f"gpu:tesla_t4:{len(left)}", 2)
                    self.assertEqual([gres.files for gres in found], [(names[minor],) for minor in left])


if __name__ == "__main__":
    unittest.main()
