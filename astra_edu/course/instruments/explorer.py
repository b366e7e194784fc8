"""The explorer: choose a collective and a network, see it play, and see what it costs, while dragging."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, flag, list_of, shown
from astra_edu.base.units import MIB, parse_bytes
from astra_edu.collectives import hierarchical
from astra_edu.course.instruments import explorer_settings as of
from astra_edu.course.instruments import explorer_words as words
from astra_edu.course.instruments.grid import holds_all
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Values, checked
from astra_edu.course.widgets import picture
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.choice import Choice, summary
from astra_edu.course.widgets.drawing import Payload, drawing
from astra_edu.course.widgets.player import MOST_FRAMES, Player
from astra_edu.network import Dimension
from astra_edu.network.topologies import find

PLAYED = ("step", "time", "playing", "speed", "clock")
"""What the view and `player` share."""


class Explorer(Instrument):
    """Controls for a collective over 1 to 3 dimensions, the player that shows it, and what it costs.

    collective, size (bytes) and splits as in ASTRA-sim; network: (topology, NPUs, GB/s per link, latency in ns)
    of each dimension; algorithms: one for each dimension. Everything can be changed afterwards in the view, or with
    `set`. ask: whether a question is open before anything is shown. controls: the settings that can be moved, by
    default all. An algorithm that can't be moved stays, whatever the topology.

    >>> explorer = ae.Explorer("all-gather", network=(("Switch", 4, 50, 500),), algorithms="direct")
    >>> explorer
    Explorer(<direct all-gather on 4 NPUs: 1 steps, 4 shards>)
    >>> explorer.set(npus_0=8, collective="all-reduce")
    >>> explorer
    Explorer(<direct all-reduce on 8 NPUs: 2 steps, 8 shards>)
    """

    _use = "use it"
    _shared = (*Instrument._shared, "played")
    _esm = script("player_instrument")
    _css = style("player", "instrument", "player_instrument")
    played = traitlets.Dict().tag(sync=True, echo_update=False)

    def __init__(
        self,
        collective: str = "all-reduce",
        algorithms: tuple[str, ...] | str = "ring",
        network: tuple[tuple[str, int, float, float], ...] = (("Ring", 8, 50, 500),),
        size: int = MIB,
        splits: int = 4,
        *,
        ask: bool = True,
        controls: Sequence[str] = (),
    ) -> None:
        """Start with one setting of everything."""
        choice = _given(collective, algorithms, network, size, splits)
        _ = choice.schedule
        settings = of.settings(of.start(choice))
        values = checked(settings, of.start(choice), {})
        self.__dict__.update(settings=settings, start=values)  # its own, in place of the class's
        self._known: tuple[Values, Choice] = values, choice
        self._player: Player | None = None
        super().__init__(controls=controls)
        if not flag("ask", ask):
            self.dismiss()
        self.observe(self._follow, "played")

    @property
    def choice(self) -> Choice:
        """What the controls say now. Raises ConfigError where they say nothing possible."""
        of.check(self.values)
        return self._choice(self.values)

    @property
    def player(self) -> Player:
        """The player of the setting on show: its step, time, playing, speed and clock are the view's."""
        choice = self._choice(self._values_on_show())
        topology = [str(d.topology) for d in choice.network]
        if self._player is None:
            self._player = Player(choice.schedule, choice.time, topology=topology)
            self._follow()
            self._player.observe(self._lead, PLAYED)
        elif self._player.schedule is not choice.schedule:
            self._player.show(choice.schedule, choice.time, topology=topology)
        return self._player

    def settle(self, values: Values, before: Values) -> tuple[Values, str]:
        """See Instrument."""
        return of.settle(values, before, fixed=[s.name for s in self._movable if s.fixed])

    def stored_values(self, wanted: Values, shown: Values) -> tuple[Values, str]:
        """See Instrument. Where a page holds all there is, an algorithm is what its menu says."""
        if holds_all(self._movable, shown) and not self._impossible(wanted):
            return wanted, ""
        return self.settle(wanted, shown)

    def check(self, values: Values) -> None:
        """See Instrument."""
        of.check(values)

    def scene(self, values: Values, timed: bool = True) -> Scene:
        """See Instrument."""
        of.check(values)
        choice = self._choice(values)
        headline, rest = words.sentences(choice)
        return Scene(
            title=words.heading(choice),
            headline=headline,
            sentences=tuple(rest),
            numbers=words.numbers(choice),
            bars=words.bars(choice),
            code=words.code(choice),
            view=_drawn(choice, timed),
        )

    def stored_scene(self, values: Values) -> Scene:
        """See Instrument; without times in the player, so that settings with the same schedule share it."""
        return self.scene(values, timed=False)

    def question(self, values: Values) -> Question:
        """See Instrument."""
        return words.asked(self._choice(values))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        return words.answered(self._choice(values))

    def summary(self) -> str:
        """What stands around the player, as plain text; while a question is open, only that."""
        if self.veiled:
            return super().summary()
        return summary(self._choice(self._values_on_show()))

    def instead(self) -> str:
        """See View."""
        return "" if self.veiled else self.summary()

    def still(self) -> str:
        """The player before its first step."""
        choice = self._choice(self._values_on_show())
        return picture.svg(_drawn(choice, timed=not self.veiled), 0)

    def frames(self) -> list[str]:
        """See View."""
        drawn = _drawn(self._choice(self._values_on_show()), timed=not self.veiled)
        return (
            [picture.svg(drawn, step) for step in range(len(drawn["steps"]) + 1)]
            if len(drawn["steps"]) <= MOST_FRAMES
            else []
        )

    def __repr__(self) -> str:
        return f"Explorer({self._choice(self._values_on_show()).schedule!r})"

    def _choice(self, values: Values) -> Choice:
        """The choice of some values; the last one is kept, with all that was found of it."""
        if self._known[0] != values:
            self._known = values, of.chosen(values)
        return self._known[1]

    def _follow(self, change: Any = None) -> None:
        """The view's player was moved."""
        if self._player is not None and self.played:
            self._player.set_state(dict(self.played) | {"shown": self._player.data["number"]})

    def _lead(self, change: Any) -> None:
        """`player` was moved."""
        self.played = {name: getattr(self._player, name) for name in PLAYED}


