"""Platforms to search among: bandwidth over dimensions, shapes, algorithms, and where groups lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from math import comb
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of, list_of, positive, whole
from astra_edu.collectives import schedule
from astra_edu.explore.search.axis import ABSENT, MOST_VALUES, Features
from astra_edu.explore.search.numbers import factors_of, sums
from astra_edu.network import Dimension
from astra_edu.network.cost import network_cost
from astra_edu.system import Implementation, Platform, SystemConfig

MOST_NPUS = 2**20
"""Whose factors are looked for."""
TOO_MANY = f"these are more than {MOST_VALUES:,} platforms; take fewer steps, blocks or names."


class Platforms:
    """Platforms, each with the features by which it was made, such as "network[0].bandwidth"; a list of them.

    >>> ae.bandwidths(ae.preset("dgx2"), total=100, steps=4).described()[0]
    {'network[0].bandwidth': 25.0, 'network[1].bandwidth': 75.0}
    """

    def __init__(self, made: Iterable[tuple[Platform, Features]]) -> None:
        """made: each with its features. Raises ConfigError where there are none, or too many."""
        self._made: list[tuple[Platform, Features]] = []
        for one in made:
            self._made.append(one)
            if len(self._made) > MOST_VALUES:
                raise ConfigError(TOO_MANY)
        if not self._made:
            raise ConfigError("there is no such platform.")

    def described(self) -> Sequence[Features]:
        """The features of each; one that it hasn't, such as of a further dimension, is 0 or "-"."""
        every = {name: ABSENT[isinstance(value, str)] for _, told in self._made for name, value in told.items()}
        return [every | told for _, told in self._made]

    @property
    def features(self) -> list[Features]:
        """Of each, those by which it was made."""
        return [dict(told) for _, told in self._made]

    def __iter__(self) -> Iterator[Platform]:
        return (platform for platform, _ in self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, place: int) -> Platform:
        return self._made[place][0]

    def __repr__(self) -> str:
        names = ", ".join(self.described()[0]) or "nothing"
        return f"<{len(self):,} platform{'s' * (len(self) > 1)} that differ in {names}>"


def bandwidths(
    platforms: Platform | Iterable[Platform],
    *,
    total: float | None = None,
    cost: float | None = None,
    steps: int = 20,
) -> Platforms:
    """Every way to share out bandwidth over a platform's dimensions, or those of several.

    total: GB/s (of 2**30) of one link of each dimension, together; or cost: US dollars for the whole network, as
    network_cost says. steps: into so many equal parts total or cost is cut; each dimension of several NPUs has one or
    more. All is spent. Raises ConfigError for fewer steps than dimensions.

    >>> few = ae.bandwidths(ae.preset("conv-3d"), total=350, steps=7)
    >>> len(few), [dimension.bandwidth for dimension in few[0].network]
    (15, [50.0, 50.0, 250.0])
    """
    if (total is None) == (cost is None):
        raise ConfigError("give either total, in GB/s, or cost, in US dollars.")
    name, what = ("total", total) if cost is None else ("cost", cost)
    amount, count = positive(name, what), whole("steps", steps, at_least=1)

    def shared(platform: Platform) -> Iterator[tuple[Platform, Features]]:
        network = platform.network
        wide = [d for d, dimension in enumerate(network) if dimension.npus > 1]
        if count < len(wide):
            raise ConfigError(f"steps is {count}; {len(wide)} dimensions need {len(wide)} or more.")
        if wide and comb(count - 1, len(wide) - 1) > MOST_VALUES:
            raise ConfigError(TOO_MANY)
        prices = {d: 1.0 if cost is None else _dollars(network, d) for d in wide}
        if free := [d for d in wide if not prices[d]]:
            raise ConfigError(f"bandwidth of dimension {free[0]} costs nothing, so no cost limits it; give total.")
        for parts in sums(count, len(wide)):
            got = {d: amount * part / count / prices[d] for d, part in zip(wide, parts, strict=True)}
            changed = tuple(replace(dim, bandwidth=got[d]) if d in got else dim for d, dim in enumerate(network))
            yield replace(platform, network=changed), {f"network[{d}].bandwidth": gb for d, gb in got.items()}

    return _each(platforms, shared)


