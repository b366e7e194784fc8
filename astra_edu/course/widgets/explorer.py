"""The explorer: choose a collective and a network, see it play, and see what it costs, while dragging."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets

from astra_edu.base.errors import ConfigError, list_of, shown
from astra_edu.base.units import KIB, MIB, format_bytes, parse_bytes
from astra_edu.collectives import ALGORITHMS, Collective, algorithms_for, schedule
from astra_edu.course.widgets.choice import Choice, summary
from astra_edu.course.widgets.player import Player
from astra_edu.course.widgets.view import framed
from astra_edu.network import Dimension
from astra_edu.network.topologies import TOPOLOGIES, find
from astra_edu.system import Implementation

SIZES = [(format_bytes(KIB << power), KIB << power) for power in range(23)]
BANDWIDTHS = [(f"{gb:g} GB/s", gb) for gb in (1, 2, 6.25, 12.5, 16, 25, 32, 50, 62, 100, 150, 200, 300, 450, 900)]
LATENCIES = [(f"{ns:g} ns", ns) for ns in (0, 1, 10, 50, 100, 200, 500, 700, 1000, 2000, 5000, 10_000)]
MOST_NPUS = 64
HEADLINE = "font-size:1.2em;line-height:1.6"


class Row:
    """The controls of one network dimension."""

    def __init__(self, index: int, dimension: Dimension, algorithm: str) -> None:
        """Show `dimension`, carrying out its phases by `algorithm`."""
        wide = {"style": {"description_width": "5.2em"}, "layout": ipywidgets.Layout(width="auto")}
        self.topology = ipywidgets.Dropdown(
            options=[*dict.fromkeys((*TOPOLOGIES, dimension.topology.value))],
            value=dimension.topology.value,
            description="topology",
            **wide,
        )
        self.algorithm = ipywidgets.Dropdown(options=[algorithm], value=algorithm, description="algorithm", **wide)
        self.npus = ipywidgets.IntSlider(dimension.npus, 2, max(MOST_NPUS, dimension.npus), description="NPUs", **wide)
        self.bandwidth = _stepped(BANDWIDTHS, dimension.bandwidth, "per link", "GB/s", wide)
        self.latency = _stepped(LATENCIES, dimension.latency, "latency", "ns", wide)
        self.controls = [self.topology, self.algorithm, self.npus, self.bandwidth, self.latency]
        title = ipywidgets.HTML(f"<b>dimension {index}</b>")
        self.box = ipywidgets.VBox([title, *self.controls], layout=ipywidgets.Layout(flex="1 1 15em"))

    def dimension(self) -> Dimension:
        """The dimension that the controls describe, with the fewest links its topology needs."""
        return Dimension.of(self.topology.value, self.npus.value, self.bandwidth.value, self.latency.value)

    def suit(self, collective: str) -> str:
        """Take the algorithm that suits the topology, if it can do this; what is to be said of that."""
        name, before = _suiting(self.topology.value), self.algorithm.value
        if name == before or name not in self.algorithm.options:
            return ""
        try:
            schedule(collective, name, self.npus.value)
        except ConfigError as error:
            return f"{name} suits the topology {self.topology.value}, but not here: {error}"
        self.algorithm.value = name
        return f"{name} suits the topology {self.topology.value}, so it is chosen now, instead of {before}."


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """Controls for a collective over 1 to 3 dimensions, the player that shows it, and what it costs.

    collective, size (bytes) and splits as in ASTRA-sim; network: (topology, NPUs, GB/s per link, latency in ns)
    of each dimension; algorithms: one for each dimension. Everything can be changed afterwards in the view.

    >>> explorer = ae.Explorer("all-gather", network=(("Switch", 4, 50, 500),), algorithms="direct")
    >>> explorer
    Explorer(<direct all-gather on 4 NPUs: 1 steps, 4 shards>)
    """

    def __init__(
        self,
        collective: str = "all-reduce",
        algorithms: tuple[str, ...] | str = "ring",
        network: tuple[tuple[str, int, float, float], ...] = (("Ring", 8, 50, 500),),
        size: int = MIB,
        splits: int = 4,
    ) -> None:
        """Start with one setting of everything."""
        right = 'give (topology, NPUs, GB/s per link, latency in ns) of each dimension, as in (("Ring", 8, 50, 500),)'
        network = list_of("network", network, right)
        for entry in network:
            if not isinstance(entry, (tuple, list)) or len(entry) not in (4, 5):
                raise ConfigError(f"network is {shown(network)}; {right}.")
        one_each = "give one name, or one for each dimension"
        names = (
            (algorithms,) * len(network) if isinstance(algorithms, str) else list_of("algorithms", algorithms, one_each)
        )
        if not 1 <= len(network) <= 3 or len(names) != len(network):
            raise ConfigError(
                f"{len(network)} dimensions and {len(names)} algorithms; give 1 to 3 dimensions and one algorithm each."
            )
        dimensions = tuple(Dimension.of(*entry) for entry in network)
        choice = Choice(collective, names, dimensions, parse_bytes(size), splits)
        self.player = Player(choice.schedule, choice.time, topology=[str(d.topology) for d in dimensions])
        self.rows = [Row(i, d, name) for i, (d, name) in enumerate(zip(dimensions, names, strict=True))]
        spare = Dimension.of("Switch", 2, 25, 500)
        self.rows += [Row(i, spare, _suiting("Switch")) for i in range(len(network), 3)]
        wide = {"style": {"description_width": "5.2em"}, "layout": ipywidgets.Layout(width="auto")}
        self.collective = ipywidgets.Dropdown(
            options=list(map(str, Collective)), value=str(choice.schedule.collective), description="collective", **wide
        )
        self.size = _stepped(SIZES, choice.size, "size", "B", wide)
        self.splits = ipywidgets.IntSlider(choice.splits, 1, max(64, splits), description="splits", **wide)
        self.dims = ipywidgets.ToggleButtons(
            options=[1, 2, 3], value=len(network), description="dimensions", style={"button_width": "3em"}
        )
        self.note, self.headline, self.details = ipywidgets.HTML(), ipywidgets.HTML(), ipywidgets.HTML()
        first = ipywidgets.VBox(
            [ipywidgets.HTML("<b>collective</b>"), self.collective, self.size, self.splits],
            layout=ipywidgets.Layout(flex="1 1 15em"),
        )
        self.settings = ipywidgets.HBox([first], layout=ipywidgets.Layout(flex_flow="row wrap"))
        self.picture = ipywidgets.VBox([self.player])  # it can be greyed; an anywidget takes no classes
        super().__init__([self.dims, self.settings, self.note, self.headline, self.picture, self.details])
        self._refreshing = False
        self._refresh()
        controls = [self.collective, self.size, self.splits, self.dims]
        for control in controls + [c for row in self.rows for c in row.controls]:
            control.observe(self._refresh, "value")

    @property
    def choice(self) -> Choice:
        """What the controls say now. Raises ConfigError where they say nothing possible."""
        rows = self.rows[: self.dims.value]
        return Choice(
            self.collective.value,
            tuple(row.algorithm.value for row in rows),
            tuple(row.dimension() for row in rows),
            self.size.value,
            self.splits.value,
        )

    def summary(self) -> str:
        """What stands around the player, as plain text."""
        return summary(self.choice)

    def __repr__(self) -> str:
        return f"Explorer({self.player.schedule!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        text = f"{self!r}: run this cell (Shift+Enter) to use it"
        return data | {"text/plain": text} | framed(self.player.svg(), text)

    def _refresh(self, change: Any = None) -> None:
        """Bring menus, player and text in line with the controls; say so where these are impossible."""
        if self._refreshing:  # a menu that lost its value
            return
        self._refreshing = True
        try:
            said = [row.suit(self.collective.value) for row in self.rows if change and change.owner is row.topology]
            self.note.value = "".join(
                f'<div aria-live="polite">{escape(sentence)}</div>' for sentence in said if sentence
            )
            self._show()
        finally:
            self._refreshing = False

    def _show(self) -> None:
        shown = self.rows[: self.dims.value]
        for row in shown:
            names, name = _algorithms(self.collective.value, row, len(shown) > 1)
            if row.algorithm.options != names:
                row.algorithm.options, row.algorithm.value = names, name
        boxes = (self.settings.children[0], *(row.box for row in shown))
        if boxes != self.settings.children:
            self.settings.children = boxes
        try:
            choice = self.choice
            text = summary(choice)
            topology = [str(d.topology) for d in choice.network]
            self.player.show(choice.schedule, choice.time, topology=topology)
        except ConfigError as error:
            self.headline.value = f'<div role="alert" style="{HEADLINE}">✗ {escape(str(error))}</div>'
            self.details.value = ""
            self.picture.add_class("astra-stale")
            return
        self.picture.remove_class("astra-stale")
        first, *rest = text.split("\n")
        self.headline.value = f'<div aria-live="polite" style="{HEADLINE}"><b>{escape(first)}</b></div>'
        self.details.value = f'<div style="line-height:1.5">{"<br>".join(map(escape, rest))}</div>'


def _suiting(topology: str) -> str:
    """The name of the algorithm that suits a topology."""
    return Implementation.parse(find(topology).suits).algorithm


def _algorithms(collective: str, row: Row, several: bool) -> tuple[tuple[str, ...], str]:
    """The algorithms that a row may offer, and the one that it keeps or falls back to."""
    names = algorithms_for(collective)
    if several:
        halves = [n for n, known in ALGORITHMS.items() if Collective.REDUCE_SCATTER in known]
        names = [name for name in names if name in halves and name != "single-master"]
    value = row.algorithm.value if row.algorithm.value in names else names[0]
    return tuple(names), value


def _stepped(options: list[tuple[str, Any]], value: float, name: str, unit: str, look: dict[str, Any]) -> Any:
    """A slider over fixed values, with `value` added to them if it is none of them."""
    if value not in [v for _, v in options]:
        label = format_bytes(value) if unit == "B" else f"{value:g} {unit}"
        options = sorted([*options, (label, value)], key=lambda option: option[1])
    return ipywidgets.SelectionSlider(options=options, value=value, description=name, **look)
