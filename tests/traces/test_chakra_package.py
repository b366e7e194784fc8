"""Our schema and files beside those of the mlc-chakra package, where it is installed."""

import sys

import pytest

from astra_edu.traces import Attribute, Node, NodeType, Tensors, collective
from astra_edu.traces.et_file import encode, read_et
from astra_edu.traces.load import load_trace, save_trace
from astra_edu.traces.node import CommType, Metadata
from astra_edu.traces.schema import MEMBERS, messages

theirs = pytest.importorskip("chakra.schema.protobuf.et_def_pb2", reason="mlc-chakra isn't installed")


def fields(descriptor):
    """Every field of a message and of those within it."""
    found, waiting = {}, [descriptor]
    while waiting:
        one = waiting.pop()
        for field in one.fields:
            within = field.message_type
            oneof = field.containing_oneof.name if field.containing_oneof else ""
            found[one.name, field.name] = (field.number, field.type, field.is_repeated, field.is_packed, oneof)
            if within is not None:
                waiting.append(within)
    return found


def test_the_schema_is_the_same():
    ours = messages()
    assert fields(ours.node.DESCRIPTOR) == fields(theirs.Node.DESCRIPTOR)
    assert fields(ours.metadata.DESCRIPTOR) == fields(theirs.GlobalMetadata.DESCRIPTOR)
    assert dict(theirs.NodeType.items()) == dict(NodeType.__members__)
    assert dict(theirs.CollectiveCommType.items()) == dict(CommType.__members__)


def their_nodes():
    yield theirs.Node(id=3, name="Compute", type=theirs.COMP_NODE, duration_micros=50, ctrl_deps=[1], data_deps=[2, 1])
    everything = theirs.Node(id=2**40, name="All", type=theirs.COMM_COLL_NODE, start_time_micros=9)
    everything.inputs.values = "[1]"
    everything.outputs.SetInParent()
    for number, (member, kind) in enumerate(MEMBERS.items()):
        value = {"string": "ä", "bytes": b"\xff", "bool": True}.get(kind, number)
        if member.endswith("_list"):
            value = getattr(theirs, f"{kind.capitalize()}List")(values=[value] * 3)
        everything.attr.append(theirs.AttributeProto(name=member, doc_string="why", **{member: value}))
    yield everything


def test_files_of_the_package_are_read_and_written_the_same(tmp_path):
    from chakra.src.third_party.utils.protolib import encodeMessage

    with (tmp_path / "x.et").open("wb") as file:
        encodeMessage(file, theirs.GlobalMetadata(version="0.0.4"))
        for node in their_nodes():
            encodeMessage(file, node)
    metadata, nodes = read_et(tmp_path / "x.et")
    assert [node.name for node in nodes] == ["Compute", "All"]
    assert nodes[1].attributes["bytes_list"] == Attribute((b"\xff",) * 3, "bytes_list", "why")
    assert encode(nodes, metadata) == (tmp_path / "x.et").read_bytes()


@pytest.mark.parametrize("compressed", [False, True])
def test_files_of_ours_are_read_by_the_package(tmp_path, compressed):
    from chakra.src.third_party.utils.protolib import decodeMessage, openFileRd

    attributes = {"comm_size": Attribute(2**20, "uint64_val"), "involved_dim": Attribute((True, False), "bool_list")}
    ours = Node(7, "All-Reduce", NodeType.COMM_COLL_NODE, (1, 300), (), 5, 6, attributes, Tensors("[]", "", "a"))
    (tmp_path / "x.et").write_bytes(encode([ours], Metadata("1"), compressed))
    file = openFileRd(tmp_path / "x.et")
    metadata, node = theirs.GlobalMetadata(), theirs.Node()
    assert decodeMessage(file, metadata)
    assert decodeMessage(file, node)
    assert not decodeMessage(file, theirs.Node())
    file.close()
    assert metadata.version == "1"
    assert (node.id, node.name, node.type, list(node.data_deps)) == (7, "All-Reduce", theirs.COMM_COLL_NODE, [1, 300])
    assert (node.attr[0].uint64_val, list(node.attr[1].bool_list.values)) == (2**20, [True, False])
    assert (node.inputs.types, node.HasField("outputs")) == ("a", False)


def test_what_its_jsonizer_writes_is_read(tmp_path, monkeypatch):
    from chakra.src.jsonizer.jsonizer import main

    save_trace(collective("all_reduce", bytes="1 MiB", npus=2), tmp_path / "x")
    for npu in range(2):
        words = ["--input_filename", f"{tmp_path}/x.{npu}.et", "--output_filename", f"{tmp_path}/j.{npu}.json"]
        monkeypatch.setattr(sys, "argv", ["chakra_jsonizer", *words])
        main()
    assert load_trace(tmp_path / "j") == load_trace(tmp_path / "x")
