"""An algorithm, a queue policy and an order of dimensions of one's own, in both engines."""

import pickle
from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.collectives import Op, Rounds, ring
from astra_edu.collectives.registry import _ALGORITHMS
from astra_edu.system.inter_dimension import INTER_DIMENSION, InterDimension
from astra_edu.system.policies import QUEUE_POLICIES

MIB = 2**20
COLLECTIVES = {"all-reduce": ring.all_reduce, "reduce-scatter": ring.reduce_scatter, "all-gather": ring.all_gather}


@pytest.fixture
def mine():
    """The ring under another name, without anything that engines know of the ring."""
    yield ae.register_algorithm("mine", COLLECTIVES, shards=lambda npus: npus)
    del _ALGORITHMS["mine"]


def run_1(how, *dims, work="all-reduce", size=MIB, **settings):
    platform = ae.Platform(dims, ae.SystemConfig.of("_".join([how] * len(dims)), **settings))
    return ae.simulate(ae.Workload.micro(work, size), platform)


def run_2(how, *blocks, work="all_reduce", size=MIB, aware=False, everyone=False, **settings):
    system = ae.TraceSystem.of(how, **{"local_memory_bandwidth": 100} | settings)
    platform = ae.TracePlatform(blocks, system, congestion_aware=aware)
    return ae.simulate(ae.traces.collective(work, size, platform.npus), platform, everyone=everyone)


@pytest.mark.parametrize("size", [MIB, 1_000_003])
@pytest.mark.parametrize("work", ["all-reduce", "reduce-scatter", "all-gather"])
def test_an_algorithm_of_ones_own_takes_as_long_as_the_same_of_the_package(mine, work, size):
    rings = ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Ring", 3, 25, 700)
    for dims in (rings[:1], rings):
        assert (
            run_1("mine", *dims, work=work, size=size).total_ns == run_1("ring", *dims, work=work, size=size).total_ns
        )
    blocks = ae.Block("Ring", 4, 50, 500), ae.Block("Ring", 3, 25, 700)
    for some in (blocks[:1], blocks):
        for aware in (False, True):
            own, ours = (
                run_2(how, *some, work=work.replace("-", "_"), size=size, aware=aware) for how in ("mine", "ring")
            )
            assert own.finish_ns == ours.finish_ns


@pytest.mark.parametrize("splits", [1, 4])
def test_where_one_npu_stands_for_all_following_everyone_says_the_same(mine, splits):
    blocks = ae.Block("Switch", 4, 50, 500), ae.Block("FullyConnected", 3, 25, 700)
    for how in ("mine", "bidirectional-ring"):
        alone = run_2(how, *blocks, splits=splits)
        assert alone.one_for_all
        assert alone.finish_ns == run_2(how, *blocks, splits=splits, everyone=True).finish_ns


def test_a_bidirectional_ring_sends_half_of_each_block_either_way():
    """On a sheet: 2 × 7 steps of 500 ns, 10 ns and 64 KiB at 50 GB/s (both directions at once), 10 ns at first."""
    step = 500 + int(MIB / 8 / 2 / (50 * 2**30 / 1e9)) + 10
    block = ae.Block("Ring", 8, 50, 500)
    assert run_2("bidirectional-ring", block, local_memory_bandwidth=None).total_ns == 10 + 14 * step
    assert run_2("bidirectional-ring", block, local_memory_bandwidth=None, aware=True).total_ns == 10 + 14 * step


@pytest.mark.parametrize("how", ["binary-tree", "double-binary-tree", "single-master", "parameter-server", "naive"])
def test_every_algorithm_runs_in_both_engines_as_its_schedule_is_timed(how):
    dimension = ae.Dimension.of("FullyConnected", 4, 50, 500)
    timed = ae.time_schedule(ae.schedule("all-reduce", how, 4), dimension, MIB).total_ns
    assert run_1(how, dimension, splits=1).total_ns == timed + 1  # the loop's step
    block = ae.Block("FullyConnected", 4, 50, 500)
    assert run_2(how, block, local_memory_bandwidth=500_000).total_ns == pytest.approx(timed, abs=40)


