"""Phases that go round a ring many times: rounds that repeat are skipped, to the order within a ns.

In an all-to-all on a ring of n NPUs each sends n / 2 messages for each round, and waits for what the one before it
has sent. Whoever began late holds up all others one after the other; from then on what happens in a round is what
happened in the one before, as long as nothing else comes on the links. So it is looked now and then, when all has
happened that happens in a ns, whether all that is on its way is as it was at an earlier look, only later. Then as many
rounds as are left are skipped: everything that is foreseen comes later by so many rounds, in the same order, and every
NPU has sent so many messages more.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from astra_edu.clock.events import Event, Ns
from astra_edu.network.messages import Messages
from astra_edu.network.timed_links import TimedLinks
from astra_edu.system.exchange import Exchange, Over, Startable
from astra_edu.system.moves import Moves
from astra_edu.system.queues import Chunk
from astra_edu.system.underway import Name, Underway

if TYPE_CHECKING:
    from astra_edu.system.endpoint import Endpoint

FEWEST_ROUNDS = 4
"""It is looked in phases of at least so many rounds."""
LOOKS = 4
"""So many times in each round."""
MOST_KEPT = 40
"""So many looks are kept."""


class Rounds(Event):
    """Looks at all that is on its way; as an event it is a look.

    phases: what carries out the phases that have begun and aren't over, by their chunks. skipped: how many messages
    nobody had to follow.
    """

    def __init__(self, messages: Messages, links: TimedLinks) -> None:
        """Nothing was seen yet."""
        self.phases: dict[Chunk, Startable] = {}
        self.skipped = 0
        self._messages = messages
        self._links = links
        self._looks = False
        self._seen: dict[Name, tuple[Ns, Ns, list[int]]] = {}
        self._who: list[Exchange] = []

    @classmethod
    def of(cls, messages: Messages) -> Rounds | None:
        """Of a run's messages; None where more may be on its way than is looked at."""
        network = messages.network
        plain = type(messages) is Messages and not messages.rendezvous and type(network) is TimedLinks
        return cls(messages, network) if plain and isinstance(network, TimedLinks) else None

    def look(self) -> None:
        """Look when all has happened that happens in this ns."""
        if not self._looks:
            self._looks = True
            self._links.add(self._links.now, self)

    def happen(self) -> None:
        """See Event."""
        links = self._links
        if not links.over:
            links.add(links.now, self)
            return
        self._looks = False
        found = Underway(links, self.phases.values())
        if not found.known:
            return
        if found.exchanges != self._who or len(self._seen) == MOST_KEPT:
            self._who = found.exchanges  # who is kept, so that nobody else gets the same id
            self._seen.clear()
        before = self._seen.get(found.state)
        self._seen[found.state] = links.now, found.until_ns, found.sent
        if before is not None:
            self._skip(found, *before)

    def _skip(self, found: Underway, then: Ns, until_ns: Ns, sent: Sequence[int]) -> None:
        """Skip rounds, where what is found was there before. until_ns: when something else was to happen then."""
        round_ns = self._links.now - then
        if until_ns <= self._links.now or type(round_ns) is not int or round_ns <= 0:
            return
        moved = [now - before for now, before in zip(found.sent, sent, strict=True)]
        left = [one.more_like(last) // last for one, last in zip(found.exchanges, moved, strict=True) if last]
        if found.until_ns < inf:
            left.append((found.until_ns - 1 - found.last_ns) // round_ns)
        rounds = min(left, default=0)
        if rounds <= 0:
            return
        found.later(rounds * round_ns)
        for one, last in zip(found.exchanges, moved, strict=True):
            one.skip(rounds * last)
            self._messages.sent += rounds * last
            self.skipped += rounds * last
        self._seen.clear()


class Leading(Exchange):
    """One NPU in a phase of many rounds, for whose messages it is looked whether all repeats."""

    __slots__ = ("_round", "_rounds", "_until")

    def __init__(
        self,
        endpoint: Endpoint,
        moves: Moves,
        tag: int,
        ahead: Sequence[int],
        behind: Sequence[int],
        over: Over,
        rounds: Rounds,
    ) -> None:
        """See Exchange."""
        super().__init__(endpoint, moves, tag, ahead, behind, over)
        self._rounds = rounds
        self._round = moves.schedule.npus
        self._until = 0

    def _turn_to(self, k: int) -> None:
        """See Exchange; and look every now and then."""
        if k >= self._until:
            super()._turn_to(k)
            self._until = self._alike
        if k + self._round < self._until:
            self._alike = k + max(1, self._round // LOOKS)
            if k:
                self._rounds.look()


def goes_round(moves: Moves) -> bool:
    """Whether an NPU sends so many messages in a phase that rounds may be skipped."""
    return len(moves.sizes) >= FEWEST_ROUNDS * moves.schedule.npus
