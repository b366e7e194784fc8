"""Links and congestion: every number, width and look is of runs of ae.simulate, made here once more, use by use."""

from random import Random

import networkx as nx
import pytest

import astra_edu as ae
from astra_edu.course.instruments.links_job import ALIKE, ROOMS, kinds_of_links
from astra_edu.course.instruments.links_stage import IDLE, MANY, SENDS, STEPS, THIN, WAIT, WIDEST
from astra_edu.run.link_times import link_name

MIB = 2**20
SETTINGS = [
    "",
    "left=hierarchical size=16",
    "network=ring left=ring right=direct between=50 size=4",
    "network=torus left=direct right=hierarchical between=50 size=0.25",
    "network=two-racks left=ring right=direct late=5 room=64",
    "network=fat-tree left=halvingDoubling right=hierarchical between=100 size=0.25 late=20 room=32 full=credit",
    "network=switch left=direct right=ring between=50 late=20 room=32 size=0.25",
]


def wires(values):
    network = values["network"]
    if network in ("ring", "switch"):
        return ae.as_graph(ae.Block(network.capitalize(), 8, 50, 500))
    if network == "torus":
        return ae.as_graph([ae.Block("Ring", 4, 50, 500), ae.Block("Ring", 4, 50, 500)])
    graph = nx.Graph()
    racks = {"two-racks": 2, "fat-tree": 4}[network]
    for npu in range(4 * racks):
        graph.add_edge(npu, f"rack {npu // 4}", bandwidth=50, latency=500)
    ends = [("rack 0", "rack 1")] if racks == 2 else [(f"rack {r}", f"spine {s}") for r in range(4) for s in range(2)]
    for a, b in ends:
        graph.add_edge(a, b, bandwidth=values["between"], latency=500)
    return graph


def simulated(values, side, **other):
    values = values | other
    algorithm, dims = values[side], {"torus": (4, 4), "two-racks": (4, 2), "fat-tree": (4, 4)}.get(values["network"])
    logical = dims if algorithm == "hierarchical" else ()
    network = ae.GraphNetwork(wires(values), dims=logical, ties="spread" if dims else "next")
    each = "ring" if values["network"] == "torus" else "direct"
    system = ae.TraceSystem.of([each, each] if logical else algorithm, optimization="localBWAware")
    buffers = None
    if values["room"]:
        room = values["room"] * 1024
        buffers = ae.SwitchBuffers(room, packet=8192, flow_control=values["full"], timeout=100_000)
    random, nodes = Random(1), []
    for _ in range(network.npus):
        late = {"id": 1, "type": "COMP_NODE", "duration_micros": random.randint(0, values["late"])}
        attr = {"comm_type": 0, "comm_size": int(values["size"] * MIB)}
        nodes.append([late, {"id": 2, "type": "COMM_COLL_NODE", "data_deps": [1], "attr": attr}])
    platform = ae.TracePlatform(network, system, congestion_aware=True, buffers=buffers)
    return ae.simulate(ae.traces.from_nodes(nodes), platform, record=True, progress=False)


def shown(setting):
    links = ae.LinksAndCongestion(setting)
    return links, links.scene(links.values), [simulated(links.values, side) for side in ("left", "right")]


