"""How a training's steps vary: each is as slow as its slowest NPU, which is later the more of them there are.

An NPU's computing varies from step to step (log-normal), and now and then its host pauses (the operating system,
garbage collection, slow storage), for a while that is exponential. All NPUs wait for the last one, once a step; what
they send takes as long as ever. NPUs are late independently of each other and of the step before.

The numbers were fitted to the logged steps of 37 submissions of Llama 3.1 8B and 405B to MLPerf Training v5.1
(mlcommons/training_results_v5.1, as `measured.mlperf_steps` reads them), on 8 to 5,120 H200, B200, B300, GB200 and
GB300, where p95 is 0.3 to 5 % above p50. Fitted to every other submission, p95 / p50 - 1 of the rest is off by a factor
of 1.3 in the median, of 12 at worst; p99 / p50 - 1 by 1.4, and by 59. Of 8 NPUs in one computer one number makes all
that is between p5 and p99; beyond, networks vary, too, and the logs don't say who was late. Four more submissions were
left out: two time evaluations as steps, of two the steps are of two kinds. Evaluations and checkpoints are in none.
What a step would take without stragglers no log of steps can say; that is the model's word, if NPUs really are late
independently of each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, expm1, inf, log, log1p, sqrt
from random import Random
from statistics import NormalDist, fmean

from astra_edu.base.errors import ConfigError, not_negative, positive, shown, whole
from astra_edu.base.units import several
from astra_edu.explore.iteration.plan_times import PlannedIteration
from astra_edu.explore.iteration.result import Iteration

SPREADS = {r"h200": 0.009, r"g?b200": 0.016, r"g?b300": 0.006}
"""The coefficient of variation (standard deviation / mean) of an NPU's computing, by the machines that were logged."""
SPREAD = 0.009
"""Where nothing is known: of the three the one in the middle."""
PAUSES_PER_H, PAUSE_MS = 1.0, 50.0
"""Pauses of each NPU in an hour, and how long one is on average."""
LONGEST_NS = 1e18
MOST_DRAWS = 100_000
"""Steps, and pauses in them; about a second."""
_NORMAL = NormalDist()


@dataclass(frozen=True, eq=False)
class StepTimes:
    """The times of a training's steps, as one seed has them.

    ns: of each step. base_ns: of a step in which every NPU takes what it takes on average. stops_ns: of all steps
    together, in which all stopped (`stop_every`).

    >>> steps = ae.step_times(2_000_000_000, npus=1024, spread=0.01, steps=2000)
    >>> [f"{ns / 1e9:.3f} s" for ns in (steps.p50_ns, steps.p95_ns, steps.p99_ns)]
    ['2.067 s', '2.122 s', '2.191 s']
    """

    base_ns: float
    npus: int
    seed: int
    ns: Sequence[float] = field(repr=False)
    stops_ns: int = 0

    @cached_property
    def _ascending(self) -> list[float]:
        return sorted(self.ns)

    def quantile_ns(self, share: float) -> float:
        """That share of the steps takes no longer; between two steps on a line. Raises ConfigError beyond 0 to 1."""
        if (share := not_negative("share", share)) > 1:
            raise ConfigError(f"share is {share:g}; it is 1 at most, the slowest step.")
        place = share * (len(self.ns) - 1)
        below = int(place)
        low, high = self._ascending[below], self._ascending[min(below + 1, len(self.ns) - 1)]
        return low + (place - below) * (high - low)

    @property
    def p50_ns(self) -> float:
        """Half of the steps take no longer."""
        return self.quantile_ns(0.5)

    @property
    def p95_ns(self) -> float:
        """One step in 20 takes longer."""
        return self.quantile_ns(0.95)

    @property
    def p99_ns(self) -> float:
        """One step in 100 takes longer."""
        return self.quantile_ns(0.99)

    @property
    def mean_ns(self) -> float:
        """On average; what a long training is paid by."""
        return fmean(self.ns)

    @property
    def stragglers_ns(self) -> float:
        """What waiting for the slowest NPU adds to a step on average, without the stops."""
        return self.mean_ns - self.base_ns - self.stops_ns / len(self.ns)

    @property
    def stragglers_share(self) -> float:
        """The same as a share of all time."""
        return self.stragglers_ns / self.mean_ns

    def __repr__(self) -> str:
        p50, p95, p99 = (f"{ns / 1e6:,.3f}" for ns in (self.p50_ns, self.p95_ns, self.p99_ns))
        return (
            f"<{several(len(self.ns), 'step')} on {several(self.npus, 'NPU')}: p50 {p50} ms, p95 {p95}, p99 {p99}; "
            f"waiting for the slowest {round(100 * self.stragglers_share, 1) + 0.0:.1f} %>"
        )


