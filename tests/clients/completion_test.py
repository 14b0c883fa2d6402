#!/usr/bin/env python3
"""Completion of nvmlkit's words: what is offered, and the scripts in real shells."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from clients import COMMAND, SOURCE


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVMLKIT_", "MOCK_NVML_", "LD_LIBRARY_PATH"))}
        cls.environment = {
            **clean,
            "HOME": str(cls.folder),
            "XDG_RUNTIME_DIR": str(cls.folder),
            "PATH": f"{COMMAND.parent}:{clean['PATH']}",
            "TERM": "dumb",
            "LC_ALL": "C.UTF-8",
        }
        for name, machine in (("", "t4"), ("job-1", "h100"), ("job-2", "h100")):
            option = ["--name", name] if name else []
            cls.output("up", "-m", machine, "-n", "2", *option)
        (cls.folder / "files").mkdir()
        (cls.folder / "files" / "machine.yaml").write_text("")
        (cls.folder / "files" / "more").mkdir()

    @classmethod
    def output(cls, *arguments: str) -> str:
        return subprocess.run(
            [COMMAND, *arguments], capture_output=True, text=True, check=True, env=cls.environment, timeout=120
        ).stdout

    @classmethod
    def offered(cls, *words: str) -> list[str]:
        return [line.split("\t")[0] for line in cls.output("complete", "--", *words).splitlines()]


class Words(Completion):
    def test_commands_and_options(self) -> None:
        self.assertLessEqual({"run", "list", "up", "vgpu", "completion"}, set(self.offered("")))
        self.assertNotIn("complete", self.offered(""))
        self.assertEqual(self.offered("sta"), ["status"])
        self.assertEqual(self.offered("vgpu", ""), ["create", "list", "destroy"])
        self.assertEqual(self.offered("help", "vgpu", "c"), ["create"])
        self.assertEqual(self.offered("status", "--j"), ["--json"])
        self.assertNotIn("--json", self.offered("status", "--json", "--"))
        self.assertEqual(self.offered("status", "no", "-"), self.offered("status", "-"))
        self.assertEqual(self.offered("no-such-command", ""), self.offered("no-such-command", "x", ""))

    def test_values(self) -> None:
        self.assertEqual(self.offered("run", "-m", "h10")[0], "h100")
        self.assertEqual(self.offered("run", "--machine=h10")[0], "--machine=h100")
        self.assertEqual(self.offered("run", "-c", ""), [":files"])
        self.assertEqual(self.offered("root", ""), [":folders"])
        self.assertIn("550", self.offered("list", "--driver", ""))
        self.assertEqual(self.offered("down", "--name", ""), ["default", "job-1", "job-2"])
        self.assertEqual(self.offered("completion", "b"), ["bash"])
        self.assertEqual(self.offered("time", ""), ["real", "virtual", "advance"])
        self.assertIn("0.8.0", self.offered("root", "x", "--cdi-version", ""))

    def test_gpus_are_those_of_the_machine(self) -> None:
        self.assertEqual(self.offered("get", ""), ["gpu=all", "gpu=0", "gpu=1"])
        self.assertEqual(self.offered("get", "--name", "nothing", ""), ["gpu=all"])
        uuid = self.output("get", "gpu=1", "uuid", "--name", "job-1").strip()
        self.assertIn(f"gpu={uuid}", self.offered("get", "--name=job-1", "gpu=GPU"))
        self.assertNotIn(f"gpu={uuid}", self.offered("get", "gpu=GPU"))

    def test_fields(self) -> None:
        self.assertIn("power.", self.offered("get", "gpu=0", "pow"))
        self.assertIn("power.limit_mw", self.offered("get", "gpu=0", "power.lim"))
        self.assertIn("power.limit_mw=", self.offered("set", "gpu=0", "power.lim"))
        self.assertIn("compute_mode=prohibited", self.offered("set", "gpu=0", "power.limit_mw=1", "compute_mode="))
        self.assertEqual(self.offered("get", "gpu=0", "power.limit_mw."), [])

    def test_every_path_that_is_offered_can_be_got(self) -> None:
        left, leaves = [""], 0
        while left:
            for path in self.offered("get", "gpu=0", left.pop()):
                if path.endswith("."):
                    left.append(path)
                else:
                    leaves += 1
                    if leaves % 40 == 0:
                        self.output("get", "gpu=0", path)
        self.assertGreater(leaves, 200)

    def test_faults(self) -> None:
        self.assertIn("machine", self.offered("fault", ""))
        self.assertIn("xid", self.offered("fault", "gpu=0", ""))
        self.assertNotIn("xid", self.offered("fault", "machine", ""))
        self.assertEqual(self.offered("fault", "gpu=0", "fail", "nvmlDeviceGetTemperatureV"), ["nvmlDeviceGetTemperatureV"])
        self.assertIn("GPU_IS_LOST", self.offered("fault", "gpu=0", "fail", "all", "GPU"))

    def test_a_program_is_the_shells_business(self) -> None:
        self.assertEqual(self.offered("run", "-m", "t4", ""), [":programs"])
        self.assertEqual(self.offered("run", "-m", "t4", "--", ""), [":programs"])
        self.assertEqual(self.offered("run", "-m", "t4", "ls", "-"), [":files"])
        self.assertEqual(self.offered("list", "--", ""), [])

    def test_odd_lines_do_no_harm(self) -> None:
        for words in ([], ["--"], ["-"], ["run", "--", "--", "x"], ["get", "=", "="], ["\t", "\n"], ["--name"]):
            self.output("complete", "--", *words)


# What is typed, and one word of what stands on the line afterwards or is offered.
LINES = {
    "nvmlkit sta": ["status"],
    "nvmlkit vgpu cr": ["create"],
    "nvmlkit run -m h10": ["h100"],
    "nvmlkit get gpu=": ["gpu=0", "gpu=1", "gpu=all"],
    "nvmlkit get gpu=0 power.lim": ["power.limit_mw"],
    "nvmlkit down --name job": ["job-1", "job-2"],
    "nvmlkit check files/ma": ["files/machine.yaml"],
    "nvmlkit run -m t4 -- sleepy-pro": ["sleepy-program"],
}


class Bash(Completion):
    def test_in_bash(self) -> None:
        program = self.folder / "bin" / "sleepy-program"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        script = """
          eval "$(nvmlkit completion bash)"
          COMP_LINE=$1 COMP_POINT=${#1}
          # as readline splits words
          mapfile -t COMP_WORDS < <(grep -oE '[=:]+|[^=: ]+' <<<"$1")
          COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          $(complete -p nvmlkit | grep -o '_nvmlkit')
          printf '%s\\n' "${COMPREPLY[@]}"
        """
        for line, expected in LINES.items():
            with self.subTest(line=line):
                result = subprocess.run(
                    ["bash", "--norc", "-c", script, "bash", line], capture_output=True, text=True, cwd=self.folder,
                    env={**self.environment, "PATH": f"{program.parent}:{self.environment['PATH']}"}, timeout=120,
                )  # fmt: skip
                # bash itself completes what stands behind the last =.
                words = [word.split("=")[-1] if "gpu=" in line else word for word in expected]
                offered = [word for word in result.stdout.splitlines() if word]
                self.assertEqual(sorted(words), sorted(offered) if len(words) > 1 else offered[: len(words)], result.stderr)

    def test_the_script_passes_shellcheck(self) -> None:
        if not shutil.which("shellcheck"):
            self.skipTest("no shellcheck here")
        script = SOURCE / "src" / "cli" / "completion" / "nvmlkit.bash"
        subprocess.run(["shellcheck", str(script)], check=True)


class Fish(Completion):
    def test_in_fish(self) -> None:
        if not shutil.which("fish"):
            self.skipTest("no fish here")
        for line, expected in LINES.items():
            if "sleepy" in line:
                continue  # programs of PATH: fish's own business
            with self.subTest(line=line):
                result = subprocess.run(
                    ["fish", "--no-config", "-c", f'nvmlkit completion fish | source; complete -C "{line}"'],
                    capture_output=True, text=True, cwd=self.folder, env=self.environment, timeout=120,
                )  # fmt: skip
                offered = [entry.split("\t")[0] for entry in result.stdout.splitlines()]
                self.assertLessEqual(set(expected), set(offered), result.stderr)


class Zsh(Completion):
    def typed(self, line: str, complete: Callable[[str], bool]) -> str:
        """What an interactive zsh writes when the line and two tabs are typed, and the line as it is then."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.environment)
        # A terminal on which a list of words needs no pages.
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 160, 0, 0))
        start = (
            "PS1='' RPS1=''; unsetopt PROMPT_SP; autoload -Uz compinit; compinit -u -D; zstyle ':completion:*' list-prompt ''\n"
            'eval "$(nvmlkit completion zsh)"; show() { print -r -- "[[$BUFFER]]" }; zle -N show; bindkey "^X^B" show\n'
            'print -r -- "rea""dy"\n'
        )
        text = ""

        def read_until(done: Callable[[str], bool]) -> None:
            nonlocal text
            end = time.monotonic() + 60
            while not done(text) and time.monotonic() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    text += os.read(terminal, 1 << 16).decode(errors="replace")

        try:
            os.write(terminal, start.encode())
            read_until(lambda seen: "ready" in seen)
            text = ""
            os.write(terminal, f"{line}\t\t".encode())
            read_until(complete)
            os.write(terminal, b"\x18\x02")
            read_until(lambda seen: "]]" in seen)
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)
        return text

    def test_in_zsh(self) -> None:
        if not shutil.which("zsh"):
            self.skipTest("no zsh here")
        for line, expected in LINES.items():
            if "sleepy" in line:
                continue  # programs of PATH: zsh's own business
            with self.subTest(line=line):
                # A single word stands on the line, several are listed.
                if len(expected) == 1:
                    missing = expected[0][len(line.split()[-1]) :]
                    text = self.typed(line, lambda seen, missing=missing: missing in seen)
                    whole = " ".join([*line.split()[:-1], expected[0]])
                    self.assertIn(f"[[{whole}", text)
                else:
                    text = self.typed(line, lambda seen, expected=expected: all(word in seen for word in expected))
                    for word in expected:
                        self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
