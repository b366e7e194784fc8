"""The four designs on any network, buffer by buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from astra_edu.base.errors import function
from astra_edu.base.units import KIB
from astra_edu.course.studies.flat_or_hierarchical.designs import DESIGNS, Design, job
from astra_edu.run.networks import MakesNetwork
from astra_edu.run.simulate import simulate

BUFFERS = (32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB)
"""Bytes in front of each link out of a switch."""


@dataclass(frozen=True)
class Row:
    """What came of a design on a network whose switches store so much. total_ns: until the last NPU was done.

    >>> from astra_edu.course.studies.flat_or_hierarchical import rows
    >>> row = rows()[0]
    >>> row.design, row.buffer_bytes, row.total_ns, row.packets_dropped
    ('Flat100G', 32768, 15180467, 4852)
    """

    network: str
    design: str
    buffer_bytes: int
    late_us: int
    seed: int
    total_ns: int
    packets_dropped: int
    retransmissions: int
    timeouts: int
    peak_queue_bytes: int

    def cells(self) -> dict[str, Any]:
        """For a table."""
        return asdict(self)


def play(
    name: str,
    network: Callable[[int], MakesNetwork],
    buffers: Iterable[int] = BUFFERS,
    late_us: Sequence[int] = (20,),
    seeds: Sequence[int] = (1,),
    designs: Sequence[Design] = DESIGNS,
    say: Callable[[str], object] | None = None,
) -> list[Row]:
    """A row for each. network(buffer_bytes) is what simulate(..., network=...) takes, `name` what it is called.

    What a network's statistics don't have is 0 in the row.

    >>> from astra_edu.course.studies.flat_or_hierarchical import design, play
    >>> from astra_edu.network.carriers import carrier
    >>> endless = lambda buffer_bytes: lambda platform: carrier(platform.network, congestion_aware=True)
    >>> [row] = play("endless", endless, [0], designs=[design("HierOpt")])
    >>> row.total_ns, row.packets_dropped
    (64990, 0)
    """
    function("network", network, "give a function of the buffer's bytes, such as lambda size: ae.Ns3(buffer=size)")
    rows = []
    for size in buffers:
        for late in late_us:
            for seed in seeds:
                for one in designs:
                    begin = perf_counter()
                    result = simulate(job(late, seed), one.platform, network=network(size), progress=False)
                    said = result.statistics
                    counted = [int(said.get(key, 0)) for key in list(Row.__annotations__)[6:]]
                    row = Row(name, one.name, size, late, seed, result.total_ns, *counted)
                    rows.append(row)
                    if say:
                        say(f"{row} in {perf_counter() - begin:.1f} s")
    return rows
