"""Exchanges on the same links, and workers with clocks: against sums, and against what must always hold."""

from dataclasses import replace
from itertools import islice, pairwise
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.course.studies.synchronisation import (
    ACTIVITIES,
    Cluster,
    ComputeTimes,
    DeadlockError,
    Run,
    all_reduce_ns,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
    central_ns,
    colocated_ns,
    colocated_servers,
    harmonic,
    parameter_server,
    ring_ns,
    server,
)
from astra_edu.course.studies.synchronisation import workers as module

MIB, MS = 2**20, 1_000_000


def switch(npus=8, bandwidth=50.0, latency=500.0):
    return ae.Dimension.of("Switch", npus, bandwidth, latency)


# One exchange.

networks = st.builds(switch, st.integers(2, 12), st.floats(1, 400), st.integers(0, 5000))
sizes = st.integers(1, 2**30)


@given(networks, sizes, st.data())
def test_the_sum_of_a_parameter_server_is_what_its_queues_take(network, size, data):
    servers = data.draw(st.integers(1, network.npus))
    bandwidth = network.bandwidth * data.draw(st.floats(0.01, 1))
    played = parameter_server(size, network, servers, bandwidth).total_ns
    assert played == pytest.approx(central_ns(size, network, servers, bandwidth), rel=1e-9)


@given(networks, sizes, st.floats(1, 100), st.data())
def test_a_server_faster_than_the_workers_may_take_one_message_longer(network, size, times, data):
    servers = data.draw(st.integers(1, network.npus))
    bandwidth = network.bandwidth * times
    played = parameter_server(size, network, servers, bandwidth).total_ns
    least = central_ns(size, network, servers, bandwidth)
    assert least * (1 - 1e-9) <= played <= least + size / network.message_bandwidth


def test_a_central_server_by_hand():
    """4 workers, 8 bytes/ns and 2 × 100 ns: 1,000 ns for 8,000 bytes, so 4 of them each way."""
    network = switch(4, bandwidth=8e9 / 2**30, latency=100)
    assert central_ns(8000, network) == pytest.approx(2 * (200 + 4000))
    assert central_ns(8000, network, servers=2) == pytest.approx(2 * (200 + 2000))
    assert central_ns(8000, network, server_bandwidth=network.bandwidth / 2) == pytest.approx(2 * (200 + 8000))
    assert central_ns(8000, network, server_bandwidth=network.bandwidth * 100) == pytest.approx(2 * (200 + 1000))


@given(networks, sizes)
def test_colocated_servers_send_what_a_ring_sends_with_two_latencies(network, size):
    played = colocated_servers(size, network)
    assert played.total_ns == pytest.approx(colocated_ns(size, network), rel=1e-9)
    latency = network.message_ns(0)
    ring = ring_ns(size, network) - 2 * (network.npus - 1) * latency
    assert played.total_ns - 2 * latency == pytest.approx(ring, rel=1e-6, abs=1e-3)
    sent = sum(message.bytes for message in played.messages if message.source == "NPU 0")
    assert sent == pytest.approx(2 * (network.npus - 1) / network.npus * size)


@pytest.mark.parametrize("npus", [2, 4, 8, 16])
@pytest.mark.parametrize("size", [1024, MIB, 100 * MIB])
def test_the_simulator_agrees_with_the_sum_of_a_ring(npus, size):
    network = switch(npus)
    assert all_reduce_ns(size, network) == pytest.approx(ring_ns(size, network), rel=3e-4, abs=3 * 2 * npus)


def test_direct_sends_on_a_switch_are_too_fast_in_the_simulator():
    """No message waits for another there, so n − 1 of them share a port for the time of one."""
    network = switch(8)
    latency, bandwidth = network.message_ns(0), network.message_bandwidth
    direct = all_reduce_ns(100 * MIB, network, "direct")
    assert direct == pytest.approx(2 * (latency + 100 * MIB / 8 / bandwidth), rel=1e-3)
    assert (colocated_ns(100 * MIB, network) - 2 * latency) / (direct - 2 * latency) == pytest.approx(7, rel=1e-3)


def test_endpoint_delays_are_the_simulators_own():
    assert all_reduce_ns(MIB, switch(), endpoint_delay=10) == all_reduce_ns(MIB, switch()) + 15 * 10


