"""ASTRA-sim 2.x's files: every key is read, what is written reads back as it was, and every error is a sentence."""

import json
import warnings

import pytest
from hypothesis import given
from platforms_2 import NETWORK, NO_MEMORY, SYSTEM, network_text, trace_platforms, write

import astra_edu as ae
from astra_edu.collectives import Collective
from astra_edu.formats import (
    format_memory,
    format_network_2,
    format_system_2,
    parse_memory,
    parse_network_2,
    parse_system_2,
)
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.system import Bus, RemoteMemory, TraceSystem
from astra_edu.traces.load import save_trace


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


def read_system(changes=(), without=(), scale=1):
    values = {key: value for key, value in (SYSTEM | dict(changes)).items() if key not in without}
    return parse_system_2(json.dumps(values), "sys.json", CustomTraces("sys.json"), scale)


@given(trace_platforms())
def test_a_platform_reads_back_as_it_was_written(platform):
    with warnings.catch_warnings(action="ignore"):
        network = parse_network_2(format_network_2(platform.network))
        system = parse_system_2(format_system_2(platform.system), "sys.json", CustomTraces("sys.json"))
        memory = parse_memory(format_memory(platform.memory, platform.npus), npus=platform.npus)
    assert ae.TracePlatform(network, system, memory) == platform


def test_its_files_too(tmp_path):
    system = ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4, local_memory_bandwidth=50, scheduling="FIFO")
    memory = RemoteMemory("PER_NODE_MEMORY_EXPANSION", 100, 128, 4)
    network = (ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 12.5, 936.25))
    platform = ae.TracePlatform(network, system, memory)
    paths = {name: tmp_path / "new" / name for name in ("network", "system", "memory")}
    ae.save_astra_sim(platform, **paths)
    assert ae.load_astra_sim(**paths) == platform
    assert ae.load_astra_sim(**paths, congestion_aware=True).congestion_aware


def test_a_file_for_what_a_platform_has(tmp_path):
    pool = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), memory=RemoteMemory("MEMORY_POOL", 0, 64))
    with says("has a remote memory .MEMORY_POOL.; give its file a name, too: memory="):
        ae.save_astra_sim(pool, tmp_path / "n", tmp_path / "s")
    custom = ae.TraceSystem(custom={Collective.ALL_REDUCE: ae.traces.collective("all_reduce", bytes=8, npus=4)})
    with says("custom collectives can't be saved"):
        ae.save_astra_sim(ae.TracePlatform(ae.Block("Ring", 4, 50, 500), custom), tmp_path / "n", tmp_path / "s")
    with says("1.0 has no remote memory file"):
        ae.save_astra_sim(ae.preset("ring"), tmp_path / "n", tmp_path / "s", tmp_path / "m")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("key", "value", "attribute", "read"),
    [
        ("scheduling-policy", "FIFO", "scheduling", "FIFO"),
        ("scheduling-policy", "EXPLICIT", "scheduling", "EXPLICIT"),
        ("endpoint-delay", 7, "endpoint_delay", 7),
        ("endpoint-delay", 7.0, "endpoint_delay", 7),
        ("active-chunks-per-dimension", 3, "active_chunks", 3),
        ("preferred-dataset-splits", 64, "splits", 64),
        ("collective-optimization", "baseline", "optimization", "baseline"),
        ("local-mem-bw", 3350.5, "local_memory_bandwidth", 3350.5),
        ("local-mem-bw", 0, "local_memory_bandwidth", None),
        ("peak-perf", 312, "peak_performance", 312),
        ("replay-only", 1, "replay_only", True),
        ("replay-only", 0, "replay_only", False),
        ("replay-only", True, "replay_only", True),
        ("intra-dimension-scheduling", "smallestFirst", "intra_dimension", "SCF"),
        ("intra-dimension-scheduling", "RG", "intra_dimension", "RG"),
        ("inter-dimension-scheduling", "offlineGreedy", "inter_dimension", "themis"),
        ("inter-dimension-scheduling", "themisFlex", "inter_dimension", "themisFlex"),
        ("inter-dimension-scheduling", "ascending", "inter_dimension", "baseline"),
        ("model-shared-bus", 0, "bus", None),
        ("model-shared-bus", 1, "bus", Bus()),
        ("boost-mode", 1, "splits", 4),
        ("trace-enabled", 1, "splits", 4),
        ("track-local-mem", 1, "splits", 4),
        ("local-mem-trace-filename", "mem_trace/local_memory_trace", "splits", 4),
    ],
)
def test_every_key_of_the_system_file(key, value, attribute, read):
    with warnings.catch_warnings(action="ignore"):
        assert getattr(read_system({key: value}), attribute) == read


