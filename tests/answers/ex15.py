"""Right and wrong answers of exercise 15."""

from dataclasses import replace
from functools import cache

import astra_edu as ae

SHORT, LONG = 8192, 131_072
META = ae.Strategy(
    data=128,
    tensor=8,
    pipeline=16,
    batch=2048,
    pipeline_order="interleaved",
    virtual=4,
    stage_blocks="ends",
    zero=1,
    sequence_parallel=True,
)
META_LONG = replace(META, data=8, context=16, batch=128)
FLAT = {"virtual": 1, "pipeline_order": "1f1b"}


@cache
def llama(tokens):
    return ae.model("llama3-405b", sequence=tokens)


@cache
def took(strategy, tokens=SHORT):
    h100 = ae.machine("h100")
    return ae.estimate(llama(tokens), strategy, h100.device, h100.platform(strategy.npus))


def cut(of=META, **changes):
    return lambda: replace(of, **changes)


def reason(settings, theirs, checks=("fits", "time"), of=lambda took, theirs: growth(took, theirs)):
    try:
        found = took(ae.Strategy(**settings))
    except ae.ConfigError:
        return "batch"
    for check in checks:
        if check == "fits" and not found.fits:
            return "memory"
        if check == "time" and found.total_ns <= sum(theirs.values()):
            return "none"
    return of(found, theirs)


def growth(found, theirs):
    return max(found.split, key=lambda part: found.split[part] - theirs.get(part, 0))


def largest(found, _):
    return max(found.split, key=found.split.get)


def largest_besides_compute(found, _):
    return max(list(found.split)[1:], key=found.split.get)


def instead(right, wrong):
    """reason(), but for one of the reasons."""
    return lambda **case: wrong if reason(**case) == right else reason(**case)


def kept(strategy, **times):
    part = ae.memory(llama(SHORT), strategy)
    return sum(times.get(name, 1) * size for name, size in part.kinds.items())


