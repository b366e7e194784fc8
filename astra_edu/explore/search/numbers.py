"""Ways to write a number as a sum or a product of others."""

from __future__ import annotations

from collections.abc import Iterator

from astra_edu.workload.compute.operator import divisors


def sums(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as a sum of so many positive ones, in order."""
    if parts == 0:
        return
    if parts == 1:
        yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in sums(total - first, parts - 1):
            yield (first, *rest)


def factors_of(number: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a number as a product of up to `most` ones above 1, in order."""
    if number > 1:
        yield (number,)
    if most > 1:
        for first in divisors(number):
            if 1 < first < number:
                for rest in factors_of(number // first, most - 1):
                    yield (first, *rest)