def step_times(
    iteration: Iteration | PlannedIteration | float,
    steps: int = 1000,
    seed: int = 0,
    *,
    npus: int | None = None,
    spread: float | None = None,
    pauses_per_h: float = PAUSES_PER_H,
    pause_ms: float = PAUSE_MS,
    stop_every: int = 0,
    stop_ms: float = 0.0,
) -> StepTimes:
    """The times of so many steps of an iteration that is estimated, or takes so many ns; the same for the same seed.

    npus: how many wait for each other; an estimate says it. spread: the coefficient of variation of what an NPU
    computes in a step; None: of its device, if such steps were logged (SPREADS), else SPREAD. pauses_per_h, pause_ms:
    of each NPU, how often and how long (mean) its host pauses. Every stop_every-th step all stop for stop_ms, as for a
    checkpoint or an evaluation; 0: never. What collectives expose varies by nothing.

    A measured time, and one of `measured.predict`, has its stragglers in it: of such take p95_ns / p50_ns, no more.
    Raises ConfigError for what isn't so, and where more steps and pauses would be drawn than a second allows.

    >>> took = ae.estimate("gpt2", ae.Strategy(data=64), "b200", ae.machine("b200").platform(64))
    >>> ae.step_times(took, steps=500, seed=1)
    <500 steps on 64 NPUs: p50 29.097 ms, p95 29.308, p99 29.442; waiting for the slowest 2.1 %>
    """
    base_ns, varies_ns, npus, name = _taken(iteration, npus)
    steps, seed = whole("steps", steps, at_least=1), whole("seed", seed, at_least=0)
    if spread is None:
        spread = next((each for pattern, each in SPREADS.items() if re.match(pattern, name)), SPREAD)
    if (spread := not_negative("spread", spread)) > 1:
        raise ConfigError(f"spread is {spread:g}; it is 1 at most, a standard deviation as large as the mean.")
    rate = not_negative("pauses_per_h", pauses_per_h) / 3.6e12
    pause_ns = not_negative("pause_ms", pause_ms) * 1e6
    every, stop_ns = whole("stop_every", stop_every, at_least=0), not_negative("stop_ms", stop_ms) * 1e6
    for what, ns in (("pause_ms", pause_ns), ("stop_ms", stop_ns)):
        if ns > LONGEST_NS:
            raise ConfigError(f"{what} makes {ns:.3g} ns; {LONGEST_NS:.0e} ns, 31.7 years, are the most.")
    if bool(every) != bool(stop_ns):
        raise ConfigError(
            f"stop_every is {every} and stop_ms {stop_ns / 1e6:g}: give how often and how long, or neither."
        )
    paused = npus * rate * base_ns if pause_ns else 0.0
    if (draws := steps * (1 + paused)) > MOST_DRAWS:
        raise ConfigError(
            f"about {draws:,.0f} steps and pauses would be drawn; {MOST_DRAWS:,} are the most. "
            "Take fewer steps, or fewer pauses_per_h."
        )
    slowest = _slowest(npus, varies_ns, spread, paused, pause_ns, seed)
    stops = [bool(every) and number % every == 0 for number in range(1, steps + 1)]
    found = tuple(
        round(base_ns - varies_ns + ns + stop_ns * stops_now) for ns, stops_now in zip(slowest, stops, strict=False)
    )
    return StepTimes(base_ns, npus, seed, found, round(stop_ns) * sum(stops))


def _taken(iteration: object, npus: object) -> tuple[float, float, int, str]:
    """(ns of a step, those of them that vary, NPUs, the device's name)."""
    many = None if npus is None else whole("npus", npus, at_least=1)
    if isinstance(iteration, PlannedIteration):
        total, own, name = iteration.total_ns, iteration.plan.strategies[0].npus, ""
        return total, total - iteration.exposed_ns, _same(many, own), name
    if isinstance(iteration, Iteration):
        longest, name = iteration.at_least or iteration, iteration.device.name if iteration.device else ""
        total = longest.total_ns
        return total, total - sum(longest.exposed.values()), _same(many, iteration.strategy.npus), name
    if isinstance(iteration, str) or iteration is None:
        raise ConfigError(f"iteration is {shown(iteration)}; give what ae.estimate(...) returns, or ns.")
    if (ns := positive("iteration", iteration)) > LONGEST_NS:
        raise ConfigError(f"iteration is {ns:.3g} ns; {LONGEST_NS:.0e} ns, 31.7 years, are the most.")
    if many is None:
        raise ConfigError("npus isn't given; a time alone doesn't say how many NPUs wait for each other.")
    return ns, ns, many, ""


def _same(given: int | None, own: int) -> int:
    if given not in (None, own):
        raise ConfigError(f"npus is {given}; this iteration is one of {own}. Leave npus out.")
    return own


def _slowest(npus: int, mean_ns: float, spread: float, paused: float, pause_ns: float, seed: int) -> Iterator[float]:
    """Step by step what the slowest NPU takes. paused: pauses of all NPUs in a step, on average.

    Of those without a pause only the slowest is drawn: all n are below x with probability F(x) ** n.
    """
    varies, pauses = Random(f"steps {seed}"), Random(f"pauses {seed}")
    deviation = sqrt(log1p(spread * spread))

    def taken(deviations: float) -> float:
        return mean_ns * exp(deviation * deviations - deviation * deviation / 2)

    while True:
        late = dict[int, float]()
        at = pauses.expovariate(paused) if paused else inf
        while at < 1:
            npu = pauses.randrange(npus)
            late[npu] = late.get(npu, 0) + pauses.expovariate(1 / pause_ns)
            at += pauses.expovariate(paused)
        longest = max((taken(pauses.gauss()) + ns for ns in late.values()), default=0.0)
        drawn = log(1 - varies.random())
        if (others := npus - len(late)) > 0:
            above = min(max(-expm1(drawn / others), 1e-300), 1 - 1e-16)
            longest = max(longest, taken(-_NORMAL.inv_cdf(above)))
        yield longest
