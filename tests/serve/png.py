"""Makes pictures of the screen small: PNG with a palette of 256 colours."""

from __future__ import annotations

import struct
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks_of(data: bytes) -> dict[bytes, bytes]:
    """The content of each kind of chunk."""
    out: dict[bytes, bytes] = {}
    at = len(SIGNATURE)
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        out[kind] = out.get(kind, b"") + data[at + 8 : at + 8 + size]
        at += size + 12
    return out


def lines_of(data: bytes) -> tuple[int, int, list[bytes]]:
    """Width, bytes of a pixel, and the lines of a picture with eight bits for each of three or four channels."""
    chunks = chunks_of(data)
    width, height, depth, kind = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    channels = {2: 3, 6: 4}[kind]
    assert depth == 8
    raw, stride = zlib.decompress(chunks[b"IDAT"]), width * channels
    lines: list[bytes] = []
    above = bytearray(stride)
    for y in range(height):
        begin = y * (stride + 1)
        method, line = raw[begin], bytearray(raw[begin + 1 : begin + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            if method == 1:
                line[i] = (line[i] + left) & 255
            elif method == 2:
                line[i] = (line[i] + above[i]) & 255
            elif method == 3:
                line[i] = (line[i] + (left + above[i]) // 2) & 255
            elif method == 4:
                a, b, c = abs(above[i] - corner), abs(left - corner), abs(left + above[i] - 2 * corner)
                line[i] = (line[i] + (left if a <= b and a <= c else above[i] if b <= c else corner)) & 255
        lines.append(bytes(line))
        above = line
    return width, channels, lines


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other))


def small(data: bytes) -> bytes:
    """The same picture with its most frequent colours that differ; the others become the nearest of these."""
    width, channels, lines = lines_of(data)
    pixels = [[line[i : i + 3] for i in range(0, len(line), channels)] for line in lines]
    counts = Counter(pixel for line in pixels for pixel in line)
    palette: list[bytes] = []
    for colour, _ in counts.most_common():
        if len(palette) < 256 and all(distance(colour, other) > 40 for other in palette):
            palette.append(colour)
    places = {colour: place for place, colour in enumerate(palette)}
    for colour in counts:
        if colour not in places:
            places[colour] = min(range(len(palette)), key=lambda place: distance(colour, palette[place]))
    raw = b"".join(b"\0" + bytes(places[pixel] for pixel in line) for line in pixels)
    head = struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")
