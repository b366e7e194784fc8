"""Whatever is in a file: it is read or refused with a ConfigError, and what is read gives a time or is refused."""

import contextlib
import json
import math
import warnings

import platforms_2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.formats import (
    parse_memory,
    parse_network,
    parse_network_2,
    parse_system,
    parse_system_2,
    parse_workload,
)
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.system.remote_memory import MEMORY_KINDS
from astra_edu.workload.parallelism import PARALLELISMS

NETWORK_KEYS = ["dimensions-count", "topologies-per-dim", "units-count", "links-count", "link-latency"]
NETWORK_KEYS += ["link-bandwidth", "nic-latency", "router-latency", "hbm-latency", "hbm-bandwidth", "hbm-scale"]
NETWORK_KEYS += ["dimension-type", "topology-name", "use-fast-version"]
SYSTEM = {
    "scheduling-policy": ["LIFO", "FIFO"],
    "endpoint-delay": ["0", "10"],
    "active-chunks-per-dimension": ["1", "3"],
    "preferred-dataset-splits": ["1", "4", "7"],
    "boost-mode": ["0", "1"],
    "all-reduce-implementation": ["ring", "direct", "direct2", "halvingDoubling", "doubleBinaryTree"],
    "all-gather-implementation": ["ring", "direct", "halvingDoubling"],
    "reduce-scatter-implementation": ["ring", "direct3", "halvingDoubling"],
    "all-to-all-implementation": ["direct", "ring", "direct1"],
    "collective-optimization": ["baseline", "localBWAware"],
    "intra-dimension-scheduling": ["FIFO", "SCF", "RG", "lessRemainingPhaseFirst"],
    "inter-dimension-scheduling": ["baseline", "roundRobin", "themis", "themisFlex"],
}
BUS = {"model-shared-bus": "1", "L": "3", "o": "1", "g": "2", "G": "0.01", "local-reduction-delay": "1"}
EXTREME = st.sampled_from([0, -1, 1, 0.5, 2**31, 2**63, 2**64, 10**400, 1e-320, 1e308, math.inf, -math.inf, math.nan])
NUMBERS = st.one_of(EXTREME, st.integers(), st.floats())
JUNK = st.one_of(st.text(max_size=12), EXTREME.map(lambda number: f"{number!r:.40}"), st.just("²"), st.just("٣"))


def either_read_or_refused(parse, text):
    with contextlib.suppress(ae.ConfigError):
        return parse(text)
    return None


def anything(leaf):
    return st.recursive(
        leaf, lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(), inside), max_leaves=5
    )


@given(
    st.dictionaries(
        st.sampled_from(NETWORK_KEYS),
        st.one_of(st.lists(NUMBERS, max_size=3), anything(st.one_of(st.none(), st.booleans(), NUMBERS, st.text()))),
    )
)
def test_any_json_for_a_network(content):
    """Python's JSON has NaN and Infinity, too."""
    either_read_or_refused(parse_network, json.dumps(content))


@given(st.integers(1, 3), st.data())
def test_any_number_in_a_network(dims, data):
    content = {
        "dimensions-count": dims,
        "topologies-per-dim": ["Switch", "Ring", "FullyConnected"][:dims],
        "units-count": [4] * dims,
        "links-count": [3] * dims,
        "link-latency": [1] * dims,
        "link-bandwidth": [1] * dims,
    }
    key = data.draw(st.sampled_from(NETWORK_KEYS[:-1]))
    content[key] = data.draw(st.lists(NUMBERS, min_size=dims, max_size=dims))
    network = either_read_or_refused(parse_network, json.dumps(content))
    if network:
        for dimension in network:
            assert dimension.npus >= 1
            assert dimension.bandwidth > 0
            assert math.isfinite(dimension.latency + dimension.nic + dimension.router)


@given(st.dictionaries(st.sampled_from([*SYSTEM, *BUS]), JUNK, max_size=2))
def test_any_value_in_a_system(changes):
    values = {key: good[0] for key, good in SYSTEM.items()} | changes
    text = "".join(f"{key}: {value}\n" for key, value in values.items())
    system = either_read_or_refused(parse_system, text)
    if system:
        assert system.splits >= 1
        assert system.active_chunks >= 1


