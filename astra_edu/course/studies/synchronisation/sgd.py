"""Stochastic gradient descent by workers with clocks, really run: the log of a Run says who computes on what, and when.

The problem is a linear regression, small enough to know its optimum: how far the loss is above the best there is can
be seen down to the smallest differences. Every worker draws its mini-batches from random numbers of its own, so that
its k-th gradient is of the same samples in every mode.

A gradient moves the parameters by rate / n, in all modes. n gradients of a bulk-synchronous step then are a step of
`rate` along their mean; applied one by one, on the same parameters, they lead to the same place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, repeat
from math import inf
from random import Random

import numpy as np
from numpy.typing import NDArray

from astra_edu.base.errors import ConfigError, not_negative, positive, whole
from astra_edu.course.studies.synchronisation.run import Run
from astra_edu.course.studies.synchronisation.times import normal

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Regression:
    """Fit w in y = x · w + noise, by the mean of (x · w − y)² / 2 over all samples.

    The features are normally distributed, with standard deviations from 1 down to 1/3; the noise has one of `noise`.
    Training begins at w = 0; the true parameters are `far` or −`far`. Raises ConfigError for too few samples.
    """

    samples: int = 512
    features: int = 8
    noise: float = 1.0
    far: float = 3.0
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", whole("features", self.features, at_least=1))
        object.__setattr__(self, "samples", whole("samples", self.samples, at_least=1))
        object.__setattr__(self, "noise", not_negative("noise", self.noise))
        object.__setattr__(self, "far", positive("far", self.far))
        object.__setattr__(self, "seed", whole("seed", self.seed, at_least=0))
        if self.samples < 2 * self.features:
            raise ConfigError(
                f"samples is {self.samples}; {self.features} features need {2 * self.features} or more for an optimum "
                "that says something."
            )

    @cached_property
    def data(self) -> tuple[Floats, Floats]:
        """(x, one row a sample; y)."""
        random = Random(f"regression {self.seed}")
        x = np.array([[normal(random) for _ in range(self.features)] for _ in range(self.samples)])
        x *= np.linspace(1, 1 / 3, self.features)
        truth = np.array([self.far if random.random() < 0.5 else -self.far for _ in range(self.features)])
        return x, x @ truth + self.noise * np.array([normal(random) for _ in range(self.samples)])

    @cached_property
    def curvature(self) -> Floats:
        """The second derivatives of the loss, which are the same everywhere."""
        x, _ = self.data
        return x.T @ x / self.samples

    @cached_property
    def optimum(self) -> Floats:
        """The parameters with the smallest loss."""
        x, y = self.data
        return np.asarray(np.linalg.solve(self.curvature, x.T @ y / self.samples), dtype=np.float64)

    def excess(self, w: Floats) -> float:
        """How far the loss at w is above the smallest one; infinity where it can't be told any more."""
        away = w - self.optimum
        value = float(away @ self.curvature @ away) / 2
        return value if value < inf else inf

    def gradient(self, w: Floats, rows: Sequence[int]) -> Floats:
        """The gradient of the loss over these samples."""
        x, y = self.data
        some = x[rows]
        return some.T @ (some @ w - y[rows]) / len(rows)

    def batches(self, worker: int, batch: int) -> Iterator[list[int]]:
        """A worker's mini-batches, without end: samples drawn with replacement, or all of them if batch is as many."""
        random = Random(f"batches {self.seed} {worker}")
        if batch >= self.samples:
            yield from repeat(list(range(self.samples)))
        while True:
            yield [int(random.random() * self.samples) for _ in range(batch)]


