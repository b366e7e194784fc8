"""Traces kept as a few NPUs' nodes beside those made NPU by NPU: the same nodes, files, sentences and statistics."""

import pickle
import random
import tracemalloc
from collections import Counter
from dataclasses import replace

import pytest
from random_traces import by_hand, message_by_message, slowly, strategies
from slow_communication import check_communication as check_slowly

import astra_edu as ae
from astra_edu.traces import Trace, attribute_of, load_trace, longest_chain, save_trace
from astra_edu.traces.builder import Builder
from astra_edu.traces.communication import check_communication
from astra_edu.traces.shared_nodes import SharedNodes


def same(trace, other):
    """Node for node, in the same order, and the same process groups."""
    assert [tuple(nodes) for nodes in trace.nodes] == list(other.nodes)
    assert trace.groups == other.groups


@pytest.mark.parametrize("seed", range(4))
def test_strategies_are_what_they_are_message_by_message(monkeypatch, seed):
    made = 0
    for model, strategy, network, more in strategies(12, seed):
        try:
            trace = ae.traces.from_strategy(model, strategy, "a100", network, **more)
        except ae.ConfigError:
            continue
        with monkeypatch.context() as slow:
            slow.setattr(Builder, "messages", message_by_message)
            slow.setattr(Builder, "build", slowly)
            same(trace, ae.traces.from_strategy(model, strategy, "a100", network, **more))
        most = strategy.pipeline if network is not None or strategy.npus < 3 else strategy.pipeline + 1
        assert len(trace.templates.templates) <= most
        made += 1
    assert made >= 4


@pytest.mark.parametrize("seed", range(4))
def test_builders_make_what_they_make_npu_by_npu(seed):
    draw = random.Random(seed)
    kept = 0
    for _ in range(60):
        builder = by_hand(draw)
        if builder.operations:
            trace = builder.build()
            same(trace, slowly(builder))
            kept += isinstance(trace.nodes, SharedNodes)
            assert trace.alike == slowly(builder).alike
            assert pickle.loads(pickle.dumps(trace)) == trace
    assert kept >= 10


