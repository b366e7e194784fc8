"""The explorer: its settings, what it says and asks, and that nothing impossible gets through."""

from itertools import product

import pytest
from halves import quarter

import astra_edu as ae
from astra_edu.course.instruments.setting import from_text
from astra_edu.course.widgets.choice import Choice, summary
from astra_edu.network.bound import bandwidth_bound_ns, steps_that_meet
from astra_edu.system.formula import formula, message_formula


def shown(explorer):
    return explorer.data["scene"]


def want(explorer, **given):
    """Move controls as the view does, whether that can be or not."""
    explorer.values = explorer.values | given


def test_it_starts_with_exercise_1():
    explorer = ae.Explorer()
    assert "µs" not in explorer.summary().replace("in µs", "")
    explorer.dismiss()
    assert shown(explorer)["headline"] == "45.681 µs: 1.75 MiB sent by the busiest NPU, 4 chunks of 14 steps"
    assert "4 × 11,420 + 1 ns to use the result = 45,681 ns" in explorer.summary()
    assert "10 endpoint + 7 × (805 message + 10 endpoint) = 5,715 ns" in explorer.summary()
    assert "1 hop × 500 ns + 32,768 B ÷ 107.4 B/ns (2 links × 50 GB/s of 2³⁰ bytes) = 805 ns" in explorer.summary()
    assert repr(explorer) == "Explorer(<ring all-reduce on 8 NPUs: 14 steps, 8 shards>)"
    assert explorer._repr_mimebundle_()[0]["text/plain"].startswith(repr(explorer))


def test_the_player_and_the_text_follow_every_setting():
    explorer = ae.Explorer()
    before = shown(explorer)["headline"]
    for name, value in [
        ("size", 2**24),
        ("splits", 8),
        ("npus_0", 16),
        ("bandwidth_0", 100),
        ("latency_0", 100),
        ("topology_0", "Switch"),
        ("algorithm_0", "direct"),
        ("algorithm_0", "halving-doubling"),
        ("collective", "all-gather"),
    ]:
        explorer.set(**{name: value})
        assert shown(explorer)["headline"] != before, name
        before = shown(explorer)["headline"]
    assert repr(explorer.player) == "Player(<halving-doubling all-gather on 16 NPUs: 4 steps, 16 shards>)"
    drawn = shown(explorer)["view"]
    assert drawn["title"] == "halving-doubling all-gather on 16 NPUs"
    assert drawn == {name: part for name, part in explorer.player.data.items() if name != "number"}


def test_what_is_drawn_is_a_players_with_its_timing():
    explorer = ae.Explorer("all-reduce", ("direct", "ring"), (("FullyConnected", 3, 100, 100), ("Ring", 2, 25, 700)))
    dims = [ae.Dimension.of("FullyConnected", 3, 100, 100), ae.Dimension.of("Ring", 2, 25, 700)]
    schedule = ae.hierarchical("all-reduce", ["direct", "ring"], [3, 2])
    time = ae.time_schedule(schedule, dims, 2**18, 10)
    player = ae.Player(schedule, time, topology=["FullyConnected", "Ring"])
    assert shown(explorer)["view"] | {"number": 0} == player.data


def test_the_view_and_python_share_where_the_player_is():
    explorer = ae.Explorer()
    explorer.played = {"step": 5, "time": 5.0, "playing": False, "speed": 2.0, "clock": "steps"}  # as the view sends it
    assert (explorer.player.step, explorer.player.speed) == (5, 2)
    explorer.player.step = 9
    assert (explorer.played["step"], explorer.played["time"]) == (9, 9)
    explorer.player.clock = "time"
    assert explorer.played["clock"] == "time"
    assert explorer.played["time"] == explorer.player.time > 9
    explorer.set(size=2**24)
    explorer.played = explorer.played | {"clock": "steps", "step": 3, "time": 3.0}
    assert explorer.player.step == 3


