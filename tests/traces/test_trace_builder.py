"""Traces put together by hand: what comes out, what NPUs share, and what is said of what makes no trace."""

import pytest

import astra_edu as ae
from astra_edu.system import RemoteMemory
from astra_edu.traces import CommType, NodeType, Trace, collective, from_nodes
from astra_edu.traces.builder import Builder
from astra_edu.traces.operation import listed

MIB = 2**20
RING = ae.TracePlatform(
    (ae.Block("Ring", 8, 50, 500),),
    ae.TraceSystem.of("ring", splits=4, local_memory_bandwidth=50, optimization="localBWAware"),
    congestion_aware=True,
)


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


def three_nodes():
    """Demo 1-2 of the seminar at Hot Interconnects 2024."""
    trace = Builder(npus=8)
    first = trace.all_reduce("all-reduce", "1 MiB")
    trace.all_gather("all-gather", "2 MiB", after=first)
    trace.compute("compute", micros=50, after=first)
    return trace


def test_the_seminar_s_figures():
    alone = Builder(8)
    alone.all_reduce("all-reduce", MIB)
    assert ae.simulate(alone.build(), RING).total_ns == 117_780
    assert ae.simulate(three_nodes().build(), RING).total_ns == 405_520


def test_one_collective_is_what_traces_collective_makes():
    trace = Builder(8)
    trace.all_reduce("all_reduce", MIB)
    assert trace.build() == collective("all_reduce", MIB, 8)


def test_npus_that_do_the_same_share_their_nodes_and_one_stands_for_all():
    trace = three_nodes().build()
    assert len({id(nodes) for nodes in trace.nodes}) == 1
    assert ae.simulate(trace, RING).one_for_all


def test_only_what_differs_has_nodes_of_its_own():
    trace = Builder(8)
    forward = trace.compute("forward", [50] * 7 + [80])
    trace.compute("late", 5, on=[1, 2], after=forward)
    built = trace.build()
    assert [id(nodes) for nodes in built.nodes].count(id(built.nodes[0])) == 5
    assert built.nodes[1] is built.nodes[2]
    assert [len(nodes) for nodes in built.nodes] == [1, 2, 2, 1, 1, 1, 1, 1]
    assert [built.nodes[npu][0].duration_micros for npu in (0, 7)] == [50, 80]
    assert ae.simulate(built, RING).finish_ns == (50_000, 55_000, 55_000, *[50_000] * 4, 80_000)


def test_numbers_are_the_same_on_all_npus_in_the_order_of_the_calls():
    trace = three_nodes().build()
    assert [node.id for node in trace.nodes[3]] == [1, 2, 3]
    assert [node.data_deps for node in trace.nodes[3]] == [(), (1,), (1,)]


def test_an_npu_waits_for_those_parents_that_it_has():
    trace = Builder(4)
    fast = trace.compute("fast", 10, on=range(3))
    slow = trace.compute("slow", 40, on=3)
    trace.compute("next", 1, after=[fast, None, slow, fast])
    built = trace.build()
    assert [nodes[-1].data_deps for nodes in built.nodes] == [(1,), (1,), (1,), (2,)]


def test_several_groups_in_one_operation():
    trace = Builder(6)
    trace.all_reduce("pairs", MIB, group=[[0, 3], [4, 1]])
    trace.all_reduce("again", MIB, group=[4, 1])
    built = trace.build()
    assert built.groups == {"1": (0, 3), "2": (4, 1)}
    assert [node.group for node in built.nodes[1]] == ["2", "2"]
    assert [node.group for node in built.nodes[3]] == ["1"]
    assert built.nodes[2] == ()


