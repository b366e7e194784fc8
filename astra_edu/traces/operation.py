"""One operation of a trace that is being built: a node on some NPUs, and what it waits for."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from astra_edu.traces.node import Attribute, Node, NodeType, attribute_of


@dataclass(frozen=True, eq=False, repr=False)
class Operation:
    """What Builder.compute(...) and the others return; give it to `after=` of what has to wait for it.

    number: of its node, the same on every NPU; of two operations that could start, the lower number starts first.
    npus: where it is, ascending. after: what it waits for. words: what it does, for people. micros: one for all its
    NPUs, or one for each. groups: NPU to the name of its process group.

    >>> trace = ae.traces.Builder(npus=4)
    >>> sums = trace.all_reduce("sums", "1 MiB", on=[0, 1])
    >>> sums
    <1 sums: all-reduce of 1 MiB, on NPUs 0 and 1>
    >>> sums.number, sums.is_on(3)
    (1, False)
    """

    number: int
    name: str
    type: NodeType
    npus: Sequence[int]
    after: tuple[Operation, ...]
    words: str
    micros: int | tuple[int, ...] = 0
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    groups: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def _own(self) -> Container[int]:
        return self.npus if isinstance(self.npus, range) else frozenset(self.npus)

    @cached_property
    def _parents(self) -> tuple[int, ...] | None:
        """What it waits for on every NPU; None where NPUs differ."""
        everywhere = all(parent.npus == self.npus for parent in self.after)
        return tuple(parent.number for parent in self.after) if everywhere else None

    @cached_property
    def _nodes(self) -> dict[tuple[int, str, tuple[int, ...]], Node]:
        """The nodes that there are of it so far, by what differs between NPUs; those that are alike are one."""
        return {}

    def is_on(self, npu: int) -> bool:
        """Whether an NPU has it."""
        return npu in self._own

    def variant(self, npu: int) -> tuple[int, str]:
        """What is special about it on one NPU: its µs, and its process group."""
        micros = self.micros if isinstance(self.micros, int) else self.micros[self.npus.index(npu)]
        return micros, self.groups.get(npu, "")

    @property
    def varies(self) -> bool:
        """Whether it isn't the same on all its NPUs."""
        return not isinstance(self.micros, int) or len(set(self.groups.values())) > 1

    def node(self, npu: int) -> Node:
        """The node that it is on one NPU."""
        micros, group = self.variant(npu)
        parents = self._parents
        if parents is None:
            parents = tuple(parent.number for parent in self.after if parent.is_on(npu))
        key = micros, group, parents
        if key not in self._nodes:
            named = {"pg_name": attribute_of("pg_name", group)} if group else {}
            attributes = {**self.attributes, **named}
            self._nodes[key] = Node(
                self.number, self.name, self.type, parents, duration_micros=micros, attributes=attributes
            )
        return self._nodes[key]

    def __repr__(self) -> str:
        waits = ", ".join(f"{parent.number} {parent.name}" for parent in self.after)
        return f"<{self.number} {self.name}: {self.words}, on {listed(self.npus)}{f', after {waits}' if waits else ''}>"


def listed(npus: Sequence[int]) -> str:
    """NPUs in a sentence: "NPU 3", "NPUs 0 to 7", "NPUs 0, 2 and 5", "64 NPUs from 0 to 252"."""
    if len(npus) == 1:
        return f"NPU {npus[0]}"
    if npus[-1] - npus[0] == len(npus) - 1 > 1:
        return f"NPUs {npus[0]} to {npus[-1]}"
    if len(npus) > 8:
        return f"{len(npus)} NPUs from {npus[0]} to {npus[-1]}"
    return f"NPUs {', '.join(map(str, npus[:-1]))} and {npus[-1]}"