@given(st.data())
def test_any_word_in_a_workload(data):
    lines = [["DATA"], ["2"], *(["layer", "-1", *["7", "NONE", "0"] * 2, "7", "ALLREDUCE", "4096", "1"] for _ in "ab")]
    line = data.draw(st.integers(0, 3))
    lines[line][data.draw(st.integers(0, len(lines[line]) - 1))] = data.draw(JUNK)
    text = "\n".join(" ".join(words) for words in lines)
    either_read_or_refused(lambda text: parse_workload(text, data.draw(NUMBERS), data.draw(NUMBERS)), text)
    work = either_read_or_refused(parse_workload, text)
    if work:
        assert work.layers


@pytest.mark.parametrize("parse", [parse_network, parse_system, parse_workload])
@given(st.one_of(st.text(), st.lists(JUNK).map("\n".join), st.lists(JUNK).map(" : ".join)))
def test_any_text(parse, text):
    either_read_or_refused(parse, text)


@st.composite
def platforms(draw):
    shapes = draw(st.lists(st.sampled_from(["Ring", "Switch", "FullyConnected"]), min_size=1, max_size=3))
    npus = [draw(st.sampled_from([1, 2, 3, 4, 4, 8])) for _ in shapes]
    number = st.one_of(st.sampled_from([0.25, 1.0, 500.0]), st.floats(1e-9, 1e15), st.integers(1, 10**15))
    content = {
        "topologies-per-dim": shapes,
        "units-count": npus,
        "links-count": [draw(st.integers(7, 16)) for _ in shapes],
        "link-latency": [draw(st.just(0) | number) for _ in shapes],
        "link-bandwidth": [draw(number) for _ in shapes],
    }
    for key in draw(st.sets(st.sampled_from(NETWORK_KEYS[6:11]), max_size=2)):
        content[key] = [draw(number) for _ in shapes]
    values = {}
    for key, good in SYSTEM.items():
        per_dimension = len(shapes) if "implementation" in key else 1
        values[key] = "_".join(draw(st.sampled_from(good)) for _ in range(per_dimension))
    if draw(st.integers(0, 4)) == 0:
        key = draw(st.sampled_from([key for key in SYSTEM if "implementation" in key]))
        values[key] = draw(st.sampled_from(["oneRing", "oneDirect", "oneHalvingDoubling", "ring", "ring_oneRing"]))
    if draw(st.booleans()):
        values |= BUS
    return json.dumps(content), "".join(f"{key}: {value}\n" for key, value in values.items())


OPTIONS = {
    "HYBRID_TRANSFORMER": ["model_parallel_NPU_group: 2", "model_parallel_NPU_group: 6"],
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD": [
        "model_parallel_NPU_group: 2 checkpoints: 1 0 checkpoint_initiates: 1 2",
        "model_parallel_NPU_group: 4 checkpoints: 2 0 1 checkpoint_initiates: 1 2",
    ],
    "HYBRID_DLRM": ["0", "1"],
    "HYBRID_DLRM_ENHANCED": ["1", "2"],
}


@st.composite
def workloads(draw):
    loop = draw(st.sampled_from(sorted(ae.LOOPS)))
    lines = [f"{loop} {draw(st.sampled_from(OPTIONS.get(loop, [''])))}", "3"]
    size = st.one_of(st.sampled_from([0, 7, 4096, 10**6]), st.integers(0, 2**62))
    collective = st.sampled_from(["NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"])
    for _ in range(3):
        cells = [f"{draw(size)} {draw(collective)} {draw(size)}" for _ in range(3)]
        policy = draw(st.sampled_from(sorted(PARALLELISMS))) if loop == "HYBRID_CUSTOMIZED" else ""
        lines.append(f"layer -1 {' '.join(cells)} {draw(st.sampled_from([0, 1, 50]))} {policy}")
    return "\n".join(lines)


@settings(max_examples=150, deadline=None)
@given(platforms(), workloads(), st.integers(1, 2))
def test_what_can_be_read_takes_some_time_or_is_refused(files, workload, passes):
    with warnings.catch_warnings(), contextlib.suppress(ae.ConfigError):
        warnings.simplefilter("ignore")
        platform = ae.Platform(parse_network(files[0]), parse_system(files[1]))
        result = ae.simulate(parse_workload(workload), platform, passes)
        assert 0 < result.total_ns < math.inf
        assert result.exposed_ns >= 0
        assert result.total_ns >= result.compute_ns >= 0


