#!/usr/bin/env python3
"""CCCL's own tests of CUB and Thrust in the engines: builds each, runs it, and compares what it prints.
    bench/cccl.py CHECKOUT --work DIR [--only FILE,FILE] [--skip FILE,FILE] [--workers N] [--catch2 PREFIX] [--build DIR]
                  [--most SECONDS] [--cases]
CHECKOUT is a checkout of github.com/NVIDIA/cccl; nothing is written there. A FILE is as in its name: `cub/block_reduce` is
cub/test/catch2_test_block_reduce.cu, `thrust/sort` is thrust/testing/sort.cu. Of a test with variants, the first one is built.
Catch2 has version 3. DIR keeps programs and results: a second call goes on with the files that have none.

DIR/results.tsv has a row for each file: what came of it, the last line that the test prints, the seconds of the processor
interpreted, with `auto` and, for short ones, with `compile`. DIR/differ has what was written by those whose results differ.

With --cases, each case of a file runs by itself, interpreted and with `auto`; --most is for each of them. A case uses what was
compiled for those before it. DIR/cases has a row for each case, and a file's row says how many passed. Of a file in --only, the
cases that did not end in both engines run again."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

import engines

MACHINE = "a100"
NVCC = ["nvcc", "-O2", "-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-cudart", "shared", "-w", "-gencode", "arch=compute_80,code=compute_80"]
# Of CUB's tests; Thrust's use the short names of Catch2.
OF_CUB = "-DCATCH_CONFIG_PREFIX_ALL"
C2H = ("catch2_runner_helper", "generators", "generators_gen_values", "generators_uniform_offsets", "generators_vector")
MOST_BUILDING, MOST = 900.0, 60.0
ALL_SKIPPED = 4  # status of Catch2
# A test that takes less in the interpreter is run with `compile`, too.
SHORT = 2.0


def first_variant(source: Path) -> list[str]:
    """Of `// %PARAM% NAME label 0:1:2`, -DNAME=0."""
    return [f"-D{name}={values.split(':')[0]}" for name, values in re.findall(r"%PARAM%\s+(\w+)\s+\S+\s+(\S+)", source.read_text())]


def last_line(end: engines.Ended) -> str:
    """Of those that say no times: how many passed."""
    lines = [line.strip() for line in end.lines() if line.strip()]
    return lines[-1][:120].replace("\t", " ") if lines else ""


def seconds_of(end: engines.Ended) -> str:
    return f"{end.seconds:.1f}" if end.status is not None else f">{end.seconds:.0f}"


def is_known(verdict: str) -> bool:
    """Of a case: it does not run again."""
    return verdict != "too slow" and not verdict.endswith("in one engine")


class Tests:
    def __init__(self, options: argparse.Namespace) -> None:
        self.checkout = options.checkout.resolve()
        self.work = options.work.resolve()
        self.build = options.build.resolve()
        self.catch2 = options.catch2
        self.most = options.most
        self.runs_cases = options.cases
        for name in ("bin", "objects", "differ", "cases"):
            (self.work / name).mkdir(parents=True, exist_ok=True)
        self.results = engines.Results(self.work / "results.tsv")
        cub = {f"cub/{path.stem.removeprefix('catch2_test_')}": path for path in self.checkout.glob("cub/test/**/catch2_test_*.cu")}
        thrust = {f"thrust/{path.stem}": path for path in self.checkout.glob("thrust/testing/*.cu")}
        self.files = cub | thrust

    def compile(self, *words: str | Path) -> engines.Ended:
        includes = ["cub", "thrust", "thrust/testing", "cub/test", "libcudacxx/include", "c2h/include"]
        flags = [f"-I{self.checkout / each}" for each in includes]
        if self.catch2:
            flags += [f"-I{self.catch2 / 'include'}", f"-L{self.catch2 / 'lib'}"]
        defines = ["-DC2H_HAS_CURAND=1", "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP"]
        return engines.run([*NVCC, *defines, *flags, *words], self.work, MOST_BUILDING)

    def object_of(self, source: Path, *words: str) -> Path:
        out = self.work / "objects" / f"{source.parent.name}_{source.stem}.o"
        if not out.exists():
            ended = self.compile("-c", source, "-o", out, *words)
            if not ended.is_right:
                sys.exit(f"{source} is not built:\n{ended.written.decode(errors='replace')[-2000:]}")
        return out

    def make_common(self) -> None:
        print("builds what all tests share", file=sys.stderr)
        self.of_cub = [self.object_of(self.checkout / "c2h" / f"{name}.cu", OF_CUB) for name in ("catch2_runner", *C2H)]
        unittest = self.checkout / "thrust" / "testing" / "unittest"
        self.of_thrust = [self.object_of(unittest / name) for name in ("testframework.cu", "cuda/testframework.cu")]

    def command(self, name: str, source: Path) -> list[str | Path] | None:
        program = self.work / "bin" / name.replace("/", "_")
        is_catch2 = source.stem.startswith("catch2_")
        if name.startswith("cub/"):
            shared, libraries = [OF_CUB, *self.of_cub], ["-lCatch2", "-lcurand", "-lcuda", "-lnvrtc", "-lnvJitLink"]
        elif is_catch2:
            shared, libraries = [], ["-lCatch2Main", "-lCatch2"]
        else:
            shared, libraries = self.of_thrust, []
        if not program.exists():
            built = self.compile(*first_variant(source), source, *shared, "-o", program, *libraries)
            if not built.is_right:
                (self.work / "differ" / f"{program.name}.build").write_bytes(built.written[-100000:])
                return None
        if name.startswith("cub/"):
            return [program, *(["[small-mem]"] if b"CUB_SMALL" in source.read_bytes() else []), "--rng-seed", "1"]
        return [program, "--rng-seed", "1"] if is_catch2 else [program, "--device=0", "--sizes=small"]

    def result(self, name: str) -> list[str]:
        command = self.command(name, self.files[name])
        if not command:
            return ["not built"]
        return self.by_cases(name, command) if self.runs_cases else self.whole(name, command)

    def run(self, engine: str, command: list[str | Path], cache: Path | None = None) -> engines.Ended:
        return engines.run_in(engine, command, self.work, self.most, machine=MACHINE, build=self.build, cache=cache)

    def whole(self, name: str, command: list[str | Path]) -> list[str]:
        ends = {"interpret": self.run("interpret", command), "auto": self.run("auto", command)}
        if ends["interpret"].status is not None and ends["interpret"].seconds < SHORT:
            ends["compile"] = self.run("compile", command)
        verdict, last = self.judged(name.replace("/", "_"), ends)
        return [verdict, last, *(seconds_of(end) for end in ends.values())]

    def judged(self, file: str, ends: dict[str, engines.Ended]) -> tuple[str, str]:
        """What came of it, and the last line."""
        ended = {engine: end for engine, end in ends.items() if end.status is not None}
        results = {(end.status, last_line(end)) for end in ended.values()}
        if len(results) > 1 or any(not end.is_right for end in ended.values()):
            for engine, end in ends.items():
                (self.work / "differ" / f"{file}.{engine}").write_bytes(end.written[-1000000:])
        if len(results) != 1:
            return ("differ" if results else "too slow"), ""
        ((status, last),) = results
        return {0: "passed", ALL_SKIPPED: "skipped by itself"}.get(status, f"status {status}"), last

    def cases(self, command: list[str | Path]) -> dict[str, list[str]]:
        """The words that choose each case, by its name."""
        is_catch2 = "--rng-seed" in command
        listed = self.run("interpret", [*command, *(("--list-tests", "--verbosity", "quiet") if is_catch2 else ("--list",))])
        names = [line.strip() for line in listed.written.decode().splitlines() if line.strip()]
        if not listed.is_right or not names:
            sys.exit(f"{command[0]} does not list its cases:\n{listed.written.decode(errors='replace')[-2000:]}")
        return {name: [re.sub(r'([][",\\~*])', r"\\\1", name) if is_catch2 else name] for name in names}

    def by_cases(self, name: str, command: list[str | Path]) -> list[str]:
        file = name.replace("/", "_")
        results = engines.Results(self.work / "cases" / f"{file}.tsv")
        before = {case for case, (verdict, *_) in results.rows().items() if is_known(verdict)}
        # Catch2 adds the words of a filter to a case that is named.
        words = [word for word in command if not str(word).startswith("[")]
        cases = self.cases(command)
        with tempfile.TemporaryDirectory(prefix="cache-") as cache:

            def one(case: str) -> list[str]:
                ends = {engine: self.run(engine, [*words, *cases[case]], Path(cache)) for engine in ("interpret", "auto")}
                verdict, last = self.judged(f"{file}.{list(cases).index(case)}", ends)
                ended = sum(end.status is not None for end in ends.values())
                return [verdict + (" in one engine" if ended == 1 else ""), last, *(seconds_of(end) for end in ends.values())]

            results.make([case for case in cases if case not in before], one, workers=1)
        rows = results.rows().values()
        seconds = [sum(float(row[column].strip(">")) for row in rows) for column in (2, 3)]
        return ["by cases", results.summary(", "), *(f"{each:.1f}" for each in seconds)]


def main() -> None:
    parser = engines.parser(__doc__)
    parser.add_argument("--skip", type=engines.names_in, default=[], help="names, with commas between them")
    parser.add_argument("--catch2", type=Path, help="where it is installed, if the compiler does not find it")
    parser.add_argument("--most", type=float, default=MOST, help="seconds of the processor for a run")
    parser.add_argument("--cases", action="store_true", help="run each case by itself")
    options = parser.parse_args()
    tests = Tests(options)
    names = engines.chosen(tests.files, options.only, [*tests.results.rows(), *options.skip])
    tests.make_common()
    tests.results.make(names, tests.result, options.workers)
    print(tests.results.summary(), file=sys.stderr)


if __name__ == "__main__":
    main()
