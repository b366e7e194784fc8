"""The statistics of a trace, counted without running it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import several
from astra_edu.network.shortest import natural
from astra_edu.traces.accidents import accidents_of
from astra_edu.traces.communication import check_communication
from astra_edu.traces.kinds import kind_of
from astra_edu.traces.longest_chain import by_depth, longest_chain
from astra_edu.traces.node import Node, NodeType
from astra_edu.traces.shared_nodes import SharedNodes
from astra_edu.traces.statistics import CollectiveRow, ComputeRow, KindRow, MessageRow, TraceStatistics
from astra_edu.traces.trace import Trace

UNREADABLE = "unreadable"
_GROUP = "group "

Team = tuple[str, str]
"""A collective's kind, and who starts it, both for people."""


@dataclass
class _Counts:
    """What a tuple of nodes has, which one or several NPUs may share."""

    kinds: Counter[str] = field(default_factory=Counter)
    collectives: Counter[Team] = field(default_factory=Counter)
    bytes: Counter[Team] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    roofline: int = 0
    computes: int = 0
    compute_us: int = 0
    cpu_us: int = 0
    num_ops: int = 0
    tensor_bytes: int = 0


def describe(trace: Trace) -> TraceStatistics:
    """See Trace.describe."""
    shared = trace.templates
    counts = [_counts(nodes) for nodes in shared.templates]
    path, joined = longest_chain(trace)
    return TraceStatistics(
        npus=trace.npus,
        nodes=shared.total,
        kinds=tuple(_kinds(shared, counts)),
        collectives=tuple(_collectives(shared, counts)),
        messages=tuple(_messages(shared)),
        computing=_alike(map(_computing, shared.templates, counts, shared.counts, shared.first)),
        critical_path=path,
        missing=tuple(_missing(trace, counts, joined)),
    )


def kind(node: Node) -> str:
    """What a node does, or "unreadable" where its attributes don't say."""
    try:
        return kind_of(node)
    except ConfigError:
        return UNREADABLE


def number(node: Node, name: str) -> int:
    """An attribute as a whole number; 0 where it is missing or none."""
    try:
        return node.number(name, 0)
    except ConfigError:
        return 0


def _counts(nodes: Sequence[Node]) -> _Counts:
    found = _Counts()
    for node in nodes:
        what = kind(node)
        found.kinds[what] += 1
        if node.type is NodeType.COMM_COLL_NODE:
            found.collectives[what, _who(node)] += 1
            found.bytes[what, _who(node)] += number(node, "comm_size")
            if what in (UNREADABLE, "other collectives"):
                found.unknown[_collective_name(node)] += 1
        elif node.type is NodeType.COMP_NODE and what == "CPU":
            found.cpu_us += node.duration_micros
        elif node.type is NodeType.COMP_NODE:
            found.computes += 1
            found.compute_us += node.duration_micros
            found.num_ops += number(node, "num_ops")
            found.tensor_bytes += number(node, "tensor_size")
            found.roofline += not node.duration_micros and bool(number(node, "num_ops"))
    return found


def _who(node: Node) -> str:
    if node.group:
        return f"{_GROUP}{node.group}"
    try:
        involved = node.involved or ()
    except ConfigError:
        return UNREADABLE
    if all(involved):
        return "all NPUs"
    return f"dimensions {', '.join(str(d) for d, use in enumerate(involved) if use) or 'none'}"


def _collective_name(node: Node) -> str:
    try:
        return node.comm_type.name
    except ConfigError as error:
        return str(error).partition(": ")[2].rstrip(".") or str(error).rstrip(".")


def _kinds(shared: SharedNodes, counts: Sequence[_Counts]) -> Iterator[KindRow]:
    for what in dict.fromkeys(what for own in counts for what in own.kinds):
        each = [(own.kinds[what], npus) for own, npus in zip(counts, shared.counts, strict=True)]
        numbers = [number for number, _ in each]
        total, having = (sum(number * npus for number, npus in each), sum(npus for number, npus in each if number))
        yield KindRow(what, total, having, min(numbers), max(numbers))


