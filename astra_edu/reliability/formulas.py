"""The goodput on average, and the interval between checkpoints that makes it largest.

J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974. J. T. Daly, "A higher
order estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems 22, 2006.

`goodput_share` is exact where failures are a Poisson process and a spare is always there. From one recovery to the
next failure the job runs for an exponential time X with mean M. Its first checkpoint counts after f seconds (it trains,
stands still, and stores), each other one s seconds after the one before, so it keeps as many as there are k >= 0 with
f + k s <= X: on average exp(-f/M) / (1 - exp(-s/M)). A recovery of R, begun anew when something fails in it, takes
M (exp(R/M) - 1), so M exp(R/M) pass from one to the next. Where training stands still while it is stored, f = s, and
this is Daly's cost function.
"""

from __future__ import annotations

from dataclasses import replace
from math import exp, expm1, inf, sqrt

from astra_edu.base.errors import ConfigError, not_negative, positive
from astra_edu.reliability.job import LONGEST_S, TrainingJob, checked_job


def young_s(checkpoint_s: float, mtbf_s: float) -> float:
    """Young's interval (s) of training between two checkpoints that take `checkpoint_s`: sqrt(2 checkpoint MTBF).

    >>> from astra_edu.reliability import young_s
    >>> young_s(checkpoint_s=300, mtbf_s=24 * 3600) / 60
    120.0
    """
    return sqrt(2 * not_negative("checkpoint_s", checkpoint_s) * positive("mtbf_s", mtbf_s))


def daly_s(checkpoint_s: float, mtbf_s: float) -> float:
    """Daly's interval (s) of training between two checkpoints: Young's with two more terms of its series.

    The MTBF where a checkpoint takes more than twice as long as that.

    >>> from astra_edu.reliability import daly_s
    >>> round(daly_s(checkpoint_s=300, mtbf_s=24 * 3600) / 60)
    117
    """
    first = young_s(checkpoint_s, mtbf_s)
    part = checkpoint_s / (2 * mtbf_s)
    return first * (1 + sqrt(part) / 3 + part / 9) - checkpoint_s if part < 1 else mtbf_s


def goodput_share(job: TrainingJob) -> float:
    """The share of the time that is useful, on average over a long time, with enough spares; see the module.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> from astra_edu.reliability import goodput_share
    >>> round(goodput_share(job), 3)
    0.851
    """
    checked_job(job)
    train, behind, mtbf = job.interval_s, job.behind_s, job.mtbf_s
    first, period = train + job.blocked_s + behind, max(train, behind) + job.blocked_s
    if mtbf == inf:
        return train / period
    return train * exp(-(first + job.recovery_s) / mtbf) / (mtbf * -expm1(-period / mtbf))


def best_every(job: TrainingJob) -> int:
    """The iterations between two checkpoints with which `goodput_share` is largest, found by search.

    Raises ConfigError where nothing ever fails, so that none is best, and where no interval leaves any goodput.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> from astra_edu.reliability import best_every, daly_s, young_s
    >>> best_every(job), round(young_s(60, job.mtbf_s) / 10), round(daly_s(60, job.mtbf_s) / 10)
    (111, 115, 111)
    """
    checked_job(job)
    assert isinstance(job.iteration_s, float)
    if job.mtbf_s == inf and job.blocked_s:
        raise ConfigError("npu_mtbf_h is inf: nothing ever fails, and the longer between checkpoints, the better.")

    def share(every: int) -> float:
        return goodput_share(replace(job, checkpoint_every=every))

    low, high = 1, max(2, int(min(LONGEST_S, 4 * (min(job.mtbf_s, LONGEST_S / 8) + job.store_s)) / job.iteration_s))
    while high - low > 2:  # it rises up to the best one and falls from there on
        third = (high - low) // 3
        if share(low + third) < share(high - third):
            low += third
        else:
            high -= third
    best = max(range(low, high + 1), key=share)
    if not share(best):
        raise ConfigError(
            f"something fails every {job.mtbf_s:.3g} s, and {job.recovery_s + job.blocked_s:.3g} s go by without "
            "training from a failure to the next checkpoint: no interval leaves any goodput."
        )
    return best
