"""Whatever is in a file: it is read or refused with a ConfigError, and what is read gives a time or is refused."""

import contextlib
import json
import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.formats import parse_network, parse_system, parse_workload
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
