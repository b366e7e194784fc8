"""Which points a sweep has, what tells them apart, and settings inside of what is given."""

from itertools import count
from typing import NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.explore.given import arguments, column, parts_of
from astra_edu.explore.measures import measures
from astra_edu.explore.points import key_of, plain, points_of


class Mute:
    def __repr__(self):
        raise RuntimeError


class Pair(NamedTuple):
    x: int
    y: int


LOOP = [1]
LOOP.append(LOOP)


def test_a_grid_has_every_combination_and_the_last_name_changes_fastest():
    assert points_of({"a": [1, 2], "b": (3, 4)}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


def test_points_are_taken_as_they_are():
    points = [{"a": 1, "b": 3}, {"a": 5, "b": 4}]
    assert points_of([Pair(1, 2)]) == [{"x": 1, "y": 2}]
    assert points_of(points) == points_of(pd.DataFrame(points)) == points_of(iter(points)) == points


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "there is no point to run"),
        ([], "there is no point to run"),
        ({"a": []}, "there is no point to run"),
        ({"a": "ring"}, r"a is 'ring'; give a list of its values, such as \['ring'\]"),
        ({"a": 8}, r"a is 8; give a list of its values, such as \[8\]"),
        ("a", "grid_or_points is 'a'"),
        ([1], "a point is 1; give its settings by name"),
        ([{"a": 1}, {"b": 1}], "point 1 has b, the first one a"),
        ([{"a": 1}, {"a": 1.0}], "points 0 and 1 are the same"),
        ([{1: 2}], "1 is no name of a setting"),
        ({"a": [object()]}, "can't be told from others of its kind"),
        ({"a": [Mute()]}, "a Mute can't be told from others of its kind"),
        ({"a": ["\ud800"]}, r"'\\ud800' can't be kept: '\\ud800' is half of a letter"),
        ({"\ud800": [1]}, "is half of a letter"),
        ({"a": [LOOP]}, "has itself in it"),
    ],
)
def test_points_that_make_no_sense_are_told_why(given, words):
    with pytest.raises(ae.ConfigError, match=words):
        points_of(given)


def test_a_key_is_the_same_for_the_same_settings_only():
    assert key_of({"a": np.int64(8), "b": "x"}) == key_of({"b": "x", "a": 8.0})
    different = [{"a": 1}, {"a": 2}, {"a": "1"}, {"a": 1.5}, {"a": None}, {"a": True}, {"b": 1}, {"a": float("inf")}]
    assert len({key_of(point) for point in different}) == len(different)
    assert key_of({"a": ae.preset("dgx2")}) != key_of({"a": ae.preset("tpu")})


def test_settings_inside_of_what_is_given_change_it_and_nothing_else():
    dgx2 = ae.preset("dgx2")
    way = {"platform.network[1].bandwidth": 12.5, "platform.system.splits": 8, "options.deep[0]": 2, "passes": 3}
    made = arguments({"platform": dgx2, "options": {"deep": [1, 5]}}, way)
    assert made["platform"].network[1].bandwidth == 12.5
    assert made["platform"].network[0] == dgx2.network[0]
    assert made["platform"].system.splits == 8
    assert made["options"] == {"deep": [2, 5]}
    assert made["passes"] == 3
    whole = {"platform.system.splits": 2, "platform": ae.preset("tpu")}
    assert arguments({}, whole)["platform"].system.splits == 2
    assert dgx2 == ae.preset("dgx2")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("network[0].bandwidth", "there is no network; given are platform"),
        ("platform.network[7].bandwidth", r"there is no \[7\].*has 2 places, \[0\] to \[1\]"),
        ("platform.network.bandwidth", r"has no bandwidth. It has 2 places, \[0\] to \[1\]"),
        ("platform.network[0]latency", "is no name of a setting"),
        ("platform.system[0]", "has no places"),
        ("platform.network[0].bandwith", "did you mean 'bandwidth'"),
        ("platform.network[0].bandwidth.x", "It has nothing that can be set"),
        ("platform..x", "is no name of a setting"),
        (".x", "is no name of a setting"),
        ("x[y]", "is no name of a setting"),
    ],
)
def test_a_way_that_leads_nowhere_is_told_where_it_ends(name, words):
    with pytest.raises(ae.ConfigError, match=words):
        arguments({"platform": ae.preset("dgx2")}, {name: 1})


