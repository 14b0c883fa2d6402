"""cache_test.py PROGRAM: the machine code on disk is used again, and nothing in its folder makes a result wrong."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
# Of the program, which may run under an emulator: a number of its file.
MACHINE = int.from_bytes(Path(PROGRAM).read_bytes()[18:20], "little")
X86_64, AARCH64 = 62, 183


class Cache(unittest.TestCase):
    def setUp(self) -> None:
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.home = Path(made.name)
        self.folder = self.home / "cache" / "nvmlkit"

    def start(self, engine: str = "compile", seed: str = "4", **more: object) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA_CACHE")}
        environment |= {"NVMLKIT_CUDA_ENGINE": engine, "CUDA_CACHE_PATH": str(self.home / "cache"), **more.pop("environment", {})}
        return subprocess.Popen([PROGRAM, seed], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def run_one(self, engine: str = "compile", **more: object) -> str:
        process = self.start(engine, **more)
        out, err = process.communicate()
        if "is not there" in err:
            print("the compiler was not built")
            os._exit(77)
        self.assertEqual((process.returncode, err), (0, ""))
        return out

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("llvmcache-*"))  # not the time of the last pruning

    def plans(self) -> list[Path]:
        return [file for file in self.files() if "-plan-" in file.name]

    def pieces(self) -> list[Path]:
        return [file for file in self.files() if "-plan-" not in file.name]

    def loads_the_compiler(self, expected: str) -> bool:
        """Whether a further process loads LLVM."""
        log = self.home / "log"
        self.assertEqual(self.run_one(environment={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log)}), expected)
        written = "".join(file.read_text(errors="replace") for file in self.home.glob("log.*"))
        for file in self.home.glob("log.*"):
            file.unlink()
        self.assertIn("libc.so", written)
        return "libnvmlkit_ptx_compiler" in written

    def test_a_second_process_uses_what_the_first_made(self) -> None:
        expected = self.run_one("interpret")
        begin = time.monotonic()
        self.assertEqual(self.run_one(), expected)
        first, made = time.monotonic() - begin, self.files()
        self.assertGreater(len(made), 5)
        self.assertEqual(self.folder.stat().st_mode & 0o777, 0o700)
        before = {(file.name, file.stat().st_ino) for file in self.pieces()}
        begin = time.monotonic()
        self.assertEqual(self.run_one(), expected)
        self.assertLess(time.monotonic() - begin, first)
        self.assertLessEqual(before, {(file.name, file.stat().st_ino) for file in self.pieces()})

    @unittest.skipUnless(MACHINE in (X86_64, AARCH64), "machine code of other processors is linked by LLVM")
    def test_after_some_processes_nothing_is_compiled(self) -> None:
        expected = self.run_one("interpret")
        self.assertTrue(self.loads_the_compiler(expected))
        left = 6
        while left and self.loads_the_compiler(expected):
            left -= 1
        self.assertGreater(left, 0)
        made = self.pieces()
        self.assertFalse(self.loads_the_compiler(expected))
        self.assertEqual(self.pieces(), made)
        # Not for other vectors, whose code is of no use here.
        if MACHINE == X86_64:
            self.assertEqual(self.run_one(environment={"NVMLKIT_CUDA_VECTORS": "128"}), expected)
            self.assertGreater(len(self.pieces()), len(made))
            self.assertFalse(self.loads_the_compiler(expected))
        # Nor where the code of a plan is gone.
        for file in made:
            file.unlink()
        self.assertTrue(self.loads_the_compiler(expected))

    def test_a_kernel_of_the_same_name_has_a_plan_of_its_own(self) -> None:
        expected = self.run_one("interpret")
        other = self.run_one("interpret", seed="2")
        for _ in range(2):
            self.assertEqual(self.run_one(), expected)
            self.assertEqual(self.run_one(seed="2"), other)
        plans = self.plans()
        self.assertGreater(len(plans), 1)
        kept = [plan.read_bytes() for plan in plans]
        for plan, content in zip(plans, kept[1:] + kept[:1]):
            plan.write_bytes(content)
        self.assertEqual(self.run_one(), expected)
        self.assertEqual(self.run_one(seed="2"), other)

    def test_plans_of_nonsense(self) -> None:
        expected = self.run_one("interpret")
        self.run_one()
        (plan,) = self.plans()
        title, line, *_ = plan.read_text()[:-64].splitlines()
        for content in ("", title + "\n", f"{title}\n{line} 1\n", f"{title}\n4000000000 {line}\n", f"{title}\n{line[:-64]}{'0' * 64}\n", "\0" * 100):
            plan.write_text(content + hashlib.sha256(content.encode()).hexdigest())
            self.assertEqual(self.run_one(), expected)
            self.assertTrue(plan.read_text().startswith(f"{title}\n{line[:2].strip()}"), content)

    def test_files_that_are_not_whole_are_made_again(self) -> None:
        expected = self.run_one()
        made = self.files()
        for number, file in enumerate(made):
            content = file.read_bytes()
            middle = len(content) // 2
            other_byte = bytes([content[middle] ^ 1])
            changed = [content[:-70], content[:middle] + other_byte + content[middle + 1 :], b"", content[:40]]
            file.write_bytes(changed[number % 4])
        sizes = [file.stat().st_ino for file in made]
        self.assertEqual(self.run_one(), expected)
        self.assertEqual(self.files(), made)
        self.assertTrue(all(old != file.stat().st_ino for old, file in zip(sizes, made)))

    def test_a_folder_of_others_is_not_used(self) -> None:
        expected = self.run_one()
        for file in self.files():
            file.unlink()
        self.folder.chmod(0o770)
        self.assertEqual(self.run_one(), expected)
        self.assertEqual(self.files(), [])
        self.folder.chmod(0o700)
        self.folder.rename(self.home / "elsewhere")
        self.folder.symlink_to(self.home / "elsewhere")
        self.assertEqual(self.run_one(), expected)
        self.assertEqual(self.files(), [])

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files to others")
    def test_files_and_folders_that_others_own_are_not_used(self) -> None:
        expected = self.run_one()
        made = self.files()
        for file in made:
            os.chown(file, 65534, 65534)
        self.assertEqual(self.run_one(), expected)
        self.assertEqual([file.stat().st_uid for file in made], [0] * len(made))
        os.chown(self.folder, 65534, 65534)
        for file in made:
            file.unlink()
        self.assertEqual(self.run_one(), expected)
        self.assertEqual(self.files(), [])

    def test_a_full_disk_leaves_nothing_behind(self) -> None:
        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

        self.assertEqual(self.run_one(preexec_fn=limit), self.run_one("interpret"))
        self.assertEqual(self.pieces(), [])
        self.assertEqual(self.run_one(), self.run_one("interpret"))

    def test_processes_at_once(self) -> None:
        expected = self.run_one("interpret")
        killed = [self.start() for _ in range(2)]
        others = [self.start() for _ in range(3)]
        time.sleep(0.1)
        for process in killed:
            process.kill()
            process.communicate()
        for process in others:
            self.assertEqual(process.communicate()[0], expected)
        self.assertEqual(self.run_one(), expected)

    def test_switched_off(self) -> None:
        self.run_one(environment={"CUDA_CACHE_DISABLE": "1"})
        self.run_one(environment={"CUDA_CACHE_MAXSIZE": "0"})
        self.assertFalse(self.folder.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
