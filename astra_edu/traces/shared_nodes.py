"""The nodes of many NPUs kept as those of a few: NPUs that do the same up to names share a template.

NPU k's nodes are its template's, which are those of NPU f as they stand, with

- comm_src and comm_dst of messages larger by k - f;
- process groups named as NPU k's are;
- the numbers and tags of some nodes (a message's, as a rule) larger by a step times k - f.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

from astra_edu.base.errors import ConfigError
from astra_edu.traces.node import Node
from astra_edu.traces.renamed import ENDS, MESSAGES, Step, moved, renamed

__all__ = ["SharedNodes", "Step"]

_KEPT = 8
"""Of so many NPUs the nodes are kept that were made last."""


@dataclass(frozen=True, eq=False, repr=False)
class SharedNodes(Sequence[tuple[Node, ...]]):
    """A sequence of one tuple of nodes per NPU, made when asked for.

    templates: the nodes, as their first NPU has them. of: for each NPU the number of its template. first: for each
    template the NPU whose nodes it is, as they stand. shifts: whether a message's comm_src and comm_dst count from
    the NPU that has it; without, they are the same numbers on all NPUs of a template. names: for each NPU its process
    groups, in the order of its template's; () for those that rename none. steps: for each template the nodes (by their
    numbers in it) whose numbers or tags differ between NPUs; () for none at all.

    That two NPUs have different templates doesn't mean that they differ.

    >>> nodes = ae.traces.collective("all_reduce", "1 MiB", npus=4).templates
    >>> len(nodes), len(nodes.templates), nodes.of, nodes.first
    (4, 1, (0, 0, 0, 0), (0,))
    """

    templates: tuple[tuple[Node, ...], ...]
    of: Sequence[int]
    first: Sequence[int]
    shifts: bool = True
    names: Sequence[tuple[str, ...]] = ()
    steps: Sequence[Mapping[int, Step]] = ()
    _made: dict[int, tuple[Node, ...]] = field(default_factory=dict, init=False)

    @classmethod
    def of_plain(cls, nodes: Sequence[tuple[Node, ...]]) -> SharedNodes:
        """Those of plain tuples: a tuple that several NPUs share is a template, with the same numbers for all."""
        places: dict[int, int] = {}
        of = tuple(places.setdefault(id(own), len(places)) for own in nodes)
        first: dict[int, int] = {}
        for npu, template in enumerate(of):
            first.setdefault(template, npu)
        return cls(tuple(nodes[npu] for npu in first.values()), of, tuple(first.values()), shifts=False)

    @cached_property
    def members(self) -> tuple[Sequence[int], ...]:
        """For each template its NPUs, ascending; a range where they are consecutive."""
        found: list[list[int]] = [[] for _ in self.templates]
        for npu, template in enumerate(self.of):
            found[template].append(npu)
        return tuple(_compact(npus) for npus in found)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """For each template how many NPUs have it."""
        return tuple(map(len, self.members))

    @property
    def total(self) -> int:
        """How many nodes all NPUs have together."""
        return sum(len(nodes) * npus for nodes, npus in zip(self.templates, self.counts, strict=True))

    def groups_of(self, npu: int) -> Mapping[str, str]:
        """What a process group of an NPU's template is for itself; only those that differ."""
        if not self.names:
            return {}
        theirs, own = self.names[self.first[self.of[npu]]], self.names[npu]
        return {} if theirs is own else {a: b for a, b in zip(theirs, own, strict=True) if a != b}

    def numbers_of(self, npu: int) -> Mapping[int, int]:
        """What a node of an NPU's template has for a number on itself; only those that differ."""
        template = self.of[npu]
        by = npu - self.first[template]
        if not by or not self.steps:
            return {}
        return {number: number + by * step.number for number, step in self.steps[template].items() if step.number}

    def sends(self, template: int) -> bool:
        """Whether a template has messages."""
        return any(node.type in MESSAGES for node in self.templates[template])

    def moves(self, template: int) -> bool:
        """Whether an NPU's nodes depend on its number, and not only on how its groups are called."""
        return bool(self._places[template][0]) and self.counts[template] > 1

    def moving(self, template: int) -> tuple[int, ...]:
        """Where a template's nodes are that may differ between its NPUs, ascending."""
        return tuple(sorted({*self._places[template][0], *self._places[template][1]}))

    def key(self, npu: int) -> tuple[int, int, tuple[str, ...]]:
        """Something that is equal for NPUs with the very same nodes; those of a template that differ have others."""
        template = self.of[npu]
        return template, npu if self.moves(template) else -1, self.names[npu] if self.names else ()

    @cached_property
    def different(self) -> int:
        """How many nodes there would be if NPUs shared them only where they are the very same."""
        return sum(len(self.templates[template]) for template, _, _ in set(map(self.key, range(len(self)))))

    def simplest(self) -> Sequence[tuple[Node, ...]]:
        """Itself, or plain tuples where that is no more: NPUs of a template then have its very nodes."""
        return self if self.differ else tuple(self)

    @property
    def differ(self) -> bool:
        """Whether any two NPUs of one template have different nodes: other peers, groups, numbers or tags."""
        return any(map(self.moves, range(len(self.templates)))) or any(map(self.groups_of, range(len(self.names))))

    @property
    def unlike(self) -> bool:
        """Whether any two NPUs of one template differ in more than their nodes' numbers."""
        sharing = zip(self.templates, self.counts, strict=True)
        sends = self.shifts and any(node.type in MESSAGES for own, npus in sharing if npus > 1 for node in own)
        return sends or any(map(self.groups_of, range(len(self.names))))

    @cached_property
    def _places(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """For each template where the nodes are that depend on the NPU, and those that name a process group."""
        found = []
        for template, nodes in enumerate(self.templates):
            stepping = self.steps[template] if self.steps else {}
            moving = [
                place
                for place, node in enumerate(nodes)
                if (self.shifts and node.type in MESSAGES)
                or (stepping and (node.id in stepping or not stepping.keys().isdisjoint(node.parents)))
            ]
            named = [place for place, node in enumerate(nodes) if self.names and "pg_name" in node.attributes]
            found.append((tuple(moving), tuple(named)))
        return tuple(found)

    def __len__(self) -> int:
        return len(self.of)

    @overload
    def __getitem__(self, npu: int) -> tuple[Node, ...]: ...
    @overload
    def __getitem__(self, npu: slice) -> tuple[tuple[Node, ...], ...]: ...
    def __getitem__(self, npu: int | slice) -> tuple[Node, ...] | tuple[tuple[Node, ...], ...]:
        if isinstance(npu, slice):
            return tuple(self[one] for one in range(len(self))[npu])
        npu = range(len(self))[npu]  # counts from the end below 0, and raises IndexError
        kept = self._made.get(npu)
        if kept is None:
            kept = self._nodes(npu)
            if kept is not self.templates[self.of[npu]]:
                while len(self._made) >= _KEPT:
                    self._made.pop(next(iter(self._made)), None)
                self._made[npu] = kept
        return kept

    def __iter__(self) -> Iterator[tuple[Node, ...]]:
        return map(self.__getitem__, range(len(self)))

    def _nodes(self, npu: int) -> tuple[Node, ...]:
        template = self.of[npu]
        nodes, by, groups = self.templates[template], npu - self.first[template], self.groups_of(npu)
        moving, named = self._places[template]
        if not (by and moving) and not (groups and named):
            return nodes
        made = list(nodes)
        if groups:
            for place in named:
                made[place] = renamed(made[place], groups)
        if by:
            steps = self.steps[template] if self.steps else {}
            numbers = self.numbers_of(npu)
            for place in moving:
                made[place] = moved(made[place], by if self.shifts else 0, by, steps, numbers)
        return tuple(made)

    def check(self, where: str = "the nodes") -> None:
        """Raise ConfigError where an NPU would have a number twice, or a message from or to an NPU that isn't there."""
        for template, nodes in enumerate(self.templates) if self.shifts or self.steps else ():
            npus = self.members[template]
            if not npus or not self.moves(template):
                continue
            steps = self.steps[template] if self.steps else {}
            by = [npu - self.first[template] for npu in (npus[0], npus[-1])]
            ordered = sorted(nodes, key=lambda node: node.id)
            for shift in by:  # in between, all is in between
                numbers = [node.id + shift * steps.get(node.id, Step()).number for node in ordered]
                if any(a >= b for a, b in pairwise(numbers)) or numbers[0] < 0:
                    raise ConfigError(f"{where}: numbers of template {template} meet {shift:+} NPUs further.")
                for node in nodes if self.shifts else ():
                    for name in ENDS if node.type in MESSAGES else ():
                        if name in node.attributes and not 0 <= node.number(name) + shift < len(self):
                            end = node.number(name) + shift
                            raise ConfigError(
                                f"{where}: {node.label} of NPU {self.first[template] + shift} has {name} {end}; there "
                                f"are 0 to {len(self) - 1}."
                            )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SharedNodes):
            mine, theirs = (
                (one.templates, tuple(one.of), tuple(one.first), one.shifts, tuple(one.names), tuple(one.steps))
                for one in (self, other)
            )
            if mine == theirs:
                return True
        elif not isinstance(other, tuple):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return SharedNodes, (self.templates, self.of, self.first, self.shifts, self.names, self.steps)

    def __repr__(self) -> str:
        return f"<nodes of {len(self):,} NPUs, made from those of {len(self.templates):,}>"


def _compact(npus: list[int]) -> Sequence[int]:
    if npus and npus[-1] - npus[0] == len(npus) - 1:
        return range(npus[0], npus[-1] + 1)
    return tuple(npus)
