"""Latency against load: packets made at random at every NPU, whatever becomes of those before (an open loop)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import log, nan, prod
from random import Random
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, answer_of, choice, function, instance_of, list_of, positive, shown, whole
from astra_edu.network.block import Block, checked_blocks
from astra_edu.network.credits.fabric import Fabric
from astra_edu.network.credits.network import quantiles
from astra_edu.network.credits.parts import Packet
from astra_edu.network.credits.routes import Blocks
from astra_edu.network.credits.settings import Credits
from astra_edu.network.credits.wiring import Wiring
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.topologies.mesh import Mesh

Pattern = Callable[[int, Random], int]
PATTERNS = ("uniform", "transpose", "neighbour")
MOST_CYCLES = 1_000_000
MOST_WAITING = 200_000
"""Packets in the network and its queues, after which it is given up."""


class LoadPoint(NamedTuple):
    """What a load does. load, accepted: flits for each NPU and cycle, as made and as arrived.

    Latencies in cycles, from when a packet was made until its last flit was out. saturated: whether packets wait ever
    longer; then latencies are those of the packets that came out.

    >>> ring = ae.Block("Ring", 8, bandwidth=50, latency=5)
    >>> [point] = ae.load_latency(ring, ae.Credits(ports=1), "neighbour", loads=[0.1], cycles=300, warm_up=100)
    >>> point.load, point.min_cycles <= point.median_cycles <= point.p99_cycles <= point.max_cycles
    (0.1, True)
    """

    load: float
    accepted: float
    mean_cycles: float
    median_cycles: float
    p99_cycles: float
    max_cycles: float
    min_cycles: float
    packets: int
    saturated: bool


def load_latency(
    network: Block | Sequence[Block] | GraphNetwork,
    settings: Credits,
    pattern: str | Pattern = "uniform",
    loads: Iterable[float] = (0.1, 0.2, 0.3, 0.4, 0.5),
    cycles: int = 2000,
    warm_up: int = 1000,
) -> list[LoadPoint]:
    """How long packets take at each load, in flits that an NPU makes in a cycle in the mean.

    Every NPU makes a packet of settings.packet in every cycle with the same probability. Packets that are made in
    `cycles` cycles after `warm_up` cycles are counted. pattern: "uniform", to any NPU, itself included; "transpose",
    from (x, y) to (y, x); "neighbour", one further along every side, and round; or a function of the sender and a
    random.Random.

    Raises ConfigError for loads that are not above 0 and at most 1, and for patterns that don't fit: an NPU that
    packets of others don't pass, as on a switch, can't send to itself.

    >>> mesh = ae.Block("Mesh", 16, bandwidth=50, latency=5)
    >>> flits = ae.Credits(flit=256, packet=1024, buffer=8, ports=1)
    >>> [point] = ae.load_latency(mesh, flits, "neighbour", loads=[0.05], cycles=400, warm_up=100)
    >>> point.min_cycles, point.saturated
    (17, False)
    """
    parts = network if isinstance(network, GraphNetwork) else checked_blocks(network)
    sides = _sides(parts)
    instance_of("settings", settings, Credits, "give an ae.Credits(...)")
    to = _pattern(pattern, sides) if isinstance(pattern, str) else _own(pattern, prod(sides))
    given = list_of("loads", loads, "give flits for each NPU and cycle, such as [0.1, 0.2]")
    times = whole("cycles", cycles, at_least=1), whole("warm_up", warm_up, at_least=0)
    if sum(times) > MOST_CYCLES:
        raise ConfigError(f"cycles and warm_up make {sum(times):,} cycles; {MOST_CYCLES:,} are the most.")
    return [_point(parts, settings, to, _load(load), *times) for load in given]


def _load(load: float) -> float:
    if positive("a load", load) > 1:
        raise ConfigError(f"a load is {load:g} flits for each NPU and cycle; 1 is the most that an NPU can send.")
    return float(load)


def _sides(network: Blocks | GraphNetwork) -> list[int]:
    if isinstance(network, GraphNetwork):
        return list(network.dims)
    return [
        side
        for block in network
        for side in (block.topology.sides(block.npus) if isinstance(block.topology, Mesh) else (block.npus,))
    ]


def _pattern(pattern: str, sides: list[int]) -> Pattern:
    choice("pattern", pattern, PATTERNS)
    npus = prod(sides)
    if pattern == "uniform":
        return lambda _, random: random.randrange(npus)
    if pattern == "transpose":
        if len(sides) != 2 or sides[0] != sides[1]:
            raise ConfigError(f"pattern is 'transpose'; that takes two sides that are as long, and these are {sides}.")
        return lambda source, _: source % sides[0] * sides[0] + source // sides[0]
    return lambda source, _: _neighbour(source, sides)


def _own(pattern: Pattern, npus: int) -> Pattern:
    """Somebody's function, whose answers are looked at."""
    function("pattern", pattern, f"give one of {', '.join(PATTERNS)}, or a function of an NPU and a random.Random")

    def to(source: int, random: Random) -> int:
        found = answer_of("pattern", pattern, source, random)
        if type(found) is not int or not 0 <= found < npus:
            raise ConfigError(f"pattern({source}, random) gave {shown(found)}; give an NPU, 0 to {npus - 1}.")
        return found

    return to


def _neighbour(source: int, sides: list[int]) -> int:
    found, stride = 0, 1
    for side in sides:
        found += (source // stride + 1) % side * stride
        stride *= side
    return found


def _point(
    network: Blocks | GraphNetwork, settings: Credits, to: Pattern, load: float, cycles: int, warm_up: int
) -> LoadPoint:
    npus = network.npus if isinstance(network, GraphNetwork) else prod(block.npus for block in network)
    wiring, random = Wiring(settings, network, npus), Random(settings.seed)
    latencies: Counter[int] = Counter()
    made = came = 0
    begin, end = warm_up, warm_up + cycles

    def arrived(packet: Packet, cycle: int) -> None:
        nonlocal came
        if begin <= cycle < end:
            came += packet.flits
        if begin <= packet.made < end:
            latencies[cycle - packet.made] += 1

    fabric = Fabric(settings, arrived, wiring.choose)
    flits = settings.packet_flits
    gaps = log(1 - load / flits) if load < flits else 0.0
    following = [_gap(random, gaps) - 1 for _ in range(npus)]
    while fabric.cycle < end + cycles and fabric.inside < MOST_WAITING:
        if fabric.cycle >= end and sum(latencies.values()) == made:
            break
        first = min(following)
        cycle = fabric.next_cycle()
        if cycle is None or first <= cycle:
            for npu in range(npus):
                if following[npu] == first:
                    packet = wiring.packet(npu, to(npu, random), flits, first)
                    made += begin <= first < end
                    fabric.inject(wiring.queue(packet), packet, first)
                    following[npu] += _gap(random, gaps)
        fabric.step()
    mean, median, p99, most = quantiles(latencies).values() if latencies else [nan] * 4
    saturated = sum(latencies.values()) < made
    least = min(latencies, default=nan)
    return LoadPoint(load, came / npus / cycles, mean, median, p99, most, least, made, saturated)


def _gap(random: Random, of: float) -> int:
    """Cycles from one packet to the next."""
    return 1 + int(log(1 - random.random()) / of) if of else 1
