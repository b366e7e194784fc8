"""Runs in which all NPUs do the same at the same time: NPU 0 stands for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from astra_edu.clock.events import Clock, Schedules
from astra_edu.clock.foreseen import ForeseenClock, Known
from astra_edu.collectives import ALGORITHMS, Collective, known_schedule
from astra_edu.network.folded import AmbiguousError, FoldedLinks, FoldedMessages, folded_network
from astra_edu.network.messages import Messages
from astra_edu.network.unaware import Unaware
from astra_edu.run.hands import Hands
from astra_edu.run.stopped import stoppable
from astra_edu.system.endpoint import Endpoint
from astra_edu.system.exchange import Exchange, Over, Startable
from astra_edu.system.faithful.gates import WatchedGate
from astra_edu.system.faithful.same_ns import SameNsLinks, SameNsUnaware
from astra_edu.system.faithful.ties import TiedQueues, WatchedQueues
from astra_edu.system.implementation import Implementation
from astra_edu.system.inter_dimension import kind_of
from astra_edu.system.moves import Moves
from astra_edu.system.plan_2 import PhasePlan, Shared
from astra_edu.system.policies import fifo_only, queue_policy
from astra_edu.system.queues import Chunk, Stay
from astra_edu.system.remote_memory import Accesses
from astra_edu.system.timed import Timed, duration, handed_on, steps_duration
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import COLLECTIVES, Node, NodeType, Trace
from astra_edu.traces.npu import TraceNpu

_ALONE = (NodeType.COMP_NODE, NodeType.COMM_COLL_NODE, NodeType.METADATA_NODE, NodeType.INVALID_NODE)
_MEMORY = (NodeType.MEM_LOAD_NODE, NodeType.MEM_STORE_NODE)


def fits(trace: Trace, platform: TracePlatform) -> bool:
    """Whether NPU 0 can stand for all: nobody sends to anybody in particular, and algorithms treat NPUs alike."""
    system = platform.system
    if not trace.alike or system.custom or system.custom_nodes or platform.buffers or not platform.blocks:
        return False
    if not all(block.topology.folds for block in platform.blocks):
        return False
    timed = undisturbed(trace, platform)
    for node in trace.nodes[0]:
        if node.type in _MEMORY:
            if platform.memory.kind != "PER_NPU_MEMORY_EXPANSION":
                return False
        elif node.type not in _ALONE:
            return False
        if node.type is NodeType.COMM_COLL_NODE and not _alike(node, trace, platform, timed):
            return False
        if node.type is NodeType.COMM_COLL_NODE and node.is_cpu_op and not system.replay_only:
            return False
    return True


def _alike(node: Node, trace: Trace, platform: TracePlatform, timed: bool) -> bool:
    if node.group and len(trace.groups.get(node.group, ())) != platform.npus:
        return False
    collective = COLLECTIVES.get(node.comm_type)
    if collective is None:
        return True
    hows = platform.system.implementations.get(collective, ())
    if hows and hows[0].flat and len(platform.blocks) > 1:
        return not platform.congestion_aware and hows[0].traits.tokens
    for how, block in zip(hows, platform.blocks, strict=False):
        if not how.traits.tokens and not (timed and _known_steps(collective, how, block.npus, platform)):
            return False
        lines = how.traits.exchanges and not block.topology.equidistant
        if platform.congestion_aware and lines and not timed:
            return False
    return True


def _known_steps(collective: Collective, how: Implementation, npus: int, platform: TracePlatform) -> bool:
    """Whether an algorithm that goes step by step treats NPUs alike."""
    if platform.congestion_aware or how.traits.tree:
        return False
    if kind_of(platform.system.inter_dimension).together:  # who leads the NPUs after such a phase isn't known
        return False
    parts = {collective, Collective.REDUCE_SCATTER, Collective.ALL_GATHER} & ALGORITHMS[how.algorithm].keys()
    return npus > 1 and all(known_schedule(part, how.algorithm, npus).symmetric for part in parts)


def undisturbed(trace: Trace, platform: TracePlatform, strict: bool = True) -> bool:
    """Whether a phase's duration is known when it starts. strict: and what comes first of what ends in the same ns."""
    system = platform.system
    if system.bus or system.rendezvous:
        return False
    if platform.congestion_aware:
        return system.active_chunks == 1 == system.queues
    return not (strict and _slides(trace, platform))


def _slides(trace: Trace, platform: TracePlatform) -> bool:
    """Whether a phase goes on message by message: its window is narrower than the number of an NPU's peers."""
    asked = {COLLECTIVES.get(node.comm_type) for node in trace.nodes[0] if node.type is NodeType.COMM_COLL_NODE}
    return any(_narrow(hows, platform) for what, hows in platform.system.implementations.items() if what in asked)


def _narrow(hows: Sequence[Implementation], platform: TracePlatform) -> bool:
    rings = [platform.npus] if hows and hows[0].flat else platform.dims
    return any(
        how.traits.windowed and how.window is not None and how.window < npus - 1
        for how, npus in zip(hows, rings, strict=False)
    )


def _network(trace: Trace, platform: TracePlatform, strict: bool) -> Unaware | FoldedLinks:
    """The network as NPU 0 sees it. strict: raise AmbiguousError where it matters which NPU has its turn first."""
    if strict and platform.system.bus:
        return SameNsLinks(platform.blocks) if platform.congestion_aware else SameNsUnaware(platform.blocks)
    if strict and not platform.congestion_aware and _slides(trace, platform):
        return SameNsUnaware(platform.blocks, bus=False)
    return folded_network(platform.blocks, platform.congestion_aware, strict)


