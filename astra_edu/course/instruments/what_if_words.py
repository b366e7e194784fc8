"""What the what-if instrument says of a run: what leads, its numbers, its dimensions as bars, and what it asks."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import MIB, bytes_per_ns, format_bytes, format_ns
from astra_edu.course.instruments.scene import Bar, Bars, Frame, Link, Part, Stage
from astra_edu.run.result import Result
from astra_edu.system import Platform

MOST_EXPLAINED = 10_000
"""A run of more phases is explained on demand only."""
ON_DEMAND = "The run has {:,} phases; press “what would help most?” to learn what bounds it."
HIGH, WIDE, NPU = 58.0, 602.0, 46.0


def leading_ns(result: Result) -> float:
    """The number that leads: the bound where messages share links."""
    return result.total_ns if result.bound_ns is None else result.bound_ns


def numbers(result: Result) -> dict[str, tuple[float, str]]:
    """What is compared with other settings."""
    found: dict[str, tuple[float, str]] = {"time": (leading_ns(result), result.total)}
    for name, time in (("compute", result.compute_ns), ("exposed communication", result.exposed_ns)):
        found[name] = (time, format_ns(time))
    found["sent by an NPU"] = (result.message_bytes, format_bytes(result.message_bytes))
    cost = _cost(result)
    return found if cost is None else found | {"network cost": (cost, f"${cost:,.0f}")}


def _cost(result: Result) -> float | None:
    try:
        return result.network_cost
    except ConfigError:  # a part that has no price
        return None


def time_bars(result: Result) -> Bars:
    """Compute and exposed communication; where messages share links, below the bound."""
    parts = Part("compute", result.compute_ns / 1e3), Part("exposed communication", result.exposed_ns / 1e3)
    shown = tuple(part for part in parts if part.size)
    if not result.caveat:
        return Bars("Time", (Bar("the run", shown, format_ns(result.total_ns)),), "µs")
    least = Bar("the links need", (Part("whole run", leading_ns(result) / 1e3),), result.total)
    return Bars("Time", (least, Bar("without queues", shown, format_ns(result.total_ns))), "µs")


def dimension_bars(result: Result) -> Bars:
    """For each dimension: the share of its bandwidth that is used, and how long it is busy."""
    bars = []
    for d, row in enumerate(result.dimensions.to_dict("records")):
        used, busy = 100 * row["utilisation"], 100 * row["busy"]
        said = f"{used:.1f} %, busy {busy:.1f} %"
        bars.append(Bar(f"{d}: {row['topology']} of {row['NPUs']}", (Part("bytes on links", used),), said, busy))
    return Bars("Bandwidth of each dimension that is used", tuple(bars), "%", "busy")


def sent_bars(result: Result) -> Bars:
    """The bytes that an NPU sends into each dimension."""
    rows = result.dimensions.to_dict("records")
    bars = (
        Bar(f"{d}: {row['topology']} of {row['NPUs']}", (Part("sent", row["bytes"] / MIB),), format_bytes(row["bytes"]))
        for d, row in enumerate(rows)
    )
    return Bars("Sent by an NPU into each dimension", tuple(bars), "MiB")


def sentences(result: Result, warned: Sequence[str], said: Sequence[str]) -> tuple[str, ...]:
    """What bounds the run, and what to beware of. said: what somebody has asked for besides."""
    count = len(result.stays)
    told = result.explain(changes=False).sentences if count <= MOST_EXPLAINED else [ON_DEMAND.format(count)]
    return (*(f"Beware: {warning}" for warning in warned), *(said or told))


def picture(title: str, platform: Platform) -> Stage:
    """The platform: an NPU and its way through the dimensions, links as wide as their bandwidth among all."""
    most = max(dimension.injection_bandwidth for dimension in platform.network)
    step = (WIDE - NPU - 2) / len(platform.network)
    box = min(0.4 * step, 96.0)
    frames, links = [Frame("NPU", (1, 18, NPU, 30), says=("NPU",))], []
    left = 1 + NPU
    for d, dimension in enumerate(platform.network):
        x = 1 + NPU + (d + 1) * step - box
        rate = dimension.injection_bandwidth / bytes_per_ns(1)
        says = f"{rate:,.4g} GB/s"
        wide = 1.5 + 12.5 * dimension.injection_bandwidth / most
        title_of = f"an NPU sends into dimension {d} over {dimension.usable_links} links, {says} together"
        links.append(Link(f"links {d}", ((left, 33), (x, 33)), ("links",), (wide,), (says,), title_of))
        name = f"dimension {d}"
        frames += [
            Frame(name, (x, 18, box, 30), says=(f"{dimension.npus:,} NPUs",)),
            Frame(f"words: {name}", (x, 17, 0, 0), f"{d}: {dimension.topology}"),
        ]
        left = x + box
    return Stage(title, (WIDE, HIGH), (f"{platform.npus:,} NPUs in all.",), tuple(frames), (), links=tuple(links))
