"""Links on the stage: two runs side by side on one clock; links are as wide as they are busy and heat as bytes wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from astra_edu.base.units import format_bytes
from astra_edu.course.instruments.links_job import DIMS, Flow
from astra_edu.course.instruments.scene import Frame, Link, Stage
from astra_edu.course.widgets.network_layout import HEIGHT, WIDTH, Point, curve, layout, radius_of
from astra_edu.network.shortest import LinkName, Node
from astra_edu.run.link_times import link_name

STEPS, SCALE, GAP, TOP = 48, 0.42, 16.0, 24.0
HIGH, BENDS = SCALE * HEIGHT, 20.0
"""How high a network is, and the room round a torus for the links that lead back."""
IDLE, SENDS, WAIT, MANY = "link is idle", "link has sent", "bytes wait for it", "many bytes wait for it"
THIN, WIDEST = 0.8, 3.4


@dataclass(frozen=True)
class Heat:
    """What is on the links of a run at every moment of the stage. step_ns: from one to the next."""

    flow: Flow
    links: tuple[LinkName, ...]
    step_ns: float

    @cached_property
    def busy(self) -> dict[LinkName, list[float]]:
        """The share of the time since the moment before in which a link has sent."""
        found = {link: [0.0] * (STEPS + 1) for link in self.links}
        for use in self.flow.result.uses:
            for step in range(int(use.start_ns / self.step_ns), min(STEPS - 1, int(use.free_ns / self.step_ns)) + 1):
                begin, end = step * self.step_ns, (step + 1) * self.step_ns
                sent = max(0.0, min(end, use.free_ns) - max(begin, use.start_ns))
                found[use.link][step + 1] += sent / self.step_ns
        return found

    @cached_property
    def waiting(self) -> dict[LinkName, list[int]]:
        """The bytes in front of a link at each moment."""
        found = {link: [0] * (STEPS + 1) for link in self.links}
        for use in self.flow.result.uses:
            for step in range(
                ceil(use.queued_ns / self.step_ns), min(STEPS, ceil(use.start_ns / self.step_ns) - 1) + 1
            ):
                found[use.link][step] += use.size
        return found

    def all_waiting(self, step: int) -> int:
        """The bytes in front of all links."""
        return sum(waits[step] for waits in self.waiting.values())

    def longest(self, step: int) -> LinkName | None:
        """The link with most bytes in front of it; none where nothing waits."""
        link = max(self.links, key=lambda link: self.waiting[link][step])
        return link if self.waiting[link][step] else None

    def lost(self, step: int) -> int:
        """How many packets have been lost by then."""
        return sum(packet.time_ns <= step * self.step_ns for packet in self.flow.result.lost)


def heats(flows: Sequence[Flow], links: Sequence[LinkName]) -> tuple[Heat, ...]:
    """Both runs on one clock, which ends with the longer one."""
    step_ns = max(flow.result.total_ns for flow in flows) / STEPS
    return tuple(Heat(flow, tuple(links), step_ns) for flow in flows)


def name_of(number: int, link: LinkName) -> str:
    """Of a link on the stage. number: of the run, 0 or 1."""
    return f"{'left' if number == 0 else 'right'}: {link_name(link)}"


def links_stage(title: str, network: str, hot: Sequence[Heat]) -> Stage:
    """Both networks, their links at every moment, and what is said of them."""
    times = tuple(round(step * hot[0].step_ns / 1e3, 3) for step in range(STEPS + 1))
    most = max(max(waits) for heat in hot for waits in heat.waiting.values())
    frames: list[Frame] = []
    lines: list[Link] = []
    for number, heat in enumerate(hot):
        left = number * (SCALE * WIDTH + GAP)
        places = _places(heat, network, left)
        frames += _frames(number, heat, places, left)
        lines += _lines(number, heat, places, most)
    steps = tuple(_said(hot, step, times[step]) for step in range(STEPS + 1))
    size = (2 * SCALE * WIDTH + GAP, TOP + HIGH + 12)
    return Stage(title, size, steps, tuple(frames), (), still=STEPS // 3, clock=True, links=tuple(lines), times=times)


def _places(heat: Heat, network: str, left: float) -> dict[Node, Point]:
    nodes: list[Node] = list(dict.fromkeys(end for link in heat.links for end in link))
    nodes.sort(key=lambda node: (isinstance(node, str), node))
    torus = network == "torus"
    where = layout(nodes, heat.links, DIMS[network] if torus else (len(nodes),))
    pad = BENDS if torus else 0.0
    across, down = SCALE - 2 * pad / WIDTH, SCALE - 2 * pad / HEIGHT
    return {node: (left + pad + across * x, TOP + pad + down * y) for node, (x, y) in where.items()}


def _frames(number: int, heat: Heat, places: dict[Node, Point], left: float) -> Iterator[Frame]:
    side = "left" if number == 0 else "right"
    half = min(8.0, radius_of(places))
    yield Frame(f"{side}, name", (left, 10, 0, 0), f"{heat.flow.algorithm}:")
    counts = tuple(_counter(heat, step) for step in range(STEPS + 1))
    yield Frame(f"{side}, counter", (left + 84, 0, 200, 13), "", counts)
    for node, (x, y) in places.items():
        box = (round(x - half, 1), round(y - half, 1), 2 * half, 2 * half)
        named = f"NPU {node}" if isinstance(node, int) else node
        short = str(node) if isinstance(node, int) else f"{node[0].upper()}{node.split()[1].removesuffix('0.0')}"
        yield Frame(f"{side}, {named}", box, "", (short,) * (STEPS + 1))


def _counter(heat: Heat, step: int) -> str:
    lost = heat.lost(step)
    return f"{format_bytes(heat.all_waiting(step))} wait" + (f", {lost:,} packets lost so far" if lost else "")


def _lines(number: int, heat: Heat, places: dict[Node, Point], most: int) -> Iterator[Link]:
    radius = min(8.0, radius_of(places))
    longest = [heat.longest(step) for step in range(STEPS + 1)]
    for link in heat.links:
        busy, waits = heat.busy[link], heat.waiting[link]
        looks = tuple(_look(share, wait, most) for share, wait in zip(busy, waits, strict=True))
        wide = tuple(round(THIN + WIDEST * min(1.0, share), 2) for share in busy)
        told = [longest[step] == link and looks[step] == MANY for step in range(STEPS + 1)]
        says = tuple(format_bytes(wait) if told[step] else "" for step, wait in enumerate(waits))
        points = tuple((round(x, 1), round(y, 1)) for x, y in _way(link, places, radius))
        yield Link(name_of(number, link), points, looks, wide, says, link_name(link), arrow=True)


def _look(share: float, wait: int, most: int) -> str:
    if not wait:
        return SENDS if share > 0 else IDLE
    return MANY if wait >= most / 2 else WAIT


def _way(link: LinkName, places: dict[Node, Point], radius: float) -> tuple[Point, ...]:
    """A link's line: straight, or through points of its curve."""
    (x, y), (u, v), (z, w) = curve(link, places, radius)
    if abs(2 * u - x - z) + abs(2 * v - y - w) < 1e-6:
        return (x, y), (z, w)
    parts = [k / 6 for k in range(7)]
    return tuple(
        (
            (1 - t) ** 2 * x + 2 * t * (1 - t) * u + t * t * z,
            (1 - t) ** 2 * y + 2 * t * (1 - t) * v + t * t * w,
        )
        for t in parts
    )


def _said(hot: Sequence[Heat], step: int, time_us: float) -> str:
    """How many links send, and where most waits."""
    found = []
    for heat in hot:
        sending = sum(shares[step] > 0 for shares in heat.busy.values())
        longest = heat.longest(step)
        queue = f"longest queue: {link_name(longest)}" if longest else "nothing waits"
        done = "done" if step * heat.step_ns >= heat.flow.result.total_ns else f"{sending} links sent, {queue}"
        found.append(f"{heat.flow.algorithm.capitalize()}: {done}.")
    return " ".join([f"{time_us:,.1f} µs.", *found])
