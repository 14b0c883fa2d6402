#!/usr/bin/env python3
"""MPS with real processes: nvidia-cuda-mps-control, its server, CUDA programs as clients, and what nvidia-smi shows of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from clients import LIBRARY_DIR, SYSTEM_PYTHON, available_smi, needs_start_times, skip
from fixture import ClientTest

if os.geteuid() != 0:
    skip("compute modes and servers of other users need root, here as on hardware")
SMI = next(iter(available_smi().values()), None)
CONTROL = LIBRARY_DIR / "nvidia-cuda-mps-control"
NO_DAEMON = "Cannot find MPS control daemon process\n"

# Reads one JSON list of steps a line and prints their results as one: init, context GPU, memory MiB, info, attribute GPU NUMBER, total GPU.
PROGRAM = """
import ctypes, json, os, sys
cuda = ctypes.CDLL("libcuda.so.1")
def step(name, *of):
    if name == "init":
        return cuda.cuInit(0)
    if name == "context":
        context = ctypes.c_void_p()
        return cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), of[0]) or cuda.cuCtxSetCurrent(context)
    if name == "memory":
        address = ctypes.c_uint64()
        return cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(of[0] << 20))
    if name == "info":
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        return [cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), free.value >> 20, total.value >> 20]
    if name == "total":
        total = ctypes.c_size_t()
        return [cuda.cuDeviceTotalMem_v2(ctypes.byref(total), of[0]), total.value >> 20]
    if name == "attribute":
        value = ctypes.c_int()
        return [cuda.cuDeviceGetAttribute(ctypes.byref(value), of[1], of[0]), value.value]
    if name == "fork":
        child = os.fork()
        if child == 0:
            os.execvp("sleep", ["sleep", "60"]) if of and of[0] == "exec" else signal_pause()
        return child
def signal_pause():
    import signal
    signal.pause()
for line in sys.stdin:
    print(json.dumps([step(*one) for one in json.loads(line)]), flush=True)
