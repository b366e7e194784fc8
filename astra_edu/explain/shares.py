"""Whose nanoseconds they are: the critical path's time, divided among compute, bandwidths, latencies and endpoints.

A phase's time is taken apart by timing it again with one cause after the other removed: a shared bus, a memory bound,
the bandwidth (bytes / bandwidth), the latency (hops × latency, NIC, router), the endpoint delay. What each removal
saves is that cause's share; what is left is memory time for reductions. Where all NPUs do the same, the order of
removal makes no difference; in trees, windowed direct collectives and on a shared bus it may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from astra_edu.explain.facts import largest_first
from astra_edu.explain.segment import Segment
from astra_edu.network import Dimension, Row, Wires
from astra_edu.network.dimension import LARGEST
from astra_edu.run.result import Result
from astra_edu.system.durations import duration
from astra_edu.system.plan_1 import Phase
from astra_edu.system.routes import Routes

COMPUTE = "compute"
ENDPOINT = "endpoint delay"
MEMORY = "memory time"
BUS = "shared bus"
UPDATE = "update time"
LOOP = "loop steps"

_CAUSES = {"compute": COMPUTE, "update": UPDATE, "loop": LOOP}

_UNLIMITED = LARGEST


def bandwidth_of(d: int) -> str:
    """The share of dimension d's bandwidth."""
    return f"dimension {d}'s bandwidth"


def latency_of(d: int) -> str:
    """The share of dimension d's latency: links, NICs and router."""
    return f"dimension {d}'s latency"


def shares(result: Result, path: Sequence[Segment]) -> Mapping[str, float]:
    """ns of each cause on the path, largest first; together they are total_ns. Dimensions are the network's.

    >>> from astra_edu.explain import critical_path, shares
    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> list(shares(result, critical_path(result)).items())[:2]
    [("dimension 0's latency", 28000), ("dimension 0's bandwidth", 17080)]
    """
    parts = _Parts(result)

    def of(segment: Segment) -> list[tuple[str, float]]:
        time = segment.end_ns - segment.start_ns
        return parts.of(segment.stay.phase, time) if segment.stay else [(_CAUSES[segment.lane], time)]

    return largest_first(part for segment in path for part in of(segment))


def without_limits(dimension: Dimension) -> Dimension:
    """The dimension with unlimited bandwidth and no latency."""
    return _without_latency(replace(dimension, bandwidth=_UNLIMITED))


def _without_latency(dimension: Dimension) -> Dimension:
    return replace(dimension, latency=0, nic=0, router=0)


@dataclass(frozen=True)
class _Rewired:
    """The same wires over dimensions of another speed."""

    wires: Wires
    network: Sequence[Dimension]
    first_place: int

    @property
    def npus(self) -> int:
        return self.wires.npus

    @property
    def symmetric(self) -> bool:
        return self.wires.symmetric

    @property
    def even(self) -> bool:
        return self.wires.even

    def path(self, source: int, destination: int) -> tuple[int, Dimension, int]:
        place, _, distance = self.wires.path(source, destination)
        return place, self.network[self.first_place + place], distance


class _Parts:
    """Takes phases apart, each kind and size once."""

    def __init__(self, result: Result) -> None:
        self.network = result.platform.network
        self.system = result.platform.system
        self._routes: dict[tuple[int, int], list[tuple[str, Routes]]] = {}
        self._found: dict[tuple[int, int, int, float], list[tuple[str, float]]] = {}

    def of(self, phase: Phase, time: float) -> list[tuple[str, float]]:
        """(cause, ns) of a phase that took `time` ns."""
        kind = (id(phase.schedule), id(phase.logical))
        key = (*kind, phase.chunk_bytes, time)
        if key not in self._found:
            if kind not in self._routes:
                self._routes[kind] = list(self._removals(phase))
            self._found[key] = self._split(kind, phase.chunk_bytes, time)
        return self._found[key]

    def _split(self, kind: tuple[int, int], size: int, time: float) -> list[tuple[str, float]]:
        left = time
        found = []
        for cause, routes in self._routes[kind]:
            without = min(left, duration(routes, size).total_ns)
            found.append((cause, left - without))
            left = without
        return [*found, (MEMORY, left)]

    def _removals(self, phase: Phase) -> Iterator[tuple[str, Routes]]:
        """(cause, the phase without it and those before it)."""
        dimension, how = phase.logical.dimension, phase.logical.how
        network = list(self.network)

        def routes(endpoint: int) -> Routes:
            wires = _Rewired(dimension.wires, tuple(network), dimension.first_place)
            return Routes(phase.schedule, [wires], endpoint, how.window, self.system.rendezvous)

        delay = self.system.endpoint_delay
        if self.system.bus:
            delay = 0
            yield BUS, routes(delay)
        used = range(len(network)) if isinstance(dimension.wires, Row) else (dimension.physical,)
        if any(network[d].hbm_scale for d in used):
            network = [replace(x, hbm_scale=0) for x in network]
            yield MEMORY, routes(delay)
        for d in used:
            network[d] = replace(network[d], bandwidth=_UNLIMITED)
            yield bandwidth_of(d), routes(delay)
        for d in used:
            network[d] = _without_latency(network[d])
            yield latency_of(d), routes(delay)
        if delay:
            yield ENDPOINT, routes(0)
