"""Keep training: what is left of a long training when NPUs fail, by how often it is stored."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.keep_bars import best_minutes, first_day, interval_curves, sentences, time_bars
from astra_edu.course.instruments.keep_job import DAYS, MINUTES, MTBF_H, code, job_of, optima, run_of, shares
from astra_edu.course.instruments.question import Answer, Drawing, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values

NPUS = (1024, 4096, 16_384, 65_536)


def _thousands(value: Any) -> str:
    return f"{value:,}"


def _hours(value: Any) -> str:
    return f"{value:,} h ({value / 8766:.1f} years)"


def _spares(value: Any) -> str:
    return "always enough" if value == "enough" else f"{value} nodes of 8"


class KeepTraining(Instrument):
    """A training of a week whose NPUs fail: checkpoints, what is lost, restarts, and the goodput that is left.

    An iteration takes 10 s. Failures are independent and come at random (a Poisson process), a checkpoint makes
    training stand still, a node of 8 NPUs leaves with the one that fails and is repaired in a day.

    >>> keep = ae.KeepTraining("npus=16384 every=20")
    >>> keep.dismiss()
    >>> print(keep.summary().splitlines()[1])
    goodput 81.8 % of 7 days, 68 failures
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("npus", "NPUs", NPUS, words=_thousands),
        Setting("mtbf", "MTBF of one NPU", MTBF_H, words=lambda hours: f"{hours:,} h"),
        Setting("every", "between checkpoints", MINUTES, "min"),
        Setting("stands", "a checkpoint takes", (5, 30, 60, 300), "s"),
        Setting("restart", "a restart takes", (2, 5, 10, 30), "min"),
        Setting("spares", "spares", ("enough", 4, 16), words=_spares, menu=True),
        Setting("seed", "failures", (0, 1, 2), words=lambda seed: f"series {seed}", menu=True, stored=False),
    )
    start: ClassVar[Values] = {
        **{"npus": 16_384, "mtbf": 50_000, "every": 60, "stands": 60, "restart": 10, "spares": "enough", "seed": 0},
    }

    def check(self, values: Values) -> None:
        """Everything can be set."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        run = run_of(values)
        failed = len(run.failures_s)
        return Scene(
            title=f"{values['npus']:,} NPUs, a checkpoint every {values['every']} min",
            headline=f"goodput {100 * run.share:.1f} % of {DAYS} days, {failed} failures",
            sentences=sentences(values),
            numbers={
                "goodput": (100 * run.share, f"{100 * run.share:.1f} %"),
                "work lost": (run.lost_npu_h, f"{run.lost_npu_h:,.0f} NPU hours"),
                "failures": (failed, f"{failed}"),
            },
            bars=(time_bars(values),),
            code=code(values),
            curves=(interval_curves(values),),
            lanes=(first_day(run, open=self._kind(values) != "failures"),),
        )

    def question(self, values: Values) -> Question:
        """Which interval is best, how often it fails, or the goodput over the interval: in turn."""
        npus, stands = f"{values['npus']:,} NPUs", f"{values['stands']} s"
        one = f"One NPU fails every {_hours(values['mtbf'])} on average"
        kind = self._kind(values)
        if kind == "failures":
            asked = f"{one}, and one that fails stops all {npus}. How many failures do {DAYS} days have on average?"
            return Question(asked, "failures")
        more = f"a checkpoint makes all stand still for {stands}, a restart takes {values['restart']} min"
        if kind == "best":
            choices = tuple(f"{minutes} min" for minutes in MINUTES)
            asked = f"{one}; {npus} train; {more}. Which time between checkpoints leaves most for training?"
            return Question(asked, choices=choices)
        asked = f"{one}; {npus} train; {more}. Draw the share of the time that is useful."
        return Question(asked, drawing=Drawing("minutes between checkpoints", MINUTES, "goodput (%)", 0, 100))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        job, kind = job_of(values), self._kind(values)
        hours = job.mtbf_s / 3600
        if kind == "failures":
            expected = DAYS * 24 / hours
            why = f"{values['mtbf']:,} h / {values['npus']:,} = {hours:.3g} h from one failure of the job to the next."
            return Answer(float(f"{expected:.3g}"), why, near=1.25)
        best = best_minutes(values)
        young, _ = optima(values)
        why = (
            f"Young’s √(2 × {values['stands']} s × {hours:.3g} h) is {young:.0f} min: more often, and checkpoints take "
            "the time; less often, and failures take the work."
        )
        if kind == "best":
            return Answer(f"{best} min", why)
        return Answer(tuple(round(100 * share, 2) for share in shares(values).values()), why)

    def _kind(self, values: Values) -> str:
        """What is asked: the "best" interval, the number of "failures", or to "draw"."""
        places = sum(setting.values.index(values[setting.name]) for setting in self.settings)
        start = sum(setting.values.index(self.start[setting.name]) for setting in self.settings)
        return ("best", "failures", "draw")[(places - start) % 3]
