"""Themis: a chunk begins on the dimension over which the least was sent; an all-gather's, which grows, ends there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from astra_edu.base.units import MIB
from astra_edu.collectives import Collective
from astra_edu.system.inter_dimension import INTER_DIMENSION, TRUSTED, Dimensions, InterDimension, Ordered


@dataclass(eq=False)
class Load:
    """What has been sent over a dimension so far, in MiB at the bandwidth of dimension 0."""

    dimension: int
    amount: float = 0.0


class Themis(InterDimension):
    """Every chunk begins where the least has been sent so far (Rashidi et al., ISCA 2022).

    The load of a dimension is MiB sent over it, divided by its bandwidth over that of dimension 0. As long as the loads
    differ by less than a chunk / gap_denominator, the order is 0, 1, 2, ...

    Two dimensions of 4 NPUs, dimension 0 twice as fast: the first chunk of 16 MiB begins on dimension 0, as nothing has
    been sent. It leaves 12 MiB there and a quarter of that on dimension 1, which counts double: loads 12 and 6. So the
    second chunk begins on dimension 1, and leaves it with 30.

    >>> themis = Themis(Dimensions(npus=(4, 4), bandwidths=(100, 50)))
    >>> for _ in range(2):
    ...     order, _ = themis.order(Collective.ALL_REDUCE, 16 * 2**20, 32 * 2**20, [True, True])
    ...     print(order, sorted((load.dimension, load.amount) for load in themis.loads))
    [0, 1] [(0, 12.0), (1, 6.0)]
    [1, 0] [(0, 15.0), (1, 30.0)]
    """

    halves = True
    together = True
    flexible: ClassVar[bool] = False
    """Whether the chunk is made just large enough to close the gap between the loads."""

    def __init__(self, dimensions: Dimensions) -> None:
        """Nothing has been sent."""
        super().__init__(dimensions)
        self.npus, self.bandwidths = dimensions.npus, dimensions.bandwidths
        self.began: float = 0
        self.loads = [Load(d) for d in range(len(self.npus))]

    def begin(self, now: float) -> None:
        """Collectives of one ns share the loads; a later one starts from none."""
        if now != self.began:
            self.began = now
            self.forget()

    def forget(self) -> None:
        """Take nothing to be sent."""
        self.loads = [Load(d) for d in range(len(self.npus))]

    def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
        """See InterDimension. An all-to-all is never reordered."""
        if collective is Collective.ALL_TO_ALL:
            return list(range(len(self.npus))), min(chunk_bytes, left_bytes)
        gathers = collective is Collective.ALL_GATHER
        self.loads.sort(key=lambda load: load.amount)
        if gathers:
            self.loads.reverse()
        used = [load for load in self.loads if involved[load.dimension] and self.npus[load.dimension] > 1]
        if used:
            gap = self._gap_bytes(used, gathers)
            if gap < (chunk_bytes if self.flexible else chunk_bytes // self.dimensions.gap_denominator):
                booked = min(chunk_bytes, left_bytes) if self.flexible else chunk_bytes
                return self._balanced(gathers, booked, involved), min(chunk_bytes, left_bytes)
            if self.flexible:
                chunk_bytes = gap
            self._walk(used, [load.dimension for load in used], gathers, chunk_bytes)
        return [load.dimension for load in self.loads], min(chunk_bytes, left_bytes)

    def _gap_bytes(self, used: Sequence[Load], gathers: bool) -> int:
        """The chunk that would lift the least loaded dimension to the most loaded one."""
        if not gathers:
            d = used[0].dimension
            gap = abs(self.loads[-1].amount - used[0].amount)
            return int(gap * self._relative(d) / ((self.npus[d] - 1) / self.npus[d]) * MIB)
        d = used[-1].dimension
        gap = abs(used[-1].amount - used[0].amount)
        size = int(gap * self._relative(d) / (self.npus[d] - 1) * MIB)
        for load in used[:-1]:
            size //= self.npus[load.dimension]
        return size

    def _balanced(self, gathers: bool, chunk_bytes: int, involved: Sequence[bool]) -> list[int]:
        """The order 0, 1, 2, ... also for an all-gather, whose loads are booked from the last dimension down."""
        self.loads.sort(key=lambda load: load.dimension, reverse=gathers)
        dims = range(len(self.npus))
        kept = [d for d in dims if involved[d] and self.npus[d] > 1]
        self._walk([self.loads[d] for d in kept], kept, gathers, chunk_bytes)
        return list(dims)

    def _walk(self, loads: Sequence[Load], dims: Sequence[int], gathers: bool, chunk_bytes: int) -> None:
        """Book what a chunk of `chunk_bytes` sends over `dims` on `loads`."""
        for load, d in zip(loads, dims, strict=True):
            n = self.npus[d]
            sent = chunk_bytes / MIB * (n - 1 if gathers else (n - 1) / n)
            load.amount += sent / self._relative(d)
            chunk_bytes = chunk_bytes * n if gathers else chunk_bytes // n

    def _relative(self, d: int) -> float:
        return self.bandwidths[d] / self.bandwidths[0]


class ThemisFlex(Themis):
    """Themis that chooses the chunks' sizes, too."""

    flexible = True


INTER_DIMENSION |= {"themis": Themis, "themisFlex": ThemisFlex}
TRUSTED |= {Themis, ThemisFlex}
