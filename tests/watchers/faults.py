"""Every kind of fault, and what each watcher must show of it. GPU 0 is an H100 under load, GPU 1 a GeForce with fans, GPU 2 a Rubin."""

from __future__ import annotations

import re
from dataclasses import dataclass

from expectation import Expectation, Nothing, Stays

MACHINE = {
    "version": "1.0",
    "base": "dgx-h100",
    "system": {"num_devices": 3, "driver_version": "615.71.09", "enforce_privilege": False},
    "devices": [
        {"index": 1, "base": "rtx4090"},
        {"index": 2, "base": "b200", "architecture": "rubin", "bank_remapper": {"histogram": {"max_spare": 64}}},
    ],
}

ONLY_LOAD = Nothing("it shows clocks, temperature, fan, power, utilization, memory, processes")
NO_EVENT = Nothing("NVML has no event for it")
RUNS_ON = Nothing("the fault is for programs that start NVML later")
NO_DURATION = Nothing("it does not show how long a call takes")
UNSEEN = Nothing("NVML shows nothing of it")


@dataclass(frozen=True)
class Fault:
    words: str  # of `nvmlkit fault`
    nvtop: Expectation = ONLY_LOAD
    gpustat: Expectation = ONLY_LOAD
    top: Expectation = UNSEEN
    page: Expectation = UNSEEN
    waiter: Expectation = NO_EVENT
    prometheus: Expectation = UNSEEN

    @property
    def kind(self) -> str:
        """As program_faults.py names it."""
        subject, kind = self.words.split()[:2]
        return f"{subject.split('=')[0]} {kind}"

    @property
    def heal(self) -> str:
        subject = self.words.split()[0]
        return "heal gpu=0" if subject.startswith("nvswitch") else f"heal {subject}"  # an SXid is over at once

    def of(self, watcher: str) -> Expectation:
        found: Expectation = getattr(self, watcher)
        return found


def kinds_of_program(help_text: str) -> set[str]:
    """From the list in `nvmlkit fault --help`. Each fault of the machine is a kind."""
    out = set()
    for subject, words in re.findall(r"^  (gpu=0|nvswitch=0|nic=mlx5_0|machine) (.+)$", help_text, re.M):
        for kind in words.split()[0].split("|"):
            if not (subject == "machine" and kind in ("fail", "slow")):
                out.add(f"{subject.split('=')[0]} {kind}")
    return out


def out_of_reach(words: str, state: str, **more: Expectation) -> Fault:
    return Fault(f"gpu=0 {words}", **{"nvtop": "0 temperature has N/A", "gpustat": "error present", "top": "0 lines has LOST",
                                      "page": f"0 state has {state}", "waiter": Stays("event is 0 GpuUnavailableError 0"),
                                      "prometheus": f"0 fault {state} present", **more})  # fmt: skip


def slowed(words: str, reason: str, metric: str) -> Fault:
    return Fault(f"gpu=0 {words}", nvtop="0 clock < 1500", gpustat="0 power < 500", top=f"0 lines has held by {reason}",
                 page="0 clock < 1500", waiter=Stays("event is 0 Clock 0"), prometheus=f"0 clocks_event_reason {metric} is 1")  # fmt: skip


def of_machine(words: str, top: Expectation = RUNS_ON) -> Fault:
    return Fault(f"machine {words}", nvtop=RUNS_ON, gpustat="error present", top=top, page=f"summary has machine: {words}",
                 waiter=RUNS_ON, prometheus=f"machine_fault {words} present")  # fmt: skip


