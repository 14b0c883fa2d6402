"""Compiles the C++ blocks of a Markdown page: compile_blocks.py --compiler CXX --include DIR PAGE.

A block with a main() or a namespace is a program of its own; any other becomes the body of a function in which
`library` and `device` mean what the guides say they mean, unless the block declares them itself. Errors carry the
page's own line numbers. With --link, a block with a main() is linked and run too, and has to end with status 0.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FENCE = re.compile(r"^```cpp[^\n]*\n(.*?)^```", re.M | re.S)
GIVEN = {
    "library": "const nvml::Library& library",
    "device": "const nvml::Device& device",
    "driver": "const sim::SimulatedDriver& driver",
}
HEADERS = """#include <nvmlkit/interpose.hpp>
#include <nvmlkit/nvml.hpp>
#include <nvmlkit/sim/table.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
"""


def declares(code: str, name: str) -> bool:
    return re.search(rf"(?:\bauto|\bLibrary|\bDevice)\s*&?\s+{name}\b\s*(?:=|:|\(|\{{)", code) is not None


def stands_alone(code: str) -> bool:
    return re.search(r"^\s*(?:int main|namespace|struct|class|template|TEST)\b", code, re.M) is not None or "#include" in code


def function(code: str, number: int) -> str:
    given = ", ".join(text for name, text in GIVEN.items() if not declares(code, name))
    # A lambda may return anything, and a block may end with a return of its own.
    return f"static auto block_{number} = []({given}) {{\n{code}\n}};\n"


def programs(page: Path, text: str) -> list[str]:
    """What is compiled for a page: each block that stands alone, and all others together."""
    together = [f"{HEADERS}namespace nvml = nvmlkit::nvml;\nnamespace abi = nvmlkit::abi;\n"
                "namespace sim = nvmlkit::sim;\nnamespace interpose = nvmlkit::nvml::interpose;\n"]
    alone = []
    for number, block in enumerate(FENCE.finditer(text)):
        place = f'#line {text.count(chr(10), 0, block.start(1)) + 1} "{page.name}"\n'
        if stands_alone(block.group(1)):
            alone.append(f"{HEADERS}{place}{block.group(1)}")
        else:
            together.append(function(f"{place}{block.group(1)}", number))
    return alone + (["".join(together)] if len(together) > 1 else [])


def runs(source: str, command: list[str], link: list[str]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        built = subprocess.run([*command, "-", "-x", "none", *link, "-o", str(program)], input=source, text=True, check=False)
        return built.returncode == 0 and subprocess.run([program], timeout=300, check=False).returncode == 0


def words(code: str) -> str:
    """The code without spaces and comments: the same text in another place looks the same."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", code))


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--compiler", required=True)
    options.add_argument("--include", action="append", default=[])
    options.add_argument("--link", action="append", default=[], help="what a whole program is linked with")
    options.add_argument("--example", type=Path, help="a program that has to contain the first block word for word")
    options.add_argument("page", type=Path)
    arguments = options.parse_args()
    text = arguments.page.read_text(encoding="utf-8")
    blocks = FENCE.findall(text)
    if not blocks:
        print(f"{arguments.page}: no C++ in it")
        return 1
    failed = 0
    if arguments.example and words(blocks[0]) not in words(arguments.example.read_text(encoding="utf-8")):
        print(f"{arguments.example} does not contain the first block of {arguments.page.name}")
        failed += 1
    for source in programs(arguments.page, text):
        command = [arguments.compiler, "-std=c++20", "-w", "-x", "c++", *(f"-I{directory}" for directory in arguments.include)]
        if arguments.link and "int main()" in source:
            failed += not runs(source, command, arguments.link)
        else:
            failed += subprocess.run([*command, "-fsyntax-only", "-"], input=source, text=True, check=False).returncode != 0
    print(f"{arguments.page.name}: {len(blocks)} blocks, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
