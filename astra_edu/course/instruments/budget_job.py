"""What is simulated of a budget: a network that is paid for, a model cut over its NPUs, and the same in Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.setting import Values
from astra_edu.explore.iteration import Iteration, estimate, fastest
from astra_edu.network import Dimension
from astra_edu.network.cost import network_cost
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload.compute import device
from astra_edu.workload.strategies import Memory, Strategy, memory

NODE, BATCH = 8, 512
"""NPUs of a node, and the sequences of an iteration."""
LATENCIES_NS = 700, 2500
SUITS = {"Ring": "ring", "Switch": "halvingDoubling", "FullyConnected": "direct"}
"""The algorithm that suits a topology: none of its messages share a link."""


@dataclass(frozen=True)
class Money:
    """What a design costs, in US dollars, by ASTRA-sim 1.0's prices of a network and an assumed price of an NPU."""

    in_nodes: float
    between: float
    npus: float

    @property
    def total(self) -> float:
        """Of all three."""
        return self.in_nodes + self.between + self.npus


def cut(values: Values) -> Strategy:
    """How the model is shared out. Raises ConfigError where the NPUs don't allow it."""
    npus, one_copy = values["npus"], values["tensor"] * values["pipeline"]
    if npus % one_copy:
        raise ConfigError(
            f"one copy of the model takes {one_copy} NPUs ({values['tensor']} tensor × {values['pipeline']} stages); "
            f"there are {npus}."
        )
    copies = npus // one_copy
    if BATCH % copies:
        raise ConfigError(f"{BATCH} sequences can't be shared by {copies} copies of the model.")
    return Strategy(
        tensor=values["tensor"], data=copies, pipeline=values["pipeline"], batch=BATCH, zero=values["zero"],
        sequence_parallel=values["tensor"] > 1, recompute=values["recompute"],
    )  # fmt: skip


def platform(values: Values) -> Platform:
    """Nodes of 8 NPUs, and what joins them."""
    npus = values["npus"]
    dims = [replace(_dimension(values["inside"], min(npus, NODE), values["inside_gb_s"], 0), kind="Node")]
    if npus > NODE:
        dims.append(replace(_dimension(values["between"], npus // NODE, values["between_gb_s"], 1), kind="Pod"))
    return Platform(tuple(dims), SystemConfig.of("_".join(SUITS[str(d.topology)] for d in dims), splits=4))


def _dimension(topology: str, npus: int, bandwidth: float, d: int) -> Dimension:
    return Dimension.of(topology, npus, bandwidth, LATENCIES_NS[d])


def money(values: Values) -> Money:
    """What the design costs."""
    network = platform(values).network
    inside = network_cost(network[0]) * (values["npus"] // network[0].npus)
    return Money(inside, network_cost(network) - inside, values["npus"] * values["price"])


@lru_cache(maxsize=4096)
def _kept(model: str, strategy: Strategy) -> Memory:
    return memory(model, strategy)


def kept(values: Values) -> Memory:
    """What an NPU keeps. Raises ConfigError for a cut that can't be."""
    return _kept(values["model"], cut(values))


def fits(values: Values) -> bool:
    """Whether that is no more than its device has."""
    return kept(values).fits(device(values["device"]))


def iteration(values: Values) -> Iteration:
    """How long an iteration of 512 sequences takes."""
    return _iteration(values["model"], cut(values), values["device"], platform(values))


@lru_cache(maxsize=4096)
def _iteration(model: str, strategy: Strategy, on: str, network: Platform) -> Iteration:
    return estimate(model, strategy, on, network)


def rate(values: Values) -> float:
    """Sequences that are trained on in a second, at most: where messages share links, by the bound."""
    run = iteration(values)
    return BATCH / max(run.total_ns, run.bound_ns or 0) * 1e9


def best_cut(values: Values, by_name: dict[str, tuple[Any, ...]]) -> Values:
    """The values with the fastest cut that fits on this network, of those that the settings offer."""
    able = [
        values | {"tensor": t, "pipeline": p, "zero": zero, "recompute": again}
        for t in by_name["tensor"]
        for p in by_name["pipeline"]
        for zero in by_name["zero"]
        for again in by_name["recompute"]
    ]
    found = [(each, strategy) for each in able if (strategy := _possible(each))]
    fit = {strategy: each for each, strategy in found if fits(each)}
    if not fit:
        return values
    return fit[fastest(values["model"], fit, values["device"], platform(values)).strategy]


def _possible(values: Values) -> Strategy | None:
    try:
        kept(values)
        return cut(values)
    except ConfigError:
        return None


def code(values: Values) -> str:
    """The same in Python."""
    dims = []
    for d, dim in enumerate(platform(values).network):
        made = f'ae.Dimension.of("{dim.topology}", {dim.npus}, {dim.bandwidth:g}, {dim.latency:g})'
        dims.append(f'replace({made}, kind="{("Node", "Pod")[d]}")')
    strategy = cut(values)
    inside = ",\n    ".join(dims)
    algorithms = "_".join(SUITS[str(d.topology)] for d in platform(values).network)
    return f"""from dataclasses import replace
from astra_edu.network.cost import network_cost
network = ({inside},)
platform = ae.Platform(network, ae.SystemConfig.of("{algorithms}", splits=4))
cut = ae.Strategy(tensor={strategy.tensor}, data={strategy.data}, pipeline={strategy.pipeline}, batch={BATCH},
    zero={strategy.zero}, sequence_parallel={strategy.sequence_parallel}, recompute="{strategy.recompute}")
print(network_cost(network) + {values["npus"]} * {values["price"]}, "dollars")
print(ae.estimate("{values["model"]}", cut, "{values["device"]}", platform))
print(ae.memory("{values["model"]}", cut))"""
