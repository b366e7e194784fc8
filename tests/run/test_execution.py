"""The 2.x engine where a sum on paper, a property or an error says what must come out."""

import json
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

import astra_edu as ae
from astra_edu.run.effort import MOST_MESSAGES, messages_of
from astra_edu.run.everyone import Everyone
from astra_edu.run.networks import network_of
from astra_edu.system.plan_2 import cut
from astra_edu.system.queue_turns import QueueTurns

MIB = 2**20


def node(number, kind="COMP_NODE", micros=0, after=(), **attr):
    return {"id": number, "type": kind, "duration_micros": micros, "data_deps": list(after), "attr": attr}


def collective(number, comm_type=0, size=MIB, after=(), **attr):
    return node(number, "COMM_COLL_NODE", 0, after, comm_type=comm_type, comm_size=size, **attr)


def ring(npus=4, aware=False, **settings):
    system = ae.TraceSystem.of("ring", **{"splits": 1, "local_memory_bandwidth": 1600} | settings)
    return ae.TracePlatform(ae.Block("Ring", npus, 50, 500), system, congestion_aware=aware)


def run(nodes, platform, groups=None, **options):
    if isinstance(nodes[0], dict):
        nodes = [nodes] * platform.npus
    return ae.simulate(ae.traces.from_nodes(nodes, groups), platform, **options)


def test_three_nodes_of_the_hoti_2024_tutorial():
    """An all-reduce of 1 MB, then an all-gather of 2 MB beside a computation of 50 us: 405.520 us on the slide."""
    platform = replace(ring(8), system=ae.TraceSystem.of("ring", splits=4, local_memory_bandwidth=50))
    nodes = [collective(1), collective(2, 2, 2 * MIB, [1]), node(3, micros=50, after=[1])]
    for aware in (False, True):
        result = run(nodes, replace(platform, congestion_aware=aware))
        assert result.total_ns == 405_520
        assert result.exposed_ns[0] == 355_520


def test_a_roofline_computes_at_what_memory_or_peak_allow():
    system = ae.TraceSystem(roofline=True, local_memory_bandwidth=1600, peak_performance=900)
    platform = replace(ring(), system=system)
    bound_by_peak = node(1, num_ops=10**12, tensor_size=10**6)
    bound_by_memory = node(2, num_ops=10**9, tensor_size=10**9)
    assert run([bound_by_peak], platform).total_ns == int(10**12 / 900e12 * 1e9)
    assert run([bound_by_memory], platform).total_ns == int(10**9 / 1600e9 * 1e9)
    with pytest.raises(ae.ConfigError, match=r"node 3 .*tensor_size is 0"):
        run([node(3, num_ops=5, tensor_size=0)], platform)


def test_one_operation_of_each_kind_at_a_time_and_the_lowest_number_first():
    nodes = [node(3, micros=5), node(1, micros=2), node(2, micros=4, is_cpu_op=True), node(4, micros=1)]
    result = run(nodes, ring())
    assert [(ran.node.id, ran.start_ns, ran.end_ns) for ran in result.ran] == [
        (1, 0, 2000),
        (2, 0, 4000),
        (3, 2000, 7000),
        (4, 7000, 8000),
    ]
    assert result.compute_ns[0] == 8000


@pytest.mark.parametrize("kind", ["PER_NPU_MEMORY_EXPANSION", "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"])
def test_who_shares_a_memory_waits_for_the_others(kind):
    memory = ae.RemoteMemory(kind, latency=1000, bandwidth=100, npus_per_node=2)
    result = run([node(1, "MEM_LOAD_NODE", tensor_size=MIB)], replace(ring(), memory=memory))
    one = 1000 + MIB // 100
    sharing = {"PER_NPU_MEMORY_EXPANSION": [1, 1, 1, 1], "PER_NODE_MEMORY_EXPANSION": [1, 2, 1, 2]}
    assert result.finish_ns == tuple(one * turn for turn in sharing.get(kind, [1, 2, 3, 4]))


def test_a_memory_node_needs_a_memory():
    with pytest.raises(ae.ConfigError, match="NO_MEMORY_EXPANSION"):
        run([node(1, "MEM_STORE_NODE", tensor_size=8)], ring())


def sends(source, destination, size=MIB, tag=0):
    return node(1, "COMM_SEND_NODE", comm_src=source, comm_dst=destination, comm_size=size, comm_tag=tag)


