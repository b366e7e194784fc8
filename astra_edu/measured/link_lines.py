"""A line of latency and bandwidth for collectives over one kind of link, and what goes through such a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from astra_edu.base.units import several
from astra_edu.measured.fits import errors, fit_line
from astra_edu.measured.models import bus_factor
from astra_edu.measured.tables import Point

SMALL = 2**20
"""The largest of the small sizes, in bytes."""
FEWEST = 3
"""Sizes in a range, at least, for a line."""
LEAST = 1e-6
"""What the largest size adds to the latency, at least, as a part of it, for a bandwidth; less is rounding."""


class LinkClass(NamedTuple):
    """A line for a kind of link.

    smallest, largest: sizes in bytes, None where the source has none. latency_us: of the whole collective, step_us: of
    each of a ring's steps, if several numbers of NPUs were measured; None: can't be told. bandwidth_gb_s: 10⁹ bytes/s
    of one NPU's link, in one direction; None where larger sizes take no longer.
    held_out_mean, held_out_worst: |line / measured - 1| of the sizes that were
    left out of a fit; None for a single size.

    >>> ae.measured.LinkClass._fields[8:11]
    ('latency_us', 'step_us', 'bandwidth_gb_s')
    """

    link: str
    algorithm: str
    collective: str
    npus: int
    nodes: int
    points: int
    smallest: int | None
    largest: int | None
    latency_us: float | None
    step_us: float | None
    bandwidth_gb_s: float | None
    held_out_mean: float | None
    held_out_worst: float | None
    source: str


class Group(NamedTuple):
    """What belongs together: collectives by one algorithm over one kind of link. busbw: where there are no times."""

    link: str
    algorithm: str
    collective: str
    npus: int
    nodes: int
    source: str


def sent(group: Group) -> float:
    """What goes through one NPU's link in one direction, for each byte of the buffer.

    >>> from astra_edu.measured.link_lines import Group, sent
    >>> [sent(Group("", algorithm, "all-reduce", 16, 2, "")) for algorithm in ("ring", "trees")]
    [0.234375, 0.125]
    """
    if group.algorithm == "in the switch":
        return 1.0
    among = group.npus // group.nodes if group.nodes > 1 else 1
    return (1.0 if group.algorithm == "trees" else bus_factor(group.collective, group.npus)) / among


def of_one(group: Group, busbw: float, size: int | None) -> LinkClass:
    """Of a bus bandwidth, which is as if all went round a ring."""
    rate = busbw / bus_factor(group.collective, group.npus) * sent(group)
    return LinkClass(*group[:5], 1, size, size, None, None, round(rate, 2), None, None, group.source)


def ranges_of(points: Sequence[Point]) -> dict[str, list[Point]]:
    """The small sizes and the others, by what they are called; only those that there are."""
    small = [point for point in points if point.size <= SMALL]
    ranges = {"up to 1 MiB": small, "above 1 MiB": [point for point in points if point.size > SMALL]}
    return {called: some for called, some in ranges.items() if some}


def lines_of(group: Group, points: Sequence[Point]) -> Iterator[LinkClass]:
    """Of ascending sizes: a line for the small ones, and one for the others, where there are FEWEST."""
    for some in ranges_of(points).values():
        if len(some) < FEWEST:
            continue
        held_out = errors(fit_line(some[::2]), some[1::2])
        line = fit_line(some)
        grows = line.us_per_byte * some[-1].size > LEAST * line.latency_us
        yield LinkClass(
            *group[:5],
            len(some),
            some[0].size,
            some[-1].size,
            round(line.latency_us, 2),
            None,
            round(line.bandwidth(sent(group)), 2) if grows else None,
            round(held_out.mean, 4),
            round(held_out.worst, 4),
            group.source,
        )


def too_few(group: Group, points: Sequence[Point]) -> Iterator[str]:
    """A sentence for each range of sizes that has fewer, and so no line.

    >>> from astra_edu.measured.link_lines import Group, too_few
    >>> from astra_edu.measured.tables import Point
    >>> list(too_few(Group("NVLink 4", "ring", "all-reduce", 8, 1, "mine"), [Point(2**10, 20), Point(2**30, 5000)]))[0]
    'NVLink 4, ring, 8 NPUs: only 1 size up to 1 MiB; a line takes 3. Left out.'
    """
    for called, some in ranges_of(points).items():
        if len(some) < FEWEST:
            sizes = several(len(some), "size")
            yield (
                f"{group.link}, {group.algorithm}, {several(group.npus, 'NPU')}: only {sizes} {called}; a line takes "
                f"{FEWEST}. Left out."
            )


def with_steps(found: Sequence[LinkClass]) -> list[LinkClass]:
    """With step_us: by how much latency grows with each step of a ring (least squares), of three numbers of NPUs on."""
    latencies: dict[tuple[object, ...], dict[int, float]] = {}
    for each in found:
        if (key := _same_ring(each)) and each.latency_us is not None:
            latencies.setdefault(key, {})[_steps(each)] = each.latency_us
    slopes = {key: _slope(list(some.items())) for key, some in latencies.items() if len(some) >= FEWEST}
    return [each._replace(step_us=slopes.get(_same_ring(each))) for each in found]


def _same_ring(each: LinkClass) -> tuple[object, ...]:
    """What rings of one source have in common; () for what is none, or crosses a network."""
    if each.nodes > 1 or each.algorithm not in ("ring", "not said") or each.latency_us is None:
        return ()
    return each.link, each.algorithm, each.source, each.collective, (each.largest or 0) <= SMALL


def _steps(each: LinkClass) -> int:
    return (2 if each.collective == "all-reduce" else 1) * (each.npus - 1)


def _slope(points: Sequence[tuple[int, float]]) -> float | None:
    """None where latency doesn't grow."""
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return round(slope, 2) if slope > 0 else None