def test_keys_that_belong_together():
    bus = {"model-shared-bus": 1, "L": 5, "o": 3, "g": 2, "G": 0.01, "local-reduction-delay": 4}
    assert read_system(bus).bus == Bus(5, 3, 2, 0.01, 4)
    assert read_system(bus | {"model-shared-bus": 0}).bus is None
    assert read_system({"roofline-enabled": 1, "peak-perf": 900}).roofline
    windows = read_system({"all-to-all-implementation": ["direct4"]}).implementations[Collective.ALL_TO_ALL]
    assert [how.window for how in windows] == [4]
    assert Collective.ALL_TO_ALL not in read_system(without=["all-to-all-implementation"]).implementations


def test_what_is_missing_has_astra_sims_defaults():
    missing = ["endpoint-delay", "active-chunks-per-dimension", "local-mem-bw"]
    system = read_system(without=missing)
    assert (system.endpoint_delay, system.active_chunks, system.local_memory_bandwidth) == (10, 1, None)


@pytest.mark.parametrize(
    ("delay", "scale", "scaled"), [(10, 2, 20), (10, 0.55, 5), (11, 0.5, 5), (10, 1, 10), (None, 2, 10)]
)
def test_the_injection_scale_multiplies_a_delay_that_is_there(delay, scale, scaled, tmp_path):
    system = {key: value for key, value in SYSTEM.items() if key != "endpoint-delay"}
    if delay is not None:
        system["endpoint-delay"] = delay
    paths = write(tmp_path, system=system | {"local-mem-trace-filename": "endpoint-delay"})
    assert ae.load_astra_sim(**paths, injection_scale=scale).system.endpoint_delay == scaled


@pytest.mark.parametrize(
    "text",
    [
        NETWORK,
        "\ufeff" + NETWORK,
        NETWORK.replace("\n", "\r\n"),
        "%YAML 1.2\n---\n" + NETWORK,
        "{topology: [Ring], npus_count: [8], bandwidth: [50], latency: [500]}",
        '{"topology": ["Ring"], "npus_count": [8], "bandwidth": [50], "latency": [500]}',
        "topology:\n- Ring\nnpus_count:\n  - 8\nbandwidth:\n- 50\nlatency:\n- 500\n",
        network_text(npus=("+8",), bandwidth=("5e1",), latency=("'5.E+2'",)),
        network_text(npus=('"8"',), bandwidth=("50.",), latency=("0.5e3",)),
    ],
)
def test_ways_to_write_a_network_that_astra_sim_reads(text, tmp_path):
    paths = write(tmp_path, network=text)
    assert ae.load_astra_sim(**paths).network == (ae.Block("Ring", 8, 50, 500),)


