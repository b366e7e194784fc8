"""The player where a switch adds up: one token up each link and one down, read back from payload and picture."""

from math import hypot
from xml.etree import ElementTree

import pytest

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import hierarchical, schedule
from astra_edu.collectives.proof import replay
from astra_edu.network import Dimension
from astra_edu.system import time_schedule

pytest.importorskip("anywidget")

from astra_edu.course.widgets import Player
from astra_edu.course.widgets.own_layout import HEIGHT, WIDTH
from astra_edu.course.widgets.picture import held_after_step

SVG = "{http://www.w3.org/2000/svg}"
PLANS = [schedule(c, "in-switch", n) for c in ("all-reduce", "reduce-scatter", "all-gather") for n in (2, 8)]
PLANS += [hierarchical("all-reduce", names, [4, 2]) for names in ("in-switch", ["in-switch", "ring"])]


def switched(data, plan):
    """(step, its tokens) of the steps in which a switch adds up or copies."""
    return [
        (step, drawn["tokens"])
        for step, drawn in zip(plan.steps(), data["steps"], strict=True)
        if step.rounds.carried is not None
    ]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_each_link_carries_one_token_up_and_one_down_with_what_is_counted(plan):
    found = switched(Player(plan).data, plan)
    assert found
    for step, tokens in found:
        switch = plan.npus + step.dimension
        assert {(t[0], t[1]) for t in tokens} == {(i, switch) for i in range(plan.npus)} | {
            (switch, i) for i in range(plan.npus)
        }
        assert len(tokens) == 2 * plan.npus
        for token in tokens:
            assert len(token[2]) == (step.rounds.carried.up if token[1] == switch else step.rounds.carried.down)


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_what_comes_down_is_what_the_npu_holds_then(plan):
    data = Player(plan).data
    for index, (_, held) in enumerate(replay(plan)):
        got = held_after_step(data, index + 1)
        numbers = {(npu, shard): mask for npu, row in enumerate(held) for shard, mask in enumerate(row) if mask}
        sizes = {key: data["sets"][got[key]][2] for key in numbers}
        assert sizes == {key: mask.bit_count() for key, mask in numbers.items()}
    assert data["problem"] == ""


def test_nothing_comes_down_before_all_is_up():
    plan = schedule("all-reduce", "in-switch", 8)
    timing = time_schedule(plan, Dimension.of("Switch", 8, 50, 500), 2**20)
    data = Player(plan, timing).data
    ((_, tokens),) = switched(data, plan)
    (spread,) = (step["spread"] for step in data["steps"])
    up, down = ([t for t in tokens if (t[1] == 8) is going_up] for going_up in (True, False))
    assert {(t[5], t[5] + 1 - spread) for t in up} == {(0.0, 0.5)}  # share of the beat
    assert {(t[5], t[5] + 1 - spread) for t in down} == {(0.5, 1.0)}
    assert {t[7] for t in up} == {t[6] for t in down}  # ns
    assert {t[7] for t in down} == {max(end for _, end in timing.spans(0))}


def test_ways_end_inside_the_switch_and_to_and_fro_differ():
    stage = Player(schedule("all-reduce", "in-switch", 8)).data["stage"]
    ((x, y, w, h),) = stage["boxes"]
    for npu, (nx, ny) in enumerate(stage["nodes"]):
        up, down = stage["routes"][f"{npu},8"], stage["routes"][f"8,{npu}"]
        for px, py in (up[-1], down[0]):
            assert x < px < x + w
            assert y < py < y + h
        for px, py in (up[0], down[-1]):
            assert hypot(px - nx, py - ny) < stage["radius"] + 5
        apart = [hypot(a[0] - b[0], a[1] - b[1]) for a, b in zip(up[1:3], down[2:0:-1], strict=True)]
        assert min(apart) > 10
    assert (x + w / 2, y + h / 2) == (WIDTH / 2, HEIGHT / 2)


@pytest.mark.parametrize("npus", [2, 4, 8, 16])
@pytest.mark.parametrize("collective", ["all-reduce", "reduce-scatter", "all-gather"])
def test_no_token_of_the_picture_is_on_the_switch_s_name(npus, collective):
    """It stood at the switch's lower edge, where an NPU's token is."""
    picture = ElementTree.fromstring(Player(schedule(collective, "in-switch", npus)).svg(1))
    stage = picture.find(f".//{SVG}g[@transform]")
    texts = [(text.text, float(text.get("x")), float(text.get("y"))) for text in stage.iter(f"{SVG}text")]
    ((_, x, y),) = [text for text in texts if text[0] == "switch"]
    assert (x, y) == (WIDTH / 2, HEIGHT / 2 + 4)
    for token in texts:
        if token[0][0] in "+ΣX" or "shard" in token[0]:
            apart = abs(token[1] - x) - (len(token[0]) + len("switch")) * 6.1 / 2
            assert apart > 0 or abs(token[2] - y) > 14, token


def test_a_switch_that_only_passes_on_has_its_name_at_its_edge():
    """Messages cross its middle."""
    assert Player(schedule("all-reduce", "ring", 8), topology="Switch").data["stage"]["names"] == []


def test_the_picture_and_the_text_say_what_the_switch_does():
    player = Player(schedule("reduce-scatter", "in-switch", 4))
    words = [text.text for text in ElementTree.fromstring(player.svg(1)).iter() if text.tag.endswith("text")]
    assert words.count("+4 shards") == 4
    assert [f"Σ X{k}" for k in range(4)] == [word for word in words if word.startswith("Σ X")]
    assert player.data["steps"][0]["text"] == (
        "Step 1 of 1, reduce-scatter: every NPU sends 4 shards up to the switch, which adds up what all send and sends "
        "one shard down to each — such as X0, the full sum, to NPU 0."
    )
    copied = Player(schedule("all-gather", "in-switch", 4)).data["steps"][0]
    assert "which copies it and sends 3 shards down to each — such as X1, X2, X3 to NPU 0." in copied["text"]
    assert [t[4] for t in copied["tokens"]] == ["X0", "X1", "X2", "X3", *["3 shards"] * 4]


def test_it_is_drawn_on_a_switch_and_nowhere_else():
    plan = schedule("all-reduce", "in-switch", 8)
    assert Player(plan).data["stage"]["boxes"] == Player(plan, topology="Switch").data["stage"]["boxes"] != []
    for name in ("Ring", "FullyConnected", "Mesh"):
        with pytest.raises(ConfigError, match=r'has a switch add up.*or give "Switch"'):
            Player(plan, topology=name)
