"""The figure of roles: every NPU in its place, with its role's letter, and a thick frame round who is followed."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from matplotlib.patches import Rectangle

import astra_edu as ae
from astra_edu.course.plots.traces.roles import letters

SMALL = ae.transformer("small", blocks=4, hidden=64, heads=8, sequence=32, vocabulary=128)


def job(dims, slow=None, **strategy):
    """A trace and its platform of switches; an NPU that is `slow` computes something more."""
    system = ae.TraceSystem.of(["direct"] * len(dims))
    platform = ae.TracePlatform([ae.Block("Switch", n, 50, 500) for n in dims], system)
    trace = ae.traces.from_strategy(SMALL, ae.Strategy(**strategy), "a100", network=platform)
    if slow is not None:
        more = ae.traces.Builder(trace.npus)
        more.compute("slow", 100, on=slow)
        more.all_reduce("sum", 2**20)
        trace = more.build()
    return trace, platform


def panels(picture):
    """For each panel {(row, column): (letter, width of the frame)}."""
    found = []
    for axes in picture.figure.axes:
        if not axes.patches:
            continue
        frames = {(int(p.get_y()), int(p.get_x())): p.get_linewidth() for p in axes.patches if isinstance(p, Rectangle)}
        names = {(int(t.get_position()[1]), int(t.get_position()[0])): t.get_text() for t in axes.texts}
        assert frames.keys() == names.keys()
        found.append({place: (names[place], frames[place]) for place in frames})
    return found


@pytest.mark.parametrize(
    ("dims", "slow", "strategy"),
    [
        ((4, 2, 4), None, {"tensor": 4, "data": 2, "pipeline": 4, "batch": 8}),
        ((4, 4), None, {"tensor": 4, "pipeline": 4, "batch": 8}),
        ((16,), 5, {"data": 16, "batch": 16}),
    ],
)
def test_every_npu_stands_in_its_place_with_the_letter_of_its_role(dims, slow, strategy):
    trace, platform = job(dims, slow, **strategy)
    roles = ae.roles(trace, platform)
    drawn = panels(ae.plots.roles(trace, platform))
    across, down = dims[0], dims[1] if len(dims) > 1 else 1
    assert len(drawn) == trace.npus // (across * down)
    thin = min(width for panel in drawn for _, width in panel.values())
    for npu in range(trace.npus):
        panel, rest = divmod(npu, across * down)
        letter, width = drawn[panel][divmod(rest, across)]
        assert letter == letters(roles.of[npu])
        assert (width > 2 * thin) == (npu in roles.representatives)


def test_one_slow_npu_on_a_switch_has_a_role_of_its_own():
    trace, platform = job((16,), 5, data=16, batch=16)
    picture = ae.plots.roles(trace, platform)
    assert [line.split()[:2] for line in picture.table.splitlines()[1:]] == [["A", "15"], ["B", "1"]]
    assert "role B is played by 1 NPU, followed is NPU 5" in picture.alt


def test_on_a_ring_each_npu_waits_for_a_slow_one_for_another_time():
    trace = ae.traces.Builder(8)
    trace.all_reduce("sum", 2**20, after=trace.compute("slow", [10] * 7 + [90]))
    ring = ae.TracePlatform(ae.Block("Ring", 8, 50, 500), ae.TraceSystem.of("ring"))
    roles = ae.roles(trace.build(), ring)
    ends = ae.simulate(trace.build(), ring, everyone=True).finish_ns
    assert roles.count == len(set(ends)) == 8


def test_more_npus_than_can_be_read_are_refused():
    trace, platform = job((8, 256), None, tensor=8, data=256, batch=256)
    with pytest.raises(ae.ConfigError, match="1,024 is the most"):
        ae.plots.roles(trace, platform)
    assert ae.roles(trace, platform).count == 1
