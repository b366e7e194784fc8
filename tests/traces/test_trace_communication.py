"""Communication that can't work out is an error before the run; what would happen by accident is a warning."""

import warnings

import pytest

import astra_edu as ae
from astra_edu.traces import Attribute, Node, NodeType, Trace, collective, from_nodes
from astra_edu.traces.accidents import warn_of_accidents
from astra_edu.traces.communication import check_communication
from astra_edu.traces.node import Metadata
from astra_edu.traces.shared_nodes import SharedNodes, Step

ALL_REDUCE, ALL_GATHER, GATHER, BROADCAST, BARRIER = 0, 2, 3, 5, 9


def send(number, to, size=100, tag=0, **more):
    attributes = {"comm_dst": to, "comm_size": size, "comm_tag": tag} | more
    return {"id": number, "name": f"send {number}", "type": "COMM_SEND_NODE", "attr": attributes}


def receive(number, source, size=100, tag=0, **more):
    attributes = {"comm_src": source, "comm_size": size, "comm_tag": tag} | more
    return {"id": number, "name": f"receive {number}", "type": "COMM_RECV_NODE", "attr": attributes}


def start(number, kind=ALL_REDUCE, size=64, group=None, **more):
    attributes = {"comm_type": kind, "comm_size": size} | more | ({} if group is None else {"pg_name": group})
    return {"id": number, "name": f"collective {number}", "type": "COMM_COLL_NODE", "attr": attributes}


def compute(number, **attributes):
    return {"id": number, "name": "c", "type": "COMP_NODE", "attr": attributes}


WORKS = [
    ([[send(1, 1), send(2, 1)], [receive(1, 0), receive(2, 0)]], {}),
    ([[send(1, 1, tag=4, comm_src=0)], [receive(1, 0, tag=4, comm_dst=1)]], {}),
    ([[start(1, kind=BROADCAST, size=0)], [compute(1)]], {}),
    ([[start(1), start(2, ALL_GATHER)], [start(7, ALL_GATHER), start(8)]], {}),
    ([[start(1, group="1"), start(2, group="0")], [start(3, group="1"), start(2)], [start(1)]], {"1": (1, 0)}),
    ([[start(1, involved_dim=[True, True])], [start(1)]], {}),
]


@pytest.mark.parametrize(("nodes", "groups"), WORKS)
def test_what_works_out(nodes, groups):
    check_communication(from_nodes(nodes, groups))


@pytest.mark.parametrize(
    ("nodes", "groups", "words"),
    [
        (
            [[send(1, 1)], [compute(1)]],
            {},
            r"NPU 0: node 1 \(send 1\) sends 100 bytes with tag 0 to NPU 1, and has no counterpart there: NPUs, tag "
            r"and size must be the same. NPU 1 receives nothing of the kind\.$",
        ),
        (
            [[compute(1)], [receive(4, 0)]],
            {},
            r"NPU 1: node 4 \(receive 4\) receives .* NPU 0 sends nothing of the kind",
        ),
        ([[send(1, 1)], [receive(1, 0, size=90)]], {}, "What NPU 1 receives is 90 bytes with tag 0"),
        ([[send(1, 1)], [receive(1, 0, tag=3)]], {}, "What NPU 1 receives is 100 bytes with tag 3"),
        (
            [[send(1, 1)], [receive(1, 0, tag=3), receive(2, 0, size=90)]],
            {},
            "What NPU 1 receives is 90 bytes with tag 0",
        ),
        ([[send(1, 1)], [compute(1)], [receive(1, 0)]], {}, "There is one from NPU 0 to NPU 2, though"),
        (
            [[send(1, 1), send(2, 1), send(3, 1)], [receive(1, 0), receive(2, 0)]],
            {},
            "There are 3 of these, but NPU 1 receives only 2",
        ),
        ([[send(1, 1), send(2, 1, tag=2)], [compute(1)]], {}, r"\. 1 more have none\.$"),
        ([[send(1, 7)], []], {}, r"NPU 0: node 1 \(send 1\): its comm_dst is NPU 7; there are only 0 to 1"),
        ([[receive(1, 7)], []], {}, "its comm_src is NPU 7; there are only 0 to 1"),
        ([[send(1, 0)], []], {}, "its comm_dst is NPU 0 itself; a message needs two NPUs"),
        ([[send(1, 1, comm_src=1)], []], {}, "sends, but its comm_src is NPU 1, not NPU 0 itself"),
        ([[], [receive(1, 0, comm_dst=0)]], {}, "NPU 1: .*receives, but its comm_dst is NPU 0, not NPU 1 itself"),
        ([[send(1, 1, is_cpu_op=True)], []], {}, "communicates, and has is_cpu_op set"),
        ([[start(1, is_cpu_op=True)]], {}, "communicates, and has is_cpu_op set"),
        ([[send(1, "one")], []], {}, "comm_dst is 'one'.*a whole number of 0 or more is needed"),
        ([[send(1, 1, size=-1)], []], {}, "comm_size is -1"),
        ([[compute(1, num_ops="many")]], {}, r"NPU 0: node 1 \(c\): num_ops is 'many' \(string_val\)"),
        ([[compute(1, tensor_size=[3])]], {}, r"tensor_size is \(3,\) \(int64_list\)"),
        ([[{"id": 1, "type": "COMM_SEND_NODE"}], []], {}, "has no attribute comm_dst"),
        ([[{"id": 1, "type": "COMM_COLL_NODE", "attr": {"comm_size": 1}}]], {}, "has no attribute comm_type"),
        ([[start(1, involved_dim=[1, 0])]], {}, "involved_dim is a int64_list; a bool_list is needed"),
        ([[start(1, kind=10)]], {}, "comm_type is 10; 0 to 9 is known"),
        ([[start(1, kind=GATHER)]], {}, "is GATHER; ASTRA-sim 2.x carries out ALL_REDUCE, ALL_GATHER, "),
        ([[start(1, kind=BARRIER)]], {}, "is BARRIER; ASTRA-sim 2.x"),
        ([[start(1, group="2")]], {"1": (0,)}, r"node 1 .*process group '2', which isn't defined. .*Allowed: 1\."),
        ([[start(1, group="dp")]], {}, "process group 'dp', which isn't defined. None is; load_trace takes"),
        (
            [[start(1, group="1")], [start(1, group="1")]],
            {"1": (1,)},
            r"NPU 0: node 1 \(collective 1\): its process group is 1, but the NPUs of that are 1\.$",
        ),
        (
            [[start(1), start(2)], [start(1)]],
            {},
            r"^NPU 0: node 1 \(collective 1\) is the first of 2 x ALL_REDUCE of 64 bytes, but NPU 1 starts 1\. All the "
            r"NPUs that take part must start the same collectives, or the others wait for ever\.$",
        ),
        ([[start(1)], [start(1)], []], {}, "NPU 0: .*first of 1 x .* NPU 2 starts 0"),
        ([[], [start(1)]], {}, "NPU 1: .*first of 1 x .* NPU 0 starts 0"),
        ([[start(1)], [start(1, size=63)]], {}, "NPU 1 starts 0, and ALL_REDUCE of 63 bytes instead"),
        ([[start(1)], [start(1, ALL_GATHER)]], {}, "NPU 1 starts 0, and ALL_GATHER of 64 bytes instead"),
        (
            [[start(1, group="4")], [start(1, group="4"), start(2, group="4")], []],
            {"4": (0, 1)},
            "NPU 1: .*first of 2 x .* NPU 0 starts 1. All the NPUs of process group 4 must start the same",
        ),
    ],
)
def test_what_can_not_work_out(nodes, groups, words):
    with pytest.raises(ae.ConfigError, match=words):
        check_communication(from_nodes(nodes, groups))


