"""What a person sees of a pipeline's stages, against the run: bars on the canvas by the axis beside them, and words."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.widgets.stages import RATIOS, TRANSFERS, Stages
from browser.looking import SCHEMES, colour, drawn, legend, numbers, recording, script, texts

pytestmark = pytest.mark.browser

WIDGETS = {
    "one": Stages("1f1b", 4, 8),
    "slow": Stages("gpipe", 3, 4, p2p=0.25, slow=1),
    "virtual": Stages("interleaved", 2, 4, virtual=2),
    "many": Stages("gpipe", 12, 4),
}
CANVAS = ".astra-stages .astra-plot canvas"
LETTERS = {"F": "forward", "B": "backward"}
READ = script("stages")


@pytest.fixture
def show(open_page):
    def shown(name, time=None, scheme="light"):
        widget = WIDGETS[name]
        widget.time = widget.run.total_ns if time is None else time
        return open_page(recording(widget.page()), color_scheme=scheme)

    return shown


class Picture:
    """The canvas as a person reads it: times by the axis, stages by the names of their lanes."""

    def __init__(self, page) -> None:
        self.entries = drawn(page, CANVAS)
        self.texts = [entry for entry in self.entries if entry["what"] == "text"]
        places = texts(self.entries)
        self.unit = {"ns": 1, "µs": 1000}[next(text for text in places if text.startswith("time, ")).split()[-1]]
        on_top = [(e["text"].replace(",", ""), e["box"]) for e in self.texts if e["box"][1] < 20]
        ticks = [(float(text), box[0] + box[2] / 2) for text, box in on_top if text.replace(".", "").isdigit()]
        (first, left), (last, right) = ticks[0], ticks[-1]
        self.start, self.scale = left - first * (right - left) / (last - first), (right - left) / (last - first)
        self.ticks = ticks
        self.lanes = {int(text[6:]): box[1] + box[3] / 2 for text, box in places.items() if text.startswith("stage ")}

    def x(self, ns):
        return self.start + ns / self.unit * self.scale

    def fills(self, stage, least=12):
        """The filled boxes in a stage's lane, as (left, width, entry)."""
        y = self.lanes[stage]
        inside = [e for e in self.entries if e["what"] == "fill" and e["box"][1] < y < e["box"][1] + e["box"][3]]
        return [(e["box"][0], e["box"][2], e) for e in inside if least <= e["box"][3] < 40]

    def written(self, stage):
        return [e for e in self.texts if abs(e["box"][1] + 6 - self.lanes[stage]) < 3]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", ["one", "slow"])
def test_a_bar_for_every_pass_from_its_start_to_its_end_in_its_legends_look(show, name, scheme):
    page, run = show(name, scheme=scheme), WIDGETS[name].run
    picture, looks = Picture(page), legend(page, ".astra-legend .astra-key")
    assert list(looks) == ["forward", "backward"]
    assert looks["forward"][1:] == ("", ["F"])
    assert looks["backward"][2] == ["B"]
    assert looks["backward"][1] != ""
    for stage in range(run.stages):
        fills = picture.fills(stage)
        passes = [f for f in fills if f[2]["style"] in (looks["forward"][0], looks["backward"][0])]
        mine = [span for span in run.spans if span.stage == stage]
        assert len(passes) == len(mine)
        for span in mine:
            left, wide = picture.x(span.start_ns), picture.x(span.end_ns) - picture.x(span.start_ns)
            found = [
                f[2]["style"] for f in fills if f[:2] == (pytest.approx(left, abs=0.1), pytest.approx(wide, abs=0.1))
            ]
            fill, hatch, _ = looks[LETTERS[span.kind]]
            assert found[: 2 if hatch else 1] == ([fill, hatch] if hatch else [fill])
            assert hatch in found or not hatch


