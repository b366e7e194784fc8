"""DualPipe: micro-batches enter a pipeline from both of its ends (DeepSeek-V3, arXiv 2412.19437, section 3.2.1).

Each stage has two parts of the model, so that every part is there twice. A forward pass one way and a backward pass
the other way run together, and what one of them sends to experts hides behind what the other computes. Backward passes
are split into B and W only where the pipeline fills and drains.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import count

from astra_edu.base.errors import ConfigError, whole
from astra_edu.pipeline.orders import ORDERS, Pass
from astra_edu.pipeline.places import both_ways

OWN, OTHER = 0, 1  # the way that begins at the nearer end, and the one that begins at the farther one


@ORDERS.add("dualpipe")
@both_ways
def dualpipe(stage: int, stages: int, micro_batches: int) -> Iterator[Pass]:
    """Half of the micro-batches from each end, forward and backward passes of opposite ways together (DualPipe)."""
    check_counts(stages, micro_batches)
    half = micro_batches // 2
    near = min(stage, stages - 1 - stage)
    far = stages // 2 - 1 - near  # stages from here to the middle
    firsts = (0, half) if 2 * stage < stages else (half, 0)
    following = {(kind, way): count(firsts[way]) for kind in "FB" for way in (OWN, OTHER)}
    waiting: deque[int] = deque()

    def passes(*steps: tuple[str, int]) -> Iterator[Pass]:
        """kind "b": a backward pass whose weights wait; "B": a whole one; "W": the weights that wait longest."""
        for kind, way in steps:
            if kind == "W":
                yield Pass("W", waiting.popleft())
                continue
            i = next(following[kind.upper(), way])
            yield Pass(kind.upper(), i)
            if kind == "b":
                waiting.append(i)

    pair = (("F", OWN), ("B", OTHER)), (("F", OTHER), ("B", OWN))
    yield from passes(*[("F", OWN)] * (2 * far))
    yield from passes(*[("F", OWN), ("F", OTHER)] * (near + 1))
    yield from passes(*[("b", OTHER), ("W", OTHER), ("F", OTHER)] * far)
    yield from passes(*[*pair[0], *pair[1]] * (half - stages + near + 1))
    yield from passes(*[("B", OTHER), *pair[1]] * far)
    yield from passes(*((("B", "b")[i > near], (OTHER, OWN)[i % 2]) for i in range(2 * near + 2)))
    yield from passes(*[("W", OWN), ("b", OWN)] * far)
    yield from passes(*[("W", OWN)] * (near + 1))


def check_counts(stages: int, micro_batches: int) -> None:
    """Raises ConfigError for an odd number of stages and for odd or too few micro-batches, naming the nearest."""
    if stages % 2:
        near = f"{stages - 1} or {stages + 1}" if stages > 1 else "2"
        raise ConfigError(
            f"stages is {stages}; DualPipe's micro-batches come from both ends and turn back at the other one, so it "
            f"needs an even number of stages: {near}."
        )
    if micro_batches % 2 or micro_batches < 2 * stages:
        least = 2 * stages
        near = f"{micro_batches - 1} or {micro_batches + 1}" if micro_batches > least else f"{least} is the least"
        raise ConfigError(
            f"micro_batches is {micro_batches} for {stages} stages; DualPipe needs an even number, at least twice the "
            f"stages: {near}."
        )


def bubble_ns(stages: int, forward_ns: int, backward_ns: int, weight_ns: int, pair_ns: int | None = None) -> int:
    """The report's bubble, (p / 2 - 1)(F&B + B - 3 W), in ns.

    backward_ns: B, a whole backward pass; weight_ns: W, of it the gradients of the weights. pair_ns: F&B, a forward and
    a backward pass together; F + B, if nothing of either is hidden. It is what the two stages in the middle wait if
    B - W takes as long as F, W no longer, and what is sent is there at once; other stages have fewer pairs, so that
    where these take less than F + B the others are busier.

    Raises ConfigError for an odd number of stages, for weight_ns above backward_ns, and for pair_ns below either pass.

    >>> from astra_edu.pipeline.dualpipe import bubble_ns
    >>> bubble_ns(8, 1000, 2000, 1000), bubble_ns(8, 1000, 2000, 1000, pair_ns=2500)
    (6000, 4500)
    """
    check_counts(whole("stages", stages, at_least=1), 2 * stages)
    given = {"forward_ns": forward_ns, "backward_ns": backward_ns, "weight_ns": weight_ns}
    forward, backward, weight = (whole(name, time, at_least=0) for name, time in given.items())
    if weight > backward:
        raise ConfigError(f"weight_ns is {weight:,}, and backward_ns, of which it is a part, {backward:,}.")
    pair = forward + backward if pair_ns is None else whole("pair_ns", pair_ns, at_least=0)
    if pair < max(forward, backward):
        raise ConfigError(f"pair_ns is {pair:,}; one of the two passes takes {max(forward, backward):,} ns by itself.")
    return (stages // 2 - 1) * (pair + backward - 3 * weight)
