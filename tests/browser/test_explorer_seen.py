"""The explorer as a person has it: settings in groups, a player inside, a question first, a page without a kernel."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from browser.looking import SCHEMES, saved
from browser.test_cut_seen import BARS

pytestmark = pytest.mark.browser

GIB = 2**30
THREE = (("FullyConnected", 4, 100, 100), ("Switch", 4, 25, 700), ("Ring", 2, 25, 700))
MAKE = {
    "ring": ae.Explorer,
    "three": lambda: ae.Explorer("all-reduce", ("direct", "halving-doubling", "ring"), THREE),
    "halving": lambda: ae.Explorer("all-reduce", "halving-doubling"),
    "shared": lambda: ae.Explorer("all-reduce", "direct", (("Switch", 16, 50, 500),), GIB, splits=1),
    "wide": lambda: ae.Explorer("all-reduce", "ring", (("Ring", 16, 50, 500),), ask=False),
}
DECK = "document.querySelector('.astra-player').astraDeck"
TITLES = """() => [...document.querySelectorAll(".astra-setting")].filter((one) => one.offsetParent).map((one) =>
  [one.closest(".astra-group").querySelector(".astra-heading").textContent, one.querySelector("span").textContent,
   one.querySelector("input, select").getAttribute("aria-label")])"""


@cache
def page_of(name, moved=False):
    return saved(MAKE[name](), moved)


@pytest.fixture
def show(open_page):
    def shown(name="ring", answered=True, moved=False, **options):
        page = open_page(page_of(name, moved), **({"viewport": {"width": 1280, "height": 720}} | options))
        if answered:
            page.get_by_role("button", name="show me without").click()
        return page

    return shown


def headline(page):
    return page.locator(".astra-headline").inner_text()


def press(page, slider, *keys):
    page.get_by_role("slider", name=slider).focus()
    for key in keys:
        page.keyboard.press(key)


def other(name, **given):
    """The explorer with other settings, as Python has it."""
    explorer = MAKE[name]()
    explorer.set(**given)
    return explorer


def test_settings_stand_below_headings_and_those_of_absent_dimensions_are_hidden(show):
    own = ["topology", "algorithm", "NPUs", "per link", "latency"]
    job = ["collective", "size", "splits", "dimensions"]
    for name, dims in (("ring", 1), ("three", 3)):
        wanted = [["job", label, f"job, {label}"] for label in job]
        wanted += [[f"dimension {d}", label, f"dimension {d}, {label}"] for d in range(dims) for label in own]
        page = show(name)
        assert page.evaluate(TITLES) == wanted
        headings = page.locator(".astra-heading:visible").all_inner_texts()
        assert headings == ["job", *(f"dimension {d}" for d in range(dims))]


def test_no_number_is_shown_before_a_prediction_and_both_stay_after_it(show):
    page = show(answered=False, moved=True)
    assert headline(page) == "Predict first: the numbers come then."
    assert "45.681" not in page.locator("body").inner_text()
    assert page.get_by_role("button", name="simulated time").is_hidden()
    page.locator("input[type=number]").fill("90")
    page.get_by_role("button", name="commit").click()
    result = page.locator(".astra-result").inner_text()
    assert "You said 90 µs; it is 45.68 µs: 1.97 times too much." in result
    assert "reduce-scatter: 10 endpoint + 7 × (805 message + 10 endpoint) = 5,715 ns" in result
    assert headline(page) == "45.681 µs: 1.75 MiB sent by the busiest NPU, 4 chunks of 14 steps"
    press(page, "job, size", "ArrowRight")
    page.get_by_text(other("ring", size=2**21).data["scene"]["headline"]).wait_for()
    assert "You said 90 µs" in page.locator(".astra-result").inner_text()  # and nothing is asked again
    assert page.locator("form.astra-predict").is_hidden()


def test_which_dimension_needs_bandwidth_is_a_choice(show):
    page = show("three", answered=False)
    labels = page.locator(".astra-fields label")
    assert [text.strip() for text in labels.all_inner_texts()] == [
        "dimension 0",
        "dimension 1",
        "dimension 2",
        "none of them alone",
    ]
    right = MAKE["three"]().predict("dimension 0").answer
    page.get_by_role("radio", name=right).check()
    page.get_by_role("button", name="commit").click()
    assert page.locator(".astra-result").get_attribute("data-right") == "true"


def test_who_asked_for_no_question_sees_everything_at_once(open_page):
    page = open_page(page_of("wide"))
    assert page.locator("form.astra-predict").is_hidden()
    assert headline(page) == MAKE["wide"]().data["scene"]["headline"]


def test_the_bound_leads_where_messages_share_links(show):
    page = show("shared")
    said = "at least 37,500.000 µs: the messages share links; ASTRA-sim's contention-free model says 2,502.433 µs"
    assert headline(page) == said
    assert "Over the links there are, the bytes alone need 37,500.000 µs." in page.locator(".astra-words").inner_text()


def test_the_player_plays_inside_with_the_instruments_focus_and_keys(show):
    page = show()
    assert page.locator(".astra-instrument[tabindex='0']").count() == 1
    assert page.locator(".astra-player[tabindex]").count() == 0
    page.locator(".astra-instrument").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{DECK}.position === 1")
    assert page.get_by_text("Step 1 of 14, reduce-scatter: every NPU sends one shard").is_visible()
    page.keyboard.press("End")
    assert page.evaluate(f"{DECK}.step") == 14
    page.keyboard.press("t")
    assert page.evaluate(f"{DECK}.clock") == "time"
    page.wait_for_function("window.astraModels[0].get('played').clock === 'time'")
    page.keyboard.press("ArrowDown")
    assert page.locator("tr.astra-focus th").inner_text() == "0"
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.wait_for_function(f"{DECK}.position > 100")
    assert page.evaluate(f"{DECK}.playing")


def test_a_key_on_a_slider_is_the_sliders(show):
    page = show(moved=True)
    press(page, "dimension 0, latency", "ArrowRight")
    page.get_by_text(other("ring", latency_0=700).data["scene"]["headline"]).wait_for()
    assert page.evaluate(f"{DECK}.position") == 0


def test_the_player_follows_the_settings_and_stays_as_far_through(show):
    page = show(moved=True)
    page.locator(".astra-instrument").focus()
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{DECK}.position === 7")
    press(page, "dimension 0, NPUs", "ArrowLeft", "ArrowLeft")
    page.wait_for_timeout(100)
    page.wait_for_function(f"{DECK}.data.npus === 6 && {DECK}.step === 5")
    assert page.locator(".astra-player .astra-node").count() == 6
    assert page.evaluate("document.querySelectorAll('.astra-player').length") == 1


def test_a_saved_page_says_what_a_topology_brings_and_shows_the_change(show):
    page = show(moved=True)
    page.get_by_label("dimension 0, topology").select_option(label="Switch")
    page.get_by_text("halving-doubling suits the topology Switch, so it is chosen now, instead of ring.").wait_for()
    chosen = page.get_by_label("dimension 0, algorithm")
    assert chosen.evaluate("(menu) => menu.selectedOptions[0].textContent") == "halving-doubling"
    switched = other("ring", topology_0="Switch")
    assert switched.values["algorithm_0"] == "halving-doubling"
    assert headline(page) == switched.data["scene"]["headline"]
    change = page.locator(".astra-change").inner_text()
    now, before = switched.choice.total_ns, MAKE["ring"]().choice.total_ns
    assert f"{abs(100 * (now - before) / before):.1f} %" in change
    time = page.evaluate(BARS)[0]["bars"][0]
    assert time["ghost"] / time["parts"][0][2] == pytest.approx(before / now, rel=1e-4)
    page.get_by_label("dimension 0, topology").select_option(label="Ring")  # stored: with the algorithm as it is now
    page.get_by_text(MAKE["halving"]().data["scene"]["headline"]).wait_for()


def test_what_cannot_be_is_crossed_and_greys_the_picture_until_a_button_leads_back(show):
    page = show("halving")
    ticks = page.locator(".astra-setting", has_text="NPUs").first.locator("i")
    values = next(setting.values for setting in MAKE["halving"]().settings if setting.name == "npus_0")
    crossed = [value for k, value in enumerate(values) if ticks.nth(k).get_attribute("class") == "astra-no"]
    assert crossed == [value for value in values if value & (value - 1)]
    press(page, "dimension 0, NPUs", "ArrowRight")
    alert = page.get_by_role("alert")
    alert.get_by_text("power of two").first.wait_for()
    assert float(page.locator(".astra-views").evaluate("(views) => getComputedStyle(views).opacity")) < 0.5
    alert.get_by_role("button").click()
    page.wait_for_timeout(50)
    assert page.locator(".astra-right > .astra-problem").inner_text() == ""
    assert page.locator(".astra-views").evaluate("(views) => getComputedStyle(views).opacity") == "1"


def test_a_setting_as_text_leaves_out_what_does_not_apply(show):
    page = show()
    page.get_by_text("This setting as text").click()
    text = page.get_by_label("This setting as text").inner_text()
    assert text == (
        "collective=all-reduce size=1048576 splits=4 dimensions=1 "
        "topology_0=Ring algorithm_0=ring npus_0=8 bandwidth_0=50 latency_0=500"
    )


@pytest.mark.parametrize("name", ["ring", "three", "wide"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_settings_and_what_they_move_are_in_sight_together(show, name, scheme):
    page = show(name, answered=name == "wide" and None, color_scheme=scheme)
    for place in (".astra-setting", ".astra-stage", ".astra-table", ".astra-play", ".astra-headline"):
        for box in [one.bounding_box() for one in page.locator(place).all() if one.is_visible()]:
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 720, place
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("answered", [False, True])
def test_at_900_pixels_nothing_is_cut_off(show, answered):
    page = show("three", answered=answered, viewport={"width": 900, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for place in (".astra-setting", ".astra-play", ".astra-predict"):
        for box in [one.bounding_box() for one in page.locator(place).all() if one.is_visible()]:
            assert box["x"] + box["width"] <= 900
            assert box["y"] + box["height"] <= 800, place
    edge = page.locator(".astra-right").bounding_box()
    for button in page.locator(".astra-right button:visible").all():
        box = button.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 1
