"""What candidates may have beside the usual choices: rings, shard groups, stages that shard, hidden collectives, split
backward passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from astra_edu.base.errors import ConfigError, choice, shown
from astra_edu.pipeline import ORDERS
from astra_edu.pipeline.closed_form import FORMULAS
from astra_edu.pipeline.places import FOLDED, placement_of
from astra_edu.workload.compute.operator import divisors
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.strategy import PIPELINE_ORDERS

ALSO = ("rings", "shard-groups", "sharded-stages", "tensor-overlap", "split-orders")
"""Rings of a context group (arXiv 2310.01889); hybrid sharding's groups (2304.11277), for ZeRO and FSDP; ZeRO-2 of
a pipeline's stages, and FSDP, that reshards after each pass or keeps parameters (2410.06511); a tensor group's
collectives behind their products, in pieces; orders that split backward passes (2401.10241, 2405.15362, and DualPipe).
"""

SPLIT_ORDERS = tuple(order for order in PIPELINE_ORDERS if order not in FORMULAS)


def checked_also(also: object) -> tuple[str, ...]:
    """The names, in the order of ALSO, or all of them for "all". Raises ConfigError for others.

    >>> from astra_edu.explore.iteration.also import checked_also
    >>> checked_also(["split-orders", "rings"])
    ('rings', 'split-orders')
    """
    if isinstance(also, str):
        choice("also", also, ("all", *ALSO))
        return ALSO if also == "all" else (also,)
    if not isinstance(also, tuple | list | set | frozenset):
        raise ConfigError(f'also is {shown(also, 60)}; give names such as ("rings", "split-orders"), or "all".')
    for name in also:
        choice("also", name, ALSO)
    return tuple(name for name in ALSO if name in also)


def with_others(about: Abridged, strategy: Strategy, also: tuple[str, ...]) -> Iterator[Strategy]:
    """The strategy, and what it can be besides by the choices that are named, one or several at a time."""
    yield strategy
    if not also:
        return
    plain: dict[str, Any] = {}
    ways = [[plain, *_changes(strategy, name)] for name in also]
    for changes in list(product(*ways))[1:]:
        try:
            other = replace(strategy, **{name: value for change in changes for name, value in change.items()})
            about.strategy(other)
        except ConfigError:
            continue
        yield other


def _changes(strategy: Strategy, name: str) -> Iterator[dict[str, Any]]:
    """What a choice of that name may change; not all of it need be possible for a model."""
    if name == "rings" and strategy.context > 1:
        yield {"context_by": "ring"}
    if name == "shard-groups" and strategy.zero and strategy.expert == 1:
        yield from ({"shard_group": group} for group in divisors(strategy.copies)[1:-1])
    if name == "sharded-stages" and strategy.pipeline > 1 and strategy.zero == 1:
        yield from ({"zero": zero, "reshard": reshard} for zero, reshard in ((2, True), (3, True), (3, False)))
    if name == "tensor-overlap" and strategy.sequence_parallel:
        yield {"overlap": (*strategy.overlap, "tensor")}
    if name == "split-orders" and strategy.pipeline > 1 and strategy.pipeline_order == "1f1b":
        for order in SPLIT_ORDERS:
            yield {"pipeline_order": order, "virtual": 2 if placement_of(ORDERS[order]) == FOLDED else 1}
