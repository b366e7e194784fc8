"""The player in a browser, from a file, with no kernel and no network."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

from dataclasses import replace

from course.widgets.test_player import Dimensions

from astra_edu.collectives import hierarchical, schedule
from astra_edu.collectives.proof import initial, replay
from astra_edu.course.widgets import Player, handout
from astra_edu.course.widgets.words import spoken

pytestmark = pytest.mark.browser

RING = schedule("all-reduce", "ring", 8)
DECK = "document.querySelector('.astra-player').astraDeck"


@pytest.fixture
def show(open_page):
    def shown(*players, **options):
        page = open_page(handout.page(players, "Test"), **options)
        page.locator(".astra-player").first.focus()
        return page

    return shown


def said(page):
    """(npu, shard): the sentence for the set of contributors the table shows there."""
    cells = page.evaluate("""() => {
      const { sets } = document.querySelector(".astra-player").astraDeck.data;
      const cells = [...document.querySelectorAll("td[data-shard]")];
      return cells.map(({ astra }) => [astra.r, astra.shard, sets[astra.set][1]]);
    }""")
    return {(npu, shard): text for npu, shard, text in cells}


def position(page):
    return page.evaluate(f"[{DECK}.step, {DECK}.position]")


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_nothing_moves_by_itself_and_playing_stops_at_the_end(show):
    page = show(Player(schedule("all-reduce", "halving-doubling", 4), speed=4.0))
    page.wait_for_timeout(300)
    assert position(page) == [0, 0]
    page.keyboard.press("Space")
    page.wait_for_function("astraModels[0].get('playing')")
    assert page.get_by_role("button", name="Pause").count() == 1
    page.wait_for_function("!astraModels[0].get('playing')", timeout=20000)
    assert position(page) == [4, 4]
    state = page.evaluate("['step', 'time', 'playing'].map((name) => astraModels[0].get(name))")
    assert state == [4, 4, False]


def test_keys_step_and_reach_nobody_else(show):
    page = show(Player(RING), reduced_motion="reduce")
    page.evaluate("() => { window.leaked = []; addEventListener('keydown', (e) => leaked.push(e.key)); }")
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 14), ("Home", 0)]:
        page.keyboard.press(key)
        assert position(page) == [step, step]
    page.keyboard.press("+")
    assert page.evaluate("astraModels[0].get('speed')") == 2
    page.keyboard.press("x")
    assert page.evaluate("leaked") == []


def test_a_key_in_the_speed_menu_is_left_alone(show):
    page = show(Player(RING))
    page.get_by_label("Speed").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    assert position(page) == [0, 0]


def test_a_step_glides_to_its_end(show):
    page = show(Player(RING))
    page.get_by_role("button", name="Next step").click()
    page.wait_for_function(f"{DECK}.position > 0.05 && {DECK}.position < 0.95")
    assert page.locator(".astra-token:visible").count() == 8
    page.wait_for_function(f"{DECK}.position === 1")


def test_reduced_motion_jumps(show):
    page = show(Player(schedule("all-reduce", "ring", 4), speed=4.0), reduced_motion="reduce")
    page.evaluate("""() => {
      const deck = document.querySelector(".astra-player").astraDeck;
      window.seen = new Set();
      const look = () => (seen.add(deck.position), requestAnimationFrame(look));
      look();
    }""")
    page.keyboard.press("k")
    page.wait_for_function(f"!{DECK}.playing && {DECK}.step === 6", timeout=20000)
    frame(page)
    assert set(page.evaluate("[...seen]")) == set(range(7))


def test_scrubbing_changes_the_table_and_the_text(show):
    page = show(Player(RING))
    scrubber = page.get_by_role("slider")
    box = scrubber.bounding_box()
    page.mouse.move(box["x"] + 7, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 7 + (box["width"] - 14) * 0.5, box["y"] + 10, steps=5)
    page.mouse.up()
    frame(page)
    step, at = position(page)
    assert at == pytest.approx(7, abs=0.1)
    assert page.locator(".astra-live").inner_text().startswith(f"Step {step} of 14, ")
    assert scrubber.get_attribute("aria-valuetext").startswith(f"step {step} of 14, ")
    page.wait_for_function(f"astraModels[0].get('time') === {DECK}.position")


PROVEN = [
    RING,
    schedule("all-reduce", "direct", 8),
    schedule("all-reduce", "halving-doubling", 8),
    hierarchical("all-reduce", ["ring", "direct", "halving-doubling"], [2, 2, 2]),
    schedule("all-to-all", "ring", 5),
    schedule("all-to-all", "direct", 4),
]


@pytest.mark.parametrize("plan", PROVEN, ids=repr)
def test_the_table_is_what_the_proof_says(show, plan):
    page = show(Player(plan))
    middle = plan.step_count // 2
    states = {0: initial(plan)} | {step.index + 1: [list(row) for row in held] for step, held in replay(plan)}
    for step in (0, middle, plan.step_count, middle):
        page.evaluate(f"{DECK}.seek({step})")
        frame(page)
        shown = said(page)
        assert len(shown) == plan.npus * (plan.npus if plan.collective == "all-to-all" else plan.shards)
        for (npu, shard), text in shown.items():
            assert text == spoken(states[step][npu][shard], plan.npus)
    page.evaluate(f"{DECK}.seek({plan.step_count})")
    frame(page)
    assert page.locator("td.astra-final").count() == len(said(page))


def test_the_clock_of_simulated_time(show):
    plan = hierarchical("all-reduce", "ring", [2, 2])
    page = show(Player(plan, Dimensions(plan), step=1))
    page.keyboard.press("t")
    assert position(page) == [1, 100]
    assert page.evaluate("['clock', 'time', 'step'].map((name) => astraModels[0].get(name))") == ["time", 100, 1]
    frame(page)
    assert page.locator(".astra-where").inner_text() == "100 ns · step 1 of 4"
    assert page.get_by_role("button", name="simulated time").get_attribute("aria-pressed") == "true"
    page.keyboard.press("End")
    assert position(page) == [4, 1600]
    page.keyboard.press("t")
    assert position(page) == [4, 4]


def test_without_a_timing_there_is_one_clock(show):
    page = show(Player(RING))
    assert page.get_by_role("button", name="simulated time").count() == 0
    page.keyboard.press("t")
    assert page.evaluate(f"{DECK}.clock") == "steps"


def test_names_for_assistive_technology(show):
    page = show(Player(RING))
    assert page.get_by_role("group", name="Animation: ring all-reduce on 8 NPUs").get_attribute("tabindex") == "0"
    for name in ("First step", "Previous step", "Play", "Next step", "Last step"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    assert page.get_by_role("slider", name="Position in the schedule").count() == 1
    assert page.locator("[aria-live=polite]").inner_text().startswith("Before the first of 14 steps")
    assert page.get_by_role("columnheader", name="X3").count() == 1


def test_following_one_npu(show):
    page = show(Player(RING, step=3))
    page.locator(".astra-node[data-npu='2']").click()
    text = page.locator(".astra-live").inner_text()
    assert text.startswith("Step 3 of 14, reduce-scatter: NPU 1 sends X6, the sum of NPUs 0, 1, 7, to NPU 2;")
    assert "NPU 2 sends X7, the sum of NPUs 0–2, to NPU 3." in text


def test_two_players_on_a_page_keep_apart(show):
    page = show(Player(RING), Player(schedule("all-to-all", "direct", 4)), reduced_motion="reduce")
    page.keyboard.press("ArrowRight")
    decks = "[...document.querySelectorAll('.astra-player')].map((root) => root.astraDeck.step)"
    assert page.evaluate(decks) == [1, 0]
    ids = page.evaluate("[...document.querySelectorAll('[id^=astra-]')].map((element) => element.id)")
    assert len(ids) == len(set(ids))


def test_python_seeks(show):
    page = show(Player(RING))
    for name, value, expected in [("step", 5, [5, 5]), ("time", 2.5, [3, 2.5]), ("step", 14, [14, 14])]:
        page.evaluate(f"astraModels[0].set('{name}', {value})")
        frame(page)
        assert position(page) == expected


def test_two_views_of_one_model_move_together_and_close_apart(show):
    page = show(Player(RING))
    page.evaluate("""() => {
      const el = document.body.appendChild(document.createElement("div"));
      window.close2 = astraWidget.render({ model: astraModels[0], el });
    }""")
    page.keyboard.press("End")
    frame(page)
    assert page.locator(".astra-live").all_inner_texts()[0].startswith("Step 14 of 14")
    assert len(set(page.locator(".astra-live").all_inner_texts())) == 1
    page.evaluate("close2()")
    assert page.locator(".astra-player").count() == 1
    assert page.evaluate(f"{DECK}.views.size") == 1


def test_a_view_that_is_rendered_again_catches_up(show):
    page = show(Player(RING))
    page.evaluate("""() => {
      const el = document.querySelector(".astra-handout"), { astraDeck } = el.firstChild;
      astraDeck.views.forEach((view) => view.destroy());
      for (const name of ["step", "time"]) astraModels[0].set(name, 9);
      astraWidget.render({ model: astraModels[0], el });
    }""")
    frame(page)
    assert position(page) == [9, 9]
    assert page.locator(".astra-live").inner_text().startswith("Step 9 of 14")


def test_replacing_the_data_keeps_root_position_and_size(show):
    small, large = Player(RING, step=7), Player(schedule("all-reduce", "ring", 16))
    page = show(small, large)
    page.evaluate("() => { window.root = document.querySelector('.astra-player'); window.size = root.offsetHeight; }")
    page.evaluate("astraModels[0].set('data', astraModels[1].get('data')), astraModels[0].set('time', 15)")
    frame(page)
    assert position(page) == [15, 15]
    assert page.evaluate("root === document.querySelector('.astra-player') && root.isConnected")
    assert page.evaluate("root.offsetHeight - size") == 0
    assert page.locator(".astra-player").first.locator(".astra-node").count() == 16
    assert page.evaluate("document.activeElement === root")


GATHER = schedule("all-gather", "ring", 4)


def sending(rule, count=3):
    """An all-gather of 4 NPUs with steps by this rule."""
    return replace(GATHER, groups=(replace(GATHER.groups[0], rule=rule, count=count),))


def right(s, i):
    return [((i + 1) % 4, (i - s) % 4)]


WRONG = {
    "in the first step": (sending(lambda s, i: [((i + 1) % 4, (i + 3) % 4)]), 1, (0, 1, "✗ X3")),
    "later, one message": (
        sending(lambda s, i: [((i + 1) % 4, 2)] if (s, i) == (1, 0) else right(s, i)),
        2,
        (0, 1, "✗ X2"),
    ),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.parametrize(("plan", "step", "marked"), WRONG.values(), ids=WRONG)
def test_the_message_that_makes_a_schedule_wrong_is_drawn_and_nothing_of_its_step_arrives(
    show, plan, step, marked, motion, scheme
):
    page = show(Player(plan), reduced_motion=motion, color_scheme=scheme)
    assert page.locator(".astra-where").inner_text() == "step 0 of 3"
    assert page.locator(".astra-live").inner_text().startswith("Before the first of 3 steps. Press play")
    page.evaluate(f"{DECK}.seek({step - 1})")
    frame(page)
    before = page.locator("td[data-shard]").all_inner_texts()
    page.keyboard.press("End")
    frame(page)
    assert page.locator(".astra-where").inner_text() == f"step {step} of 3"
    assert page.locator(".astra-live").inner_text().startswith(f"Step {step} of 3, all-gather: the message marked ✗")
    assert page.locator(".astra-problem").inner_text().startswith(f"This schedule is wrong. Step {step}: NPU 0 sends")
    assert page.locator("td[data-shard]").all_inner_texts() == before
    wrong = page.locator(".astra-token.astra-wrong:visible")
    source, destination, text = marked
    assert [wrong.get_attribute(name) for name in ("data-from", "data-to")] == [str(source), str(destination)]
    assert wrong.text_content() == text
    ends = [page.locator(f".astra-node[data-npu='{npu}'] circle").bounding_box() for npu in marked[:2]]
    at = wrong.locator("rect").bounding_box()
    far = [((at["x"] + at["width"] / 2 - e["x"] - e["width"] / 2) ** 2 + (at["y"] - e["y"]) ** 2) ** 0.5 for e in ends]
    assert far[0] == pytest.approx(far[1], rel=0.35)  # it stops half way
    assert page.locator(".astra-legend").inner_text().endswith("✗ can't be sent")
    assert page.locator("td[class*=astra-gets]").count() == 0


def test_without_motion_shards_lie_where_they_have_arrived(show):
    page = show(Player(schedule("all-reduce", "ring", 4), step=6), reduced_motion="reduce")
    assert page.locator("td.astra-final").count() == 16
    moved = show(Player(schedule("all-reduce", "ring", 4), step=6))
    places = [
        p.locator(".astra-token").evaluate_all("all => all.map((g) => g.getAttribute('transform'))")
        for p in (page, moved)
    ]
    assert places[0] == places[1]
    assert len(places[0]) == 4


@pytest.mark.parametrize(
    ("collective", "at_first", "at_last"), [("reduce", 0, 1), ("gather", 0, 1), ("broadcast", 1, 4)]
)
def test_an_npu_is_done_when_it_holds_what_is_asked_of_it(show, collective, at_first, at_last):
    """Of who only sends nothing is asked: such NPUs were green while their shards were flying."""
    page = show(Player(schedule(collective, "direct", 4)))
    assert page.locator(".astra-node.astra-done").count() == at_first
    page.keyboard.press("End")
    frame(page)
    assert page.locator(".astra-node.astra-done").count() == at_last


def test_where_they_cant_lie_there_the_picture_without_motion_says_so(show):
    said = "shards on their way, the table once they have arrived"
    crowded = schedule("all-reduce", "direct", 8)
    assert said in show(Player(crowded), reduced_motion="reduce").locator(".astra-legend").inner_text()
    assert said not in show(Player(crowded)).locator(".astra-legend").inner_text()


def test_a_printed_picture_fits_the_paper(open_page):
    player = Player(RING, step=3)
    page = open_page(
        f'<body style="margin:0">{player.svg()}</body>', viewport={"width": 640, "height": 900}, alone=True
    )
    page.emulate_media(media="print")
    right = page.locator("svg text").evaluate_all("all => all.map((text) => text.getBoundingClientRect().right)")
    assert max(right) <= 640
    assert page.evaluate("document.documentElement.scrollWidth") == 640


def test_many_npus_are_counted(show):
    page = show(Player(schedule("all-reduce", "ring", 65536)))
    assert page.locator("caption").inner_text() == "65,536 NPUs, 131,070 steps: too much to draw, showing counts"
    assert page.get_by_role("row").count() == 3
    assert page.get_by_role("button", name="Play").count() == 0


def test_the_pages_own_shortcuts_pass_through(show):
    page = show(Player(RING))
    page.evaluate("() => { window.seen = []; addEventListener('keydown', (e) => seen.push(e.key)); }")
    for keys in ("Control+s", "Shift+Enter", "x"):
        page.keyboard.press(keys)
    assert page.evaluate("seen.filter((key) => key.length === 1 || key === 'Enter')") == ["s", "Enter"]
