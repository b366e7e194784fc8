"""Networks and algorithms side by side: what wires there are, what algorithms make of them, which order is best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from astra_edu.base.table import text_table
from astra_edu.collectives import Schedule, hierarchical, schedule
from astra_edu.network import Dimension
from astra_edu.network.bound import bandwidth_bound_ns, steps_that_meet
from astra_edu.system import time_schedule

COMPARED = ("ring", "direct", "halving-doubling", "double-binary-tree", "single-master")


def wires(networks: Mapping[str, Dimension]) -> str:
    """Of each network: the links of an NPU, the hops from NPU 0 to every other, and what an NPU can send in all.

    >>> from astra_edu.course.studies.wirings import wires
    >>> print(wires({"Ring": ae.Dimension.of("Ring", 4, 50, 500)}))
    topology  links per NPU  hops to NPU 1..3  an NPU can send (GB/s)
    Ring                  2             1 2 1                   100.0
    """
    rows = []
    for name, network in networks.items():
        hops = " ".join(str(network.hops(distance)) for distance in range(1, network.npus))
        rows.append([name, network.links, hops, network.links * network.bandwidth])
    last = max(network.npus for network in networks.values()) - 1
    return text_table(["topology", "links per NPU", f"hops to NPU 1..{last}", "an NPU can send (GB/s)"], rows)


def compared(networks: Mapping[str, Dimension], size: int, algorithms: Sequence[str] = COMPARED) -> str:
    """The time of an all-reduce by each algorithm on each network / its bandwidth bound, in µs.

    "!": in some of its steps messages share a link. size: in bytes. Raises ConfigError for an algorithm there isn't.

    >>> from astra_edu.course.studies.wirings import compared
    >>> print(compared({"Switch": ae.Dimension.of("Switch", 8, 50, 500)}, 2**20, ["ring", "direct"]))
    time / bound (µs)     Switch
    ring               48 / 34
    direct              7 / 34 !
    """
    rows = []
    for algorithm in algorithms:
        cells = []
        for network in networks.values():
            whole = schedule("all-reduce", algorithm, network.npus)
            bound = bandwidth_bound_ns(whole, [network], size) / 1000
            mark = "!" if steps_that_meet(whole, [network]) else " "
            cells.append(f"{_us(whole, [network], size):,.0f} / {bound:,.0f} {mark}")
        rows.append([algorithm, *cells])
    return text_table(["time / bound (µs)", *networks], rows)


def orders(
    fast: tuple[float, float],
    slow: tuple[float, float],
    size: int,
    shapes: Sequence[tuple[int, int]] = ((8, 2), (4, 4), (2, 8)),
) -> str:
    """How long an all-reduce over two switched dimensions takes, one fast and one slow, in both orders.

    fast, slow: GB/s and ns of a link. size: in bytes. shapes: NPUs in dimension 0 and 1.

    >>> from astra_edu.course.studies.wirings import orders
    >>> print(orders((100, 100), (25, 700), 2**20, [(2, 2)]))
    dimension 0 × 1  fast, then slow  slow, then fast
    2 × 2                    32.6 µs          47.2 µs
    """
    rows = []
    for sizes in shapes:
        whole = hierarchical("all-reduce", "halving-doubling", sizes)
        times = []
        for links in ((fast, slow), (slow, fast)):
            network = [Dimension.of("Switch", npus, *link) for npus, link in zip(sizes, links, strict=True)]
            times.append(f"{_us(whole, network, size):,.1f} µs")
        rows.append([f"{sizes[0]} × {sizes[1]}", *times])
    return text_table(["dimension 0 × 1", "fast, then slow", "slow, then fast"], rows)


def _us(whole: Schedule, network: Sequence[Dimension], size: int) -> float:
    return time_schedule(whole, network, size).total_ns / 1000
