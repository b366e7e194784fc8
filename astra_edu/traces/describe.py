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
from astra_edu.traces.statistics import CollectiveRow, ComputeRow, KindRow, MessageRow, TraceStatistics
from astra_edu.traces.trace import Trace

UNREADABLE = "unreadable"

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
    counts: dict[int, _Counts] = {}
    owners: dict[int, list[int]] = {}
    for npu, nodes in enumerate(trace.nodes):
        owners.setdefault(id(nodes), []).append(npu)
        if id(nodes) not in counts:
            counts[id(nodes)] = _counts(nodes)
    shared = [(trace.nodes[npus[0]], counts[key], len(npus), npus[0]) for key, npus in owners.items()]
    path, joined = longest_chain(trace)
    return TraceStatistics(
        npus=trace.npus,
        nodes=sum(len(nodes) for nodes in trace.nodes),
        kinds=tuple(_kinds(trace, counts)),
        collectives=tuple(_collectives(trace, counts)),
        messages=tuple(_messages(trace)),
        computing=_alike(_computing(*one) for one in shared),
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
        return f"group {node.group}"
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


def _kinds(trace: Trace, counts: dict[int, _Counts]) -> Iterator[KindRow]:
    each = [counts[id(nodes)].kinds for nodes in trace.nodes]
    for what in dict.fromkeys(what for own in each for what in own):
        numbers = [own[what] for own in each]
        yield KindRow(what, sum(numbers), sum(map(bool, numbers)), min(numbers), max(numbers))


def _collectives(trace: Trace, counts: dict[int, _Counts]) -> Iterator[CollectiveRow]:
    each = [counts[id(nodes)] for nodes in trace.nodes]
    for team in sorted({team for own in each for team in own.collectives}, key=lambda team: natural("/".join(team))):
        starts = [own.collectives[team] for own in each]
        sizes = [own.bytes[team] for own in each]
        yield CollectiveRow(*team, sum(map(bool, starts)), sum(starts), max(starts), sum(sizes), max(sizes))


def _messages(trace: Trace) -> Iterator[MessageRow]:
    sends: Counter[tuple[int, int]] = Counter()
    receives: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for npu, nodes in enumerate(trace.nodes):
        for node in nodes:
            if node.type is NodeType.COMM_SEND_NODE:
                ends = npu, number(node, "comm_dst")
                sends[ends] += 1
                sizes[ends] += number(node, "comm_size")
            elif node.type is NodeType.COMM_RECV_NODE:
                receives[number(node, "comm_src"), npu] += 1
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


def _missing(trace: Trace, counts: dict[int, _Counts], joined: bool) -> Iterator[str]:
    each = [counts[id(nodes)] for nodes in trace.nodes]
    for name, count in sum((own.unknown for own in each), Counter[str]()).items():
        verb = "are" if count > 1 else "is"
        yield f"{several(count, 'collective')} {verb} {name}, which ASTRA-sim doesn't carry out."
    if bare := sum(own.roofline for own in each):
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