def receives(source, destination, size=MIB, tag=0):
    return node(1, "COMM_RECV_NODE", comm_src=source, comm_dst=destination, comm_size=size, comm_tag=tag)


def test_a_message_over_three_hops_is_stored_and_forwarded():
    idle = [node(1, micros=1)]
    nodes = [[sends(0, 3)], *[idle] * 2, [receives(0, 3)], *[idle] * 4]
    serialised = MIB / (50 * 2**30 / 1e9)
    assert run(nodes, ring(8)).finish_ns[3] == int(3 * 500 + serialised)
    assert run(nodes, ring(8, aware=True)).finish_ns[3] == 3 * int(500 + serialised)


def test_two_messages_share_a_link_one_after_the_other():
    idle = [node(1, micros=1)]
    nodes = [[sends(0, 2)], [sends(1, 2)], [receives(0, 2), {**receives(1, 2), "id": 2}], *[idle] * 5]
    link = int(MIB / (50 * 2**30 / 1e9))
    result = run(nodes, ring(8, aware=True), record=True)
    first, second = sorted(use for use in result.uses if use.link == (1, 2))
    assert {first.start_ns, second.start_ns} == {0, link + 500}
    assert result.links.set_index(["from", "to"]).loc[(1, 2), "messages"] == 2


@pytest.mark.parametrize(
    ("nodes", "sentence"),
    [
        ([[sends(0, 1)], *[[node(1, micros=1)]] * 3], "NPU 0: node 1 .* 1048576 bytes .* no counterpart"),
        ([[sends(0, 1)], [receives(0, 1, size=8)], *[[node(1)]] * 2], "What NPU 1 receives is 8 bytes"),
        ([[sends(0, 9)], *[[node(1)]] * 3], "comm_dst is NPU 9"),
        ([[sends(2, 1)], *[[node(1)]] * 3], "comm_src is NPU 2"),
        ([[receives(1, 3)], *[[node(1)]] * 3], "comm_dst is NPU 3"),
        ([[collective(1)], *[[node(1)]] * 3], "NPU 1 starts 0"),
        ([[collective(1, pg_name="7")]] * 4, "'7'"),
        ([[collective(1, comm_type=1)]] * 4, "REDUCE"),
        ([[collective(1, comm_type=44)]] * 4, "comm_type is 44"),
        ([[collective(1, involved_dim=[False])]] * 4, "no dimension of more than one NPU"),
        ([[node(1, "COMM_COLL_NODE", comm_type=0)]] * 4, "no attribute comm_size"),
    ],
)
def test_what_never_ends_or_makes_no_sense_is_said(nodes, sentence):
    with pytest.raises(ae.ConfigError, match=sentence):
        run(nodes, ring(), groups={})


def test_npus_that_wait_for_each_other_are_named():
    ping = [receives(1, 0), {**sends(0, 1), "id": 2, "data_deps": [1]}]
    pong = [receives(0, 1), {**sends(1, 0), "id": 2, "data_deps": [1]}]
    with pytest.raises(ae.ConfigError, match=r"2 of 4 NPUs never finish; first NPU 0; node 1 .* never ends; .* bytes"):
        run([ping, pong, *[[node(1, micros=1)]] * 2], ring())


def test_more_messages_than_can_be_followed_are_refused_at_once():
    platform = replace(ring(4096), system=ae.TraceSystem.of("ring", splits=64))
    trace = ae.traces.collective("all_reduce", MIB, 4096)
    assert ae.simulate(trace, platform).one_for_all
    with pytest.raises(ae.ConfigError, match=f"{MOST_MESSAGES:,} are the most. Leave out everyone=True, or take"):
        ae.simulate(trace, platform, everyone=True)
    with pytest.raises(ae.ConfigError, match=r"as record=True asks for it; .* Leave out record=True"):
        ae.simulate(trace, replace(platform, congestion_aware=True), record=True)
    one_alone = ae.traces.Builder(4096)
    one_alone.compute("slow", 1, on=0)
    one_alone.all_reduce("sum", MIB)
    with pytest.raises(ae.ConfigError, match=r"as the NPUs don't all do the same; .* Take fewer NPUs"):
        ae.simulate(one_alone.build(), replace(platform, congestion_aware=True), record=True)


