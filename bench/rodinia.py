#!/usr/bin/env python3
"""Rodinia's CUDA programs on one thread against its OpenMP programs: builds both, makes their data, and prints the table of
docs/cuda-speed.md.
    bench/rodinia.py CHECKOUT [--work DIR] [--only NAME,NAME] [--runs N] [--build DIR]...
CHECKOUT is a checkout of github.com/yuhc/gpu-rodinia; nothing is written there. DIR keeps the programs for the next time. Of each
program, the least processor time of N runs is taken. Several builds of nvmlkit take turns. Each starts with an empty cache."""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rodinia_data import make_data

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("NVMLKIT_BUILD_DIR", ROOT / "build" / "release"))
NVCC = ["nvcc", "-O3", "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-w", "-DcudaThreadSynchronize=cudaDeviceSynchronize"]
# CUDA 12 took texture references away. `scripts/setup --with-cuda` unpacks the last compiler that knows them.
NVCC_11 = ROOT / "build" / "third-party" / "cuda-11.8" / "bin" / "nvcc"
OF_NVCC_11 = [NVCC_11, "-O3", "-gencode", "arch=compute_80,code=compute_80", "-w", "-allow-unsupported-compiler"]
OPENMP = ["-O3", "-march=native", "-fopenmp", "-w"]

# Those of kmeans become arrays of the device.
TEXTURES = """
template <class T, int dimensions, int mode> struct texture { const T* at; };
template <class T, int dimensions, int mode>
cudaError_t cudaBindTexture(std::size_t*, const texture<T, dimensions, mode>* which, const void* at, const void*, std::size_t) {
  return cudaMemcpyToSymbol(*which, &at, sizeof at);
}
#define tex1Dfetch(which, place) ((which).at[place])
"""


def mend_kmeans(source: Path) -> None:
    kernel, caller = source / "kmeans_cuda_kernel.cu", source / "kmeans_cuda.cu"
    kernel.write_text(TEXTURES + re.sub(r"^texture<", "__device__ texture<", kernel.read_text(), flags=re.M))
    text = re.sub(r"^.*\.(filterMode|normalized|channelDesc) *=.*$", "", caller.read_text(), flags=re.M)
    # A variable is no longer named by a string. The data lie on the first device.
    caller.write_text(text.replace('"c_clusters"', "c_clusters").replace("cudaSetDevice(1)", "cudaSetDevice(0)"))


# A library of matrices that comes with leukocyte, in the C of 1994.
def make_meschach(source: Path) -> None:
    place = source / "meschach_lib"
    for words in (["clean"], ["all", "CC=gcc -std=gnu89 -w -O3"]):
        subprocess.run(["make", *words], cwd=place, check=True, capture_output=True)


# What cfd uses of headers that come with NVIDIA's samples.
SAMPLES_CUDA = """
#pragma once
#include <cstdio>
#include <cstdlib>
inline void checkCudaErrors(cudaError_t status) {
  if (status != cudaSuccess) std::fprintf(stderr, "%s\\n", cudaGetErrorString(status)), std::exit(1);
}
inline void getLastCudaError(const char*) { checkCudaErrors(cudaGetLastError()); }
"""
SAMPLES_TIMER = """
#pragma once
struct StopWatchInterface {};
inline void sdkCreateTimer(StopWatchInterface**) {}
inline void sdkStartTimer(StopWatchInterface**) {}
inline void sdkStopTimer(StopWatchInterface**) {}
inline float sdkGetAverageTimerValue(StopWatchInterface**) { return 0; }
"""


# Blocks at the border read a row before their array and one behind it, and do not use what they read.
def mend_srad_v2(source: Path) -> None:
    program = source / "srad.cu"
    with_rows = r"cudaMalloc((void**)& \1_cuda, sizeof(float) * (size_I + 2 * cols)); \1_cuda += cols;"
    text = re.sub(r"cudaMalloc\(\(void\*\*\)& ([JC])_cuda, sizeof\(float\)\* size_I\);", with_rows, program.read_text())
    program.write_text(re.sub(r"cudaFree\(([JC])_cuda\)", r"cudaFree(\1_cuda - cols)", text))


def fewer_iterations(program: Path) -> None:
    text = program.read_text()
    program.write_text(text.replace("#define iterations 2000", "#define iterations 100"))


def mend_cfd(source: Path) -> None:
    (source / "helper_cuda.h").write_text(SAMPLES_CUDA)
    (source / "helper_timer.h").write_text(SAMPLES_TIMER)
    fewer_iterations(source / "euler3d.cu")


def mend_cfd_of_openmp(source: Path) -> None:
    fewer_iterations(source / "euler3d_cpu.cpp")


