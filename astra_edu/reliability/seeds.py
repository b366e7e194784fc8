"""The same job with other failures: how the goodput is spread, and which interval between checkpoints is best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from statistics import mean, quantiles, stdev
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, list_of, whole
from astra_edu.reliability.formulas import best_every, daly_s, goodput_share, young_s
from astra_edu.reliability.job import TrainingJob, checked_job
from astra_edu.reliability.result import KINDS, Goodput, several_days
from astra_edu.reliability.run import goodput

if TYPE_CHECKING:
    import pandas as pd

WIDEST = 4.0
"""How many times as long as Daly's interval, and as short, the longest and the shortest of a search are."""
STEPS = 9


@dataclass(frozen=True, eq=False)
class OverSeeds:
    """A job with the failures of several seeds, one run each.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> from astra_edu.reliability import over_seeds
    >>> over_seeds(job, days=54, seeds=range(10))
    <goodput 84.9 % ± 0.1 % on average over 10 seeds of 54 days, from 84.2 % to 85.7 %>
    """

    job: TrainingJob
    runs: Sequence[Goodput] = field(repr=False)

    @cached_property
    def shares(self) -> tuple[float, ...]:
        """The goodput of each seed."""
        return tuple(run.share for run in self.runs)

    @property
    def mean(self) -> float:
        """The goodput on average."""
        return mean(self.shares)

    @property
    def standard_error(self) -> float:
        """How far this average is off on average, by its own spread: standard deviation / sqrt(seeds)."""
        return stdev(self.shares) / sqrt(len(self.shares))

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """A quarter, half and three quarters of the seeds have less."""
        low, middle, high = quantiles(self.shares, n=4, method="inclusive")
        return low, middle, high

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each seed: failures, goodput, and the share of each kind of time."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"seed": run.seed, "failures": len(run.failures_s)} | {kind: run.share_of(kind) for kind in KINDS}
                for run in self.runs
            ]
        )

    def __repr__(self) -> str:
        low, high = 100 * min(self.shares), 100 * max(self.shares)
        return (
            f"<goodput {100 * self.mean:.1f} % ± {100 * self.standard_error:.1f} % on average over {len(self.runs)} "
            f"seeds of {several_days(self.runs[0].days)}, from {low:.1f} % to {high:.1f} %>"
        )


def over_seeds(job: TrainingJob, days: float, seeds: Iterable[int] = range(20)) -> OverSeeds:
    """Follow a job with the failures of each seed, two at least; see `goodput`.

    >>> job = ae.TrainingJob(8, iteration_s=10, npu_mtbf_h=100, checkpoint_every=100, checkpoint_bytes="1 TB",
    ...                      storage_gb_s=10)
    >>> from astra_edu.reliability import over_seeds
    >>> [len(run.failures_s) for run in over_seeds(job, days=10, seeds=(1, 2, 3)).runs]
    [15, 18, 29]
    """
    chosen = list_of("seeds", seeds, "give whole numbers, such as range(20)")
    if len(chosen) < 2:
        raise ConfigError(f"seeds is {list(chosen)}; give two at least, or use ae.goodput for one.")
    return OverSeeds(job, tuple(goodput(job, days, seed) for seed in chosen))


@dataclass(frozen=True, eq=False)
class Intervals:
    """The goodput over the interval between checkpoints.

    found: a job with each interval, over the same seeds, the shortest first.

    >>> job = ae.TrainingJob(8, iteration_s=10, npu_mtbf_h=1000, checkpoint_every=100, checkpoint_bytes="1 TB",
    ...                      storage_gb_s=10)
    >>> from astra_edu.reliability import intervals
    >>> found = intervals(job, days=30, seeds=range(4), every=(300, 900))
    >>> found.best.job.checkpoint_every, round(found.young_s), round(found.daly_s)
    (900, 9487, 9420)
    """

    job: TrainingJob
    found: Sequence[OverSeeds] = field(repr=False)

    @property
    def young_s(self) -> float:
        """Young's interval (s) for what a checkpoint holds training up."""
        return young_s(self.job.blocked_s, self.job.mtbf_s)

    @property
    def daly_s(self) -> float:
        """Daly's interval (s)."""
        return daly_s(self.job.blocked_s, self.job.mtbf_s)

    @property
    def best(self) -> OverSeeds:
        """The one with the largest goodput on average."""
        return max(self.found, key=lambda over: over.mean)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each interval: iterations, seconds, the goodput by the formula and simulated, standard error."""
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "checkpoint_every": over.job.checkpoint_every,
                    "interval_s": over.job.interval_s,
                    "formula": goodput_share(over.job),
                    "simulated": over.mean,
                    "standard_error": over.standard_error,
                }
                for over in self.found
            ]
        )

    def __repr__(self) -> str:
        best = f"best interval {self.best.job.interval_s:,.0f} s of {len(self.found)}"
        return f"<{best}; Young {self.young_s:,.0f} s, Daly {self.daly_s:,.0f} s>"


def intervals(
    job: TrainingJob, days: float, seeds: Iterable[int] = range(20), every: Iterable[int] | None = None
) -> Intervals:
    """Try intervals between checkpoints on the same failures.

    every: how many iterations; None: nine from a quarter of the best by the formula to four times that.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> from astra_edu.reliability import intervals
    >>> intervals(job, days=54, seeds=range(5), every=(30, 110, 400))
    <best interval 1,100 s of 3; Young 1,148 s, Daly 1,109 s>
    """
    checked_job(job)
    if every is None:
        middle = best_every(job)
        steps = (WIDEST ** (2 * k / (STEPS - 1) - 1) for k in range(STEPS))
        every = sorted({max(1, round(middle * step)) for step in steps})
    counts = list_of("every", every, "give numbers of iterations, such as (50, 100, 200)")
    if not counts:
        raise ConfigError("every is empty; give numbers of iterations, such as (50, 100, 200).")
    chosen = list_of("seeds", seeds, "give whole numbers, such as range(20)")
    wanted = sorted({whole("every", count, at_least=1) for count in counts})
    return Intervals(job, tuple(over_seeds(replace(job, checkpoint_every=count), days, chosen) for count in wanted))
