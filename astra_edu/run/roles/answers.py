"""The nodes that every NPU ran, made from those of the NPUs that were followed when they are asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from astra_edu.traces import Node, Trace
from astra_edu.traces.ran import Ran
from astra_edu.traces.shared_nodes import SharedNodes, Step


class RanOfAll(Sequence[Ran]):
    """What all NPUs ran, in the order in which it ended."""

    def __init__(self, trace: Trace, stands_for: Sequence[int], followed: Mapping[int, Sequence[Ran]]) -> None:
        """stands_for: for each NPU who was followed in its place. followed: what those ran."""
        self.trace = trace
        self.stands_for = stands_for
        self.followed = followed

    @cached_property
    def counts(self) -> dict[int, int]:
        """For each NPU that was followed for how many, itself included."""
        counted = Counter(self.stands_for)
        return {npu: counted[npu] for npu in self.followed}

    @cached_property
    def named(self) -> dict[int, int]:
        """NPUs of which each stands for those of its role whose nodes have the same names, and for how many.

        The lowest of them, in ascending order: NPUs of a role may call the same node otherwise.
        """
        shared = self.trace.templates
        own = [bool(steps) and not all(node.name for node in nodes) for nodes, steps in self._steps(shared)]
        lowest: dict[tuple[int, int, int], int] = {}
        counted: Counter[int] = Counter()
        for npu, (role, template) in enumerate(zip(self.stands_for, shared.of, strict=True)):
            counted[lowest.setdefault((role, template, npu if own[template] else -1), npu)] += 1
        return dict(counted)

    @staticmethod
    def _steps(shared: SharedNodes) -> Iterator[tuple[Sequence[Node], Mapping[int, Step]]]:
        return zip(shared.templates, shared.steps or [{}] * len(shared.templates), strict=True)

    def of(self, npu: int) -> Sequence[Ran]:
        """What one NPU ran, in the order in which it ended."""
        own = self.followed[self.stands_for[npu]]
        if self.stands_for[npu] == npu:
            return own
        theirs, mine = (sorted(self.trace.nodes[one], key=lambda node: node.id) for one in (self.stands_for[npu], npu))
        nodes = {node.id: same for node, same in zip(theirs, mine, strict=True)}
        return [Ran(npu, nodes[ran.node.id], ran.unit, ran.start_ns, ran.end_ns) for ran in own]

    def of_followed(self) -> list[Ran]:
        """What the NPUs ran that were followed, in the order in which it ended."""
        return sorted((ran for own in self.followed.values() for ran in own), key=lambda ran: ran.end_ns)

    @cached_property
    def _all(self) -> list[Ran]:
        return sorted((ran for npu in range(self.trace.npus) for ran in self.of(npu)), key=lambda ran: ran.end_ns)

    def __len__(self) -> int:
        return sum(len(self.followed[npu]) for npu in self.stands_for)

    @overload
    def __getitem__(self, place: int) -> Ran: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Ran]: ...
    def __getitem__(self, place: int | slice) -> Ran | Sequence[Ran]:
        return self._all[place]

    def __iter__(self) -> Iterator[Ran]:
        return iter(self._all)
