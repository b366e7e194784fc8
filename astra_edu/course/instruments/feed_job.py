"""Feed the network: which collective on which torus, what both endpoints read and feed, and training beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Schedule
from astra_edu.collectives.build import schedule as built
from astra_edu.course.instruments.setting import Values
from astra_edu.course.studies.endpoint import (
    ACE,
    BASELINES,
    COMM_OPT,
    COMP_OPT,
    IDEAL,
    Endpoint,
    Traffic,
    accesses,
    iteration,
    network_bytes_per_s,
    torus_all_reduce,
    traffic,
)
from astra_edu.course.studies.endpoint.variants import NPU, SM_BYTES_PER_S, SMS

GIGA = 1e9
PASSES = 2
ALGORITHMS = {"reduce-scatter": "ring", "all-gather": "ring", "all-to-all": "direct"}
"""Of the collectives that are shown on one dimension only."""
HBM, CORES, NETWORK = "HBM", "cores", "the network"


@dataclass(frozen=True)
class Fed:
    """What each resource would let an endpoint send, in bytes/s; the least decides."""

    hbm: float
    cores: float | None
    network: float

    @property
    def limits(self) -> dict[str, float]:
        """By their names; an engine of its own needs no cores."""
        found = {HBM: self.hbm, CORES: self.cores, NETWORK: self.network}
        return {name: rate for name, rate in found.items() if rate is not None}

    @property
    def bottleneck(self) -> str:
        """Which lets it send least; of those alike the network before cores before HBM."""
        return min(reversed(self.limits.items()), key=lambda limit: round(limit[1]))[0]

    @property
    def tied(self) -> bool:
        """Whether two of them let it send least, to a hundredth."""
        least, second, *_ = sorted(self.limits.values())
        return second <= 1.01 * least


def dims(values: Values) -> tuple[int, ...]:
    """NPUs of a package, then of each dimension between packages."""
    return tuple(map(int, values["shape"].split("x")))


def named(values: Values) -> str:
    """The NPUs in words."""
    sizes = dims(values)
    return f"{prod(sizes)} NPUs" if len(sizes) == 1 else f"{' × '.join(map(str, sizes))} NPUs"


def check(values: Values) -> None:
    """Raise ConfigError for a collective that the torus isn't known to do."""
    if values["collective"] in ALGORITHMS and len(dims(values)) > 1:
        raise ConfigError(
            f"On more than one dimension only the all-reduce is known here; take 4 or 8 NPUs in one package for "
            f"{'an' if values['collective'][0] == 'a' else 'a'} {values['collective']}."
        )


@lru_cache(maxsize=64)
def _schedule(collective: str, sizes: tuple[int, ...]) -> Schedule:
    if collective in ALGORITHMS:
        return built(collective, ALGORITHMS[collective], sizes[0])
    return torus_all_reduce(sizes)


def schedule(values: Values) -> Schedule:
    """The collective's steps."""
    check(values)
    return _schedule(values["collective"], dims(values))


def baseline(values: Values) -> Endpoint:
    """What the learner gives to communication; by its name, where it has one."""
    mine = (values["memory"] * GIGA, values["cores"])
    for known in (COMM_OPT, COMP_OPT):
        if mine == (known.memory_bytes_per_s, known.sms):
            return known
    return Endpoint("your own", *mine)


@lru_cache(maxsize=64)
def _traffic(collective: str, sizes: tuple[int, ...], on_chip: bool) -> Traffic:
    return traffic(_schedule(collective, sizes), on_chip)


@lru_cache(maxsize=64)
def _network(collective: str, sizes: tuple[int, ...]) -> float:
    return network_bytes_per_s(_schedule(collective, sizes))


@lru_cache(maxsize=64)
def _per_byte(collective: str, sizes: tuple[int, ...], on_chip: bool) -> Mapping[str, float]:
    found = Counter(access.what for access in accesses(_schedule(collective, sizes), on_chip))
    sent = _traffic(collective, sizes, on_chip).sent
    return {what: count / sent for what, count in found.items()}