@pytest.mark.parametrize("name", ["ring", "direct", "halvingDoubling", "doubleBinaryTree"])
@pytest.mark.parametrize("splits", [1, 4])
@pytest.mark.parametrize("size", [100, MIB, MIB + 3])
def test_as_many_messages_are_expected_as_are_sent(name, splits, size):
    platform = ae.TracePlatform(
        (ae.Block("Switch", 8, 50, 500), ae.Block("Switch", 4, 50, 500)), ae.TraceSystem.of(name, splits=splits)
    )
    jobs = ae.traces.Builder(32)
    jobs.all_reduce("both", size)
    jobs.reduce_scatter("outside", size, involved_dim=[False, True])
    jobs.all_gather("a group", size, group=[[1, 2, 5]] if name == "ring" else None)
    jobs.message("ping", size, 0, 1)
    followed = Everyone(jobs.build(), platform, network_of(platform))
    followed.run()
    assert messages_of(jobs.build(), platform) == followed.messages.sent


def test_a_node_with_a_collective_of_its_own_isnt_counted_as_those_with_the_same_attributes():
    builder = ae.traces.Builder(4)
    first = builder.all_reduce("one", MIB)
    builder.all_reduce("another", MIB, after=first)
    trace = builder.build()
    one, another = trace.nodes[0]
    assert one.attributes is another.attributes
    own = ae.traces.from_nodes([[node(0, micros=1)]] * 4)
    for number in (one.id, another.id):
        platform = ring(4, custom_nodes={number: own})
        assert messages_of(trace, platform) == messages_of(trace, ring(4)) // 2


@pytest.mark.parametrize("splits", [1, 4])
def test_the_bar_of_a_finished_run_is_full(monkeypatch, capsys, splits):
    ticks = iter(range(0, 10**6, 2))
    monkeypatch.setattr("astra_edu.base.progress.perf_counter", lambda: next(ticks))
    trace = ae.traces.collective("all_reduce", MIB, 32)
    ae.simulate(trace, ring(32, splits=splits), everyone=True)
    shown = capsys.readouterr().err.split("\r")[-1]
    sent = 32 * 62 * splits
    assert f"100%|██████████| {sent}/{sent}" in shown


def test_sizes_that_do_not_fit():
    with pytest.raises(ae.ConfigError, match="for 8 NPUs, the network has 4"):
        ae.simulate(ae.traces.collective("all_reduce", 8, 8), ring())
    with pytest.raises(ae.ConfigError, match="Trace and a TracePlatform of 2"):
        ae.simulate(ae.traces.collective("all_reduce", 8, 8), ae.preset("ring"))
    with pytest.raises(ae.ConfigError, match=r"needs a power of two"):
        ae.simulate(
            ae.traces.collective("all_reduce", MIB, 6),
            ae.TracePlatform(ae.Block("Switch", 6, 50, 500), ae.TraceSystem.of("halvingDoubling")),
        )


def test_small_collectives_grow_to_a_byte_per_npu_and_a_rest_to_a_whole_chunk():
    assert cut(ae.Collective.ALL_REDUCE, 31, 4, 16) == (16, 64)
    assert cut(ae.Collective.ALL_REDUCE, 1_000_003, 4, 16) == (250_000, 1_000_003)
    assert cut(ae.Collective.ALL_GATHER, 31, 4, 16) == (7, 31)
    with pytest.raises(ae.ConfigError, match="never ends"):
        cut(ae.Collective.ALL_GATHER, 3, 4, 16)


def test_queues_take_turns_in_halves():
    four = QueueTurns(4)
    assert [four.next_up() for _ in range(3)] == [(0, True), (1, True), (0, True)]
    assert [four.next_down() for _ in range(3)] == [(2, False), (3, False), (2, False)]
    assert [four.next_any() for _ in range(5)] == [(0, True), (1, True), (2, False), (3, False), (0, True)]
    one = QueueTurns(1)
    assert (one.next_up(), one.next_down(), one.next_any()) == ((0, True), (0, False), (0, True))