def busy_ns(run, link):
    return sum(use.free_ns - use.start_ns for use in run.uses if use.link == link)


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_times_and_shares_are_those_of_the_runs(setting):
    links, scene, runs = shown(setting)
    kinds, (times, shares) = kinds_of_links(links.values), scene.bars
    assert set(kinds) >= {use.link for run in runs for use in run.uses}
    found = {bar.label: bar.size for bar in shares.bars}
    for side, bar, run in zip(("left", "right"), times.bars, runs, strict=True):
        assert scene.numbers[links.values[side]][0] == bar.size == run.total_ns / 1e3
        assert bar.label == links.values[side]
        assert bar.limit == max(busy_ns(run, link) for link in kinds) / 1e3
        for kind in set(kinds.values()):
            most = max(busy_ns(run, link) for link in kinds if kinds[link] == kind)
            assert found[f"{side}: {kind}"] == pytest.approx(100 * most / run.total_ns)
    assert f": {runs[1].total_ns / runs[0].total_ns:.2f} times as long" in scene.headline


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_link_is_as_wide_as_it_was_busy_and_as_hot_as_bytes_wait(setting):
    _, scene, runs = shown(setting)
    lines, step_ns = {line.name: line for line in scene.stage.links}, max(run.total_ns for run in runs) / STEPS
    waits = {}
    for side, run in zip(("left", "right"), runs, strict=True):
        for use in run.uses:
            for step in range(STEPS + 1):
                if use.queued_ns <= step * step_ns < use.start_ns:
                    key = side, use.link, step
                    waits[key] = waits.get(key, 0) + use.size
    most = max(waits.values(), default=0)
    for side, run in zip(("left", "right"), runs, strict=True):
        for link in {use.link for use in run.uses}:
            line, uses = lines[f"{side}: {link_name(link)}"], [use for use in run.uses if use.link == link]
            for step in (0, 1, 7, 20, 33, STEPS):
                begin, end = (step - 1) * step_ns, step * step_ns
                sent = sum(max(0, min(use.free_ns, end) - max(use.start_ns, begin)) for use in uses) if step else 0
                assert line.wide[step] == pytest.approx(THIN + WIDEST * sent / step_ns, abs=0.006)
                wait = waits.get((side, link, step), 0)
                hot = MANY if wait >= most / 2 else WAIT
                assert line.looks[step] == (hot if wait else SENDS if sent else IDLE)


@pytest.mark.parametrize("setting", SETTINGS)
def test_counters_curves_and_sentences_add_up_what_waits_and_what_was_lost(setting):
    links, scene, runs = shown(setting)
    frames, curves = {frame.name: frame for frame in scene.stage.frames}, scene.curves[0].curves
    step_ns = max(run.total_ns for run in runs) / STEPS
    assert scene.stage.times == tuple(round(step * step_ns / 1e3, 3) for step in range(STEPS + 1))
    for side, run, curve in zip(("left", "right"), runs, curves, strict=True):
        for step in (0, 1, 9, 25, STEPS):
            t = step * step_ns
            waiting = [use for use in run.uses if use.queued_ns <= t < use.start_ns]
            assert curve.points[step] == pytest.approx((t / 1e3, sum(use.size for use in waiting) / MIB))
            lost = sum(packet.time_ns <= t for packet in run.lost)
            assert ("lost" in frames[f"{side}, counter"].says[step]) == bool(lost)
            assert f"{lost:,} packets" in frames[f"{side}, counter"].says[step] or not lost
            said = scene.stage.steps[step].split(f"{links.values[side].capitalize()}: ")[1]
            if t >= run.total_ns:
                assert said.startswith("done.")
            elif waiting:
                sizes = {}
                for use in waiting:
                    sizes[use.link] = sizes.get(use.link, 0) + use.size
                longest = [link_name(link) for link, size in sizes.items() if size == max(sizes.values())]
                assert any(f"longest queue: {name}" in said for name in longest)
            else:
                assert "nothing waits" in said
    words = " ".join(scene.sentences)
    if links.values["room"] and links.values["full"] == "drop":
        assert all(
            f"{links.values[s]} {len(run.lost):,}" in words for s, run in zip(("left", "right"), runs, strict=True)
        )
    assert ("credits" in words) == (links.values["room"] > 0 and links.values["full"] == "credit")


def test_nothing_of_the_run_is_on_the_stage_at_its_start():
    for setting in SETTINGS:
        stage = shown(setting)[1].stage
        assert {line.wide[0] for line in stage.links} == {THIN}
        assert {line.looks[0] for line in stage.links} <= {IDLE, WAIT, MANY}


@pytest.mark.parametrize("setting", SETTINGS)
def test_both_networks_are_on_the_stage_with_links_both_ways_and_nothing_outside(setting):
    links, scene, _ = shown(setting)
    graph, (wide, high) = wires(links.values), scene.stage.size
    both = {(a, b) for a, b in graph.edges} | {(b, a) for a, b in graph.edges}
    names = {f"{side}: {link_name(link)}" for side in ("left", "right") for link in both}
    assert {line.name for line in scene.stage.links} == names
    nodes = [frame for frame in scene.stage.frames if frame.box[2] and "counter" not in frame.name]
    assert len(nodes) == 2 * len(graph)
    for line in scene.stage.links:
        xs, ys = zip(*line.points, strict=True)
        left = line.name.startswith("left")
        assert (0 if left else wide / 2) <= min(xs)
        assert max(xs) <= (wide / 2 if left else wide)
        assert min(ys) >= 14
        assert max(ys) <= high
    for number, frame in enumerate(nodes):
        x, y, *_ = frame.box
        assert not any(abs(x - o.box[0]) < o.box[2] and abs(y - o.box[1]) < o.box[3] for o in nodes[number + 1 :])


