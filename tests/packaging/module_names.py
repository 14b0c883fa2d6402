#!/usr/bin/env python3
"""module_names.py ROOT: the module nvmlkit.nvml exports every name that <nvmlkit/nvml.hpp> declares, and no other.

Names of namespaces called `detail` are nobody's; members and nested types come with their class."""

import re
import sys
from pathlib import Path

NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*', re.DOTALL | re.MULTILINE)
INCLUDE = re.compile(r'^#include [<"](?:nvmlkit/)?([\w/]+\.(?:hpp|inc))[>"]', re.MULTILINE)
TOKEN = re.compile(r"\w+|::|[^\s\w]")
PAIRS = {"(": ")", "{": "}", "[": "]", "<": ">"}


def read_with_includes(headers: Path, name: str, seen: dict[str, str]) -> None:
    if name in seen or not (headers / name).exists():  # build_config.hpp is written when the project is configured
        return
    seen[name] = (headers / name).read_text(encoding="utf-8")
    for included in INCLUDE.findall(seen[name]):
        read_with_includes(headers, included, seen)


class Reader:
    """The names that a text declares in namespaces, as "nvmlkit::nvml::Device"."""

    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(NO_CODE.sub(" ", text))
        self.at = 0
        self.names: set[str] = set()

    def all(self) -> set[str]:
        self.scope([])
        return self.names

    def token(self) -> str:
        return self.tokens[self.at]

    def skip(self, opening: str) -> list[str]:
        """Goes behind the bracket that closes the one here; what is between them."""
        start, depth = self.at + 1, 0
        while True:
            depth += (self.token() == opening) - (self.token() == PAIRS[opening])
            self.at += 1
            if depth == 0:
                return self.tokens[start : self.at - 1]

    def scope(self, namespaces: list[str]) -> None:
        while self.at < len(self.tokens) and self.token() != "}":
            if self.token() == "export":
                self.at += 1
            elif self.token() == "namespace":
                end = self.tokens.index("{", self.at)
                inner = [t for t in self.tokens[self.at + 1 : end] if t != "::"]
                self.at = end + 1
                self.scope(namespaces + inner)
                self.at += 1  # the closing brace
            else:
                self.declaration(namespaces)

    def declaration(self, namespaces: list[str]) -> None:
        words: list[str] = []  # up to where the name is told
        enumerators: list[str] = []
        told = False
        while True:
            token = self.token()
            if token == ";":
                self.at += 1
                break
            if token == "{":
                body = self.skip("{")
                if words[0] == "enum" and words[1] != "class":
                    enumerators = re.findall(r"(?:^|,)(\w+)", "".join(body))
                told = True
                if words[0] in ("class", "struct", "union", "enum") or "constexpr" in words and "(" not in words:
                    continue  # a semicolon follows
                break
            if words[-1:] == ["operator"] and not told:
                end = next(i for i in range(self.at, len(self.tokens)) if self.tokens[i] in ("(", ";"))
                words.append("".join(self.tokens[self.at : end]))
                self.at = end
            elif token in ("<", "[") and not told:
                self.skip(token)
            elif token == "(":
                self.skip("(")
                words += [] if told else ["("]
                told = True
            else:
                told = told or token in ("=", ":")
                words += [] if told else [token]
                self.at += 1
        words = [w for w in words if w != "("]
        identifiers = [w for w in words if re.fullmatch(r"[A-Za-z_]\w*", w)]
        if namespaces[:1] != ["nvmlkit"] or "detail" in namespaces or identifiers in ([], ["static_assert"]):
            return
        name = "".join(words[words.index("operator") :]) if "operator" in words else identifiers[-1]
        self.names.update("::".join([*namespaces, each]) for each in [name, *enumerators])


def names_in(headers: Path, first: str) -> set[str]:
    files: dict[str, str] = {}
    read_with_includes(headers, first, files)
    return set().union(*(Reader(text).all() for text in files.values()))


def main() -> int:
    headers = Path(sys.argv[1]) / "include" / "nvmlkit"
    declared = names_in(headers, "nvml.hpp")
    module = (headers / "nvmlkit.cppm").read_text(encoding="utf-8").partition("export module")[2]
    exported = Reader(module.partition(";")[2]).all()
    for included in INCLUDE.findall(module):
        exported |= Reader((headers / included).read_text(encoding="utf-8")).all()
    for name in sorted(declared - exported):
        print(f"nvmlkit.cppm does not export {name}")
    for name in sorted(exported - declared):
        print(f"nvmlkit.cppm exports {name}, which <nvmlkit/nvml.hpp> does not declare")
    print(f"{len(declared)} names are declared, {len(exported)} exported")
    return 1 if declared != exported or len(declared) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
