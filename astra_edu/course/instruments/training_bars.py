"""The bars and sentences of a training iteration: what its time is made of, and what each layer communicates."""

from __future__ import annotations

from astra_edu.base.units import format_bytes, format_ns, several
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.training_waits import TrainingRun

EXPOSED, HIDDEN = "exposed communication", "hidden communication"
LAYERS = {
    "forward": "the forward pass",
    "input gradient": "the input gradients",
    "weight gradient": "the weight gradients",
}
"""What each kind of work is called in a sentence."""


def time_bars(run: TrainingRun) -> Bars:
    """The run's time: each kind of compute, and what is exposed."""
    kinds = {kind: sum(end - start for task, start, end in run.result.computed if task.kind == kind) for kind in LAYERS}
    parts = [Part(kind, ns / run.unit[1]) for kind, ns in kinds.items() if ns]
    parts.append(Part(EXPOSED, run.result.exposed_ns / run.unit[1]))
    return Bars("Time of the run", (Bar("the run", tuple(parts), format_ns(run.result.total_ns)),), run.unit[0])


def layer_bars(run: TrainingRun) -> Bars:
    """Each layer's communication: what was exposed of it, and the rest, which compute or waiting for others hid."""
    bars = []
    for layer, raw in run.raw.items():
        if raw:
            exposed = run.exposed[layer]
            parts = (Part(EXPOSED, exposed / run.unit[1]), Part(HIDDEN, (raw - exposed) / run.unit[1]))
            said = f"{exposed / run.unit[1]:,.0f} of {raw / run.unit[1]:,.0f} {run.unit[0]}"
            bars.append(Bar(layer, parts, said))
    if run.end_ns > 0.001 * run.result.total_ns:
        end = run.end_ns / run.unit[1]
        bars.append(Bar("no layer’s", (Part(EXPOSED, end),), f"{end:,.0f} {run.unit[0]}, at the end"))
    return Bars(
        "Each layer’s communication from its call to its end, and what is exposed of it", tuple(bars), run.unit[0]
    )


def longest(run: TrainingRun) -> str:
    """The layer that is waited for longest; "" where none is, or no one clearly."""
    found = sorted(run.exposed.items(), key=lambda each: -each[1])
    (layer, ns), second = found[0], found[1][1] if len(found) > 1 else 0
    return layer if ns > 0.01 * run.result.total_ns and ns > 1.02 * second else ""


def asked_by(run: TrainingRun, layer: str) -> str:
    """What a layer asks the network for, in words."""
    tasks = next(each.tasks for each in run.result.running if each.name == layer)
    sizes = [
        f"{format_bytes(task.work.size)} of {LAYERS[task.kind].removeprefix('the ')}"
        for task in tasks
        if task.communication_ns
    ]
    return " and ".join(sizes) or "nothing"


def why(run: TrainingRun, layer: str) -> str:
    """For what the NPU waited while it waited for a layer's collectives."""
    meanwhile = run.meanwhile(layer)
    own = meanwhile.pop(layer, 0.0)
    waited = f"It waits {format_ns(round(run.exposed[layer]))} for {layer}’s {asked_by(run, layer)}."
    if not meanwhile or own >= 0.9 * (own + sum(meanwhile.values())):
        return f"{waited} They are on the dimensions themselves nearly all that time."
    others = ", ".join(f"{name} {format_ns(round(ns))}" for name, ns in list(meanwhile.items())[:2])
    on = f"For {format_ns(round(own))} of it they are on a dimension themselves"
    return f"{waited} {on}; else other layers’ chunks hold it: {others}."


def sentences(run: TrainingRun) -> tuple[str, ...]:
    """The reports in words: total, compute and exposed; the layer that is waited for longest; the end."""
    result = run.result
    found = [
        f"Total {format_ns(result.total_ns)} = compute {format_ns(result.compute_ns)} + exposed communication "
        f"{format_ns(result.exposed_ns)}, in which the NPU computes nothing, as it waits.",
    ]
    if layer := longest(run):
        found.append(f"Longest is waited for {layer}. {why(run, layer)}")
    raw, exposed = sum(run.raw.values()), sum(run.exposed.values())
    if raw:
        counted = f"From call to end the layers’ communication takes {format_ns(round(raw))}, added up"
        found.append(f"{counted} and with its waiting in queues; {format_ns(round(exposed))} of it are exposed.")
    if run.end_ns > 0.001 * result.total_ns:
        found.append(f"{format_ns(round(run.end_ns))} at the end are counted for no layer: all else is done by then.")
    return tuple(found)


def iterations(count: int) -> str:
    """How many, in words."""
    return several(count, "iteration")
