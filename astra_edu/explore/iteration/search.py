"""Which strategies there are for so many NPUs, which of them fit into memory, and which of those is fastest."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import overload

from astra_edu.base.errors import ConfigError, choice, flag, shown, whole
from astra_edu.explore.iteration.best_first import BestFirst
from astra_edu.explore.iteration.candidates import described, frugal
from astra_edu.explore.iteration.groups import of_first_version
from astra_edu.explore.iteration.plan_search import fastest_plan
from astra_edu.explore.iteration.plan_times import PlannedIteration, planned
from astra_edu.explore.iteration.plans import Plans
from astra_edu.explore.iteration.result import Iteration
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named_model
from astra_edu.workload.strategies import Memory, Strategy
from astra_edu.workload.strategies.alike import Abridged, abridged
from astra_edu.workload.strategies.memory import memory_of
from astra_edu.workload.strategies.strategy import checked

GROUPS = ("data", "tensor", "pipeline")
MOST = 1024
"""NPUs of the largest group that npus_needed tries."""
DOUBLINGS = 16
"""The most NPUs that are tried for a model that doesn't fit are 2 to this power."""


def fitting(model: Model | str, strategies: Iterable[Strategy], device: Device | str) -> dict[Strategy, Memory]:
    """Those of the strategies whose memory fits, in their order, and what an NPU keeps.

    Those that the model can't have are left out. Raises ConfigError if none is left, with the least that is needed, and
    how many NPUs of this kind would do.

    >>> few = [ae.Strategy(data=8, zero=zero) for zero in range(4)]
    >>> [strategy.zero for strategy in ae.fitting("turing-nlg", few, "a100")]
    [3]
    """
    model = named_model(model)
    device = named_device(device)
    about = abridged(model)
    kept: dict[Strategy, Memory] = {}
    problem = ConfigError("there are no strategies that could fit.")
    for strategy in _several(strategies):
        try:
            kept[strategy] = memory_of(about, strategy)
        except ConfigError as error:
            problem = error
    if not kept:
        raise problem
    fit = {strategy: each for strategy, each in kept.items() if each.fits(device)}
    if not fit:
        raise ConfigError(_too_large(model, kept, device))
    return fit


@overload
def fastest(
    model: Model | str,
    strategies: Iterable[Strategy],
    device: Device | str,
    platform: Platform,
    fits: bool = False,
) -> Iteration: ...


@overload
def fastest(model: Model | str, strategies: Plans, device: Device | str, platform: Platform) -> PlannedIteration: ...


def fastest(
    model: Model | str,
    strategies: Iterable[Strategy] | Plans,
    device: Device | str,
    platform: Platform,
    fits: bool = False,
) -> Iteration | PlannedIteration:
    """The shortest iteration by any of the strategies, as `estimate` has it; of equal ones the first. Where their
    batches differ, it is the one that takes least for each sample. Of ae.plans, it is the best that fits into the
    device, where its memory is known.

    Where messages of a collective share links, an iteration's bound_ns counts. Those that the model can't have, or
    whose groups can't be cut out of the platform, are left out, and with `fits` those that keep more than the device
    has: the same as of what `fitting` returns, but sooner, as few are asked. Raises ConfigError if none is left. If
    `fits` isn't set memory is not asked about; warns if the one found doesn't fit into the device. Of more than 10,000
    it shows how many it has looked at. What became of them all is the result's `searched`, and in its table. If
    interrupted (Ctrl-C, a notebook's stop button) it raises ae.Interrupted, whose so_far is the fastest that was
    estimated (of plans the best of those numbers of micro-batches that were searched), as ae.so_far() says, too.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> few = [ae.Strategy(data=8), ae.Strategy(pipeline=8, batch=8)]
    >>> ae.fastest("gpt2", few, "a100", pods, fits=True).strategy.pipeline
    1
    """
    model = named_model(model)
    device = named_device(device)
    flag("fits", fits)
    platform = of_first_version(platform)
    if isinstance(strategies, Plans):
        strategies.check_model(model)
        return planned(model, fastest_plan(strategies, device, platform, device.memory_bytes), device, platform)
    about, several = abridged(model), _several(strategies)
    search = BestFirst(about, several, device, platform)
    if (found := search.fastest(fits)) is not None:
        if not fits:
            _warn_of_memory(about, found.strategy, device)
        return found
    if search.too_large:
        raise ConfigError(_too_large(model, {several[k]: kept for k, kept in search.too_large.items()}, device))
    raise search.problem


