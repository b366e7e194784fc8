"""The player without a browser: its payload, its still picture, its positions, its page."""

from __future__ import annotations

import json
import re
from html import escape
from itertools import combinations
from math import hypot
from xml.etree import ElementTree

import pytest
from stills import still_of

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Op, ProofError, Rounds, Schedule, hierarchical, schedule
from astra_edu.collectives.collective import Collective
from astra_edu.collectives.proof import replay

pytest.importorskip("anywidget")

from astra_edu.course.widgets import Player
from astra_edu.course.widgets.layout import HEIGHT, WIDTH, layout, point
from astra_edu.course.widgets.picture import held_after_step
from astra_edu.course.widgets.words import spoken
from astra_edu.network import Dimension
from astra_edu.system import time_schedule

RING = schedule("all-reduce", "ring", 8)
SCHEDULES = [
    RING,
    schedule("all-reduce", "direct", 8),
    schedule("all-reduce", "halving-doubling", 8),
    schedule("all-reduce", "double-binary-tree", 7),
    schedule("all-reduce", "bidirectional-ring", 5),
    schedule("broadcast", "binary-tree", 6, 2),
    schedule("gather", "ring", 4),
    schedule("all-to-all", "ring", 4),
    hierarchical("all-reduce", ["ring", "direct", "halving-doubling"], [2, 2, 2]),
    hierarchical("all-to-all", "direct", [2, 3]),
]
LAYOUTS = [
    ([2], ["Ring"]),
    ([8], ["Ring"]),
    ([16], ["FullyConnected"]),
    ([64], ["Switch"]),
    ([4, 4], ["Ring", "Ring"]),
    ([4, 2], ["Switch", "FullyConnected"]),
    ([8, 8], ["FullyConnected", "Switch"]),
    ([2, 2, 2], ["Ring", "FullyConnected", "Switch"]),
    ([4, 4, 4], ["Ring", "Ring", "Ring"]),
    ([2, 3, 2, 4], ["Ring", "Switch", "Ring", "FullyConnected"]),
]