def test_messages_take_turns_at_the_servers_port():
    network = switch(6)
    played = parameter_server(MIB, network)
    transfer = MIB / network.message_bandwidth
    pushes = sorted(m.start_ns for m in played.messages if m.phase == "push")
    pulls = sorted(m.sent_ns for m in played.messages if m.phase == "pull")
    assert [b - a for a, b in pairwise(pushes)] == pytest.approx([transfer] * 5)
    assert [b - a for a, b in pairwise(pulls)] == pytest.approx([transfer] * 5)
    assert [m.source for m in played.messages[:6]] == [f"worker {i}" for i in range(6)]
    assert pulls[0] == pytest.approx(6 * transfer + network.message_ns(0))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: central_ns(MIB, ae.Dimension.of("Ring", 8, 50, 500)), "the network is a Ring of 8"),
        (lambda: colocated_ns(MIB, switch(1)), "a Switch of 1"),
        (lambda: ring_ns(MIB, 8), "the network is 8"),
        (lambda: central_ns(MIB, switch(4), servers=5), "servers is 5; with 4 workers, 4 are the most"),
        (lambda: parameter_server(MIB, switch(4), servers=5), "4 are the most"),
        (lambda: central_ns(0, switch()), "size in bytes is 0"),
        (lambda: central_ns(MIB, switch(), server_bandwidth=0), "server_bandwidth is 0"),
        (lambda: colocated_servers(MIB, switch(1024)), "2,097,152 messages; 100,000 are the most"),
        (lambda: parameter_server(MIB, switch(10**6)), "2,000,000 messages; 100,000 are the most"),
        (lambda: colocated_servers(MIB, switch(10**6)), "2,000,000,000,000 messages"),
        (lambda: all_reduce_ns(MIB, switch(), algorithm=5), "algorithm is 5; give its name in a system file, such as"),
        (lambda: all_reduce_ns(MIB, switch(), "rings"), "did you mean 'ring'"),
    ],
)
def test_exchanges_that_make_no_sense(wrong, words):
    with pytest.raises(ae.ConfigError, match=words):
        wrong()


def test_messages_are_counted_before_ports_are_made(monkeypatch):
    monkeypatch.setattr(server, "_Port", None)
    for exchange in (parameter_server, colocated_servers):
        with pytest.raises(ae.ConfigError, match="100,000 are the most"):
            exchange(MIB, switch(10**6))


# Compute times.

kinds = st.one_of(
    st.builds(ComputeTimes, st.just("constant"), st.floats(10, 1e6), seed=st.integers(0, 99)),
    st.builds(
        ComputeTimes,
        st.sampled_from(["uniform", "exponential", "log-normal"]),
        st.floats(10, 1e6),
        st.floats(0, 1),
        st.floats(1, 5),
        st.integers(0, 99),
    ),
)


def some(times, worker=0, count=4000):
    return list(islice(times.of_worker(worker), count))


@given(kinds, st.integers(0, 9))
def test_compute_times_are_whole_and_come_again(times, worker):
    drawn = some(times, worker, 20)
    assert drawn == some(times, worker, 20)
    assert all(isinstance(time, int) and time >= 1 for time in drawn)


@pytest.mark.parametrize("kind", ["uniform", "exponential", "log-normal"])
def test_compute_times_have_the_mean_they_say(kind):
    times = ComputeTimes(kind, MS, 0.8)
    for worker in (0, 3):
        assert sum(some(times, worker)) / 4000 == pytest.approx(MS, rel=0.05)


def test_the_spread_is_what_is_said():
    uniform = some(ComputeTimes("uniform", 1000, 0.25))
    assert (min(uniform), max(uniform)) == (750, 1250)
    shifted = some(ComputeTimes("exponential", 1000, 0.25))
    assert 750 <= min(shifted) < 752
    assert sum(time > 1000 for time in shifted) / 4000 == pytest.approx(0.368, abs=0.03)  # 1/e
    normal = sorted(some(ComputeTimes("log-normal", 1000, 0.5)))
    assert normal[2000] == pytest.approx(1000 / 2.718281828 ** (0.25 / 2), rel=0.05)
    assert normal[3365] / normal[2000] == pytest.approx(1.649, rel=0.07)  # one standard deviation up: e to the 0.5


def test_workers_seeds_and_the_straggler_differ():
    times = ComputeTimes("exponential", MS, 1)
    assert some(times, 0, 5) != some(times, 1, 5) != some(replace(times, seed=2), 1, 5)
    slow = replace(times, slow=3)
    assert some(slow, 0, 5) == pytest.approx([3 * time for time in some(times, 0, 5)], abs=2)
    assert some(slow, 1, 5) == some(times, 1, 5)
    assert [slow.mean_of(0), slow.mean_of(1)] == [3 * MS, MS]


