"""A collective carried out by a trace of its own: sends, receives and computations, as fast as their parents allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from astra_edu.base.errors import ConfigError
from astra_edu.base.warned import warn
from astra_edu.collectives import Collective

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint


class Act(Enum):
    """What a step of a custom collective does."""

    SEND = "send"
    RECEIVE = "receive"
    COMPUTE = "compute"


class CustomStep(NamedTuple):
    """One step of one rank: to or from which rank, tag and bytes of its message, or ns; and which steps come before."""

    id: int
    name: str
    act: Act
    rank: int
    tag: int
    message_bytes: int
    ns: int
    parents: frozenset[int]


class CustomTrace(Protocol):
    """What describes a custom collective: a Trace, for example."""

    @property
    def npus(self) -> int:
        """How many ranks it is for."""

    def custom_steps(self, rank: int) -> Sequence[CustomStep]:
        """What one rank does. Raises ConfigError for what can't be part of a collective."""


class CustomSizes:
    """The sizes that custom collectives are asked for: a trace sends what it sends, so that only one can be meant."""

    def __init__(self) -> None:
        """Nothing has been asked for."""
        self._asked: dict[int, int] = {}

    def check(self, trace: CustomTrace, collective: Collective, collective_bytes: int) -> None:
        """Warn where a trace can't be meant for a size: it sends too little, or carries out another size, too."""
        if self._asked.get(id(trace)) == collective_bytes:
            return
        before = self._asked.setdefault(id(trace), collective_bytes)
        if before != collective_bytes:
            self._asked[id(trace)] = collective_bytes
            warn(
                f"a custom {collective} is asked for {before:,} and for {collective_bytes:,} bytes, but its trace "
                "sends the same for both: it can't honour a size. Give each size a trace of its own (custom_nodes).",
                stacklevel=2,
            )
        sent = max(sum(s.message_bytes for s in trace.custom_steps(r) if s.act is Act.SEND) for r in range(trace.npus))
        from astra_edu.collectives.counts import least_sent

        needed = least_sent(collective, collective_bytes, trace.npus)
        if sent < needed:
            warn(
                f"a custom {collective} is asked for {collective_bytes:,} bytes, but its trace sends {sent:,} bytes an "
                f"NPU at most, where {needed:,.0f} are needed: it can't honour the size.",
                stacklevel=2,
            )


def sends_at_once(trace: CustomTrace) -> bool:
    """Whether some rank has two messages that wait for the same steps, so that they leave in the same ns."""
    for rank in range(trace.npus):
        waits = [step.parents for step in trace.custom_steps(rank) if step.act is Act.SEND]
        if len(set(waits)) < len(waits):
            return True
    return False


class CustomExchange:
    """One NPU in a collective that a trace describes. No endpoint delay and no reduction is added to it.

    What may begin in the same ns begins by ascending id; ASTRA-sim goes by the order of a hash table.
    """

    __slots__ = ("children", "endpoint", "left", "npus", "over", "parents", "steps")

    def __init__(
        self, endpoint: Endpoint, steps: Sequence[CustomStep], npus: Sequence[int], over: Callable[[], object]
    ) -> None:
        """npus: who has each rank of the trace."""
        self.endpoint = endpoint
        self.steps = steps
        self.npus = npus
        self.over = over
        self.left = len(steps)
        self.parents = {step.id: len(step.parents) for step in steps}
        self.children: dict[int, list[CustomStep]] = {}
        for step in steps:
            for parent in step.parents:
                self.children.setdefault(parent, []).append(step)

    def start(self) -> None:
        """Everything without parents begins."""
        for step in sorted(self.steps, key=lambda step: step.id):
            if not self.parents[step.id]:
                self._issue(step)

    def _issue(self, step: CustomStep) -> None:
        endpoint, messages = self.endpoint, self.endpoint.messages
        match step.act:
            case Act.SEND:
                messages.send(endpoint.npu, self._npu(step), step.tag, step.message_bytes, self._done, step)
            case Act.RECEIVE:
                messages.receive(endpoint.npu, self._npu(step), step.tag, step.message_bytes, self._done, step)
            case Act.COMPUTE:
                endpoint.turns.after(step.ns, self._done, step)

    def _npu(self, step: CustomStep) -> int:
        if step.rank >= len(self.npus):
            raise ConfigError(
                f"node {step.id} ({step.name}) of a custom collective names rank {step.rank}; it runs over "
                f"{len(self.npus)} NPUs."
            )
        if self.npus[step.rank] == self.endpoint.npu:
            raise ConfigError(f"node {step.id} ({step.name}) of a custom collective names its own rank, {step.rank}.")
        return self.npus[step.rank]

    def _done(self, step: CustomStep) -> None:
        self.left -= 1
        ready = []
        for child in self.children.get(step.id, ()):
            self.parents[child.id] -= 1
            if not self.parents[child.id]:
                ready.append(child)
        for child in sorted(ready, key=lambda child: child.id):
            self._issue(child)
        if not self.left:
            self.over()
