"""A trace for more copies of its model is the trace that the strategy with more copies makes."""

import random

import pytest
from halves import half
from small_models import gpt

import astra_edu as ae
from astra_edu.traces import from_nodes

PADDED = 64  # what from_strategy pads ZeRO's shares to


def essence(trace):
    """What each NPU does: without the numbers of nodes and tags and the names of groups, which may be any."""
    found = []
    for nodes in trace.nodes:
        ordered = sorted(nodes, key=lambda node: node.id)
        places = {node.id: place for place, node in enumerate(ordered)}
        tags: dict[tuple[int, int], list[int]] = {}
        rows = []
        for node in ordered:
            values = {name: attribute.value for name, attribute in node.attributes.items()}
            if "pg_name" in values:
                values["pg_name"] = trace.groups[values["pg_name"]]
            if "comm_tag" in values:
                seen = tags.setdefault((values["comm_src"], values["comm_dst"]), [])
                seen.append(values["comm_tag"])
                values["comm_tag"] = seen.index(values["comm_tag"])
            parents = sorted(places[parent] for parent in node.parents)
            rows.append((node.name, node.type, parents, node.duration_micros, sorted(values.items())))
        found.append(rows)
    return found


def drawn(seed):
    """(a strategy for any number of copies, copies before, copies after, whether collectives run over dimensions)"""
    rng = random.Random(seed)
    tensor, pipeline, before = rng.choice([1, 2, 4]), rng.choice([1, 1, 2]), rng.choice([2, 4])
    about = {
        "tensor": tensor,
        "pipeline": pipeline,
        "zero": rng.choice([0, 1] if pipeline > 1 else [0, 1, 2, 3]),
        "placement": rng.choice(["tensor-first", "data-first"]),
        "micro_batch": rng.choice([1, 2]),
        "sequence_parallel": tensor > 1 and rng.random() < 0.5,
    }
    times = rng.choice([1, 2])
    return (
        lambda copies: ae.Strategy(data=copies, batch=about["micro_batch"] * times * copies, **about),
        before,
        before * rng.choice([2, 3]),
        rng.random() < 0.5,
    )


def counted(strategy):
    """(the NPUs of each logical dimension, which of them counts copies), without dimensions of one NPU."""
    inner = [("copies", strategy.data), ("tensor", strategy.tensor)]
    if strategy.placement == "tensor-first":
        inner.reverse()
    kept = [(name, size) for name, size in [*inner, ("stages", strategy.pipeline)] if size > 1]
    return [size for _, size in kept], [name for name, _ in kept].index("copies")


@pytest.mark.parametrize("seed", half(range(16)))
def test_it_is_the_trace_that_is_made_for_so_many_npus(seed):
    strategy, before, after, over_dimensions = drawn(seed)
    dims, copies = counted(strategy(before))
    sizes, _ = counted(strategy(after))
    model = gpt(2)
    small = ae.traces.from_strategy(model, strategy(before), "a100", dims if over_dimensions else None)
    large = ae.traces.from_strategy(model, strategy(after), "a100", sizes if over_dimensions else None)
    scaled = ae.traces.scale(small, large.npus, dims=dims, copies=copies, padding=PADDED)
    assert essence(scaled) == essence(large)
    assert sorted(scaled.groups.values()) == sorted(large.groups.values())
    network = [ae.Block("Ring", size, 50, 500) for size in (sizes if over_dimensions else [large.npus])]
    platform = ae.TracePlatform(network, ae.TraceSystem.of(["ring"] * len(network)))
    assert ae.simulate(scaled, platform).total_ns == ae.simulate(large, platform).total_ns


def test_pipelines_run_beside_each_other():
    alone = ae.traces.from_pipeline("1f1b", 4, 4, forward_micros=10, backward_micros=20, bytes=4096)
    three = ae.traces.scale(alone, 12, dims=(4, 1), copies=1)
    ends = [
        (node.number("comm_src"), node.number("comm_dst")) for node in three.nodes[5] if "comm_dst" in node.attributes
    ]
    assert set(ends) == {(4, 5), (5, 4), (5, 6), (6, 5)}
    for copy in range(3):
        assert essence(three)[4 * copy][0] == essence(alone)[0][0]

    def total(trace):
        network = ae.Block("FullyConnected", trace.npus, 50, 500)
        return ae.simulate(trace, ae.TracePlatform(network, ae.TraceSystem.of("direct"))).total_ns

    assert total(three) == total(alone)


def node(number, kind, **attributes):
    return {"id": number, "name": str(number), "type": kind, "attr": attributes}