@pytest.mark.parametrize(
    "times",
    [ComputeTimes("uniform", MS, 0.6), ComputeTimes("exponential", MS, 1), ComputeTimes("exponential", MS, 0.3)],
)
@pytest.mark.parametrize("n", [1, 2, 8, 32])
def test_the_slowest_of_n_takes_what_the_sum_says(times, n):
    rounds = zip(*(islice(times.of_worker(worker), 1500) for worker in range(n)), strict=True)
    assert sum(map(max, rounds)) / 1500 == pytest.approx(times.slowest_ns(n), rel=0.06)


def test_the_slowest_of_constant_times():
    assert ComputeTimes(mean_ns=7).slowest_ns(4) == 7
    assert ComputeTimes(mean_ns=7, slow=3).slowest_ns(4) == 21
    assert ComputeTimes(mean_ns=7, slow=0.5).slowest_ns(4) == 7
    assert ComputeTimes(mean_ns=7, slow=0.5).slowest_ns(1) == 3.5


def test_harmonic_numbers():
    assert [harmonic(n) for n in (1, 2, 4)] == pytest.approx([1, 1.5, 25 / 12])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: ComputeTimes("exponental"), "did you mean 'exponential'"),
        (lambda: ComputeTimes("constant", spread=0.5), "constant times have none"),
        (lambda: ComputeTimes("uniform", spread=1.5), "of uniform times it is 1 at most"),
        (lambda: ComputeTimes("log-normal", spread=4), "it is 3 at most"),
        (lambda: ComputeTimes(mean_ns=0), "mean_ns is 0"),
        (lambda: ComputeTimes(slow=0), "slow is 0"),
        (lambda: ComputeTimes(seed=1.5), "seed is 1.5"),
        (lambda: ComputeTimes("log-normal", spread=1).slowest_ns(4), "no simple sum for the slowest of 4 log-normal"),
        (lambda: ComputeTimes("uniform", spread=1, slow=2).slowest_ns(4), "with a straggler of 2; run it"),
        (lambda: ComputeTimes(mean_ns=1e308, slow=10), r"mean_ns is 1e\+308 and slow is 10"),
        (lambda: ComputeTimes(mean_ns=1e19, slow=0.01), "which is 31.7 years"),
        (lambda: harmonic(0), "n is 0"),
        (lambda: harmonic(10**11), "n is 100,000,000,000; this adds up 1,000,000 terms at most"),
    ],
)
def test_compute_times_that_make_no_sense(wrong, words):
    with pytest.raises(ae.ConfigError, match=words):
        wrong()


# Workers in three modes.

JITTER = ComputeTimes("exponential", 1000, 0.5)


@st.composite
def clusters(draw):
    """Messages take up to three times as long as computing."""
    times = draw(kinds)
    messages = [times.mean_ns * draw(st.floats(0, 3)) for _ in range(3)]
    return Cluster(draw(st.integers(1, 7)), times, *messages)


def a_while(cluster, iterations=6):
    """As long as some iterations may take."""
    slowest = max(cluster.compute.mean_ns * cluster.compute.slow, 1)
    return iterations * (slowest + 2 * cluster.transfer_ns * cluster.workers + cluster.latency_ns + cluster.exchange_ns)


def in_three_modes(cluster, until):
    return [bulk_synchronous(cluster, until), asynchronous(cluster, until), bounded_staleness(cluster, until, 1)]


@given(clusters())
@settings(max_examples=60)
def test_a_worker_does_one_thing_at_a_time_and_never_nothing(cluster):
    for run in in_three_modes(cluster, a_while(cluster)):
        for worker in range(cluster.workers):
            spans = [span for span in run.spans if span.worker == worker]
            assert spans[0].start_ns == 0
            assert spans[-1].end_ns == run.until_ns
            assert all(a.end_ns == b.start_ns for a, b in pairwise(spans))
        assert {span.kind for span in run.spans} <= {*ACTIVITIES}
        assert sum(run.share(kind) for kind in ACTIVITIES) == pytest.approx(1)


