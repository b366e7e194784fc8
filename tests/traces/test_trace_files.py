"""Execution traces as files: Chakra's bytes, JSON, process groups, and what is said of a file that is none."""

import gzip
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

import astra_edu as ae
from astra_edu.base.progress import told
from astra_edu.traces import (
    Attribute,
    Node,
    NodeType,
    Tensors,
    Trace,
    attribute_of,
    collective,
    from_nodes,
    template_bytes,
    write_files,
)
from astra_edu.traces.et_file import MOST_IN_A_MESSAGE, encode, node_bytes, read_et
from astra_edu.traces.groups_file import read_groups, recorded_groups, write_groups
from astra_edu.traces.json_file import read_json_trace, write_json_trace
from astra_edu.traces.load import is_trace, load_trace, save_trace
from astra_edu.traces.node import Metadata
from astra_edu.traces.schema import MEMBERS
from astra_edu.traces.write_files import _about, _taken

MIB = 2**20


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


def node(number, kind="COMP_NODE", name="", after=(), duration=0, **attributes):
    return Node(
        number,
        name or f"node {number}",
        NodeType[kind],
        data_deps=tuple(after),
        duration_micros=duration,
        attributes={key: attribute_of(key, value) for key, value in attributes.items()},
    )


def wire(*parts):
    """Field by field as protobuf's encoding rules have it: hex digits, or a text to be taken as it is."""
    return b"".join(bytes.fromhex(part[1:]) if part[0] == "#" else part.encode() for part in parts)


VERSION = wire("#07", "#0a05", "0.0.4")  # seven bytes follow; field 1, a text of five bytes
IS_CPU_OP = wire(
    "#520e", "#0a09", "is_cpu_op", "#d80100"
)  # field 10 of 14 bytes; its field 27, a bool: 27 * 8 = 0xd8 01
ALL_DIMENSIONS = wire("#5214", "#0a0c", "involved_dim", "#e20103", "#0a0101")  # a list (28) with one packed bool


def comm_type(number):
    return wire("#520d", "#0a09", "comm_type", f"#48{number:02x}")  # field 9, an int64


class TestBytes:
    """Files that the tutorials' and the examples' generators write, put together by hand from their figures."""

    def test_the_all_reduce_of_the_examples(self):
        """comm_size, 1 MiB = 2**20, is an int64 here: its 21 bits take three bytes of seven bits each."""
        made = node(3, "COMM_COLL_NODE", "all_reduce_4npus_1MB", is_cpu_op=False, comm_type=0, comm_size=MIB)
        size = wire("#520f", "#0a09", "comm_size", "#48808040")
        content = wire("#0803", "#1214", "all_reduce_4npus_1MB", "#1807") + IS_CPU_OP + comm_type(0) + size
        assert encode([made]) == VERSION + bytes([len(content)]) + content

    def test_the_three_nodes_of_hoti24(self):
        """There comm_size is a uint64, field 13: 13 * 8 = 0x68."""
        names = {"is_cpu_op": False, "comm_type": 0, "comm_size": MIB, "involved_dim": [True]}
        first = {key: attribute_of(key, value) for key, value in names.items()}
        first["comm_size"] = Attribute(MIB, "uint64_val")
        second = first | {
            "comm_type": attribute_of("comm_type", 2),
            "comm_size": Attribute(2 * MIB, "uint64_val"),
        }
        nodes = [
            Node(1, "All-Reduce-1MB", NodeType.COMM_COLL_NODE, attributes=first),
            Node(2, "All-Gather-2MB", NodeType.COMM_COLL_NODE, (1,), attributes=second),
            node(3, "COMP_NODE", "Compute-50us", [1], 50, is_cpu_op=False),
        ]
        sizes = [wire("#520f", "#0a09", "comm_size", f"#68{digits}") for digits in ("808040", "80808001")]
        sizes[1] = wire("#5210") + sizes[1][2:]
        contents = [
            wire("#0801", "#120e", "All-Reduce-1MB", "#1807"),
            wire("#0802", "#120e", "All-Gather-2MB", "#1807", "#2a0101"),  # field 5, packed: one byte, a 1
            wire("#0803", "#120c", "Compute-50us", "#1804", "#2a0101", "#3832") + IS_CPU_OP,
        ]
        for k, size in enumerate(sizes):
            contents[k] += IS_CPU_OP + comm_type(2 * k) + size + ALL_DIMENSIONS
        assert encode(nodes) == VERSION + b"".join(bytes([len(content)]) + content for content in contents)

    def test_reading_and_writing_again_changes_nothing(self, tmp_path):
        metadata = Metadata("", {"schema": Attribute("1.0.2-chakra.0.0.4", "string_val", "of the recorder")})
        listed = {f"a {member}": Attribute(value_for(member), member) for member in MEMBERS}
        everything = Node(
            *(2**64 - 1, "ÅSTRA\n", NodeType.COMM_SEND_NODE, (5, 2**40), (7,), 2**63, 12),
            listed | {"nothing": Attribute(None, ""), "described": Attribute(1, "int64_val", "in bytes")},
            Tensors("[1]", "[[2]]", "['int']"),
            Tensors(),
        )
        (tmp_path / "x.et").write_bytes(encode([node(5), everything], metadata))
        assert read_et(tmp_path / "x.et") == (metadata, (node(5), everything))
        (tmp_path / "y.et").write_bytes(encode(*reversed(read_et(tmp_path / "x.et"))))
        assert (tmp_path / "y.et").read_bytes() == (tmp_path / "x.et").read_bytes()

    def test_lists_of_dependencies_that_are_not_packed(self, tmp_path):
        """Older writers spell them out one by one, which means the same."""
        content = wire("#0803", "#1201", "c", "#1804", "#2802", "#2801")
        (tmp_path / "x.et").write_bytes(VERSION + bytes([len(content)]) + content)
        assert read_et(tmp_path / "x.et")[1] == (node(3, name="c", after=(2, 1)),)

    def test_gzip_is_told_by_its_first_bytes(self, tmp_path):
        (tmp_path / "x.et").write_bytes(encode([node(5)], compressed=True))
        assert gzip.decompress((tmp_path / "x.et").read_bytes()) == encode([node(5)])
        assert read_et(tmp_path / "x.et") == (Metadata(), (node(5),))

    def test_protobuf_is_loaded_with_the_first_file(self):
        code = "import sys, astra_edu; print([name for name in sys.modules if name.startswith('google')])"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def value_for(member):
    kind = MEMBERS[member]
    values = {"double": [0.1, -1e300], "float": [0.5, -0.25], "bool": [True, False], "string": ["ä", ""]}
    values["bytes"] = [b"\0\xff", b""]
    found = values.get(kind, [3, 2 ** (int(kind[-2:]) - 1 - (kind[0] in "is")) if kind[-1].isdigit() else 0])
    return tuple(found) if member.endswith("_list") else found[0]


