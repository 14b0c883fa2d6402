"""What stands for the program under test: prints each GPU that is hot or lost and each MIG device, every so many seconds."""

import sys
import time

import pynvml


def look():
    for index in range(pynvml.nvmlDeviceGetCount()):
        try:
            gpu = pynvml.nvmlDeviceGetHandleByIndex(index)
            degrees = pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU)
        except pynvml.NVMLError as error:
            yield f"GPU {index}: {error}"
            continue
        if degrees > 80:
            yield f"GPU {index}: {degrees} C"
        try:
            for place in range(pynvml.nvmlDeviceGetMaxMigDeviceCount(gpu)):
                device = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(gpu, place)
                yield f"GPU {index}: {pynvml.nvmlDeviceGetName(device)}"
        except pynvml.NVMLError:  # no further device, or no MIG
            pass


pynvml.nvmlInit()
every = float(sys.argv[1]) if len(sys.argv) > 1 else 0
while True:
    print("; ".join(look()) or "all is well", flush=True)
    if not every:
        break
    time.sleep(every)
