"""What a run is told, one thing at a time: numbers that can be changed a little, and choices that could be others.

Each knows how to simulate the run with another value. Where they come from for each kind of run is said in
inputs_of_layers, inputs_of_trace and inputs_of_pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

TOPOLOGIES = ("Ring", "Switch", "FullyConnected")
ALGORITHMS = ("ring", "direct", "halvingDoubling", "doubleBinaryTree")
NOTHING = "nothing is communicated"
HIDDEN = "compute hides all communication"
NO_LATENCY = "its latency is 0, so that hops cost nothing, and without congestion sharing a link costs nothing, either"
SAME_HOPS = "its messages cross as many links in each, and without congestion sharing a link costs nothing"
ONE_CHUNK = "no collective is cut into several chunks"
ALIKE = "it is the same network in either order"


class Outcome(NamedTuple):
    """The value that an input really had (whole numbers are rounded), and the total in ns that came of it."""

    value: float
    total_ns: float


@dataclass(frozen=True)
class Input:
    """A number. at(value): simulate the run with it; raises ConfigError where it can't be.

    name, unit: "bandwidth of dimension 0", "GB/s". others: the next values below and above, where it is a count; a
    number without them is changed by a few per cent. why: the reason if it changes nothing, as far as it is known.
    """

    name: str
    unit: str
    value: float
    at: Callable[[float], Outcome] = field(repr=False)
    others: tuple[float, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Choice:
    """A choice, and the total in ns of each alternative when it is simulated (ConfigError where it can't be).

    why: the reason if none of them changes anything, as far as it is known. through: the number through which it acts;
    where that changes nothing, this is the reason. otherwise: the reason if neither of these is.
    """

    name: str
    now: str
    alternatives: Mapping[str, Callable[[], float]] = field(repr=False)
    why: str = ""
    through: str = ""
    otherwise: str = ""


class Inputs(NamedTuple):
    """All that a run is told. rounded: how many times rounding to whole ns can have changed the total by 1 ns."""

    numbers: tuple[Input, ...]
    choices: tuple[Choice, ...]
    rounded: float


def next_to(count: int, step: int = 1) -> tuple[float, ...]:
    """The counts next to a count, from `step` on."""
    return tuple(float(other) for other in (count - step, count + step) if other >= step)


def another(value: int, wanted: float, step: int = 1) -> int:
    """The multiple of `step` next to what is wanted, but another one than `value`, and not 0."""
    rounded = round(wanted / step) * step
    if rounded == value and wanted != value:
        rounded = value + step if wanted > value else value - step
    return rounded if rounded > 0 else value


def grain(size: int, splits: int, npus: int) -> int:
    """Of how many bytes sizes should be multiples, as `size` is, so that chunks don't leave a rest as another chunk."""
    return next(step for step in (splits * npus, splits, 1) if size % step == 0)
