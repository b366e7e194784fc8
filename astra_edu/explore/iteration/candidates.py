"""The strategies that there are for so many NPUs and so many samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import isqrt

from astra_edu.base.errors import ConfigError, whole
from astra_edu.workload.compute.operator import divisors
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged, abridged
from astra_edu.workload.strategies.strategy import RECOMPUTE

MOST = 2**22
"""NPUs, or samples, whose divisors are looked for."""


def candidates(model: Model | str, npus: int, batch: int) -> tuple[Strategy, ...]:
    """Every strategy by which so many NPUs can train the model with `batch` samples an iteration, if memory allows.

    data × tensor × pipeline groups of all sizes that divide NPUs, samples, operators and blocks; micro-batches of 1, 2,
    4, ... samples; every ZeRO stage and way of recomputing, with sequence parallelism and without; pipelines by 1F1B
    and, where the micro-batches allow it, interleaved. Left out: GPipe, which keeps more than 1F1B and is hardly ever
    faster, copies that are neighbours (data-first), and exchanged embeddings.
    Raises ConfigError if there are none, naming numbers of NPUs for which there are.

    >>> found = ae.candidates("gpt2", npus=8, batch=8)
    >>> len(found), len({(cut.data, cut.tensor, cut.pipeline) for cut in found})
    (135, 4)
    """
    model = named_model(model)
    npus, batch = whole("npus", npus, at_least=1), whole("batch", batch, at_least=1)
    for name, number in (("npus", npus), ("batch", batch)):
        if number > MOST:
            raise ConfigError(f"{name} is {number:,}; {MOST:,} is the most.")
    found = tuple(each for groups in _groups(model, npus, batch) for each in _variants(model, *groups, batch))
    if found:
        return found
    possible = possible_numbers(model, batch, 2 * npus - 1)
    below = [n for n in possible if n < npus]
    above = [n for n in possible if n > npus]
    would_do = " or ".join(str(n) for n in (*below[-1:], *above[:1]))
    raise ConfigError(
        f"{model.name} and a batch of {batch} can't be shared out among {npus} NPUs, by whatever copies, tensor groups "
        f"and stages; {would_do} NPUs would do."
    )


def frugal(model: Model, npus: int, batch: int) -> Iterator[Strategy]:
    """For each way to group the NPUs the strategy that keeps least."""
    for data, tensor, pipeline in _groups(model, npus, batch):
        yield Strategy(
            data=data,
            tensor=tensor,
            pipeline=pipeline,
            batch=batch,
            zero=_zero(data, pipeline)[-1],
            sequence_parallel=_sequence_parallel(abridged(model), tensor)[-1],
            recompute="full" if model.blocks else "none",
        )


def described(strategy: Strategy) -> str:
    """A strategy in a few words, with what differs from a plain one.

    >>> from astra_edu.explore.iteration import described
    >>> described(ae.Strategy(data=4, tensor=2, zero=1, batch=16))
    'data 4 × tensor 2 × pipeline 1, micro-batches of 1, ZeRO-1'
    """
    context = f"context {strategy.context} × " if strategy.context > 1 else ""
    words = [f"data {strategy.data} × {context}tensor {strategy.tensor} × pipeline {strategy.pipeline}"]
    words += [f"experts among {strategy.expert}"] * (strategy.expert > 1)
    words += [f"micro-batches of {strategy.micro_batch}"]
    words += [f"{strategy.virtual} virtual stages each"] * (strategy.virtual > 1)
    words += [f"ZeRO-{strategy.zero}"] * (strategy.zero > 0)
    words += ["sequence parallel"] * strategy.sequence_parallel
    words += [f"{strategy.recompute} recomputation"] * (strategy.recompute != "none")
    return ", ".join(words)


def _groups(model: Model, npus: int, batch: int) -> Iterator[tuple[int, int, int]]:
    """All (data, tensor, pipeline) that are possible."""
    pipelines = set(_pipelines(model))
    for tensor in divisors(npus):
        if _sequence_parallel(abridged(model), tensor):
            for pipeline in divisors(npus // tensor):
                data = npus // tensor // pipeline
                if pipeline in pipelines and batch % data == 0:
                    yield data, tensor, pipeline


def _pipelines(model: Model) -> Sequence[int]:
    """How many stages a pipeline can have: blocks are shared out evenly, other operators as they come."""
    return divisors(len(model.trunk)) if model.blocks else range(1, len(model.trunk) + 1)


def possible_numbers(model: Model, batch: int, most: int) -> list[int]:
    """The numbers of NPUs up to `most` for which there is a strategy, ascending."""
    tensors = _tensors(abridged(model), most)
    others = {data * pipeline for data in divisors(batch) for pipeline in _pipelines(model)}
    return sorted({tensor * other for tensor in tensors for other in others if tensor * other <= most})


def _tensors(about: Abridged, most: int) -> list[int]:
    """The sizes up to `most` that a tensor group can have, ascending.

    What t NPUs can share evenly, any divisor of t can, too. So where 7 can't, no multiple of 7 is asked.
    """
    smallest = list(range(most + 1))  # prime factor of each number
    for prime in range(2, isqrt(most) + 1):
        if smallest[prime] == prime:
            for multiple in range(prime * prime, most + 1, prime):
                smallest[multiple] = min(smallest[multiple], prime)
    found = {1}
    for size in range(2, most + 1):
        if size // smallest[size] in found and _sequence_parallel(about, size):
            found.add(size)
    return sorted(found)


def _variants(model: Model, data: int, tensor: int, pipeline: int, batch: int) -> Iterator[Strategy]:
    """All strategies with these groups, the plainest first."""
    recompute = RECOMPUTE if model.blocks else ("none",)
    each = len(model.blocks) // pipeline
    for micro_batch in (2**k for k in range(batch.bit_length()) if batch // data % 2**k == 0):
        full_turns = pipeline > 1 and batch // data // micro_batch % pipeline == 0
        virtual = divisors(each) if full_turns and model.blocks else (1,)
        for zero, parallel, how, parts in product(
            _zero(data, pipeline), _sequence_parallel(abridged(model), tensor), recompute, virtual
        ):
            yield Strategy(
                data=data,
                tensor=tensor,
                pipeline=pipeline,
                batch=batch,
                micro_batch=micro_batch,
                pipeline_order="interleaved" if parts > 1 else "1f1b",
                virtual=parts,
                zero=zero,
                sequence_parallel=parallel,
                recompute=how,
            )


def _zero(data: int, pipeline: int) -> tuple[int, ...]:
    """The stages of ZeRO that make sense."""
    if data == 1:
        return (0,)
    return (0, 1) if pipeline > 1 else (0, 1, 2, 3)


@lru_cache(maxsize=1024)
def _sequence_parallel(about: Abridged, tensor: int) -> tuple[bool, ...]:
    """Without sequence parallelism, and with it: which of the two such a tensor group can do."""
    possible = []
    for parallel in (False, True) if tensor > 1 and about.model.blocks else (False,):
        strategy = Strategy(tensor=tensor, sequence_parallel=parallel)
        if strategy.divides(about.short):
            try:
                about.strategy(strategy)
                possible.append(parallel)
            except ConfigError:
                continue
    return tuple(possible)
