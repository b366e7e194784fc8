"""Bytes, bandwidths and times: how they are read and printed, and what "GB" means here.

ASTRA-sim's network files say GB/s and mean 2**30 bytes per second (GiB/s); its reports say MB and mean
2**20 bytes (MiB). We keep the field's spelling in files and names, and print the exact unit.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, not_negative

if TYPE_CHECKING:
    from fractions import Fraction

KIB = 2**10
MIB = 2**20
GIB = 2**30

_SCALES = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    _SCALES |= {f"{_letter}IB": 1024**_power, f"{_letter}B": 1000**_power}

_SIZE = r"\s*([0-9]{0,400}\.?[0-9]{1,400}(?:e[+-]?0*[0-9]{1,3})?)\s*([a-z]*)\s*"
_BITS = r"(?:[KMGT]I?)?(?-i:b)|(?:[KMGT]I?)?BITS?|[KMGT]?BPS"


def parse_bytes(text: str | int | float) -> int:
    """Read a size such as 4096, "64 KiB", "1 MiB" or "25 MB" (10**6, as SI has it) as bytes.

    Raises ConfigError when it is no size, is negative, is in bits, or is not a whole number of bytes.
    """
    from decimal import Decimal
    from fractions import Fraction
    from numbers import Rational

    if isinstance(text, str):
        total = _read(text)
    else:
        number = not_negative("size in bytes", text)
        total = Fraction(text) if isinstance(text, (Rational, Decimal)) else Fraction(number)  # floats have 53 bits
    if total.denominator != 1:
        raise ConfigError(f"size is {text!r}; that is {float(total)} bytes, and a byte can't be divided.")
    return int(total)


def _read(text: str) -> Fraction:
    """A size as text in bytes, to the last digit."""
    from fractions import Fraction

    match = re.fullmatch(_SIZE, text, re.IGNORECASE)
    if match and _in_bits(match[2]):
        raise ConfigError(f'size is {text!r}, which is in bits; write bytes, 8 bits each, such as "1 MiB" or "1 GB".')
    unit = match[2].upper() if match else "?"
    if match is None or unit not in _SCALES:
        raise ConfigError(f'size is {text!r:.80}; write bytes, or a number with a unit such as "1 MiB".')
    not_negative("size in bytes", float(match[1]))
    return Fraction(match[1]) * _SCALES[unit]


def _in_bits(unit: str) -> bool:
    """Whether a unit says bits, as Gb does. What is all in small letters, such as gb, is taken for bytes."""
    return bool(re.fullmatch(_BITS, unit, re.IGNORECASE)) and (unit[-1] != "b" or not unit.islower())


def format_bytes(size: float) -> str:
    """Print bytes with a binary unit: 1048576 -> "1 MiB"."""
    for scale, unit in ((1024**4, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size >= scale:
            return f"{_short(size / scale)} {unit}"
    return f"{_short(size)} B"


def format_ns(time_ns: float) -> str:
    """Print a time: below 10 us in ns, then in us (ASTRA-sim's own unit in reports) or ms."""
    if time_ns < 10_000:
        return f"{_short(time_ns)} ns"
    if time_ns < 100_000_000:
        return f"{time_ns / 1000:,.3f} µs"
    return f"{time_ns / 1_000_000:,.3f} ms"


def several(count: int, thing: str) -> str:
    """A count in a sentence: "2 stages", "1 micro-batch"."""
    plural = "es" if thing.endswith(("ch", "ss")) else "s"
    return f"{count:,} {thing}{'' if count == 1 else plural}"


def bytes_per_ns(gb_per_s: float) -> float:
    """The network's "GB/s" (2**30 bytes per second) in bytes per nanosecond."""
    return gb_per_s * GIB / 1_000_000_000


def float32(value: float) -> float:
    """Round to the 32-bit float in which ASTRA-sim keeps its command line's scale factors.

    Raises ConfigError for what such a float can't hold.
    """
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        raise ConfigError(f"{value:g} is more than the 32-bit floats of ASTRA-sim hold (3.4e38).") from None


def _short(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value)}"
