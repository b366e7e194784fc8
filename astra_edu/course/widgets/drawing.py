"""Everything the player draws, as one JSON-able payload: made once in Python, read by the SVG and by the view.

Sets of contributors are numbered: the payload's "sets" lists each one that occurs, with its text, its sentence
and its size, and everything else refers to it by number. Set 0 is the empty one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, islice
from math import inf
from typing import Any

from astra_edu.base.bound import caveat, total_words
from astra_edu.collectives import Op, ProofError, Schedule
from astra_edu.collectives.collective import REDUCING
from astra_edu.collectives.proof import Held, initial, prove_end, replay
from astra_edu.collectives.schedule import Step, Transfer
from astra_edu.course.widgets import words
from astra_edu.course.widgets.holdings import DETAIL_NPUS, table
from astra_edu.course.widgets.layout import Layout, layout, path, point
from astra_edu.course.widgets.own_layout import HEIGHT, WIDTH, Curve
from astra_edu.course.widgets.through_switch import named, switch_label, switch_text, switch_tokens, switch_way
from astra_edu.course.widgets.tokens import TOKEN_HEIGHT, label, overlaps, tokens_of
from astra_edu.course.widgets.tokens import Timing as Timing
from astra_edu.course.widgets.tree_layout import tree_layout, trees_of
from astra_edu.course.widgets.words import Sets, Token
from astra_edu.network.topologies import find

Payload = dict[str, Any]

MAX_NPUS, MAX_TRANSFERS = 64, 20_000
LABELLED_TOKENS = 64  # a step with more shows only dots
START, STOP = 0.12, 0.85  # the part of a curve that a token travels
LETTER, PADDING = 6.1, 11.0  # of a token's label, px


def drawing(schedule: Schedule, topology: Sequence[str], timing: Timing | None = None) -> Payload:
    """The payload of one schedule; `topology` names each dimension's network.

    Where each two NPUs have a link of their own, they stand as in the algorithm's tree, if it has one.
    """
    common = {"title": title(schedule), "caveat": "", "npus": schedule.npus, "step_count": schedule.step_count}
    common |= _bound(schedule, timing)
    if schedule.npus > MAX_NPUS or _too_many(schedule):
        return common | {"kind": "counts", "steps": [], "marks": None} | words.counts_table(schedule)
    networks = tuple(map(find, topology))
    trees = trees_of(schedule) if networks[0].own_links else None
    plan = tree_layout(trees, schedule, networks) if trees else named(layout(schedule.dims, topology), schedule)
    sets = Sets(schedule)
    steps, problem = _steps(schedule, sets, plan, timing)
    ways = {(t[0], t[1], plan.tree(t[2][0])) for step in steps for t in step["tokens"]}
    routes = {way(*ends): _route(plan, *ends) for ends in sorted(ways)}
    held = initial(schedule)
    return common | {
        "kind": "steps",
        "detail": schedule.npus <= DETAIL_NPUS,  # with names on the tokens
        "problem": problem,
        "stage": _stage(plan, routes),
        "phases": _phases(schedule),
        "steps": steps,
        "names": [schedule.shard_name(shard) for shard in range(schedule.shards)],
        "start": [[i, c, sets.number(m)] for i, row in enumerate(held) for c, m in enumerate(row) if m],
        "table": table(schedule, sets),
        "sets": sets.described(),
        "words": words.SENTENCES,
        "reducing": schedule.collective in REDUCING,
        "marks": _marks(steps, timing),
    }


def title(schedule: Schedule) -> str:
    """Such as "ring all-reduce on 8 NPUs"."""
    return f"{schedule.algorithm} {schedule.collective} on {'×'.join(f'{n:,}' for n in schedule.dims)} NPUs"


def _bound(schedule: Schedule, timing: Timing | None) -> Payload:
    """Where the timing's messages share links, a title with what leads then, and why."""
    bound_ns = getattr(timing, "bound_ns", None)
    if timing is None or bound_ns is None:
        return {}
    leads = f"{title(schedule)}, {total_words(timing.total_ns, bound_ns)}"
    return {"title": leads, "caveat": caveat(timing.total_ns, bound_ns)}


