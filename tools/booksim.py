"""Latency against load by ae.Credits beside BookSim 2's: python -m tools.booksim [mesh|torus] [uniform|...]

BookSim's figures, and the settings that made them, are in tests/data/booksim. Takes some minutes.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import astra_edu as ae
from astra_edu.network.credits import LoadPoint

DATA = Path(__file__).parent.parent / "tests" / "data" / "booksim" / "latency_load.csv"
FLIT = 256
CYCLE_NS = FLIT / ae.Block("Ring", 2, 50, 0).link_bandwidth
NETWORKS = {
    "mesh": ae.Block("Mesh", 64, bandwidth=50, latency=CYCLE_NS),
    "torus": [ae.Block("Ring", 8, bandwidth=50, latency=CYCLE_NS)] * 2,
}
SETTINGS = ae.Credits(flit=FLIT, packet=4 * FLIT, virtual_channels=4, buffer=8, router_delay=3, ports=1)
"""BookSim's: 4 virtual channels of 8 flits, packets of 4, an NPU sends and takes a flit a cycle."""
KNEE = 3
"""Saturated is a load at which the mean latency is so many times that of an empty network."""


class Row(NamedTuple):
    """A row of BookSim's figures; latency: mean, minimum, maximum in cycles, None where it grew without end."""

    topology: str
    traffic: str
    kind: str
    load: float
    latency: tuple[float, float, float] | None
    hops: float
    accepted: float


def booksim() -> list[Row]:
    """What BookSim said."""
    with DATA.open(newline="", encoding="utf-8") as file:
        return [_row(row) for row in csv.DictReader(file)]


def _row(row: dict[str, str]) -> Row:
    names = [row["topology"], row["traffic"].replace("neighbor", "neighbour"), row["sim_type"]]
    if row["latency_mean_cycles"] == "unstable":
        return Row(*names, float(row["load_flits"]), None, 0, 0)
    latency = tuple(float(row[f"latency_{what}_cycles"]) for what in ("mean", "min", "max"))
    return Row(*names, float(row["load_flits"]), latency, float(row["hops_mean"]), float(row["accepted_flits"]))


def ours(topology: str, traffic: str, load: float, cycles: int = 8000, warm_up: int = 6000) -> LoadPoint:
    """The same by us: a LoadPoint."""
    (point,) = ae.load_latency(NETWORKS[topology], SETTINGS, traffic, [load], cycles, warm_up)
    return point


def knee(curve: list[tuple[float, float | None]]) -> float | None:
    """The load at which latency is KNEE times its first value, between two loads; None where it never is.

    >>> knee([(0.0, 10), (0.2, 20), (0.4, 60)])
    0.25
    >>> knee([(0.0, 10), (0.2, 20), (0.3, None)])
    0.3
    """
    limit = KNEE * curve[0][1]
    for (load, latency), (further, more) in pairwise(curve):
        if more is None:
            return further
        if more >= limit:
            return round(load + (limit - latency) / (more - latency) * (further - load), 4)
    return None


def lines(topologies: tuple[str, ...], traffics: tuple[str, ...]) -> Iterator[str]:
    """The table, a line at a time."""
    rows = booksim()
    yield "| network | traffic | load | BookSim 2 | ours | difference |"
    yield "|---|---|---|---|---|---|"
    for topology in topologies:
        for traffic in traffics:
            own = [row for row in rows if (row.topology, row.traffic) == (topology, traffic)]
            theirs = [(row.load, row.latency and row.latency[0]) for row in own if row.kind == "latency"]
            limit = KNEE * theirs[0][1]
            curve: list[tuple[float, float | None]] = []
            for load, latency in _near_the_knee(theirs):
                point = ours(topology, traffic, load, *((40_000, 0) if load < 0.01 else ()))
                curve.append((load, point.mean_cycles))
                yield _line(topology, traffic, f"{load:g}, latency", latency, point.mean_cycles, "cycles")
                if point.mean_cycles > limit:
                    break
            yield _line(topology, traffic, f"latency x {KNEE}", knee(theirs), knee(curve), "flits/NPU/cycle")
            full = next(row for row in own if row.kind == "throughput")
            yield _line(
                topology,
                traffic,
                "1, throughput",
                full.accepted,
                ours(topology, traffic, 1.0).accepted,
                "flits/NPU/cycle",
            )


def _near_the_knee(curve: list[tuple[float, float | None]]) -> list[tuple[float, float | None]]:
    """The first load, those around the one at which latency has grown by half, and those after it."""
    grown = next((k for k, (_, latency) in enumerate(curve) if not latency or latency > 1.5 * curve[0][1]), len(curve))
    return [curve[0], *curve[max(1, grown - 1) :]]


def _line(topology: str, traffic: str, what: str, theirs: float | None, own: float | None, unit: str) -> str:
    said = [f"{value:.4g} {unit}" if value is not None else "-" for value in (theirs, own)]
    apart = f"{100 * (own / theirs - 1):+.1f} %" if theirs and own else ""
    return f"| 8x8 {topology} | {traffic} | {what} | {said[0]} | {said[1]} | {apart} |"


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for line in lines(
        tuple(name for name in NETWORKS if name in chosen) or tuple(NETWORKS),
        tuple(name for name in ("uniform", "transpose", "neighbour") if name in chosen)
        or ("uniform", "transpose", "neighbour"),
    ):
        print(line, flush=True)
