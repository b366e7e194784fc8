"""Workers with clocks of their own, in three modes: bulk-synchronous, asynchronous, and bounded staleness.

Bulk-synchronous workers compute, wait for the slowest, and all-reduce their gradients: an iteration takes
max(c_i) + t_exchange. In the other two modes each worker computes a gradient, pushes it to a parameter server, which
applies it at once, and pulls new parameters. The server's port takes one push at a time and sends one pull at a time,
in the order of their coming, so it applies B_s / S updates a second at most. A worker does one thing at a time: it
waits for its own messages. Asking the server for something takes no time.

Bounded staleness (stale synchronous parallel; Ho et al., NIPS 2013): before a worker pulls, it waits until it is no
more than `bound` iterations ahead of the slowest one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import simpy

from astra_edu.base.errors import ConfigError, positive, whole
from astra_edu.course.studies.synchronisation.cluster import Cluster
from astra_edu.course.studies.synchronisation.run import Run, Update, WorkerSpan
from astra_edu.course.studies.synchronisation.server import Steps

MOST_UPDATES = 50_000
"""The most updates that a run is followed through."""

Rule = Callable[[Sequence[int], int, float], bool]
"""may_start(clocks, worker, bound): whether a worker may begin its next iteration.

clocks: how many iterations each worker has finished.
"""


class DeadlockError(ConfigError):
    """All workers wait for each other.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, DeadlockError, bounded_staleness
    >>> try:
    ...     bounded_staleness(Cluster(2, ComputeTimes()), 10**7, bound=1, may_start=lambda *_: False)
    ... except DeadlockError as error:
    ...     print(str(error).partition(":")[0])
    after 1,000,000 ns all 2 workers wait, and the rule lets none of them start
    """


def within_bound(clocks: Sequence[int], worker: int, bound: float) -> bool:
    """The rule of bounded staleness: no more than `bound` iterations ahead of the slowest worker.

    >>> from astra_edu.studies.synchronisation import within_bound
    >>> within_bound([3, 1, 2], worker=0, bound=1), within_bound([3, 1, 2], worker=0, bound=2)
    (False, True)
    """
    return clocks[worker] - min(clocks) <= bound


def bulk_synchronous(cluster: Cluster, until_ns: float) -> Run:
    """Run for until_ns ns: everybody computes, waits for the slowest, and all-reduces.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, bulk_synchronous
    >>> run = bulk_synchronous(Cluster(4, ComputeTimes(mean_ns=1000, slow=2), exchange_ns=500), until_ns=10_000)
    >>> len(run.updates)
    12
    """
    log = _Log(cluster, until_ns)
    times = [cluster.compute.of_worker(worker) for worker in range(cluster.workers)]

    def worker(i: int, slowest: Callable[[], simpy.Event]) -> Steps:
        for iteration, compute in enumerate(times[i]):
            log.enter(i, "compute")
            yield log.env.timeout(compute)
            log.enter(i, "wait")
            yield slowest()
            log.enter(i, "communicate")
            yield log.env.timeout(cluster.exchange_ns)
            log.apply(Update(i, iteration, iteration, iteration, log.env.now))

    barrier = _Barrier(log.env, cluster.workers)
    return log.run("bulk-synchronous", [worker(i, barrier.arrive) for i in range(cluster.workers)])


def asynchronous(cluster: Cluster, until_ns: float) -> Run:
    """Run for until_ns ns: nobody waits for anybody, but for the server.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, asynchronous
    >>> run = asynchronous(Cluster(4, ComputeTimes(mean_ns=1000, slow=2), transfer_ns=50), until_ns=20_000)
    >>> len(run.updates), round(run.mean_staleness, 1)
    (63, 2.9)
    """
    return _with_server(cluster, until_ns, "asynchronous", inf, lambda clocks, worker, bound: True)


def bounded_staleness(cluster: Cluster, until_ns: float, bound: float, may_start: Rule = within_bound) -> Run:
    """Run for until_ns ns: who is more than `bound` iterations ahead of the slowest waits.

    bound: a whole number, or infinity. may_start: another rule in place of the right one. Raises DeadlockError if it
    lets nobody go on, and ConfigError for a bound or a rule that is none.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes, bounded_staleness
    >>> cluster = Cluster(4, ComputeTimes(mean_ns=1000, slow=2), transfer_ns=50)
    >>> [len(bounded_staleness(cluster, 20_000, bound).updates) for bound in (0, 4)]
    [36, 48]
    """
    bound = bound if bound == inf else whole("bound", bound, at_least=0)
    if not callable(may_start):
        raise ConfigError(
            f"may_start is {may_start!r:.60}; give a function of (clocks, worker, bound) that returns True or False."
        )
    name = "unbounded staleness" if bound == inf else f"staleness bound {bound}"
    return _with_server(cluster, until_ns, name, bound, may_start)


def _with_server(cluster: Cluster, until_ns: float, mode: str, bound: float, may_start: Rule) -> Run:
    log = _Log(cluster, until_ns)
    taking, giving = simpy.Resource(log.env), simpy.Resource(log.env)  # the two directions of the server's port
    clocks = [0] * cluster.workers
    waiting: dict[int, simpy.Event] = {}

    def free() -> None:
        for i in [i for i in sorted(waiting) if may_start(tuple(clocks), i, bound)]:
            waiting.pop(i).succeed()

    def over(direction: simpy.Resource, i: int) -> Steps:
        """Send a message through the server's port; the version there was when it began."""
        log.enter(i, "queue")
        with direction.request() as turn:
            yield turn
            version = log.version
            log.enter(i, "communicate")
            yield log.env.timeout(cluster.transfer_ns)
        yield log.env.timeout(cluster.latency_ns)
        return version

    def worker(i: int) -> Steps:
        read = 0
        for iteration, compute in enumerate(cluster.compute.of_worker(i)):
            log.enter(i, "compute")
            yield log.env.timeout(compute)
            yield from over(taking, i)
            log.apply(Update(i, iteration, read, log.version, log.env.now))
            clocks[i] += 1
            log.enter(i, "wait")
            waiting[i] = log.env.event()
            go_on = waiting[i]
            free()
            if len(waiting) == cluster.workers:
                raise DeadlockError(
                    f"after {log.env.now:,.10g} ns all {cluster.workers} workers wait, and the rule lets none of them "
                    f"start: they have finished {clocks} iterations, with a bound of {bound}. The slowest may always "
                    "start."
                )
            yield go_on
            read = yield from over(giving, i)

    return log.run(mode, [worker(i) for i in range(cluster.workers)])