def phase_name(schedule: Schedule, phase: str, dimension: int) -> str:
    """The phase, with its dimension where there are several."""
    return f"{phase} · dimension {dimension}" if len(schedule.dims) > 1 else phase


def _too_many(schedule: Schedule) -> bool:
    transfers = (t for step in schedule.steps() for t in step.transfers)
    try:
        return sum(1 for _ in islice(transfers, MAX_TRANSFERS + 1)) > MAX_TRANSFERS
    except ProofError:  # a rule that breaks in some step; what goes before is shown
        return False


def _steps(schedule: Schedule, sets: Sets, plan: Layout, timing: Timing | None) -> tuple[list[Payload], str]:
    """The steps with their tokens, and what is wrong with the schedule ("" if nothing is)."""
    held, steps = initial(schedule), []
    try:
        for step, after in replay(schedule):
            if step.rounds.carried is not None:
                tokens = switch_tokens(step, held, after, timing)
                steps.append(_step(schedule, step, tokens, sets, plan))
                held = [list(row) for row in after]
                continue
            tokens = tokens_of(step, timing, schedule, plan)
            for t in tokens:
                t.carried = [held[t.source][shard] for shard in t.shards]
            for t in sorted(tokens, key=lambda t: t.end):
                for shard, mask in zip(t.shards, t.carried, strict=True):
                    row = held[t.destination]
                    row[shard] = row[shard] | mask if step.op is Op.REDUCE else mask
                    t.held.append(row[shard])
            steps.append(_step(schedule, step, tokens, sets, plan))
        prove_end(schedule, held)
    except ProofError as error:
        if error.step is not None and error.transfer is not None:
            steps.append(_wrong_step(schedule, error.step, error.transfer, held, sets, plan, timing))
        return steps, str(error)
    return steps, ""


def _wrong_step(
    schedule: Schedule,
    step: Step,
    wrong: Transfer,
    held: Held,
    sets: Sets,
    plan: Layout,
    timing: Timing | None,
) -> Payload:
    """A step that can't be carried out: what can be drawn of it sets out, and nothing arrives."""
    tokens = tokens_of(step, timing, schedule, plan)
    for t in tokens:
        t.carried = [held[t.source][shard] for shard in t.shards]
        t.held = [held[t.destination][shard] for shard in t.shards]
    drawn = _step(schedule, step, tokens, sets, plan)
    place = next(
        (k for k, t in enumerate(tokens) if (t.source, t.destination) == (wrong.source, wrong.destination)), None
    )
    if place is not None:
        drawn["tokens"][place][4] = f"✗ {drawn['tokens'][place][4]}"
    return drawn | {"wrong": place, "stops": True, "docks": False, "text": words.wrong_text(schedule, step, place)}


