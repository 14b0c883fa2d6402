"""Messages of Protocol Buffers, as far as the tests need them: a message is a dict from field number to value.

A value is a str, bytes, int, bool, another message, or a list of these. Zeros and empty texts are left out, as proto3 does.
"""

from __future__ import annotations

Value = "str | bytes | int | dict | list"


def encode(message: dict[int, Value]) -> bytes:
    return b"".join(_field(number, value) for number, value in message.items())


def decode(data: bytes) -> dict[int, list]:
    """Each field as the list of its values: ints, or bytes whose meaning the caller knows."""
    out: dict[int, list] = {}
    at = 0
    while at < len(data):
        tag, at = _varint_at(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint_at(data, at)
        elif kind == 2:
            length, at = _varint_at(data, at)
            value, at = data[at : at + length], at + length
        else:
            raise ValueError(f"field {number} has wire type {kind}, which no message here uses")
        out.setdefault(number, []).append(value)
    return out


def texts(data: bytes, number: int) -> list[str]:
    return [value.decode() for value in decode(data).get(number, [])]


def text(data: bytes, number: int) -> str:
    return next(iter(texts(data, number)), "")


def _field(number: int, value: Value) -> bytes:
    if isinstance(value, list):
        return b"".join(_field(number, each) or _bytes(number, b"") for each in value)
    if isinstance(value, dict):
        return _bytes(number, encode(value))
    if isinstance(value, int):  # and bool
        return _varint(number << 3) + _varint(int(value)) if value else b""
    raw = value.encode() if isinstance(value, str) else value
    return _bytes(number, raw) if raw else b""


def _bytes(number: int, raw: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _varint_at(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
