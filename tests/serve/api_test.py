#!/usr/bin/env python3
"""The API of `nvmlkit serve`: every route, each answer against the OpenAPI document, wrong requests, the stream."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
from typing import Any

from serving import COMMAND, LIBRARY_DIR, PATIENCE, SOURCE, Answer, Served, ServeTest, available_smi

try:
    import jsonschema
except ImportError:
    jsonschema = None

OPENAPI = json.loads((SOURCE / "src" / "serve" / "api" / "openapi.json").read_text())
SCENARIO = """
end: 60s
steps:
  - do: load gpu=all 80%
  - {at: 200ms, name: lost, gpus: 1, do: fault xid 79, expect: fault == xid 79, within: 1s}
"""

# Waits for every event of every GPU, until one of GPU 7.
WAITER = """
import ctypes, sys
nvml = ctypes.CDLL(sys.argv[1])
class Data(ctypes.Structure):
    _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("data", ctypes.c_ulonglong), ("instances", ctypes.c_uint * 2)]
NAMES = {1: "SingleBitEccError", 2: "DoubleBitEccError", 4: "PState", 8: "XidCriticalError", 16: "Clock", 0x80: "PowerSourceChange", 0x200: "SingleBitEccErrorStorm"}
assert nvml.nvmlInit_v2() == 0
events, data, gpus = ctypes.c_void_p(), Data(), {}
assert nvml.nvmlEventSetCreate(ctypes.byref(events)) == 0
for index in range(8):
    gpu, types = ctypes.c_void_p(), ctypes.c_ulonglong()
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(gpu)) == 0
    assert nvml.nvmlDeviceGetSupportedEventTypes(gpu, ctypes.byref(types)) == 0
    assert nvml.nvmlDeviceRegisterEvents(gpu, types, events) == 0
    gpus[gpu.value] = index
print("ready", flush=True)
while True:
    assert nvml.nvmlEventSetWait_v2(events, ctypes.byref(data), 20000) == 0
    print(gpus[data.device], "nvmlEventType" + NAMES.get(data.type, hex(data.type)), data.data, flush=True)
    if gpus[data.device] == 7: break
"""


class Checked:
    """Holds requests and answers against the document."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.seen: set[tuple[str, str]] = set()

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200) -> Answer:
        template = next(
            each for each in OPENAPI["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", each), path.split("?")[0])
        )
        about = OPENAPI["paths"][template][method.lower()]
        self.seen.add((method, template))
        if body is not None and status == 200:
            self.validate(body, about["requestBody"]["content"]["application/json"]["schema"])
        answer = self.served.ask(method, path, body)
        assert answer.status == status, (method, path, answer.status, answer.body)
        assert str(status) in about["responses"], (method, path, status, "is not in the document")
        media, content = next(iter(about["responses"][str(status)]["content"].items()))
        assert answer.headers["Content-Type"].split(";")[0] == media, answer.headers["Content-Type"]
        if media == "application/json":
            self.validate(answer.json, content["schema"])
        return answer

    @staticmethod
    def validate(value: Any, schema: dict) -> None:
        if jsonschema is None:
            return
        if "$ref" in schema:
            schema = {"$ref": schema["$ref"]}
        jsonschema.validate(value, {**schema, "components": OPENAPI["components"]})


