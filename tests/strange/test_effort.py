"""What would take for ever, or all memory, is refused with a sentence that says the limit, or is quick."""

import time

import pytest
from small_models import gpt

import astra_edu as ae
from astra_edu.traces import NodeType
from astra_edu.workload import Layer, Work

RING = ae.Platform(ae.Dimension.of("Ring", 4, 50, 500), ae.SystemConfig.of("ring"))
SLOW = ae.Dimension("Switch", 4, 2, 50, 500, hbm_latency=1e6, hbm_bandwidth=1e-9, hbm_scale=1.5)
LONG = ae.Workload(
    "HYBRID_DATA_MODEL",
    (Layer("l", Work(1, "all-reduce", 10**6), Work(1, None, 0), Work(1, "all-reduce", 10**6)),),
)
REFUSED = {
    "counts": (
        lambda: ae.counts(ae.schedule("scatter", "ring", 16384), 4096),
        "ring's scatter on 16,384 NPUs has 16,383 steps.*10,000,000 is the most",
    ),
    "prove": (
        lambda: ae.prove(ae.schedule("all-reduce", "ring", 4096)),
        "4,096 NPUs with 4,096 shards each are more than can be followed.*2,097,152",
    ),
    "as_graph": (
        lambda: ae.as_graph(ae.Block("FullyConnected", 2**16, 50, 500)),
        "65,536 NPUs with 65,535 links each are more than the 1,000,000 links of a graph",
    ),
    "GraphNetwork": (
        lambda: ae.GraphNetwork(ae.as_graph(ae.Block("Ring", 4, 50, 500)), npus=2**31),
        "the graph has no node 4",
    ),
    "collective": (
        lambda: ae.traces.collective("all_reduce", 4096, 2**31),
        "npus is 2,147,483,648; 65,536 is the most",
    ),
    "Builder": (lambda: ae.traces.Builder(2**63), "65,536 is the most"),
    "from_strategy": (
        lambda: ae.traces.from_strategy("gpt3", ae.Strategy(data=16, tensor=8, pipeline=8, batch=2**18), "a100"),
        "16,384 micro-batches make about .* different nodes; 5,000,000 are the most",
    ),
    "simulate": (
        lambda: ae.simulate(ae.Workload.micro("all-reduce", 65536), RING, passes=10**7),
        "passes is 10,000,000; of 1 layer 100,000 are the most",
    ),
    "from_workload": (
        lambda: ae.traces.from_workload(ae.Workload.micro("all-reduce", 65536), 4, passes=10**7),
        "passes is 10,000,000",
    ),
    "candidates": (lambda: ae.candidates("gpt3", 2**62, 1536), "npus is 4,611,686,018,427,387,904; 4,194,304 is the"),
    "explain": (
        lambda: ae.simulate(
            LONG, ae.Platform(SLOW, ae.SystemConfig.of("doubleBinaryTree", splits=4)), passes=2
        ).explain(),
        r"up to 2\*\*53 ns, 104 days, its moments can be told apart",
    ),
    "packets": (lambda: ae.SwitchBuffers().packets(2**60), "makes more than 3,000,000 packets"),
    "a memory": (
        lambda: ae.TraceSystem.of("ring", local_memory_bandwidth=5e-324),
        r"local-mem-bw is 4.94066e-324; 1e-09 to 1e\+15 can be calculated with",
    ),
    "a device": (lambda: ae.Device("d", 1e-300), "operations per second is 1e-300; 1e-09 to 1e\\+30"),
}


@pytest.mark.parametrize(("ask", "words"), REFUSED.values(), ids=REFUSED)
def test_limits_are_said_at_once(ask, words):
    start = time.thread_time()
    with pytest.raises(ae.ConfigError, match=words):
        ask()
    assert time.thread_time() - start < 2


def test_candidates_that_are_none_say_so_soon():
    start = time.thread_time()
    with pytest.raises(ae.ConfigError, match="9216 or 12288 NPUs would do"):
        ae.candidates("gpt3", 10007, 1536)
    assert time.thread_time() - start < 2


def test_npus_with_the_same_operation_share_its_node():
    """Else a trace of some thousand NPUs wouldn't fit into memory."""
    trace = ae.traces.from_strategy(gpt(), ae.Strategy(data=4, pipeline=2, batch=8), "a100")
    every = [node for nodes in trace.nodes for node in nodes if node.type is NodeType.COMP_NODE]
    of_stages = 2 * len(every) / 8
    waiting = 4 * 3  # those that follow a message have one of their own
    assert len({id(node) for node in every}) <= of_stages + waiting


def test_bars_are_shown_for_what_takes_a_second(capsys, monkeypatch):
    seconds = iter(range(100_000))
    monkeypatch.setattr("astra_edu.base.progress.perf_counter", lambda: next(seconds))
    ae.prove(ae.schedule("all-reduce", "ring", 4))
    ae.counts(ae.hierarchical("all-reduce", "ring", (4, 4)), 4096)
    ae.traces.from_strategy(gpt(), ae.Strategy(data=2, batch=2), "a100")
    shown = capsys.readouterr().err
    assert all(words in shown for words in ("proving", "counting", "making the trace"))


@pytest.mark.parametrize(("bandwidth", "latency"), [(6e14, 500), (50, 1e-9)])
def test_explain_does_not_blame_values_that_nobody_gave(bandwidth, latency):
    platform = ae.Platform(ae.Dimension.of("Ring", 8, bandwidth, latency), ae.SystemConfig.of("ring"))
    assert ae.simulate(ae.Workload.micro("all-reduce", 65536), platform).explain().sentences


def test_a_scale_that_is_too_large_names_file_and_layer(tmp_path):
    ae.save_workload(LONG, tmp_path / "work.txt")
    words = r"work.txt, layer 0 \(l\), forward pass: comm_scale makes 1000000 times 1e\+30"
    with pytest.raises(ae.ConfigError, match=words):
        ae.load_workload(tmp_path / "work.txt", comm_scale=1e30)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '{"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 1%s}]}' % ("0" * 400),
            "a whole number of 401 digits",
        ),
        ('{"version": "0.0.4"}\n{"id": "1", "x\\ud800": 1}', r"a key is 'x\\ud800'; it must be a text"),
    ],
)
def test_traces_in_json_with_what_no_trace_has(text, words, tmp_path):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ae.ConfigError, match=words):
        ae.traces.load_trace(tmp_path / "t.json")
