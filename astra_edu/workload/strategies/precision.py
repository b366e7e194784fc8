"""In how many bits numbers are: those that matrix products multiply, and those that are kept and sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, choice, shown, whole
from astra_edu.workload.compute.formats import HALVES, USUAL

if TYPE_CHECKING:
    from astra_edu.workload.compute import Device
    from astra_edu.workload.compute.operator import Compute, Operator
    from astra_edu.workload.strategies.strategy import Strategy

BYTE = 8
WIDTHS = ("products", "activations", "parameters", "gradients", "optimiser")
"""What has a number of bits."""


@dataclass(frozen=True)
class Precision:
    """Bits of a number of each kind of tensor, as they are kept and sent.

    products: as products with weights multiply them; a device has a peak for each width. activations: with their
    gradients; in these are their products with each other, as an attention's, and all that isn't a product.
    parameters: those that are computed with. gradients: of the parameters. optimiser: all of its state for a parameter:
    a copy in 32 bits, mean and variance are 96 (ZeRO's K = 12 bytes). What turning numbers into other widths takes is
    not counted. half: which format of 16 bits products are in, "bf16" or "fp16"; "" is the one that a device has.
    Both take as long and as much memory.

    Source: mixed precision, arXiv 1710.03740; 8 bits, arXiv 2209.05433, where weights are kept in 16 bits and turned
    into 8 for each product. DeepSeek-V3's training (2412.19437, section 3.3) is Precision(products=8, gradients=32,
    optimiser=64), but for some of its kept and sent activations, which are in 8 bits, too.

    >>> cut = ae.Strategy(data=8, precision=ae.Precision(products=8, gradients=32))
    >>> ae.memory("gpt2", cut).gradients == 2 * ae.memory("gpt2", ae.Strategy(data=8)).gradients
    True
    """

    products: int = 16
    activations: int = 16
    parameters: int = 16
    gradients: int = 16
    optimiser: int = 96
    half: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        choice("precision: half", self.half, ("", *HALVES))
        for name in WIDTHS:
            least = 0 if name == "optimiser" else 1
            value = whole(f"precision: {name}", getattr(self, name), at_least=least)
            if value % BYTE and name != "products":
                below = value // BYTE * BYTE
                near = f"{below} or {below + BYTE}" if below >= least else f"{BYTE}"
                raise ConfigError(f"precision: {name} has {value} bits; whole bytes are kept and sent: {near}.")
            object.__setattr__(self, name, value)
        if self.half and self.products != USUAL:
            raise ConfigError(
                f"precision: half is {self.half!r}, a format of {USUAL} bits, and products are in {self.products}."
            )

    @property
    def activation_bytes(self) -> int:
        """Of a number."""
        return self.activations // BYTE

    @property
    def parameter_bytes(self) -> int:
        """Of a number."""
        return self.parameters // BYTE

    @property
    def gradient_bytes(self) -> int:
        """Of a number."""
        return self.gradients // BYTE

    @property
    def optimiser_bytes(self) -> int:
        """Of its state for a parameter."""
        return self.optimiser // BYTE

    @property
    def update_bytes(self) -> int:
        """What an update moves for each parameter: the gradient in 32 bits, the state in and out, the parameter out."""
        return 4 + 2 * self.optimiser_bytes + self.parameter_bytes


PRECISIONS: Mapping[str, Precision] = {
    "fp32": Precision(32, 32, 32, 32, 64),
    "bf16": Precision(half="bf16"),
    "fp16": Precision(half="fp16"),
    "fp8": Precision(products=8),
}
"""By what products are in. "fp32" has all in 32 bits, with no copy of the parameters; the others keep 16 bits."""


def precision_of(given: object, element_bytes: int) -> Precision | None:
    """What a strategy is given as its precision. Raises ConfigError for anything that is none."""
    if given is None:
        return None
    if element_bytes != 2:
        raise ConfigError(f"a strategy with precision has no element_bytes as well ({element_bytes}); leave one out.")
    if isinstance(given, Precision):
        return given
    if isinstance(given, str):
        return PRECISIONS[choice("precision", given, tuple(PRECISIONS))]
    raise ConfigError(f"precision is {shown(given)}; give {', '.join(map(repr, PRECISIONS))}, or an ae.Precision(...).")


def alike(element_bytes: int) -> Precision:
    """All numbers in so many bytes, but the optimiser's state."""
    bits = BYTE * element_bytes
    return Precision(bits, bits, bits, bits)


def check_multiplied(device: Device, strategy: Strategy) -> None:
    """Raises ConfigError where a device doesn't multiply numbers of a strategy's format, with those that it does."""
    bits = strategy.bits
    device.check_format(bits.products, bits.half)


def computing_ns(device: Device, strategy: Strategy, compute: Compute) -> float:
    """ns that a device computes a phase in a strategy's precision."""
    bits = strategy.bits
    return device.compute_ns(compute, bits.activation_bytes, bits.products)


def adding_ns(device: Device, strategy: Strategy, operator: Operator) -> float:
    """ns that adding a micro-batch's gradients of an operator to those before takes beside their products, on a device
    that is calibrated to it."""
    if device.calibration is None:
        return 0
    return device.memory_ns(strategy.part(operator).parameters * device.calibration.sum_bytes)


def update_ns(device: Device, strategy: Strategy, parameters: float) -> float:
    """ns that the optimiser takes for so many parameters of its own."""
    each = device.calibration.update_bytes if device.calibration else strategy.bits.update_bytes
    return device.memory_ns(parameters * each)