def _drawn(choice: Choice, timed: bool) -> Payload:
    topology: Any = tuple(find(str(dimension.topology)) for dimension in choice.network)
    if timed:
        return drawing(choice.schedule, topology, choice.time)
    return _untimed(choice.collective, choice.algorithms, tuple(d.npus for d in choice.network), topology)


@lru_cache(maxsize=64)
def _untimed(collective: str, algorithms: tuple[str, ...], npus: tuple[int, ...], topology: Any) -> Payload:
    return drawing(hierarchical(collective, list(algorithms), list(npus)), topology)


def _given(collective: str, algorithms: Any, network: Any, size: Any, splits: int) -> Choice:
    """The arguments as a choice. Raises ConfigError for what is none."""
    right = 'give (topology, NPUs, GB/s per link, latency in ns) of each dimension, as in (("Ring", 8, 50, 500),)'
    network = list_of("network", network, right)
    for entry in network:
        if not isinstance(entry, (tuple, list)) or len(entry) not in (4, 5):
            raise ConfigError(f"network is {shown(network)}; {right}.")
    one_each = "give one name, or one for each dimension"
    several = (algorithms,) * len(network)
    names = several if isinstance(algorithms, str) else list_of("algorithms", algorithms, one_each)
    if not 1 <= len(network) <= of.MOST_DIMENSIONS or len(names) != len(network):
        raise ConfigError(
            f"{len(network)} dimensions and {len(names)} algorithms; give 1 to 3 dimensions and one algorithm each."
        )
    dimensions = tuple(Dimension.of(*entry) for entry in network)
    choice = Choice(collective, tuple(names), dimensions, parse_bytes(size), splits)
    _ = choice.sizes
    return choice