@dataclass(frozen=True)
class Training:
    """The excess loss after each step. times_ns: when it was; samples: how many had been looked at by then."""

    times_ns: tuple[float, ...]
    samples: tuple[int, ...]
    losses: tuple[float, ...]

    def __repr__(self) -> str:
        return f"<{len(self.losses) - 1:,} steps, excess loss from {self.losses[0]:.3g} to {self.losses[-1]:.2g}>"

    def time_to(self, loss: float) -> float:
        """From when on (ns) the excess loss stays at `loss` or below; infinity if it is above in the end."""
        return self._from(loss, self.times_ns)

    def samples_to(self, loss: float) -> float:
        """The same, in samples."""
        return self._from(loss, self.samples)

    def at(self, time_ns: float) -> float:
        """The excess loss at a time: after the last step that was made by then. Raises ConfigError below 0."""
        return self.losses[bisect_right(self.times_ns, not_negative("time_ns", time_ns)) - 1]

    def _from(self, loss: float, places: Sequence[float]) -> float:
        loss = not_negative("loss", loss)
        above = max((k for k, now in enumerate(self.losses) if now > loss), default=-1)
        return places[above + 1] if above + 1 < len(places) else inf


def train(problem: Regression, run: Run, batch: int, rate: float) -> Training:
    """Train on the log of a run: each gradient on the version that its worker had read, applied when the log says.

    batch: samples of a gradient; all of the problem's, if it has no more. rate: how far a step along the mean of n
    gradients goes. A training that diverges goes to infinity. Raises ConfigError for numbers that make no sense.
    """
    if not isinstance(problem, Regression) or not isinstance(run, Run):
        raise ConfigError(
            "train(problem, run, batch, rate) takes a Regression and what bulk_synchronous, asynchronous or "
            f"bounded_staleness return; it got {type(problem).__name__} and {type(run).__name__}."
        )
    batch, each = min(whole("batch", batch, at_least=1), problem.samples), positive("rate", rate) / run.workers
    batches = [problem.batches(worker, batch) for worker in range(run.workers)]
    versions = [np.zeros(problem.features)]
    times, losses = [0.0], [problem.excess(versions[0])]
    with np.errstate(all="ignore"):
        for _, updates in groupby(run.updates, key=lambda update: update.step):
            step = np.zeros(problem.features)
            for update in updates:
                step += problem.gradient(versions[update.read], next(batches[update.worker]))
                time = update.applied_ns
            versions.append(versions[-1] - each * step)
            times.append(time)
            losses.append(problem.excess(versions[-1]))
    per_step = batch * len(run.updates) // max(1, len(losses) - 1)
    return Training(tuple(times), tuple(per_step * k for k in range(len(losses))), tuple(losses))


def descend(problem: Regression, *plan: tuple[int, float, int], sample_ns: float = 1.0) -> Training:
    """One worker: for each (batch, rate, samples) of the plan in turn, steps of `rate` until `samples` were looked at.

    sample_ns: how long a sample takes. A batch of all samples or more is all of them. Raises ConfigError for numbers
    that make no sense.
    """
    if not isinstance(problem, Regression):
        raise ConfigError(f"descend(problem, *plan) takes a Regression, such as Regression(); it got {problem!r:.60}.")
    w = np.zeros(problem.features)
    seen, losses = [0], [problem.excess(w)]
    for part, (batch, rate, samples) in enumerate(map(_part, plan)):
        batch, rate = min(whole("batch", batch, at_least=1), problem.samples), positive("rate", rate)
        rows = problem.batches(part, batch)
        with np.errstate(all="ignore"):
            for _ in range(whole("samples", samples, at_least=batch) // batch):
                w = w - rate * problem.gradient(w, next(rows))
                seen.append(seen[-1] + batch)
                losses.append(problem.excess(w))
    scale = positive("sample_ns", sample_ns)
    return Training(tuple(count * scale for count in seen), tuple(seen), tuple(losses))


def _part(given: tuple[int, float, int]) -> tuple[int, float, int]:
    """A part of a plan. Raises ConfigError unless it has three numbers."""
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise ConfigError(f"a part of the plan is {given!r:.60}; give (batch, rate, samples), such as (16, 0.1, 2000).")
    batch, rate, samples = given
    return batch, rate, samples
