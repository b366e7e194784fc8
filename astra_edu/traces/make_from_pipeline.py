"""A pipeline's iteration as an execution trace: every stage its own operations, and messages between them.

Unlike run_pipeline, ASTRA-sim 2.x lets an NPU send one message at a time, so that transfers can hold each other up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.pipeline import Order, Pass, PassSpan, PipelineRun, run_pipeline
from astra_edu.pipeline.places import place_of
from astra_edu.traces.arguments import Micros, Size
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import Operation
from astra_edu.traces.trace import Trace

Does = Callable[[Sequence[PassSpan], Sequence[Operation]], Sequence[Operation]]
"""does(spans, after): put a pass, or two that run together, into the trace, and return its last operations."""

Ops = Sequence[Operation]

Carries = Callable[[int, int, int, str, Sequence[Operation]], Sequence[Operation]]
"""carries(boundary, stage, next stage, name, after): put messages into the trace, and return their receives.

boundary: which part of the model is before it.
"""


def from_pipeline(
    order: str | Order | Sequence[Iterable[Pass]],
    stages: int,
    micro_batches: int,
    forward_micros: Micros,
    backward_micros: Micros,
    bytes: Size,
    virtual: int = 1,
) -> Trace:
    """One iteration of a pipeline, stage k on NPU k.

    order, stages, micro_batches, virtual: as in run_pipeline. forward_micros, backward_micros: one micro-batch's time
    through a stage, in whole µs, 1 or more; one number for all stages, or one for each. bytes: of the activations that
    go from one stage to the next, and of their gradient. Raises ConfigError as run_pipeline does.

    >>> trace = ae.traces.from_pipeline("1f1b", 2, 2, forward_micros=10, backward_micros=20, bytes=4096)
    >>> for node in trace.nodes[0][:4]:
    ...     print(node.id, node.type.name, node.name)
    1 COMP_NODE F 0
    2 COMM_SEND_NODE activations 0
    4 COMP_NODE F 1
    5 COMM_SEND_NODE activations 1
    """
    run = run_pipeline(order, stages, micro_batches, forward_micros, backward_micros, virtual=virtual)
    if any(span.start_ns == span.end_ns for span in run.spans):
        raise ConfigError("a pass takes 0 µs; in a trace it has to take 1 µs or more.")
    trace = Builder(run.stages)

    def compute(spans: Sequence[PassSpan], after: Sequence[Operation]) -> Sequence[Operation]:
        for span in spans:
            after = [trace.compute(name_of(span, run), span.end_ns - span.start_ns, after=after, on=span.stage)]
        return after

    def carry(boundary: int, stage: int, to: int, name: str, after: Sequence[Operation]) -> Sequence[Operation]:
        return trace.message(name, bytes, stage, to, after=after)[1:]

    weave(run, compute, carry)
    return trace.build()


def weave(run: PipelineRun, does: Does, carries: Carries) -> None:
    """Put all passes and messages of a pipeline into a trace, in the order in which the passes begin in `run`."""
    parts = run.stages * run.virtual
    last: dict[int, Sequence[Operation]] = {}
    arrived: dict[tuple[int, int], Sequence[Operation]] = {}
    for span in sorted(run.spans, key=lambda span: span.start_ns):
        if span.kind == "W":
            last[span.stage] = does([span], last[span.stage])
            continue
        if span.kind == "B" and span in run.pairs:
            continue
        together = [span, run.pairs[span]] if span in run.pairs else [span]
        steps = [run.part(each) if each.kind == "F" else 2 * parts - 1 - run.part(each) for each in together]
        done = [*last.get(span.stage, ())]
        for step, each in zip(steps, together, strict=True):
            done += arrived.pop((step, each.micro_batch), ())
        last[span.stage] = done = list(does(together, done))
        for step, each in zip(steps, together, strict=True):
            if (to := following(each, run)) is not None:
                arrived[step + 1, each.micro_batch] = _sent(each, to, run, carries, done)


def following(span: PassSpan, run: PipelineRun) -> int | None:
    """The stage that needs a pass's result; None if no other pass does."""
    parts = run.stages * run.virtual
    step = run.part(span) if span.kind == "F" else 2 * parts - 1 - run.part(span)
    if span.kind == "W" or step == 2 * parts - 1:
        return None
    stage, _ = place_of(min(step + 1, 2 * parts - 2 - step), run.stages, run.placement)
    return run.stages - 1 - stage if run.way(span.micro_batch) else stage


def _sent(span: PassSpan, to: int, run: PipelineRun, carries: Carries, done: Ops) -> Ops:
    """What a pass's result is there with, for the next step: the pass itself, or a message to another stage."""
    if to == span.stage:
        return done
    part = run.part(span)
    what, boundary = ("activations", part) if span.kind == "F" else ("gradient", part - 1)
    return carries(boundary, span.stage, to, f"{what} {span.micro_batch}", done)


def name_of(span: PassSpan, run: PipelineRun) -> str:
    """A pass as its operations are called: "F 3", "B 3", with the part of the model where a stage has several."""
    part = f" part {run.part(span)}" if run.virtual > 1 or run.both_ways else ""
    return f"{span.kind} {span.micro_batch}{part}"