FAULTS = [
    Fault("gpu=0 xid 31", top=Stays("event new Xid 31"), page="0 state has xid 31", waiter=Stays("event is 0 XidCriticalError 31"),
          prometheus="0 fault xid 31 present"),
    out_of_reach("xid 79", "lost", waiter=Stays("event is 0 XidCriticalError 79"), prometheus="0 fault xid 79 present"),
    out_of_reach("lost", "lost"),
    out_of_reach("reset-required", "reset-required", gpustat="0 row has ??°C", top="0 lines has reset required"),
    out_of_reach("off-bus", "off-bus", gpustat="0 row lacks H100", top="0 lines lacks H100"),
    out_of_reach("removed", "removed", gpustat="0 row lacks H100", top="0 lines lacks H100"),
    Fault("gpu=0 recovery drain-and-reset", top="0 lines has needs drain and reset", page="0 state has recovery drain-and-reset",
          waiter=Stays("event is 0 GpuRecoveryAction 4"), prometheus="0 fault recovery drain-and-reset present"),
    Fault("gpu=0 ecc dram corrected --count 7", top=Stays("event new single bit ecc error"), page=Stays("log new event single-bit-ecc"),
          waiter=Stays("event is 0 SingleBitEccError 0"), prometheus=Stays("0 ecc_errors_volatile corrected grows")),
    Fault("gpu=0 ecc dram uncorrected", top="0 lines has needs drain and reset", page="0 state has remap pending",
          waiter=Stays("event is 0 DoubleBitEccError 0"), prometheus="0 remapped_rows pending is 1"),
    Fault("gpu=0 remap pending", top="0 lines has pending", page="0 state has remap pending", prometheus="0 remapped_rows pending is 1"),
    Fault("gpu=0 remap failed", top="0 lines has needs reset", page="0 state has remap failed",
          waiter=Stays("event is 0 XidCriticalError 64"), prometheus="0 remapped_rows failed is 1"),
    Fault("gpu=2 bank-remap pending", top="2 lines has needs reset", page="2 state has bank-remap pending",
          waiter=Stays("event is 2 GpuRecoveryAction 1"), prometheus="2 fault bank-remap pending present"),
    Fault("gpu=0 nvlink 3 down", top="0 lines has NVLink 17 of 18", page="0 state has nvlink 3 down",
          waiter=Stays("event is 0 XidCriticalError 74"), prometheus="0 fault nvlink 3 down present"),
    Fault("gpu=0 nvlink 3 errors", top=Stays("event new Xid 74"), page="0 state has nvlink 3 errors",
          waiter=Stays("event is 0 XidCriticalError 74"), prometheus="0 fault nvlink 3 errors present"),
    Fault("gpu=1 fan 0", nvtop="1 fan has N/A", gpustat="1 row has ??", top="1 lines lacks fan", page="1 state has fan 0",
          prometheus="1 fault fan 0 present"),
    Fault("gpu=0 inforom", top=Nothing("it does not ask for the InfoROM: that call reads the board's flash"), page="0 state has inforom",
          prometheus="0 fault inforom present"),
    slowed("thermal hw", "HW thermal", "hw_thermal_slowdown"),
    slowed("thermal sw", "SW thermal", "sw_thermal_slowdown"),
    slowed("power-brake", "power brake", "hw_power_brake_slowdown"),
    Fault("gpu=0 fabric route-unhealthy", top="0 lines has fabric route unhealthy", page="0 state has fabric route-unhealthy",
          prometheus="0 fault fabric route-unhealthy present"),
    Fault("gpu=0 event pstate", top=Nothing("it leaves out events of clocks and P-states, which always come"), page=Stays("log new event pstate"), waiter=Stays("event is 0 PState 0"),
          prometheus=Stays("0 event_total pstate grows")),
    Fault("gpu=0 event poison", top=Stays("event new poison"), page=Stays("log new event poison"),
          waiter=Stays("event is 0 NonFatalPoisonError 0"), prometheus=Stays("0 event_total poison grows")),
    Fault("nvswitch=0 sxid 12028 32", page=Stays("log new 12028"), prometheus=Stays("nvswitch_sxid_total 12028 grows")),
    Fault("nic=mlx5_0 down", page="summary has mlx5_0: down", prometheus="nic_fault mlx5_0 down present"),
    Fault("nic=mlx5_0 errors", page=Nothing("it shows what is broken now, and errors are over once they are counted"),
          prometheus=Stays("nic_errors_total mlx5_0 symbol_error grows")),
    of_machine("driver-not-loaded"),
    of_machine("version-mismatch"),
    of_machine("no-permission"),
    of_machine("no-devices", top="0 lines absent"),
    Fault("gpu=0 fail nvmlDeviceGetPowerUsage UNKNOWN", nvtop="0 power is N/A", gpustat="0 row has ?? / 700 W", top="0 lines lacks /700W", page="summary has nvmlDeviceGetPowerUsage",
          prometheus="call_fault gpu=0 fail nvmlDeviceGetPowerUsage UNKNOWN present"),
    Fault("gpu=0 slow nvmlDeviceGetTemperature 300ms", nvtop=NO_DURATION, gpustat=NO_DURATION, top=NO_DURATION, page="summary has nvmlDeviceGetTemperature",
          prometheus="call_fault gpu=0 slow nvmlDeviceGetTemperature 300ms present"),
]  # fmt: skip
