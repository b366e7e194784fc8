"""Trace files read without protobuf: what is left to it, and what nodes share. That both read the same: see
test_trace_fuzz."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

import astra_edu as ae
from astra_edu.traces import et_bytes
from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.et_file import encode, read_et
from astra_edu.traces.node import Attribute, Node, NodeType

ROOT = Path(ae.__file__).resolve().parents[1]
UNUSUAL = {
    "fields in another order": b"\x03\x12\x01a\x08\x05",
    "a field twice": b"\x08\x05\x08\x06\x12\x01a",
    "parents one by one": b"\x08\x05\x12\x01a\x28\x01\x28\x02",
    "an unknown field": b"\x08\x05\x12\x01a\xf8\x07\x01",
    "an unknown type": b"\x08\x05\x12\x01a\x18\x63",
    "a number over 64 bits": b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x12\x01a",
    "a name that ends early": b"\x08\x05\x12\x05a",
    "no text": b"\x08\x05\x12\x01\xff",
    "an attribute twice": b"\x08\x05\x52\x03\x0a\x01a\x52\x03\x0a\x01a",
    "two values": b"\x08\x05\x52\x0b\x0a\x01a\x38\x01\xd0\x01\x01\x00\x00",
    "an int32 of 33 bits": b"\x08\x05\x52\x09\x0a\x01a\x38\x80\x80\x80\x80\x10",
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_what_is_unusual_is_left_to_protobuf(what):
    data = UNUSUAL[what]
    assert Reader().nodes(io.BytesIO(b"\x00" + bytes([len(data)]) + data)) is None


def test_nodes_share_what_is_equal():
    first = Node(300, "first", NodeType.COMP_NODE)
    again = {"data_deps": (300,), "attributes": {"num_ops": Attribute(2**40, "int64_val")}}
    content = encode([first, *(Node(k, "sum", NodeType.COMP_NODE, **again) for k in (1, 2))])
    reader = Reader()
    _, (_, one, other) = reader.nodes(io.BytesIO(content))
    _, (_, third, _) = reader.nodes(io.BytesIO(content))
    for node in (other, third):
        assert node.attributes is one.attributes
        assert node.name is one.name
        assert node.data_deps is one.data_deps


@pytest.mark.parametrize("window", [*range(1, 40), 48, 64])
def test_files_are_read_piece_by_piece(window, monkeypatch):
    trace = ae.traces.from_pipeline("1f1b", 2, 2, forward_micros=100, backward_micros=200, bytes=2**20)
    content = encode(trace.nodes[0])
    monkeypatch.setattr(et_bytes, "_WINDOW", window)
    assert Reader().nodes(io.BytesIO(content))[1] == trace.nodes[0]
    assert Reader().nodes(io.BytesIO(content[:-1])) is None
    assert Reader().nodes(io.BytesIO(content), most_bytes=len(content) - 1) is None
    assert Reader().nodes(io.BytesIO(content), most_nodes=len(trace.nodes[0]) - 1) is None


def test_what_is_kept_for_others_has_an_end(monkeypatch):
    monkeypatch.setattr(et_bytes, "MOST_KNOWN", 3)
    nodes = [
        Node(k, f"node {k}", NodeType.COMP_NODE, attributes={"num_ops": Attribute(k, "int64_val")}) for k in range(20)
    ]
    reader = Reader()
    assert reader.nodes(io.BytesIO(encode(nodes)))[1] == tuple(nodes)
    assert all(len(known) <= 3 for known in vars(reader).values() if isinstance(known, et_bytes.Known))


def test_nor_are_numbers_kept_without_end(monkeypatch):
    monkeypatch.setattr(et_bytes, "MOST_KNOWN", 3)
    monkeypatch.setattr(et_bytes, "_WINDOW", 40)
    nodes = [Node(2**k, f"node {k}", NodeType.COMP_NODE, (2 ** (k - 1),) if k else ()) for k in range(64)]
    reader = Reader()
    assert reader.nodes(io.BytesIO(encode(nodes)))[1] == tuple(nodes)
    assert len(reader._parents) < 10


def test_a_number_and_who_waits_for_it_are_one():
    nodes = [Node(300, "first", NodeType.COMP_NODE), Node(301, "second", NodeType.COMP_NODE, (300,))]
    _, (first, second) = Reader().nodes(io.BytesIO(encode(nodes)))
    assert second.data_deps[0] is first.id


def test_reading_a_trace_loads_no_protobuf(tmp_path):
    for compressed in (False, True):
        ae.traces.save_trace(ae.traces.collective("all_reduce", 4096, npus=2), tmp_path / "work", compressed)
        code = f"import sys, astra_edu as ae; ae.traces.load_trace({str(tmp_path / 'work')!r}); print([*sys.modules])"
        run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
        assert "google.protobuf" not in run.stdout
        assert "astra_edu.traces.et_bytes" in run.stdout


def test_a_long_file_is_left_to_who_counts_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr("astra_edu.traces.et_file.MOST_BYTES", 10)
    (tmp_path / "work.0.et").write_bytes(encode(ae.traces.collective("all_reduce", 4096, npus=2).nodes[0]))
    with pytest.raises(ae.ConfigError, match="over 10 bytes"):
        read_et(tmp_path / "work.0.et")
