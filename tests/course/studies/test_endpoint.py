"""Endpoints: reads counted by hand, what they feed and leave, iterations against plain simulations, and the figures."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from math import ceil, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.collectives import algorithms_for
from astra_edu.course.studies.endpoint import (
    ACE,
    BASELINES,
    COMM_OPT,
    COMP_OPT,
    ENDPOINTS,
    IDEAL,
    NETWORK_USE,
    NO_OVERLAP,
    SPEED_UP,
    Endpoint,
    accesses,
    iteration,
    memory_reads_per_network_byte,
    network_bytes_per_s,
    network_share,
    speed_up,
    torus,
    torus_all_reduce,
    traffic,
)
from astra_edu.course.studies.endpoint.training import in_turn
from astra_edu.course.studies.endpoint.variants import NPU, SM_BYTES_PER_S, SMS

SIZES = ((4, 2, 2), (4, 4, 2), (4, 4, 4), (4, 8, 4))  # 16 to 128 NPUs


def of_npu(schedule, npu, on_chip=False):
    """What one NPU does, as (step, what), in order."""
    return sorted((a.step, a.what) for a in accesses(schedule, on_chip) if a.npu == npu)


# What is read and written


def test_a_ring_of_three_by_hand():
    """NPU 0 sends its shard 2, then 1 with what came for it; adds up shard 0 and sends it; passes shard 2 on."""
    ring = ae.schedule("all-reduce", "ring", 3)
    assert of_npu(ring, 0) == [
        *[(0, "arrival"), (0, "own")],
        *[(1, "arrival"), (1, "own"), (1, "received")],
        *[(2, "arrival"), (2, "own"), (2, "received"), (2, "sum")],
        *[(3, "arrival"), (3, "own")],
    ]
    assert Counter(what for _, what in of_npu(ring, 0, on_chip=True)) == {"load": 3, "store": 3}


@pytest.mark.parametrize("n", [2, 3, 4, 7, 16])
def test_rings_step_by_step(n):
    """A message of the first step takes one read; of the next n - 2, and of the sums' first, two; of the others one."""
    all_reduce = [1] + [2] * (n - 2) + [2] + [1] * (n - 2)
    found = Counter(a.step for a in accesses(ae.schedule("all-reduce", "ring", n)) if (a.npu, a.kind) == (0, "read"))
    assert [found[step] for step in range(2 * (n - 1))] == all_reduce
    scatter = [1] + [2] * (n - 2)
    scatter[-1] += 2  # the NPU's own sum, which it keeps
    found = Counter(
        a.step for a in accesses(ae.schedule("reduce-scatter", "ring", n)) if (a.npu, a.kind) == (0, "read")
    )
    assert [found[step] for step in range(n - 1)] == scatter
    assert memory_reads_per_network_byte(ae.schedule("all-gather", "ring", n)) == 1


def every_all_reduce():
    for name in algorithms_for("all-reduce"):
        for n in (2, 4, 8, 16):
            if not (found := ae.schedule("all-reduce", name, n)).traits.in_switch:
                yield found
    for dims in ((2, 3), (4, 4, 4), (2, 3, 2, 2)):
        yield ae.hierarchical("all-reduce", "ring", dims)
    yield ae.hierarchical("all-reduce", ["direct", "halving-doubling"], (3, 4))
    yield from map(torus_all_reduce, (*SIZES, (3, 2, 5)))


@pytest.mark.parametrize("schedule", list(every_all_reduce()), ids=repr)
def test_every_all_reduce_reads_what_it_sends_and_what_it_adds(schedule):
    """Whatever the algorithm: one read for each message, one for each arrival to be added, so 1.5 a byte."""
    added = sum(len(step.transfers) for step in schedule.steps() if step.op == "reduce")
    sent = sum(len(step.transfers) for step in schedule.steps())
    found, kinds = traffic(schedule), Counter(a.what for a in accesses(schedule))
    assert (found.sent, kinds["arrival"], kinds["received"]) == (sent, sent, added)
    unsent = (
        schedule.npus if schedule.algorithm == "naive" else 0
    )  # sums that no message carries are read for once more
    assert kinds["own"] == sent + unsent
    if not unsent:
        assert found.reads_per_byte == 1.5
    on_chip = traffic(schedule, on_chip=True)
    assert (on_chip.reads, on_chip.writes) == (schedule.npus * schedule.shards,) * 2
    assert on_chip.reads < found.reads
    assert on_chip.writes <= found.writes