ANYTHING = anything(st.one_of(st.none(), st.booleans(), NUMBERS, st.text()))
NETWORK_2_KEYS = ("topology", "npus_count", "bandwidth", "latency")
SYSTEM_2_KEYS = st.one_of(
    st.sampled_from([*platforms_2.SYSTEM, *BUS, "peak-perf", "roofline-enabled", "replay-only"]),
    st.sampled_from(["intra-dimension-scheduling", "inter-dimension-scheduling", "per-node-custom-implementation"]),
    st.sampled_from(["all-reduce-implementation-custom", "boost-mode", "trace-enabled"]),
)
MEMORY_KEYS = ("memory-type", "remote-mem-latency", "remote-mem-bw", "num-nodes", "num-npus-per-node")


def parse_custom_system(text):
    return parse_system_2(text, "system.json", CustomTraces("system.json"))


def quietly(parse):
    def parsed(text):
        with warnings.catch_warnings(action="ignore"):
            return parse(text)

    return parsed


PARSERS_2 = [quietly(parse) for parse in (parse_network_2, parse_custom_system, parse_memory)]


@pytest.mark.parametrize("parse", PARSERS_2)
@given(st.one_of(st.text(), st.lists(JUNK).map("\n".join), st.lists(JUNK).map(": ".join), ANYTHING.map(json.dumps)))
def test_any_text_for_2(parse, text):
    either_read_or_refused(parse, text)


@pytest.mark.parametrize("parse", PARSERS_2)
@given(st.text("[]{}:,-?&*!|>'\"%@` \n\tab#1.", max_size=60))
def test_any_punctuation_for_2(parse, text):
    either_read_or_refused(parse, text)


@given(st.dictionaries(st.sampled_from(NETWORK_2_KEYS), ANYTHING | st.lists(JUNK | NUMBERS), max_size=2), st.data())
def test_any_value_in_a_network_of_2(changes, data):
    dims = data.draw(st.integers(1, 3))
    values = {"topology": ["Ring"], "npus_count": [4], "bandwidth": [50.0], "latency": [500]}
    values = {key: listed * dims for key, listed in values.items()} | changes
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    network = either_read_or_refused(quietly(parse_network_2), text)
    if network:
        assert 1 <= len(network) <= 16
        for block in network:
            assert block.npus >= 2
            assert 0 < block.bandwidth < math.inf
            assert 0 <= block.latency < math.inf


@given(st.dictionaries(SYSTEM_2_KEYS, ANYTHING | st.sampled_from([0, 1]) | st.lists(JUNK, max_size=2), max_size=3))
def test_any_value_in_a_system_of_2(changes):
    system = either_read_or_refused(quietly(parse_custom_system), json.dumps(platforms_2.SYSTEM | changes))
    if system:
        assert 1 <= system.splits <= 100_000
        assert 1 <= system.active_chunks < 2**31
        assert 0 <= system.endpoint_delay < 2**31
        assert not system.roofline or (system.local_memory_bandwidth and system.peak_performance)


@given(
    st.dictionaries(st.sampled_from(MEMORY_KEYS), ANYTHING, max_size=2),
    st.sampled_from(MEMORY_KINDS),
    st.integers(1, 9),
)
def test_any_value_in_a_memory(changes, kind, npus):
    good = {"memory-type": kind, "remote-mem-bw": 64, "num-nodes": 4, "num-npus-per-node": 2}
    memory = either_read_or_refused(lambda text: parse_memory(text, npus=npus), json.dumps(good | changes))
    if memory and memory.kind != "NO_MEMORY_EXPANSION":
        assert memory.access_ns(2**64 - 1) >= memory.latency


@given(st.dictionaries(JUNK | st.integers(-3, 300).map(str), JUNK, max_size=3))
def test_any_file_of_custom_nodes(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("custom")
    (folder / "nodes.yml").write_text("".join(f"{key}: {value}\n" for key, value in entries.items()), encoding="utf-8")
    either_read_or_refused(CustomTraces(folder / "system.json").nodes, "nodes.yml")


@settings(max_examples=60, deadline=None)
@given(
    platforms_2.small_platforms(),
    st.sampled_from(["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]),
    st.data(),
)
def test_a_platform_of_2_that_can_be_read_takes_some_time_or_is_refused(files, collective, data):
    size = data.draw(st.integers(0, 2**40) | st.sampled_from([0, 1, 7, 2**20]))
    with contextlib.suppress(ae.ConfigError), warnings.catch_warnings(action="ignore"):
        network = parse_network_2(files["network"])
        system = parse_custom_system(json.dumps(files["system"]))
        platform = ae.TracePlatform(network, system, congestion_aware=data.draw(st.booleans()))
        result = ae.simulate(ae.traces.collective(collective, bytes=size, npus=platform.npus), platform)
        assert result.total_ns > 0
        assert result.total_ns >= max(result.exposed_ns) >= 0
