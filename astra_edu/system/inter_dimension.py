"""In which order a chunk goes through the dimensions: the inter-dimension policies, and how to add one.

A policy is asked once for every chunk of a collective, in turn. It answers with an order of the dimensions and with
the chunk's size, which only Themis's flexible form chooses itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.collectives.hierarchical import natural_order


class Dimensions(NamedTuple):
    """What a policy is told of the network: NPUs and bandwidth (in any unit) of each dimension.

    gap_denominator: of ASTRA-sim 1.0's system file; Themis takes loads for equal that differ by less than a chunk over
    it.
    """

    npus: tuple[int, ...]
    bandwidths: tuple[float, ...]
    gap_denominator: int = 16


Ordered = tuple[Sequence[int], int]


class InterDimension:
    """A policy: subclass it and give the class as `inter_dimension`, or register it.

    halves: whether an all-reduce reduce-scatters and all-gathers on its last dimension, too, instead of all-reducing
    there. together: whether, in ASTRA-sim 2.x, the NPU that comes first decides for all; else each has its own turn.
    in_groups: whether, there, the collectives of process groups, which know one dimension, are asked for, too.
    """

    halves: ClassVar[bool] = False
    together: ClassVar[bool] = False
    in_groups: ClassVar[bool] = False

    def __init__(self, dimensions: Dimensions) -> None:
        """A policy for these dimensions that has seen no chunk yet."""
        self.dimensions = dimensions

    def begin(self, now: float) -> None:
        """A collective begins at `now` ns."""

    def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
        """(the dimensions in the order in which to walk them, the chunk's size).

        chunk_bytes: what the splits recommend; left_bytes: what is left of the collective. involved: for
        each dimension, whether the collective runs over it.
        """
        raise NotImplementedError


class Baseline(InterDimension):
    """Dimension 0 first; an all-gather comes from the last one down."""

    def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
        """See InterDimension."""
        return natural_order(collective, len(involved)), min(chunk_bytes, left_bytes)


class RoundRobin(InterDimension):
    """Every chunk begins one dimension further on."""

    in_groups = True
    turn = 0

    def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
        """See InterDimension."""
        dims = natural_order(collective, len(involved))
        order = dims[self.turn :] + dims[: self.turn]
        self.turn = (self.turn + 1) % len(involved)
        return order, min(chunk_bytes, left_bytes)


OrderFunction = Callable[[Collective, Dimensions], Sequence[int]]
"""function(collective, dimensions): the order for every chunk."""
OrderMaker = type[InterDimension] | OrderFunction


class Always(InterDimension):
    """The order that a function gives, for every chunk."""

    def __init__(self, dimensions: Dimensions, function: OrderFunction) -> None:
        """function: of the collective and the dimensions."""
        super().__init__(dimensions)
        self.function = function

    def order(self, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]) -> Ordered:
        """See InterDimension."""
        return self.function(collective, self.dimensions), min(chunk_bytes, left_bytes)


INTER_DIMENSION: dict[str, OrderMaker] = {"baseline": Baseline, "roundRobin": RoundRobin}
"""Every policy by its name in system files. Put your own in: INTER_DIMENSION["mine"] = a class, or a function."""


def maker_of(policy: str | OrderMaker) -> OrderMaker:
    """The class or function behind a name, or the one that is given."""
    return INTER_DIMENSION[policy] if isinstance(policy, str) else policy


def inter_dimension(policy: str | OrderMaker, dimensions: Dimensions) -> InterDimension:
    """A policy at work on these dimensions, new and without memory."""
    maker = maker_of(policy)
    return maker(dimensions) if isinstance(maker, type) else Always(dimensions, maker)


TRUSTED: set[type[InterDimension]] = {Baseline, RoundRobin}
"""What the package's own policies answer isn't looked at."""


def asked(
    policy: InterDimension, collective: Collective, chunk_bytes: int, left_bytes: int, involved: Sequence[bool]
) -> Ordered:
    """What a policy answers. Raises ConfigError for what is no order of the dimensions, or no size of a chunk."""
    answer = policy.order(collective, chunk_bytes, left_bytes, involved)
    if type(policy) in TRUSTED:
        return answer
    name = getattr(getattr(policy, "function", type(policy)), "__name__", "the policy")
    try:
        order, size = answer
        listed = list(order)
    except TypeError as error:
        raise ConfigError(f"{name} orders the dimensions as {answer!r:.60}; give a list of their numbers.") from error
    count = len(policy.dimensions.npus)
    if any(type(d) is not int for d in listed) or sorted(listed) != list(range(count)):
        raise ConfigError(
            f"{name} orders the dimensions as {listed!r:.60}; each of 0 to {count - 1} has to be there once."
        )
    if type(size) is not int or not 1 <= size <= left_bytes:
        raise ConfigError(f"{name} makes a chunk of {size!r:.60} bytes; {left_bytes:,} are left of the collective.")
    return [d for d in listed if d < len(involved)], size


def kind_of(policy: str | OrderMaker) -> type[InterDimension]:
    """The class of a policy, which says whether it halves and decides for all."""
    maker = maker_of(policy)
    return maker if isinstance(maker, type) else Always
