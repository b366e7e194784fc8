"""The link player: watch messages queue for the links of a network, in a notebook or in a page of its own."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, not_negative
from astra_edu.base.units import format_ns
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.drawing import Payload
from astra_edu.course.widgets.network_layout import HEIGHT, WIDTH, Point, curve, layout, radius_of
from astra_edu.course.widgets.network_names import name_boxes
from astra_edu.course.widgets.network_picture import still
from astra_edu.course.widgets.own_layout import has_own
from astra_edu.course.widgets.view import View
from astra_edu.network.as_graph import links_of
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import named
from astra_edu.network.shortest import LinkName, Node
from astra_edu.run.link_times import bottleneck, link_name, link_times, uses_of
from astra_edu.run.trace_result import TraceResult

MOST = {"nodes": 200, "links": 700, "messages": 100_000}
"""What can be drawn and moved."""
_PERIODS = 300


class LinkPlayer(View):
    """An animation of the messages on the links of a recorded run.

    result: of simulate(..., record=True) on the congestion-aware network. places: where its nodes stand, by their
    names, such as {0: (0, 0), "spine": (1, 2)}, y upwards; by default a layout of our own. time: what is on show, in
    ns. The view and Python share it. Raises ConfigError for a run without a record, and for one too large to draw.

    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), ae.TraceSystem.of("ring"), congestion_aware=True)
    >>> result = ae.simulate(ae.traces.collective("all_reduce", "1 MiB", npus=4), ring, record=True)
    >>> player = ae.LinkPlayer(result, time=2000)
    >>> player.save_html("links.html").name
    'links.html'
    """

    _use = "step through the messages"
    _shared = ("data", "time")
    _esm = script("link_player")
    _css = style("link_player")
    data = traitlets.Dict().tag(sync=True)
    time = traitlets.Any(0).tag(sync=True)

    def __init__(self, result: TraceResult, places: Mapping[Node, Point] | None = None, time: float = 0) -> None:
        """Draw the run's network."""
        self._result = result
        super().__init__(data=payload(result, places))
        self.time = time

    @property
    def result(self) -> TraceResult:
        """The run on show."""
        return self._result

    def summary(self) -> str:
        """What the view shows over the whole run, as text: the bottleneck, and the ten busiest links."""
        lines = [
            f"{link_name(time.link)}: busy {100 * time.share:.1f} %, {time.messages:,} messages, longest wait "
            f"{format_ns(time.longest_wait_ns)}"
            for time in link_times(self._result)[:10]
        ]
        return "\n".join([bottleneck(self._result), *lines])

    def svg(self, time: float | None = None) -> str:
        """A still picture at `time` ns (by default the end) as SVG text."""
        at = self._result.total_ns if time is None else not_negative("time", time)
        return still(self.data, self._result, min(at, self._result.total_ns))

    def still(self) -> str:
        """The picture of the end."""
        return self.svg()

    def __repr__(self) -> str:
        return f"LinkPlayer({self._result!r})"

    def _name(self) -> str:
        return "LinkPlayer"

    @traitlets.validate("time")
    def _valid_time(self, proposal: dict[str, Any]) -> float:
        return min(not_negative("time", proposal["value"]), self._result.total_ns)


def payload(result: TraceResult, places: Mapping[Node, Point] | None) -> Payload:
    """What the view draws.

    nodes: [name, x, y, whether it is a switch, the middle of its name]. links: [tail, head (numbers of nodes), name,
    start, control point and end of its curve]. uses: columns of float64, one after the other: link, bytes, queued,
    start, free, end; lost: link, time. busy: the share of all links that send in each of many periods.
    """
    by_link = uses_of(result)
    links = list(links_of(result.platform.network))
    nodes = _nodes(result, links)
    for what, count in (("nodes", len(nodes)), ("links", len(links)), ("messages", len(result.uses))):
        if count > MOST[what]:
            raise ConfigError(
                f"this run has {count:,} {'messages on links' if what == 'messages' else what}, too many to watch; "
                f"{MOST[what]:,} are the most. astra_edu.course.plots.network.link_use draws any run."
            )
    where = layout(nodes, links, result.platform.dims, places or _own_places(result), _levels(result, nodes))
    radius = radius_of(where)
    curves = {link: curve(link, where, radius) for link in links}
    names = name_boxes(where, curves.values(), radius)
    number = {node: k for k, node in enumerate(nodes)}
    which = {link: k for k, link in enumerate(links)}
    uses = sorted((which[use.link], *use[1:]) for used in by_link.values() for use in used)
    uses.sort(key=lambda use: use[3])
    return {
        "title": f"{result.trace.nodes[0][0].name if result.trace.nodes[0] else 'trace'} on {_words(result)}",
        "size": [WIDTH, HEIGHT],
        "radius": round(radius, 2),
        "total_ns": result.total_ns,
        "nodes": [
            [str(node), *_rounded(where[node]), isinstance(node, str), *_rounded(names.get(node, where[node])[:2])]
            for node in nodes
        ],
        "links": [
            [
                number[link[0]],
                number[link[1]],
                link_name(link),
                *(x for p in curves[link] for x in _rounded(p)),
            ]
            for link in links
        ],
        "uses": b"".join(array("d", column) for column in zip(*uses, strict=True)),
        "lost": [[which[packet.link], packet.time_ns] for packet in result.lost],
        "busy": _busy(result, len(links)),
        "bottleneck": bottleneck(result),
    }


def _nodes(result: TraceResult, links: list[LinkName]) -> list[Node]:
    if isinstance(result.platform.network, GraphNetwork):
        return result.platform.network.nodes
    switches = dict.fromkeys(end for link in links for end in link if isinstance(end, str))
    return [*range(result.platform.npus), *switches]


def _own_places(result: TraceResult) -> Mapping[Node, Point] | None:
    """Where the nodes of one block stand whose topology has a layout of its own, y upwards."""
    blocks = result.platform.blocks
    if len(blocks) != 1 or not has_own(blocks[0].topology):
        return None
    places = blocks[0].topology.layout(blocks[0].npus)
    return {named(node, 0, 0, 1, blocks[0]): (1.6 * x, -y) for node, (x, y) in places.items()}


def _levels(result: TraceResult, nodes: list[Node]) -> dict[Node, int] | None:
    """The layer of each switch among blocks: its dimension's."""
    if isinstance(result.platform.network, GraphNetwork):
        return None
    return {node: int(node.split()[-1].split(".")[0]) + 1 for node in nodes if isinstance(node, str)}


def _words(result: TraceResult) -> str:
    """The network in words."""
    network = result.platform.network
    if isinstance(network, GraphNetwork):
        switches = len(network.nodes) - network.npus
        return f"a graph of {network.npus} NPUs and {switches} switch{'' if switches == 1 else 'es'}"
    return " × ".join(f"{block.topology} of {block.npus}" for block in network)


def _busy(result: TraceResult, links: int) -> list[float]:
    """The share of all links that send, for each of many equal periods."""
    period = result.total_ns / _PERIODS
    steps = [0.0] * (_PERIODS + 2)
    for use in result.uses:  # how the sum of busy time grows: its slope changes where a message starts and ends
        for time, sign in ((use.start_ns, 1), (use.free_ns, -1)):
            k, rest = divmod(time / period, 1)
            steps[int(k)] += sign * (1 - rest)
            steps[int(k) + 1] += sign * rest
    return [round(max(0.0, min(1.0, share / links)), 4) for share in accumulate(steps[:_PERIODS])]


def _rounded(point: Point) -> tuple[float, float]:
    return round(point[0], 1), round(point[1], 1)