class Api(ServeTest):
    def setUp(self) -> None:
        super().setUp()
        self.up("dgx-h100", None)
        self.served = self.serve("--interval", "100ms")
        self.ask = Checked(self.served)

    def wait(self, what: str, good: Any) -> Any:
        end = time.monotonic() + PATIENCE
        while not (value := good()):
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)
        return value

    def test_every_route_answers_as_the_document_has_it(self) -> None:
        if jsonschema is None:
            self.skipTest("no python3-jsonschema")
        self.assertEqual(self.ask("GET", "/openapi.json").json, OPENAPI)
        machine = self.ask("GET", "/api/v1/machine").json
        self.assertEqual((len(machine["gpus"]), machine["driver"][:3]), (8, machine["driver"][:3]))
        topology = self.ask("GET", "/api/v1/topology").json
        self.assertEqual(len(topology["switches"]), 4)
        self.assertEqual(sum(len(end["links"]) for end in topology["gpus"][0]["nvlink"]), 18)
        self.assertEqual({gpu["root"] is None for gpu in topology["gpus"]}, {False})
        sample = self.ask("GET", "/api/v1/live").json
        names = {measure["name"] for measure in machine["measures"]}
        self.assertEqual(set(sample["values"]), names)
        self.assertEqual({len(column) for column in sample["values"].values()}, {8})
        self.ask("GET", "/api/v1/history?samples=3")
        self.assertEqual(self.ask("GET", "/api/v1/gpus/3?path=power.limit").json, {"gpu": 3, "value": 700000})
        self.ask("GET", "/api/v1/gpus/0")
        self.ask("GET", "/api/v1/state")
        self.ask("GET", "/api/v1/log")
        self.served.steer("fault gpu=5 xid 31")
        self.wait("an event", lambda: self.ask("GET", "/api/v1/events").json)
        both = self.ask("GET", "/metrics").body.decode()
        self.assertIn("nvmlkit_gpu_info{", both)
        self.assertIn('DCGM_FI_DEV_GPU_UTIL{gpu="1",', both)
        only = self.serve("-m", "t4", "-n", "1", "--metrics-names", "dcgm").ask("GET", "/metrics").body.decode()
        self.assertIn('DCGM_FI_DEV_GPU_UTIL{gpu="0",', only)
        self.assertNotIn("nvmlkit_", only)
        self.ask("POST", "/api/v1/commands", {"words": ["load", "gpu=all", "60%"]})
        names = [each["name"] for each in self.ask("GET", "/api/v1/scenarios").json]
        self.assertIn("gpu-falls-off", names)
        plan = self.ask("POST", "/api/v1/scenarios/check", {"name": "gpu-falls-off"}).json
        self.assertEqual([step["line"] for step in plan["steps"]], [9, 10, 16, 19, 22])
        self.ask("GET", "/api/v1/run")
        self.ask("POST", "/api/v1/run", {"text": SCENARIO, "name": "mine"})
        self.ask("DELETE", "/api/v1/run?undo=true")
        self.ask("GET", "/api/v1/recordings")
        self.ask("POST", "/api/v1/comparison", {"text": "index, power.draw [W]\n0, 100.00 W\n", "from": "1s"})
        self.ask("GET", "/api/v1/comparison")
        self.ask("DELETE", "/api/v1/comparison")
        stream = self.served.stream()
        self.addCleanup(stream.close)
        for event, schema in (("state", "State"), ("run", "Run"), ("comparison", "Comparison"), ("live", "Sample")):
            self.ask.validate(stream.wait(event), {"$ref": f"#/components/schemas/{schema}"})
        all_routes = {(method.upper(), path) for path, item in OPENAPI["paths"].items() for method in item}
        self.assertEqual(all_routes - self.ask.seen, {("GET", "/api/v1/stream")})

    def test_wrong_requests_are_refused_with_a_reason(self) -> None:
        for method, path, body, status, words in (
            ("POST", "/api/v1/commands", {"line": "falt gpu=0 xid 79"}, 422, "did you mean 'fault'"),
            ("POST", "/api/v1/commands", {"line": 'fault "gpu=0'}, 422, ""),
            ("POST", "/api/v1/commands", {"line": "fault gpu=99 lost"}, 422, ""),
            ("POST", "/api/v1/commands", {"words": ["set", "gpu=0", 5]}, 422, "words: expected a list of texts"),
            ("POST", "/api/v1/commands", {"words": []}, 422, "unknown command"),
            ("POST", "/api/v1/commands", {}, 422, "`words` or `line`"),
            ("POST", "/api/v1/scenarios/check", {"text": 5}, 422, "text: expected a text"),
            ("POST", "/api/v1/scenarios/check", {"name": "gpu-falls-of"}, 422, "gpu-falls-off"),
            ("POST", "/api/v1/run", {"text": "steps:\n  - do: falt xid 1\n"}, 422, "did you mean 'fault'"),
            ("DELETE", "/api/v1/run?undo=maybe", None, 422, "true or false"),
            ("GET", "/api/v1/gpus/99", None, 404, "no such GPU"),
            ("GET", "/api/v1/gpus/0?path=power.limt", None, 422, "power.limt"),
            ("GET", "/api/v1/history?samples=many", None, 422, "number"),
        ):  # fmt: skip
            with self.subTest(path=path, body=body):
                self.assertIn(words, self.ask(method, path, body, status).json["message"])
        problem = self.ask("POST", "/api/v1/scenarios/check", {"text": "steps:\n  - do: falt xid 1\n"}, 422).json
        self.assertEqual((problem["line"], problem["column"], problem["nearest"]), (2, 9, "fault"))
        for text in (b"", b"{", b"[]", b"5", b'"x"', b"\xff\xfe", b'{"line":', b'{"words":' + b"[" * 5000, b"{}{}"):
            with self.subTest(text=text[:20]):
                self.assertEqual(self.served.ask("POST", "/api/v1/commands", text).status, 400)
        self.assertEqual(self.served.ask("POST", "/api/v1/live", {}).status, 405)
        self.assertEqual(self.served.ask("DELETE", "/", None).status, 405)
        self.assertEqual(self.served.ask("GET", "/api/v1/none").status, 404)
        self.assertEqual(self.served.ask("GET", "/../../etc/passwd").status, 404)
        self.assertEqual(self.served.ask("GET", "/%2e%2e/state").status, 404)
        self.assertEqual(self.served.ask("HEAD", "/api/v1/live").status, 200)

    def test_events_are_those_of_an_event_set(self) -> None:
        before = [(event["gpu"], event["type"], event["data"]) for event in self.ask("GET", "/api/v1/events").json]
        self.assertEqual(before, [])
        waiter = self.start_waiter()
        stream = self.served.stream()
        self.addCleanup(stream.close)
        stream.wait("state")
        for line in ("fault gpu=2 xid 63", "fault gpu=4 ecc dram uncorrected", "fault gpu=0 event clock", "fault gpu=6 event power-source 7", "heal gpu=all"):
            self.assertEqual(self.served.steer(line).status, 200, line)
        self.assertEqual(self.served.steer("fault gpu=7 xid 13").status, 200)
        seen = []
        while not seen or seen[-1]["gpu"] != 7:
            seen += stream.wait("events")
        told = waiter.communicate(timeout=PATIENCE)[0].splitlines()
        mine = [f"{event['gpu']} {event['type']} {event['data']}" for event in seen]
        self.assertEqual(mine, told)
        self.assertEqual([event["sequence"] for event in seen], sorted(event["sequence"] for event in seen))
        self.assertEqual(self.ask("GET", "/api/v1/events").json[-len(seen):], seen)
        xid = next(event for event in seen if event["data"] == 63)
        self.assertEqual((xid["gpu"], xid["type"], xid["text"], xid["gpu_instance"]), (2, "nvmlEventTypeXidCriticalError", "Xid 63", None))

    def start_waiter(self) -> subprocess.Popen[str]:
        out = subprocess.Popen(["/usr/bin/python3", "-c", WAITER, LIBRARY_DIR / "libnvidia-ml.so.1"], env=self.environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(out.wait)
        self.addCleanup(out.kill)
        self.assertEqual(out.stdout.readline(), "ready\n")
        return out

    def test_commands_do_what_the_command_line_does(self) -> None:
        self.served.steer("fault gpu=2 xid 79")
        self.assertIn("gpu=2 xid 79", self.good("fault"))
        self.good("fault", "gpu=3", "thermal")
        state = self.served.get("/api/v1/state")
        self.assertEqual(state["gpus"][2]["reach"], "lost")
        self.assertEqual(state["gpus"][3]["faults"], ["thermal hw"])
        self.assertEqual(set(state["gpus"][2]["links"]), {"d"})
        self.wait("null values", lambda: self.served.get("/api/v1/live")["values"]["power"][2] is None)
        self.assertEqual(self.served.steer("heal gpu=all").status, 200)
        self.assertEqual(self.good("fault"), "no faults\n")
        self.served.steer("set gpu=1 thermal.gpu=85")
        self.wait("85 degrees", lambda: self.served.get("/api/v1/live")["values"]["temperature"][1] == 85)
        self.assertTrue(any("79" in each["text"] for each in self.served.get("/api/v1/log")))

    def test_mig_devices_and_processes_by_commands(self) -> None:
        served = self.serve("-m", "h100", "-n", "1")
        for line in ("mig enable gpu=0", "mig create gpu=0 3g.40gb:4", "process start gpu=0 'my train.py' --gi 2 --memory 2GiB"):
            self.assertEqual(served.steer(line).status, 200, line)
        state = served.get("/api/v1/state")
        self.assertEqual([each["id"] for each in state["gpus"][0]["mig"]["instances"]], [2])
        self.assertEqual([(each["name"], each["gpu_instance"], each["memory_mib"]) for each in state["processes"]], [("my train.py", 2, 2048)])
        refused = served.ask("POST", "/api/v1/commands", {"line": "mig destroy gpu=0 2"})
        self.assertEqual(refused.status, 409)
        self.assertIn("in use by process", refused.body.decode())
        for line in ("process end gpu=0 all", "mig clear gpu=0", "mig disable gpu=0"):
            self.assertEqual(served.steer(line).status, 200, line)

    def test_faults_of_no_gpu_and_events(self) -> None:
        for line in ("fault nic=mlx5_0 down", "fault gpu=1 slow nvmlDeviceGetName 5ms", "fault gpu=1 event pstate", "fault gpu=1 xid 31"):
            self.assertEqual(self.served.steer(line).status, 200, line)
        state = self.ask("GET", "/api/v1/state").json
        self.assertEqual(state["nics"], [{"nic": "mlx5_0", "faults": ["down"]}])
        self.assertEqual(state["rules"], [{"where": "gpu=1", "rule": "slow nvmlDeviceGetName 5ms"}])
        # The log follows the machine, some moments behind an answer.
        self.wait("the last fault", lambda: any("Xid" in each["text"] for each in self.served.get("/api/v1/log")))
        log = self.ask("GET", "/api/v1/log").json
        self.assertEqual([each["text"] for each in log if each["level"] == "event"], ["GPU 1: event pstate"])
        self.assertEqual(len([each for each in log if "31" in each["text"] and "Xid" in each["text"]]), 1)  # and no event beside it
        self.assertEqual([each["sequence"] for each in log], list(range(len(log))))
        self.assertEqual(self.served.steer("heal nic=all").status, 200)
        self.assertEqual(self.served.get("/api/v1/state")["nics"], [])

    def test_values_are_those_of_nvidia_smi(self) -> None:
        self.served.steer("load gpu=0 70% --memory 30%")
        self.served.steer("time virtual")
        self.served.steer("time advance 60s")
        smi = next(reversed(available_smi().values()))
        fields = "utilization.gpu,utilization.memory,temperature.gpu,clocks.sm,clocks.mem,power.draw,enforced.power.limit,memory.used"
        names = ["utilization", "memory_utilization", "temperature", "sm_clock", "memory_clock", "power", "power_limit", "memory_used"]
        seen = [[float(value) for value in line.split(", ")] for line in self.query(smi, fields)]

        def shown() -> list[list[float]]:
            values = self.served.get("/api/v1/live")["values"]
            return [[values[name][gpu] for name in names] for gpu in range(8)]

        self.wait("the same values", lambda: all(abs(a - b) <= 0.06 for x, y in zip(seen, shown()) for a, b in zip(x, y)))

    def test_the_stream_shows_changes_at_once(self) -> None:
        stream = self.served.stream()
        self.addCleanup(stream.close)
        stream.wait("state")
        begin = time.monotonic()
        self.good("fault", "gpu=5", "thermal")
        stream.wait("state", lambda state: "thermal hw" in state["gpus"][5]["faults"])
        seen = time.monotonic() - begin
        self.assertLess(seen, 1.0 if PATIENCE == 20 else 20.0)
        first = stream.wait("live")["time_ms"]
        self.assertGreater(stream.wait("live")["time_ms"], first)

    def test_scenarios_run_and_are_taken_back(self) -> None:
        stream = self.served.stream()
        self.addCleanup(stream.close)
        run = self.served.ask("POST", "/api/v1/run", {"text": SCENARIO, "name": "mine"})
        self.assertEqual((run.status, run.json["state"]), (200, "running"))
        self.assertEqual(self.served.ask("POST", "/api/v1/run", {"text": SCENARIO}).status, 409)
        over = stream.wait("run", lambda run: run["state"] == "over")
        self.assertEqual([step["outcome"] for step in over["steps"]], ["done", "done"])
        self.assertFalse(over["failed"])
        self.assertIn("gpu=1 xid 79", self.good("fault"))
        self.assertEqual(self.served.ask("DELETE", "/api/v1/run").json["state"], "over")
        self.assertEqual(self.good("fault"), "no faults\n")
        self.served.ask("POST", "/api/v1/run", {"text": "steps: [{at: 1h, do: fault xid 13}]"})
        stopped = self.served.ask("DELETE", "/api/v1/run?undo=false").json
        self.assertEqual((stopped["state"], stopped["failed"]), ("over", True))

    def test_time_that_stands_still_is_moved_by_commands(self) -> None:
        self.served.steer("time virtual")
        self.served.ask("POST", "/api/v1/run", {"text": SCENARIO})
        time.sleep(0.3)
        self.assertEqual(self.served.get("/api/v1/run")["state"], "running")
        self.served.steer("time advance 1s")
        self.wait("its end", lambda: self.served.get("/api/v1/run")["state"] == "over")

    def test_mig_devices_and_processes(self) -> None:
        mig = self.folder / "mig.yaml"
        mig.write_text(json.dumps({"version": "1.0", "base": "h100", "devices": [{"index": 0, "mig": {
            "mode_current": "enabled", "instances": [{"profile": "3g.40gb"}, {"profile": "1g.10gb"}]}}]}))  # fmt: skip
        served = self.serve("-c", mig, "-n", "1")
        state = served.get("/api/v1/state")
        Checked.validate(state, {"$ref": "#/components/schemas/State"})
        layout = state["gpus"][0]["mig"]
        self.assertEqual(layout["slices"], 8)
        self.assertEqual([each["profile"] for each in layout["instances"]], ["3g.40gb", "1g.10gb"])
        self.assertEqual([each["size"] for each in layout["instances"]], [4, 1])
        program = self.nvmlkit("run", "--uses", "gpu=1", "--memory", "2GiB", "--", "sh", "-c", "sleep 0.3; true")
        self.assertEqual(program.returncode, 0, program.stderr)

    def test_ends_with_the_machine_and_by_signals(self) -> None:
        stream = self.served.stream()
        self.addCleanup(stream.close)
        stream.wait("live")
        self.good("down", "--state", self.state)
        self.assertEqual(self.served.process.wait(PATIENCE), 0)
        self.assertIn("is down", self.served.end())
        own = self.serve("-m", "t4", "-n", "1")
        self.assertEqual(self.good("get", "gpu=0", "name", "--state", own.state), "Tesla T4\n")
        self.assertEqual(own.end(), "")
        self.assertFalse((self.folder / own.state).exists())
        for _ in range(5):  # a signal right behind the link
            own = self.serve("-m", "t4", "-n", "1")
            self.assertEqual(own.end(), "")
            self.assertFalse((self.folder / own.state).exists())

    def test_a_killed_server_leaves_the_machine_whole(self) -> None:
        self.served.steer("load gpu=all 50%")
        self.served.process.send_signal(signal.SIGKILL)
        self.served.process.wait(PATIENCE)
        self.assertEqual(self.good("get", "gpu=0", "utilization.gpu"), "50\n")
        again = self.serve()
        self.assertEqual(len(again.get("/api/v1/machine")["gpus"]), 8)

    def test_options_are_checked(self) -> None:
        for arguments, words in (
            (["--port", "99999"], "a port up to 65535"),
            (["--interval", "1ms"], "a time from 100ms to 60s"),
            (["--interval", "soon"], "a time from 100ms to 60s"),
            (["--port", str(self.served.port)], "cannot be served"),
        ):
            self.assertIn(words, self.refused("serve", *arguments))
        self.assertIn("no machine is up", self.refused("serve", NVMLKIT_STATE=""))

    def test_a_machine_that_may_only_be_read_is_shown(self) -> None:
        if os.geteuid() != 0 or not shutil.which("runuser"):
            self.skipTest("needs root and runuser")
        self.folder.chmod(0o755)
        self.state.chmod(0o644)
        reader = self.serve(user="nobody")
        self.assertTrue(reader.get("/api/v1/machine")["read_only"])
        self.served.steer("fault gpu=1 thermal")
        stream = reader.stream()
        self.addCleanup(stream.close)
        stream.wait("state", lambda state: state["gpus"][1]["faults"] == ["thermal hw"])
        self.assertEqual(reader.steer("heal gpu=all").status, 409)
        self.assertEqual(self.good("fault"), "gpu=1 thermal hw\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