def test_several_dimensions():
    text = network_text(("Ring", "Switch", "FullyConnected"), (4, 2, 3), (50, 25, 12.5), (0, 1, 936.25))
    shapes = [("Ring", 4, 50, 0), ("Switch", 2, 25, 1), ("FullyConnected", 3, 12.5, 936.25)]
    assert parse_network_2(text) == tuple(ae.Block(*shape) for shape in shapes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (network_text(topology=("ring",)), "net.yml, dimension 0: topology is 'ring'; did you mean 'Ring'"),
        (network_text(topology=("Star",)), "topology is 'Star'; .*Allowed: Ring, FullyConnected, Switch"),
        (network_text(npus=(1,)), "npus_count is 1; a dimension has 2 NPUs or more. Leave this one out"),
        (network_text(npus=(0,)), "npus_count is 0; it must be a whole number, 2 or more"),
        (network_text(npus=(-8,)), "npus_count is -8"),
        (network_text(npus=("8.0",)), "npus_count is '8.0'; it must be a whole number, 2 or more"),
        (network_text(npus=("010",)), "npus_count is '010'"),
        (network_text(npus=("0x8",)), "npus_count is '0x8'"),
        (network_text(npus=("true",)), "npus_count is 'true'"),
        (network_text(npus=("9" * 5000,)), "npus_count is '9999"),
        (network_text(bandwidth=("tbd",)), "bandwidth is 'tbd'; it must be a number alone, meant in GB/s"),
        (network_text(bandwidth=("50GB/s",)), "bandwidth is '50GB/s'; it must be a number alone"),
        (network_text(bandwidth=("1_000",)), "bandwidth is '1_000'"),
        (network_text(bandwidth=("~",)), "bandwidth is '~'"),
        (network_text(bandwidth=(".inf",)), "bandwidth is '.inf'"),
        (network_text(bandwidth=(".nan",)), "bandwidth is '.nan'"),
        (network_text(bandwidth=("1e400",)), "bandwidth is inf; it must be a finite number"),
        (network_text(bandwidth=("1e300",)), "bandwidth is 1e.300; 1e-09 to 1e.15"),
        (network_text(bandwidth=(0,)), "bandwidth is 0.0; it must be greater than 0"),
        (network_text(bandwidth=(-50,)), "bandwidth is -50"),
        (network_text(latency=(-1,)), "latency is -1.0; it must be 0 or more"),
        (network_text(latency=("1:30",)), "latency is '1:30'; it must be a number alone, meant in ns"),
        (network_text(latency=("[500]",)), "line 4: 'latency' has a list or a mapping within its list"),
        (network_text(latency=("{a: 5}",)), "line 4: 'latency' has a list or a mapping within its list"),
        (network_text(npus=(8, 4)), "1 of topology, 2 of npus_count, 1 of bandwidth, 1 of latency"),
        (network_text((), (), (), ()), "has 0 dimensions; 1 to 16"),
        (network_text(*[("Ring",) * 17, (2,) * 17, (50,) * 17, (500,) * 17]), "has 17 dimensions; 1 to 16"),
        (NETWORK.replace("[ Ring ]", "Ring"), "line 1: topology is 'Ring'; it should be a list .* topology: . Ring ."),
        (NETWORK.replace("[ 8 ]", ""), "line 2: npus_count is ''; it should be a list"),
        (NETWORK.replace("[ 8 ]", "{a: 8}"), "'npus_count' is a mapping; it should be a list"),
        (NETWORK.replace("latency", "latncy"), "the key 'latency' is missing; .* There are: topology, .*latncy"),
        (NETWORK + "npus_count: [ 4 ]\n", "line 5: the key 'npus_count' is there twice; first in line 2"),
        (NETWORK.replace("[ 8 ]", "&n [ 8 ]"), "line 2: tags .*, anchors .* and aliases .* have no place"),
        (NETWORK.replace("[ 8 ]", "*n"), "line 2: tags"),
        (NETWORK.replace("[ 8 ]", "[ !!int 8 ]"), "line 2: tags"),
        (NETWORK.replace("[ 8 ]", "!!python/object/apply:os.system ['true']"), "line 2: tags"),
        ("!!python/object:os.system {}\n", "line 1: tags"),
        ("- npus_count\n", "line 1: a network file has lines such as 'key: value'"),
        ("npus_count", "line 1: a network file has lines such as 'key: value'"),
        ("{}", "has no entries"),
        ("# npus_count\n", "has no entries"),
        ("? [ npus_count ]\n: 8\n", "line 1: a list or a mapping stands where a key should be"),
        (NETWORK + "---\na: 5\n", "line 6: a network file has lines .*, and nothing else"),
        (NETWORK + "x: ]\n", "line 5: this is no YAML"),
        (NETWORK.replace(": [ 8", " [ 8"), "line 2: this is no YAML"),
        (NETWORK.replace("8 ]", "8"), "line 2: this is no YAML"),
        (NETWORK + "\tx: [ 4 ]\n", "this is no YAML"),
        ('npus_count: "\\UFFFFFFFF"', "this is no YAML"),
        ("npus_count: \x01", "this is no YAML"),
        ("npus_count: [" + "[" * 60_000, "within its list"),
        ("npus_count:\n" + "".join(" " * depth + "-\n" for depth in range(300)), "within its list"),
        ("x" * 70_000, "has over 64 KiB; a network file has a few lines"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "line 1: tags"),
    ],
)
def test_network_files_that_make_no_network(text, words):
    with says(words), warnings.catch_warnings(action="ignore"):
        parse_network_2(text, "net.yml")


