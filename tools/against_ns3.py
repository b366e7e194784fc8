"""Our packets beside ns-3's: `python -m tools.against_ns3`, with words only the cases whose names contain all of them.

The cases and what ns-3 says of them stand in tests/data/ns3, with how they were made.
"""

import csv
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import networkx as nx

from astra_edu.network.drops import Packets
from astra_edu.network.drops.cross import ConstantRate
from astra_edu.network.drops.network import PacketNetwork
from astra_edu.network.graph import GraphNetwork

CASES = Path(__file__).parent.parent / "tests" / "data" / "ns3" / "cases.csv"
CONTROLS = {"TcpNewReno": "newreno", "TcpCubic": "cubic", "TcpDctcp": "dctcp"}
PPP, IP, TCP = 2, 20, 32
FULL = 1502
RING_STEPS = 14
Row = dict[str, str]


@dataclass(frozen=True)
class Compared:
    """A case by ns-3 and by us: when all was there (ns), packets dropped, marked, timeouts, and how long ours took."""

    name: str
    shape: str
    theirs_ns: int
    ours_ns: int
    theirs_dropped: int
    ours_dropped: int
    theirs_timeouts: int
    ours_timeouts: int
    theirs_marked: int
    ours_marked: int
    seconds: float

    @property
    def time_ratio(self) -> float:
        return self.ours_ns / self.theirs_ns

    @property
    def drop_ratio(self) -> float:
        """1 where neither drops; infinite or 0 where one alone does."""
        if not self.theirs_dropped:
            return float("inf") if self.ours_dropped else 1.0
        return self.ours_dropped / self.theirs_dropped


def rows(words: Iterable[str] = ()) -> list[Row]:
    """The cases whose names contain all words."""
    with CASES.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if all(word in row["case"] for word in words)]


def settings(row: Row) -> Packets:
    """What a case says of TCP and queues. The disc for DCTCP stands before a device queue of a packet."""
    marked = int(row["mark_bytes"])
    disc = FULL if marked else 0
    return Packets(
        mtu=row["mtu_bytes"],
        headers=IP + TCP,
        framing=PPP,
        buffer=int(row["buffer_bytes"]) + disc,
        ecn_kmin=marked + disc if marked else None,
        control=CONTROLS[row["transport"]],
        window=int(row["socket_buffer_bytes"]),
        initial_window=int(row["initial_window_segments"]),
        first_rto_ns=int(row["connect_timeout_ns"]),
        min_rto_ns=int(row["min_rto_ns"]),
        timestamp_ns=1_000_000,
        ack_every=int(row["delayed_ack_segments"]),
        handshake=True,
        whole_ns=True,
    )


def graph(row: Row, edges: Iterable[tuple[int | str, int | str]]) -> GraphNetwork:
    """A graph of links that are all alike."""
    found = nx.Graph()
    bandwidth = float(row["link_gbps"]) * 1e9 / 8 / 2**30
    found.add_edges_from(edges, bandwidth=bandwidth, latency=int(row["latency_ns"]))
    return GraphNetwork(found)


def incast(row: Row) -> PacketNetwork:
    """Senders 1, 2, ... to NPU 0 over one switch."""
    count = int(row["flows"])
    network = PacketNetwork(graph(row, [(npu, "switch 0") for npu in range(count + 1)]), settings(row))
    _start(network, row, [(npu + 1, 0) for npu in range(count)])
    return network


def dumbbell(row: Row) -> PacketNetwork:
    """Senders at one switch, receivers at another, one wire between them; perhaps datagrams on it, too."""
    count = int(row["flows"])
    cross = float(row["cross_percent"])
    pairs = count + (cross > 0)
    edges = [(k, "switch 0") for k in range(pairs)] + [(pairs + k, "switch 1") for k in range(pairs)]
    network = PacketNetwork(graph(row, [*edges, ("switch 0", "switch 1")]), settings(row))
    _start(network, row, [(k, pairs + k) for k in range(count)])
    if cross:
        bytes_per_ns = float(row["link_gbps"]) / 8 * cross / 100
        ConstantRate(network, count, pairs + count, FULL, FULL / bytes_per_ns)
    return network


