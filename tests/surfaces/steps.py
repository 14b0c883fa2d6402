"""Random changes of a machine, in the words of operations.py."""

from __future__ import annotations

import random

XIDS = (13, 31, 43, 45, 46, 48, 62, 63, 64, 74, 79, 94, 95, 119, 149)
PLACES = ("dram", "sram", "l1", "l2", "register-file", "texture", "shared", "cbu")
EVENTS = ("clock", "pstate", "mig-config", "single-bit-storm", "dram-retirement", "poison", "unavailable")
FABRIC = ("degraded-bandwidth", "route-recovery", "route-unhealthy", "access-timeout")
# Of GPUs; {gpu} is one of them.
OF_A_GPU = [
    *(f"fault {{gpu}} {fault}" for fault in (
        "lost", "reset-required", "off-bus", "removed", "inforom", "thermal hw", "thermal sw", "power-brake", "fan 0", "remap pending",
        "remap failed", "recovery reset", "recovery reboot", "recovery drain-p2p", "recovery drain-and-reset", "nvlink all down")),
    *("nvml {gpu} " + setter for setter in (
        "SetPersistenceMode 0", "SetPersistenceMode 1", "SetPowerManagementLimit 300000", "SetPowerManagementLimit 70000",
        "SetGpuLockedClocks 1200 1500", "ResetGpuLockedClocks", "SetApplicationsClocks 2619 1200", "SetEccMode 0", "SetEccMode 1",
        "SetComputeMode 0", "SetComputeMode 2", "SetComputeMode 3", "SetAccountingMode 1", "SetMigMode 0", "SetMigMode 1",
        "ClearEccErrorCounts 0", "ClearEccErrorCounts 1")),
    "mig {gpu} create 0", "mig {gpu} create 1", "mig {gpu} destroy", "drain {gpu} on", "drain {gpu} off", "remove {gpu}",
    "set {gpu} pcie.current_link_gen=1", "set {gpu} pcie.current_link_width=8", "set {gpu} vbios_version=1.2.3.4.5",
    "release {gpu}", "load {gpu} 80%", "load {gpu} off",
]  # fmt: skip
OF_THE_MACHINE = ["discover", "time advance 3s", "time advance 1m", "fault machine no-devices", "fault machine driver-not-loaded",
                  "fault machine version-mismatch", "fault machine no-permission"]  # fmt: skip


class Steps:
    def __init__(self, seed: int, gpus: int) -> None:
        self.random, self.gpus = random.Random(seed), gpus
        self.machine_is_broken = False

    def fault(self, gpu: str) -> str:
        pick = self.random.choice
        return pick([
            f"fault {gpu} xid {pick(XIDS)}",
            f"fault {gpu} ecc {pick(PLACES)} {pick(('corrected', 'uncorrected'))} --count {pick((1, 5))}",
            f"fault {gpu} nvlink {pick(range(18))} {pick(('down', 'errors'))}",
            f"fault {gpu} fabric {pick(FABRIC)}",
            f"fault {gpu} event {pick(EVENTS)}",
        ])  # fmt: skip

    def next(self) -> str:
        """A broken machine is healed at once; a GPU about as often as it is broken."""
        if self.machine_is_broken:
            self.machine_is_broken = False
            return "heal machine"
        gpu = f"gpu={self.random.randrange(self.gpus)}"
        kind = self.random.random()
        if kind < 0.35:
            return self.fault(gpu)
        if kind < 0.7:
            return self.random.choice(OF_A_GPU).format(gpu=gpu)
        if kind < 0.92:
            return f"heal {gpu}"
        step = self.random.choice(OF_THE_MACHINE)
        self.machine_is_broken = step.startswith("fault machine")
        return step
