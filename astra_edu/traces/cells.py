"""NPUs that have the same operations for the same time, as a Builder's operations say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from astra_edu.traces.operation import Operation
from astra_edu.traces.shared_nodes import Step


@dataclass
class Cell:
    """NPUs (ascending) whose nodes are made once; operations: of the first. steps: of their numbers and tags."""

    npus: Sequence[int]
    operations: list[Operation] = field(default_factory=list)
    names: list[tuple[str, ...]] = field(default_factory=list)
    steps: Mapping[int, Step] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The NPU whose nodes are made."""
        return self.npus[0]

    def sort(self) -> None:
        """Its operations by the numbers that they have on it; two rows of messages may be the other way round there."""
        if any(one.step is not None for one in self.operations):
            self.operations.sort(key=lambda one: one.number_on(self.first))

    def by_groups(self) -> list[Cell]:
        """The cells that it breaks into, each of NPUs whose groups are the same where each other's are."""
        rings = list({id(one.groups): one.groups for one in self.operations if one.groups}.values())
        parts: dict[tuple[int, ...], Cell] = {}
        for npu in self.npus if rings else ():
            names = tuple([ring[npu] for ring in rings])
            pattern = tuple(map(names.index, names))
            part = parts.setdefault(pattern, Cell([], self.operations))
            part.npus.append(npu)  # type: ignore[attr-defined]
            part.names.append(names)
        found = list(parts.values()) if rings else [self]
        for cell in found:
            if len(cell.npus) > 1:
                cell.steps = {one.number_on(cell.first): one.step for one in self.operations if one.step is not None}
        return found


def cells_of(npus: int, operations: Iterable[Operation]) -> list[Cell]:
    """The cells, as far as the operations that NPUs are on and the times these take say; without operations yet."""
    ranges: dict[range, int] = {}
    others: dict[tuple[int, ...], int] = {}
    marks: dict[int, list[int]] = {}
    for operation in operations:
        own = operation.npus
        if isinstance(own, range):
            ranges.setdefault(own, len(ranges))
        else:
            others.setdefault(tuple(own), len(others))
        if not isinstance(operation.micros, int):
            for npu, micros in zip(own, operation.micros, strict=True):
                marks.setdefault(npu, []).append(micros)
    for listed, number in others.items():
        for npu in listed:
            marks.setdefault(npu, []).append(-1 - number)
    found: dict[object, list[range]] = {}
    for part, on in _parts(npus, ranges):
        marked = any(npu in marks for npu in part) if marks else False
        for one in (range(npu, npu + 1) for npu in part) if marked else (part,):
            found.setdefault((on, tuple(marks.get(one[0], ()))), []).append(one)
    cells = (parts[0] if len(parts) == 1 else [npu for part in parts for npu in part] for parts in found.values())
    return [Cell(members) for members in sorted(cells, key=lambda members: members[0])]


def _parts(npus: int, ranges: Mapping[range, int]) -> Iterator[tuple[range, frozenset[int]]]:
    """NPUs one after the other that are in the same ranges, and in which."""
    begins: dict[int, list[int]] = {0: [], npus: []}
    ends: dict[int, list[int]] = {}
    for own, number in ranges.items():
        begins.setdefault(own.start, []).append(number)
        ends.setdefault(own.stop, []).append(number)
    active: set[int] = set()
    for start, stop in pairwise(sorted({*begins, *ends})):
        active.difference_update(ends.get(start, ()))
        active.update(begins.get(start, ()))
        yield range(start, stop), frozenset(active)