class TestWhatNodesCannotHold:
    @pytest.mark.parametrize(
        ("bad", "words"),
        [
            (Node(-1, "x", NodeType.COMP_NODE), r"node -1 \(x\) doesn't fit into Chakra's schema"),
            (Node(2**64, "x", NodeType.COMP_NODE), "doesn't fit into Chakra's schema"),
            (Node(1, "\ud800", NodeType.COMP_NODE), "doesn't fit into Chakra's schema"),
            (Node(1, "x", NodeType.COMP_NODE, duration_micros=-5), "doesn't fit into Chakra's schema"),
            (Node(1, "x", NodeType.COMP_NODE, attributes={"a": Attribute("b", "int64_val")}), "'b' is no int64_val"),
            (Node(1, "x", NodeType.COMP_NODE, attributes={"a": Attribute(2**31, "int32_val")}), "is no int32_val"),
            (Node(1, "x", NodeType.COMP_NODE, attributes={"a": Attribute(1, "int46_val")}), "mean 'int64_val'"),
            (Node(0, "", NodeType.INVALID_NODE), "no name and no type"),
        ],
    )
    def test_writing(self, bad, words, tmp_path):
        with says(words):
            (tmp_path / "x.et").write_bytes(encode([bad]))
        assert not (tmp_path / "x.et").exists()

    def test_attributes_that_are_no_numbers(self):
        for value in (float("nan"), float("inf"), 1.5, -1, "1", True):
            with says(r"comm_size is .*; a whole number of 0 or more is needed"):
                node(1, comm_size=value).number("comm_size")


GOOD = encode([node(1), node(2, after=[1], is_cpu_op=True)])
NODE_1 = len(encode([]))


