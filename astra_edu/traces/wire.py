"""Protobuf's wire format: numbers of seven bits a byte, and pieces with their length in front.

Messages end with END here. Whatever isn't as usual raises UnusualError, or an error of Python's own for bytes.
"""

from __future__ import annotations

END = b"\0"
"""No field begins with it, so that nobody has to ask whether a message is over."""


class UnusualError(Exception):
    """Bytes that are left to protobuf."""


def number_at(data: bytes, at: int) -> tuple[int, int]:
    """(the number that begins there, where it ends), seven bits a byte, the lowest first."""
    number = data[at]
    if number < 128:
        return number, at + 1
    byte = data[at + 1]
    number += (byte << 7) - 128
    if byte < 128:
        return number, at + 2
    byte = data[at + 2]
    number += byte - 1 << 14
    if byte < 128:
        return number, at + 3
    return _long_number_at(data, at)


def _long_number_at(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 64, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            break
    else:
        raise UnusualError
    if number >= 2**64:
        raise UnusualError
    return number, at


def numbers_in(piece: bytes) -> tuple[int, ...]:
    """The numbers that a piece consists of."""
    if piece.isascii():
        return tuple(piece)
    numbers, number, shift = [], 0, 0
    for byte in piece:
        if byte < 128:
            numbers.append(number + (byte << shift))
            number = shift = 0
        else:
            number += byte - 128 << shift
            shift += 7
            if shift > 63:
                raise UnusualError
    if shift or max(numbers) >= 2**64:
        raise UnusualError
    return tuple(numbers)


def number_bytes(number: int) -> bytes:
    """A number of 64 bits as number_at reads it. Raises ValueError for others."""
    if 0 <= number < 128:
        return _SMALL[number]
    if not 128 <= number < 2**64:
        raise ValueError
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


_SMALL = [bytes([number]) for number in range(128)]


def piece_at(data: bytes, at: int) -> tuple[int, int]:
    """(begin, end) of the bytes whose length is noted there."""
    size = data[at]
    if size < 128:
        return at + 1, at + 1 + size
    size, at = number_at(data, at)
    return at, at + size


def texts_at(data: bytes, tags: tuple[int, ...]) -> tuple[list[str], int]:
    """(the texts in the fields with these tags, each there or not; where they end)."""
    texts, at = [], 0
    for tag in tags:
        begin = end = at
        if data[at] == tag:
            begin, end = piece_at(data, at + 1)
        texts.append(data[begin:end].decode())
        at = end
    return texts, at
