"""The timeline in a browser, from a file, with no kernel and no network; and once in JupyterLab."""

from __future__ import annotations

import json
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")

from course.widgets.test_timeline import EIGHT_AT_ONCE, GPT, THEMIS, VGG

import astra_edu as ae
from astra_edu.base.intervals import covered
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.widgets import Timeline
from astra_edu.run.lanes import interval, lanes

pytestmark = pytest.mark.browser

VIEW = "document.querySelector('.astra-timeline').astraTimeline"
MIDDLE = f"""(i) => {{
  const view = {VIEW}, {{ run }} = view, track = run.track(i), lane = run.lanes[track.lane];
  return [view.x((run.start[i] + run.end[i]) / 2), lane.y + (track.row + 0.5) * lane.row];
}}"""


@pytest.fixture
def show(open_page):
    def shown(result, focus=True, options=None, **traits):
        page = open_page(Timeline(result, **traits).page(), **(options or {}))
        if focus:
            page.locator(".astra-plot").focus()
        frame(page)
        return page

    return shown


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def window(page):
    return page.evaluate(f"[{VIEW}.from, {VIEW}.to]")


def spans(result, lane):
    """The spans of a lane in time order, as (start, end)."""
    return sorted(interval(span) for one in lanes(result) if one.name == lane for row in one.rows for span in row)


def focused(page):
    return page.evaluate(f"(({{ focus, run }}) => focus === null ? null : [run.start[focus], run.end[focus]])({VIEW})")


def point_at(page, span):
    """Put the pointer on the middle of a span, given by its number."""
    box = page.locator(".astra-plot").bounding_box()
    x, y = page.evaluate(MIDDLE, span)
    page.mouse.move(box["x"] + x, box["y"] + y)
    frame(page)


def number(page, lane, start):
    """The number of the span of a lane that starts then."""
    return page.evaluate(
        f"""([name, start]) => {{
          const {{ run }} = {VIEW}, lane = run.lanes.findIndex((lane) => lane.name === name);
          return Array.from(run.start.keys()).find((i) => run.track(i).lane === lane && run.start[i] === start);
        }}""",
        [lane, start],
    )


def colour(page, x, y):
    return page.evaluate(
        f"([x, y]) => [...{VIEW}.context.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data]", [x, y]
    )


def picture(page):
    frame(page)
    return page.evaluate(f"{VIEW}.canvas.toDataURL()")


def test_nothing_moves_by_itself(show):
    page = show(VGG)
    before = picture(page)
    page.wait_for_timeout(400)
    assert picture(page) == before
    assert window(page) == [0, VGG.total_ns]
    assert page.evaluate("astraModels[0].get('window')") is None


@pytest.mark.parametrize("result", [VGG, GPT], ids=repr)
def test_the_bars_are_where_the_spans_are(show, result):
    page = show(result, options={"color_scheme": "light"})
    fills = {"forward": (0x57, 0xAD, 0x88), "input gradient": (0xF3, 0xE7, 0x9B), "weight gradient": (0xE2, 0xB6, 0xD2)}
    scale = page.evaluate(f"{VIEW}.scale")
    wide = [s for s in result.timeline if s.lane == "compute" and (s.end_ns - s.start_ns) * scale > 3]
    assert len(wide) > 10
    y = page.evaluate(f"{VIEW}.run.lanes[0].y") + 3
    for span in wide:
        x = page.evaluate(f"(time) => {VIEW}.x(time)", (span.start_ns + span.end_ns) / 2)
        assert fills[span.work] in [
            tuple(colour(page, x, y + down)[:3]) for down in range(4)
        ]  # or a stroke of the hatch
    idle = [(start, end) for start, end in spans(result, "exposed communication") if (end - start) * scale > 3]
    for start, end in idle:
        x = page.evaluate(f"(time) => {VIEW}.x(time)", (start + end) / 2)
        assert colour(page, x, y)[3] < 80