def test_a_schedule_may_be_registered_for_its_own_number_of_npus():
    made = ae.schedule("all-reduce", "bidirectional-ring", 6)
    ae.register_algorithm("six", made)
    assert ae.schedule("all-reduce", "six", 6).shards == made.shards
    dimension = ae.Dimension.of("Ring", 6, 50, 500)
    assert run_1("six", dimension).total_ns == run_1("bidirectional-ring", dimension).total_ns
    with pytest.raises(ae.ConfigError, match="six is a schedule for 6 NPUs"):
        run_1("six", ae.Dimension.of("Ring", 4, 50, 500))
    del _ALGORITHMS["six"]


def rounds(**claims):
    return lambda n: (Rounds("reduce", Op.REDUCE, 1, lambda s, i: [(0, 0)] if i else [], **claims),)


@pytest.mark.parametrize(
    ("name", "does", "shards", "words"),
    [
        ("ring", COLLECTIVES, lambda n: n, "of this package"),
        ("my_ring", COLLECTIVES, lambda n: n, "take letters"),
        ("mine", COLLECTIVES, None, "how many shards mine cuts the data isn't given"),
        ("mine", {"all-in-all": ring.all_reduce}, lambda n: n, "all-in-all"),
        ("mine", ring.all_reduce, lambda n: n, "function of the number of NPUs"),
    ],
)
def test_what_is_no_algorithm_is_refused(name, does, shards, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.register_algorithm(name, does, shards)


def test_what_an_algorithm_claims_or_promises_falsely_never_runs():
    ae.register_algorithm("liar", {"all-reduce": rounds()}, shards=lambda n: 1)
    with pytest.raises(ae.ConfigError, match="say symmetric=False"):
        ae.schedule("all-reduce", "liar", 4)
    ae.register_algorithm("liar", {"all-reduce": rounds(symmetric=False)}, shards=lambda n: 1)
    for run, place in ((run_1, ae.Dimension.of("Ring", 4, 50, 500)), (run_2, ae.Block("Ring", 4, 50, 500))):
        with pytest.raises(ae.ProofError, match="NPU 1's shard"):
            run("liar", place)
    uneven = (Rounds("x", Op.COPY, 2, lambda s, i: [((i + 1 + s) % 4, 0)]),)
    ae.register_algorithm("liar", {"all-reduce": lambda n: uneven}, shards=lambda n: 1)
    with pytest.raises(ae.ConfigError, match="say uniform=False"):
        ae.schedule("all-reduce", "liar", 4)
    del _ALGORITHMS["liar"]


def test_how_an_algorithm_uses_a_shared_bus_is_not_guessed():
    bus = ae.system.Bus(L=1, o=1, g=1, G=0.01)
    with pytest.raises(ae.ConfigError, match="shared bus isn't known"):
        run_1("bidirectional-ring", ae.Dimension.of("Ring", 4, 50, 500), bus=bus)
    with pytest.raises(ae.ConfigError, match="shared bus isn't known"):
        run_2("bidirectional-ring", ae.Block("Ring", 4, 50, 500), bus=bus)


def last_in_first_out(queue, running, new):
    return running


def test_a_queue_policy_is_a_function():
    network = [ae.Dimension.of("Ring", 4, 50, 500), ae.Dimension.of("Ring", 4, 5, 500)]
    system = ae.SystemConfig.of("ring_ring", splits=8, intra_dimension=last_in_first_out)

    def order(system):
        result = ae.simulate(ae.Workload.micro("reduce-scatter", MIB), ae.Platform(network, system))
        return [span.chunk for span in result.timeline if span.lane == "dimension 0"]

    assert order(system) == [0, 7, 6, 5, 4, 3, 2, 1]
    QUEUE_POLICIES["LIFO chunks"] = last_in_first_out
    assert order(ae.SystemConfig.of("ring_ring", splits=8, intra_dimension="LIFO chunks")) == [0, 7, 6, 5, 4, 3, 2, 1]
    del QUEUE_POLICIES["LIFO chunks"]
    traced = ae.TraceSystem.of("ring", splits=8, intra_dimension=last_in_first_out)
    platform = ae.TracePlatform((ae.Block("Ring", 4, 50, 500), ae.Block("Ring", 4, 5, 500)), traced)
    result = ae.simulate(ae.traces.collective("reduce_scatter", MIB, 16), platform, record=True)
    assert [s.chunk for s in result.stays if s.phase.dimension == 0] == [0, 7, 6, 5, 4, 3, 2, 1]


def fastest_first(collective, dimensions):
    return sorted(range(len(dimensions.npus)), key=lambda d: -dimensions.bandwidths[d])


class FastestFirst(InterDimension):
    """The same as a class."""

    def order(self, collective, chunk, left, involved):
        return fastest_first(collective, self.dimensions), min(chunk, left)


@pytest.mark.parametrize("policy", [fastest_first, FastestFirst])
def test_an_inter_dimension_policy_is_a_function_or_a_class(policy):
    network = [ae.Dimension.of("Ring", 4, 5, 500), ae.Dimension.of("Ring", 4, 50, 500)]
    blocks = tuple(ae.Block("Ring", d.npus, d.bandwidth, d.latency) for d in network)

    def first_lanes(inter):
        one = ae.simulate(
            ae.Workload.micro("reduce-scatter", MIB),
            ae.Platform(network, ae.SystemConfig.of("ring_ring", inter_dimension=inter)),
        )
        two = ae.simulate(
            ae.traces.collective("reduce_scatter", MIB, 16),
            ae.TracePlatform(blocks, ae.TraceSystem.of("ring", inter_dimension=inter)),
            record=True,
        )
        return one.stays[0].phase.dimension, two.stays[0].phase.dimension

    assert first_lanes("baseline") == (0, 0)
    assert first_lanes(policy) == (1, 1)
    INTER_DIMENSION["fastest"] = policy
    assert first_lanes("fastest") == (1, 1)
    del INTER_DIMENSION["fastest"]


def test_an_order_that_is_none_is_refused():
    network = [ae.Dimension.of("Ring", 4, 5, 500), ae.Dimension.of("Ring", 4, 50, 500)]
    system = ae.SystemConfig.of("ring_ring", inter_dimension=lambda collective, dimensions: [0, 0])
    with pytest.raises(ae.ConfigError, match="each of 0 to 1 has to be there once"):
        ae.simulate(ae.Workload.micro("all-reduce", MIB), ae.Platform(network, system))


def test_what_is_given_as_a_function_cannot_be_saved(tmp_path):
    platform = ae.Platform(
        [ae.Dimension.of("Ring", 4, 5, 500)], ae.SystemConfig.of("ring", intra_dimension=last_in_first_out)
    )
    with pytest.raises(ae.ConfigError, match="register it"):
        ae.save_astra_sim(platform, network=tmp_path / "n.json", system=tmp_path / "s.txt")
    platform = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring", inter_dimension=FastestFirst))
    with pytest.raises(ae.ConfigError, match="register it"):
        ae.save_astra_sim(platform, network=tmp_path / "n.yml", system=tmp_path / "s.json", memory=tmp_path / "m.json")


def exchange_of(size):
    """Two NPUs that send each other `size` bytes."""

    def nodes(me):
        send = {"comm_src": me, "comm_dst": 1 - me, "comm_size": size, "comm_tag": 0}
        receive = {"comm_src": 1 - me, "comm_dst": me, "comm_size": size, "comm_tag": 0}
        return [
            {"id": 1, "type": "COMM_SEND_NODE", "attr": send},
            {"id": 2, "type": "COMM_RECV_NODE", "attr": receive},
        ]

    return ae.traces.from_nodes([nodes(0), nodes(1)])


def run_custom(carried, *sizes):
    system = ae.TraceSystem(custom={ae.Collective.ALL_REDUCE: exchange_of(carried)})
    nodes = [
        {"id": k, "type": "COMM_COLL_NODE", "attr": {"comm_type": 0, "comm_size": size}}
        for k, size in enumerate(sizes, start=1)
    ]
    return ae.simulate(ae.traces.from_nodes([nodes] * 2), ae.TracePlatform(ae.Block("Ring", 2, 50, 500), system))


def test_a_custom_collective_says_that_it_cannot_honour_a_size():
    with pytest.warns(UserWarning, match="sends 512 bytes an NPU at most, where 1,024 are needed"):
        run_custom(512, 1024)
    with pytest.warns(UserWarning, match=r"asked for 1,024 and for 512 bytes.*the same for both"):
        run_custom(1024, 1024, 512)


def test_a_custom_collective_of_the_size_that_it_is_for_is_not_warned_of(recwarn):
    assert run_custom(1024, 1024, 1024).total_ns > 0
    assert not recwarn.list


def two_in_a_row(platform, everyone):
    trace = ae.traces.Builder(platform.npus)
    trace.all_reduce("second", "256 KiB", after=trace.all_reduce("first", "1 MiB"))
    return ae.simulate(trace.build(), platform, everyone=everyone).total_ns


@pytest.mark.parametrize("how", ["naive", "bidirectional-ring"])
def test_with_themis_an_algorithm_that_goes_step_by_step_is_followed_by_all(how):
    blocks = ae.Block("Switch", 4, 50, 500), ae.Block("FullyConnected", 3, 50, 500)
    platform = ae.TracePlatform(blocks, ae.TraceSystem.of([how] * 2, splits=2, inter_dimension="themis"))
    assert two_in_a_row(platform, everyone=False) == two_in_a_row(platform, everyone=True)


def test_what_is_registered_again_counts_for_platforms_that_have_run_already():
    block, trace = ae.Block("Ring", 4, 50, 500), ae.traces.collective("all_reduce", MIB, 4)
    ae.register_algorithm("again", {"all-reduce": ring.all_reduce}, shards=lambda n: n)
    platform = ae.TracePlatform(block, ae.TraceSystem.of("again"))
    before = ae.simulate(trace, platform).total_ns
    ae.register_algorithm("again", ae.schedule("all-reduce", "naive", 4))
    after = ae.simulate(trace, platform).total_ns
    assert after == ae.simulate(trace, ae.TracePlatform(block, ae.TraceSystem.of("again"))).total_ns != before
    del _ALGORITHMS["again"]


@pytest.mark.parametrize("name", ["halvingDoubling", "doubleBinaryTree", "oneRing", "Ring"])
def test_no_spelling_of_astra_sims_files_can_be_taken(name):
    with pytest.raises(ae.ConfigError, match="of this package"):
        ae.register_algorithm(name, COLLECTIVES, shards=lambda n: n)


def test_a_schedule_put_together_by_hand_is_run_as_it_is():
    """It keeps nothing of the ring's that engines know, though it was made from one."""
    tree = ae.schedule("all-reduce", "binary-tree", 4)
    ae.register_algorithm(
        "edited", replace(ae.schedule("all-reduce", "ring", 4), groups=tree.groups, shards=tree.shards)
    )
    block = ae.Block("Switch", 4, 50, 500)
    assert run_2("edited", block).total_ns == run_2("binary-tree", block).total_ns
    del _ALGORITHMS["edited"]


def test_a_schedule_over_several_dimensions_is_none_for_one():
    with pytest.raises(ae.ConfigError, match="over 2 dimensions; register one for a single dimension"):
        ae.register_algorithm("both", ae.hierarchical("all-reduce", "ring", (4, 2)))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda s, i: [(i, 0)], "NPU 0 sends shard 0 to 0"),
        (lambda s, i: [(i + 1, 0)], "to 96; shards are 0 to 95, and the others are 0 to 95"),
        (lambda s, i: [((i + 1) % 96, 777)], "sends shard 777"),
        (lambda s, i: [(i - 1, 0)], "to -1"),
        (lambda s, i: [((i + 1) % 96, 0, 0)], "pairs of a destination and a shard"),
        (lambda s, i: None, "pairs of a destination and a shard"),
        (lambda s, i: [((i + 1.0) % 96, 0)], "to 1.0"),
    ],
)
def test_rules_that_cannot_be_are_told_also_where_no_proof_is_tried(rule, words):
    groups = (Rounds("all-reduce", Op.REDUCE, 1, rule, symmetric=False, uniform=False),)
    ae.register_algorithm("wrong", {"all-reduce": lambda n: groups}, shards=lambda n: n)
    with pytest.raises(ae.ConfigError, match=words):
        ae.schedule("all-reduce", "wrong", 96)
    del _ALGORITHMS["wrong"]


