"""The strategies that there are for so many NPUs and so many samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from math import gcd, isqrt

from astra_edu.base.errors import ConfigError, flag, whole
from astra_edu.explore.iteration.also import checked_also, with_others
from astra_edu.workload.compute import Experts
from astra_edu.workload.compute.operator import divisors
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.alike import Abridged, abridged
from astra_edu.workload.strategies.precision import PRECISIONS, WIDTHS, Precision
from astra_edu.workload.strategies.stages import Shared
from astra_edu.workload.strategies.strategy import RECOMPUTE

MOST = 2**22
"""NPUs, or samples, whose divisors are looked for."""
MOST_CONTEXT = 16
"""NPUs of a context group in the whole space; groups are powers of two."""


def candidates(
    model: Model | str, npus: int, batch: int, whole_space: bool = False, also: Iterable[str] | str = ()
) -> tuple[Strategy, ...]:
    """Every strategy by which so many NPUs can train the model with `batch` samples an iteration, if memory allows.

    data × tensor × pipeline groups of all sizes that divide NPUs, samples, operators and blocks; micro-batches of 1, 2,
    4, ... samples; every ZeRO stage and way of recomputing, with sequence parallelism and without; pipelines by 1F1B
    and, where the micro-batches allow it, interleaved. whole_space: also context groups, expert groups, and stages that
    share the blocks unevenly or with the ends counted as blocks. also: names of choices that there are besides, alone
    and together, or "all": "rings" (of context groups), "shard-groups" (hybrid sharding, with ZeRO),
    "sharded-stages" (ZeRO-2 and 3 with stages), "tensor-overlap" (a sequence-parallel group's collectives behind
    their products), "split-orders" (that split backward passes: ZB-H1, ZB-V, V-half, V-min, DualPipe); not every
    framework can do them. Left out: GPipe, which keeps more than 1F1B and is hardly ever faster, copies that are
    neighbours (data-first), and exchanged embeddings.
    Raises ConfigError if there are none, naming numbers of NPUs for which there are.

    >>> found = ae.candidates("gpt2", npus=8, batch=8)
    >>> len(found), len({(cut.data, cut.tensor, cut.pipeline) for cut in found})
    (135, 4)
    >>> len(ae.candidates("gpt2", npus=8, batch=8, whole_space=True))
    579
    >>> sorted({cut.pipeline_order for cut in ae.candidates("gpt2", npus=8, batch=16, also=["split-orders"])})
    ['1f1b', 'dualpipe', 'interleaved', 'v-half', 'v-min', 'zb-h1', 'zb-v']
    """
    model = named_model(model)
    npus, batch = whole("npus", npus, at_least=1), whole("batch", batch, at_least=1)
    for name, number in (("npus", npus), ("batch", batch)):
        if number > MOST:
            raise ConfigError(f"{name} is {number:,}; {MOST:,} is the most.")
    flag("whole_space", whole_space)
    space = _whole_space if whole_space else _plain_space
    others, about = checked_also(also), abridged(model)
    if found := tuple(each for cut in space(model, npus, batch) for each in with_others(about, cut, others)):
        return found
    possible = possible_numbers(model, batch, 2 * npus - 1)
    below = [n for n in possible if n < npus]
    above = [n for n in possible if n > npus]
    would_do = " or ".join(str(n) for n in (*below[-1:], *above[:1]))
    raise ConfigError(
        f"{model.name} and a batch of {batch} can't be shared out among {npus} NPUs, by whatever copies, tensor groups "
        f"and stages; {would_do} NPUs would do."
    )


def _plain_space(model: Model, npus: int, batch: int) -> Iterator[Strategy]:
    for data, tensor, pipeline in _groups(model, npus, batch):
        yield from _variants(model, Strategy(data=data, tensor=tensor, pipeline=pipeline, batch=batch))


def _whole_space(model: Model, npus: int, batch: int) -> Iterator[Strategy]:
    """The same with context and expert groups, and uneven stages."""
    experts = gcd(*(each.experts for each in model.operators if isinstance(each, Experts))) or 1
    for tensor in divisors(npus):
        if not _sequence_parallel(abridged(model), tensor):
            continue
        for context in divisors(gcd(npus // tensor, MOST_CONTEXT)) if model.blocks else (1,):
            for pipeline in divisors(npus // tensor // context):
                data = npus // tensor // context // pipeline
                if pipeline > len(model.trunk) or batch % data:
                    continue
                plain = Strategy(data=data, tensor=tensor, context=context, pipeline=pipeline, batch=batch)
                for expert in divisors(gcd(experts, data * context)):
                    yield from _variants(model, replace(plain, expert=expert, stage_blocks=_shared(model, pipeline)))


def _shared(model: Model, stages: int) -> str:
    """How stages share the blocks: evenly where they can, with the ends as blocks where that comes out even."""
    if not model.blocks or len(model.blocks) % stages == 0:
        return "even"
    ends = (len(model.blocks) + 2) % stages == 0 and len(model.blocks) + 2 >= 2 * stages
    return "ends" if ends else "uneven"


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
    by_ring = " by ring" * (strategy.context_by == "ring")
    context = f"context {strategy.context}{by_ring} × " if strategy.context > 1 else ""
    words = [f"data {strategy.data} × {context}tensor {strategy.tensor} × pipeline {strategy.pipeline}"]
    words += [f"{'whole ' * strategy.whole_experts}experts among {strategy.expert}"] * (strategy.expert > 1)
    words += [f"micro-batches of {strategy.micro_batch}"]
    words += [strategy.pipeline_order] * (strategy.pipeline_order not in ("1f1b", "interleaved"))
    words += [f"{strategy.virtual} virtual stages each"] * (strategy.virtual > 1 and not strategy.folded)
    words += [_shared_in_words(strategy.stage_blocks)] * (strategy.stage_blocks != "even")
    words += [f"ZeRO-{strategy.zero}"] * (strategy.zero > 0)
    words += [f"shared out among {strategy.shard_group}"] * (strategy.shard_group is not None)
    words += ["parameters kept"] * (not strategy.reshard)
    hidden = [name for name in strategy.overlap if name != "gradients"]
    words += [f"hiding {' and '.join(hidden)}"] * bool(hidden)
    words += ["gradients not hidden"] * ("gradients" not in strategy.overlap)
    words += ["sequence parallel"] * strategy.sequence_parallel
    words += [bits_in_words(strategy.bits)] * (strategy.precision not in (None, Precision()))
    words += [f"{strategy.recompute} recomputation"] * (strategy.recompute != "none")
    return ", ".join(words)


def bits_in_words(precision: Precision) -> str:
    """A precision by its name, or each kind's bits."""
    called = next((name for name, each in PRECISIONS.items() if each == precision), "")
    return called or ", ".join(f"{bits} bits of {name}" for name, bits in _widths(precision))


