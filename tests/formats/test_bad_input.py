"""Every wrong value is an error that says what is wrong, where, and what would be right."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PAIRS

import astra_edu as ae
from astra_edu.base.units import format_bytes, format_ns, parse_bytes
from astra_edu.formats import (
    format_network,
    format_system,
    format_workload,
    parse_graph,
    parse_network,
    parse_network_2,
    parse_system,
    parse_workload,
)

RING = {
    "dimensions-count": 1,
    "topologies-per-dim": ["Ring"],
    "units-count": [8],
    "links-count": [2],
    "link-latency": [500],
    "link-bandwidth": [50],
}
SYSTEM = """scheduling-policy: LIFO
endpoint-delay: 10
active-chunks-per-dimension: 1
preferred-dataset-splits: 4
boost-mode: 1
all-reduce-implementation: ring
all-gather-implementation: ring
reduce-scatter-implementation: ring
all-to-all-implementation: direct
collective-optimization: localBWAware
"""
MICRO = "MICRO\r\n1\r\nallreduce -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 1048576 1\r\n"


def says(words):
    return pytest.raises(ae.ConfigError, match=words)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ae.schedule("all-reduce", "ring", 1), r"npus is 1; it must be a whole number, 2 or more"),
        (lambda: ae.schedule("all-reduce", "ring", -3), "npus is -3"),
        (lambda: ae.schedule("all-reduce", "ring", 2.5), "npus is 2.5"),
        (lambda: ae.schedule("all-reduce", "ring", "8"), "npus is '8'; it must be a number"),
        (lambda: ae.schedule("all-reduce", "ring", math.nan), "npus is nan; it must be a finite number"),
        (lambda: ae.schedule("all-reduce", "ring", True), "npus is True"),
        (lambda: ae.schedule("allreduce", "ring", 8), "did you mean 'all-reduce'"),
        (lambda: ae.schedule("all-reduce", "rings", 8), "did you mean 'ring'"),
        (lambda: ae.schedule("all-reduce", None, 8), "algorithm is None; .*Allowed: ring"),
        (lambda: ae.schedule("all-reduce", "halving-doubling", 12), "12 NPUs is none. The nearest that work: 8 and 16"),
        (lambda: ae.schedule("all-to-all", "halving-doubling", 8), "For all-to-all take: ring, direct"),
        (lambda: ae.schedule("broadcast", "ring", 4, root=4), "root is 4; NPUs are 0 to 3"),
        (lambda: ae.schedule("all-reduce", "ring", 4, root=1), "has no root"),
        (lambda: ae.hierarchical("all-reduce", "ring", [2] * 5), "1 to 4 dimensions"),
        (lambda: ae.hierarchical("all-reduce", ["ring"], [2, 2]), "1 algorithms for 2 dimensions"),
        (lambda: ae.hierarchical("broadcast", "ring", [2, 2]), "no multi-phase form"),
        (lambda: ae.hierarchical("all-reduce", "halving-doubling", [2, 6]), "nearest that work: 4 and 8"),
        (lambda: ae.Dimension.of("Ring", 8, -5, 500), "bandwidth is -5; it must be greater than 0"),
        (lambda: ae.Dimension.of("Ring", 8, math.nan, 500), "bandwidth is nan"),
        (lambda: ae.Dimension.of("Ring", 8, math.inf, 500), "bandwidth is inf"),
        (lambda: ae.Dimension.of("Ring", 8, 50, -1), "latency is -1; it must be 0 or more"),
        (lambda: ae.Dimension.of("ring", 8, 50, 1), "did you mean 'Ring'"),
        (lambda: ae.Dimension("FullyConnected", 8, 3, 50, 1), "needs at least 7 links per NPU"),
        (lambda: ae.Dimension("Ring", 8, 1, 50, 1), "needs at least 2 links"),
        (lambda: ae.Block("Ring", 1, 50, 500), "^npus is 1; it must be a whole number, 2 or more"),  # not npus_count
        (lambda: ae.SystemConfig.of("rings"), "did you mean 'ring'"),
        (lambda: ae.SystemConfig.of("in_switch"), "'in_switch'; did you mean 'in-switch'\\? Underscores"),
        (lambda: ae.SystemConfig.of("ring_double_binary_tree"), "did you mean 'ring_double-binary-tree'"),
        (lambda: ae.preset(None), "preset is None; Allowed"),  # it was held to mean Zion
        (lambda: ae.SystemConfig.of("ring4"), "only direct takes a window"),
        (lambda: ae.SystemConfig.of("direct0"), "window is 0"),
        (lambda: ae.SystemConfig.of("ring", splits=0), "preferred-dataset-splits is 0"),
        (lambda: ae.SystemConfig.of("ring", scheduling="lifo"), "did you mean 'LIFO'"),
        (lambda: ae.SystemConfig.of("doubleBinaryTree4"), "only direct takes a window"),
        (lambda: ae.SystemConfig.of("doubleTree"), "did you mean 'doubleBinaryTree'"),
        (lambda: ae.SystemConfig.of("ring", queues=0), "num_queues_per_dim is 0"),
        (lambda: ae.SystemConfig.of("ring", rendezvous=1), "rendezvous is 1; it must be True or False"),
        (lambda: ae.preset("dgx"), "preset is 'dgx'; did you mean 'dgx2'"),
        (lambda: ae.Workload("MICRO", ()), "needs one layer or more"),
        (lambda: ae.SystemConfig.of("direct" + "9" * 5000), "all-reduce|implementation"),
        (lambda: ae.SystemConfig((), (), (), ()), "give an Implementation for each dimension"),
        (lambda: ae.SystemConfig.of("ring").with_injection_scale(math.nan), "injection_scale is nan"),
        (lambda: ae.SystemConfig.of("ring").with_injection_scale(1e300), "32-bit floats"),
        (lambda: ae.Platform([], ae.SystemConfig.of("ring")), "give one Dimension or several"),
        (lambda: ae.Platform(5, ae.SystemConfig.of("ring")), "give one Dimension or several"),
        (lambda: ae.time_schedule(ae.schedule("all-reduce", "ring", 8), 5, 8), "network is 5"),
        (
            lambda: ae.time_schedule(ae.schedule("all-reduce", "ring", 8), ae.Dimension.of("Ring", 8, 1, 1), 8, 1.5),
            "endpoint_delay is 1.5",
        ),
        (lambda: ae.hierarchical("all-reduce", 3, (2, 2)), "algorithms is 3"),
        (lambda: ae.Platform(["Ring"], ae.SystemConfig.of("ring")), "give one Dimension or several"),
        (lambda: ae.Platform(ae.Dimension.of("Ring", 4, 1, 1), "ring"), "give a SystemConfig"),
        (lambda: ae.hierarchical("all-reduce", "ring", 4), "dims is 4"),
        (lambda: ae.Workload.micro("all-reduce", 8, update_ns=1.5), "update time of layer all-reduce in ns is 1.5"),
        (lambda: format_workload(ae.Workload.micro("broadcast", 8)), "has no word for broadcast"),
        (lambda: ae.save_workload(ae.Workload.micro("all-reduce", 8), "/dev/null/x"), "can't be written"),
        (lambda: ae.load_workload("x" * 5000), "is no path"),
        (lambda: parse_workload(MICRO.replace("1048576", "9" * 5000)), "more than ASTRA-sim's 64 bits"),
        (lambda: parse_workload(MICRO, comm_scale=1e30), "more than ASTRA-sim's 64 bits"),
        (lambda: parse_network(json.dumps(RING).replace("500", "9" * 5000)), "a number of 5,000 digits"),
        (lambda: ae.Workload.micro("allreduce", 1), "did you mean 'all-reduce'"),
        (lambda: ae.counts(ae.schedule("all-reduce", "ring", 4), -1), "buffer_bytes is -1"),
        (lambda: parse_bytes("3 MBytes"), "size is '3 MBytes'"),
        (lambda: parse_bytes("1.5"), "a byte can't be divided"),
        (lambda: parse_bytes(-1), "size in bytes is -1"),
    ],
)
def test_values(make, words):
    with says(words):
        make()


@pytest.mark.parametrize(("collective", "algorithm"), PAIRS)
def test_one_npu_is_no_collective(collective, algorithm):
    with says("2 or more"):
        ae.schedule(collective, algorithm, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"link-bandwith": [50]}, "did you mean 'link-bandwidth'"),
        ({"link-bandwidth": None}, "link-bandwidth is None; it must be a list"),
        ({"link-bandwidth": [50, 50]}, "link-bandwidth has 2 entries for dimensions-count = 1"),
        ({"link-bandwidth": ["fast"]}, "net.json, dimension 0: link-bandwidth is 'fast'; it must be a number"),
        ({"link-bandwidth": [-5]}, "link-bandwidth is -5"),
        ({"units-count": [0]}, "units-count is 0"),
        ({"units-count": [8, 4]}, "units-count has 2 entries for dimensions-count = 1"),
        ({"link-bandwidth": [1e300]}, "link-bandwidth is 1e.300; 1e-09 to 1e.15 can be calculated with"),
        ({"link-bandwidth": [1e-300]}, "dimension 0: link-bandwidth is 1e-300"),
        ({"link-latency": [1e300]}, "dimension 0: link-latency is 1e.300"),
        ({"topologies-per-dim": ["Star"]}, "Allowed: Ring, FullyConnected, Switch"),
        ({"dimensions-count": 2}, "has 1 entries for dimensions-count = 2"),
        ({"dimensions-count": 0}, "dimensions-count is 0"),
        ({"topology-name": "Flat"}, "only 'Hierarchical' exists"),
    ],
)
def test_network_files(change, words):
    with says(words):
        parse_network(json.dumps(RING | change), "net.json")


@pytest.mark.parametrize("key", [key for key in RING if key != "dimensions-count"])
def test_missing_network_keys(key):
    with says(f"the key '{key}' is missing"):
        parse_network(json.dumps({k: v for k, v in RING.items() if k != key}))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "net.json, line 1, column 2: no JSON"),
        ("[1]", "a JSON object is expected"),
        ("[" * 100_000, "nested deeper"),
        ('{"units-count": [8], "units-count": [4]}', "'units-count' is there twice"),
    ],
)
def test_network_files_that_are_no_network(text, words):
    with says(words):
        parse_network(text, "net.json")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("scheduling-policy: LIFO", "scheduling-policy: LILO", "scheduling-policy is 'LILO'; did you mean 'LIFO'"),
        ("scheduling-policy: LIFO", "", "the key 'scheduling-policy' is missing"),
        ("endpoint-delay: 10", "endpoint-delay: ten", "endpoint-delay is 'ten'; it must be a whole number"),
        ("endpoint-delay: 10", "endpoint-delay: 1_0", "endpoint-delay is '1_0'; it must be a whole number"),
        ("endpoint-delay: 10", "endpoint-delay: " + "9" * 5000, "it must be a whole number"),
        ("endpoint-delay: 10", "endpoint-delay: -1", "endpoint-delay is -1"),
        ("endpoint-delay: 10", "endpoint-dely: 10", "unknown key 'endpoint-dely'; did you mean 'endpoint-delay'"),
        ("endpoint-delay: 10", "endpoint-delay: 10 ns", "'ns' stands where a key with a colon is expected"),
        ("endpoint-delay: 10", "endpoint-delay: 1\nendpoint-delay: 2", "is there twice"),
        (
            "dataset-splits: 4",
            "dataset-splits: 0",
            "preferred-dataset-splits is 0; it must be a whole number, 1 or more",
        ),
        ("dataset-splits: 4", "dataset-splits: 1000000000", "is 1000000000; 100,000 is the most"),
        ("boost-mode: 1", "model-shared-bus: 2", "model-shared-bus is '2'; .*Allowed: 0, 1"),
        ("boost-mode: 1", "boost-mode: yes", "boost-mode is 'yes'"),
        ("boost-mode: 1", "model-shared-bus: 1\nL: -5", "sys.txt: L is -5; it must be a whole number, 0 or more"),
        ("boost-mode: 1", "model-shared-bus: 1\nG: much", "G is 'much'; it must be a number of ns per byte"),
        ("boost-mode: 1", "model-shared-bus: 1\nG: nan", "sys.txt: G is nan; it must be a finite number"),
        ("all-reduce-implementation: ring", "all-reduce-implementation: rung", "did you mean 'ring'"),
        ("collective-optimization: localBWAware\n", "collective-optimization:", "has no value"),
    ],
)
def test_system_files(old, new, words):
    with says(words):
        parse_system(SYSTEM.replace(old, new), "sys.txt")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("MACRO\n1\n", "training loop is 'MACRO'; did you mean 'MICRO'"),
        ("MICRO\n", "number of layers is ''"),
        ("MICRO\n2\n" + MICRO.splitlines()[2], "says 2 layers, but 1 lines"),
        (
            MICRO.replace("ALLREDUCE", "ALREDUCE"),
            r"layer 0 \(allreduce\), weight gradient: the collective is 'ALREDUCE'; did",
        ),
        (MICRO.replace("1048576", "1e6"), "the size is '1e6'"),
        (MICRO.replace("1048576", "-5"), "the size is '-5'"),
        (MICRO.replace("1048576", "9" * 30), "more than ASTRA-sim's 64 bits"),
        (MICRO.replace("1048576 1", "1048576"), "has 11 columns; it needs 12"),
        (MICRO.replace("-1", "x", 1), r"layer 0 \(allreduce\): the dependency is 'x'; it must be a whole number"),
        (MICRO.replace("-1", "-", 1), "the dependency is '-'; it must be a whole number, usually -1"),
        (MICRO + MICRO.splitlines()[2], "says 1 layers, but 2 lines"),
        (MICRO.replace("\r\n1\r\n", "\r\n0\r\n"), "says 0 layers"),
        (MICRO.replace("MICRO", "HYBRID_CUSTOMIZED"), "has 12 columns; it needs 13"),
    ],
)
def test_workload_files(text, words):
    with says(words):
        parse_workload(text, name="work.txt")


@pytest.mark.parametrize("scale", [0, -1, math.nan, "2"])
def test_scales(scale):
    with says("comm_scale is"):
        parse_workload(MICRO, comm_scale=scale)


def test_files_that_are_not_there_or_not_text(tmp_path):
    system = tmp_path / "system.txt"
    system.write_text(SYSTEM)
    (tmp_path / "empty").write_text(" \n")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "zeros").write_bytes(bytes(100))
    for name, words in [
        ("nowhere.json", r"no such file; a network file is expected.*system.txt"),
        ("no/where.json", "Nor is its folder there"),
        (".", "is a folder"),
        ("empty", "is empty"),
        ("binary", "is not a text file"),
        ("zeros", "is not a text file"),
    ]:
        with says(words):
            ae.load_astra_sim(tmp_path / name, system)
        with says(words.replace("a network file", "a workload file")):
            ae.load_workload(tmp_path / name)


WORK = "{}\n1\nlayer -1 9 ALLREDUCE 4096 9 ALLREDUCE 4096 9 ALLREDUCE 4096 1{}\n"
CHECKPOINTED = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: "


def work(first_line, rest=""):
    return parse_workload(WORK.format(first_line, rest))


def ring_of_8():
    return ae.Platform(parse_network(json.dumps(RING)), parse_system(SYSTEM))


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (ae.Workload.micro("all-reduce", 3), "can't be cut into preferred-dataset-splits = 4"),
        (ae.Workload.micro("broadcast", 100), "has no implementation for broadcast"),
        (work("HYBRID_TRANSFORMER"), "the word 'model_parallel_NPU_group:' is missing"),
        (work("HYBRID_TRANSFORMER model_parallel_NPU_group: 0"), "model_parallel_NPU_group is 0"),
        (work("HYBRID_TRANSFORMER model_parallel_NPU_group: 3"), "is 3; it must divide the 8 NPUs of the network"),
        (work("HYBRID_TRANSFORMER model_parallel_NPU_group: 16"), "is 16; it must divide the 8 NPUs of the network"),
        (work("HYBRID_TRANSFORMER model_parallel_NPU_group: half"), "model_parallel_NPU_group is 'half'"),
        (work(CHECKPOINTED + "2 checkpoints: 1 5 checkpoint_initiates: 0"), "a checkpoint is 5; .* layers 0 to 0"),
        (work(CHECKPOINTED + "2 checkpoints: 1 0"), "the word 'checkpoint_initiates:' is missing"),
        (work(CHECKPOINTED + "2 checkpoints: 0 checkpoint_initiates: 1 0"), "no checkpoint comes before it"),
        (work("HYBRID_DLRM"), "the last bottom layer is ''; the first line must be like 'HYBRID_DLRM 3'"),
        (work("HYBRID_DLRM 1"), "the last bottom layer is 1; there are only layers 0 to 0"),
        (work("HYBRID_CUSTOMIZED", " DATTA"), "parallelism of layer layer is 'DATTA'; did you mean 'DATA'"),
        (work("DATA 4"), "'4' in the first line means nothing"),
    ],
)
def test_what_can_not_be_simulated(work, words):
    with says(words):
        ae.simulate(work, ring_of_8())


@pytest.mark.parametrize("phase", ["forward", "input gradient", "weight gradient"])
def test_collectives_of_0_bytes_are_warned_of(phase):
    sizes = [0 if phase == other else 4096 for other in ("forward", "input gradient", "weight gradient")]
    text = "HYBRID_DATA_MODEL\n1\nsoftmax -1 9 ALLREDUCE {} 9 ALLREDUCE {} 9 ALLREDUCE {} 1\n".format(*sizes)
    with pytest.warns(UserWarning, match=f"layer softmax: the all-reduce of its {phase} has 0 bytes"):
        assert ae.simulate(parse_workload(text), ring_of_8()).total_ns > 0


def test_a_workload_that_does_nothing_is_not_an_answer_of_0():
    nothing = pytest.warns(UserWarning, match="layer all-reduce: .* has 0 bytes")
    with nothing, says("this workload does nothing: its loop, MICRO, finds no compute time"):
        ae.simulate(ae.Workload.micro("all-reduce", 0), ring_of_8())


def test_a_loop_that_waits_for_ever_is_named_with_what_it_waits_for(monkeypatch):
    def forgets_to_trigger(npu):
        yield from npu.compute(npu.layers[0].forward)
        npu.issue(npu.layers[0].weight_gradient)
        yield npu.clock.env.event()

    def waits_for_what_was_never_issued(npu):
        yield from npu.compute(npu.layers[0].forward)
        task = npu.layers[0].input_gradient
        task.in_flight += 1
        yield from npu.wait(task)

    monkeypatch.setitem(ae.LOOPS, "FORGETS", forgets_to_trigger)
    monkeypatch.setitem(ae.LOOPS, "NEVER_ISSUED", waits_for_what_was_never_issued)
    with says("the training loop waits for ever: at .* ns it waits for its own event; on the network there is nothing"):
        ae.simulate(work("FORGETS"), ring_of_8())
    with says("the training loop waits for ever: at 9 ns it waits for the input gradient of layer layer"):
        ae.simulate(work("NEVER_ISSUED"), ring_of_8())


def test_platforms_that_can_not_be_simulated():
    all_reduce = ae.Workload.micro("all-reduce", 100)
    rings = (ae.Dimension.of("Ring", 4, 50, 1),) * 2
    with says(r"has 2 dimensions, but all-reduce has 1 implementations \(ring\); give one a dimension"):
        ae.simulate(all_reduce, ae.Platform(rings, ae.SystemConfig.of("ring")))
    with says(r"has 2 dimensions, but all-reduce has 3 implementations \(ring_ring_ring\); give one a dimension"):
        ae.simulate(all_reduce, ae.Platform(rings, ae.SystemConfig.of("ring_ring_ring")))
    with says("an implementation with 'one' in front takes all NPUs at once and must come first"):
        ae.simulate(all_reduce, ae.Platform(rings, ae.SystemConfig.of("ring_oneRing")))
    with says("takes what ae.load_workload.* in this order; it got Platform and Workload"):
        ae.simulate(ring_of_8(), all_reduce)
    odd = ae.Platform((ae.Dimension.of("Switch", 6, 50, 1),), ae.SystemConfig.of("halvingDoubling"))
    with says("nearest that work: 4 and 8"):
        ae.simulate(all_reduce, odd)
    with says("passes is 0"):
        ae.simulate(all_reduce, odd, passes=0)
    trees = ae.Platform((ae.Dimension.of("Switch", 6, 50, 1),), ae.SystemConfig.of("doubleBinaryTree"))
    with says("needs a power of two of NPUs; 6 is none, 8 is"):
        ae.simulate(all_reduce, trees)
    one = ae.Platform((ae.Dimension("Switch", 1, 1, 50, 1),), ae.SystemConfig.of("ring"))
    with says("no collective that runs over a dimension of more than 1 NPU"):
        ae.simulate(all_reduce, one)


def test_a_group_that_does_not_fit_the_dimensions_is_warned_of():
    network = (ae.Dimension.of("Ring", 6, 50, 1), ae.Dimension.of("Ring", 2, 50, 1))
    platform = ae.Platform(network, ae.SystemConfig.of("ring_ring"))
    with pytest.warns(UserWarning, match="a model_parallel_NPU_group of 4 doesn't fit dimensions of 6 x 2 NPUs"):
        ae.simulate(work("HYBRID_TRANSFORMER model_parallel_NPU_group: 4"), platform)


def test_lists_and_whole_floats_are_as_good_as_tuples_and_ints():
    dimension = ae.Dimension.of("Ring", 8, 50, 500)
    system = ae.SystemConfig.of("ring", splits=4.0, endpoint_delay=10.0)
    result = ae.simulate(ae.Workload.micro("all-reduce", 1048576.0), ae.Platform([dimension], system))
    assert result.total_ns == 45_681
    assert isinstance(result.message_bytes, int)
    assert ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.Platform(dimension, system), 2.0).total_ns == 91_361


def test_large_whole_numbers_keep_their_last_digit():
    assert ae.Workload.micro("all-reduce", 2**60 + 1).layers[0].weight_gradient.size == 2**60 + 1


def test_many_splits_take_no_time_to_speak_of():
    dimension = ae.Dimension.of("Ring", 2, 50, 500)
    platform = ae.Platform(dimension, ae.SystemConfig.of("ring", splits=20_000))
    one = ae.time_schedule(ae.schedule("all-reduce", "ring", 2), dimension, 1).total_ns
    assert ae.simulate(ae.Workload.micro("all-reduce", 20_000), platform).total_ns == 1 + 20_000 * one


def test_a_network_of_other_sizes_than_the_schedule():
    with says(r"the schedule is for dimensions \(8,\), the network has \(4,\)"):
        ae.time_schedule(ae.schedule("all-reduce", "ring", 8), [ae.Dimension.of("Ring", 4, 50, 1)], 100)


def test_written_files_are_read_back_the_same():
    network = (ae.Dimension.of("Ring", 4, 62.5, 500), ae.Dimension("Switch", 8, 2, 6.25, 1.5, nic=3))
    system = ae.SystemConfig.of("ring_direct4", splits=64, intra_dimension="SCF", inter_dimension="themis")
    assert parse_network(format_network(network)) == network
    assert parse_system(format_system(system)) == system
    work = parse_workload(MICRO)
    assert parse_workload(format_workload(work)) == work


LONG = "x" * 5000
GRAPH = {"nodes": [{"id": 0}], "edges": [{"source": 0, "target": LONG}]}
MSCCL = '<algo ngpus="2" coll="allreduce" nchunksperloop="1"><gpu id="0"><tb id="{}"/></gpu><gpu id="1"/></algo>'


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_workload, MICRO.replace("allreduce", LONG).replace("ALLREDUCE", "ALREDUCE")),
        (parse_graph, json.dumps(GRAPH)),
        (parse_graph, json.dumps({"nodes": [{"id": 0}, {"id": LONG}], "edges": GRAPH["edges"] * 2})),
        (ae.from_msccl, MSCCL.format(LONG)),
        (parse_network_2, f'topology: [ Ring ]\n"{LONG}": 1\n'),
        (parse_network_2, 'topology: [ Ring ]\n"\\ud800": 1\n'),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_sentence_is_short_and_can_be_printed_whatever_is_in_the_file(parse, text):
    with pytest.raises(ae.ConfigError) as error:
        parse(text)
    assert len(str(error.value).encode()) < 1000


MANGLED = st.one_of(st.text(), st.binary().map(lambda b: b.decode("latin-1")))


@given(st.sampled_from([json.dumps(RING), SYSTEM, MICRO]), st.integers(0, 400), st.integers(0, 20), MANGLED)
def test_mangled_files_end_in_an_error_or_an_answer(text, start, length, junk):
    mangled = text[:start] + junk + text[start + length :]
    for parse in (parse_network, parse_system, parse_workload):
        with contextlib.suppress(ae.ConfigError):
            parse(mangled)


@pytest.mark.parametrize(
    ("text", "size"),
    [("64 KiB", 65536), ("1MiB", 2**20), ("25 MB", 25_000_000), ("1.5 GiB", 3 * 2**29), (7, 7), ("8", 8)],
)
def test_sizes_are_read(text, size):
    assert parse_bytes(text) == size


def test_units_are_printed():
    assert [format_bytes(b) for b in (5, 1536, 2**20, 3 * 2**29)] == ["5 B", "1.5 KiB", "1 MiB", "1.5 GiB"]
    assert [format_ns(t) for t in (0, 805, 45_681, 17_534_229, 2.5e9)] == [
        "0 ns",
        "805 ns",
        "45.681 µs",
        "17,534.229 µs",
        "2,500.000 ms",
    ]
