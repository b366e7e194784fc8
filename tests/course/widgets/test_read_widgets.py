"""What a person reads: the explorer's headline against its run, and colours that are what they are called."""

from __future__ import annotations

import pytest

pytest.importorskip("anywidget")

import astra_edu as ae
from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.widgets.palette import LEVELS, PALETTE, properties


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
    for name in ("partial", "kept"):
        assert contrast(colours[name], colours["ink"]) >= 4.5
    for orange, blue in (("reduce", "copy"), ("reduce-pale", "copy-pale"), ("partial", "kept")):
        assert int(colours[orange][1:3], 16) > int(colours[orange][5:], 16)  # more red than blue
        assert int(colours[blue][1:3], 16) < int(colours[blue][5:], 16)
    assert contrast(colours["final"], "#ffffff") >= 4.5
    assert contrast(colours["reduce-pale"], "#1b1b1b") >= 7
    assert f"--astra-ink: light-dark({PALETTE['ink'][0]}, {PALETTE['ink'][1]})" in properties()
    assert len(LEVELS) == 6