@given(clusters())
@settings(max_examples=60)
def test_bulk_synchronous_iterations_take_the_slowest_and_the_exchange(cluster):
    run = bulk_synchronous(cluster, a_while(cluster))
    rounds = zip(*(cluster.compute.of_worker(worker) for worker in range(cluster.workers)), strict=True)
    time = 0
    for step, updates in enumerate(sorted({(u.step, u.applied_ns) for u in run.updates})):
        time += max(next(rounds)) + cluster.exchange_ns
        assert updates == (step, pytest.approx(time))
    assert len(run.updates) % cluster.workers == 0
    assert all(u.staleness == 0 for u in run.updates)


def test_a_bulk_synchronous_run_takes_what_the_sum_says_on_average():
    cluster = Cluster(8, JITTER, exchange_ns=300)
    run = bulk_synchronous(cluster, 5 * MS)
    assert cluster.synchronous_ns() == pytest.approx(500 + 500 * harmonic(8) + 300)
    assert 1e9 / run.updates_per_s * 8 == pytest.approx(cluster.synchronous_ns(), rel=0.03)


def test_one_asynchronous_worker_by_hand():
    """10 ns compute, 3 + 2 ns to push, 3 + 2 ns to pull: an update after 15 ns, then one every 20."""
    run = asynchronous(Cluster(1, ComputeTimes(mean_ns=10), transfer_ns=3, latency_ns=2), 60)
    assert [update.applied_ns for update in run.updates] == [15, 35, 55]
    assert run.iteration_ns(0) == [15, 20, 20]
    assert [tuple(span)[1:] for span in run.spans[:3]] == [
        ("compute", 0, 10),
        ("communicate", 10, 15),
        ("communicate", 15, 20),
    ]
    assert run.mean_staleness == 0
    assert run.updates_per_s == pytest.approx(3 / 60e-9)


def test_two_asynchronous_workers_by_hand():
    """Both push at 10; worker 1 queues until 13, and its gradient is 1 step old when it is applied at 18."""
    run = asynchronous(Cluster(2, ComputeTimes(mean_ns=10), transfer_ns=3, latency_ns=2), 40)
    assert run.updates[:4] == ((0, 0, 0, 0, 15), (1, 0, 0, 1, 18), (0, 1, 1, 2, 35), (1, 1, 2, 3, 38))
    assert [update.staleness for update in run.updates] == [0, 1, 1, 1]
    assert (1, "queue", 10, 13) in run.spans


def test_who_queues_for_a_pull_reads_what_is_there_when_its_turn_comes():
    """Four in step: the pushes are in at 41 ns, pulls begin at 41, 51, 61, 71; worker 0's next push is in at 62."""
    run = bounded_staleness(Cluster(4, ComputeTimes(mean_ns=1), transfer_ns=10), 110, 0)
    assert [update.applied_ns for update in run.updates[:6]] == [11, 21, 31, 41, 62, 72]
    assert [update.read for update in run.updates if update.iteration == 1] == [4, 4, 4, 5]


def test_asynchronous_workers_that_never_queue_are_as_fast_as_the_sum():
    cluster = Cluster(5, ComputeTimes("uniform", 1000, 0.5, slow=4), latency_ns=100)
    run = asynchronous(cluster, 3 * MS)
    assert run.updates_per_s == pytest.approx(cluster.asynchronous_updates_per_s(), rel=0.01)
    assert cluster.asynchronous_updates_per_s() == pytest.approx(1e9 * (4 / 1200 + 1 / 4200))
    assert run.share("queue") == run.share("wait") == 0


def test_a_saturated_server_applies_an_update_every_transfer():
    cluster = Cluster(8, JITTER, transfer_ns=500, latency_ns=100)
    run = asynchronous(cluster, MS)
    ends = [update.applied_ns for update in run.updates]
    assert all(b - a >= 500 - 1e-6 for a, b in pairwise(ends))
    assert cluster.asynchronous_updates_per_s() == pytest.approx(2e6)
    assert run.updates_per_s == pytest.approx(2e6, rel=0.01)
    assert run.share("queue") > 0.4


def test_near_its_limit_the_server_falls_short_of_the_sum():
    cluster = Cluster(8, ComputeTimes("exponential", 1000, 1), transfer_ns=200)
    assert asynchronous(cluster, MS).updates_per_s < 0.95 * cluster.asynchronous_updates_per_s()


@pytest.mark.parametrize("slow", [1, 4])
@pytest.mark.parametrize("n", [2, 5, 8])
def test_the_mean_staleness_is_that_of_the_others(n, slow):
    run = asynchronous(Cluster(n, replace(JITTER, slow=slow), 50, 20), MS)
    assert run.mean_staleness == pytest.approx(n - 1, rel=0.03)
    assert sum(run.staleness.values()) == len(run.updates)


