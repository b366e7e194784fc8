"""Formats of numbers that devices multiply, and their peaks: checked, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from astra_edu.base.errors import ConfigError, choice, list_of, positive, shown, whole

SMALLEST, LARGEST = 1e-9, 1e30
USUAL = 16
"""Bits of a number, where nothing else is said."""
HALVES = ("bf16", "fp16")
"""Formats of 16 bits: bfloat16, whose exponent is as long as that of 32 bits, and IEEE's."""


def checked_peaks(device: str, given: object) -> dict[int, float]:
    """A device's peaks by bits, from the narrowest on. Raises ConfigError for what are none, and for those of 16."""
    if not isinstance(given, Mapping):
        raise ConfigError(f"{device}: peaks is {shown(given)}; give them by bits, such as {{8: 2e15}}.")
    found = {whole(f"{device}: bits", bits, at_least=1): value for bits, value in given.items()}
    if USUAL in found:
        raise ConfigError(f"{device}: peaks has {USUAL} bits; flops_per_s says what their peak is.")
    return {
        bits: plain(rate(f"{device}: operations per second in {bits} bits", value), value)
        for bits, value in sorted(found.items())
    }


def checked_halves(device: str, given: object) -> tuple[str, ...]:
    """A device's formats of 16 bits, each once. Raises ConfigError for none, and for others."""
    listed = list_of(f"{device}: halves", given, 'give formats of 16 bits such as ("bf16", "fp16")')
    found = dict.fromkeys(choice(f"{device}: halves", each, HALVES) for each in listed)
    if not found:
        raise ConfigError(f"{device}: halves is (); give formats of 16 bits, or None where nothing is known.")
    return tuple(found)


def rate(what: str, value: object) -> float:
    """A rate or a share as a float. Raises ConfigError for what can't be calculated with."""
    number = positive(what, value)
    if not SMALLEST <= number <= LARGEST:
        raise ConfigError(f"{what} is {number:g}; {SMALLEST:g} to {LARGEST:g} can be calculated with.")
    return number


def plain(number: float, value: object) -> float:
    """What was given, where it is a number of Python's: a whole one stays whole. Else the same as a float."""
    return value if type(value) in (int, float) else number  # type: ignore[return-value]


def in_words(several: Sequence[str]) -> str:
    """All of them, the last one behind "and"."""
    *rest, last = several
    return f"{', '.join(rest)} and {last}" if rest else last