def test_keys_zoom_and_move_inside_the_run(show):
    page, total = show(VGG), VGG.total_ns
    page.keyboard.press("+")
    assert window(page) == [total / 4, 3 * total / 4]
    page.keyboard.press("ArrowRight")
    assert window(page) == pytest.approx([0.3 * total, 0.8 * total])
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    assert window(page) == pytest.approx([total / 2, total])
    page.keyboard.press("Home")
    assert window(page) == pytest.approx([0, total / 2])
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert window(page) == [0, total]
    for _ in range(40):
        page.keyboard.press("+")
    start, end = window(page)
    assert end - start == pytest.approx(2)
    page.wait_for_function("astraModels[0].get('window')?.length === 2")
    page.keyboard.press("0")
    page.wait_for_function("astraModels[0].get('window') === null")


def test_buttons(show):
    page, total = show(VGG, focus=False), VGG.total_ns
    for name, expected in [
        ("Zoom in", [total / 4, 3 * total / 4]),
        ("Later", [total / 2, total]),
        ("Earlier", [total / 4, 3 * total / 4]),
        ("Zoom out", [0, total]),
        ("Zoom in", [total / 4, 3 * total / 4]),
        ("Whole run", [0, total]),
    ]:
        page.get_by_role("button", name=name, exact=True).click()
        assert window(page) == pytest.approx(expected)


def test_dragging_moves_and_the_wheel_zooms_where_the_pointer_is(show):
    page = show(VGG, window=(2_000_000, 3_000_000))
    box = page.locator(".astra-plot").bounding_box()
    at = f"{VIEW}.time(700)"
    page.mouse.move(box["x"] + 700, box["y"] + 100)
    before = page.evaluate(at)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 120, steps=4)
    page.mouse.up()
    frame(page)
    assert page.evaluate(f"{VIEW}.time(500)") == pytest.approx(before)
    page.mouse.move(box["x"] + 700, box["y"] + 100)
    held, (start, end) = page.evaluate(at), window(page)
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"{VIEW}.to - {VIEW}.from < {0.9 * (end - start)}")
    frame(page)
    assert page.evaluate(at) == pytest.approx(held)


def test_without_focus_the_wheel_moves_the_page(show):
    page = show(VGG, focus=False, options={"viewport": {"width": 1000, "height": 300}})
    box = page.locator(".astra-plot").bounding_box()
    page.mouse.move(box["x"] + 500, box["y"] + 50)
    page.mouse.wheel(0, 60)
    page.wait_for_function("scrollY > 0")
    assert window(page) == [0, VGG.total_ns]


def test_pointing_at_a_span_tells_its_facts(show):
    page = show(VGG, focus=False)
    span = max((s for s in VGG.timeline if s.phase == "all-reduce"), key=lambda s: s.end_ns - s.start_ns)
    point_at(page, number(page, span.lane, span.start_ns))
    text = page.locator(".astra-facts").inner_text().replace("\n", " ")
    assert text.startswith(f"{span.layer}, weight gradient: all-reduce")
    for name, value in [
        ("on", span.lane),
        ("collective", "all-reduce"),
        ("chunk", f"{span.chunk}, phase 2 of 3"),
        ("brings", format_bytes(span.size)),
        ("waited", format_ns(span.start_ns - span.queued_ns)),
        ("starts", format_ns(span.start_ns)),
        ("ends", format_ns(span.end_ns)),
        ("lasts", format_ns(span.end_ns - span.start_ns)),
    ]:
        assert f"{name} {value}" in text
    assert page.locator(".astra-said").inner_text() == ""  # not read out while the pointer passes
    page.mouse.move(5, 5)
    frame(page)
    assert page.locator(".astra-facts").inner_text().startswith("Point at a span")


def test_exposed_time_says_what_the_network_did(show):
    page = show(VGG, focus=False)
    start, end = max(spans(VGG, "exposed communication"), key=lambda span: span[1] - span[0])
    point_at(page, number(page, "exposed communication", start))
    text = page.locator(".astra-facts").inner_text().replace("\n", " ")
    for d in range(2):
        inside = [(max(start, a), min(end, b)) for a, b in spans(VGG, f"dimension {d}") if b > start and a < end]
        assert f"dimension {d} busy {100 * covered(inside) / (end - start):.1f} %" in text


