"""A trace's statistics: counted by hand, and against formulas and networkx."""

import random

import networkx as nx
import pytest

import astra_edu as ae
from astra_edu.traces import from_nodes
from astra_edu.traces.load import load_trace, save_trace
from astra_edu.traces.longest_chain import by_depth


def hand():
    """HotI 2024's demo 1-2 on 4 NPUs, and what it doesn't have: a group, a message, memory, the CPU, a roofline."""
    trace = ae.traces.Builder(npus=4)
    sums = trace.all_reduce("sums", "1 MB")
    trace.all_gather("gather", "2 MB", after=sums)
    work = trace.compute("work", micros=50, after=sums)
    pair = trace.reduce_scatter("pair", 600, group=[1, 2], after=work)
    sent, _ = trace.message("message", 4096, 1, 3, after=pair)
    trace.load("weights", "1 KiB", on=0)
    trace.cpu("loads", micros=7, on=0)
    trace.compute("gemm", num_ops=10**6, tensor_size=300, on=[1, 2], after=pair)
    trace.compute("last", micros=3, on=1, after=sent)
    return trace.build()


def test_every_row_as_counted_by_hand():
    found = hand().describe()
    assert (found.npus, found.nodes) == (4, 4 * 3 + 2 + 2 + 1 + 1 + 2 + 1)
    assert {row.kind: tuple(row[1:]) for row in found.kinds} == {
        "all-reduce": (4, 4, 1, 1),
        "all-gather": (4, 4, 1, 1),
        "compute": (4 + 2 + 1, 4, 1, 3),
        "reduce-scatter": (2, 2, 0, 1),
        "send": (1, 1, 0, 1),
        "receive": (1, 1, 0, 1),
        "memory access": (1, 1, 0, 1),
        "CPU": (1, 1, 0, 1),
    }
    assert [tuple(row) for row in found.collectives] == [
        ("all-gather", "all NPUs", 4, 4, 1, 8_000_000, 2_000_000),
        ("all-reduce", "all NPUs", 4, 4, 1, 4_000_000, 1_000_000),
        ("reduce-scatter", "group 1", 2, 2, 1, 1200, 600),
    ]
    assert [tuple(row) for row in found.messages] == [(1, 3, 1, 1, 4096)]
    assert [tuple(row) for row in found.computing] == [
        (0, 1, 5, 1, 50, 7, 0, 0, 2, 3),
        (1, 1, 7, 3, 53, 0, 10**6, 300, 5, 2),
        (2, 1, 5, 2, 50, 0, 10**6, 300, 4, 2),
        (3, 1, 4, 1, 50, 0, 0, 0, 2, 2),
    ]
    assert [tuple(row)[2:] for row in found.critical_path] == [("work", 50, 50), ("last", 3, 53)]
    assert (found.critical_path_us, found.compute_us) == (53, 4 * 50 + 7 + 3)
    assert found.parallelism == 210 / 53
    assert found.missing == (
        "2 computations have operations (num_ops) and no duration: how long they take depends on the platform; they "
        "count 0 µs here.",
    )


@pytest.mark.parametrize("order", ["gpipe", "1f1b"])
@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 3), (4, 4), (4, 9), (6, 2)])
def test_the_critical_path_of_a_pipeline_is_its_closed_form(order, stages, micro_batches):
    trace = ae.traces.from_pipeline(order, stages, micro_batches, forward_micros=10, backward_micros=20, bytes=4096)
    found = trace.describe()
    assert found.critical_path_us == (micro_batches + stages - 1) * 30
    assert found.parallelism == pytest.approx(stages * micro_batches / (micro_batches + stages - 1))


def random_graph(seed, npus):
    """Nodes of one NPU after the other, with all-reduces that all have in the same order."""
    rng = random.Random(seed)
    nodes = []
    for _ in range(npus):
        own = []
        for number in range(30):
            parents = rng.sample(range(number), min(number, rng.choice([0, 1, 1, 2])))
            one = {"id": number, "type": "COMP_NODE", "duration_micros": rng.randrange(1, 50), "data_deps": parents}
            if number % 10 == 9:
                one = {
                    "id": number,
                    "type": "COMM_COLL_NODE",
                    "data_deps": parents,
                    "attr": {"comm_type": 0, "comm_size": 64},
                }
            own.append(one)
        nodes.append(own)
    return nodes


