#!/usr/bin/env python3
"""Threads that wait for events in real time: after the loss of a GPU, and when their set is freed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unittest

from clients import COMMAND, LIBRARY_DIR, tell
from fixture import ClientTest

SECONDS = 10

COMMON = """
import ctypes, json, sys, threading, time
nvml = ctypes.CDLL(sys.argv[1])
class Data(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong), ("instances", ctypes.c_uint * 2)]
assert nvml.nvmlInit_v2() == 0
events, data = ctypes.c_void_p(), Data()
assert nvml.nvmlEventSetCreate(ctypes.byref(events)) == 0
"""

# A client such as the device plugin: all GPUs in a set, waits of a second each.
CLIENT = COMMON + """
gpus = {}
for index in range(8):
    gpu = ctypes.c_void_p()
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(gpu)) == 0
    assert nvml.nvmlDeviceRegisterEvents(gpu, ctypes.c_ulonglong(8), events) == 0
    gpus[gpu.value] = index
print("ready", flush=True)
begin, returns = time.monotonic(), []
while time.monotonic() - begin < float(sys.argv[2]):
    code = nvml.nvmlEventSetWait_v2(events, ctypes.byref(data), 1000)
    returns.append([code, gpus[data.device], data.data] if code == 0 else [code])
print(json.dumps(returns))
"""

# Waits for ten seconds, unless the set is freed, or the library shut down, before.
WAITER = COMMON + """
codes = []
waiter = threading.Thread(target=lambda: codes.append(nvml.nvmlEventSetWait_v2(events, ctypes.byref(data), 10000)))
begin = time.monotonic()
waiter.start()
time.sleep(float(sys.argv[3]))
assert (nvml.nvmlEventSetFree(events) if sys.argv[2] == "free" else nvml.nvmlShutdown()) == 0
waiter.join()
print(json.dumps([codes[0], time.monotonic() - begin]))
"""

NO_EVENT, LOST, INVALID, UNINITIALIZED = 10, 15, 2, 1
LIBRARY = LIBRARY_DIR / "libnvidia-ml.so.1"


class Events(ClientTest):
    def test_a_client_goes_on_after_the_loss_of_a_gpu(self) -> None:
        for lost, lost_code in ((("xid", "79"), [0, 3, 79]), (("lost",), [LOST])):
            with self.subTest(lost):
                self.up(gpus=None)
                client = subprocess.Popen([sys.executable, "-c", CLIENT, LIBRARY, str(SECONDS)], env=self.environment,
                                          stdout=subprocess.PIPE, text=True)  # fmt: skip
                self.addCleanup(client.communicate)
                assert client.stdout
                self.assertEqual(client.stdout.readline(), "ready\n")
                self.good("fault", "gpu=3", *lost)
                time.sleep(3)
                self.good("fault", "gpu=5", "xid", "31")
                self.good("fault", "gpu=0", "xid", "43")
                returns = json.loads(client.communicate(timeout=120)[0])
                got = [answer for answer in returns if answer != [NO_EVENT]]
                self.assertEqual(got, [lost_code, [0, 5, 31], [0, 0, 43]])
                self.assertLess(len(got), 10)
                self.assertLessEqual(len(returns) - len(got), SECONDS + 1)
                tell(f"a client with waits of a second: {len(returns)} returns in {SECONDS} s after {' '.join(lost)}")

    def wait_and(self, what: str, after: float, *before: str) -> tuple[int, float]:
        result = self.run_in(*before, sys.executable, "-c", WAITER, LIBRARY, what, str(after))
        if result.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(result.returncode, 0, result.stderr)
        code, seconds = json.loads(result.stdout)
        return code, seconds

    def check(self, *before: str) -> None:
        for what, code in (("free", INVALID), ("shutdown", UNINITIALIZED)):
            for after in (0, 0.0001, 0.3):
                with self.subTest(f"{what} after {after} s"):
                    answer, seconds = self.wait_and(what, after, *before)
                    # Freed before the wait began, the handle is none.
                    self.assertEqual(answer, code)
                    self.assertLess(seconds, 5)

    def test_a_freed_set_ends_its_waits(self) -> None:
        self.up()
        self.check()

    @unittest.skipIf(os.geteuid() != 0, "mounts need root")
    def test_a_freed_set_ends_its_waits_on_a_state_that_may_only_be_read(self) -> None:
        self.up()
        script = 'mount --bind "$NVMLKIT_STATE" "$NVMLKIT_STATE" && mount -o remount,ro,bind "$NVMLKIT_STATE" || exit 77; exec "$@"'
        self.check("unshare", "--mount", "sh", "-c", script, "sh")


if __name__ == "__main__":
    unittest.main()
