"""What a person sees in the link player, against the run: where messages are, which links send, who waits where."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, hypot

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("networkx")

from recorded_runs import incast, run, tree

import astra_edu as ae
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.widgets.link_player import LinkPlayer
from astra_edu.course.widgets.palette import LEVELS
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.graph import GraphNetwork
from browser.looking import SCHEMES, colour, numbers, script, shade

pytestmark = pytest.mark.browser

SWITCH = run(ae.Block("Switch", 8, 50, 500))
RING = run(ae.Block("Ring", 8, 50, 500), "ring")
TREE = run(GraphNetwork(tree()))
RUNS = {"switch": SWITCH, "ring": RING}
TIMES = {"switch": (0, 12_345, 33_333), "ring": (0, 4_567, 20_000), "tree": (30_000,)}
READ = script("links")


@pytest.fixture
def show(open_page):
    def shown(result, time=0, scheme="light"):
        return open_page(LinkPlayer(result, time=time).page(), color_scheme=scheme)

    return shown


def seen(page, time=None):
    if time is not None:
        page.evaluate("(time) => astraModels[0].set('time', time)", time)
    return page.evaluate(READ)


def apart(a, b):
    return hypot(a[0] - b[0], a[1] - b[1])


def nodes(now):
    """{name: where it stands}, each name at its own node."""
    found = {int(name["text"]): min(now["circles"], key=lambda at, n=name: apart(at, n["at"])) for name in now["names"]}
    squares = [(x + wide / 2, y + wide / 2) for x, y, wide in now["squares"]]
    return found | {name["text"]: min(squares, key=lambda at, n=name: apart(at, n["at"])) for name in now["switches"]}


def wires(now):
    """{(tail, head): the drawn link}: the one that begins nearest to the tail's node and ends nearest to the head's."""
    where = nodes(now)
    found = {}
    for link in now["links"]:
        ends = tuple(min(where, key=lambda node, at=link[end]: apart(where[node], at)) for end in ("from", "to"))
        assert ends not in found
        found[ends] = link
    return found


def by_link(result):
    found = defaultdict(list)
    for use in result.uses:
        found[use.link].append(use)
    return found


def states(result, time):
    """{link: (share of the time so far, bytes being sent, messages that wait)}, counted message by message."""
    found = {}
    for link, uses in by_link(result).items():
        busy = sum(min(use.free_ns, time) - use.start_ns for use in uses if use.start_ns <= time)
        sends = [use.size for use in uses if use.start_ns <= time < use.free_ns]
        waiting = sum(use.queued_ns <= time < use.start_ns for use in uses)
        found[link] = (busy / time if time else 0.0, sends[0] if sends else 0, waiting)
    return found


@pytest.mark.parametrize("name", RUNS)
def test_every_link_is_drawn_from_its_tail_to_its_head(show, name):
    now = seen(show(RUNS[name]))
    assert set(wires(now)) == set(by_link(RUNS[name])) | {link[::-1] for link in by_link(RUNS[name])}
    for name_at in now["names"]:
        assert min(apart(at, name_at["at"]) for at in now["circles"]) < 6


@pytest.mark.parametrize("name", RUNS)
def test_messages_are_as_far_on_their_link_as_time_has_passed(show, name):
    page, result = show(RUNS[name]), RUNS[name]
    where = wires(seen(page))
    for time in TIMES[name][1:]:
        now, wanted = seen(page, time), []
        for use in result.uses:
            if use.start_ns <= time < use.end_ns:
                share, link = (time - use.start_ns) / (use.end_ns - use.start_ns), where[use.link]
                wanted.append([a + share * (b - a) for a, b in zip(link["from"], link["to"], strict=True)])
        assert len(now["messages"]) == len(wanted) > 0
        for at in wanted:
            assert min(apart(at, drawn) for drawn in now["messages"]) < 4


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", RUNS)
def test_links_are_the_stronger_the_more_they_send_and_dashed_while_idle(show, name, scheme):
    page, result = show(RUNS[name], scheme=scheme), RUNS[name]
    for time in TIMES[name][1:]:
        used, drawn = states(result, time), wires(seen(page, time))
        for ends, link in drawn.items():
            share, sends, _ = used.get(ends, (0.0, 0, 0))
            assert link["edge"] == shade(LEVELS[str(ceil(5 * share - 1e-9))], scheme)
            assert link["wide"] == pytest.approx(1.2 + 4.3 * share, abs=0.01)
            assert (link["dash"] == "none") == bool(sends)


def test_shades_go_from_the_papers_to_the_inks():
    for scheme in (0, 1):
        bright = [sum(int(shades[scheme][k : k + 2], 16) for k in (1, 3, 5)) for shades in LEVELS.values()]
        assert bright[1:] == sorted(bright[1:], reverse=scheme == 0)


@pytest.mark.parametrize(("name", "result"), [("switch", SWITCH), ("tree", TREE)])
def test_the_number_of_those_that_wait_stands_at_the_beginning_of_their_link(show, name, result):
    page = show(result)
    for time in TIMES[name]:
        now, used = seen(page, time), states(result, time)
        drawn = wires(now) if name == "switch" else None
        numbers_wanted = sorted(f"+{waiting}" for _, _, waiting in used.values() if waiting)
        assert sorted(text["text"] for text in now["waiting"]) == numbers_wanted
        for text in now["waiting"] if drawn else []:
            near = min(drawn, key=lambda ends, at=text["at"]: apart(drawn[ends]["from"], at))
            assert text["text"] == f"+{used[near][2]}"


@pytest.mark.parametrize(("name", "result"), [("switch", SWITCH), ("ring", RING), ("tree", TREE)])
def test_the_table_has_the_busiest_first_with_bars_as_long_as_their_shares(show, name, result):
    page = show(result)
    for time in (*TIMES[name][1:], 30_000, result.total_ns):
        now, used = seen(page, time), states(result, time)
        assert now["head"] == ["link", "busy", "sends", "waiting"]
        shares = sorted((share for share, *_ in used.values()), reverse=True)[:10]
        assert [row["cells"][1] for row in now["rows"]][: len(shares)] == [f"{100 * share:.1f} %" for share in shares]
        for row in now["rows"]:
            link, busy, sends, waiting = row["cells"]
            ends = tuple(int(end) if end.isdigit() else end for end in link.split(" → "))
            share, size, wait = used.get(ends, (0.0, 0, 0))
            assert (busy, waiting) == (f"{100 * share:.1f} %", str(wait))
            assert sends == (format_bytes(size) if size else "–")
            assert row["back"].startswith(f"linear-gradient(to right, {colour('light blue', 'light')}")
            assert numbers(row["back"].partition(") ")[2])[0] == pytest.approx(100 * share, abs=0.06)


def test_a_lost_packet_is_a_cross_at_the_beginning_of_its_link_for_a_moment(show):
    result = incast(SwitchBuffers(32 * 1024))
    lost = result.lost[len(result.lost) // 2]
    page = show(result)
    now = seen(page, lost.time_ns)
    moment = result.total_ns / 400
    wanted = {packet.link for packet in result.lost if lost.time_ns - moment < packet.time_ns <= lost.time_ns}
    drawn = wires(now)
    assert len(now["crosses"]) == len(wanted) > 0
    for link in wanted:
        start = drawn[link]["from"]
        assert min(apart((x + 6, y + 6), start) for x, y in now["crosses"]) < 1
    assert [key["text"] for key in now["legend"]][-2] == "a packet is lost"
    later = max(packet.time_ns for packet in result.lost) + 2 * moment
    if later < result.total_ns:
        assert seen(page, later)["crosses"] == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_legend_shows_what_is_drawn(show, scheme):
    page = show(SWITCH, 12_345, scheme)
    now = seen(page)
    levels, idle, message, waits, load = now["legend"]
    assert levels["text"].startswith("share of the time so far in which a link sends: the more, the wider")
    assert [path["wide"] for path in levels["paths"]] == sorted(path["wide"] for path in levels["paths"])
    assert len({path["edge"] for path in levels["paths"]}) == 3
    shades = [
        f"rgb({', '.join(str(int(LEVELS[k][SCHEMES.index(scheme)][j : j + 2], 16)) for j in (1, 3, 5))})" for k in "135"
    ]
    assert [path["edge"] for path in levels["paths"]] == shades
    assert {path["dash"] for path in levels["paths"]} == {"none"}
    assert idle["text"] == "idle now"
    assert idle["paths"][0]["dash"] == "3px, 4px"
    assert message["text"] == "a message"
    assert [message["paths"][0]["fill"], message["paths"][0]["edge"]] == now["token"]
    assert now["token"] == [colour("pale orange", scheme), colour("orange", scheme)]
    assert waits["text"] == "+3: three wait for the link"
    assert load["text"] == "behind the slider: the share of all links that send"
    assert now["back"] == colour("paper", scheme)


@pytest.mark.parametrize("name", RUNS)
def test_behind_the_slider_is_the_share_of_links_that_send(show, name):
    result = RUNS[name]
    now = seen(show(result))
    x_y = numbers(now["load"]["d"])
    heights = dict(zip(x_y[2::4], x_y[3::4], strict=False))  # the left end of every step
    count, periods = len(now["links"]), numbers(now["load"]["size"])[2]
    for k in range(0, int(periods), 37):
        start, end = (result.total_ns * (k + d) / periods for d in (0, 1))
        busy = sum(max(0, min(use.free_ns, end) - max(use.start_ns, start)) for use in result.uses)
        assert 1 - heights[k] == pytest.approx(busy / count / (end - start), abs=2e-3)
    assert now["load"]["fill"] == colour("light blue", "light")


def test_the_followed_link_is_orange_and_said(show):
    page = show(SWITCH, 12_000)
    before = wires(seen(page))
    page.get_by_label("Follow a link").select_option(label="3 → switch 0.0")
    now = seen(page)
    marked = {ends: link for ends, link in wires(now).items() if link["edge"] == colour("orange", "light")}
    assert set(marked) == {(3, "switch 0.0")}
    assert marked[3, "switch 0.0"]["wide"] > before[3, "switch 0.0"]["wide"] + 1
    share, size, waiting = states(SWITCH, 12_000)[3, "switch 0.0"]
    said = f"3 → switch 0.0 sends {format_bytes(size)}, {waiting} waiting, busy for {100 * share:.1f} % so far."
    assert now["live"].endswith(said)
    menu = page.get_by_label("Follow a link").locator("option").all_inner_texts()
    assert menu[0] == "no link"
    assert len(menu) == 17


def test_what_is_said_of_a_time(show):
    page = show(SWITCH)
    for time in (5_000, 33_333):
        used, now = states(SWITCH, time), seen(page, time)
        most = max(waiting for *_, waiting in used.values())
        waiting = sum(waiting for *_, waiting in used.values())
        assert (
            f"{sum(size > 0 for _, size, _ in used.values())} of 16 links send, {waiting} messages wait" in now["live"]
        )
        assert f"{most} of them for" in now["live"]
        assert now["where"] == f"{time / 1000:.3f} µs of {format_ns(SWITCH.total_ns)}"
        assert now["slider"] == [time, SWITCH.total_ns]


def test_the_nodes_of_a_ring_stand_round_and_a_switch_above_what_it_joins(show):
    where = nodes(seen(show(RING)))
    order = [apart(where[k], where[(k + 1) % 8]) for k in range(8)]
    assert max(order) < min(apart(where[k], where[(k + 2) % 8]) for k in range(8)) * 1.2
    where = nodes(seen(show(TREE)))
    assert [where[npu][0] for npu in range(16)] == sorted(where[npu][0] for npu in range(16))
    assert max(where[f"spine {k}"][1] for k in (0, 1)) < where["ToR 0"][1] < where[0][1]
    for tor in range(4):
        mine = [where[npu][0] for npu in range(4 * tor, 4 * tor + 4)]
        assert min(mine) < where[f"ToR {tor}"][0] < max(mine)
