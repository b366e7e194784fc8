"""Spend the budget: money, time and memory are the library's own, and a leaderboard believes nobody."""

from dataclasses import replace
from itertools import product

import pytest

import astra_edu as ae
from astra_edu.course.instruments.budget_stage import NODE

SETTINGS = {
    "start": "",
    "rings": "npus=64 inside=Ring inside_gb_s=50 between=Ring tensor=4 pipeline=16 zero=0",
    "no pipeline": "npus=512 inside=FullyConnected between_gb_s=6.25 tensor=16 pipeline=1 zero=3 model=22b",
    "one node": "npus=8 model=megatron-8.3b tensor=2 pipeline=1 price=0",
    "small groups": "npus=32 model=megatron-8.3b tensor=2 pipeline=4",
}
EVERY = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
VERDICTS = ("it is", "it costs too much", "it doesn’t fit into memory", "neither money nor memory suffice")
ALGORITHM = {"Ring": "ring", "Switch": "halvingDoubling", "FullyConnected": "direct"}


def by_hand(values):
    """(strategy, platform) out of public names only."""
    npus, group = values["npus"], values["tensor"] * values["pipeline"]
    strategy = ae.Strategy(
        tensor=values["tensor"], pipeline=values["pipeline"], data=npus // group, batch=512, zero=values["zero"],
        sequence_parallel=values["tensor"] > 1, recompute=values["recompute"],
    )  # fmt: skip
    dims = [replace(ae.Dimension.of(values["inside"], min(8, npus), values["inside_gb_s"], 700), kind="Node")]
    if npus > 8:
        dims.append(replace(ae.Dimension.of(values["between"], npus // 8, values["between_gb_s"], 2500), kind="Pod"))
    names = "_".join(ALGORITHM[str(dim.topology)] for dim in dims)
    return strategy, ae.Platform(tuple(dims), ae.SystemConfig.of(names, splits=4))


def dollars(values, dims):
    """By ASTRA-sim 1.0's prices: link, switch port, NIC for a GB/s."""
    prices = {"Node": (4.0, 13.0, 0.0), "Pod": (7.4, 23.7, 47.8)}
    total = values["npus"] * values["price"]
    for dim in dims:
        link, port, nic = prices[dim.kind]
        one = {"Ring": link, "Switch": link + port + nic, "FullyConnected": link * (dim.npus - 1) / 2}
        total += values["npus"] * one[str(dim.topology)] * dim.bandwidth
    return total


@EVERY
def test_money_time_and_memory_are_those_of_the_library(setting):
    design = ae.SpendTheBudget(setting)
    strategy, platform = by_hand(design.values)
    run, kept = (
        ae.estimate(design.values["model"], strategy, design.values["device"], platform),
        ae.memory(design.values["model"], strategy),
    )
    numbers = design.scene(design.values).numbers
    assert numbers["sequences/s"][0] == pytest.approx(512 / max(run.total_ns, run.bound_ns or 0) * 1e9)
    assert numbers["money"][0] == pytest.approx(dollars(design.values, platform.network))
    assert numbers["memory"][0] == kept.total
    money, time, memory = design.scene(design.values).bars
    assert money.bars[0].size * 1e3 == pytest.approx(numbers["money"][0])
    assert money.bars[0].limit == design.values["budget"] / 1e3
    assert time.bars[0].size == pytest.approx(run.total_ns / 1e6, abs=1e-5)
    assert memory.bars[0].size * 2**30 == pytest.approx(kept.total)


@EVERY
def test_the_code_says_the_same(setting, capsys):
    design = ae.SpendTheBudget(setting)
    scene = design.scene(design.values)
    exec(scene.code, {"ae": ae})
    money, run, kept = capsys.readouterr().out.splitlines()
    assert float(money.split()[0]) == pytest.approx(scene.numbers["money"][0])
    strategy, platform = by_hand(design.values)
    assert run == repr(ae.estimate(design.values["model"], strategy, design.values["device"], platform))
    assert kept == repr(ae.memory(design.values["model"], strategy))


def test_three_things_are_asked_in_turn_and_answered_by_estimate_memory_and_prices():
    asked, verdicts = set(), set()
    for zero, recompute, on in product((0, 1), ("none", "selective"), ("v100", "a100")):
        for budget in (300_000, 1_000_000, 3_000_000):
            design = ae.SpendTheBudget("npus=64", budget=budget, zero=zero, recompute=recompute, device=on)
            question, said = design.question(design.values), design.answer(design.values).value
            strategy, platform = by_hand(design.values)
            run = ae.estimate("gpt3", strategy, on, platform)
            asked.add(question.choices)
            if question.unit:
                assert said == pytest.approx(512 / run.total_ns * 1e9)
            elif question.choices == VERDICTS:
                poor = dollars(design.values, platform.network) > budget
                verdicts.add(said)
                assert said == VERDICTS[poor + 2 * (not ae.memory("gpt3", strategy).fits(on))]
            else:
                parts = dict(run.split)
                longest = max(parts, key=parts.get)
                names = {"repeated": "recomputed", "waiting": "bubble and transfers", "exchange": "data group"}
                assert said == names.get(longest, longest)
    assert len(asked) == 3
    assert len(verdicts) >= 3


def test_the_best_cut_is_the_fastest_that_fits():
    design = ae.SpendTheBudget("npus=64 inside=Ring inside_gb_s=50 between=Ring")
    design.best()
    strategy, platform = by_hand(design.values)
    assert design.values["npus"] == 64
    best = ae.estimate("gpt3", strategy, "a100", platform).total_ns
    assert ae.memory("gpt3", strategy).fits("a100")
    for tensor, pipeline in ((1, 32), (2, 16), (2, 32), (4, 8), (4, 16), (8, 4), (8, 8), (16, 4)):
        for zero in (0, 1):
            for recompute in ("none", "selective", "full"):
                other = ae.Strategy(
                    tensor=tensor, pipeline=pipeline, data=64 // tensor // pipeline, batch=512, zero=zero,
                    sequence_parallel=tensor > 1, recompute=recompute,
                )  # fmt: skip
                if ae.memory("gpt3", other).fits("a100"):
                    assert ae.estimate("gpt3", other, "a100", platform).total_ns >= best


@EVERY
def test_links_are_as_wide_as_what_joins_their_npus_and_npus_stand_in_their_group(setting):
    design = ae.SpendTheBudget(setting)
    stage, (strategy, platform) = design.scene(design.values).stage, by_hand(design.values)
    frames = {frame.name: frame.box for frame in stage.frames}
    rates = [dim.links * dim.bandwidth for dim in platform.network]
    for link in stage.links:
        one, other = (
            [int(word.strip(",")) for word in part.split() if word.strip(",").isdigit()]
            for part in link.name.split(" to ")
        )
        npus = [(s * strategy.data + copy) * strategy.tensor for copy, s in (one, other)]
        far = npus[0] // NODE != npus[1] // NODE
        assert link.looks[0] == ("links between nodes" if far else "links in a node")
        assert link.wide[0] == min(9.0, 0.8 + rates[far] / 40)
        assert f"{rates[far]:g} GB/s" in link.title
    for copy in range(min(4, strategy.data)):
        for s in range(min(8, strategy.pipeline)):
            x, y, wide, high = frames[f"copy {copy}, stage {s}"]
            for k in range(strategy.tensor):
                a, b, w, h = frames[f"NPU {(s * strategy.data + copy) * strategy.tensor + k}"]
                assert x < a and a + w < x + wide + 0.01 and y < b and b + h <= y + high and w > 1 and h > 1  # noqa: PT018


def test_a_design_that_cannot_be_had_is_not_entered(tmp_path):
    with pytest.raises(ae.ConfigError, match=r"can't be entered: it costs \$225,280 more than there is"):
        ae.SpendTheBudget().enter("Ada", tmp_path / "board.csv")
    with pytest.raises(ae.ConfigError, match="a name is empty"):
        ae.SpendTheBudget("inside=Ring").enter("  ", tmp_path / "board.csv")
    assert not (tmp_path / "board.csv").exists()


def test_a_leaderboard_ranks_what_it_simulates_itself(tmp_path):
    board, other = tmp_path / "board.csv", tmp_path / "other.csv"
    slow, fast = ae.SpendTheBudget("inside=Ring inside_gb_s=25"), ae.SpendTheBudget("inside=Ring inside_gb_s=100")
    for _ in range(2):
        assert slow.enter("Ada, of group 1", board).endswith(f"one of 1 design in {board}")
    fast.enter("Grace", other)
    slow.enter("Grace", other)
    ae.SpendTheBudget("inside=Ring budget=3000000").enter("Linus", board)
    with board.open("a") as file:
        file.write(f"Mallory,{ae.SpendTheBudget('npus=1024').text}\nEve,sequences=1000000\n")
    table = ae.leaderboard(board, other)
    by_name = table.set_index("name").to_dict("index")
    assert list(table["name"]) == ["Eve", "Grace", "Ada, of group 1", "Mallory", "Linus"]
    assert [by_name[name]["place"] for name in ("Grace", "Ada, of group 1", "Linus")] == [1, 2, 1]
    assert by_name["Grace"]["sequences/s"] == fast.scene(fast.values).numbers["sequences/s"][0]
    assert "more than there is" in by_name["Mallory"]["why_not"]
    assert "sequences" in by_name["Eve"]["why_not"]


def test_what_is_no_leaderboard_is_refused(tmp_path):
    for text, why in (("a,b\n", "first line"), ("name,design\nAda\n", "line 2"), ("", "empty")):
        (tmp_path / "board.csv").write_text(text)
        with pytest.raises(ae.ConfigError, match=why):
            ae.leaderboard(tmp_path / "board.csv")
    with pytest.raises(ae.ConfigError, match="no files"):
        ae.leaderboard()


def test_money_is_shared_out_by_what_it_buys():
    design = ae.SpendTheBudget()
    _, platform = by_hand(design.values)
    parts = {part.look: part.size * 1e3 for part in design.scene(design.values).bars[0].bars[0].parts}
    free = design.values | {"price": 0}
    assert parts["NPUs"] == 128 * 2500
    assert parts["links in a node"] == pytest.approx(dollars(free, platform.network[:1]))
    assert parts["links between nodes"] == pytest.approx(dollars(free, platform.network[1:]))
