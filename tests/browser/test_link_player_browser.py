"""The link player in a browser, from a file, with no kernel and no network."""

from __future__ import annotations

import json
import re
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("networkx")

from recorded_runs import incast, run, tree

import astra_edu as ae
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from astra_edu.run.link_times import link_times

pytestmark = pytest.mark.browser

VIEW = "document.querySelector('.astra-links').astraLinks"
SWITCH = run(ae.Block("Switch", 8, 50, 500))


@pytest.fixture
def show(open_page):
    def shown(result=SWITCH, time=0, **options):
        page = open_page(LinkPlayer(result, time=time).page(), **options)
        page.locator(".astra-links").focus()
        return page

    return shown


def time(page):
    return page.evaluate(f"{VIEW}.time")


def go(page, ns):
    page.evaluate(f"{VIEW}.go({ns})")


def rows(page):
    """The table of the busiest links: lists of texts."""
    return [row.locator("th, td").all_inner_texts() for row in page.locator(".astra-links tbody tr:visible").all()]


def messages(page):
    return len(re.findall("M", page.locator(".astra-message").first.get_attribute("d") or ""))


def test_nothing_moves_by_itself(show):
    page = show()
    page.wait_for_timeout(400)
    assert time(page) == 0
    assert "Before" not in page.locator(".astra-live").inner_text()


def test_it_says_what_the_run_says(show):
    page = show()
    for ns in (0, 1, 5_000, 12_345, 33_333, SWITCH.total_ns):
        go(page, ns)
        sending = sum(use.start_ns <= ns < use.free_ns for use in SWITCH.uses)
        waiting = sum(use.queued_ns <= ns < use.start_ns for use in SWITCH.uses)
        said = page.locator(".astra-live").inner_text()
        assert f"{sending} of 16 links send, {waiting} message" in said
        assert messages(page) == sum(use.start_ns <= ns < use.end_ns for use in SWITCH.uses)
    assert "16 of 16 links are busiest" in said


def test_the_table_has_the_busiest_links_so_far(show):
    result = run(GraphNetwork(tree()))
    page = show(result, time=result.total_ns)
    wanted = [[f"{t.link[0]} → {t.link[1]}", f"{100 * t.share:.1f} %"] for t in link_times(result)[:10]]
    assert sorted(row[:2] for row in rows(page)[:8]) == sorted(wanted[:8])
    go(page, 30_000)
    (name, share, sends, waiting) = rows(page)[0]
    link = tuple(name.split(" → "))
    uses = [use for use in result.uses if tuple(map(str, use.link)) == link]
    busy = sum(min(use.free_ns, 30_000) - use.start_ns for use in uses if use.start_ns <= 30_000)
    assert share == f"{100 * busy / 30_000:.1f} %"
    assert sends == "64 KiB"
    assert int(waiting) == sum(use.queued_ns <= 30_000 < use.start_ns for use in uses)


def test_keys_step_from_event_to_event(show):
    page = show()
    events = sorted({0, SWITCH.total_ns, *(t for use in SWITCH.uses for t in (use.start_ns, use.end_ns))})
    for wanted in events[1:6]:
        page.keyboard.press("ArrowRight")
        assert time(page) == wanted
    page.keyboard.press("ArrowLeft")
    assert time(page) == events[4]
    go(page, events[4] + 1)
    page.keyboard.press("ArrowLeft")
    assert time(page) == events[4]
    page.keyboard.press("End")
    assert time(page) == SWITCH.total_ns
    page.keyboard.press("PageUp")
    assert time(page) == pytest.approx(0.95 * SWITCH.total_ns)
    page.keyboard.press("Home")
    assert time(page) == 0


def test_it_plays_stops_and_tells_python(show):
    page = show()
    page.keyboard.press("Space")
    page.wait_for_function(f"{VIEW}.time > 0")
    assert page.get_by_role("button", name="Pause").count() == 1
    page.keyboard.press("k")
    stopped = time(page)
    page.wait_for_timeout(300)
    assert time(page) == stopped
    assert page.evaluate("window.astraModels[0].get('time')") == stopped


def test_python_moves_it(show):
    page = show()
    page.evaluate("window.astraModels[0].set('time', 20000)")
    assert time(page) == 20_000
    assert page.locator(".astra-where").inner_text() == "20.000 µs of 41.086 µs"


def test_a_link_is_followed(show):
    page = show(time=12_000)
    page.get_by_label("Follow a link").select_option(label="3 → switch 0.0")
    assert page.locator(".astra-link.astra-followed").count() == 1
    assert (
        "3 → switch 0.0 sends 128 KiB, 2 waiting, busy for 99.9 % so far." in page.locator(".astra-live").inner_text()
    )


def test_links_differ_in_width_and_in_dashes_as_well_as_in_colour(show):
    result = run(GraphNetwork(tree()))
    page = show(result, time=30_000)
    looks = "(wire) => [Number(wire.getAttribute('stroke-width')), wire.classList.contains('astra-idle')]"
    wires = page.evaluate(f"{VIEW}.wires.map({looks})")
    assert max(width for width, _ in wires) > 4 > 1.3 > min(width for width, _ in wires)
    assert {idle for _, idle in wires} == {True, False}