def test_a_topology_brings_the_algorithm_that_suits_it_and_says_so():
    """A switch that kept a ring's algorithm looked twice as slow as the ring."""
    explorer = ae.Explorer(size=2**10)
    assert not explorer.data.get("note")
    before = explorer.choice.total_ns
    for topology, name, instead in [
        ("Switch", "halving-doubling", "ring"),
        ("FullyConnected", "direct", "halving-doubling"),
        ("Ring", "ring", "direct"),
    ]:
        explorer.set(topology_0=topology)
        assert explorer.values["algorithm_0"] == name
        said = f"{name} suits the topology {topology}, so it is chosen now, instead of {instead}."
        assert explorer.data["note"] == said
        assert repr(explorer) == f"Explorer({explorer.choice.schedule!r})"
        assert explorer.choice.total_ns <= before
    explorer.set(algorithm_0="direct")
    assert (explorer.values["algorithm_0"], explorer.data["note"]) == ("direct", "")


def test_an_algorithm_without_a_control_stays_whatever_the_topology():
    wires = ae.Explorer(size=2**26, splits=1, controls=("topology_0",))
    assert set(wires.data["hidden"]) == {s.name for s in wires.settings} - {"topology_0"}
    for topology, time in (("FullyConnected", 2_194_987), ("Switch", 2_201_987), ("Ring", 1_101_237)):
        want(wires, topology_0=topology)
        assert (wires.choice.algorithms, wires.choice.total_ns, wires.data["note"]) == (("ring",), time, "")
    assert {entry["note"] for entry in wires.state()["stored"].values()} == {""}
    with pytest.raises(ae.ConfigError, match="a control is 'topology'; did you mean"):
        ae.Explorer(controls=("topology",))


def test_where_two_dimensions_need_bandwidth_alike_it_says_so():
    hd = ("halving-doubling", "halving-doubling")
    even = ae.Explorer("all-reduce", hd, (("Switch", 4, 100, 100), ("Switch", 4, 25, 700)), size=2**26, splits=1)
    found = even.predict("dimension 1")
    assert (found.right, found.answer) == (False, "none of them alone")
    assert found.why.endswith("It helps as much on dimension 0 as on dimension 1.")
    even.set(bandwidth_1=50)
    assert "as much" not in even.predict("dimension 0").why


def test_an_algorithm_that_suits_but_cant_do_it_is_not_chosen():
    explorer = ae.Explorer(network=(("Ring", 6, 50, 500),))
    explorer.set(topology_0="Switch")
    assert explorer.values["algorithm_0"] == "ring"
    assert "halving-doubling suits the topology Switch, but not here: " in explorer.data["note"]
    assert explorer.data["problem"] == ""
    explorer.set(collective="all-to-all")
    explorer.set(topology_0="Ring")
    explorer.set(topology_0="Switch")
    assert (explorer.values["algorithm_0"], explorer.data["note"]) == ("ring", "")


def test_a_dimension_more_is_a_switch_with_what_suits_it():
    explorer = ae.Explorer()
    hidden = [f"{name}_1" for name in ("topology", "algorithm", "npus", "bandwidth", "latency")]
    assert set(hidden) < set(explorer.data["hidden"])
    explorer.set(dimensions=2)
    assert not set(hidden) & set(explorer.data["hidden"])
    assert explorer.choice.algorithms == ("ring", "halving-doubling")
    assert (explorer.choice.network[1].topology, explorer.choice.network[1].npus) == ("Switch", 2)


def test_an_impossible_setting_says_so_and_leaves_the_picture():
    explorer = ae.Explorer(algorithms="halving-doubling")
    drawn = shown(explorer)["view"]
    want(explorer, npus_0=12)
    assert "The nearest that work: 8 and 16" in explorer.data["problem"]
    assert explorer.data["nearest"]["npus_0"] in (10, 12, 16, 8)
    assert shown(explorer)["view"] == drawn
    assert explorer.player.schedule.npus == 8
    with pytest.raises(ae.ConfigError, match="power of two"):
        _ = explorer.choice
    want(explorer, npus_0=16)
    assert explorer.data["problem"] == ""
    assert explorer.player.schedule.npus == 16


def test_what_cant_be_set_raises_and_changes_nothing():
    explorer = ae.Explorer(algorithms="halving-doubling")
    for given in ({"npus_0": 12}, {"npus_0": 17}, {"sise": 1}):
        with pytest.raises(ae.ConfigError):
            explorer.set(**given)
        assert explorer.values["npus_0"] == 8
        assert explorer.data["problem"] == ""


