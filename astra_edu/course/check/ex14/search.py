"""The best known design for a budget of exercise 14: shapes by an estimate, then money moved between dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations, product
from math import sqrt
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.course.studies.case_studies.design import (
    JOB,
    MOST_DIMENSIONS,
    NODE_NPUS,
    NPUS,
    Design,
    design_cost,
    network,
    train_design,
)
from astra_edu.course.studies.case_studies.training import samples_per_s
from astra_edu.network import Topology

SIMULATED, REFINED = 6, 2
"""So many shapes are simulated, and so many of those improved."""
STEPS = (0.3, 0.15, 0.08)
"""The share of a dimension's money that is tried on another one."""

Shape = tuple[tuple[str, int], ...]


class Found(NamedTuple):
    """A design, and its samples a second."""

    design: Design
    throughput: float


@lru_cache(maxsize=64)
def best(budget: float) -> Found:
    """The best design for so many dollars that this search finds."""
    likely = sorted(shapes(), key=estimate)[:SIMULATED]
    found = sorted((_simulated(shape, _shares(shape), budget) for shape in likely), key=_throughput)
    return max((_improved(one, budget) for one in found[-REFINED:]), key=_throughput)


@lru_cache(maxsize=1)
def shapes() -> tuple[Shape, ...]:
    """Every sequence of topologies and NPUs that breaks no rule."""
    return tuple(
        shape
        for counts in _factors(NPUS, MOST_DIMENSIONS)
        for topologies in product(map(str, Topology), repeat=len(counts))
        if _allowed(shape := tuple(zip(topologies, counts, strict=True)))
    )


def dollars(shape: Shape) -> list[float]:
    """For each dimension, the dollars for 1 GB/s of its links."""
    ones = [design_cost([(t, n, 1.0) for t, n in shape])]
    more = [design_cost([(t, n, 2.0 if d == k else 1.0) for d, (t, n) in enumerate(shape)]) for k in range(len(shape))]
    return [cost - ones[0] for cost in more]


def estimate(shape: Shape) -> float:
    """In proportion to the time of the collectives if dimensions took turns and money were shared out best.

    With a bytes over and c dollars for each GB/s of every dimension, the sum of a/b is least, under a budget for the
    sum of c · b, where b is in proportion to √(a/c); it is then (Σ √(a c))² over the budget.
    """
    return sum(sqrt(a * c) for a, c in zip(_bytes(shape), dollars(shape), strict=True)) ** 2


def _shares(shape: Shape) -> list[float]:
    roots = [sqrt(a * c) for a, c in zip(_bytes(shape), dollars(shape), strict=True)]
    return [root / sum(roots) for root in roots]


def _bytes(shape: Shape) -> list[float]:
    """What an NPU sends over one of its links in each dimension, for each byte of a collective of the group's."""
    found, inside = [], 1
    for topology, npus in shape:
        left = inside if inside < NODE_NPUS else inside // NODE_NPUS
        found.append((npus - 1) / npus / left / (npus - 1 if topology == Topology.FULLY_CONNECTED else 1))
        inside *= npus
    return found


def _improved(found: Found, budget: float) -> Found:
    shape = tuple((topology, npus) for topology, npus, _ in found.design)
    prices = dollars(shape)
    for step in STEPS:
        better = True
        while better:
            better = False
            for giving, taking in permutations(range(len(shape)), 2):
                shares = [b * c / budget for (_, _, b), c in zip(found.design, prices, strict=True)]
                moved = step * shares[giving]
                shares[giving] -= moved
                shares[taking] += moved
                tried = _simulated(shape, shares, budget)
                if tried.throughput > 1.0005 * found.throughput:
                    found, better = tried, True
    return found


def _simulated(shape: Shape, shares: Sequence[float], budget: float) -> Found:
    bandwidths = [share * budget / price for share, price in zip(shares, dollars(shape), strict=True)]
    design = [(topology, npus, b) for (topology, npus), b in zip(shape, bandwidths, strict=True)]
    return Found(design, samples_per_s(JOB, train_design(design)))


def _throughput(found: Found) -> float:
    return found.throughput


def _allowed(shape: Shape) -> bool:
    if any(topology == Topology.RING and npus == 2 for topology, npus in shape):
        return False  # the same as fully connected, at twice the price
    try:
        network([(topology, npus, 1.0) for topology, npus in shape])
    except ConfigError:
        return False
    return True


def _factors(npus: int, most: int) -> Iterator[tuple[int, ...]]:
    if npus == 1:
        yield ()
    elif most:
        for first in range(2, npus + 1):
            if npus % first == 0:
                yield from ((first, *rest) for rest in _factors(npus // first, most - 1))
