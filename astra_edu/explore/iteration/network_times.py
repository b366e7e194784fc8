"""How long collectives and messages take, each by itself on its group's part of the network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from astra_edu.base.intervals import covered
from astra_edu.collectives import Collective
from astra_edu.run.interrupted import part_of_more
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform
from astra_edu.workload import Workload
from astra_edu.workload.strategies import Communication


class Took(NamedTuple):
    """How long a collective takes by itself, and for how long it keeps the next one waiting: its busiest dimension.

    bound_ns: what the links allow at least where its messages share some; see Run.
    """

    total_ns: int
    turn_ns: float
    bound_ns: float | None = None

    @property
    def at_least(self) -> Took:
        """The same, no faster than its links."""
        if self.bound_ns is None or self.bound_ns <= self.total_ns:
            return self
        return Took(round(self.bound_ns), self.bound_ns)

    def begun(self, ns: float) -> Took:
        """The same, which so many ns begin."""
        return self._replace(total_ns=round(self.total_ns + ns), turn_ns=self.turn_ns + ns) if ns else self

    def part(self, share: float) -> Took:
        """What a share of its bytes takes."""
        bound = None if self.bound_ns is None else self.bound_ns * share
        return Took(round(self.total_ns * share), self.turn_ns * share, bound)


@lru_cache(maxsize=4096)
def took_by(platform: Platform, collective: Collective, size: int) -> Took:
    """How long a collective of `size` bytes takes, as `simulate` says."""
    with part_of_more():
        result = simulate(Workload.micro(collective, size, 0), platform, progress=False)
    busy: dict[int | None, list[tuple[float, float]]] = {}
    for span in result.timeline:
        busy.setdefault(span.dimension, []).append((span.start_ns, span.end_ns))
    return Took(int(result.total_ns), max(map(covered, busy.values())), result.bound_ns)


def shares_links(sent: Iterable[Communication], networks: Mapping[str, Platform]) -> bool:
    """Whether messages of a collective share links, each by itself on its group's network."""
    return any(
        one.collective is not None and took_by(networks[one.group], one.collective, one.size).bound_ns is not None
        for one in sent
    )


@lru_cache(maxsize=4096)
def message_ns(platform: Platform, size: int, boundary: int) -> int:
    """How long a message takes to the next NPU of a pipeline group, from stage number `boundary` (the last: to 0)."""
    for dimension in platform.network:
        boundary, place = divmod(boundary, dimension.npus)
        if place < dimension.npus - 1:
            break
    return round(dimension.message_ns(size))
