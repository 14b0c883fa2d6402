"""agree.py PROGRAM FIRST COUNT: programs by chance leave the same memory, whether they are interpreted or compiled."""
import os
import subprocess
import sys

program, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def outputs(engine):
    environment = dict(os.environ, NVMLKIT_CUDA_ENGINE=engine, CUDA_CACHE_DISABLE="1")
    ran = subprocess.run([program, str(first), str(count)], env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{engine}: ended with {ran.returncode}\n{ran.stderr}")
    if "is not there" in ran.stderr:
        print("the compiler was not built")
        sys.exit(77)
    return ran.stdout.splitlines()


expected, got = outputs("interpret"), outputs("compile")
different = [a.split()[0] for a, b in zip(expected, got) if a != b]
print(f"{len(expected)} programs, {len(different)} differ")
if len(expected) != count or len(got) != count or different:
    print("look at them: NVMLKIT_CUDA_ENGINE=compile", program, different[0] if different else first, "1 --show")
    sys.exit(1)
