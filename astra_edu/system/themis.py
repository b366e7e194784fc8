"""In which order a chunk goes through the dimensions: ASTRA-sim's inter-dimension policies.

A policy is asked once for every chunk of a collective, in turn. It answers with an order of the dimensions and with
the chunk's size, which only Themis's flexible form chooses itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from astra_edu.base.units import MIB
from astra_edu.collectives import Collective


class InterDimension(Protocol):
    """What the chunk scheduler asks of a policy."""

    def begin(self, now: float) -> None:
        """A collective begins at `now` ns."""

    def order(self, collective: Collective, chunk: int, left: int, involved: Sequence[bool]) -> tuple[list[int], int]:
        """(the dimensions in the order in which to walk them, the chunk's size).

        chunk: the size that the splits recommend, left: what is left of the collective, both in bytes.
        """


@dataclass
class Baseline:
    """Dimension 0 first; an all-gather comes from the last one down."""

    dimensions: int

    def begin(self, now: float) -> None:
        """Nothing to remember."""

    def order(self, collective: Collective, chunk: int, left: int, involved: Sequence[bool]) -> tuple[list[int], int]:
        """See InterDimension."""
        return _natural(self.dimensions, collective), min(chunk, left)


@dataclass
class RoundRobin(Baseline):
    """Every chunk begins one dimension further on."""

    turn: int = 0

    def order(self, collective: Collective, chunk: int, left: int, involved: Sequence[bool]) -> tuple[list[int], int]:
        """See InterDimension."""
        dims = _natural(self.dimensions, collective)
        order = dims[self.turn :] + dims[: self.turn]
        self.turn = (self.turn + 1) % self.dimensions
        return order, min(chunk, left)


@dataclass
class Load:
    """What has been sent over a dimension so far, in MiB at the bandwidth of dimension 0."""

    dimension: int
    amount: float = 0.0


@dataclass
class Themis:
    """Every chunk begins where the least has been sent so far (Rashidi et al., ISCA 2022).

    npus, bandwidths: of every dimension; bandwidths in any unit. The load of a dimension is MiB sent over it, divided
    by its bandwidth over that of dimension 0. As long as the loads differ by less than a chunk / gap_denominator, the
    order is 0, 1, 2, ... flexible: the chunk is made just large enough to close the gap between the loads.
    """

    npus: Sequence[int]
    bandwidths: Sequence[float]
    gap_denominator: int = 16
    flexible: bool = False
    began: float = 0
    loads: list[Load] = field(init=False)

    def __post_init__(self) -> None:
        self.loads = [Load(d) for d in range(len(self.npus))]

    def begin(self, now: float) -> None:
        """Collectives of one ns share the loads; a later one starts from none."""
        if now != self.began:
            self.began = now
            self.loads = [Load(d) for d in range(len(self.npus))]

    def order(self, collective: Collective, chunk: int, left: int, involved: Sequence[bool]) -> tuple[list[int], int]:
        """See InterDimension. An all-to-all is never reordered."""
        if collective is Collective.ALL_TO_ALL:
            return list(range(len(self.npus))), min(chunk, left)
        gathers = collective is Collective.ALL_GATHER
        self.loads.sort(key=lambda load: load.amount)
        if gathers:
            self.loads.reverse()
        used = [load for load in self.loads if involved[load.dimension] and self.npus[load.dimension] > 1]
        if used:
            gap = self._gap_bytes(used, gathers)
            if gap < (chunk if self.flexible else chunk // self.gap_denominator):
                booked = min(chunk, left) if self.flexible else chunk
                return self._balanced(gathers, booked, involved), min(chunk, left)
            if self.flexible:
                chunk = gap
            self._walk(used, [load.dimension for load in used], gathers, chunk)
        return [load.dimension for load in self.loads], min(chunk, left)

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

    def _balanced(self, gathers: bool, chunk: int, involved: Sequence[bool]) -> list[int]:
        """The order 0, 1, 2, ... also for an all-gather, whose loads are booked from the last dimension down."""
        self.loads.sort(key=lambda load: load.dimension, reverse=gathers)
        dims = range(len(self.npus))
        kept = [d for d in dims if involved[d] and self.npus[d] > 1]
        self._walk([self.loads[d] for d in kept], kept, gathers, chunk)
        return list(dims)

    def _walk(self, loads: Sequence[Load], dims: Sequence[int], gathers: bool, chunk: int) -> None:
        """Book what a chunk of `chunk` bytes sends over `dims` on `loads`."""
        for load, d in zip(loads, dims, strict=True):
            n = self.npus[d]
            sent = chunk / MIB * (n - 1 if gathers else (n - 1) / n)
            load.amount += sent / self._relative(d)
            chunk = chunk * n if gathers else chunk // n

    def _relative(self, d: int) -> float:
        return self.bandwidths[d] / self.bandwidths[0]


def _natural(dimensions: int, collective: Collective) -> list[int]:
    dims = list(range(dimensions))
    return dims[::-1] if collective is Collective.ALL_GATHER else dims
