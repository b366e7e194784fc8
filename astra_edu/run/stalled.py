"""A run that never ends because an NPU is down: who waits for whom, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns
from astra_edu.run.hardware import WatchedMessages
from astra_edu.traces.npu import TraceNpu

MOST_NAMED = 8


class Wait(NamedTuple):
    """An NPU that has waited for a message of another since since_ns, for a node."""

    npu: int
    source: int
    since_ns: int
    node: str


class StalledError(ConfigError):
    """A run that never ends as NPUs are down. down: {npu: since when, in ns}. waits: who waits for whom, since when.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, bandwidth=50, latency=500), ae.TraceSystem.of("ring", splits=1))
    >>> trace = ae.traces.collective("all_reduce", "1 MiB", npus=4)
    >>> try:
    ...     ae.simulate(trace, ring, down=lambda npu: [(20_000, float("inf"))] if npu == 3 else [])
    ... except ae.ConfigError as stalled:
    ...     for said in str(stalled).split("; "):
    ...         print(said)
    NPU 3 is down from 20.000 µs on and doesn't come back
    NPU 0 has waited for NPU 3 since 21.578 µs, in node 1 (all_reduce)
    NPU 1 has waited for NPU 0 since 26.970 µs, in node 1 (all_reduce).
    """

    def __init__(self, down: dict[int, int], waits: Sequence[Wait]) -> None:
        """Say it in words."""
        self.down = down
        self.waits = tuple(waits)
        super().__init__(_words(down, self.waits))


def check_stalled(npus: Sequence[TraceNpu], messages: WatchedMessages) -> None:
    """Raise StalledError where NPUs never finish and some are down for good."""
    stuck = {npu.npu: npu for npu in npus if npu.finished_ns is None}
    down = {time.npu: time.for_ever_ns for time in messages.times if time.for_ever_ns is not None}
    down = {npu: since for npu, since in down.items() if npu in stuck}
    if down:
        waits = sorted(messages.waits.values(), key=lambda wait: (wait[2], wait[0]))
        raise StalledError(down, tuple(Wait(*wait, _node(stuck[wait[0]])) for wait in waits if wait[0] in stuck))


def _node(npu: TraceNpu) -> str:
    """What an NPU is in the middle of."""
    on_the_way, _ = npu.waiting()
    names = {node.id: node.name for node in npu.nodes}
    return f"node {on_the_way[0]} ({names[on_the_way[0]]})" if on_the_way else ""


def _words(down: dict[int, int], waits: tuple[Wait, ...]) -> str:
    said = [f"NPU {npu} is down from {format_ns(since)} on and doesn't come back" for npu, since in down.items()]
    said = _first(said, "NPUs that are down")
    others = [wait for wait in waits if wait.npu not in down]
    names = [
        f"NPU {wait.npu} has waited for NPU {wait.source} since {format_ns(wait.since_ns)}, in {wait.node}"
        for wait in _one_each(others)
    ]
    return "; ".join([*said, *(_first(names, "NPUs that wait") or ["nobody waits for it"])]) + "."


def _one_each(waits: Iterable[Wait]) -> list[Wait]:
    """Of each pair of NPUs the first."""
    found: dict[tuple[int, int], Wait] = {}
    for wait in waits:
        found.setdefault((wait.npu, wait.source), wait)
    return list(found.values())


def _first(said: list[str], what: str) -> list[str]:
    more = len(said) - MOST_NAMED
    return said if more <= 0 else [*said[:MOST_NAMED], f"and {more:,} more {what}"]