class TestHostileFiles:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "is empty; an execution trace"),
            (GOOD[:-3], r"node number 2 \(byte 21\): it should have 31 bytes, but the file ends after 28"),
            (GOOD[:3], "its metadata .*should have 7 bytes, but the file ends after 2"),
            (GOOD + b"\xff", "node number 3 .*ends within the length"),
            (GOOD + b"\xff" * 12, "node number 3 .*the length in front of it has over 10 bytes"),
            (GOOD + b"\xff\xff\xff\xff\x7f", "its length is given as 34,359,738,367 bytes; more than 16,777,216"),
            (b"\xff" * 9 + b"\x01", "its length is given as 18,446,744,073,709,551,615 bytes"),
            (GOOD + bytes(100), "node number 3 .*there are zero bytes where a node should be"),
            (GOOD + GOOD[NODE_1:], r"node number 3 .*two nodes have the number 1 \(node 1, node 1\)"),
            (VERSION + wire("#02", "#1809"), r"node 0 \(\): its type is 9; 0 to 7 is known"),
            (VERSION + wire("#02", "#0a00"), r"bytes of the wrong kind \(wire type 2\) in the field Node.id"),
            (VERSION + wire("#02", "#5801"), "has field 11, which Node doesn't have in Chakra's schema"),
            (VERSION + wire("#04", "#5202", "#8a02"), "these 4 bytes are no message"),
            (VERSION + wire("#05", "#5203", "#980201"), "has field 35, which AttributeProto doesn't have"),
            (VERSION + wire("#05", "#1203", "#ff4141"), "these 5 bytes are no message of Chakra's"),  # no UTF-8
            (VERSION + wire("#0a", "#52030a0161", "#52030a0161"), "has the attribute 'a' twice"),
            (GOOD[NODE_1:], "its metadata .*no message of Chakra's"),
            (wire("#02", "#0801"), "its metadata .*the wrong kind .*GlobalMetadata.version"),
            (VERSION + b"\xa0\x1f" + b"\x63" * 2000 + b"\x64" * 2000, "no message of Chakra's"),  # groups in groups
            (b"MICRO\n1\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1\n", "looks like a text file"),
            (b'{"trace": []}', "looks like JSON"),
            (pickle.dumps([os.system]), "looks like a Python pickle, which is never opened"),
            (b"PK\x03\x04" + bytes(60), "looks like a zip archive"),
            (gzip.compress(GOOD, mtime=0)[:-12], "its gzip data are damaged"),
            (b"\x1f\x8b" + bytes(30), "its gzip data are damaged|can't be read"),
            (gzip.compress(gzip.compress(GOOD, mtime=0), mtime=0), "its metadata"),
            (b"#\x08\xd5\x06\x12\x14stack_0_mha_x@0_COMP\x18\x030\x80\x80\x90\x03`\n\x01", "before 0.0.4"),
        ],
    )
    def test_each_has_its_sentence(self, content, words, tmp_path):
        (tmp_path / "x.0.et").write_bytes(content)
        with says(f"(?s)x.0.et \\(NPU 0\\).*({words})"):
            load_trace(tmp_path / "x")

    @pytest.mark.parametrize("what", ["zeros", "a", "nodes"])
    def test_gzip_bombs_take_little_memory(self, what, tmp_path):
        """64 MiB of whatever in 64 kB."""
        many = wire("#04", "#0801", "#1801")
        unpacked = {"zeros": bytes(2**26), "a": b"a" * 2**26, "nodes": VERSION + many * (2**26 // len(many))}
        (tmp_path / "x.0.et").write_bytes(gzip.compress(unpacked[what], 1, mtime=0))
        del unpacked
        tracemalloc.start()
        with says("NPU 0"):
            load_trace(tmp_path / "x")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * MIB

    def test_a_length_is_not_believed(self, tmp_path):
        """The largest that is allowed asks for 16 MiB at most."""
        (tmp_path / "x.et").write_bytes(VERSION + b"\x80\x80\x80\x08" + b"x" * 50)
        tracemalloc.start()
        with says(f"should have {MOST_IN_A_MESSAGE:,} bytes, but the file ends after 50"):
            read_et(tmp_path / "x.et")
        assert tracemalloc.get_traced_memory()[1] < 2 * MOST_IN_A_MESSAGE
        tracemalloc.stop()

    def test_more_than_fits_into_memory(self, tmp_path, monkeypatch):
        (tmp_path / "x.et").write_bytes(encode([node(k) for k in range(1, 12)]))
        with says("over 10 nodes; that many don't fit into memory"):
            read_et(tmp_path / "x.et", most_nodes=10)
        monkeypatch.setattr("astra_edu.traces.et_file.MOST_BYTES", 100)
        with says(r"has over 100 bytes \(unpacked\)"):
            read_et(tmp_path / "x.et")

    def test_what_is_no_file(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.0.et")
        with says("is a device or a pipe"):
            read_et(tmp_path / "pipe.0.et")
        with says("is a folder; an execution trace"):
            read_et(tmp_path)
        with says("no such file; an execution trace .* Its folder has: pipe.0.et"):
            read_et(tmp_path / "work.0.et")
        for name, words in (("a\0b", "zero byte"), ("a" * 5000, "is no path")):
            with says(words):
                read_et(name)
            with says("is no (path|prefix)"):
                load_trace(name)
        with says("pipe.0.et is a device or a pipe"):
            load_trace(tmp_path / "pipe")


def ring_trace():
    """Four NPUs, each sends to the next, then an all-reduce of everybody and one in two groups."""
    nodes = []
    for npu in range(4):
        ends = {"comm_size": 10, "comm_tag": 7}
        nodes.append(
            [
                {"id": 1, "type": "COMM_SEND_NODE", "attr": ends | {"comm_dst": (npu + 1) % 4}},
                {"id": 2, "type": "COMM_RECV_NODE", "attr": ends | {"comm_src": (npu - 1) % 4}},
                collective_node(3, data_deps=[1, 2]),
                collective_node(4, pg_name=str(npu // 2 + 1)),
            ]
        )
    return from_nodes(nodes, {1: [1, 0], 2: [2, 3]})


def collective_node(number, data_deps=(), comm_type=0, comm_size=MIB, **attributes):
    attributes = {"comm_type": comm_type, "comm_size": comm_size} | attributes
    return {"id": number, "type": "COMM_COLL_NODE", "data_deps": list(data_deps), "attr": attributes}


class TestTraces:
    @pytest.mark.parametrize("compressed", [False, True])
    def test_saved_and_loaded(self, tmp_path, compressed):
        save_trace(ring_trace(), tmp_path / "deep" / "ring", compressed)
        for path in ("deep/ring", "deep/ring.0.et", "deep/ring.2.et"):
            loaded = load_trace(tmp_path / path)
            assert loaded == ring_trace()
            assert loaded.groups == {"1": (1, 0), "2": (2, 3)}
        assert loaded.where(3) == f"{tmp_path}/deep/ring.3.et (NPU 3)"
        assert loaded.metadata == (Metadata(),) * 4

    def test_files_with_the_same_bytes_share_their_nodes(self, tmp_path):
        save_trace(collective("all_reduce", bytes=MIB, npus=64), tmp_path / "x")
        loaded = load_trace(tmp_path / "x")
        assert len({id(nodes) for nodes in loaded.nodes}) == 1
        assert loaded == collective("all_reduce", bytes=MIB, npus=64)

    def test_what_files_say_of_themselves_is_kept(self, tmp_path):
        noted = Metadata("", {"pid": Attribute(4711, "uint64_val")})
        (tmp_path / "x.0.et").write_bytes(encode([node(1)], noted))
        trace = load_trace(tmp_path / "x")
        assert trace.metadata == (noted,)
        save_trace(trace, tmp_path / "y")
        save_trace(trace, tmp_path / "y.json")
        assert (tmp_path / "y.0.et").read_bytes() == (tmp_path / "x.0.et").read_bytes()
        assert load_trace(tmp_path / "y.json").metadata == (noted,)

    def test_ranks_without_a_file(self, tmp_path):
        save_trace(collective("all_reduce", bytes=MIB, npus=8), tmp_path / "x")
        (tmp_path / "x.3.et").unlink()
        with says(r"there are NPUs 0 to 7, but no file for 3\."):
            load_trace(tmp_path / "x")
        (tmp_path / "x.99999999999999.et").touch()
        with says(r"no file for 3, 8, 9, 10, 11, 12, 13, 14, 15, 16 and 99999999999982 more\."):
            load_trace(tmp_path / "x")

    def test_nothing_there(self, tmp_path):
        with says("is a folder; a prefix of execution traces is expected: there is no file PREFIX.0.et"):
            load_trace(tmp_path)
        with says("nor is its folder there"):
            load_trace(tmp_path / "no" / "where")
        save_trace(collective("all_reduce", bytes=MIB, npus=4), tmp_path / "all_reduce")
        save_trace(collective("all_gather", bytes=MIB, npus=2), tmp_path / "other")
        counts = r"There are: all_reduce \(4 NPUs\), other \(2 NPUs\)\."
        with says(f"is a folder; a prefix of execution traces is expected. {counts}"):
            load_trace(tmp_path)
        with says(f"al_reduce is no prefix of execution traces; did you mean 'all_reduce'. {counts}"):
            load_trace(tmp_path / "al_reduce")
        with says("is no prefix of execution traces"):
            load_trace(tmp_path / "all_reduce.9.et")

    def test_older_files_of_more_npus(self, tmp_path):
        save_trace(collective("all_reduce", bytes=MIB, npus=8), tmp_path / "x")
        with says("x.4.et is there already: it is of a trace of more NPUs than these 4"):
            save_trace(collective("all_reduce", bytes=MIB, npus=4), tmp_path / "x")

    def test_the_error_of_a_graph_names_the_file(self, tmp_path):
        (tmp_path / "x.0.et").write_bytes(encode([node(1)]))
        (tmp_path / "x.1.et").write_bytes(encode([node(1, after=[2]), node(2, after=[1])]))
        with says(r"x.1.et \(NPU 1\): nodes wait for each other in a circle: 1 waits for 2 waits for 1"):
            load_trace(tmp_path / "x")

    def test_a_trace_is_told_from_a_text_workload(self, tmp_path):
        save_trace(collective("all_reduce", bytes=MIB, npus=2), tmp_path / "x")
        write_json_trace(tmp_path / "y.json", ring_trace())
        ae.save_workload(ae.Workload.micro("all-reduce", MIB), tmp_path / "micro.txt")
        assert [is_trace(tmp_path / name) for name in ("x", "x.0.et", "y.json", "xy")] == [True] * 4
        assert [is_trace(tmp_path / name) for name in ("micro.txt", "wrong.txt", "no/where")] == [False] * 3
        assert isinstance(ae.load_workload(tmp_path / "x"), Trace)
        assert isinstance(ae.load_workload(tmp_path / "y.json"), Trace)
        assert isinstance(ae.load_workload(tmp_path / "micro.txt"), ae.Workload)

    def test_a_trace_that_is_not_checked(self, tmp_path):
        save_trace(from_nodes([[collective_node(1, comm_type=9)], []]), tmp_path / "x")
        with warnings.catch_warnings(action="error"):
            assert load_trace(tmp_path / "x", check=False).npus == 2
        with says("BARRIER"):
            load_trace(tmp_path / "x")


JSONIZER = """{
  "version": "0.0.4",
  "attr": [{"name": "pid", "uint64Val": "7"}]
}{
  "name": "a",
  "type": "COMP_NODE",
  "durationMicros": "50"
}{
  "id": "1",
  "type": "COMM_COLL_NODE",
  "dataDeps": ["0"],
  "attr": [
    {"name": "comm_size", "int64Val": "9007199254740993"},
    {"name": "comm_type", "int64Val": "0"},
    {"name": "raw", "bytesVal": "AP8="},
    {"name": "involved_dim", "boolList": {"values": [true, false]}}
  ]
}"""
FEEDER = """{"workload_name": "w", "workload_graph": [
  {"Id": 4, "Name": "a", "NodeType": 4, "ctrlDeps": [3], "data_deps": [], "runtime": 318, "is_cpu_op": true},
  {"Id": 9, "Name": "b", "NodeType": 7, "data_deps": [4], "comm_type": 2, "comm_size": 64, "is_cpu_op": false}
]}"""


class TestJson:
    def test_a_file_for_all_npus(self, tmp_path):
        save_trace(ring_trace(), tmp_path / "ring.json")
        assert load_trace(tmp_path / "ring.json") == ring_trace()
        content = json.loads((tmp_path / "ring.json").read_text())
        assert content["groups"] == {"1": [1, 0], "2": [2, 3]}
        assert content["trace"][2][1]["attr"] == {"comm_size": 10, "comm_tag": 7, "comm_src": 1}

    def test_nothing_is_lost(self, tmp_path):
        listed = {f"a {member}": Attribute(value_for(member), member, "why") for member in MEMBERS}
        listed |= {f"b {member}": Attribute(value_for(member), member) for member in MEMBERS}
        listed |= {"empty": Attribute((), "int64_list"), "nothing": Attribute(None, "")}
        listed |= {"comm_size": Attribute(5, "uint64_val")}
        one = Node(9, "x", NodeType.COMP_NODE, (), (), 3, 4, listed, Tensors("a", "", "b"), Tensors())
        save_trace(Trace(((one,),)), tmp_path / "x.json")
        assert load_trace(tmp_path / "x.json", check=False).nodes == ((one,),)

    def test_the_trace_alone_and_one_file_an_npu(self, tmp_path):
        (tmp_path / "all.json").write_text(json.dumps([[collective_node(1)], [collective_node(1)]]))
        for npu in range(2):
            (tmp_path / f"each.{npu}.json").write_text(json.dumps([collective_node(1)]))
        expected = from_nodes([[collective_node(1)]] * 2)
        assert load_trace(tmp_path / "all.json") == load_trace(tmp_path / "each") == expected
        (tmp_path / "each.1.json").write_text(json.dumps([[collective_node(1)]] * 2))
        with says(r"each.1.json \(NPU 1\) holds the nodes of 2 NPUs; name it without a number"):
            load_trace(tmp_path / "each")

    def test_what_chakras_jsonizer_writes(self, tmp_path):
        (tmp_path / "x.0.json").write_text(JSONIZER)
        trace = load_trace(tmp_path / "x", check=False)
        attributes = {
            "comm_size": Attribute(2**53 + 1, "int64_val"),
            "comm_type": Attribute(0, "int64_val"),
            "raw": Attribute(b"\0\xff", "bytes_val"),
            "involved_dim": Attribute((True, False), "bool_list"),
        }
        first = Node(0, "a", NodeType.COMP_NODE, duration_micros=50)
        assert trace.nodes == ((first, Node(1, "", NodeType.COMM_COLL_NODE, (0,), attributes=attributes)),)
        assert trace.metadata == (Metadata("0.0.4", {"pid": Attribute(7, "uint64_val")}),)

    def test_what_chakras_feeder_reads(self, tmp_path):
        (tmp_path / "x.json").write_text(FEEDER)
        computing = node(4, name="a", duration=318, is_cpu_op=True)
        gathering = node(9, "COMM_COLL_NODE", "b", [4], is_cpu_op=False, comm_type=2, comm_size=64)
        assert load_trace(tmp_path / "x.json").nodes == ((computing, gathering),)

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "is empty"),
            ("{", "line 1, column 2: no JSON"),
            ("[" * 100_000, "nested deeper"),
            ("3", "is JSON, but no trace: 3"),
            ("[]", "should be a list with the nodes of every NPU"),
            ("[[3]]", r"\(NPU 0\), node number 1 is 3; a node is an object"),
            ('{"trace": [[]], "trace": []}', "the key 'trace' is there twice"),
            ('{"trace": [[]], "grops": {}}', "unknown key 'grops'; did you mean 'groups'"),
            ('{"trace": [5]}', r"\(NPU 0\): its nodes are 5"),
            ('{"trace": [[]], "metadata": [{}, {}]}', "an object for each of the 1 NPUs"),
            ('{"trace": [[]], "metadata": [5]}', "metadata of NPU 0 is 5"),
            ('{"trace": [[]], "groups": {"dp": [0]}}', "a process group is called 'dp'; it must be a whole number"),
            ('{"trace": [[]], "groups": {"1": [3]}}', "process group 1: 3 is no NPU"),
            ('{"trace": [[{"id": 1, "type": "COMPUTE"}]]}', "node number 1 .*type is 'COMPUTE'"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "name": 3, "atr": {}}]]}', "unknown field 'atr'"),
            ('{"trace": [[{"id": 1.5, "type": "COMP_NODE"}]]}', "id is 1.5; it must be a whole number"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "inputs": 5}]]}', "inputs is 5"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "inputs": {"values": 5}}]]}', "values is 5"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": [1, "b"]}}]]}', "holds values of one kind"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {"int46_val": 5}}}]]}', "mean 'int64_val'"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {}}}]]}', "one member and its value"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {"int32_val": "b"}}}]]}', "should be a int32"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"comm_tag": 2147483648}}]]}', "int32 holds"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {"bytes_val": "ä"}}}]]}', "in base64"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {"float_val": 1e39}}}]]}', "should be a float"),
            ('{"trace": [[{"id": 1, "type": "COMP_NODE", "attr": {"a": {"int64_list": 1}}}]]}', "needs a list"),
            ('{"id": 3}', 'no field named "id"'),
            ("{}{}{}", "node number 2: two nodes have the number 0"),
            ("{}{}[]", r"node number 2 is \[\]; an object is expected"),
            ('{}{"type": "COMM"}', "node number 1: "),
            ('{"workload_graph": 5}', "workload_graph is 5"),
            ('{"workload_graph": [{"Id": 1}]}', "it needs an Id and a NodeType"),
            ('{"workload_graph": [{"Id": 1, "NodeType": 8}]}', "its NodeType is 8; 0 to 7"),
            ('{"workload_graph": [{"Id": "x", "NodeType": 4}]}', "id is 'x'"),
        ],
    )
    def test_files_that_hold_no_trace(self, text, words, tmp_path):
        (tmp_path / "x.json").write_text(text)
        with says(f"(?s)x.json.*({words})"):
            load_trace(tmp_path / "x.json")

    def test_groups_that_nobody_defines_have_the_npus_that_name_them(self, tmp_path):
        nodes = [[collective_node(1, pg_name="3")], [], [collective_node(1, pg_name="3")]]
        (tmp_path / "x.json").write_text(json.dumps({"trace": nodes}))
        with pytest.warns(UserWarning, match="no nodes"):
            assert load_trace(tmp_path / "x.json").groups == {"3": (0, 2)}
        (tmp_path / "x.json").write_text(json.dumps({"trace": nodes, "groups": {}}))
        with says("process group '3', which isn't defined"):
            load_trace(tmp_path / "x.json")

    def test_a_json_file_read_on_its_own(self, tmp_path):
        (tmp_path / "x.json").write_text(JSONIZER)
        assert not read_json_trace(tmp_path / "x.json").whole


