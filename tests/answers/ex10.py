"""Right and wrong answers of exercise 10."""

from math import inf, log


def server(workers, size_mib, servers, bandwidth, latency_ns, ways=2, hops=2):
    return ways * (hops * latency_ns / 1e3 + workers * size_mib / 1024 / (servers * bandwidth) * 1e6)


def in_step(compute_us, exchange_us, kind=max):
    return sum(kind(row) + exchange_us for row in compute_us)


def by_worker(compute_us):
    return [*zip(*compute_us, strict=True)]


def harmonic(workers):
    return sum(1 / k for k in range(1, workers + 1))


def free(compute_us, transfer_us, latency_us, trips=2):
    return sum(1e6 / (c + trips * (transfer_us + latency_us)) for c in compute_us)


def rate(compute_us, transfer_us, latency_us, trips=2):
    return min(free(compute_us, transfer_us, latency_us, trips), 1e6 / transfer_us)


# name: (check, a right answer, [(a wrong one, words of what it is told)])
NUMBERS = {
    "server_us": (
        server,
        [
            (lambda **c: server(**c, ways=1), "That is the push"),
            (lambda **c: server(**c, hops=1), "crosses two links"),
            (lambda **c: server(**(c | {"workers": 1})), "one worker's message"),
            (lambda **c: server(**(c | {"servers": 1})), "one central server"),
            (lambda **c: server(**(c | {"workers": c["workers"] - 1})), "a machine of its own"),
            (lambda **c: server(**(c | {"latency_ns": c["latency_ns"] * c["workers"]})), "Latencies overlap"),
            (lambda **c: server(**(c | {"latency_ns": 0})), "without any latency"),
            (lambda **c: server(**(c | {"latency_ns": 1000 * c["latency_ns"]})), "given in ns"),
            (lambda **c: server(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: server(**c) / 1e3, "in ms"),
            (lambda **c: server(**c) / 1e6, "in seconds"),
            (lambda **c: 1.5 * server(**c), "too large"),
        ],
    ),
    "synchronous_us": (
        in_step,
        [
            (
                lambda compute_us, exchange_us: max(map(sum, by_worker(compute_us))) + len(compute_us) * exchange_us,
                "own sum",
            ),
            (lambda compute_us, exchange_us: sum(map(max, compute_us)), "exchanges are missing"),
            (lambda compute_us, exchange_us: sum(map(max, compute_us)) + exchange_us, "in every iteration"),
            (lambda **c: in_step(**c, kind=lambda row: sum(row) / len(row)), "with the mean"),
            (lambda **c: in_step(**c, kind=min), "the fastest one's"),
            (lambda **c: in_step(**c, kind=sum), "at the same time"),
            (
                lambda compute_us, exchange_us: len(compute_us) * (max(map(max, compute_us)) + exchange_us),
                "doesn't come in every",
            ),
            (lambda compute_us, exchange_us: in_step(by_worker(compute_us), exchange_us), "A row is an iteration"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "slowest_in_means": (
        harmonic,
        [
            (lambda workers: 1, "one worker's mean"),
            (lambda workers: workers, "So bad it isn't"),
            (lambda workers: log(workers), "not 0"),
            (lambda workers: 1 + log(workers), "from above"),
            (lambda workers: log(workers) + 0.5772156649, "A good approximation; the sum"),
            (lambda workers: 1 / workers, "the fastest takes"),
            (lambda workers: harmonic(workers) - 1, "some time, too"),
            (lambda workers: 2 * workers / (workers + 1), "uniform times"),
            (lambda workers: harmonic(workers + 1), "too large for workers = 1"),
        ],
    ),
    "asynchronous_per_s": (
        rate,
        [
            (free, "More than the server can take"),
            (lambda **c: 1e6 / c["transfer_us"], "do the workers bring it"),
            (lambda **c: rate(**c, trips=1), "pushes and pulls"),
            (lambda **c: rate(**c, trips=0), "they take time"),
            (lambda **c: rate(**(c | {"latency_us": 0})), "latency is missing"),
            (lambda **c: min(free(**c), 5e5 / c["transfer_us"]), "two directions"),
            (lambda **c: rate(**(c | {"compute_us": [max(c["compute_us"])] * len(c["compute_us"])})), "Nobody waits"),
            (
                lambda **c: rate(
                    **(c | {"compute_us": [sum(c["compute_us"]) / len(c["compute_us"])] * len(c["compute_us"])})
                ),
                "Add up rates",
            ),
            (lambda **c: rate(**c) / len(c["compute_us"]), "one worker's share"),
            (lambda **c: rate(**c) / 1e3, "for each ms"),
            (lambda **c: rate(**c) / 1e6, "for each µs"),
        ],
    ),
}


def right_rule(clocks, worker, bound):
    return clocks[worker] - min(clocks) <= bound


RULES = [
    (lambda clocks, worker, bound: True, "Too loose.*asynchronous mode"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) < bound, "Too strict.*exactly.*deadlock"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= bound + 1, "Too loose.*one more"),
    (lambda clocks, worker, bound: clocks[worker] == min(clocks), "Too strict.*bound of 0"),
    (lambda clocks, worker, bound: max(clocks) - min(clocks) <= bound, "A deadlock.*stops everybody"),
    (lambda clocks, worker, bound: max(clocks) - clocks[worker] <= bound, "wrong way round"),
    (lambda clocks, worker, bound: clocks[worker] <= bound, "A deadlock.*lead over the slowest"),
    (lambda clocks, worker, bound: clocks[worker] - sum(clocks) / len(clocks) <= bound, "the average"),
    (lambda clocks, worker, bound: False, "A deadlock: having finished .* should"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= 2 * bound, "Too loose: having finished"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks) <= bound // 2, "Too strict: having finished"),
    (lambda clocks, worker, bound: clocks[worker] - sorted(clocks)[len(clocks) // 2] <= bound, "Too loose: having"),
    (lambda clocks, worker, bound: clocks[worker] - min(clocks), "it should return True or False"),
    (lambda clocks, worker, bound: None, "returns None"),
    (lambda clocks, worker: True, "takes clocks, worker; it gets 3: clocks, worker, bound"),
]
QUESTIONS = NUMBERS | {
    "may_start": (right_rule, RULES),
    "chosen": (
        lambda: {"A": 3, "B": "Bulk-synchronous", "C": "asynchronous"},
        [
            (lambda: {"A": inf, "B": inf, "C": inf}, "A takes .* overshoot. B takes .* 5 ms for a push"),
            (lambda: {"A": 0, "B": "bulk-synchronous", "C": 2}, "A takes .*15 workers.* C takes .* puts off"),
            (lambda: {"A": 4, "B": 16, "C": "bulk_synchronous"}, "B takes .* C takes .* waiting for one"),
            (lambda: {"A": 3, "B": "semi-synchronous", "C": 4}, "B: 'semi-synchronous' is no mode; did you mean"),
            (lambda: {"A": 3.5, "B": 0, "C": 4}, "A: 3.5 is no bound"),
            (lambda: {"A": 3, "B": -1, "C": 4}, "B: -1 is no bound"),
            (lambda: {"A": 3, "B": True, "C": 4}, "B: True is no bound"),
            (lambda: {"A": 3, "C": 4}, "an entry for each of A, B, C"),
            (lambda: 3, "Return a dict"),
        ],
    ),
}
GUESSES = ("predicted_slowdown",)