def shapes(
    npus: int,
    blocks: Iterable[Dimension],
    system: SystemConfig,
    dimensions: int = 3,
    algorithms: Mapping[str, str] = {},
) -> Platforms:
    """Every network of so many NPUs: each way to write npus as a product, with each of the blocks for each factor.

    blocks: dimensions, whose NPUs are replaced, and links by the fewest that the topology needs. dimensions: at most
    so many. system: its settings; each dimension has the algorithm that `algorithms` gives for its topology, else
    "ring" on a ring, "direct" where all are connected, and "halvingDoubling" elsewhere. Sizes that a topology or an
    algorithm can't have are left out. Raises ConfigError where nothing is left.

    >>> blocks = [ae.Dimension.of("Ring", 2, 50, 500), ae.Dimension.of("Switch", 2, 25, 700)]
    >>> ae.shapes(8, blocks, ae.SystemConfig.of("ring"), dimensions=2)
    <10 platforms that differ in shape, dimensions>
    """
    npus, most = whole("npus", npus, at_least=2), whole("dimensions", dimensions, at_least=1)
    if npus > MOST_NPUS:
        raise ConfigError(f"npus is {npus:,}; {MOST_NPUS:,} is the most.")
    instance_of("algorithms", algorithms, Mapping, 'give names by topology, such as {"Ring": "direct"}')
    given = list_of("blocks", blocks, 'give dimensions such as ae.Dimension.of("Ring", 2, 50, 500)')
    for block in given:
        instance_of("a block", block, Dimension, 'give one such as ae.Dimension.of("Ring", 2, 50, 500)')
    instance_of("system", system, SystemConfig, 'give one such as ae.SystemConfig.of("ring")')
    usual = {"Ring": "ring", "FullyConnected": "direct"} | dict(algorithms)

    def made() -> Iterator[tuple[Platform, Features]]:
        for factors in factors_of(npus, most):
            for chosen in product(given, repeat=len(factors)):
                try:
                    network = tuple(_resized(block, n) for block, n in zip(chosen, factors, strict=True))
                    names = "_".join(usual.get(str(block.topology), "halvingDoubling") for block in chosen)
                    platform = _with_algorithms(Platform(network, system), names)
                    for how, n in zip(platform.system.all_reduce, factors, strict=True):
                        schedule("all-reduce", how.algorithm, n)
                except ConfigError:
                    continue
                yield platform, {"shape": _shape(network), "dimensions": len(factors)}

    return Platforms(made())


def algorithms(platforms: Platform | Iterable[Platform], names: Iterable[str]) -> Platforms:
    """Every way to give each dimension one of the algorithms, by their spellings, for all collectives but all-to-all.

    >>> ae.algorithms(ae.preset("dgx2"), ["ring", "halvingDoubling"])
    <4 platforms that differ in algorithm[0], algorithm[1]>
    """
    given = list_of("names", names, 'give spellings such as ["ring", "halvingDoubling"]')
    for name in given:
        Implementation.parse(name, "an algorithm")

    def chosen(platform: Platform) -> Iterator[tuple[Platform, Features]]:
        for some in product(given, repeat=len(platform.network)):
            told: Features = {f"algorithm[{d}]": name for d, name in enumerate(some)}
            yield _with_algorithms(platform, "_".join(some)), told

    return _each(platforms, chosen)


def placements(platforms: Platform | Iterable[Platform]) -> Platforms:
    """Every order of a platform's dimensions, each with its algorithms.

    Groups take dimensions from the first one on: tensor (within it neighbours), then copies (of which neighbours are
    context groups and share out experts), then stages. So each order is a placement of them on the same dimensions.

    >>> [[dimension.npus for dimension in platform.network] for platform in ae.placements(ae.preset("conv-3d"))][:2]
    [[16, 8, 4], [16, 4, 8]]
    """

    def ordered(platform: Platform) -> Iterator[tuple[Platform, Features]]:
        seen = set()
        for order in permutations(range(len(platform.network))):
            system = platform.system
            own: dict[str, Any] = {
                name: how if how[0].flat or len(how) != len(order) else tuple(how[d] for d in order)
                for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
                for how in [getattr(system, name)]
            }
            one = replace(platform, network=tuple(platform.network[d] for d in order), system=replace(system, **own))
            if repr(one) not in seen:
                seen.add(repr(one))
                yield one, {"order": " ".join(map(str, order))}

    return _each(platforms, ordered)


def _each(
    platforms: Platform | Iterable[Platform], vary: Callable[[Platform], Iterable[tuple[Platform, Features]]]
) -> Platforms:
    """What is made of each platform, with the features that it had before."""
    right = 'give one such as ae.preset("dgx2"), or several'
    several = [platforms] if isinstance(platforms, Platform) else list_of("platforms", platforms, right)
    before: Sequence[Features] = [{} for _ in several]
    if isinstance(platforms, Platforms):
        before = platforms.features
    elif len(several) > 1:
        before = [{"platform": k} for k in range(len(several))]
    for one in several:
        instance_of("a platform", one, Platform, right)

    def named(told: Features, made: Platform) -> Features:
        """With the shape that it has now; with bandwidths where no other feature says them."""
        own = not any(name.endswith(".bandwidth") for name in told)
        return told | {"shape": _shape(made.network, own)} if "shape" in told else told

    every = ((told | more, made) for one, told in zip(several, before, strict=True) for made, more in vary(one))
    return Platforms((made, named(told, made)) for told, made in every)


def _shape(network: Sequence[Dimension], bandwidths: bool = True) -> str:
    said = (f"({dim.npus}, {dim.bandwidth:g} GB/s)" if bandwidths else f"({dim.npus})" for dim in network)
    return " × ".join(f"{dim.topology}{size}" for dim, size in zip(network, said, strict=True))


def _dollars(network: Sequence[Dimension], d: int) -> float:
    """For 1 GB/s of dimension d's links."""
    one, two = ([replace(dim, bandwidth=gb if k == d else 1.0) for k, dim in enumerate(network)] for gb in (1.0, 2.0))
    return network_cost(two) - network_cost(one)


def _with_algorithms(platform: Platform, names: str) -> Platform:
    own = SystemConfig.of(names, splits=platform.system.splits)
    system = replace(
        platform.system,
        all_reduce=own.all_reduce,
        all_gather=own.all_gather,
        reduce_scatter=own.reduce_scatter,
        all_to_all=own.all_to_all,
    )
    return replace(platform, system=system)


def _resized(block: Dimension, npus: int) -> Dimension:
    return replace(block, npus=npus, links=block.topology.links_needed(npus))