@pytest.mark.parametrize(
    ("made", "shards", "words"),
    [
        (None, 4, "a tuple of Rounds"),
        ((), 4, "a tuple of Rounds"),
        ([1], 4, "a tuple of Rounds"),
        (ring.all_reduce(4), 0, "number of shards of wrong"),
        (ring.all_reduce(4), 2.5, "number of shards of wrong"),
        (ring.all_reduce(4), 10**9, "16,777,216 are the most"),
    ],
)
def test_what_a_function_makes_is_looked_at(made, shards, words):
    ae.register_algorithm("wrong", {"all-reduce": lambda n: made}, shards=lambda n: shards)
    with pytest.raises(ae.ConfigError, match=words):
        ae.schedule("all-reduce", "wrong", 4)
    del _ALGORITHMS["wrong"]


def test_a_step_without_a_message_is_told():
    def idle(n):
        scatter, gather = ring.all_reduce(n)
        return scatter, Rounds("idle", Op.COPY, 1, lambda s, i: []), gather

    ae.register_algorithm("idle", {"all-reduce": idle}, shards=lambda n: n)
    with pytest.raises(ae.ConfigError, match="NPU 0 sends nothing; leave the step out"):
        ae.schedule("all-reduce", "idle", 4)
    del _ALGORITHMS["idle"]