def pytorch_node(values, number=2, kind="METADATA_NODE"):
    return Node(number, "## process_group:init ##", NodeType[kind], inputs=Tensors(values, "[[]]", "['String']"))


def noted(*groups):
    return "['" + json.dumps([{"pg_name": name, "backend": "nccl", "ranks": ranks} for name, ranks in groups]) + "']"


class TestGroups:
    def test_the_file(self, tmp_path):
        write_groups(tmp_path / "g.json", {"1": (1, 0), "12": (2,)})
        assert json.loads((tmp_path / "g.json").read_text()) == {"1": [1, 0], "12": [2]}
        assert read_groups(tmp_path / "g.json") == {"1": (1, 0), "12": (2,)}

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[]", r"groups are \[\]"),
            ("{", "line 1, column 2: no JSON"),
            ("{" * 9, "no JSON"),
            ('{"1": ' * 50_000, "nested deeper"),
            ('{"tp": [0]}', "a process group is called 'tp'; it must be a whole number, 1 or more"),
            ('{"0": [0]}', r"called '0'; .*0 means all NPUs"),
            ('{"1": 3}', "process group 1 is 3; it should be a list of NPUs"),
            ('{"1": [true]}', r"process group 1 is \[True\]"),
            ('{"1": {}}', "process group 1 is {}; it should be a list"),
            ('{"1": [], "01": [0]}', "process group 1 is there twice"),
            ('{"1": [0], "1": [0]}', "the key '1' is there twice"),
        ],
    )
    def test_files_that_hold_none(self, text, words, tmp_path):
        (tmp_path / "g.json").write_text(text)
        with says(words):
            read_groups(tmp_path / "g.json")

    def test_given_with_the_trace(self, tmp_path):
        save_trace(ring_trace(), tmp_path / "ring")
        save_trace(ring_trace(), tmp_path / "ring.json")
        write_groups(tmp_path / "other.json", {"1": (0, 1), "2": (3, 2)})
        for path in ("ring", "ring.json"):
            assert load_trace(tmp_path / path, tmp_path / "other.json").groups == {"1": (0, 1), "2": (3, 2)}
            assert load_trace(tmp_path / path, {1: [0, 1], 2: [3, 2]}).groups["2"] == (3, 2)
        with says("process group 1: 4 is no NPU; there are 0 to 3"):
            load_trace(tmp_path / "ring", {1: [4]})

    def test_pytorch_notes_them_in_the_trace(self, tmp_path):
        found = recorded_groups([pytorch_node(noted(("0", []), ("1", []), ("2", [3, 1])))], 4, "NPU 0")
        assert found == {"1": (0, 1, 2, 3), "2": (3, 1)}
        assert recorded_groups([pytorch_node("[]"), pytorch_node(noted(("1", [0])), kind="COMP_NODE")], 4, "") == {}
        for npu in range(2):
            (tmp_path / f"x.{npu}.et").write_bytes(encode([pytorch_node(noted(("7", [0, 1])))]))
        assert load_trace(tmp_path / "x").groups == {"7": (0, 1)}
        assert load_trace(tmp_path / "x", {1: [0]}).groups == {"7": (0, 1), "1": (0,)}
        with says(r"x.0.et \(NPU 0\) notes \[0, 1\] as process group 7; given before was \[1, 0\]"):
            load_trace(tmp_path / "x", {7: [1, 0]})
        (tmp_path / "x.1.et").write_bytes(encode([pytorch_node(noted(("7", [1])))]))
        with says(r"x.1.et \(NPU 1\) notes \[1\] as process group 7; given before was \[0, 1\]"):
            load_trace(tmp_path / "x")

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            (noted(("dp", [0])), "a process group needs a pg_name that is a whole number, and ranks"),
            (noted(("1", None)), "needs a pg_name that is a whole number, and ranks"),
            (noted(("1", ["a"])), "needs a pg_name"),
            (noted(("1", [0]), ("1", [1])), r"process group 1 is \[0\] first and \[1\] later"),
            ("['{\"pg_name\": 1']", "its process groups are no JSON"),
            ("['{\"pg_name\": 1}']", "a list of objects is expected"),
            ('["pg_name"' + "[" * 100_000, "no JSON"),
        ],
    )
    def test_notes_that_hold_none(self, values, words):
        with says(rf"NPU 0, node 2 \(## process_group:init ##\).*{words}"):
            recorded_groups([pytorch_node(values)], 4, "NPU 0")