def _start(network: PacketNetwork, row: Row, pairs: list[tuple[int, int]]) -> None:
    for k, pair in enumerate(pairs):
        network.schedule(
            k * int(row["stagger_ns"]),
            lambda ends: network.send(*ends, int(row["message_bytes"]), _nothing, None),
            pair,
        )


def _nothing(_: object) -> None:
    pass


def ring(row: Row) -> PacketNetwork:
    """An all-reduce on a ring of NPUs: on one switch, or even and odd ones on two."""
    count = int(row["flows"])
    two = row["shape"] == "ring-crossed"
    edges = [(npu, f"switch {npu % 2 if two else 0}") for npu in range(count)]
    network = PacketNetwork(graph(row, [*edges, *([("switch 0", "switch 1")] if two else [])]), settings(row))
    chunk, steps = int(row["message_bytes"]) // count, 2 * (count - 1)

    def step(what: tuple[int, int]) -> None:
        npu, number = what
        if number < steps:
            network.send(npu, (npu + 1) % count, chunk, step, ((npu + 1) % count, number + 1))

    for npu in range(count):
        step((npu, 0))
    return network


SHAPES: dict[str, Callable[[Row], PacketNetwork]] = {
    "incast": incast,
    "dumbbell": dumbbell,
    "ring": ring,
    "ring-crossed": ring,
}


def compared(row: Row) -> Compared:
    """Play a case."""
    began = time.perf_counter()
    network = SHAPES[row["shape"]](row)
    network.run()
    ours = network.statistics()
    return Compared(
        row["case"],
        row["shape"],
        int(row["total_ns"]),
        ours["time_ns"],
        int(row["dropped_packets"]),
        ours["packets_dropped"],
        int(row["timeouts"]),
        ours["timeouts"],
        int(row["marked_packets"]),
        ours["ecn_marks"],
        time.perf_counter() - began,
    )


def within(ratios: Iterable[float]) -> float:
    """How far the median ratio of two figures is from 1, either way: 0.1 is 10 %."""
    return median(max(ratio, 1 / ratio) if ratio else float("inf") for ratio in ratios) - 1


def order_kept(cases: list[Compared], least: float = 1.05) -> tuple[int, int]:
    """Of all pairs of cases that differ in one word of their names, and in time by `least` for ns-3: (right, all)."""
    right = pairs = 0
    for k, one in enumerate(cases):
        for other in cases[:k]:
            differing = [a for a, b in zip(one.name.split("-"), other.name.split("-"), strict=False) if a != b]
            if len(differing) != 1 or max(one.theirs_ns, other.theirs_ns) < least * min(one.theirs_ns, other.theirs_ns):
                continue
            pairs += 1
            right += (one.theirs_ns < other.theirs_ns) == (one.ours_ns < other.ours_ns)
    return right, pairs


def main(words: list[str]) -> None:
    """Print a line for each case and the medians."""
    print(f"{'case':44}{'ns-3 µs':>12}{'ours µs':>12}{'ratio':>7}{'drops':>8}{'ours':>8}{'timeouts':>9}{'ours':>6}")
    done: list[Compared] = []
    for row in rows(words):
        case = compared(row)
        done.append(case)
        print(
            f"{case.name:44}{case.theirs_ns / 1000:12,.1f}{case.ours_ns / 1000:12,.1f}{case.time_ratio:7.2f}"
            f"{case.theirs_dropped:8}{case.ours_dropped:8}{case.theirs_timeouts:9}{case.ours_timeouts:6}",
            flush=True,
        )
    for shape in dict.fromkeys(case.shape for case in done):
        of_shape = [case for case in done if case.shape == shape]
        _print_sum(shape, of_shape)
    _print_sum("all", done)


def _print_sum(name: str, cases: list[Compared]) -> None:
    dropping = [case.drop_ratio for case in cases if case.theirs_dropped or case.ours_dropped]
    right, pairs = order_kept(cases)
    print(
        f"{name}: {len(cases)} cases, completion off by {100 * within(c.time_ratio for c in cases):.1f} % in the "
        f"median, drops in {len(dropping)} of them"
        + (f", off by a factor of {1 + within(dropping):.2f} in the median" if dropping else "")
        + f"; order of designs kept in {right} of {pairs} pairs; {sum(c.seconds for c in cases):.1f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