@dataclass(frozen=True)
class Side:
    folder: str  # of the sources, in cuda/ or openmp/
    sources: str
    arguments: str
    flags: str = ""
    change: Callable[[Path], None] | None = None
    by_nvcc_11: bool = False


@dataclass(frozen=True)
class Program:
    name: str
    shown: str  # in the table
    cuda: Side
    openmp: Side
    result: str = ""  # a file that both versions write alike; "printed" is standard output


MUMMERGPU = " ".join(f"src/{each}" for each in ("mummergpu.cu", "mummergpu_gold.cpp", "suffix-tree.cpp", "PoolMalloc.cpp", "mummergpu_main.cpp"))
# Its functions compare `this` with null.
OF_MUMMERGPU = (
    "-Isrc -DUNIX -include unistd.h -Xcompiler -fopenmp,-fpermissive,-w,-fno-delete-null-pointer-checks "
    "-cudart shared -L{libraries} -l:libcuda.so.1"
)
LEUKOCYTE = "avilib.c find_ellipse.c track_ellipse.c misc_math.c detect_main.c"


def in_folder(folder: str, files: str) -> str:
    return " ".join(f"{folder}/{each}" for each in files.split())


PROGRAMS = [
    Program(
        "pathfinder",
        "pathfinder 200000 200 20",
        Side("pathfinder", "pathfinder.cu", "200000 200 20", "-I../util"),
        Side("pathfinder", "pathfinder.cpp", "200000 200"),
    ),
    Program(
        "lavaMD",
        "lavaMD -boxes1d 5",
        Side("lavaMD", "main.c kernel/kernel_gpu_cuda_wrapper.cu util/num/num.c util/timer/timer.c util/device/device.cu", "-boxes1d 5"),
        Side("lavaMD", "main.c kernel/kernel_cpu.c util/num/num.c util/timer/timer.c", "-cores 1 -boxes1d 5"),
    ),
    Program(
        "hotspot3D",
        "hotspot3D 512 8 100",
        Side("hotspot3D", "3D.cu", "512 8 100 {data}/power_512x8 {data}/temp_512x8 output.out"),
        Side("hotspot3D", "3D.c", "512 8 100 {data}/power_512x8 {data}/temp_512x8 output.out"),
    ),
    Program(
        "streamcluster",
        "streamcluster 10 20 64 8192 8192 1000",
        Side("streamcluster", "streamcluster_cuda_cpu.cpp streamcluster_cuda.cu streamcluster_header.cu", "10 20 64 8192 8192 1000 none output.txt 1"),
        Side("streamcluster", "streamcluster_omp.cpp", "10 20 64 8192 8192 1000 none output.txt 1"),
    ),
    Program(
        "kmeans",
        "kmeans, 100,000 points of 16 numbers, 5 clusters",
        Side(
            "kmeans",
            "cluster.c getopt.c kmeans.c kmeans_clustering.c kmeans_cuda.cu rmse.c",
            "-i {data}/points",
            "-Xcompiler -fopenmp",
            mend_kmeans,
        ),
        Side("kmeans/kmeans_openmp", "cluster.c getopt.c kmeans.c kmeans_clustering.c", "-n 1 -i {data}/points"),
    ),
    Program(
        "backprop",
        "backprop 262144",
        Side("backprop", "backprop.c facetrain.c imagenet.c backprop_cuda.cu", "262144"),
        Side("backprop", "backprop.c facetrain.c imagenet.c backprop_kernel.c", "262144"),
    ),
    Program(
        "nn",
        "nn, 200,000 records",
        Side("nn", "nn_cuda.cu", "{data}/filelist -r 5 -lat 30 -lng 90", "-I../util"),
        Side("nn", "nn_openmp.c", "{data}/filelist 5 30 90"),
    ),
    Program(
        "bfs",
        "bfs, 262,144 nodes",
        Side("bfs", "bfs.cu", "{data}/graph", "-I../util"),
        Side("bfs", "bfs.cpp", "1 {data}/graph"),
        "result.txt",
    ),
    Program(
        "lud",
        "lud -s 1024",
        Side("lud", "cuda/lud.cu cuda/lud_kernel.cu common/common.c", "-s 1024", "-Icommon -I../util"),
        Side("lud", "omp/lud.c omp/lud_omp.c common/common.c", "-n 1 -s 1024", "-Icommon"),
    ),
    Program(
        "srad_v1",
        "srad_v1 100 0.5 502 458",
        Side("srad/srad_v1", "main.cu", "100 0.5 502 458"),
        Side("srad/srad_v1", "main.c", "100 0.5 502 458 1"),
    ),
    Program(
        "hotspot",
        "hotspot 512 2 500",
        Side("hotspot", "hotspot.cu", "512 2 500 {data}/temp_512 {data}/power_512 output.out"),
        Side("hotspot", "hotspot_openmp.cpp", "512 512 500 1 {data}/temp_512 {data}/power_512 output.out"),
    ),
    Program(
        "particlefilter",
        "particlefilter -x 128 -y 128 -z 10 -np 10000",
        Side("particlefilter", "ex_particle_CUDA_float_seq.cu", "-x 128 -y 128 -z 10 -np 10000"),
        Side("particlefilter", "ex_particle_OPENMP_seq.c", "-x 128 -y 128 -z 10 -np 10000"),
    ),
    Program(
        "nw",
        "nw 2048 10",
        Side("nw", "needle.cu", "2048 10", "-I../util"),
        Side("nw", "needle.cpp", "2048 10 1"),
    ),
    Program(
        "srad_v2",
        "srad_v2 1024 1024 0 127 0 127 0.5 20",
        Side("srad/srad_v2", "srad.cu", "1024 1024 0 127 0 127 0.5 20", change=mend_srad_v2),
        Side("srad/srad_v2", "srad.cpp", "1024 1024 0 127 0 127 1 0.5 20"),
    ),
    Program(
        "cfd",
        "cfd (euler3d), 49,152 cells, 100 iterations",
        Side("cfd", "euler3d.cu", "{data}/cells", "-I.", mend_cfd),
        Side("cfd", "euler3d_cpu.cpp", "{data}/cells", "-Dblock_length=8", mend_cfd_of_openmp),
    ),
    Program(
        "b+tree",
        "b+tree, 262,144 keys, 10,000 and 6,000 queries",
        Side(
            "b+tree",
            "main.c kernel/kernel_gpu_cuda_wrapper.cu kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c util/num/num.c util/cuda/cuda.cu",
            "file {data}/keys command {data}/commands",
        ),
        Side("b+tree", "main.c kernel/kernel_cpu.c kernel/kernel_cpu_2.c util/timer/timer.c util/num/num.c", "cores 1 file {data}/keys command {data}/commands"),
    ),
    Program(
        "myocyte",
        "myocyte 100 128 1",
        Side("myocyte", "main.cu", "100 128 1"),
        Side("myocyte", "main.c", "100 128 1 1"),
    ),
    Program(
        "heartwall",
        "heartwall, 4 pictures of 590 x 609",
        Side("heartwall", "main.cu AVI/avilib.c AVI/avimod.c", "{data}/film.avi 4", "-IAVI"),
        Side("heartwall", "main.c AVI/avilib.c AVI/avimod.c", "{data}/film.avi 4 1", "-IAVI"),
    ),
    Program(
        "leukocyte",
        "leukocyte, 12 cells in 5 pictures of 480 x 640",
        Side(
            "leukocyte",
            in_folder("CUDA", f"{LEUKOCYTE} find_ellipse_kernel.cu track_ellipse_kernel.cu") + " meschach_lib/meschach.a",
            "{data}/cells.avi 5",
            "-Imeschach_lib -cudart shared",
            make_meschach,
            by_nvcc_11=True,
        ),
        Side("leukocyte", in_folder("OpenMP", LEUKOCYTE) + " meschach_lib/meschach.a", "5 1 {data}/cells.avi", "-Imeschach_lib", make_meschach),
    ),
    # One program has both versions, and the OpenMP version also asks for a GPU.
    Program(
        "mummergpu",
        "mummergpu, 20,000 reads of 100 bases in a genome of 400,000",
        Side("mummergpu", MUMMERGPU, "{data}/genome {data}/reads", OF_MUMMERGPU, by_nvcc_11=True),
        Side("mummergpu", MUMMERGPU, "-C {data}/genome {data}/reads", OF_MUMMERGPU, by_nvcc_11=True),
        "printed",
    ),
]