def _widths(precision: Precision) -> list[tuple[str, int]]:
    return [(name, getattr(precision, name)) for name in WIDTHS]


def _shared_in_words(blocks: Shared) -> str:
    if isinstance(blocks, tuple):
        return f"blocks {'-'.join(map(str, blocks))}"
    return "blocks shared unevenly" if blocks == "uneven" else "ends counted as blocks"


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


def _variants(model: Model, groups: Strategy) -> Iterator[Strategy]:
    """All strategies with these groups, the plainest first."""
    recompute = RECOMPUTE if model.blocks else ("none",)
    own = groups.samples // groups.data
    for micro_batch in (2**k for k in range(groups.samples.bit_length()) if own % 2**k == 0):
        full_turns = groups.pipeline > 1 and own // micro_batch % groups.pipeline == 0
        virtual = _virtual(model, groups) if full_turns and model.blocks else (1,)
        for zero, parallel, how, parts in product(
            _zero(groups.copies, groups.pipeline),
            _sequence_parallel(abridged(model), groups.tensor),
            recompute,
            virtual,
        ):
            yield replace(
                groups,
                micro_batch=micro_batch,
                pipeline_order="interleaved" if parts > 1 else "1f1b",
                virtual=parts,
                zero=zero,
                sequence_parallel=parallel,
                recompute=how,
            )


def _virtual(model: Model, groups: Strategy) -> Sequence[int]:
    """How many parts a stage can have: what divides its blocks, or, where they are shared unevenly, 1, 2, 4, ..."""
    blocks, stages = len(model.blocks), groups.pipeline
    if groups.stage_blocks == "even":
        return divisors(blocks // stages)
    ends = groups.stage_blocks == "ends"
    return [2**k for k in range(blocks.bit_length()) if (blocks + 2 * ends) // (stages * 2**k) > ends] or [1]


def _zero(copies: int, pipeline: int) -> tuple[int, ...]:
    """The stages of ZeRO that make sense."""
    if copies == 1:
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
