"""Figures of workers with clocks of their own."""

import re
from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.course.plots import staleness, worker_timeline
from astra_edu.course.plots.training.workers import LOOKS
from astra_edu.course.studies.synchronisation import (
    ACTIVITIES,
    Cluster,
    ComputeTimes,
    asynchronous,
    bounded_staleness,
    bulk_synchronous,
)

JITTER = ComputeTimes("exponential", 1000, 0.5)


def in_three_modes(cluster, until):
    return [bulk_synchronous(cluster, until), asynchronous(cluster, until), bounded_staleness(cluster, until, 1)]


@pytest.fixture(scope="module")
def runs():
    cluster = Cluster(3, ComputeTimes("exponential", 1000, 0.5, slow=3), 100, 20, 200)
    return dict(zip(("BSP", "async", "bound 1"), in_three_modes(cluster, 50_000), strict=True))


def test_the_workers_figure_draws_every_span(runs):
    picture = worker_timeline(runs, until_ns=12_000)
    for axes, run in zip(picture.figure.axes, runs.values(), strict=True):
        drawn = {
            (round(box.y0 + 0.4), collection.get_label(), round(box.x0, 6), round(box.x1, 6))
            for collection in axes.collections
            for box in (path.get_extents() for path in collection.get_paths())
        }
        wanted = {
            (worker, kind, round(start / 1000, 6), round(min(end, 12_000) / 1000, 6))
            for worker, kind, start, end in run.spans
            if start < 12_000
        }
        assert drawn == wanted


def test_every_activity_has_a_look_of_its_own():
    assert [*LOOKS] == [*ACTIVITIES]
    assert len({look.fill for look in LOOKS.values()}) == len({look.hatch for look in LOOKS.values()}) == 4


def test_the_workers_figure_has_its_words_and_numbers(runs):
    picture = worker_timeline(runs)
    head, *rows = [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]
    assert head == ["run", "worker", "updates", *ACTIVITIES]
    assert len(rows) == 3 * 4
    for row in rows:
        run = runs[row[0]]
        shares = [float(cell.removesuffix(" %")) for cell in row[3:]]
        assert sum(shares) == pytest.approx(100, abs=0.3)
        if row[1] == "all":
            assert int(row[2]) == len(run.updates)
            assert shares == pytest.approx([100 * run.share(kind) for kind in ACTIVITIES], abs=0.06)
            assert f"{row[0]}, {run.updates_per_s:,.0f} updates/s: compute {row[3]}" in picture.alt
    assert "50.000 µs" in picture.note
    assert "in the first 12.000 µs" in worker_timeline(runs, 12_000).alt


def test_the_staleness_figure_draws_what_its_table_says(runs):
    picture = staleness({name: runs[name] for name in ("async", "bound 1")})
    lines = [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]
    for i, name in enumerate(("async", "bound 1"), 1):
        heights = [bar.get_height() for bar in picture.figure.axes[i - 1].patches]
        assert sum(heights) == pytest.approx(100)
        assert [line[i] for line in lines[1:-1]] == [f"{h:.1f} %" if h else "-" for h in heights]
        assert lines[-1][i] == f"{runs[name].mean_staleness:.2f}"
        assert f"{runs[name].mean_staleness:.2f} on average" in picture.alt


def test_many_values_of_staleness_share_bars():
    run = asynchronous(Cluster(8, replace(JITTER, slow=20)), 200_000)
    picture = staleness({"async": run})
    assert max(run.staleness) > 60
    assert len(picture.figure.axes[0].patches) <= 40
    assert sum(bar.get_height() for bar in picture.figure.axes[0].patches) == pytest.approx(100)
    assert re.search(r"\n0 to \d+ ", picture.table)


@pytest.mark.parametrize("figure", [worker_timeline, staleness])
@pytest.mark.parametrize("wrong", [{}, [1], {"a": 1}])
def test_figures_of_nothing(figure, wrong):
    with pytest.raises(ae.ConfigError, match="runs must give each run a name"):
        figure(wrong)


def test_a_figure_needs_updates():
    with pytest.raises(ae.ConfigError, match="no update was applied"):
        staleness({"short": asynchronous(Cluster(2, JITTER), 10)})
    assert "worker" in worker_timeline({"short": asynchronous(Cluster(2, JITTER), 10)}).table
