#!/usr/bin/env python3
"""Calls of every function of one of CUDA's libraries with arguments that do not fit: no crash, no hang, and what needs a handle
does not succeed without one.

    hostile_calls.py LIBRARY FACTS [--rounds 4] [--seed 1] [--only REGEX] [--expect FILE] [--show]

LIBRARY is the file, FACTS the description of its headers (registry/libraries/facts/NAME.json). Each round calls each function once.
A call runs in a child process that is made again after a crash and after an error of the GPU. The arguments: handles and
descriptors that are there, null, destroyed or rubbish; memory of both sides, freed memory, null; small numbers, negative ones;
values of enumerations and others. The same seed makes the same calls. Before the rounds each function is called with zeros; --expect names
the statuses of NVIDIA's library there (zero_calls.txt).
"""

from __future__ import annotations

import argparse
import array
import ctypes
import json
import mmap
import os
import random
import re
import signal
import sys

GONE = 3  # status of a child whose context has an error
WRONG = "a wrong status"
# Functions whose end is none of the library's, or that wait for others.
LEFT = re.compile(r"cublasFree|ncclMemFree|ncclCommInit.*|ncclCommGrow|ncclCommSplit|ncclCommShrink|.*LoggerOpenFile|.*LoggerSetFile|cublasXerbla|"
                  r".*SetCallback|.*SetLoggerCallback|.*LoggerSetCallback|.*LoggerForceDisable")
# What succeeds without a handle, as NVIDIA's, where --expect has no status.
SUCCEEDS = re.compile(r".*Destroy.*|.*GetVersion(_v2)?|.*GetProperty|.*GetErrorString|.*LoggerSet.*|.*LoggerForceDisable|ncclGroup.*|"
                      r"cublas.*gemv.*|cusolverDn[SDCZ](laswp|sytri)")  # nothing to do comes first

SCALARS = {"int": ctypes.c_int, "int32_t": ctypes.c_int, "cusolver_int_t": ctypes.c_int, "unsigned int": ctypes.c_uint,
           "uint32_t": ctypes.c_uint, "int64_t": ctypes.c_longlong, "long long": ctypes.c_longlong, "uint64_t": ctypes.c_ulonglong,
           "unsigned long long": ctypes.c_ulonglong, "size_t": ctypes.c_size_t, "float": ctypes.c_float,
           "double": ctypes.c_double, "char": ctypes.c_char, "signed char": ctypes.c_byte, "uint8_t": ctypes.c_ubyte,
           "cufftHandle": ctypes.c_int}


class FloatPair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


class DoublePair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


