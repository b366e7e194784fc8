"""The system layer of one NPU: its collectives' chunks in the queues of the dimensions, and the phases they start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.base.native import mypyc_attr
from astra_edu.clock.events import Schedules, Turns
from astra_edu.collectives import Collective, known_schedule
from astra_edu.collectives.tree import perfect
from astra_edu.network.folded import FoldedLinks
from astra_edu.network.messages import Messages
from astra_edu.system.custom import CustomExchange, CustomTrace
from astra_edu.system.exchange import Exchange, Startable
from astra_edu.system.faithful.bus import SharedBus
from astra_edu.system.joined.joins import Joins
from astra_edu.system.moves import Moves, moves
from astra_edu.system.plan_2 import Kind, LogicalRing, PhasePlan, Planner, Shared
from astra_edu.system.policies import priorities, queue_policy
from astra_edu.system.queues import Chunk, Issued, Npus, Queue, Queues
from astra_edu.system.rounds import Leading, Rounds, goes_round
from astra_edu.system.steps import StepExchange, StepMoves, step_moves
from astra_edu.system.trace_config import TracePlatform
from astra_edu.system.tree_exchange import TreeExchange

Done = Callable[[], object]
Group = tuple[int, tuple[int, ...]]
"""Number and members of a process group."""
TAGS = 500_000_000
"""Collectives and a trace's own messages have this many tags each; ASTRA-sim takes numbers modulo it."""
GROUP_ENDPOINT_NS = 10
"""In a process group the endpoint takes 10 ns for a message, whatever endpoint-delay says."""
GROUP_STREAMS = 1_000_000
"""The chunks of process group g are numbered from g times this on."""
_tree = lru_cache(maxsize=100)(perfect)


