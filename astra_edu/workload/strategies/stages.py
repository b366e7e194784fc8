"""Which of a model's operators are in each stage of a pipeline."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, choice, shown, whole
from astra_edu.workload.compute.operator import divisors, near
from astra_edu.workload.models import Model

SHARED = ("even", "uneven", "ends")
"""How a pipeline's parts share the blocks: all alike; as evenly as may be; so, with what is before and behind them
counted as a block each."""

Shared = str | tuple[int, ...]
"""One of SHARED, or how many blocks each part has."""


def checked_shared(blocks: object) -> Shared:
    """stage_blocks as they are kept. Raises ConfigError for anything else."""
    if isinstance(blocks, str):
        return choice("stage_blocks", blocks, SHARED)
    if isinstance(blocks, tuple | list):
        return tuple(whole("stage_blocks", each, at_least=1) for each in blocks)
    known = ", ".join(map(repr, SHARED))
    raise ConfigError(f"stage_blocks is {shown(blocks)}; give {known}, or a number for each stage.")


def stages(model: Model, count: int, blocks: Shared = "even") -> tuple[tuple[int, ...], ...]:
    """For each of `count` parts of a model, the indices of its operators.

    Equal blocks are shared out as `blocks` says, what comes before them goes to the first part, what comes after to the
    last. A model without blocks is cut where the parts' operations come out most alike. Raises ConfigError naming the
    nearest numbers that divide the blocks, where they must.

    >>> from astra_edu.workload.strategies import stages
    >>> tiny = ae.transformer("tiny", hidden=64, heads=4, blocks=4, sequence=32, vocabulary=1000)
    >>> [len(operators) for operators in stages(tiny, 2)]
    [27, 27]
    >>> [len(operators) for operators in stages(tiny, 3, "ends")]
    [15, 24, 15]
    """
    if not isinstance(model, Model):
        raise ConfigError(f"stages are cut out of a model such as ae.model('gpt3'), not {shown(model, 40)}.")
    count, trunk, blocks = whole("stages", count, at_least=1), model.trunk, checked_shared(blocks)
    if count > len(trunk):
        what = "blocks" if model.blocks else "operators"
        raise ConfigError(
            f"{model.name} has {len(trunk)} {what}; it can't be cut into {count} stages; {len(trunk)} is the most."
        )
    if not model.blocks and blocks != "even":
        raise ConfigError(f"{model.name} has no blocks to share out; leave stage_blocks out.")
    if model.blocks:
        counts = blocks_of_parts(model.name, len(trunk), count, blocks)
        starts = [trunk[sum(counts[:i])].start for i in range(count)]
    else:
        starts = _balanced(model, count)
    starts[0] = 0
    ends = [*starts[1:], len(model.operators)]
    return tuple(tuple(range(start, end)) for start, end in zip(starts, ends, strict=True))


def blocks_of_parts(name: str, blocks: int, parts: int, shared: Shared) -> tuple[int, ...]:
    """How many blocks each part of a pipeline has; where they aren't all alike, the first have one more.

    Raises ConfigError where that can't be, naming what can.

    >>> from astra_edu.workload.strategies.stages import blocks_of_parts
    >>> blocks_of_parts("Llama 3.1 405B", 126, 16, "ends")
    (7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7)
    >>> blocks_of_parts("DeepSeek-V3", 61, 4, "uneven")
    (16, 15, 15, 15)
    """
    if isinstance(shared, tuple):
        if len(shared) != parts or sum(shared) != blocks:
            raise ConfigError(
                f"stage_blocks are {len(shared)} numbers that make {sum(shared)}; {name} has {blocks} blocks for "
                f"{parts} stages (virtual ones included)."
            )
        return shared
    if shared == "even":
        if blocks % parts:
            raise ConfigError(
                f"{name} has {blocks} blocks, which {parts} stages can't share evenly; "
                f"{near(parts, divisors(blocks))} stages (virtual ones included) would do."
            )
        return (blocks // parts,) * parts
    ends = 0 if shared == "uneven" else 2
    few, more = divmod(blocks + ends, parts)
    counts = [few + (k < more) for k in range(parts)]
    counts[0] -= ends > 0
    counts[-1] -= ends > 0
    if min(counts) < 1:
        raise ConfigError(
            f"{name} has {blocks} blocks: with its ends as blocks, {parts} stages would leave one without any; use "
            f'stage_blocks="uneven", or {(blocks + 2) // 2} stages or fewer.'
        )
    return tuple(counts)


def _balanced(model: Model, count: int) -> list[int]:
    """Where each part starts, so that each next part begins nearest to its share of all operations."""
    flops = [operator.forward(1).flops for operator in model.operators]
    sums = [sum(flops[:i]) for i in range(len(flops) + 1)]
    starts = [0]
    for part in range(1, count):
        possible = range(starts[-1] + 1, len(flops) - (count - part) + 1)
        starts.append(min(possible, key=lambda i: abs(sums[i] - sums[-1] * part / count)))
    return starts
