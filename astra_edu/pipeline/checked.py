"""Whether an order gives every stage each of its passes once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import Signature, signature
from itertools import islice

from astra_edu.base.errors import ConfigError, choice, shown, whole
from astra_edu.base.units import several
from astra_edu.pipeline.orders import ORDERS, Order, Pass, Passes, name_of
from astra_edu.pipeline.places import BOTH_WAYS, placement_of

MOST_PASSES = 2_000_000
"""The most passes of all stages together."""
_PARAMETERS = (
    "an order is a function of stage, stages and micro_batches, in this order, and virtual if it is for virtual stages"
)


def passes(order: str | Order | Sequence[Iterable[Pass]], stages: int, micro_batches: int, virtual: int = 1) -> Passes:
    """Every stage's passes, checked: each pass of each micro-batch through each virtual stage once, and nothing else.

    order: a name in ORDERS, a function like those there, or the passes themselves, a sequence for each stage.
    Raises ConfigError for counts below 1, for more than MOST_PASSES, for an order that doesn't fit them, and for passes
    that are missing, unknown or there twice. In an order that goes both ways a B without a W is a whole backward pass.
    Whether the order can be followed to its end shows when it is run.

    >>> from astra_edu.pipeline import passes
    >>> first, last = passes("1f1b", stages=2, micro_batches=3)
    >>> print(*(f"{done.kind}{done.micro_batch}" for done in first))
    F0 F1 B0 F2 B1 B2
    >>> print(*(f"{done.kind}{done.micro_batch}" for done in last))
    F0 B0 F1 B1 F2 B2
    """
    stages = whole("stages", stages, at_least=1)
    micro_batches = whole("micro_batches", micro_batches, at_least=1)
    virtual = whole("virtual", virtual, at_least=1)
    if (count := 2 * stages * micro_batches * virtual) > MOST_PASSES:
        through = f" through {several(virtual, 'virtual stage')} each" if virtual > 1 else ""
        raise ConfigError(
            f"{several(stages, 'stage')} and {several(micro_batches, 'micro-batch')}{through} make {count:,} passes; "
            f"{MOST_PASSES:,} are the most."
        )
    some_whole = placement_of(ORDERS.get(order) if isinstance(order, str) else order) == BOTH_WAYS
    return _checked(_listed(order, stages, micro_batches, virtual), micro_batches, virtual, some_whole)


def takes_virtual(order: Order) -> bool:
    """Whether an order is for several virtual stages, too: whether it has the parameter `virtual`.

    Raises ConfigError for a function whose parameters Python doesn't know.
    """
    return "virtual" in _signature(order).parameters


def _signature(order: Order) -> Signature:
    try:
        return signature(order)
    except (TypeError, ValueError):
        raise ConfigError(f"{_name(order)} is no order: {_PARAMETERS}.") from None


def _name(order: object) -> str:
    return order if isinstance(order, str) else getattr(order, "__name__", "the order")


def _checked(listed: Sequence[Iterable[Pass]], micro_batches: int, virtual: int, some_whole: bool) -> Passes:
    """The passes of each stage as tuples of Pass. Raises ConfigError, naming the stage, if they aren't all there."""
    most = 3 * micro_batches * virtual + 1
    listed = [list(islice(each, most)) if _iterable(each) else each for each in listed]
    kinds = "FBW" if any(_kind(each) == "W" for stage in listed if isinstance(stage, list) for each in stage) else "FB"
    wanted = [Pass(kind, i, c) for kind in kinds for i in range(micro_batches) for c in range(virtual)]
    known: dict[object, Pass] = {each: each for each in wanted}
    known |= {(each.kind, each.micro_batch): each for each in wanted if virtual == 1}
    return tuple(_of_stage(stage, given, known, wanted, some_whole) for stage, given in enumerate(listed))


def _listed(order: object, stages: int, micro_batches: int, virtual: int) -> Sequence[Iterable[Pass]]:
    function = ORDERS[choice("order", order, ORDERS)] if isinstance(order, str) else order
    if callable(function):
        more = {"virtual": virtual} if takes_virtual(function) else {}
        if virtual > 1 and not more:
            raise ConfigError(
                f"virtual is {virtual}, but {_name(order)} puts one virtual stage on a stage; an order for several is "
                "'interleaved', or a function of your own with the parameters stage, stages, micro_batches and virtual."
            )
        try:
            _signature(function).bind(0, stages, micro_batches, **more)
        except TypeError as error:
            raise ConfigError(f"{_name(order)}{_signature(function)} is no order ({error}): {_PARAMETERS}.") from None
        return [function(stage, stages, micro_batches, **more) for stage in range(stages)]
    if not isinstance(function, Sequence):
        raise ConfigError(
            f"order is {shown(order, 60)}; give a function, the passes of each stage, or a name: {', '.join(ORDERS)}."
        )
    if len(function) != stages:
        raise ConfigError(f"the order has passes for {several(len(function), 'stage')}, and there are {stages}.")
    return function


def _of_stage(
    stage: int, given: object, known: dict[object, Pass], wanted: list[Pass], some_whole: bool
) -> tuple[Pass, ...]:
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise ConfigError(
            f"stage {stage} has {shown(given, 60)} for its passes; give or yield Pass('F', 0), and so on."
        )
    virtual, last = wanted[-1].virtual_stage + 1, wanted[-1].micro_batch
    kinds = "'F', 'B' or 'W'" if wanted[-1].kind == "W" else "'F' or 'B'"
    found = []
    for each in islice(given, len(wanted) + 1):
        try:
            found.append(known[tuple(each) if isinstance(each, list) else each])
        except (KeyError, TypeError):
            through = f", virtual stage 0 to {virtual - 1}" if virtual > 1 else ""
            raise ConfigError(
                f"stage {stage} is to run {_shown(each)}; a pass is Pass(kind, micro-batch"
                f"{', virtual stage' if virtual > 1 else ''}) with kind {kinds}, micro-batch 0 to {last}{through}."
            ) from None
    seen = set(found)
    if len(seen) < len(found):
        twice = next(each for place, each in enumerate(found) if each in found[:place])
        raise ConfigError(f"stage {stage} runs {name_of(twice, virtual)} twice.")
    if missing := [each for each in wanted if each not in seen and not (some_whole and each.kind == "W")]:
        more = f" and {several(len(missing) - 1, 'other pass')}" if len(missing) > 1 else ""
        raise ConfigError(f"stage {stage} never runs {name_of(missing[0], virtual)}{more}.")
    done = set()
    for each in found:
        if each.kind == "W" and each._replace(kind="B") not in done:
            raise ConfigError(f"stage {stage} runs {name_of(each, virtual)} before its B.")
        done.add(each)
    return tuple(found)


def _iterable(each: object) -> bool:
    return isinstance(each, Iterable) and not isinstance(each, str)


def _kind(each: object) -> object:
    return each[0] if isinstance(each, tuple | list) and each else None


def _shown(each: object) -> str:
    return shown(tuple(each) if isinstance(each, tuple) else each, 60)