def test_collectives_over_some_dimensions_are_compared_where_the_dimensions_are_known():
    """Two rows of two: the NPUs of a row reduce together, the second row more often."""
    once, twice = [start(1, involved_dim=[True, False])], [start(k, involved_dim=[True, False]) for k in (1, 2)]
    rows = from_nodes([once, once, twice, twice])
    check_communication(rows)
    check_communication(rows, [2, 2])
    mixed = from_nodes([once, twice, once, twice])
    check_communication(mixed)
    with pytest.raises(ae.ConfigError, match=r"NPU 1: .*first of 2 x .* NPU 0 starts 1"):
        check_communication(mixed, [2, 2])
    check_communication(mixed)  # it is still fine where the dimensions aren't known, and faulty where they are
    with pytest.raises(ae.ConfigError, match="NPU 0 starts 1"):
        check_communication(mixed, [2, 2])
    columns = [[start(1, involved_dim=[False, True, False])]] * 3 + [[]]
    check_communication(from_nodes(columns), [4])  # dimensions of another network than the nodes think of
    with pytest.raises(ae.ConfigError, match=r"NPU 1: .*first of 1 x .* NPU 3 starts 0"):
        check_communication(from_nodes(columns), [2, 2, 1])


def test_what_is_fine_is_looked_at_once(monkeypatch):
    """Where no collective runs over some dimensions only, it's fine on any network; else on those that were asked."""
    looked = []
    monkeypatch.setattr("astra_edu.traces.communication.Unmatched.check", lambda *given: looked.append(given))
    plain = from_nodes([[start(1)]] * 4)
    for dimensions in (None, [4], [2, 2]):
        check_communication(plain, dimensions)
    assert len(looked) == 1
    rows = from_nodes([[start(1, involved_dim=[True, False])]] * 4)
    for dimensions in (None, [2, 2], [2, 2], [4], None):
        check_communication(rows, dimensions)
    assert len(looked) == 5


def test_attributes_that_nodes_share_are_looked_at_for_each_type_of_node():
    both = {"comm_type": Attribute(1, "int64_val"), "comm_size": Attribute(8, "int64_val")}
    nodes = [Node(1, "computes", NodeType.COMP_NODE, attributes=both)]
    check_communication(Trace((tuple(nodes),)))
    nodes.append(Node(2, "reduces", NodeType.COMM_COLL_NODE, attributes=both))
    with pytest.raises(ae.ConfigError, match=r"node 2 \(reduces\) is REDUCE"):
        check_communication(Trace((tuple(nodes),)))