def test_a_network_key_that_nobody_reads():
    with pytest.warns(
        UserWarning, match="net.yml: ASTRA-sim 2.x doesn't read the key 'link_latency'.*'latency'"
    ) as all:
        parse_network_2(NETWORK + "link_latency: [ 4 ]\n", "net.yml")
    assert {warning.filename for warning in all} == {__file__}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"endpoint-dely": 10}, "sys.json: unknown key 'endpoint-dely'; did you mean 'endpoint-delay'"),
        ({"": 10}, "unknown key ''; Allowed: scheduling-policy"),
        ({"scheduling-policy": "LILO"}, "scheduling-policy is 'LILO'; did you mean 'LIFO'"),
        ({"scheduling-policy": None}, "scheduling-policy is None; it must be a text"),
        ({"scheduling-policy": ["LIFO"]}, "scheduling-policy is .'LIFO'.; it must be a text"),
        ({"collective-optimization": "localBWaware"}, "did you mean 'localBWAware'"),
        ({"collective-optimization": True}, "collective-optimization is True; it must be a text"),
        ({"intra-dimension-scheduling": "LIFO"}, "intra-dimension-scheduling is 'LIFO'"),
        ({"inter-dimension-scheduling": 1}, "inter-dimension-scheduling is 1; it must be a text"),
        ({"endpoint-delay": -1}, "sys.json: endpoint-delay is -1; it must be a whole number, 0 or more"),
        ({"endpoint-delay": 1.5}, "endpoint-delay is 1.5; it must be a whole number"),
        ({"endpoint-delay": "10"}, "endpoint-delay is '10'; it must be a number"),
        ({"endpoint-delay": True}, "endpoint-delay is True; it must be a number"),
        ({"endpoint-delay": None}, "endpoint-delay is None; it must be a number"),
        ({"endpoint-delay": [10]}, r"endpoint-delay is \[10\]; it must be a number"),
        ({"endpoint-delay": {}}, "endpoint-delay is {}; it must be a number"),
        ({"endpoint-delay": 2**31}, "ASTRA-sim's 32 bits hold at most 2,147,483,647"),
        ({"endpoint-delay": 10**390}, "endpoint-delay is a whole number of 391 digits; ASTRA-sim's 64 bits"),
        ({"preferred-dataset-splits": 0}, "preferred-dataset-splits is 0; it must be a whole number, 1 or more"),
        ({"preferred-dataset-splits": 100_001}, "is 100001; 100,000 is the most"),
        ({"active-chunks-per-dimension": 0}, "active-chunks-per-dimension is 0; .* 1 or more"),
        ({"local-mem-bw": -1}, "local-mem-bw is -1; it must be 0 or more"),
        ({"local-mem-bw": False}, "local-mem-bw is False; it must be a number"),
        ({"local-mem-bw": ""}, "local-mem-bw is ''; it must be a number"),
        ({"local-mem-bw": None}, "local-mem-bw is None; it must be a number"),
        ({"local-mem-bw": 1e-300}, "local-mem-bw is 1e-300; 1e-09 to 1e.15 can be calculated with"),
        ({"peak-perf": 1e300}, "peak-perf is 1e.300"),
        ({"roofline-enabled": 1}, "roofline-enabled needs local-mem-bw .* and peak-perf"),
        ({"roofline-enabled": 1, "peak-perf": 0}, "roofline-enabled needs local-mem-bw"),
        ({"roofline-enabled": False}, "roofline-enabled is false; write 0 or 1. .ASTRA-sim takes all but the number 0"),
        ({"roofline-enabled": None}, "roofline-enabled is null; write 0 or 1"),
        ({"roofline-enabled": "0"}, 'roofline-enabled is "0"; write 0 or 1'),
        ({"replay-only": 2}, "replay-only is 2; write 0 or 1"),
        ({"replay-only": {"a": [1]}}, "replay-only is {.*; write 0 or 1"),
        ({"model-shared-bus": 2}, "model-shared-bus is 2; write 0 or 1"),
        ({"model-shared-bus": []}, "model-shared-bus is ..; write 0 or 1"),
        ({"L": -5}, "sys.json: L is -5; it must be a whole number, 0 or more"),
        ({"model-shared-bus": 1, "o": 2.5}, "o is 2.5; it must be a whole number"),
        ({"G": "much"}, "G is 'much'; it must be a number"),
        ({"G": 1e300}, "G is 1e.300 ns per byte"),
        ({"all-reduce-implementation": "ring"}, "all-reduce-implementation is 'ring'; it should be a list with a name"),
        ({"all-reduce-implementation": []}, "all-reduce-implementation is ..; it should be a list"),
        ({"all-reduce-implementation": [1]}, "all-reduce-implementation is .1.; it should be a list"),
        ({"all-reduce-implementation": {"0": "ring"}}, "it should be a list with a name a dimension"),
        ({"all-reduce-implementation": ["rung"]}, "all-reduce-implementation is 'rung'; did you mean 'ring'"),
        ({"all-gather-implementation": ["ring4"]}, "only direct takes a window"),
        ({"all-gather-implementation": ["direct0"]}, "the window is 0; it must be a whole number, 1 or more"),
        ({"all-reduce-implementation-custom": "x"}, "should be a list with one prefix of trace files"),
        ({"all-reduce-implementation-custom": ["x", "y"]}, "should be a list with one prefix of trace files"),
        ({"all-reduce-implementation-custom": [5]}, "all-reduce-implementation-custom is 5; it should name files"),
        ({"all-reduce-implementation-custom": [""]}, "it should name files"),
        ({"all-reduce-implementation-custom": ["no/where"]}, "sys.json: no/where: there are no execution traces"),
        ({"all-reduce-implementation-custom": ["\0"]}, "sys.json: .*is no path: there is a zero byte"),
        ({"per-node-custom-implementation": ["x"]}, "per-node-custom-implementation is .'x'.; it should name files"),
        ({"per-node-custom-implementation": "no/where"}, "sys.json: no/where: no such file; a file of custom coll"),
    ],
)
def test_system_files_that_make_no_system(changes, words):
    with says(words), warnings.catch_warnings(action="ignore"):
        read_system(changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "sys.json: a JSON object is expected"),
        ("5", "a JSON object is expected"),
        ("{", "sys.json, line 1, column 2: no JSON"),
        ('{"endpoint-delay": 010}', "sys.json, line 1, column 21: no JSON"),
        ('{\n"endpoint-delay": 1,\n"endpoint-delay": 2}', "the key 'endpoint-delay' is there twice"),
        ('{"L": {"a": 1, "a": 2}}', "the key 'a' is there twice"),
        ('{"endpoint-delay": NaN}', "NaN is no number in JSON"),
        ('{"endpoint-delay": -Infinity}', "-Infinity is no number in JSON"),
        ('{"preferred-dataset-splits": 4, "endpoint-delay": 1e400}', "endpoint-delay is inf; it must be a finite"),
        ('{"endpoint-delay": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
        ('{"L": ' + "[" * 200_000, "nested deeper"),
        ('{"L": "' + "x" * 2**20 + '"}', "has over 1 MiB"),
        ('{"endpoint-delay": 10}', "the key 'preferred-dataset-splits' is missing.* ASTRA-sim divides by it"),
    ],
)
def test_texts_that_are_no_system_file(text, words):
    with says(words):
        parse_system_2(text, "sys.json", CustomTraces("sys.json"))