def test_keys_go_from_span_to_span_and_are_read_out(show):
    page = show(VGG)
    first, second, third = spans(VGG, "compute")[:3]
    page.evaluate(f"{VIEW}.goTo(0)")
    assert focused(page) == list(first)
    for key, expected in [("n", second), ("Shift+ArrowRight", third), ("p", second), ("Shift+ArrowLeft", first)]:
        page.keyboard.press(key)
        assert focused(page) == list(expected)
    assert page.locator(".astra-said").inner_text().startswith(f"{VGG.timeline[0].layer}: forward; on compute, starts")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert focused(page) == list(spans(VGG, "dimension 0")[0])
    page.keyboard.press("Enter")
    start, end = spans(VGG, "dimension 0")[0]
    assert window(page) == pytest.approx([start - (end - start) / 4, end + (end - start) / 4])
    page.keyboard.press("Escape")
    assert focused(page) is None


@pytest.mark.parametrize("result", [VGG, EIGHT_AT_ONCE], ids=repr)
def test_every_span_of_a_lane_is_reached_in_time_order(show, result):
    page = show(result)
    for lane in ("dimension 0", "dimension 1"):
        expected = spans(result, lane)
        page.evaluate(f"(i) => {VIEW}.goTo(i)", number(page, lane, expected[0][0]))
        step = f"{VIEW}.step(1), {VIEW}.focus"
        reached = page.evaluate(f"Array.from({{ length: {len(expected)} }}, () => ({step}))")
        starts = page.evaluate(f"(all) => all.map((i) => {VIEW}.run.start[i])", reached)
        assert len(set(reached)) == len(expected) - 1
        assert starts == [*(start for start, _ in expected[1:]), expected[-1][0]]
        assert window(page)[0] <= expected[-1][0] < window(page)[1]


def test_from_nowhere_the_first_key_finds_a_span_even_without_compute(show):
    for key in ("n", "p", "ArrowDown", "ArrowUp"):
        page = show(THEMIS)
        page.keyboard.press(key)
        assert focused(page) is not None


def test_the_way_of_a_chunk(show):
    page = show(THEMIS)
    chunk = sorted((s for s in THEMIS.timeline if s.chunk == 7), key=lambda s: s.start_ns)
    page.evaluate(f"(i) => {VIEW}.choose(i)", number(page, chunk[2].lane, chunk[2].start_ns))
    way = page.evaluate(f"{VIEW}.way.map((i) => [{VIEW}.run.start[i], {VIEW}.run.end[i]])")
    assert way == [[s.start_ns, s.end_ns] for s in chunk]
    assert "chunk 7, phase 3 of 6" in page.locator(".astra-facts").inner_text().replace("\n", " ")


def test_highlighting_a_layer(show):
    page = show(VGG)
    plain = picture(page)
    page.keyboard.press("/")
    page.keyboard.type("FC")
    ours = [s for s in VGG.timeline if "fc" in s.layer]
    assert page.locator(".astra-found").inner_text() == f"{len(ours)} spans of 2 layers"
    assert page.evaluate("astraModels[0].get('highlight')") == "FC"
    assert picture(page) != plain
    page.keyboard.press("Enter")
    assert focused(page) == list(min((s.start_ns, s.end_ns) for s in ours))
    page.keyboard.press("Escape")
    page.evaluate("astraModels[0].set('highlight', 'fc2')")
    assert page.get_by_label("highlight layer").input_value() == "fc2"
    assert page.locator(".astra-found").inner_text().endswith("of 1 layer")
    page.evaluate("astraModels[0].set('highlight', 'nothing such')")
    assert page.locator(".astra-found").inner_text() == "no such layer"
    page.evaluate(f"astraModels[0].set('highlight', ''), {VIEW}.choose(null)")
    assert picture(page) == plain