class Dimensions:
    """A timing: steps one after the other, 100 ns on dimension 0, 700 ns on dimension 1, and so on."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.total_ns = self.start(schedule.step_count)

    def start(self, step: int) -> float:
        return sum(100.0 + 600.0 * self.schedule.step(i).dimension for i in range(step))

    def spans(self, step_index: int) -> list[tuple[float, float]]:
        span = (self.start(step_index), self.start(step_index + 1))
        return [span] * len(self.schedule.step(step_index).transfers)


@pytest.mark.parametrize("plan", SCHEDULES, ids=repr)
def test_the_payload_has_every_transfer_and_what_it_leads_to(plan):
    data = Player(plan).data
    assert data["problem"] == ""
    assert len(data["steps"]) == plan.step_count
    for index, (step, held) in enumerate(replay(plan)):
        sent = {(t[0], t[1], shard) for t in data["steps"][index]["tokens"] for shard in t[2]}
        assert sent == set(step.transfers)
        got = held_after_step(data, index + 1)
        for npu, row in enumerate(held):
            for shard, mask in enumerate(row):
                assert data["sets"][got.get((npu, shard), 0)][1] == spoken(mask, plan.npus)


def test_labels_of_tokens():
    labels = [t[4] for t in Player(schedule("all-reduce", "halving-doubling", 8)).data["steps"][0]["tokens"]]
    assert set(labels) == {"+4 shards"}
    assert Player(RING).data["steps"][0]["tokens"][0][4] == "+X7"
    assert Player(schedule("all-to-all", "direct", 4)).data["steps"][0]["tokens"][0][4] == "X0→1"


@pytest.mark.parametrize(("dims", "topology"), LAYOUTS)
def test_npus_are_inside_the_picture_and_apart(dims, topology):
    plan = layout(dims, topology)
    for x, y in plan.nodes:
        assert plan.radius <= x <= WIDTH - plan.radius
        assert plan.radius <= y <= HEIGHT - plan.radius
    nearest = min(hypot(a[0] - b[0], a[1] - b[1]) for a, b in combinations(plan.nodes, 2))
    assert nearest >= 2 * plan.radius + 1
    assert plan.radius >= 5


@pytest.mark.parametrize(("dims", "topology"), LAYOUTS)
def test_ways_stay_in_the_picture_and_to_and_fro_differ(dims, topology):
    plan = layout(dims, topology)
    stride = 1
    for size in dims:
        for k in range(1, size):
            there, back = plan.route(0, k * stride), plan.route(k * stride, 0)
            for route in (there, back):
                for at in (0, 0.25, 0.5, 0.75, 1):
                    x, y = point(route, at)
                    assert 0 <= x <= WIDTH
                    assert 0 <= y <= HEIGHT
            a, b = point(there, 0.5), point(back, 0.5)
            assert hypot(a[0] - b[0], a[1] - b[1]) > 2
        stride *= size


def test_text_of_a_step():
    assert Player(RING).data["steps"][2]["text"] == (
        "Step 3 of 14, reduce-scatter: every NPU sends one shard to the next NPU — "
        "NPU 0 sends X5, the sum of NPUs 0, 6, 7, to NPU 1, and 7 more like it."
    )


def test_repr_and_mime_bundle_are_always_the_same():
    player = Player(RING)
    assert repr(player) == "Player(<ring all-reduce on 8 NPUs: 14 steps, 8 shards>)"
    bundle, _ = player._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert bundle["text/plain"].startswith(repr(player))
    assert still_of(bundle) == Player(RING).svg(0)
    assert f'alt="{escape(bundle["text/plain"])}"' in bundle["text/html"]


@pytest.mark.parametrize("plan", [*SCHEDULES, schedule("all-reduce", "ring", 65536)], ids=repr)
def test_svg_is_well_formed_and_described(plan):
    player = Player(plan)
    for step in (0, 1, plan.step_count):
        text = player.svg(step)
        assert text == Player(plan).svg(step)
        root = ElementTree.fromstring(text)
        space = "{http://www.w3.org/2000/svg}"
        assert root.attrib["role"] == "img"
        assert root.find(f"{space}title").text == player.data["title"]
        assert root.find(f"{space}desc").text
        assert "class=" not in text
        assert all(name.startswith("astra-") for name in re.findall(r' id="([^"]*)"', text))
    with pytest.raises(ConfigError, match="steps 0"):
        player.svg(plan.step_count + 1)


def test_large_schedules_are_counted_not_expanded():
    player = Player(schedule("all-reduce", "ring", 65536))
    assert player.data["kind"] == "counts"
    assert player.data["note"] == "65,536 NPUs, 131,070 steps: too much to draw, showing counts"
    assert player.data["rows"] == [["reduce-scatter", "65,535", "1", "1", "1"], ["all-gather", "65,535", "1", "1", "1"]]
    assert len(json.dumps(player.data)) < 5000
    assert player.step_count == 131070


def test_a_wrong_schedule_is_shown_up_to_where_it_breaks():
    rounds = Rounds("reduce-scatter", Op.REDUCE, 3, lambda s, i: [((i + 1) % 4, 0)])
    player = Player(Schedule(Collective.ALL_REDUCE, "mine", 4, 4, (rounds,)))
    assert "second time" in player.data["problem"]
    assert player.step_count == len(player.data["steps"]) < 3
    drawn = player.svg(player.step_count)
    assert "second time" in drawn
    assert ">✗ +X0<" in drawn
    assert f">step {player.step_count} of 3; not carried out<" in drawn
    assert "Before the first of 3 steps." in player.svg(0)


def test_a_message_to_nowhere_leaves_the_others_of_its_step():
    rounds = Rounds("all-gather", Op.COPY, 2, lambda s, i: [(9 if i == 1 else (i + 1) % 4, (i - s) % 4)])
    player = Player(Schedule(Collective.ALL_GATHER, "mine", 4, 4, (rounds,)))
    (step,) = player.data["steps"]
    assert [token[:2] for token in step["tokens"]] == [[0, 1], [2, 3], [3, 0]]
    assert step["text"] == "Step 1 of 2, all-gather: one of its messages can't be sent, so the step isn't carried out."
    assert player.data["problem"].startswith("Step 1: there is no NPU 9")


def test_what_breaks_before_its_first_message_has_no_step_to_show():
    def nothing(step, npu):
        raise ProofError("no rule for this step.")

    player = Player(Schedule(Collective.ALL_GATHER, "mine", 4, 4, (Rounds("all-gather", Op.COPY, 2, nothing),)))
    assert (player.step_count, player.data["step_count"]) == (0, 2)
    player.svg()


def test_shards_lie_where_they_have_arrived_or_are_said_to_be_on_their_way():
    assert "on their way" not in Player(RING, step=3).svg()
    assert (
        ">step 1 of 2; shards on their way, the table once they have arrived<"
        in Player(schedule("all-reduce", "direct", 8), step=1).svg()
    )


def test_a_still_picture_shrinks_with_its_page():
    still = Player(RING).svg()
    assert 'style="max-width:100%;height:auto"' in still[: still.index(">")]


def test_step_and_time_say_the_same():
    player = Player(RING)
    player.step = 3
    assert player.time == 3.0
    player.time = 4.25
    assert player.step == 5
    player.time = 99.0
    assert (player.step, player.time) == (14, 14.0)
    player.step = -1
    assert (player.step, player.time) == (0, 0.0)


def test_the_clock_of_simulated_time():
    plan = hierarchical("all-reduce", "ring", [2, 2])
    player = Player(plan, Dimensions(plan))
    assert player.data["marks"] == [0, 100, 800, 1500, 1600]
    player.time = 1.5
    player.clock = "time"
    assert (player.time, player.step) == (450.0, 2)
    player.step = 3
    assert player.time == 1500.0
    player.clock = "steps"
    assert player.time == 3.0
    with pytest.raises(ConfigError, match="needs a timing"):
        Player(plan).clock = "time"


def test_arrivals_in_simulated_time_add_up_one_by_one():
    plan = schedule("all-reduce", "direct", 4)

    class OneByOne:
        total_ns = 24.0

        def spans(self, step_index: int) -> list[tuple[float, float]]:
            return [(step_index * 12.0, step_index * 12.0 + 12 - k) for k in range(12)]

    tokens = Player(plan, OneByOne()).data["steps"][0]["tokens"]
    data = Player(plan, OneByOne()).data
    sizes = [data["sets"][t[3][0]][2] for t in sorted(tokens, key=lambda t: t[7]) if t[1] == 0]
    assert sizes == [2, 3, 4]


def test_what_the_view_sends_is_not_sent_back():
    player = Player(RING)
    player.set_state({"time": 2.5, "step": 3, "clock": "steps", "playing": True})
    assert (player.time, player.step, player.playing) == (2.5, 3, True)


def test_what_the_view_says_of_earlier_data_is_dropped():
    player = Player(RING, step=7)
    player.show(schedule("all-reduce", "ring", 16))
    player.set_state({"time": 7.5, "step": 8, "playing": True})
    assert (player.time, player.step, player.playing) == (15.0, 15, True)
    player.set_state({"time": 15.5, "step": 16, "shown": 1})
    player.set_state({"time": 16.5, "step": 17})
    assert (player.time, player.step) == (16.5, 17)


def test_show_replaces_in_place_and_keeps_the_position():
    player = Player(RING, speed=2.0)
    player.step, player.playing = 7, True
    player.show(schedule("all-reduce", "ring", 16))
    assert (player.step, player.time, player.playing, player.speed) == (15, 15.0, True, 2.0)
    player.schedule = schedule("all-reduce", "direct", 4)
    assert player.schedule.npus == 4
    assert player.step == 1
    assert repr(player) == "Player(<direct all-reduce on 4 NPUs: 2 steps, 4 shards>)"


def test_topology_has_one_name_a_dimension():
    assert Player(RING, topology="Switch").data["stage"]["boxes"]
    with pytest.raises(ConfigError, match="did you mean 'Switch'"):
        Player(RING, topology=["Swich"])
    with pytest.raises(ConfigError, match="1 dimensions"):
        Player(RING, topology=["Ring", "Ring"])


def test_the_page_needs_no_network(tmp_path):
    path = Player(RING, step=3).save_html(tmp_path / "ring.html")
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "export default" not in text
    assert "\nimport " not in text


def test_what_is_no_schedule_or_timing_is_refused():
    with pytest.raises(ConfigError, match="a player shows a schedule"):
        Player("ring")
    with pytest.raises(ConfigError, match="a player shows a schedule"):
        Player(RING).show("ring")
    with pytest.raises(ConfigError, match="timing is 5"):
        Player(RING, 5)
    other = schedule("all-reduce", "direct", 8)
    with pytest.raises(ConfigError, match="belongs to another schedule"):
        Player(RING, time_schedule(other, Dimension.of("Ring", 8, 50, 500), 2**20))


def test_wrong_settings_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="unknown setting 'stp'; did you mean 'step'"):
        Player(RING, stp=3)
    with pytest.raises(ConfigError, match="step"):
        Player(RING, step="x")
    with pytest.raises(ConfigError, match=r"step is 1\.5"):
        Player(RING).svg(1.5)
    with pytest.raises(ConfigError, match="can't be written"):
        Player(RING).save_html(tmp_path)