@pytest.mark.parametrize("name", WIDGETS)
def test_what_is_written_on_a_bar_is_its_part_of_the_model_and_its_micro_batch(show, name):
    page, run = show(name), WIDGETS[name].run
    picture = Picture(page)
    for stage in range(run.stages):
        for span in (span for span in run.spans if span.stage == stage):
            left, right = picture.x(span.start_ns), picture.x(span.end_ns)
            middle = (left + right) / 2
            on_it = [e for e in picture.written(stage) if abs(e["box"][0] + e["box"][2] / 2 - middle) < 1]
            part = span.virtual_stage * run.stages + stage
            letter = "ab"[span.virtual_stage] if run.virtual > 1 else ""
            wanted = [f"{span.kind} {part},{span.micro_batch}", f"{span.micro_batch}{letter}"]
            assert [e["text"] for e in on_it if e["text"] in wanted], (stage, span, [e["text"] for e in on_it])
            assert {e["text"] for e in on_it} <= set(wanted)
            assert {e["style"] for e in on_it} == {"#1b1b1b"}


def test_stages_are_named_from_0_from_top_to_bottom(show):
    for name, count in (("one", 4), ("many", 12)):
        lanes = Picture(show(name)).lanes
        assert list(lanes) == list(range(count))
        assert list(lanes.values()) == sorted(lanes.values())


def test_later_virtual_stages_are_paler(show):
    picture, run = Picture(show("virtual")), WIDGETS["virtual"].run
    shades = {}
    for span in run.spans:
        left = picture.x(span.start_ns)
        fills = [f[2] for f in picture.fills(span.stage) if f[0] == pytest.approx(left, abs=0.1)]
        solid = next(fill["style"] for fill in fills if fill["alpha"] == 1)
        shades.setdefault((span.kind, span.virtual_stage), set()).add(solid)
    assert {len(found) for found in shades.values()} == {1}
    bright = {key: _brightness(min(found)) for key, found in shades.items()}
    assert bright["F", 0] < bright["F", 1]
    assert bright["B", 0] < bright["B", 1]


def _brightness(style):
    return sum(int(style[k : k + 2], 16) for k in (1, 3, 5)) if style.startswith("#") else sum(numbers(style))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_where_nothing_runs_a_lane_is_only_tinted(show, scheme):
    picture, run = Picture(show("one", scheme=scheme)), WIDGETS["one"].run
    ink = {"light": "#1b1b1b", "dark": "#ececec"}[scheme]
    for stage in range(run.stages):
        ground = [f for f in picture.fills(stage) if f[2]["alpha"] < 0.2]
        assert [(f[2]["style"], f[2]["alpha"]) for f in ground] == [(ink, pytest.approx(0.1))]
        assert ground[0][0] == pytest.approx(picture.x(0), abs=0.1)
        assert ground[0][0] + ground[0][1] == pytest.approx(picture.x(run.total_ns), abs=0.1)


@pytest.mark.parametrize("name", ["one", "virtual", "slow"])
def test_the_bars_at_the_right_are_what_is_kept_in_a_frame_of_the_most(show, name):
    run = WIDGETS[name].run
    for time in (0, 40_000, 100_000):
        picture = Picture(show(name, time))
        assert "micro-batches kept, of most" in texts(picture.entries)
        longest = max(run.in_flight)
        for stage in range(run.stages):
            mine = [span for span in run.spans if span.stage == stage]
            begun = {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "F" and s.start_ns <= time}
            kept = len(begun - {(s.virtual_stage, s.micro_batch) for s in mine if s.kind == "B" and s.end_ns <= time})
            words = f"{kept / run.virtual:g} of {run.in_flight[stage]:g}"
            assert [e["text"] for e in picture.written(stage)][-1] == words
            frames = [e["box"] for e in picture.entries if e["what"] == "frame" and e["wide"] == pytest.approx(1.2)]
            frame = next(box for box in frames if box[1] < picture.lanes[stage] < box[1] + box[3])
            whole = max(box[2] for box in frames)
            assert frame[2] == pytest.approx(whole * run.in_flight[stage] / longest)
            fill = next(f for f in picture.fills(stage, 10) if f[0] == frame[0])
            assert fill[1] == pytest.approx(whole * kept / run.virtual / longest)
            assert fill[2]["style"] == "#e69f00"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_cursor_is_where_the_axis_says(show, scheme):
    for time in (0, 50_000, 211_000):
        page = show("one", time, scheme)
        picture = Picture(page)
        cursor = [e for e in picture.entries if e["what"] == "fill" and e["box"][2] == 2 and e["box"][3] > 100]
        assert cursor[-1]["box"][0] + 1 == pytest.approx(picture.x(time), abs=0.1)
        assert cursor[-1]["style"] == {"light": "#1b1b1b", "dark": "#ececec"}[scheme]
        now = page.evaluate(READ)
        assert now["slider"] == [time, 396_000]
        assert now["where"] == f"{time / 1000:.3f} µs of 396.000 µs"
        assert now["caption"] == f"At {time / 1000:.3f} µs"


