"""Tables of vectors, and what DLRM does with the vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from astra_edu.base.errors import ConfigError, whole
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import NOTHING, Compute, Operator, Product, Shape, Split, divided


@dataclass(frozen=True, kw_only=True)
class Embedding(Operator):
    """Tables of `rows` vectors of `width`. Each of a sample's `lookups` takes one vector from a table.

    rows: of each table. pooled: a table's vectors are added up, so each table gives one (recommendation); else each
    token has one (language).

    >>> from astra_edu.workload.compute import Embedding
    >>> words = Embedding(name="words", rows=(50_000,), width=64, lookups=128)
    >>> words.parameters, words.gives
    (3200000, (128, 64))
    """

    sizes = ("width", "lookups")

    rows: tuple[int, ...]
    width: int
    lookups: int = 1
    pooled: bool = False
    split: Split = Split.COPIED

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rows, (tuple, list)) or not self.rows:
            raise ConfigError(f"{self.name}: rows is {self.rows!r}; give the rows of each table, such as (50_257,).")
        object.__setattr__(self, "rows", tuple(whole(f"{self.name}: rows", rows, at_least=1) for rows in self.rows))

    @property
    def takes(self) -> Shape:
        """The indices: (tables, lookups)."""
        return (len(self.rows), self.lookups)

    @property
    def gives(self) -> Shape:
        """(tables, width) if pooled, else (lookups, width)."""
        return (len(self.rows) if self.pooled else self.lookups, self.width)

    @property
    def parameters(self) -> int:
        """All the tables' vectors."""
        return sum(self.rows) * self.width

    @property
    def _looked_up(self) -> int:
        return len(self.rows) * self.lookups * self.width if self.pooled else self.lookups * self.width

    def forward(self, batch: int) -> Compute:
        """Every vector looked up is read, and added up or copied."""
        return Compute((), batch * self._looked_up, batch * (self._looked_up + prod(self.gives)))

    def input_gradient(self, batch: int) -> Compute:
        """Nothing: indices have no gradient."""
        return NOTHING

    def weight_gradient(self, batch: int) -> Compute:
        """The gradient is added to every vector that was looked up."""
        return Compute((), batch * self._looked_up, 2 * batch * self._looked_up)

    def tokens_part(self, parts: int) -> Embedding:
        """All vectors, some of the tokens."""
        return replace(self, lookups=divided(self.name, "tokens", self.lookups, parts))

    def part(self, parts: int) -> Embedding:
        """Some of the tables' rows (of every table, as if tables were shared out evenly)."""
        if self.split is Split.COPIED:
            return self
        return replace(self, rows=tuple(-(-rows // parts) for rows in self.rows))


@dataclass(frozen=True, kw_only=True)
class Interaction(Product):
    """DLRM's dot product of every pair of `vectors` vectors of `width`, beside the first vector itself.

    >>> from astra_edu.workload.compute import Interaction
    >>> pairs = Interaction(name="pairs", vectors=4, width=16)
    >>> pairs.takes, pairs.gives
    ((4, 16), (1, 22))
    """

    sizes = ("vectors", "width")

    vectors: int
    width: int

    @property
    def takes(self) -> Shape:
        """(vectors, width)."""
        return (self.vectors, self.width)

    @property
    def gives(self) -> Shape:
        """(1, pairs + width)."""
        return (1, self.vectors * (self.vectors - 1) // 2 + self.width)

    def product(self, batch: int) -> Gemm:
        """All vectors · all vectors, for each sample."""
        return Gemm(self.vectors, self.vectors, self.width, batch, of_activations=True)

    def weight_gradient(self, batch: int) -> Compute:
        """Nothing: both factors are the input."""
        return NOTHING