def test_a_second_dimension_costs_time_and_keeps_the_chunks():
    """The same 4 chunks, overlapping on the dimensions as ASTRA-sim has them."""
    network = (("Ring", 8, 50, 500), ("Switch", 2, 25, 500))
    explorer = ae.Explorer(network=network, algorithms=("ring", "ring"), ask=False)
    platform = ae.Platform(explorer.choice.network, ae.SystemConfig.of("ring_ring", splits=4))
    total = ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform).total_ns
    assert f"{total:,.0f} ns" in explorer.summary()
    alone = explorer.choice.time.total_ns
    assert alone < total < 4 * alone


def offered(explorer, name):
    """The values of a menu that aren't greyed."""
    setting = next(setting for setting in explorer.data["settings"] if setting["name"] == name)
    greyed = explorer.data["greyed"].get(name, {})
    return [value for place, value in enumerate(setting["values"]) if str(place) not in greyed]


def test_a_menu_offers_only_what_works_for_the_collective():
    explorer = ae.Explorer(algorithms="ring")
    explorer.set(collective="all-to-all")
    assert offered(explorer, "algorithm_0") == ["ring", "direct"]
    explorer.set(algorithm_0="direct")
    explorer.set(collective="broadcast")
    assert explorer.values["algorithm_0"] == "direct"
    assert explorer.data["problem"] == ""
    explorer.set(collective="all-reduce", algorithm_0="halving-doubling")
    assert offered(explorer, "npus_0") == [2, 4, 8, 16, 32, 64]
    assert len(offered(explorer, "collective")) == len(ae.Collective)  # the algorithm would give way
    explorer.set(collective="all-to-all")
    assert explorer.data["note"] == "halving-doubling has no all-to-all here, so ring is chosen now."


@pytest.mark.parametrize("dims", quarter([1, 2, 3]))
@pytest.mark.parametrize("collective", list(ae.Collective))
def test_every_combination_is_an_answer_or_a_sentence(dims, collective):
    explorer = ae.Explorer()
    want(explorer, dimensions=dims)
    want(explorer, collective=str(collective))
    for topology, npus in product(("Ring", "FullyConnected", "Switch"), (2, 3, 4)):
        want(explorer, topology_0=topology)
        want(explorer, npus_0=npus)
        for algorithm in offered(explorer, "algorithm_0"):
            want(explorer, algorithm_0=algorithm)
            text = explorer.data["problem"] or shown(explorer)["headline"]
            assert "step" in text or "share links" in text or "no multi-phase form" in text or "power of two" in text
            assert ("at least" in text) == ("share links" in text)


def test_values_outside_the_sliders_are_kept():
    explorer = ae.Explorer(network=(("Ring", 100, 62.5, 333),), size=3_000_000, splits=9)
    now = explorer.values
    assert (now["bandwidth_0"], now["latency_0"], now["npus_0"]) == (62.5, 333, 100)
    assert (now["size"], now["splits"]) == (3_000_000, 9)
    for name in ("bandwidth_0", "latency_0", "npus_0", "size", "splits"):
        values = next(setting.values for setting in explorer.settings if setting.name == name)
        assert now[name] in values
        assert list(values) == sorted(values)
    assert ae.Explorer().settings != explorer.settings


def test_its_code_brings_the_same_numbers(capsys):
    explorer = ae.Explorer("all-reduce", ("direct", "halving-doubling"), (("Ring", 4, 6.25, 100), ("Switch", 4, 25, 7)))
    explorer.dismiss()
    exec(shown(explorer)["code"], {})
    printed = capsys.readouterr().out
    assert explorer.summary() in printed
    assert f"{explorer.choice.time.total_ns} ns for the first chunk" in printed


def test_one_dimension_is_asked_for_its_time_and_no_number_is_shown_before():
    explorer = ae.Explorer()
    assert explorer.veiled
    assert "45.681" not in explorer._repr_mimebundle_()[0]["text/plain"]
    assert "0 ns" not in explorer.still()
    found = explorer.predict(50)
    platform = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("ring", splits=4))
    total = ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform).total_ns
    assert (found.answer, found.right) == (total / 1000, True)
    assert "45.681" in explorer.instead()
    assert not ae.Explorer().predict(5.7).right  # the first phase of one chunk


def test_where_messages_share_links_the_bound_is_asked_for():
    explorer = ae.Explorer("all-reduce", "direct", (("Switch", 16, 50, 500),), 2**30, splits=1)
    assert explorer.predict(2502).answer == 37_500