"""
LISTS = """
import ctypes, json, sys
class Info(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint), ("memory", ctypes.c_ulonglong), ("instance", ctypes.c_uint), ("compute", ctypes.c_uint)]
nvml = ctypes.CDLL("libnvidia-ml.so.1")
device, count, infos = ctypes.c_void_p(), ctypes.c_uint(16), (Info * 16)()
assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
assert nvml[f"nvmlDeviceGet{sys.argv[1]}RunningProcesses_v3"](device, ctypes.byref(count), infos) == 0
print(json.dumps([info.pid for info in infos[: count.value]]))
"""
MULTIPROCESSORS, MPS_ENABLED = 16, 133
UNAVAILABLE, OUT_OF_MEMORY, NOT_CONNECTED = 46, 2, 805


class Program:
    """A CUDA program of the test."""

    def __init__(self, test: Mps, user: int | None = None, **more: str) -> None:
        self.process = subprocess.Popen(
            [SYSTEM_PYTHON, "-c", PROGRAM], env={**test.environment, **more}, user=user,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.pid = self.process.pid
        test.addCleanup(self.end)

    def send(self, *steps: list) -> None:
        self.process.stdin.write(json.dumps(steps) + "\n")
        self.process.stdin.flush()

    def result(self) -> list:
        return json.loads(self.process.stdout.readline())

    def do(self, *steps: list) -> list:
        self.send(*steps)
        return self.result()

    def end(self, number: int = signal.SIGKILL) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Mps(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("h100", 2)
        self.folder.chmod(0o755)
        self.state.chmod(0o666)
        self.pipe, self.log = self.folder / "mps", self.folder / "log"
        self.environment |= {"CUDA_MPS_PIPE_DIRECTORY": str(self.pipe), "CUDA_MPS_LOG_DIRECTORY": str(self.log)}
        self.addCleanup(lambda: self.control("quit -t 0"))

    def control(self, *commands: str) -> str:
        """What the control program prints."""
        done = subprocess.run([CONTROL], input="".join(f"{one}\n" for one in commands), env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (int(done.stdout == NO_DAEMON), ""))
        return done.stdout

    def start(self, **more: str) -> None:
        done = self.run_in(CONTROL, "-d", **more)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def wait_for(self, look, wanted) -> None:
        deadline = time.monotonic() + 30
        while look() != wanted and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(look(), wanted)

    def servers(self) -> list[int]:
        return [int(pid) for pid in self.control("get_server_list").split()]

    def processes(self) -> dict[int, tuple[str, str]]:
        """Type and memory of each process on GPU 0 in the table of nvidia-smi."""
        rows = [line.split() for line in self.smi(SMI).splitlines() if "MiB |" in line and "N/A  N/A " in line]
        return {int(row[4]): (row[5], row[-2]) for row in rows if row[1] == "0"}

    def listed(self, kind: str) -> list[int]:
        """The processes that NVML lists on GPU 0."""
        return sorted(json.loads(self.run_in(SYSTEM_PYTHON, "-c", LISTS, kind).stdout))

    def client(self, **more: str) -> Program:
        program = Program(self, **more)
        self.assertEqual(program.do(["init"], ["context", 0]), [0, 0])
        return program


class Clients(Mps):
    def test_without_a_daemon_programs_run_as_usual(self) -> None:
        self.assertEqual(self.control("get_server_list"), NO_DAEMON)
        program = self.client(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="10", CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=1G")
        results = program.do(["attribute", 0, MPS_ENABLED], ["attribute", 0, MULTIPROCESSORS], ["memory", 2048])
        self.assertEqual(results, [[0, 0], [0, 132], 0])

    @needs_start_times
    def test_the_server_and_its_clients(self) -> None:
        self.start()
        self.assertEqual(self.servers(), [])
        first, second = self.client(), self.client()
        self.assertEqual(first.do(["memory", 512], ["attribute", 0, MPS_ENABLED]), [0, [0, 1]])
        self.assertEqual(second.do(["memory", 256]), [0])
        (server,) = self.servers()
        self.assertEqual(self.control(f"get_server_status {server}"), "ACTIVE\n")
        self.assertEqual(sorted(map(int, self.control(f"get_client_list {server}").split())), sorted([first.pid, second.pid]))
        table = self.control("ps").splitlines()
        self.assertEqual(table[0].split(), ["PID", "ID", "SERVER", "DEVICE", "NAMESPACE", "COMMAND"])
        self.assertEqual(len(table), 5)  # two programs on two GPUs
        self.assertEqual({(row.split()[0], row.split()[2]) for row in table[1:]}, {(str(p.pid), str(server)) for p in (first, second)})
        if SMI:
            shown = self.processes()
            self.assertEqual({pid: kind for pid, (kind, _) in shown.items()}, {server: "C", first.pid: "M+C", second.pid: "M+C"})
            memory = {pid: int(text.removesuffix("MiB")) for pid, (_, text) in shown.items()}
            self.assertEqual(memory[server], 30)
            self.assertEqual(memory[first.pid] - memory[second.pid], 256)
            self.assertGreater(memory[second.pid], 256)  # and the context's own memory
        kinds = {one["pid"]: one["type"] for one in json.loads(self.good("status", "--json"))["processes"] if one["gpu"] == 0}
        self.assertEqual(kinds, {server: "C", first.pid: "M+C", second.pid: "M+C"})
        self.assertEqual(self.listed("MPSCompute"), sorted([first.pid, second.pid]))
        self.assertEqual(self.listed("Compute"), sorted([server, first.pid, second.pid]))
        self.assertEqual(self.listed("Graphics"), [])
        log = (self.log / "control.log").read_text()
        self.assertRegex(log, r"\[\d{4}-\d\d-\d\d [\d:.]{12} Control +\d+\] Starting control daemon using socket " + str(self.pipe / "control"))
        self.assertIn(f"NEW SERVER {server}: Ready", log)

    def test_the_end_of_a_client(self) -> None:
        self.start()
        first, second = self.client(), self.client()
        (server,) = self.servers()
        first.end(signal.SIGKILL)
        self.wait_for(lambda: self.control(f"get_client_list {server}"), f"{second.pid}\n")
        # A child that the client forked is none, and does not keep it alive.
        child = second.do(["fork"])[0]
        self.addCleanup(os.kill, child, signal.SIGKILL)
        second.end(signal.SIGKILL)
        self.wait_for(lambda: self.control(f"get_client_list {server}"), "")
        self.assertEqual(self.servers(), [server])

    def test_a_daemon_of_a_user_that_starts_its_server_by_hand(self) -> None:
        self.start()
        self.assertEqual(self.control("start_server -uid 0"), "")
        (server,) = self.servers()
        self.wait_for(lambda: self.control(f"get_server_status {server}"), "ACTIVE\n")
        self.assertEqual(self.control("shutdown_server 1"), "Server 1 not found\n")
        self.assertEqual(self.control(f"shutdown_server {server}"), "")
        self.wait_for(self.servers, [])

    def test_one_user_at_a_time(self) -> None:
        self.start()
        first = self.client()
        (server,) = self.servers()
        other = Program(self, user=65534)
        other.send(["init"], ["context", 0])
        time.sleep(0.3)
        self.assertEqual(self.servers(), [server])
        first.end()
        self.assertEqual(other.result(), [0, 0])
        (new,) = self.servers()
        self.assertNotEqual(new, server)
        self.assertEqual(os.stat(f"/proc/{new}").st_uid, 65534)


class Limits(Mps):
    def multiprocessors(self, **more: str) -> int:
        program = self.client(**more)
        result = program.do(["attribute", 0, MULTIPROCESSORS])[0][1]
        program.end()
        return result

    def test_active_threads(self) -> None:
        self.start()
        self.assertEqual(self.control("get_default_active_thread_percentage"), "100.0\n")
        self.assertEqual(self.control("set_default_active_thread_percentage 50"), "50.0\n")
        self.assertEqual(self.multiprocessors(), 66)
        self.assertEqual(self.multiprocessors(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="25"), 34)
        self.assertEqual(self.multiprocessors(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="80"), 66)
        (server,) = self.servers()
        # The default is for the next server.
        self.control("set_default_active_thread_percentage 10")
        self.assertEqual(self.control(f"get_active_thread_percentage {server}"), "50.0\n")
        self.assertEqual(self.control(f"set_active_thread_percentage {server} 20"), "20.0\n")
        self.assertEqual(self.multiprocessors(), 28)
        self.control(f"shutdown_server {server}")
        self.wait_for(self.servers, [])
        self.assertEqual(self.multiprocessors(), 14)
        self.assertIn("is no percentage", self.control("set_default_active_thread_percentage 0"))

    def test_the_environment_of_the_daemon(self) -> None:
        self.start(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="40", CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=3G,1=512M")
        self.assertEqual(self.control("get_default_active_thread_percentage"), "40.0\n")
        self.assertEqual(self.control("get_default_device_pinned_mem_limit 0", "get_default_device_pinned_mem_limit 1"), "3G\n512M\n")

    def test_memory(self) -> None:
        self.start()
        self.assertEqual(self.control("set_default_device_pinned_mem_limit 0 1G"), "")
        self.assertEqual(self.control("get_default_device_pinned_mem_limit 0"), "1G\n")
        first, second = self.client(), self.client()
        total = first.do(["total", 0])[0][1]
        self.assertGreater(total, 80000)
        (_, free, shown), = first.do(["info"])
        self.assertEqual(shown, 1024)
        self.assertTrue(500 < free < 600, free)  # its context takes some 470 MiB
        self.assertEqual(first.do(["memory", 500], ["memory", 100], ["info"]), [0, OUT_OF_MEMORY, [0, free - 500, 1024]])
        # Each client has the limit for itself, and the other GPU has none.
        self.assertEqual(second.do(["memory", 500]), [0])
        self.assertEqual(second.do(["context", 1], ["memory", 2000], ["info"])[2][2], total)
        # A variable of the client tightens it, and loosens nothing.
        tight = self.client(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=512MB")
        self.assertEqual(tight.do(["memory", 100], ["memory", 20]), [OUT_OF_MEMORY, 0])
        loose = self.client(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=8G")
        self.assertEqual(loose.do(["memory", 600]), [OUT_OF_MEMORY])
        (server,) = self.servers()
        self.assertEqual(self.control(f"set_device_pinned_mem_limit {server} 0 2G"), "")
        self.assertEqual(self.control(f"get_device_pinned_mem_limit {server} 0"), "2G\n")
        self.assertEqual(self.client().do(["memory", 1500]), [0])
        self.assertEqual(first.do(["memory", 100]), [OUT_OF_MEMORY])

    def test_a_gpu_by_its_uuid(self) -> None:
        uuid = json.loads(self.good("get", "gpu=1", "uuid", "--json"))[0]["value"]
        self.start()
        self.control(f"set_default_device_pinned_mem_limit {uuid} 768M")
        # The number of a GPU is that of the machine, whatever the client sees.
        hidden = self.client(CUDA_VISIBLE_DEVICES="1")
        self.assertEqual(hidden.do(["memory", 300], ["memory", 200]), [OUT_OF_MEMORY, 0])


class Modes(Mps):
    def setUp(self) -> None:
        super().setUp()
        if not SMI:
            self.skipTest("no nvidia-smi here")
        self.smi(SMI, "-c", "EXCLUSIVE_PROCESS")

    @needs_start_times
    def test_clients_share_an_exclusive_gpu(self) -> None:
        self.start()
        programs = [self.client() for _ in range(3)]
        self.assertEqual([program.do(["memory", 64]) for program in programs], [[0]] * 3)
        alone = Program(self, CUDA_MPS_PIPE_DIRECTORY=str(self.folder / "none"))
        self.assertEqual(alone.do(["init"], ["context", 0]), [0, UNAVAILABLE])
        for program in programs:
            program.end()
        # The server still has the GPU.
        self.assertEqual(alone.do(["context", 0]), [UNAVAILABLE])
        self.control("quit")
        self.assertEqual(alone.do(["context", 0]), [0])

    @needs_start_times
    def test_a_server_needs_the_gpu(self) -> None:
        alone = self.client()
        self.start()
        program = Program(self)
        self.assertEqual(program.do(["init"]), [NOT_CONNECTED])
        self.wait_for(self.servers, [])
        alone.end()
        self.assertEqual(program.do(["init"], ["context", 0]), [0, 0])


class Daemon(Mps):
    def test_one_daemon_for_a_directory(self) -> None:
        self.start()
        second = self.run_in(CONTROL, "-d")
        self.assertEqual((second.returncode, second.stdout), (1, "An instance of this daemon is already running\n"))
        other = {"CUDA_MPS_PIPE_DIRECTORY": str(self.folder / "other")}
        self.start(**other)
        self.addCleanup(subprocess.run, [CONTROL], input="quit -t 0\n", env={**self.environment, **other}, stdout=subprocess.PIPE, text=True)
        pids = [int((folder / "nvidia-cuda-mps-control.pid").read_text()) for folder in (self.pipe, self.folder / "other")]
        self.assertNotEqual(*pids)
        os.kill(pids[1], signal.SIGTERM)
        self.wait_for((self.folder / "other" / "control").exists, False)

    def test_quit_waits_for_clients(self) -> None:
        self.start()
        program = self.client()
        quitting = subprocess.Popen([CONTROL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment, text=True)
        self.addCleanup(quitting.communicate)
        quitting.stdin.write("quit\n")
        quitting.stdin.flush()
        time.sleep(0.5)
        self.assertEqual(program.do(["memory", 16]), [0])
        program.end()
        self.wait_for((self.pipe / "control").exists, False)
        self.assertEqual(self.control("ps"), NO_DAEMON)
        self.assertEqual(json.loads(self.good("status", "--json"))["processes"], [])

    def test_quit_with_a_time(self) -> None:
        self.start()
        self.client()
        began = time.monotonic()
        self.control("quit -t 1")
        self.assertGreater(time.monotonic() - began, 0.9)
        self.assertEqual(self.control("ps"), NO_DAEMON)

    def test_the_end_of_the_daemon_ends_its_servers(self) -> None:
        self.start()
        program = self.client()
        (server,) = self.servers()
        os.kill(int((self.pipe / "nvidia-cuda-mps-control.pid").read_text()), signal.SIGKILL)
        self.wait_for(Path(f"/proc/{server}").exists, False)
        self.assertEqual(program.do(["memory", 16]), [0])
        # The next daemon takes the directory over.
        self.start()
        self.client()

    def test_wrong_commands(self) -> None:
        self.start()
        self.assertEqual(self.control("sing"), 'Unknown command "sing"\n')
        self.assertEqual(self.control("ps"), "Server not found\n")
        self.assertEqual(self.control("get_default_device_pinned_mem_limit 0"), "")
        self.assertEqual(self.control("get_default_client_priority"), "0\n")
        self.assertEqual(self.control("set_default_client_priority 1", "get_default_client_priority"), "1\n")
        self.assertEqual(self.control("get_client_list"), "Wrong number of arguments of get_client_list\n")
        self.assertEqual(self.control("get_client_list x"), "Server x not found\n")
        self.assertEqual(self.control("set_default_device_pinned_mem_limit 0 many"), "many is no limit such as 10G or 512M\n")

    def test_in_a_root_and_in_a_run(self) -> None:
        root = self.folder / "root"
        self.good("root", root, "-m", "h100")
        for name in ("nvidia-cuda-mps-control", "nvidia-cuda-mps-server"):
            self.assertTrue(os.access(root / "usr/bin" / name, os.X_OK), name)
        self.assertEqual(self.good("run", "--", "sh", "-c", "nvidia-cuda-mps-control -d && echo get_server_list | nvidia-cuda-mps-control"), "")
        self.assertEqual(self.control("get_default_active_thread_percentage"), "100.0\n")


if __name__ == "__main__":
    unittest.main()