def test_custom_collectives_are_traces_of_their_own():
    """A broadcast from rank 0 in place of an all-reduce: three sends in a row, one after the other."""

    def send(number, to, after=()):
        return node(number, "COMM_SEND_NODE", 0, after, comm_src=0, comm_dst=to, comm_size=MIB, comm_tag=to)

    root = [send(1, 1), send(2, 2, [1]), send(3, 3, [2])]
    others = [[receives(0, rank, tag=rank)] for rank in (1, 2, 3)]
    custom = ae.traces.from_nodes([root, *others])
    system = ae.TraceSystem(custom={ae.Collective.ALL_REDUCE: custom})
    platform = ae.TracePlatform(ae.Block("FullyConnected", 4, 50, 500), system)
    one = platform.network[0].message_ns(MIB, 1)
    assert run([collective(1)], platform).finish_ns == (3 * one, one, 2 * one, 3 * one)
    with pytest.raises(ae.ConfigError, match="is for 4 NPUs; it is used by 8"):
        run([collective(1)], ae.TracePlatform(ae.Block("Ring", 8, 50, 500), system))


def test_the_tables_of_a_result():
    result = run([collective(1), node(2, micros=10, after=[1])], ring(aware=True), record=True)
    assert list(result.nodes.loc[result.nodes["NPU"] == 0, "name"]) == ["comm_coll_node_1", "comp_node_2"]
    links = result.links
    assert len(links) == 4
    assert links["bytes"].tolist() == [6 * MIB // 4] * 4
    assert (links["utilisation"] <= 1).all()
    assert len(result.stays) == 4
    assert "all NPUs alike" in repr(result)


def test_a_run_opens_in_perfetto(tmp_path):
    nodes = [collective(1), node(2, micros=20)]
    result = run(nodes, ring(aware=True), record=True)
    events = json.loads(result.save_chrome_trace(tmp_path / "run.json").read_text())["traceEvents"]
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    computed = [e for e in spans if threads[e["pid"], e["tid"]] == "compute"]
    assert [(e["pid"], e["ts"], e["dur"]) for e in computed] == [(npu + 1, 0, 20) for npu in range(4)]
    assert len([e for e in spans if e["cat"] == "message"]) == len(result.uses) == 4 * 6
    by_thread = defaultdict(list)
    for span in spans:
        by_thread[span["pid"], span["tid"]].append((span["args"]["start_ns"], span["args"]["end_ns"]))
    for stretches in by_thread.values():
        assert all(end <= start for (_, end), (start, _) in pairwise(sorted(stretches)))


def test_the_numbers_of_nodes_make_no_npu_different():
    nodes = [[node(10 * npu, micros=3), collective(10 * npu + 1, after=[10 * npu])] for npu in range(4)]
    result = run(nodes, ring())
    assert result.one_for_all
    assert result.finish_ns == run(nodes, ring(), everyone=True).finish_ns
    swapped = [*nodes[:3], [collective(0, after=[1]), node(1, micros=3)]]
    assert not run(swapped, ring()).one_for_all


def test_one_spelling_stands_for_every_dimension():
    blocks = (ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 25, 700))
    short, long = (ae.TracePlatform(blocks, ae.TraceSystem.of(how, splits=2)) for how in ("ring", ["ring", "ring"]))
    assert short == long
    flat = ae.TracePlatform(blocks, ae.TraceSystem.of("oneRing"))
    assert [how.spelling for how in flat.implementations(ae.Collective.ALL_REDUCE)] == ["oneRing"]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.SystemConfig.of("ring")), "SystemConfig is of"),
        (lambda: ae.TracePlatform(ae.preset("dgx2")), "a Dimension are of ASTRA-sim 1.0"),
        (lambda: ae.TracePlatform(7), "give a Block"),
        (lambda: run([collective(1)], ae.TracePlatform(ae.Block("Ring", 4, 50, 500))), r"TraceSystem\.of\(.ring.\)"),
        (lambda: run([[collective(1, pg_name=str(npu + 1))] for npu in range(4)], ring()), "group 1 has only NPU 0"),
        (lambda: run([collective(1)], ring()).links, "record=True"),
    ],
)
def test_what_is_missing_or_of_the_other_version_is_said(make, sentence):
    with pytest.raises(ae.ConfigError, match=sentence):
        make()


def test_collectives_of_groups_count_among_those_of_all():
    """With Themis a collective of all after one of a group of all is planned as ASTRA-sim 2.x does: 66,163 ns."""
    network = (ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 100, 500))
    names = {"scheduling": "LIFO", "splits": 4, "optimization": "localBWAware", "local_memory_bandwidth": 1600}
    system = ae.TraceSystem.of(["ring", "ring"], inter_dimension="themis", **names)
    nodes = [collective(1, pg_name="1"), collective(2, after=[1])]
    assert run(nodes, ae.TracePlatform(network, system), {"1": list(range(8))}).total_ns == 66_163


