"""The number that leads, as the browser shows it in a timeline and in a player."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.course.widgets import handout

pytestmark = pytest.mark.browser

GIB = 2**30
MODEL = "the messages share links; ASTRA-sim's contention-free model says"


def run(algorithm):
    network = ae.Dimension.of("Switch", 16, 50, 500)
    platform = ae.Platform((network,), ae.SystemConfig.of(algorithm, splits=1))
    return ae.simulate(ae.Workload.micro("all-reduce", GIB), platform)


def test_a_timeline_is_headed_by_the_bound(open_page):
    for algorithm, title in (("direct", "at least 37,500.001 µs in all"), ("ring", "37,536.341 µs in all")):
        page = open_page(ae.Timeline(run(algorithm)).page())
        assert page.locator(".astra-title").inner_text() == title
        assert (f"{MODEL} 2,502.433 µs; compute 0 ns" in page.locator("body").inner_text()) == (algorithm == "direct")


def test_a_player_is_headed_by_the_bound(open_page):
    network = ae.Dimension.of("Switch", 16, 50, 500)
    for algorithm, title in (
        ("direct", f"direct all-reduce on 16 NPUs, at least 37,500.000 µs: {MODEL} 2,502.432 µs"),
        ("ring", "ring all-reduce on 16 NPUs"),
    ):
        schedule = ae.schedule("all-reduce", algorithm, 16)
        player = ae.Player(schedule, ae.time_schedule(schedule, network, GIB), topology="Switch")
        page = open_page(handout.page([player], "Test"))
        assert page.locator(".astra-title").inner_text() == title