class Gpu:
    """The driver of the process, and memory of each kind."""

    def __init__(self) -> None:
        self.lib = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.need(self.lib.cuInit(0))
        self.need(self.lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
        self.need(self.lib.cuCtxSetCurrent(context))
        self.size = 1 << 18
        self.managed = self.allocated("cuMemAllocManaged", 1)
        self.device = self.allocated("cuMemAlloc_v2")
        self.freed = self.allocated("cuMemAlloc_v2")
        self.need(self.lib.cuMemFree_v2(self.freed))
        self.stream = ctypes.c_void_p()
        self.need(self.lib.cuStreamCreate(ctypes.byref(self.stream), 1))
        quarter, base = self.size // 4, self.managed.value
        self.content = bytes(quarter) + array.array("i", range(quarter // 4)).tobytes() + array.array(
            "f", [(0.5 + i % 5) * (-1) ** (i // 3) for i in range(quarter // 4)]).tobytes() + array.array(
            "Q", [base] * (quarter // 8)).tobytes()

    def need(self, result: int) -> None:
        if result:
            os._exit(99)

    def allocated(self, function: str, *more: int) -> ctypes.c_void_p:
        place = ctypes.c_void_p()
        self.need(getattr(self.lib, function)(ctypes.byref(place), ctypes.c_size_t(self.size), *more))
        return place

    def fill(self) -> None:
        """Quarters of the managed memory: zeros, growing numbers, small floats, addresses of the first quarter."""
        ctypes.memmove(self.managed.value, self.content, self.size)

    def memory(self, draw: random.Random, of_pointers: bool, host: bool, fits: bool) -> int | None:
        kind = 1 if fits else draw.random()
        if kind < 0.1:
            return None
        if kind < 0.12 and not host:
            return self.freed.value
        if of_pointers:
            return self.managed.value + 3 * self.size // 4
        if kind < 0.2 and not host:
            return self.device.value
        return self.managed.value + draw.randrange(3) * self.size // 4 + draw.randrange(4) * 16

    def is_well(self) -> bool:
        return self.lib.cuCtxSynchronize() == 0


class Caller:
    def __init__(self, path: str, facts: dict, draw: random.Random) -> None:
        self.lib, self.facts, self.draw = ctypes.CDLL(path), facts, draw
        self.fits = False  # arguments of this call that fit each other
        self.host = False  # no memory that the CPU cannot reach
        self.operators: dict[str, ctypes.Array] = {}
        self.enums = facts["enums"]
        self.opaque = {kind[:-2].removeprefix("const ").strip() for f in facts["functions"] for kind, _ in f["params"]
                       if kind.endswith(" *")}
        self.gpu = Gpu()
        self.objects: dict[str, list[int]] = {}
        self.destroyed: dict[str, list[int]] = {}
        self.rubbish = ctypes.create_string_buffer(b"\x03\0\0\0\0\0\0\0" * 64)
        self.makers: dict[str, list[tuple[dict, int]]] = {}
        for f in facts["functions"]:
            outs = [i for i, (kind, _) in enumerate(f["params"]) if kind.endswith(" *") and not kind.startswith("const ")]
            if re.search("[Cc]reate", f["name"]) and outs and not LEFT.fullmatch(f["name"]):
                self.makers.setdefault(f["params"][outs[0]][0][:-2], []).append((f, outs[0]))

    def make_plans(self) -> None:
        """Of cuFFT, whose handles are numbers."""
        for size in (4, 5, 6) if hasattr(self.lib, "cufftPlan1d") else ():
            self.lib.cufftPlan1d(ctypes.byref(ctypes.c_int()), size, 0x29, 1)

    def compile_operators(self) -> None:
        """LTO-IR for the products of cuSPARSE with functions of a program, where there is a compiler."""
        if not hasattr(self.lib, "cusparseSpMMOp"):
            return
        compiler = ctypes.CDLL("libnvrtc.so.12")
        for name in ("add_op", "mul_op", "epilogue"):
            program, size = ctypes.c_void_p(), ctypes.c_size_t()
            text = f"__device__ float {name}(float a, float b) {{ return a + b; }}".encode()
            options = (ctypes.c_char_p * 3)(b"-dlto", b"-rdc=true", b"-arch=compute_75")
            if compiler.nvrtcCreateProgram(ctypes.byref(program), text, None, 0, None, None) or compiler.nvrtcCompileProgram(program, 3, options):
                return
            compiler.nvrtcGetLTOIRSize(program, ctypes.byref(size))
            code = ctypes.create_string_buffer(size.value)
            compiler.nvrtcGetLTOIR(program, code)
            self.operators[name] = code
        self.objects["cusparseSpMMOpPlan_t"] = [plan for plan in (self.operator_plan(), self.operator_plan()) if plan]

    def make_fused_plan(self) -> None:
        """Of cuDNN: scale and bias of four channels, from statistics in managed memory."""
        if not hasattr(self.lib, "cudnnFusedOpsExecute"):
            return
        handle, tensor, constants, variants, plan = (ctypes.c_void_p() for _ in range(5))
        self.lib.cudnnCreate(ctypes.byref(handle))
        self.lib.cudnnCreateTensorDescriptor(ctypes.byref(tensor))
        self.lib.cudnnSetTensor4dDescriptor(tensor, 0, 0, 1, 4, 1, 1)
        inference, floats = 3, self.gpu.managed.value + self.gpu.size // 2
        self.lib.cudnnCreateFusedOpsConstParamPack(ctypes.byref(constants), inference)
        self.lib.cudnnCreateFusedOpsVariantParamPack(ctypes.byref(variants), inference)
        self.lib.cudnnCreateFusedOpsPlan(ctypes.byref(plan), inference)
        for label in (3, 19):  # of the scale and bias that are made, and of those that were learned
            self.lib.cudnnSetFusedOpsConstParamPackAttribute(constants, label, tensor)
        for label in (2, 4, 5, 20, 21, 24, 25):  # of each channel; promises of pointers
            self.lib.cudnnSetFusedOpsConstParamPackAttribute(constants, label, ctypes.byref(ctypes.c_int(1)))
        for place, label in enumerate((1, 2, 10, 11, 14, 15)):
            self.lib.cudnnSetFusedOpsVariantParamPackAttribute(variants, label, ctypes.c_void_p(floats + 16 * place))
        if self.lib.cudnnMakeFusedOpsPlan(handle, plan, constants, ctypes.byref(ctypes.c_size_t())) == 0:
            self.objects["cudnnFusedOpsPlan_t"] = [plan.value]
            self.objects["cudnnFusedOpsVariantParamPack_t"] = [variants.value]

    def operator_plan(self) -> int | None:
        """A product of 4 x 4 numbers in managed memory."""
        handle, a, b, c, plan = (ctypes.c_void_p() for _ in range(5))
        n, zeros = ctypes.c_int64(4), self.gpu.managed.value
        numbers, floats = ctypes.c_void_p(zeros + self.gpu.size // 4), ctypes.c_void_p(zeros + self.gpu.size // 2)
        self.lib.cusparseCreate(ctypes.byref(handle))
        self.lib.cusparseCreateCsr(ctypes.byref(a), n, n, n, numbers, numbers, floats, 2, 2, 0, 0)
        self.lib.cusparseCreateDnMat(ctypes.byref(b), n, n, n, floats, 0, 1)
        self.lib.cusparseCreateDnMat(ctypes.byref(c), n, n, n, ctypes.c_void_p(zeros), 0, 2)
        code = [part for name in ("add_op", "mul_op", "epilogue") for code in [self.operators[name]]
                for part in (code, ctypes.c_size_t(len(code)))]
        self.lib.cusparseSpMMOp_createPlan(handle, ctypes.byref(plan), 0, 0, a, b, c, 0, 0, *code, ctypes.byref(ctypes.c_size_t()))
        return plan.value

    def operator(self, kind: str, name: str) -> object:
        """An argument of cusparseSpMMOp_createPlan that is right; None for those that are none of its own."""
        which = re.match("add|mul|epilogue", name)
        code = self.operators.get({"add": "add_op", "mul": "mul_op"}.get(which[0], which[0])) if which else None
        if code is None or not (self.fits or self.draw.random() < 0.5):
            return None
        return ctypes.c_size_t(len(code)) if kind == "size_t" else ctypes.c_void_p(ctypes.addressof(code))

    def function(self, f: dict) -> object:
        try:
            return getattr(self.lib, f["name"])
        except AttributeError:
            return None

    def made(self, kind: str) -> int | None:
        """A new object, by one of the functions that make such, with arguments that fit."""
        makers, self.makers[kind] = self.makers.get(kind, []), []  # one that needs another of its kind gets none
        fits, self.fits = self.fits, True
        for f, out in self.draw.sample(makers, len(makers)):
            function = self.function(f)
            place = ctypes.c_void_p()
            arguments = [ctypes.byref(place) if i == out else self.argument(t, name) for i, (t, name) in enumerate(f["params"])]
            if function and function(*arguments) == 0 and place.value:
                break
        self.makers[kind], self.fits = makers, fits
        return place.value if makers else None

    def object_of(self, kind: str) -> int | None:
        have = self.objects.setdefault(kind, [])
        if not have:
            have += [each for each in (self.made(kind), self.made(kind), self.made(kind)) if each]
        way = 1 if self.fits else self.draw.random()
        if way < 0.06:
            return None
        if way < 0.09:
            return ctypes.addressof(self.rubbish)
        if way < 0.10:
            return ctypes.addressof(self.rubbish) + 3
        if way < 0.13 and self.destroyed.get(kind):
            return self.draw.choice(self.destroyed[kind])
        return self.draw.choice(have) if have else None

    def number(self, kind: str, name: str) -> object:
        c = SCALARS[kind]
        if self.fits and c not in (ctypes.c_float, ctypes.c_double, ctypes.c_char):
            of_bytes = re.search("work|size|bytes", name, re.IGNORECASE)
            return c(30000 if of_bytes else 1 if re.search("inc|k1|kl|ku|batch|[Cc]ount|Base", name) else 4)
        if c in (ctypes.c_float, ctypes.c_double):
            return c(self.draw.choice([0.0, 1.0, -1.0, 0.5, float("nan")]))
        if kind == "char":
            return c(self.draw.choice([b"N", b"T", b"C", b"U", b"L", b"R", b"?"]))
        if kind == "size_t":
            return c(self.draw.choice([0, 1, 7, 16, 4000]))
        few = [0, 1, 2, 3, 4, 5, 8, 12]
        return c(self.draw.choice(few if self.draw.random() < 0.93 or c in (ctypes.c_uint, ctypes.c_ulonglong) else [-1, -7]))

    def argument(self, kind: str, name: str) -> object:
        bare = kind.removeprefix("const ").strip()
        if self.operators and (right := self.operator(kind, name)) is not None:
            return right
        if bare in SCALARS:
            return self.number(bare, name)
        if bare in ("cuComplex", "cuDoubleComplex"):
            return (FloatPair if bare == "cuComplex" else DoublePair)(1, 0.5)
        if bare in self.enums:
            known = list(self.enums[bare].values())
            return ctypes.c_int(self.draw.choice(known if self.fits or self.draw.random() < 0.95 else [-1, 77]))
        if "CUstream" in bare or bare == "cudaStream_t":
            return ctypes.c_void_p(self.draw.choice([None, self.gpu.stream.value, 2, ctypes.addressof(self.rubbish)]))
        if bare.endswith("]") or bare.endswith("*"):
            return ctypes.c_void_p(self.gpu.memory(self.draw, len(re.findall(r"\*|\[\]", bare)) > 1, self.host, self.fits))
        if bare in self.opaque or re.search(r"Handle|Info|Desc|Params|Generator|nvrtcProgram|Comm_t", bare):
            return ctypes.c_void_p(self.object_of(bare))
        if re.search(r"FILE|allback|Func|\(", bare):
            return ctypes.c_void_p(None)
        return ctypes.c_int(self.draw.randrange(4))

    def zero(self, kind: str) -> object:
        bare = kind.removeprefix("const ").strip()
        if bare in SCALARS:
            return SCALARS[bare](0)
        if bare in ("cuComplex", "cuDoubleComplex"):
            return (FloatPair if bare == "cuComplex" else DoublePair)(0, 0)
        return ctypes.c_int(0) if bare in self.enums else ctypes.c_void_p(None)

    def call(self, f: dict, of_zeros: bool, log) -> int | None:
        function = self.function(f)
        if not function:
            return None
        self.gpu.fill()
        self.fits = self.draw.random() < 0.5
        arguments = [self.zero(kind) if of_zeros else self.argument(kind, name) for kind, name in f["params"]]
        log(f["name"] + "(" + ", ".join(f"{name}={getattr(a, 'value', '...')}" for a, (_, name) in zip(arguments, f["params"])) + ")")
        function.restype = ctypes.c_int if f["returns"] not in ("void",) else None
        status = function(*arguments)
        if not of_zeros and re.search("[Dd]estroy|Abort|Finalize", f["name"]) and arguments:
            kind, value = f["params"][0][0].removeprefix("const ").strip(), arguments[0].value
            if value in self.objects.get(kind, []):
                self.objects[kind].remove(value)
                self.destroyed.setdefault(kind, []).append(value)
        return status


def expected_of(file: str, library: str) -> dict[str, int | None]:
    """The status of each function, None for any: see zero_calls.txt."""
    answers: dict[str, int | None] = {}
    with open(file, encoding="utf-8") as lines:
        for name, *line in (text.split() for text in lines if text.strip() and not text.startswith("#")):
            if name != library:
                continue
            if line[0] == "differs":
                answers[line[1]] = int(line[2])
            else:
                answers.update((function, None if line[0] == "crash" else int(line[0])) for function in line[1:])
    if not answers:
        raise SystemExit(f"{file} has nothing of {library}")
    return answers


def fault_of(f: dict, status: int | None, expected: dict[str, int | None]) -> str:
    """What is wrong with the status of a call with zeros."""
    if f["name"] in expected:
        right = expected[f["name"]]
        return "" if right is None or status == right else f"answers {status}, not {right}, to zeros"
    needs = f["params"] and re.search("Handle", f["params"][0][0]) and not f["params"][0][0].endswith("*")
    succeeds = needs and status == 0 and f["returns"] != "void" and not SUCCEEDS.fullmatch(f["name"])
    return "succeeds without a handle" if succeeds else ""


class Shared:
    """What a child does now, for its parent."""

    def __init__(self) -> None:
        self.page = mmap.mmap(-1, 1 << 16)

    def write(self, text: str) -> None:
        data = text.encode()[: (1 << 16) - 8]
        self.page.seek(0)
        self.page.write(len(data).to_bytes(4, "little") + data)

    def read(self) -> str:
        self.page.seek(0)
        return self.page.read(int.from_bytes(self.page.read(4), "little")).decode()


def child(options: argparse.Namespace, facts: dict, expected: dict, plan: list, begin: int, host: bool, shared: Shared) -> None:
    if not options.show:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
    shared.write(json.dumps([begin, "the start"]))
    caller = Caller(options.library, facts, random.Random(f"{options.seed} {begin}"))
    caller.make_plans()
    caller.compile_operators()
    caller.make_fused_plan()
    for index in range(begin, len(plan)):
        which, of_zeros = plan[index]
        f = facts["functions"][which]
        caller.draw.seed(f"{options.seed} {index}")
        caller.host = host and index == begin
        signal.alarm(120)
        status = caller.call(f, of_zeros, lambda text: (shared.write(json.dumps([index, text])), options.show and print(text, flush=True)))
        if options.show:
            print("   ", status, flush=True)
        fault = fault_of(f, status, expected) if of_zeros else ""
        if fault:
            print(f"{f['name']} {fault}", flush=True)
            shared.write(json.dumps([index, WRONG]))
            os._exit(GONE)
        if not caller.gpu.is_well():
            shared.write(json.dumps([index, "gone"]))
            os._exit(GONE)
    os._exit(0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("facts")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--expect", default="", help="the statuses of calls with zeros")
    parser.add_argument("--show", action="store_true", help="print each call and its answer")
    options = parser.parse_args()
    with open(options.facts, encoding="utf-8") as file:
        facts = json.load(file)
    expected = expected_of(options.expect, os.path.basename(options.facts).removesuffix(".json")) if options.expect else {}
    wanted = [i for i, f in enumerate(facts["functions"]) if not LEFT.fullmatch(f["name"]) and re.search(options.only, f["name"])]
    order = random.Random(options.seed)
    plan = [(which, True) for which in wanted]
    for _ in range(options.rounds):
        plan += [(which, False) for which in order.sample(wanted, len(wanted))]
    shared, begin, host, bad, children = Shared(), 0, False, 0, 0
    while begin < len(plan):
        pid, children = os.fork(), children + 1
        if pid == 0:
            child(options, facts, expected, plan, begin, host, shared)
        status = os.waitpid(pid, 0)[1]
        index, text = json.loads(shared.read())
        crashed = status and not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == GONE)
        if crashed and text == "the start":
            print(f"no start: {status}")
            return 1
        if crashed and not (host and index == begin):  # again, without memory that only a GPU reaches
            begin, host = index, True
            continue
        bad += bool(status) and text == WRONG
        if crashed:
            bad += 1
            print(f"call {index} ended the process with {status}: {text}", flush=True)
        begin, host = (index + 1 if status else len(plan)), False
    print(f"{len(plan)} calls, {children} processes, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
