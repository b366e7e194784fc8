"""How long a worker computes: distributions with a seed, and how long the slowest of n takes on average.

Every worker has random numbers of its own, so its k-th iteration takes the same time in whatever mode the workers run:
what differs between two runs is the mode. They are made from Python's random.Random alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from math import cos, exp, log, pi, sqrt
from random import Random

from astra_edu.base.errors import ConfigError, choice, not_negative, positive, whole

KINDS = ("constant", "uniform", "exponential", "log-normal")
LONGEST_NS = 10**18
"""The longest mean compute time, 31.7 years."""
MOST_TERMS = 10**6
"""The most terms that harmonic adds up."""


@dataclass(frozen=True)
class ComputeTimes:
    """The compute times of all workers' iterations, in whole ns.

    kind and spread: "constant", always mean_ns; "uniform", mean_ns × (1 ± spread); "exponential", a fixed part of
    mean_ns × (1 − spread) and an exponential part with the mean mean_ns × spread (a spread of 1: nothing fixed);
    "log-normal", with the mean mean_ns, and spread as the standard deviation of the logarithm. slow: how many times as
    long the straggler takes in every iteration. straggler: which worker that is.

    Raises ConfigError for a kind there isn't, for a spread that doesn't fit it, and for times above LONGEST_NS.

    >>> from astra_edu.studies.synchronisation import ComputeTimes
    >>> times = ComputeTimes("constant", mean_ns=1000, slow=1.5)
    >>> times.mean_of(0), times.mean_of(1)
    (1500.0, 1000.0)
    """

    kind: str = "constant"
    mean_ns: float = 1_000_000
    spread: float = 0.0
    slow: float = 1.0
    seed: int = 1
    straggler: int = 0

    def __post_init__(self) -> None:
        choice("kind", self.kind, KINDS)
        object.__setattr__(self, "mean_ns", positive("mean_ns", self.mean_ns))
        object.__setattr__(self, "spread", not_negative("spread", self.spread))
        object.__setattr__(self, "slow", positive("slow", self.slow))
        object.__setattr__(self, "seed", whole("seed", self.seed, at_least=0))
        object.__setattr__(self, "straggler", whole("straggler", self.straggler, at_least=0))
        if self.mean_ns * max(1, self.slow) > LONGEST_NS:
            raise ConfigError(
                f"mean_ns is {self.mean_ns:g} and slow is {self.slow:g}; no worker's mean may be more than "
                f"{LONGEST_NS:g} ns, which is 31.7 years."
            )
        if self.kind == "constant" and self.spread:
            raise ConfigError(f"spread is {self.spread:g}; constant times have none. Give 0, or another kind.")
        if self.spread > (most := 3 if self.kind == "log-normal" else 1):
            raise ConfigError(f"spread is {self.spread:g}; of {self.kind} times it is {most} at most.")

    def of_worker(self, worker: int) -> Iterator[int]:
        """The compute times (ns) of a worker's iterations 0, 1, ..., without end; 1 ns at least."""
        scale = self.mean_of(worker)
        for factor in self._factors(Random(f"compute {self.seed} {worker}")):
            yield max(1, round(scale * factor))

    def mean_of(self, worker: int) -> float:
        """The mean (ns) of a worker's compute times."""
        return self.mean_ns * (self.slow if worker == self.straggler else 1)

    def slowest_ns(self, workers: int) -> float:
        """E[max]: how long (ns) the slowest of n workers takes on average, where there is a sum for it.

        Exponential: the fixed part + H_n × the rest; uniform: lowest + n/(n + 1) × range. Raises ConfigError for
        log-normal times and for a straggler among times that aren't constant: run it.
        """
        n = whole("workers", workers, at_least=1)
        match self.kind:
            case "constant":
                return max(self.mean_of(worker) for worker in {0, min(self.straggler, n - 1), n - 1})
            case "uniform" if self.slow == 1:
                return self.mean_ns * (1 - self.spread + 2 * self.spread * n / (n + 1))
            case "exponential" if self.slow == 1:
                return self.mean_ns * (1 - self.spread + self.spread * harmonic(n))
        straggler = f" with a straggler of {self.slow:g}" if self.slow != 1 else ""
        raise ConfigError(f"there is no simple sum for the slowest of {n} {self.kind} times{straggler}; run it.")

    def _factors(self, random: Random) -> Iterator[float]:
        """What the mean is multiplied by, iteration by iteration."""
        s = self.spread
        draw: dict[str, Callable[[], float]] = {
            "uniform": lambda: 1 - s + 2 * s * random.random(),
            "exponential": lambda: 1 - s - s * log(1 - random.random()),
            "log-normal": lambda: exp(s * normal(random) - s * s / 2),
        }
        if self.kind == "constant":
            yield from repeat(1.0)
        while True:
            yield draw[self.kind]()


def harmonic(n: int) -> float:
    """H_n = 1 + 1/2 + ... + 1/n: what the slowest of n exponential times takes, in means; n up to MOST_TERMS.

    >>> from astra_edu.studies.synchronisation import harmonic
    >>> [round(harmonic(n), 2) for n in (1, 4, 64)]
    [1.0, 2.08, 4.74]
    """
    if (n := whole("n", n, at_least=1)) > MOST_TERMS:
        raise ConfigError(
            f"n is {n:,}; this adds up {MOST_TERMS:,} terms at most. For a large n, H_n is ln n + 0.5772."
        )
    return sum(1 / k for k in range(1, n + 1))


def normal(random: Random) -> float:
    """A number with mean 0 and standard deviation 1 (Box and Muller's way)."""
    return sqrt(-2 * log(1 - random.random())) * cos(2 * pi * random.random())