def test_equal_files_of_many_npus_are_one_with_several_names(tmp_path):
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=300)
    save_trace(trace, tmp_path / "many")
    places = {(tmp_path / f"many.{npu}.et").stat().st_ino for npu in range(300)}
    assert len(places) == 1
    assert load_trace(tmp_path / "many") == trace
    other = ae.traces.collective("all_reduce", "2 MiB", npus=300)
    save_trace(other, tmp_path / "many")
    assert load_trace(tmp_path / "many") == other


def test_groups_of_an_older_trace_are_gone(tmp_path):
    save_trace(ring_trace(), tmp_path / "x")
    plain = ae.traces.collective("all_reduce", 4096, npus=4)
    save_trace(plain, tmp_path / "x")
    assert load_trace(tmp_path / "x") == plain
    assert (tmp_path / "x.groups.json").read_text() == "{}\n"
    save_trace(plain, tmp_path / "y")
    assert not (tmp_path / "y.groups.json").exists()


def test_where_files_cannot_be_linked_they_are_written(tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError

    monkeypatch.setattr("astra_edu.traces.write_files.link", no_links)
    trace = ae.traces.collective("all_reduce", "1 MiB", npus=260)
    save_trace(trace, tmp_path / "many", compressed=True)
    assert len({(tmp_path / f"many.{npu}.et").stat().st_ino for npu in range(260)}) == 260
    assert load_trace(tmp_path / "many") == trace


def test_a_file_with_several_names_is_read_once(tmp_path, monkeypatch):
    save_trace(ae.traces.collective("all_reduce", "1 MiB", npus=300), tmp_path / "many")
    digests = []
    real = hashlib.sha256
    monkeypatch.setattr("hashlib.sha256", lambda *given: digests.append(given) or real(*given))
    load_trace(tmp_path / "many")
    assert len(digests) == 1


def test_a_file_is_opened_once_and_a_large_one_read_piece_by_piece(tmp_path, monkeypatch):
    trace = ae.traces.from_pipeline("1f1b", 2, 2, forward_micros=100, backward_micros=200, bytes=2**20)
    save_trace(trace, tmp_path / "work")
    opened = []
    real = open

    def watched(file, *how, **more):
        opened.append(Path(file).name)
        return real(file, *how, **more)

    for where in ("builtins.open", "io.open"):
        monkeypatch.setattr(where, watched)
    assert load_trace(tmp_path / "work") == trace
    assert opened == ["work.0.et", "work.1.et"]
    monkeypatch.setattr("astra_edu.traces.et_file.MOST_AT_ONCE", 10)
    assert load_trace(tmp_path / "work") == trace
    assert opened[2:] == ["work.0.et", "work.0.et", "work.1.et", "work.1.et"]


def two_rows():
    """64 NPUs whose files all differ, in peers, tags and numbers."""
    trace = ae.traces.Builder(64)
    trace.messages("row", 64, range(32), range(32, 64))
    trace.messages("row", 64, range(32), range(32, 64))
    return trace.build()


def test_one_file_with_more_nodes_than_can_be_read_is_not_begun(tmp_path, monkeypatch):
    monkeypatch.setattr("astra_edu.traces.write_files.MOST_NODES", 100)
    with pytest.raises(ae.ConfigError, match=r"would have 128 different nodes.* 100 are the most.*give a prefix"):
        save_trace(two_rows(), tmp_path / "large.json")
    assert not list(tmp_path.iterdir())
    save_trace(two_rows(), tmp_path / "large")
    assert len(list(tmp_path.iterdir())) == 64


def test_files_for_which_there_is_no_room_are_not_begun(tmp_path, monkeypatch):
    monkeypatch.setattr("astra_edu.traces.write_files.LARGE", 100)
    monkeypatch.setattr("astra_edu.traces.write_files.disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(ae.ConfigError, match=r"files of this trace take about [\d.]+ KiB.* has room for 1000 B\."):
        save_trace(two_rows(), tmp_path / "deep" / "large")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("astra_edu.traces.write_files.disk_usage", lambda _: SimpleNamespace(free=100_000))
    save_trace(two_rows(), tmp_path / "deep" / "large")
    size = sum(file.stat().st_size for file in (tmp_path / "deep").iterdir())
    assert _about(two_rows(), compressed=False) == pytest.approx(size, rel=0.05)


def test_what_is_written_over_makes_room(tmp_path, monkeypatch):
    save_trace(two_rows(), tmp_path / "large")
    size = sum(file.stat().st_size for file in tmp_path.iterdir())
    (tmp_path / "kept").hardlink_to(tmp_path / "large.5.et")
    monkeypatch.setattr("astra_edu.traces.write_files.LARGE", 100)
    monkeypatch.setattr("astra_edu.traces.write_files.disk_usage", lambda _: SimpleNamespace(free=size // 10))
    save_trace(two_rows(), tmp_path / "large")
    with says("has room for"):
        save_trace(two_rows(), tmp_path / "other")
    files = [tmp_path / f"large.{npu}.et" for npu in range(64)]
    assert _taken(files) == sum(file.stat().st_size for file in files)
    (tmp_path / "kept 2").hardlink_to(files[5])
    assert _taken(files) == sum(file.stat().st_size for file in files) - files[5].stat().st_size


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ae.ConfigError("The disk is full.")])
def test_what_is_not_written_to_its_end_leaves_nothing_new(error, tmp_path, monkeypatch):
    real, written = write_files.write_bytes, []

    def fails(file, parts):
        written.append(file)
        if len(written) == 6:
            raise error
        return real(file, parts)

    monkeypatch.setattr(write_files, "write_bytes", fails)
    with pytest.raises(type(error)):
        save_trace(two_rows(), tmp_path / "new")
    assert len(written) == 6
    assert not list(tmp_path.iterdir())
    for npu in (1, 3):
        (tmp_path / f"old.{npu}.et").write_bytes(b"older")
    written.clear()
    with pytest.raises(type(error)) as stopped:
        save_trace(two_rows(), tmp_path / "old")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.1.et", "old.3.et"]
    said = "\n".join([str(stopped.value), *getattr(stopped.value, "__notes__", [])])
    assert "old.1.et to old.3.et (2) have been written over, the others haven't: write all of them again." in said


def test_a_file_that_could_not_be_written_over_is_not_said_to_be(tmp_path):
    trace = ae.traces.collective("all_reduce", 4096, npus=4)
    save_trace(trace, tmp_path / "x")
    for stopped, said in ((2, r"x\.0\.et to x\.1\.et \(2\) have been written over"), (0, r"it is a folder\.$")):
        (tmp_path / f"x.{stopped}.et").unlink()
        (tmp_path / f"x.{stopped}.et").mkdir()
        with pytest.raises(ae.ConfigError, match=said):
            save_trace(trace, tmp_path / "x")


def test_a_bar_says_how_large_many_files_are(tmp_path, monkeypatch):
    monkeypatch.setattr("astra_edu.traces.write_files.LARGE", 100)
    said, trace = [], two_rows()
    with told(said.append):
        save_trace(trace, tmp_path / "large")
    assert re.match(r"writing the trace, about \d+\.\d+ KiB: 0 of 64 files", said[0])


def pipelines():
    """Traces whose NPUs do the same up to peers, tags, numbers and groups, and what is equal."""
    model = ae.transformer("small", blocks=4, hidden=64, heads=8, sequence=64, vocabulary=512)
    strategy = ae.Strategy(tensor=4, pipeline=2, data=2, batch=4)
    yield ae.traces.from_strategy(model, strategy, "a100", network=(4, 2, 2))
    yield ae.traces.from_strategy(model, strategy, "a100", network=(16,))  # in groups
    yield ae.traces.from_pipeline("1f1b", 4, 6, forward_micros=10, backward_micros=20, bytes=4096)
    yield two_rows()
    small = ae.traces.from_strategy(model, strategy, "a100", network=(4, 2, 2))
    yield ae.traces.scale(small, 32, dims=(4, 2, 2), copies=1)


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("compressed", [False, True])
def test_what_is_filled_in_is_what_each_npu_s_nodes_are_as_bytes(which, compressed, tmp_path):
    trace = list(pipelines())[which]
    save_trace(trace, tmp_path / "x", compressed)
    for npu in range(trace.npus):
        assert (tmp_path / f"x.{npu}.et").read_bytes() == encode(trace.nodes[npu], compressed=compressed)
    assert load_trace(tmp_path / "x").nodes == tuple(trace.nodes)


def test_nodes_are_not_made_for_all_npus_at_once(tmp_path, monkeypatch):
    trace = next(pipelines())
    encoded = []
    real = template_bytes.node_bytes
    monkeypatch.setattr(template_bytes, "node_bytes", lambda node: encoded.append(node) or real(node))
    save_trace(trace, tmp_path / "x")
    templates = trace.templates.templates
    assert 0 < len(encoded) < sum(map(len, templates))
    assert len(trace.templates._made) <= 8


@pytest.mark.parametrize("number", [2**64 - 1, 2**31, 127, 128, 16_384])
def test_numbers_of_any_length_are_filled_in(number):
    one = Node(number, "n", NodeType.COMM_SEND_NODE, data_deps=(number - 1, 3), ctrl_deps=(number,))
    template = template_bytes.TemplateBytes([node(1), node(2)], [0])
    pieces = template_bytes.TemplateBytes([Node(1, "n", NodeType.COMM_SEND_NODE)], [0])
    assert b"".join(pieces.filled([one])) == node_bytes(one)
    assert b"".join(template.filled([node(1), node(2)])) == node_bytes(node(1)) + node_bytes(node(2))


def test_a_number_that_has_no_place_is_refused_as_ever():
    pieces = template_bytes.TemplateBytes([Node(1, "n", NodeType.COMM_SEND_NODE)], [0])
    with says("doesn't fit into Chakra's schema"):
        list(pieces.filled([Node(2**64, "n", NodeType.COMM_SEND_NODE)]))
