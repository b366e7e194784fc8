"""A network as its operators, one after the other, whose shapes are checked to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from astra_edu.base.errors import ConfigError, flag, shown, suggestion, text_of, whole
from astra_edu.workload.compute import Operator, Shape

INPUT = "input"
"""What the first operators come after: the samples themselves."""


@dataclass(frozen=True)
class Model:
    """Operators in the order of the forward pass.

    blocks: where each of the blocks of a transformer starts and ends, as indices of operators; () without blocks.
    published: the number of parameters that `source` gives. exact: whether `published` isn't rounded.

    >>> from astra_edu.workload.compute import Elementwise, Linear
    >>> first = Linear(name="fc1", inputs=784, outputs=128)
    >>> relu = Elementwise(name="relu", shape=(1, 128), operations=0)
    >>> mlp = ae.Model("mlp", (first, relu, Linear(name="fc2", inputs=128, outputs=10)))
    >>> mlp.parameters, mlp.flops(batch=1)
    (101770, 609792)
    """

    name: str
    operators: tuple[Operator, ...]
    blocks: tuple[range, ...] = ()
    published: int | None = None
    exact: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        text_of("name of a model", self.name)
        if not isinstance(self.operators, Iterable) or not all(isinstance(each, Operator) for each in self.operators):
            raise ConfigError(
                f"{self.name}: operators are {shown(self.operators, 60)}; give operators such as Linear(...)."
            )
        object.__setattr__(self, "operators", tuple(self.operators))
        if not self.operators:
            raise ConfigError(f"{self.name} has no operators; a model needs one or more.")
        if not isinstance(self.blocks, Iterable) or not all(_block(each, self.operators) for each in self.blocks):
            raise ConfigError(
                f"{self.name}: blocks are {shown(self.blocks, 60)}; give a range of its {len(self.operators)} "
                "operators' "
                "indices for each block."
            )
        object.__setattr__(self, "blocks", tuple(self.blocks))
        if self.published is not None:
            whole(f"published of {self.name}", self.published, at_least=1)
        flag(f"exact of {self.name}", self.exact)
        text_of(f"source of {self.name}", self.source)
        _check_names(self)
        _check_shapes(self)

    @property
    def parameters(self) -> int:
        """Trained weights and biases of all operators."""
        return sum(operator.parameters for operator in self.operators)

    @property
    def active_parameters(self) -> int:
        """Those of them that a token meets: of a mixture's experts only its own, of everything else all."""
        return sum(operator.active_parameters for operator in self.operators)

    @property
    def trunk(self) -> tuple[range, ...]:
        """The blocks, or, where there are none, every operator by itself."""
        return self.blocks or tuple(range(i, i + 1) for i in range(len(self.operators)))

    def flops(self, batch: int = 1) -> int:
        """Operations of one iteration over `batch` samples: forward, input gradient and weight gradient.

        What attention by tiles computes again in its backward pass isn't counted twice.
        """
        batch = whole("batch", batch, at_least=1)
        return sum(
            phase(batch).flops
            for operator in self.operators
            for phase in (operator.forward, operator.input_gradient, operator.weight_gradient)
        ) - sum(operator.repeated_flops(batch) for operator in self.operators)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.operators)} operators, {self.parameters:,} parameters>"


def _block(block: object, operators: Sequence[Operator]) -> bool:
    return isinstance(block, range) and block.step == 1 and 0 <= block.start < block.stop <= len(operators)


def _check_names(model: Model) -> None:
    seen = {INPUT}
    for operator in model.operators:
        if operator.name in seen or operator.name.split() != [operator.name]:
            raise ConfigError(
                f"{model.name}: an operator is called {shown(operator.name)}; names are words, used once each."
            )
        for source in operator.after:
            if source not in seen:
                raise ConfigError(
                    f"{model.name}: {operator.name} comes after {shown(source)}, which is no operator before it; "
                    f"{suggestion(source, sorted(seen))}"
                )
        seen.add(operator.name)


def _check_shapes(model: Model) -> None:
    gives: dict[str, Shape] = {}
    before = INPUT
    for operator in model.operators:
        sources = [source for source in operator.after or (before,) if source != INPUT]
        _check_operator(model.name, operator, sources, [gives[source] for source in sources])
        gives[operator.name] = operator.gives
        before = operator.name


def _check_operator(model: str, operator: Operator, sources: Sequence[str], given: Sequence[Shape]) -> None:
    """Several inputs are added up, each of the shape taken, or stand side by side, as many elements together."""
    takes = operator.takes
    side_by_side = len(given) > 1 and sum(map(prod, given)) == prod(takes)
    if side_by_side or all(_fits(shape, takes) for shape in given):
        return
    if len(given) == 1:
        raise ConfigError(
            f"{model}: {operator.name} takes {_shown(takes)}, but {sources[0]} gives {_shown(given[0])}; "
            f"{_remedy(takes, given[0])}"
        )
    what = ", ".join(f"{_shown(shape)} from {source}" for source, shape in zip(sources, given, strict=True))
    raise ConfigError(
        f"{model}: {operator.name} takes {_shown(takes)}, but is given {what}; each must have that shape to be added "
        f"up, or all together its {prod(takes):,} elements to stand side by side."
    )


def _fits(given: Shape, takes: Shape) -> bool:
    """The same shape, or one of them flat: a vector of all the other's elements."""
    flat = (1, prod(given))
    return given == takes or (flat == (1, prod(takes)) and flat in (given, takes))


def _remedy(takes: Shape, given: Shape) -> str:
    if takes[0] == 1:
        return f"its inputs would have to be {prod(given):,}."
    if len(takes) == len(given):
        return f"it would have to take {_shown(given)}, or the one before it to give {_shown(takes)}."
    return f"it would have to take {prod(given):,} elements instead of {prod(takes):,}."


def _shown(shape: Shape) -> str:
    return " × ".join(f"{size:,}" for size in shape)
