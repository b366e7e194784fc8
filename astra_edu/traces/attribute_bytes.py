"""An attribute of a node as its bytes (Chakra's AttributeProto), read without protobuf; see et_bytes."""

from __future__ import annotations

from collections.abc import Callable
from struct import unpack
from typing import Any

from astra_edu.traces.node import Attribute
from astra_edu.traces.schema import FIRST_MEMBER, MEMBERS
from astra_edu.traces.wire import END, UnusualError, number_at, piece_at

Read = Callable[[bytes, int], tuple[Any, int]]
"""read(data, at): (the value that begins there, where it ends)."""

_FIXED = {"double": "<d", "float": "<f", "fixed32": "<I", "fixed64": "<Q", "sfixed32": "<i", "sfixed64": "<q"}


def attribute_of_bytes(piece: bytes) -> tuple[str, Attribute]:
    """(its name, the attribute) in a message AttributeProto."""
    data = piece + END
    name, doc, at = "", "", 0
    if data[0] == 0x0A:
        begin, at = piece_at(data, 1)
        name = data[begin:at].decode()
    if data[at] == 0x12:
        begin, at = piece_at(data, at + 1)
        doc = data[begin:at].decode()
    if len(data) == at + 1:
        return name, Attribute(None, "", doc)
    tag, at = number_at(data, at)
    member, wire, read = _READ[tag >> 3]
    if tag & 7 != wire:
        raise UnusualError
    value, at = read(data, at)
    if len(data) != at + 1:
        raise UnusualError
    return name, Attribute(value, member, doc)


def _whole(kind: str) -> Read:
    """Reads numbers of a kind whose bits are a varint."""
    bits = int(kind[-2:]) if kind != "bool" else 1
    least, most = (0, 2**bits) if kind[0] in "ub" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    zigzag, signed, truth = kind.startswith("sint"), kind.startswith("int"), kind == "bool"

    def read(data: bytes, at: int) -> tuple[Any, int]:
        number, at = number_at(data, at)
        if zigzag:
            number = number >> 1 ^ -(number & 1)
        elif signed and number >= 2**63:
            number -= 2**64
        if not least <= number < most:
            raise UnusualError
        return bool(number) if truth else number, at

    return read


def _fixed(form: str, size: int) -> Read:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        (value,) = unpack(form, data[at : at + size])
        return value, at + size

    return read


def _text(data: bytes, at: int) -> tuple[Any, int]:
    begin, end = piece_at(data, at)
    return data[begin:end].decode(), end


def _bytes(data: bytes, at: int) -> tuple[Any, int]:
    begin, end = piece_at(data, at)
    return data[begin:end], end


def _several(wire: int, read: Read) -> Read:
    """Reads lists: numbers stand in one piece, texts and bytes in a field each."""
    tag = 0x0A

    def of(data: bytes, at: int) -> tuple[Any, int]:
        begin, end = piece_at(data, at)
        piece, values, at = data[begin:end] + END, [], 0
        if wire != 2 and piece[0] == tag:
            at, last = piece_at(piece, 1)
            if last != len(piece) - 1:
                raise UnusualError
            while at < last:
                value, at = read(piece, at)
                values.append(value)
        while wire == 2 and piece[at] == tag:
            value, at = read(piece, at + 1)
            values.append(value)
        if len(piece) != at + 1:
            raise UnusualError
        return tuple(values), end

    return of


def _reads() -> dict[int, tuple[str, int, Read]]:
    """For each number of a field its member, its wire type, and what reads it."""
    found: dict[int, tuple[str, int, Read]] = {}
    wire: int
    read: Read
    for number, (member, kind) in enumerate(MEMBERS.items(), start=FIRST_MEMBER):
        if kind in _FIXED:
            size = 4 if kind in ("float", "fixed32", "sfixed32") else 8
            wire, read = 5 if size == 4 else 1, _fixed(_FIXED[kind], size)
        elif kind in ("string", "bytes"):
            wire, read = 2, _text if kind == "string" else _bytes
        else:
            wire, read = 0, _whole(kind)
        found[number] = (member, 2, _several(wire, read)) if member.endswith("_list") else (member, wire, read)
    return found


_READ = _reads()
