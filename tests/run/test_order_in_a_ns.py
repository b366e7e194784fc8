"""Small jobs in which it decides what comes first in one ns: each way of running them says what everyone=True says.

Most were found at random and made smaller, so that nothing can be left out of them.
"""

import pytest
import tied_jobs
from ordered_jobs import everyone, job, shortcuts

DECIDES = "the order decides"
EACH = "one for each"

UNAWARE = {
    "of two chunks the one whose end was foreseen earlier is first": (
        {"joined"},
        job(
            [("Ring", 4, 4, 0)],
            [
                ("reduce_scatter", 32, [[0, 2]], []),
                ("compute", 5, [0], []),
                ("compute", 16, [0], []),
                ("compute", 0, [0], [0]),
                ("compute", 1, [0], []),
            ],
            splits=2,
            active_chunks=2,
        ),
    ),
    "a computation makes the turn in which a phase ends earlier than a message": (
        {"joined"},
        job(
            [("Ring", 4, 1, 1)],
            [
                ("all_gather", 16, [[0, 2]], []),
                ("compute", 20, [0], []),
                ("compute", 16, [0], [1]),
                ("compute", 24, [1], []),
                ("send", 12, (1, 0, 5), [3]),
                ("receive", 12, (1, 0, 5), []),
                ("compute", 5, [0], [0]),
                ("compute", 9, [0], [5]),
            ],
        ),
    ),
    "a message of an NPU's own is on its way as a phase ends": (
        {"joined"},
        job(
            [("Switch", 4, 1, 2)],
            [
                ("compute", 1, [0], []),
                ("send", 32, (0, 1, 70), [0]),
                ("receive", 32, (0, 1, 70), []),
                ("compute", 82, [0], []),
                ("compute", 2, [0], []),
                ("all_reduce", 16, [[0, 2]], []),
                ("compute", 0, [0], [1]),
                ("compute", 1, [0], []),
            ],
        ),
    ),
    "a computation opens direct's second half before the last message of the first is taken in": (
        set(),
        job(
            [("Ring", 5, 50, 5)],
            [("all_reduce", 32, None, []), ("compute", 13, [0], []), ("compute", 6, [0], [1])],
            how="direct3",
            endpoint_delay=3,
            local_memory_bandwidth=4,
        ),
    ),
    "another chunk opens direct's second half before the last message of the first is taken in": (
        set(),
        job(
            [("Ring", 6, 50, 2)],
            [
                *[("compute", 3 * (npu == 5), [npu], []) for npu in range(6)],
                ("all_reduce", 64, None, list(range(6))),
            ],
            how="direct3",
            splits=2,
            queues=2,
            local_memory_bandwidth=1,
        ),
    ),
    "messages of two NPUs set free what one unit is for": (
        set(),
        job(
            [("Switch", 4, 50, 1), ("Ring", 2, 50, 1)],
            [
                ("all_to_all", 8, [[0, 1, 2, 3], [4, 5, 6, 7]], []),
                ("send", 16, (2, 0, 52), []),
                ("send", 16, (6, 4, 52), []),
                ("receive", 16, (2, 0, 52), []),
                ("receive", 16, (6, 4, 52), []),
                ("send", 16, (1, 0, 51), []),
                ("send", 16, (5, 4, 51), []),
                ("receive", 16, (1, 0, 51), []),
                ("receive", 16, (5, 4, 51), []),
                ("compute", 0, [0], [3]),
                ("compute", 1, [0], [7]),
            ],
        ),
    ),
}


def neighbours(npus, size, computes):
    """Each NPU sends to the next, and computes when its message has left and when one has come."""
    one = [("send", size, (npu, (npu + 1) % npus, 1), []) for npu in range(npus)]
    two = [("receive", size, (npu, (npu + 1) % npus, 1), []) for npu in range(npus)]
    came = {(npu + 1) % npus: npus + npu for npu in range(npus)}
    then = [("compute", computes, [npu], [number]) for npu in range(npus) for number in (npu, came[npu])]
    return [*one, *two, *then]


AWARE = {
    "two requests meet at a link": job(
        [("Ring", 4, 50, 1)], [("all_reduce", 8, [[0, 1, 2, 3]], [])], aware=True, how="direct2", rendezvous=True
    ),
    "messages of two chunks meet behind a switch": job(
        [("Switch", 2, 50, 3), ("Switch", 2, 50, 3)],
        [("all_reduce", 16, None, [])],
        aware=True,
        how=["ring", "ring"],
        splits=3,
        optimization="localBWAware",
        intra_dimension="lessRemainingPhaseFirst",
        local_memory_bandwidth=1,
    ),
    "of two groups one has its turn first everywhere and messages between them arrive": job(
        [("Ring", 4, 50, 1)],
        [*neighbours(4, 64, 4), ("reduce_scatter", 8, [[0, 1], [2, 3]], [])],
        aware=True,
    ),
    "an NPU's own message has arrived behind a switch as one comes": job(
        [("Switch", 5, 50, 0)],
        [("compute", 0, range(5), []), *[(*one[:3], [at + 1 for at in one[3]]) for one in neighbours(5, 0, 5)]],
        aware=True,
    ),
}


def agreeing(trace, platform):
    """The ways that can be taken; each says what following every message says."""
    right, ways = everyone(trace, platform), set()
    for way, found in shortcuts(trace, platform).items():
        if isinstance(found, str):
            continue
        said, stands_for = found
        for npu, followed in enumerate(stands_for):
            known = 3 if npu == followed else 2  # chunks' stays are kept of those that are followed
            assert said[followed][:known] == right[npu][:known], way
        ways.add(way)
    return ways


@pytest.mark.parametrize("name", UNAWARE)
def test_what_comes_first_in_a_ns_is_first_where_phases_are_timed_at_once(name):
    ways, (trace, platform) = UNAWARE[name]
    assert agreeing(trace, platform) == ways


def test_two_ends_of_which_the_first_is_not_known_are_followed():
    """Which of two chunks goes on first is another one then; the times of all nodes are the same."""
    assert agreeing(*tied_jobs.job(400497)) == set()


@pytest.mark.parametrize("name", AWARE)
def test_on_the_congestion_aware_network_an_order_that_decides_is_noticed(name):
    trace, platform = AWARE[name]
    assert shortcuts(trace, platform) == {EACH: DECIDES}
