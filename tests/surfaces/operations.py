"""The words of a change: commands of nvmlkit, setters of NVML, nvidia-smi.

  fault|heal|set|release|load|time ...      the command
  nvml gpu=1 SetComputeMode 3               nvmlDeviceSetComputeMode with numbers, as a program of its own
  drain gpu=1 on|off, remove gpu=1, discover, start, mig gpu=1 create PROFILE, mig gpu=1 destroy, bandwidth MODE,
  nvle gpu=1 lock, nvle gpu=1 ready on|off, nvle gpu=1 key gpu=2
  smi ...                                   nvidia-smi"""

from __future__ import annotations

import ctypes
import subprocess
from typing import TYPE_CHECKING

from readers.child import read_in_child
from readers.nvml import Nvml, pci_info, result_name

if TYPE_CHECKING:
    from world import World

COMMANDS = ("fault", "heal", "set", "release", "load", "time")


class Refused(Exception):
    """What the driver or the command does not do. The message is its answer."""


class Setter:
    """In the process of the program that sets."""

    def __init__(self, world: World) -> None:
        self.nvml = Nvml(world.nvml_library)
        self.world = world
        self.accept("nvmlInit_v2", self.nvml.call("nvmlInit_v2"))

    def accept(self, what: str, result: int) -> None:
        if result != 0:
            raise ValueError(f"{what}: {result_name(result)}")

    def gpu(self, word: str) -> ctypes.c_void_p:
        uuid = self.world.uuids[int(word.removeprefix("gpu="))]
        result, handle = self.nvml.handle("nvmlDeviceGetHandleByUUID", uuid.encode())
        self.accept(word, result)
        return handle

    def pci(self, word: str) -> ctypes.Array:
        return pci_info(self.world.bus_ids[int(word.removeprefix("gpu="))])

    def set(self, gpu: str, name: str, *numbers: str) -> None:
        more = [ctypes.byref(ctypes.c_uint())] if name == "SetMigMode" else []
        self.accept(name, self.nvml.call(f"nvmlDevice{name}", self.gpu(gpu), *(ctypes.c_uint(int(n)) for n in numbers), *more))

    def drain(self, gpu: str, state: str) -> None:
        self.accept("drain", self.nvml.call("nvmlDeviceModifyDrainState", self.pci(gpu), int(state == "on")))

    def remove(self, gpu: str) -> None:
        self.accept("remove", self.nvml.call("nvmlDeviceRemoveGpu_v2", self.pci(gpu), 0, 0))

    def start(self) -> None:
        """A program that starts NVML, and no more."""

    def discover(self) -> None:
        self.accept("discover", self.nvml.call("nvmlDeviceDiscoverGpus", ctypes.create_string_buffer(68)))

    def bandwidth(self, mode: str) -> None:
        self.accept("bandwidth", self.nvml.call("nvmlSystemSetNvlinkBwMode", int(mode)))

    def nvle(self, gpu: str, what: str, *words: str) -> None:
        """Encryption of NVLinks."""
        if what == "lock":
            result = self.nvml.call("nvmlDeviceLockNvlinkRemapTable_v1", self.gpu(gpu), ctypes.create_string_buffer(2))
        elif what == "ready":
            result = self.nvml.call("nvmlDeviceSetNvlinkNvleReady_v1", self.gpu(gpu), bytes([words[0] == "on"]))
        else:
            ends = [self.nvle_end(gpu), self.nvle_end(words[0])]
            key = bytes(32) + b"".join(alid for alid, _ in ends) + b"".join(info for _, info in ends)
            result = self.nvml.call("nvmlDeviceSetupNvlinkNvleEncryptionKey_v1", self.gpu(gpu), key)
        self.accept(what, result)

    def nvle_end(self, gpu: str) -> tuple[bytes, bytes]:
        """Address and private info of a GPU."""
        table, info = ctypes.create_string_buffer(32776), ctypes.create_string_buffer(260)
        self.accept("address", self.nvml.call("nvmlDeviceGetNvlinkRemapTableInfo_v1", self.gpu(gpu), table))
        self.accept("private info", self.nvml.call("nvmlDeviceGetNvlinkNvlePrivateInfo_v1", self.gpu(gpu), info))
        return table.raw[:4], info.raw

    def mig(self, gpu: str, what: str, *profile: str) -> None:
        handle = self.gpu(gpu)
        if what == "create":
            self.make_mig_device(handle, int(profile[0]))
        else:
            self.destroy_mig_device(handle)

    def make_mig_device(self, gpu: ctypes.c_void_p, profile: int) -> None:
        """The GPU instance of a kind of profile, with one compute instance of its size."""
        info = (ctypes.c_uint * 64)()
        self.accept("profile", self.nvml.call("nvmlDeviceGetGpuInstanceProfileInfo", gpu, profile, info))
        instance, compute = ctypes.c_void_p(), ctypes.c_void_p()
        self.accept("instance", self.nvml.call("nvmlDeviceCreateGpuInstance", gpu, info[0], ctypes.byref(instance)))
        self.accept("profile", self.nvml.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", instance, profile, 0, info))
        made = self.nvml.call("nvmlGpuInstanceCreateComputeInstance", instance, info[0], ctypes.byref(compute))
        self.accept("compute instance", made)

    def destroy_mig_device(self, gpu: ctypes.c_void_p) -> None:
        """The first one, with its GPU instance."""
        device, number = ctypes.c_void_p(), ctypes.c_uint()
        self.accept("device", self.nvml.call("nvmlDeviceGetMigDeviceHandleByIndex", gpu, 0, ctypes.byref(device)))
        instance, compute = ctypes.c_void_p(), ctypes.c_void_p()
        self.accept("instance", self.nvml.call("nvmlDeviceGetGpuInstanceId", device, ctypes.byref(number)))
        self.accept("instance", self.nvml.call("nvmlDeviceGetGpuInstanceById", gpu, number, ctypes.byref(instance)))
        self.accept("instance", self.nvml.call("nvmlDeviceGetComputeInstanceId", device, ctypes.byref(number)))
        self.accept("instance", self.nvml.call("nvmlGpuInstanceGetComputeInstanceById", instance, number, ctypes.byref(compute)))
        self.accept("destroy", self.nvml.call("nvmlComputeInstanceDestroy", compute))
        self.accept("destroy", self.nvml.call("nvmlGpuInstanceDestroy", instance))


def do(world: World, words: str) -> None:
    """Makes the change, or raises Refused."""
    verb, *rest = words.split()
    if verb in COMMANDS:
        done = world.try_to(verb, *rest)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
    elif verb == "smi":
        done = subprocess.run([world.smi, *rest], env=world.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)  # fmt: skip
        if done.returncode != 0:
            raise Refused(done.stdout + done.stderr)
    else:
        def change() -> str:
            try:
                getattr(Setter(world), "set" if verb == "nvml" else verb)(*rest)
            except ValueError as error:
                return str(error)
            return ""
        answer = read_in_child(change, world.environment)
        if answer and verb != "start":
            raise Refused(answer)
