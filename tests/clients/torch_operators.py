#!/usr/bin/env python3
"""Every operator of PyTorch's own list of samples (OpInfo), on a simulated GPU against the CPU of the same PyTorch, within
PyTorch's own tolerances. A program to run by hand: a minute of the processor for a type.

    torch_operators.py [--types float32,float64] [--operators REGEX] [--samples 4] [--seconds 60] [--gradients] [--cudnn]
                       [--json FILE]

"equal" is equal within the tolerances of torch.testing.assert_close, "near" within those of PyTorch's own comparison of CUDA
with the CPU (test_compare_cpu: 1e-3, absolute and relative). "as exact": the two differ in the rounding of 16-bit numbers, and
the GPU is as near as the CPU to the result of the same inputs as float32. With --gradients the gradients of the inputs are compared as well.

Needs NVMLKIT_TEST_TORCH and NVMLKIT_BUILD_DIR, as torch_test.py, with python3-expecttest, -hypothesis and -setuptools. An error of CUDA ends a process, so each operator that fails is
followed by a new process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from torch_test import TORCH, command

# Their samples set a seed of their own, so that two runs on the CPU are equal; a GPU draws other numbers, on hardware too.
RANDOM = re.compile(r"cauchy|exponential|geometric|log_normal|normal|uniform|multinomial|bernoulli|rand.*|.*dropout.*|"
                    r"nn\.functional\.(rrelu|fractional_max_pool[23]d)|scaled_dot_product_attention|randint.*")

# In the process with PyTorch: operators from a list, one line of JSON for each pair of operator and type.
WORKER = r"""
import json, os, re, signal, sys, time, warnings
warnings.filterwarnings("ignore")
import torch
torch.set_num_threads(1)  # Debian's serial OpenBLAS is wrong at times where several threads call it
pairs, samples, seconds, gradients, cudnn = json.loads(sys.stdin.read())
torch.backends.cudnn.enabled = cudnn
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo
operators = {(op.name, op.variant_test_name): op for op in op_db}

NARROW = (torch.float16, torch.bfloat16)
ORDER = ["equal", "near", "as exact"]

class Late(Exception):
    pass

def late(*_):
    raise Late()

signal.signal(signal.SIGALRM, late)

class NoReference(Exception):
    pass

class Left(Exception):
    pass

# What PyTorch itself skips, or expects to fail, when it compares CUDA with the CPU.
def left_out(op, kind):
    for each in op.decorators:
        if isinstance(each, DecorateInfo) and each.is_active("TestCommon", "test_compare_cpu", "cuda", kind, {}):
            names = " ".join(getattr(d, "__qualname__", str(d)) for d in each.decorators)
            if re.search("skip|expectedFailure", names):
                raise Left(f"PyTorch's own test_compare_cpu leaves it out: {names}")

# Samples of random operators set a seed of their own. Another seed shows that such a result is random.
their_seed, shift = torch.manual_seed, 0
torch.manual_seed = lambda seed: their_seed(seed + shift)

# A value on the CPU; 16-bit numbers as float32 where `wide`.
def moved(value, wide=False):
    if wide and isinstance(value, torch.Tensor) and value.dtype in NARROW:
        return value.detach().float().cpu().requires_grad_(value.requires_grad)
    if wide and isinstance(value, torch.dtype) and value in NARROW:
        return torch.float32
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:  # with the whole storage: it may be a view
        here = torch.empty(0, dtype=value.dtype)
        here.set_(value.detach().untyped_storage().cpu(), value.storage_offset(), value.shape, value.stride())
        here = torch._neg_view(here) if value.is_neg() else here
        return (torch._conj(here) if value.is_conj() else here).requires_grad_(value.requires_grad)
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().requires_grad_(value.requires_grad)
    if isinstance(value, (list, tuple)):
        return type(value)(moved(each, wide) for each in value) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: moved(each, wide) for key, each in value.items()}
    if isinstance(value, torch.device) or (isinstance(value, str) and value.startswith("cuda")):
        return "cpu"
    return value

def tensors(value):
    if isinstance(value, torch.Tensor):
        here = (value if value.layout is torch.strided else value.to_dense()).detach().cpu()
        return [here.to(torch.complex64) if here.dtype is torch.complex32 else here]
    if isinstance(value, (list, tuple)):
        return [t for each in value for t in tensors(each)]
    return []

def differentiable(value):
    if isinstance(value, torch.Tensor):
        return [value] if value.requires_grad else []
    if isinstance(value, dict):
        value = list(value.values())
    return [t for each in value for t in differentiable(each)] if isinstance(value, (list, tuple)) else []

# The results and, where they are asked for, the gradients of the inputs.
def results(op, arguments, options):
    out = op(*arguments, **options)
    leaves, roots = differentiable([arguments, options]), differentiable(out)
    if not gradients or not leaves or not roots:
        return tensors(out)
    weights = [(torch.arange(t.numel(), dtype=torch.float64) % 7 + 1).reshape(t.shape).to(t.device, t.dtype) for t in roots]
    return tensors(out) + tensors([g for g in torch.autograd.grad(roots, leaves, weights, allow_unused=True) if g is not None])

def on_cpu(op, sample, seed, wide=False):
    global shift
    shift = seed
    try:
        torch.manual_seed(0)
        return results(op, moved([sample.input, *sample.args], wide), moved(sample.kwargs, wide))
    except Exception as error:
        raise NoReference(f"the CPU has none: {error}"[:200])
    finally:
        shift = 0

