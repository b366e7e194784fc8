"""Whether a trace's communication can work out: every send is received, and members of a group start the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, suggestion
from astra_edu.traces.dimensions import npus_along
from astra_edu.traces.matching import Unmatched
from astra_edu.traces.node import COLLECTIVES, CommType, Node, NodeType
from astra_edu.traces.trace import Trace

_NUMBERS = ("num_ops", "tensor_size")
_MESSAGES = (NodeType.COMM_SEND_NODE, NodeType.COMM_RECV_NODE)
_COMMUNICATION = (NodeType.COMM_COLL_NODE, *_MESSAGES)


class Start(NamedTuple):
    """A collective as all who take part in it must start it."""

    kind: CommType
    size: int

    def __str__(self) -> str:
        return f"{self.kind.name} of {self.size} bytes"


Team = tuple[str, tuple[bool, ...]]
"""Who takes part in a collective: the name of a process group, empty for all NPUs, and the dimensions involved."""


Known = Sequence[dict[int, tuple[Team, Start] | None]]
"""For each type of nodes, by the id of attributes that are fine: which team starts which collective; None: none."""


@dataclass
class _Issued:
    """What some nodes issue: which collectives how often for each team, who names a group first, and messages."""

    counts: dict[Team, Counter[Start]] = field(default_factory=dict)
    groups: dict[str, Node] = field(default_factory=dict)
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
    fine = trace._fine_on
    if () in fine or (dimensions is not None and tuple(dimensions) in fine):
        return
    shared = trace.templates
    issued: dict[int, _Issued] = {}
    known = _nothing_known()
    everybody = {name: frozenset(members) for name, members in trace.groups.items()}
    left = Unmatched(shared)
    for npu, template in enumerate(shared.of):
        try:
            is_first = template not in issued
            if is_first:
                issued[template] = _issued(shared.templates[template], known)
            own = issued[template]
            if own.groups:
                names = shared.groups_of(npu)
                if any(npu not in everybody.get(names.get(name, name), ()) for name in own.groups):
                    _check_groups(trace, npu)
            if own.messages and (is_first or not shared.shifts):
                for node in own.messages:
                    left.add(node, npu, template)
        except ConfigError as error:
            raise ConfigError(f"{trace.where(npu)}: {error}") from None
    left.check(trace)
    _check_teams(trace, issued, dimensions)
    if not any(involved for own in issued.values() for _, involved in own.counts):
        fine.add(())
    elif dimensions is not None:
        fine.add(tuple(dimensions))


def _nothing_known() -> Known:
    return [{} for _ in NodeType]


def _issued(nodes: Sequence[Node], known: Known) -> _Issued:
    """What nodes issue. known: what has been found of attributes, which many nodes share."""
    found = _Issued()
    counts: dict[int, int] = {}
    first: dict[int, Node] = {}
    for node in nodes:
        kind, key = node.type, id(node.attributes)
        seen = known[kind]
        if key not in seen:
            seen[key] = _start_of(node)
        if kind in _MESSAGES:
            found.messages.append(node)
        elif seen[key] is not None:
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, node)
    for key, node in first.items():
        started = known[node.type][key]
        assert started is not None
        team, start = started
        if team[0]:
            found.groups.setdefault(team[0], node)
        found.counts.setdefault(team, Counter())[start] += counts[key]
    return found


def _start_of(node: Node) -> tuple[Team, Start] | None:
    """Which team starts which collective here; None for all else. Raises ConfigError for what can't be read."""
    for name in _NUMBERS:
        if name in node.attributes:
            node.number(name)
    if node.type not in _COMMUNICATION:
        return None
    if node.is_cpu_op:
        raise ConfigError(f"{node.label} communicates, and has is_cpu_op set; in ASTRA-sim that excludes itself.")
    if node.type is not NodeType.COMM_COLL_NODE:
        return None
    what = node.comm_type
    if what not in COLLECTIVES and node.collective is None:  # a replay of its duration, with nobody else
        return None
    involved = node.involved or ()
    return (node.group, () if all(involved) else involved), Start(what, node.number("comm_size"))


