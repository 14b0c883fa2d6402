#!/usr/bin/env python3
"""ptxas: images that the simulated driver loads, and the options and errors of NVIDIA's, beside which it runs where that is installed."""

from __future__ import annotations

import glob
import os
import resource
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "clients"))
from clients import COMMAND, LIBRARY_DIR  # noqa: E402
from fixture import ClientTest  # noqa: E402

PTXAS = str(LIBRARY_DIR / "ptxas")
NVIDIAS = sorted(glob.glob("/usr/local/cuda-13.0/bin/ptxas"))
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
STORE = HEAD + """.visible .entry store(.param .u64 out, .param .u32 n) {
  .reg .u64 %rd<2>; .reg .u32 %r<2>;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n];
  add.u32 %r1, %r0, 1; st.global.u32 [%rd0], %r1; ret;
}
"""
CALLS = HEAD + """.extern .func (.param .u32 r) twice(.param .u32 x);
.visible .entry store(.param .u64 out, .param .u32 n) {
  .reg .u64 %rd<2>; .reg .u32 %r<2>; .param .u32 x; .param .u32 r;
  ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n];
  st.param.u32 [x], %r0; call (r), twice, (x); ld.param.u32 %r1, [r];
  st.global.u32 [%rd0], %r1; ret;
}
"""
TWICE = HEAD + """.visible .func (.param .u32 r) twice(.param .u32 x) {
  .reg .u32 %r<2>; ld.param.u32 %r0, [x]; shl.b32 %r1, %r0, 1; st.param.u32 [r], %r1; ret;
}
"""
# Loads an image, or links several, and prints what `store` writes for 20; a CUresult where that fails.
LAUNCHER = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
def need(result):
    if result: sys.exit(f"error {result}")
context, module, kernel, out = (ctypes.c_void_p() for _ in range(4))
need(cuda.cuInit(0)); need(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)); need(cuda.cuCtxSetCurrent(context))
images = [open(name, "rb").read() for name in sys.argv[1:]]
image = ctypes.c_char_p(images[0])
if len(images) > 1:
    link, size = ctypes.c_void_p(), ctypes.c_size_t()
    image = ctypes.c_void_p()
    need(cuda.cuLinkCreate_v2(0, None, None, ctypes.byref(link)))
    for each in images: need(cuda.cuLinkAddData_v2(link, 0, each, ctypes.c_size_t(len(each)), b"part", 0, None, None))
    need(cuda.cuLinkComplete(link, ctypes.byref(image), ctypes.byref(size)))