def test_a_group_runs_as_one():
    trace = Builder(8)
    trace.all_reduce("pairs", MIB, group=[[0, 1], [2, 3], [4, 5], [6, 7]])
    by_hand = from_nodes(
        [[{"id": 1, "type": "COMM_COLL_NODE", "attr": {"comm_type": 0, "comm_size": MIB, "pg_name": str(n // 2 + 1)}}]
         for n in range(8)],
        groups={str(g + 1): [2 * g, 2 * g + 1] for g in range(4)},
    )  # fmt: skip
    assert ae.simulate(trace.build(), RING).finish_ns == ae.simulate(by_hand, RING).finish_ns


def test_groups_messages_and_npus_that_differ_take_as_long_as_in_astra_sim_2():
    trace = Builder(8)
    forward = trace.compute("forward", [50] * 7 + [90])
    reduced = trace.all_reduce("gradients", MIB, after=forward, group=[[0, 1], [2, 3], [4, 5, 6, 7]])
    trace.message("message", 100_000, 0, 1, after=forward)
    trace.compute("update", 5, after=reduced)
    assert ae.simulate(trace.build(), RING).finish_ns[:4] == (110_100,) * 4


def test_messages():
    trace = Builder(8)
    first = trace.compute("first", 10, on=0)
    sent, received = trace.message("data", MIB, source=0, to=1, after=first)
    trace.compute("second", 10, on=1, after=received)
    again, _ = trace.message("data", MIB, source=0, to=1, after=first)
    built = trace.build()
    assert (built.nodes[0][1].number("comm_tag"), built.nodes[0][2].number("comm_tag")) == (1, 2)
    assert (sent.number, again.number) == (2, 5)
    run = ae.simulate(built, RING)
    arrives = 10_000 + int(500 + MIB / (50 * 2**30 / 1e9))
    ran = {(one.npu, one.node.id): one for one in run.ran}
    assert ran[1, 4].start_ns == ran[1, 3].end_ns == ran[0, 2].end_ns == arrives
    assert ran[0, 5].start_ns == arrives  # an NPU sends one message at a time


def test_send_and_receive_of_one_s_own():
    trace = Builder(8)
    trace.send("there", 1000, to=3, on=0, tag=7)
    trace.receive("here", 1000, source=0, on=3, tag=7)
    node = trace.build().nodes[3][0]
    assert node.type is NodeType.COMM_RECV_NODE
    assert [node.number(name) for name in ("comm_src", "comm_dst", "comm_tag", "comm_size")] == [0, 3, 7, 1000]
    ae.simulate(trace.build(), RING)


def test_every_kind_of_operation():
    trace = Builder(2)
    trace.compute("matrix", num_ops=10**9, tensor_size="1 MiB")
    trace.cpu("launch", 3)
    trace.load("weights", "1 MiB")
    trace.store("state", 4096)
    trace.reduce_scatter("gradients", 4096)
    trace.all_to_all("tokens", 4096, involved_dim=[True])
    trace.broadcast("start", 4096, micros=7)
    nodes = trace.build().nodes[0]
    assert [node.type.name for node in nodes] == [
        "COMP_NODE", "COMP_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", *["COMM_COLL_NODE"] * 3
    ]  # fmt: skip
    assert [node.is_cpu_op for node in nodes] == [False, True, *[False] * 5]
    assert [node.comm_type for node in nodes[4:]] == [
        CommType.REDUCE_SCATTER, CommType.ALL_TO_ALL, CommType.BROADCAST
    ]  # fmt: skip
    assert nodes[5].involved == (True,)
    assert (nodes[0].number("num_ops"), nodes[0].number("tensor_size")) == (10**9, MIB)
    memory = RemoteMemory("PER_NPU_MEMORY_EXPANSION", 100, 10)
    system = ae.TraceSystem.of("direct", roofline=True, local_memory_bandwidth=50, peak_performance=1)
    run = ae.simulate(trace.build(), ae.TracePlatform((ae.Block("FullyConnected", 2, 50, 500),), system, memory))
    took = {ran.node.id: ran.end_ns - ran.start_ns for ran in run.ran if ran.npu == 0}
    assert (took[1], took[2], took[3], took[7]) == (1_000_000, 3_000, 100 + int(MIB / 10), 7_000)


def test_operations_and_builders_print_what_they_are():
    trace = three_nodes()
    message = trace.send("a", 64, to=2, on=0, tag=5)
    trace.compute("uneven", [1, 2, 3, 4, 5, 6, 7, 8], after=trace.operations[2])
    assert repr(trace).splitlines() == [
        "<trace for 8 NPUs, being built: 5 operations>",
        "  <1 all-reduce: all-reduce of 1 MiB, on NPUs 0 to 7>",
        "  <2 all-gather: all-gather of 2 MiB, on NPUs 0 to 7, after 1 all-reduce>",
        "  <3 compute: compute 50 µs, on NPUs 0 to 7, after 1 all-reduce>",
        "  <4 a: send 64 B to NPU 2, tag 5, on NPU 0>",
        "  <5 uneven: compute 1 to 8 µs, on NPUs 0 to 7, after 3 compute>",
    ]
    assert repr(message) == "<4 a: send 64 B to NPU 2, tag 5, on NPU 0>"
    assert listed(range(0, 256, 4)) == "64 NPUs from 0 to 252"
    assert listed((0, 2, 5)) == "NPUs 0, 2 and 5"
    assert listed((0, 1)) == "NPUs 0 and 1"


def test_many_npus_cost_little():
    trace = Builder(50_000)
    last = None
    for k in range(50):
        last = trace.compute(f"layer {k}", k, after=last)
    built = trace.build()
    assert len({id(nodes) for nodes in built.nodes}) == 1
    assert isinstance(built, Trace)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda t, early: t.compute("z", 5, after=early), "on NPUs 3 to 7 it would wait for nothing, as early is"),
        (lambda t, early: t.compute("z", 5, after=early, on=7), "on NPU 7 can't wait for early, which is on NPUs 0 to"),
        (lambda t, early: t.compute("z", 5, after="early"), "after is 'early'; give what compute"),
        (lambda t, early: t.compute("z", 5, after=[early, 3]), "after is 3; give what compute"),
        (lambda t, early: t.compute("z", 5, after=[early, [early]]), r"after is \[<.*\]; give what compute"),
        (lambda t, early: t.compute("z", 5, after=Builder(8).compute("other", 5)), "other, which belongs to another"),
        (lambda t, early: t.compute("z", 0.5), "micros is 0.5; it must be a whole number, 0 or more. .Traces have"),
        (lambda t, early: t.compute("z", -1), "micros is -1"),
        (lambda t, early: t.compute("z"), "z: for how long"),
        (lambda t, early: t.compute("z", num_ops=5), "num_ops and tensor_size together"),
        (lambda t, early: t.compute("z", [1, 2]), "micros has 2 numbers for 8 NPUs"),
        (lambda t, early: t.compute("z", 1, on=8), "on is 8; there are the NPUs 0 to 7"),
        (lambda t, early: t.compute("z", 1, on=[]), "on names no NPU"),
        (lambda t, early: t.compute(5, "z"), "name is 5; it comes first"),
        (lambda t, early: t.all_reduce("z", "1 mile"), "z: size is '1 mile'"),
        (lambda t, early: t.all_reduce("z", 0), "z: bytes is 0"),
        (lambda t, early: t.all_reduce("z", 9, group=[1]), "a group is .1.; it needs two NPUs or more"),
        (lambda t, early: t.all_reduce("z", 9, group=[[1, 2], [2, 3]]), "NPU 2 would be in two of its groups"),
        (lambda t, early: t.all_reduce("z", 9, group=[[1, 2], 3]), "list NPUs, or lists of NPUs, but not both"),
        (lambda t, early: t.all_reduce("z", 9, group=5), "group is 5; list its NPUs"),
        (lambda t, early: t.all_reduce("z", 9, group=[1, 9]), "a member of its group is 9"),
        (lambda t, early: t.all_reduce("z", 9, group=[1, 2], on=[2, 3]), "NPU 3 can't take part"),
        (lambda t, early: t.all_reduce("z", 9, involved_dim=[False]), "one True at least"),
        (lambda t, early: t.all_reduce("z", 9, involved_dim=[1]), "give True or False for each dimension"),
        (lambda t, early: t.all_reduce("z", 9, involved_dim=True), "give True or False for each dimension"),
        (lambda t, early: t.all_reduce("z", 9, involved_dim=[True], group=[1, 2]), "give group or involved_dim"),
        (lambda t, early: t.send("z", 9, 3, on=3), "NPU 3 can't send itself a message"),
        (lambda t, early: t.send("z", 9, 9, on=3), "to is 9; there are the NPUs 0 to 7"),
        (lambda t, early: t.receive("z", 9, 3, on=[1]), "on is .1.; it must be a number"),
        (lambda t, early: t.send("z", 9, 3, on=1, tag=-1), "tag is -1"),
        (lambda t, early: Builder(0), "npus is 0"),
        (lambda t, early: Builder(2).build(), "no operations yet"),
    ],
)
def test_what_makes_no_trace_is_said_and_changes_nothing(build, words):
    trace = Builder(8)
    early = trace.compute("early", 5, on=[0, 1, 2])
    with says(words):
        build(trace, early)
    assert trace.operations == [early]


@pytest.mark.parametrize(("sources", "to"), [(range(3), range(3, 6)), (range(5), range(1, 6)), (range(2, 6), range(4))])
def test_messages_are_as_if_message_made_each(sources, to):
    made = []
    for rows in (True, False):
        trace = Builder(6)
        first = trace.compute("first", 5)
        if rows:
            _, received = trace.messages("row", 64, sources, to, after=first)
            trace.compute("then", 1, after=received, on=to)
        else:
            pairs = [trace.message("row", 64, a, b, after=first) for a, b in zip(sources, to, strict=True)]
            trace.compute("then", 1, after=[received for _, received in pairs], on=to)
        trace.message("last", 8, 0, 5)
        made.append(trace.build())
    assert made[0] == made[1]
    assert [tuple(nodes) for nodes in made[0].nodes] == [tuple(nodes) for nodes in made[1].nodes]


def test_rows_of_messages_that_cannot_be():
    trace = Builder(6)
    for sources, to, words in (
        (range(3), range(2), "3 NPUs can't send to 2"),
        (range(3), range(3), "can't send themselves"),
        ([0, 1], range(2, 4), "give a range of the NPUs 0 to 5"),
        (range(4, 7), range(3), "give a range"),
        (range(0, 4, 2), range(1, 5, 2), "give a range"),
    ):
        with says(words):
            trace.messages("row", 64, sources, to)
    assert not trace.operations


def test_npus_whose_messages_go_as_far_are_kept_as_one():
    """A ring by hand: all but the last NPU send to the next, the last one to the first."""
    trace = Builder(64)
    for npu in range(64):
        trace.message("around", 4096, npu, (npu + 1) % 64)
    built = trace.build()
    assert len(built.templates.templates) <= 3
    assert [[node.number("comm_tag") for node in nodes] for nodes in built.nodes[:3]] == [[1, 64], [1, 2], [2, 3]]
    assert [node.id for node in built.nodes[63]] == [126, 127]


def test_groups_with_other_names_are_kept_as_one():
    trace = Builder(64)
    trace.all_reduce("fours", MIB, group=[range(k, k + 4) for k in range(0, 64, 4)])
    trace.all_reduce("strided", MIB, group=[range(k, 64, 4) for k in range(4)])
    built = trace.build()
    assert len(built.templates.templates) == 1
    assert [node.group for node in built.nodes[9]] == ["3", "18"]
    assert 9 in built.groups["3"]
    assert 9 in built.groups["18"]


def test_groups_that_are_equal_on_some_npus_only_are_not():
    trace = Builder(4)
    trace.all_reduce("one", MIB, group=[[0, 1], [2, 3]])
    trace.all_reduce("two", MIB, group=[[0, 1], [3, 2]])
    built = trace.build()
    assert [[node.group for node in nodes] for nodes in built.nodes] == [["1", "1"], ["1", "1"], ["2", "3"], ["2", "3"]]
    assert len(built.templates.templates) == 2


def test_which_operation_is_in_which_group_counts():
    trace = Builder(18)
    for npu in range(6):
        near, far = [npu, 6 + npu], [npu, 12 + npu]
        for name, group in (("near", near), ("far", far), ("last", near if npu < 3 else far)):
            trace.all_reduce(name, 64, group=[group], on=npu)
    built = trace.build()
    groups = [[built.groups[node.group] for node in built.nodes[npu]] for npu in (2, 5)]
    assert groups == [[(2, 8), (2, 14), (2, 8)], [(5, 11), (5, 17), (5, 17)]]
    assert len(built.templates.templates) == 3
