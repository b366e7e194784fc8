"""Halving-doubling: exchange half of what is left with a partner twice as far each time; log2(n) steps a phase."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.collectives.algorithm import Algorithm, shard_per_npu
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.schedule import Op, Rounds
from astra_edu.collectives.traits import Traits


def reduce_scatter(n: int) -> tuple[Rounds, ...]:
    """Step k: NPU i gives its partner i XOR 2**k the half of its shards that the partner will own."""
    bits = _log2(n)

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        partner = i ^ (1 << s)
        return [(partner, shard) for shard in _same_low_bits(n, partner, s + 1)]

    return (Rounds("reduce-scatter", Op.REDUCE, bits, rule, uniform=False),)


def all_gather(n: int) -> tuple[Rounds, ...]:
    """The same exchanges backwards: partners come nearer and what is copied doubles."""
    bits = _log2(n)

    def rule(s: int, i: int) -> list[tuple[int, int]]:
        bit = bits - 1 - s
        return [(i ^ (1 << bit), shard) for shard in _same_low_bits(n, i, bit + 1)]

    return (Rounds("all-gather", Op.COPY, bits, rule, uniform=False),)


def all_reduce(n: int) -> tuple[Rounds, ...]:
    """Reduce-scatter, then all-gather: 2 log2(n) steps."""
    return reduce_scatter(n) + all_gather(n)


def _same_low_bits(n: int, npu: int, bits: int) -> range:
    """The shards whose lowest `bits` bits are those of `npu`: every 2**bits-th."""
    stride = 1 << bits
    return range(npu % stride, n, stride)


def _log2(n: int) -> int:
    if n & (n - 1):
        below = 1 << (n.bit_length() - 1)
        raise ConfigError(
            f"halving-doubling needs a power of two; {n} NPUs is none. The nearest that work: {below} and {below * 2}."
        )
    return n.bit_length() - 1


HALVING_DOUBLING = Algorithm(
    "halving-doubling",
    {
        Collective.REDUCE_SCATTER: reduce_scatter,
        Collective.ALL_GATHER: all_gather,
        Collective.ALL_REDUCE: all_reduce,
    },
    shard_per_npu,
    Traits(tokens=True, exchanges=True, halves=True, others=lambda n: n.bit_length() - 2, most_npus=(2**20, 2**12)),
    spellings=("halvingDoubling",),
)
