"""A network and the use of its links as a still SVG, for print, for pages without scripts and for stored notebooks."""

from __future__ import annotations

from bisect import bisect_right
from html import escape
from math import hypot
from zlib import crc32

from astra_edu.base.units import format_ns
from astra_edu.course.widgets.drawing import Payload
from astra_edu.course.widgets.palette import LEVELS, PALETTE
from astra_edu.course.widgets.picture import framed
from astra_edu.network.links import Use
from astra_edu.run.link_times import link_name, uses_of
from astra_edu.run.trace_result import TraceResult

INK, SOFT, PAPER, FAINT = (PALETTE[name][0] for name in ("ink", "soft", "paper", "faint"))
_TOKEN = PALETTE["reduce-pale"][0], PALETTE["reduce"][0]
_LISTED = 8
_LEFT, _TOP, _LIST = 12, 58, 300


def still(data: Payload, result: TraceResult, time: float) -> str:
    """The picture of a payload (see link_player.py) at `time` ns: shades and widths by the share of the time so far."""
    used = uses_of(result)
    states = {link[2]: _state([], time) for link in data["links"]}
    states |= {link_name(link): _state(uses, time) for link, uses in used.items()}
    order = sorted(states, key=lambda name: -states[name][0])
    busiest = [f"{name}: {100 * states[name][0]:.1f} %" for name in order[:_LISTED]]
    said = f"At {format_ns(time)} of {format_ns(result.total_ns)}. Busiest so far: {', '.join(busiest)}."
    (wide, tall), title = data["size"], data["title"]
    name = f"astra-net-{crc32(f'{title} {time} {said}'.encode()):08x}"
    height = _TOP + tall + 34
    lines = [_text(0, 14, "busiest links so far", 'font-weight="600"')]
    lines += [_text(0, 38 + 20 * k, line) for k, line in enumerate(busiest)]
    body = (
        _text(_LEFT + 4, 24, title, 'font-size="16" font-weight="600"')
        + _text(_LEFT + 4, 44, f"at {format_ns(time)} of {format_ns(result.total_ns)}", f'fill="{SOFT}"')
        + f'<g transform="translate({_LEFT} {_TOP})">{_links(data, states)}{_nodes(data)}'
        + f"{_tokens(data, states)}{_names(data)}</g>"
        + f'<g transform="translate({_LEFT + wide + 16:g} {_TOP})">{"".join(lines)}</g>'
        + _text(_LEFT + 4, height - 12, _legend(time, result), f'font-size="12" fill="{SOFT}"')
    )
    return framed(name, (_LEFT + wide + _LIST, height), (title, said), body)


State = tuple[float, int, list[float]]
"""Of a link: the share of the time so far in which it sent, how many messages wait for it, where on it some are."""


def _state(uses: list[Use], time: float) -> State:
    begun = uses[: bisect_right(uses, time, key=lambda use: use.start_ns)]
    busy = sum(min(use.free_ns, time) - use.start_ns for use in begun)
    waiting = sum(use.queued_ns <= time < use.start_ns for use in uses)
    under_way = [(time - use.start_ns) / (use.end_ns - use.start_ns) for use in begun if use.end_ns > time]
    return (busy / time if time else 0.0), waiting, under_way


def _links(data: Payload, states: dict[str, State]) -> str:
    parts = []
    for *_, name, x1, y1, cx, cy, x2, y2 in data["links"]:
        share, waiting, _ = states[name]
        colour, width = LEVELS[str(-int(-5 * share // 1))][0], 1.2 + 4.3 * share
        parts.append(
            f'<path d="M{x1} {y1}Q{cx} {cy} {x2} {y2}" fill="none" stroke="{colour}" stroke-width="{width:.1f}"/>'
        )
        if waiting and len(data["links"]) <= 100:
            parts.append(_text(*beside(x1, y1, x2, y2), f"+{waiting}", _STRONG))
    return "".join(parts)


def beside(x1: float, y1: float, x2: float, y2: float) -> tuple[float, float]:
    """Where the number of waiting messages stands: left of the link's beginning."""
    length = hypot(x2 - x1, y2 - y1)
    across, along = (y2 - y1) / length, (x2 - x1) / length
    away = 6 + 15 * abs(across) + 8 * abs(along)  # halves of a number's width and height, and the link's
    return x1 + 0.2 * (x2 - x1) + away * across, y1 + 0.2 * (y2 - y1) - away * along + 4


_STRONG = f'font-weight="700" text-anchor="middle" stroke="{PAPER}" stroke-width="3" paint-order="stroke"'


def _nodes(data: Payload) -> str:
    radius = data["radius"]
    size = max(7.0, min(12.0, 0.9 * radius))
    parts = []
    for name, x, y, switch, *_ in data["nodes"]:
        if switch:
            box = f'<rect x="{x - radius:.1f}" y="{y - radius:.1f}" width="{2 * radius:.1f}" height="{2 * radius:.1f}"'
            parts.append(f'{box} rx="3" fill="{FAINT}" stroke="{INK}" stroke-width="1.5"/>')
        else:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{FAINT}" stroke="{INK}" stroke-width="1.2"/>')
            if radius >= 7:
                parts.append(_text(x, y + 0.36 * size, name, f'text-anchor="middle" font-size="{size:g}"'))
    return "".join(parts)


def _names(data: Payload) -> str:
    """The switches' names, over everything else."""
    style = f'text-anchor="middle" font-size="11" {_HALO}'
    return "".join(_text(x, y + 4, name, style) for name, _, _, switch, x, y in data["nodes"] if switch)


_HALO = f'stroke="{PAPER}" stroke-width="3" paint-order="stroke"'


def _tokens(data: Payload, states: dict[str, State]) -> str:
    parts = []
    for *_, name, x1, y1, cx, cy, x2, y2 in data["links"]:
        for share in states[name][2]:
            a, b, c = (1 - share) ** 2, 2 * share * (1 - share), share**2
            x, y = a * x1 + b * cx + c * x2, a * y1 + b * cy + c * y2
            parts.append(
                f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{_TOKEN[0]}" stroke="{_TOKEN[1]}" '
                'stroke-width="1.5"/>'
            )
    return "".join(parts)


def _legend(time: float, result: TraceResult) -> str:
    said = "circle: NPU, square: switch; the wider and darker a link, the more of the time so far it sends"
    return said if time >= result.total_ns else f"{said}; small squares: messages, +3: three wait for the link"


def _text(x: float, y: float, text: str, style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'
