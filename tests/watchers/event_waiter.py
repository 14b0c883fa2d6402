#!/usr/bin/env python3
"""Waits for events with pynvml, and prints each with the time of the kernel log's clock: TIME GPU TYPE DATA."""

import ctypes
import time

import pynvml

LATER = {1 << 12: "NonFatalPoisonError", 1 << 14: "GpuUnavailableError", 1 << 15: "GpuRecoveryAction"}  # than this pynvml
NAMES = LATER | {getattr(pynvml, name): name.removeprefix("nvmlEventType") for name in dir(pynvml)
         if name.startswith("nvmlEventType") and name not in ("nvmlEventTypeNone", "nvmlEventTypeAll")}  # fmt: skip


def address(device: object) -> int | None:
    """Of a handle. A GPU that is gone has no UUID."""
    return ctypes.cast(device, ctypes.c_void_p).value  # type: ignore[arg-type]


def main() -> None:
    pynvml.nvmlInit()
    events = pynvml.nvmlEventSetCreate()
    places = {}
    for index in range(pynvml.nvmlDeviceGetCount()):
        device = pynvml.nvmlDeviceGetHandleByIndex(index)
        pynvml.nvmlDeviceRegisterEvents(device, pynvml.nvmlDeviceGetSupportedEventTypes(device), events)
        places[address(device)] = index
    print("ready", flush=True)
    while True:
        try:
            event = pynvml.nvmlEventSetWait_v2(events, 1000)
        except pynvml.NVMLError as error:
            if error.value == pynvml.NVML_ERROR_TIMEOUT:
                continue
            when, text = time.clock_gettime(time.CLOCK_BOOTTIME), f"error {error.value}"
            print(f"{when:.6f} {text}", flush=True)
            time.sleep(0.05)
            continue
        when = time.clock_gettime(time.CLOCK_BOOTTIME)
        place = places.get(address(event.device), "?")
        print(f"{when:.6f} {place} {NAMES.get(event.eventType, event.eventType)} {event.eventData}", flush=True)


main()
