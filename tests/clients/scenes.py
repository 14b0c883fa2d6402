"""The machines on which other people's programs are looked at. Each GPU has values of its own, so that one that is
shown in the wrong place shows."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from clients import COMMAND, LIBRARY_DIR, SOURCE, Result, tell

MIB = 1 << 20


@dataclass(frozen=True)
class Gpu:
    """What is true of a GPU."""

    index: int
    model: dict  # as `nvmlkit get` tells it
    lost: bool

    @property
    def name(self) -> str:
        return self.model["name"]

    @property
    def uuid(self) -> str:
        return self.model["uuid"]

    @property
    def bus_id(self) -> str:
        return self.model["pci"]["bus_id"]

    @property
    def celsius(self) -> int:
        return self.model["thermal"]["temperature_gpu_c"]

    @property
    def watts(self) -> int:
        return self.model["power"]["current_draw_mw"] // 1000

    @property
    def limit_watts(self) -> int:
        return self.model["power"]["limit_mw"] // 1000

    @property
    def used_percent(self) -> int | None:
        """The GPU's utilization, which one in MIG mode does not tell."""
        return None if self.mig else self.model["utilization"]["gpu"]

    @property
    def total_mib(self) -> int:
        return self.model["memory"]["total_bytes"] // MIB

    @property
    def used_mib(self) -> int:
        """Without what the driver keeps for itself."""
        return self.model["memory"]["used_bytes"] // MIB

    @property
    def reserved_mib(self) -> int:
        return self.model["memory"]["reserved_bytes"] // MIB

    @property
    def fan_percent(self) -> int | None:
        fan = self.model["fan"]
        return fan["speed_percent"] if fan.get("count") else None

    @property
    def processes(self) -> list[tuple[int, int]]:
        """PID and MiB of each."""
        return [(process["pid"], process["used_memory_mib"]) for process in self.model["processes"]]

    @property
    def mig(self) -> bool:
        return self.model["mig"]["mode_current"] == "enabled"

    @property
    def mig_devices(self) -> list[str]:
        """The profiles of its compute instances, which name them."""
        instances = self.model["mig"]["instances"] if self.mig else []
        return [compute["profile"] for instance in instances for compute in instance["compute_instances"]]


@dataclass(frozen=True)
class Machine:
    """One that is up."""

    scene: str
    gpus: list[Gpu]
    state: Path

    @property
    def usable(self) -> list[Gpu]:
        return [gpu for gpu in self.gpus if not gpu.lost]

    @property
    def environment(self) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_", "LD_LIBRARY_PATH"))}
        return {
            **clean,
            "LC_ALL": "C.UTF-8",
            "LD_LIBRARY_PATH": str(LIBRARY_DIR),
            "NVMLKIT_STATE": str(self.state),
            "HOME": str(self.state.parent),  # programs keep their settings there
            "XDG_CONFIG_HOME": str(self.state.parent / "config"),
        }

    def run(self, command: list[str | Path], timeout: float = 120, **more: str) -> Result:
        """Runs a program on it to its end; `more` goes before what its environment says."""
        environment = self.environment
        for name, value in more.items():
            environment[name] = f"{value}:{environment[name]}" if name == "LD_LIBRARY_PATH" else value
        try:
            done = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=timeout,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            return Result(-9, (late.stdout or b"").decode(errors="replace"), hung=True)
        return Result(done.returncode, done.stdout.decode(errors="replace"))