def least(npus, tensor, pipeline, samples):
    return max(1, npus // (tensor * samples))


def least_by_trying(npus, tensor, pipeline, samples):
    context = 1
    while samples / (npus / (tensor * pipeline * context)) < pipeline:
        context *= 2
    return context


# check: (right answers, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "meta": (
        [cut(), lambda: META],
        [
            (cut(batch=None), "for all copies together: is it given"),
            (cut(batch=2**24), "not tokens"),
            (cut(batch=1024 * 4), "33,554,432 tokens"),
            (cut(batch=16), "can't be divided"),
            (cut(data=64), "the table's DP"),
            (cut(tensor=4, data=256, **FLAT), "TP is its size"),
            (cut(pipeline=8), "the table's PP"),
            (cut(context=16, data=8), "CP is 1"),
            (cut(micro_batch=2, **FLAT), "micro_batch is 1"),
            (cut(**FLAT), "The stages are interleaved"),
            (cut(virtual=2), "4 parts each"),
            (cut(stage_blocks="uneven"), "a block less"),
            (cut(zero=0), "ZeRO-1"),
            (cut(sequence_parallel=False), "far more activations"),
            (cut(recompute="full"), "Nothing was recomputed"),
            (cut(overlap=("gradients", "tensor")), "Leave overlap"),
            (lambda: {"data": 128}, r"return an ae\.Strategy"),
        ],
    ),
    "reason": (
        [
            reason,
            lambda settings, theirs: {"waiting": "bubble", "tensor group": "Tensor"}.get(
                reason(settings, theirs), reason(settings, theirs)
            ),
        ],
        [
            (lambda **c: reason(**c, checks=("time", "fits")), "ask about memory before the time"),
            (lambda **c: reason(**c, checks=("time",)), "You never say that one doesn't fit"),
            (lambda **c: reason(**c, checks=("fits",)), "no part to blame"),
            (lambda **c: reason(**c, of=largest), "Computing is the largest part of Meta's own"),
            (lambda **c: reason(**c, of=largest_besides_compute), "which part has grown by most"),
            (lambda settings, theirs: growth(took(ae.Strategy(**settings)), theirs), "For data=4096.*catch it"),
            (
                lambda **c: reason(
                    **c, of=lambda took, theirs: max(took.split, key=lambda k: took.split[k] - theirs[k])
                ),
                "KeyError: 'context group'.*no such part",
            ),
            (lambda **c: "slow", "return one of 'batch', 'memory'"),
            (lambda **c: None, "Does it end with `return`"),
            (lambda **c: "memory", "But it keeps 52.1"),
            (lambda **c: "batch", "each copy has 8 micro-batches"),
            (instead("batch", "memory"), r"For data=4096.*refuses it"),
            (instead("memory", "waiting"), "it would keep 97.3"),
            (instead("none", "waiting"), "no part to blame|But it takes 4,187"),
            (instead("tensor group", "waiting"), r"waiting has changed by -540 ms: another part by more"),
            (instead("waiting", "none"), "But it takes 6,465"),
        ],
    ),
    "faster": (
        [
            cut(data=64, context=2),
            cut(data=64, context=4, tensor=4),
            cut(data=32, context=16, tensor=2),
            cut(data=128, context=2, pipeline=8, virtual=8),
            cut(data=64, context=2, context_by="ring"),
        ],
        [
            (cut(), "That is Meta's own"),
            (cut(batch=4096), "The batch is fixed.*33.6 · 10⁶: another training"),
            (cut(batch=None, **FLAT), "The batch is fixed"),
            (cut(data=64), "8,192 GPUs; there are 16,384"),
            (cut(overlap=("gradients", "tensor")), "leave overlap as it is"),
            (cut(element_bytes=1), "leave element_bytes as it is"),
            (cut(data=64, context=2, precision="fp8"), "leave precision as it is"),
            (cut(data=256, pipeline=8, virtual=8), "What makes the activations smaller"),
            (
                cut(data=64, context=2, zero=0),
                "What makes the optimiser state smaller|What makes the activations smaller",
            ),
            (cut(tensor=16, pipeline=8, virtual=8), "Tensor group is"),
            (cut(**FLAT), "Waiting is"),
            (cut(recompute="full"), "Repeated is"),
            (cut(data=64, context=8, pipeline=4, virtual=16), "Exchange is"),
            (cut(data=8, context=16), "Context group is"),
            (cut(tensor=4, data=256), "8 micro-batches can't be interleaved.*how many has each copy"),
            (cut(virtual=8), "it can't be cut into 128 stages"),
            (lambda: 16_384, r"return an ae\.Strategy"),
        ],
    ),
    "kept_bytes": (
        [
            lambda strategy: kept(strategy, gradients=2),
            lambda strategy: ae.memory(llama(SHORT), strategy, gradient_bytes=4).total,
        ],
        [
            (kept, "as it was before"),
            (lambda strategy: 2 * kept(strategy), "You double everything"),
            (lambda strategy: kept(strategy, gradients=3), "You add 4 bytes for each parameter"),
            (lambda strategy: kept(strategy, gradients=4), "32 is the number of bits"),
            (lambda strategy: 2 * ae.memory(llama(SHORT), strategy).gradients, "the gradients alone"),
            (lambda strategy: kept(strategy) + 2 * llama(SHORT).parameters, "the whole model"),
            (lambda strategy: kept(strategy, gradients=2) / 2**30, "in GiB; bytes"),
            (lambda strategy: kept(strategy, gradients=1.5), "too small"),
        ],
    ),
    "least_context": (
        [least, least_by_trying],
        [
            (lambda npus, tensor, pipeline, samples: npus / (tensor * samples), "A group has one GPU at least"),
            (lambda npus, tensor, pipeline, samples: max(1, npus / (tensor * pipeline * samples)), "one micro-batch"),
            (lambda npus, tensor, pipeline, samples: max(1, npus // samples), "it makes no copies"),
            (
                lambda npus, tensor, pipeline, samples: max(1, npus * pipeline // (tensor * samples)),
                "parts of one copy",
            ),
            (lambda npus, tensor, pipeline, samples: max(1, 2 * npus // (tensor * samples)), "twice as many"),
            (lambda npus, tensor, pipeline, samples: npus // (tensor * pipeline), "a single copy"),
            (lambda npus, tensor, pipeline, samples: max(1, tensor * samples / npus), "Turned round"),
            (lambda **c: least(**c) + 1, "too large"),
        ],
    ),
    "faster_long": (
        [
            cut(META_LONG, context_by="ring"),
            cut(META_LONG, context=32, data=4),
            cut(META_LONG, context=32, pipeline=8, virtual=8, context_by="ring"),
        ],
        [
            (cut(META_LONG), "That is Meta's own"),
            (cut(), r"The batch is fixed: 128 samples.*268\.4 · 10⁶"),
            (cut(META, batch=128, **FLAT), "What makes the activations smaller"),
            (cut(META_LONG, pipeline=8, data=16, virtual=8), "What makes the activations smaller"),
            (cut(META_LONG, context=32), "32,768 GPUs; there are 16,384"),
            (cut(META_LONG, recompute="full"), "Repeated is"),
        ],
    ),
}
GUESSES = ("predicted_bubble", "predicted_less")