need(cuda.cuModuleLoadData(ctypes.byref(module), image))
need(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"store"))
need(cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4)))
number, result = ctypes.c_uint(20), ctypes.c_uint()
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(number))
need(cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None))
need(cuda.cuMemcpyDtoH_v2(ctypes.byref(result), out, ctypes.c_size_t(4)))
print(result.value)
"""


class Ptxas(ClientTest):
    def setUp(self) -> None:
        super().setUp()
        self.files = self.folder / "ptx"
        self.files.mkdir()
        for name, text in (("store", STORE), ("calls", CALLS), ("twice", TWICE)):
            self.write(name + ".ptx", text)

    def write(self, name: str, text: str) -> str:
        (self.files / name).write_text(text)
        return name

    def ptxas(self, *arguments: str, program: str = PTXAS, **options) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *arguments], cwd=self.files, text=True, capture_output=True, check=False, **options)

    def assembled(self, *arguments: str) -> None:
        ran = self.ptxas(*arguments)
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))

    def launched(self, machine: str, *images: str) -> str:
        ran = subprocess.run([COMMAND, "run", "-m", machine, "--", "python3", "-c", LAUNCHER, *images], cwd=self.files, text=True,
                             env=self.environment, capture_output=True, check=False)
        return (ran.stdout + ran.stderr.strip().splitlines()[-1] if ran.returncode else ran.stdout).strip()

    def test_an_image_runs(self) -> None:
        self.assembled("-lineinfo", "--gpu-name=sm_90", "store.ptx", "-o", "store.cubin")
        self.assertEqual(self.launched("h100", "store.cubin"), "21")

    def test_an_image_is_for_its_generation(self) -> None:
        self.assembled("-arch=sm_90", "store.ptx", "-o", "hopper.cubin")
        self.assembled("-arch=sm_80", "store.ptx", "-o", "ampere.cubin")
        self.assertEqual(self.launched("a100", "hopper.cubin"), "error 209")
        self.assertEqual(self.launched("a100", "ampere.cubin"), "21")
        self.assertEqual(self.launched("l4", "ampere.cubin"), "21")  # 8.9 runs 8.0
        self.assertEqual(self.launched("h100", "ampere.cubin"), "error 209")

    def test_relocatable_parts_are_linked(self) -> None:
        self.assembled("-c", "-arch", "sm_80", "calls.ptx", "-o", "calls.o")
        self.assembled("-c", "-arch", "sm_80", "twice.ptx", "-o", "twice.o")
        self.assertEqual(self.launched("a100", "calls.o", "twice.o"), "40")

    def test_several_inputs_are_one_program(self) -> None:
        self.assembled("-arch=sm_80", "calls.ptx", "twice.ptx")
        self.assertEqual(self.launched("a100", "elf.o"), "40")

    def test_standard_input_strings_and_options_of_a_file(self) -> None:
        ran = self.ptxas("-arch=sm_80", "-", "-o", "a", input=STORE)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assembled("-arch=sm_80", "-ias", STORE, "-o", "b")
        self.write("options", "-arch=sm_80\n store.ptx -o c")
        self.assembled("-optf", "options")
        self.assertEqual({(self.files / name).read_bytes() for name in "abc"}, {(self.files / "a").read_bytes()})

    def test_nothing_is_written_where_something_is_wrong(self) -> None:
        for arguments in (["-arch=sm_80", "calls.ptx"], ["-arch=sm_75", "store.ptx"], ["-arch=compute_80", "store.ptx"]):
            self.ptxas(*arguments, "-o", "none")
            self.assertFalse((self.files / "none").exists(), arguments)

    def test_a_full_disk(self) -> None:
        ran = self.ptxas("-arch=sm_80", "store.ptx", "-o", "none", restore_signals=False,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual((ran.returncode, ran.stderr), (255, "ptxas fatal   : Output file 'none' could not be written\n"))
        self.assertFalse((self.files / "none").exists())

    def test_triton_and_the_path_find_it(self) -> None:
        def seen(**more: str) -> list[str]:
            script = "echo $TRITON_PTXAS_PATH; echo $TRITON_PTXAS_BLACKWELL_PATH; command -v ptxas"
            environment = {k: v for k, v in self.environment.items() if not k.startswith("TRITON_")}
            return subprocess.run([COMMAND, "run", "-m", "h100", "--", "sh", "-c", script], env={**environment, **more}, text=True,
                                  capture_output=True, check=True).stdout.split()

        self.assertEqual(seen(), [PTXAS] * 3)
        self.assertEqual(seen(TRITON_PTXAS_PATH="/own/ptxas"), ["/own/ptxas", PTXAS, PTXAS])

    def test_xla_is_told_not_to_time_kernels(self) -> None:
        def flags(**more: str) -> str:
            environment = {k: v for k, v in self.environment.items() if k != "XLA_FLAGS"}
            return subprocess.run([COMMAND, "run", "-m", "h100", "--", "sh", "-c", "printf %s \"$XLA_FLAGS\""], env={**environment, **more},
                                  text=True, capture_output=True, check=True).stdout

        self.assertEqual(flags(), "--xla_gpu_autotune_level=0")
        self.assertEqual(flags(XLA_FLAGS="--xla_dump_to=/x"), "--xla_dump_to=/x --xla_gpu_autotune_level=0")
        for own in ("--xla_gpu_autotune_level=2", "flags.txt"):
            self.assertEqual(flags(XLA_FLAGS=own), own)
        self.assertEqual(flags(XLA_FLAGS="  "), "   --xla_gpu_autotune_level=0")

    def test_what_compilers_read_of_the_version(self) -> None:
        self.assertRegex(self.ptxas("--version").stdout, r"(?m)^Cuda compilation tools, release 13\.0, V13\.0\.88$")

    def test_verbose(self) -> None:
        ran = self.ptxas("-v", "-arch=sm_80", "store.ptx")
        self.assertEqual(ran.stderr, "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'store' for 'sm_80'\n")

    def calls(self) -> list[list[str]]:
        """Command lines whose end and words must be NVIDIA's."""
        self.write("unknown.ptx", STORE.replace("add.u32", "adx.u32"))
        self.write("undeclared.ptx", STORE.replace("add.u32 %r1", "add.u32 %r7"))
        undeclared = ["mov.u32 %rx, 5", "setp.ne.u32 %px, %r1, 0", "selp.u32 %r1, %r1, %r1, %px", "add.u32 %r1, foo, 1",
                      "ld.global.u32 %rx, [%rd0]", "mul.wide.u32 %rdx, %r1, 4", "cvt.u64.u32 %rdx, %r1"]
        wrong = [self.write(f"undeclared{i}.ptx", STORE.replace("ret;", line + "; ret;")) for i, line in enumerate(undeclared)]
        self.write("late.ptx", STORE.replace("8.0", "9.9", 1))
        self.write("early.ptx", STORE.replace("sm_80", "sm_90"). replace("8.0", "7.0"))
        self.write("hopper.ptx", STORE.replace("sm_80", "sm_90a"))
        self.write("no.ptx", "hello\n")
        self.write("empty.ptx", "")
        gpu = "-arch=sm_90"
        return [[gpu, "store.ptx"], [gpu, "calls.ptx"], [gpu, "-c", "calls.ptx"], [gpu, "unknown.ptx"], [gpu, "undeclared.ptx"],
                [gpu, "late.ptx"], [gpu, "early.ptx"], [gpu, "no.ptx"], [gpu, "empty.ptx"], [gpu, "nothing.ptx"], [gpu, "hopper.ptx"],
                ["-arch=sm_100", "hopper.ptx"], ["store.ptx"], ["--gpu-name=sm_99", "store.ptx"], ["-arch=", "store.ptx"],
                ["-arch=sm_90b", "store.ptx"], ["--foo", "store.ptx"], ["-foo", "store.ptx"], ["-gpu-name=sm_90", "store.ptx"],
                ["--arch=sm_90", "store.ptx"], ["--gpu-name"], [gpu, "-o"], [gpu, "-v=true", "store.ptx"],
                [gpu, "--fmad=perhaps", "store.ptx"], [gpu, "--fmad", "false", "store.ptx"], [gpu, "-Ox", "store.ptx"],
                [gpu, "-O3", "-m64", "store.ptx"], [gpu, "-m32", "store.ptx"], [gpu, "store.ptx", "-o", "/nowhere/x"],
                [gpu, "-e", "nothing", "store.ptx"], [gpu, "-e", "store", "store.ptx"], ["--list-version"],
                *([gpu, name] for name in wrong)]

    @unittest.skipUnless(NVIDIAS, "NVIDIA's ptxas of CUDA 13.0 is not installed")
    def test_the_words_are_nvidias(self) -> None:
        for arguments in self.calls():
            ours, theirs = (self.ptxas(*arguments, program=each) for each in (PTXAS, NVIDIAS[0]))
            with self.subTest(arguments):
                self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (theirs.returncode, theirs.stdout, theirs.stderr))

    def test_every_wrong_call_ends_with_a_line(self) -> None:
        for arguments in self.calls():
            ran = self.ptxas(*arguments)
            self.assertIn(ran.returncode, (0, 255), arguments)
            if ran.returncode:
                self.assertRegex(ran.stderr, r"^ptxas \S.*\n", arguments)


if __name__ == "__main__":
    unittest.main()