class OneForAll:
    """A run of NPU 0 that stands for all."""

    def __init__(
        self,
        trace: Trace,
        platform: TracePlatform,
        record: bool = False,
        strict: bool = True,
        timed: bool | None = None,
    ) -> None:
        """record: keep every chunk's stay in a phase. strict: see folded.FoldedLinks. timed: whether phases are taken
        as undisturbed; None to look whether they are.
        """
        self._npus = platform.npus
        self.clock: Clock
        self.endpoint: Endpoint
        if undisturbed(trace, platform, strict) if timed is None else timed:
            self.clock = clock = ForeseenClock()
            self.endpoint = _TimedEndpoint(clock, platform, strict)
        else:
            self.clock = network = _network(trace, platform, strict)
            messages = FoldedMessages(network, platform.system.rendezvous)
            self.endpoint = _FollowedEndpoint(network, platform, messages, strict)
        if record:
            self.endpoint.queues.stays = []
        hands = Hands(self.endpoint, Accesses(platform.memory))
        self.npu = TraceNpu(0, trace.nodes[0], trace.groups, platform.system, hands, trace.where(0))

    @property
    def stays(self) -> list[Stay]:
        """Every chunk's stay in a phase, if recorded."""
        return self.endpoint.queues.stays or []

    def run(self) -> None:
        """Start and go on until nothing happens any more. Raises DisturbedError where a phase isn't undisturbed."""
        with stoppable([self.npu], self.clock, (0,) * self._npus):
            self.npu.go_on()
            self.clock.run()


class _LoneEndpoint(Endpoint):
    """NPU 0's endpoint. strict: raise AmbiguousError where it matters which NPU has its turn first."""

    def __init__(
        self, clock: Schedules, platform: TracePlatform, messages: Messages, strict: bool, folded: bool = False
    ) -> None:
        super().__init__(0, clock, platform, messages, Shared(platform), folded)
        policy = queue_policy(self.system.intra_dimension, 2)
        self._asks = kind_of(self.system.inter_dimension).together  # else nobody asks who leads
        self._strict = strict
        if strict and policy is not fifo_only:
            self.queues = WatchedQueues(len(platform.dims), self.system, policy, self._begin)


class _FollowedEndpoint(_LoneEndpoint):
    """An endpoint whose messages are followed: who leads the NPUs isn't known once a message has come."""

    def __init__(self, clock: Clock, platform: TracePlatform, messages: Messages, strict: bool) -> None:
        super().__init__(clock, platform, messages, strict, folded=True)

    @property
    def leads(self) -> bool:
        """See Endpoint."""
        if self._strict and self._asks and self.messages.sent:
            raise AmbiguousError
        return True

    def exchange(self, own: Moves, tag: int, ahead: Sequence[int], behind: Sequence[int], over: Over) -> Exchange:
        """See Endpoint."""
        if self._strict and (own.gate if self.platform.congestion_aware else own.gate == own.window):
            return WatchedGate(self.clock, self, own, tag, ahead, behind, over)
        return super().exchange(own, tag, ahead, behind, over)


class _TimedEndpoint(_LoneEndpoint):
    """An endpoint whose phases' durations are known when they start."""

    def __init__(self, clock: ForeseenClock, platform: TracePlatform, strict: bool) -> None:
        super().__init__(clock, platform, Messages(Unaware(platform.blocks)), strict)  # messages that nobody sends
        if strict and not isinstance(self.queues, WatchedQueues) and len(platform.dims) > 1:
            policy = queue_policy(self.system.intra_dimension, 2)
            self.queues = TiedQueues(len(platform.dims), self.system, policy, self._begin, clock)
        self._foreseen = clock
        self._known: dict[object, Known] = {}
        self._first_ns: int | None = None

    @property
    def leads(self) -> bool:
        """See Endpoint. Once a phase may be over, ties in a ns decide who leads: the clock's leader is a guess."""
        first, now = self._first_ns, self.clock.now
        if self._strict and self._asks and first is not None and (now > first or not self.system.endpoint_delay):
            raise AmbiguousError
        return not self._foreseen.leader

    def _phase(self, chunk: Chunk, over: Callable[[], object]) -> Startable:
        plan = chunk.phase
        if self._first_ns is None:
            self._first_ns = self.clock.now

        def lead(leader: int) -> int:
            tokens = self._asks and plan.logical.how.traits.tokens
            return handed_on(leader, self.moves_of(plan), plan, self.platform) if tokens else leader

        return Timed(self._foreseen, self._duration(plan), lead, over)

    def _duration(self, plan: PhasePlan) -> Known:
        key = (plan.collective, plan.logical, plan.chunk_bytes, plan.clockwise)
        found = self._known.get(key)
        if found is None:
            if plan.logical.how.traits.tokens:
                moves, stride = self.moves_of(plan), plan.logical.stride
                found = duration(moves, stride, plan.clockwise, self.platform, self._strict)
            else:
                schedule = known_schedule(plan.collective, plan.logical.how.algorithm, plan.logical.npus)
                found = steps_duration(
                    schedule, plan.chunk_bytes, self.system.endpoint_delay, plan.logical.stride, self.platform
                )
            self._known[key] = found
        return found
