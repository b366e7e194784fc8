"""Files of NPUs that do the same up to names: read as one, and what comes of it is what reading every file gives."""

import gzip
import random
from collections import Counter

import pytest
from random_traces import by_hand, strategies

import astra_edu as ae
from astra_edu.base.progress import told
from astra_edu.traces import Node, NodeType, Trace, attribute_of, files_alike, load_trace, save_trace
from astra_edu.traces.et_file import encode
from astra_edu.traces.node import Metadata
from astra_edu.traces.shared_nodes import SharedNodes

MODEL = ae.transformer("small", blocks=4, hidden=64, heads=8, sequence=64, vocabulary=512)
READ = "astra_edu.traces.load.read_et"


@pytest.fixture(autouse=True)
def _few_files_too(monkeypatch):
    monkeypatch.setattr("astra_edu.traces.load.FEWEST_ALIKE", 2)


def made(seed):
    """Traces of strategies and by hand."""
    draw = random.Random(seed)
    for model, strategy, network, more in strategies(6, seed):
        try:
            yield ae.traces.from_strategy(model, strategy, "a100", network, **more)
        except ae.ConfigError:
            continue
    for _ in range(30):
        builder = by_hand(draw)
        if builder.operations:
            yield builder.build()


def file_by_file(monkeypatch, path, **how):
    """The trace, or the sentence, where every file is read."""
    with monkeypatch.context() as slow:
        slow.setattr(files_alike, "MOST_ROLES", 0)
        return loaded(path, **how)


def loaded(path, **how):
    try:
        return load_trace(path, **how)
    except ae.ConfigError as error:
        return str(error)


def equal(one, other):
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return list(one.nodes) == list(other.nodes) and one.groups == other.groups and one.metadata == other.metadata


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("compressed", [False, True])
def test_what_is_read_is_what_is_in_the_files(seed, compressed, tmp_path, monkeypatch):
    shared = 0
    for number, trace in enumerate(made(seed)):
        save_trace(trace, tmp_path / f"{number}" / "x", compressed)
        found = load_trace(tmp_path / f"{number}" / "x", check=False)
        assert found == trace
        assert equal(found, file_by_file(monkeypatch, tmp_path / f"{number}" / "x", check=False))
        save_trace(found, tmp_path / f"{number}" / "again", compressed)
        for npu in range(trace.npus):
            first, again = (tmp_path / f"{number}" / f"{name}.{npu}.et" for name in ("x", "again"))
            assert first.read_bytes() == again.read_bytes()
        shared += isinstance(found.nodes, SharedNodes)
    assert shared > 10


def test_a_trace_s_roles_are_found_again_and_no_more_files_read_than_two_of_each(tmp_path, monkeypatch):
    strategy = ae.Strategy(tensor=4, pipeline=2, data=4, batch=8)
    read = []
    real = ae.traces.load.read_et
    monkeypatch.setattr(READ, lambda file, npu, *given: read.append(npu) or real(file, npu, *given))
    for network in ((4, 4, 2), (32,)):  # over dimensions, and in groups
        trace = ae.traces.from_strategy(MODEL, strategy, "a100", network)
        save_trace(trace, tmp_path / "x")
        read.clear()
        found = load_trace(tmp_path / "x")
        assert read == [0, 1, 16, 17]
        mine, theirs = trace.templates, found.templates
        assert (mine.templates, mine.of, mine.first) == (theirs.templates, theirs.of, theirs.first)
        assert (mine.names, mine.steps) == (theirs.names, theirs.steps)
        platform = ae.TracePlatform([ae.Block("Switch", n, 50, 500) for n in network], ae.TraceSystem.of("ring"))
        one, other = (ae.simulate(each, platform, progress=False) for each in (trace, found))
        assert one.finish_ns == other.finish_ns


