"""Where each policy puts a chunk in a dimension's queue."""

from types import SimpleNamespace

import pytest

from astra_edu.collectives import Collective
from astra_edu.system.policies import alternate, fewest_phases_first, fifo, fifo_only, smallest_chunk_first
from astra_edu.system.queues import Chunk, Issued


def chunk(priority=0, size=1, phases=1, collective="reduce-scatter"):
    phase = SimpleNamespace(collective=Collective(collective), chunk_bytes=size)
    return Chunk(0, priority, (phase,) * phases, Issued("layer", lambda phases: None, 0))


@pytest.mark.parametrize("policy", [fifo, fifo_only])
def test_fifo_is_by_priority_and_then_by_arrival(policy):
    queue = [chunk(9), chunk(5), chunk(5), chunk(3)]
    assert [policy(queue, 1, chunk(priority)) for priority in (7, 5, 4, 3, 0)] == [1, 3, 3, 4, 4]


def test_what_has_started_is_never_overtaken():
    queue = [chunk(0, size=9, phases=9), chunk(0, size=9, phases=9)]
    for policy in (fifo, fifo_only, smallest_chunk_first, fewest_phases_first):
        assert policy(queue, 2, chunk(100)) == 2


def test_among_equally_small_chunks_the_last_to_come_goes_first():
    queue = [chunk(size=1), chunk(size=2), chunk(size=2), chunk(size=3)]
    assert [smallest_chunk_first(queue, 1, chunk(size=size)) for size in (1, 2, 3, 4)] == [1, 1, 3, 4]


def test_among_equally_many_phases_the_last_to_come_goes_first():
    queue = [chunk(phases=1), chunk(phases=2), chunk(phases=2), chunk(phases=3)]
    assert [fewest_phases_first(queue, 1, chunk(phases=phases)) for phases in (1, 2, 3, 4)] == [1, 1, 3, 4]


def test_a_reduce_scatter_and_an_all_gather_that_follow_each_other_stay_together():
    queue = [chunk(collective=c) for c in ("all-gather", "all-gather", "reduce-scatter", "all-gather", "all-gather")]
    assert alternate(queue, 0, chunk()) == 0
    assert alternate(queue, 1, chunk()) == 4
    assert alternate([], 0, chunk()) == 0
    assert alternate(queue[:1], 1, chunk()) == 1
    assert alternate([chunk(5), chunk(5)], 0, chunk(3)) == 2
