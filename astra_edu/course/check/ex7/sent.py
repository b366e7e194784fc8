"""Question 1 of exercise 7: which collective each strategy needs in which phase, and why not another one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from astra_edu.base.errors import ConfigError
from astra_edu.course.check import spelling
from astra_edu.course.check.asked import Answer, call, hint, listed, shown
from astra_edu.course.check.question import question
from astra_edu.course.check.spelling import letters, name_of, named
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.workload.models import model
from astra_edu.workload.strategies import Strategy, communications
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT

PHASES = (FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT)
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")

WAYS = {
    "data": ("megatron-8.3b", Strategy(data=8)),
    "tensor": ("megatron-8.3b", Strategy(tensor=8)),
    "pipeline": ("megatron-8.3b", Strategy(pipeline=8)),
    "ZeRO-3": ("megatron-8.3b", Strategy(data=8, zero=3)),
    "DLRM": ("dlrm", Strategy(data=8, exchange_embeddings=True)),
}
"""The strategies that question 1 asks about, each with a model that it suits."""

_OTHERS = {
    **{name + end: name for name in ("data", "tensor", "pipeline") for end in ("parallel", "parallelism")},
    **{"dp": "data", "tp": "tensor", "pp": "pipeline", "zero": "ZeRO-3"},
}
_NONE = ("none", "no", "nothing", "no collective")
_MESSAGES = ("send", "receive", "recv", "sendrecv", "sendandreceive", "message", "p2p", "pointtopoint")
_HALVES = ("reduce-scatter", "all-gather")
_FORM = '{"data": {"forward": "all-to-all"}, ...}'

_HINTS = {
    ("data", FORWARD): "every NPU has all weights and samples of its own; whose activations does it lack?",
    ("data", INPUT_GRADIENT): "the gradient of an activation belongs to a sample, and no other NPU has that sample.",
    ("data", WEIGHT_GRADIENT): "each NPU has seen its own samples only, and all must make the same update. What makes "
    "all of them have the sum?",
    ("tensor", FORWARD): "after columns and rows each NPU has an output of full size, but only one of the summands. "
    "What does it take before the next layer?",
    ("tensor", INPUT_GRADIENT): "each NPU's part of the weights gives one summand of the gradient of the input. What "
    "does the layer before need?",
    ("tensor", WEIGHT_GRADIENT): "each part of the weights is there once, and its NPU has seen all samples. Is there "
    "anything to add up?",
    ("pipeline", FORWARD): "a stage sends its activations to one neighbour. Is that a collective?",
    ("pipeline", INPUT_GRADIENT): "a stage sends the gradients to the one neighbour before it. Is that a collective?",
    ("pipeline", WEIGHT_GRADIENT): "each layer's weights are on one stage, which sees all samples.",
    ("ZeRO-3", FORWARD): "an NPU keeps a share of each layer's parameters. What does it need to compute the layer?",
    ("ZeRO-3", INPUT_GRADIENT): "after the forward pass the gathered parameters were dropped again. Does the backward "
    "pass do without them?",
    ("ZeRO-3", WEIGHT_GRADIENT): "an NPU updates only its own share of the parameters. Of the summed gradient, how "
    "much does it need?",
    ("DLRM", FORWARD): "each NPU has some tables' vectors for everyone's samples, and needs all tables' vectors for "
    "its own samples.",
    ("DLRM", INPUT_GRADIENT): "the vectors' gradients have to go back to the NPUs that have the tables.",
    ("DLRM", WEIGHT_GRADIENT): "the tables are shared out, but every NPU has the small networks, and has trained them "
    "with its own samples.",
}


@question
def needed(answer: Answer) -> Verdict:
    """needed(): for each strategy, the collective of each phase that has one."""
    try:
        given = call(answer, {})
        table = {way: _row(given, way) for way in WAYS}
    except NoAnswerError as problem:
        return problem.verdict
    except ConfigError as error:
        return Verdict(False, str(error))
    wrong = [way for way in WAYS if table[way] != _truth(way)]
    if not wrong:
        return Verdict(True, "Right, all five. Summands call for an all-reduce, pieces for a gather.")
    way, truth = wrong[0], _truth(wrong[0])
    phase = next(phase for phase in PHASES if table[way].get(phase) != truth.get(phase))
    said = table[way].get(phase, "no collective")
    return Verdict(
        False,
        f"{len(WAYS) - len(wrong)} of {len(WAYS)} are right. {way}, {phase}, where you have {said}: "
        f"{_HINTS[way, phase]}",
    )


@cache
def _truth(way: str) -> dict[str, str]:
    of, strategy = WAYS[way]
    return {one.phase: str(one.collective) for one in communications(model(of), strategy) if one.collective}


def _row(given: object, way: str) -> dict[str, str]:
    if not isinstance(given, Mapping) or not given:
        raise ConfigError(f"Return a dict of dicts, such as {_FORM}; an inner one may be empty, or None.{hint(given)}")
    rows = {name_of("One of your strategies", key, WAYS, _OTHERS): row for key, row in given.items()}
    row = rows.get(way, 0)
    if row is None or row in ([], ()) or named(row, _NONE):
        return {}
    if not isinstance(row, Mapping):
        what = "nothing" if way not in rows else shown(row)
        raise ConfigError(
            f"Return a dict of dicts, such as {_FORM}, with an entry for each of {', '.join(WAYS)}; "
            f"for {way} there is {what}."
        )
    return dict(_entry(way, phase, said) for phase, said in row.items() if said and not named(said, _NONE))


def _entry(way: str, phase: object, said: object) -> tuple[str, str]:
    """The phase and the collective that are meant."""
    if named(phase, ("backward", "backward pass", "bwd")):
        raise ConfigError(
            f"Your phase for {way} is {phase!r}; going back, a layer has two: input gradient and weight gradient. "
            "Which of them is it?"
        )
    where = name_of(f"Your phase for {way}", phase, PHASES, spelling.PHASES)
    if isinstance(said, str) and letters(said) in _MESSAGES:
        raise ConfigError(f"{way}, {where}: a {said} between two NPUs is no collective. Does this phase have one?")
    halves = said.split("+") if isinstance(said, str) and "+" in said else listed(said)
    if halves is not None and [named(half, COLLECTIVES, spelling.COLLECTIVES) for half in halves] == list(_HALVES):
        return where, "all-reduce"
    return where, name_of(f"Your collective for {way}, {where}", said, COLLECTIVES, spelling.COLLECTIVES)
