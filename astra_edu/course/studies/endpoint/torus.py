"""The torus of the ACE paper: packages of a few NPUs, joined in one or more further dimensions, and its all-reduce.

Rashidi et al., ISCA 2021, arXiv 2007.00156. Unverified: its bandwidths and its all-reduce are recalled, not read there.
They fit together: on 4 × 4 × 4 NPUs an NPU can send 300 × 10⁹ bytes/s at most, what the paper's larger budget feeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import lcm, prod

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.units import GIB
from astra_edu.collectives import Collective, Rounds, Schedule, ring
from astra_edu.collectives.hierarchical import Grid
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig

INSIDE, BETWEEN = 400e9, 50e9
"""Bytes/s (of 10⁹) that an NPU can send inside its package, and in each dimension between packages. Unverified."""

LATENCY_NS = 1
"""Of a link, and of an endpoint for each message, as in the tutorial's torus: only bandwidth is to matter here."""


def torus_all_reduce(dims: Sequence[int]) -> Schedule:
    """Reduce-scatter inside the package, all-reduce along each other dimension, all-gather inside, all on rings.

    dims: NPUs of a package, then of each further dimension. ae.hierarchical would reduce-scatter on all dimensions but
    the last; here every NPU's share of a package's sum is all-reduced on one further dimension after the other, which
    sends more, and evenly. One dimension is a package alone: a ring. Raises ConfigError for none, and for more than 4.

    >>> from astra_edu.studies.endpoint import torus_all_reduce
    >>> for part in torus_all_reduce((4, 2, 2)).groups:
    ...     print(part.phase, "on dimension", part.dimension)
    reduce-scatter on dimension 0
    reduce-scatter on dimension 1
    all-gather on dimension 1
    reduce-scatter on dimension 2
    all-gather on dimension 2
    all-gather on dimension 0
    """
    sizes = _sizes(dims)
    inside, *between = sizes
    pieces = lcm(*between)
    grid = Grid(sizes, sizes)

    def on(d: int, group: Rounds) -> Rounds:
        """The ring's rounds, along dimension d, for the shards that an NPU still works on. Shard: block, then piece."""

        def rule(step: int, npu: int) -> list[tuple[int, int]]:
            address, sends = grid.address(npu), []
            for to, part in group.rule(step, address[d]):
                neighbour = grid.npu([*address[:d], to, *address[d + 1 :]])
                each = pieces // sizes[d]
                mine = range(pieces) if d == 0 else range(part * each, (part + 1) * each)
                block = part if d == 0 else address[0]
                sends += [(neighbour, block + inside * piece) for piece in mine]
            return sends

        return replace(group, rule=rule, dimension=d)

    groups = [on(0, group) for group in ring.reduce_scatter(inside)]
    groups += [on(d, group) for d, n in enumerate(between, start=1) for group in ring.all_reduce(n)]
    groups += [on(0, group) for group in ring.all_gather(inside)]
    return Schedule(Collective.ALL_REDUCE, "torus", prod(sizes), inside * pieces, tuple(groups), dims=sizes)


def torus(dims: Sequence[int], share: float = 1) -> Platform:
    """The torus as a platform, with a share of its bandwidth, e.g. what an endpoint can feed. Rings everywhere.

    >>> from astra_edu.studies.endpoint import torus
    >>> half = torus((4, 2, 2), share=0.5)
    >>> half.npus, [round(dimension.bandwidth) for dimension in half.network]
    (16, [93, 12, 12])
    """
    network = [
        Dimension.of("Ring", n, share * bandwidth / GIB / 2, LATENCY_NS)  # of each of its two links
        for n, bandwidth in zip(_sizes(dims), _bandwidths(dims), strict=True)
    ]
    system = SystemConfig.of("_".join(["ring"] * len(network)), splits=4, endpoint_delay=LATENCY_NS)
    return Platform(tuple(network), replace(system, all_to_all=system.all_reduce))


def network_bytes_per_s(schedule: Schedule) -> float:
    """What an NPU sends at most in all dimensions of the torus together, while chunk follows chunk.

    The dimension that takes longest is always busy, the others as long as their bytes take. The schedule has the
    torus's dimensions: torus_all_reduce(dims), or ae.hierarchical("all-reduce", "ring", dims).

    >>> from astra_edu.studies.endpoint import network_bytes_per_s, torus_all_reduce
    >>> network_bytes_per_s(torus_all_reduce((4, 4, 4))) / 1e9
    300.0
    """
    sent = [0] * len(_sizes(schedule.dims))
    for group in schedule.groups:
        sent[group.dimension] += sum(len(group.transfers(step, 0)) for step in range(group.count))
    slowest = max(count / bandwidth for count, bandwidth in zip(sent, _bandwidths(schedule.dims), strict=True))
    return sum(sent) / slowest


def _bandwidths(dims: Sequence[int]) -> list[float]:
    return [INSIDE] + [BETWEEN] * (len(dims) - 1)


def _sizes(dims: Sequence[int]) -> tuple[int, ...]:
    if not isinstance(dims, (list, tuple)) or not 1 <= len(dims) <= 4:
        raise ConfigError(f"dims is {dims!r}; give the sizes of 1 to 4 dimensions, packages first, such as (4, 4, 4).")
    return tuple(whole(f"dims[{d}]", n, at_least=2) for d, n in enumerate(dims))
