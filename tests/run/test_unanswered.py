"""Runs to which ASTRA-sim 1.0 has no answer: a warning says so, and none says so of runs that it answers."""

import warnings

import pytest

import astra_edu as ae
from astra_edu.system import Bus
from astra_edu.workload import Layer, Work

SQUARE = ae.Dimension.of("Ring", 4, 50, 100), ae.Dimension.of("Ring", 4, 50, 100)
KNOWN = "ASTRA-sim 1.0 crashes or never ends"
C = ae.Collective
NOTHING = Work(100, None, 0)


def run(implementation, collectives=(C.ALL_REDUCE,), network=SQUARE, **settings):
    """Layers whose weight gradients are exchanged; the warnings."""
    layers = tuple(Layer(f"{k}", NOTHING, NOTHING, Work(100, one, 2**20)) for k, one in enumerate(collectives))
    pairwise = ae.SystemConfig.of("direct_direct").all_to_all[: len(network)]
    platform = ae.Platform(network, ae.SystemConfig.of(implementation, all_to_all=pairwise, **settings))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ae.simulate(ae.Workload("DATA", layers), platform)
    return [str(warning.message) for warning in said if KNOWN in str(warning.message)]


@pytest.mark.parametrize(
    ("implementation", "settings", "words"),
    [
        (
            "oneRing",
            {"inter_dimension": "themis"},
            "('one...') with themis as inter-dimension-scheduling: ASTRA-sim 1.0",
        ),
        ("oneDirect", {"inter_dimension": "roundRobin"}, "roundRobin as inter-dimension-scheduling"),
        ("oneDirect", {"queues": 3}, "3 queues to a dimension"),
        ("oneRing", {"collectives": (C.ALL_REDUCE, C.ALL_TO_ALL)}, "other collectives beside it"),
        ("ring_doubleBinaryTree", {"queues": 2}, "a double binary tree with 2 queues to a dimension"),
        ("doubleBinaryTree_ring", {"collectives": (C.ALL_REDUCE, C.ALL_TO_ALL)}, "other collectives beside it"),
    ],
)
def test_it_is_said_where_the_program_gives_no_number(implementation, settings, words):
    (said,) = run(implementation, **settings)
    assert words in said


@pytest.mark.parametrize(
    ("implementation", "settings"),
    [
        ("oneRing", {}),
        ("doubleBinaryTree_ring", {}),
        ("ring_ring", {"queues": 2, "inter_dimension": "themis", "collectives": (C.ALL_REDUCE, C.ALL_GATHER)}),
        ("oneRing", {"network": SQUARE[:1], "inter_dimension": "themis"}),
    ],
)
def test_nothing_is_said_where_it_gives_one(implementation, settings):
    assert run(implementation, **settings) == []


def test_a_flat_collective_beside_others_on_a_shared_bus_is_refused():
    flat = ae.SystemConfig.of("oneRing", bus=Bus(2, 1, 1, 0.001))
    system = ae.SystemConfig(
        ae.SystemConfig.of("ring_ring_ring").all_reduce,
        flat.all_gather, flat.reduce_scatter, ae.SystemConfig.of("ring_ring_ring").all_reduce,
        splits=2, optimization="baseline", inter_dimension="roundRobin", bus=flat.bus,
    )  # fmt: skip
    layers = (
        Layer("l0", NOTHING, NOTHING, Work(100, C.ALL_REDUCE, 2**20), 10),
        Layer("l1", NOTHING, NOTHING, Work(100, C.REDUCE_SCATTER, 2**20), 10),
    )
    cube = (ae.Dimension.of("Ring", 2, 50, 100),) * 3
    with pytest.raises(ae.ConfigError, match=r"on a shared bus, a collective over all NPUs at once"):
        ae.simulate(ae.Workload("DATA", layers), ae.Platform(cube, system))


def themis_after_a_wait(topology):
    """A group that breaks dimension 1 in two, and two all-reduces over both; the warnings."""
    network = (ae.Dimension.of("Ring", 4, 12.5, 100), ae.Dimension.of(topology, 8, 50, 100))
    system = ae.SystemConfig.of("ring_ring", splits=4, inter_dimension="themis", boost=False)
    work = Work(100, C.ALL_REDUCE, 2**22)
    layers = (Layer("0", work, NOTHING, NOTHING), Layer("1", work, NOTHING, NOTHING))
    workload = ae.Workload("HYBRID_TRANSFORMER", layers, ("model_parallel_NPU_group:", "16"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ae.simulate(workload, ae.Platform(network, system))
    return [str(warning.message) for warning in said if "which NPU" in str(warning.message)]


def test_where_the_order_of_npus_counts_and_is_not_known_it_is_said():
    assert themis_after_a_wait("Switch") == []
    assert len(themis_after_a_wait("Ring")) == 1