def test_ticks_stand_at_their_times_with_a_line(show):
    for name in WIDGETS:
        picture, run = Picture(show(name)), WIDGETS[name].run
        steps = {round(b[0] - a[0], 6) for a, b in zip(picture.ticks, picture.ticks[1:], strict=False)}
        assert len(steps) == 1
        assert picture.ticks[0][0] == 0
        for value, x in picture.ticks:
            assert x == pytest.approx(picture.x(value * picture.unit))
            lines = [e["box"] for e in picture.entries if e["what"] == "fill" and e["box"][2] == pytest.approx(1)]
            assert any(box[0] + 0.5 == pytest.approx(x) and box[3] > 50 for box in lines)
        last = max(span.end_ns for span in run.spans)  # the run ends where the lanes' ground ends
        ground = next(f for f in picture.fills(0) if f[2]["alpha"] < 0.2)
        assert picture.x(last) == pytest.approx(ground[0] + ground[1], abs=0.5)


@pytest.mark.parametrize("name", ["one", "virtual", "slow"])
def test_every_column_of_the_table_has_what_it_is_called(show, name):
    widget = WIDGETS[name]
    now, run = show(name, 40_000).evaluate(READ), widget.run
    assert now["head"] == [
        *("stage", "now", "keeps activations of micro-batches", "now", "at most", "by formula", "idle in all")
    ]
    for stage, row in enumerate(now["rows"]):
        assert row[0] == f"stage {stage}"
        assert row[4] == f"{run.in_flight[stage]:g}"
        assert row[6] == f"{100 * run.idle_shares[stage]:.1f} %"
        kept = row[2].replace("nothing", "")
        assert (kept == "") == (float(row[3]) == 0)
        assert ("a: " in kept) == (name == "virtual" and kept != "")
    assert now["words"].startswith(
        f"{run.total_ns / 1000:,.3f} µs in all; the bubble is {100 * run.bubble:.1f} % of it."
    )
    assert now["title"] == f"{run.order}: {run.stages} stages, {run.micro_batches} micro-batches"


def test_the_controls_say_what_is_set(show):
    orders = list(ae.ORDERS)
    assert show("slow").evaluate(READ)["controls"] == [
        ["order", "gpipe", orders],
        ["stages", "3", [1, 3, 16]],
        ["micro-batches", "4", [1, 4, 64]],
        ["virtual stages", "2", [1, 2, 4]],
        ["backward", "2 × forward", [0, RATIOS.index(2), 4]],
        ["transfer", "25 % of forward", [0, TRANSFERS.index(0.25), 5]],
        ["slow stage", "stage 1", ["none", "stage 0", "stage 1", "stage 2"]],
    ]
    found = {name: said for name, said, _ in show("one").evaluate(READ)["controls"]}
    assert (found["transfer"], found["slow stage"], found["order"]) == ("takes no time", "none", "1f1b")


def test_the_legend_says_what_letters_and_paleness_mean_where_there_are_any(show):
    cells = "F k,n: micro-batch n through part k of the model; a number alone: the micro-batch"
    assert show("one").evaluate(READ)["legend"] == ["grey: bubble", cells]
    paler = "letters and paler cells: the stage's virtual stages"
    assert show("virtual").evaluate(READ)["legend"] == ["grey: bubble", cells, paler]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_are_in_the_ink_of_the_theme(show, scheme):
    page = show("one", scheme=scheme)
    ink = {"light": "#1b1b1b", "dark": "#ececec"}[scheme]
    names = [e for e in Picture(page).texts if e["text"].startswith("stage ")]
    assert {e["style"] for e in names} == {ink}
    back = page.evaluate("getComputedStyle(document.querySelector('.astra-stages')).backgroundColor")
    assert back == colour("paper", scheme)
