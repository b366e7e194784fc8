"""A right number in wrong units, the slip that every exercise meets."""

from __future__ import annotations

from collections.abc import Iterator

from astra_edu.base.units import GIB, KIB, MIB
from astra_edu.course.check.asked import Answer
from astra_edu.course.check.mistake import Mistake

_BYTES = {"bytes": 1.0, "KiB": KIB, "MiB": MIB, "GiB": GIB, "KB": 1e3, "MB": 1e6, "GB": 1e9, "bits": 1 / 8}
_TIMES = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "seconds": 1e9}
_RATES = {
    "GB/s": GIB, "GB of 10⁹ bytes a second": 1e9, "bytes a second": 1.0, "MiB a second": MIB,
    "bytes a ns": 1e9, "Gbit/s": GIB / 8, "Gbit of 10⁹ bits a second": 1e9 / 8,
}  # fmt: skip
KINDS = (_BYTES, _TIMES, _RATES, {"a share": 1.0, "per cent": 0.01})
"""Units of one kind each, with what one of them is in the smallest."""
ROUNDED = 2e-3
"""How far a value in another unit may be off: people round what has become small. Next to a KiB, a KB is 2.3 % off."""


def in_other_units(right: Answer, unit: str) -> Iterator[Mistake]:
    """The mistakes of who has computed `right`, which is asked for in `unit`, in another unit of the same kind."""
    kind = next(kind for kind in KINDS if unit in kind)
    for other, size in kind.items():
        if other != unit:
            yield Mistake(_times(right, kind[unit] / size), f"That is in {other}; {_asked(unit)}.", tolerance=ROUNDED)


def _times(right: Answer, factor: float) -> Answer:
    return lambda **case: right(**case) * factor


def _asked(unit: str) -> str:
    words = {"a share": "a share is asked for, 1 for all of it", "GB/s": "ASTRA-sim's GB/s are asked for, of 2³⁰ bytes"}
    return words.get(unit, f"{unit} are asked for")


def of_the_network(right: Answer) -> list[Mistake]:
    """The mistakes of who has divided MiB by the network's "GB/s" and taken one of the two for another kind."""
    return [
        Mistake(
            lambda **c: right(**c) * GIB / 1e9,
            'You took 10⁹ bytes for a GB; the network\'s "GB/s" are 2³⁰ bytes a second.',
        ),
        Mistake(lambda **c: right(**c) * 1.024, "A GiB has 1024 MiB, not 1000."),
    ]
