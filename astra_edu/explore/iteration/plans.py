"""Plans: a strategy for each layer group of a model, as FlexFlow has one for each operator (arXiv 1807.05358)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from typing import Any

from astra_edu.base.errors import ConfigError, list_of, shown, whole
from astra_edu.explore.iteration.candidates import bits_in_words, candidates, described
from astra_edu.workload.models import INPUT, Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.strategy import checked

PORTIONS = 8
"""Equal blocks are cut into so many layer groups, at most, unless another number is given."""


@dataclass(frozen=True)
class Plan:
    """A strategy for each layer group. starts: each group's first operator, as a number of model.operators.

    >>> from astra_edu.explore.iteration import Plan
    >>> Plan((0, 8), (ae.Strategy(data=4), ae.Strategy(tensor=4, micro_batch=4))).strategies[1].tensor
    4
    """

    starts: tuple[int, ...]
    strategies: tuple[Strategy, ...]

    def __post_init__(self) -> None:
        if not self.strategies or len(self.starts) != len(self.strategies):
            raise ConfigError(
                f"a plan has {len(self.starts)} layer groups and {len(self.strategies)} strategies; give one for each."
            )
        for strategy in self.strategies:
            check_of_plan(strategy)
            for name in ("npus", "samples", "micro_batches"):
                if getattr(strategy, name) != getattr(self.strategies[0], name):
                    raise ConfigError(
                        f"the layer groups of a plan have {name} {getattr(self.strategies[0], name)} and "
                        f"{getattr(strategy, name)}; all must have the same."
                    )
        check_precision(self.strategies)

    def operators(self, model: Model) -> tuple[range, ...]:
        """The numbers of each group's operators. Raises ConfigError where the model has other groups."""
        ends = (*self.starts[1:], len(model.operators))
        if self.starts[0] != 0 or any(a >= b for a, b in zip(self.starts, ends, strict=True)):
            raise ConfigError(f"{model.name} has {len(model.operators)} operators; no plan starts at {self.starts}.")
        return tuple(map(range, self.starts, ends))

    def __repr__(self) -> str:
        alike = [(words, len(list(some))) for words, some in groupby(map(described, self.strategies))]
        said = "; ".join(f"{count} times {words}" if count > 1 else words for words, count in alike)
        first = self.strategies[0]
        return f"<plan of {len(self.strategies)} layer groups: {said}; batch of {first.samples}>"


@dataclass(frozen=True, eq=False)
class Plans:
    """All plans in which each layer group has one of the strategies, and all groups as many micro-batches.

    starts: the groups' first operators.

    >>> few = ae.plans("vgg16", npus=2, batch=8, groups=2)
    >>> few.size == len(list(few))
    True
    """

    model: Model
    starts: tuple[int, ...]
    strategies: tuple[Strategy, ...]

    def check_model(self, model: Model) -> None:
        """Raise ConfigError for another model than that of the plans."""
        if model != self.model:
            raise ConfigError(f"model is {model.name}, and these are plans for {self.model.name}; give the same.")

    @cached_property
    def by_micro_batches(self) -> dict[int, list[Strategy]]:
        """The strategies that can stand in one plan."""
        found: dict[int, list[Strategy]] = {}
        for strategy in self.strategies:
            found.setdefault(strategy.micro_batches, []).append(strategy)
        return found

    @property
    def size(self) -> int:
        """How many plans."""
        return sum(len(some) ** len(self.starts) for some in self.by_micro_batches.values())

    def __iter__(self) -> Iterator[Plan]:
        for some in self.by_micro_batches.values():
            for chosen in product(some, repeat=len(self.starts)):
                yield Plan(self.starts, chosen)

    def described(self) -> list[dict[str, Any]]:
        """Of each plan, the strategies of its groups in words."""
        return [{f"[{g}]": described(each) for g, each in enumerate(plan.strategies)} for plan in self]

    def __repr__(self) -> str:
        return f"<{self.size:,} plans of {len(self.starts)} layer groups of {self.model.name}>"


