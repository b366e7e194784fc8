"""A job over days, event by event: it trains, stores checkpoints, fails, and goes back to the last stored one."""

from __future__ import annotations

from collections.abc import Generator
from math import inf
from random import Random
from typing import Any

import simpy

from astra_edu.base.errors import ConfigError, positive, whole
from astra_edu.reliability.job import HOUR_S, TrainingJob, checked_job
from astra_edu.reliability.result import DAY_S, Goodput, JobSpan

MOST_EVENTS = 3_000_000
"""Checkpoints and failures; about a minute."""
Steps = Generator[simpy.Event, Any, None]


def goodput(job: TrainingJob, days: float, seed: int = 0) -> Goodput:
    """Follow a job over some days of its failures; the same seed has the same failures.

    Raises ConfigError where there would be more events than can be followed.

    >>> job = ae.TrainingJob(npus=1000, iteration_s=10, npu_mtbf_h=10_000, checkpoint_every=100,
    ...                      checkpoint_bytes="1 TB", storage_gb_s=20, detect_s=60, restart_s=540)
    >>> ae.goodput(job, days=30, seed=1)
    <goodput 92.5 % of 30 days: 67 failures; checkpoint 4.6 %, lost 1.3 %, restart 1.5 %>
    """
    checked_job(job)
    total_s = positive("days", days) * DAY_S
    seed = whole("seed", seed, at_least=0)
    events = total_s / (job.interval_s + job.blocked_s) + total_s / job.mtbf_s
    if events > MOST_EVENTS:
        raise ConfigError(
            f"about {events:,.0f} checkpoints and failures would have to be followed; {MOST_EVENTS:,} are the most. "
            "Take fewer days, or more iterations between checkpoints."
        )
    followed = _Followed(job, seed)
    followed.env.run(until=total_s)
    followed.done()
    return Goodput(job, float(days), seed, tuple(followed.spans), tuple(followed.failures))


class _Followed:
    """A job on its way. spans: what has been done; those of training are kept or lost only later on."""

    def __init__(self, job: TrainingJob, seed: int) -> None:
        self.job = job
        self.env = simpy.Environment()
        self.random = Random(f"failures {seed}")
        self.spans: list[JobSpan] = []
        self.failures: list[float] = []
        self.running = job.nodes
        self._spares = None if job.spares is None else simpy.Container(self.env, init=job.spares)
        self._trained: list[int] = []
        self._copied: list[int] = []
        self._stored: simpy.Process | None = None
        self._occupied = True
        self._doing = ("useful", 0.0)
        self._process = self.env.process(self._train())
        if job.mtbf_s < inf:
            self.env.process(self._fail())

    def _fail(self) -> Steps:
        """As often as all nodes together fail; where some are missing, or all wait, it is often nobody."""
        while True:
            yield self.env.timeout(self.random.expovariate(1 / self.job.mtbf_s))
            hit = self.random.random() < self.running / self.job.nodes
            if hit and self._occupied:
                self.failures.append(self.env.now)
                self._process.interrupt()

    def _train(self) -> Steps:
        while True:
            try:
                yield from self._interval()
            except simpy.Interrupt:
                self._lose()
                yield from self._recover()

    def _interval(self) -> Steps:
        """Train up to the next checkpoint, and store it."""
        job = self.job
        yield from self._spend("useful", job.interval_s * job.nodes / self.running)
        if self._stored is not None and self._stored.is_alive:
            yield from self._spend("waiting", self._stored)
        yield from self._spend("checkpoint", job.blocked_s)
        if job.snapshot_s is None:
            self._trained = []
        else:
            self._copied, self._trained = self._trained, []
            self._stored = self.env.process(self._store())
        if self.running < job.nodes and self._spares is not None and self._spares.level:
            while self.running < job.nodes and self._spares.level:
                yield self._spares.get(1)
                self.running += 1
            yield from self._spend("restart", job.restart_s)

    def _store(self) -> Steps:
        """Store what is copied, unless something fails before that is over."""
        try:
            yield self.env.timeout(self.job.behind_s)
            self._copied = []
        except simpy.Interrupt:
            pass

    def _lose(self) -> None:
        """What isn't stored is lost."""
        if self._stored is not None and self._stored.is_alive:
            self._stored.interrupt()
        for index in (*self._copied, *self._trained):
            self.spans[index] = self.spans[index]._replace(kind="lost")
        self._copied, self._trained = [], []

    def _recover(self) -> Steps:
        """Find out, replace the node, start again; from the beginning whenever something fails meanwhile."""
        while True:
            try:
                yield from self._spend("restart", self.job.detect_s)
                yield from self._replace()
                yield from self._spend("restart", self.job.restart_s)
                return
            except simpy.Interrupt:
                pass

    def _replace(self) -> Steps:
        if self._spares is None:
            return
        self.env.process(self._repair(self._spares))
        if self._spares.level or not self.job.shrink or self.running == 1:
            self._occupied = False
            yield from self._spend("waiting", self._spares.get(1))
            self._occupied = True
        else:
            self.running -= 1

    def _repair(self, spares: simpy.Container) -> Steps:
        yield self.env.timeout(self.job.repair_h * HOUR_S)
        yield spares.put(1)

    def _spend(self, kind: str, what: float | simpy.Event) -> Steps:
        """Do one thing for so many seconds, or until something happens."""
        self._doing = (kind, self.env.now)
        try:
            yield what if isinstance(what, simpy.Event) else self.env.timeout(what)
        except simpy.Interrupt:
            self.done()
            raise
        self.done()

    def done(self) -> None:
        """What is going on ends here."""
        kind, start_s = self._doing
        self._doing = (kind, self.env.now)
        if self.env.now > start_s:
            if kind == "useful":
                self._trained.append(len(self.spans))
            self.spans.append(JobSpan(kind, start_s, self.env.now, self.running))