@dataclass(frozen=True)
class Scene:
    name: str
    base: str
    gpus: int
    others: dict[int, str] = field(default_factory=dict)  # GPUs of another built-in machine, by index
    mig: dict[int, list[str]] = field(default_factory=dict)  # profiles of the GPU instances, by index
    lost: frozenset[int] = frozenset()
    used: dict[int, int] = field(default_factory=dict)  # GPUs that this test's own process uses, and how much memory: MiB
    capture: Path | None = None  # what nvidia-smi printed on a real machine; the rest is in there then

    def machine_file(self) -> str:
        devices = []
        for index in range(self.gpus):
            device = {
                "index": index,
                "thermal": {"temperature_gpu_c": 30 + index},
                "power": {"current_draw_mw": (40 + index) * 1000},
                "utilization": {"gpu": 20 + index, "memory": 10 + index},
                "clocks": {"graphics_current": 1000 + index, "sm_current": 1000 + index},
            }
            if index in self.used:
                mine = {"pid": os.getpid(), "type": "C", "name": "python3", "used_memory_mib": self.used[index]}
                device["processes"] = [mine]
            if index in self.others:
                device["base"] = self.others[index]
            if index in self.mig:
                instances = [{"profile": profile} for profile in self.mig[index]]
                device["mig"] = {"mode_current": "enabled", "instances": instances}
            else:
                device["memory"] = {"used_bytes": (1000 + 10 * index) * MIB}
            devices.append(device)
        return json.dumps({"version": "1.0", "base": self.base, "system": {"num_devices": self.gpus}, "devices": devices})

    @contextmanager
    def up(self) -> Iterator[Machine]:
        with tempfile.TemporaryDirectory() as folder:
            file, state = Path(folder, f"{self.name}.yaml"), Path(folder, "state")
            if self.capture:
                nvmlkit("import", self.capture, "-o", file)
            else:
                file.write_text(self.machine_file())
            nvmlkit("up", "-c", file, "--state", state)
            for index in self.lost:
                nvmlkit("fault", f"gpu={index}", "lost", "--state", state)
            told = json.loads(nvmlkit("get", "gpu=all", "--json", "--state", state))
            gpus = [Gpu(entry["gpu"], entry["value"], entry["gpu"] in self.lost) for entry in told]
            yield Machine(self.name, gpus, state)


def nvmlkit(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"nvmlkit {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


SCENES = [
    Scene("H100", "h100", 8, used={1: 301, 6: 602}),
    Scene("T4", "t4", 1),
    Scene("MIG", "h100", 2, mig={0: ["3g.40gb", "2g.20gb", "1g.10gb"]}),
    Scene("lost GPU", "h100", 4, lost=frozenset({2})),
    Scene("16 GPUs", "a100", 16),
    Scene("64 GPUs", "b200", 64),
    Scene("mixed", "h100", 4, others={1: "t4", 2: "a100", 3: "rtx4090"}),
]
# Other people's data, and no part of the project.
CAPTURE = Path(os.environ.get("NVMLKIT_SHARED_FACTS_DIR") or SOURCE.parent / "shared" / "facts").parent
if (CAPTURE := CAPTURE / "captures" / "h200-mig-590.48.01-utku.txt").exists():
    SCENES.append(Scene("captured MIG", "h200", 8, capture=CAPTURE))


class Looks:
    """What a program shows, held against what is true."""

    def __init__(self, program: str, scenes: list[Scene] | None = None) -> None:
        self.program, self.scenes = program, scenes or SCENES
        self.values = self.gpus = self.wrong = 0
        self.scene = ""

    def machines(self) -> Iterator[Machine]:
        for scene in self.scenes:
            with scene.up() as machine:
                self.scene = scene.name
                self.gpus += len(machine.gpus)
                yield machine

    def equal(self, what: str, shown: object, true: object) -> None:
        self.values += 1
        if shown != true:
            self.wrong += 1
            print(f"FAIL {self.program}, {self.scene}: {what}: shows {shown!r}, is {true!r}")

    def gpu(self, gpu: Gpu, **shown: object) -> None:
        """Each is a property of the GPU."""
        for what, value in shown.items():
            self.equal(f"GPU {gpu.index} {what}", value, getattr(gpu, what))

    def end(self, note: str = "") -> int:
        """Tells what was seen; the exit status of the test."""
        tell(
            f"{self.program}: {len(self.scenes)} machines ({', '.join(scene.name for scene in self.scenes)}), {self.gpus} GPUs, "
            f"{self.values} values, {self.wrong} wrong{note and ', ' + note}"
        )
        return 1 if self.wrong or not self.values else 0
