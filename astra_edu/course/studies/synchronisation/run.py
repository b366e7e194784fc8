"""What workers did, and when: the record that tables, figures and the training read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, choice, whole

ACTIVITIES = ("compute", "communicate", "queue", "wait")
"""What a worker does at any time. queue: for the server's port; wait: for other workers."""


class WorkerSpan(NamedTuple):
    """What a worker did from start to end, in ns. kind: one of ACTIVITIES.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, bulk_synchronous
    >>> run = bulk_synchronous(Cluster(2, ComputeTimes(mean_ns=1000), exchange_ns=500), until_ns=3000)
    >>> [(span.kind, span.end_ns) for span in run.spans if span.worker == 0]
    [('compute', 1000), ('communicate', 1500.0), ('compute', 2500.0), ('communicate', 3000.0)]
    """

    worker: int
    kind: str
    start_ns: float
    end_ns: float


class Update(NamedTuple):
    """A gradient that was applied to the parameters.

    The parameters change in steps: step s makes version s + 1 of version s. read: the version that the gradient was
    computed on; step: the one that it is part of; applied_ns: when that was.

    >>> from astra_edu.studies.synchronisation import Update
    >>> Update(worker=2, iteration=5, read=7, step=9, applied_ns=1000).staleness
    2
    """

    worker: int
    iteration: int
    read: int
    step: int
    applied_ns: float

    @property
    def staleness(self) -> int:
        """How many steps were made by others since the worker read its parameters."""
        return self.step - self.read


@dataclass(frozen=True)
class Run:
    """What `workers` workers did in `until_ns` ns.

    spans: worker by worker, each without a gap from 0 to until_ns. updates: in the order in which they were applied.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, bulk_synchronous
    >>> run = bulk_synchronous(Cluster(4, ComputeTimes(mean_ns=1000), exchange_ns=500), until_ns=6000)
    >>> run.updates_per_s, run.mean_staleness
    (2000000.0, 0.0)
    """

    mode: str
    workers: int
    until_ns: float
    spans: tuple[WorkerSpan, ...]
    updates: tuple[Update, ...]

    def __repr__(self) -> str:
        stale = f", mean staleness {self.mean_staleness:.2f}" if self.updates else ""
        return f"<{self.mode}: {self.updates_per_s:,.0f} updates/s{stale}>"

    @property
    def updates_per_s(self) -> float:
        """Gradients applied for each second."""
        return len(self.updates) / self.until_ns * 1e9

    @cached_property
    def staleness(self) -> Mapping[int, int]:
        """staleness: how many updates had it; in ascending order."""
        return dict(sorted(Counter(update.staleness for update in self.updates).items()))

    @property
    def mean_staleness(self) -> float:
        """The mean over all updates. Raises ConfigError if there is none."""
        if not self.updates:
            raise ConfigError(f"no update was applied in the run's {self.until_ns:,.10g} ns; run it for longer.")
        return sum(update.staleness for update in self.updates) / len(self.updates)

    def iteration_ns(self, worker: int) -> list[float]:
        """How long each of a worker's iterations took, from one update of its own to the next.

        Raises ConfigError for a worker there isn't.
        """
        worker = self._number(worker)
        ends = [0.0, *(update.applied_ns for update in self.updates if update.worker == worker)]
        return [b - a for a, b in pairwise(ends)]

    def time_ns(self, worker: int, kind: str) -> float:
        """For how long a worker did what `kind` says. Raises ConfigError for a worker or a kind there isn't."""
        worker, kind = self._number(worker), choice("kind", kind, ACTIVITIES)
        return sum(span.end_ns - span.start_ns for span in self.spans if (span.worker, span.kind) == (worker, kind))

    def share(self, kind: str) -> float:
        """The share of all workers' time in which they did it. Raises ConfigError for a kind there isn't."""
        kind = choice("kind", kind, ACTIVITIES)
        time = sum(span.end_ns - span.start_ns for span in self.spans if span.kind == kind)
        return time / (self.workers * self.until_ns)

    def _number(self, worker: int) -> int:
        number = whole("worker", worker, at_least=0)
        if number >= self.workers:
            raise ConfigError(f"worker is {number:,}; this run's workers are 0 to {self.workers - 1:,}.")
        return number
