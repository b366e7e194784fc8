"""When an NPU computes nothing, told in one go over all that it does: the same as looking at each pause by itself."""

from __future__ import annotations

import random
from types import SimpleNamespace

from astra_edu.base.intervals import common, gaps
from astra_edu.base.span import EXPOSED, WAITS
from astra_edu.run.trace_spans import idle_of
from astra_edu.traces.outline import Unit


def by_pauses(mine, finish):
    """(what it is, from, until) of each pause, looked at by itself."""
    computes = [(one.start_ns, one.end_ns) for one in mine if one.unit in (Unit.COMPUTE, Unit.CPU)]
    communicates = [(one.start_ns, one.end_ns) for one in mine if one.unit is Unit.COMMUNICATION]
    free = gaps(computes, 0, finish)
    yield from ((EXPOSED, start, end) for start, end in common(free, communicates))
    for pause in free:
        yield from ((WAITS, start, end) for start, end in gaps(common([pause], communicates), *pause))


def test_idle_time_is_that_of_each_pause():
    rng, found = random.Random(16), 0
    for _ in range(3000):
        finish, mine = rng.randrange(1, 40), []
        for _ in range(rng.randrange(9)):
            start = rng.randrange(finish + 1)
            end = min(finish, start + rng.randrange(8))  # of no length, too
            mine.append(SimpleNamespace(unit=rng.choice(list(Unit)), start_ns=start, end_ns=end))
        result = SimpleNamespace(finish_ns=[finish], ran_by=lambda _, mine=mine: mine)
        spans = [(span.phase, span.start_ns, span.end_ns) for span in idle_of(result, 0)]
        assert spans == list(by_pauses(mine, finish))
        found += len(spans)
    assert found > 3000


def test_it_takes_no_longer_for_each_pause_the_more_there_are():
    """Looking through all communication for every pause took 1.4 s for 16 NPUs of 1,200 nodes each."""
    looked = []

    class Watched(list):
        def __getitem__(self, place):
            looked.append(place)
            return super().__getitem__(place)

    mine = []
    for k in range(2000):
        mine.append(SimpleNamespace(unit=Unit.COMPUTE, start_ns=10 * k, end_ns=10 * k + 2))
        mine.append(SimpleNamespace(unit=Unit.COMMUNICATION, start_ns=10 * k + 4, end_ns=10 * k + 6))
    import astra_edu.run.trace_spans as spans

    real = spans.merged
    spans.merged = lambda intervals: Watched(real(intervals))
    try:
        assert len(list(idle_of(SimpleNamespace(finish_ns=[20_000], ran_by=lambda _: mine), 0))) == 6000
    finally:
        spans.merged = real
    assert 0 < len(looked) < 50_000