def test_the_table_counts_what_is_in_the_window(show):
    start, end = 1_000_000, 3_000_000
    page = show(VGG, window=(start, end))
    page.locator("summary").click()
    page.locator("tbody tr").last.wait_for()
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("tbody tr").all()]
    assert [row[0] for row in rows] == [lane.name for lane in lanes(VGG)]
    for lane, count, busy, share in rows:
        inside = [(max(start, a), min(end, b)) for a, b in spans(VGG, lane) if b > start and a < end]
        assert count == str(len(inside))
        assert share == f"{100 * covered(inside) / (end - start):.1f} %"
        assert busy.replace(".000", "") == format_ns(covered(inside)).replace(".000", "")
    page.get_by_role("button", name="Whole run").click()
    page.wait_for_function("document.querySelector('caption').textContent.includes('6,252.757')")


def test_names_for_assistive_technology(show):
    page = show(VGG)
    assert page.get_by_role("group", name="Timeline: 1 pass of a DATA workload with 16 layers on 256 NPUs").count() == 1
    plot = page.get_by_role("application")
    assert "6,252.757 µs in all, compute 1,831.809 µs, exposed communication" in plot.get_attribute("aria-label")
    assert page.locator(f"#{plot.get_attribute('aria-describedby')}").text_content().startswith("+ −: zoom")
    page.get_by_role("button", name="keys: keyboard and mouse").click()
    assert page.get_by_text("next, previous span of the lane").is_visible()