# "near" where the stricter comparison fails; an AssertionError where both do.
def compared(there, here):
    try:
        torch.testing.assert_close(there, here, equal_nan=True)
        return "equal"
    except AssertionError:
        if not (here.is_floating_point() or here.is_complex()):
            raise
        torch.testing.assert_close(there, here, equal_nan=True, atol=1e-3, rtol=1e-3)
        return "near"

def distance(value, exact):
    return (value.to(exact.dtype) - exact).nan_to_num().abs().max()

# Whether results of 16 bits are as near to those of float32 as the CPU's are, but for a last bit.
def as_exact(there, here, exact):
    if not (len(there) == len(here) == len(exact)):
        return False
    for a, b, c in zip(there, here, exact):
        if c.dtype is torch.float32 and c.numel() and b.dtype in NARROW:
            last = torch.finfo(b.dtype).eps * c.nan_to_num().abs().max()
            if a.dtype != b.dtype or not distance(a, c) <= 2 * distance(b, c) + last:
                return False
        elif not torch.equal(a, b):
            return False
    return True

def look(op, kind):
    left_out(op, kind)
    count, worst = 0, "equal"
    wanted = gradients and op.supports_autograd and (kind.is_floating_point or kind.is_complex)
    for sample in op.sample_inputs("cuda", kind, requires_grad=wanted):
        if count == samples:
            break
        here, again = on_cpu(op, sample, 0), on_cpu(op, sample, 1)
        torch.manual_seed(0)
        there = results(op, [sample.input, *sample.args], sample.kwargs)
        count += 1
        if any(a.shape != b.shape or not torch.equal(a.nan_to_num(), b.nan_to_num()) for a, b in zip(here, again)):
            raise NoReference("two runs on the CPU differ: random or uninitialized")
        assert len(here) == len(there), "another number of results"
        try:
            for a, b in zip(here, there):
                worst = max(worst, compared(b, a), key=ORDER.index)
        except AssertionError:
            if kind not in NARROW or not as_exact(there, here, on_cpu(op, sample, 0, wide=True)):
                raise
            worst = "as exact"
    return count, worst

for name, variant, kind in pairs:
    print(json.dumps(["begin", name, variant, kind]), flush=True)
    begin = time.time()
    signal.alarm(seconds)
    try:
        detail, result = look(operators[name, variant], getattr(torch, kind))
        if detail == 0:
            result = "no samples"
    except NoReference as why:
        result, detail = "no reference", str(why)
    except NotImplementedError as why:
        result, detail = "left out", str(why)[:100]
    except Left as why:
        result, detail = "left out", str(why)
    except Late:
        result, detail = "late", f"more than {seconds} s"
    except AssertionError as error:
        result, detail = "differs", str(error)[:300]
    except Exception as error:
        result, detail = "error", f"{type(error).__name__}: {error}"[:300]
    signal.alarm(0)
    print(json.dumps([result, name, variant, kind, detail, round(time.time() - begin, 2)]), flush=True)
    if result in ("error", "late"):  # CUDA may be of no use any more
        os._exit(3)
"""

LIST = r"""
import json, sys, warnings
warnings.filterwarnings("ignore")
import torch
from torch.testing._internal.common_methods_invocations import op_db
kinds = json.loads(sys.stdin.read())
print(json.dumps([[op.name, op.variant_test_name, kind] for kind in kinds for op in op_db
                  if getattr(torch, kind) in op.dtypes and getattr(torch, kind) in op.dtypesIfCUDA]))
"""


def run(code: str, question: object) -> subprocess.CompletedProcess:
    env = dict(os.environ, PYTHONHOME=str(TORCH / "usr"))
    return subprocess.run(command(code), env=env, input=json.dumps(question), capture_output=True, text=True)


def look(pairs: list, options: argparse.Namespace) -> list:
    """Results of all pairs, by as many processes as it needs."""
    out = []
    while pairs:
        done = run(WORKER, [pairs, options.samples, options.seconds, options.gradients, options.cudnn])
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        results = [line for line in lines if line[0] != "begin"]
        begun = len([line for line in lines if line[0] == "begin"])
        if begun > len(results):  # the process ended inside of an operator
            results.append(["ended", *lines[-1][1:], f"status {done.returncode}: {done.stderr[-200:]}", 0])
        if not results:
            sys.exit(f"PyTorch does not start: {done.stderr[-1000:]}")
        for result in results:
            print(*result, flush=True)
        out += results
        pairs = pairs[len(results):]
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--types", default="float32,float64,float16,bfloat16,int64,complex64")
    parser.add_argument("--operators", default="", help="only names that the regular expression finds")
    parser.add_argument("--samples", type=int, default=4, help="of each operator and type")
    parser.add_argument("--seconds", type=int, default=60, help="for each operator and type")
    parser.add_argument("--gradients", action="store_true", help="compare the gradients too")
    parser.add_argument("--cudnn", action="store_true", help="let PyTorch use cuDNN")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    listed = run(LIST, options.types.split(","))
    if listed.returncode != 0:
        sys.exit(f"PyTorch has no list of samples: {listed.stderr[-1000:]}")
    pairs = json.loads(listed.stdout)
    pairs = [pair for pair in pairs if re.search(options.operators, pair[0]) and not RANDOM.fullmatch(pair[0])]
    results = look(pairs, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=0))
    counts = Counter(result[0] for result in results)
    print(f"{len(results)} pairs of operator and type:", ", ".join(f"{count} {name}" for name, count in counts.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
