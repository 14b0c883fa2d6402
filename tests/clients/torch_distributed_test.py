#!/usr/bin/env python3
"""PyTorch on several simulated H100: collectives of one process, DataParallel, and DistributedDataParallel by NCCL.

Needs NVMLKIT_TEST_TORCH, as torch_test.py. NVMLKIT_TEST_TORCH_STEPS is the number of steps of the training of ResNet-18 (4).
"""

import os
import signal
import socket
import subprocess
import sys
import unittest

from torch_test import MODELS, TORCH, command

COMMON = """
import copy, os, time
import torch
torch.set_num_threads(1)  # see torch_operators.py
nn, dist = torch.nn, torch.distributed
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))
alone = copy.deepcopy(model)
x, y = torch.randn(128, 20), torch.randint(0, 5, (128,))

def train(run, own, x, y, steps=20):
    step = torch.optim.AdamW(own.parameters(), 1e-2)
    for _ in range(steps):
        step.zero_grad()
        nn.functional.cross_entropy(run(x), y).backward()
        step.step()

# AdamW divides small gradients by their size, so that the rounding of the host's library grows from step to step. What is trained on
# GPUs has to be as near to a training in double precision as that of the CPU is.
def check(trained):
    exact = copy.deepcopy(alone).double()
    train(exact, exact, x.double(), y)
    train(alone, alone, x, y)
    def distance(own):
        return max((p.detach().cpu() - q.detach()).abs().max().item() for p, q in zip(own.parameters(), exact.parameters()))
    of_gpus, of_cpu = distance(trained), distance(alone)
    assert of_gpus < max(4 * of_cpu, 1e-5), (of_gpus, of_cpu)
"""

ONE_PROCESS = COMMON + """
import torch.cuda.nccl as nccl
each = [torch.full((1000,), float(i + 1), device=f"cuda:{i}") for i in range(4)]
nccl.all_reduce(each)
assert all((t == 10).all() for t in each)
nccl.broadcast(each[:2])
model.cuda()
train(nn.DataParallel(model, device_ids=[0, 1, 2, 3]), model, x.cuda(), y.cuda())
check(model)
print("equal")
"""

MANY_PROCESSES = COMMON + """
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
each = 128 // world
mine = slice(rank * each, (rank + 1) * each)
model.cuda()
train(nn.parallel.DistributedDataParallel(model, device_ids=[rank]), model, x[mine].cuda(), y[mine].cuda())
check(model)
gathered = [torch.zeros(3, device="cuda") for _ in range(world)]
dist.all_gather(gathered, torch.full((3,), float(rank), device="cuda"))
assert [t[0].item() for t in gathered] == list(range(world))
sent = torch.arange(world, device="cuda") + 10 * rank
got = torch.empty_like(sent)
dist.all_to_all_single(got, sent)
assert got.tolist() == [10 * i + rank for i in range(world)]
part = torch.empty(2, device="cuda")
dist.reduce_scatter_tensor(part, torch.arange(2.0 * world, device="cuda"))
assert part.tolist() == [world * 2.0 * rank, world * (2.0 * rank + 1)]
evens = dist.new_group([0, 2])
if rank in (0, 2):
    t = torch.full((2,), rank + 1.0, device="cuda")
    dist.all_reduce(t, group=evens)
    assert t.tolist() == [4, 4]
dist.barrier()
dist.destroy_process_group()
print("rank", rank, "is equal", flush=True)
"""

