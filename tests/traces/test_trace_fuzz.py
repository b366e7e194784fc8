"""Whatever is in a trace file: it is read or refused with a ConfigError, and what is read is written as it was."""

import contextlib
import gzip
import io
import json
import random
import warnings

import pytest
from halves import quarter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.traces import Attribute, Node, NodeType, Tensors, Trace, from_nodes
from astra_edu.traces.et_bytes import Reader
from astra_edu.traces.et_file import MOST_NODES, _read, encode, read_et
from astra_edu.traces.groups_file import groups_from, read_groups
from astra_edu.traces.load import load_trace, save_trace
from astra_edu.traces.node import Metadata
from astra_edu.traces.schema import MEMBERS

ONE_FOLDER = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.one_of(st.sampled_from([0, 1, 127, 128, 2**32, 2**64 - 1]), st.integers(0, 2**64 - 1))


def values(kind):
    match kind:
        case "bool":
            return st.booleans()
        case "string":
            return TEXTS
        case "bytes":
            return st.binary(max_size=6)
        case "double" | "float":
            return st.floats(width=64 if kind == "double" else 32, allow_nan=False)
    bits = int(kind[-2:])
    return st.integers(0, 2**bits - 1) if kind[0] in "uf" else st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@st.composite
def attributes(draw):
    member = draw(st.sampled_from([*MEMBERS, ""]))
    if not member:
        return Attribute(None, "", draw(TEXTS))
    one = values(MEMBERS[member])
    value = tuple(draw(st.lists(one, max_size=4))) if member.endswith("_list") else draw(one)
    return Attribute(value, member, draw(TEXTS))


TENSORS = st.none() | st.builds(Tensors, TEXTS, TEXTS, TEXTS)
NAMED = st.dictionaries(TEXTS, attributes(), max_size=4)
NODES = st.builds(
    Node,
    *(NUMBERS, TEXTS, st.sampled_from(list(NodeType)[1:])),
    *([st.lists(NUMBERS, max_size=4).map(tuple)] * 2 + [NUMBERS] * 2),
    *(NAMED, TENSORS, TENSORS),
)


@ONE_FOLDER
@given(st.lists(NODES, max_size=4, unique_by=lambda node: node.id), st.builds(Metadata, TEXTS, NAMED), st.booleans())
def test_what_is_written_is_read_and_written_the_same(tmp_path, nodes, metadata, compressed):
    (tmp_path / "x.et").write_bytes(encode(nodes, metadata, compressed))
    assert read_et(tmp_path / "x.et") == (metadata, tuple(nodes))
    (tmp_path / "y.et").write_bytes(encode(nodes, metadata, compressed))
    assert (tmp_path / "y.et").read_bytes() == (tmp_path / "x.et").read_bytes()


def by_protobuf(content):
    return _read(io.BufferedReader(io.BytesIO(content)), "a file", MOST_NODES)


@ONE_FOLDER
@given(st.lists(NODES, max_size=4, unique_by=lambda node: node.id), st.builds(Metadata, TEXTS, NAMED))
def test_what_is_written_is_read_without_protobuf(nodes, metadata):
    content = encode(nodes, metadata)
    assert Reader().nodes(io.BytesIO(content)) == (metadata, tuple(nodes)) == by_protobuf(content)


@settings(ONE_FOLDER, max_examples=300)
@given(st.lists(NODES, min_size=1, max_size=3, unique_by=lambda node: node.id), st.integers(0, 2**32))
def test_damaged_bytes_are_read_as_protobuf_reads_them_or_left_to_it(nodes, seed):
    content, chance = encode(nodes), random.Random(seed)
    for _ in range(20):
        changed = mutated(content, chance)
        found = Reader().nodes(io.BytesIO(changed))
        assert found is None or found == by_protobuf(changed)


@ONE_FOLDER
@given(st.lists(NODES, max_size=4, unique_by=lambda node: node.id), st.builds(Metadata, TEXTS, NAMED))
def test_json_holds_as_much(tmp_path, nodes, metadata):
    alone = tuple(Node(**{field: getattr(node, field) for field in FIELDS}) for node in nodes)
    trace = Trace((alone,), metadata=(metadata,))
    save_trace(trace, tmp_path / "x.json")
    loaded = load_trace(tmp_path / "x.json", check=False)
    assert loaded.nodes == trace.nodes
    assert loaded.metadata == trace.metadata


FIELDS = ("id", "name", "type", "duration_micros", "start_time_micros", "attributes", "inputs", "outputs")


def ring(npus=3):
    """A trace with every kind of node and a group, so that a changed byte has something to spoil."""
    listed = []
    for npu in range(npus):
        message = {"comm_size": 300, "comm_tag": 2}
        listed.append(
            [
                {"id": 1, "type": "COMP_NODE", "name": "gemm", "duration_micros": 5, "attr": {"num_ops": 10**9}},
                {"id": 2, "type": "COMM_SEND_NODE", "data_deps": [1], "attr": message | {"comm_dst": (npu + 1) % npus}},
                {"id": 3, "type": "COMM_RECV_NODE", "ctrl_deps": [1], "attr": message | {"comm_src": (npu - 1) % npus}},
                {
                    "id": 400,
                    "type": "COMM_COLL_NODE",
                    "data_deps": [2, 3],
                    "attr": {"comm_type": 0, "comm_size": 2**20},
                },
                {"id": 5, "type": "COMM_COLL_NODE", "attr": {"comm_type": 2, "comm_size": 9, "pg_name": "1"}},
                {"id": 6, "type": "MEM_LOAD_NODE", "data_deps": [400], "attr": {"tensor_size": 77}},
            ]
        )
    return from_nodes(listed, {1: list(range(npus))})