def per_byte(values: Values, on_chip: bool) -> Mapping[str, float]:
    """{what is read or written: bytes of it for each byte that is sent}, the mean of all NPUs."""
    check(values)
    return _per_byte(values["collective"], dims(values), on_chip)


def reads(values: Values, on_chip: bool) -> float:
    """Bytes that are read from HBM for each byte that is sent."""
    check(values)
    return _traffic(values["collective"], dims(values), on_chip).reads_per_byte


def fewer(values: Values) -> float:
    """How many times fewer bytes ACE reads than the baseline."""
    return reads(values, False) / reads(values, True)


def fed(values: Values, endpoint: Endpoint) -> Fed:
    """What an endpoint can send, by HBM, cores and network."""
    rate, memory = reads(values, endpoint.on_chip), endpoint.memory_bytes_per_s
    assert memory is not None
    cores = None if endpoint.on_chip else endpoint.sms * SM_BYTES_PER_S / rate
    return Fed(memory / rate, cores, _network(values["collective"], dims(values)))


def left(endpoint: Endpoint) -> dict[str, float]:
    """The shares of HBM's bandwidth and of the cores that are left for training, in %."""
    there = endpoint.remaining()
    assert there.memory_bytes_per_s is not None
    assert NPU.memory_bytes_per_s is not None
    return {
        HBM: 100 * there.memory_bytes_per_s / NPU.memory_bytes_per_s,
        CORES: 100 * (SMS - endpoint.sms) / SMS if endpoint.memory_bytes_per_s is not None else 100,
    }


@dataclass(frozen=True)
class Trained:
    """An iteration with an endpoint, in ns: what is computed, and communication that nothing hides."""

    name: str
    compute_ns: float
    exposed_ns: float

    @property
    def total_ns(self) -> float:
        """Both."""
        return self.compute_ns + self.exposed_ns


@lru_cache(maxsize=1024)
def _trained(model: str, endpoint: Endpoint, sizes: tuple[int, ...], samples: int) -> Trained:
    run = iteration(model, endpoint, sizes, samples, PASSES)
    return Trained(endpoint.name, run.compute_ns / PASSES, (run.total_ns - run.compute_ns) / PASSES)


def trained(values: Values) -> list[Trained]:
    """An iteration with every baseline, with the learner's own, with ACE, and with an endpoint that costs nothing."""
    mine = baseline(values)
    endpoints = [*BASELINES, *([] if mine in BASELINES else [mine]), ACE, IDEAL]
    return [_trained(values["model"], each, dims(values), values["samples"]) for each in endpoints]


def speed_up(values: Values) -> float:
    """How many times as fast as the fastest named baseline ACE trains."""
    times = {each.name: each.total_ns for each in trained(values)}
    return min(times[each.name] for each in BASELINES) / times[ACE.name]


def code(values: Values) -> str:
    """The same in Python."""
    mine: Any = baseline(values)
    sizes = dims(values)
    steps = f"torus_all_reduce({sizes})"
    if values["collective"] in ALGORITHMS:
        steps = f'ae.schedule("{values["collective"]}", "{ALGORITHMS[values["collective"]]}", {sizes[0]})'
    return f"""from astra_edu.studies.endpoint import ACE, Endpoint, iteration, torus_all_reduce, traffic
steps = {steps}
for on_chip in (False, True):
    print(traffic(steps, on_chip).reads_per_byte, "bytes read for each byte sent")
for endpoint in (Endpoint("{mine.name}", {values["memory"]}e9, {values["cores"]}), ACE):
    run = iteration("{values["model"]}", endpoint, {sizes}, {values["samples"]})
    print(endpoint.name, run.total_ns / {PASSES} / 1e6, "ms an iteration")"""