def build(side: Side, kind: str, checkout: Path, sources: Path, program: Path, libraries: Path) -> None:
    if program.exists():
        return
    folder = sources / kind / side.folder
    if not folder.exists():
        shutil.copytree(checkout / ("cuda" if side.by_nvcc_11 else kind) / side.folder, folder)
        if kind == "cuda":
            shutil.copytree(checkout / "cuda" / "util", sources / "cuda" / "util", dirs_exist_ok=True)
        if side.change:
            side.change(folder)
    files = side.sources.split()
    flags = side.flags.format(libraries=libraries).split()
    program.parent.mkdir(parents=True, exist_ok=True)
    if side.by_nvcc_11:
        command = [*OF_NVCC_11, *files, *flags, "-o", program, "-lm"]
    elif kind == "cuda":
        command = [*NVCC, *flags, *files, "-o", program, "-lm"]
    else:
        compiler = "g++" if files[0].endswith(".cpp") else "gcc"
        command = [compiler, *OPENMP, *flags, *files, "-o", program, "-lm"]
    print("builds", program.name, kind, file=sys.stderr)
    subprocess.run(command, cwd=folder, check=True)


def processor_seconds(command: list[str | Path], environment: dict[str, str], folder: Path) -> float:
    """Of a program and those that it started."""
    with (folder / "printed").open("w") as printed, (folder / "errors").open("w") as errors:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}: {''.join((folder / name).read_text()[-500:] for name in ('printed', 'errors'))}")
    return usage.ru_utime + usage.ru_stime


