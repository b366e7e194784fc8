"""The chart of a pipeline's passes, as a figure and as a widget: that both show the run, and nothing else."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.course.plots.looks import LOOKS
from astra_edu.course.plots.timelines.stages import stages
from astra_edu.course.plots.timelines.stages_drawn import BACKWARD, BUBBLE, FORWARD
from astra_edu.pipeline import ORDERS, run_pipeline

pytest.importorskip("anywidget")

from astra_edu.course.widgets.stages import FORWARD_NS, Stages

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


# ---- the figure ----


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


# ---- the widget ----


def unpacked(data):
    for stage, flat in enumerate(data["spans"]):
        for k in range(0, len(flat), 5):
            kind, v, micro_batch, start, end = flat[k : k + 5]
            yield stage, "FB"[kind], v, micro_batch, start, end


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"order": "gpipe", "stages": 3, "micro_batches": 5, "ratio": 1, "p2p": 0.25},
        {"order": "interleaved", "micro_batches": 4, "virtual": 3, "slow": 1},
        {"stages": 1, "micro_batches": 1, "ratio": 0.5},
    ],
)
def test_the_payload_is_the_run(settings):
    shown = Stages(**settings)
    assert list(unpacked(shown.data)) == [tuple(span) for span in shown.run.spans]
    ask = {
        "order": "1f1b",
        "stages": 4,
        "micro_batches": 8,
        "virtual": 1,
        "ratio": 2,
        "p2p": 0,
        "slow": None,
    } | settings
    factors = [1.5 if stage == ask["slow"] else 1 for stage in range(ask["stages"])]
    expected = run_pipeline(
        ask["order"],
        ask["stages"],
        ask["micro_batches"],
        [FORWARD_NS * f for f in factors],
        [FORWARD_NS * f * ask["ratio"] for f in factors],
        FORWARD_NS * ask["p2p"],
        ask["virtual"],
    )
    assert shown.run == expected
    json.dumps(shown.data)  # as the view gets it


def test_a_forward_pass_takes_what_one_says_and_the_words_follow():
    shown = Stages("interleaved", 4, 8, virtual=2, p2p=0.1, forward_ns=1000)
    assert shown.run == run_pipeline("interleaved", 4, 8, 1000, 2000, 100, virtual=2)
    assert "a transfer takes 100 ns" in shown.summary()
    shown.set_trait("p2p", 0)
    assert shown.summary().startswith("28.500 µs in all; the bubble is 15.8 % of it.")
    shown.set_trait("virtual", 3)
    assert "but 1,000 ns aren't divided evenly by 3." in shown.summary()
    with pytest.raises(ConfigError, match="forward_ns is 0; it must be a whole number, 1 or more"):
        Stages(forward_ns=0)


def test_every_control_changes_the_run():
    shown = Stages()
    seen = [shown.run]
    for name, value in [
        ("micro_batches", 12),
        ("stages", 3),
        ("ratio", 1),
        ("p2p", 0.5),
        ("slow", 2),
        ("order", "gpipe"),
    ]:
        setattr(shown, name, value)
        seen.append(shown.run)
        assert shown.data["total_ns"] == shown.run.total_ns
    assert all(a != b for a, b in pairwise(seen))
    shown.order = "interleaved"
    assert shown.run.virtual == 2
    shown.virtual = 4
    assert shown.run.virtual == 4


def test_an_impossible_setting_is_explained_and_the_last_one_stays():
    shown = Stages("interleaved", 4, 8)
    before = shown.run
    shown.micro_batches = 9
    assert "must be a multiple of 4: 8 or 12" in shown.data["problem"]
    assert shown.run is before
    shown.micro_batches = 12
    assert shown.data["problem"] == ""
    assert shown.run.micro_batches == 12
    shown.slow = 3
    shown.stages = 3
    assert (shown.slow, shown.data["problem"], shown.run.stages) == (None, "", 3)
    shown.slow = 3
    assert shown.data["problem"] == "slow is 3; stages are 0 to 2."


def test_an_order_of_ones_own_is_in_the_menu(monkeypatch):
    def mine(stage, stages, micro_batches):
        for i in range(micro_batches):
            yield from (("F", i), ("B", i))

    monkeypatch.setitem(ORDERS, "mine", mine)
    shown = Stages("mine")
    assert ["mine", False] in shown.data["orders"]
    assert shown.data["sentences"][1] == "There is no formula here for an order of your own."
    assert [row[3] for row in shown.data["rows"]] == ["—"] * 4

    def broken(stage, stages, micro_batches):
        raise ZeroDivisionError("by me")

    monkeypatch.setitem(ORDERS, "mine", broken)
    shown.micro_batches = 3
    assert shown.data["problem"] == "ZeroDivisionError: by me"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "By formula: (p − 1) / (m + p − 1) = 3 / (8 + 3) = 27.3 %, the same."),
        ({"order": "interleaved"}, "By formula: (p − 1) / (v m + p − 1) = 3 / (2 × 8 + 3) = 15.8 %, the same."),
        ({"slow": 1, "p2p": 0.5}, "27.3 %; but stage 1 takes 1.5 times as long and a transfer takes 6000 ns."),
    ],
)
def test_the_formula_stands_beside_the_simulation(settings, sentence):
    shown = Stages(**settings)
    assert shown.data["sentences"][1].endswith(sentence)
    assert f"the bubble is {100 * shown.run.bubble:.1f} %" in shown.data["sentences"][0]


@pytest.mark.parametrize("order", ["gpipe", "1f1b", "interleaved"])
def test_what_a_stage_keeps_is_what_the_formula_says(order):
    rows = Stages(order).data["rows"]
    assert [row[3] for row in rows] == [row[2] for row in rows]
    if order == "1f1b":
        assert [row[3] for row in rows] == ["4", "3", "2", "1"]


def test_repr_and_summary_are_fixed():
    shown = Stages()
    assert repr(shown) == f"Stages({shown.run!r})"
    text = shown._repr_mimebundle_()[0]["text/plain"]
    assert text.endswith(shown.summary())
    head, *rows = shown.summary().splitlines()[2:]
    assert head == "stage    idle  keeps at most  by formula"
    assert [row.split() for row in rows] == [[str(s), "27.3", "%", str(4 - s), str(4 - s)] for s in range(4)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": "1F1B"}, "did you mean '1f1b'"),
        ({"stages": 0}, "stages is 0"),
        ({"stages": 17}, "stages is 17; this view shows 16 at most"),
        ({"micro_batches": 65}, "micro_batches is 65; this view shows 64 at most"),
        ({"virtual": 1.5}, "virtual is 1.5"),
        ({"ratio": -1}, "ratio is -1"),
        ({"p2p": "slow"}, "p2p is 'slow'"),
        ({"slow": 4}, "slow is 4; stages are 0 to 3."),
        ({"slow": -1}, "slow is -1"),
        ({"order": "interleaved", "micro_batches": 6}, "must be a multiple of 4: 4 or 8"),
        ({"speed": 3}, "unknown setting 'speed'"),
    ],
)
def test_settings_that_cannot_be_shown(settings, message):
    with pytest.raises(ConfigError, match=message):
        Stages(**settings)


def test_a_page_of_its_own(tmp_path):
    shown = Stages("gpipe", 3, 5, time=24_000)
    text = shown.save_html(tmp_path / "stages.html").read_text(encoding="utf-8")
    assert text == shown.page()
    [state] = json.loads(text.split('id="astra-states">')[1].split("</script>")[0])
    assert (state["order"], state["time"], state["live"]) == ("gpipe", 24_000, False)
    assert state["data"]["spans"] == shown.data["spans"]
    assert shown.data["sentences"][0] in text
    assert "src=" not in text
    with pytest.raises(ConfigError, match="can't be written"):
        shown.save_html(tmp_path)


def test_the_cursor_stays_inside_the_run():
    shown = Stages(micro_batches=64)
    shown.time = shown.run.total_ns
    shown.micro_batches = 4
    assert shown.time == shown.run.total_ns


def test_an_order_of_ones_own_is_told_where_it_is_added():
    with pytest.raises(ConfigError, match=r"@ae\.ORDERS\.add\('name'\) adds one of yours"):
        Stages(ORDERS["gpipe"])
