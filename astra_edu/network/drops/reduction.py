"""How many bytes leave for each that arrives while losses are repaired: proportional rate reduction (RFC 6937)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil


@dataclass(slots=True)
class Reduction:
    """One recovery. flight: bytes in the network as it began; delivered, sent: bytes since then.

    >>> from astra_edu.network.drops.reduction import Reduction
    >>> recovery = Reduction(flight=20_000)
    >>> recovery.window(1000, pipe=19_000, target=10_000, payload=1000, good=False)
    20000
    """

    flight: int
    delivered: int = 0
    sent: int = 0

    def window(self, newly: int, pipe: int, target: int, payload: int, good: bool) -> int:
        """The window (bytes) after `newly` delivered bytes, on the way to `target`, with `pipe` bytes in the network.

        good: something sent again has come, and nothing more was lost (slow start; else conservation).
        """
        self.delivered += newly
        if pipe > target:
            allowed = ceil(self.delivered * target / max(self.flight, payload)) - self.sent
        else:
            limit = max(self.delivered - self.sent, newly) + (payload if good else 0)
            allowed = min(limit, target - pipe)
        return pipe + max(allowed, 0 if self.sent else payload)
