#!/usr/bin/env python3
"""What comes from the descriptions of the commands: --help, man pages, docs/reference/command.md."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from clients import COMMAND, SOURCE

OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")


def nvmlkit(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120)


def good(*arguments: str) -> str:
    result = nvmlkit(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def commands() -> list[tuple[str, ...]]:
    """Every command, by the help of nvmlkit and of the commands that have commands below them."""
    found: list[tuple[str, ...]] = []
    left: list[tuple[str, ...]] = [()]
    while left:
        at = left.pop()
        text = good(*at, "--help")
        if " COMMAND\n" not in text.split("\n\n")[1] + "\n":
            found.append(at)
            continue
        groups = text.split("\nOptions:\n")[0].split("\n\n")[2:]
        left += [(*at, line.split()[0]) for group in groups for line in group.splitlines()[1:] if line[2:3].strip()]
    return sorted(found)


class Help(unittest.TestCase):
    def test_every_command_has_a_summary_and_an_example(self) -> None:
        found = commands()
        self.assertGreaterEqual(len(found), 22)
        self.assertIn(("vgpu", "create"), found)
        for command in found:
            with self.subTest(command=command):
                text = good(*command, "--help")
                self.assertEqual(text, good("help", *command))
                self.assertIn("\nExamples:\n", text)
                self.assertLessEqual(max(map(len, text.splitlines())), 120)
                self.assertTrue(text.splitlines()[0][0].isupper() and not text.splitlines()[0].endswith("."))

    def test_machines_that_are_up_are_named_alike(self) -> None:
        lines = set()
        for command in commands():
            text = good(*command, "--help")
            if "--state FILE" in text:
                lines.add(text.split("A machine that is up:\n")[1].split("\n\n")[0])
        self.assertEqual(len(lines), 1, lines)

    def test_a_wrong_word_is_one_line_with_the_nearest_one(self) -> None:
        cases = {
            ("lst",): "did you mean 'list'?",
            ("vgpu", "crate"): "did you mean 'create'?",
            ("status", "--jsn"): "did you mean '--json'?",
            ("run", "--mchine", "t4", "/bin/true"): "did you mean '--machine'?",
            ("help", "vgpu", "lst"): "did you mean 'list'?",
            ("status", "more"): "unexpected argument 'more'",
            ("list", "--", "more"): "unexpected argument 'more'",
            ("list", "-n", "many"): "--gpus",
            ("list", "-n"): "--gpus",
            ("check",): "FILE",
            ("vgpu",): "which command?",
            (): "which command?",
            ("completion", "csh"): "bash, zsh, fish",
            ("list", "-n", "2", "--name", "x"): "--name",
        }
        for words, expected in cases.items():
            with self.subTest(words=words):
                result = nvmlkit(*words)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(expected, result.stderr)


class Reference(unittest.TestCase):
    def test_the_page_is_current(self) -> None:
        page = (SOURCE / "docs" / "reference" / "command.md").read_text()
        self.assertEqual(
            page,
            good("help", "--reference"),
            "make it anew: build/release/bin/nvmlkit help --reference > docs/reference/command.md",
        )
        for command in commands():
            text = good(*command, "--help")
            chapter = page.split(f"\n## {' '.join(('nvmlkit', *command))}\n")[1].split("\n## ")[0]
            self.assertEqual(set(OPTION.findall(text)) - set(OPTION.findall(chapter)), set())


class Manual(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "man1"
        good("help", "--man", str(self.folder))

    def test_there_is_a_page_for_every_command(self) -> None:
        found = {page.stem for page in self.folder.glob("*.1")}
        expected = {"-".join(("nvmlkit", *command)) for command in commands()} | {
            "nvmlkit",
            "nvmlkit-mig",
            "nvmlkit-process",
            "nvmlkit-scenario",
            "nvmlkit-trace",
            "nvmlkit-vgpu",
        }
        self.assertEqual(found, expected)

    def test_groff_has_no_complaint_and_shows_every_option(self) -> None:
        if not shutil.which("groff"):
            self.skipTest("no groff here")
        for command in [(), *commands()]:
            page = self.folder / ("-".join(("nvmlkit", *command)) + ".1")
            shown = subprocess.run(
                ["groff", "-man", "-ww", "-b", "-z", "-Tutf8", str(page)], capture_output=True, text=True, check=True
            )
            self.assertEqual(shown.stderr, "", page.name)
            text = subprocess.run(
                ["groff", "-man", "-Tascii", "-P-c", "-rLL=200n", str(page)], capture_output=True, text=True, check=True
            ).stdout
            text = re.sub(".\b", "", text)
            for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"):
                self.assertRegex(text, f"(?m)^{heading}$", page.name)
            for option in OPTION.findall(good(*command, "--help")):
                self.assertIn(option, text, page.name)
            for line in good(*command, "--help").partition("\nExamples:\n")[2].splitlines()[::2]:
                self.assertIn(line.strip(), text, page.name)

    def test_man_has_no_warning(self) -> None:
        if not shutil.which("man"):
            self.skipTest("no man here")
        for page in sorted(self.folder.glob("*.1")):
            shown = subprocess.run(
                ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)], capture_output=True, text=True
            )
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), page.name)


if __name__ == "__main__":
    unittest.main()