def test_one_place_is_no_places():
    with pytest.raises(ae.ConfigError, match=r"has 1 place, \[0\]\."):
        arguments({"platform": ae.preset("ring")}, {"platform.network[1].latency": 1})


def test_strategies_platforms_of_2_graphs_and_named_tuples_have_settings_inside():
    blocks = ae.Block("Switch", 8, 50, 500), ae.Block("Ring", 4, 5, 50)
    platform = ae.TracePlatform(blocks, ae.TraceSystem.of(("direct", "ring")))
    way = {"platform.network[1].bandwidth": 7, "platform.system.splits": 3, "platform.congestion_aware": True}
    made = arguments({"platform": platform}, way)["platform"]
    assert (made.network[1].bandwidth, made.system.splits, made.congestion_aware) == (7, 3, True)
    assert made.network[0] == platform.network[0]
    assert arguments({"cut": ae.Strategy(tensor=2)}, {"cut.tensor": 4})["cut"] == ae.Strategy(tensor=4)
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, 50, "bandwidth")
    nx.set_edge_attributes(graph, 500, "latency")
    network = ae.GraphNetwork(graph)
    slow = arguments({"network": network}, {"network.graph[0][1].bandwidth": 5})["network"]
    assert (slow.links[0, 1].bandwidth, slow.links[1, 2].bandwidth, network.links[0, 1].bandwidth) == (5, 50, 50)
    with pytest.raises(ae.ConfigError, match="is no edge of the graph"):
        arguments({"network": network}, {"network.graph[0][2].bandwidth": 5})
    assert arguments({"pair": Pair(1, 2)}, {"pair.y": 7})["pair"] == Pair(1, 7)
    assert arguments({"pair": Pair(1, 2)}, {"pair[1]": 7})["pair"] == Pair(1, 7)


def test_what_a_repr_leaves_out_tells_values_apart():
    small, large = (ae.traces.collective("all_reduce", size, npus=4) for size in ("1 MiB", "2 MiB"))
    assert repr(small) == repr(large)
    assert plain(small) != plain(large)
    assert plain(small) == plain(ae.traces.collective("all_reduce", "1 MiB", npus=4))
    graphs = [nx.path_graph(3), nx.path_graph(3)]
    graphs[0].edges[0, 1]["bandwidth"] = 7
    assert plain([graphs[0]]) != plain([graphs[1]])
    assert plain({"a": (1,), "b": [{"x"}]}) == "{'a': (1,), 'b': [{'x'}]}"


def test_a_setting_of_a_platform_has_its_unit_in_its_column():
    assert parts_of("platform.network[1].bandwidth") == ["platform", "network", 1, "bandwidth"]
    assert column("platform.network[1].bandwidth") == "platform.network[1].bandwidth (GB/s of 2**30)"
    assert column("platform.network[1].npus") == "platform.network[1].npus"
    assert column("bandwidth") == "bandwidth"


def test_measures_of_a_run_begin_with_what_its_links_allow():
    network = (ae.Dimension.of("Switch", 8, 50, 500),)
    run = ae.simulate(ae.Workload.micro("all-reduce", 2**26), ae.Platform(network, ae.SystemConfig.of("direct")))
    found = measures(run)
    assert next(iter(found)) == "at_least_ns"
    assert found["at_least_ns"] == run.bound_ns > found["total_ns"] == run.total_ns
    alone = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    assert measures(alone)["at_least_ns"] == alone.total_ns


def test_measures_are_numbers_by_name():
    assert measures({"a": np.float64(2.5), "b": "x"}) == {"a": 2.5, "b": "x"}
    assert measures(Pair(1, 2)) == {"x": 1, "y": 2}
    assert measures(3) == measures(np.int64(3)) == {"value": 3}
    with pytest.raises(ae.ConfigError, match="the run gave None"):
        measures(None)
    with pytest.raises(ae.ConfigError, match="the run gave 1 as the name"):
        measures({1: 2})


def test_a_grid_without_an_end_is_refused_before_it_fills_the_memory():
    for grid, words in (
        ({"x": range(10**12)}, "x has more than 4,000,000 values"),
        ({"x": count()}, "x has more than 4,000,000 values"),
        ({f"x{k}": range(100) for k in range(6)}, "the grid has 1,000,000,000,000 points; 4,000,000 is the most"),
    ):
        with pytest.raises(ConfigError, match=words):
            points_of(grid)
