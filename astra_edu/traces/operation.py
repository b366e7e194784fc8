"""One operation of a trace that is being built: a node on some NPUs, and what it waits for."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from astra_edu.traces.node import Attribute, NodeType
from astra_edu.traces.shared_nodes import Step


@dataclass(frozen=True, eq=False, repr=False)
class Operation:
    """What Builder.compute(...) and the others return; give it to `after=` of what has to wait for it.

    number: of its node, the same on every NPU; of two operations that could start, the lower number starts first.
    npus: where it is, ascending. after: what it waits for. words: what it does, for people, with {time} for its µs.
    micros: one for all its NPUs, or one for each. groups: NPU to the name of its process group. step: by how much the
    number and the tag are larger for each further NPU; then number and attributes are its first NPU's, and a message's
    ends count from there. trace: whose it is.

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
    step: Step | None = None
    trace: object = None

    @cached_property
    def _own(self) -> Container[int]:
        return frozenset(self.npus)

    def is_on(self, npu: int) -> bool:
        """Whether an NPU has it."""
        return npu in (self.npus if isinstance(self.npus, range) else self._own)

    def micros_on(self, npu: int) -> int:
        """How long it takes on one of its NPUs, in µs."""
        return self.micros if isinstance(self.micros, int) else self.micros[self.npus.index(npu)]

    def number_on(self, npu: int) -> int:
        """The number of the node that it is on one of its NPUs."""
        return self.number if self.step is None else self.number + self.step.number * (npu - self.npus[0])

    def parents_on(self, npu: int) -> tuple[int, ...]:
        """The numbers of the nodes that it waits for on one of its NPUs."""
        if len(self.after) == 1 and (only := self.after[0]).step is None and only.npus == self.npus:
            return (only.number,)
        return tuple([parent.number_on(npu) for parent in self.after if parent.is_on(npu)])

    def attributes_on(self, npu: int) -> Mapping[str, Attribute]:
        """The attributes of the node that it is on one of its NPUs, without its process group."""
        by = npu - self.npus[0] if self.step is not None else 0
        if self.step is None or not by:
            return self.attributes
        larger = {"comm_src": by, "comm_dst": by, "comm_tag": by * self.step.tag}
        return {
            name: attribute._replace(value=attribute.value + larger[name]) if name in larger else attribute
            for name, attribute in self.attributes.items()
        }

    def __repr__(self) -> str:
        waits = ", ".join(f"{parent.number} {parent.name}" for parent in self.after)
        words = self.words.replace("{time}", span(self.micros))
        return f"<{self.number} {self.name}: {words}, on {listed(self.npus)}{f', after {waits}' if waits else ''}>"


def span(micros: int | tuple[int, ...]) -> str:
    """µs in a sentence, of all NPUs."""
    return f"{micros} µs" if isinstance(micros, int) else f"{min(micros)} to {max(micros)} µs"


def listed(npus: Sequence[int]) -> str:
    """NPUs in a sentence: "NPU 3", "NPUs 0 to 7", "NPUs 0, 2 and 5", "64 NPUs from 0 to 252"."""
    if len(npus) == 1:
        return f"NPU {npus[0]}"
    if npus[-1] - npus[0] == len(npus) - 1 > 1:
        return f"NPUs {npus[0]} to {npus[-1]}"
    if len(npus) > 8:
        return f"{len(npus)} NPUs from {npus[0]} to {npus[-1]}"
    return f"NPUs {', '.join(map(str, npus[:-1]))} and {npus[-1]}"
