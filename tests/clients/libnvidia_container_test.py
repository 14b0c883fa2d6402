#!/usr/bin/env python3
"""What `nvidia-container-cli info --root DIR` does, one step after the other: it reads the loader's cache of the root, looks for
files, changes to the root and asks the libraries there. The program itself is not in Debian."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from clients import available_smi
from fixture import ClientTest

IS_ROOT = os.geteuid() == 0
MAY_UNSHARE = subprocess.run(["unshare", "--map-root-user", "true"], capture_output=True).returncode == 0
LIBC6, ARCHITECTURE = 0x0003, {"x86_64": 0x0300, "aarch64": 0x0A00}.get(os.uname().machine)

# Changes to the root, and then loads the library by its name. Prints what it answers.
ASK = r"""
import ctypes, json, os, sys
os.chroot(sys.argv[1])
os.chdir("/")
nvml = ctypes.CDLL("libnvidia-ml.so.1")

def call(name, *arguments):
    result = getattr(nvml, name)(*arguments)
    assert result == 0, f"{name} returned {result}"

def text(name, *arguments):
    buffer = ctypes.create_string_buffer(96)
    call(name, *arguments, buffer, 96)
    return buffer.value.decode()

def number(name, *arguments, of=ctypes.c_uint):
    value = of()
    call(name, *arguments, ctypes.byref(value))
    return value.value

def pair(name, device):
    first, second = ctypes.c_uint(), ctypes.c_uint()
    result = getattr(nvml, name)(device, ctypes.byref(first), ctypes.byref(second))
    return [first.value, second.value] if result == 0 else [0, 0] if result == 3 else call(name, device)

class Pci(ctypes.Structure):
    _fields_ = [("old", ctypes.c_char * 16), ("numbers", ctypes.c_uint * 5), ("bus_id", ctypes.c_char * 32)]

def mig_devices(device):
    for index in range(number("nvmlDeviceGetMaxMigDeviceCount", device)):
        mig = ctypes.c_void_p()
        if nvml.nvmlDeviceGetMigDeviceHandleByIndex(device, index, ctypes.byref(mig)) != 0:
            continue
        ids = [number(f"nvmlDeviceGet{name}InstanceId", mig) for name in ("Gpu", "Compute")]
        parent = number("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", mig, of=ctypes.c_void_p)
        assert parent == device.value
        yield [text("nvmlDeviceGetUUID", mig), *ids]

