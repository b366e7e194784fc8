"""Slips that every exercise meets: a right time in wrong units."""

from __future__ import annotations

from astra_edu.course.check.verdict import Answer, Mistake


def wrong_units(right: Answer) -> list[Mistake]:
    """The mistakes of who has computed `right`, in µs, with bytes, GB/s or seconds of another kind."""
    return [
        Mistake(
            lambda **c: right(**c) * 2**30 / 1e9,
            'You took 10⁹ bytes for a GB; the network\'s "GB/s" are 2³⁰ bytes a second.',
        ),
        Mistake(lambda **c: right(**c) * 1.024, "A GiB has 1024 MiB, not 1000."),
        Mistake(lambda **c: right(**c) / 1e3, "That is in ms; µs are asked for."),
        Mistake(lambda **c: right(**c) * 1e3, "That is in ns; µs are asked for."),
        Mistake(lambda **c: right(**c) / 1e6, "That is in seconds; µs are asked for."),
    ]
