"""Which points a sweep has, what tells them apart, and settings inside of what is given."""

import numpy as np
import pandas as pd
import pytest

import astra_edu as ae
from astra_edu.explore.given import arguments, column, parts_of
from astra_edu.explore.measures import measures
from astra_edu.explore.points import key_of, points_of


def test_a_grid_has_every_combination_and_the_last_name_changes_fastest():
    assert points_of({"a": [1, 2], "b": (3, 4)}) == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 2, "b": 3},
        {"a": 2, "b": 4},
    ]


def test_points_are_taken_as_they_are():
    points = [{"a": 1, "b": 3}, {"a": 5, "b": 4}]
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
        ("platform.network[7].bandwidth", r"there is no \[7\].*has 2 places"),
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
    assert measures(3) == measures(np.int64(3)) == {"value": 3}
    with pytest.raises(ae.ConfigError, match="the run gave None"):
        measures(None)
    with pytest.raises(ae.ConfigError, match="the run gave 1 as the name"):
        measures({1: 2})