@pytest.mark.parametrize(
    "setting",
    [
        "",
        "left=hierarchical between=50",
        "network=switch left=ring right=direct between=50 size=0.25 late=5",
        SETTINGS[3],
    ],
)
def test_it_asks_for_the_busiest_links_and_every_link_of_the_right_is_a_place(setting):
    links, scene, runs = shown(setting)
    question = links.question(links.values)
    if question.unit:
        links = ae.LinksAndCongestion(links.text, full="credit")
        question = links.question(links.values)
    kinds = kinds_of_links(links.values)
    assert set(question.choices) == {*kinds.values(), ALIKE}
    assert question.places == {f"right: {link_name(link)}": kind for link, kind in kinds.items()}
    assert set(question.places) <= {line.name for line in scene.stage.links}
    most = {kind: max(busy_ns(runs[1], a) for a in kinds if kinds[a] == kind) for kind in kinds.values()}
    best = [kind for kind, ns in most.items() if ns >= 0.98 * max(most.values())]
    assert links.predict(best[0] if len(best) == 1 else ALIKE).right


def test_half_of_a_rings_links_are_busiest_with_direct_and_all_up_and_down_links_of_a_switch_are_alike():
    ring = ae.LinksAndCongestion(SETTINGS[2], size=1)
    assert not ring.question(ring.values).unit
    assert ring.answer(ring.values).value == "clockwise"
    switch = ae.LinksAndCongestion("network=switch left=ring right=direct between=50 size=0.25 late=0")
    assert switch.answer(switch.values).value == ALIKE


def test_it_asks_how_many_times_as_long_the_other_takes():
    links = ae.LinksAndCongestion(full="credit")
    left, right = (simulated(links.values, side).total_ns for side in ("left", "right"))
    assert links.question(links.values).unit == "times"
    found = links.predict(right / left)
    assert found.right
    assert found.answer == pytest.approx(right / left, abs=5e-4)


def test_it_lets_the_time_over_the_room_be_drawn():
    for setting in ("room=64", "room=128", "room=256"):
        links = ae.LinksAndCongestion(setting, left="ring", late=5, size=0.25)
        if links.question(links.values).drawing:
            break
    drawing = links.question(links.values).drawing
    assert (drawing.xs, drawing.log) == (ROOMS, True)
    true = tuple(simulated(links.values, "right", room=room).total_ns / 1e3 for room in ROOMS)
    assert links.predict(true).answer == true
    curves = links.scene(links.values).curves[1].curves
    assert [curve.look for curve in curves] == ["ring", "direct"]
    assert curves[1].points == tuple(zip(ROOMS, true, strict=True))
    assert len({links.question(links.values | {"room": room}).unit for room in ROOMS}) == 2


def test_what_a_network_does_not_have_is_greyed_and_refused():
    with pytest.raises(ae.ConfigError, match="Both are ring"):
        ae.LinksAndCongestion(left="ring", right="ring")
    with pytest.raises(ae.ConfigError, match="A switch has one dimension"):
        ae.LinksAndCongestion(network="switch", left="hierarchical")
    with pytest.raises(ae.ConfigError, match="A ring has no switch"):
        ae.LinksAndCongestion(SETTINGS[2], room=64)
    with pytest.raises(ae.ConfigError, match="1 MiB is the most"):
        ae.LinksAndCongestion(size=4, room=64)
    greyed = ae.LinksAndCongestion().data["greyed"]
    assert set(greyed["left"]) == {"2"}
    assert "network" not in greyed
    assert set(ae.LinksAndCongestion(left="hierarchical").data["greyed"]["network"]) == {"0", "1"}


@pytest.mark.parametrize("setting", ["", SETTINGS[4]])
def test_the_code_says_the_same(setting, capsys):
    _, scene, runs = shown(setting)
    exec(scene.code, {"ae": ae})
    printed = capsys.readouterr().out
    for run in runs:
        assert f"{run} {len(run.lost)} packets lost" in printed


def test_it_says_nothing_of_times_before_a_prediction():
    links = ae.LinksAndCongestion()
    assert " µs" not in links.summary()
    links.predict("rack → rack")
    assert links.data["scene"]["headline"] in links.summary()
