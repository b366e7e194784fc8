"""The explorer's settings: a collective over one to three dimensions, what can be of them, and what goes together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import KIB, format_bytes
from astra_edu.collectives import ALGORITHMS, Collective, algorithms_for, schedule
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.widgets.choice import Choice
from astra_edu.network import Dimension
from astra_edu.network.topologies import TOPOLOGIES, find
from astra_edu.system import Implementation
from astra_edu.system.adds_up import check_is_switch

MOST_DIMENSIONS = 3
SIZES = tuple(KIB << power for power in range(23))
SPLITS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64)
NPUS = (*range(2, 17), 18, 20, 24, 25, 27, 28, 32, 36, 40, 48, 49, 56, 64)
BANDWIDTHS = (1, 2, 6.25, 12.5, 16, 25, 32, 50, 62, 100, 150, 200, 300, 450, 900)
LATENCIES = (0, 1, 10, 50, 100, 200, 250, 500, 700, 1000, 2000, 5000, 10_000)
SPARE = Dimension.of("Switch", 2, 25, 500)
GROUP = "job"


def suiting(topology: str) -> str:
    """The name of the algorithm that suits a topology."""
    return Implementation.parse(find(topology).suits).algorithm


def start(choice: Choice) -> Values:
    """A choice as values; dimensions that it doesn't have wait as small switches."""
    values: Values = {"collective": str(choice.schedule.collective), "size": choice.size, "splits": choice.splits}
    values["dimensions"] = len(choice.network)
    spare = [SPARE] * (MOST_DIMENSIONS - len(choice.network))
    names = [*choice.algorithms, *(suiting(str(dimension.topology)) for dimension in spare)]
    for d, (dimension, name) in enumerate(zip([*choice.network, *spare], names, strict=True)):
        values |= {f"topology_{d}": str(dimension.topology), f"algorithm_{d}": name, f"npus_{d}": dimension.npus}
        values |= {f"bandwidth_{d}": dimension.bandwidth, f"latency_{d}": dimension.latency}
    return values


def settings(values: Values) -> tuple[Setting, ...]:
    """All of them, with `values` among what their sliders and menus have."""
    first = (
        Setting("collective", "collective", tuple(map(str, Collective)), menu=True, group=GROUP),
        Setting("size", "size", SIZES, words=format_bytes, group=GROUP, free=True).including(values["size"]),
        Setting("splits", "splits", SPLITS, group=GROUP, free=True).including(values["splits"]),
        Setting("dimensions", "dimensions", (1, 2, 3), group=GROUP),
    )
    return (*first, *(setting for d in range(MOST_DIMENSIONS) for setting in _of_dimension(d, values)))


def _of_dimension(d: int, values: Values) -> tuple[Setting, ...]:
    def applies(now: Values) -> bool:
        return bool(now["dimensions"] > d)

    every: dict[str, Any] = {"group": f"dimension {d}", "applies": applies}
    topologies = tuple(dict.fromkeys((*TOPOLOGIES, values[f"topology_{d}"])))
    algorithms = tuple(dict.fromkeys((*ALGORITHMS, values[f"algorithm_{d}"])))
    return (
        Setting(f"topology_{d}", "topology", topologies, menu=True, **every),
        Setting(f"algorithm_{d}", "algorithm", algorithms, menu=True, **every),
        Setting(f"npus_{d}", "NPUs", NPUS, **every).including(values[f"npus_{d}"]),
        Setting(f"bandwidth_{d}", "per link", BANDWIDTHS, "GB/s", free=True, **every).including(
            values[f"bandwidth_{d}"]
        ),
        Setting(f"latency_{d}", "latency", LATENCIES, "ns", free=True, **every).including(values[f"latency_{d}"]),
    )


def chosen(values: Values) -> Choice:
    """What values say. Raises ConfigError for a topology that can't have so many NPUs."""
    dims = range(values["dimensions"])
    network = tuple(
        Dimension.of(values[f"topology_{d}"], values[f"npus_{d}"], values[f"bandwidth_{d}"], values[f"latency_{d}"])
        for d in dims
    )
    names = tuple(values[f"algorithm_{d}"] for d in dims)
    return Choice(values["collective"], names, network, values["size"], values["splits"])


def check(values: Values) -> None:
    """Raise ConfigError for a setting that can't be."""
    dims = range(values["dimensions"])
    for d in dims:
        find(values[f"topology_{d}"]).check(values[f"npus_{d}"])
    _ = chosen(values).schedule
    for d in dims:
        if ALGORITHMS[values[f"algorithm_{d}"]].traits.in_switch:
            check_is_switch(values[f"algorithm_{d}"], find(values[f"topology_{d}"]), d)


def settle(values: Values, before: Values, fixed: Sequence[str] = ()) -> tuple[Values, str]:
    """A topology that changed brings the algorithm that suits it; one that can't do the collective gives way.

    fixed: settings that stay as they are."""
    said = []
    for d in range(values["dimensions"]):
        algorithm = f"algorithm_{d}"
        if values[algorithm] != before[algorithm] or algorithm in fixed:
            continue
        names, name = _offered(values), values[algorithm]
        if values[f"topology_{d}"] != before[f"topology_{d}"]:
            name, sentence = _suited(values, d, names)
            said.append(sentence)
        if name not in names:
            name = names[0]
            said.append(f"{values[algorithm]} has no {values['collective']} here, so {name} is chosen now.")
        values = values | {algorithm: name}
    return values, " ".join(filter(None, said))


def _suited(values: Values, d: int, names: Sequence[str]) -> tuple[str, str]:
    """The algorithm to take after a change of the topology, and what is to be said of that."""
    topology, now = values[f"topology_{d}"], values[f"algorithm_{d}"]
    name = suiting(topology)
    if name == now or name not in names:
        return now, ""
    try:
        schedule(values["collective"], name, values[f"npus_{d}"])
    except ConfigError as error:
        return now, f"{name} suits the topology {topology}, but not here: {error}"
    return name, f"{name} suits the topology {topology}, so it is chosen now, instead of {now}."


def _offered(values: Values) -> list[str]:
    """The algorithms that can do the collective, over several dimensions if there are some."""
    names = algorithms_for(values["collective"])
    if values["dimensions"] > 1:
        halves = [name for name, known in ALGORITHMS.items() if Collective.REDUCE_SCATTER in known]
        names = [name for name in names if name in halves and name != "single-master"]
    return names
