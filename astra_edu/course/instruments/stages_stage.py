"""A pipeline's stages, each a row: what it computes now, and the activations that it keeps for a backward pass."""

from __future__ import annotations

from astra_edu.base.units import format_ns
from astra_edu.course.instruments.scene import Frame, Piece, Stage
from astra_edu.course.instruments.stages_bars import KINDS, called, letter, look
from astra_edu.pipeline import PassSpan, PipelineRun

WIDE, TOP = 602.0, 16.0
NOW_X, NOW, SAYS_X, KEEPS_X, KEEPS, COUNT_X = 50.0, 18.0, 128.0, 196.0, 330.0, 566.0
MOST_STEPS, MOST_BOXES = 120, 24_000
"""Of more pieces times steps only their number is shown."""

Kept = tuple[int, int]
"""(virtual stage, micro-batch) whose activations are kept."""


def stages_stage(title: str, run: PipelineRun) -> Stage:
    """What every stage does and keeps at every moment at which a pass begins or ends."""
    times = moments(run)
    high = min(22.0, 208.0 / run.stages)
    pieces = [_now(run, stage, times, high) for stage in range(run.stages)]
    most = max(run.in_flight) * run.virtual
    if run.stages * run.virtual * run.micro_batches * len(times) <= MOST_BOXES:
        for stage in range(run.stages):
            pieces += _activations(run, stage, times, high, min(high - 4, KEEPS / most))
    return Stage(
        title,
        (WIDE, TOP + run.stages * high + 2),
        tuple(_said(run, t) for t in times),
        tuple(_frames(run, times, high)),
        tuple(pieces),
        still=len(times) // 2,
        clock=True,
        times=tuple(t / 1e3 for t in times),
    )


def moments(run: PipelineRun) -> list[int]:
    """When a pass begins or ends, in ns; of more than 120 moments every other, or every third, ..."""
    found = sorted({t for span in run.spans for t in (span.start_ns, span.end_ns)})
    return sorted({*found[:: -(-len(found) // MOST_STEPS)], 0, run.total_ns})


def kept(run: PipelineRun, stage: int, t: float) -> list[Kept]:
    """Whose activations a stage keeps at t, in the order in which they came."""
    mine = [span for span in run.spans if span.stage == stage]
    done = {(s.virtual_stage, s.micro_batch) for s in mine if run.is_last(s) and s.end_ns <= t}
    begun = [(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "F" and s.start_ns <= t]
    return [each for each in begun if each not in done]


def listed(run: PipelineRun, held: list[Kept]) -> str:
    """Which micro-batches: "0–2, 5"; by their virtual stages where there are several, "a: 0–2; b: 0", or their ways."""
    parts, several = [], run.virtual > 1 or run.both_ways
    for v in range(2 if run.both_ways else run.virtual):
        if mine := sorted(i for w, i in held if (run.way(i) if run.both_ways else w) == v):
            starts = [i for i in mine if i - 1 not in mine]
            ends = [i for i in mine if i + 1 not in mine]
            runs = (
                f"{a}–{b}" if b > a + 1 else f"{a}, {b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True)
            )
            parts.append(f"{'↓↑'[v] if run.both_ways else letter(run, v)}: " * several + ", ".join(runs))
    return "; ".join(parts) or "nothing"


def doing(run: PipelineRun, stage: int, t: float) -> PassSpan | None:
    """The pass that a stage is in at t."""
    return next((s for s in run.spans if s.stage == stage and s.start_ns <= t < s.end_ns), None)


def _frames(run: PipelineRun, times: list[int], high: float) -> list[Frame]:
    found = [
        Frame("words: now", (NOW_X, TOP - 1, 0, 0), "computes now"),
        Frame("words: keeps", (KEEPS_X, TOP - 1, 0, 0), "keeps activations of micro-batches"),
    ]
    for stage in range(run.stages):
        y = TOP + stage * high
        most = run.in_flight[stage]
        now, *later = (f"{len(kept(run, stage, t)) / run.virtual:g}" for t in times)
        counts = (now, *(f"{count} of {most:g}" for count in later))  # the first is seen before a prediction
        found += [
            Frame(f"words: stage {stage}", (0, y + high / 2 + 6, 0, 0), f"stage {stage}"),
            Frame(f"now {stage}", (NOW_X, y + 1, NOW, high - 3)),
            Frame(f"does {stage}", (SAYS_X, y + 1, 0, high - 3), says=tuple(_does(run, stage, t) for t in times)),
            Frame(f"count {stage}", (COUNT_X, y + 1, 0, high - 3), says=counts),
        ]
    return found


def _does(run: PipelineRun, stage: int, t: float) -> str:
    span = doing(run, stage, t)
    if span:
        return f"{KINDS[span.kind]} of {called(run, span.micro_batch, span.virtual_stage)}"
    return "done" if all(s.end_ns <= t for s in run.spans if s.stage == stage) else "waits"


def _now(run: PipelineRun, stage: int, times: list[int], high: float) -> Piece:
    spans = [doing(run, stage, t) for t in times]
    box = (NOW_X, TOP + stage * high + 1, NOW, high - 3)
    looks = tuple(look(run, span) if span else "forward" for span in spans)
    return Piece(
        f"stage {stage} computes", tuple(box if span else None for span in spans), looks, title=f"stage {stage}"
    )


def _activations(run: PipelineRun, stage: int, times: list[int], high: float, wide: float) -> list[Piece]:
    held = [kept(run, stage, t) for t in times]
    y = TOP + stage * high + 2
    found = []
    for v in range(run.virtual):
        for i in range(run.micro_batches):
            places = [each.index((v, i)) if (v, i) in each else None for each in held]
            at = tuple(
                None if place is None else (round(KEEPS_X + place * wide + 0.5, 2), y, round(wide - 1, 2), high - 5)
                for place in places
            )
            text = called(run, i, v)
            title = f"activations of micro-batch {i}" + (f", virtual stage {letter(run, v)}" if run.virtual > 1 else "")
            shown = text if 6 * len(text) < wide else ""
            found.append(Piece(f"stage {stage} keeps {text}", at, ("activations",) * len(times), shown, title))
    return found


def _said(run: PipelineRun, t: float) -> str:
    parts = []
    for stage in range(run.stages):
        parts.append(f"stage {stage} {_does(run, stage, t)}, keeps {listed(run, kept(run, stage, t))}")
    return f"{format_ns(t)}: {'; '.join(parts)}."
