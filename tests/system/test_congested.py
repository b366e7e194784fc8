"""ASTRA-sim 1.0's congestion-aware program: what is refused; its figures are tests/exact/test_congestion_aware_1.py."""

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.system import Bus
from astra_edu.workload import Layer, Work

SWITCH = ae.Dimension.of("Switch", 64, 50, 500)
DIRECT = ae.SystemConfig.of("direct", boost=False)
ALL_REDUCE = ae.Workload.micro("all-reduce", 2**30)


def test_exercise_3_2_of_2023_in_python():
    platform = ae.Platform(SWITCH, DIRECT, congestion_aware=True)
    result = ae.simulate(ALL_REDUCE, platform)
    assert result.total_ns == 40_008_217
    assert "would take longer in reality" not in str(result.explain())
    assert "chunks at once" not in str(result.explain())
    assert ae.simulate(ALL_REDUCE, replace(platform, congestion_aware=False)).total_ns == 633_217


@pytest.mark.parametrize(
    ("network", "system", "words"),
    [
        ((SWITCH, SWITCH), ae.SystemConfig.of("direct_direct"), "knows one dimension; the network has 2"),
        (ae.Dimension.of("Ring", 8, 50, 500), DIRECT, "on a Ring it crashes"),
        (SWITCH, replace(DIRECT, active_chunks=2), "active-chunks-per-dimension is 2"),
        (SWITCH, replace(DIRECT, queues=2), "num-queues-per-dim is 2"),
        (SWITCH, replace(DIRECT, rendezvous=True), "rendezvous-protocol is True"),
        (SWITCH, replace(DIRECT, inter_dimension="themis"), "inter-dimension-scheduling is 'themis'"),
        (SWITCH, replace(DIRECT, bus=Bus(1)), "model-shared-bus is Bus"),
    ],
)
def test_what_it_does_not_run(network, system, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.Platform(network, system, congestion_aware=True)


def test_congestion_aware_is_true_or_false():
    with pytest.raises(ae.ConfigError, match="congestion_aware is 'no'"):
        ae.Platform(SWITCH, DIRECT, congestion_aware="no")


def test_trees_and_too_many_messages_are_refused():
    tree = ae.Platform(SWITCH, ae.SystemConfig.of("doubleBinaryTree"), congestion_aware=True)
    with pytest.raises(ae.ConfigError, match="congestion-aware network isn't known; take ring, direct"):
        ae.simulate(ALL_REDUCE, tree)
    large = ae.Platform(ae.Dimension.of("Switch", 1100, 50, 500), DIRECT, congestion_aware=True)
    with pytest.raises(ae.ConfigError, match="1,100 NPUs with 2,198 messages each is too much to follow"):
        ae.simulate(ALL_REDUCE, large)


def test_a_group_that_breaks_the_dimension_is_refused():
    layer = Layer(
        "a", Work(10, ae.Collective.ALL_REDUCE, 2**20), Work(0, None, 0), Work(10, ae.Collective.ALL_REDUCE, 2**20)
    )
    loop = ae.Workload("HYBRID_TRANSFORMER", (layer,), ("model_parallel_NPU_group:", "8"))
    with pytest.raises(ae.ConfigError, match="a model-parallel group of 8 NPUs breaks the one dimension"):
        ae.simulate(loop, ae.Platform(SWITCH, DIRECT, congestion_aware=True))


def test_its_network_file_is_written_and_read(tmp_path):
    files = tmp_path / "network.yml", tmp_path / "system.txt"
    platform = ae.Platform(SWITCH, DIRECT, congestion_aware=True)
    ae.save_astra_sim(platform, *files)
    assert ae.load_astra_sim(*files) == platform
    files[0].write_text(files[0].read_text().replace("Switch", "[ Switch ]"))
    with pytest.raises(ae.ConfigError, match="of the same version are expected"):
        ae.load_astra_sim(*files)
    files[0].write_text("topology: Switch\nnpus_count: [ 8, 8 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n")
    with pytest.raises(ae.ConfigError, match="there are 1 of topology, 2 of npus_count"):
        ae.load_astra_sim(*files)
