"""What is said of a training step's graph: what goes wrong without an edge, which edges are needless, what it costs."""

from __future__ import annotations

from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.trace_job import EDGES, Edge, Step, fastest, step_of

ENOUGH = 0.0005
"""µs: less than a ns is no difference."""


def micros(us: float) -> str:
    """A time in words."""
    return f"{us:,.1f} µs"


def missing_words(step: Step, need: Edge) -> str:
    """What would go wrong, and whether it does in this run."""
    layer = need.after[-1]
    if need.after.startswith("all-reduce"):
        wrong = f"it may add up layer {layer}’s gradients before they are computed: whatever stands in memory"
    else:
        wrong = f"it may take its own NPU’s gradients, not the sum: the NPUs’ copies of layer {layer} drift apart"
    words = f"{need.after} doesn’t wait for {need.first}, so {wrong}."
    if step.ran[need.after].start_ns >= step.ran[need.first].end_ns:
        words += " In this run it begins late enough, by luck: no edge says that it must."
    return words


def in_time_words(step: Step, need: Edge) -> str:
    """By which way a node waits for what it needs."""
    way = f", by way of {' and '.join(step.way(need)[1:-1])}" if need not in step.edges else ""
    return f"{need.after.capitalize()} waits for {need.first}{way}."


def needless_words(step: Step, edge: Edge) -> str:
    """By which way an edge is implied."""
    return f"{edge} is needless: the way {' → '.join(step.way(edge))} says as much."


def without_words(step: Step, edge: Edge) -> str:
    """What taking an edge away does."""
    other = step.without(edge)
    if step.way(edge):
        return f"Without {edge} nothing changes: the way {' → '.join(step.way(edge))} says as much."
    if other.missing:
        return f"Without {edge} the step is wrong: {missing_words(other, other.missing[0])}"
    if abs(step.saves(edge)) < ENOUGH:
        return f"Without {edge} the step is right and takes as long."
    return f"Without {edge} the step is right and ends {micros(step.saves(edge))} sooner."


def headline(step: Step) -> str:
    """When it ends, and whether it is right."""
    least = fastest(step.bandwidth)
    if step.missing:
        sooner = least - step.us
        how = f"{micros(sooner)} sooner than any right graph, and" if sooner > ENOUGH else "and"
        return f"✗ {micros(step.us)}, {how} wrong: {step.missing[0].after} doesn’t wait for {step.missing[0].first}"
    if step.us - least > ENOUGH:
        return f"{micros(step.us)}: right, but another right graph ends {micros(step.us - least)} sooner"
    return f"✓ {micros(step.us)}: right, and no right graph is faster"


def sentences(step: Step) -> tuple[str, ...]:
    """What is wrong, what is needless, and what the end waited for."""
    found = [missing_words(step, need) for need in step.missing]
    if step.needless:
        found.append(" ".join(needless_words(step, edge) for edge in step.needless))
    elif not step.missing and step.us - fastest(step.bandwidth) < ENOUGH:
        found.append("And no edge is needless: there is nothing left to take away.")
    found.append(f"Critical path: {', '.join(step.path)}. If one of these takes longer, so does the step.")
    return tuple(found)


def exposed_us(step: Step) -> float:
    """How long the NPU computes nothing."""
    return step.result.exposed_ns[0] / 1000


def time_bars(step: Step) -> Bars:
    """The step beside the one with every edge and the fastest that is right."""
    every = step_of(frozenset(EDGES.values()), step.bandwidth)
    least = fastest(step.bandwidth)
    bars = []
    for label, one in (("this graph", step), ("with every edge", every)):
        parts = (Part("compute", one.us - exposed_us(one)), Part("exposed communication", exposed_us(one)))
        bars.append(Bar(label, parts, micros(one.us), least))
    return Bars("When the step ends", tuple(bars), "µs", "the fastest right graph")
