"""What the explorer shows beside its player: what leads, what it is made of, what it asks, and the same as code."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.base.bound import total_words
from astra_edu.base.units import format_bytes, format_ns, several
from astra_edu.collectives import counts
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.widgets.choice import ENDPOINT_NS, Choice, summary
from astra_edu.course.widgets.drawing import title
from astra_edu.system.formula import formula

NONE = "none of them alone"


def heading(choice: Choice) -> str:
    """What it is."""
    return f"{title(choice.schedule)}, {format_bytes(choice.size)}"


def leading_ns(choice: Choice) -> float:
    """The number that leads: the bound where messages share links."""
    return choice.total_ns if choice.bound_ns is None else choice.bound_ns


def numbers(choice: Choice) -> dict[str, tuple[float, str]]:
    """What is compared with other settings."""
    cost = counts(choice.schedule, choice.schedule.buffer_bytes(choice.size))
    return {
        "time": (leading_ns(choice), total_words(choice.total_ns, choice.bound_ns)),
        "sent by the busiest NPU": (float(cost.sent), format_bytes(cost.sent)),
        "steps": (cost.steps, str(cost.steps)),
    }


def bars(choice: Choice) -> tuple[Bars, ...]:
    """How long it takes, and what the time of the first chunk is made of, if it is a plain sum."""
    leads = leading_ns(choice)
    rows = [Bar("whole collective", (Part("whole run", leads / 1000),), numbers(choice)["time"][1])]
    if choice.time.stretches:
        rates = [dimension.message_bandwidth for dimension in choice.network]
        moving = sum(s.steps * s.message_bytes / rates[s.dimension] for s in choice.time.stretches)
        moving = min(moving, choice.time.total_ns)
        rest = (choice.time.total_ns - moving) / 1000
        parts = Part("bytes on links", moving / 1000), Part("latency and endpoint delay", rest)
        rows.append(Bar("its first chunk", parts, format_ns(choice.time.total_ns)))
    return (Bars("Time", tuple(rows), "µs"),)


def asked(choice: Choice) -> Question:
    """How long it takes; over several dimensions, which of them needs bandwidth most."""
    about = f"{heading(choice)}, in {several(len(choice.sizes), 'chunk')}"
    links = "; ".join(
        f"{d.topology} of {d.npus}, {d.bandwidth:g} GB/s a link, {d.latency:g} ns" for d in choice.network
    )
    if len(choice.network) == 1:
        return Question(f"{about} ({links}). How long does it take, in µs?", "µs")
    dims = tuple(f"dimension {d}" for d in range(len(choice.network)))
    text = f"{about} ({links}). Twice the bandwidth on one dimension: on which one does it help most?"
    return Question(text, choices=(*dims, NONE))


def answered(choice: Choice) -> Answer:
    """What is true of it, from the simulator."""
    if len(choice.network) == 1:
        sums = formula(choice.time, choice.network, ENDPOINT_NS) or ["the longest chain of waiting counts"]
        why = f"One chunk, {'; '.join(sums)}. All chunks: {numbers(choice)['time'][1]}."
        return Answer(round(leading_ns(choice) / 1000, 3), why, near=1.15)
    found = [leading_ns(faster(choice, d)) for d in range(len(choice.network))]
    best = min(found)
    helped = [f"dimension {d}" for d, time in enumerate(found) if time == best < leading_ns(choice)]
    times = "; ".join(f"on dimension {d}: {format_ns(round(time))}" for d, time in enumerate(found))
    why = f"Now it takes {numbers(choice)['time'][1]}. With twice the bandwidth {times}."
    if len(helped) > 1:
        why += f" It helps as much on {' as on '.join(helped)}."
    return Answer(helped[0] if len(helped) == 1 else NONE, why)


def faster(choice: Choice, dimension: int) -> Choice:
    """The same with twice the bandwidth on one dimension."""
    network = [
        replace(one, bandwidth=2 * one.bandwidth) if d == dimension else one for d, one in enumerate(choice.network)
    ]
    return replace(choice, network=tuple(network))


def sentences(choice: Choice) -> tuple[str, list[str]]:
    """What leads, and the rest that is said."""
    first, *rest = summary(choice).split("\n")
    return first, rest


def code(choice: Choice) -> str:
    """Lines that bring the same numbers."""
    network = "".join(f'    ("{d.topology}", {d.npus}, {d.bandwidth:g}, {d.latency:g}),\n' for d in choice.network)
    names = ", ".join(f'"{name}"' for name in choice.algorithms)
    npus = ", ".join(str(d.npus) for d in choice.network)
    return f"""import astra_edu as ae

network = (
{network})
explorer = ae.Explorer("{choice.collective}", [{names}], network, size={choice.size}, splits={choice.splits}, ask=False)
print(explorer.summary())

schedule = ae.hierarchical("{choice.collective}", [{names}], [{npus}])
dimensions = [ae.Dimension.of(*each) for each in network]
print(ae.time_schedule(schedule, dimensions, {choice.sizes[0]}, {ENDPOINT_NS}).total_ns, "ns for the first chunk")
"""
