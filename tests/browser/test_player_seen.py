"""What a person sees in the player, against the schedule: tokens, arrows, the table, the legend, the strip."""

from __future__ import annotations

from math import atan2, degrees, hypot

import pytest

pytest.importorskip("anywidget")

from course.widgets.test_player import Dimensions

from astra_edu.collectives import counts, hierarchical, schedule
from astra_edu.collectives.collective import Collective, held_after
from astra_edu.collectives.proof import initial, replay
from astra_edu.course.widgets import Player, handout
from astra_edu.course.widgets.words import short
from browser.looking import SCHEMES, colour, numbers, script

pytestmark = pytest.mark.browser

RING = schedule("all-reduce", "ring", 4)
PLANS = [
    RING,
    schedule("all-reduce", "direct", 4),
    schedule("all-reduce", "binary-tree", 6),  # up and down the same ways
    schedule("all-gather", "ring", 5),
    schedule("reduce-scatter", "halving-doubling", 4),
    schedule("broadcast", "binary-tree", 6, 2),
    hierarchical("all-reduce", ["ring", "ring"], [2, 3]),
]
READ = script("player")


@pytest.fixture
def show(open_page):
    def shown(plan, timing=None, scheme="light", **traits):
        return open_page(handout.page([Player(plan, timing, **traits)], "Test"), color_scheme=scheme)

    return shown


def frame(page):
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def seen(page, time=None):
    """What is on the page, with the player at a position of its clock."""
    if time is not None:
        page.evaluate("(time) => astraModels[0].set('time', time)", time)
    frame(page)
    return page.evaluate(READ)


def apart(a, b):
    return hypot(a[0] - b[0], a[1] - b[1])


def messages(step):
    """{(source, destination): shards} of a step."""
    found = {}
    for source, destination, shard in step.transfers:
        found.setdefault((source, destination), []).append(shard)
    return found


def label(plan, step, shards):
    names = " ".join(map(plan.shard_name, shards)) if len(shards) <= 2 else f"{len(shards)} shards"
    return ("+" if step.op == "reduce" else "") + names


