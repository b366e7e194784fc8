"""What a person sees of chunks over dimensions, read back from a saved page: chunks, their words, bars, the veil."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.chunks_job import decisions
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, Later, shade
from browser.test_cut_seen import BARS, BOXES, to_step

pytestmark = pytest.mark.browser

CHUNKS = Later(lambda: ae.ChunksOverDimensions("dimensions=3 chunks=8"))
HAND = Later(lambda: ae.ChunksOverDimensions("chunks=4 chunk_1=01 queue=FIFO"))
WORDS = """() => Object.fromEntries([...document.querySelectorAll("[data-piece]")].map((group) => {
  const word = group.querySelector(".astra-word");
  return [group.dataset.piece, [word.textContent, Number(word.getAttribute("x")), Number(word.getAttribute("y"))]];
}))"""
FRAMES = """() => Object.fromEntries([...document.querySelectorAll("[data-frame]")].map((group) => {
  const [rect, text] = group.children;
  return [group.dataset.frame, [text.textContent, ...["x", "y", "width", "height"].map((name) =>
    Number(rect.getAttribute(name)))]];
}))"""
OVER = """() => {
  const boxes = [...document.querySelectorAll(".astra-scene .astra-caption")].filter((text) => text.textContent)
    .map((text) => text.getBoundingClientRect());
  const apart = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) <= 1 ||
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) <= 3;
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => !apart(a, b)));
}"""


@cache
def page_of(text):
    return ae.ChunksOverDimensions(text).page()


@pytest.fixture
def show(open_page):
    def shown(chunks=CHUNKS, scheme="light", answered=True, **options):
        page = open_page(page_of(chunks.text), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def last(chunks):
    return len(chunks.data["scene"]["stage"]["steps"]) - 1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("chunks", [CHUNKS, HAND], ids=["themis", "by hand"])
def test_every_chunk_is_where_and_as_its_run_has_it(show, chunks, scheme):
    page, stage = show(chunks, scheme), chunks.data["scene"]["stage"]
    for step in (0, 1, 7, last(chunks) - 3, last(chunks)):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        words = page.evaluate(WORDS)
        assert len(seen) == len(stage["pieces"]) == 2 * chunks.values["chunks"]
        for piece in stage["pieces"]:
            entry, (x, y, wide, high), look = seen[piece["name"]], piece["at"][step], LOOKS[piece["looks"][step]]
            assert entry["shown"]
            assert entry["box"] == pytest.approx((x, y, wide, high), abs=1e-6)
            assert entry["fill"] == shade(look[:2], scheme)
            assert entry["hatched"] == bool(look[2])
            assert words[piece["name"]] == [piece["text"], pytest.approx(x + wide / 2), pytest.approx(y + high / 2 + 3)]
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]
        assert page.locator(".astra-where").inner_text() == f"step {step} of {len(stage['steps']) - 1}"


def test_between_two_moments_a_chunk_is_where_the_time_between_has_it(show):
    page, stage = show(HAND), HAND.data["scene"]["stage"]
    for at in (0.25, 3.5, 6.9):
        step = int(at)
        to_step(page, at)
        boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
        for piece in stage["pieces"]:
            a, b = piece["at"][step], piece["at"][step + 1]
            if step + 1 not in piece["by"]:
                wanted = [one + (other - one) * (at - step) for one, other in zip(a, b, strict=True)]
                assert boxes[piece["name"]] == pytest.approx(wanted, abs=1e-6)


def test_a_chunk_goes_to_the_end_of_its_lane_before_it_leaves_it(show):
    page, stage = show(HAND), HAND.data["scene"]["stage"]
    step, leaves = next((step, [p for p in stage["pieces"] if step in p["by"]]) for step in (1, 2, 3))
    assert leaves
    to_step(page, step - 1 + 0.75)
    boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    for piece in leaves:
        assert boxes[piece["name"]] == pytest.approx(piece["by"][step], abs=1e-6)


def test_lanes_are_named_and_lie_in_their_frames(show):
    seen = show().evaluate(FRAMES)
    for frame in CHUNKS.data["scene"]["stage"]["frames"]:
        assert seen[frame["name"]] == [frame["text"], *frame["box"]]
    assert [name for name in seen if name.startswith("Themis, dimension")] == [
        f"Themis, dimension {d}" for d in range(3)
    ]
    assert seen["Baseline, dimension 2"][2] < seen["Themis, dimension 0"][2]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_looks_on_the_stage_are_named_below_it_also_before_a_prediction(show, scheme):
    page = show(scheme=scheme, answered=False)
    named = page.evaluate(
        """() => [...document.querySelectorAll(".astra-below .astra-key")].map((key) =>
          [key.textContent, getComputedStyle(key.querySelector(".astra-ground")).fill,
           key.querySelector(".astra-hatch")?.style.fill.startsWith("url") ?? false])"""
    )
    looks = {look for piece in CHUNKS.data["scene"]["stage"]["pieces"] for look in piece["looks"]}
    assert {name: (fill, hatched) for name, fill, hatched in named} == {
        look: (shade(LOOKS[look][:2], scheme), bool(LOOKS[look][2])) for look in looks
    }
    assert page.locator(".astra-below").is_visible()


def test_the_run_is_not_told_before_a_prediction(show):
    page = show(answered=False)
    assert not page.locator(".astra-right .astra-range").is_visible()
    assert not page.locator(".astra-live").is_visible()
    assert " µs" not in page.locator(".astra-widget").inner_text()
    page.get_by_role("button", name="pin this setting").focus()
    page.keyboard.press("End")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    first = {piece["name"]: list(piece["at"][0]) for piece in CHUNKS.data["scene"]["stage"]["pieces"]}
    assert boxes == {name: pytest.approx(box, abs=1e-6) for name, box in first.items()}
    page.get_by_role("button", name="show me without").click()
    page.get_by_text(f"step {last(CHUNKS)} of {last(CHUNKS)}", exact=True).wait_for()
    assert page.locator(".astra-headline").inner_text() == CHUNKS.data["scene"]["headline"]


def test_a_load_grows_by_a_part_for_every_chunk_and_the_table_adds_them_up(show):
    page, decided = show(), decisions(CHUNKS.values)
    loads = page.evaluate(BARS)[2]
    assert loads["title"] == "Loads that Themis books, chunk by chunk, MiB at dimension 0’s bandwidth"
    scale = loads["bars"][0]["parts"][0][2] / decided[0].loads[0]
    for d, bar in enumerate(loads["bars"]):
        x = bar["parts"][0][1]
        for each, (look, left, wide, _) in zip(decided, bar["parts"], strict=True):
            assert look == ("begins here" if each.order[0] == d else "comes later")
            assert left + wide - x == pytest.approx(each.loads[d] * scale, abs=1e-3)
    page.get_by_text("The same as a table").click()
    cells = page.locator("table").nth(2).locator("tr", has_text="dimension 0").locator("td").all_inner_texts()
    looks = dict.fromkeys(part["look"] for bar in CHUNKS.data["scene"]["bars"][2]["bars"] for part in bar["parts"])
    wanted = dict.fromkeys(looks, 0.0)
    for part in CHUNKS.data["scene"]["bars"][2]["bars"][0]["parts"]:
        wanted[part["look"]] += part["size"]
    assert [float(cell) for cell in cells[:-1]] == pytest.approx(list(wanted.values()), rel=1e-3)


def test_another_share_of_a_saved_page_shows_its_own_run(show):
    page = show()
    page.get_by_role("slider", name="bandwidth of the others").focus()
    page.keyboard.press("ArrowRight")
    other = ae.ChunksOverDimensions(CHUNKS.text, share=25).data["scene"]
    page.get_by_text(other["headline"]).wait_for()
    time = page.evaluate(BARS)[0]["bars"][0]
    before, now = (scene["bars"][0]["bars"][0]["parts"][0]["size"] for scene in (CHUNKS.data["scene"], other))
    assert time["ghost"] / time["parts"][0][2] == pytest.approx(before / now, rel=1e-4)
    to_step(page, 2)
    boxes = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    assert boxes == {piece["name"]: pytest.approx(piece["at"][2], abs=1e-6) for piece in other["stage"]["pieces"]}


def test_an_order_that_the_dimensions_do_not_allow_cannot_be_chosen(show):
    page = show(HAND)
    options = page.locator(".astra-setting select").last.locator("option")
    disabled = [options.nth(k).inner_text() for k in range(options.count()) if options.nth(k).is_disabled()]
    assert disabled == ["0, 1, 2", "0, 2, 1", "1, 0, 2", "1, 2, 0", "2, 0, 1", "2, 1, 0"]
    assert "the network has 2" in options.nth(4).get_attribute("title")


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_and_the_stage_are_in_sight_together_and_no_words_overlap(show, wide, high):
    page = show(viewport={"width": wide, "height": high})
    first, lasts = (
        page.locator(".astra-setting").first.bounding_box(),
        page.locator(".astra-setting").last.bounding_box(),
    )
    controls = page.locator(".astra-right .astra-bar").bounding_box()
    assert first["y"] > 0
    assert max(lasts["y"] + lasts["height"], controls["y"] + controls["height"]) <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(OVER) == []