class _Barrier:
    """Whoever arrives waits until all have."""

    def __init__(self, env: simpy.Environment, size: int) -> None:
        self.env = env
        self.size = size
        self.arrived = 0
        self.event = env.event()

    def arrive(self) -> simpy.Event:
        self.arrived += 1
        event = self.event
        if self.arrived == self.size:
            self.arrived, self.event = 0, self.env.event()
            event.succeed()
        return event


class _Log:
    """A clock, and what happens on it: every worker does one thing from one `enter` to the next."""

    def __init__(self, cluster: Cluster, until_ns: float) -> None:
        if not isinstance(cluster, Cluster):
            raise ConfigError(f"cluster is {cluster!r}; give a Cluster, such as Cluster(8, ComputeTimes()).")
        self.env = simpy.Environment()
        self.until_ns = positive("until_ns", until_ns)
        self.now_doing = [("", 0.0)] * cluster.workers
        self.spans: list[WorkerSpan] = []
        self.updates: list[Update] = []

    @property
    def version(self) -> int:
        return len(self.updates)

    def enter(self, worker: int, kind: str) -> None:
        before, since = self.now_doing[worker]
        if self.env.now > since:
            self.spans.append(WorkerSpan(worker, before, since, self.env.now))
        self.now_doing[worker] = kind, self.env.now

    def apply(self, update: Update) -> None:
        if len(self.updates) >= MOST_UPDATES:
            raise ConfigError(
                f"{MOST_UPDATES:,} updates are applied in the first {self.env.now:,.10g} of {self.until_ns:,.10g} ns; "
                "that is the most. Run it for less long."
            )
        self.updates.append(update)

    def run(self, mode: str, workers: Sequence[Steps]) -> Run:
        for worker in workers:
            self.env.process(worker)
        self.env.run(until=self.until_ns)
        for i in range(len(workers)):
            self.enter(i, "")
        spans = sorted(self.spans, key=lambda span: (span.worker, span.start_ns))
        return Run(mode, len(workers), self.until_ns, tuple(spans), tuple(self.updates))