def _collectives(shared: SharedNodes, counts: Sequence[_Counts]) -> Iterator[CollectiveRow]:
    found: dict[Team, CollectiveRow] = {}

    def add(called: Team, starts: int, size: int, npus: int) -> None:
        before = found.get(called, CollectiveRow(*called, 0, 0, 0, 0, 0))
        found[called] = CollectiveRow(
            *called,
            before.npus + npus,
            before.nodes + starts * npus,
            max(before.most, starts),
            before.bytes + size * npus,
            max(before.most_bytes, size),
        )

    for own, npus in zip(counts, shared.members, strict=True):
        if not shared.names or not any(who.startswith(_GROUP) for _, who in own.collectives):
            for team, starts in own.collectives.items():
                add(team, starts, own.bytes[team], len(npus))
            continue
        for npu in npus:
            groups = {f"{_GROUP}{name}": f"{_GROUP}{own}" for name, own in shared.groups_of(npu).items()}
            named, sizes = Counter[Team](), Counter[Team]()
            for (kind, who), starts in own.collectives.items():
                team = kind, groups.get(who, who)
                named[team] += starts
                sizes[team] += own.bytes[kind, who]
            for team, starts in named.items():
                add(team, starts, sizes[team], 1)
    yield from (found[team] for team in sorted(found, key=lambda team: natural("/".join(team))))


def _messages(shared: SharedNodes) -> Iterator[MessageRow]:
    sends: Counter[tuple[int, int]] = Counter()
    receives: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for nodes, npus, first in zip(shared.templates, shared.members, shared.first, strict=True):
        sent, got, bytes = Counter[int](), Counter[int](), Counter[int]()
        for node in nodes:
            if node.type is NodeType.COMM_SEND_NODE:
                to = number(node, "comm_dst")
                sent[to] += 1
                bytes[to] += number(node, "comm_size")
            elif node.type is NodeType.COMM_RECV_NODE:
                got[number(node, "comm_src")] += 1
        for npu in npus if sent or got else ():
            by = npu - first if shared.shifts else 0
            for to, count in sent.items():
                sends[npu, to + by] += count
                sizes[npu, to + by] += bytes[to]
            for source, count in got.items():
                receives[source + by, npu] += count
    for ends in sorted(sends.keys() | receives.keys()):
        yield MessageRow(*ends, sends[ends], receives[ends], sizes[ends])


def _alike(rows: Iterable[ComputeRow]) -> tuple[ComputeRow, ...]:
    """The rows, those as one that differ in their NPUs only."""
    found: dict[ComputeRow, ComputeRow] = {}
    for row in rows:
        key = row._replace(first_npu=0, npus=0)
        kept = found.get(key, row._replace(npus=0))
        found[key] = kept._replace(npus=kept.npus + row.npus)
    return tuple(found.values())


def _computing(nodes: Sequence[Node], own: _Counts, npus: int, first_npu: int) -> ComputeRow:
    depths = Counter(by_depth(nodes).values())
    return ComputeRow(
        first_npu=first_npu,
        npus=npus,
        nodes=len(nodes),
        computations=own.computes,
        compute_us=own.compute_us,
        cpu_us=own.cpu_us,
        num_ops=own.num_ops,
        tensor_bytes=own.tensor_bytes,
        depth=max(depths, default=0),
        width=max(depths.values(), default=0),
    )


def _missing(trace: Trace, counts: Sequence[_Counts], joined: bool) -> Iterator[str]:
    unknown: Counter[str] = Counter()
    for own, npus in zip(counts, trace.templates.counts, strict=True):
        unknown.update({name: count * npus for name, count in own.unknown.items()})
    for name, count in unknown.items():
        verb = "are" if count > 1 else "is"
        yield f"{several(count, 'collective')} {verb} {name}, which ASTRA-sim doesn't carry out."
    if bare := sum(own.roofline * npus for own, npus in zip(counts, trace.templates.counts, strict=True)):
        yield (
            f"{several(bare, 'computation')} {'have' if bare > 1 else 'has'} operations (num_ops) and no duration: "
            "how long they take depends on the platform; they count 0 µs here."
        )
    if not joined:
        yield "NPUs start collectives or messages in orders that don't fit: the critical path is that of one NPU alone."
    try:
        check_communication(trace)
    except ConfigError as error:
        yield str(error)
    yield from accidents_of(trace)
