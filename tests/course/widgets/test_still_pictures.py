"""The still pictures of player and link player, read as SVG: what stands where and in which colour."""

from __future__ import annotations

import re
from math import hypot
from xml.etree import ElementTree

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("networkx")

from recorded_runs import run

import astra_edu as ae
from astra_edu.base.units import format_ns
from astra_edu.collectives import schedule
from astra_edu.collectives.proof import initial, replay
from astra_edu.course.widgets import LinkPlayer, Player
from astra_edu.course.widgets.words import short
from astra_edu.run.link_times import link_times

RING = schedule("all-reduce", "ring", 4)
SWITCH = run(ae.Block("Switch", 8, 50, 500))
ORANGE, BLUE, PALE_ORANGE, PALE_BLUE, GREEN = "#d55e00", "#0072b2", "#fde6d3", "#dceef9", "#00694f"
SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg):
    """(tag, attributes, text) of everything drawn, with its place on the whole picture as x0, y0."""
    found = []

    def walk(element, x, y):
        moved = re.match(r"translate\(([\d.]+) ([\d.]+)\)", element.get("transform", ""))
        if moved:
            x, y = x + float(moved[1]), y + float(moved[2])
        found.append((element.tag.removeprefix(SVG), dict(element.attrib), element.text or "", (x, y)))
        for child in element:
            walk(child, x, y)

    walk(ElementTree.fromstring(svg), 0, 0)
    return found


def place(attributes, names=("x", "y")):
    return tuple(float(attributes[name]) for name in names)


def stage(svg):
    """{NPU: centre}, the tokens as (label, centre, attributes), the ways as (start, end, colour, dash)."""
    drawn = shapes(svg)
    circles = [place(a, ("cx", "cy")) for tag, a, _, at in drawn if tag == "circle" and at[0] == 12]
    words = [(text, place(a)) for tag, a, text, at in drawn if tag == "text" and at[0] == 12]
    names = {}
    for centre in circles:
        names[int(min(words, key=lambda w, c=centre: hypot(w[1][0] - c[0], w[1][1] - c[1] - 4))[0])] = centre
    boxes = [(a, place(a)) for tag, a, _, at in drawn if tag == "rect" and at[0] == 12 and "stroke-width" in a]
    tokens = []
    for a, (x, y) in boxes:
        middle = (x + float(a["width"]) / 2, y + float(a["height"]) / 2)
        label = min(words, key=lambda w, m=middle: hypot(w[1][0] - m[0], w[1][1] - m[1] - 4))[0]
        tokens.append((label, middle, a))
    return names, tokens


@pytest.mark.parametrize("plan", [RING, schedule("all-gather", "ring", 5), schedule("broadcast", "binary-tree", 6, 2)])
def test_the_players_tokens_have_arrived_and_its_ways_lead_to_the_receiver(plan):
    for step in (1, plan.step_count):
        svg = Player(plan).svg(step)
        names, tokens = stage(svg)
        assert sorted(names) == list(range(plan.npus))
        now = plan.step(step - 1)
        plus = "+" if now.op == "reduce" else ""
        for transfer in now.transfers:
            a, b = names[transfer.source], names[transfer.destination]
            at = [middle for label, middle, _ in tokens if label == plus + plan.shard_name(transfer.shard)]
            assert min(hypot(x - b[0], y - b[1]) for x, y in at) < 0.3 * hypot(a[0] - b[0], a[1] - b[1])
        for _, _, box in tokens:
            assert (box["fill"], box["stroke"]) == ((PALE_ORANGE, ORANGE) if plus else (PALE_BLUE, BLUE))
            assert (float(box["rx"]) > 5) == (not plus)
        group = re.search(r'<g stroke-width="[\d.]+" stroke-opacity="0.75" (marker-\w+)=.*?>(.*?)</g>', svg)
        assert group[1] == "marker-end"
        ways = set()
        for d in re.findall(r'd="M([^"]*)"', group[2]):
            numbers = [float(n) for n in re.findall(r"-?[\d.]+", d)]
            near = [
                min(names, key=lambda npu, p=p: hypot(names[npu][0] - p[0], names[npu][1] - p[1]))
                for p in (numbers[:2], numbers[-2:])
            ]
            ways.add(tuple(near))
        assert ways == {(t.source, t.destination) for t in now.transfers}
        assert (f'stroke="{ORANGE}">' in svg) == bool(plus)
        assert (f'stroke="{BLUE}" stroke-dasharray="5 4">' in svg) == (not plus)


@pytest.mark.parametrize("plan", [RING, schedule("all-gather", "ring", 5)])
def test_the_players_table_is_the_proofs(plan):
    states = [initial(plan), *([list(row) for row in held] for _, held in replay(plan))]
    for step in (0, 1, plan.step_count):
        drawn = [each for each in shapes(Player(plan).svg(step)) if each[3][0] > 400]
        words = [(text, place(a)) for tag, a, text, _ in drawn if tag == "text"]
        columns = sorted((at[0], text) for text, at in words if at[1] == 13)
        assert [text for _, text in columns] == [plan.shard_name(k) for k in range(plan.shards)]
        rows = sorted((at[1], text) for text, at in words if text.startswith("NPU "))
        assert [text for _, text in rows] == [f"NPU {npu}" for npu in range(plan.npus)]
        fills = [(place(a), float(a["width"]), float(a["height"]), a) for tag, a, *_ in drawn if tag == "rect"]
        gets = {(t.destination, t.shard) for t in plan.step(step - 1).transfers} if step else set()
        for npu, (y, _) in enumerate(rows):
            for shard, (x, _) in enumerate(columns):
                held = states[step][npu][shard]
                final = held.bit_count() == plan.npus or (held and plan.collective == "all-gather")
                text = [t for t, at in words if abs(at[0] - x) < 1 and abs(at[1] - y) < 2]
                assert text == (["✓"] if final else [short(held, plan.npus)] if held else [])
                inside = [
                    f for f in fills if f[0][0] < x < f[0][0] + f[1] and f[0][1] - 1 < y - 4 < f[0][1] + f[2] + 40
                ]
                mine = [f for f in inside if abs(f[0][1] + f[2] - (y - 4)) < 0.8 * (rows[1][0] - rows[0][0])]
                frames = [f for f in mine if f[3]["fill"] == "none" and f[0][1] < y - 4 < f[0][1] + f[2]]
                assert bool(frames) == ((npu, shard) in gets)
                if frames:
                    now = plan.step(step - 1)
                    assert frames[0][3]["stroke"] == (ORANGE if now.op == "reduce" else BLUE)
                if final:
                    assert GREEN in [f[3]["fill"] for f in mine]