@pytest.mark.parametrize("place", [None, 0.5, -1, 0, 10**6, "1"])
@pytest.mark.parametrize("run", [run_1, run_2])
def test_a_queue_policy_that_gives_no_place_is_told(place, run):
    where = ae.Dimension.of("Ring", 4, 50, 500) if run is run_1 else ae.Block("Ring", 4, 50, 500)
    work = "reduce-scatter" if run is run_1 else "reduce_scatter"
    with pytest.raises(ae.ConfigError, match="a whole number from 2"):
        run("ring", where, work=work, splits=6, active_chunks=2, intra_dimension=lambda queue, running, new: place)


@pytest.mark.parametrize(
    "answer",
    [None, [1, 0], ([1, 1], 8), ([1], 8), ([0, 7], 8), ([1, 0], 0), ([1, 0], 10**9), ([1, 0], 0.5), (["a"], 8)],
)
@pytest.mark.parametrize("together", [False, True])
def test_an_order_or_a_size_that_is_none_is_told(answer, together):
    policy = type("Policy", (InterDimension,), {"order": lambda *_: answer, "together": together})
    with pytest.raises(ae.ConfigError, match=r"orders the dimensions as|makes a chunk of"):
        run_1("ring", *[ae.Dimension.of("Ring", 4, 50, 500)] * 2, inter_dimension=policy)
    with pytest.raises(ae.ConfigError, match=r"orders the dimensions as|makes a chunk of"):
        run_2("ring", *[ae.Block("Ring", 4, 50, 500)] * 2, inter_dimension=policy)