def test_strong_scaling_shares_out_the_samples_and_not_the_weights():
    own = [
        node(1, "COMP_NODE", num_ops=1000, tensor_size=301) | {"duration_micros": 9},
        node(2, "COMM_COLL_NODE", comm_type=0, comm_size=500, pg_name="1"),
        node(3, "COMM_COLL_NODE", comm_type=0, comm_size=700),
        node(4, "COMM_COLL_NODE", comm_type=2, comm_size=700),
    ]
    other = [
        one if one["id"] != 2 else node(2, "COMM_COLL_NODE", comm_type=0, comm_size=500, pg_name="2") for one in own
    ]
    trace = from_nodes([own, own, other, other], {"1": [1, 0], "2": [3, 2]})
    for scaling, computing, numbers, inner in (("weak", 9, (1000, 301), 500), ("strong", 5, (500, 151), 250)):
        found = ae.traces.scale(trace, 8, dims=(2, 2), copies=1, scaling=scaling)
        compute, within, sums, gathers = found.nodes[6]
        assert compute.duration_micros == computing
        assert (compute.number("num_ops"), compute.number("tensor_size")) == numbers
        assert (within.number("comm_size"), found.groups[within.group]) == (inner, (7, 6))
        assert (sums.number("comm_size"), gathers.number("comm_size")) == (700, 350)
        assert found.groups == {"1": (1, 0), "2": (3, 2), "3": (5, 4), "4": (7, 6)}


def test_what_a_recorder_noted_of_groups_does_not_contradict_the_new_ones(tmp_path):
    noted = '[\'[{"pg_name": "1", "ranks": [0, 1]}]\']'
    own = [
        {"id": 1, "type": "METADATA_NODE", "inputs": {"values": noted}},
        node(2, "COMM_COLL_NODE", comm_type=0, comm_size=64, pg_name="1"),
    ]
    trace = ae.traces.scale(from_nodes([own, own], {"1": [0, 1]}), 6)
    ae.traces.save_trace(trace, tmp_path / "six")
    assert ae.traces.load_trace(tmp_path / "six").groups == {"1": (0, 1, 2, 3, 4, 5)}


PAIR = [node(1, "COMM_COLL_NODE", comm_type=0, comm_size=64, pg_name="1")]
IDLE = [node(1, "COMP_NODE")]


@pytest.mark.parametrize(
    ("trace", "how", "words"),
    [
        (
            ae.traces.from_pipeline("gpipe", 2, 1, forward_micros=1, backward_micros=1, bytes=64),
            {"npus": 4},
            r"NPU 0: node 2 \(activations 0\) is a message between the copies 0 and 1; no rule says how it grows",
        ),
        (from_nodes([PAIR, PAIR, IDLE], {"1": [0, 1]}), {"npus": 6}, r"process group 1 \(NPUs 0 and 1\) is neither"),
        (from_nodes([PAIR, PAIR], {"1": [1, 0]}), {"npus": 4}, "process group 1 .* ascending order"),
        (from_nodes([IDLE] * 4), {"npus": 6, "dims": (2, 2), "copies": 1, "scaling": "weakly"}, "scaling is 'weakly'"),
        (from_nodes([IDLE] * 4), {"npus": 7, "dims": (2, 2), "copies": 1}, "a copy has 2 NPUs, .* multiple of 2, 4 or"),
        (from_nodes([IDLE] * 4), {"npus": 2}, "npus is 2; a copy has 1 NPUs, and the trace has 4 of them"),
        (from_nodes([IDLE] * 4), {"npus": 8, "dims": (2, 3)}, r"dims is \(2, 3\), which makes 6 NPUs; the trace has 4"),
        (from_nodes([IDLE] * 4), {"npus": 8, "copies": 1}, "copies is 1; dims has the dimensions 0 to 0"),
        (
            from_nodes([[node(1, "MEM_LOAD_NODE", tensor_size=64)]] * 2),
            {"npus": 4, "scaling": "strong"},
            "accesses memory; whether for weights or for samples isn't said",
        ),
        (
            from_nodes([[node(1, "COMM_COLL_NODE", comm_type=0, comm_size=64, involved_dim=[True, False])]] * 4),
            {"npus": 8},
            "runs over some dimensions only; give dims",
        ),
    ],
)
def test_what_has_no_rule_is_refused(trace, how, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.traces.scale(trace, **how)


def test_512_npus_of_8_share_what_is_alike():
    model, strategy = gpt(2), ae.Strategy(data=2, tensor=4)
    trace = ae.traces.scale(ae.traces.from_strategy(model, strategy, "a100"), 512, dims=(4, 2), copies=1)
    assert trace.npus == 512
    assert len(trace.templates.templates) == 1  # tensor groups have names of their own
    assert len({trace.templates.key(npu) for npu in range(512)}) == 512
    alike = ae.traces.scale(ae.traces.from_strategy(model, strategy, "a100", (4, 2)), 512, dims=(4, 2), copies=1)
    assert len({id(nodes) for nodes in alike.nodes}) == 1