def test_cells_are_as_full_as_their_contributors():
    drawn = shapes(Player(RING).svg(1))
    wide = sorted({round(float(a["width"]), 1) for tag, a, *_ in drawn if tag == "rect" and a["fill"] == "#f8cfa6"})
    whole = max(float(a["width"]) for tag, a, *_ in drawn if tag == "rect" and a["fill"] == "#f0f0f0")
    assert wide == pytest.approx([whole * share for share in (0.25, 0.5)], abs=0.1)


def test_the_strips_playhead_stands_at_the_step():
    for step in (0, 2, 6):
        svg = Player(RING).svg(step)
        bands = [a for tag, a, *_ in shapes(svg) if tag == "rect" and a.get("height") == "22.0"]
        assert [a["fill"] for a in bands] == [PALE_ORANGE, PALE_BLUE]
        left, right = float(bands[0]["x"]), float(bands[1]["x"]) + float(bands[1]["width"]) + 1.5
        head = float(re.search(r'<path d="M([\d.]+) [\d.]+v30"', svg)[1])
        assert (head - left) / (right - left) == pytest.approx(step / 6, abs=1e-3)
        assert f">step {step} of 6<" in svg
        phase = {0: None, 2: "reduce-scatter", 6: "all-gather"}[step]
        assert (f'font-weight="600">{phase}<' in svg) == bool(phase)


def test_the_link_players_messages_are_on_their_links():
    player, time = LinkPlayer(SWITCH), 12_345
    drawn = shapes(player.svg(time))
    circles = [place(a, ("cx", "cy")) for tag, a, *_ in drawn if tag == "circle"]
    words = [(text, place(a)) for tag, a, text, at in drawn if tag == "text" and at[0] == 12]
    npus = {}
    for centre in circles:
        npus[int(min(words, key=lambda w, c=centre: hypot(w[1][0] - c[0], w[1][1] - c[1] - 4))[0])] = centre
    [hub] = [(float(a["x"]) + 13, float(a["y"]) + 13) for tag, a, *_ in drawn if tag == "rect" and a.get("rx") == "3"]
    at = [(float(a["x"]) + 4, float(a["y"]) + 4) for tag, a, *_ in drawn if tag == "rect" and a.get("width") == "8"]
    under_way = [use for use in SWITCH.uses if use.start_ns <= time < use.end_ns]
    assert len(at) == len(under_way) > 0
    for use in under_way:
        a, b = (npus.get(end, hub) for end in use.link)
        share = (time - use.start_ns) / (use.end_ns - use.start_ns)
        wanted = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
        assert min(hypot(x - wanted[0], y - wanted[1]) for x, y in at) < 16
    links = [(float(a["stroke-width"]), a["stroke"]) for tag, a, *_ in drawn if tag == "path" and "stroke-width" in a]
    assert max(links) == (5.5, "#08306b")
    text = {t for _, _, t, _ in drawn}
    assert f"at {format_ns(time)} of {format_ns(SWITCH.total_ns)}" in text


def test_the_link_players_list_is_that_of_the_busiest_links():
    drawn = shapes(LinkPlayer(SWITCH).svg())
    listed = [text for _, _, text, at in drawn if at[0] > 700 and ": " in text]
    shares = [float(text.split(": ")[1].removesuffix(" %")) for text in listed]
    assert shares == sorted(shares, reverse=True)
    busy = {f"{t.link[0]} → {t.link[1]}": f"{100 * t.share:.1f} %" for t in link_times(SWITCH)}
    assert listed
    assert all(busy[name] == share for name, share in (text.split(": ") for text in listed))


@pytest.mark.parametrize(("step", "phase"), [(3, "reduce-scatter"), (4, "all-gather")])
def test_the_head_says_step_and_phase(step, phase):
    words = [text for tag, _, text, at in shapes(Player(RING).svg(step)) if tag == "text" and at == (0, 0)]
    assert words[:3] == ["ring all-reduce on 4 NPUs", phase, f"step {step} of 6"]


def test_the_link_players_list_begins_with_the_busiest():
    result = run(ae.Block("Ring", 8, 50, 500))  # direct: links in the middle of nothing, all but equal
    listed = [text for _, _, text, at in shapes(LinkPlayer(result).svg(20_000)) if at[0] > 700 and ": " in text]
    share = {}
    for use in result.uses:
        if use.start_ns <= 20_000:
            share[use.link] = share.get(use.link, 0) + min(use.free_ns, 20_000) - use.start_ns
    most = max(share.values()) / 20_000
    assert listed[0].endswith(f": {100 * most:.1f} %")
    assert min(share.values()) < max(share.values()) or len(share) < 16
