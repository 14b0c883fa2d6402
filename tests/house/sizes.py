"""Lengths of the files and functions of C++ sources."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_FILE = 300
LONGEST_FUNCTION = 60

# Comments, literals and preprocessor lines: their braces open nothing.
IGNORED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.S | re.M,
)
SCOPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:inline\s+)?(?:typedef\s+)?(namespace|class|struct|union|enum|extern)\b")


@dataclass(frozen=True)
class Function:
    line: int  # of its opening brace
    head: str
    length: int  # lines from its opening brace to its closing one


def without_ignored(text: str) -> str:
    """The same lines, with what is ignored left blank."""
    return IGNORED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def is_scope(head: str) -> bool:
    """Whether a brace opens a namespace, a class or the like, rather than the body of a function."""
    return head == "" or (bool(SCOPE.match(head)) and not re.search(r"\)\s*(const|noexcept|override|final|\s)*$", head))


def functions_of(text: str) -> list[Function]:
    """The functions outside other functions, tests among them. Lambdas count as lines of their function."""
    functions: list[Function] = []
    open_braces: list[tuple[str, int, str]] = []  # kind, line, head
    head, line = "", 1
    for character in without_ignored(text):
        if character == "\n":
            line += 1
        if character == "{":
            clean = " ".join(head.split())
            inside = bool(open_braces) and open_braces[-1][0] != "scope"
            kind = "inner" if inside else "scope" if is_scope(clean) else "function" if "(" in clean else "inner"
            open_braces.append((kind, line, clean))
            head = ""
        elif character == "}":
            if open_braces:
                kind, start, clean = open_braces.pop()
                if kind == "function":
                    functions.append(Function(start, clean, line - start))
            head = ""
        elif character == ";":
            head = ""
        else:
            head += character
            if head.strip() in ("public:", "private:", "protected:"):
                head = ""
    return functions


def complaints(name: str, text: str) -> list[str]:
    lines = text.count("\n")
    found = [f"{name}: {lines} lines, at most {LONGEST_FILE}"] if lines > LONGEST_FILE else []
    return found + [
        f"{name}:{function.line}: {function.length} lines, at most {LONGEST_FUNCTION}: {function.head[-80:]}"
        for function in functions_of(text)
        if function.length > LONGEST_FUNCTION
    ]
