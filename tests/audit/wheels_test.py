#!/usr/bin/env python3
"""Programs that bring CUDA libraries of their own, as wheels of PyPI do, get the simulated ones from `nvmlkit run`."""

import os
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ["NVMLKIT_BUILD_DIR"])
PROGRAM = os.environ["NVMLKIT_TEST_PROGRAM"]
WHEEL = Path(os.environ["NVMLKIT_TEST_WHEEL"])
OURS = BUILD / "lib"


def libraries(*arguments: str, options: tuple = (), **env: str) -> dict:
    """The files of the libraries in the program, by their names."""
    done = subprocess.run([BUILD / "bin/nvmlkit", "run", "-m", "t4", *options, "--", PROGRAM, *map(str, arguments)],
                          capture_output=True, text=True, env={**os.environ, **env}, check=True)
    assert not done.stderr, done.stderr
    return {Path(line).name: Path(line).resolve().parent for line in done.stdout.splitlines()}


class Wheels(unittest.TestCase):
    def test_a_library_of_ours_takes_the_place_of_one_that_rpath_finds(self):
        self.assertEqual(libraries()["libcufft.so.11"], OURS)

    def test_a_library_that_we_do_not_have_stays(self):
        self.assertEqual(libraries()["libcusparseLt.so.0"], WHEEL)

    def test_a_path_is_replaced_too(self):
        seen = libraries(WHEEL / "libcufft.so.11", WHEEL / "libcusparseLt.so.0")
        self.assertEqual((seen["libcufft.so.11"], seen["libcusparseLt.so.0"]), (OURS, WHEEL))

    def test_the_driver_of_a_path_stays(self):
        self.assertEqual(libraries(WHEEL / "libcuda.so.1")["libcuda.so.1"], WHEEL)

    def test_they_stay_where_that_is_asked_for(self):
        self.assertEqual(libraries(options=("--keep-rpath",))["libcufft.so.11"], WHEEL)
        self.assertEqual(libraries(NVMLKIT_KEEP_RPATH="1")["libcufft.so.11"], WHEEL)

    def test_the_driver_of_a_branch_has_the_same_libraries(self):
        self.assertEqual(libraries(NVMLKIT_DRIVER="550")["libcufft.so.11"], OURS)

    def test_other_audit_libraries_stay(self):
        done = subprocess.run([BUILD / "bin/nvmlkit", "run", "-m", "t4", "--", "sh", "-c", "echo $LD_AUDIT"], text=True,
                              capture_output=True, env={**os.environ, "LD_AUDIT": str(OURS / "libnvmlkit-node.so")}, check=True)
        self.assertEqual(done.stdout.strip(), f"{OURS}/libnvmlkit-audit.so:{OURS}/libnvmlkit-node.so")

    def test_a_program_inside_of_another_has_it_once(self):
        run = [BUILD / "bin/nvmlkit", "run", "-m", "t4", "--"]
        done = subprocess.run([*run, *run, "sh", "-c", "echo $LD_AUDIT"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), f"{OURS}/libnvmlkit-audit.so")


if __name__ == "__main__":
    unittest.main()
