"""agree_with_driver.py PROGRAM FIRST COUNT COMMAND...: programs by chance leave the same memory in our interpreter (PROGRAM) and on
the driver that COMMAND finds: `nvmlkit run -m h100 -- random_programs_on_driver`, or the program alone where a real GPU is.

Of the first programs that differ it prints the words that do."""

from __future__ import annotations

import os
import subprocess
import sys

program, first, count, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
SHOWN, WORDS = 12, 12


def output(arguments: list[str]) -> list[str]:
    environment = dict(os.environ, NVMLKIT_CUDA_ENGINE="interpret", CUDA_CACHE_DISABLE="1")
    ran = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode == 77:
        print(ran.stderr)
        sys.exit(77)
    if ran.returncode != 0:
        print(f"{' '.join(arguments)}: ended with {ran.returncode}\n{ran.stderr}")
    return ran.stdout.splitlines()


def show(seed: str) -> None:
    ours, theirs = (output([*start, seed, "1", "--show"]) for start in ([program], command))
    different = [(a, b) for a, b in zip(ours, theirs) if a != b and a.startswith("thread")]
    print(f"program {seed}: {len(different)} words differ")
    for a, b in different[:WORDS]:
        print(f"  {a}, the driver's {b.split()[-1]}")


expected, got = output([program, str(first), str(count)]), output([*command, str(first), str(count)])
different = [b.split()[0] for a, b in zip(expected, got) if a != b]
print(f"{len(expected)} programs, {len(different)} differ: {' '.join(different)}")
for seed in different[:SHOWN]:
    show(seed)
if len(expected) != count or len(got) != count or different:
    sys.exit(1)
