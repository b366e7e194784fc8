"""Searches: the optimum of all points wherever all can be tried, limits kept, nothing left to chance but the seed."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count, product
from random import Random

import numpy as np
import pytest
from halves import few, quarter

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.search.bounds_known import simulated_ns
from astra_edu.explore.search.goals import dominates, frontier

pytest.importorskip("optuna", reason='large spaces are searched with the extra "explore"')
KINDS = ["Ring", "Switch", "FullyConnected"]


def random_space(dice):
    """A platform's settings, no more than some dozens of points."""
    sizes = dice.choice([(4,), (4, 2), (2, 2, 4), (8, 2)])
    kinds = [dice.choice(KINDS) for _ in sizes]
    network = [ae.Dimension.of(kind, n, 50, dice.choice([10, 500])) for kind, n in zip(kinds, sizes, strict=True)]
    platform = ae.Platform(tuple(network), ae.SystemConfig.of("_".join(["ring"] * len(sizes)), splits=4))
    space = {
        "platform.system.splits": ae.Range(1, dice.choice([4, 16]), step=4, log=True),
        f"platform.network[{dice.randrange(len(sizes))}].bandwidth": dice.sample([5, 10, 25, 50, 75, 100, 200], 3),
        "platform.system.inter_dimension": ["baseline", "themis", "roundRobin"][: dice.randint(1, 3)],
    }
    if len(sizes) < 3 and dice.random() < 0.5:
        del space["platform.system.inter_dimension"]
        space = {"platform": ae.algorithms(platform, ["ring", "direct"]), **space}
    collective = dice.choice(["all-reduce", "all-gather", "reduce-scatter", "all-to-all"])
    return space, {"workload": ae.Workload.micro(collective, dice.choice([2**14, 2**22])), "platform": platform}


def brute_force(space, given):
    names = list(space)
    rows = [dict(zip(names, values, strict=True)) for values in product(*(list(space[name]) for name in names))]
    return ae.sweep(ae.simulate, rows, given=given, progress=False)


