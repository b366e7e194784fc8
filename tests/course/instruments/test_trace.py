"""Build a trace: every graph is run here once more, built by hand, and judged by other means."""

from functools import cache
from itertools import chain, combinations, pairwise

import pytest
from halves import few, quarter, some

import astra_edu as ae
from astra_edu.course.instruments.setting import as_text

NAMES = {
    "f1": "forward 1", "f2": "forward 2", "b2": "backward 2", "b1": "backward 1",
    "r2": "all-reduce 2", "r1": "all-reduce 1", "u2": "update 2", "u1": "update 1",
}  # fmt: skip
GIVEN = (("f1", "f2"), ("f2", "b2"), ("b2", "b1"))
EDGES = {
    "backward2_reduce2": ("b2", "r2"), "backward1_reduce2": ("b1", "r2"), "backward1_reduce1": ("b1", "r1"),
    "reduce2_update2": ("r2", "u2"), "reduce1_update2": ("r1", "u2"), "reduce1_update1": ("r1", "u1"),
    "backward2_update2": ("b2", "u2"),
}  # fmt: skip
NEEDS = (("b2", "r2"), ("b1", "r1"), ("r2", "u2"), ("r1", "u1"))
MICROS = {"f1": 30, "f2": 20, "b2": 40, "b1": 60, "u2": 10, "u1": 15}
BYTES = {"r2": 1_048_576, "r1": 1_572_864}
SETS = [frozenset(some) for some in chain(*(combinations(EDGES, k) for k in range(len(EDGES) + 1)))]
BEST = "backward1_reduce2=off reduce1_update2=off backward2_update2=off"


@cache
def run(on, bandwidth=50, longer=""):
    """{node: (start, end)} in ns, of the graph with these settings on; longer: a node that takes 20 µs more."""
    edges = [*GIVEN, *(EDGES[name] for name in on)]
    trace, made = ae.traces.Builder(npus=8), {}
    for short, name in NAMES.items():
        after = [made[a] for a, b in edges if b == short] or None
        if short in BYTES:
            made[short] = trace.all_reduce(name, BYTES[short], after=after)
        else:
            made[short] = trace.compute(name, MICROS[short] + 20 * (short == longer), after=after)
    ring = ae.TracePlatform(ae.Block("Ring", 8, bandwidth, 500), ae.TraceSystem.of("ring"))
    result = ae.simulate(trace.build(), ring)
    found = {ran.node.name: (ran.start_ns, ran.end_ns) for ran in result.ran}
    return {short: found[name] for short, name in NAMES.items()}


def end(on, bandwidth=50, longer=""):
    """µs."""
    return max(over for _, over in run(on, bandwidth, longer).values()) / 1000


def reached(edges):
    """All pairs of which one leads to the other."""
    pairs = set(edges)
    for via in NAMES:
        pairs |= {(a, d) for a, b in pairs if b == via for c, d in pairs if c == via}
    return pairs


def right(on):
    return set(NEEDS) <= reached([*GIVEN, *(EDGES[name] for name in on)])


def implied(on, name):
    return EDGES[name] in reached([*GIVEN, *(EDGES[other] for other in on if other != name)])


def built(on, bandwidth=50):
    return ae.BuildATrace(bandwidth=bandwidth, **{name: "on" if name in on else "off" for name in EDGES})


def arrow(name):
    return " → ".join(NAMES[short] for short in EDGES[name])


@cache
def fastest(bandwidth):
    return min(end(on, bandwidth) for on in SETS if right(on))


@pytest.mark.parametrize("bandwidth", quarter([25, 50, 100]))
def test_every_graph_takes_what_its_trace_takes_and_is_right_if_the_data_can_only_come_in_time(bandwidth):
    for on in few(SETS, 24):
        scene = built(on, bandwidth).data["scene"]
        assert scene["numbers"]["step"][0] == end(on, bandwidth)
        headline = scene["headline"]
        assert headline.startswith("✗") == (not right(on)), on
        assert headline.startswith("✓") == (right(on) and end(on, bandwidth) == fastest(bandwidth)), on
        gap = fastest(bandwidth) - end(on, bandwidth)
        if not right(on):
            assert (f"{gap:,.1f} µs sooner than any right graph" in headline) == (gap > 0)
        elif gap < 0:
            assert f"another right graph ends {-gap:,.1f} µs sooner" in headline
        (bars,) = scene["bars"]
        assert [sum(p["size"] for p in bar["parts"]) for bar in bars["bars"]] == pytest.approx(
            [end(on, bandwidth), end(frozenset(EDGES), bandwidth)]
        )
        assert {bar["limit"] for bar in bars["bars"]} == {fastest(bandwidth)}


def test_an_edge_that_others_imply_fades_and_never_changes_when_anything_runs():
    faded, sets = 0, few(SETS, 24)
    for on in sets:
        links = {link["name"]: link for link in built(on).data["scene"]["stage"]["links"]}
        for name in EDGES:
            link = links[arrow(name)]
            assert (link["looks"][0] == "needless edge") == (name in on and implied(on, name))
            assert (link["looks"][0] == "edge left out") == (name not in on)
            if link["looks"][0] == "needless edge":
                assert run(on) == run(on - {name})
                assert link["says"][0] == "needless"
                faded += 1
    assert faded == sum(implied(on, name) for on in sets for name in on) > 5
    if len(sets) == len(SETS):
        assert faded == 66  # 32 of backward 2 → all-reduce 2, 34 of backward 2 → update 2


