"""Direct's tokens between the two steps of an all-reduce, where one NPU stands for all.

A token that is back before all messages of the first step have come waits for the next token (see exchange.Exchange).
If it is back in the ns in which the last of them comes, it waits or not by which of the two happens first; that may
differ from NPU to NPU where something else happens in this ns, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.clock.events import Ns, Schedules
from astra_edu.network.folded import AmbiguousError
from astra_edu.system.exchange import Exchange, Over, PhaseEndpoint
from astra_edu.system.moves import Moves


class WatchedGate(Exchange):
    """A phase at NPU 0 that raises AmbiguousError where a token is back in the ns in which the gate opens."""

    __slots__ = ("_back_ns", "_clock", "_opened_ns")

    def __init__(
        self,
        clock: Schedules,
        endpoint: PhaseEndpoint,
        moves: Moves,
        tag: int,
        ahead: Sequence[int],
        behind: Sequence[int],
        over: Over,
    ) -> None:
        """clock: the endpoint's. See Exchange."""
        super().__init__(endpoint, moves, tag, ahead, behind, over)
        self._clock = clock
        self._back_ns: Ns = -1
        self._opened_ns: Ns = -2

    def received(self) -> None:
        """See Exchange."""
        super().received()
        if self._arrived == self._gate:
            self._opened_ns = self._clock.now
            self._look()

    def token(self, _: object = None) -> None:
        """See Exchange."""
        if self._sent >= self._ungated:
            self._back_ns = self._clock.now
            self._look()
        super().token()

    def _look(self) -> None:
        if self._back_ns == self._opened_ns:
            raise AmbiguousError