def _check_groups(trace: Trace, npu: int) -> None:
    """Raise ConfigError for the first process group that an NPU names and that isn't defined, or lacks it."""
    for name, node in _issued(trace.nodes[npu], _nothing_known()).groups.items():
        if name not in trace.groups:
            none = "None is; load_trace takes their file as groups=."
            there = suggestion(name, trace.groups) if trace.groups else none
            raise ConfigError(f"{node.label} names the process group {name!r}, which isn't defined. {there}")
        if npu not in trace.groups[name]:
            members = ", ".join(map(str, trace.groups[name][:20]))
            raise ConfigError(f"{node.label}: its process group is {name}, but the NPUs of that are {members}.")


def _check_teams(trace: Trace, issued: dict[int, _Issued], dimensions: Sequence[int] | None) -> None:
    """Raise ConfigError for a team whose members don't all start the same collectives as often."""
    shared = trace.templates
    if len(issued) == 1 and not shared.names:
        return
    theirs: list[Mapping[str, str]] = []
    for npu in range(trace.npus) if shared.names else ():
        groups = shared.groups_of(npu)
        theirs.append(dict.fromkeys(groups, _NOBODY) | {own: name for name, own in groups.items()})

    def counts(npu: int, team: Team) -> Counter[Start]:
        own = issued[shared.of[npu]].counts
        return own.get((theirs[npu].get(team[0], team[0]), team[1]) if theirs and team[0] else team, _NOTHING)

    for team, members in _teams(trace, issued, dimensions):
        if not theirs:
            found = [issued[template].counts.get(team, _NOTHING) for template in {shared.of[npu] for npu in members}]
            if all(one == found[0] for one in found):
                continue
        first = counts(members[0], team)
        equal = {id(first)}
        for npu in members:
            ours = counts(npu, team)
            if id(ours) not in equal:
                if ours != first:
                    raise _differ(trace, team, members, counts)
                equal.add(id(ours))


_NOTHING: Counter[Start] = Counter()
_NOBODY = "-"
"""What no process group is called: a template's that an NPU has another one for."""


def _teams(
    trace: Trace, issued: dict[int, _Issued], dimensions: Sequence[int] | None
) -> Iterator[tuple[Team, Sequence[int]]]:
    """Every team that a node names, with the NPUs that must all start its collectives."""
    shared = trace.templates
    named: dict[Team, None] = {}
    seen: set[tuple[int, tuple[str, ...]]] = set()
    for npu, template in enumerate(shared.of):
        key = template, shared.names[npu] if shared.names else ()
        if key in seen:
            continue
        seen.add(key)
        groups = shared.groups_of(npu)
        named.update(dict.fromkeys((groups.get(name, name), uses) for name, uses in issued[template].counts))
    for team in named:
        name, involved = team
        if name:
            yield team, trace.groups[name]
        elif not involved:
            yield team, range(trace.npus)
        elif dimensions is not None and prod(dimensions) == trace.npus:
            uses = [d < len(involved) and involved[d] for d in range(len(dimensions))]
            yield from ((team, members) for members in npus_along(dimensions, uses))


def _differ(
    trace: Trace, team: Team, members: Sequence[int], counts: Callable[[int, Team], Counter[Start]]
) -> ConfigError:
    """What is wrong with a team whose members start different collectives."""
    most = max(members, key=lambda npu: counts(npu, team).total())
    ours = counts(most, team)
    npu = next(npu for npu in members if counts(npu, team) != ours)
    theirs = counts(npu, team)
    start = next(iter(ours - theirs))
    node = next(node for node in trace.nodes[most] if _is_of(node, team, start))
    instead = min(theirs - ours, key=lambda one: one.kind is not start.kind, default=None)
    who = f"the NPUs of process group {team[0]}" if team[0] else "the NPUs that take part"
    return ConfigError(
        f"{trace.where(most)}: {node.label} is the first of {ours[start]} x {start}, but {trace.where(npu)} starts "
        f"{theirs[start]}{f', and {instead} instead' if instead else ''}. All {who} must start the same collectives, "
        "or the others wait for ever."
    )


def _is_of(node: Node, team: Team, start: Start) -> bool:
    if node.type is not NodeType.COMM_COLL_NODE or node.collective is None or node.group != team[0]:
        return False
    involved = node.involved or ()
    return (() if all(involved) else involved) == team[1] and Start(node.comm_type, node.number("comm_size")) == start
