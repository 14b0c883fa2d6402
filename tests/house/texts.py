#!/usr/bin/env python3
"""Only what talks to people makes the text of an error, and nothing decides by it.

    texts.py ROOT    prints each source file that includes a header below and is no edge

The words of an error are Prose, which only words_of() of base/words.hpp can read. sim/problem/text.hpp makes the text of
a sim::Problem of it, ptx/parse/error_text.hpp that of a ptx::Error. Code that includes none of them has nothing to decide
by but the values of an error: its kind, owner, field, place, subject.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"(base/words|sim/problem/text|ptx/parse/error_text)\.hpp"', re.MULTILINE)
SOURCES = {".cpp", ".hpp", ".inc", ".in"}

# Files that write texts for people.
EDGES = {
    "src/capture/machine.cpp": "notes of a capture",
    "src/cli/commands/run.cpp": "why a program does not start, in its own process",
    "src/cli/commands/status.cpp": "machines that cannot be opened, listed beside the others",
    "src/cdi_hook/main.cpp": "what keeps a container from starting",
    "src/cli/node.cpp": "what a node cannot write to the kernel log",
    "src/cli/node_problems.cpp": "what a node cannot do now and tries again",
    "src/cli/main.cpp": "the line on stderr that ends a command",
    "src/cli/top_steering.cpp": "what a key of `nvmlkit top` cannot do",
    "src/driver/cuda/code/modules.cpp": "the driver's log of a module that it refuses",
    "src/ptx/parse/ptxas_log.cpp": "the log of a JIT, or of ptxas, where ptxas' own words are not known",
    "src/driver/complain.hpp": "the line on stderr of a driver library",
    "src/driver/nvml/library/in_process.cpp": "the detail of an error of the C++ interface",
    "src/ptx/decode/decode.cpp": "the line of a kernel that reaches what is not simulated",
    "src/ptx/parse/error_text.cpp": "the text itself",
    "src/recording/report.cpp": "why a replay left values out",
    "src/scenario/run_step.cpp": "what a scenario reports of a step",
    "src/scenario/shelf.cpp": "what a node says of a wrong scenario file",
    "src/serve/api/error.cpp": "why the server refuses a request",
    "src/sim/config/pack_machines.cpp": "what stops the build at a wrong built-in machine",
    "src/sim/problem/text.cpp": "the text itself",
    "src/smi_log/machine.cpp": "notes of an import",
}


def check(root: Path) -> list[str]:
    problems = []
    seen = set()
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SOURCES or not path.is_file():
            continue
        name = path.relative_to(root).as_posix()
        if not INCLUDE.search(path.read_text(encoding="utf-8")):
            continue
        seen.add(name)
        if name not in EDGES:
            problems.append(f"{name}: makes texts of problems; decide by their kind, owner and field, and return them")
    problems += [f"{name}: makes no text any more; take it off the list" for name in sorted(set(EDGES) - seen)]
    return problems


def main() -> int:
    problems = check(Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