class Table:
    def __init__(self, options: argparse.Namespace, work: Path) -> None:
        self.builds = [Path(each).resolve() for each in options.build or [BUILD]]
        self.runs = options.runs
        self.work = work
        self.place = work / "run" / "one" / "two" / "three"
        self.place.mkdir(parents=True, exist_ok=True)
        self.clean = {key: value for key, value in os.environ.items() if not key.startswith(("NVMLKIT_", "CUDA_CACHE", "OMP_"))}
        self.caches = [tempfile.TemporaryDirectory(prefix="cache-", dir=work) for _ in self.builds]

    def cuda(self, program: Program, number: int) -> float:
        settings = {"NVMLKIT_CUDA_THREADS": "1", "CUDA_CACHE_PATH": self.caches[number].name}
        command = [*self.on_machine(number), self.work / "cuda" / program.name]
        return self.measure([*command, *self.arguments(program.cuda)], settings)

    def openmp(self, program: Program) -> float:
        settings = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
        command = [*(self.on_machine(0) if program.openmp.by_nvcc_11 else []), self.work / "openmp" / program.name]
        return self.measure([*command, *self.arguments(program.openmp)], settings)

    def on_machine(self, number: int) -> list[str | Path]:
        return [self.builds[number] / "bin" / "nvmlkit", "run", "-m", "h100", "--"]

    def arguments(self, side: Side) -> list[str]:
        return side.arguments.format(data=self.work / "run" / "data").split()

    def measure(self, command: list[str | Path], settings: dict[str, str]) -> float:
        return processor_seconds(command, self.clean | settings, self.place)

    def row(self, program: Program) -> tuple[list[float], float]:
        """Seconds of CUDA for each build, and of OpenMP."""
        cuda = [math.inf] * len(self.builds)
        written = set()
        for _ in range(self.runs):
            for number in range(len(self.builds)):
                cuda[number] = min(cuda[number], self.cuda(program, number))
                written.add(self.result_of(program))
        openmp = min(self.openmp(program) for _ in range(self.runs))
        written.add(self.result_of(program))
        if len(written) != 1:
            sys.exit(f"{program.name}: {program.result} of CUDA and of OpenMP differ")
        return cuda, openmp

    def result_of(self, program: Program) -> bytes:
        return (self.place / program.result).read_bytes() if program.result else b""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--work", type=Path, help="where programs and data are kept; by default a folder that is removed at the end")
    parser.add_argument("--only", default="", help="programs, with commas between them")
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--build", action="append", metavar="DIR", help="of nvmlkit; may be given several times")
    options = parser.parse_args()
    chosen = [program for program in PROGRAMS if not options.only or program.name in options.only.split(",")]
    if not NVCC_11.exists():
        for program in [each for each in chosen if each.cuda.by_nvcc_11]:
            print(f"{program.name} is left out: `scripts/setup --with-cuda` unpacks a compiler that knows its texture references", file=sys.stderr)
            chosen.remove(program)
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        data = work / "run" / "data"
        if not (data / "reads").exists():
            make_data(data)
        table = Table(options, work)
        for program in chosen:
            for kind, side in (("cuda", program.cuda), ("openmp", program.openmp)):
                build(side, kind, options.checkout, work / "sources", work / kind / program.name, table.builds[0] / "lib")
        heads = ["CUDA, s"] if len(table.builds) == 1 else [f"{each}, s" for each in table.builds]
        print(f"load {os.getloadavg()[0]:.1f}\n\n| program, arguments of the CUDA version | {' | '.join(heads)} | OpenMP, s | times |")
        print("|---" * (len(heads) + 3) + "|")
        times: list[list[float]] = []
        for program in chosen:
            cuda, openmp = table.row(program)
            times.append([each / openmp for each in cuda])
            cells = [*(f"{each:.2f}" for each in cuda), f"{openmp:.3f}", ", ".join(f"{each:.1f}" for each in times[-1])]
            print(f"| {program.shown} | {' | '.join(cells)} |", flush=True)
        means = [math.exp(sum(math.log(row[k]) for row in times) / len(times)) for k in range(len(heads))]
        print(f"\nGeometric mean: {', '.join(f'{mean:.2f}' for mean in means)}. Load {os.getloadavg()[0]:.1f}.")


if __name__ == "__main__":
    main()
