"""The clusters for which exercise 10 asks for a mode, and how long each takes with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf, nan
from numbers import Real

from astra_edu.base.errors import ConfigError, choice, suggestion
from astra_edu.base.units import MIB
from astra_edu.course.check.spelling import named
from astra_edu.course.studies.synchronisation import (
    Cluster,
    ComputeTimes,
    Run,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
)
from astra_edu.network import Dimension

Setting = str | float
SEEDS = range(1, 6)
_LARGEST = 10**6
_TOGETHER, _APART = "bulk-synchronous", "asynchronous"


@dataclass(frozen=True)
class Case:
    """Workers that train, on a switch of 50 GB/s and 500 ns.

    slow: how many times as long the straggler takes as the others' 10 ms ± 20 %. batch, rate: of the descent, whose
    loss is to stay within `loss` of the smallest one from goal_ms on, on average over SEEDS; it runs for until_ms.
    """

    workers: int
    slow: float
    mib: int
    batch: int
    rate: float
    loss: float
    goal_ms: int
    until_ms: int

    def run(self, setting: Setting, seed: int = SEEDS[0]) -> Run:
        """What its workers do in a mode. Raises ConfigError as setting_of."""
        setting = setting_of(setting)
        times = ComputeTimes("uniform", 10_000_000, 0.2, self.slow, seed)
        cluster = Cluster.on(Dimension.of("Switch", self.workers, 50, 500), times, self.mib * MIB)
        until = self.until_ms * 1e6
        if setting == _TOGETHER:
            return bulk_synchronous(cluster, until)
        return asynchronous(cluster, until) if setting == inf else bounded_staleness(cluster, until, float(setting))


CLUSTERS = {
    "A": Case(16, slow=3, mib=4, batch=64, rate=1.7, loss=0.1, goal_ms=105, until_ms=800),
    "B": Case(8, slow=1.5, mib=256, batch=16, rate=1.0, loss=0.1, goal_ms=300, until_ms=1000),
    "C": Case(8, slow=4, mib=4, batch=16, rate=0.5, loss=0.1, goal_ms=250, until_ms=1500),
}


def setting_of(value: object) -> Setting:
    """A mode or a bound as it is meant; infinity is asynchronous. Raises ConfigError for anything else."""
    if isinstance(value, str):
        mode = named(value, (_TOGETHER, _APART), {"async": _APART, "synchronous": _TOGETHER, "sync": _TOGETHER})
        if mode is None:
            raise ConfigError(f"{value!r} is no mode; {suggestion(value, (_TOGETHER, _APART))} Or give a bound.")
        return inf if mode == _APART else mode
    if isinstance(value, int) and value > _LARGEST:
        value = _LARGEST + 1  # a larger one may be too large for a float
    bound = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if _LARGEST < bound < inf:
        raise ConfigError(f'a bound above {_LARGEST:,} never makes anybody wait; "{_APART}" says so.')
    if not (bound >= 0 and bound in (inf, bound // 1)):
        raise ConfigError(f'{value!r} is no bound; give a whole number, "{_TOGETHER}" or "{_APART}".')
    return bound


def mean_ms(letter: str, setting: Setting) -> float:
    """From when on (ms, mean over SEEDS) a cluster stays below its loss in a mode; infinity if one run doesn't.

    Raises ConfigError for a cluster there isn't, and as setting_of.
    """
    return _mean_ms(choice("cluster", letter, CLUSTERS), setting_of(setting))


@cache
def _mean_ms(letter: str, setting: Setting) -> float:
    from astra_edu.course.studies.synchronisation.sgd import Regression, train  # here, because it needs NumPy

    case = CLUSTERS[letter]
    trainings = [train(Regression(), case.run(setting, seed), case.batch, case.rate) for seed in SEEDS]
    return sum(training.time_to(case.loss) for training in trainings) / len(SEEDS) / 1e6


def hint(letter: str, setting: Setting) -> str:
    """What keeps a cluster from its goal in a mode."""
    loose = setting != _TOGETHER and float(setting) >= 4
    match letter:
        case "A" if loose:
            return "the rate is near the largest that converges at all, and gradients as stale as that overshoot."
        case "A":
            return "15 workers spend most of their time waiting for one."
        case "B":
            return "the server's port takes 5 ms for a push. How many pushes a second is that, for 8 workers of 10 ms?"
    if setting == _TOGETHER:
        return "7 workers spend most of their time waiting for one."
    return "a bound against a worker that is always slow only puts off the moment from which all have its pace."