@given(clusters(), st.integers(0, 5))
@settings(max_examples=60)
def test_nobody_is_further_ahead_than_the_bound(cluster, bound):
    finished = [0] * cluster.workers
    for update in bounded_staleness(cluster, a_while(cluster), bound).updates:
        assert update.iteration == finished[update.worker]
        finished[update.worker] += 1
        assert max(finished) - min(finished) <= bound + 1  # it began at most `bound` ahead, and has finished one more


def test_a_straggler_is_left_behind_as_far_as_the_bound_allows():
    for bound in (0, 1, 4):
        finished, most = [0] * 4, 0
        run = bounded_staleness(Cluster(4, ComputeTimes(mean_ns=100, slow=50)), 100_000, bound)
        for update in run.updates:
            finished[update.worker] += 1
            most = max(most, max(finished) - min(finished))
        assert most == bound + 1
        assert run.share("wait") > 0.5


@given(clusters())
@settings(max_examples=60)
def test_without_a_bound_it_is_the_asynchronous_run(cluster):
    until = a_while(cluster)
    unbounded, free = bounded_staleness(cluster, until, inf), asynchronous(cluster, until)
    assert (unbounded.updates, unbounded.spans) == (free.updates, free.spans)


@given(st.integers(1, 7), kinds)
@settings(max_examples=60)
def test_a_bound_of_0_is_bulk_synchronous_where_messages_take_no_time(n, times):
    cluster = Cluster(n, times)
    until = a_while(cluster)
    bounded, synchronous = bounded_staleness(cluster, until, 0), bulk_synchronous(cluster, until)
    for step in range(len(synchronous.updates) // n):
        last = max(u.applied_ns for u in bounded.updates if u.iteration == step)
        assert last == next(u.applied_ns for u in synchronous.updates if u.step == step)
        read = {u.read for u in bounded.updates if u.iteration == step}
        assert read == {step * n}


@given(st.integers(1, 7), kinds)
@settings(max_examples=40)
def test_a_looser_bound_is_never_slower_where_messages_take_no_time(n, times):
    cluster = Cluster(n, times)
    done = [len(bounded_staleness(cluster, a_while(cluster), bound).updates) for bound in (0, 1, 2, 5, inf)]
    assert done == sorted(done)


def test_a_bound_helps_against_jitter_and_not_against_a_straggler():
    def rates(times):
        cluster = Cluster(8, times)
        runs = [bounded_staleness(cluster, MS // 2, bound) for bound in (0, 4, inf)]
        return [run.updates_per_s / runs[-1].updates_per_s for run in runs]

    jitter, straggler = rates(ComputeTimes("exponential", 1000, 1)), rates(ComputeTimes(mean_ns=1000, slow=4))
    assert jitter[0] < 0.45
    assert jitter[1] > 0.75
    assert straggler[0] == pytest.approx(straggler[1], rel=0.05)
    assert straggler[1] < 0.3


def test_a_cluster_on_a_network_pays_what_the_network_says():
    network = switch(8)
    cluster = Cluster.on(network, JITTER, MIB)
    assert (cluster.workers, cluster.latency_ns) == (8, 1000)
    assert cluster.transfer_ns == pytest.approx(MIB / network.message_bandwidth)
    assert cluster.exchange_ns == all_reduce_ns(MIB, network)
    assert Cluster.on(network, JITTER, MIB, 25).transfer_ns == pytest.approx(2 * cluster.transfer_ns)
    assert Cluster.on(network, JITTER, MIB, 400).transfer_ns == cluster.transfer_ns


def test_an_iteration_without_waiting_is_the_exchange_of_a_central_server():
    """All push at once, and all may pull when the last push is there: 2 (a + n S / B), and the compute time."""
    network = switch(6)
    cluster = Cluster.on(network, ComputeTimes(mean_ns=5000), MIB)
    run = bounded_staleness(cluster, MS, 0)
    starts = [span.end_ns for span in run.spans if span.worker == 5 and span.kind == "compute"]
    assert starts[1] - starts[0] == pytest.approx(5000 + central_ns(MIB, network))


# Rules that are wrong.


@pytest.mark.parametrize(
    "rule",
    [
        lambda clocks, worker, bound: False,
        lambda clocks, worker, bound: clocks[worker] - min(clocks) < bound,
        lambda clocks, worker, bound: clocks[worker] == max(clocks) + 1,
    ],
)
def test_a_rule_that_lets_nobody_start_is_a_deadlock(rule):
    with pytest.raises(DeadlockError, match=r"all 3 workers wait.*bound of 0. The slowest may always start"):
        bounded_staleness(Cluster(3, JITTER), MS, 0, rule)


def test_a_rule_sees_the_clocks_and_cannot_change_them():
    seen = []

    def rule(clocks, worker, bound):
        seen.append((clocks, worker, bound))
        return True

    run = bounded_staleness(Cluster(3, JITTER), 20_000, 2, rule)
    assert all(isinstance(clocks, tuple) and bound == 2 for clocks, _, bound in seen)
    assert len(seen) >= len(run.updates)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Cluster(0, JITTER), "workers is 0"),
        (lambda: Cluster(10**7, JITTER), "workers is 10,000,000; 1,024 are the most"),
        (lambda: Cluster(2, 1000), "give ComputeTimes"),
        (lambda: Cluster(2, JITTER, transfer_ns=-1), "transfer_ns is -1"),
        (lambda: Cluster.on(ae.Dimension.of("Ring", 8, 50, 500), JITTER, MIB), "a Ring of 8"),
        (lambda: asynchronous(Cluster(2, JITTER), 0), "until_ns is 0"),
        (lambda: asynchronous(JITTER, 1000), "give a Cluster"),
        (lambda: bounded_staleness(Cluster(2, JITTER), MS, -1), "bound is -1"),
        (lambda: bounded_staleness(Cluster(2, JITTER), MS, 1.5), "bound is 1.5"),
        (lambda: bounded_staleness(Cluster(2, JITTER), MS, 1, may_start=5), "may_start is 5; give a function"),
        (lambda: asynchronous(Cluster(2, JITTER), 10).mean_staleness, "no update was applied in the run's 10 ns"),
    ],
)
def test_clusters_that_make_no_sense(wrong, words):
    with pytest.raises(ae.ConfigError, match=words):
        wrong()


