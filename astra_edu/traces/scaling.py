"""A trace for more NPUs than it was made for: more copies of the same, each with its own samples.

Copies of a model (data parallelism) are what can be added without knowing the model; tensor groups and stages stay as
they are. Everything else would need sizes that a trace doesn't have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from astra_edu.base.errors import ConfigError, choice, instance_of, whole
from astra_edu.traces.arguments import npu_count
from astra_edu.traces.copies import Layout
from astra_edu.traces.node import CommType, Metadata, Node, NodeType
from astra_edu.traces.operation import listed
from astra_edu.traces.shared_nodes import SharedNodes
from astra_edu.traces.trace import Trace

SCALING = ("weak", "strong")
_SAID = "dims and copies say how NPUs are counted."


def scale(
    trace: Trace, npus: int, *, dims: Sequence[int] = (), copies: int = 0, scaling: str = "weak", padding: int = 1
) -> Trace:
    """The trace for `npus` NPUs: its model has more copies; tensor groups and stages stay as they are.

    dims: NPUs are counted along these, the first one fastest; by default along one, all of whose NPUs are copies.
    copies: the number, from 0, of the dimension that counts copies. A trace of ae.traces.from_strategy has
    dims=(tensor, data, pipeline) with copies=1; with data-first, dims=(data, tensor, pipeline) with copies=0.

    The rules, from d copies to D:

    - Copy k does what copy (k modulo d) did. A trace without collectives between copies gets none: they run beside
      each other.
    - A collective among copies (over all NPUs, over the copies' dimension of the network, or in a process group that
      has every copy of the same places) is among all D copies afterwards. An all-reduce, a reduce-scatter and an
      all-to-all keep their bytes per NPU; an all-gather's block becomes d/D of it, rounded up to a multiple of
      `padding` bytes (64 in from_strategy's traces with ZeRO), since what is gathered stays the same. Groups keep
      their names.
    - A collective within a copy stays within it with the same bytes. Its process group is there once per copy, with
      a new name for each copy beyond the d-th, counting on from the largest there is.
    - A message stays within its copy, with the same bytes and the same tag: its two NPUs tell copies apart.
    - scaling="weak": each copy has as many samples as before, so that computing and bytes stay. "strong": all copies
      together do, so that each has d/D of them: durations (in µs, rounded up), num_ops, tensor_size, and the bytes of
      collectives and messages within a copy become d/D of what they were, and those among copies stay. That is
      optimistic: reading weights and updating them doesn't get faster with fewer samples.

    Raises ConfigError for what has no rule: messages between copies, process groups with some copies only or, among
    copies, not in ascending order, memory accesses with strong scaling, fewer copies than before, and a number of NPUs
    that makes no whole number of copies.

    >>> small = ae.traces.collective("all_reduce", "1 MiB", npus=8)
    >>> ae.traces.scale(small, 512)
    <trace of 512 NPUs, 1 nodes each, all alike>
    >>> model = ae.transformer("tiny", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=16)
    >>> trace = ae.traces.from_strategy(model, ae.Strategy(data=2, tensor=2, pipeline=2), "a100")
    >>> large = ae.traces.scale(trace, 16, dims=(2, 2, 2), copies=1)
    >>> [list(large.groups[name]) for name in ("1", "7")]  # of tensor parallelism, and of copies
    [[0, 1], [8, 10, 12, 14]]
    """
    instance_of("trace", trace, Trace, "give one such as ae.traces.collective(...)")
    choice("scaling", scaling, SCALING)
    layout = Layout.of(trace, npu_count(npus), dims, copies)
    groups = _Groups.of(trace, layout)
    strong = Fraction(layout.before, layout.after) if scaling == "strong" else Fraction(1)
    padding = whole("padding", padding, at_least=1)
    shared = trace.templates
    named = [_named(nodes) for nodes in shared.templates]
    sends = list(map(shared.sends, range(len(shared.templates))))
    same = {id(node): node for own in shared.templates for node in own if _is_everybodys(node, groups)}
    done: dict[int, Node] = {}
    keys: dict[Hashable, int] = {}
    templates: list[tuple[Node, ...]] = []
    of, first, names = [], [], []
    metadata: list[Metadata] = []
    for npu in range(layout.npus):
        source, copy = layout.source(npu), layout.copy(npu)
        template = shared.of[source]
        renamed = shared.groups_of(source)
        own = [renamed.get(name, name) for name in named[template]]
        moves = sends[template] or shared.moves(template)
        key = source if moves else (template, *(name in groups.inner for name in own))
        number = keys.setdefault(key, len(keys))
        if number == len(templates):
            about = _About(layout, groups, source, copy, strong, padding, trace.where(source))
            theirs = trace.nodes[source]
            for node in theirs:
                if id(node) in same and id(node) not in done:
                    done[id(node)] = about.scaled(node)
            templates.append(tuple(done.get(id(node)) or about.scaled(node) for node in theirs))
            first.append(npu)
        of.append(number)
        names.append(tuple(groups.inner.get(name, {}).get(copy, name) for name in own))
        metadata += trace.metadata[source : source + 1]
    nodes = SharedNodes(tuple(templates), tuple(of), tuple(first), True, tuple(names) if any(names) else ())
    return Trace(nodes.simplest(), groups.all, metadata=tuple(metadata))


@dataclass
class _Groups:
    """The process groups. among: those among copies. inner: for those within a copy, its names for each copy."""

    all: dict[str, tuple[int, ...]] = field(default_factory=dict)
    among: set[str] = field(default_factory=set)
    inner: dict[str, dict[int, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, trace: Trace, layout: Layout) -> _Groups:
        """Those of the trace, afterwards. Raises ConfigError for one that has no rule."""
        found = cls()
        fresh = 1 + max(map(int, trace.groups), default=0)
        for name, members in trace.groups.items():
            where = [layout.place(npu) for npu in members]
            places, own = {place for _, place in where}, {copy for copy, _ in where}
            if len(own) == 1:
                first = own.pop()
                found.inner[name] = {}
                for copy in range(first, layout.after, layout.before):
                    found.inner[name][copy] = name if copy < layout.before else str(fresh)
                    fresh += copy >= layout.before
                    found.all[found.inner[name][copy]] = tuple(layout.at(npu, copy) for npu in members)
                continue
            if len(members) != len(places) * layout.before or list(members) != sorted(members):
                raise ConfigError(
                    f"process group {name} ({listed(members)}) is neither within one of {layout.before} copies nor the "
                    f"same places of each of them in ascending order: no rule says how it grows. {_SAID}"
                )
            found.among.add(name)
            every = {layout.at(npu, copy) for npu in members for copy in range(layout.after)}
            found.all[name] = tuple(sorted(every))
        return found


@dataclass(frozen=True)
class _About:
    """What a node of an NPU becomes in a copy."""

    layout: Layout
    groups: _Groups
    npu: int
    copy: int
    strong: Fraction
    padding: int
    where: str

    def scaled(self, node: Node) -> Node:
        attributes = dict(node.attributes)
        for name, value in self._changes(node):
            attributes[name] = attributes[name]._replace(value=value)
        duration = node.duration_micros
        if node.type is NodeType.COMP_NODE:
            duration = ceil(duration * self.strong)
        inputs = node.inputs
        if node.type is NodeType.METADATA_NODE and inputs is not None and '"pg_name"' in inputs.values:
            inputs = None  # process groups as they were before
        changed = replace(node, duration_micros=duration, attributes=attributes, inputs=inputs)
        return node if changed == node else changed

    def _changes(self, node: Node) -> Iterator[tuple[str, object]]:
        if node.type in (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE):
            for name in ("comm_src", "comm_dst"):
                if name in node.attributes:
                    yield name, self._end(node, node.number(name))
            yield from self._times(node, self.strong, "comm_size")
        elif node.type is NodeType.COMM_COLL_NODE:
            if node.group in self.groups.inner:
                if self.copy not in self.groups.inner[node.group]:
                    raise ConfigError(
                        f"{self.where}: {node.label} names the process group {node.group} of another copy."
                    )
                yield "pg_name", self.groups.inner[node.group][self.copy]
            if not self._is_among(node):
                yield from self._times(node, self.strong, "comm_size")
            elif node.comm_type is CommType.ALL_GATHER:
                share = Fraction(self.layout.before, self.layout.after * self.padding)
                if self.layout.after > self.layout.before:
                    yield "comm_size", ceil(node.number("comm_size") * share) * self.padding
        elif node.type is NodeType.COMP_NODE:
            yield from self._times(node, self.strong, "num_ops", "tensor_size")
        elif node.type in (NodeType.MEM_LOAD_NODE, NodeType.MEM_STORE_NODE) and self.strong != 1:
            raise ConfigError(
                f"{self.where}: {node.label} accesses memory; whether for weights or for samples isn't said, so that "
                "strong scaling has no rule for it."
            )

    def _is_among(self, node: Node) -> bool:
        """Whether copies take part in a collective together. Raises ConfigError where its group isn't known."""
        if node.group:
            if node.group not in self.groups.among | self.groups.inner.keys():
                raise ConfigError(f"{self.where}: {node.label} names the process group {node.group}; there is none.")
            return node.group in self.groups.among
        involved = node.involved
        if involved is None or all(involved):
            return self.layout.before > 1
        if len(self.layout.dims) == 1:
            raise ConfigError(
                f"{self.where}: {node.label} runs over some dimensions only; give dims, the NPUs of each, and copies."
            )
        return self.layout.copies < len(involved) and involved[self.layout.copies]

    def _end(self, node: Node, npu: int) -> int:
        copy, _ = self.layout.place(npu)
        mine, _ = self.layout.place(self.npu)
        if copy != mine:
            raise ConfigError(
                f"{self.where}: {node.label} is a message between the copies {mine} and {copy}; no rule says how it "
                f"grows. {_SAID}"
            )
        return self.layout.at(npu, self.copy)

    def _times(self, node: Node, factor: Fraction, *names: str) -> Iterator[tuple[str, object]]:
        for name in names:
            if name in node.attributes and factor != 1:
                yield name, ceil(node.number(name) * factor)


def _is_everybodys(node: Node, groups: _Groups) -> bool:
    """Whether a node becomes the same in all copies."""
    return node.type not in (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE) and node.group not in groups.inner


def _named(nodes: Sequence[Node]) -> list[str]:
    """The process groups that nodes name, in their order."""
    return list(dict.fromkeys(node.group for node in nodes if node.group))
