"""A matrix product, which is what nearly all of a network's work comes down to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from astra_edu.base.errors import choice, flag, whole

KERNELS = ("attention", "experts")
"""Of products that have one of their own."""


@dataclass(frozen=True)
class Gemm:
    """`count` products of an m × k matrix with a k × n matrix, such as one for each head of an attention.

    moved: elements that have to be read and written, if that isn't each of the three matrices once. of_activations:
    both factors are, as an attention's; such products stay in their width where those with weights are narrower.
    kernel: "attention" or "experts", where a kernel of its own computes it, which devices may run at another rate.

    >>> product = ae.Gemm(m=128, n=256, k=64)
    >>> product.flops, product.elements
    (4194304, 57344)
    """

    m: int
    n: int
    k: int
    count: int = 1
    moved: int | None = None
    of_activations: bool = field(default=False, repr=False, compare=False)
    kernel: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("m", "n", "k", "count"):
            object.__setattr__(self, name, whole(f"{name.upper()} of a GEMM", getattr(self, name), at_least=1))
        flag("of_activations", self.of_activations)
        if self.kernel:
            choice("kernel of a GEMM", self.kernel, KERNELS)
        if self.moved is not None:
            object.__setattr__(self, "moved", whole("moved elements of a GEMM", self.moved, at_least=0))

    @property
    def flops(self) -> int:
        """Operations: a multiplication and an addition for each of the m × n × k products."""
        return 2 * self.m * self.n * self.k * self.count

    @property
    def elements(self) -> int:
        """Elements read and written: both factors and the product once each, unless `moved` says otherwise."""
        if self.moved is not None:
            return self.moved
        return (self.m * self.k + self.k * self.n + self.m * self.n) * self.count

    @property
    def first_gradient(self) -> Gemm:
        """The product that makes the gradient of the first factor: the result's · the second factor transposed."""
        return replace(self, n=self.k, k=self.n)

    @property
    def second_gradient(self) -> Gemm:
        """The product that makes the gradient of the second factor: the first factor transposed · the result's."""
        return replace(self, m=self.k, k=self.m)

    def __str__(self) -> str:
        times = f"{self.count} × " if self.count > 1 else ""
        return f"{times}({self.m} × {self.k}) · ({self.k} × {self.n})"