@pytest.mark.parametrize(
    ("network", "helps"),
    [
        ((("Ring", 4, 100, 500), ("Ring", 4, 12.5, 500)), "dimension 1"),
        ((("Ring", 4, 12.5, 500), ("Ring", 4, 100, 500)), "dimension 0"),
        ((("Ring", 4, 100, 500), ("Ring", 4, 25, 500)), None),
    ],
)
def test_several_dimensions_are_asked_which_needs_bandwidth(network, helps):
    explorer = ae.Explorer(network=network, size=2**26)
    times = {}
    for faster in (None, 0, 1):
        dims = tuple(
            ae.Dimension.of(name, npus, bandwidth * (2 if d == faster else 1), latency)
            for d, (name, npus, bandwidth, latency) in enumerate(network)
        )
        platform = ae.Platform(dims, ae.SystemConfig.of("ring_ring", splits=4))
        times[faster] = ae.simulate(ae.Workload.micro("all-reduce", 2**26), platform).total_ns
    best = min((0, 1), key=lambda d: times[d])
    true = "none of them alone" if times[0] == times[1] or times[best] == times[None] else f"dimension {best}"
    assert explorer.predict("dimension 0").answer == true
    assert helps is None or true == helps


def test_who_wants_no_question_is_asked_none():
    explorer = ae.Explorer(ask=False)
    assert not explorer.veiled
    explorer.set(npus_0=16)
    assert not explorer.veiled
    assert explorer._repr_mimebundle_()[0]["text/plain"].endswith(explorer.summary())


def test_a_saved_page_holds_what_is_one_setting_away_and_each_player_once():
    explorer = ae.Explorer("all-gather", "direct", (("FullyConnected", 4, 50, 500),))
    state = explorer.state()
    stored, players = state["stored"], state["views"]
    for name, value in [("size", 2**24), ("bandwidth_0", 100), ("npus_0", 8), ("dimensions", 2), ("splits", 1)]:
        text = " ".join(f"{known}={value if known == name else now}" for known, now in explorer.values.items())
        other = ae.Explorer("all-gather", "direct", (("FullyConnected", 4, 50, 500),))
        other.set(**{name: value})
        entry = stored[text]
        assert entry["scene"]["headline"] == shown(other)["headline"]
        assert players[entry["scene"]["view"]]["title"].split(",")[0] == other.player.data["title"].split(",")[0]
        assert entry["answer"]["value"] == other.predict(1 if name != "dimensions" else "dimension 0").answer
    assert players[stored[explorer.text]["scene"]["view"]]["marks"]
    switched = stored[explorer.text.replace("FullyConnected", "Switch")]  # brings its algorithm
    assert switched["text"].split("algorithm_0=")[1].startswith("halving-doubling")
    assert switched["note"].startswith("halving-doubling suits")
    assert len({str(player) for player in players}) == len(players) < len(stored) / 2


def test_wrong_numbers_of_dimensions_are_refused():
    with pytest.raises(ae.ConfigError, match="4 dimensions"):
        ae.Explorer(network=(("Ring", 4, 50, 1),) * 4)
    with pytest.raises(ae.ConfigError, match="2 dimensions and 1 algorithms"):
        ae.Explorer(algorithms=("ring",), network=(("Ring", 4, 50, 1),) * 2)


def test_the_formula_adds_up():
    network = [ae.Dimension.of("Ring", 4, 100, 100), ae.Dimension.of("Switch", 4, 10, 1000)]
    schedule = ae.hierarchical("all-reduce", ["ring", "halving-doubling"], (4, 4))
    time = ae.time_schedule(schedule, network, 2**20)
    lines = formula(time, network)
    assert [line.split(":")[0] for line in lines] == [
        "reduce-scatter on dimension 0",
        "reduce-scatter on dimension 1",
        "all-gather on dimension 1",
        "all-gather on dimension 0",
    ]
    assert sum(int(line.split(" = ")[1].removesuffix(" ns").replace(",", "")) for line in lines) == time.total_ns


def test_a_message_over_several_hops_is_written_with_all_of_them():
    ring = ae.Dimension.of("Ring", 8, 50, 500)
    time = ae.time_schedule(ae.schedule("all-reduce", "halving-doubling", 8), [ring], 2**20)
    texts = [message_formula(ring, stretch) for stretch in time.stretches]
    assert [text.split()[2] for text in texts] == ["1", "2", "4", "4", "2", "1"]
    assert (
        texts[2] == "one message: 4 hops × 500 ns + 131,072 B ÷ 107.4 B/ns (2 links × 50 GB/s of 2³⁰ bytes) = 3,220 ns"
    )