@pytest.mark.parametrize(
    ("changes", "without", "words"),
    [
        ({}, ["scheduling-policy"], "scheduling-policy is missing; .* LIFO is taken"),
        ({}, ["collective-optimization"], "collective-optimization is missing; .* baseline is taken"),
        ({"intra-dimension-scheduling": "FIFO"}, [], "no release of ASTRA-sim 2.x reads intra-dimension-scheduling"),
        ({"inter-dimension-scheduling": "themis"}, [], "no release of ASTRA-sim 2.x reads inter-dimension-scheduling"),
        ({"endpoint-delay": 0}, [], "the endpoint delay is 0 ns. ASTRA-sim stops"),
    ],
)
def test_what_is_worth_a_warning(changes, without, words):
    with pytest.warns(UserWarning, match=f"sys.json: .*{words}") as all:
        read_system(changes, without)
    assert {warning.filename for warning in all} == {__file__}


def test_good_files_give_no_warning(tmp_path):
    with warnings.catch_warnings(action="error"):
        ae.load_astra_sim(**write(tmp_path))
        read_system(without=["all-reduce-implementation", "collective-optimization"])


@pytest.mark.parametrize("scale", [-1, float("nan"), float("inf"), "2", None, True])
@pytest.mark.parametrize("without", [(), ("endpoint-delay",)])
def test_injection_scales_that_are_none(scale, without):
    with says("injection_scale is"):
        read_system(without=without, scale=scale)


def test_an_injection_scale_beyond_32_bits():
    with says("endpoint-delay times injection_scale is 1e.301 ns; 2,147,483,647 is the most"):
        read_system(scale=1e300)
    with pytest.warns(UserWarning, match="the endpoint delay is 0 ns"):
        assert read_system({"endpoint-delay": 0}, scale=1e300).endpoint_delay == 0


