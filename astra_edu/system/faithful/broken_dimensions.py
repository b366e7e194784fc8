"""Dimensions that a model-parallel group breaks in two, and what ASTRA-sim 1.0 does where it doesn't fit them.

A group of 6 NPUs on 4 x 6 would take dimension 0 and one and a half NPUs of dimension 1; ASTRA-sim rounds down to one.
A group of 8 on 4 x 5 x 2 takes 2 of the 5, and there the others' part is 5 // 2 = 2: one NPU of every 5 takes no part,
and in the dimensions that follow the numbers of neighbours have shifted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import mul

from astra_edu.base.warned import warn
from astra_edu.network import Dimension, Part, Row


def outer_part(network: tuple[Dimension, ...], d: int, inner: int) -> Part:
    """What is left of dimension d for others where a group takes every `inner` neighbours; a rest is left out."""
    return Part(network[d], network[d].npus // inner, inner)


def shifted_rows(
    network: tuple[Dimension, ...], d: int, taken: int, inner: Part, outer: Part
) -> Iterator[tuple[int, Row | Dimension]]:
    """(number, wires) of the dimensions after d, whose NPUs are fewer numbers apart where d's don't all take part.

    taken: NPUs that the group takes of the dimensions before d.
    """
    later = network[d + 1 :]
    if inner.npus * outer.npus == network[d].npus:
        yield from enumerate(later, start=d + 1)
        return
    strides = accumulate([taken * inner.npus * outer.npus, *(x.npus for x in later)], mul)
    for k, (dimension, stride) in enumerate(zip(later, strides, strict=False), start=d + 1):
        yield k, Row(network, dimension.npus, stride)


def warn_of_misfit(network: tuple[Dimension, ...], d: int, group: int, inner: int, outer: int) -> None:
    """Say what a group that doesn't fit makes of dimension d."""
    warn(
        f"a model_parallel_NPU_group of {group} doesn't fit dimensions of {' x '.join(str(x.npus) for x in network)} "
        f"NPUs; as in ASTRA-sim, dimension {d} is taken as {inner} x {outer} NPUs. Groups that fit are products of "
        "whole dimensions and a divisor of the next one.",
        stacklevel=5,
    )
