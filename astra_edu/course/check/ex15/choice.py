"""Whether a strategy is faster than Meta's and fits; if not, what is too large, too long, or not to be changed."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call, hint, shown
from astra_edu.course.check.ex15.cases import GPUS, TOKENS, choice_of_meta, largest_growth, llama, seconds, took
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.explore.iteration import Iteration
from astra_edu.workload.strategies import Strategy

GB = 10**9

PARTS = {
    "compute": "does an NPU do more than its share? Which stage has more than the others?",
    "repeated": "it is computed a second time. Is there memory in which it could be kept?",
    "tensor group": "how many NPUs take part in its collectives, over which links?",
    "context group": "keys and values are gathered in every block. Over which links, among how many?",
    "waiting": "which numbers make a pipeline's bubble small? The samples are given; what else is there?",
    "exchange": "how many parameters has each NPU, and so how many gradients to send?",
    "update": "must every NPU update all the weights that it has?",
}
"""What to think about, by the part of an iteration that is longer than Meta's."""

_FIXED = {
    "overlap": "What hides behind what is a matter of kernels, and Meta's would hide the same: leave overlap as it is.",
    "pieces": "Leave pieces as they are.",
    "element_bytes": "Weights and activations have 16 bits, as Meta's: leave element_bytes as it is.",
    "bits": "Weights and activations have 16 bits, as Meta's: leave precision as it is.",
    "exchange_embeddings": "There are no tables of embeddings to exchange here.",
}


def strategy_of(answer: Answer, tokens: int) -> Strategy:
    """The strategy that an answer returns for samples of so many tokens. Raises NoAnswerError where it is none."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        if problem.verdict.ok is False and "micro-batches" in problem.verdict.message:
            fixed = (
                f"The batch is fixed, {TOKENS // tokens:,} samples for all copies together: is it given, and how many "
                "has each copy?"
            )
            raise NoAnswerError(False, f"{problem.verdict.message} {fixed}") from None
        raise
    if isinstance(given, Strategy):
        return given
    raise NoAnswerError(False, f"Your function returns {shown(given)}; return an ae.Strategy(...).{hint(given)}")


def judge_choice(answer: Answer, tokens: int) -> Verdict:
    """Whether the answer's strategy is faster than Meta's for samples of so many tokens, and fits."""
    theirs = took(choice_of_meta(tokens), tokens)
    try:
        given = strategy_of(answer, tokens)
        if wrong := _not_allowed(given, theirs.strategy, tokens):
            return Verdict(False, wrong)
        found = took(given, tokens)
    except NoAnswerError as problem:
        return problem.verdict
    except ConfigError as problem:
        return Verdict(False, str(problem))
    if not found.fits:
        return Verdict(False, _too_much(found))
    if given == theirs.strategy:
        return Verdict(
            False, "That is Meta's own. Where does its time go besides computing, and who could shorten that?"
        )
    less = 1 - found.total_ns / theirs.total_ns
    if less > 0:
        words = f"Right: {seconds(found)}, {less:.1%} less than Meta's {seconds(theirs)}, in the estimate; MFU "
        return Verdict(True, f"{words}{found.mfu:.1%}, {_left(found):.1f} × 10⁹ bytes are free.")
    part = largest_growth(found, theirs)
    longer = (found.split[part] - theirs.split.get(part, 0)) / 1e6
    return Verdict(
        False,
        f"It fits, and takes {seconds(found)}; Meta's takes {seconds(theirs)}. {part.capitalize()} is {longer:,.0f} ms "
        f"longer: {PARTS.get(part, 'why?')}",
    )


def _not_allowed(given: Strategy, meta: Strategy, tokens: int) -> str:
    """What was changed that the question leaves as it is, in words."""
    if given.samples != meta.samples:
        million = given.samples * tokens / 1e6
        return (
            f"The batch is fixed: {meta.samples:,} samples, {TOKENS / 1e6:.1f} · 10⁶ tokens. Yours has "
            f"{given.samples:,} samples, {million:.1f} · 10⁶: another training, not a faster one."
        )
    if given.npus != GPUS:
        sizes = f"{given.data} × {given.context} × {given.tensor} × {given.pipeline} = {given.npus:,}"
        return f"data × context × tensor × pipeline are {sizes} GPUs; there are {GPUS:,}, and all are to be used."
    if changed := next((words for name, words in _FIXED.items() if getattr(given, name) != getattr(meta, name)), ""):
        return changed
    given.check(llama(tokens))
    return ""


def _left(found: Iteration) -> float:
    there = found.device.memory_bytes if found.device else None
    return ((there or 0) - found.memory_bytes) / GB


def _too_much(found: Iteration) -> str:
    kept = found.memory
    parts = {
        "parameters": kept.parameters,
        "gradients": kept.gradients,
        "optimiser state": kept.optimiser,
        "activations": kept.activations,
        "recomputed activations": kept.recomputed,
        "buffers": kept.buffers,
        "fragmentation": kept.fragmentation,
    }
    largest = max(parts, key=parts.__getitem__)
    each = ", ".join(f"{size / GB:.1f} {name}" for name, size in parts.items() if size)
    return (
        f"It doesn't fit: a GPU would keep {kept.total / GB:.1f} × 10⁹ bytes ({each}), {-_left(found):.1f} more than "
        f"it has. What makes the {largest} smaller?"
    )
