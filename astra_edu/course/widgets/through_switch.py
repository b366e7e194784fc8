"""The player's steps in which a switch adds up and copies: what goes up to it, and what comes down from it.

The switch of dimension d is node number npus + d, behind all NPUs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Op, Schedule
from astra_edu.collectives.collective import REDUCING
from astra_edu.collectives.proof import Held
from astra_edu.collectives.schedule import Step
from astra_edu.course.widgets import words
from astra_edu.course.widgets.layout import Layout, bent, beside, towards
from astra_edu.course.widgets.own_layout import HEIGHT, WIDTH, Curve
from astra_edu.course.widgets.tokens import Timing, label
from astra_edu.course.widgets.words import Token
from astra_edu.network.topologies import Topology

INSIDE = 44.0
"""px from a switch's middle to where ways to it end."""


def check_switches(schedule: Schedule, topology: Sequence[str]) -> None:
    """Raise ConfigError where a dimension whose switch adds up is to be drawn as something else."""
    for group in schedule.groups:
        name = topology[group.dimension]
        if group.carried is not None and name != Topology.SWITCH:
            raise ConfigError(
                f"{schedule.algorithm} has a switch add up, and dimension {group.dimension} is to be drawn as {name}; "
                'leave topology out, or give "Switch".'
            )


def named(plan: Layout, schedule: Schedule) -> Layout:
    """With a switch's name in its middle where it adds up: ways cross it elsewhere, and end around there."""
    if not plan.boxes or all(group.carried is None for group in schedule.groups):
        return plan
    return replace(plan, names=((WIDTH / 2, HEIGHT / 2 + 4, "switch"),))


def switch_tokens(step: Step, before: Held, after: Held, timing: Timing | None) -> list[Token]:
    """One token up from each NPU and one down to it; before, after: what NPUs hold. The switch holds nothing."""
    switch = len(before) + step.dimension
    spans = timing.spans(step.index) if timing else [(0.0, 0.0)] * len(step.transfers)
    sent: defaultdict[int, dict[int, None]] = defaultdict(dict)
    came: defaultdict[int, dict[int, None]] = defaultdict(dict)
    ends: dict[int, tuple[float, float]] = {}
    for (source, destination, shard), span in zip(step.transfers, spans, strict=True):
        sent[source][shard] = came[destination][shard] = None
        ends[source] = ends[destination] = span
    up, down = [], []
    for npu, (start, end) in sorted(ends.items()):
        middle = (start + end) / 2
        shards = sorted(sent[npu] | came[npu]) if step.op is Op.REDUCE else [*sent[npu]]
        holds = [before[npu][shard] for shard in shards]
        up.append(Token(npu, switch, shards, holds, [0] * len(shards), start, middle))
        gets = sorted(came[npu])
        holds = [after[npu][shard] for shard in gets]
        down.append(Token(switch, npu, gets, holds, holds, middle, end))
    return up + down


def switch_label(schedule: Schedule, step: Step, token: Token) -> str:
    """What stands on a token: what is to be added up has a plus, what has been a sigma."""
    adds_up = step.op is Op.REDUCE
    sign = "" if not adds_up else "+" if token.source < schedule.npus else "Σ "
    return sign + label(schedule, token.shards)


def switch_text(schedule: Schedule, step: Step, tokens: list[Token]) -> str:
    """What the step does, in a sentence."""
    up, down = tokens[0], tokens[len(tokens) // 2]
    does = "adds up what all send and" if step.op is Op.REDUCE else "copies it and"
    holding = ""
    if schedule.collective in REDUCING and len({*down.carried}) == 1:
        holding = f", {words.spoken(down.carried[0], schedule.npus)},"
    shards = words.shard_list(schedule, down.shards)
    switch = "the switch" if len(schedule.dims) == 1 else "its switch"
    return (
        f"{words.start(schedule, step)}: every NPU sends {words.how_many(up.shards)} up to {switch}, which {does} "
        f"sends {words.how_many(down.shards)} down to each — such as {shards}{holding} to NPU {down.destination}."
    )


def switch_way(plan: Layout, source: int, destination: int) -> Curve:
    """The way between an NPU and its switch; up and down bend to different sides."""
    npus = len(plan.nodes)
    npu, d = (source, destination - npus) if destination >= npus else (destination, source - npus)
    node = plan.nodes[npu]
    inside = towards((WIDTH / 2, HEIGHT / 2), node, INSIDE) if len(plan.dims) == 1 else beside(plan, node, d)
    a, b = (node, inside) if npu == source else (inside, node)
    first, one, two, last = bent(a, b, 9.0)
    if npu == source:
        return towards(first, one, plan.radius + 1), one, two, last
    return first, one, two, towards(last, two, plan.radius + 4)