def test_where_messages_meet_the_text_says_beware():
    network = (ae.Dimension.of("Switch", 8, 50, 500),)
    assert "beware" in summary(Choice("all-reduce", ("direct",), network, 2**30))
    assert "beware" not in summary(Choice("all-reduce", ("halving-doubling",), network, 2**30))
    slow_links = (ae.Dimension.of("Switch", 8, 50, latency=10_000),)
    assert "beware: in 2 of 2 steps" in summary(Choice("all-reduce", ("direct",), slow_links, 2**20))
    direct = ae.schedule("all-reduce", "direct", 64)
    bound = bandwidth_bound_ns(direct, [ae.Dimension.of("Switch", 64, 50, 500)], 2**30)
    assert bound / 1000 == pytest.approx(39_375, rel=1e-6)  # of the 40,008 µs that ASTRA-sim's congested backend says


@pytest.mark.parametrize("npus", [2, 4, 8])
@pytest.mark.parametrize("topology", list(ae.Topology))
def test_messages_meet_exactly_where_a_link_is_wanted_twice(topology, npus):
    """Against a count of every message on every link of a small system."""
    dimension = ae.Dimension.of(topology, npus, 50, 500)
    for algorithm in ("ring", "direct", "halving-doubling", "binary-tree", "single-master"):
        schedule = ae.schedule("all-reduce", algorithm, npus)
        meet = 0
        for step in schedule.steps():
            messages = {(t.source, t.destination) for t in step.transfers}
            links = [link for pair in messages for link in _links(topology, npus, *pair)]
            meet += len(links) > len(set(links)) or (topology == "Ring" and _busiest(messages) > 1)
        assert steps_that_meet(schedule, [dimension]) == meet, (algorithm, topology, npus)


def _links(topology, n, source, destination):
    if topology == "Switch":
        return [("up", source), ("down", destination)]
    if topology == "FullyConnected":
        return [(source, destination)]
    onward = (destination - source) % n
    if onward <= n - onward:
        return [("+", (source + hop) % n) for hop in range(onward)]
    return [("-", (source - hop) % n) for hop in range(n - onward)]


def _busiest(messages):
    """On a ring the model gives every message both links of an NPU, so two at one NPU share them."""
    ends = [("out", s) for s, _ in messages] + [("in", d) for _, d in messages]
    return max(map(ends.count, ends))


def test_what_is_no_network_is_refused():
    for network in ("Ring", ("Ring", 8, 50, 500)):
        with pytest.raises(ae.ConfigError, match="network is"):
            ae.Explorer(network=network)
    with pytest.raises(ae.ConfigError, match="splits is 0"):
        ae.Explorer(splits=0)
    with pytest.raises(ae.ConfigError, match="size is 'big'"):
        ae.Explorer(size="big")


def test_what_is_chosen_together_stays_as_it_was_chosen():
    explorer = ae.Explorer("all-reduce", "ring", ask=False)
    explorer.set(topology_0="Switch", algorithm_0="ring")
    chosen = dict(explorer.values)
    assert (chosen["topology_0"], chosen["algorithm_0"]) == ("Switch", "ring")
    explorer.set(topology_0="Ring")
    explorer.wish = {"values": chosen, "number": "view.1"}  # back to what was pinned
    assert explorer.values == chosen
    assert explorer.data["note"] == ""


def test_a_page_that_holds_all_there_is_leads_to_what_its_menus_say():
    menus = ["topology_0", "algorithm_0"]
    explorer = ae.Explorer("reduce-scatter", network=(("Switch", 8, 50, 500),), controls=menus)
    stored = explorer.state()["stored"]
    assert len({entry["text"] for entry in stored.values()}) > 20
    for text, entry in stored.items():
        wanted, found = (from_text(explorer.settings, line) for line in (text, entry["text"]))
        assert [wanted[name] for name in menus] == [found[name] for name in menus]


def test_more_npus_than_can_be_counted_at_once_are_refused_with_the_most():
    with pytest.raises(ae.ConfigError, match=r"65,536 NPUs are too many here; take 4,096 at most"):
        ae.Explorer(network=(("Ring", 65_536, 50, 500),), algorithms="direct")
