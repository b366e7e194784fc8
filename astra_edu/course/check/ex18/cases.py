"""Exercise 18's incasts: TCP CUBIC with Linux's 200 ms over one switch with links of 10 Gbit/s."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from astra_edu.base.units import KIB
from astra_edu.network import Block
from astra_edu.network.drops import Packets
from astra_edu.network.topologies import find
from astra_edu.run.simulate import simulate
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform, TraceSystem
from astra_edu.traces import Builder

GBIT_S = 10
BANDWIDTH = GBIT_S * 1e9 / 8 / 2**30
"""GBIT_S in "GB/s" of 2**30 bytes/s."""
SIZE = 64 * KIB
PACKET = 1448 + 52 + 38
"""Bytes of a full packet on a link: payload, headers, framing."""
BUFFERS = (16, 32, 64, 128, 256, 512)
"""KiB."""
SENDERS = 8
LINUX = Packets(control="cubic", min_rto_ns=200_000_000)
COLLAPSED = 10
"""Times as long as the last link takes."""


def incast(senders: int, network: Packets) -> TraceResult:
    """`senders` NPUs send SIZE bytes each to NPU 0 at once.

    >>> from astra_edu.course.check.ex18.cases import LINUX, incast
    >>> incast(2, LINUX).statistics["packets_dropped"]
    0
    """
    builder = Builder(senders + 1)
    for npu in range(1, senders + 1):
        builder.message(f"from {npu}", SIZE, npu, 0)
    switch = Block(find("Switch"), senders + 1, BANDWIDTH, 1000)
    platform = TracePlatform((switch,), TraceSystem.of("direct"), congestion_aware=True)
    return simulate(builder.build(), platform, network=network, progress=False)


def link_ns(senders: int) -> float:
    """What the last link takes for the messages alone."""
    return senders * SIZE * 8 / GBIT_S


@lru_cache(maxsize=16)
def collapsing() -> tuple[int, ...]:
    """The buffers with which SENDERS collapse, in KiB."""
    return tuple(kib for kib in BUFFERS if slowdown(SENDERS, _with(kib)) > COLLAPSED)


def slowdown(senders: int, network: Packets) -> float:
    """The time over that of the last link."""
    return incast(senders, network).total_ns / link_ns(senders)


def _with(kib: int) -> Packets:
    return replace(LINUX, buffer=kib * KIB)
