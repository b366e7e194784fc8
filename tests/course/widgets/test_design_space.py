"""The design space without a browser: what its view is given, what is selected, and a point's run."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("anywidget")

import astra_edu as ae


def ring(topology, npus, bandwidth, splits, latency):
    network = (ae.Dimension.of(topology, npus, bandwidth, latency),)
    algorithm = "ring" if topology == "Ring" else "halvingDoubling"
    platform = ae.Platform(network, ae.SystemConfig.of(algorithm, splits=splits))
    return ae.simulate(ae.Workload.micro("all-reduce", 2**22), platform)


GRID = {
    **{"topology": ["Ring", "Switch"], "npus": [4, 8, 16], "bandwidth": [0, 25, 50, 100, 200]},
    **{"splits": [1, 4], "latency": [500, 2000]},
}
TABLE = ae.sweep(ring, GRID)
ODD = pd.DataFrame(
    {
        "n": [1, 2, 3, 4],
        "policy (name)": ["FIFO", "LIFO", None, "FIFO"],
        "mixed": [1, "all", 2.5, True],
        "time_ns": [5.0, None, math.inf, 10**400],
        "cost": [3, 2, 1, np.nan],
        "note": ["a", "b", "c", "d"],
        "error": ["", "", "OSError: full", ""],
        "seconds": [0.1] * 4,
    },
    index=["a", "b", "c", "d"],
)
SETTINGS = ["n", "policy (name)", "mixed"]


def columns(space):
    """{name: (values, unit, whether a setting)} as the view gets them."""
    data = space.data
    numbers, found = array("d", data["numbers"]), {}
    for k, column in enumerate(data["columns"]):
        values = numbers[k * data["rows"] : (k + 1) * data["rows"]]
        words = column["words"]
        said = [words[int(value)] if words and value == value else value for value in values]
        found[column["name"]] = (said, column["unit"], column["setting"])
    return found


def test_the_view_gets_every_value_of_a_sweep():
    found = columns(ae.DesignSpace(TABLE))
    assert [*found] == [name for name in TABLE if name not in ("error", "seconds")]
    assert [name for name, (*_, setting) in found.items() if setting] == [*GRID]
    for name, (values, *_) in found.items():
        assert [value for value in values if value == value] == TABLE[name].dropna().tolist()
    assert (found["total_ns"][1], found["message_bytes"][1], found["npus"][1]) == ("ns", "bytes", "")


def test_missing_values_texts_and_what_is_neither():
    space = ae.DesignSpace(ODD, settings=SETTINGS, units={"cost": "$"})
    found = columns(space)
    assert [*found] == ["n", "policy (name)", "mixed", "time_ns", "cost"]
    assert found["policy (name)"][0][:2] == ["FIFO", "LIFO"]
    assert math.isnan(found["policy (name)"][0][2])
    assert found["mixed"][0] == ["1", "all", "2.5", "True"]
    assert space.data["columns"][2]["words"] == ["1", "True", "2.5", "all"]
    assert found["time_ns"][0][0] == 5
    assert math.isnan(found["time_ns"][0][1])
    assert found["time_ns"][0][2:] == [math.inf, math.inf]
    assert found["cost"][1] == "$"
    assert space.data["errors"] == [[2, "OSError: full"]]
    assert space.data["labels"] == ["a", "b", "c", "d"]


def test_what_is_selected_is_rows_of_the_table():
    space = ae.DesignSpace(ODD, settings=SETTINGS)
    assert len(space.selected) == 0
    space.selected = "b"
    assert space.rows == [1]
    assert space.selected["n"].tolist() == [2]
    space.selected = ODD[ODD["cost"] > 1]
    assert space.selected.index.tolist() == ["a", "b"]
    space.rows = [3]  # the view's
    assert space.selected.index.tolist() == ["d"]
    space.selected = None
    assert space.rows == []
    with pytest.raises(ae.ConfigError, match="the table has no row 'x'; its labels are 'a' to 'd'"):
        space.selected = ["a", "x"]


def test_the_frontier_is_in_words_and_in_rows():
    space = ae.DesignSpace(TABLE)
    ran = TABLE[TABLE["error"] == ""]
    cost, time = ran["network_cost"], ran["at_least_ns"]
    wanted = [
        label
        for label in ran.index
        if not ((cost <= cost[label]) & (time <= time[label]) & ((cost < cost[label]) | (time < time[label]))).any()
    ]
    assert sorted(space.frontier.index) == wanted
    lines = space.summary().splitlines()
    assert lines[0] == "120 points, 5 settings, 6 measures"
    said = f"frontier of network_cost, less is better and at_least_ns, less is better: {len(wanted)} points"
    assert lines[1] == said
    assert lines[-1] == "24 of 120 points failed: ConfigError: bandwidth is 0; it must be greater than 0."
    other = ae.DesignSpace(TABLE, x="npus", y="at_least_ns", better={"npus": "more"})
    best = ran.groupby("npus")["at_least_ns"].min()
    assert other.frontier["npus"].tolist() == [16, 8, 4]
    assert other.frontier["at_least_ns"].tolist() == [best[16], best[8], best[4]]


def test_a_point_is_run_again_with_what_was_given_and_its_timeline_is_shown():
    given = {"workload": ae.Workload.micro("all-reduce", 2**20), "platform": ae.preset("ring")}
    grid = {"platform.network[0].bandwidth": [25, 50], "platform.system.splits": [1, 4]}
    table = ae.sweep(ae.simulate, grid, given=given)
    space = ae.DesignSpace(table, run=ae.simulate, given=given)
    for label in table.index:
        run = space.open_timeline(label)
        assert run.total_ns == table["total_ns"][label]
        assert space.opened["row"] == label
        assert space.opened["data"]["total_ns"] == run.total_ns
    space.wanted = 1  # a click
    assert (space.opened["row"], space.wanted, space.rows) == (1, -1, [1])
    stored = ae.DesignSpace(table, runs={3: run})
    assert stored.open_timeline(3) is run
    assert [*stored.stored] == ["3"]
    with pytest.raises(ae.ConfigError, match="give run="):
        stored.open_timeline(0)


def test_what_goes_wrong_at_a_click_is_said_there():
    space = ae.DesignSpace(ODD, settings=["n"], run=lambda n: n)
    space.wanted = 1
    assert space.opened["problem"].startswith("Point b can't be opened: ConfigError: a timeline shows a run,")
    assert "data" not in space.opened


def test_a_saved_page_has_no_python(tmp_path):
    space = ae.DesignSpace(TABLE, run=ring)
    assert space.can
    assert space.state()["can"] is False
    text = space.save_html(tmp_path / "space.html").read_text(encoding="utf-8")
    assert "http" not in text.replace("http://www.w3.org/", "")


@pytest.mark.parametrize(
    ("table", "more", "words"),
    [
        (3, {}, "table is 3; give a pandas DataFrame"),
        (ODD.iloc[:0], {}, "the table has 0 rows"),
        (ODD, {}, r"which columns are settings\? .*settings=\['n', 'policy \(name\)'\]"),
        (ODD, {"settings": ["m"]}, "settings is 'm'; did you mean 'n'|Allowed: n"),
        (ODD[["n"]], {"settings": ["n"]}, "the table has no measure"),
        (TABLE, {"x": "cost"}, "x is 'cost'; .*network_cost"),
        (TABLE, {"view": "pie"}, "view is 'pie'; .*pareto, parallel, heat"),
        (TABLE, {"better": {"npus": "bigger"}}, "better is 'bigger'; .*less, more"),
        (TABLE, {"run": 3}, "run is 3"),
        (TABLE, {"runs": {0: 3}}, "a timeline shows a run"),
        (pd.concat([ODD, ODD]), {"settings": ["n"]}, "index has a label twice"),
        (pd.concat([ODD, ODD], axis=1), {"settings": ["n"]}, "table has a column's name twice"),
    ],
)
def test_what_can_t_be_looked_at_is_told_why(table, more, words):
    with pytest.raises(ae.ConfigError, match=words):
        ae.DesignSpace(table, **more)


def test_a_setting_may_be_called_as_its_sweep_calls_it():
    given = {"workload": ae.Workload.micro("all-reduce", 2**20), "platform": ae.preset("ring")}
    key = "platform.network[0].bandwidth"
    table = ae.sweep(ae.simulate, {key: [25, 50]}, given=given)
    space = ae.DesignSpace(table, x=key, better={key: "more"}, log={key: True})
    full = f"{key} (GB/s of 2**30)"
    assert (space.chosen["x"], space.chosen["better"], space.chosen["log"]) == (full, {full: "more"}, {full: True})
    assert ae.DesignSpace(table, x=full).chosen["x"] == full
    with pytest.raises(ae.ConfigError, match="bandwidth"):
        ae.DesignSpace(table, x="network[0].bandwidth")
