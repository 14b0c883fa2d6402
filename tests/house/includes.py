#!/usr/bin/env python3
"""Each room of src/ and include/ includes only the rooms below it that rooms.txt allows.

    includes.py ROOT           checks; prints each wrong #include, and says how many files and arrows there are
    includes.py ROOT --text    prints the rooms from the top to the bottom, with what each includes
    includes.py ROOT --dot     the same as a drawing for Graphviz
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(nvmlkit/[^>]+)>)')
SOURCES = {".c", ".cpp", ".cppm", ".h", ".hpp", ".inc", ".in"}
BASES = ["src", "include"]
# Where the name in an #include may begin; in the bindings, as their CMakeLists.txt has it, below src/bindings too.
PLACES = [*BASES, "src/bindings"]


@dataclass
class Room:
    name: str
    paths: list[str]
    allowed: list[str]
    line: int


@dataclass
class House:
    rooms: list[Room] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def room_of(self, path: str) -> Room | None:
        """The room with the longest path that the file lies under."""
        best, length = None, -1
        for room in self.rooms:
            for prefix in room.paths:
                if (path == prefix or path.startswith(prefix + "/")) and len(prefix) > length:
                    best, length = room, len(prefix)
        return best


def read_rooms(text: str) -> House:
    """Lines of NAME = PATH ... : ROOM ...; a room may include only rooms of earlier lines."""
    house = House()
    names: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        shape = re.fullmatch(r"(\S+)\s+= ([^:]+):(.*)", line)
        if not shape:
            house.problems.append(f"rooms.txt:{number}: expected NAME = PATH ... : ROOM ...")
            continue
        name, paths, allowed = shape[1], shape[2].split(), shape[3].split()
        if name in names:
            house.problems.append(f"rooms.txt:{number}: there are two rooms {name}")
        for other in allowed:
            if other not in names:
                house.problems.append(f"rooms.txt:{number}: {name} includes {other}, which is no room below it")
        names.append(name)
        house.rooms.append(Room(name, paths, allowed, number))
    return house


def files_of(root: Path) -> list[str]:
    found = []
    for base in BASES:
        for path in sorted((root / base).rglob("*")):
            if path.is_file() and path.suffix in SOURCES:
                found.append(path.relative_to(root).as_posix())
    return found


def target_of(name: str, source: str, files: set[str]) -> str | None:
    for base in [*PLACES, Path(source).parent.as_posix()]:
        candidate = (Path(base) / name).as_posix()
        if candidate in files:
            return candidate
    return None


@dataclass
class Drawing:
    files: int = 0
    arrows: Counter = field(default_factory=Counter)  # (room, room) -> number of #include lines
    includes: dict = field(default_factory=lambda: defaultdict(list))  # file -> files of the same room
    problems: list[str] = field(default_factory=list)


def read_includes(root: Path, house: House, made: set[str]) -> Drawing:
    """`made`: headers that the build makes; they belong to the room of their path under include/."""
    drawing = Drawing()
    files = files_of(root)
    known = set(files) | made
    for source in files:
        drawing.files += 1
        room = house.room_of(source)
        if room is None:
            drawing.problems.append(f"{source}: lies in no room of rooms.txt")
            continue
        for number, line in enumerate((root / source).read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match[1] or match[2]
            target = target_of(name, source, known)
            if target is None:
                drawing.problems.append(f"{source}:{number}: no file {name} in src/ or include/")
                continue
            drawing.includes[source].append(target)
            other = house.room_of(target)
            if other is None or other is room:
                continue
            drawing.arrows[room.name, other.name] += 1
            if other.name not in room.allowed:
                direction = "above it" if house.rooms.index(other) > house.rooms.index(room) else "which its line lacks"
                drawing.problems.append(f"{source}:{number}: {room.name} includes {name} of {other.name}, {direction}")
    return drawing


def unused(house: House, drawing: Drawing) -> list[str]:
    out = []
    for room in house.rooms:
        for other in room.allowed:
            if not drawing.arrows[room.name, other]:
                out.append(f"rooms.txt:{room.line}: {room.name} does not include {other}")
    return out


def circles(includes: dict) -> list[str]:
    """Headers that include each other."""
    out, state = [], {}

    def visit(file: str, trail: list[str]) -> None:
        state[file] = "open"
        for target in includes.get(file, []):
            if state.get(target) == "open":
                out.append("circle: " + " -> ".join([*trail[trail.index(target):], target]))
            elif target not in state:
                visit(target, [*trail, target])
        state[file] = "done"

    for file in sorted(includes):
        if file not in state:
            visit(file, [file])
    return out


def as_text(house: House, drawing: Drawing) -> str:
    width = max(len(room.name) for room in house.rooms)
    lines = []
    for room in reversed(house.rooms):
        below = [other for other in room.allowed if drawing.arrows[room.name, other]]
        lines.append(f"{room.name:<{width}}  {' '.join(below)}".rstrip())
    return "\n".join(lines)


def as_dot(house: House, drawing: Drawing) -> str:
    lines = ["digraph rooms {", "  rankdir=TB; node [shape=box];"]
    lines += [f'  "{room.name}";' for room in reversed(house.rooms)]
    lines += [f'  "{a}" -> "{b}" [label={count}];' for (a, b), count in sorted(drawing.arrows.items())]
    return "\n".join([*lines, "}"])


def check(root: Path, rooms: str, made: set[str]) -> tuple[House, Drawing, list[str]]:
    house = read_rooms(rooms)
    drawing = read_includes(root, house, made)
    return house, drawing, [*house.problems, *drawing.problems, *unused(house, drawing), *circles(drawing.includes)]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", type=Path)
    options.add_argument("--text", action="store_true")
    options.add_argument("--dot", action="store_true")
    given = options.parse_args()
    sys.setrecursionlimit(10000)
    rooms = (Path(__file__).parent / "rooms.txt").read_text(encoding="utf-8")
    # cmake/build_config.hpp.in
    house, drawing, problems = check(given.root, rooms, {"include/nvmlkit/detail/build_config.hpp"})
    if given.text or given.dot:
        print(as_text(house, drawing) if given.text else as_dot(house, drawing))
        return 0
    for problem in problems:
        print(problem)
    print(f"{len(house.rooms)} rooms, {drawing.files} files, {sum(drawing.arrows.values())} includes between rooms, "
          f"{len(problems)} problems")
    return 1 if problems or drawing.files < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
