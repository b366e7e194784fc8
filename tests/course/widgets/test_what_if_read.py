"""What a person reads in what-if and explorer: every number below its heading, against the runs."""

from __future__ import annotations

import re
from html import unescape

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.widgets.palette import LEVELS, PALETTE, properties
from astra_edu.course.widgets.what_if import WhatIf
from astra_edu.course.widgets.what_if_words import tables


def read(html):
    """{caption: rows as {heading: cell}} of all tables in a text."""
    found = {}
    for caption, head, body in re.findall(r"<caption>(.*?)</caption><thead>(.*?)</thead><tbody>(.*?)</tbody>", html):
        names = re.findall(r"<th[^>]*>(.*?)</th>", head)
        rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
        found[unescape(caption)] = [dict(zip(names, map(unescape, row), strict=True)) for row in rows]
    return found


@pytest.fixture(scope="module")
def view():
    view = WhatIf("dgx2", "all-reduce")
    view.platform.rows[1].bandwidth.value = 12.5
    view.platform.rows[0].latency.value = 200
    return view


def test_the_run_stands_below_now_and_the_baseline_below_baseline(view):
    now, before = view.result, view.baseline.result
    rows = {row[""]: row for row in read(tables(now, before))["The run"]}
    assert list(rows) == ["total time", "compute", "exposed", "sent by an NPU", "network cost"]
    for name, quantity in [("total time", "total_ns"), ("compute", "compute_ns"), ("exposed", "exposed_ns")]:
        values = getattr(now, quantity), getattr(before, quantity)
        assert (rows[name]["now"], rows[name]["baseline"]) == tuple(map(format_ns, values))
    assert rows["sent by an NPU"]["now"] == format_bytes(now.message_bytes)
    assert rows["network cost"]["baseline"] == f"${before.network_cost:,.0f}"
    percent = 100 * (now.total_ns / before.total_ns - 1)
    assert rows["total time"]["change"] == f"{percent:+.1f} %".replace("-", "−")
    assert percent < 0


def test_every_dimension_has_its_own_numbers(view):
    now, before = view.result, view.baseline.result
    for d, row in enumerate(read(tables(now, before))["Its dimensions"]):
        own, then = now.dimensions.to_dict("records")[d], before.dimensions.to_dict("records")[d]
        network = now.platform.network[d]
        assert row == {
            "dimension": f"{d}: {network.topology} of {network.npus}",
            "GB/s an NPU": f"{network.links * network.bandwidth:g}",
            "sent": format_bytes(own["bytes"]),
            "busy": f"{100 * own['busy']:.1f} %",
            "bandwidth used": f"{100 * own['utilisation']:.1f} %",
            "in the baseline": f"{100 * then['utilisation']:.1f} %",
        }
        assert row["busy"] != row["bandwidth used"] or d == 0


def test_faster_is_said_of_less_time(view):
    now, before = view.result.total_ns, view.baseline.result.total_ns
    said = f"{format_ns(now)} in all, {before / now:.2f} times as fast as the baseline ({format_ns(before)})"
    assert said in unescape(view.head.html)
    assert "dimension 1, per link: 6.25 GB/s → 12.5 GB/s" in unescape(view.head.html)


def test_the_explorers_headline_is_the_choices():
    explorer = ae.Explorer(network=(("Ring", 8, 50, 500),), splits=2, size=2**20)
    platform = ae.Platform((ae.Dimension.of("Ring", 8, 50, 500),), ae.SystemConfig.of("ring", splits=2))
    total = ae.simulate(ae.Workload.micro("all-reduce", 2**20), platform).total_ns
    cost = ae.counts(ae.schedule("all-reduce", "ring", 8), 2**20)
    headline = explorer.data["scene"]["headline"]
    assert f"{format_ns(total)}: {format_bytes(cost.sent)} sent by the busiest NPU, 2 chunks of 14 steps" in headline
    details = explorer.data["scene"]["sentences"]
    assert f"sent by all NPUs: {format_bytes(cost.total)}; NPUs that send to one NPU at once: {cost.fan_in}" in details
    assert explorer.player.data["title"] == "ring all-reduce on 8 NPUs"


def bright(colour):
    """0 for black to 1 for white, as the eye has it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    low, high = sorted((bright(a), bright(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_are_what_they_are_called_and_can_be_read(scheme):
    colours = {name: pair[scheme] for name, pair in PALETTE.items()}
    assert (bright(colours["paper"]) > 0.5) == (scheme == 0)
    for name, least in (("ink", 7), ("soft", 4.5)):
        assert contrast(colours[name], colours["paper"]) >= least
    for name in ("reduce", "copy"):
        assert contrast(colours[name], colours["paper"]) >= 3
    for orange, blue in (("reduce", "copy"), ("reduce-pale", "copy-pale"), ("partial", "kept")):
        assert int(colours[orange][1:3], 16) > int(colours[orange][5:], 16)  # more red than blue
        assert int(colours[blue][1:3], 16) < int(colours[blue][5:], 16)
    assert contrast(colours["final"], "#ffffff") >= 4.5
    assert contrast(colours["reduce-pale"], "#1b1b1b") >= 7
    assert f"--astra-ink: light-dark({PALETTE['ink'][0]}, {PALETTE['ink'][1]})" in properties()
    assert len(LEVELS) == 6