@given(st.lists(st.integers(2, 4), min_size=1, max_size=3))
@settings(max_examples=10, deadline=None)
def test_the_papers_torus(dims):
    """Proved like any all-reduce; for each byte loaded it sends what the sum over its phases says."""
    schedule = torus_all_reduce(dims)
    ae.prove(schedule)
    inside, *between = dims
    sent = Fraction(2 * (inside - 1), inside) + sum(Fraction(2 * (n - 1), n * inside) for n in between)
    assert Fraction(traffic(schedule).sent, schedule.shards * schedule.npus) == sent
    assert memory_reads_per_network_byte(schedule, on_chip=True) == pytest.approx(float(1 / sent))


def test_four_by_four_by_four_needs_3_4_times_less():
    schedule = torus_all_reduce((4, 4, 4))
    assert memory_reads_per_network_byte(schedule, on_chip=True) == pytest.approx(1 / (3 / 4 + 3 / 8 + 3 / 8 + 3 / 4))
    assert traffic(schedule).reads / traffic(schedule, on_chip=True).reads == 3.375


def test_other_collectives():
    """What isn't added is read once for each message; a kept sum that nobody sends on once more."""
    assert traffic(ae.schedule("reduce-scatter", "direct", 4)).reads_per_byte == pytest.approx((3 + 3 + 1) / 3)
    assert traffic(ae.schedule("all-to-all", "direct", 4)).reads_per_byte == 1
    assert traffic(ae.schedule("all-to-all", "ring", 4)).reads_per_byte == 1
    gather = ae.schedule("all-gather", "ring", 4)
    assert (traffic(gather, True).reads, traffic(gather, True).writes) == (4, 12)  # own blocks once; 3 others kept
    passed_on = ae.schedule("all-to-all", "ring", 4)  # 12 blocks, 1 to 3 hops each; on the way they stay in the SRAM
    assert traffic(passed_on, True) == type(traffic(passed_on))(24, 12, 12)


def test_what_is_no_schedule_or_too_large_is_told():
    with pytest.raises(ConfigError, match="is no schedule; give one such as"):
        traffic("ring")
    with pytest.raises(ConfigError, match="transfers; 2,000,000 is the most"):
        traffic(ae.schedule("all-reduce", "ring", 65_536))
    for dims in ((), 4, (2,) * 5):
        with pytest.raises(ConfigError, match="give the sizes of 1 to 4 dimensions"):
            torus_all_reduce(dims)


# What endpoints feed and leave


def test_the_budgets_fit_the_network():
    """450 of 300 × 1.5, by ⌈450 / 80⌉ cores; 128 by ⌈128 / 80⌉; and ACE comes near with 128."""
    schedule = torus_all_reduce((4, 4, 4))
    assert network_bytes_per_s(schedule) == pytest.approx(300e9)
    assert COMM_OPT.bytes_per_s(COMM_OPT.reads(schedule)) == pytest.approx(300e9)
    assert COMP_OPT.bytes_per_s(COMP_OPT.reads(schedule)) == pytest.approx(128e9 / 1.5)
    assert ACE.bytes_per_s(ACE.reads(schedule)) == pytest.approx(128e9 * 2.25)
    assert (COMM_OPT.sms, COMP_OPT.sms) == tuple(
        ceil(e.memory_bytes_per_s / SM_BYTES_PER_S) for e in (COMM_OPT, COMP_OPT)
    )


