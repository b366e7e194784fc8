"""An oracle: a trace's communication checked NPU by NPU and node by node, without any templates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, suggestion
from astra_edu.traces.dimensions import npus_along
from astra_edu.traces.node import CommType, Node, NodeType
from astra_edu.traces.trace import Trace

_NUMBERS = ("num_ops", "tensor_size")
_COMMUNICATION = (NodeType.COMM_COLL_NODE, NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)


class Envelope(NamedTuple):
    """What a send and its receive must have in common."""

    source: int
    destination: int
    tag: int
    size: int


class Start(NamedTuple):
    """A collective as all who take part in it must start it."""

    kind: CommType
    size: int

    def __str__(self) -> str:
        return f"{self.kind.name} of {self.size} bytes"


Team = tuple[str, tuple[bool, ...]]
"""Who takes part in a collective: the name of a process group, empty for all NPUs, and the dimensions involved."""


@dataclass
class _Issued:
    """What some nodes issue: for each team which collectives how often, the first of each, and sends and receives."""

    counts: dict[Team, Counter[Start]] = field(default_factory=dict)
    first: dict[tuple[Team, Start], Node] = field(default_factory=dict)
    messages: list[Node] = field(default_factory=list)


def check_communication(trace: Trace, dimensions: Sequence[int] | None = None) -> None:
    """Raise ConfigError for communication that ASTRA-sim 2.x would stop at or wait for without end.

    That are sends and receives without their counterpart (same NPUs, tag and size), to NPUs that aren't there, or
    issued by another NPU than the one they name; collectives that ASTRA-sim doesn't carry out; process groups that
    are unknown or lack the NPU; members of a group, or all NPUs, that don't start the same collectives the same number
    of times. In which order they start them isn't known before a run. Attributes that should be numbers are looked
    at, too. Nothing of that matters to a run that only replays durations.

    dimensions: the NPUs in each of the network's dimensions. Without them, collectives over some dimensions only
    aren't compared, since who takes part in them isn't known. The time it takes grows with the nodes.
    """
    issued: dict[int, _Issued] = {}
    sends: list[tuple[Envelope, Node]] = []
    receives: list[tuple[Envelope, Node]] = []
    for npu, nodes in enumerate(trace.nodes):
        try:
            if id(nodes) not in issued:
                issued[id(nodes)] = _issued(nodes)
            for (team, _), node in issued[id(nodes)].first.items():
                _check_group(trace, team[0], npu, node)
            for node in issued[id(nodes)].messages:
                sending = node.type is NodeType.COMM_SEND_NODE
                (sends if sending else receives).append((_envelope(node, npu, trace.npus, sending), node))
        except ConfigError as error:
            raise ConfigError(f"{trace.where(npu)}: {error}") from None
    _check_messages(trace, sends, receives)
    for team, members in _teams(trace, issued, dimensions):
        _check_team(trace, issued, team, members)


def _issued(nodes: Sequence[Node]) -> _Issued:
    found = _Issued()
    for node in nodes:
        for name in _NUMBERS:
            node.number(name, 0)
        if node.type not in _COMMUNICATION:
            continue
        if node.is_cpu_op:
            raise ConfigError(f"{node.label} communicates, and has is_cpu_op set; in ASTRA-sim that excludes itself.")
        if node.type is not NodeType.COMM_COLL_NODE:
            found.messages.append(node)
            continue
        if node.collective is None:  # a replay of its duration, with nobody else
            continue
        involved = node.involved or ()
        team = (node.group, () if all(involved) else involved)
        start = Start(node.comm_type, node.number("comm_size"))
        found.counts.setdefault(team, Counter())[start] += 1
        found.first.setdefault((team, start), node)
    return found


def _check_group(trace: Trace, name: str, npu: int, node: Node) -> None:
    if not name:
        return
    if name not in trace.groups:
        there = suggestion(name, trace.groups) if trace.groups else "None is; load_trace takes their file as groups=."
        raise ConfigError(f"{node.label} names the process group {name!r}, which isn't defined. {there}")
    if npu not in trace.groups[name]:
        members = ", ".join(map(str, trace.groups[name][:20]))
        raise ConfigError(f"{node.label}: its process group is {name}, but the NPUs of that are {members}.")


def _envelope(node: Node, npu: int, npus: int, sending: bool) -> Envelope:
    own, other = ("comm_src", "comm_dst") if sending else ("comm_dst", "comm_src")
    verb = "sends" if sending else "receives"
    if node.number(own, npu) != npu:
        raise ConfigError(f"{node.label} {verb}, but its {own} is NPU {node.number(own)}, not NPU {npu} itself.")
    to = node.number(other)
    if to >= npus:
        raise ConfigError(f"{node.label}: its {other} is NPU {to}; there are only 0 to {npus - 1}.")
    if to == npu:
        raise ConfigError(f"{node.label}: its {other} is NPU {npu} itself; a message needs two NPUs.")
    ends = (npu, to) if sending else (to, npu)
    return Envelope(*ends, node.number("comm_tag", 0), node.number("comm_size"))


def _check_messages(
    trace: Trace, sends: Sequence[tuple[Envelope, Node]], receives: Sequence[tuple[Envelope, Node]]
) -> None:
    sent, received = Counter(message for message, _ in sends), Counter(message for message, _ in receives)
    for listed, ours, theirs, sending in ((sends, sent, received, True), (receives, received, sent, False)):
        lonely = ours - theirs
        if not lonely:
            continue
        message, node = next((message, node) for message, node in listed if message in lonely)
        npu, other = message[:2] if sending else (message.destination, message.source)
        what = f"{'sends' if sending else 'receives'} {message.size} bytes with tag {message.tag}"
        reply = f"NPU {other} {'receives' if sending else 'sends'}"
        nearest = _nearest(message, theirs - ours)
        if theirs[message]:
            why = f"There are {ours[message]} of these, but {reply} only {theirs[message]}."
        elif nearest is None:
            why = f"{reply} nothing of the kind."
        elif nearest[:2] == message[:2]:
            why = f"What {reply} is {nearest.size} bytes with tag {nearest.tag}."
        else:
            why = f"There is one from NPU {nearest.source} to NPU {nearest.destination}, though."
        more = lonely.total() - lonely[message]
        raise ConfigError(
            f"{trace.where(npu)}: {node.label} {what} {'to' if sending else 'from'} NPU {other}, and has no "
            f"counterpart there: NPUs, tag and size must be the same. {why}"
            + (f" {more} more have none." if more else "")
        )


def _nearest(message: Envelope, left: Counter[Envelope]) -> Envelope | None:
    """Of the messages that are left over on the other side the one that was probably meant."""
    near = [other for other in left if other[:2] == message[:2] or other[2:] == message[2:]]
    return max(near, key=lambda other: (other[:2] == message[:2], other.tag == message.tag), default=None)


def _teams(
    trace: Trace, issued: dict[int, _Issued], dimensions: Sequence[int] | None
) -> Iterator[tuple[Team, Sequence[int]]]:
    """Every team that a node names, with the NPUs that must all start its collectives."""
    named = dict.fromkeys(team for one in issued.values() for team in one.counts)
    for team in named:
        name, involved = team
        if name:
            yield team, trace.groups[name]
        elif not involved:
            yield team, range(trace.npus)
        elif dimensions is not None and prod(dimensions) == trace.npus:
            uses = [d < len(involved) and involved[d] for d in range(len(dimensions))]
            yield from ((team, members) for members in npus_along(dimensions, uses))


def _check_team(trace: Trace, issued: dict[int, _Issued], team: Team, members: Sequence[int]) -> None:
    nothing: Counter[Start] = Counter()
    most = max(members, key=lambda npu: issued[id(trace.nodes[npu])].counts.get(team, nothing).total())
    ours = issued[id(trace.nodes[most])]
    equal: set[int] = {id(trace.nodes[most])}
    for npu in members:
        if id(trace.nodes[npu]) in equal:
            continue
        theirs = issued[id(trace.nodes[npu])].counts.get(team, nothing)
        if theirs == ours.counts.get(team, nothing):
            equal.add(id(trace.nodes[npu]))
            continue
        start = next(iter(ours.counts[team] - theirs))
        node = ours.first[team, start]
        left = theirs - ours.counts[team]
        instead = min(left, key=lambda one: one.kind is not start.kind, default=None)
        who = f"the NPUs of process group {team[0]}" if team[0] else "the NPUs that take part"
        raise ConfigError(
            f"{trace.where(most)}: {node.label} is the first of {ours.counts[team][start]} x {start}, but "
            f"{trace.where(npu)} starts {theirs[start]}{f', and {instead} instead' if instead else ''}. All {who} must "
            "start the same collectives, or the others wait for ever."
        )
