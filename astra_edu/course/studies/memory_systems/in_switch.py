"""Collectives that a switch carries out itself, and the ring that they compete with, on one switch.

As in ASTRA-sim's implementation of 2023 (on a branch that was never merged): every NPU sends one message up to the
switch, and when the switch has all of them it sends one down to every NPU; adding up takes it 100 ns.
"""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.base.errors import choice, not_negative, positive, whole
from astra_edu.collectives import Collective
from astra_edu.collectives.collective import REDUCING
from astra_edu.course.studies.memory_systems.transfer import pipelined_ns

SWITCH_NS = 100
COLLECTIVES = (Collective.ALL_REDUCE, Collective.REDUCE_SCATTER, Collective.ALL_GATHER, Collective.ALL_TO_ALL)


class Messages(NamedTuple):
    """Bytes that one NPU sends up to the switch, and that it gets down from it."""

    up: float
    down: float


def in_switch_bytes(collective: str, size: int, npus: int) -> Messages:
    """What an NPU exchanges with the switch. size: bytes that it has before, of an all-gather just its own part.

    >>> from astra_edu.studies.memory_systems import in_switch_bytes
    >>> in_switch_bytes("all-reduce", 2**20, npus=8)
    Messages(up=1048576, down=1048576)
    """
    npus, size = whole("npus", npus, at_least=2), whole("size in bytes", size, at_least=0)
    match choice("collective", collective, COLLECTIVES):
        case Collective.ALL_REDUCE:
            return Messages(size, size)
        case Collective.REDUCE_SCATTER:
            return Messages(size, size / npus)
        case Collective.ALL_GATHER:
            return Messages(size, size * (npus - 1))
        case _:
            return Messages(*[size * (npus - 1) / npus] * 2)


def in_switch_ns(
    collective: str, size: int, npus: int, bandwidth: float, latency_ns: float = 0, packets: int = 1
) -> float:
    """How long a collective inside the switch takes. bandwidth: bytes/ns of an NPU's link, in each direction.

    packets: with 1 the switch waits for whole messages, as in ASTRA-sim; with more, it sends packets on while others
    still come. latency_ns: of a link.

    >>> from astra_edu.studies.memory_systems import in_switch_ns
    >>> whole, in_packets = (in_switch_ns("all-reduce", 2**20, 8, bandwidth=50, packets=n) for n in (1, 64))
    >>> round(whole), round(in_packets)
    (42043, 21399)
    """
    packets, bandwidth = whole("packets", packets, at_least=1), positive("bandwidth", bandwidth)
    ways = in_switch_bytes(collective, size, npus)
    adding = SWITCH_NS if collective in REDUCING else 0
    streaming = pipelined_ns([way / bandwidth / packets for way in ways], packets)
    return 2 * not_negative("latency_ns", latency_ns) + adding + streaming


def ring_ns(collective: str, size: int, npus: int, bandwidth: float, latency_ns: float = 0) -> float:
    """How long the same takes on a ring over that switch, by the usual formula: steps of equal messages.

    A message passes two links, NPU to switch to NPU, but occupies each only for its own time. An all-to-all sends
    each NPU's part directly, one after the other.

    >>> from astra_edu.studies.memory_systems import ring_ns
    >>> round(ring_ns("all-reduce", 2**20, npus=8, bandwidth=50))
    36700
    """
    npus, size = whole("npus", npus, at_least=2), whole("size in bytes", size, at_least=0)
    bandwidth, steps = positive("bandwidth", bandwidth), npus - 1
    message = size if choice("collective", collective, COLLECTIVES) == Collective.ALL_GATHER else size / npus
    if collective == Collective.ALL_REDUCE:
        steps *= 2
    return steps * (2 * not_negative("latency_ns", latency_ns) + message / bandwidth)