def test_the_edge_to_take_away_is_the_one_that_saves_most_and_leaves_the_step_right():
    asked = 0
    sets = [on for on in SETS if right(on)]
    for bandwidth in (25, 50, 100):
        for on in few(sets, 3):
            shown = built(on, bandwidth)
            question = shown.data["question"]
            if "taken away" not in question["text"]:
                continue
            saved = {name: end(on, bandwidth) - end(on - {name}, bandwidth) for name in on if right(on - {name})}
            best = max(saved, key=saved.get)
            answer = shown.answer(shown.values)
            assert saved[best] > 0
            assert answer.value == arrow(best)
            assert f"ends {saved[best]:,.1f} µs sooner" in answer.why
            assert set(question["choices"]) == {*map(arrow, on), "none of them"}
            assert question["places"] == {arrow(name): arrow(name) for name in on}
            assert set(answer.others) == {arrow(name) for name in on - {best}}
            for name in on - {best}:
                said = answer.others[arrow(name)]
                assert ("nothing changes" in said) == implied(on, name)
                assert ("wrong" in said) == (not right(on - {name}))
            asked += 1
    assert asked == 24 if few(sets, 3) == sets else asked > 0


def test_the_node_that_may_be_too_early_is_the_one_that_a_need_does_not_reach():
    asked, sets = 0, few(SETS, 24)
    for on in sets:
        shown = built(on)
        if "begin before" not in shown.data["question"]["text"]:
            continue
        pairs = reached([*GIVEN, *(EDGES[name] for name in on)])
        early = [NAMES[after] for first, after in NEEDS if (first, after) not in pairs] or ["none of them"]
        answer = shown.answer(shown.values)
        assert [answer.value] == early
        for first, after in set(NEEDS) & pairs:
            said = answer.others[NAMES[after]]
            assert said.startswith(f"{NAMES[after].capitalize()} waits for {NAMES[first]}")
            direct = any(EDGES[name] == (first, after) for name in on)
            assert (", by way of " in said) == (not direct)
        asked += 1
    assert asked == 42 if len(sets) == len(SETS) else asked > 3


@pytest.mark.parametrize("bandwidth", [25, 50, 100])
@pytest.mark.parametrize(("off", "longer"), [(BEST, "u2"), (BEST.rpartition(" ")[0], "b1")])
def test_what_a_delay_does_is_what_a_longer_computation_does(off, longer, bandwidth):
    shown = ae.BuildATrace(off, bandwidth=bandwidth)
    assert shown.data["question"]["text"].startswith(f"If {NAMES[longer]} took 20 µs longer")
    on = frozenset(name for name in EDGES if shown.values[name] == "on")
    more = end(on, bandwidth, longer) - end(on, bandwidth)
    wanted = "not at all" if more == 0 else "by 20 µs" if more == 20 else "by less than 20 µs"
    assert shown.answer(shown.values).value == wanted
    assert f"{more:,.1f} µs later" in shown.answer(shown.values).why


def test_a_graph_that_lacks_more_than_one_edge_asks_for_its_end():
    shown = built(frozenset())
    assert shown.data["question"]["unit"] == "µs"
    assert shown.answer(shown.values).value == end(frozenset())


def test_the_critical_path_has_no_gap_and_says_where_an_edge_was_not_what_it_waited_for():
    for on in few(SETS[::3], 12):
        scene = built(on, 25).data["scene"]
        ran = run(on, 25)
        (said,) = [line for line in scene["sentences"] if line.startswith("Critical path: ")]
        path = said.removeprefix("Critical path: ").split(". ")[0].split(", ")
        short = {name: key for key, name in NAMES.items()}
        times = [ran[short[name]] for name in path]
        assert [start for start, _ in times] == [0, *(over for _, over in times[:-1])]
        assert times[-1][1] / 1000 == end(on, 25)
        links = {link["name"]: link for link in scene["stage"]["links"]}
        edges = {" → ".join(NAMES[k] for k in pair) for pair in (*GIVEN, *(EDGES[name] for name in on))}
        follows = [f"{a} → {b}" for a, b in pairwise(path)]
        thick = {name for name, link in links.items() if link["looks"][-1] == "critical arrow"}
        assert thick == edges & set(follows)
        busy = {name.removeprefix("busy: ") for name in links if name.startswith("busy: ")}
        assert busy == set(follows) - edges
        assert {links[f"busy: {name}"]["says"][-1] for name in busy} <= {"NPU busy"}