def level(cell):
    """(colour, share of its width) that a cell is filled with: its edge doesn't go through all of the text."""
    found, _, rest = cell["back"].partition("linear-gradient(to right, ")[2].partition(") ")
    return f"{found})", float(rest.partition("%")[0]) / 100


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_every_token_flies_from_its_sender_to_its_receiver(show, plan):
    page = show(plan)
    for index in sorted({0, plan.step_count // 2, plan.step_count - 1}):
        step, early, late = plan.step(index), seen(page, index + 0.2), seen(page, index + 0.8)
        nodes = {int(node["name"]): node["at"] for node in early["nodes"]}
        wanted = messages(step)
        for now in (early, late):
            assert sorted(token["text"] for token in now["tokens"]) == sorted(
                label(plan, step, shards) for shards in wanted.values()
            )
        for (source, destination), shards in wanted.items():
            text, start, end = label(plan, step, shards), nodes[source], nodes[destination]
            of_it = [[token["at"] for token in now["tokens"] if token["text"] == text] for now in (early, late)]
            assert min(apart(at, start) for at in of_it[0]) < 0.45 * apart(start, end) + 10
            assert min(apart(at, end) for at in of_it[1]) < 0.45 * apart(start, end) + 10
            assert any(apart(at, start) < apart(at, end) for at in of_it[0])
            assert any(apart(at, end) < apart(at, start) for at in of_it[1])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_every_arrow_begins_at_the_sender_and_has_its_head_at_the_receiver(show, plan, scheme):
    page = show(plan, scheme=scheme)
    for index in (0, plan.step_count - 1):
        step, now = plan.step(index), seen(page, index + 0.5)
        nodes = {int(node["name"]): node["at"] for node in now["nodes"]}
        pairs = set()
        for arrow in now["arrows"]:
            near = [min(nodes, key=lambda npu, end=end: apart(nodes[npu], arrow[end])) for end in ("from", "to")]
            pairs.add(tuple(near))
            assert apart(nodes[near[1]], arrow["to"]) > apart(nodes[near[0]], arrow["from"])  # room for the head
            hue = {"reduce": "orange", "copy": "blue"}[step.op]
            assert arrow["edge"] == colour(hue, scheme)
            assert (arrow["dash"] == "none") == (step.op == "reduce")
            assert arrow["other"] == ["none", "none"]
            assert (arrow["tip"]["fill"], arrow["tip"]["turns"]) == (colour(hue, scheme), "auto")
            x = numbers(arrow["tip"]["d"])[::2]
            assert x[1] > max(x[0], x[2])  # a head points along its arrow
        assert pairs == set(messages(step))


def test_tokens_are_squares_with_a_plus_where_they_are_added_and_round_where_copied(show):
    page = show(RING)
    for time, fill, edge in [(0.5, "pale orange", "orange"), (4.5, "pale blue", "blue")]:
        for token in seen(page, time)["tokens"]:
            assert (token["fill"], token["edge"]) == (colour(fill, "light"), colour(edge, "light"))
            assert (token["round"] > 5) == (edge == "blue")
            assert token["text"].startswith("+") == (edge == "orange")


@pytest.mark.parametrize("npus", [4, 8])
def test_npus_stand_clockwise_from_the_top(show, npus):
    now = seen(show(schedule("all-reduce", "ring", npus)))
    middle = [sum(node["at"][axis] for node in now["nodes"]) / npus for axis in (0, 1)]
    for npu, node in enumerate(now["nodes"]):
        assert node["name"] == str(npu)
        assert apart(node["at"], node["text"]) < 6
        clock = degrees(atan2(node["at"][0] - middle[0], middle[1] - node["at"][1])) % 360
        assert clock == pytest.approx(360 * npu / npus, abs=0.5)


def test_npus_of_two_dimensions_stand_in_rows(show):
    now = seen(show(hierarchical("all-reduce", ["ring", "ring"], [2, 3])))
    at = [node["at"] for node in now["nodes"]]
    assert [round(x - at[0][0]) > 0 for x, _ in at] == [False, True] * 3
    assert at[0][1] == at[1][1] < at[2][1] == at[3][1] < at[4][1] == at[5][1]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_the_table_is_read_as_the_proof(show, plan, scheme):
    page = show(plan, scheme=scheme)
    states = [initial(plan), *([list(row) for row in held] for _, held in replay(plan))]
    reducing = plan.collective in (Collective.ALL_REDUCE, Collective.REDUCE_SCATTER)
    for steps in sorted({0, 1, plan.step_count // 2, plan.step_count}):
        now = seen(page, steps)
        assert now["columns"] == ["NPU", *map(plan.shard_name, range(plan.shards))]
        assert [row["name"] for row in now["rows"]] == [str(npu) for npu in range(plan.npus)]
        assert sorted(row["y"] for row in now["rows"]) == [row["y"] for row in now["rows"]]
        for npu, row in enumerate(now["rows"]):
            done = True
            for shard, cell in enumerate(row["cells"]):
                held = states[steps][npu][shard]
                wanted = held_after(plan.collective, plan.npus, npu, shard % plan.blocks, plan.root) or 0
                final = bool(held) and held == wanted
                done &= final or not wanted
                assert cell["text"] == ("✓" if final else short(held, plan.npus))
                hue = "green" if final else "light orange" if reducing else "light blue"
                share = 1 if final else held.bit_count() / plan.npus if reducing else bool(held)
                fill, wide = level(cell)
                assert wide == pytest.approx(float(share), abs=1e-4)
                assert not wide or fill == colour(hue, scheme)
                assert cell["ink"] == ("rgb(255, 255, 255)" if final else colour("ink", scheme))
                some = wanted and any(
                    not held_after(plan.collective, plan.npus, other, shard % plan.blocks, plan.root)
                    for other in range(plan.npus)
                )
                assert (cell["wanted"] != "none") == bool(some)
            assert (now["nodes"][npu]["fill"] == colour("green", scheme)) == done


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_cells_of_the_step_are_framed_dotted_where_shards_leave(show, plan):
    page = show(plan)
    for index in (0, plan.step_count - 1):
        now, step = seen(page, index + 0.5), plan.step(index)
        gets = {(t.destination, t.shard) for t in step.transfers}
        sends = {(t.source, t.shard) for t in step.transfers}
        hue = colour({"reduce": "orange", "copy": "blue"}[step.op], "light")
        for npu, row in enumerate(now["rows"]):
            for shard, cell in enumerate(row["cells"]):
                if (npu, shard) in gets:
                    assert (cell["edge"], cell["line"]) == (hue, "solid")
                else:
                    assert cell["line"] == ("dotted" if (npu, shard) in sends else "none")
    assert {cell["line"] for row in seen(page, 0)["rows"] for cell in row["cells"]} == {"none"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_legend_shows_the_signs_and_colours_of_the_picture(show, scheme):
    page = show(RING, scheme=scheme)
    added, copied, partial, final, sends, gets = seen(page)["legend"]
    assert (added["text"], added["sign"], added["colour"]) == ("added on arrival", '"+"', colour("pale orange", scheme))
    assert (copied["text"], copied["sign"], copied["round"]) == ("copied", '""', "50%")
    assert copied["colour"] == colour("pale blue", scheme)
    assert partial["text"] == "numbers: the NPUs whose data are in it"
    assert colour("light orange", scheme) in partial["image"]
    assert (final["text"], final["sign"], final["colour"]) == ("as it must end", '"✓"', colour("green", scheme))
    assert (sends["text"], sends["line"], sends["edge"]) == ("sends it now", "dotted", colour("ink", scheme))
    assert (gets["text"], gets["line"], gets["edge"]) == ("gets it now", "solid", colour("orange", scheme))


def test_the_legend_has_only_what_there_is(show):
    assert [key["text"] for key in seen(show(schedule("all-gather", "ring", 4)))["legend"]] == [
        "copied",
        "as it must end",
        "sends it now",
        "gets it now",
    ]


def test_the_banner_says_the_phase_in_its_colour_and_line(show):
    page = show(RING)
    assert seen(page)["banner"]["text"] == "before the first step"
    for time, text, edge, line, sign in [
        (0.5, "reduce-scatter", "orange", "solid", '"+"'),
        (3, "reduce-scatter", "orange", "solid", '"+"'),
        (3.1, "all-gather", "blue", "dashed", '""'),
    ]:
        banner = seen(page, time)["banner"]
        assert (banner["text"], banner["line"], banner["sign"]) == (text, line, sign)
        assert banner["edge"] == colour(edge, "light")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_strip_has_the_phases_where_they_are_and_a_tick_between_steps(show, scheme):
    now = seen(show(schedule("all-reduce", "ring", 4), step=2, scheme=scheme))
    assert [(p["text"], p["line"], p["edge"]) for p in now["phases"]] == [
        ("reduce-scatter", "solid", colour("orange", scheme)),
        ("all-gather", "dashed", colour("blue", scheme)),
    ]
    assert [p["back"] for p in now["phases"]] == [colour("phase orange", scheme), colour("phase blue", scheme)]
    assert {p["ink"] for p in now["phases"]} == {colour("ink", scheme)}  # the marker's, too
    assert [(p["from"], p["to"]) for p in now["phases"]] == [pytest.approx((0, 0.5)), pytest.approx((0.5, 1))]
    assert now["ticks"] == pytest.approx([k / 6 for k in range(1, 6)], abs=0.003)
    assert now["slider"] == [2, 6]
    assert now["where"] == "step 2 of 6"
    assert now["title"] == "ring all-reduce on 4 NPUs"


def test_by_simulated_time_steps_are_as_long_as_they_last(show):
    plan = hierarchical("all-reduce", "ring", [2, 2])  # 100, 700, 700, 100 ns
    page = show(plan, Dimensions(plan), clock="time")
    now = seen(page, 450)
    assert [(p["from"], p["to"]) for p in now["phases"]] == [
        pytest.approx((a / 1600, b / 1600), abs=1e-3) for a, b in [(0, 100), (100, 800), (800, 1500), (1500, 1600)]
    ]
    assert [p["text"] for p in now["phases"]] == [
        *("dim 0: reduce-scatter", "dim 1: reduce-scatter", "dim 1: all-gather", "dim 0: all-gather")
    ]
    assert now["ticks"] == pytest.approx([100 / 1600, 800 / 1600, 1500 / 1600], abs=0.003)
    assert now["where"] == "450 ns · step 2 of 4"
    assert now["slider"] == [450, 1600]
    pressed = {text: (state, back == colour("pale blue", "light")) for text, state, back in now["clocks"]}
    assert pressed == {"one beat a step": ("false", False), "simulated time": ("true", True)}
    nodes = {int(node["name"]): node["at"] for node in now["nodes"]}
    for pair, shards in messages(plan.step(1)).items():  # half of the time, half of the way
        ends = [nodes[npu] for npu in pair]
        [at] = [
            t["at"]
            for t in now["tokens"]
            if t["text"] == label(plan, plan.step(1), shards)
            and abs(apart(t["at"], ends[0]) + apart(t["at"], ends[1])) < 1.4 * apart(*ends)
        ]
        assert apart(at, ends[0]) == pytest.approx(apart(at, ends[1]), rel=0.2)
    early = seen(page, 275)["tokens"]  # a quarter of the time
    for pair, shards in messages(plan.step(1)).items():
        found = [t["at"] for t in early if t["text"] == label(plan, plan.step(1), shards)]
        at = min(found, key=lambda at, ends=[nodes[npu] for npu in pair]: apart(at, ends[0]) + apart(at, ends[1]))
        assert apart(at, nodes[pair[0]]) < apart(at, nodes[pair[1]])
    held = [list(map(list, h)) for _, h in replay(plan)]
    for time, steps in ((99, 0), (100, 1), (799, 1), (800, 2), (1600, 4)):
        shown = [[cell["text"] for cell in row["cells"]] for row in seen(page, time)["rows"]]
        state = held[steps - 1] if steps else initial(plan)
        assert shown == [["✓" if mask == 15 else short(mask, 4) for mask in row] for row in state]


def test_whoever_is_followed_stands_out_and_the_others_are_dim(show):
    page = show(RING)
    seen(page, 1.5)
    page.locator(".astra-node", has_text="2").click()
    page.mouse.move(5, 5)
    now = seen(page)
    [heard] = [node for node in now["nodes"] if node["wide"] == 4]
    assert heard["name"] == "2"
    assert heard["edge"] == colour("blue", "light")
    assert [row["name"] for row in now["rows"] if row["bold"] == "700"] == ["2"]
    mine = {label(RING, RING.step(1), shards) for pair, shards in messages(RING.step(1)).items() if 2 in pair}
    assert {token["text"] for token in now["tokens"] if token["opacity"] == 1} == mine
    assert {token["opacity"] for token in now["tokens"] if token["text"] not in mine} == {0.22}
    assert sorted(arrow["opacity"] for arrow in now["arrows"]) == [0.22, 0.22, 1, 1]
    page.locator(".astra-player").focus()
    page.keyboard.press("ArrowDown")
    assert [node["name"] for node in seen(page)["nodes"] if node["wide"] == 4] == ["3"]
    page.keyboard.press("ArrowDown")
    assert [node["name"] for node in seen(page)["nodes"] if node["wide"] == 4] == ["0"]
    page.keyboard.press("Escape")
    assert {token["opacity"] for token in seen(page)["tokens"]} == {1}


def test_a_cell_under_the_pointer_is_said_in_words(show):
    page = show(RING)
    seen(page, 1)
    for npu, shard in ((1, 0), (3, 1)):
        page.locator("tbody tr").nth(npu).locator("td").nth(shard).hover()
        frame(page)
        held = next(replay(RING))[1][npu][shard]
        words = {1: f"NPU {npu}'s data (1 of 4)"}.get(
            held.bit_count(), f"the sum of NPUs {short(held, 4).replace(' ', ', ')} (2 of 4)"
        )
        assert seen(page)["detail"] == f"NPU {npu} holds of X{shard}: {words}"


def test_what_each_npu_has_for_whom_in_an_all_to_all(show):
    plan = schedule("all-to-all", "direct", 4)
    page = show(plan)
    now = seen(page)
    assert now["columns"] == ["NPU", "NPU 0", "NPU 1", "NPU 2", "NPU 3"]
    for npu, row in enumerate(now["rows"]):
        own = ["✓" if peer == npu else "" for peer in range(4)]
        wanted = [f"{plan.shard_name(npu * 4 + peer)[1:]}{' ✓' if own[peer] else ''}" for peer in range(4)]
        assert [cell["text"] for cell in row["cells"]] == wanted
    for npu, row in enumerate(seen(page, plan.step_count)["rows"]):
        assert [cell["text"] for cell in row["cells"]] == [
            f"{plan.shard_name(peer * 4 + npu)[1:]} ✓" for peer in range(4)
        ]


def test_all_to_alls_table_says_whose_data_they_are(show):
    page = show(schedule("all-to-all", "ring", 4))
    names = [key["text"] for key in seen(page)["legend"]]
    assert names == ["0→3: NPU 0’s data for NPU 3", "copied", "as it must end", "sends it now", "gets it now"]
    for time, row, column, said in [
        (0, 1, 3, "NPU 1 waits for X3→1, NPU 3’s data for it; X1→3 is its own data for NPU 3"),
        (0, 2, 2, "NPU 2 keeps X2→2, its own data for itself"),
        (1, 1, 0, "NPU 1 has got X0→1, NPU 0’s data for it"),
    ]:
        seen(page, time)
        page.locator("tbody tr").nth(row).locator("td").nth(column).hover()
        frame(page)
        assert seen(page)["detail"] == said
    assert "0→3" not in str(seen(show(RING))["legend"])


def test_pairs_of_16_npus_fit_into_their_cells(show):
    page = show(schedule("all-to-all", "direct", 16), step=1)
    assert seen(page)["rows"][15]["cells"][14]["text"] == "14→15"
    page.add_style_tag(content="td > span { contain: none !important; width: max-content; }")
    over = page.evaluate(
        """() => [...document.querySelectorAll("tbody td")].map((cell) =>
          cell.firstChild.getBoundingClientRect().width - cell.getBoundingClientRect().width)"""
    )
    assert max(over) < 1


TREES = [
    (schedule("all-reduce", "binary-tree", 6), 1),
    (schedule("all-reduce", "tree-root-last", 8), 1),
    (schedule("broadcast", "binary-tree", 7, 2), 1),
    (schedule("gather", "binary-tree", 8), 1),
    (schedule("all-reduce", "double-binary-tree", 8), 2),
    (schedule("all-reduce", "double-binary-tree", 7), 2),
]


@pytest.mark.parametrize(("plan", "trees"), TREES, ids=repr)
def test_trees_are_drawn_as_trees(show, plan, trees):
    """Sums go up a level, results down one; a picture has as many circles for each NPU as there are trees."""
    page = show(plan)
    now = seen(page)
    circles = {(tree, npu): node["places"][tree] for npu, node in enumerate(now["nodes"]) for tree in range(trees)}
    assert all(len(node["places"]) == trees for node in now["nodes"])
    assert all(circle["name"] == str(npu) for (_, npu), circle in circles.items())
    at = {key: circle["at"] for key, circle in circles.items()}
    levels = [sorted({at[tree, npu][1] for npu in range(plan.npus)}) for tree in range(trees)]
    assert len(levels[0]) >= 3
    ways = set()
    for index in range(plan.step_count):
        step = plan.step(index)
        wanted = set()
        for source, destination, shard in step.transfers:
            tree = shard % trees if trees > 1 else 0
            up = levels[tree].index(at[tree, source][1]) - levels[tree].index(at[tree, destination][1])
            assert abs(up) == 1
            assert (up == 1) == (step.op == "reduce" or plan.collective == Collective.GATHER)
            wanted.add((at[tree, source][0], at[tree, destination][0]))
            ways.add(frozenset([tuple(at[tree, source]), tuple(at[tree, destination])]))
        arrows = seen(page, index + 0.5)["arrows"]
        found = set()
        for arrow in arrows:
            near = [min(at.values(), key=lambda place, end=end: apart(place, arrow[end])) for end in ("from", "to")]
            found.add((near[0][0], near[1][0]))
        assert found == wanted
    assert {frozenset([(a, b), (c, d)]) for a, b, c, d in now["wires"]} == ways
    assert [text for text, *_ in now["written"]] == ([] if trees == 1 else ["for X0", "for X1"])
    least = min(apart(a, b) for k, a in enumerate(at.values()) for b in [*at.values()][k + 1 :])
    assert least > 2 * now["nodes"][0]["r"] + 4


def test_in_two_trees_an_npu_is_done_and_followed_in_both(show):
    plan = schedule("all-reduce", "double-binary-tree", 8)
    page = show(plan)
    page.locator(".astra-node", has_text="2").locator("text").last.click()
    page.mouse.move(5, 5)
    node = seen(page, plan.step_count)["nodes"][2]
    assert [place["edge"] for place in node["places"]] == [colour("blue", "light")] * 2
    assert [place["fill"] for place in node["places"]] == [colour("green", "light")] * 2
    inner = [x for x, _ in (place["at"] for place in node["places"])]
    assert inner[0] < 240 < inner[1]


@pytest.mark.parametrize("traits", [{"topology": "Ring"}, {"topology": "Switch"}], ids=repr)
def test_a_network_of_fewer_links_is_drawn_whatever_the_algorithm(show, traits):
    now = seen(show(schedule("all-reduce", "double-binary-tree", 8), **traits))
    assert now["nodes"][0]["at"][1] < now["nodes"][1]["at"][1] < now["nodes"][2]["at"][1]  # round, from the top
    assert {len(node["places"]) for node in now["nodes"]} == {1}


@pytest.mark.parametrize("algorithm", ["direct", "single-master", "halving-doubling", "ring", "naive"])
def test_what_is_no_tree_or_a_star_stands_in_a_circle(show, algorithm):
    now = seen(show(schedule("all-reduce", algorithm, 8)))
    assert {round(apart(node["at"], [240, 210])) for node in now["nodes"]} == {174}


def test_many_npus_have_counts_in_the_columns_they_are_called(show):
    plan = schedule("all-reduce", "ring", 65536)
    page = show(plan)
    head = page.locator("thead th").all_inner_texts()
    assert head == ["phase", "steps", "shards sent", "shards received", "messages in at once"]
    for row, found in zip(counts(plan, plan.shards_per_buffer).rounds, page.locator("tbody tr").all(), strict=True):
        wanted = [row.phase, f"{row.steps:,}", f"{row.sent:,.0f}", f"{row.received:,.0f}", f"{row.fan_in:,}"]
        assert found.locator("th, td").all_inner_texts() == wanted
    assert page.locator(".astra-live").inner_text().startswith(f"{plan.step_count:,} steps in all.")


def test_a_large_table_is_a_map_of_levels_with_every_eighth_name(show):
    plan = schedule("all-reduce", "ring", 32)
    page = show(plan)
    held = [list(map(list, h)) for _, h in replay(plan)][9]
    now = seen(page, 10)
    assert now["columns"] == ["", *(f"X{k}" if k % 8 == 0 else "" for k in range(32))]
    assert now["titles"][1:] == [f"X{k}" for k in range(32)]
    assert [row["name"] for row in now["rows"]] == [str(k) if k % 8 == 0 else "" for k in range(32)]
    shades = {}  # by the number of contributors, each in a colour of its own, the more the stronger
    for npu, row in enumerate(now["rows"]):
        for shard, cell in enumerate(row["cells"]):
            shades.setdefault(held[npu][shard].bit_count(), set()).add(cell["shade"])
    assert all(len(found) == 1 for found in shades.values())
    red_and_blue = [(1 - numbers(min(shades[size]))[2]) for size in sorted(shades)]
    assert red_and_blue == sorted(red_and_blue)
    assert len({min(found) for found in shades.values()}) == len(shades) > 5


@pytest.mark.parametrize(("algorithm", "y"), [("in-switch", 214), ("ring", 272)])
def test_a_switch_has_its_name_once_where_no_message_stops(show, algorithm, y):
    """In its middle where it adds up; at its edge where messages cross the middle."""
    page = show(schedule("all-reduce", algorithm, 8), topology="Switch")
    assert seen(page, 0.5)["written"] == [["switch", 240, y]]
