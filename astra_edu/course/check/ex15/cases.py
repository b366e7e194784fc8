"""Exercise 15's job: Llama 3 405B on 16,384 H100, by Meta's published choice and by others.

Published: "The Llama 3 Herd of Models", arXiv 2407.21783, table 4. Its stages are interleaved (section 3.3.2), but in
how many parts each isn't said: 4 are taken here, the most that 126 blocks and the two ends allow.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

from astra_edu.base.units import format_ns
from astra_edu.explore.iteration import Iteration, estimate, fastest
from astra_edu.workload.compute import machine
from astra_edu.workload.models import Model, model
from astra_edu.workload.strategies import Strategy

GPUS = 16_384
TOKENS = 2**24
"""Of an iteration, in all samples."""
SHORT, LONG = 8192, 131_072
"""Tokens of a sample."""
H100 = machine("h100")
PLATFORM = H100.platform(GPUS)

META = Strategy(
    data=128,
    tensor=8,
    pipeline=16,
    batch=TOKENS // SHORT,
    pipeline_order="interleaved",
    virtual=4,
    stage_blocks="ends",
    zero=1,
    sequence_parallel=True,
)
"""For samples of SHORT tokens."""
META_LONG = replace(META, data=8, context=16, batch=TOKENS // LONG)


def choice_of_meta(tokens: int) -> Strategy:
    """What Meta took for samples of so many tokens."""
    return META if tokens == SHORT else META_LONG


@cache
def llama(tokens: int) -> Model:
    """Llama 3 405B with samples of so many tokens."""
    return model("llama3-405b", sequence=tokens)


@lru_cache(maxsize=512)
def took(strategy: Strategy, tokens: int = SHORT) -> Iteration:
    """An iteration as the estimate has it.

    >>> from astra_edu.course.check.ex15.cases import META, took
    >>> f"{took(META).mfu:.1%}, {took(META).fits}"
    '62.4%, True'
    """
    return estimate(llama(tokens), strategy, H100.device, PLATFORM)


@cache
def best_found() -> Iteration:
    """The fastest that fits for SHORT tokens, of tensor groups in a machine, context groups, and 8 or 16 stages of as
    many parts as there can be. The fastest of candidates(whole_space=True), which takes a minute, is the same.
    """
    return fastest(llama(SHORT), _tried(), H100.device, PLATFORM, fits=True)


def _tried() -> list[Strategy]:
    found = []
    for tensor in (2, 4, 8):
        for context in (1, 2, 4, 8, 16, 32):
            for pipeline in (8, 16):
                data = GPUS // (tensor * context * pipeline)
                if META.samples % (data * pipeline) == 0:
                    parts = 64 // pipeline
                    found.append(
                        replace(META, data=data, tensor=tensor, context=context, pipeline=pipeline, virtual=parts)
                    )
    return found


def largest_growth(found: Iteration, other: Iteration) -> str:
    """The part of an iteration that is longer than the other's by most."""
    parts, others = found.split, other.split
    return max(parts, key=lambda part: parts[part] - others.get(part, 0))


def seconds(found: Iteration) -> str:
    """How long it takes, in words."""
    return format_ns(found.total_ns)