@pytest.mark.parametrize("on", some(SETS[::5], 8))
def test_nodes_on_the_stage_and_in_the_lanes_are_where_the_run_has_them(on):
    scene, ran = built(on).data["scene"], run(on)
    stage, (lanes,) = scene["stage"], scene["lanes"]
    moments = sorted({time for both in ran.values() for time in both})
    assert list(stage["times"]) == [0, *(moment / 1000 for moment in moments)]
    pieces = {piece["name"]: piece for piece in stage["pieces"]}
    blocks = {block["name"]: block for block in lanes["blocks"]}
    pairs = reached([*GIVEN, *(EDGES[name] for name in on)])
    early = {after for first, after in NEEDS if (first, after) not in pairs}
    for short, (start, over) in ran.items():
        name = NAMES[short]
        kind = "communication" if short in BYTES else "compute"
        block = blocks[name]
        assert (block["lane"], block["start"], block["end"]) == (kind, start / 1000, over / 1000)
        piece = pieces[name]
        assert piece["looks"][0] == kind
        for step, moment in enumerate(moments, start=1):
            assert (piece["looks"][step] == "not begun") == (moment < start)
            if moment >= start:
                assert (piece["looks"][step] == "may be too early") == (short in early)
                sign = "✗ " if short in early else "✓ " if over <= moment else ""
                assert piece["says"][step] == sign + name
        parents = {NAMES[a] for a, b in (*GIVEN, *(EDGES[k] for k in on)) if b == short}
        assert parents <= set(block["because"])
        for other in set(block["because"]) - parents:
            assert blocks[other]["end"] == block["start"]
            assert blocks[other]["lane"] == block["lane"]
            assert f"busy with {other}" in block["title"]
        late = max((blocks[name]["end"] for name in block["because"]), default=0)
        assert block["start"] == late


def test_a_missing_edge_says_what_goes_wrong_and_whether_luck_hid_it():
    gradients = ae.BuildATrace("backward2_reduce2=off backward1_reduce2=off").data["scene"]
    assert "it may add up layer 2’s gradients before they are computed" in gradients["sentences"][0]
    assert "luck" not in gradients["sentences"][0]
    assert gradients["stage"]["steps"][1].startswith("At 0.0 µs forward 1 and all-reduce 2 begin")
    assert "✗ all-reduce 2 doesn’t wait" in gradients["stage"]["steps"][1]
    off = BEST.replace("reduce1_update2=off", "reduce1_update2=off reduce2_update2=off")
    for bandwidth, lucky in ((25, False), (50, True)):
        words = ae.BuildATrace(off, bandwidth=bandwidth).data["scene"]["sentences"][0]
        ran = run(frozenset(("backward2_reduce2", "backward1_reduce1", "reduce1_update1")), bandwidth)
        assert (ran["u2"][0] >= ran["r2"][1]) == lucky
        assert "the NPUs’ copies of layer 2 drift apart" in words
        assert words.endswith("by luck: no edge says that it must.") == lucky


def test_clicking_an_arrow_switches_it_and_nothing_else():
    shown = ae.BuildATrace("backward1_reduce2=off")
    sets = shown.data["scene"]["sets"]
    assert sets == {arrow(name): {name: "on" if name == "backward1_reduce2" else "off"} for name in EDGES}
    names = {link["name"] for link in shown.data["scene"]["stage"]["links"]}
    assert set(sets) <= names


def test_an_arrow_whose_setting_has_no_control_is_not_switched_by_a_click():
    shown = ae.BuildATrace(controls=["backward1_reduce2"])
    assert list(shown.data["scene"]["sets"]) == ["backward 1 → all-reduce 2"]
    waits = ae.WhoWaits(controls=["bound"]).data["scene"]
    assert not waits["drags"]
    assert ae.WhoWaits(controls=["bound", "slow"]).data["scene"]["drags"]
    assert all(taken == {"straggler": 0} for taken in waits["sets"].values())


def test_nothing_of_the_run_is_shown_before_the_prediction():
    shown = ae.BuildATrace()
    assert shown.data["scene"]["stage"]["hidden"]
    assert "274" not in shown.summary()
    assert not any(lanes["open"] for lanes in shown.data["scene"]["lanes"])


@pytest.mark.thorough
def test_all_graphs_are_stored():
    stored = ae.BuildATrace().state()["stored"]
    assert len(stored) == 128
    best = stored[as_text(ae.BuildATrace(BEST).values)]
    assert best["scene"]["headline"].startswith("✓ 223.4 µs")


@pytest.mark.parametrize("setting", ["", BEST, "bandwidth=25 reduce2_update2=off"])
def test_the_code_runs_the_same_graph(setting):
    shown = ae.BuildATrace(setting)
    *lines, last = shown.data["scene"]["code"].splitlines()
    scope = {"ae": ae}
    exec("\n".join([*lines, f"result = {last}"]), scope)
    assert scope["result"].total_ns / 1000 == shown.data["scene"]["numbers"]["step"][0]


def test_the_start_surprises_all_seven_edges_are_on_and_two_cost_time():
    shown = ae.BuildATrace()
    assert shown.predict("backward 2 → update 2").why.startswith(
        "Without backward 2 → update 2 nothing changes: the way backward 2 → all-reduce 2 → update 2 says as much."
    )
    assert shown.data["scene"]["headline"] == "274.7 µs: right, but another right graph ends 51.3 µs sooner"