@pytest.mark.parametrize("dims", SIZES)
def test_the_network_by_hand(dims):
    inside, *between = dims
    times = [2 * (inside - 1) / inside / 400, *(2 * (n - 1) / n / inside / 50 for n in between)]
    bytes_sent = 2 * (inside - 1) / inside + sum(2 * (n - 1) / n / inside for n in between)
    assert network_bytes_per_s(torus_all_reduce(dims)) == pytest.approx(bytes_sent / max(times) * 1e9)


def test_a_step_takes_as_long_as_what_is_slowest():
    endpoint = Endpoint("mine", 300e9, 2)  # memory feeds 200 × 10⁹ bytes/s, two cores 107 × 10⁹, at 1.5 reads a byte
    assert endpoint.step_ns(1000, 50e9, 1.5) == pytest.approx(20)
    assert endpoint.step_ns(1000, 400e9, 1.5) == pytest.approx(1500 / 160)
    assert Endpoint("mine", 300e9, 4).step_ns(1000, 400e9, 1.5) == pytest.approx(5)
    assert IDEAL.step_ns(1000, 400e9, 1.5) == pytest.approx(2.5)
    assert Endpoint("mine", 100e9, on_chip=True).step_ns(900, 400e9, 4 / 9) == pytest.approx(4)


def test_what_is_left_for_computing():
    left = COMM_OPT.remaining()
    assert left.flops_per_s == pytest.approx(NPU.flops_per_s * 74 / 80)
    assert left.memory_bytes_per_s == 450e9
    assert (ACE.remaining().flops_per_s, ACE.remaining().memory_bytes_per_s) == (NPU.flops_per_s, 772e9)
    assert NO_OVERLAP.remaining() == IDEAL.remaining() == NPU


def test_impossible_endpoints_are_told():
    with pytest.raises(ConfigError, match="sms is 0, but without an engine of its own"):
        Endpoint("mine", 100e9)
    with pytest.raises(ConfigError, match=r"memory_bytes_per_s is -1"):
        Endpoint("mine", -1, 2)
    with pytest.raises(
        ConfigError, match="mine reserves 900 of 900 × 10⁹ bytes/s and 6 of 80 cores, which leaves nothing"
    ):
        Endpoint("mine", 900e9, 6).remaining()
    with pytest.raises(ConfigError, match="leaves nothing to compute with"):
        Endpoint("mine", 100e9, SMS).remaining()
    with pytest.raises(ConfigError, match="tutorial-46 has no memory_bytes_per_s"):
        ACE.remaining(ae.device("tutorial-46"))


# Iterations


@pytest.mark.parametrize("dims", [(4, 4), (4, 4, 4)])
def test_an_ideal_endpoint_is_a_plain_simulation(dims):
    strategy = ae.Strategy(data=prod(dims), batch=2 * prod(dims), micro_batch=2)
    plain = ae.simulate(ae.generate_workload("resnet50", strategy, "v100"), torus(dims), passes=2)
    assert iteration("resnet50", IDEAL, dims, samples=2).total_ns == plain.total_ns


def test_without_overlap_all_gradients_are_exposed():
    """The run is that of the computation alone and of one all-reduce of all gradients, in each pass."""
    found = iteration("gnmt", NO_OVERLAP, samples=1)
    parameters = ae.model("gnmt").parameters * 2
    alone = ae.simulate(ae.Workload.micro("all-reduce", parameters), torus((4, 4, 4)))
    assert found.compute_ns == iteration("gnmt", IDEAL, samples=1).compute_ns
    assert found.exposed_ns / 2 == pytest.approx(alone.total_ns, rel=1e-3)
    asked = [layer.weight_gradient for layer in found.workload.layers]
    assert [work.size for work in asked] == [parameters] + [0] * (len(asked) - 1)
    assert in_turn(found.workload) == found.workload


