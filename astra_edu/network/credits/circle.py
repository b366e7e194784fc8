"""Why packets stand still: which virtual channels wait for each other in a circle."""

from __future__ import annotations

from astra_edu.network.credits.parts import Channel, Link, Router
from astra_edu.network.credits.wiring import Wiring


def circle_in_words(wiring: Wiring) -> str:
    """The circle of channels that wait for each other; "" where there is none.

    A channel waits for the next one on its first packet's way: for room in it where the packet has it, else for one of
    those that it would take, all of which other packets have.
    """
    waits = _waits(wiring)
    seen: set[Channel] = set()
    for first in waits:
        way: list[Channel] = []
        here: Channel | None = first
        while here is not None and here not in seen:
            seen.add(here)
            way.append(here)
            here = waits.get(here)
        if here in way:
            return _said(way[way.index(here) :])
    return ""


def _waits(wiring: Wiring) -> dict[Channel, Channel]:
    found: dict[Channel, Channel] = {}
    for router in wiring.routers.values():
        for link in router.inputs:
            for channel in link.channels:
                if channel.count and (waits := _waits_for(wiring, router, channel)) is not None:
                    found[channel] = waits
    return found


def _waits_for(wiring: Wiring, router: Router, channel: Channel) -> Channel | None:
    if channel.out is not None:
        return None if channel.out.credits else channel.out
    wanted = wiring.wanted(router, channel.packets[0])
    return next((one for one in wanted if one.owner is not None or not one.credits), None)


def _said(circle: list[Channel]) -> str:
    def name(link: Link) -> str:
        return f"{link.name[0]} -> {link.name[1]}" if link.name else "an NPU's own port"

    steps = [f"{name(channel.link)} (virtual channel {channel.number})" for channel in circle]
    shown = ", ".join(
        f"{here} waits for {there}" for here, there in zip(steps[:4], [*steps[1:], steps[0]][:4], strict=True)
    )
    more = f", and so on round {len(steps)} buffers" if len(steps) > 4 else ""
    return (
        f"packets wait for each other's buffers in a circle (deadlock): {shown}{more}. With dateline=True virtual "
        "channels are shared out so that there is no circle"
    )