@pytest.mark.parametrize("seed", range(10))
def test_the_critical_path_is_the_longest_one_of_networkx(seed):
    nodes = random_graph(seed, 3)
    graph = nx.DiGraph()
    for npu, own in enumerate(nodes):
        for one in own:
            name = one["id"] if one["type"] == "COMM_COLL_NODE" else (npu, one["id"])
            for parent in one["data_deps"]:
                before = parent if own[parent]["type"] == "COMM_COLL_NODE" else (npu, parent)
                graph.add_edge(before, name, weight=own[parent].get("duration_micros", 0))
            graph.add_edge(name, (npu, one["id"], "end"), weight=one.get("duration_micros", 0))
    trace = from_nodes(nodes)
    found = trace.describe()
    assert found.critical_path_us == nx.dag_longest_path_length(graph, weight="weight")
    assert [row.end_us for row in found.critical_path][-1] == found.critical_path_us
    wide = ae.TracePlatform(ae.Block("FullyConnected", 3, 10**6, 0), ae.TraceSystem.of("direct"))
    assert 1000 * found.critical_path_us <= ae.simulate(trace, wide).total_ns  # an NPU computes one thing at a time
    for npu, own in enumerate(nodes):
        alone = nx.DiGraph([(parent, one["id"]) for one in own for parent in one["data_deps"]])
        depths = by_depth(trace.nodes[npu])
        for number in range(30):
            above = alone.subgraph(nx.ancestors(alone, number) | {number}) if number in alone else [number]
            longest = nx.dag_longest_path_length(above, weight=None) + 1 if number in alone else 1
            assert depths[number] == longest


def coll(number, kind, size, **more):
    return {"id": number, "type": "COMM_COLL_NODE", "attr": {"comm_type": kind, "comm_size": size} | more}


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([[coll(1, 3, 64)], [coll(1, 3, 64)]], "2 collectives are GATHER, which ASTRA-sim doesn't carry out."),
        ([[coll(1, 77, 64)]], "1 collective is comm_type is 77; 0 to 9 is known, which"),
        ([[coll(1, 0, 0)]], "0 bytes are communicated by 1 node"),
        ([[coll(1, 0, 64, pg_name="4")]], "names the process group '4', which isn't defined"),
        ([[{"id": 1, "type": "COMM_SEND_NODE", "attr": {"comm_dst": 1, "comm_size": 4}}], []], "has no counterpart"),
        ([[{"id": 1, "type": "COMP_NODE"}], []], "one NPU has no nodes"),
        (
            [
                [coll(1, 0, 64), coll(2, 0, 32) | {"data_deps": [1]}],
                [coll(1, 0, 32), coll(2, 0, 64) | {"data_deps": [1]}],
            ],
            "in orders that don't fit: the critical path is that of one NPU alone",
        ),
    ],
)
def test_what_is_missing_is_said(nodes, words):
    groups = {} if "pg_name" in str(nodes) else None
    assert any(words in one for one in from_nodes(nodes, groups).describe().missing)


def test_its_text_its_tables_and_its_page_say_the_same():
    found = hand().describe()
    text, page = repr(found), found._repr_html_()
    for row in (*found.collectives, *found.messages, *found.critical_path):
        for value in row:
            shown = f"{value:,}" if isinstance(value, int) else value
            assert shown in text
            assert f">{shown}</td>" in page
    assert "into collectives 11.445 MiB, in messages 4 KiB (sums over all NPUs)" in text
    assert "critical path without network 53.000 µs" in page
    assert page.count("<table>") == page.count("<caption>") == 5
    frame = found.table("computing")
    assert list(frame["compute_us"]) == [50, 53, 50, 50]
    assert int(frame["tensor_bytes"].sum()) == 600
    with pytest.raises(ae.ConfigError, match="table is 'links'"):
        found.table("links")


def test_a_long_table_says_how_long_it_is():
    trace = ae.traces.from_pipeline("gpipe", 2, 20, forward_micros=10, backward_micros=20, bytes=4096)
    assert "Critical path without network (the first 12 of 42)" in repr(trace.describe())


def test_it_is_the_same_from_a_file(tmp_path):
    save_trace(hand(), tmp_path / "t")
    assert load_trace(tmp_path / "t").describe() == hand().describe()
