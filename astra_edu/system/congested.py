"""ASTRA-sim 1.0's congestion-aware program: how long a phase lasts whose messages wait for each other on the links.

It knows one dimension, a switch or fully connected links, and runs one chunk after the other here: so a phase has the
links to itself, and its duration is known when every NPU is followed through it once. Its network doesn't round, while
the NPUs' clocks show whole ns: so a phase's duration depends on the fraction of a ns at which it begins.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.clock.events import Action, Event, Turns, join
from astra_edu.collectives import Schedule
from astra_edu.network import Block, Dimension
from astra_edu.network.messages import Messages
from astra_edu.network.timed_links import TimedLinks
from astra_edu.system.durations import Duration
from astra_edu.system.exchange import Exchange, OneEndpoint
from astra_edu.system.faithful import quirks
from astra_edu.system.moves import moves
from astra_edu.system.settings import Settings

if TYPE_CHECKING:
    from astra_edu.system.config import Platform
    from astra_edu.system.plan_1 import Phase

TOPOLOGIES = ("Switch", "FullyConnected")
MOST_MESSAGES = 2_000_000
"""The most messages of a phase that are followed."""


def check_congested(network: tuple[Dimension, ...], system: Settings) -> None:
    """Raise ConfigError for what ASTRA-sim 1.0's congestion-aware program can't run, or isn't known to do here."""
    if len(network) != 1:
        raise ConfigError(
            f"ASTRA-sim 1.0's congestion-aware program knows one dimension; the network has {len(network)}. 2.x's "
            "(run2, a TracePlatform) knows several."
        )
    (dimension,) = network
    if dimension.topology.value not in TOPOLOGIES:
        raise ConfigError(
            f"ASTRA-sim 1.0's congestion-aware program runs on {' and '.join(TOPOLOGIES)}; on a {dimension.topology} "
            "it crashes. 2.x's (run2, a TracePlatform) runs there."
        )
    plain = Settings()
    for key, value, only in (
        ("active-chunks-per-dimension", system.active_chunks, plain.active_chunks),
        ("num-queues-per-dim", system.queues, plain.queues),
        ("inter-dimension-scheduling", system.inter_dimension, plain.inter_dimension),
        ("rendezvous-protocol", system.rendezvous, plain.rendezvous),
        ("model-shared-bus", system.bus, plain.bus),
    ):
        if value != only:
            raise ConfigError(
                f"{key} is {value!r:.60}; on ASTRA-sim 1.0's congestion-aware network it has to be {only!r}, as only "
                "phases that have the links to themselves are timed there. 2.x's (run2) knows the others."
            )


class _Wire(Block):
    """A link whose times are not rounded, as ASTRA-sim 1.0's are not."""

    @cached_property
    def link_bandwidth(self) -> float:
        """See Block; with the last bit as ASTRA-sim 1.0 has it, which decides where a time is a whole ns."""
        return self.bandwidth * 1.073741824

    def crossing_ns(self, message_bytes: int) -> int:
        """See Block; in fractions of a ns."""
        return self.latency + message_bytes / self.link_bandwidth  # type: ignore[return-value]

    def occupied_ns(self, message_bytes: int) -> int:
        """See Block; in fractions of a ns."""
        return message_bytes / self.link_bandwidth  # type: ignore[return-value]


class _Ticks(Turns):
    """The turns of an NPU whose clock shows whole ns, though its messages come in between: what falls into the same ns
    happens with the first of it."""

    def add(self, delay: int, event: Event) -> None:
        """See Turns."""
        tick = int(self.clock.now) + delay
        if tick in self.waiting:
            join(self.waiting, tick, event)
        else:
            self.waiting[tick] = event
            self.clock.schedule(self.clock.now + delay, self._turn, tick)


class _WatchedMessages(Messages):
    """Messages that keep how long NPUs waited for them. waited: ns since a receiver was ready, NPU 0's only."""

    def __init__(self, network: TimedLinks) -> None:
        """Nothing is on the way."""
        super().__init__(network)
        self.waited: list[int] = []

    def receive(
        self, npu: int, source: int, tag: int, message_bytes: int, received: Action, what: object = None
    ) -> None:
        """See Messages."""
        then = partial(self._received, npu, int(self.network.now), received)
        super().receive(npu, source, tag, message_bytes, then, what)

    def _received(self, npu: int, ready_ns: int, received: Action, what: object) -> None:
        if not npu:
            self.waited.append(int(self.network.now) - ready_ns)
        received(what)


def congested_duration(
    schedule: Schedule, dimension: Dimension, window: int | None, endpoint: int, chunk_bytes: int, begin_ns: float = 0
) -> Duration:
    """How long a phase lasts when every NPU brings `chunk_bytes`. endpoint: ns for each message. begin_ns: less than 1.

    Raises ConfigError for trees and algorithms that go step by step, and for more messages than can be followed.
    """
    if schedule.traits.tree or not schedule.traits.tokens:
        raise ConfigError(
            f"how {schedule.algorithm} runs on ASTRA-sim 1.0's congestion-aware network isn't known; take ring, direct "
            "or halvingDoubling."
        )
    own = moves(schedule, chunk_bytes, endpoint, window, quirks.memory_ns)
    npus = schedule.npus
    if npus * len(own.sizes) > MOST_MESSAGES:
        raise ConfigError(
            f"a phase of {npus:,} NPUs with {len(own.sizes):,} messages each is too much to follow; {MOST_MESSAGES:,} "
            "messages is the most."
        )
    block = _Wire(dimension.topology, npus, dimension.bandwidth, dimension.latency)
    links = TimedLinks((block,))
    links.now = begin_ns
    messages = _WatchedMessages(links)
    for npu in range(npus):
        if schedule.traits.exchanges:
            ahead = behind = [npu ^ distance for distance in own.ahead]
        else:
            ahead = [(npu + distance) % npus for distance in own.ahead]
            behind = [(npu - distance) % npus for distance in own.ahead]
        Exchange(OneEndpoint(npu, _Ticks(links), messages), own, 0, ahead, behind, lambda: None).start()
    links.run()
    mean = sum(messages.waited) / len(messages.waited)
    reduction = own.reductions[-1]
    waits: tuple[float, ...] = (endpoint, messages.waited[-1])
    waits = waits if reduction is None else (reduction, *waits)
    return Duration(links.now - begin_ns, (sum(own.sizes),), len(own.sizes), mean, waits)


class CongestedPhases:
    """The phases of a congestion-aware platform, whose duration depends on the fraction of a ns at which they begin."""

    def __init__(self, platform: Platform) -> None:
        """Nothing is known yet."""
        self.platform = platform
        self._known: dict[tuple[int, int, float], Duration] = {}

    def begun(self, phase: Phase, begin_ns: float) -> Phase:
        """The phase as it lasts if it begins `begin_ns` after a whole ns."""
        if not begin_ns:
            return phase
        key = id(phase.schedule), phase.chunk_bytes, begin_ns
        if key not in self._known:
            window, endpoint = phase.logical.how.window, self.platform.system.endpoint_delay
            network = self.platform.network[0]
            self._known[key] = congested_duration(
                phase.schedule, network, window, endpoint, phase.chunk_bytes, begin_ns
            )
        return phase._replace(duration=self._known[key])
