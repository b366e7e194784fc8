"""Explicit congestion notification (ECN): which packets a switch marks, by how many bytes wait when they come."""

from __future__ import annotations

from random import Random


def probability(queued: int, kmin: int, kmax: int, pmax: float) -> float:
    """How likely a packet is marked that finds `queued` bytes waiting.

    Never up to kmin bytes, always above kmax, and in between rising to pmax (RED without averaging, as DCQCN has it;
    Y. Zhu et al., SIGCOMM 2015, figure 5). With kmin = kmax it is the step of DCTCP (RFC 8257).

    >>> from astra_edu.network.drops.marking import probability
    >>> [probability(queued, 100, 300, 0.2) for queued in (100, 200, 300, 301)]
    [0.0, 0.1, 0.2, 1.0]
    """
    if queued <= kmin:
        return 0.0
    if queued > kmax:
        return 1.0
    return pmax * (queued - kmin) / (kmax - kmin)


class Marking:
    """What marks packets at one port. draws: where chance comes from."""

    __slots__ = ("draws", "kmax", "kmin", "pmax")

    def __init__(self, kmin: int, kmax: int, pmax: float, draws: Random) -> None:
        """kmin, kmax: bytes; pmax: the largest probability below kmax."""
        self.kmin, self.kmax, self.pmax, self.draws = kmin, kmax, pmax, draws

    def marks(self, queued: int) -> bool:
        """Whether a packet is marked that finds `queued` bytes waiting."""
        if queued <= self.kmin:
            return False
        if queued > self.kmax:
            return True
        return self.draws.random() < probability(queued, self.kmin, self.kmax, self.pmax)
