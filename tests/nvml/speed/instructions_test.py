#!/usr/bin/env python3
"""Counts the instructions of a call through the bindings and of the same call through the C function pointer.

    instructions_test.py VALGRIND PROGRAM LIBRARY

Two runs that differ only in the number of calls give the cost of one call, whatever start and end cost. The bound is
the design's own: 1.1 times the raw call. Also bounded: how many instructions more, which does not depend on how much
the library behind the pointer does.
"""
import os
import re
import subprocess
import sys
import tempfile

RATIO = 1.1
MORE = 5  # instructions
FEW, MANY = 1000, 11000


def instructions(valgrind, program, how, what, count, environment):
    with tempfile.TemporaryDirectory() as folder:
        command = [valgrind, "--tool=callgrind", "--callgrind-out-file=" + os.path.join(folder, "out"), program, how,
                   what, str(count)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)} answers {run.returncode}:\n{run.stderr}")
    return int(re.search(r"Collected : (\d+)", run.stderr).group(1)), run.stdout


def main():
    valgrind, program, library = sys.argv[1:4]
    environment = dict(os.environ, NVMLKIT_NVML_LIBRARY=library, NVMLKIT_MACHINE="h100")
    failed = False
    for what in ("power_usage", "temperature", "clock_info"):
        cost, sums = {}, {}
        for how in ("raw", "bindings"):
            few, _ = instructions(valgrind, program, how, what, FEW, environment)
            many, sums[how] = instructions(valgrind, program, how, what, MANY, environment)
            cost[how] = (many - few) / (MANY - FEW)
        ratio, more = cost["bindings"] / cost["raw"], cost["bindings"] - cost["raw"]
        print(f"{what}: raw {cost['raw']:.1f}, bindings {cost['bindings']:.1f} instructions a call: {ratio:.3f}x, "
              f"{more:+.1f}")
        if sums["raw"] != sums["bindings"] or cost["raw"] < 5:
            sys.exit(f"{what}: the two loops do not ask the same: {sums}, {cost}")
        failed = failed or ratio > RATIO or more > MORE
    if failed:
        sys.exit(f"more than {RATIO}x or more than {MORE} instructions above the raw call")


if __name__ == "__main__":
    main()
