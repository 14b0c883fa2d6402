#!/usr/bin/env python3
"""Training with PyTorch on a simulated H100: mixed precision, CUDA graphs, faults in the middle, what a monitor sees.

Needs NVMLKIT_TEST_TORCH, as torch_test.py.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from torch_test import BUILD, TORCH, command

COMMON = """
import json, os, subprocess, sys
import torch
torch.set_num_threads(1)  # see torch_operators.py
nn = torch.nn

def model_of(device):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)).to(device)

def batch_of(device):
    torch.manual_seed(1)
    return torch.randn(64, 32).to(device), torch.randint(0, 10, (64,)).to(device)
"""

MIXED = COMMON + """
def losses(device, kind):
    model, (x, y) = model_of(device), batch_of(device)
    step, scaler = torch.optim.AdamW(model.parameters(), 3e-3), torch.amp.GradScaler(device, enabled=kind is torch.half)
    out = []
    for _ in range(50):
        step.zero_grad()
        with torch.autocast(device, kind):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(step)
        scaler.update()
        out.append(loss.item())
    return out

for kind, tolerance in ((torch.bfloat16, 0.05), (torch.half, 0.01)):
    here, there = losses("cpu", kind), losses("cuda", kind)
    worst = max(abs(p - q) for p, q in zip(here, there))
    assert there[-1] < there[0] / 2 and worst < tolerance, (kind, worst, there)
    print(kind, worst)
"""

GRAPHS = COMMON + """
def losses(captured):
    model, (x, y) = model_of("cuda"), batch_of("cuda")
    step = torch.optim.AdamW(model.parameters(), 3e-3, capturable=True)
    def one():
        step.zero_grad(set_to_none=False)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        step.step()
        return loss
    side, out = torch.cuda.Stream(), []
    with torch.cuda.stream(side):  # as PyTorch's documentation warms up
        for _ in range(3):
            out.append(one().item())
    torch.cuda.synchronize()
    if captured:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = one()
    for _ in range(47):
        if captured:
            graph.replay()
        else:
            loss = one()
        out.append(loss.item())
    return out

plain, captured = losses(False), losses(True)
assert plain[-1] < plain[0] / 2
assert plain == captured, [(a, b) for a, b in zip(plain, captured) if a != b][:3]
"""

# Trains for 30 steps, saves each; a fault comes at the step that the second argument names.
RESUMED = COMMON + """
file, fault = sys.argv[1], sys.argv[2:]
model, (x, y) = model_of("cuda"), batch_of("cuda")
step = torch.optim.AdamW(model.parameters(), 3e-3)
done = 0
if os.path.exists(file):
    saved = torch.load(file)
    model.load_state_dict(saved["model"])
    step.load_state_dict(saved["step"])
    done = saved["done"]
try:
    for done in range(done, 30):
        if fault and done == 12:
            subprocess.run([os.environ["NVMLKIT"], "fault", *fault], check=True)
        step.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        step.step()
        torch.cuda.synchronize()
        torch.save({"model": model.state_dict(), "step": step.state_dict(), "done": done + 1}, file + ".new")
        os.replace(file + ".new", file)
except RuntimeError as error:
    print(json.dumps({"done": done, "error": str(error)}))
    os._exit(3)
print(json.dumps({"done": done + 1, "loss": loss.item()}))
"""

WATCHED = COMMON + """
import time
model, (x, y) = model_of("cuda"), batch_of("cuda")
end = time.time() + 3
while time.time() < end:
    nn.functional.cross_entropy(model(x), y).backward()
ask = lambda *what: subprocess.run([os.environ["NVMLKIT"], "smi", *what, "--format=csv,noheader,nounits"], text=True,
                                   capture_output=True, check=True).stdout.split("\\n")[0]
print(json.dumps([ask("--query-gpu=utilization.gpu,power.draw,memory.used"), ask("--query-compute-apps=pid,used_memory"), os.getpid()]))
"""


def python(code: str, *arguments: str, state: str | None = None) -> subprocess.CompletedProcess:
    """A program of its own machine, or of the one in the state file."""
    env = {**os.environ, "PYTHONHOME": str(TORCH / "usr"), "NVMLKIT": str(BUILD / "bin/nvmlkit")}
    words = command(code)
    if state:
        env["NVMLKIT_STATE"] = state
        words = [word for word in words if word not in ("-m", "h100")]
    return subprocess.run([*words, *arguments], env=env, capture_output=True, text=True)


class Training(unittest.TestCase):
    def good(self, code: str) -> str:
        done = python(code)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_mixed_precision_has_the_losses_of_the_cpu(self):
        self.good(MIXED)

    def test_a_captured_step_has_the_losses_of_a_plain_one(self):
        self.good(GRAPHS)

    def test_a_monitor_sees_the_training(self):
        gpu, process, pid = json.loads(self.good(WATCHED))
        busy, power, used = map(float, gpu.split(", "))
        self.assertGreater(busy, 20)
        self.assertGreater(power, 80)
        self.assertGreater(used, 100)
        self.assertEqual(process.split(", ")[0], str(pid))


class Faults(unittest.TestCase):
    """A training that saves its steps is stopped by a fault, started again on the mended GPU, and ends as an undisturbed one."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        name = f"torch-{os.getpid()}"
        self.state = re.search(r"NVMLKIT_STATE='([^']+)'", self.nvmlkit("up", "-m", "h100", "--name", name)).group(1)
        self.addCleanup(self.nvmlkit, "down", "--name", name)

    def nvmlkit(self, *arguments: str) -> str:
        done = subprocess.run([BUILD / "bin/nvmlkit", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def train(self, name: str, *fault: str) -> dict:
        done = python(RESUMED, str(Path(self.folder.name) / name), *fault, state=self.state)
        self.assertEqual(done.returncode, 3 if fault else 0, done.stdout + done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def test_a_training_goes_on_after_a_fault(self):
        undisturbed = self.train("undisturbed")
        for fault in (("gpu=0", "xid", "79"), ("gpu=0", "ecc", "dram", "uncorrected")):
            with self.subTest(fault=fault):
                name = fault[1]
                stopped = self.train(name, *fault)
                self.assertEqual(stopped["done"], 12)
                self.assertIn("CUDA error", stopped["error"])
                self.nvmlkit("heal", "gpu=0", "--state", self.state)
                self.assertEqual(self.train(name), undisturbed)


if __name__ == "__main__":
    if not TORCH.is_dir():
        print("skipped: no PyTorch with CUDA (NVMLKIT_TEST_TORCH)")
        sys.exit(77)
    unittest.main()
