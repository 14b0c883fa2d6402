#!/usr/bin/env python3
"""What PyTorch's import, and the first use of each of its operators, cost on a simulated GPU, in seconds of the processor. A
program to run by hand: three minutes.

    torch_first_use.py [--runs 3] [--operators REGEX] [--limit 0.2]

The import is compared with that of the same PyTorch beside NVIDIA's libraries, without nvmlkit. An operator's first sample of
OpInfo is computed twice in one process that does all of them: the first use costs what the first time takes more than the second.

Needs NVMLKIT_TEST_TORCH and NVMLKIT_BUILD_DIR, as torch_operators.py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys

from torch_operators import RANDOM
from torch_test import TORCH, command

FIRST_USE = r"""
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import torch
torch.set_num_threads(1)
from torch.testing._internal.common_methods_invocations import op_db
torch.zeros(1, device="cuda")

def seconds(op, sample):
    begin = time.process_time()
    op(sample.input, *sample.args, **sample.kwargs)
    torch.cuda.synchronize()
    return time.process_time() - begin

wanted = set(map(tuple, json.loads(sys.stdin.read())))
for op in op_db:
    if (op.name, op.variant_test_name) not in wanted:
        continue
    try:
        sample = next(iter(op.sample_inputs("cuda", torch.float32, requires_grad=False)))
        first = seconds(op, sample)
        print(json.dumps([op.name, first - seconds(op, sample)]), flush=True)
    except Exception:  # it has no sample, or none on CUDA
        pass
"""

LIST = r"""
import json, warnings
warnings.filterwarnings("ignore")
import torch
from torch.testing._internal.common_methods_invocations import op_db
print(json.dumps([[op.name, op.variant_test_name] for op in op_db if torch.float32 in op.dtypesIfCUDA]))
"""


def run(words: list[str], question: object = None) -> tuple[str, float]:
    """Its output, and its time on the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, env=dict(os.environ, PYTHONHOME=str(TORCH / "usr")), input=json.dumps(question), capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{words[0]}: status {done.returncode}: {done.stderr[-1000:]}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def times_of_import(runs: int) -> None:
    with_ours = command("import torch")
    alone = with_ours[with_ours.index("sh"):]
    alone = [word.replace("$LD_LIBRARY_PATH", str(TORCH / "usr/lib/x86_64-linux-gnu/nvidia/current")) for word in alone]
    used = command("import torch; torch.zeros(1, device='cuda')")
    ways = {"without nvmlkit": alone, "with it": with_ours, "with it, and a tensor on a GPU": used}
    times = {name: [] for name in ways}
    for _ in range(runs + 1):  # the first one warms the files
        for name, words in ways.items():
            times[name].append(run(words)[1])
    for name, each in times.items():
        print(f"import torch, {name}: {statistics.median(each[1:]):.2f} s (", ", ".join(f"{t:.2f}" for t in each[1:]), ")", sep="")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="of each import")
    parser.add_argument("--operators", default="", help="only names that the regular expression finds")
    parser.add_argument("--limit", type=float, default=0.2, help="name the operators that cost more seconds")
    options = parser.parse_args()
    if options.runs > 0:
        times_of_import(options.runs)
    listed = json.loads(run(command(LIST))[0])
    wanted = [pair for pair in listed if re.search(options.operators, pair[0]) and not RANDOM.fullmatch(pair[0])]
    found = [json.loads(line) for line in run(command(FIRST_USE), wanted)[0].splitlines() if line.startswith("[")]
    slow = sorted((pair for pair in found if pair[1] > options.limit), key=lambda pair: -pair[1])
    print(f"{len(found)} operators, {len(slow)} of them cost more than {options.limit} s at their first use:",
          ", ".join(f"{name} {seconds:.2f}" for name, seconds in slow) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
