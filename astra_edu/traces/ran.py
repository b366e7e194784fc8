"""What NPUs have carried out, in short; each node's record is made when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, overload

from astra_edu.clock.events import Ns
from astra_edu.traces.node import Node
from astra_edu.traces.outline import Unit

_end = attrgetter("end_ns")


class Ran(NamedTuple):
    """A node that an NPU has carried out, from start_ns to end_ns."""

    npu: int
    node: Node
    unit: Unit
    start_ns: int
    end_ns: int


class Record(NamedTuple):
    """What one NPU has carried out. By a node's place: its unit, start and end. order: the places as they ended."""

    npu: int
    nodes: Sequence[Node]
    units: Sequence[int]
    starts: Sequence[Ns]
    ends: Sequence[Ns]
    order: Sequence[int]

    def ran(self) -> list[Ran]:
        """The same, node by node, in the order in which they ended."""
        npu, units, starts, ends = self.npu, tuple(Unit), self.starts, self.ends
        nodes, of = tuple(self.nodes), self.units
        return [Ran(npu, nodes[place], units[of[place]], starts[place], ends[place]) for place in self.order]


class RanByAll(Sequence[Ran]):
    """What NPUs ran that were each followed, in the order in which it ended; in one ns, in the order of the NPUs."""

    def __init__(self, records: Sequence[Record]) -> None:
        """records: of each NPU."""
        self._records = records

    @cached_property
    def _all(self) -> list[Ran]:
        return sorted((ran for record in self._records for ran in record.ran()), key=_end)

    def __len__(self) -> int:
        return sum(len(record.order) for record in self._records)

    @overload
    def __getitem__(self, place: int) -> Ran: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Ran]: ...
    def __getitem__(self, place: int | slice) -> Ran | Sequence[Ran]:
        return self._all[place]

    def __iter__(self) -> Iterator[Ran]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return self._all == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._all)