def _step(schedule: Schedule, step: Step, tokens: list[Token], sets: Sets, plan: Layout) -> Payload:
    """One step. Through a switch an NPU's tokens leave one after the other, for a `spread` of the beat.

    What a switch adds up or copies comes down when all has gone up to it.
    """
    switched = step.rounds.carried is not None
    mine: defaultdict[int, list[Token]] = defaultdict(list)
    for t in tokens:
        mine[t.source].append(t)
    busiest = max(map(len, mine.values()), default=1)
    spread = 0.5 if plan.topology[step.dimension].switched and busiest > 1 else 0.0
    delays = [round(spread * _place(mine[t.source], t) / max(1, busiest - 1), 3) for t in tokens]
    if switched:
        spread, delays = 0.5, [0.0 if t.source < schedule.npus else 0.5 for t in tokens]
    labels = [("+" if step.op is Op.REDUCE else "") + label(schedule, t.shards) for t in tokens]
    if switched:
        labels = [switch_label(schedule, step, t) for t in tokens]
    few = len(tokens) <= LABELLED_TOKENS
    routes = [_route(plan, t.source, t.destination, plan.tree(t.shards[0])) for t in tokens] if few else []
    ends = [point(route, travelled(1.0)) for route in routes]
    halfway = [
        (point(route, travelled(min(1, (0.5 - delay) / (1 - spread)))), LETTER * len(label) + PADDING)
        for route, delay, label in zip(routes, delays, labels, strict=False)
    ]
    return {
        "op": str(step.op),
        "phase": phase_name(schedule, step.phase, step.dimension),
        "text": (switch_text if switched else words.step_text)(schedule, step, tokens),
        "spread": spread,
        "labels": few and schedule.npus <= DETAIL_NPUS and overlaps(halfway) <= (0 if plan.trees else len(tokens)),
        "docks": few and not overlaps([(end, 26.0) for end in ends]),
        "wrong": None,  # the place of the token that can't be sent
        "stops": False,  # half way: nothing of it arrives
        "tokens": [  # source, destination, shards, what the receiver then holds, label, delay, start, end
            [
                t.source,
                t.destination,
                t.shards,
                [sets.number(mask) for mask in t.held],
                label,
                delay,
                float(t.start),
                float(t.end),
            ]
            for t, label, delay in zip(tokens, labels, delays, strict=True)
        ],
    }


def _route(plan: Layout, source: int, destination: int, tree: int) -> Curve:
    if max(source, destination) >= len(plan.nodes):
        return switch_way(plan, source, destination)
    return plan.route(source, destination, tree)


def _place(tokens: list[Token], token: Token) -> int:
    return next(place for place, other in enumerate(tokens) if other is token)


def travelled(share: float) -> float:
    """Where on its curve a token is that has done `share` of its way: it starts and stops short of the NPUs."""
    return START + (STOP - START) * share


def way(source: int, destination: int, tree: int = 0) -> str:
    """The name of a way between two NPUs, in the second tree another one."""
    return f"{source},{destination}" + (f",{tree}" if tree else "")


def _stage(plan: Layout, routes: dict[str, Any]) -> Payload:
    return {
        "size": [WIDTH, HEIGHT],
        "nodes": [[round(x, 1), round(y, 1)] for x, y in plan.nodes],
        "twins": [[[round(x, 1), round(y, 1)] for x, y in places] for places in plan.twins],
        "trees": list(plan.trees),
        "names": [[round(x, 1), y, text] for x, y, text in plan.names],
        "radius": round(plan.radius, 1),
        "links": list(plan.links),
        "buses": list(plan.buses),
        "boxes": [list(box) for box in plan.boxes],
        "routes": {k: [[round(x, 1), round(y, 1)] for x, y in curve] for k, curve in routes.items()},
        "paths": {k: path(curve) for k, curve in routes.items()},
        "token": [LETTER, PADDING, TOKEN_HEIGHT],
        "travel": [START, STOP],
    }


def _phases(schedule: Schedule) -> list[Payload]:
    return [
        {
            "label": f"dim {g.dimension}: {g.phase}" if len(schedule.dims) > 1 else g.phase,
            "op": str(g.op),
            "first": first,
            "count": g.count,
        }
        for g, first in zip(schedule.groups, accumulate((g.count for g in schedule.groups), initial=0), strict=False)
    ]


def _marks(steps: list[Payload], timing: Timing | None) -> list[float] | None:
    """marks[k]: when step k (the first is 1) is over, or the next one begins if that is earlier; in ns."""
    if timing is None:
        return None
    starts = [min((t[6] for t in step["tokens"]), default=0.0) for step in steps[1:]]
    ends = [max((t[7] for t in step["tokens"]), default=0.0) for step in steps]
    over = [min(pair) for pair in zip(ends, [*starts, inf], strict=True)]
    over[-1:] = [float(timing.total_ns)]
    return list(accumulate(over, max, initial=0.0))