@pytest.mark.parametrize(
    ("values", "memory"),
    [
        (NO_MEMORY, RemoteMemory()),
        (NO_MEMORY | {"remote-mem-bw": 0}, RemoteMemory()),
        (
            {"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 5, "remote-mem-bw": 512},
            RemoteMemory("PER_NPU_MEMORY_EXPANSION", 5, 512),
        ),
        ({"memory-type": "MEMORY_POOL", "remote-mem-bw": 512.0, "num-nodes": 0}, RemoteMemory("MEMORY_POOL", 0, 512)),
        (
            {
                "memory-type": "PER_NODE_MEMORY_EXPANSION",
                "remote-mem-latency": 5,
                "remote-mem-bw": 128,
                "num-nodes": 2,
                "num-npus-per-node": 4,
            },
            RemoteMemory("PER_NODE_MEMORY_EXPANSION", 5, 128, 4),
        ),
    ],
)
def test_kinds_of_remote_memory(values, memory, tmp_path):
    assert ae.load_astra_sim(**write(tmp_path, memory=values)).memory == memory


POOL = {"memory-type": "MEMORY_POOL", "remote-mem-latency": 5, "remote-mem-bw": 128}
PER_NODE = POOL | {"memory-type": "PER_NODE_MEMORY_EXPANSION", "num-nodes": 2, "num-npus-per-node": 4}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "mem.json: the key 'memory-type' is missing; there are NO_MEMORY_EXPANSION"),
        ({"memory-type": "NO_MEMORY"}, "memory-type is 'NO_MEMORY'; did you mean 'NO_MEMORY_EXPANSION'"),
        ({"memory-type": None}, "memory-type is None"),
        ({"memory-type": ["MEMORY_POOL"]}, "memory-type is .'MEMORY_POOL'."),
        ({"memory-typ": "MEMORY_POOL"}, "unknown key 'memory-typ'; did you mean 'memory-type'"),
        ({"memory-type": "MEMORY_POOL"}, "the key 'remote-mem-bw' is missing; MEMORY_POOL needs remote-mem-bw"),
        (POOL | {"remote-mem-bw": 0}, "remote-mem-bw is 0; it must be a whole number, 1 or more"),
        (POOL | {"remote-mem-bw": 0.5}, "remote-mem-bw is 0.5; it must be a whole number"),
        (POOL | {"remote-mem-bw": -1}, "remote-mem-bw is -1"),
        (POOL | {"remote-mem-bw": True}, "remote-mem-bw is True; it must be a number"),
        (POOL | {"remote-mem-bw": 2**64}, "64 bits hold at most 18,446,744,073,709,551,615"),
        (POOL | {"remote-mem-latency": -1}, "remote-mem-latency is -1; it must be a whole number, 0 or more"),
        (POOL | {"remote-mem-latency": "5"}, "remote-mem-latency is '5'; it must be a number"),
        (NO_MEMORY | {"remote-mem-bw": "fast"}, "remote-mem-bw is 'fast'; it must be a number"),
        (POOL | {"memory-type": "PER_NODE_MEMORY_EXPANSION"}, "'num-nodes' is missing; .*num-npus-per-node"),
        (PER_NODE | {"num-nodes": 0}, "num-nodes is 0; it must be a whole number, 1 or more"),
        (PER_NODE | {"num-npus-per-node": 0}, "num-npus-per-node is 0; it must be a whole number, 1 or more"),
        (PER_NODE | {"num-nodes": 1}, "num-nodes is 1 and num-npus-per-node 4; these nodes hold 4 of the .* 8 NPUs"),
    ],
)
def test_memory_files_that_make_no_memory(values, words):
    with says(words):
        parse_memory(json.dumps(values), "mem.json", npus=8)


ONE = {
    "network": json.dumps({"dimensions-count": 1, "units-count": [8]}),
    "system": "scheduling-policy: LIFO\nendpoint-delay: 10\n",
}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"network": ONE["network"]}, "network.yml is a network file of ASTRA-sim 1.0, and .* a system file of .*2.x"),
        ({"system": ONE["system"]}, "network.yml is a network file of ASTRA-sim 2.x, and .* a system file of .*1.0"),
        ({"network": SYSTEM, "system": NETWORK}, "network.yml is a system file .*2.x, and .* a network file .*2.x"),
        ({"network": NO_MEMORY}, "network.yml is a remote memory file"),
        ({"system": NO_MEMORY}, "system.json is a remote memory file"),
        ({"network": SYSTEM}, "network.yml is a system file of ASTRA-sim 2.x, and .*system.json is a system file"),
        ({"system": "{}"}, "system.json: the key 'preferred-dataset-splits' is missing"),
        ({"system": "[]"}, "system.json: a JSON object is expected"),
        ({"network": "bandwidth: [ 50 ]"}, "network.yml: the key 'topology' is missing"),
        ({"memory": SYSTEM}, "memory.json: unknown key 'scheduling-policy'"),
        ({"memory": ""}, "memory.json is empty"),
        ({"network": network_text(("Ring",) * 2, (300, 300), (5,) * 2, (5,) * 2)}, "network.yml: the network has 90,0"),
    ],
)
def test_files_that_do_not_go_together(files, words, tmp_path):
    with says(words):
        ae.load_astra_sim(**write(tmp_path, **files))