def test_keys_reach_nobody_else_and_the_pages_own_pass(show):
    page = show(VGG)
    page.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    for key in ("x", "n", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("leaked") == []
    page.keyboard.press("Shift+Enter")
    assert page.evaluate("leaked").count("Enter") == 1


def test_another_run_in_place(show):
    page = show(VGG)
    page.evaluate(f"window.root = {VIEW}.root, {VIEW}.choose(3)")
    other = Timeline(GPT).page().split('id="astra-states">')[1].split("</script>")[0]
    put = "(data) => astraModels[0].set('data', data)"
    page.evaluate(put, json.loads(other)[0]["data"])
    frame(page)
    assert window(page) == [0, GPT.total_ns]
    assert page.locator(".astra-title").inner_text() == "1,655.238 ms in all"
    assert focused(page) is None
    assert page.evaluate("root.isConnected && document.activeElement.classList.contains('astra-plot')")
    page.evaluate("astraModels[0].set('window', [1000, 3000])")
    page.evaluate(put, page.evaluate("JSON.parse(document.getElementById('astra-states').textContent)[0].data"))
    assert window(page) == [1000, 3000]


def test_two_views_of_one_model_share_the_window_and_close_apart(show):
    page = show(VGG)
    page.evaluate("""() => {
      const el = document.body.appendChild(document.createElement("div"));
      window.close2 = astraWidget.render({ model: astraModels[0], el });
    }""")
    page.keyboard.press("+")
    other = "[...document.querySelectorAll('.astra-timeline')].at(-1).astraTimeline.from"
    page.wait_for_function(f"{other} === {VGG.total_ns / 4}")
    page.evaluate("close2()")
    page.keyboard.press("+")
    assert page.locator(".astra-timeline").count() == 1


@pytest.fixture(scope="module")
def asymmetric():
    """64 NPUs, each as fast as its number says, on a torus with congestion, with its chunks and messages."""
    trace = ae.traces.Builder(64)
    first = trace.compute("backward 1", [100 + npu for npu in range(64)])
    reduce = trace.all_reduce("gradients 1", 2**20, after=first)
    trace.compute("update", 20, after=reduce)
    blocks = (ae.Block("Ring", 8, 50, 500), ae.Block("Switch", 8, 50, 500))
    system = ae.TraceSystem.of(["ring", "halvingDoubling"], splits=4, optimization="baseline")
    platform = ae.TracePlatform(blocks, system, congestion_aware=True)
    return ae.simulate(trace.build(), platform, record=True)


def place_of(page, lane):
    """[y, height, hidden, closed] of a lane, by its name."""
    found = f"{VIEW}.run.lanes.find((lane) => lane.name === name)"
    return page.evaluate(f"(name) => (({{ y, height, hidden, closed }}) => [y, height, hidden, closed])({found})", lane)


def test_64_npus_open_closed(show, asymmetric):
    page = show(asymmetric)
    assert page.evaluate(f"{VIEW}.run.groups.length") == 65
    for npu in range(63):
        (y, height, *shown), (below, *_) = (
            place_of(page, f"NPU {npu}, compute"),
            place_of(page, f"NPU {npu + 1}, compute"),
        )
        assert shown == [False, True]
        assert y + height < below  # one line each, none upon another
        assert place_of(page, f"NPU {npu}, exposed communication")[0] == y
        assert place_of(page, f"NPU {npu}, dimension 0")[2]
    plot = page.locator(".astra-plot").bounding_box()
    assert plot["height"] < 650
    assert page.evaluate(f"{VIEW}.plot.scrollHeight") > 1200


def test_the_bars_of_64_npus_are_where_their_computations_are(show, asymmetric):
    page = show(asymmetric, options={"color_scheme": "light"})
    for npu in (0, 20, 63):
        y, *_ = place_of(page, f"NPU {npu}, compute")
        page.evaluate(f"(y) => {{ {VIEW}.plot.scrollTop = y - 100; }}", y)
        frame(page)
        top = page.evaluate(f"{VIEW}.plot.scrollTop")
        end = (100 + npu) * 1000
        for time, fill in ((end - 2000, (0x57, 0xAD, 0x88)), (end + 2000, None)):
            x = page.evaluate(f"(time) => {VIEW}.x(time)", time)
            found = tuple(colour(page, x, y - top + 2)[:3])
            assert (found == fill) if fill else (found != (0x57, 0xAD, 0x88))


def test_an_npu_opens_by_key_and_by_its_name(show, asymmetric):
    page = show(asymmetric)
    page.evaluate(f"(i) => {VIEW}.choose(i)", number(page, "NPU 2, compute", 0))
    page.keyboard.press("o")
    y = [place_of(page, f"NPU 2, {lane}")[0] for lane in ("compute", "exposed communication", "dimension 0")]
    assert y == sorted(set(y))
    assert not place_of(page, "NPU 2, dimension 0")[2]
    assert place_of(page, "NPU 3, compute")[0] > place_of(page, "NPU 2, dimension 1")[0]
    assert "NPU 2: lanes opened" in page.locator(".astra-said").inner_text()
    box, (name, height, *_) = page.locator(".astra-plot").bounding_box(), place_of(page, "NPU 1, compute")
    page.mouse.click(box["x"] + 30, box["y"] + name + height / 2)
    assert not place_of(page, "NPU 1, communication")[2]
    page.get_by_role("button", name="Open or close all NPUs").click()
    assert place_of(page, "NPU 2, dimension 0")[2]
    page.keyboard.press("Escape")


def test_keys_go_down_through_all_npus_and_name_what_they_find(show, asymmetric):
    page = show(asymmetric)
    page.evaluate(f"{VIEW}.look(0, 50_000)")
    for npu in range(64):
        page.keyboard.press("ArrowDown")
        said = page.locator(".astra-said").inner_text()
        assert said.startswith(f"backward 1: compute; on NPU {npu}, compute, starts 0.000 µs")
        assert f"ends {100 + npu}.000 µs" in said
        page.evaluate(f"{VIEW}.look(0, 50_000)")
        page.keyboard.press("ArrowDown")  # the time without compute, in the same line
    y, height, *_ = place_of(page, "NPU 63, compute")
    top, seen = page.evaluate(f"[{VIEW}.plot.scrollTop, {VIEW}.seen]")
    assert top < y < y + height <= top + seen


def test_a_span_of_a_closed_npu_opens_it(show, asymmetric):
    page = show(asymmetric)
    stay = next(span for span in asymmetric.timeline if span.npu == 40 and span.dimension == 1 and span.chunk == 2)
    page.evaluate(f"(i) => {VIEW}.goTo(i)", number(page, "NPU 40, dimension 1", stay.start_ns))
    frame(page)
    assert not place_of(page, "NPU 40, dimension 1")[2]
    text = page.locator(".astra-facts").inner_text().replace("\n", " ")
    assert text.startswith(f"gradients 1{'' if stay.phase == 'all-reduce' else ', all-reduce'}: {stay.phase}")
    for fact in (
        "on NPU 40, dimension 1",
        "collective all-reduce",
        "chunk 2, phase",
        f"brings {format_bytes(stay.size)}",
    ):
        assert fact in text
    way = page.evaluate(f"{VIEW}.way.map((i) => [{VIEW}.run.start[i], {VIEW}.run.end[i]])")
    mine = [s for s in asymmetric.timeline if s.npu == 40 and s.chunk == 2]
    assert way == [[s.start_ns, s.end_ns] for s in sorted(mine, key=lambda s: s.start_ns)]
    page.keyboard.press("Enter")
    start, end = window(page)
    assert start < stay.start_ns < stay.end_ns < end < start + 2 * (stay.end_ns - stay.start_ns)
    box, (y, height, *_) = page.locator(".astra-plot").bounding_box(), place_of(page, "NPU 40, dimension 1")
    top = page.evaluate(f"{VIEW}.plot.scrollTop")
    page.mouse.move(box["x"] + 600, box["y"] + y - top + height / 2)
    frame(page)
    assert page.evaluate(f"{VIEW}.hover === {VIEW}.focus")


def test_the_links_of_a_trace(show, asymmetric):
    page = show(asymmetric)
    link = max(asymmetric.links.itertuples(), key=lambda row: row.busy_ns)
    name = page.evaluate(f"{VIEW}.run.lanes.find(({{ group }}) => group === 64).name")
    uses = [use for use in asymmetric.uses if f"{use.link[0]} → {use.link[1]}" == name]
    assert sum(use.free_ns - use.start_ns for use in uses) == link.busy_ns
    page.evaluate(f"(i) => {VIEW}.goTo(i)", number(page, name, uses[0].start_ns))
    text = page.locator(".astra-facts").inner_text().replace("\n", " ")
    assert text.startswith(f"a message of {format_bytes(uses[0].size)} on {name}")


def test_a_pipeline_has_a_line_for_each_stage(show):
    run = ae.run_pipeline("1f1b", 4, 8, 10_000, 20_000)
    page = show(run)
    assert page.get_by_role("group", name="Timeline: 8 micro-batches through 4 stages, 1f1b").count() == 1
    assert page.locator(".astra-times").inner_text() == f"bubble {100 * run.bubble:.1f} %"
    assert not page.get_by_role("button", name="Open or close all NPUs").is_visible()
    last = max(span for span in run.timeline if span.npu == 2 and span.work == "backward")
    page.evaluate(f"(i) => {VIEW}.goTo(i)", number(page, "stage 2, compute", last.start_ns))
    text = page.locator(".astra-facts").inner_text().replace("\n", " ")
    assert text.startswith(f"{last.layer}: backward on stage 2, compute")
    page.get_by_label("highlight micro-batch").fill("micro-batch 3")
    assert page.locator(".astra-found").inner_text() == "8 spans of 1 micro-batch"


def test_idle_time_narrower_than_a_pixel_is_seen_through_too(show):
    page = show(ae.run_pipeline("gpipe", 2, 1000, 10, 20))
    y, height, *_ = place_of(page, "stage 1, compute")
    assert place_of(page, "stage 1, bubble")[0] == y
    x = page.evaluate(f"{VIEW}.x(0)")  # 10 ns of bubble in a pixel of 35 ns, then compute
    *red_green_blue, alpha = colour(page, x, y + height - 2)
    assert alpha == 255
    assert max(red_green_blue) < 230


def test_in_jupyterlab_another_result_arrives(chromium, lab):
    address, token = lab
    cells = [
        "import astra_edu as ae\n"
        "from astra_edu.course.widgets import Timeline\n"
        "runs = [ae.simulate(ae.Workload.micro('all-reduce', 2**20), ae.preset(name)) for name in ('dgx2', 'tpu')]\n"
        "timeline = Timeline(runs[0])\n"
        "timeline",
        "timeline.result = runs[1]\n_ = timeline.set_trait('window', (100, 1100))\nruns[1]",
    ]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [
            {"cell_type": "code", "id": f"c{i}", "source": c, "metadata": {}, "outputs": [], "execution_count": None}
            for i, c in enumerate(cells)
        ],
    }
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    urlopen(Request(f"{address}/api/contents/timeline.ipynb", body, headers, method="PUT")).close()
    page = chromium.new_page(viewport={"width": 1300, "height": 1000})
    page.goto(f"{address}/lab/workspaces/timeline/tree/timeline.ipynb?token={token}&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    page.locator(".astra-timeline").wait_for(timeout=60_000)
    page.wait_for_function(f"{VIEW}.to === 1100", timeout=60_000)
    shown = page.locator(".astra-title").inner_text().removesuffix(" in all")
    assert f"<{shown} in all" in page.locator(".jp-OutputArea-executeResult").last.inner_text()
    page.locator(".astra-plot").focus()
    page.keyboard.press("n")
    page.wait_for_function(f"{VIEW}.focus !== null")
    page.keyboard.press("0")
    page.wait_for_function(f"{VIEW}.to === {VIEW}.run.total")
    page.close()


WRITTEN = f"""() => {{
  // every text that a drawing of the chart writes: [text, left, right, middle]
  const view = {VIEW}, {{ context }} = view.chart, found = [], own = context.fillText;
  context.fillText = function (text, x, y) {{
    const wide = this.measureText(text).width;
    const left = x - {{ left: 0, start: 0, center: wide / 2, right: wide, end: wide }}[this.textAlign];
    found.push([text, left, left + wide, y]);
    return own.apply(this, arguments);
  }};
  view.draw();
  delete context.fillText;
  return found;
}}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_name_of_opened_links_stands_whole_in_a_line_of_its_own(show, scheme):
    blocks = (ae.Block("Ring", 4, 50, 500), ae.Block("Switch", 2, 50, 500))
    platform = ae.TracePlatform(
        blocks, ae.TraceSystem.of(["ring", "direct"], optimization="baseline"), congestion_aware=True
    )
    run = ae.simulate(ae.traces.collective("all_reduce", 2**20, npus=8), platform, record=True)
    page = show(run, options={"color_scheme": scheme})
    links = page.evaluate(f"{VIEW}.run.groups.length - 1")
    name = page.evaluate(f"{VIEW}.run.groups.at(-1)")
    assert name == "links, busiest first"
    assert name in [text for text, *_ in page.evaluate(WRITTEN)]
    page.evaluate(f"() => {{ {VIEW}.toggle({links}); }}")
    written = page.evaluate(WRITTEN)
    [(_, left, right, y)] = [each for each in written if each[0] == name]
    assert 0 <= left < right <= page.evaluate(f"{VIEW}.chart.width")
    taken = page.evaluate(f"{VIEW}.run.lanes.filter((lane) => !lane.hidden).map(({{ y, height }}) => [y, y + height])")
    assert not any(top <= y <= bottom for top, bottom in taken)
    lanes_of_links = [lane.name for lane in lanes(run) if lane.npu is None]
    found = [text for text, *_ in written]
    in_sight = [text for text in found if " → " in text]
    assert in_sight == lanes_of_links[: len(in_sight)]
    assert not any("…" in text for text in found)
    box = page.locator(".astra-plot").bounding_box()
    page.mouse.click(box["x"] + left + 5, box["y"] + y)
    frame(page)
    assert page.evaluate(f"{VIEW}.lanes.open.size") == 0
