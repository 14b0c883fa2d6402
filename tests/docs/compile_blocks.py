"""Compiles the C++ blocks of a Markdown page: compile_blocks.py --compiler CXX --include DIR PAGE.

A block with a main() or a namespace is a program of its own; any other becomes the body of a function in which
`library`, `device` and `gpu` mean what the guides say they mean, unless the block declares them itself. A block marked
`cpp` is compiled, one with another word after its fence is left alone. Errors carry the page's own line numbers.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

FENCE = re.compile(r"^```cpp[^\n]*\n(.*?)^```", re.M | re.S)
GIVEN = {
    "library": "const nvml::Library& library",
    "device": "const nvml::Device& device",
}
HEADERS = """#include <nvmlkit/nvml.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
"""


def declares(code: str, name: str) -> bool:
    return re.search(rf"(?:\bauto|\bLibrary|\bDevice)\s*&?\s+{name}\b\s*(?:=|:|\(|\{{)", code) is not None


def program(page: Path, line: int, code: str) -> str:
    place = f'#line {line} "{page.name}"\n'
    if re.search(r"^\s*(?:int main|namespace|struct|class|template|TEST)\b", code, re.M) or "#include" in code:
        return f"{HEADERS}{place}{code}"
    given = ", ".join(text for name, text in GIVEN.items() if not declares(code, name))
    # A lambda may return anything, and a block may end with a return of its own.
    return (f"{HEADERS}namespace nvml = nvmlkit::nvml;\nnamespace abi = nvmlkit::abi;\n"
            f"[[maybe_unused]] static auto block = []({given}) {{\n{place}{code}\n}};\n")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--compiler", required=True)
    options.add_argument("--include", action="append", default=[])
    options.add_argument("page", type=Path)
    arguments = options.parse_args()
    text = arguments.page.read_text(encoding="utf-8")
    blocks = list(FENCE.finditer(text))
    if not blocks:
        print(f"{arguments.page}: no C++ in it")
    failed = 0
    for block in blocks:
        line = text.count("\n", 0, block.start(1)) + 1
        command = [arguments.compiler, "-std=c++20", "-fsyntax-only", "-w", "-x", "c++",
                   *(f"-I{directory}" for directory in arguments.include), "-"]
        done = subprocess.run(command, input=program(arguments.page, line, block.group(1)), text=True, check=False)
        failed += done.returncode != 0
    print(f"{arguments.page.name}: {len(blocks)} blocks, {failed} do not compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
