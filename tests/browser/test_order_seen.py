"""What a person sees of the cards and does with them, on a saved page: clicks, what NPUs hold, the message in red."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.instruments.looks import LOOKS
from browser.looking import SCHEMES, shade
from browser.test_chunks_seen import WORDS
from browser.test_cut_seen import BOXES, to_step

pytestmark = pytest.mark.browser


@cache
def page_of(puzzle):
    return ae.OrderTheSteps(puzzle=puzzle).page()


@pytest.fixture
def show(open_page):
    def shown(puzzle="ring-reduce-scatter", scheme="light", answered=True, **options):
        page = open_page(page_of(puzzle), color_scheme=scheme, **options)
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def click(page, letter):
    page.locator(f"[data-frame='card {letter}']").first.click()


def headline(page):
    return page.locator(".astra-headline").inner_text()


CLEAR = """() => Object.fromEntries([...document.querySelectorAll("[data-piece]")].map((group) => {
  const word = getComputedStyle(group.querySelector(".astra-word"));
  return [group.dataset.piece, word.paintOrder.startsWith("stroke") && word.strokeWidth === "3px" ? word.stroke : ""];
}))"""


@pytest.mark.parametrize("scheme", SCHEMES)
def test_around_a_word_on_a_hatch_its_ground_goes_on(show, scheme):
    page = show(scheme=scheme)
    click(page, "E")
    page.get_by_text("2 steps to go").first.wait_for()
    to_step(page, 1)
    clear, hatched = page.evaluate(CLEAR), 0
    for piece in page.evaluate(BOXES, "[data-piece]"):
        assert clear[piece["name"]] == (piece["fill"] if piece["hatched"] else "none")
        hatched += piece["hatched"]
    assert hatched == 4


@pytest.mark.parametrize("scheme", SCHEMES)
def test_cards_are_clicked_into_the_right_order_and_proved(show, scheme):
    page = show(scheme=scheme)
    for letter, words in (("E", "2 steps to go"), ("B", "1 step to go"), ("D", "✓ Proved: 3 steps")):
        click(page, letter)
        page.get_by_text(words).first.wait_for()
    stage = ae.OrderTheSteps("first=E second=B third=D").data["scene"]["stage"]
    for step in range(4):
        to_step(page, step)
        seen = {entry["name"]: entry for entry in page.evaluate(BOXES, "[data-piece]")}
        words = page.evaluate(WORDS)
        for piece in stage["pieces"]:
            entry, box, look = seen[piece["name"]], piece["at"][step], piece["looks"][step]
            assert entry["shown"] == (box is not None)
            if box:
                assert entry["box"] == pytest.approx(box, abs=1e-6)
                assert entry["fill"] == shade(LOOKS[look][:2], scheme)
                assert words[piece["name"]][0] == piece["says"][step]


def test_a_card_that_is_placed_says_where_and_is_taken_out_by_a_click(show):
    page = show()
    click(page, "A")
    page.locator("[data-frame='card A']", has_text="A, first: keep").wait_for()
    click(page, "A")
    page.locator("[data-frame='card A']", has_text="A: keep").wait_for()
    assert headline(page) == "Click the first step."


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_message_that_breaks_a_rule_stops_in_red_with_its_sign_and_sentence(show, scheme):
    page = show("ring-all-gather", scheme)
    click(page, "A")
    page.get_by_text("has no copy of it then").wait_for()  # once only
    to_step(page, 1)
    (wrong,) = [
        entry for entry in page.evaluate(BOXES, "[data-piece]") if entry["fill"] == shade(LOOKS["wrong"][:2], scheme)
    ]
    assert wrong["hatched"]
    assert page.evaluate(WORDS)[wrong["name"]][0] == "✗"
    assert page.locator(".astra-live").inner_text() == "✗ Step 1, card A: the message in red breaks a rule."
    assert headline(page) == "✗ The prover stops in step 1."
    assert page.locator(".astra-words p").first.inner_text().startswith("Step 1: NPU 0 sends shard X3")


def test_cards_and_buttons_keep_their_places_whatever_the_prover_says(show):
    page = show(viewport={"width": 947, "height": 800})  # as much as JupyterLab leaves of 1280
    parts = "[data-frame='card A'] .astra-frame >> nth=0", ".astra-range"
    cards = page.locator(parts[0]).bounding_box()["y"]
    places = []
    for letter, words in (
        ("E", "2 steps"),
        ("D", "1 step to go, but"),
        ("B", "The promise"),
        ("B", "1 step to go, but"),
    ):
        click(page, letter)
        page.get_by_text(words).first.wait_for()
        places.append([page.locator(part).bounding_box()["y"] for part in parts])
    assert places == places[:1] * 4
    assert places[0][0] == cards


def test_the_first_card_is_committed_to_by_a_click_before_anything_is_judged(show):
    page = show(answered=False)
    click(page, "A")
    assert page.locator(".astra-fields input:checked").get_attribute("value") == "A"
    assert headline(page) == "Predict first: the numbers come then."
    page.get_by_role("button", name="commit").click()
    said = page.locator(".astra-result").inner_text()
    assert said.startswith("✗ Not this time")
    assert "You said A; it is E." in said
    page.get_by_text("2 steps to go").first.wait_for()
    page.locator("[data-frame='card E']", has_text="E, first").wait_for()
    click(page, "B")
    page.locator("[data-frame='card B']", has_text="B, second").wait_for()


def test_nothing_is_compared_where_there_are_no_numbers(show):
    page = show()
    click(page, "E")
    page.get_by_text("2 steps to go").first.wait_for()
    assert all(said for said in page.locator(".astra-words p").all_inner_texts())
    assert page.locator(".astra-change").count() == 0


FREE = """(menu) => {
  const free = menu.cloneNode(true);
  free.style.cssText = "position: absolute; width: max-content; max-width: none";
  menu.parentElement.append(free);
  return [menu, free].map((one) => one.getBoundingClientRect().width);
}"""


def test_a_menu_is_as_wide_as_its_longest_words(show):
    menu = show().get_by_label("algorithm")
    width, wanted = menu.evaluate(FREE)
    assert width >= wanted
    assert menu.locator("option").all_inner_texts()[2] == "halving-doubling, reduce-scatter"


@pytest.mark.parametrize(("wide", "high"), [(1280, 720), (900, 720)])
def test_all_is_in_sight_together(show, wide, high):
    page = show(answered=False, viewport={"width": wide, "height": high})
    for part in (".astra-predict button >> nth=0", ".astra-live", "[data-frame='card E'] >> nth=0"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= high
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