def test_a_policy_hears_of_collectives_and_orders_their_chunks_as_one_object():
    heard = []

    class Listens(InterDimension):
        def begin(self, now):
            heard.append((id(self), "begin"))

        def order(self, collective, chunk, left, involved):
            heard.append((id(self), "order"))
            return range(len(self.dimensions.npus)), min(chunk, left)

    run_2("ring", *[ae.Block("Ring", 4, 50, 500)] * 2, inter_dimension=Listens)
    assert len({who for who, _ in heard}) == 1
    assert [what for _, what in heard][:2] == ["begin", "order"]


@pytest.mark.parametrize("record", [False, True])
def test_platforms_and_runs_of_traces_can_be_pickled(record):
    platform = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("halvingDoubling"))
    result = ae.simulate(ae.traces.collective("all_reduce", MIB, 8), platform, record=record)
    assert pickle.loads(pickle.dumps(platform)) == platform
    assert pickle.loads(pickle.dumps(result)).finish_ns == result.finish_ns


def test_one_npu_for_all_costs_the_same_however_many_there_are():
    result = run_2("bidirectional-ring", ae.Block("Ring", 16_384, 50, 500))
    assert result.one_for_all
    assert result.total_ns > 2 * 16_383 * 500


@pytest.mark.parametrize(
    "settings",
    [
        {"replay_only": True},
        {"custom": {ae.Collective.ALL_REDUCE: ae.traces.from_nodes([[{"id": 1, "type": "COMP_NODE"}]] * 6)}},
    ],
    ids=["replayed", "custom"],
)
def test_what_is_not_run_is_not_planned(settings):
    """Halving-doubling can't do 6 NPUs, but it isn't asked to."""
    system = replace(ae.TraceSystem.of(["halvingDoubling"]), **settings)
    platform = ae.TracePlatform(ae.Block("Ring", 6, 50, 500), system)
    assert ae.simulate(ae.traces.collective("all_reduce", MIB, 6), platform, everyone=True).total_ns


