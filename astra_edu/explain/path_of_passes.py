"""The critical path of a pipeline: from the last pass back through what each pass has waited for."""

from __future__ import annotations

from astra_edu.base.span import COMPUTE
from astra_edu.explain.segment import Segment, gapless
from astra_edu.pipeline import PassSpan, PipelineRun

TRANSFER = "transfer"

Key = tuple[str, int, int]
"""Kind, micro-batch and part of the model of a pass."""


def path_of_passes(run: PipelineRun) -> tuple[Segment, ...]:
    """The segments from 0 to total_ns: passes, and the ways of what they send.

    A pass begins when the stage is done with the one before it, or when what it needs has arrived.
    """
    before = {b: a for a, b in zip(run.spans, run.spans[1:], strict=False) if a.stage == b.stage}
    by_key = {(span.kind, span.micro_batch, run.part(span)): span for span in run.spans}
    path: list[Segment] = []
    current = max(run.spans, key=lambda span: (span.end_ns, span.start_ns), default=None)
    while current is not None:
        path.append(_segment(current, run))
        earlier = before.get(current)
        if earlier is None or earlier.end_ns != current.start_ns:
            asked = _needs(current, run, by_key)
            if current in run.pairs:  # it begins when the other one can, too
                other = _needs(run.pairs[current], run, by_key)
                asked = max(filter(None, (asked, other)), key=lambda each: _arrives_ns(each, run), default=None)
            sent = asked is not None and _arrives_ns(asked, run) == current.start_ns
            earlier = asked if sent or earlier is None else earlier
            earlier = run.pairs.get(earlier, earlier) if earlier and run.sent_ns(earlier) > earlier.end_ns else earlier
        if earlier is not None and earlier.end_ns < current.start_ns:
            path.append(_transfer(earlier, current, run))
        current = earlier
    return gapless(reversed(path), run.total_ns)


def _needs(span: PassSpan, run: PipelineRun, passes: dict[Key, PassSpan]) -> PassSpan | None:
    """The pass whose result this one takes; None for the first forward pass of a micro-batch."""
    part, last = run.part(span), run.stages * run.virtual - 1
    if span.kind == "W":
        return passes["B", span.micro_batch, part]
    if span.kind == "F":
        return passes.get(("F", span.micro_batch, part - 1))
    return passes["F" if part == last else "B", span.micro_batch, min(part + 1, last)]


def _arrives_ns(span: PassSpan, run: PipelineRun) -> int:
    return run.sent_ns(span) + _way_ns(span, run)


def _way_ns(span: PassSpan, run: PipelineRun) -> int:
    """How long what a pass sends travels; 0 for the last forward and the last backward pass."""
    if span.kind == "W":
        return 0
    boundary = run.part(span) - (span.kind == "B")
    return run.p2p_ns[boundary] if 0 <= boundary < len(run.p2p_ns) else 0


def _segment(span: PassSpan, run: PipelineRun) -> Segment:
    work = {"F": "forward", "B": "backward", "W": "weight gradient"}[span.kind]
    name = f"micro-batch {span.micro_batch}"
    return Segment(span.start_ns, span.end_ns, COMPUTE, name, work, None, span.stage, run.part(span))


def _transfer(sender: PassSpan, receiver: PassSpan, run: PipelineRun) -> Segment:
    what = "activations" if sender.kind == "F" else "gradient"
    times = (sender.end_ns, receiver.start_ns)
    return Segment(*times, TRANSFER, f"micro-batch {sender.micro_batch}", what, None, sender.stage, run.part(sender))