WIRES = "[...document.querySelectorAll('.astra-stage .astra-link')]"
CROSSED = """([text, wires]) => {
  // how many links come nearer to a text than half of their greatest width
  const { x: left, y: top, width, height } = text.getBBox(), half = 2.75;
  const near = ({ x, y }) => x > left - half && x < left + width + half && y > top - half && y < top + height + half;
  return wires.filter((wire) => {
    const long = wire.getTotalLength();
    return Array.from({ length: Math.ceil(long) + 1 }, (_, k) => wire.getPointAtLength(Math.min(k, long))).some(near);
  }).length;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "result",
    [
        run(GraphNetwork(tree())),
        run(GraphNetwork(tree(8, 4, 4)), size=2**18),
        SWITCH,
    ],
    ids=["tree", "large tree", "switch"],
)
def test_no_link_runs_through_a_switchs_name(show, result, scheme):
    page = show(result, time=result.total_ns, color_scheme=scheme)
    wires = page.evaluate_handle(WIRES)
    names = page.locator(".astra-switch-name").all()
    switches = {end for link in link_times(result) for end in link.link if isinstance(end, str)}
    assert {name.text_content() for name in names} >= switches
    boxes = []
    for name in names:
        crossed = page.evaluate(CROSSED, [name.element_handle(), wires])
        assert crossed == 0, name.text_content()
        box = name.evaluate("(it) => { const { x, y, width, height } = it.getBBox(); return [x, y, width, height]; }")
        assert min(box) >= 0
        assert box[0] + box[2] <= 720
        assert box[1] + box[3] <= 430
        boxes.append(box)
    for k, (x, y, wide, high) in enumerate(boxes):
        assert not any(x < a + c and a < x + wide and y < b + d and b < y + high for a, b, c, d in boxes[:k])
    assert page.evaluate("document.querySelector('.astra-stage svg').lastChild.classList.contains('astra-switch-name')")


def test_the_number_of_those_that_wait_stands_clear_of_its_link(show):
    page = show(run(GraphNetwork(tree())), time=30_000)
    numbers = [(k, text) for k, text in enumerate(page.locator(".astra-waiting").all()) if text.text_content()]
    assert [text.text_content() for _, text in numbers] == ["+24"] * 4
    for k, text in numbers:
        own = page.evaluate_handle(f"{WIRES}.slice({k}, {k + 1})")
        assert page.evaluate(CROSSED, [text.element_handle(), own]) == 0


def test_lost_packets_are_crosses_and_counted(show):
    result = incast(SwitchBuffers(32 * 1024))
    first = result.lost[0].time_ns
    page = show(result, time=first)
    assert page.locator(".astra-stage .astra-cross").first.get_attribute("d")
    lost = sum(packet.time_ns <= first for packet in result.lost)
    assert f"{lost} packet" in page.locator(".astra-live").inner_text()
    assert "a packet is lost" in page.locator(".astra-legend").inner_text()


def test_dark_and_narrow(show):
    page = show(color_scheme="dark", viewport={"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    background = page.evaluate("getComputedStyle(document.querySelector('.astra-links')).backgroundColor")
    assert background == "rgb(22, 24, 27)"


def test_without_scripts_there_is_a_picture_and_the_words(open_page):
    page = open_page(LinkPlayer(SWITCH).page(), java_script_enabled=False)
    assert page.locator("noscript svg, svg").count() >= 1
    assert "16 of 16 links are busiest" in page.locator("body").inner_text()


def test_everything_has_a_name_and_keys_stay_inside(show):
    page = show(time=12_000)
    group = page.get_by_role("group", name="Links: all_reduce on Switch of 8")
    assert page.locator(f"#{group.get_attribute('aria-describedby')}").inner_text().startswith("12.000 µs: ")
    unnamed = "[...document.querySelectorAll('button, input, select')].filter((it) => !it.getAttribute('aria-label'))"
    assert page.evaluate(f"{unnamed}.length") == 0
    page.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    for key in ("x", "ArrowRight", "Shift+Enter"):
        page.keyboard.press(key)
    assert page.evaluate("leaked.filter((key) => key !== 'Shift')") == ["Enter"]


def test_in_jupyterlab_the_kernel_knows_the_time(chromium, lab):
    address, token = lab
    code = (
        "import astra_edu as ae\n"
        "from astra_edu.course.widgets.link_player import LinkPlayer\n"
        "on = ae.TracePlatform(ae.Block('Ring', 4, 50, 500), ae.TraceSystem.of('ring'), congestion_aware=True)\n"
        "run = ae.simulate(ae.traces.collective('all_reduce', 1 << 20, 4), on, record=True)\n"
        "shown = LinkPlayer(run)\n"
        "shown"
    )
    cells = [
        {"cell_type": "code", "id": f"c{i}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for i, source in enumerate([code, "LinkPlayer(run, time=2000)"])
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    body = json.dumps({"type": "notebook", "format": "json", "content": notebook}).encode()
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    urlopen(Request(f"{address}/api/contents/links.ipynb", body, headers, method="PUT")).close()
    page = chromium.new_page(viewport={"width": 1300, "height": 1400})
    page.goto(f"{address}/lab/workspaces/links/tree/links.ipynb?token={token}&reset")
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=60_000)
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-itemLabel:text-is("Run All Cells")')
    page.wait_for_function("document.querySelectorAll('.astra-links').length === 2", timeout=60_000)
    first = page.locator(".astra-links").first
    assert page.evaluate("document.querySelectorAll('.astra-links')[1].astraLinks.time") == 2000
    first.focus()
    page.keyboard.press("End")
    first.get_by_text("No message waits for a link.").wait_for(timeout=20_000)
    page.close()
