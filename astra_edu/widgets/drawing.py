"""Everything the player draws, as one JSON-able payload: made once in Python, read by the SVG and by the view.

Sets of contributors are numbered: the payload's "sets" lists each one that occurs, with its text, its sentence
and its size, and everything else refers to it by number. Set 0 is the empty one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, islice, pairwise
from typing import Any, Protocol

from astra_edu.collectives import Collective, Op, ProofError, Schedule, counts, prove
from astra_edu.collectives.collective import REDUCING, held_after
from astra_edu.collectives.proof import initial, replay
from astra_edu.collectives.schedule import Step
from astra_edu.widgets import words
from astra_edu.widgets.layout import HEIGHT, WIDTH, Layout, layout, path, point
from astra_edu.widgets.words import Token

Payload = dict[str, Any]

MAX_NPUS, MAX_TRANSFERS = 64, 200_000
DETAIL_NPUS = 16  # up to here tokens and cells have texts
LABELLED_TOKENS = 64  # a step with more shows only dots
LETTER, PADDING, TOKEN_HEIGHT = 6.1, 11.0, 17.0  # of a token's label, px

PALETTE = {
    "reduce": ("#d55e00", "#f0913f"),  # Okabe and Ito's vermilion and blue: told apart by everybody
    "copy": ("#0072b2", "#56b4e9"),
    "reduce-pale": ("#fde6d3", "#fde6d3"),
    "copy-pale": ("#dceef9", "#dceef9"),
    "partial": ("#f8cfa6", "#8a4a14"),
    "kept": ("#c9e2f3", "#1f4e6e"),
    "final": ("#00694f", "#0a7f62"),
    "paper": ("#ffffff", "#16181b"),
    "ink": ("#1b1b1b", "#ececec"),
    "soft": ("#595959", "#b4b4b4"),
    "line": ("#b9b9b9", "#5a5d62"),
    "faint": ("#f0f0f0", "#26292d"),
}
"""name: (on light, on dark). Text on the pale colours is always dark, on "final" always white."""


class Timing(Protocol):
    """When every transfer of a schedule happens, e.g. from a simulation. Times are in ns."""

    @property
    def total_ns(self) -> float:
        """The end of the last transfer."""

    def spans(self, step_index: int) -> Sequence[tuple[float, float]]:
        """(start, end) of each of schedule.step(step_index).transfers, in their order; steps count from 0."""


def drawing(schedule: Schedule, topology: Sequence[str], timing: Timing | None = None) -> Payload:
    """The payload of one schedule; `topology` names each dimension's network."""
    common = {"title": title(schedule), "palette": PALETTE, "npus": schedule.npus}
    if schedule.npus > MAX_NPUS or sum(1 for _ in islice(_moves(schedule), MAX_TRANSFERS + 1)) > MAX_TRANSFERS:
        return common | {"kind": "counts", "steps": [], "marks": None} | _counts(schedule)
    plan = layout(schedule.dims, topology)
    sets = _Sets(schedule)
    steps, problem = _steps(schedule, sets, plan)
    routes = {f"{t[0]},{t[1]}": plan.route(t[0], t[1]) for step in steps for t in step["tokens"]}
    held = initial(schedule)
    return common | {
        "kind": "steps",
        "detail": schedule.npus <= DETAIL_NPUS,
        "problem": problem,
        "stage": _stage(plan, routes),
        "phases": _phases(schedule),
        "steps": steps,
        "names": [schedule.chunk_name(chunk) for chunk in range(schedule.chunks)],
        "start": [[i, c, sets.number(m)] for i, row in enumerate(held) for c, m in enumerate(row) if m],
        "table": _table(schedule, sets),
        "sets": sets.described(),
        "words": {"send": words.SEND, "nothing": words.NOTHING, "holds": words.HOLDS},
        "reducing": schedule.collective in REDUCING,
        **_timed(schedule, steps, timing),
    }