def plans(
    model: Model | str,
    npus: int,
    batch: int,
    groups: int | None = None,
    strategies: Iterable[Strategy] | None = None,
) -> Plans:
    """All ways to give each layer group of a model a strategy of its own, for ae.search and ae.fastest.

    groups: portions of a model's equal blocks, a divisor of their number (what comes before and after them are groups,
    too); of a model without blocks, layers go together until so many groups are left. None: up to 8 portions, or each
    layer. strategies: one of which each group has, all in the same bits; None takes ae.candidates without pipelines,
    sequence parallelism and, with several micro-batches, ZeRO-2 and 3: the best plan may be slower than ae.fastest of
    all candidates, one strategy for the whole model. Raises ConfigError where there are none.

    Between two groups whose tensor groups have t and u NPUs, activations are shared out anew: every NPU has its
    share of the samples, the same as the others of its tensor group, so where g is the greatest common divisor, the
    NPUs of u / g neighbouring groups of g gather their outputs in the forward pass, and those of t / g the gradients
    in the backward pass; both are waited for.

    >>> ae.plans("vgg16", npus=4, batch=16, groups=5)
    <65,543 plans of 5 layer groups of VGG-16>
    """
    model = named_model(model)
    npus, batch = whole("npus", npus, at_least=1), whole("batch", batch, at_least=1)
    parts = None if groups is None else whole("groups", groups, at_least=1)
    starts = _block_starts(model, parts) if model.blocks else _layer_starts(model, parts)
    if strategies is None:
        every: Sequence[Strategy] = [
            each
            for each in candidates(model, npus, batch)
            if each.pipeline == 1 and not each.sequence_parallel and (each.micro_batches == 1 or each.zero < 2)
        ]
    else:
        every = list(dict.fromkeys(map(checked, list_of("strategies", strategies, "give several"))))
    for strategy in every:
        check_of_plan(strategy)
    if wrong := [each for each in every if (each.npus, each.samples) != (npus, batch)]:
        raise ConfigError(f"{described(wrong[0])} is for {wrong[0].npus} NPUs and a batch of {wrong[0].samples}.")
    check_precision(every)
    if not every:
        raise ConfigError(f"there is no strategy without a pipeline for {npus} NPUs and a batch of {batch}.")
    return Plans(model, starts, tuple(every))


def check_of_plan(strategy: Strategy) -> None:
    """Raise ConfigError for a strategy that no layer group can have."""
    wrong = {
        "a pipeline": checked(strategy).pipeline > 1,
        "sequence parallelism": strategy.sequence_parallel,
        "context groups": strategy.context > 1,
        "exchanged embeddings": strategy.exchange_embeddings,
        "copies as neighbours": strategy.placement != "tensor-first" and strategy.data > 1 and strategy.tensor > 1,
        "ZeRO-2 or 3 with several micro-batches": strategy.zero > 1 and strategy.micro_batches > 1,
        "gradients that hide behind nothing": strategy.copies > 1 and "gradients" not in strategy.overlap,
        "gathered parameters that hide": strategy.zero > 0 and "parameters" in strategy.overlap,
    }
    if found := [words for words, there in wrong.items() if there]:
        raise ConfigError(f"a layer group of a plan can't have {found[0]}, as {shown(described(strategy))} has.")


def check_precision(strategies: Iterable[Strategy]) -> None:
    """Raise ConfigError where not all are in the same bits, as what one layer group sends to another has to be."""
    if len(several := dict.fromkeys(bits_in_words(each.bits) for each in strategies)) > 1:
        raise ConfigError(f"the layer groups of a plan have precision {' and '.join(several)}; give all the same.")


def _block_starts(model: Model, portions: int | None) -> tuple[int, ...]:
    blocks = model.blocks
    count = portions or max(n for n in range(1, min(PORTIONS, len(blocks)) + 1) if len(blocks) % n == 0)
    if len(blocks) % count:
        raise ConfigError(f"groups is {count}; {model.name} has {len(blocks)} blocks, so give a divisor of that.")
    starts = [blocks[k].start for k in range(0, len(blocks), len(blocks) // count)]
    after = [blocks[-1].stop] if blocks[-1].stop < len(model.operators) else []
    return tuple(dict.fromkeys([0, *starts, *after]))


def _layer_starts(model: Model, groups: int | None) -> tuple[int, ...]:
    """Before each layer at which but one operator's output is passed on; to have fewer, every k-th of them."""
    places = {operator.name: i for i, operator in enumerate(model.operators)}
    sources = [
        [places[name] for name in operator.after if name != INPUT] if operator.after else [i - 1] * (i > 0)
        for i, operator in enumerate(model.operators)
    ]
    starts = [0]
    for cut in range(1, len(model.operators)):
        crossing = {one for i in range(cut, len(model.operators)) for one in sources[i] if one < cut}
        if len(crossing) == 1 and min(crossing) >= starts[-1] and not model.operators[cut].minor:
            starts.append(cut)
    if groups is None or groups >= len(starts):
        return tuple(starts)
    return tuple(starts[round(k * len(starts) / groups)] for k in range(groups))
