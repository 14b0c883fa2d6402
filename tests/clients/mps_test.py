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
    if name == "spin":
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        text = b".version 6.0\\n.target sm_70\\n.address_size 64\\n.visible .entry spin() { again: bra again; }"
        return (
            cuda.cuModuleLoadData(ctypes.byref(module), text) or cuda.cuModuleGetFunction(ctypes.byref(function), module, b"spin")
            or cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None) or cuda.cuCtxSynchronize()
        )
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
UNAVAILABLE, OUT_OF_MEMORY, NOT_CONNECTED, TERMINATED, NO_PARTITION = 46, 2, 805, 810, 915


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
    driver = ""  # of the machine; "": that of h100, 550

    def setUp(self) -> None:
        super().setUp()
        machine: str | Path = "h100"
        if self.driver:
            machine = self.folder / "machine.yaml"
            machine.write_text(f'base: h100\nsystem: {{driver_version: "{self.driver}", cuda_version_major: 13, cuda_version_minor: 1}}\n')
        self.up(machine, 2)
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

    def start(self, *options: str, **more: str) -> None:
        done = self.run_in(CONTROL, "-d", *options, **more)
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

    def test_the_clients_of_each_device(self) -> None:
        self.start()
        self.assertEqual(self.control("get_device_client_list"), "")
        first, second = self.client(), self.client(CUDA_VISIBLE_DEVICES="1")
        (server,) = self.servers()
        uuids = [json.loads(self.good("get", f"gpu={gpu}", "uuid", "--json"))[0]["value"] for gpu in (0, 1)]
        lists = self.control(f"get_device_client_list {server}")
        self.assertEqual(lists, self.control("get_device_client_list"))
        found = {line.split(": ")[0]: set(map(int, line.split(": ")[1].split())) for line in lists.splitlines()}
        self.assertEqual(found, {uuids[0]: {first.pid}, uuids[1]: {first.pid, second.pid}})
        self.assertEqual(self.control("get_device_client_list 1"), "Server 1 not found\n")

    def test_terminate_client(self) -> None:
        self.start()
        first, second = self.client(), self.client()
        (server,) = self.servers()
        self.assertEqual(self.control(f"terminate_client {server} 1"), "Client 1 not found\n")
        self.assertEqual(self.control(f"terminate_client 1 {first.pid}"), "Server 1 not found\n")
        self.assertEqual(self.control("terminate_client"), "Wrong number of arguments of terminate_client\n")
        first.send(["spin"])
        time.sleep(0.2)
        self.assertEqual(self.control(f"terminate_client {server} {first.pid}"), "0\n")
        self.assertEqual(first.result(), [TERMINATED])
        self.assertEqual(first.do(["memory", 16], ["memory", 16]), [TERMINATED, TERMINATED])
        # The process lives, and the others work on.
        self.assertIsNone(first.process.poll())
        self.assertEqual(second.do(["memory", 16]), [0])
        self.assertIn(f"Terminating client {first.pid}", (self.log / "control.log").read_text())
        first.end()
        self.wait_for(lambda: self.control(f"get_client_list {server}"), f"{second.pid}\n")

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
        self.assertTrue(450 < free < 550, free)  # its context takes 528 MiB
        self.assertEqual(first.do(["memory", 400], ["memory", 100], ["info"]), [0, OUT_OF_MEMORY, [0, free - 400, 1024]])
        # Each client has the limit for itself, and the other GPU has none.
        self.assertEqual(second.do(["memory", 400]), [0])
        self.assertEqual(second.do(["context", 1], ["memory", 2000], ["info"])[2][2], total)
        # A variable of the client tightens it, and loosens nothing.
        tight = self.client(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=560MB")
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


class StaticPartitions(Mps):
    driver = "590.48.01"  # of CUDA 13.1, the first one that has them

    def setUp(self) -> None:
        super().setUp()
        self.uuids = [json.loads(self.good("get", f"gpu={gpu}", "uuid", "--json"))[0]["value"] for gpu in (0, 1)]

    def add(self, gpu: int, chunks: int) -> str:
        text = self.control(f"sm_partition add {self.uuids[gpu][:12]} {chunks}")
        self.assertRegex(text, f"^Partition {self.uuids[gpu]}/[A-Za-z0-9+/]{{36}} created\n$")
        return text.split()[1]

    def rows(self) -> list[list[str]]:
        lines = self.control("lspart").splitlines()
        self.assertEqual([line.split() for line in lines[:2]], [["GPU", "Partition", "free", "used", "free", "used", "clients"], ["chunks", "chunks", "SM", "SM"]])
        return [line.split() for line in lines[2:]]

    def test_the_version(self) -> None:
        done = self.run_in(CONTROL, "-v")
        self.assertEqual((done.returncode, done.stdout), (0, "Binary version: 13010\n"))

    def test_without_the_option_nothing_is_divided(self) -> None:
        self.start()
        self.assertEqual(self.control("lspart"), "")
        self.assertIn("start the daemon with -S", self.control(f"sm_partition add {self.uuids[0]} 1"))

    def test_partitions(self) -> None:
        self.start("--static-partitioning")
        # 132 multiprocessors in chunks of eight: the last four belong to no chunk.
        short = [uuid[:12] for uuid in self.uuids]
        self.assertEqual(self.rows(), [[uuid, "16", "0", "128", "0"] for uuid in short])
        large, small = self.add(0, 10), self.add(0, 6)
        self.assertNotEqual(large, small)
        self.assertEqual(
            self.control(f"sm_partition add {self.uuids[0]} 1"),
            "Failed to fulfill the requested SM partition of 1 chunks, error CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION\n",
        )
        ids = [name.split("/", 1)[1] for name in (large, small)]
        self.assertEqual(self.rows(), [
            [short[0], "0", "16", "0", "128"], [short[0], ids[0], "10", "80", "No"], [short[0], ids[1], "6", "48", "No"],
            [short[1], "16", "0", "128", "0"],
        ])  # fmt: skip
        program = self.client(CUDA_VISIBLE_DEVICES="0", CUDA_MPS_SM_PARTITION=large, CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="10")
        self.assertEqual(program.do(["attribute", 0, MULTIPROCESSORS]), [[0, 80]])
        # The GPU may be named by the beginning of its UUID.
        other = self.client(CUDA_VISIBLE_DEVICES="0", CUDA_MPS_SM_PARTITION=f"{short[0]}/{ids[1]}")
        self.assertEqual(other.do(["attribute", 0, MULTIPROCESSORS]), [[0, 48]])
        self.assertEqual([row[-1] for row in self.rows()[1:3]], ["Yes", "Yes"])
        self.assertIn("a client uses", self.control(f"sm_partition rm {short[0]} {ids[0]}"))
        program.end()
        self.wait_for(lambda: self.rows()[1][-1], "No")
        self.assertEqual(self.control(f"sm_partition rm {short[0]} {ids[0]}"), f"Partition {large} removed\n")
        self.assertEqual(self.rows()[0], [short[0], "10", "6", "80", "48"])

    def test_a_client_needs_a_partition_of_each_gpu(self) -> None:
        self.start("-S")
        first, second = self.add(0, 1), self.add(1, 2)
        for partitions in ("", first, f"{self.uuids[0]}/none", "none"):
            self.assertEqual(Program(self, CUDA_MPS_SM_PARTITION=partitions).do(["init"]), [NO_PARTITION], partitions)
        program = self.client(CUDA_MPS_SM_PARTITION=f"{second},{first}")
        self.assertEqual(program.do(["attribute", 0, MULTIPROCESSORS], ["attribute", 1, MULTIPROCESSORS]), [[0, 8], [0, 16]])

    def test_wrong_words(self) -> None:
        self.start("-S")
        for words in ("add GPU- 1", "add none 1", f"add {self.uuids[0]} 0", f"add {self.uuids[0]} x", f"rm {self.uuids[0]} x"):
            self.assertTrue(self.control(f"sm_partition {words}").startswith("Failed: "), words)
        self.assertTrue(self.control("sm_partition sing a song").startswith("Usage: "))
        # A command may stand in the arguments of the program.
        done = self.run_in(CONTROL, "sm_partition", "add", self.uuids[0], "2")
        self.assertEqual((done.returncode, done.stdout.split()[0]), (0, "Partition"))


class OldDriver(Mps):
    def test_it_knows_no_partitions(self) -> None:
        refused = self.run_in(CONTROL, "-d", "-S")
        self.assertEqual((refused.returncode, refused.stdout), (1, "-S needs a driver of CUDA 13.1 or newer: driver branch 590\n"))
        self.start()
        self.assertEqual(self.control("lspart"), 'Unknown command "lspart"\n')


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