def test_many_npus_take_little_time():
    """Whoever shares its nodes is looked at once; a check of every pair would take minutes."""
    check_communication(collective("all_reduce", bytes=64, npus=20_000))
    ring = [[send(1, (npu + 1) % 2000), receive(2, (npu - 1) % 2000), start(3)] for npu in range(2000)]
    check_communication(from_nodes(ring))


def warned(trace):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_accidents(trace)
    return [str(warning.message) for warning in caught]


def with_attribute(name, value, member, kind="COMM_COLL_NODE"):
    rest = {"comm_type": Attribute(0, "int64_val"), "comm_size": Attribute(64, "int64_val")}
    rest = rest if kind == "COMM_COLL_NODE" else {}
    return Node(5, "x", NodeType[kind], attributes=rest | {name: Attribute(value, member)})


class TestAccidents:
    def test_nothing_to_say(self):
        usual = from_nodes([[start(1, involved_dim=[True]), compute(2, is_cpu_op=False, num_ops=5, tensor_size=3)]])
        zeros = with_attribute("comm_type", 0, "int32_val")  # 0 is what the old reader takes, too
        assert warned(usual) == warned(Trace(((zeros,),))) == []

    def test_members_that_are_read_as_0(self):
        [text] = warned(Trace(((with_attribute("comm_size", 64, "uint64_val"),),) * 8))
        assert text.startswith("comm_size of 8 nodes is a uint64_val (first NPU 0, node 5 (x)). ")
        assert "reads int64_val only and takes 0 for all else. A collective then has 0 bytes" in text
        [text] = warned(Trace(((with_attribute("is_cpu_op", 1, "int64_val", "COMP_NODE"),),)))
        assert text.startswith("is_cpu_op of 1 node is a int64_val")
        assert "bytes" not in text

    def test_messages_of_npus_that_share_a_template_are_counted_where_they_are_not_0(self):
        """NPU k sends to k + 4 with tag 3 - k: one of four has source 0, another one tag 0."""
        ends = {"comm_src": Attribute(0, "uint32_val"), "comm_dst": Attribute(4, "int32_val")}
        more = {"comm_tag": Attribute(3, "int64_val"), "comm_size": Attribute(64, "int64_val")}
        both = [
            (Node(7, kind[5:9], NodeType[kind], attributes=ends | more),)
            for kind in ("COMM_SEND_NODE", "COMM_RECV_NODE")
        ]
        steps = ({7: Step(tag=-1)},) * 2
        shared = SharedNodes((both[0], both[1]), (0,) * 4 + (1,) * 4, (0, 4), steps=steps)
        source, tag = warned(Trace(shared))
        assert source.startswith("comm_src of 6 nodes is a uint32_val (first NPU 1, node 7 (SEND))")
        assert tag.startswith("comm_tag of 6 nodes is a int64_val (first NPU 0, node 7 (SEND))")
        assert warned(Trace(tuple(shared))) == [source, tag]

    def test_collectives_and_messages_of_0_bytes(self):
        [text] = warned(from_nodes([[start(1), start(2, size=0)], [start(1), start(2, size=0)]]))
        assert text.startswith("0 bytes are communicated by 2 nodes (first NPU 0, node 2 (collective 2))")
        [text] = warned(from_nodes([[send(3, 1, size=0)], [receive(4, 0, size=0)]]))
        assert text.startswith("0 bytes are communicated by 1 node (first NPU 0, node 3 (send 3))")
        assert warned(from_nodes([[start(1, BROADCAST, 0)]])) == []

    def test_the_text_converters_nanoseconds(self):
        """A layer of 32,291 ns in the text becomes one of 32,291 µs."""
        noted = Metadata("", {"input_file": Attribute("MODEL\n1\nlayer -1\t32291\tNONE\t0\t7 NONE 0 7", "string_val")})
        nodes = tuple(Node(k, "fwd", NodeType.COMP_NODE, duration_micros=us) for k, us in enumerate((32291, 5, 7)))
        [text] = warned(Trace((nodes, nodes), metadata=(noted, noted)))
        assert text.startswith("duration_micros of 4 nodes is a number of the text workload")
        assert "(first NPU 0, node 0 (fwd), 32291)" in text
        assert warned(Trace((nodes,))) == []

    def test_a_minute_for_one_computation(self):
        minute = Node(1, "gemm", NodeType.COMP_NODE, duration_micros=144_000_000)
        [text] = warned(Trace(((minute,),)))
        assert text.startswith(
            "a minute or longer is computed by each of 1 node (first NPU 0, node 1 (gemm), 144,000.000 ms)"
        )
        long_send = Node(1, "s", NodeType.COMM_COLL_NODE, duration_micros=144_000_000)
        assert warned(Trace(((long_send,),))) == []

    def test_npus_without_nodes(self):
        assert warned(from_nodes([[compute(1)], [], []]))[0].startswith("2 of 3 NPUs have no nodes (first NPU 1)")
        assert warned(from_nodes([[compute(1)], []]))[0].startswith("one NPU has no nodes (first NPU 1)")