def mutated(content, chance):
    """The bytes with one to three changes: bits, bytes, a piece cut out or doubled, an end cut off."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(changed) or 1)
        match chance.randrange(6):
            case 0 if changed:
                changed[at] ^= 1 << chance.randrange(8)
            case 1 if changed:
                changed[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
            case 2:
                del changed[at : at + chance.randrange(9)]
            case 3:
                changed[at:at] = changed[at : at + chance.randrange(30)]
            case 4:
                changed[at:at] = chance.randbytes(chance.randrange(1, 12))
            case 5:
                del changed[at:]
    return bytes(changed)


def load_or_refuse(path, **options):
    with warnings.catch_warnings(action="ignore"), contextlib.suppress(ae.ConfigError):
        return load_trace(path, **options)
    return None


@pytest.mark.parametrize("seed", quarter(range(5, 9)))
@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_files(tmp_path, compressed, seed):
    chance = random.Random(seed)
    save_trace(ring(), tmp_path / "x", compressed)
    file = tmp_path / "x.1.et"
    whole = file.read_bytes()
    read = 0
    for _ in range(400):
        content = mutated(whole, chance)
        file.write_bytes(content)
        said = "x.1.et (NPU 1)"
        try:
            metadata, nodes = read_et(file, npu=1)
        except ae.ConfigError as error:
            said = str(error)
        else:
            read += 1
            again = encode(nodes, metadata)
            file.write_bytes(again)
            assert repr(read_et(file)) == repr((metadata, nodes))  # NaN is not equal to itself
            file.write_bytes(content)
        assert "x.1.et (NPU 1)" in said
        load_or_refuse(tmp_path / "x")
    assert read >= (3 if compressed else 25)


def test_changed_attributes_are_loaded_or_refused(tmp_path):
    """Changes within the messages, their lengths put right again: these get further."""
    chance = random.Random(6)
    trace = ring()
    save_trace(trace, tmp_path / "x")
    loaded = 0
    for _ in range(400):
        nodes = []
        for node in trace.nodes[1]:
            named = dict(node.attributes)
            if named and chance.random() < 0.3:
                name = chance.choice(list(named))
                member = chance.choice(list(MEMBERS))
                with contextlib.suppress(ae.ConfigError):
                    odd = chance.choice([0, 1, -1, 2**31, 2**63, 0.5, float("nan"), "x", b"x", True, [1], ["a"], []])
                    encode([Node(1, "x", NodeType.COMP_NODE, attributes={name: Attribute(odd, member)})])
                    named[name] = Attribute(odd, member)
            nodes.append(Node(node.id, node.name, node.type, node.data_deps, node.ctrl_deps, attributes=named))
        (tmp_path / "x.1.et").write_bytes(encode(nodes))
        loaded += load_or_refuse(tmp_path / "x") is not None
    assert 10 < loaded < 400


@ONE_FOLDER
@given(st.binary(max_size=60), st.booleans(), st.booleans())
def test_any_bytes(tmp_path, content, headed, packed):
    content = encode([]) + content if headed else content
    (tmp_path / "x.0.et").write_bytes(gzip.compress(content) if packed else content)
    load_or_refuse(tmp_path / "x")


def anything(leaf):
    return st.recursive(
        leaf, lambda inside: st.lists(inside, max_size=3) | st.dictionaries(WORDS, inside, max_size=3), max_leaves=6
    )


WORDS = st.sampled_from(
    [
        *("trace", "groups", "metadata", "workload_graph", "id", "Id", "type", "NodeType", "attr", "name", "version"),
        *("values", "inputs", "data_deps", "dataDeps", "int64_val", "bytes_val", "doc", "comm_size", "pg_name", "1"),
    ]
)
LEAVES = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 9), TEXTS, WORDS),
    st.sampled_from([2**64, 10**400, -1, 1e308, float("nan"), float("inf"), 1.0, "COMP_NODE", "COMM_COLL_NODE"]),
)


@settings(ONE_FOLDER, max_examples=300)
@given(
    anything(LEAVES),
    st.sampled_from(["{}", "[{}]", "[[{}]]", '{{"trace": [[{}]]}}', '{{"workload_graph": [{}]}}', "{{}}{}"]),
)
def test_any_json(tmp_path, content, shape):
    (tmp_path / "x.json").write_text(shape.format(json.dumps(content)))
    load_or_refuse(tmp_path / "x.json")
    with contextlib.suppress(ae.ConfigError):
        read_groups(tmp_path / "x.json")


@given(st.dictionaries(WORDS, st.lists(LEAVES, max_size=3) | LEAVES, max_size=3) | anything(LEAVES))
def test_any_groups(content):
    with contextlib.suppress(ae.ConfigError):
        trace = Trace(((), ()), groups_from(content, "groups"))
        assert all(0 <= npu < 2 for members in trace.groups.values() for npu in members)


@ONE_FOLDER
@given(st.text(max_size=200) | st.lists(WORDS).map(" ".join))
def test_any_text(tmp_path, text):
    for name in ("x.json", "x.0.et"):
        (tmp_path / name).write_text(text, encoding="utf-8", errors="surrogatepass")
        load_or_refuse(tmp_path / name)
