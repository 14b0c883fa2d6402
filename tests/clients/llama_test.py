#!/usr/bin/env python3
"""llama.cpp with its CUDA backend, as Debian packages it, on a simulated H100 against its own CPU backend.

NVMLKIT_TEST_LLAMA is a folder with llama.cpp-tests, llama.cpp-examples, libggml0-backend-cuda and what they depend on, unpacked.
Programs are started through their own C library. Without the folder, the test is skipped.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import gguf

BUILD = Path(os.environ["NVMLKIT_BUILD_DIR"])
LLAMA = Path(os.environ.get("NVMLKIT_TEST_LLAMA") or "/nonexistent")
LIBRARIES = LLAMA / "usr/lib/x86_64-linux-gnu"
BACKENDS = LIBRARIES / "ggml/backends0"  # ggml looks for backends in the current folder


def run(program: str, *arguments: str, **env: str) -> subprocess.CompletedProcess:
    start = f'exec "$0" --library-path "$LD_LIBRARY_PATH:{LIBRARIES}:{LIBRARIES}/llama:{BACKENDS}" "$@"'
    return subprocess.run([BUILD / "bin/nvmlkit", "run", "-m", "h100", "--", "sh", "-c", start, LIBRARIES / "ld-linux-x86-64.so.2",
                           LLAMA / "usr" / program, *map(str, arguments)], cwd=BACKENDS, capture_output=True,
                          env={**os.environ, "CUDA_VISIBLE_DEVICES": "0", **env})


class Llama(unittest.TestCase):
    def test_operations_equal_those_of_the_cpu(self):
        operations = "CPY,CUMSUM,GEGLU,MUL,NORM,RMS_NORM,SOFT_MAX,SSM_CONV"
        done = run("libexec/x86_64-linux-gnu/ggml/test-backend-ops", "test", "-b", "CUDA0", "-o", operations)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, output[-2000:] + done.stderr.decode()[-1000:])
        passed, total = map(int, re.search(r"(\d+)/(\d+) tests passed", output).groups())
        self.assertEqual(passed, total)
        self.assertGreater(total, 500)

    def test_a_model_gives_the_tokens_of_the_cpu(self):
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder) / "random.gguf"
            gguf.write_model(model)
            words = {}
            for layers in (0, 99):
                done = run("bin/llama-completion", "-m", model, "-p", "hello", "-n", "40", "--temp", "0", "-ngl", layers, "-no-cnv",
                           "--no-warmup", "-lv", "4")
                self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace")[-2000:])
                words[layers] = done.stdout
            self.assertIn(b"offloaded 3/3 layers to GPU", done.stderr)
            self.assertGreater(len(words[0]), 40)
            self.assertEqual(words[99], words[0])


if __name__ == "__main__":
    if not LLAMA.is_dir():
        print("skipped: no llama.cpp with CUDA (NVMLKIT_TEST_LLAMA)")
        sys.exit(77)
    unittest.main()
