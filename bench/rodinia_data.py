"""The data of Rodinia's programs, for rodinia.py: its own are not to be had everywhere."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path


def film(rows: int, columns: int, frames: list[bytes]) -> bytes:
    """An AVI file of grey pictures, which are not compressed."""

    def chunk(name: bytes, *content: bytes) -> bytes:
        data = b"".join(content)
        return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

    def listed(kind: bytes, *content: bytes) -> bytes:
        return chunk(b"LIST", kind, *content)

    size, count = rows * columns, len(frames)
    head = struct.pack("<14I", 40000, size * 25, 0, 16, count, 0, 1, size, columns, rows, 0, 0, 0, 0)
    stream = b"vidsDIB " + struct.pack("<10I4H", 0, 0, 0, 1, 25, 0, count, size, 0, 0, 0, 0, columns, rows)
    picture = struct.pack("<IiiHHIIiiII", 40, columns, rows, 1, 8, 0, size, 0, 0, 0, 0)
    pictures = [chunk(b"00db", frame) for frame in frames]
    places = [4 + sum(map(len, pictures[:k])) for k in range(count)]
    index = b"".join(b"00db" + struct.pack("<III", 16, place, size) for place in places)
    heads = listed(b"hdrl", chunk(b"avih", head), listed(b"strl", chunk(b"strh", stream), chunk(b"strf", picture)))
    return chunk(b"RIFF", b"AVI ", heads, listed(b"movi", *pictures), chunk(b"idx1", index))


# The 46 variables of the model that myocyte's equations are of (Shannon and others, 2004), rounded: gates, what buffers hold,
# concentrations in mmol/l, and the voltage. With numbers by chance, many results are none.
HEART_CELL_AT_REST = """
0.0014 0.987 0.992 0.0000072 1.0 0.024 0.0145 0.0041 0.9946 0.0041 0.9946 0.0086 0.0054 0.888 0.0000008 0.0000001
3.54 0.772 0.0088 0.1078 0.0152 0.0003 0.0013 0.138 0.0021 0.0096 0.111 0.0073 0.073 1.243 0.5545 8.8 8.81 8.81 135
0.00017 0.0001 0.000086 -85.7 0.9946 0 0 0 0 0 0
"""


def picture_of_cells(by_chance: random.Random, rows: int, columns: int, centers: list[tuple[float, float]]) -> bytes:
    """Dark discs with a bright border on noise, upside down, as films have them."""
    out = bytearray(128 + by_chance.randrange(-6, 7) for _ in range(rows * columns))
    for y, x in centers:
        for row in range(int(y) - 11, int(y) + 12):
            for column in range(int(x) - 11, int(x) + 12):
                distance = math.hypot(row - y, column - x)
                if distance < 11:
                    out[(rows - 1 - row) * columns + column] = int(60 + 6 * distance) + by_chance.randrange(-6, 7)
    return bytes(out)


def make_data(folder: Path) -> None:
    """The same numbers each time."""
    by_chance = random.Random(1)

    def write(name: str, lines: list[str]) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(line + "\n" for line in lines))

    def numbers(count: int, least: float, most: float) -> list[str]:
        return [f"{by_chance.uniform(least, most):.6f}" for _ in range(count)]

    def neighbours(cell: int) -> list[str]:
        """Of a cell of 64 x 32 x 24 in rows: those on four sides (the first cell is 1; -1 is outside), each with the direction that its side faces."""
        out = []
        for step, normal in ((1, (1, 0, 0)), (-1, (-1, 0, 0)), (64, (0, 1, 0)), (-64, (0, -1, 0))):
            other = cell + step
            out.append(str(other + 1 if 0 <= other < 49152 else -1))
            out += [f"{each + by_chance.uniform(-0.05, 0.05):.6f}" for each in normal]
        return out

    for name, count in (("512", 512 * 512), ("512x8", 512 * 512 * 8)):
        write(f"temp_{name}", numbers(count, 320, 345))
        write(f"power_{name}", numbers(count, 0, 0.001))
    write("points", [" ".join([str(k), *numbers(16, 0, 255)]) for k in range(100000)])
    write("records", [f"{k:<27} {by_chance.uniform(7, 70):4.1f} {by_chance.uniform(0, 359):5.1f}".ljust(48) for k in range(200000)])
    write("filelist", [str(folder / "records")])
    edges = [[by_chance.randrange(262144) for _ in range(by_chance.randint(2, 10))] for _ in range(262144)]
    starts, total = [], 0
    for each in edges:
        starts.append(f"{total} {len(each)}")
        total += len(each)
    ends = [f"{to} {by_chance.randint(1, 10)}" for each in edges for to in each]
    write("graph", ["262144", *starts, "", "0", "", str(total), *ends])
    write("cells", ["49152", *(" ".join([f"{by_chance.uniform(0.9, 1.1):.6f}", *neighbours(k)]) for k in range(49152))])
    write("keys", ["262144", *(str(by_chance.randrange(1 << 30)) for _ in range(262144))])
    write("commands", ["j 6000 3000", "", "k 10000"])
    frames = [bytes(by_chance.randrange(256) for _ in range(590 * 609)) for _ in range(5)]
    (folder / "film.avi").write_bytes(film(590, 609, frames))
    # myocyte has the path of its data in its code: ../../data/myocyte. Its own data were not to be had.
    write("../one/data/myocyte/y.txt", [*HEART_CELL_AT_REST.split(), *numbers(45, 0.01, 0.1)])
    write("../one/data/myocyte/params.txt", numbers(18, 0.5, 1))
    # srad_v1 has the path of its picture in its code: ../../../data/srad/image.pgm.
    pixels = [str(by_chance.randrange(256)) for _ in range(502 * 458)]
    write("srad/image.pgm", ["P2", "458 502", "255", *(" ".join(pixels[row * 458 : row * 458 + 458]) for row in range(502))])
    cells = [(by_chance.uniform(150, 290), by_chance.uniform(40, 600)) for _ in range(14)]
    steps = [(by_chance.uniform(-0.3, 0.3), by_chance.uniform(-0.7, 0.7)) for _ in cells]
    moved = [[(y + k * down, x + k * right) for (y, x), (down, right) in zip(cells, steps)] for k in range(6)]
    (folder / "cells.avi").write_bytes(film(480, 640, [picture_of_cells(by_chance, 480, 640, centers) for centers in moved]))
    genome = "".join(by_chance.choices("ACGT", k=400000))
    write("genome", [">genome", *(genome[k : k + 70] for k in range(0, len(genome), 70))])

    def read() -> str:
        start = by_chance.randrange(len(genome) - 100)
        out = list(genome[start : start + 100])
        for _ in range(4):
            out[by_chance.randrange(100)] = by_chance.choice("ACGT")
        return "".join(out)

    write("reads", [line for k in range(20000) for line in (f">{k}", read())])