def test_collectives_are_as_slow_as_the_endpoint():
    """One large all-reduce on a network of which the endpoint feeds a third takes three times as long."""
    assert network_share(COMP_OPT, (4, 4, 4)) == pytest.approx(128e9 / 1.5 / 262.5e9)  # 63/32 sent, 3/8 of it at 50
    assert network_share(COMM_OPT, (4, 4, 4)) == network_share(IDEAL, (4, 4, 4)) == 1
    work = ae.Workload.micro("all-reduce", 2**28)
    whole, part = (ae.simulate(work, torus((4, 4, 4), share)).total_ns for share in (1, 1 / 3))
    assert part == pytest.approx(3 * whole, rel=1e-3)


@pytest.mark.parametrize(("model", "samples"), [("resnet50", 1), ("dlrm", 128)])
@pytest.mark.parametrize("memory", [64e9, 128e9, 450e9])
def test_with_the_same_memory_ace_is_never_slower(model, samples, memory):
    cores = Endpoint("cores", memory, ceil(memory / SM_BYTES_PER_S))
    engine = Endpoint("engine", memory, on_chip=True)
    slow, fast, ideal = (iteration(model, each, samples=samples).total_ns for each in (cores, engine, IDEAL))
    assert ideal < fast <= slow
    assert (fast == slow) == (
        model == "dlrm" and memory == 450e9
    )  # bound by memory alone, and both feed all of the network


@given(st.floats(1e9, 800e9), st.floats(1e9, 800e9), st.integers(1, 40), st.sampled_from(SIZES))
@settings(max_examples=30, deadline=None)
def test_more_reserved_feeds_more_and_leaves_less(memory, more, cores, dims):
    memory, more = sorted((memory, more))
    for on_chip in (False, True):
        small, large = (Endpoint("e", each, cores, on_chip) for each in (memory, more))
        assert network_share(small, dims) <= network_share(large, dims) <= 1
        assert small.remaining().memory_bytes_per_s >= large.remaining().memory_bytes_per_s
    assert network_share(Endpoint("e", memory, cores), dims) <= network_share(Endpoint("e", memory, on_chip=True), dims)


@pytest.fixture(scope="module")
def sizes():
    """Runs of all endpoints with one sample of ResNet-50 on each NPU, by the torus's dimensions."""
    return {
        dims: {endpoint.name: iteration("resnet50", endpoint, dims, samples=1) for endpoint in ENDPOINTS}
        for dims in SIZES
    }


def test_resnet_gains_what_was_published_where_communication_is_as_long_as_computation(sizes):
    gains = [speed_up(runs) for runs in sizes.values()]
    assert sum(gains) / len(gains) == pytest.approx(SPEED_UP["resnet50"].mean, abs=0.05)
    assert max(gains) == pytest.approx(SPEED_UP["resnet50"].most, abs=0.05)
    for runs in sizes.values():
        assert 0.4 < runs["NoOverlap"].exposed_ns / runs["NoOverlap"].compute_ns < 1


def test_with_32_samples_there_is_nothing_to_gain():
    runs = {endpoint.name: iteration("resnet50", endpoint, samples=32) for endpoint in (*BASELINES, ACE)}
    assert 0.9 < speed_up(runs) < 1
    assert runs["NoOverlap"].exposed_ns < 0.03 * runs["NoOverlap"].total_ns


def test_a_speed_up_needs_both_sides(sizes):
    with pytest.raises(ConfigError, match="results are of ACE; a speed-up needs ACE and NoOverlap, CommOpt, CompOpt"):
        speed_up({"ACE": sizes[4, 4, 4]["ACE"]})
    some = {name: sizes[4, 4, 4][name] for name in ("ACE", "CompOpt")}
    assert speed_up(some) == some["CompOpt"].total_ns / some["ACE"].total_ns


def test_the_abstracts_figures():
    assert SPEED_UP == {"resnet50": (1.41, 1.51), "gnmt": (1.12, 1.17), "dlrm": (1.13, 1.19)}
    assert NETWORK_USE == (1.44, 2.67)


def test_the_package_loads_no_plotting():
    heavy = {"numpy", "matplotlib", "pandas"}
    code = f"import sys; import astra_edu.course.studies.endpoint; assert {heavy}.isdisjoint(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
