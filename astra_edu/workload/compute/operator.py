"""What every operator of a network has: shapes, parameters, the work of its three phases, and what it keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import isqrt, prod
from typing import ClassVar, Self

from astra_edu.base.errors import ConfigError, choice, flag, instance_of, list_of, not_negative, shown, whole
from astra_edu.workload.compute.gemm import Gemm

Shape = tuple[int, ...]
"""Of one sample: (channels, height, width) of an image, (tokens, features) of a sequence, (1, features) of a vector."""


class Split(StrEnum):
    """How tensor parallelism shares an operator out among the NPUs of a group.

    GATHERED: each has some of the columns, and the outputs are gathered. COLUMNS: they stay where they are. ROWS: each
    has the rows for its part of the input, and the partial outputs are added up. HEADS: each has some of the heads.
    COPIED: each does all of it. TABLES: each has some of the embedding tables.

    >>> from astra_edu.workload.compute import Linear, Split
    >>> by_columns = Linear(name="mlp1", split=Split.COLUMNS, inputs=64, outputs=256)
    >>> by_columns.part(4).gives
    (1, 64)
    """

    GATHERED = "gathered"
    COLUMNS = "columns"
    ROWS = "rows"
    HEADS = "heads"
    COPIED = "copied"
    TABLES = "tables"


@dataclass(frozen=True)
class Compute:
    """The work of one phase: matrix products, and element-by-element kernels.

    operations: of the kernels. elements: what the kernels read and write; a GEMM counts its own. kernels: how many
    there are besides the products; if not given, one where there is something to read or write. softmax: what that of
    attention by tiles takes, as operations of its products; they are among `operations`, too, one by one.

    >>> from astra_edu.workload.compute import Compute
    >>> work = Compute(gemms=(ae.Gemm(128, 128, 128),), operations=500, elements=1000)
    >>> work.flops
    4194804
    """

    gemms: tuple[Gemm, ...] = ()
    operations: int = 0
    elements: int = 0
    kernels: int | None = dataclasses.field(default=None, repr=False)
    softmax: float = dataclasses.field(default=0, repr=False)

    def __post_init__(self) -> None:
        right = "give products such as ae.Gemm(64, 48, 40)"
        if type(self.gemms) is not tuple:
            object.__setattr__(self, "gemms", list_of("gemms", self.gemms, right))
        for gemm in self.gemms:
            instance_of("a GEMM", gemm, Gemm, right)
        for name in ("operations", "elements", "softmax"):
            number = not_negative(name, getattr(self, name))
            if not isinstance(getattr(self, name), (int, float)):
                object.__setattr__(self, name, number)
        kernels = int(self.elements > 0) if self.kernels is None else whole("kernels", self.kernels, at_least=0)
        object.__setattr__(self, "kernels", kernels)

    @property
    def launches(self) -> int:
        """How many kernels there are, products (those of one Gemm together) and others."""
        return len(self.gemms) + (self.kernels or 0)

    @property
    def flops(self) -> int:
        """Operations of both kinds."""
        return sum(gemm.flops for gemm in self.gemms) + self.operations

    def __add__(self, other: Compute) -> Compute:
        return Compute(
            self.gemms + other.gemms,
            self.operations + other.operations,
            self.elements + other.elements,
            (self.kernels or 0) + (other.kernels or 0),
            self.softmax + other.softmax,
        )


NOTHING = Compute()


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One operation of a network.

    after: the operators whose output it takes; () means the one before it. shares_input: an operator before it keeps
    the same input for the backward pass, so this one keeps none, and has no input gradient of its own to add up.

    >>> vgg = ae.model("vgg16")
    >>> last = vgg.operators[-1]
    >>> last.name, last.takes, last.gives
    ('predictions', (1, 4096), (1, 1000))
    """

    name: str
    after: tuple[str, ...] = ()
    split: Split = Split.COPIED
    shares_input: bool = False
    minor: ClassVar[bool] = False  # a workload file has no line for it: its time is its predecessor's
    sizes: ClassVar[tuple[str, ...]] = ()  # its fields that are whole numbers, 1 at least

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ConfigError(f"an operator's name is {shown(self.name)}; it must be a word.")
        after = list_of(f"after of {self.name}", self.after, "give a tuple of names, such as ('words',)")
        if not all(isinstance(name, str) for name in after):
            raise ConfigError(
                f"{self.name} comes after {shown(self.after)}; give a tuple of names, such as ('words',)."
            )
        object.__setattr__(self, "after", after)
        object.__setattr__(self, "split", Split(choice(f"{self.name}: split", self.split, list(Split))))
        flag(f"{self.name}: shares_input", self.shares_input)
        whole_fields(self, *self.sizes)

    @property
    def takes(self) -> Shape:
        """The shape of one sample's input."""
        raise NotImplementedError

    @property
    def gives(self) -> Shape:
        """The shape of one sample's output."""
        raise NotImplementedError

    @property
    def parameters(self) -> int:
        """Weights and biases that are trained."""
        return 0

    @property
    def active_parameters(self) -> int:
        """Those of them that a token meets: all, but of a mixture's experts only its own."""
        return self.parameters

    def forward(self, batch: int) -> Compute:
        """The work of a forward pass of `batch` samples."""
        raise NotImplementedError

    def input_gradient(self, batch: int) -> Compute:
        """The work of computing the gradient of the input."""
        raise NotImplementedError

    def weight_gradient(self, batch: int) -> Compute:
        """The work of computing the gradient of the parameters."""
        return NOTHING

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Bytes kept from the forward pass for the backward pass."""
        return 0

    def repeated_flops(self, batch: int) -> int:
        """Operations of the backward pass that repeat some of the forward pass, as attention by tiles does."""
        return 0

    def recomputable_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Those of kept_bytes that selective recomputation doesn't keep (arXiv 2205.05198, section 5)."""
        return 0

    def renamed(self, name: str, after: tuple[str, ...]) -> Self:
        """The same under another name and after others: nothing else is looked at again, so it is made quickly."""
        same = object.__new__(type(self))
        same.__dict__.update(self.__dict__, name=name, after=after)
        return same

    def part(self, parts: int) -> Operator:
        """What one NPU of a tensor-parallel group of `parts` has of it. Raises ConfigError if it can't be divided."""
        return self

    def tokens_part(self, parts: int) -> Operator:
        """The same for some of a sample's tokens, as a context group of `parts` has it. Raises ConfigError."""
        raise ConfigError(f"{self.name} can't be shared out by tokens; leave context out.")

    def sequence_part(self, parts: int) -> Operator:
        """The same where sequence parallelism gives each NPU of the group some of the tokens."""
        return self.part(parts)