def traces(seed, of_strategies=6, others=50):
    """Traces with their dimensions; the same with a template damaged."""
    draw = random.Random(seed)
    found = []
    for model, strategy, network, more in strategies(of_strategies, seed):
        try:
            found.append((ae.traces.from_strategy(model, strategy, "a100", network, **more), network))
        except ae.ConfigError:
            continue
    builders = [builder for builder in (by_hand(draw) for _ in range(others)) if builder.operations]
    found += [(builder.build(), draw.choice([None, [2, builder.npus // 2], [builder.npus]])) for builder in builders]
    for trace, dimensions in found:
        yield trace, dimensions
        for _ in range(6):
            try:
                if (worse := damaged(trace, draw)) is not None:
                    yield worse, dimensions
            except ae.ConfigError:  # ends beyond all NPUs
                continue


def damaged(trace, draw):
    """A trace one of whose templates has a node less or twice, or another number, or a group with a member less."""
    shared, groups = trace.templates, dict(trace.groups)
    place = draw.randrange(len(shared.templates))
    nodes = list(shared.templates[place])
    if not nodes:
        return None
    k = draw.randrange(len(nodes))
    node, attributes = nodes[k], dict(nodes[k].attributes)
    what = draw.choice(
        ["less", "twice", "comm_size", "comm_tag", "comm_type", "pg_name", "involved_dim", "num_ops", "group"]
    )
    if what == "less":
        nodes = [replace(one, data_deps=tuple(set(one.data_deps) - {node.id})) for one in nodes if one is not node]
    elif what == "twice":
        nodes.append(replace(node, id=10**6, data_deps=()))
    elif what == "num_ops":
        nodes[k] = replace(node, attributes=attributes | {"num_ops": attribute_of("num_ops", draw.choice(["x", 3]))})
    elif what == "group" and groups:
        name = draw.choice(list(groups))
        groups[name] = groups[name][:-1] or groups[name]
    elif what in attributes:
        value = attributes[what].value
        match what:
            case "pg_name":
                value = draw.choice([value, "77", str(int(value) + 1)])
            case "comm_type":
                value = draw.choice([0, 1, 2, 6, 7, 33])
            case "involved_dim":
                value = tuple(not use for use in value)
            case _:
                value += draw.choice([1, 2])
        nodes[k] = replace(node, attributes=attributes | {what: attributes[what]._replace(value=value)})
    else:
        return None
    templates = (*shared.templates[:place], tuple(nodes), *shared.templates[place + 1 :])
    return Trace(replace(shared, templates=templates), groups)


def said(check, *given):
    try:
        check(*given)
    except ae.ConfigError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(4))
def test_the_same_sentences_are_said_as_node_by_node(seed):
    counts = Counter()
    for trace, dimensions in traces(seed):
        plain = Trace(tuple(trace.nodes), trace.groups)
        expected = said(check_slowly, plain, dimensions)
        assert said(check_communication, trace, dimensions) == expected
        assert said(check_communication, plain, dimensions) == expected
        counts[bool(expected)] += 1
    assert counts[True] > 100
    assert counts[False] > 100


def test_statistics_are_those_of_plain_tuples(monkeypatch):
    compared = 0
    for trace, _ in traces(2, 3, 12):
        plain = Trace(tuple(trace.nodes), trace.groups).describe()
        assert trace.describe() == plain
        assert repr(trace.describe()) == repr(plain)
        monkeypatch.setattr(longest_chain, "MOST_JOINED", 0)
        path, joined = longest_chain.longest_chain(trace)
        monkeypatch.undo()
        if joined:
            assert sum(row.duration_us for row in path) == plain.critical_path_us
            compared += isinstance(trace.nodes, SharedNodes)
    assert compared > 5


def test_scaled_traces_are_those_of_plain_tuples():
    compared = 0
    for model, strategy, network, more in strategies(12, 5):
        try:
            trace = ae.traces.from_strategy(model, strategy, "a100", network, **more)
        except ae.ConfigError:
            continue
        tensor_first = strategy.placement == "tensor-first"
        inner = (strategy.tensor, strategy.data) if tensor_first else (strategy.data, strategy.tensor)
        how = {"dims": (*inner, strategy.pipeline), "copies": int(tensor_first)}
        for scaling in ("weak", "strong"):
            results = []
            for one in (trace, Trace(tuple(trace.nodes), trace.groups)):
                try:
                    results.append(ae.traces.scale(one, 3 * trace.npus, scaling=scaling, **how))
                except ae.ConfigError as error:
                    results.append(str(error))
            if isinstance(results[0], str):
                assert results[0] == results[1]
                continue
            same(results[0], Trace(tuple(results[1].nodes), results[1].groups))
            compared += isinstance(results[0].nodes, SharedNodes)
    assert compared > 5


def test_files_are_those_of_plain_tuples(tmp_path):
    for number, (model, strategy, network, more) in enumerate(strategies(4, 11)):
        try:
            trace = ae.traces.from_strategy(model, strategy, "a100", network, **more)
        except ae.ConfigError:
            continue
        plain = Trace(tuple(trace.nodes), trace.groups)
        for name, one in (("shared", trace), ("plain", plain)):
            save_trace(one, tmp_path / name / f"{number}")
            save_trace(one, tmp_path / name / f"{number}.json")
        assert load_trace(tmp_path / "shared" / f"{number}") == trace
        assert load_trace(tmp_path / "shared" / f"{number}.json") == trace
    shared, plain = (sorted((tmp_path / name).iterdir()) for name in ("shared", "plain"))
    assert [path.name for path in shared] == [path.name for path in plain]
    assert all(one.read_bytes() == other.read_bytes() for one, other in zip(shared, plain, strict=True))


def test_16384_npus_are_made_checked_and_counted_as_16():
    """In seconds and some MiB: with an object for each NPU and message it would be hours, and hundreds of GiB."""
    model = ae.transformer("large", hidden=512, heads=8, blocks=16, sequence=64, vocabulary=512)
    strategy = ae.Strategy(tensor=8, data=128, pipeline=16, batch=128 * 16)
    for network in ((8, 128, 16), (16_384,)):
        tracemalloc.start()
        trace = ae.traces.from_strategy(model, strategy, "h100", network)
        check_communication(trace, network)
        statistics = trace.describe()
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
        tracemalloc.stop()
        assert len(trace.templates.templates) == 16
        assert repr(trace).startswith("<trace of 16384 NPUs, ")
        assert statistics.nodes == trace.templates.total == 128 * 8 * sum(map(len, trace.templates.templates))
        last = trace.nodes[16_383]
        assert {node.number("comm_src") for node in last if "comm_src" in node.attributes} == {16_383, 16_383 - 1024}
        assert last[0].id - trace.nodes[15_360][0].id == 2 * 1023
        assert len(pickle.dumps(trace)) < 10**7


def test_a_fault_among_16384_npus_is_told_as_among_few():
    model = ae.transformer("large", hidden=512, heads=8, blocks=16, sequence=64, vocabulary=512)
    said_of = []
    for data in (2, 128):
        strategy = ae.Strategy(tensor=8, data=data, pipeline=16, batch=data * 16)
        trace = ae.traces.from_strategy(model, strategy, "h100")
        shared = trace.templates
        nodes = list(shared.templates[7])
        place = next(k for k, node in enumerate(nodes) if "comm_src" in node.attributes)
        nodes[place] = replace(
            nodes[place], attributes=nodes[place].attributes | {"comm_size": attribute_of("comm_size", 5)}
        )
        worse = replace(shared, templates=(*shared.templates[:7], tuple(nodes), *shared.templates[8:]))
        said_of.append(said(check_communication, Trace(worse, trace.groups)))
    assert "has no counterpart there" in said_of[1]
    assert f"{16 - 1} more have none" in said_of[0]
    assert f"{1024 - 1} more have none" in said_of[1]


def test_nodes_made_of_a_template_each_ask_for_their_own_group():
    builder, after = ae.traces.Builder(12), None
    for k in range(6):
        rows = [[npu, npu + 1] for npu in range(0, 12, 2)]
        after = builder.all_reduce(f"rows {k}", 2**20 + 4096 * k, group=rows, after=after)
    trace = builder.build()
    plain = ae.traces.Trace(tuple(trace.nodes), trace.groups)
    platform = ae.TracePlatform(ae.Block("Ring", 12, 50, 500), ae.TraceSystem.of("ring", splits=1))
    assert len(trace.templates.templates) == 1
    made, told = (ae.simulate(one, platform, everyone=True, progress=False) for one in (trace, plain))
    assert made.finish_ns == told.finish_ns