def gpu(index):
    device = ctypes.c_void_p()
    call("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(device))
    pci = Pci()
    call("nvmlDeviceGetPciInfo_v3", device, ctypes.byref(pci))
    return {"minor": number("nvmlDeviceGetMinorNumber", device), "name": text("nvmlDeviceGetName", device),
            "uuid": text("nvmlDeviceGetUUID", device), "bus_id": pci.bus_id.decode(),
            "compute": pair("nvmlDeviceGetCudaComputeCapability", device), "mig": pair("nvmlDeviceGetMigMode", device)[0],
            "mig_devices": list(mig_devices(device)), "brand": number("nvmlDeviceGetBrand", device)}

call("nvmlInit_v2")
print(json.dumps({"driver": text("nvmlSystemGetDriverVersion"), "cuda": number("nvmlSystemGetCudaDriverVersion_v2"),
                  "gpus": [gpu(index) for index in range(number("nvmlDeviceGetCount_v2"))]}))
call("nvmlShutdown")
"""


def cached_libraries(cache: bytes) -> list[tuple[str, str]]:
    """Names and paths, as the tools read them: libraries of this architecture that need no other kernel."""
    assert cache[:20] == b"glibc-ld.so.cache1.1"
    count = struct.unpack_from("=I", cache, 20)[0]
    found = []
    for place in range(48, 48 + 24 * count, 24):
        flags, name, path, kernel, _ = struct.unpack_from("=iIIIQ", cache, place)
        assert (flags & 0xFF, flags & 0xFF00, kernel) == (LIBC6, ARCHITECTURE, 0)
        found.append(tuple(cache[at : cache.index(b"\0", at)].decode() for at in (name, path)))
    return found


@unittest.skipUnless(ARCHITECTURE, "no NVIDIA driver has this architecture")
class Info(ClientTest):
    root: Path

    def lay_out(self, machine: str | Path) -> None:
        smi = available_smi()
        self.root = self.folder / "root"
        chosen = "-c" if isinstance(machine, Path) else "-m"
        self.good("root", self.root, chosen, machine, "--chroot", "--nvidia-smi", smi[max(smi)])

    def ask(self) -> dict:
        alone = [] if IS_ROOT else ["unshare", "--map-root-user"]
        result = self.run_in(*alone, sys.executable, "-c", ASK, self.root)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def gpus(self) -> list[dict]:
        told = json.loads(self.good("get", "gpu=all", "--json", "--state", self.root / "run/nvmlkit/state"))
        return [entry["value"] for entry in (told if isinstance(told, list) else [told])]

    def test_the_cache_of_the_loader(self) -> None:
        self.lay_out("h100")
        libraries = cached_libraries((self.root / "etc/ld.so.cache").read_bytes())
        version = (self.root / "sys/module/nvidia/version").read_text().strip()
        names = [name for name, _ in libraries]
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue({"libnvidia-ml.so.1", "libc.so.6"} <= set(names))
        for name, path in libraries:
            file = (self.root / path.lstrip("/")).resolve(strict=True)
            self.assertTrue(file.is_relative_to(self.root.resolve()))
            if name.startswith(("libnvidia-ml.so", "libcuda.so")):
                self.assertTrue(file.name.endswith(f".so.{version}"), file)

    def test_ldconfig_reads_the_cache(self) -> None:
        self.lay_out("h100")
        ldconfig = shutil.which("ldconfig", path="/usr/sbin:/sbin:/usr/bin")
        if not ldconfig:
            self.skipTest("no ldconfig")
        printed = self.run_in(ldconfig, "-p", "-C", self.root / "etc/ld.so.cache")
        listed = re.findall(r"^\t(\S+) \(libc6,.*\) => (\S+)$", printed.stdout, re.M)
        self.assertEqual(listed, cached_libraries((self.root / "etc/ld.so.cache").read_bytes()))

    @unittest.skipUnless(IS_ROOT or MAY_UNSHARE, "neither root nor user namespaces")
    def test_the_loader_finds_the_library_in_its_cache(self) -> None:
        """It searches its folders only for a library that is not in the cache."""
        self.lay_out("h100")
        alone = [] if IS_ROOT else ["unshare", "--map-root-user"]
        result = self.run_in(*alone, "chroot", self.root, "/usr/bin/nvidia-smi", "-L", LD_DEBUG="libs")
        search = re.split(r"find library=", result.stderr.split("find library=libnvidia-ml.so.1", 1)[1])[0]
        self.assertIn("search cache=/etc/ld.so.cache", search)
        self.assertNotIn("system search path", search)

    def test_files_of_the_driver(self) -> None:
        self.lay_out("h100")
        version = (self.root / "sys/module/nvidia/version").read_text().strip()
        self.assertIn("gsp_ga10x.bin", {file.name for file in (self.root / "lib/firmware/nvidia" / version).glob("gsp*.bin")})
        self.assertTrue(os.access(self.root / "usr/bin/nvidia-smi", os.X_OK))
        self.assertTrue((self.root / "var/run/nvidia-persistenced/socket").exists())
        for name in ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", *(f"nvidia{gpu}" for gpu in range(8))):
            mode = (self.root / "dev" / name).stat().st_mode
            self.assertTrue(stat.S_ISCHR(mode) if IS_ROOT else stat.S_ISREG(mode), name)

    @unittest.skipUnless(IS_ROOT or MAY_UNSHARE, "neither root nor user namespaces")
    def test_the_library_in_the_root(self) -> None:
        for machine in ("h100", "t4", "v100"):
            with self.subTest(machine):
                self.lay_out(machine)
                told = self.ask()
                version = (self.root / "sys/module/nvidia/version").read_text().strip()
                self.assertEqual((told["driver"], told["cuda"]), (version, 12040))
                for found, gpu in zip(told["gpus"], self.gpus(), strict=True):
                    capability = gpu["compute_capability"]
                    self.assertEqual(
                        (found["minor"], found["name"], found["uuid"], found["bus_id"], found["compute"]),
                        (gpu["minor_number"], gpu["name"], gpu["uuid"], gpu["pci"]["bus_id"],
                         [capability["major"], capability["minor"]]),
                    )  # fmt: skip
                    self.assertEqual((found["mig"], found["mig_devices"]), (0, []))

    @unittest.skipUnless(IS_ROOT or MAY_UNSHARE, "neither root nor user namespaces")
    def test_mig_devices_in_the_root(self) -> None:
        file = self.folder / "mig.yaml"
        device = {"index": 1, "mig": {"mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}
        file.write_text(json.dumps({"version": "1.0", "base": "h100", "system": {"num_devices": 2}, "devices": [device]}))
        self.lay_out(file)
        first, second = self.ask()["gpus"]
        self.assertEqual((first["mig"], first["mig_devices"]), (0, []))
        self.assertEqual((second["mig"], len(second["mig_devices"])), (1, 2))
        for uuid, gpu_instance, compute_instance in second["mig_devices"]:
            self.assertTrue(uuid.startswith("MIG-"))
            folder = self.root / f"proc/driver/nvidia/capabilities/gpu1/mig/gi{gpu_instance}"
            self.assertTrue((folder / "access").exists() and (folder / f"ci{compute_instance}/access").exists())


if __name__ == "__main__":
    unittest.main()
