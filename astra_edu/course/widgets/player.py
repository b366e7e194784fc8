"""The player: watch a collective's schedule step by step, in a notebook or in a page of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, choice, list_of, shown, suggestion, whole
from astra_edu.collectives import Schedule
from astra_edu.collectives.in_switch import IN_SWITCH
from astra_edu.course.widgets import picture
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.drawing import MAX_NPUS, Timing, drawing
from astra_edu.course.widgets.through_switch import check_switches
from astra_edu.course.widgets.view import View
from astra_edu.network.topologies import find

CLOCKS = ("steps", "time")

MOST_FRAMES = 24
"""A longer schedule has no film in a notebook."""


class Player(View):
    """An animation of `schedule`: shards on their way, and the table of who holds what.

    topology: the network of each dimension, such as "Ring" or "Torus"; one name does for all. Left out, rings are drawn
    as rings, a switch that adds up as one, and everything else as fully connected; then trees are drawn as trees.
    timing: when each transfer happens; without it there is only the clock that gives every step one beat.

    time: the position, in beats (clock "steps") or in ns (clock "time"). step: 0 before the first step, k from
    the moment step k begins until step k + 1 does; so step k is over at time k beats. Setting `step` goes to
    that step's end. speed: 1 is normal. The view and Python share all of these.

    >>> player = ae.Player(ae.schedule("all-reduce", "ring", 4), topology="Ring")
    >>> player.step = 2
    >>> player.save_html("ring.html").name
    'ring.html'
    """

    _use = "see it move"
    _shared = ("data", "step", "time", "playing", "speed", "clock")
    _esm = script("player")
    _css = style("player")
    data = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    time = traitlets.Float(0.0).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    speed = traitlets.Float(1.0, min=0.01, max=100.0).tag(sync=True)
    clock = traitlets.Enum(CLOCKS, "steps").tag(sync=True)
    shown = traitlets.Int(0).tag(sync=True)  # the number of the data the view's step and time belong to

    def __init__(
        self,
        schedule: Schedule,
        timing: Timing | None = None,
        clock: str = "steps",
        topology: Sequence[str] | str | None = None,
        **traits: Any,
    ) -> None:
        """Draw `schedule`; further keywords are the shared traits, e.g. step=3."""
        self._settled = False  # whether step, time and clock are just being made to agree
        self._beats = 0.0
        self._number = 0
        _check_schedule(schedule)
        self._load(schedule, timing, topology)
        super().__init__(data=self._payload, clock=self._possible(choice("clock", clock, CLOCKS)))
        for name, value in traits.items():
            if name not in ("step", "time", "playing", "speed"):
                raise ConfigError(
                    f"unknown setting {shown(name)}; {suggestion(name, ('step', 'time', 'playing', 'speed'))}"
                )
            try:
                setattr(self, name, value)
            except traitlets.TraitError as error:
                raise ConfigError(str(error)) from error

    @property
    def schedule(self) -> Schedule:
        """The schedule on show; assigning another one is `show(schedule)`."""
        return self._schedule

    @schedule.setter
    def schedule(self, schedule: Schedule) -> None:
        self.show(schedule)

    @property
    def step_count(self) -> int:
        """How many steps can be shown: all, unless the schedule is wrong and breaks off."""
        return len(self._payload["steps"]) if self._payload["kind"] == "steps" else self._schedule.step_count

    def show(
        self, schedule: Schedule, timing: Timing | None = None, topology: Sequence[str] | str | None = None
    ) -> None:
        """Replace the schedule in place. The view stays as far through it as it was, and goes on playing."""
        _check_schedule(schedule)
        share = self._beats / max(1, self.step_count)
        at_rest = self._beats == int(self._beats)
        if topology is None and len(schedule.dims) == len(self._schedule.dims):
            topology = self._asked
        self._load(schedule, timing, topology)
        beats = share * self.step_count
        self._number += 1
        self._payload["number"] = self._number
        with self.hold_sync(), self._agreeing():
            self.data = self._payload
            self.clock = self._possible(self.clock)
            self._go_to(round(beats) if at_rest else beats)

    def svg(self, step: int | None = None) -> str:
        """A still picture of step `step` (the current one if left out; 0 is before the first) as SVG text."""
        wanted = self.step if step is None else whole("step", step, at_least=0)
        if wanted not in range(self.step_count + 1):
            raise ConfigError(f"step is {wanted}; this schedule has steps 0 (before the first) to {self.step_count}.")
        return picture.svg(self.data, wanted)

    def still(self) -> str:
        """The picture of the current step."""
        return self.svg()

    def frames(self) -> list[str]:
        """See View."""
        return [self.svg(step) for step in range(self.step_count + 1)] if self.step_count <= MOST_FRAMES else []

    def __repr__(self) -> str:
        return f"Player({self._schedule!r})"

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take over what the view sends: step, time and clock that agree, unless they are of earlier data."""
        if sync_data.get("shown", self.shown) != self._number:
            sync_data = {k: v for k, v in sync_data.items() if k not in ("step", "time", "clock")}
        with self._agreeing():
            super().set_state(sync_data)
        self._beats = self._beats_at(self.time, self.clock)

    @traitlets.observe("step", "time", "clock")
    def _moved(self, change: dict[str, Any]) -> None:
        if self._settled:
            return
        with self._agreeing():
            if change["name"] == "time":
                self._go_to(self._beats_at(self.time, self.clock))
            else:
                self._go_to(self.step if change["name"] == "step" else self._beats)

    @traitlets.validate("clock")
    def _valid_clock(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] == "time" and not self._payload["marks"]:
            raise ConfigError('clock "time" needs a timing: Player(schedule, timing).')
        return str(proposal["value"])

    def _load(self, schedule: Schedule, timing: Timing | None, topology: Sequence[str] | str | None) -> None:
        if timing is not None:
            _check_timing(timing, schedule)
        self._schedule, self._asked = schedule, topology
        self._payload = drawing(schedule, _topology(schedule, topology), timing) | {"number": 0}

    def _possible(self, clock: str) -> str:
        return clock if self._payload["marks"] else "steps"

    def _marks(self, clock: str) -> Sequence[float]:
        """marks[k]: the position at which step k is over."""
        marks: Sequence[float] = self._payload["marks"] if clock == "time" else range(self.step_count + 1)
        return marks

    def _beats_at(self, time: float, clock: str) -> float:
        """A position of `clock` in beats, kept between the start and the end."""
        marks = self._marks(clock)
        time = min(max(time, 0.0), marks[-1])
        k = bisect_left(marks, time)
        return k - (marks[k] - time) / (marks[k] - marks[k - 1]) if k else 0.0

    def _go_to(self, beats: float) -> None:
        """Make step, time and clock say this position."""
        self._beats = min(max(float(beats), 0.0), float(self.step_count))
        marks = self._marks(self.clock)
        k = -int(-self._beats // 1)  # rounded up
        back = k - self._beats
        self.time = float(marks[k] - back * (marks[k] - marks[k - 1]) if k else 0.0)
        self.step = k

    @contextmanager
    def _agreeing(self) -> Iterator[None]:
        self._settled, before = True, self._settled
        try:
            yield
        finally:
            self._settled = before


def _topology(schedule: Schedule, names: Sequence[str] | str | None) -> Sequence[str]:
    """One checked name a dimension."""
    dims = len(schedule.dims)
    if names is None:
        algorithms = schedule.algorithm.split("+")
        algorithms = algorithms if len(algorithms) == dims else algorithms[:1] * dims
        return [
            "Switch" if name == IN_SWITCH.name else "Ring" if name.endswith("ring") else "FullyConnected"
            for name in algorithms
        ]
    asked = [names] * dims if isinstance(names, str) else list_of("topology", names, "give a name for each dimension")
    if len(asked) != dims:
        raise ConfigError(f"topology is {shown(asked)}; give one name for each of the {dims} dimensions.")
    found = [find(name, f"topology[{d}]") for d, name in enumerate(asked)]
    for one, npus in zip(found, schedule.dims, strict=True):
        one.check(npus)
    check_switches(schedule, found)
    return found


def _check_schedule(schedule: Schedule) -> None:
    if not isinstance(schedule, Schedule):
        raise ConfigError(
            f'a player shows a schedule, as from ae.schedule("all-reduce", "ring", 8), not {shown(schedule)}.'
        )


def _check_timing(timing: Timing, schedule: Schedule) -> None:
    """Raise ConfigError for what is no timing, or not of this schedule, as far as its first step shows."""
    if not hasattr(timing, "spans"):
        raise ConfigError(f"timing is {shown(timing)}; give what ae.time_schedule(schedule, network, size) returns.")
    if schedule.npus <= MAX_NPUS and len(timing.spans(0)) != len(schedule.step(0).transfers):
        raise ConfigError("this timing belongs to another schedule: their first steps have different transfers.")