def npus_needed(model: Model | str, device: Device | str, strategy: Strategy, grow: str) -> Strategy:
    """The strategy with the smallest "data", "tensor" or "pipeline" group (`grow`) with which its memory fits.

    More copies of the model each keep their samples, so the batch grows with them; otherwise it stays.
    Raises ConfigError if no group of up to 1,024 NPUs does, naming the one that needs least memory.

    >>> ae.npus_needed("turing-nlg", "a100", ae.Strategy(), grow="tensor").tensor
    4
    """
    model = named_model(model)
    device = named_device(device)
    choice("grow", grow, GROUPS)
    checked(strategy)
    about = abridged(model)
    kept: dict[Strategy, Memory] = {}
    problem = ConfigError("")
    for size in range(1, MOST + 1):
        try:
            grown = _grown(strategy, grow, size)
            if kept and not grown.divides(about.short):
                continue
            kept[grown] = memory_of(about, grown)
        except ConfigError as error:
            problem = error
            continue
        if kept[grown].fits(device):
            return grown
    if not kept:
        raise problem
    least = min(kept, key=lambda grown: kept[grown].total)
    raise ConfigError(
        f"{model.name} fits into {device.name} with no {grow} group of up to {MOST:,} NPUs: with "
        f"{getattr(least, grow):,}, which need least, each would keep {_gib(kept[least].total)}, and it has "
        f"{_gib(device.memory_bytes or 0)}."
    )


def fewest_npus(model: Model | str, device: Device | str, batch: int | None = None) -> Strategy:
    """Of 1, 2, 4, ... NPUs the fewest that the model fits on by any strategy, and the one that keeps least on them.

    batch: samples of an iteration; None means as many as NPUs. Raises ConfigError if 65,536 NPUs are not enough.

    >>> ae.fewest_npus("gpt3", "a100", batch=16).npus
    64
    """
    model = named_model(model)
    device = named_device(device)
    batch = None if batch is None else whole("batch", batch, at_least=1)
    strategy = _enough(model, device, 1, batch)
    if strategy is None:
        raise ConfigError(f"{model.name} doesn't fit into {device.name} even on {2**DOUBLINGS:,} NPUs.")
    return strategy


def _enough(model: Model, device: Device, npus: int, batch: int | None) -> Strategy | None:
    """The same of npus, twice as many, and so on."""
    about = abridged(model)
    while npus <= 2**DOUBLINGS:
        kept = {each: memory_of(about, each) for each in frugal(model, npus, batch or npus)}
        least = min(kept, key=lambda strategy: kept[strategy].total, default=None)
        if least and kept[least].fits(device):
            return least
        npus *= 2
    return None


def _warn_of_memory(about: Abridged, strategy: Strategy, device: Device) -> None:
    """Warn of a strategy that doesn't fit into the device, where its memory is known."""
    needed, there = memory_of(about, strategy).total, device.memory_bytes
    if there is not None and needed > there:
        warnings.warn(
            f"the fastest of these, {described(strategy)}, keeps {_gib(needed)} on each NPU, and {device.name} has "
            f"{_gib(there)}; ae.fitting(model, strategies, device) gives those that fit.",
            stacklevel=3,
        )


def _several(strategies: Iterable[Strategy]) -> list[Strategy]:
    if isinstance(strategies, Strategy) or not isinstance(strategies, Iterable):
        raise ConfigError(
            f"strategies are {shown(strategies, 60)}; give several, such as ae.candidates('gpt3', 64, 64)."
        )
    return [checked(strategy) for strategy in strategies]


def _grown(strategy: Strategy, grow: str, size: int) -> Strategy:
    if grow == "data":
        return replace(strategy, data=size, batch=strategy.samples // strategy.data * size)
    return replace(strategy, tensor=size) if grow == "tensor" else replace(strategy, pipeline=size)


def _too_large(model: Model, kept: Mapping[Strategy, Memory], device: Device) -> str:
    least = min(kept, key=lambda strategy: kept[strategy].total)
    needed, there = kept[least].total, device.memory_bytes or 0
    many = f"any of the {len(kept):,} strategies" if len(kept) > 1 else "this strategy"
    more = _enough(model, device, 2 * least.npus, least.samples)
    enough = f"{more.npus:,} of them would do, or " if more else ""
    return (
        f"{model.name} doesn't fit into {least.npus:,} × {device.name} by {many}: the least, {described(least)}, is "
        f"{_gib(needed)} for each NPU, {_gib(needed - there)} more than its {_gib(there)}. {enough}{_gib(needed)} of "
        "memory for each would do."
    )


def _gib(size: float) -> str:
    return f"{size / 2**30:,.1f} GiB"