# Each rank trains with its part of a batch, and its losses are those of the CPU. The batch norms of a rank see only its part: the CPU
# adds up the gradients of the parts. It computes behind the last collective, so that no rank waits for it.
TRAINED = MODELS + """
import copy
import torch.distributed as dist
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")

def mlp():
    return nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))

def loss_of(run, x, y):
    return nn.functional.cross_entropy(run(x).flatten(0, -2), y.flatten())

def adamw(model):
    return torch.optim.AdamW(model.parameters(), 3e-3)

def sgd(model):
    return torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

def on_gpus(model, optimizer, x, y, steps):
    own = nn.parallel.DistributedDataParallel(model.cuda(), device_ids=[rank])
    step, losses = optimizer(own), []
    for _ in range(steps):
        step.zero_grad()
        loss = loss_of(own, x, y)
        loss.backward()
        step.step()
        losses.append(loss.detach())
    mine = torch.stack(losses)
    each = [torch.empty_like(mine) for _ in range(world)]
    dist.all_gather(each, mine)
    return torch.stack(each, 1).cpu()

def on_cpu(model, optimizer, parts, steps):
    step, losses = optimizer(model), []
    for _ in range(steps):
        step.zero_grad()
        each = [loss_of(model, x, y) for x, y in parts]
        (sum(each) / len(each)).backward()
        step.step()
        losses.append(torch.stack(each).detach())
    return torch.stack(losses)

TRAININGS = (
    ("mlp", mlp, adamw, 50, lambda: (torch.randn(128, 20), torch.randint(0, 5, (128,)))),
    ("gpt", Gpt, adamw, 50, lambda: (torch.randint(0, WORDS, (8, LENGTH)), torch.randint(0, WORDS, (8, LENGTH)))),
    ("resnet18", resnet18, sgd, int(os.environ.get("NVMLKIT_TEST_TORCH_STEPS", 4)),
     lambda: (torch.randn(8, 3, 64, 64), torch.randint(0, 10, (8,)))))
done = []
for name, make, optimizer, steps, batch in TRAININGS:
    torch.manual_seed(0)
    model, (x, y) = make(), batch()
    parts = list(zip(x.chunk(world), y.chunk(world)))
    start = copy.deepcopy(model)
    done.append((name, start, optimizer, parts, on_gpus(model, optimizer, *[t.cuda() for t in parts[rank]], steps)))
dist.destroy_process_group()
for name, start, optimizer, parts, there in done if rank == 0 else []:
    here = on_cpu(start, optimizer, parts, len(there))
    worst = (here - there).abs().max().item()
    first, last = there[0].mean().item(), there[-1].mean().item()
    assert last < 0.9 * first, (name, there)
    assert worst < 1e-4, (name, worst, here, there)
    print(name, "is trained on", world, "GPUs,", len(there), "steps, losses from", first, "to", last, "differ by", worst, flush=True)
"""

KILLED = COMMON + """
import signal
rank = int(os.environ["RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
t = torch.ones(10, device="cuda")
dist.all_reduce(t)
torch.cuda.synchronize()
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
dist.all_reduce(t)
torch.cuda.synchronize()
print("nothing happened", flush=True)
"""

# sh starts a process for each rank, with the rest of its arguments.
EACH = 'n=$0; for r in $(seq 0 $((n - 1))); do RANK=$r WORLD_SIZE=$n "$@" & done; wait'


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def processes(code: str, count: int) -> list[str]:
    """The command of torch_test.py, with `sh` in front of the program that starts it once for each rank."""
    nvmlkit, program = command(code)[:5], command(code)[5:]
    return [*nvmlkit, "sh", "-c", EACH, str(count), *program]


class Distributed(unittest.TestCase):
    def run_torch(self, arguments: list[str]) -> subprocess.CompletedProcess:
        env = dict(os.environ, PYTHONHOME=str(TORCH / "usr"), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()), USE_LIBUV="0")
        with subprocess.Popen(arguments, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as started:
            try:
                out, err = started.communicate(timeout=540)
            except subprocess.TimeoutExpired:
                os.killpg(started.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(arguments, started.returncode, out, err)

    def test_one_process(self):
        done = self.run_torch(command(ONE_PROCESS))
        self.assertIn("equal", done.stdout, done.stderr[-2000:])

    def test_distributed_data_parallel(self):
        done = self.run_torch(processes(MANY_PROCESSES, 4))
        for rank in range(4):
            self.assertIn(f"rank {rank} is equal", done.stdout, done.stderr[-2000:])

    def test_losses_are_those_of_the_cpu(self):
        done = self.run_torch(processes(TRAINED, 4))
        for name in ("mlp", "gpt", "resnet18"):
            self.assertIn(f"{name} is trained on 4 GPUs", done.stdout, done.stderr[-2000:])
        print(done.stdout, end="")

    def test_a_killed_rank_ends_the_others(self):
        done = self.run_torch(processes(KILLED, 2))
        self.assertNotIn("nothing happened", done.stdout)
        self.assertIn("remote process exited or there was a network error", done.stderr)


if __name__ == "__main__":
    if not TORCH.is_dir():
        print("skipped: no PyTorch with CUDA (NVMLKIT_TEST_TORCH)")
        sys.exit(77)
    unittest.main()
