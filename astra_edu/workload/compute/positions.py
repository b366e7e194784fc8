"""What is done to queries and keys before they meet: turned by position, and normalised."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, flag
from astra_edu.workload.compute.heads import Heads
from astra_edu.workload.compute.operator import Compute, Shape, Split, whole_fields


@dataclass(frozen=True, kw_only=True)
class _InPlace(Heads):
    """Takes queries, keys and values side by side, and gives them back."""

    split: Split = Split.COLUMNS

    @property
    def takes(self) -> Shape:
        """(tokens, features of queries, keys and values)."""
        return self.projected

    @property
    def gives(self) -> Shape:
        """As it takes."""
        return self.projected


@dataclass(frozen=True, kw_only=True)
class Rotary(_InPlace):
    """Turns pairs of features of queries and keys by angles that grow with the position (RoPE, arXiv 2104.09864).

    turned: features of each head that are turned, all of them if not given. one_key: those of the keys are the same for
    all heads and turned once (MLA). It has no parameters and keeps nothing: to go back it turns the other way.

    >>> from astra_edu.workload.compute import Rotary
    >>> rope = Rotary(name="rope", tokens=128, heads=4, kv_heads=1, width=64)
    >>> rope.gives, rope.forward(batch=1).elements
    ((128, 384), 81920)
    """

    minor = True

    turned: int | None = None
    one_key: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.turned is None:
            object.__setattr__(self, "turned", self.width)
        whole_fields(self, "turned")
        flag(f"{self.name}: one_key", self.one_key)
        if (self.turned or 0) > self.width:
            raise ConfigError(f"{self.name}: {self.turned} features can't be turned; a head has {self.width}.")

    def forward(self, batch: int) -> Compute:
        """Two multiplications and an addition for each feature, which is read and written."""
        heads = self.heads + (1 if self.one_key else self.shared_heads)
        elements = batch * self.tokens * heads * (self.turned or 0)
        return Compute((), 3 * elements, 2 * elements)

    def input_gradient(self, batch: int) -> Compute:
        """The same the other way round."""
        return self.forward(batch)


@dataclass(frozen=True, kw_only=True)
class QueryKeyNorm(_InPlace):
    """RMSNorm of each head's query and key, with a gain for each of a head's features (Qwen3, arXiv 2505.09388).

    >>> from astra_edu.workload.compute import QueryKeyNorm
    >>> QueryKeyNorm(name="qk_norm", tokens=128, heads=4, width=64).parameters
    128
    """

    @property
    def parameters(self) -> int:
        """A gain for each feature of a query, and of a key: the same for all heads."""
        return 2 * self.width

    def _elements(self, batch: int) -> int:
        return batch * self.tokens * (self.heads + self.shared_heads) * self.width

    def forward(self, batch: int) -> Compute:
        """Reads and writes queries and keys."""
        return Compute((), 2 * self._elements(batch), 2 * self._elements(batch))

    def input_gradient(self, batch: int) -> Compute:
        """Reads them and the gradient of the output, writes that of the input."""
        return Compute((), 2 * self._elements(batch), 3 * self._elements(batch))

    def weight_gradient(self, batch: int) -> Compute:
        """Sums over all elements, in the kernel of the input gradient: nothing more is read."""
        return Compute((), 2 * self._elements(batch), 0)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Queries and keys as they came."""
        return self._elements(batch) * element_bytes
