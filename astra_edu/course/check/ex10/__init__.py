"""Checks for exercise 10, asynchronous training: what an exchange costs, who waits for whom, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, log
from random import Random
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.check.asked import Answer, call
from astra_edu.course.check.ex10.cases import CLUSTERS, hint, mean_ms, setting_of
from astra_edu.course.check.ex10.rule import judge_rule
from astra_edu.course.check.judge import judge, prediction
from astra_edu.course.check.mistake import Mistake
from astra_edu.course.check.question import guess, question
from astra_edu.course.check.spelling import named
from astra_edu.course.check.units import of_the_network
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.course.studies.synchronisation import Cluster, ComputeTimes, asynchronous, bulk_synchronous, harmonic

Times = Sequence[float]


@guess
def predicted_slowdown(answer: Answer) -> Verdict:
    """A guess: how many times fewer updates a straggler leaves to asynchronous workers."""
    together, apart = _slowdowns()
    lesson = f"Bulk-synchronous workers make {together:.3g} times fewer: all wait for it; these only lose its share."
    return prediction(answer, round(apart, 2), "times", lesson)


@cache
def _slowdowns() -> tuple[float, float]:
    """What a straggler of 4 among 8 workers costs, bulk-synchronous and asynchronous."""
    both = [Cluster(8, ComputeTimes(mean_ns=10_000_000, slow=slow), 80_000, 1000, 140_000) for slow in (1, 4)]
    rates = [[mode(c, 4e9).updates_per_s for c in both] for mode in (bulk_synchronous, asynchronous)]
    return rates[0][0] / rates[0][1], rates[1][0] / rates[1][1]


@question
def server_us(answer: Answer) -> Verdict:
    """server_us(workers, size_mib, servers, bandwidth, latency_ns): one exchange through parameter servers."""

    def exchange(
        workers: int, size_mib: float, servers: int, bandwidth: float, latency_ns: float, ways: int = 2, hops: int = 2
    ) -> float:
        return ways * (hops * latency_ns / 1000 + workers * size_mib / 1024 / (servers * bandwidth) * 1e6)

    return judge(
        answer,
        exchange,
        [
            {"workers": n, "size_mib": size, "servers": k, "bandwidth": bandwidth, "latency_ns": latency}
            for n, size, k, bandwidth, latency in (
                (8, 64, 1, 50, 500),
                (8, 64, 4, 50, 500),
                (16, 3, 2, 25, 700),
                (5, 0.5, 5, 100, 2000),
            )
        ],
        [
            Mistake(lambda **c: exchange(**c, ways=1), "That is the push; what was added up has to be pulled as well."),
            Mistake(
                lambda **c: exchange(**c, hops=1),
                "A message crosses two links: from the worker to the switch, and from the switch to the server.",
            ),
            Mistake(
                lambda **c: exchange(**(c | {"workers": 1})),
                "That is one worker's message. They all go through the server's port, one after the other.",
            ),
            Mistake(
                lambda **c: exchange(**(c | {"servers": 1})),
                "That is one central server. Each of several has only its share of the parameters to carry.",
            ),
            Mistake(
                lambda **c: exchange(**(c | {"workers": c["workers"] - 1})),
                "The server is a machine of its own here, so every one of the workers has to send it something.",
            ),
            Mistake(
                lambda **c: exchange(**(c | {"latency_ns": c["latency_ns"] * c["workers"]})),
                "Latencies overlap: while one message is on its way, the next one already leaves.",
            ),
            Mistake(lambda **c: exchange(**(c | {"latency_ns": 0})), "That is without any latency."),
            Mistake(
                lambda **c: exchange(**(c | {"latency_ns": c["latency_ns"] * 1000})),
                "The latency is given in ns, and µs are asked for.",
            ),
            *of_the_network(exchange),
        ],
        "Right: the latency is paid once each way, the bytes once for every worker.",
        unit="µs",
    )


@question
def synchronous_us(answer: Answer) -> Verdict:
    """synchronous_us(compute_us, exchange_us): several bulk-synchronous iterations, one row an iteration."""

    def total(compute_us: Sequence[Times], exchange_us: float) -> float:
        return sum(max(row) + exchange_us for row in compute_us)

    def by_row(kind: Any, exchanges: bool = True) -> Answer:
        return lambda compute_us, exchange_us: sum(kind(row) + exchanges * exchange_us for row in compute_us)

    def met_at_the_end(compute_us: Sequence[Times], exchange_us: float) -> float:
        return max(map(sum, zip(*compute_us, strict=True))) + len(compute_us) * exchange_us

    random = Random(10)
    cases = [
        {"compute_us": [[random.randrange(50, 500) for _ in range(n)] for _ in range(rows)], "exchange_us": exchange}
        for n, rows, exchange in ((3, 2, 40), (2, 3, 7), (4, 4, 100))
    ]
    return judge(
        answer,
        total,
        cases,
        [
            Mistake(
                met_at_the_end,
                "That is the slowest worker's own sum. In every iteration all wait for the slowest of that iteration.",
            ),
            Mistake(by_row(max, exchanges=False), "The exchanges are missing."),
            Mistake(
                lambda compute_us, exchange_us: sum(map(max, compute_us)) + exchange_us,
                "There is an exchange in every iteration.",
            ),
            Mistake(
                by_row(lambda row: sum(row) / len(row)), "Nobody may go on with the mean: all wait for the slowest."
            ),
            Mistake(by_row(min), "That is the fastest one's time; it has to wait."),
            Mistake(by_row(sum), "The workers compute at the same time."),
            Mistake(
                lambda compute_us, exchange_us: len(compute_us) * (max(map(max, compute_us)) + exchange_us),
                "The worst time of all doesn't come in every iteration.",
            ),
            Mistake(
                lambda compute_us, exchange_us: total(list(zip(*compute_us, strict=True)), exchange_us),
                "A row is an iteration, a column a worker.",
            ),
        ],
        "Right: every iteration takes what its slowest worker takes, whoever that is.",
        unit="µs",
    )


@question
def slowest_in_means(answer: Answer) -> Verdict:
    """slowest_in_means(workers): E[max] of n exponential times, in units of their mean."""
    return judge(
        answer,
        lambda workers: harmonic(workers),
        [{"workers": n} for n in (1, 2, 3, 8, 100)],
        [
            Mistake(lambda workers: 1, "That is one worker's mean. The slowest of several takes longer."),
            Mistake(lambda workers: workers, "So bad it isn't: the other workers' waits run at the same time."),
            Mistake(
                lambda workers: log(workers), "Near it for many workers, but one worker alone takes its mean, not 0."
            ),
            Mistake(lambda workers: 1 + log(workers), "A good approximation from above; the sum itself is asked for."),
            Mistake(lambda workers: log(workers) + 0.5772156649, "A good approximation; the sum itself is asked for."),
            Mistake(
                lambda workers: 1 / workers,
                "That is how long the fastest takes; the slowest has all the other waits still before it.",
            ),
            Mistake(
                lambda workers: harmonic(workers) - 1,
                "The first of them takes some time, too: begin with all of them still at work.",
            ),
            Mistake(
                lambda workers: 2 * workers / (workers + 1), "That is for uniform times between 0 and twice the mean."
            ),
        ],
        "Right: the sum of 1/k. It grows like the logarithm, slowly and without end.",
    )


@question
def asynchronous_per_s(answer: Answer) -> Verdict:
    """asynchronous_per_s(compute_us, transfer_us, latency_us): updates a second, unless the server is the limit."""

    def free(compute_us: Times, transfer_us: float, latency_us: float, trips: float = 2) -> float:
        return sum(1e6 / (c + trips * (transfer_us + latency_us)) for c in compute_us)

    def rate(compute_us: Times, transfer_us: float, latency_us: float, trips: float = 2) -> float:
        return min(free(compute_us, transfer_us, latency_us, trips), 1e6 / transfer_us)

    def of_mean(kind: Any) -> Answer:
        return lambda compute_us, transfer_us, latency_us: rate(
            [kind(compute_us)] * len(compute_us), transfer_us, latency_us
        )

    return judge(
        answer,
        rate,
        [
            {"compute_us": c, "transfer_us": transfer, "latency_us": latency}
            for c, transfer, latency in (
                ([1000, 1000, 1000, 4000], 20, 5),
                ([500, 700], 50, 100),
                ([300, 300, 300, 300, 300, 900], 100, 1),
                ([2000] * 16, 300, 2),
            )
        ],
        [
            Mistake(free, "More than the server can take: its port is busy for one transfer with every update."),
            Mistake(lambda **c: 1e6 / c["transfer_us"], "That is what the server can take; do the workers bring it?"),
            Mistake(lambda **c: rate(**c, trips=1), "A worker pushes and pulls in every iteration."),
            Mistake(lambda **c: rate(**c, trips=0), "Between two computations there are messages, and they take time."),
            Mistake(lambda **c: rate(**(c | {"latency_us": 0})), "The latency is missing."),
            Mistake(
                lambda **c: min(free(**c), 1e6 / (2 * c["transfer_us"])),
                "The port has two directions: a push and a pull don't disturb each other.",
            ),
            Mistake(of_mean(max), "Nobody waits for the slowest here."),
            Mistake(
                of_mean(lambda c: sum(c) / len(c)),
                "The mean of the times isn't it: who is fast comes back more often. Add up rates, not times.",
            ),
            Mistake(lambda **c: rate(**c) / len(c["compute_us"]), "That is one worker's share; add them all up."),
            Mistake(lambda **c: rate(**c) / 1e3, "That is for each ms; updates a second are asked for."),
            Mistake(lambda **c: rate(**c) / 1e6, "That is for each µs; updates a second are asked for."),
        ],
        "Right: rates add up, until the server's port is always busy.",
    )


@question
def may_start(answer: Answer) -> Verdict:
    """may_start(clocks, worker, bound): whether a worker may begin its next iteration; judged by running it."""
    return judge_rule(answer)


@question
def chosen(answer: Answer) -> Verdict:
    """chosen(): for each cluster of CLUSTERS, a mode or a bound that reaches the goal in time."""
    try:
        given = call(answer, {})
    except NoAnswerError as problem:
        return problem.verdict
    given = {named(key, CLUSTERS): setting for key, setting in given.items()} if isinstance(given, dict) else {}
    if given.keys() != CLUSTERS.keys():
        return Verdict(False, f"Return a dict with an entry for each of {', '.join(CLUSTERS)}.")
    lines, right = [], True
    for letter, cluster in CLUSTERS.items():
        try:
            setting = setting_of(given[letter])
        except ConfigError as error:
            return Verdict(False, f"{letter}: {error}")
        took = mean_ms(letter, setting)
        if took > cluster.goal_ms:
            right = False
            reached = f"takes {took:,.0f} ms" if took < inf else f"isn't there to stay after {cluster.until_ms:,} ms"
            lines.append(f"{letter} {reached} with {given[letter]!r}: {hint(letter, setting)}")
    if right:
        return Verdict(True, "Right: all three are there in time, each in another way.")
    return Verdict(False, " ".join(lines))
