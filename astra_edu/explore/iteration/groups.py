"""Which part of a network each group of a strategy has for itself."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import gcd, prod

from astra_edu.base.errors import ConfigError, shown
from astra_edu.network import Dimension
from astra_edu.system import Implementation, Platform, TracePlatform
from astra_edu.workload.compute.operator import divisors, near
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.strategy import checked


def groups(platform: Platform, strategy: Strategy) -> dict[str, Platform]:
    """The platform that the NPUs of each of a strategy's groups make up; groups of one are left out.

    Neighbours belong to the tensor group (or to the copies, data-first), then come the copies, then the stages. Of the
    copies, all of them "data", neighbours are a context group and share out experts; those with the same experts are
    "expert data"; with hybrid sharding neighbours are a "shard" group, those with the same share a "replica" group. A
    group that ends inside a dimension breaks it in two; both parts keep its links. Raises ConfigError
    if the platform has another number of NPUs, or a group can't be cut out of its dimensions.

    >>> from astra_edu.explore.iteration import groups
    >>> parts = groups(ae.preset("dgx2"), ae.Strategy(tensor=16, data=16))
    >>> {name: [dimension.npus for dimension in part.network] for name, part in parts.items()}
    {'tensor': [16], 'data': [16]}
    """
    checked(strategy)
    if not isinstance(of_first_version(platform), Platform):
        raise ConfigError(f'platform is {shown(platform, 60)}; give one such as ae.preset("dgx2").')
    if platform.npus != strategy.npus:
        raise ConfigError(
            f"the strategy takes {sizes_in_words(strategy)[0]} = {strategy.npus} NPUs "
            f"({sizes_in_words(strategy)[1]}), but the platform has {platform.npus}."
        )
    sizes = {"tensor": strategy.tensor, "data": strategy.copies, "pipeline": strategy.pipeline}
    if strategy.placement == "data-first":
        sizes = {name: sizes[name] for name in ("data", "tensor", "pipeline")}
    left = [(d, dimension.npus) for d, dimension in enumerate(platform.network)]
    shares: dict[str, list[Share]] = {}
    for name, size in sizes.items():
        shares[name], left = _take(name, size, left, platform.network)
    if strategy.context > 1:
        shares["context"], _ = _take("context", strategy.context, shares["data"], platform.network)
    if strategy.expert > 1:
        own, shares["expert data"] = _take("expert", strategy.expert_copies, shares["data"], platform.network)
        shares["expert"] = _both(shares["tensor"], own) if strategy.whole_experts else own
    if strategy.shard_group:
        shares["shard"], shares["replica"] = _take("shard", strategy.shard_group, shares["data"], platform.network)
    return {name: _part(platform, tuple(taken)) for name, taken in shares.items() if prod(n for _, n in taken) > 1}


def of_first_version(platform: Platform | TracePlatform) -> Platform:
    """The platform. Raises ConfigError for one of ASTRA-sim 2.x."""
    if isinstance(platform, TracePlatform):
        raise ConfigError(
            "platform is a TracePlatform, of ASTRA-sim 2.x; groups, plans and the search for the fastest strategy go "
            "by the clock of 1.0. Find it on an ae.Platform; ae.estimate(model, found.strategy, device, "
            "trace_platform) then says how long it takes as a trace."
        )
    return platform


def sizes_in_words(strategy: Strategy) -> tuple[str, str]:
    """("4 × 8 × 2", "data × tensor × pipeline"), with the context group where there is one."""
    names = ("data", *(("context",) if strategy.context > 1 else ()), "tensor", "pipeline")
    return " × ".join(str(getattr(strategy, name)) for name in names), " × ".join(names)


Share = tuple[int, int]  # which of the network's dimensions, and how many of its NPUs


def _take(name: str, size: int, left: list[Share], network: tuple[Dimension, ...]) -> tuple[list[Share], list[Share]]:
    taken: list[Share] = []
    need = size
    for i, (d, npus) in enumerate(left):
        if need == 1:
            return taken, left[i:]
        here = gcd(need, npus)
        if here not in (need, npus):
            whole = " × ".join(str(dimension.npus) for dimension in network)
            sizes = _sizes([npus for _, npus in (*taken, *left[i:])])
            raise ConfigError(
                f"a {name} group of {size} NPUs can't be cut out of {whole} NPUs: dimension {d} has {npus} left, which "
                f"neither divide the {need} still needed nor are a multiple of them; "
                f"{near(size, sizes)} NPUs would do."
            )
        taken.append((d, here))
        need //= here
        if here < npus:
            return taken, [(d, npus // here), *left[i + 1 :]]
    return taken, []


def _both(one: list[Share], other: list[Share]) -> list[Share]:
    """Two groups of a network's NPUs as one, with what they have of a dimension together."""
    found: dict[int, int] = {}
    for d, npus in (*one, *other):
        found[d] = found.get(d, 1) * npus
    return sorted(found.items())


def _sizes(left: list[int]) -> set[int]:
    """What a group can have: all of some dimensions, and a part of the next one."""
    found, whole = {1}, 1
    for npus in left:
        found |= {whole * n for n in divisors(npus)}
        whole *= npus
    return found


@lru_cache(maxsize=1024)
def _part(platform: Platform, taken: tuple[Share, ...]) -> Platform:
    network = tuple(replace(platform.network[d], npus=npus) for d, npus in taken if npus > 1)
    kept = [d for d, npus in taken if npus > 1]

    def own(implementations: tuple[Implementation, ...]) -> tuple[Implementation, ...]:
        misfit = len(implementations) != len(platform.network)  # which no collective can use: see stage_times
        if implementations[0].flat or misfit:
            return implementations
        return tuple(implementations[d] for d in kept)

    system = platform.system
    return Platform(
        network,
        replace(
            system,
            all_reduce=own(system.all_reduce),
            all_gather=own(system.all_gather),
            reduce_scatter=own(system.reduce_scatter),
            all_to_all=own(system.all_to_all),
        ),
    )
