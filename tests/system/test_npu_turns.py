"""In which order ASTRA-sim 1.0 serves its NPUs: the C++ program's own, printed as they begin their collectives."""

import pytest

import astra_edu as ae
from astra_edu.clock.lookback import LoopClock
from astra_edu.system.logical import logical_dimensions
from astra_edu.system.scheduler import Scheduler
from astra_edu.system.themis import Themis
from astra_edu.workload import Layer, Work

C = ae.Collective
CUBE = (
    ae.Dimension.of("Switch", 2, 200, 0),
    ae.Dimension.of("Ring", 2, 100, 500),
    ae.Dimension.of("Switch", 2, 7.3, 100),
)


def order_after(network, collective, update, collective_bytes=2**22, **settings):
    """Of all NPUs, after they have waited for a collective. update: whether something is updated before they go on."""
    algorithm = "_".join([settings.pop("algorithm", "ring")] * len(network))
    system = ae.SystemConfig.of(algorithm, inter_dimension="themis", **settings)
    dims, _ = logical_dimensions(network)
    clock = LoopClock()
    scheduler = Scheduler(clock, ae.Platform(network, system), dims)
    ends = []
    scheduler.issue("it", collective, collective_bytes, [True] * len(dims), ends.append)
    clock.run()
    scheduler.woken(ends[0], at_once=not update)
    return scheduler._turns._after_wake(1)


@pytest.mark.parametrize(
    ("settings", "update", "order"),
    [
        ({"boost": False}, False, (7, 0, 4, 1, 5, 2, 6, 3)),
        ({"boost": True}, False, (0, 3, 5, 6, 7, 1, 2, 4)),
        ({"boost": False}, True, (0, 4, 1, 5, 2, 6, 3, 7)),
    ],
    ids=["all take part", "boost mode", "after an update"],
)
def test_after_a_reduce_scatter_over_a_cube(settings, update, order):
    """Two chunks meet on dimension 2: the second begins there in the order in which the first left it."""
    assert order_after(CUBE, C.REDUCE_SCATTER, update, splits=2, algorithm="halvingDoubling", **settings) == order


@pytest.mark.parametrize(
    ("topology", "algorithm", "collective", "order"),
    [
        ("Ring", "ring", C.REDUCE_SCATTER, (3, 2, 1, 0, 4)),
        ("Ring", "ring", C.ALL_REDUCE, (3, 2, 1, 0, 4)),
        ("Switch", "direct", C.ALL_GATHER, (1, 0, 2, 3, 4)),
        ("Switch", "direct2", C.ALL_GATHER, (1, 2, 3, 0, 4)),
        ("Ring", "direct", C.ALL_GATHER, (2, 0, 3, 1, 4)),
        ("Switch", "halvingDoubling", C.ALL_REDUCE, (0, 1, 2, 3)),
    ],
)
def test_after_one_chunk_on_one_dimension(topology, algorithm, collective, order):
    network = (ae.Dimension.of(topology, 4 if algorithm == "halvingDoubling" else 5, 50, 500),)
    assert order_after(network, collective, True, splits=1, algorithm=algorithm, boost=False) == order


def test_a_themis_of_ones_own_is_neither_copied_nor_asked_twice():
    class Mine(Themis):
        asked = 0

        def __init__(self, dimensions):
            super().__init__(dimensions)
            self.generator = (number for number in range(3))  # which can't be copied

        def order(self, *args):
            Mine.asked += 1
            return super().order(*args)

    work = Work(100, C.ALL_REDUCE, 2**20)
    layers = tuple(Layer(name, work, Work(100, None, 0), Work(100, None, 0)) for name in "abc")
    system = ae.SystemConfig.of("ring_ring_ring", splits=4, inter_dimension=Mine)
    ae.simulate(ae.Workload("MODEL", layers), ae.Platform(CUBE, system))
    assert Mine.asked == 3 * 4


def test_a_collective_that_no_dimension_carries_may_be_smaller_than_its_splits():
    nothing, small = Work(100, None, 0), Work(100, C.ALL_REDUCE, 5)
    layers = tuple(Layer(name, Work(100, C.ALL_REDUCE, 2**20), nothing, small) for name in "ab")
    system = ae.SystemConfig.of("ring_ring_ring", splits=8, inter_dimension="themis")
    workload = ae.Workload("HYBRID_TRANSFORMER", layers, ("model_parallel_NPU_group:", "8"))
    assert ae.simulate(workload, ae.Platform(CUBE, system)).total_ns > 0
