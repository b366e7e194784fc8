"""Convolutions as matrix products (im2col), and pooling."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import (
    Compute,
    Operator,
    Product,
    Shape,
    Split,
    divided,
    whole_fields,
    whole_shape,
)


@dataclass(frozen=True, kw_only=True)
class Convolution(Product):
    """A convolution with a square kernel. padding: pixels on each side; None keeps the size (odd kernels, stride 1).

    >>> from astra_edu.workload.compute import Convolution
    >>> first = Convolution(name="conv1", channels=3, height=224, width=224, filters=64, kernel=3)
    >>> first.gives, first.parameters
    ((64, 224, 224), 1792)
    >>> first.forward(batch=1).gemms
    (Gemm(m=50176, n=64, k=27, count=1, moved=3363520),)
    """

    sizes = ("channels", "height", "width", "filters", "kernel", "stride")

    channels: int
    height: int
    width: int
    filters: int
    kernel: int
    stride: int = 1
    padding: int | None = None
    bias: bool = True
    split: Split = Split.GATHERED

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.padding is None:
            object.__setattr__(self, "padding", (self.kernel - 1) // 2)
        whole_fields(self, "padding", at_least=0)
        if min(self.gives) < 1:
            largest = min(self.height, self.width) + 2 * self._padding
            raise ConfigError(
                f"{self.name}: a kernel of {self.kernel} doesn't fit into {self.height} × {self.width} pixels with a "
                f"padding of {self.padding}; it can be {largest} at most."
            )

    @property
    def _padding(self) -> int:
        return self.padding or 0

    @property
    def takes(self) -> Shape:
        """(channels, height, width)."""
        return (self.channels, self.height, self.width)

    @property
    def gives(self) -> Shape:
        """(filters, height, width)."""
        height, width = ((size + 2 * self._padding - self.kernel) // self.stride + 1 for size in self.takes[1:])
        return (self.filters, height, width)

    @property
    def window(self) -> int:
        """Inputs of one output: channels × kernel × kernel."""
        return self.channels * self.kernel**2

    @property
    def parameters(self) -> int:
        """A window for each filter, and a bias."""
        return (self.window + self.bias) * self.filters

    def product(self, batch: int) -> Gemm:
        """A row for each output pixel, a column for each filter.

        The windows overlap: it is the image that is read or written, not the matrix of its windows.
        """
        moved = batch * (prod(self.takes) + prod(self.gives)) + self.window * self.filters
        return Gemm(batch * prod(self.gives[1:]), self.filters, self.window, moved=moved)

    def part(self, parts: int) -> Convolution:
        """Some of the filters."""
        if self.split is Split.COPIED:
            return self
        return replace(self, filters=divided(self.name, "filters", self.filters, parts))


@dataclass(frozen=True, kw_only=True)
class Pool(Operator):
    """The largest of each window of pixels. Comparisons aren't floating-point operations, so it counts none.

    >>> from astra_edu.workload.compute import Pool
    >>> Pool(name="pool", shape=(64, 224, 224), window=2, stride=2).gives
    (64, 112, 112)
    """

    minor = True
    sizes = ("window", "stride")

    shape: Shape
    window: int
    stride: int
    padding: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_shape(self, self.shape)
        whole_fields(self, "padding", at_least=0)
        if len(self.shape) != 3 or min(self.gives) < 1:
            raise ConfigError(
                f"{self.name}: a window of {self.window} doesn't fit into {' × '.join(map(str, self.shape))} with a "
                f"padding of {self.padding}; a pool takes (channels, height, width), both as large as its window."
            )

    @property
    def takes(self) -> Shape:
        """(channels, height, width)."""
        return self.shape

    @property
    def gives(self) -> Shape:
        """(channels, height, width)."""
        height, width = ((size + 2 * self.padding - self.window) // self.stride + 1 for size in self.shape[1:])
        return (self.shape[0], height, width)

    def forward(self, batch: int) -> Compute:
        """Reads the input, writes the output."""
        return Compute((), 0, batch * (prod(self.shape) + prod(self.gives)))

    def input_gradient(self, batch: int) -> Compute:
        """Passes each gradient back to its window."""
        return self.forward(batch)

    def kept_bytes(self, batch: int, element_bytes: int = 2) -> int:
        """Where in each window the largest was, a byte each."""
        return batch * prod(self.gives)
