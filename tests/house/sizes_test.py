#!/usr/bin/env python3
"""sizes_test.py ROOT: no C++ file and no function outside generated/ is too long to read at once."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from sizes import LONGEST_FILE, LONGEST_FUNCTION, complaints, functions_of

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2])
SUFFIXES = (".cpp", ".hpp", ".cppm", ".inc", ".c", ".h", ".cu", ".cuh")


def sources() -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True
    ).stdout.splitlines()
    if not listed:  # not a clone
        listed = [str(path.relative_to(ROOT)) for folder in ("bench", "examples", "include", "src", "tests", "tools")
                  for path in (ROOT / folder).rglob("*")]  # fmt: skip
    return [ROOT / name for name in listed
            if name.endswith(SUFFIXES) and "generated/" not in name and (ROOT / name).is_file()]  # fmt: skip


class Sizes(unittest.TestCase):
    def test_of_this_tree(self) -> None:
        files = sources()
        self.assertGreater(len(files), 500)
        found = [line for file in files
                 for line in complaints(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8"))]  # fmt: skip
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_long_functions_are_seen(self) -> None:
        body = "  call();\n" * LONGEST_FUNCTION
        heads = ("int f()", "TEST_F(A, B)", "X::X(int a) : a_(a)", "auto g() -> int", "template <class T>\nvoid h(T t) const")
        for head in heads:
            text = f"namespace n {{\nstruct S {{\n}};\n{head} {{\n{body}}}\n}}\n"
            self.assertEqual(len(complaints("f.cpp", text)), 1, head)
            self.assertEqual(complaints("f.cpp", text.replace("  call();\n", "", 1)), [], head)
        self.assertEqual(len(complaints("f.cpp", f"class C {{\n public:\n  void m() {{\n{body}  }}\n}};\n")), 1)

    def test_tables_and_literals_are_no_functions(self) -> None:
        rows = '    {"a", f(1)},\n' * 100
        self.assertEqual(functions_of(f"constexpr Row kRows[] = {{\n{rows}}};\n"), [])
        text = 'const char* const k = R"(\nvoid f() {\n)";\n// void g() {\nint h() {\n  return \'{\';\n}\n'
        self.assertEqual([(f.head, f.length) for f in functions_of(text)], [("int h()", 2)])

    def test_long_files_are_seen(self) -> None:
        self.assertEqual(complaints("f.cpp", "int a;\n" * LONGEST_FILE), [])
        self.assertEqual(len(complaints("f.cpp", "int a;\n" * (LONGEST_FILE + 1))), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