def title(schedule: Schedule) -> str:
    """Such as "ring all-reduce on 8 NPUs"."""
    return f"{schedule.algorithm} {schedule.collective} on {'×'.join(map(str, schedule.dims))} NPUs"


def phase_name(schedule: Schedule, phase: str, dimension: int) -> str:
    """The phase, with its dimension where there are several."""
    return f"{phase} · dimension {dimension}" if len(schedule.dims) > 1 else phase


class _Sets:
    """Numbers the sets of contributors as they come up."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.masks = {0: 0}

    def number(self, mask: int) -> int:
        return self.masks.setdefault(mask, len(self.masks))

    def described(self) -> list[list[Any]]:
        n = self.schedule.npus
        return [[words.short(m, n), words.spoken(m, self.schedule), m.bit_count()] for m in self.masks]


def _moves(schedule: Schedule) -> Any:
    return (t for step in schedule.steps() for t in step.transfers)


def _steps(schedule: Schedule, sets: _Sets, plan: Layout) -> tuple[list[Payload], str]:
    """The steps with their tokens, and what is wrong with the schedule ("" if nothing is)."""
    held, steps = initial(schedule), []
    try:
        for step, after in replay(schedule):
            tokens = _tokens(step)
            for t in tokens:
                t.carried = [held[t.source][chunk] for chunk in t.chunks]
                t.held = [after[t.destination][chunk] for chunk in t.chunks]
            for t in tokens:
                for chunk, mask in zip(t.chunks, t.held, strict=True):
                    held[t.destination][chunk] = mask
            steps.append(_step(schedule, step, tokens, sets, plan))
        prove(schedule)
    except ProofError as error:
        return steps, str(error)
    return steps, ""


def _tokens(step: Step) -> list[Token]:
    tokens: dict[tuple[int, int], Token] = {}
    for source, destination, chunk in step.transfers:
        tokens.setdefault((source, destination), Token(source, destination)).chunks.append(chunk)
    return list(tokens.values())


def _step(schedule: Schedule, step: Step, tokens: list[Token], sets: _Sets, plan: Layout) -> Payload:
    """One step. Through a switch an NPU's tokens leave one after the other, for a `spread` of the beat."""
    mine: defaultdict[int, list[Token]] = defaultdict(list)
    for t in tokens:
        mine[t.source].append(t)
    busiest = max(map(len, mine.values()), default=1)
    spread = 0.5 if plan.topology[step.dimension] == "Switch" and busiest > 1 else 0.0
    sign = "+" if step.op is Op.REDUCE else ""
    return {
        "op": str(step.op),
        "phase": phase_name(schedule, step.phase, step.dimension),
        "text": words.step_text(schedule, step, tokens),
        "spread": spread,
        "labels": len(tokens) <= LABELLED_TOKENS and schedule.npus <= DETAIL_NPUS,
        "docks": len(tokens) <= LABELLED_TOKENS and _apart(tokens, plan),
        "tokens": [
            [
                t.source,
                t.destination,
                t.chunks,
                [sets.number(mask) for mask in t.held],
                sign + _label(schedule, t.chunks),
                round(spread * mine[t.source].index(t) / max(1, busiest - 1), 3),
            ]
            for t in tokens
        ],
    }


def _label(schedule: Schedule, chunks: list[int]) -> str:
    if len(chunks) > 2:
        return f"{len(chunks)} chunks"
    return " ".join(schedule.chunk_name(chunk) for chunk in chunks)


def _apart(tokens: list[Token], plan: Layout) -> bool:
    """Whether the tokens can wait at their receivers without covering each other."""
    ends = [point(plan.route(t.source, t.destination), 0.85) for t in tokens]
    return not any(
        abs(a[0] - b[0]) < 26 and abs(a[1] - b[1]) < TOKEN_HEIGHT
        for i, a in enumerate(ends)
        for b in ends[:i]
    )