@pytest.mark.parametrize("seed", range(4))
def test_a_file_that_is_damaged_anywhere_is_read_as_it_is(seed, tmp_path, monkeypatch):
    draw = random.Random(seed)
    came = Counter()
    traces = [trace for trace in made(seed + 10) if trace.npus > 2]
    for number, trace in enumerate(draw.sample(traces, 4)):
        prefix = tmp_path / f"{number}"
        save_trace(trace, prefix)
        for _ in range(12):
            npu = draw.randrange(trace.npus)
            file = tmp_path / f"{number}.{npu}.et"
            before = file.read_bytes()
            at = draw.randrange(len(before))
            change = draw.choice(["byte", "less", "more", "cut"])
            after = {
                "byte": before[:at] + bytes([draw.randrange(256)]) + before[at + 1 :],
                "less": before[:at] + before[at + 1 :],
                "more": before + before[at:],
                "cut": before[:at],
            }[change]
            file.write_bytes(after)
            check = draw.random() < 0.3
            found = loaded(prefix, check=check)
            assert equal(found, file_by_file(monkeypatch, prefix, check=check)), (number, npu, at, change)
            came[isinstance(found, str)] += 1
            file.write_bytes(before)
    assert came[True] > 10
    assert came[False]


def test_files_that_differ_are_counted_and_those_that_are_alike_are_not(tmp_path, monkeypatch):
    trace = ae.traces.Builder(64)
    for _ in range(4):
        trace.messages("row", 64, range(32), range(32, 64))
    save_trace(trace.build(), tmp_path / "alike")
    nodes = [tuple(Node(k, f"{npu} {k}", NodeType.COMP_NODE) for k in range(4)) for npu in range(64)]
    save_trace(Trace(tuple(nodes)), tmp_path / "others")
    monkeypatch.setattr("astra_edu.traces.load.MOST_NODES", 20)
    assert load_trace(tmp_path / "alike").templates.different == 256
    with pytest.raises(ae.ConfigError, match=r"others\.5\.et \(NPU 5\).*many don't fit into memory"):
        load_trace(tmp_path / "others")


def test_no_more_files_are_compared_than_that(tmp_path, monkeypatch):
    nodes = [tuple(Node(k, f"{npu % 8} {k}", NodeType.COMP_NODE) for k in range(4)) for npu in range(8)]
    files = files_alike.FilesAlike(16, ae.traces.et_bytes.Reader())
    monkeypatch.setattr(files_alike, "MOST_ROLES", 3)
    for npu in range(8):
        files.add(npu, encode(nodes[npu]), Metadata(), nodes[npu])
    assert len(files._tried) == 3


def written(tmp_path, nodes, **more):
    """Files of NPUs, whatever is wrong with them."""
    for npu, own in enumerate(nodes):
        (tmp_path / f"x.{npu}.et").write_bytes(encode(own, **more))
    return tmp_path / "x"


def one(number, kind="COMM_COLL_NODE", waits=(), **attributes):
    given = {name: attribute_of(name, value) for name, value in attributes.items()}
    return Node(number, "n", NodeType[kind], tuple(waits), attributes=given)


def summed(number, group, waits=()):
    return one(number, waits=waits, comm_type=0, comm_size=64, pg_name=group)


