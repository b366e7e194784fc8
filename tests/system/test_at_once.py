"""Direct with all messages at once, in one go: the same as message by message."""

from random import Random

import pytest
from halves import half

import astra_edu as ae
from astra_edu.system import followed, timed
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.kth_messages import RowMessage
from astra_edu.system.moves import moves

MIB = 2**20


def rows(random, made, whole):
    """Ways of any length, with many that are equal, some of them 0."""
    times = [random.choice((0, 1, 3, 10, 11, 12, 500)) + (0 if whole else random.random()) for _ in range(5)]
    request = random.choice((0, 0, 7))
    return [RowMessage(0, size, random.choice(times), request) for size in made.sizes]


@pytest.mark.parametrize("seed", half(range(300)))
def test_in_one_go_as_message_by_message(seed, monkeypatch):
    random = Random(seed)
    npus, collective = random.randint(2, 9), random.choice(["all-reduce", "all-gather", "reduce-scatter", "all-to-all"])
    window = random.choice((None, None, npus - 1, npus))
    reduction = random.choice((lambda size: 0, quirks.memory_ns, lambda size: 10, lambda size: 25))
    made = moves(ae.schedule(collective, "direct", npus), 1000, random.choice((0, 1, 10)), window, reduction)
    row = rows(random, made, whole=seed % 2)
    in_one_go = followed.follow([row], made)
    monkeypatch.setattr(followed, "leaves_at_once", lambda moves: False)
    one_by_one = followed.follow([row], made)
    assert in_one_go == one_by_one


@pytest.mark.parametrize("npus", [4, 5, 8, 33])
@pytest.mark.parametrize("delay", [0, 10])
@pytest.mark.parametrize("memory", [None, 1, 1600])
def test_phases_of_2_on_a_ring_in_one_go(npus, delay, memory, monkeypatch):
    system = ae.TraceSystem.of("direct", splits=3, endpoint_delay=delay, local_memory_bandwidth=memory)
    platform = ae.TracePlatform(ae.Block("Ring", npus, 50, 500), system)
    for name in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        trace = ae.traces.collective(name, MIB + 5, npus)
        in_one_go = ae.simulate(trace, platform).finish_ns
        assert in_one_go == ae.simulate(trace, platform, everyone=True).finish_ns
        with monkeypatch.context() as patched:
            patched.setattr(timed, "leaves_at_once", lambda moves: False)
            assert ae.simulate(trace, platform).finish_ns == in_one_go


def test_a_phase_of_65_536_takes_no_message_of_its_own(monkeypatch):
    monkeypatch.setattr(followed, "KthMessages", None)
    ring = ae.Dimension.of("Ring", 65_536, 50, 500)
    assert ae.time_schedule(ae.schedule("all-reduce", "direct", 65_536), ring, 2**26).total_ns == 32_768_048
