"""The bars, lanes and sentences of a pipeline's stages."""

from __future__ import annotations

from astra_edu.base.units import format_ns
from astra_edu.course.instruments.charts import Block, Lanes
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.course.instruments.stages_job import NONE, SLOWER, name_of, part, waited_for
from astra_edu.pipeline import PassSpan, PipelineRun, closed_form
from astra_edu.pipeline.dualpipe import bubble_ns
from astra_edu.workload.strategies.strategy import PIPELINE_ORDERS

KINDS = {"F": "forward", "B": "backward", "W": "weight gradient"}
UNIT = "µs"


def letter(run: PipelineRun, v: int) -> str:
    """A virtual stage's letter, where a stage has several."""
    return "abcdefgh"[v] if run.virtual > 1 else ""


def called(run: PipelineRun, i: int, v: int) -> str:
    """A micro-batch in a stage: its number, with its virtual stage's letter, or an arrow for its way."""
    return f"{i}{letter(run, v)}{'↓↑'[run.way(i)] if run.both_ways else ''}"


def look(run: PipelineRun, span: PassSpan) -> str:
    """Later virtual stages are paler, and so is the way up, with another hatch."""
    if run.way(span.micro_batch):
        return f"{KINDS[span.kind]} up"
    return f"{KINDS[span.kind]} {'abcd'[span.virtual_stage]}" if span.virtual_stage else KINDS[span.kind]


def stage_lanes(run: PipelineRun) -> Lanes:
    """A lane for each stage, a block for each pass."""
    because = waited_for(run)
    blocks = []
    for span in run.spans:
        name = name_of(run, span)
        through = f"part {part(run, span)} of the model"
        if run.virtual > 1:
            through += f", its virtual stage {letter(run, span.virtual_stage)}"
        if run.both_ways:
            through += f", on the way {('down', 'up')[run.way(span.micro_batch)]}"
        if span in run.pairs:
            through += f", together with {name_of(run, run.pairs[span])}"
        title = f"{KINDS[span.kind]} pass of micro-batch {span.micro_batch} through {through}"
        blocks.append(
            Block(
                name,
                f"stage {span.stage}",
                span.start_ns / 1e3,
                span.end_ns / 1e3,
                look(run, span),
                called(run, span.micro_batch, span.virtual_stage),
                title,
                because[name],
            )
        )
    lanes = tuple(f"stage {stage}" for stage in range(run.stages))
    return Lanes("Passes; a number is a micro-batch’s", UNIT, lanes, tuple(blocks), run.total_ns / 1e3)


def time_bars(run: PipelineRun) -> Bars:
    """What each stage's time goes to."""
    bars = []
    for stage in range(run.stages):
        sizes = dict.fromkeys((*KINDS.values(), "bubble"), 0.0)
        for span in run.spans:
            if span.stage == stage:
                sizes[KINDS[span.kind]] += (span.end_ns - span.start_ns) / 1e3
        sizes["bubble"] = (run.total_ns - run.busy_ns[stage]) / 1e3
        said = f"{100 * run.idle_shares[stage]:.1f} % idle"
        bars.append(Bar(f"stage {stage}", tuple(Part(name, size) for name, size in sizes.items() if size), said))
    return Bars("Time of each stage", tuple(bars), UNIT)


def kept_bars(run: PipelineRun) -> Bars:
    """For how many micro-batches each stage keeps activations at most, beside the formula."""
    bars = tuple(
        Bar(f"stage {stage}", (Part("activations", kept),), f"{kept:.4g}", by_formula(run, stage))
        for stage, kept in enumerate(run.in_flight)
    )
    known = by_formula(run, 0) is not None
    return Bars("Micro-batches whose activations a stage keeps at most", bars, "micro-batches", "by formula" * known)


def by_formula(run: PipelineRun, stage: int) -> float | None:
    """For how many micro-batches a stage keeps activations by formula; None where there is none."""
    if run.order == "dualpipe":
        return run.stages + 1
    if run.order not in closed_form.FORMULAS:
        return None
    return closed_form.in_flight(run.order, stage, run.stages, run.micro_batches, run.virtual)


def sentences(run: PipelineRun, values: Values) -> tuple[str, ...]:
    """Time and bubble, and the formula's."""
    first = f"{format_ns(run.total_ns)} in all; the bubble, in which a stage waits, is {100 * run.bubble:.1f} % of it."
    if run.order == "dualpipe":
        return first, _both_ways(run, values)
    if run.order not in closed_form.FORMULAS:
        whose = f"the order {run.order}" if run.order in PIPELINE_ORDERS else "an order of your own"
        return first, f"There is no formula here for {whose}."
    p, m, v = run.stages, run.micro_batches, run.virtual
    share = closed_form.bubble(p, m, v)
    symbols, below = ("(p − 1) / (m + p − 1)", f"{m} + {p - 1}") if v == 1 else (
        "(p − 1) / (v m + p − 1)", f"{v} × {m} + {p - 1}"
    )  # fmt: skip
    formula = f"{symbols} = {p - 1} / ({below}) = {100 * share:.1f} %"
    if abs(share - run.bubble) < 1e-9:
        return first, f"By formula: {formula}, the same."
    reasons = [
        *([f"stage {values['slow']} takes {SLOWER:g} times as long"] if values["slow"] != NONE else []),
        *([f"a transfer takes {format_ns(round(values['forward_ns'] * values['p2p']))}"] if values["p2p"] else []),
        *([f"{values['forward_ns']:,} ns aren't divided evenly by {v}"] if values["forward_ns"] % v else []),
    ]
    why = f"; but {' and '.join(reasons)}" if reasons else "; this order differs"
    return first, f"By formula, for equal stages and transfers that take no time: {formula}{why}."


def _both_ways(run: PipelineRun, values: Values) -> str:
    """The report's formula for DualPipe, with what a stage waits here."""
    place = 0 if values["slow"] != 0 else 1
    wanted = bubble_ns(run.stages, run.forward_ns[place], run.backward_ns[place], run.weight_ns[place])
    waits = max(run.total_ns - busy for busy in run.busy_ns)
    said = f"By formula, with F&B = F + B: (p / 2 − 1)(F&B + B − 3 W) = {format_ns(wanted)} on each stage"
    if waits == wanted:
        return f"{said}, the same."
    return f"{said}, if all are equal, B − W is F, and transfers take no time; here up to {format_ns(waits)}."
