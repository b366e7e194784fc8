"""Who waits for whom: workers with a straggler race in three modes, while the loss falls."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Drawing, Question
from astra_edu.course.instruments.scene import Drag, Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.instruments.waits_bars import (
    loss_curves,
    rate_bars,
    reached_bars,
    reached_words,
    sentences,
    share_bars,
)
from astra_edu.course.instruments.waits_job import (
    MODES,
    TARGET,
    UNTIL_NS,
    check,
    code,
    first,
    races,
    run_of,
    slowed,
)
from astra_edu.course.instruments.waits_stage import lane_of, name_of, waits_stage

SLOWNESS = (1, 1.5, 2, 3, 4, 6)
ALIKE, NONE = "two or more alike", f"none in {UNTIL_NS / 1e6:,.0f} ms"
PULL = -12.0
"""How far a straggler is pulled back, to be slower by a value."""


def _times(value: Any) -> str:
    return "none" if value == 1 else f"× {value:g}"


class WhoWaits(Instrument):
    """Workers compute gradients, one of them slowly: bulk-synchronous, with a staleness bound, and asynchronous.

    A gradient takes 10 ms, the straggler's `slow` times that. Bulk-synchronous workers all-reduce over the switch, the
    others push to a parameter server on it and pull from it (GB: 2**30 bytes). The loss is that of a small regression,
    trained on the log of the run.

    >>> waits = ae.WhoWaits("workers=4 slow=2", bound=0)
    >>> waits.text
    'workers=4 slow=2 straggler=0 times=steady bound=0 size=64 server=50 rate=1.0'
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("workers", "workers", (2, 4, 8)),
        Setting("slow", "straggler", SLOWNESS, words=_times),
        Setting("straggler", "which worker", tuple(range(8)), words=lambda worker: f"worker {worker}", menu=True),
        Setting("times", "compute times", ("steady", "jittery"), menu=True),
        Setting("bound", "staleness bound", (0, 1, 2, 4, 8), "iterations"),
        Setting("size", "gradient", (4, 16, 64, 256), "MiB"),
        Setting("server", "server’s port", (6.25, 12.5, 25, 50), "GB/s"),
        Setting("rate", "step size", (0.5, 1.0, 1.5, 1.8)),
    )
    start: ClassVar[Values] = {
        **{"workers": 8, "slow": 3, "straggler": 0, "times": "steady", "bound": 2, "size": 64, "server": 50},
        **{"rate": 1.0},
    }

    def check(self, values: Values) -> None:
        """See Instrument."""
        check(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        check(values)
        raced = races(values)
        who = f", worker {values['straggler']} takes {values['slow']:g} times as long" if values["slow"] > 1 else ""
        title = f"{values['workers']} workers{who}, {values['size']} MiB of gradients"
        reached = ", ".join(f"{race.mode} {reached_words(race)}" for race in raced)
        rates = {f"{race.mode}, updates/s": (race.updates_per_s, f"{race.updates_per_s:,.0f}") for race in raced}
        times = {
            f"{race.mode}, time": (min(race.reached_ms, UNTIL_NS / 1e6), reached_words(race)) for race in raced
        }  # fmt: skip
        return Scene(
            title=title,
            headline=f"Loss within {TARGET:g}: {reached}",
            sentences=sentences(raced, values),
            numbers=rates | times,
            bars=(reached_bars(raced), rate_bars(raced, values), share_bars(raced)),
            stage=waits_stage(title, raced, values),
            curves=(loss_curves(raced),),
            code=code(values),
            sets={lane_of(race, w): {"straggler": w} for race in raced for w in range(values["workers"])},
            drags={name_of(race, values["straggler"]): Drag("slow", PULL) for race in raced},
        )

    def question(self, values: Values) -> Question:
        """By what factor a mode slows down, which is first, or a curve to be drawn: in turn from setting to setting."""
        kind, who = self._kind(values), f"worker {values['straggler']}"
        others = f"the other {values['workers'] - 1}" if values["workers"] > 2 else "the other one"
        if kind in MODES:
            how = "wait for all, then all-reduce" if kind == MODES[0] else "wait for nobody but the server"
            asked = (
                f"{who.capitalize()} takes {values['slow']:g} times as long for each gradient as {others}. "
                f"{kind.capitalize()} workers {how}: how many times fewer updates a second do they make than without "
                "a straggler? (An update: a gradient that is applied to the model.)"
            )
            return Question(asked, "times")
        if kind == "first":
            asked = (
                f"In which mode does the loss come within {TARGET:g} of the smallest first, to stay there? "
                f"({values['workers']} workers, {self._straggler(values)}, compute times {values['times']}, "
                f"step size {values['rate']:g})"
            )
            return Question(asked, choices=(*MODES, ALIKE, NONE))
        most = 100.0 * values["workers"]
        drawing = Drawing(f"slowness of {who} (times)", SLOWNESS, "updates/s", 0, most)
        asked = f"A gradient takes 10 ms, {who}’s more. Draw the updates a second of all bulk-synchronous workers."
        return Question(asked, drawing=drawing)

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        kind = self._kind(values)
        if kind in MODES:
            without, now = (run_of(kind, values | more).updates_per_s for more in ({"slow": 1}, {}))
            why = f"{without:,.0f} updates/s without it, {now:,.0f} with it. "
            why += "A round takes as long as its slowest worker, and then the exchange."
            if kind == "asynchronous":
                why = f"{without:,.0f} updates/s without it, {now:,.0f} with it: only its own become fewer."
            return Answer(round(slowed(kind, values), 3), why, near=1.15)
        if kind == "first":
            there = first(values)
            why = "; ".join(f"{race.mode}: {reached_words(race)}" for race in races(values)) + "."
            return Answer(NONE if not there else there[0] if len(there) == 1 else ALIKE, why)
        rates = tuple(run_of(MODES[0], values | {"slow": slow}).updates_per_s for slow in SLOWNESS)
        why = "A round takes the straggler’s time and the exchange, so the updates fall nearly as 1 over its slowness."
        return Answer(rates, why)

    def _kind(self, values: Values) -> str:
        """What is asked: a mode that is slowed down, who is "first", or to "draw"."""
        places = sum(setting.values.index(values[setting.name]) for setting in self.settings)
        kind = ("draw", "bulk-synchronous", "first", "asynchronous")[places % 4]
        return "first" if kind in MODES and values["slow"] == 1 else kind

    def _straggler(self, values: Values) -> str:
        return f"worker {values['straggler']} × {values['slow']:g}" if values["slow"] > 1 else "no straggler"
