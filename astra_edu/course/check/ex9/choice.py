"""Whether a strategy fits exercise 9's model, NPUs and memory, and is fast; if not, what is too large or too long."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import GIB, format_ns
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.explore.iteration import Iteration, candidates, estimate, fastest, fitting
from astra_edu.measured.megatron_lm import DEVICE, platform
from astra_edu.workload.compute import Device
from astra_edu.workload.models import transformer
from astra_edu.workload.strategies import Memory, Strategy, memory

MODEL = transformer("thirty", hidden=7168, heads=56, blocks=48, sequence=2048, vocabulary=51_200)
"""30 × 10⁹ parameters."""
NPUS, BATCH = 64, 128
PLATFORM = platform(NPUS)
NEAR = 1.05
"""Times the fastest iteration there is, up to which an answer counts."""


def device(memory_gib: float = 80) -> Device:
    """The NPU of the exercise: an A100 as the measured iterations have it, with so much memory."""
    return replace(DEVICE, memory_bytes=int(memory_gib * GIB))


@question
def fits(answer: Answer, memory_gib: float = 80) -> Verdict:
    """fits(): a strategy for MODEL on 64 NPUs and 128 samples that memory allows."""
    try:
        strategy, kept = _strategy(answer)
    except NoAnswerError as problem:
        return problem.verdict
    there = memory_gib * GIB
    if kept.total > there:
        return Verdict(False, _too_much(kept, there))
    return Verdict(
        True,
        f"Right: an NPU keeps {kept.total / GIB:.1f} GiB at most, and {(there - kept.total) / GIB:.1f} GiB are left"
        f"{'.' if strategy.pipeline == 1 else ' on the stage that keeps most.'}",
    )


@question
def fast(answer: Answer, memory_gib: float = 80) -> Verdict:
    """fast(): a strategy that fits and takes at most 5 % longer than the fastest that does."""
    fitting_or_not = fits(answer, memory_gib)
    if not fitting_or_not:
        return fitting_or_not
    try:
        strategy, _ = _strategy(answer)
        found, best = estimate(MODEL, strategy, device(memory_gib), PLATFORM), _best(memory_gib)
    except NoAnswerError as problem:
        return problem.verdict
    except ConfigError as problem:
        return Verdict(False, str(problem))
    time, longer = format_ns(found.total_ns), found.total_ns / best.total_ns
    if longer <= 1.0005:
        return Verdict(True, f"Right: {time}, and the search through all strategies finds nothing faster.")
    if longer <= NEAR:
        return Verdict(True, f"Right: {time}, {100 * (longer - 1):.1f} % more than the fastest there is.")
    return Verdict(
        False,
        f"It fits, and takes {time}, {100 * (longer - 1):.0f} % more than the fastest that does. {_hint(found, best)}",
    )


def _strategy(answer: Answer) -> tuple[Strategy, Memory]:
    """The answer and what it keeps. Raises NoAnswerError if it is none, or not for these NPUs and samples."""
    given = call(answer, {})
    if not isinstance(given, Strategy):
        raise NoAnswerError(False, f"Your function returns {given!r:.60}; it should return an ae.Strategy(...).")
    if given.npus != NPUS:
        sizes = f"{given.data} × {given.tensor} × {given.pipeline}"
        raise NoAnswerError(
            False,
            f"data × tensor × pipeline are {sizes} = {given.npus} NPUs; there are {NPUS}, and all are to be used.",
        )
    if given.samples != BATCH:
        raise NoAnswerError(False, f"Your batch has {given.samples} samples; it should have batch={BATCH}.")
    if given.bits != Strategy().bits:
        name = "precision" if given.precision else "element_bytes"
        raise NoAnswerError(False, f"Weights and activations have 16 bits here: leave {name} as it is.")
    try:
        return given, memory(MODEL, given)
    except ConfigError as problem:
        raise NoAnswerError(False, str(problem)) from None


def _too_much(kept: Memory, there: float) -> str:
    parts = {
        "weights": kept.parameters,
        "gradients": kept.gradients,
        "optimiser state": kept.optimiser,
        "activations": kept.activations,
        "recomputed activations": kept.recomputed,
        "buffers": kept.buffers,
        "fragmentation": kept.fragmentation,
    }
    largest = max(parts, key=parts.__getitem__)
    each = ", ".join(f"{size / GIB:.1f} GiB {name}" for name, size in parts.items() if size)
    share = " The largest part alone doesn't fit." if parts[largest] > there else ""
    return (
        f"It doesn't fit: an NPU would keep {kept.total / GIB:.1f} GiB ({each}), {(kept.total - there) / GIB:.1f} GiB "
        f"more than there are.{share} What makes the {largest} smaller?"
    )


HINTS = {
    "compute": "It computes longer, without repeating anything. What does every NPU of a tensor group do for all "
    "tokens? Has one stage more to do than the others?",
    "repeated": "Most of that is computed a second time. Is there memory left in which it could be kept instead?",
    "tensor group": "Most of that is waiting for collectives within a micro-batch. How many NPUs take part in them, "
    "over which links, and how often?",
    "waiting": "Most of that is waiting for other stages. Which numbers make a pipeline's bubble small?",
    "exchange": "Most of that is the exchange among the copies that nothing hides. How much has each NPU to "
    "send, and over which links?",
    "update": "Most of that is the optimiser. Must every NPU update all the weights that it has?",
}
"""What to think about, by the part of an iteration that is longer than the fastest one's."""


def _hint(found: Iteration, best: Iteration) -> str:
    """What the answer spends more time on than the best: the kind of time, not the way out."""
    return HINTS[max(HINTS, key=lambda kind: found.split[kind] - best.split[kind])]


@cache
def _best(memory_gib: float) -> Iteration:
    npu = device(memory_gib)
    return fastest(MODEL, fitting(MODEL, candidates(MODEL, NPUS, BATCH), npu), npu, PLATFORM)
