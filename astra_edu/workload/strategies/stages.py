"""Which of a model's operators are in each stage of a pipeline."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, shown, whole
from astra_edu.workload.compute.operator import divisors, near
from astra_edu.workload.models import Model


def stages(model: Model, count: int) -> tuple[tuple[int, ...], ...]:
    """For each of `count` parts of a model, the indices of its operators.

    Equal blocks are shared out evenly, what comes before them goes to the first part, what comes after to the last.
    A model without blocks is cut where the parts' operations come out most alike. Raises ConfigError naming the
    nearest numbers that divide the blocks.

    >>> from astra_edu.workload.strategies import stages
    >>> tiny = ae.transformer("tiny", hidden=64, heads=4, blocks=4, sequence=32, vocabulary=1000)
    >>> [len(operators) for operators in stages(tiny, 2)]
    [27, 27]
    """
    if not isinstance(model, Model):
        raise ConfigError(f"stages are cut out of a model such as ae.model('gpt3'), not {shown(model, 40)}.")
    count, trunk = whole("stages", count, at_least=1), model.trunk
    if count > len(trunk):
        what = "blocks" if model.blocks else "operators"
        raise ConfigError(
            f"{model.name} has {len(trunk)} {what}; it can't be cut into {count} stages; {len(trunk)} is the most."
        )
    if model.blocks:
        if len(trunk) % count:
            raise ConfigError(
                f"{model.name} has {len(trunk)} blocks, which {count} stages can't share evenly; "
                f"{near(count, divisors(len(trunk)))} stages (virtual ones included) would do."
            )
        each = len(trunk) // count
        starts = [trunk[i * each].start for i in range(count)]
    else:
        starts = _balanced(model, count)
    starts[0] = 0
    ends = [*starts[1:], len(model.operators)]
    return tuple(tuple(range(start, end)) for start, end in zip(starts, ends, strict=True))


def _balanced(model: Model, count: int) -> list[int]:
    """Where each part starts, so that each next part begins nearest to its share of all operations."""
    flops = [operator.forward(1).flops for operator in model.operators]
    sums = [sum(flops[:i]) for i in range(len(flops) + 1)]
    starts = [0]
    for part in range(1, count):
        possible = range(starts[-1] + 1, len(flops) - (count - part) + 1)
        starts.append(min(possible, key=lambda i: abs(sums[i] - sums[-1] * part / count)))
    return starts
