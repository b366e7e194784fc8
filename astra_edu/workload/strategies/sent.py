"""A collective or a message that a strategy sends, and the phases of an iteration."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.collectives import Collective

FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, UPDATE = "forward", "input gradient", "weight gradient", "update"
PHASES = (FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, UPDATE)


@dataclass(frozen=True)
class Communication:
    """A collective, or a message to the next stage, or the next NPU of a ring, where `collective` is None.

    phase: the phase that it belongs to. group: "tensor", "context", "expert", "data" (all that have
    the same weights), "expert data" (the same experts), "shard" (those of hybrid sharding that share them out),
    "replica" (that have the same share), "mirror" (the two stages that have the same part), "pipeline" or "all", of
    `npus` NPUs.
    size: bytes that each NPU puts in, once. times: how often in an iteration. blocking: what follows waits for all of
    it, with nothing to compute meanwhile.

    >>> sent = ae.communications("vgg16", ae.Strategy(data=8))[0]
    >>> sent.operator, sent.content, sent.collective.value, sent.npus, sent.size
    ('block1_conv1', 'weight gradients', 'all-reduce', 8, 3584)
    >>> sent.sent_bytes
    6272.0
    """

    operator: str
    content: str
    phase: str
    collective: Collective | None
    group: str
    npus: int
    size: int
    times: int
    blocking: bool

    @property
    def sent_bytes(self) -> float:
        """Bytes that each NPU sends in an iteration, by any algorithm that sends nothing twice."""
        n = self.npus
        share = {
            Collective.ALL_REDUCE: 2 * (n - 1) / n,
            Collective.REDUCE_SCATTER: (n - 1) / n,
            Collective.ALL_TO_ALL: (n - 1) / n,
            Collective.ALL_GATHER: n - 1,
        }
        return (1 if self.collective is None else share[self.collective]) * self.size * self.times

    @property
    def within_micro_batch(self) -> bool:
        """Whether it belongs to a micro-batch's passes, and is neither the copies' nor a message to another stage."""
        return self.group in ("tensor", "context", "expert", "all")

    @property
    def held_bytes(self) -> int:
        """Bytes that each NPU holds for a moment beside its own share: all blocks of an all-gather, sums that are not
        scattered yet, what an all-to-all has sent; two blocks of a ring, one that it computes with and one that comes.
        All-reduces add up in place.
        """
        if self.collective is None:
            return (2 if self.group == "context" else 1) * self.size
        return {
            Collective.ALL_REDUCE: 0,
            Collective.REDUCE_SCATTER: self.size - self.size // self.npus,
            Collective.ALL_TO_ALL: self.size,
            Collective.ALL_GATHER: (self.npus - 1) * self.size,
        }[self.collective]
