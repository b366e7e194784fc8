"""Nodes of many NPUs kept as those of a few: what an NPU gets is what a plain tuple has, and nothing else changes."""

import copy
import pickle

import pytest

import astra_edu as ae
from astra_edu.traces import Node, NodeType, Trace, attribute_of
from astra_edu.traces.shared_nodes import SharedNodes, Step


def node(number, kind=NodeType.COMP_NODE, after=(), control=(), **attributes):
    found = {name: attribute_of(name, value) for name, value in attributes.items()}
    return Node(number, kind.name, kind, after, control, 5, attributes=found)


def sends(number, source, to, tag, after=()):
    return node(number, NodeType.COMM_SEND_NODE, after, comm_src=source, comm_dst=to, comm_tag=tag, comm_size=8)


def receives(number, source, to, tag):
    return node(number, NodeType.COMM_RECV_NODE, comm_src=source, comm_dst=to, comm_tag=tag, comm_size=8)


def sums(number, group, after=()):
    return node(number, NodeType.COMM_COLL_NODE, after, comm_type=0, comm_size=64, pg_name=group)


def pipeline():
    """Two stages of three NPUs: a sum over each pair, a message to the next stage, and something after both."""
    shared = SharedNodes(
        templates=(
            (node(1), sums(2, "1", (1,)), sends(3, 0, 3, 1, (1,)), node(9, control=(3,), after=(2,))),
            (receives(4, 0, 3, 1), node(10, after=(4,))),
        ),
        of=(0, 0, 0, 1, 1, 1),
        first=(0, 3),
        names=(("1",), ("1",), ("2",), (), (), ()),
        steps=({3: Step(2, 1)}, {4: Step(2, 1)}),
    )
    plain = tuple(
        [
            (
                node(1),
                sums(2, "2" if k == 2 else "1", (1,)),
                sends(3 + 2 * k, k, 3 + k, 1 + k, (1,)),
                node(9, control=(3 + 2 * k,), after=(2,)),
            )
            for k in range(3)
        ]
        + [(receives(4 + 2 * k, k, 3 + k, 1 + k), node(10, after=(4 + 2 * k,))) for k in range(3)]
    )
    return shared, plain


def test_every_npu_has_the_nodes_of_the_plain_tuple():
    shared, plain = pipeline()
    assert [shared[npu] for npu in range(6)] == list(plain)
    assert shared == plain
    assert plain == shared
    assert shared == pipeline()[0]
    assert shared[1:4] == plain[1:4]
    assert shared[-1] == plain[-1]
    assert tuple(shared) == plain
    assert plain[5] in shared
    assert len(shared) == 6
    with pytest.raises(IndexError):
        shared[6]


def test_what_differs_is_unequal():
    shared, plain = pipeline()
    assert shared != plain[:-1]
    for npu in range(6):
        other = list(plain)
        other[npu] = (*other[npu], node(77))
        assert shared != tuple(other)
    assert shared != list(plain)


def test_what_an_npu_calls_groups_and_nodes():
    shared, _ = pipeline()
    assert [dict(shared.groups_of(npu)) for npu in range(6)] == [{}, {}, {"1": "2"}, {}, {}, {}]
    assert [dict(shared.numbers_of(npu)) for npu in range(6)] == [{}, {3: 5}, {3: 7}, {}, {4: 6}, {4: 8}]
    assert shared.members == (range(3), range(3, 6))
    assert shared.counts == (3, 3)
    assert shared.differ


def test_what_stays_is_the_templates_own_object():
    shared, _ = pipeline()
    assert shared[0] is shared.templates[0]
    assert shared[2] is shared[2]
    assert shared[1][0] is shared[0][0]
    assert shared[1][1] is shared[0][1]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_are_equal_and_as_small(again):
    shared, plain = pipeline()
    shared[4]
    made = again(shared)
    assert made == shared
    assert made == plain
    assert len(made.templates) == 2
    trace = Trace(shared, {"1": (0, 1), "2": (2, 4)})
    assert again(trace) == trace
    assert isinstance(again(trace).nodes, SharedNodes)


def test_a_trace_of_them_equals_that_of_plain_tuples():
    shared, plain = pipeline()
    groups = {"1": (0, 1), "2": (2, 4)}
    trace = Trace(shared, groups)
    assert trace == Trace(plain, groups)
    assert Trace(plain, groups) == trace
    assert trace.templates is shared
    assert repr(trace) == repr(Trace(plain, groups))
    assert not trace.alike
    assert [len(trace.nodes[npu]) for npu in (2, 5)] == [4, 2]


def test_plain_tuples_are_templates_whose_numbers_are_everybodys():
    one, two = (node(1),), (sends(1, 0, 1, 0),)
    trace = Trace((one, two, one, two))
    shared = trace.templates
    assert shared.templates == (one, two)
    assert shared.of == (0, 1, 0, 1)
    assert shared.first == (0, 1)
    assert not shared.shifts
    assert not shared.differ
    assert shared == trace.nodes
    assert shared.members == ((0, 2), (1, 3))
    assert shared[3] is two


@pytest.mark.parametrize(
    ("templates", "steps", "words"),
    [
        (((node(1), sends(2, 0, 4, 1)),), (), "comm_dst 9; there are 0 to 5"),
        (((sends(2, 2, 0, 1),),), (), "comm_src 7; there are"),
        (((node(4), sends(2, 0, 1, 1)),), ({2: Step(1, 0)},), "meet"),
        (((node(1), sends(9, 0, 1, 1)),), ({9: Step(-2, 0)},), "meet"),
    ],
)
def test_shifted_numbers_are_checked_for_every_npu(templates, steps, words):
    with pytest.raises(ae.ConfigError, match=words):
        Trace(SharedNodes(templates, (0,) * 6, (0,), steps=steps))


def test_templates_are_checked_as_nodes_are():
    with pytest.raises(ae.ConfigError, match=r"NPU 0: node 1 .* waits for node 7"):
        Trace(SharedNodes(((node(1, after=(7,)),),), (0,) * 3, (0,)))
    with pytest.raises(ae.ConfigError, match="two nodes have the number 1"):
        Trace(SharedNodes(((node(1), node(1)),), (0,) * 3, (0,)))


def test_a_large_one_holds_nothing_for_each_npu():
    made = SharedNodes(((sends(1, 0, 1, 0),), ()), (0,) * 65_535 + (1,), (0, 65_535))
    assert made[60_000][0].number("comm_dst") == 60_001
    assert len(made._made) == 1
    for npu in range(100):
        made[npu]
    assert len(made._made) <= 8


def test_a_node_or_a_message_asked_for_alone_is_that_of_all_of_them():
    from astra_edu.traces.nodes_of import NodesOf, message_of, nodes_of

    shared = pipeline()[0]
    for npu in range(len(shared)):
        whole, own = shared[npu], nodes_of(shared, npu)
        assert isinstance(own, NodesOf) == (whole is not shared.templates[shared.of[npu]])
        assert [own[place] for place in range(len(own))] == list(own) == list(whole)
        for place, one in enumerate(whole):
            end = {NodeType.COMM_SEND_NODE: "comm_dst", NodeType.COMM_RECV_NODE: "comm_src"}.get(one.type)
            if end:
                assert message_of(own, place, end) == (one.number(end), one.number("comm_tag"), one.number("comm_size"))