@pytest.mark.parametrize("seed", quarter(range(50)))
def test_the_best_is_that_of_all_points_exactly_and_by_sampling_and_bounds_are_bounds(seed):
    dice = Random(seed)
    space, given = random_space(dice)
    every = brute_force(space, given)
    least, size = every["at_least_ns"].min(), len(every)
    for method, how in (("auto", True), ("heuristic", True))[: 1 + (seed % 3 == 0)]:
        found = ae.search(space, given=given, budget=size, method=method, seed=seed, progress=False)
        assert found.best["at_least_ns"] == least
        assert found.exact is how
        assert found.gap == 0
        assert found.size == size
    some = ae.search(space, given=given, budget=max(4, size // 2), seed=seed, progress=False)
    assert some.evaluations <= max(4, size // 2)
    assert some.lower_bound is None or some.lower_bound <= least
    assert some.best["at_least_ns"] >= least
    assert not some.exact or some.best["at_least_ns"] == least
    limit = sorted(every["network_cost"])[size // 3]
    kept = ae.search(space, constraints={"network_cost": limit}, given=given, budget=size, progress=False)
    assert kept.best["at_least_ns"] == every[every["network_cost"] <= limit]["at_least_ns"].min()
    assert kept.best["network_cost"] <= limit


@pytest.mark.thorough
def test_half_of_the_points_are_mostly_enough_for_the_optimum():
    hits = 0
    for seed in range(20):
        space, given = random_space(Random(1000 + seed))
        every = brute_force(space, given)
        found = ae.search(space, given=given, budget=len(every) // 2 + 1, method="heuristic", seed=seed, progress=False)
        hits += found.best["at_least_ns"] == every["at_least_ns"].min()
    assert hits >= 16


@pytest.mark.parametrize("seed", range(8))
def test_the_frontier_is_that_of_all_points(seed):
    space, given = random_space(Random(seed))
    every = brute_force(space, given)
    values = list(zip(every["at_least_ns"], every["network_cost"], strict=True))
    right = sorted({v for v in values if not any(dominates(o, v) for o in values)})
    found = ae.search(space, ["at_least_ns", "network_cost"], given=given, budget=len(every), progress=False)
    assert list(zip(found.frontier["at_least_ns"], found.frontier["network_cost"], strict=True)) == right
    assert [values[k] for k in frontier(values)] == right


@pytest.mark.parametrize("seed", quarter(range(5, 9)))
def test_links_and_compute_are_never_undercut(seed):
    dice = Random(seed)
    for _ in few(range(60), 12):
        sizes = [dice.choice([2, 3, 4, 8]) for _ in range(dice.randint(1, 3))]
        network = tuple(
            ae.Dimension.of(
                dice.choice(["Ring", "Switch", "FullyConnected"]),
                n,
                dice.choice([1, 30, 400]),
                dice.choice([0, 1, 300]),
            )
            for n in sizes
        )
        names = "_".join(dice.choice(["ring", "direct", "halvingDoubling", "doubleBinaryTree"]) for _ in sizes)
        settings = {
            "splits": dice.choice([1, 3, 16]),
            "active_chunks": dice.choice([1, 4]),
            "queues": dice.choice([1, 2]),
        }
        settings["inter_dimension"] = dice.choice(["baseline", "themis", "roundRobin"])
        try:
            platform = ae.Platform(network, ae.SystemConfig.of(names, **settings))
            work = random_work(dice)
            run = ae.simulate(work, platform, progress=False)
        except ConfigError:
            continue
        assert simulated_ns(work, platform) <= max(run.total_ns, run.bound_ns or 0), (work, platform)


def random_work(dice):
    from astra_edu.workload import Layer, Work

    def work():
        collective = dice.choice([None, "all-reduce", "all-gather", "reduce-scatter", "all-to-all"])
        return Work(
            dice.choice([0, 10, 50_000]), collective, dice.choice([0, 1, 1000, 2**20, 2**26]) if collective else 0
        )

    loop = dice.choice(["DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "MICRO"])
    return ae.Workload(loop, [Layer(f"l{k}", work(), work(), work()) for k in range(dice.randint(1, 3))])


def bowl(x, y, z="a"):
    return {"depth": (x - 13) ** 2 + (y - 4) ** 2 + "abc".index(z), "x_plus_y": x + y}


def test_the_same_seed_gives_the_same_search_whatever_the_executor():
    space = {"x": ae.Range(0, 200), "y": ae.Range(0, 50), "z": ["a", "b", "c"]}
    first = ae.search(space, "depth", budget=60, run=bowl, seed=3, progress=False)
    with ThreadPoolExecutor(3) as executor:
        second = ae.search(space, "depth", budget=60, run=bowl, seed=3, executor=executor, progress=False)
    third = ae.search(space, "depth", budget=60, run=bowl, seed=4, progress=False)
    columns = ["x", "y", "z", "depth"]
    assert first.table[columns].equals(second.table[columns])
    assert not first.table[columns].equals(third.table[columns])
    assert len(first.table.drop_duplicates(columns[:3])) == first.evaluations == 60
    assert not first.exact
    assert "how much better others are isn't known" in repr(first)


def test_of_points_that_tie_the_cheapest_network_is_the_best_and_the_others_are_counted():
    def run(x):
        return {"value": x // 4, "network_cost": [7, 9, 5, math.nan, 1][x]}

    found = ae.search({"x": range(5)}, "value", run=run, progress=False)
    assert (found.best["x"], found.ties) == (2, 4)
    assert repr(found).startswith("<value 0 at x 2, as at 3 others that were run, none with a cheaper network: the op")
    assert repr(found.best) == "<x 2: value 0, network_cost 5>"
    assert found.best | {"x": 0} == {"x": 0, "value": 0, "network_cost": 5}
    free = ae.search({"x": range(6)}, "value", run=lambda x: {"value": x // 2}, progress=False)
    assert free.best["x"] == 0
    assert repr(free).startswith("<value 0 at x 0, as at 1 other that was run: the optimum")
    alone = ae.search({"x": [3]}, "value", run=lambda x: {"value": x}, progress=False)
    assert (alone.ties, repr(alone).partition(":")[0]) == (1, "<value 3 at x 3")


def test_a_large_space_is_searched_well():
    space = {"x": ae.Range(0, 200), "y": ae.Range(0, 50), "z": ["a", "b", "c"]}
    depths = [ae.search(space, "depth", budget=150, run=bowl, seed=s, progress=False).best["depth"] for s in range(3)]
    assert sorted(depths)[1] == 0


def test_a_range_without_steps_is_sampled():
    def curve(x):
        return {"value": (math.log10(x) - 2.5) ** 2}

    found = ae.search({"x": ae.Range(1.0, 1e5, log=True)}, "value", budget=80, run=curve, progress=False)
    assert found.size is None
    assert found.best["x"] == pytest.approx(10**2.5, rel=0.05)
    with pytest.raises(ConfigError, match="uncountably many points"):
        ae.search({"x": ae.Range(1.0, 2.0)}, "value", run=curve, method="exact")


def test_a_bound_of_one_s_own_rules_points_out_and_is_told():
    seen = []

    def run(x, y):
        seen.append((x, y))
        return {"value": x * 10 + y}

    found = ae.search(
        {"x": range(20), "y": range(5)}, "value", run=run, bound=lambda x: x * 10, budget=50, progress=False
    )
    assert found.exact
    assert found.best["value"] == 0
    assert len(seen) == 8
    assert "8 of 100 points were run and the bounds of the others are no better" in repr(found)
    few = ae.search({"x": range(2, 20), "y": range(500)}, "value", run=run, bound=lambda x: x, budget=8, progress=False)
    assert (few.exact, few.lower_bound) == (False, 2)
    assert few.gap == few.best["value"] / 2 - 1
    assert "above what is possible (at least 2)" in repr(few)


def test_a_failing_point_is_a_row_and_nan_is_never_the_best():
    def run(x):
        if x == 1:
            raise ZeroDivisionError("no x of 1")
        return {"value": {0: math.nan, 2: -math.inf, 3: None}.get(x, x)}

    for method in ("auto", "heuristic"):
        found = ae.search({"x": range(6)}, "value", run=run, budget=6, method=method, progress=False)
        assert found.best["value"] == 4
        table = found.table.set_index("x").sort_index()
        assert table["error"].tolist() == ["", "ZeroDivisionError: no x of 1", "", "", "", ""]
        assert table["kept"].tolist() == [False, False, False, False, True, True]
    only = ae.search({"x": [0, 2]}, "value", run=run, progress=False)
    assert "none of 2 points gives a finite value" in repr(only)
    all_wrong = ae.search({"x": [1]}, "value", run=run, progress=False)
    assert "none of 1 point could be used; x 1: ZeroDivisionError: no x of 1" in repr(all_wrong)


def test_impossible_constraints_name_the_nearest_miss():
    found = ae.search({"x": range(6), "y": [1]}, "depth", {"x_plus_y": (None, 0)}, run=bowl, progress=False)
    words = "none of 6 points keeps the constraints; the nearest, x 0, y 1, has x_plus_y 1, and 0 is the most."
    with pytest.raises(ConfigError, match=words):
        _ = found.best
    assert repr(found) == f"<{words.removesuffix('.')}>"
    assert found.evaluations == 6
    odd = ae.search({"x": [2, 4], "y": [1]}, "depth", {"odd": lambda row: row["x"] % 2}, run=bowl, progress=False)
    assert "doesn't keep 'odd'" in repr(odd)


def test_a_search_s_table_says_its_settings():
    """As a sweep's, so that it can be looked at as a design space."""
    found = ae.search({"x": range(6), "y": [1, 2]}, "depth", run=bowl, progress=False)
    for table in (found.table, found.frontier):
        assert table.attrs == {"settings": ["x", "y"], "names": ["x", "y"]}
    platforms = ae.bandwidths(ae.preset("dgx2"), total=100, steps=4)
    found = ae.search({"platform": platforms}, given={"workload": ae.Workload.micro("all-reduce", 2**20)})
    assert found.table.attrs["settings"] == [column for column in found.table if column.startswith("platform.")]


def test_objectives_and_limits_may_be_functions_of_settings_and_numbers():
    def distance(row):
        return abs(row["x"] - row["depth"])

    found = ae.search({"x": range(20), "y": [4]}, distance, {"x": (3, 15)}, run=bowl, progress=False)
    by_hand = min(range(3, 16), key=lambda x: abs(x - (x - 13) ** 2))
    assert found.best["x"] == by_hand
    assert found.table["distance"].min() <= abs(by_hand - (by_hand - 13) ** 2)


def test_a_stopped_search_goes_on_from_its_store(tmp_path):
    pytest.importorskip("pyarrow")
    runs = []

    def counted(x, y):
        runs.append((x, y))
        return bowl(x, y)

    space, file = {"x": ae.Range(0, 99), "y": ae.Range(0, 50)}, tmp_path / "found.parquet"
    ae.search(space, "depth", budget=20, run=bowl, store=file, progress=False)
    whole = ae.search(space, "depth", budget=40, run=bowl, store=file, progress=False)
    again = ae.search(space, "depth", budget=40, run=bowl, store=file, progress=False)
    assert whole.table.drop(columns="seconds").equals(again.table.drop(columns="seconds"))
    assert again.table["seconds"].equals(whole.table["seconds"])  # of the first run, so nothing was run again


def test_seconds_end_a_search():
    import time

    def slow(x):
        time.sleep(0.02)
        return {"value": x}

    for method in ("auto", "heuristic"):
        found = ae.search({"x": range(500)}, "value", run=slow, seconds=0.3, method=method, progress=False)
        assert 1 <= found.evaluations < 60
        assert not found.exact


@pytest.mark.parametrize("method", ["auto", "exact", "heuristic"])
def test_bounds_take_a_quarter_of_the_time_and_one_point_always_runs(method):
    import time

    def bound(x):
        time.sleep(0.01)
        return 0

    def run(x):
        time.sleep(0.02)
        return {"value": x}

    start = time.monotonic()
    found = ae.search(
        {"x": range(500)}, "value", run=run, bound=bound, budget=400, seconds=0.4, method=method, progress=False
    )
    assert time.monotonic() - start < 4  # all bounds take 5 s; the rest is for a slow machine
    assert found.evaluations >= 1
    assert found.best["value"] == found.table["value"].min()
    some = ae.search({"x": range(50)}, "value", run=run, bound=bound, budget=50, seconds=1e-9, progress=False)
    assert some.evaluations == 1
    assert some.how == "until its time was over"


def slowly(workload, platform, passes=1):
    """The bound of simulated_ns, layer by layer, as its docstring has it."""
    from astra_edu.system.logical import logical_dimensions
    from astra_edu.workload.parallelism import involved, options

    run = ae.simulate(workload, platform, passes, progress=False)
    dims, boundary = logical_dimensions(platform.network, options(workload).group)
    sent, lost_bytes, lost_ns = {}, 0, 0
    for layer, over in zip(workload.layers, involved(workload, len(dims), boundary), strict=True):
        for kind, work, places in (
            ("forward", layer.forward, over.activations),
            ("input gradient", layer.input_gradient, over.activations),
            ("weight gradient", layer.weight_gradient, over.gradients),
        ):
            often = len({s.issued for s in run.stays if (s.what.layer, s.what.kind) == (layer.name, kind)})
            sizes = [dim.npus for dim, there in zip(dims, places, strict=True) if there]
            if not often or work.collective is None:
                continue
            splits = platform.system.splits
            lost_ns, lost_bytes = (
                lost_ns + often * splits * 2 * sum(sizes),
                lost_bytes + often * splits * 2 * math.prod(sizes),
            )
            whole = math.prod(sizes)
            twice = {"all-reduce": 2 / whole, "all-gather": 1, "reduce-scatter": 1 / whole, "all-to-all": 1 / whole}
            own = tuple(sorted({dim.physical for dim, there in zip(dims, places, strict=True) if there}))
            sent[own] = sent.get(own, 0) + often * twice[work.collective] * (whole - 1) * work.size
    links = {own: sum(platform.network[d].injection_bandwidth for d in own) for own in sent if own}
    return max([run.compute_ns] + [((sent[own] - lost_bytes) / links[own] - lost_ns) / 1.01 for own in links])


@pytest.mark.filterwarnings("ignore")  # collectives of 0 bytes
def test_what_layers_ask_for_together_is_what_each_asks_for():
    dice = Random(8)
    for _ in few(range(60), 12):
        sizes = [dice.choice([2, 4, 8]) for _ in range(dice.randint(1, 3))]
        network = tuple(ae.Dimension.of("Switch", n, dice.choice([30, 400]), 100) for n in sizes)
        names = "_".join(dice.choice(["ring", "direct", "halvingDoubling"]) for _ in sizes)
        system = ae.SystemConfig.of(names, splits=dice.choice([1, 3]), inter_dimension="themis")
        work, platform = random_work(dice), ae.Platform(network, system)
        try:
            right = slowly(work, platform, passes := dice.randint(1, 2))
        except ConfigError:
            continue
        assert simulated_ns(work, platform, passes) == pytest.approx(right, rel=1e-12)


def test_values_without_an_end_are_refused_and_numbers_without_a_choice_are_no_search():
    for values in (range(10**12), count()):
        with pytest.raises(ConfigError, match="more than 50,000 values"):
            ae.search({"x": values}, "depth", run=bowl)
    with pytest.raises(ConfigError, match="give a list of its values"):
        ae.search({"x": {1: 2}}, "depth", run=bowl)
    assert ae.search({"x": ae.Range(2.0, 2.0), "y": [4]}, "depth", run=bowl, progress=False).size == 1
    few = {"x": ae.Range(1.0, math.nextafter(1.0, 2)), "y": [4]}  # two numbers, of which no others are between
    assert ae.search(few, "depth", run=bowl, budget=50, progress=False).evaluations <= 2


def test_a_bound_that_is_none_is_told():
    for bound, words in (
        (lambda x: 10 * x + 1, "bound gives 1.0 for x 0, and value is 0 there"),
        (lambda x: 1 / 0, "bound fails with ZeroDivisionError: division by zero"),
        (lambda z: 0, "missing 1 required positional argument: 'z'"),
        (lambda **settings: 0, "any settings as 'settings'"),
    ):
        with pytest.raises(ConfigError, match=words):
            ae.search({"x": range(9)}, "value", run=lambda x: 10 * x, bound=bound, progress=False)
    never = ae.search({"x": [1]}, "value", run=lambda x: x, bound=lambda x: math.inf, progress=False)
    assert repr(never) == "<no point was run, as their bounds leave none>"


def test_strange_numbers_and_names_are_told_apart():
    def run(x):
        return {"value": 10**400 - x, "kept": 1} if x == 3 else {"value": 10**400 - x}

    found = ae.search({"x": [1, True, 2]}, "value", {"x": 10**400}, run=run, progress=False)
    assert found.best["x"] == 2
    assert found.evaluations == 3
    with pytest.raises(ConfigError, match="'kept', which is a column"):
        ae.search({"x": [3]}, "value", run=run, progress=False)
    with pytest.raises(ConfigError, match="kept is the name of a setting"):
        ae.search({"kept": [3]}, "value", run=run, progress=False)
    for limit in (Fraction(3, 2), np.float32(1.5), np.int64(1), (None, Fraction(3, 2))):
        kept = ae.search({"x": [2, 1], "y": [1]}, "depth", {"x": limit}, run=bowl, progress=False)
        assert kept.table["kept"].tolist() == [False, True]
        assert "1.5 is the most" in repr(kept) or kept.best["x"] == 1
    with pytest.raises(ConfigError, match="whose least is above its most"):
        ae.search({"x": [2]}, "depth", {"x": (2, 1)}, run=bowl)

    class Equal:
        __hash__ = None

        def __call__(self, x):
            return {"at_least_ns": x}

    assert ae.search({"x": [2, 1]}, run=Equal(), progress=False).best["x"] == 1


def test_what_makes_no_sense_is_said():
    for arguments, words in (
        (({},), "nothing to search"),
        (({"x": 3},), "give a list of its values"),
        (({"x": [1, 1]},), "values 0 and 1 of x are the same"),
        (({"x": [1]}, 5), "objective is 5"),
        (({"x": [1], "y": [1]}, "deep"), "did you mean 'depth'"),
        (({"x": [1], "y": [1]}, "depth", {"x": "few"}), "the limit of x is 'few'"),
        (({"x": [1], "y": [1]}, "depth", None, 0), "budget is 0"),
    ):
        with pytest.raises(ConfigError, match=words):
            ae.search(*arguments, run=bowl, progress=False)
    for made in (lambda: ae.Range(3, 1), lambda: ae.Range(0, 5, log=True), lambda: ae.Range(1, 5, step=0)):
        with pytest.raises(ConfigError):
            made()
    with pytest.raises(ConfigError, match="searched for 'at_least_ns' alone"):
        ae.search({"strategy": ae.plans("vgg16", 4, 16)}, "compute_ns", run=ae.estimate)
