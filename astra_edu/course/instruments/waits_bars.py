"""The bars, the curves and the sentences of who waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from astra_edu.course.instruments.charts import Curve, Curves
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.course.instruments.setting import Values
from astra_edu.course.instruments.waits_job import TARGET, UNTIL_NS, Race, run_of, slowed
from astra_edu.course.instruments.waits_stage import LOOK

CURVE_MS, EVERY_MS = 400, 4


def reached_words(race: Race) -> str:
    """When the loss stays close to the smallest one."""
    return f"{race.reached_ms:,.0f} ms" if race.reached_ms < inf else f"not in {UNTIL_NS / 1e6:,.0f} ms"


def share_bars(raced: Sequence[Race]) -> Bars:
    """What all workers' time goes to."""
    bars = []
    for race in raced:
        parts = tuple(Part(LOOK[kind], 100 * race.run.share(kind)) for kind in LOOK if race.run.share(kind))
        bars.append(Bar(race.mode, parts, f"{100 * race.run.share('compute'):.0f} % compute"))
    return Bars("What all workers’ time goes to", tuple(bars), "%")


def rate_bars(raced: Sequence[Race], values: Values) -> Bars:
    """Updates a second, beside those without a straggler."""
    bars = tuple(
        Bar(
            race.mode,
            (Part(race.mode, race.updates_per_s),),
            f"{race.updates_per_s:,.0f} updates/s",
            run_of(race.mode, values | {"slow": 1}).updates_per_s,
        )
        for race in raced
    )
    return Bars("Gradients applied", bars, "updates/s", "without the straggler")


def reached_bars(raced: Sequence[Race]) -> Bars:
    """When each mode's loss is small for good."""
    bars = tuple(
        Bar(race.mode, (Part(race.mode, min(race.reached_ms, UNTIL_NS / 1e6)),), reached_words(race)) for race in raced
    )
    return Bars(f"Time until the loss stays within {TARGET:g} of the smallest", bars, "ms")


def loss_curves(raced: Sequence[Race]) -> Curves:
    """The loss over the time; a curve ends where it has doubled."""
    curves = []
    for race in raced:
        points = [(float(ms), race.training.at(ms * 1e6)) for ms in range(0, CURVE_MS + 1, EVERY_MS)]
        past = next((k for k, (_, loss) in enumerate(points) if loss > 2 * points[0][1]), len(points))
        curves.append(Curve(race.mode, tuple((ms, float(f"{max(loss, 1e-6):.3g}")) for ms, loss in points[:past])))
    title = "How far the loss is above the smallest one"
    return Curves(title, "time (ms)", "loss", tuple(curves), log_y=True, clock=True)


def sentences(raced: Sequence[Race], values: Values) -> tuple[str, ...]:
    """Who waits, what that costs, and what those pay who don't."""
    bsp, bounded, free = raced
    waits = 100 * bsp.run.share("wait")
    who = f"worker {values['straggler']}" if values["slow"] > 1 else "the slowest of the round"
    found = [f"Bulk-synchronous: all wait for {who}; {waits:.0f} % of all workers’ time is waiting."]
    if values["slow"] > 1:
        factors = (slowed(race.mode, values) for race in raced)
        less = "bulk-synchronous {:.2f}, with a staleness bound {:.2f}, asynchronous {:.2f}".format(*factors)
        found.append(f"Times fewer updates than without the straggler: {less}.")
    ahead = f"{values['bound']} iteration{'' if values['bound'] == 1 else 's'} ahead of the slowest"
    found.append(f"Staleness bound: who would be more than {ahead} waits.")
    stale = (
        f"Staleness, how many updates others made while a gradient was on its way: {bounded.run.mean_staleness:.1f} on "
        f"average with bound {values['bound']}, {free.run.mean_staleness:.1f} asynchronous, 0 bulk-synchronous. Old "
        "gradients point where the loss was falling then; with large steps that leads astray."
    )
    queued = 100 * free.run.share("queue")
    if queued >= 5:
        found.append(f"Asynchronous workers queue at the server’s port for {queued:.0f} % of their time.")
    return (*found, stale)
