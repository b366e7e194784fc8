"""The chart of a pipeline's passes as a figure: that it shows the run, and nothing else."""

from __future__ import annotations

import re

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.looks import LOOKS
from astra_edu.course.plots.timelines.stages import stages
from astra_edu.course.plots.timelines.stages_drawn import BACKWARD, BUBBLE, FORWARD
from astra_edu.pipeline import run_pipeline

GPIPE = run_pipeline("gpipe", 4, 4, 10, 20)
ONE = run_pipeline("1f1b", 4, 8, 10, 20)
VIRTUAL = run_pipeline("interleaved", 4, 8, 10, 20, virtual=2)
SLOW = run_pipeline("1f1b", 3, 5, [10, 30, 20], [20, 60, 40], 5)
RUNS = [GPIPE, ONE, VIRTUAL, SLOW]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def labels(picture):
    return [t for axes in picture.figure.axes for t in texts(axes) if not t.startswith("idle")]


def bars(axes):
    """The drawn stretches by (stage, edge colour)."""
    found = {}
    for collection in axes.collections:
        edge = tuple(collection.get_edgecolor()[0])
        for path in collection.get_paths():
            box = path.get_extents()
            found.setdefault((round((box.y0 + box.y1) / 2), edge), []).append((box.x0, box.x1))
    return {key: sorted(value) for key, value in found.items()}


@pytest.mark.parametrize("run", RUNS, ids=repr)
def test_the_cells_are_where_the_passes_are(run):
    from matplotlib.colors import to_rgba

    [axes] = stages(run).figure.axes
    drawn = bars(axes)
    for look in (FORWARD, BACKWARD):
        for stage in range(run.stages):
            expected = [(s.start_ns, s.end_ns) for s in run.spans if s.stage == stage and s.kind == look.short]
            assert drawn[stage, to_rgba(look.colour)] == sorted(expected)
    assert [patch.get_width() for patch in axes.patches] == [run.total_ns] * run.stages


def test_cells_are_labelled_with_part_and_micro_batch():
    picture = stages(GPIPE)
    assert sorted(labels(picture)) == sorted(f"{k} {s},{i}" for k in "FB" for s in range(4) for i in range(4))
    assert picture.figure.get_suptitle().startswith("F k,n: forward pass of micro-batch n through part k")


def test_narrow_cells_are_labelled_with_less_or_not_at_all():
    virtual = stages(VIRTUAL)
    assert sorted(labels(virtual)) == sorted(f"{i}{c}" for i in range(8) for c in "ab" for _ in range(8))
    assert "its letter the virtual stage's" in virtual.figure.get_suptitle()
    many = stages(run_pipeline("1f1b", 8, 60, 10, 20))
    assert labels(many) == []
    assert "too narrow" in many.figure.get_suptitle()


def test_words_and_numbers_of_the_figure():
    picture = stages({"GPipe": GPIPE, "with transfers": SLOW})
    assert "GPipe, 4 stages and 4 micro-batches: 210 ns, bubble 42.9 %" in picture.alt
    assert "stage 0 keeps activations for 4, stage 3 for 4." in picture.alt
    rows = [re.split(r"\s{2,}", line) for line in picture.table.splitlines()]
    assert rows[0] == ["run", "stage", "busy (ns)", "idle (ns)", "idle", "keeps"]
    assert rows[1] == ["GPipe", "0", "120", "90", "42.9 %", "4"]
    for stage in range(3):
        share = f"{100 * SLOW.idle_shares[stage]:.1f} %"
        idle = SLOW.total_ns - SLOW.busy_ns[stage]
        assert rows[5 + stage] == [
            "with transfers",
            str(stage),
            f"{SLOW.busy_ns[stage]}",
            f"{idle}",
            share,
            f"{3 - stage}",
        ]
        assert f"idle {share}, keeps {3 - stage}" in texts(picture.figure.axes[1])
    turns = [line for line in picture.table.splitlines() if line.startswith("GPipe, stage 3: ")]
    assert turns[0].startswith("GPipe, stage 3: F 3,0 at 30, F 3,1 at 40, ")
    assert turns[0].endswith("B 3,0 at 130")
    assert "the time (ns) at which it begins" in picture.note
    assert "Below" not in stages(run_pipeline("1f1b", 8, 60, 10, 20)).note


def test_large_and_empty_pipelines_can_be_drawn():
    large = stages(
        {"a": run_pipeline("interleaved", 32, 64, 100, 200, virtual=2), "b": run_pipeline("gpipe", 32, 64, 100, 200)}
    )
    assert len(large.figure.axes) == 2
    assert large.figure.get_figheight() < 15
    nothing = stages(run_pipeline("gpipe", 1, 1, 0, 0))
    assert nothing.alt.endswith(
        "gpipe, 1 stage and 1 micro-batch: 0 ns, bubble 0.0 %; stage 0 keeps activations for 1."
    )


def test_forward_backward_and_bubble_differ_in_more_than_colour():
    assert len({look.hatch for look in (FORWARD, BACKWARD)}) == 2
    assert (FORWARD.fill, FORWARD.colour) == (LOOKS["forward"].fill, LOOKS["forward"].colour)
    assert len({look.fill for look in (FORWARD, BACKWARD, BUBBLE)}) == 3


@pytest.mark.parametrize("runs", [{}, None, [ONE], {"a": 7}])
def test_what_is_no_run_is_refused(runs):
    with pytest.raises(ConfigError, match="runs must be what run_pipeline or simulate returns"):
        stages(runs)