def test_the_same_file_twice(tmp_path):
    path = write(tmp_path)["system"]
    with says("system.json is a system file of ASTRA-sim 2.x, and .*system.json is a system file"):
        ae.load_astra_sim(path, path)


def test_version_1_knows_no_memory(tmp_path):
    ae.save_astra_sim(ae.preset("ring"), tmp_path / "n.json", tmp_path / "s.txt")
    with says("is for ASTRA-sim 1.0, which knows neither remote memory nor congestion"):
        ae.load_astra_sim(tmp_path / "n.json", tmp_path / "s.txt", congestion_aware=True)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"congestion_aware": "yes"}, "congestion_aware is 'yes'; it must be True or False"),
        ({"rendezvous_protocol": 1}, "rendezvous_protocol is 1; it must be True or False"),
        ({"num_queues_per_dim": 0}, "num_queues_per_dim is 0"),
        ({"num_queues_per_dim": 2**20}, "num_queues_per_dim is 1048576; 10,000 is the most"),
    ],
)
def test_options_that_are_none(option, words, tmp_path):
    with says(words):
        ae.load_astra_sim(**write(tmp_path), **option)


TORUS = network_text(("Ring",) * 2, (4, 2), (50, 50), (500, 500))


def test_fewer_implementations_than_dimensions(tmp_path):
    paths = write(tmp_path, network=TORUS, system=SYSTEM | {"all-gather-implementation": ["ring", "ring"]})
    words = "all-reduce-implementation .1., .*have fewer entries than the 2 dimensions .*first dimensions only"
    with pytest.warns(UserWarning, match=words) as all:
        platform = ae.load_astra_sim(**paths)
    assert "all-gather" not in str(all[0].message)
    assert {warning.filename for warning in all} == {__file__}
    alone = ae.load_astra_sim(**write(tmp_path, network=network_text(npus=(4,))))
    both = [(platform, 8), (alone, 4)]
    times = [ae.simulate(ae.traces.collective("all_reduce", bytes=2**20, npus=n), p).total_ns for p, n in both]
    assert times[0] == times[1]
    flat = {key: ["oneRing"] for key in SYSTEM if key.endswith("-implementation")}
    with warnings.catch_warnings(action="error"):
        ae.load_astra_sim(**write(tmp_path, network=TORUS, system=SYSTEM | flat))


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (["ring"] * 2, "the network has 1 dimensions, but all-gather-implementation has 2 entries: .'ring', 'ring'."),
        (["ring", "oneRing"], "one with 'one' in front takes all NPUs at once and must come first"),
    ],
)
def test_more_implementations_than_dimensions(listed, words, tmp_path):
    with says(f"system.json and .*network.yml: .*{words}"):
        ae.load_astra_sim(**write(tmp_path, system=SYSTEM | {"all-gather-implementation": listed}))


