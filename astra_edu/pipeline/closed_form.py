"""What a pipeline's time, bubble and memory are by formula, for the orders gpipe, 1f1b and interleaved.

The formulas are those of arXiv 1811.06965 (GPipe) and arXiv 2104.04473 (1F1B, interleaved). They hold if all stages
take the same time, their virtual stages do so, too, and what a stage sends is there at once. Otherwise only the
simulation says: with stages that differ the slowest one paces all, and transfers that take time cost each order
differently. `virtual` is how many virtual stages each stage holds; more than one is for the interleaved order alone,
which needs micro-batches that are a multiple of the stages.
"""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, choice, not_negative, whole

FORMULAS = ("gpipe", "1f1b", "interleaved")


def total_ns(stages: int, micro_batches: int, forward_ns: float, backward_ns: float, virtual: int = 1) -> float:
    """The time of an iteration: every micro-batch once through the slowest stage, and the bubble.

    forward_ns, backward_ns: of one micro-batch through a whole stage.
    """
    one = not_negative("forward_ns", forward_ns) + not_negative("backward_ns", backward_ns)
    stages, micro_batches, virtual = _counts(stages, micro_batches, virtual)
    return (micro_batches + (stages - 1) / virtual) * one


def bubble_over_ideal(stages: int, micro_batches: int, virtual: int = 1) -> float:
    """The bubble as a share of the time that the work itself takes, (p - 1) / (v m): the same for all three orders."""
    stages, micro_batches, virtual = _counts(stages, micro_batches, virtual)
    return (stages - 1) / (virtual * micro_batches)


def bubble(stages: int, micro_batches: int, virtual: int = 1) -> float:
    """The bubble as a share of the whole time, (p - 1) / (v m + p - 1)."""
    stages, micro_batches, virtual = _counts(stages, micro_batches, virtual)
    return (stages - 1) / (virtual * micro_batches + stages - 1)


def in_flight(order: str, stage: int, stages: int, micro_batches: int, virtual: int = 1) -> float:
    """For how many micro-batches at most a stage keeps activations.

    GPipe: all m. 1F1B: p - stage, as many as there are stages from it to the last. Interleaved, on the first stage:
    p (1 + (p - 1) / (p v)), and two virtual stages less for each stage further on. Never more than m.
    """
    choice("order", order, FORMULAS)
    stages, micro_batches, virtual = _counts(stages, micro_batches, virtual)
    below = stages - 1 - whole("stage", stage, at_least=0)
    if below < 0:
        raise ConfigError(f"stage is {stage}; stages are 0 to {stages - 1}.")
    if order == "gpipe":
        return micro_batches
    if order == "1f1b" or virtual == 1:
        return min(micro_batches, below + 1)
    return min(micro_batches, ((virtual - 1) * stages + 2 * below + 1) / virtual)


def _counts(stages: int, micro_batches: int, virtual: int) -> tuple[int, int, int]:
    return (
        whole("stages", stages, at_least=1),
        whole("micro_batches", micro_batches, at_least=1),
        whole("virtual", virtual, at_least=1),
    )