def _stage(plan: Layout, routes: dict[str, Any]) -> Payload:
    return {
        "size": [WIDTH, HEIGHT],
        "nodes": [[round(x, 1), round(y, 1)] for x, y in plan.nodes],
        "radius": round(plan.radius, 1),
        "links": list(plan.links),
        "buses": list(plan.buses),
        "boxes": [list(box) for box in plan.boxes],
        "routes": {k: [[round(x, 1), round(y, 1)] for x, y in curve] for k, curve in routes.items()},
        "paths": {k: path(curve) for k, curve in routes.items()},
        "token": [LETTER, PADDING, TOKEN_HEIGHT],
    }


def _phases(schedule: Schedule) -> list[Payload]:
    return [
        {"label": phase_name(schedule, g.phase, g.dimension), "op": str(g.op), "first": first, "count": g.count}
        for g, first in zip(schedule.groups, accumulate((g.count for g in schedule.groups), initial=0), strict=False)
    ]


def _table(schedule: Schedule, sets: _Sets) -> Payload:
    """For row r and column c: the chunk it is about, the set it must end with (0: anything will do).

    In an all-to-all, column c is the peer: the cell shows the block that leaves, until its block has come.
    """
    n = schedule.npus
    if schedule.collective is Collective.ALL_TO_ALL:
        columns = [f"NPU {c}" if n <= DETAIL_NPUS else str(c) for c in range(n)]
        chunk = [[c * n + r for c in range(n)] for r in range(n)]
        leaving = [[r * n + c for c in range(n)] for r in range(n)]
    else:
        columns = [schedule.chunk_name(c) for c in range(schedule.chunks)]
        chunk, leaving = [list(range(schedule.chunks))] * n, None

    def wanted(npu: int, c: int) -> int:
        return sets.number(held_after(schedule.collective, n, npu, c % schedule.blocks, schedule.root) or 0)

    return {
        "columns": columns,
        "chunk": chunk,
        "leaving": leaving,
        "wanted": [[wanted(r, c) for c in row] for r, row in enumerate(chunk)],
    }


def _timed(schedule: Schedule, steps: list[Payload], timing: Timing | None) -> Payload:
    """Per step and token when it is under way; and the time each step is over and the next one begins."""
    if timing is None:
        return {"marks": None, "spans": None}
    spans = []
    for index, step in enumerate(steps):
        found: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
        for t, span in zip(schedule.step(index).transfers, timing.spans(index), strict=True):
            found[t.source, t.destination].append((float(span[0]), float(span[1])))
        spans.append([[min(a for a, _ in found[t[0], t[1]]), max(b for _, b in found[t[0], t[1]])]
                      for t in step["tokens"]])
    starts = [min((a for a, _ in spans_), default=0.0) for spans_ in spans] + [float(timing.total_ns)]
    ends = [max((b for _, b in spans_), default=0.0) for spans_ in spans]
    over = [min(end, after) for end, (_, after) in zip(ends, pairwise(starts), strict=True)]
    over[-1:] = [float(timing.total_ns)]
    return {"marks": list(accumulate(over, max, initial=0.0)), "spans": spans}


def _counts(schedule: Schedule) -> Payload:
    """A table of rounds instead of a picture; rows of equal neighbours are put together."""
    note = f"{schedule.npus:,} NPUs: showing counts"
    work = sum((1 if g.symmetric else schedule.npus) * (1 if g.uniform else g.count) for g in schedule.groups)
    rows: list[list[str]] = []
    if work <= 2_000_000:
        for r in counts(schedule, schedule.chunks_per_buffer).rounds:
            row = [r.phase, f"{r.steps:,}", f"{r.sent:,.0f}", f"{r.received:,.0f}", f"{r.fan_in:,}"]
            rows.append(row)
    else:
        rows = [[g.phase, f"{g.count:,}", "—", "—", "—"] for g in schedule.groups]
    shown = 40
    if len(rows) > shown:
        rows = [*rows[:shown], [f"… {len(rows) - shown:,} more rounds", "", "", "", ""]]
    head = ["phase", "steps", "chunks sent", "chunks received", "messages in at once"]
    return {"note": note, "head": head, "rows": rows, "step_count": schedule.step_count}