def ring_all_reduce(npus, size, reduce_micros):
    """Every NPU's part of a ring all-reduce: each send is followed by a receive and, half of the way, a reduction."""

    def nodes(npu):
        listed = []

        def add(kind, **values):
            before = [len(listed) - 1] if listed else []
            listed.append({"id": len(listed), "type": kind, "data_deps": before, **values})

        for step in range(2 * (npus - 1)):
            message = {"comm_size": size // npus, "comm_tag": 0}
            add("COMM_SEND_NODE", attr=message | {"comm_dst": (npu + 1) % npus})
            add("COMM_RECV_NODE", attr=message | {"comm_src": (npu - 1) % npus})
            if step < npus - 1:
                add("COMP_NODE", duration_micros=reduce_micros)
        return listed

    return ae.traces.from_nodes([nodes(npu) for npu in range(npus)])


CUSTOM = {"scheduling-policy": "FIFO", "preferred-dataset-splits": 1, "local-mem-bw": 50}


@pytest.mark.parametrize("congestion_aware", [False, True])
def test_a_custom_ring_all_reduce(congestion_aware, tmp_path, monkeypatch):
    """The figure is that of ASTRA-sim 2.x's example, which does the same: 14 messages and 7 reductions of 7 µs."""
    save_trace(ring_all_reduce(8, 2**20, 7), tmp_path / "custom" / "ring")
    system = CUSTOM | {"all-reduce-implementation-custom": ["custom/ring"]}
    paths = write(tmp_path, system=system)
    trace = ae.traces.collective("all_reduce", bytes=2**20, npus=8)
    assert ae.simulate(trace, ae.load_astra_sim(**paths, congestion_aware=congestion_aware)).finish_ns == (90_174,) * 8
    message = int(500 + 2**17 / (50 * 2**30 / 1e9))
    assert 14 * message + 7 * 7000 == 90_174

    elsewhere = tmp_path / "a" / "b"
    elsewhere.mkdir(parents=True)
    paths = write(elsewhere, system=system)
    found_above = ae.load_astra_sim(**paths).system.custom[Collective.ALL_REDUCE]
    assert found_above.npus == 8
    save_trace(ring_all_reduce(4, 2**20, 7), tmp_path / "run" / "custom" / "ring")
    monkeypatch.chdir(tmp_path / "run")
    found_here = ae.load_astra_sim(**paths).system.custom[Collective.ALL_REDUCE]
    assert found_here.npus == 4
    with says("custom collective is for 4 NPUs; it is used by 8"):
        ae.simulate(trace, ae.load_astra_sim(**paths))


@pytest.mark.parametrize("congestion_aware", [False, True])
def test_custom_collectives_of_single_nodes(congestion_aware, tmp_path):
    """ASTRA-sim 2.x's own answer for native, custom, native all-reduces one after the other."""
    save_trace(ring_all_reduce(8, 2**20, 7), tmp_path / "ring")
    (tmp_path / "nodes.yml").write_text("2: ring\n7: ring\n")
    more = {"preferred-dataset-splits": 1, "per-node-custom-implementation": "nodes.yml"}
    platform = ae.load_astra_sim(**write(tmp_path, system=SYSTEM | more), congestion_aware=congestion_aware)
    assert list(platform.system.custom_nodes) == [2, 7]
    assert platform.system.custom_nodes[2] is platform.system.custom_nodes[7]

    def node(number, *parents):
        attributes = {"comm_type": 0, "comm_size": 2**20}
        return {"id": number, "type": "COMM_COLL_NODE", "data_deps": list(parents), "attr": attributes}

    trace = ae.traces.from_nodes([[node(1), node(2, 1), node(3, 2)]] * 8)
    assert ae.simulate(trace, platform).finish_ns == (282_904,) * 8


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: ring\n", "nodes.yml, line 1: 'x' is no node's number; a whole one of 0 or more"),
        ("-1: ring\n", "'-1' is no node's number"),
        ("010: ring\n", "'010' is no node's number"),
        ("1: ring\n+1: ring\n", "line 2: node 1 is there twice"),
        ("1: ring\n1: ring\n", "line 2: the key '1' is there twice"),
        ("1: [ring]\n", "node 1 has .'ring'.; it should have one prefix"),
        ("1:\n", "node 1 has ''; it should have one prefix"),
        ("1: {a: ring}\n", "'1' is a mapping"),
        ("- ring\n", "line 1: a file of node: prefix has lines such as 'key: value'"),
        ("1: !!python/name:os.system ring\n", "line 1: tags"),
        ("1: nowhere\n", "nowhere is no prefix of execution traces"),
    ],
)
def test_files_of_custom_nodes_that_are_none(text, words, tmp_path):
    (tmp_path / "nodes.yml").write_text(text)
    save_trace(ring_all_reduce(2, 64, 1), tmp_path / "ring")
    paths = write(tmp_path, system=CUSTOM | {"per-node-custom-implementation": "nodes.yml"})
    with says(f"system.json: .*{words}"):
        ae.load_astra_sim(**paths)


def test_a_custom_collective_is_sent_in_one_piece(tmp_path):
    save_trace(ring_all_reduce(8, 2**20, 7), tmp_path / "ring")
    with says("preferred-dataset-splits is 4; with custom collectives it must be 1"):
        ae.load_astra_sim(**write(tmp_path, system=SYSTEM | {"all-reduce-implementation-custom": ["ring"]}))


def test_a_system_without_settings_is_the_default():
    assert parse_system_2(format_system_2(TraceSystem()), "sys.json", CustomTraces("sys.json")) == TraceSystem()