def all_to_one(after=()):
    """NPUs 1 and 2 each send NPU 0 two messages; after: what the second of them waits for."""

    def message(kind, number, other, deps=()):
        key = {"SEND": "comm_dst", "RECV": "comm_src"}[kind]
        attributes = {key: other, "comm_size": 4096 * number, "comm_tag": number}
        return {"id": number, "type": f"COMM_{kind}_NODE", "attr": attributes, "ctrl_deps": list(deps)}

    senders = [[message("SEND", 1, 0), message("SEND", 2, 0, after)] for _ in (1, 2)]
    receiver = [dict(message("RECV", k % 2 + 1, k // 2 + 1), id=k + 1) for k in range(4)]
    return ae.traces.from_nodes([receiver, *senders])


def run_all_to_one(after=(), congestion_aware=True):
    system = ae.TraceSystem(custom={ae.Collective.ALL_REDUCE: all_to_one(after)})
    node = {"id": 1, "type": "COMM_COLL_NODE", "attr": {"comm_type": 0, "comm_size": 4096}}
    platform = ae.TracePlatform(ae.Block("Switch", 3, 50, 500), system, congestion_aware=congestion_aware)
    return ae.simulate(ae.traces.from_nodes([[node]] * 3), platform)


def test_messages_of_a_custom_collective_that_leave_together_may_queue_in_another_order():
    with pytest.warns(UserWarning, match=r"leave in the same ns: .* by ascending node id here, and in the order of a"):
        assert run_all_to_one().total_ns > 0


@pytest.mark.parametrize(("after", "congestion_aware"), [((1,), True), ((), False)])
def test_but_not_where_one_waits_for_the_other_nor_without_congestion(after, congestion_aware, recwarn):
    assert run_all_to_one(after, congestion_aware).total_ns > 0
    assert not [warning for warning in recwarn if "hash table" in str(warning.message)]
