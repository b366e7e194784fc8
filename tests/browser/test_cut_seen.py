"""What a person sees of an instrument, read back from a saved page: pieces, bars, question, ghosts, greyed values."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from astra_edu.course.instruments.question import confront
from browser.looking import SCHEMES, Later, saved, shade

pytestmark = pytest.mark.browser

CUT = Later(lambda: ae.CutTheModel("model=22b tensor=4 data=2 pipeline=1 zero=1"))
SCENE = Later(lambda: CUT.data["scene"])
TOKENS = Later(lambda: ae.CutTheModel("model=gpt2 tensor=1 data=2 context=2 pipeline=1 zero=1 experts=8 expert=2"))
"""Two groups more."""

BOXES = """(selector) => [...document.querySelectorAll(selector)].map((group) => {
  const [ground, hatch] = group.querySelectorAll("rect");
  const box = ["x", "y", "width", "height"].map((name) => Number(ground.getAttribute(name)));
  return { name: group.dataset.piece, shown: getComputedStyle(group).visibility === "visible",
           box, fill: getComputedStyle(ground).fill, hatched: hatch?.style.fill.startsWith("url") ?? false };
})"""

WORDS = """() => Object.fromEntries([...document.querySelectorAll("[data-piece]")].map((group) =>
  [group.dataset.piece, group.querySelector(".astra-word")?.textContent ?? ""]))"""

BARS = """() => [...document.querySelectorAll(".astra-bars")].map((figure) => ({
  title: figure.querySelector("figcaption").textContent,
  bars: [...figure.querySelectorAll("[data-bar]")].map((bar) => ({
    label: bar.querySelector(".astra-name").textContent, said: bar.querySelector(".astra-end").textContent,
    parts: [...bar.querySelectorAll(".astra-ground")].map((rect) => [rect.dataset.look, Number(rect.getAttribute("x")),
      Number(rect.getAttribute("width")), getComputedStyle(rect).fill]),
    ghost: Number(bar.querySelector(".astra-ghost")?.getAttribute("width") ?? NaN),
    limit: Number(bar.querySelector(".astra-limit")?.getAttribute("d").match(/M([\\d.]+)/)[1] ?? NaN) })),
  legend: [...figure.querySelectorAll(".astra-key")].map((key) =>
    [key.textContent, getComputedStyle(key.querySelector(".astra-ground")).fill]),
}))"""


@cache
def page_of(text, moved=False):
    return saved(ae.CutTheModel(text), moved)


@pytest.fixture
def show(open_page):
    def shown(cut=CUT, scheme="light", answered=True, moved=False, **options):
        page = open_page(page_of(cut.text, moved), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def to_step(page, step):
    page.locator(".astra-right .astra-range").fill(str(step))
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("step", [0, 1, 2, 3, 4, 11])
def test_every_piece_is_where_and_as_the_step_has_it(show, step, scheme):
    page = show(scheme=scheme)
    to_step(page, step)
    seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
    assert len(seen) == len(SCENE["stage"]["pieces"]) == 4 * 8 + 8
    for piece in SCENE["stage"]["pieces"]:
        entry, box, look = seen[piece["name"]], piece["at"][step], LOOKS[piece["looks"][step]]
        assert entry["shown"] == (box is not None)
        if box:
            assert entry["box"] == pytest.approx(box, abs=1e-6)
            assert entry["fill"] == shade(look[:2], scheme)
            assert entry["hatched"] == bool(look[2])
    assert page.locator(".astra-live").inner_text() == SCENE["stage"]["steps"][step]
    assert page.locator(".astra-where").inner_text() == f"step {step} of {len(SCENE['stage']['steps']) - 1}"


def test_tokens_and_experts_are_where_and_as_each_step_has_them(show):
    page = show(TOKENS)
    stage = TOKENS.data["scene"]["stage"]
    kinds = {"E": "expert", "A": "tokens", "B": "tokens"}
    for step in range(len(stage["steps"])):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        words = page.evaluate(WORDS)
        assert len(seen) == len(stage["pieces"])
        for piece in stage["pieces"]:
            name, box, look = piece["name"], piece["at"][step], LOOKS[piece["looks"][step]]
            assert seen[name]["shown"] == (box is not None)
            if box:
                assert seen[name]["box"] == pytest.approx(box, abs=1e-6), (name, step)
                assert seen[name]["fill"] == shade(look[:2], "light")
                assert seen[name]["hatched"] == bool(look[2])
                word = piece["says"][step] if piece["says"] else piece["text"]
                assert words.get(name, "") == word
                assert not word or kinds[word[0]] in name
        assert page.locator(".astra-live").inner_text() == stage["steps"][step]


def test_time_and_bytes_of_tokens_and_experts_have_bars_of_their_own(show):
    bars = {bar["label"]: bar for figure in show(TOKENS).evaluate(BARS) for bar in figure["bars"]}
    looks = [look for look, *_ in bars["an iteration"]["parts"]]
    assert [look for look in looks if look.endswith("group")] == ["context group", "expert group", "data group"]
    assert bars["context: all-gather"]["parts"][0][0] == "context group"
    assert bars["expert: all-to-all"]["parts"][0][0] == "expert group"


def test_pieces_fly_from_the_matrix_to_their_npu(show):
    page = show()
    to_step(page, 1.3)
    halfway = {entry["name"]: entry["box"] for entry in page.evaluate(BOXES, "[data-piece]")}
    for piece in SCENE["stage"]["pieces"]:
        if "slice" in piece["name"]:
            for here, a, b in zip(halfway[piece["name"]], piece["at"][1], piece["at"][2], strict=True):
                assert here == pytest.approx((a + b) / 2, abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bars_are_as_long_as_their_sizes_and_look_like_their_legend(show, scheme):
    seen = show(scheme=scheme).evaluate(BARS)
    assert [figure["title"] for figure in seen] == [f"{bars['title']}, {bars['unit']}" for bars in SCENE["bars"]]
    for figure, bars in zip(seen, SCENE["bars"], strict=True):
        legend = dict(figure["legend"])
        scale = next(width for _, _, width, _ in figure["bars"][0]["parts"]) / bars["bars"][0]["parts"][0]["size"]
        for bar, wanted in zip(figure["bars"], bars["bars"], strict=True):
            assert (bar["label"], bar["said"]) == (wanted["label"], wanted["said"])
            assert [look for look, *_ in bar["parts"]] == [part["look"] for part in wanted["parts"]]
            x = bar["parts"][0][1]
            for (look, left, width, fill), part in zip(bar["parts"], wanted["parts"], strict=True):
                assert (left, width) == pytest.approx((x, part["size"] * scale), abs=1e-3)
                assert fill == legend[look] == shade(LOOKS[look][:2], scheme)
                x += width
            if wanted["limit"] is not None:
                assert bar["limit"] - bar["parts"][0][1] == pytest.approx(wanted["limit"] * scale, abs=1e-3)


def test_no_number_is_shown_before_a_prediction_and_both_stay_after_it(show):
    page = show(answered=False)
    assert page.locator(".astra-headline").inner_text() == "Predict first: the numbers come then."
    assert not page.locator(".astra-bars").first.is_visible()
    assert page.locator(".astra-widget").inner_text().count("GiB") == 1  # the unit that is asked for
    page.get_by_role("spinbutton").fill("1")
    page.get_by_role("button", name="commit").click()
    said, answer = page.locator(".astra-result").inner_text(), CUT.answer(CUT.values)
    assert said.split("\n")[0] == "✗ Not this time"
    assert CUT.data["question"]["text"] in said
    assert confront(CUT.question(CUT.values), answer, 1).said in said
    assert answer.why in said
    assert page.locator(".astra-headline").inner_text() == SCENE["headline"]
    assert page.locator(".astra-bars").first.is_visible()


def test_a_choice_is_committed_to_and_may_be_right(show):
    cut = ae.CutTheModel("model=22b tensor=4 data=1 pipeline=1 zero=1")
    page = show(cut, answered=False)
    choices = page.locator(".astra-fields label").all_inner_texts()
    assert tuple(text.strip() for text in choices) == cut.question(cut.values).choices
    answer = cut.answer(cut.values)
    page.get_by_label(str(answer.value), exact=True).check()
    page.keyboard.press("Enter")
    said = page.locator(".astra-result").inner_text()
    assert said.split("\n")[0] == "✓ Right"
    assert f"You said {answer.value}; so it is." in said


def test_another_setting_of_a_saved_page_shows_its_own_numbers_and_the_one_before_as_a_ghost(show):
    page = show(moved=True)
    page.get_by_role("slider", name="tensor group").focus()
    page.keyboard.press("ArrowRight")
    other = ae.CutTheModel("model=22b tensor=8 data=2 pipeline=1 zero=1").data["scene"]
    page.get_by_text(other["title"]).first.wait_for()
    assert page.locator(".astra-headline").inner_text() == other["headline"]
    memory = page.evaluate(BARS)[1]["bars"][0]
    before, now = (sum(part["size"] for part in scene["bars"][1]["bars"][0]["parts"]) for scene in (SCENE, other))
    drawn = sum(width for _, _, width, _ in memory["parts"])
    assert memory["ghost"] / drawn == pytest.approx(before / now, rel=1e-4)
    change = page.locator(".astra-change").inner_text()
    assert f"memory {before:,.1f} GiB → {now:,.1f} GiB (−{100 * (1 - now / before):.1f} %)" in change


def test_a_value_that_cannot_be_is_crossed_and_says_why_and_a_button_leads_back(show):
    page = show(ae.CutTheModel("order=dualpipe micro_batches=16"))
    crossed = page.locator(".astra-setting", has=page.get_by_role("slider", name="ZeRO")).locator("i.astra-no")
    assert crossed.count() == 1
    page.get_by_role("slider", name="ZeRO").focus()
    page.keyboard.press("ArrowRight")
    problem = page.locator(".astra-problem")
    problem.get_by_role("button").wait_for()
    assert "use zero=1 or 0" in problem.inner_text()
    problem.get_by_role("button", name="take ZeRO: stage 1").click()
    page.locator(".astra-problem", has_text="✗").wait_for(state="detached")


def test_more_ways_to_cut_are_folded_and_reached_by_keyboard(show):
    cut = ae.CutTheModel("model=llama3-8b tensor=1 data=2 pipeline=4 order=zb-h1")
    page = show(cut)
    order, fold = page.get_by_role("combobox", name="order of passes", exact=True), page.locator(".astra-fold")
    assert not order.is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert order.is_visible()
    assert order.locator("option").all_inner_texts() == list(ae.ORDERS)
    assert order.evaluate("(menu) => menu.selectedOptions[0].text") == "zb-h1"
    page.keyboard.press("Tab")
    assert order.evaluate("(menu) => menu === document.activeElement")
    refused = order.locator("option[disabled]").all_inner_texts()
    assert refused == [ae.CutTheModel.settings[12].values[int(place)] for place in cut.data["greyed"].get("order", {})]
    assert fold.get_by_text("No difference here: only ZeRO-3 gathers parameters.").is_visible()
    assert page.get_by_role("slider", name="virtual stages", exact=True).count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_passes_of_a_model_of_today_are_as_many_and_as_long_as_those_of_its_run(show):
    cut = ae.CutTheModel("model=llama3-8b tensor=1 data=2 pipeline=4 order=zb-h1")
    page = show(cut)
    (lanes,) = cut.data["scene"]["lanes"]
    seen = page.evaluate("""() => [...document.querySelectorAll(".astra-lanes .astra-block .astra-ground")].map((box) =>
      [box.dataset.look, Number(box.getAttribute("width"))])""")
    assert [look for look, _ in seen] == [block["look"] for block in lanes["blocks"]]
    scale = seen[0][1] / (lanes["blocks"][0]["end"] - lanes["blocks"][0]["start"])
    for (_, wide), block in zip(seen, lanes["blocks"], strict=True):
        assert wide == pytest.approx((block["end"] - block["start"]) * scale, abs=0.8)
    assert page.locator(".astra-headline").inner_text() == cut.data["scene"]["headline"]


def test_the_matrices_of_a_model_of_today_are_drawn_where_the_scene_has_them(show):
    cut = ae.CutTheModel("model=llama3-8b tensor=4 data=2 pipeline=1")
    page = show(cut)
    texts = page.locator(".astra-scene text").all_text_contents()
    assert {"Q, K, V: h × 1.5h", "MLP gate, up: h × 7h", "MLP down: 3.5h × h"} <= set(texts)
    stage = cut.data["scene"]["stage"]
    assert {frame["text"] for frame in stage["frames"] if frame.get("text")} <= set(texts)


def test_the_setting_and_its_code_can_be_copied_from(show):
    page = show()
    page.get_by_text("This setting as text").click()
    page.get_by_text("The same as code").click()
    assert page.locator("pre").all_inner_texts() == [CUT.data["short"], SCENE["code"]]


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 800)])
def test_settings_and_what_they_move_are_in_sight_together(show, wide, high):
    page = show(viewport={"width": wide, "height": high})
    first = page.locator(".astra-setting").first.bounding_box()
    memory = page.locator(".astra-bars").nth(1).bounding_box()
    assert first["y"] > 0
    assert memory["y"] + memory["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_in_jupyterlab_python_answers_and_finds_the_best(run_cell):
    source = 'import astra_edu as ae\nae.CutTheModel("model=22b tensor=4 data=2 pipeline=2")'
    page = run_cell("cut", source, ".astra-instrument")
    instrument = page.locator(".astra-instrument").first
    question = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2")
    instrument.get_by_label("update", exact=True).check()
    instrument.get_by_role("button", name="commit").click()
    instrument.get_by_text(question.answer(question.values).why).wait_for()
    instrument.locator(".astra-scene").click()
    page.keyboard.press("k")
    page.wait_for_function(
        "() => document.querySelector('.astra-instrument .astra-where').textContent.startsWith('step 3')"
    )
    page.keyboard.press("k")
    instrument.get_by_role("slider", name="tensor group").focus()
    page.keyboard.press("ArrowLeft")
    other = ae.CutTheModel("model=22b tensor=2 data=2 pipeline=2").data["scene"]
    instrument.get_by_text(other["headline"]).wait_for()
    best = instrument.get_by_role("button", name="show me the best")
    best.click()
    doing = instrument.locator(".astra-doing")
    assert doing.inner_text() != ""
    assert best.get_attribute("aria-disabled") == "true"
    question.values = question.values | {"tensor": 2}
    question.best()
    instrument.get_by_text(question.data["scene"]["headline"]).wait_for(timeout=60_000)
    assert instrument.locator(".astra-note").inner_text() == question.data["note"]
    page.wait_for_function("() => !document.querySelector('.astra-instrument .astra-doing').innerText")
    assert best.get_attribute("aria-disabled") is None


def test_in_jupyterlab_how_far_the_best_is_is_told_and_a_button_stops_it(run_cell):
    source = """import astra_edu as ae
from astra_edu.explore.iteration import best_first
from time import sleep
cut = ae.CutTheModel("model=22b tensor=4 data=2 pipeline=2 order=zb-v")
on_its_links, looked_at = best_first.on_links, []
def slow(times):
    looked_at.append(times)
    sleep(0.4)
    return on_its_links(times)
best_first.on_links = slow
cut"""
    page = run_cell("stopped", source, ".astra-instrument")
    instrument = page.locator(".astra-instrument").first
    instrument.get_by_role("button", name="show me without").click()
    best, doing = instrument.get_by_role("button", name="show me the best"), instrument.locator(".astra-doing")
    best.click()
    stop = doing.get_by_role("button", name="stop")
    stop.wait_for(timeout=20_000)
    assert " of " in doing.inner_text()
    doing.filter(has_text="the fastest: ").wait_for(timeout=30_000)  # not before: which cuts there are is found first
    page.wait_for_timeout(2_000)
    stop.click()
    instrument.get_by_text("Stopped: the fastest that was found until then of").wait_for(timeout=30_000)
    page.wait_for_function("() => !document.querySelector('.astra-instrument .astra-doing').innerText")
    assert best.get_attribute("aria-disabled") is None
    assert not stop.is_visible()