CASES = {
    "two groups become one": [[summed(1, "1"), summed(2, "2")]] * 2 + [[summed(1, "3"), summed(2, "3")]] * 2,
    "two groups become one that another starts once": [
        *([[summed(1, "1"), summed(2, "2")]] * 2),
        [summed(1, "3"), summed(2, "3")],
        [summed(1, "3")],
    ],
    "one group becomes two": [[summed(1, "1"), summed(2, "1")]] * 2 + [[summed(1, "3"), summed(2, "4")]] * 2,
    "group 0 is all NPUs": [[summed(1, "0")], [summed(1, "2")], [summed(1, "0")], [summed(1, "3")]],
    "a message to NPU 0 of all others": [
        [one(k, "COMM_RECV_NODE", comm_src=k, comm_tag=1, comm_size=8) for k in (1, 2, 3)],
        *([[one(1, "COMM_SEND_NODE", comm_dst=0, comm_tag=1, comm_size=8)]] * 3),
    ],
    "numbers pass each other": [
        [one(10 + 5 * npu, "COMP_NODE"), one(21, "COMP_NODE", [10 + 5 * npu])] for npu in range(5)
    ],
    "numbers meet": [[one(10 + 5 * npu, "COMP_NODE"), one(20, "COMP_NODE")] for npu in range(5)],
    "numbers go down below 0": [[one(2 - npu, "COMP_NODE")] for npu in (0, 1, 2)] + [[one(2**64 - 1, "COMP_NODE")]],
    "a peer beyond all": [
        [one(1, "COMM_SEND_NODE", comm_src=npu, comm_dst=npu + 2, comm_tag=0, comm_size=8)] for npu in range(4)
    ],
    "tags that are no whole numbers": [
        [one(1, "COMM_SEND_NODE", comm_src=npu, comm_dst=1 - npu, comm_tag=npu + 0.5, comm_size=8)] for npu in (0, 1)
    ],
    "other names": [[Node(1, f"n{npu}", NodeType.COMP_NODE)] for npu in range(4)],
    "one node more": [[one(1 + npu, "COMP_NODE")] for npu in (0, 1)] + [[one(3, "COMP_NODE"), one(9, "COMP_NODE")]],
    "nothing": [[], [], []],
    "a group by its number": [[one(1, comm_type=0, comm_size=64, pg_name=npu // 2 + 1)] for npu in range(4)],
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("check", [False, True])
def test_strange_files_are_what_they_are_file_by_file(case, check, tmp_path, monkeypatch):
    prefix = written(tmp_path, CASES[case])
    groups = {1: [0, 1], 2: [0, 1], 3: [2, 3], 4: [2, 3]} if len(CASES[case]) == 4 else {}
    found = loaded(prefix, check=check, groups=groups)
    assert equal(found, file_by_file(monkeypatch, prefix, check=check, groups=groups))


def test_who_is_in_a_group_and_never_names_it_is_missed(tmp_path):
    prefix = written(tmp_path, [[summed(1, "1")], [summed(1, "1")], [summed(1, "2")], [summed(1, "2")]])
    assert len(load_trace(prefix, groups={1: [0, 1], 2: [2, 3]}).templates.templates) == 1
    with pytest.raises(ae.ConfigError, match=r"x\.2\.et \(NPU 2\) starts 0\. All the NPUs of process group 1 must"):
        load_trace(prefix, groups={1: [0, 1, 2], 2: [2, 3]})


def test_what_two_files_share_does_not_grow_with_a_third(tmp_path):
    numbers = [1, 1, 3]
    found = load_trace(written(tmp_path, [[one(number, "COMP_NODE")] for number in numbers]))
    assert [own[0].id for own in found.nodes] == numbers


def test_parents_that_are_not_there_are_looked_for_in_every_file(tmp_path):
    """Node 12 is NPU 1's, though not NPU 0's."""
    nodes = [[one(10 + 2 * npu, "COMP_NODE"), one(20, "COMP_NODE", [12])] for npu in range(3)]
    found = load_trace(written(tmp_path, nodes), missing_parents="ignore")
    assert [own[1].data_deps for own in found.nodes] == [(), (12,), ()]


def test_what_each_file_says_of_itself_is_kept(tmp_path):
    noted = [Metadata("0.0.4", {"rank": attribute_of("rank", npu)}) for npu in range(4)]
    for npu in range(4):
        content = encode([one(1 + npu, "COMP_NODE")], noted[npu])
        (tmp_path / f"x.{npu}.et").write_bytes(gzip.compress(content) if npu % 2 else content)
    found = load_trace(tmp_path / "x")
    assert len(found.templates.templates) == 1
    assert list(found.metadata) == noted


def test_reading_has_a_bar_and_ends_where_it_is_interrupted(tmp_path):
    save_trace(ae.traces.collective("all_reduce", "1 MiB", npus=8), tmp_path / "x")
    said = []
    with told(said.append):
        load_trace(tmp_path / "x")
    assert said[0] == "reading the trace: 0 of 8 files"

    def stop(_):
        raise KeyboardInterrupt

    with told(stop), pytest.raises(KeyboardInterrupt):
        load_trace(tmp_path / "x")


@pytest.mark.parametrize(("fewest", "different"), [(8, 2), (9, 8)])
def test_few_files_are_read_one_by_one(monkeypatch, tmp_path, fewest, different):
    monkeypatch.setattr("astra_edu.traces.load.FEWEST_ALIKE", fewest)
    pipeline = ae.traces.from_strategy(MODEL, ae.Strategy(data=4, pipeline=2, batch=8), "a100")
    save_trace(pipeline, tmp_path / "x")
    found = load_trace(tmp_path / "x")
    assert found.nodes == pipeline.nodes
    assert len(found.templates.templates) == different