class Asks(Protocol):
    """What asks for a collective."""

    @property
    def id(self) -> int:
        """Its number, for collectives that are carried out differently for it."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Endpoint:
    """One NPU's system layer. rounds: what looks whether rounds of phases can be skipped, if they can at all."""

    def __init__(
        self,
        npu: int,
        clock: Schedules,
        platform: TracePlatform,
        messages: Messages,
        shared: Shared,
        folded: bool = False,
        joins: Joins | None = None,
    ) -> None:
        """clock: what all happens by. shared: of all NPUs. folded: this NPU stands for all (see network.folded).

        joins: what times phases at once, where nothing can disturb them.
        """
        self.npu = npu
        self.clock = clock
        self.joins = joins
        self.turns = Turns(clock) if joins is None else joins.turns(npu)
        self.platform = platform
        self.system = system = platform.system
        self.messages = messages
        self.bus = SharedBus.with_memory(system.bus, self.turns, clock) if system.bus else None
        self.folded = folded
        self.rounds: Rounds | None = None
        self._planner = Planner(platform, shared)
        self._streams = 0
        self._group_streams: dict[int, int] = {}
        self._priorities = priorities(system.scheduling)
        policy = queue_policy(system.intra_dimension, 2)
        self.queues: Queues = Queues(len(platform.dims), system, policy, self._begin, npu)

    @property
    def leads(self) -> bool:
        """Whether no other NPU that this one stands for has its turn earlier in this ns."""
        return True

    def collective(
        self,
        asks: Asks,
        collective: Collective,
        collective_bytes: int,
        involved: Sequence[bool] | None,
        group: Group | None,
        priority: int,
        done: Done,
    ) -> bool:
        """Begin a collective now and call `done` when its last chunk is over; False where it has none, and never ends.

        asks: the node that asks for it. group: a process group; None for all NPUs. priority:
        larger ones go first, where the system's scheduling is EXPLICIT.
        """
        custom = self.system.custom_nodes.get(asks.id, self.system.custom.get(collective))
        if custom is not None:
            self._planner.shared.custom_sizes.check(custom, collective, collective_bytes)
            self._custom(custom, collective_bytes, group, done)
            return True
        rings = self._planner.rings(collective) if group is None else self._group_rings(collective, group[1])
        if group is not None:
            involved = None
        if self.leads:
            self._planner.begin(self.npu, self.clock.now)
        planned = self._planner.chunks(collective, collective_bytes, involved, rings, self._streams)
        self._planner.begin(self.npu, self.clock.now)
        rank = next(self._priorities) if self.system.scheduling != "EXPLICIT" else priority
        if self.joins is not None and self.queues.stays is None:
            whole = self.joins.whole(self, planned)
            if whole is not None:
                self.joins.begin(self, whole, rank, TAGS + self._next_stream(group, len(planned)) % TAGS, done)
                return True
        issued: Issued = Issued(asks, lambda _: done(), self.clock.now)
        issued.chunks = len(planned)
        for index, phases in enumerate(planned):
            tag = TAGS + self._next_stream(group) % TAGS
            self.queues.add(Chunk(index, rank, phases, issued, tag), self.clock.now)
        return bool(planned)

    def _custom(self, trace: CustomTrace, collective_bytes: int, group: Group | None, done: Done) -> None:
        """A collective that a trace of its own carries out, in one chunk.

        In a process group an NPU has the rank of its place among the sorted members, but its peers' ranks are those of
        the group's own order, as in ASTRA-sim.
        """
        npus = range(self.platform.npus) if group is None else group[1]
        if trace.npus != len(npus):
            raise ConfigError(f"a custom collective is for {trace.npus} NPUs; it is used by {len(npus)}.")
        if not collective_bytes:
            raise ConfigError("a custom collective of 0 bytes never begins in ASTRA-sim.")
        self._next_stream(group)
        CustomExchange(self, trace.custom_steps(sorted(npus).index(self.npu)), npus, done).start()

    def _group_rings(self, collective: Collective, members: tuple[int, ...]) -> tuple[LogicalRing, ...]:
        if len(members) == self.platform.npus:
            return self._planner.rings(collective)
        known, key = self._planner.shared.group_rings, (collective, id(members))
        found = known.get(key)
        if found is None:
            found = known[key] = (self._planner.group_ring(collective, members),)
        return found

    def _next_stream(self, group: Group | None, chunks: int = 1) -> int:
        """The number of the next chunk, of so many. Those of groups count among the chunks of all NPUs, too."""
        self._streams += chunks
        if group is None:
            return self._streams - chunks
        number = group[0]
        stream = self._group_streams.get(number, number * GROUP_STREAMS)
        self._group_streams[number] = stream + chunks
        return stream

    def _begin(self, queue: Queue, chunk: Chunk, npus: Npus) -> None:
        rounds = self.rounds

        def over() -> None:
            if rounds is not None:
                del rounds.phases[chunk]
            self.queues.over(queue, chunk, self.clock.now)

        phase = self._phase(chunk, over)
        if rounds is not None:
            rounds.phases[chunk] = phase
        phase.start()

    def _phase(self, chunk: Chunk, over: Done) -> Startable:
        """What carries out a chunk's phase at this NPU."""
        if self.joins is not None:
            return self.joins.phase(self, chunk, over)
        plan, npu = chunk.phase, self.npu
        logical, traits = plan.logical, plan.logical.how.traits
        place, ring = logical.place(npu), logical.ring_of(npu)
        if traits.tree:
            return TreeExchange(
                self, _tree(logical.npus, plan.tree == 1), place, ring, plan.chunk_bytes, chunk.tag, over
            )
        if not traits.tokens:
            if self.bus is not None:
                raise ConfigError(f"how {logical.how.algorithm} uses a shared bus isn't known; take ring or direct.")
            return StepExchange(self, self.steps_of(plan), place, ring, chunk.tag, over)
        own = self.moves_of(plan)
        n = logical.npus
        if traits.exchanges:
            ahead = behind = [ring[place ^ distance] for distance in own.ahead]
        else:
            places = own.ahead if own.alike[0] < len(own.ahead) else own.ahead[:1]
            one_way = [ring[(place + distance) % n] for distance in places] * (len(own.ahead) // len(places))
            other_way = [ring[(place - distance) % n] for distance in places] * (len(own.ahead) // len(places))
            ahead, behind = (one_way, other_way) if plan.clockwise else (other_way, one_way)
        if self.folded:
            behind = ahead
            if traits.exchanges and isinstance(self.messages.network, FoldedLinks):
                self.messages.network.exchange(chunk.tag, ahead)
        if self.rounds is not None and not place and goes_round(own):
            return Leading(self, own, chunk.tag, ahead, behind, over, self.rounds)
        return self.exchange(own, chunk.tag, ahead, behind, over)

    def exchange(self, own: Moves, tag: int, ahead: Sequence[int], behind: Sequence[int], over: Done) -> Exchange:
        """A phase whose tokens send messages; see Exchange."""
        return Exchange(self, own, tag, ahead, behind, over)

    def moves_of(self, plan: PhasePlan) -> Moves:
        """What every NPU does in a phase."""
        found = self._planner.shared.moves.get(_kind(plan))
        if found is None:
            how, in_group = plan.logical.how, not plan.logical.stride
            schedule = known_schedule(plan.collective, how.algorithm, plan.logical.npus)
            endpoint = GROUP_ENDPOINT_NS if in_group else self.system.endpoint_delay
            found = moves(schedule, plan.chunk_bytes, endpoint, how.window, self.system.reduction_ns, in_group)
            self._planner.shared.moves[_kind(plan)] = found
        return found

    def steps_of(self, plan: PhasePlan) -> StepMoves:
        """The same where NPUs go step by step."""
        found = self._planner.shared.steps.get(_kind(plan))
        if found is None:
            schedule = known_schedule(plan.collective, plan.logical.how.algorithm, plan.logical.npus)
            endpoint = self.system.endpoint_delay if plan.logical.stride else GROUP_ENDPOINT_NS
            found = step_moves(schedule, plan.chunk_bytes, endpoint, self.system.reduction_ns)
            self._planner.shared.steps[_kind(plan)] = found
        return found


def _kind(plan: PhasePlan) -> Kind:
    """What makes NPUs do the same in two phases."""
    return plan.collective, plan.logical.how, plan.logical.npus, plan.chunk_bytes, not plan.logical.stride
