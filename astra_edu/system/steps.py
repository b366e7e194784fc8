"""A phase of any algorithm at one NPU, step by step: it sends, waits for what comes to it, and goes on.

An NPU begins after an endpoint delay. It sends all messages of a step at once, and is ready for its next step an
endpoint delay (and, where data are added up, a reduction) after each message of this step has come. What ASTRA-sim has
a pace of its own for is in exchange.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.collectives import Op, Schedule
from astra_edu.system.exchange import Over
from astra_edu.system.faithful import quirks

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint


class StepMove(NamedTuple):
    """One step of one NPU: (place, bytes) of the messages that it sends and that it waits for; ns to add one up.

    own: whether it waits for what it sends, too, as a switch adds that up with the others'.
    """

    sends: tuple[tuple[int, int], ...]
    receives: tuple[tuple[int, int], ...]
    reductions: tuple[int | None, ...]
    own: bool = False


@dataclass(frozen=True)
class StepMoves:
    """What every NPU does: of[place] are the steps of the NPU at that place. endpoint_ns: for each message."""

    of: Sequence[Sequence[StepMove]]
    endpoint_ns: int


def step_moves(schedule: Schedule, chunk_bytes: int, endpoint_ns: int, reduction_ns: Callable[[int], int]) -> StepMoves:
    """The steps of a schedule whose NPUs bring `chunk_bytes`. reduction_ns: of a message's bytes.

    Where a switch adds up and copies, a message to each NPU stands for what the switch sends it: it goes on when all
    have sent, and each message lasts as long as the link is busy. (Of an all-gather whose NPUs come one after the other
    that is more than the last of them would take.)
    """
    of: list[list[StepMove]] = [[] for _ in range(schedule.npus)]
    for step in schedule.steps():
        carried = step.rounds.carried
        own_too = step.op is Op.REDUCE and carried is not None
        sends: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        receives: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for (source, to), shards in Counter(transfer[:2] for transfer in step.transfers).items():
            of_links = max(carried) if carried else shards
            message = quirks.message_bytes(schedule, step.rounds, of_links, chunk_bytes)
            sends[source].append((to, message))
            receives[to].append((source, message))
        for npu, own in enumerate(of):
            adds_up = step.op is Op.REDUCE and not carried
            reduces = [reduction_ns(message) if adds_up else None for _, message in receives[npu]]
            own.append(StepMove(tuple(sends[npu]), tuple(receives[npu]), tuple(reduces), own_too))
    return StepMoves(of, endpoint_ns)


class StepExchange:
    """One NPU in a phase that goes step by step."""

    __slots__ = ("at", "endpoint", "left", "moves", "over", "ring", "steps", "tag")

    def __init__(
        self, endpoint: Endpoint, moves: StepMoves, place: int, ring: Sequence[int], tag: int, over: Over
    ) -> None:
        """place: of this NPU; ring: who is at each place. tag: of all its messages."""
        self.endpoint = endpoint
        self.moves = moves
        self.steps = moves.of[place]
        self.ring = ring
        self.tag = tag
        self.over = over
        self.at = self.left = 0

    def start(self) -> None:
        """The first step begins after an endpoint delay."""
        self.endpoint.turns.after(self.moves.endpoint_ns, self._go_on)

    def _go_on(self, _: object = None) -> None:
        npu, messages = self.endpoint.npu, self.endpoint.messages
        while self.at < len(self.steps):
            step = self.steps[self.at]
            for k, (place, message_bytes) in enumerate(step.sends):
                back = self._arrival(None) if step.own and not k else None
                messages.send(npu, self.ring[place], self.tag, message_bytes, back)
            self.left = len(step.receives) + step.own
            for (place, message_bytes), reduction in zip(step.receives, step.reductions, strict=True):
                messages.receive(npu, self.ring[place], self.tag, message_bytes, self._arrival(reduction))
            if self.left:
                return
            self.at += 1
        self.over()

    def _arrival(self, reduction: int | None) -> Callable[[object], object]:
        turns = self.endpoint.turns

        def arrived(_: object) -> None:
            turns.after(self.moves.endpoint_ns, taken_in)

        def taken_in(_: object) -> None:
            if reduction is None:
                self._done()
            else:
                turns.after(reduction, self._done)

        return arrived

    def _done(self, _: object = None) -> None:
        self.left -= 1
        if not self.left:
            self.at += 1
            self._go_on()