def test_a_run_that_would_never_end_is_stopped(monkeypatch):
    monkeypatch.setattr(module, "MOST_UPDATES", 100)
    for run in (bulk_synchronous, asynchronous):
        with pytest.raises(ae.ConfigError, match=r"100 updates are applied in the first .* Run it for less long"):
            run(Cluster(4, JITTER), 1e18)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda run: run.share("computing"), "kind is 'computing'; did you mean 'compute'"),
        (lambda run: run.time_ns(0, "computing"), "did you mean 'compute'"),
        (lambda run: run.time_ns(99, "compute"), "worker is 99; this run's workers are 0 to 1"),
        (lambda run: run.iteration_ns(2), "worker is 2; this run's workers are 0 to 1"),
        (lambda run: run.iteration_ns("x"), "worker is 'x'"),
    ],
)
def test_a_run_is_asked_for_what_it_has(wrong, words):
    run = asynchronous(Cluster(2, JITTER), 20_000)
    assert run.iteration_ns(1)
    with pytest.raises(ae.ConfigError, match=words):
        wrong(run)


def test_runs_say_what_they_are():
    cluster = Cluster(2, ComputeTimes(mean_ns=10), transfer_ns=3, latency_ns=2)
    assert repr(asynchronous(cluster, 40)) == "<asynchronous: 100,000,000 updates/s, mean staleness 0.75>"
    assert repr(asynchronous(cluster, 10)) == "<asynchronous: 0 updates/s>"
    assert bounded_staleness(cluster, 40, 3).mode == "staleness bound 3"
    assert bounded_staleness(cluster, 40, inf).mode == "unbounded staleness"


def test_a_run_can_be_made_by_hand():
    assert Run("mine", 1, 10, (), ()).staleness == {}


@pytest.mark.parametrize("straggler", [0, 2, 3])
def test_any_worker_may_be_the_straggler(straggler):
    times = ComputeTimes("constant", 1000, slow=3, straggler=straggler)
    assert [times.mean_of(worker) for worker in range(4)] == [3000 if w == straggler else 1000 for w in range(4)]
    assert [next(times.of_worker(worker)) for worker in range(4)] == [times.mean_of(worker) for worker in range(4)]
    for workers in (1, 2, 4):
        assert times.slowest_ns(workers) == (3000 if straggler < workers else 1000)
    assert ComputeTimes("constant", 1000, slow=0.5, straggler=straggler).slowest_ns(4) == 1000
    with pytest.raises(ae.ConfigError, match="straggler"):
        ComputeTimes(straggler=-1)
