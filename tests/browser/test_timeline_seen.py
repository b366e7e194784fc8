"""What a person sees of a timeline, against the run: bars by the axis and the lanes' names, looks by the legend."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("anywidget")

from recorded_runs import run as recorded

import astra_edu as ae
from astra_edu.base.units import format_ns
from astra_edu.course.widgets import Timeline
from astra_edu.run.lanes import lanes
from astra_edu.workload import Layer, Work
from browser.looking import SCHEMES, legend, recording, texts
from browser.timeline_picture import Picture

pytestmark = pytest.mark.browser

FORWARD, GRADIENT, NOTHING = Work(20_000, None, 0), Work(40_000, "all-reduce", 2**20), Work(30_000, None, 0)
LAYERS = [Layer(f"layer {k}", FORWARD, NOTHING, GRADIENT) for k in range(3)]
TORUS = ae.preset("torus")
LOOP = ae.simulate(ae.Workload("DATA", LAYERS), TORUS)
SIDE_BY_SIDE = ae.simulate(
    ae.Workload("DATA", LAYERS), replace(TORUS, system=replace(TORUS.system, active_chunks=3, splits=4))
)
PIPELINE = ae.run_pipeline("gpipe", 2, 3, 10_000, 20_000)
LINKS = recorded(ae.Block("Ring", 4, 50, 500), "ring")
LETTERS = {
    **{"forward": "F", "input gradient": "IG", "weight gradient": "WG", "exposed communication": "E"},
    **{"reduce-scatter": "RS", "all-gather": "AG", "all-reduce": "AR", "all-to-all": "A2A", "backward": "B"},
    **{"compute": "", "bubble": "", "message": "", "send": "", "receive": ""},
}
INK = {"light": "rgb(27, 27, 27)", "dark": "rgb(236, 236, 236)"}
INKS = {
    scheme: {ink, "#" + "".join(f"{int(part):02x}" for part in ink[4:-1].split(","))} for scheme, ink in INK.items()
}


@pytest.fixture
def show(open_page):
    def shown(result, scheme="light", **traits):
        return open_page(recording(Timeline(result, **traits).page()), color_scheme=scheme)

    return shown


def labels(span):
    """What may be written on a bar."""
    letters = LETTERS[span.kind]
    if span.chunk is not None:
        long, short = f"{span.layer} {span.phase}, chunk {span.chunk}", f"{letters} {span.chunk}"
        return {long, f"{span.layer} {short}", short, letters}
    if span.layer:
        brief = span.layer.removeprefix("micro-batch ") if span.layer.startswith("micro-batch ") else "-"
        words = {
            f"{span.layer} {span.kind}",
            f"{span.layer} {letters}",
            f"{letters} {brief}",
            brief,
            letters,
            span.layer,
        }
        return words - {"-", ""}
    return {span.kind, span.kind.split()[0], letters}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("result", [LOOP, SIDE_BY_SIDE], ids=["one chunk at a time", "three"])
def test_a_bar_for_every_span_in_its_lane_and_its_legends_look(show, result, scheme):
    page = show(result, scheme)
    picture, looks, seen = Picture(page), legend(page, ".astra-timeline .astra-legend .astra-key"), 0
    assert set(looks) == {span.kind for lane in lanes(result) for row in lane.rows for span in row}
    for name, (_, hatch, letters) in looks.items():
        assert bool(hatch) == (name != "forward")
        assert letters == ([LETTERS[name]] if LETTERS[name] else [])
    for lane in lanes(result):
        for row, spans in enumerate(lane.rows):
            for span in spans:
                if picture.x(span.end_ns) - picture.x(span.start_ns) < 5:
                    continue
                found = picture.at(picture.band(lane.name), row, len(lane.rows), span.start_ns, span.end_ns)
                fill, hatch, _ = looks[span.kind]
                assert [e["style"] for e in found][:1] == [fill], (lane.name, span)
                assert (hatch in [e["style"] for e in found]) or not hatch
                assert found[0]["alpha"] == 1
                seen += 1
    assert seen > 20


@pytest.mark.parametrize("result", [LOOP, PIPELINE], ids=["loop", "pipeline"])
def test_what_is_written_on_a_bar_is_of_its_span(show, result):
    picture, seen = Picture(show(result)), 0
    for lane in lanes(result):
        if lane.name == "dimension 1" or "bubble" in lane.name:
            continue
        name = lane.name if result is LOOP else f"stage {lane.npu}"
        for span in lane.rows[0] if len(lane.rows) == 1 else []:
            wide = picture.x(span.end_ns) - picture.x(span.start_ns)
            on_it = {e["text"] for e in picture.written(picture.band(name), span.start_ns, span.end_ns)}
            assert on_it <= labels(span), (lane.name, span)
            assert on_it or wide < 30
            seen += len(on_it)
    assert seen > 5


def test_lanes_are_named_from_top_to_bottom_with_their_share_of_the_run(show):
    picture = Picture(show(LOOP))
    left = [e for e in picture.texts if e["box"][0] < 1 and e["box"][1] > 20]
    names, shares = left[::2], left[1::2]
    assert [e["text"] for e in names] == [lane.name for lane in lanes(LOOP)]
    wanted = [f"{100 * lane.busy_ns / LOOP.total_ns:.1f} % of the run" for lane in lanes(LOOP)]
    assert [e["text"] for e in shares] == wanted
    assert [e["box"][1] for e in left] == sorted(e["box"][1] for e in left)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_words_are_in_the_ink_of_the_theme_and_those_on_bars_dark(show, scheme):
    picture = Picture(show(LOOP, scheme))
    for entry in picture.texts:
        on_a_bar = entry["box"][0] > 172 and entry["box"][1] > 20
        assert entry["style"] in ({"#1b1b1b"} if on_a_bar else INKS[scheme]), entry["text"]


def test_stages_have_a_line_each_with_their_share_and_bubbles_are_seen_through(show):
    page = show(PIPELINE)
    picture = Picture(page)
    for stage in (0, 1):
        band = picture.band(f"stage {stage}")
        spans = [span for span in PIPELINE.timeline if span.npu == stage]
        busy = sum(s.end_ns - s.start_ns for s in spans if s.kind != "bubble")
        share = [e["text"] for e in picture.texts if band[0] < e["box"][1] + 6 < band[0] + band[1] and "%" in e["text"]]
        assert share == [f"{100 * busy / PIPELINE.total_ns:.1f} %"]
        for span in spans:
            found = picture.at(band, 0, 1, span.start_ns, span.end_ns)
            assert found[0]["alpha"] == pytest.approx(0.28 if span.kind == "bubble" else 1)
    assert picture.band("stage 0")[0] < picture.band("stage 1")[0]


def test_what_is_highlighted_is_strong_and_the_rest_pale(show):
    picture = Picture(show(LOOP, highlight="layer 1"))
    for lane in lanes(LOOP)[:3]:
        for row, spans in enumerate(lane.rows):
            for span in spans:
                found = picture.at(picture.band(lane.name), row, len(lane.rows), span.start_ns, span.end_ns)
                if picture.x(span.end_ns) - picture.x(span.start_ns) > 5:
                    assert found[0]["alpha"] == pytest.approx(1 if span.layer == "layer 1" else 0.22)


def test_the_axis_and_the_strip_above_say_which_part_is_shown(show):
    total = LOOP.total_ns
    window = (total / 4, total / 2)
    page = show(LOOP, window=window)
    picture = Picture(page)
    steps = {round(b[0] - a[0], 6) for a, b in zip(picture.ticks, picture.ticks[1:], strict=False)}
    assert len(steps) == 1
    assert picture.x(window[0]) == pytest.approx(172, abs=0.1)
    whole = next(e["box"] for e in picture.fills() if abs(e["alpha"] - 0.15) < 1e-6)
    part = next(e["box"] for e in picture.fills() if abs(e["alpha"] - 0.75) < 1e-6 and e["box"][3] == pytest.approx(3))
    assert (part[0] - whole[0]) / whole[2] == pytest.approx(0.25, abs=1e-3)
    assert part[2] / whole[2] == pytest.approx(0.25, abs=1e-3)
    assert picture.x(window[1]) == pytest.approx(whole[0] + whole[2], abs=0.1)
    where = page.locator(".astra-where").inner_text()
    assert where == " to ".join(f"{round(time) / 1000:,.3f} µs" for time in window)
    assert page.locator(".astra-title").inner_text() == f"{format_ns(total)} in all"


def test_whoever_is_clicked_is_framed_with_its_chunks_way_and_its_waiting(show):
    page = show(LOOP)
    picture = Picture(page)
    waiting = [s for s in LOOP.timeline if s.chunk is not None and picture.x(s.start_ns) - picture.x(s.queued_ns) > 6]
    lane_of = {lane.name: lane for lane in lanes(LOOP)}
    span = next(s for s in waiting if picture.x(s.end_ns) - picture.x(s.start_ns) > 8)
    lane = lane_of[span.lane]
    row = next(k for k, spans in enumerate(lane.rows) if span in spans)
    top, high = picture.band(lane.name)
    high /= len(lane.rows)
    box = page.locator(".astra-plot").bounding_box()
    x = (picture.x(span.start_ns) + picture.x(span.end_ns)) / 2
    page.mouse.click(box["x"] + x, box["y"] + top + (row + 0.5) * high)
    page.mouse.move(2, 2)
    picture = Picture(page)
    frames = [e for e in picture.entries if e["what"] == "frame"]
    [solid] = [e for e in frames if not e["dash"] and e["style"] in INKS["light"]]
    assert solid["box"][0] + 1.5 == pytest.approx(picture.x(span.start_ns), abs=0.1)
    assert solid["box"][0] + solid["box"][2] - 1.5 == pytest.approx(picture.x(span.end_ns), abs=0.1)
    assert solid["box"][1] + 1.5 == pytest.approx(top + row * high)
    way = [s for s in LOOP.timeline if (s.chunk, s.layer, s.work) == (span.chunk, span.layer, span.work)]
    dashed = sorted(e["box"][0] + 1 for e in frames if e["dash"])
    assert dashed == pytest.approx(sorted(picture.x(s.start_ns) for s in way), abs=0.1)
    line = [e["box"] for e in picture.fills() if e["alpha"] == 1 and e["box"][3] == pytest.approx(1.5)]
    ends = (picture.x(span.queued_ns), picture.x(span.start_ns) - picture.x(span.queued_ns))
    assert [tuple(b[0::2]) for b in line if b[2] > 2] == [pytest.approx(ends, abs=0.1)]
    facts = dict(zip(page.locator("dt").all_inner_texts(), page.locator("dd").all_inner_texts(), strict=True))
    assert facts["on"] == span.lane
    place = sorted(s.start_ns for s in way).index(span.start_ns) + 1
    assert facts["chunk"] == f"{span.chunk}, phase {place} of {len(way)}"
    assert facts["waited"].replace(",", "") == format_ns(span.start_ns - span.queued_ns)
    assert facts["starts"].split()[0] == f"{span.start_ns / 1000:,.3f}"
    assert facts["ends"].split()[0] == f"{span.end_ns / 1000:,.3f}"


def test_the_table_has_what_its_columns_are_called(show):
    page = show(LOOP)
    page.locator("summary").click()
    page.locator("tbody tr").last.wait_for()
    assert page.locator("thead th").all_inner_texts() == ["lane", "spans", "busy", "of the time"]
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("tbody tr").all()]
    assert [row[0] for row in rows] == [lane.name for lane in lanes(LOOP)]
    for row, lane in zip(rows, lanes(LOOP), strict=True):
        assert row[1] == str(lane.spans)
        assert row[3] == f"{100 * lane.busy_ns / LOOP.total_ns:.1f} %"


def test_a_triangle_says_whether_an_npus_lanes_are_open(show):
    page = show(LINKS)
    box = page.locator(".astra-plot").bounding_box()
    picture = Picture(page)
    names = [e for e in picture.texts if e["box"][0] == pytest.approx(13) and e["box"][1] > 20]
    assert [e["text"] for e in names] == ["NPU 0", "NPU 1", "NPU 2", "NPU 3", "links, busiest first"]
    assert {e["text"] for e in picture.texts if e["box"][0] < 1 and e["box"][1] > 20} == {"▸"}
    second = names[1]["box"]
    page.mouse.click(box["x"] + 20, box["y"] + second[1] + 6)
    picture = Picture(page)
    signs = sorted((e["box"][1], e["text"]) for e in picture.texts if e["box"][0] < 1 and e["box"][1] > 20)
    assert [sign for _, sign in signs] == ["▸", "▾", "▸", "▸", "▸"]
    names = [e["text"] for e in picture.texts if e["box"][0] == pytest.approx(13) and e["box"][1] > 20]
    opened = [lane.name for lane in lanes(LINKS) if lane.npu == 1]
    assert names[1].startswith("NPU 1, ")
    assert [name.removesuffix("…") for name in names[2 : 1 + len(opened)]] == [
        ("exposed" if name.startswith("exposed") else name)[: len(shown.removesuffix("…"))]
        for name, shown in zip(opened[1:], names[2:], strict=False)
    ]
    assert names[1 + len(opened)] == "NPU 2"


def test_spans_narrower_than_a_pixel_fill_their_column_as_much_as_their_time(show):
    run = ae.run_pipeline("gpipe", 2, 2000, 10, 20)
    picture = Picture(show(run))
    band = picture.band("stage 1")
    columns = [
        e
        for e in picture.fills()
        if e["box"][2] == 1 and band[0] <= e["box"][1] < band[0] + band[1] and e["box"][0] > 175
    ]
    assert len(columns) > 500
    bottom = [e["box"][1] + e["box"][3] for e in columns]
    assert max(bottom) <= band[0] + band[1] + 0.01
    at = picture.x(run.total_ns / 4)
    first = [e for e in columns if abs(e["box"][0] - at) < 1]
    assert texts(picture.entries)["stage 1"]
    assert {e["style"] for e in first} == {"#57ad88"}  # forward in the first third, backward after it
    later = [e for e in columns if abs(e["box"][0] - picture.x(run.total_ns * 0.7)) < 1]
    assert {e["style"] for e in later} == {"#c3c9f2"}
