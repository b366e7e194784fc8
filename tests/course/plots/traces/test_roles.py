"""The figure of roles: every NPU in its place, with its role's letter, and a thick frame round who is followed."""

from __future__ import annotations

import pytest

pytest.importorskip("matplotlib")

from matplotlib.patches import Rectangle

import astra_edu as ae
from astra_edu.course.plots.traces import roles as drawing
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


def squares(picture):
    """For each square that is drawn what is written in it, row by row."""
    (axes,) = picture.figure.axes
    found = {}
    for text in axes.texts:
        x, y = text.get_position()
        found.setdefault((int(y), int(x)), []).append(text.get_text())
    corners = {(p.get_y(), p.get_x()) for p in axes.patches if isinstance(p, Rectangle)}
    assert corners == found.keys()
    return [found[place] for place in sorted(found)], axes.get_title()


def test_of_more_npus_than_can_be_read_each_role_is_a_square_that_says_how_many_play_it():
    trace, platform = job((8, 64, 4), None, tensor=8, data=64, pipeline=4, batch=256)
    roles, picture = ae.roles(trace, platform), ae.plots.roles(trace, platform)
    drawn, title = squares(picture)
    assert roles.count == 4
    assert drawn == [[letters(role), "512 NPUs", f"NPU {512 * role:,}"] for role in range(4)]
    assert title.startswith("2,048 NPUs in 4 roles;")
    assert picture.alt.startswith("2,048 NPUs in 4 roles, a square for each role: role A is played by 512 NPUs")
    assert [line.split()[:2] for line in picture.table.splitlines()[1:]] == [[letters(k), "512"] for k in range(4)]
    assert not picture.note


def test_1024_npus_are_drawn_one_by_one():
    trace, platform = job((8, 128), None, tensor=8, data=128, batch=128)
    assert len(panels(ae.plots.roles(trace, platform))[0]) == 1024


def test_of_very_many_roles_the_first_are_drawn_and_the_picture_says_how_many_are_not(monkeypatch):
    monkeypatch.setattr(drawing, "MOST_DRAWN", 4)
    monkeypatch.setattr(drawing, "MOST_ROLES", 10)
    ring = ae.TracePlatform(ae.Block("Ring", 16, 50, 500), ae.TraceSystem.of("ring"))
    trace = ae.traces.from_pipeline("1f1b", 16, 4, forward_micros=10, backward_micros=20, bytes=4096)
    picture = ae.plots.roles(trace, ring)
    drawn, title = squares(picture)
    assert drawn == [[letters(k), "1 NPU", f"NPU {k}"] for k in range(10)]
    assert "16 NPUs in 16 roles (6 more aren't drawn)" in title
    assert picture.note == "6 more roles are in ae.roles(trace, platform)."