def test_who_began_chunks_of_a_group_numbers_those_of_all_differently():
    both, one = [collective(1, pg_name="1"), collective(2, after=[1])], [collective(2)]
    with pytest.raises(ae.ConfigError, match="never finish"):
        run([both, one, both, one], ring(), {"1": [0, 2]})


def test_what_an_invalid_node_sets_free_waits_until_something_else_ends():
    invalid = [node(1, "INVALID_NODE"), node(2, micros=3, after=[1])]
    assert run([*invalid, collective(3)], ring()).total_ns == run([collective(3)], ring()).total_ns + 3000
    with pytest.raises(ae.ConfigError, match=r"node 2 is never started \(after an INVALID"):
        run(invalid, ring())


def test_small_things_that_take_time_or_do_not():
    assert run([node(1, "COMM_COLL_NODE", comm_type=5, comm_size=8)], ring()).total_ns == 1  # a broadcast without time
    system = ae.TraceSystem.of("ring", roofline=True, local_memory_bandwidth=1, peak_performance=1)
    on_cpu = node(1, micros=7, is_cpu_op=True, num_ops=10**9, tensor_size=1)
    assert run([on_cpu], replace(ring(), system=system)).total_ns == 7000  # the roofline is the NPU's
    alone, group = run([collective(1)], ring()), run([collective(1, pg_name="1", involved_dim=[False])], ring())
    assert group.total_ns == alone.total_ns  # a group has no dimensions
    far, near = 500_000_007, 7
    idle = [node(1, micros=1)]
    assert (
        run([[sends(0, 1, tag=far)], [receives(0, 1, tag=far)], idle, idle], ring()).finish_ns[1]
        == (run([[sends(0, 1, tag=near)], [receives(0, 1, tag=near)], idle, idle], ring()).finish_ns[1])
    )


def test_replaying_takes_recorded_times_whatever_a_node_is():
    system = ae.TraceSystem.of("ring", replay_only=True)
    nodes = [node(1, "MEM_LOAD_NODE", 3), {**collective(2), "duration_micros": 5}, node(3, micros=2, after=[2])]
    assert run(nodes, replace(ring(), system=system)).total_ns == 10_000


def test_a_custom_collective_in_a_group_has_the_ranks_of_sorted_members_and_the_peers_of_the_files_order():
    """ASTRA-sim sorts a copy of the group to find an NPU's rank, and looks its peers up in the group itself."""
    send = node(1, "COMM_SEND_NODE", comm_src=0, comm_dst=1, comm_size=MIB, comm_tag=0)
    custom = ae.traces.from_nodes([[send], [receives(0, 1)], [node(1, micros=1)]])
    platform = ae.TracePlatform(ae.Block("Ring", 6, 50, 500), ae.TraceSystem(custom={ae.Collective.ALL_REDUCE: custom}))
    idle = [node(1, micros=1)]
    member = [collective(1, pg_name="1")]
    nodes = [idle, member, idle, member, idle, member]
    assert max(run(nodes, platform, {"1": [1, 3, 5]}).finish_ns) == platform.network[0].message_ns(MIB, 2)
    with pytest.raises(ae.ConfigError, match=r"names its own rank|never finish"):
        run(nodes, platform, {"1": [3, 1, 5]})


def test_direct_on_a_ring_takes_another_time_anticlockwise():
    """The message to the other side always goes clockwise. 1,892,849 ns is ASTRA-sim 2.x's (unmerged branch)."""
    network = (ae.Block("Ring", 8, 33.3, 12.5), ae.Block("Switch", 3, 100, 100))
    system = ae.TraceSystem.of(
        ["direct", "direct1"], splits=4, endpoint_delay=100, optimization="localBWAware", local_memory_bandwidth=1
    )
    platform = ae.TracePlatform(network, system, congestion_aware=True)
    assert run([collective(1, size=4 * MIB)], platform).total_ns == 1_892_849


def test_a_run_that_takes_no_time_is_refused():
    nothing = replace(ring(), network=ae.Block("Ring", 4, 50, 0), system=ae.TraceSystem.of("ring", endpoint_delay=0))
    for platform in (nothing, replace(nothing, congestion_aware=True)):
        with pytest.raises(ae.ConfigError, match="takes 0 ns"):
            run([collective(1, size=4)], platform)
    with pytest.raises(ae.ConfigError, match="takes 0 ns"):
        run([[]] * 4, ring())