@dataclass(frozen=True, kw_only=True)
class Product(Operator):
    """A matrix product of its input with something: both gradients are products, and its input is kept for them."""

    def product(self, batch: int) -> Gemm:
        """The product of a forward pass."""
        raise NotImplementedError

    def forward(self, batch: int) -> Compute:
        """The product."""
        return Compute((self.product(batch),))

    def input_gradient(self, batch: int) -> Compute:
        """Gradient of the output · what the input was multiplied with."""
        return Compute((self.product(batch).first_gradient,))

    def weight_gradient(self, batch: int) -> Compute:
        """Input · gradient of the output: with weights, its K is as long as the batch."""
        return Compute((self.product(batch).second_gradient,))

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """The input."""
        return 0 if self.shares_input else batch * prod(self.takes) * element_bytes


def whole_fields(operator: Operator, *fields: str, at_least: int = 1) -> None:
    """Check that fields are whole numbers. Raises ConfigError naming the operator, the field and its value."""
    for field in fields:
        value = whole(f"{operator.name}: {field}", getattr(operator, field), at_least=at_least)
        object.__setattr__(operator, field, value)


def whole_shape(operator: Operator, shape: Shape) -> None:
    """Check that a shape's numbers are whole. Raises ConfigError naming the operator and the number."""
    if not isinstance(shape, (tuple, list)) or len(shape) not in (2, 3):
        raise ConfigError(
            f"{operator.name}: shape is {shown(shape)}; give (tokens, features) or (channels, height, width)."
        )
    sizes = tuple(whole(f"{operator.name}: a number of its shape", size, at_least=1) for size in shape)
    object.__setattr__(operator, "shape", sizes)


def divided(name: str, what: str, number: int, parts: int, among: str = "NPUs") -> int:
    """number / parts. Raises ConfigError with the nearest numbers of parts that divide it."""
    parts = whole(f"{name}: parts", parts, at_least=1)
    if number % parts:
        nearest = near(parts, divisors(number))
        raise ConfigError(f"{name}: {number} {what} can't be divided among {parts} {among}; {nearest} would do.")
    return number // parts


def near(number: int, possible: Collection[int]) -> str:
    """The next smaller and the next larger of the possible numbers, where there are such, in words."""
    below = [n for n in possible if n < number]
    above = [n for n in possible if n > number]
    return " or ".join(str(f(side)) for f, side in ((max, below), (min, above)) if side)


@lru_cache(maxsize=1024)
def divisors(number: int) -> tuple[int, ...]:
    """All of them, ascending."""
    small = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
    return tuple(sorted({*small, *(number // n for n in small)}))
