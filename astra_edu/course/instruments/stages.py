"""The stages of a pipeline: choose an order and its numbers, see who waits for whom, and what each stage holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from astra_edu.base.errors import ConfigError, instance_of, not_negative
from astra_edu.base.units import format_ns, several
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.instruments.stages_bars import kept_bars, sentences, stage_lanes, time_bars
from astra_edu.course.instruments.stages_job import FORWARD_NS, MOST, NONE, check, code, numbers, run, valid
from astra_edu.course.instruments.stages_stage import moments, stages_stage
from astra_edu.pipeline import ORDERS, PipelineRun, closed_form

RATIOS = (0.5, 1, 1.5, 2, 3)
TRANSFERS = (0, 0.05, 0.1, 0.25, 0.5, 1)
ALIKE = "two or more alike"


def _times(value: Any) -> str:
    return f"{value:g} × forward"


def _transfer(value: Any) -> str:
    return f"{100 * value:g} % of forward" if value else "takes no time"


class _Settings:
    """The settings: all orders there are now, and the values that were given."""

    def __get__(self, stages: Stages | None, owner: type) -> tuple[Setting, ...]:
        given = stages.given if stages else {}

        def among(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(sorted({*values, *given.get(name, ())}))

        return (
            Setting("order", "order", tuple(ORDERS), menu=True),
            Setting("stages", "stages", tuple(range(1, MOST["stages"] + 1)), stored=False),
            Setting("micro_batches", "micro-batches", tuple(range(1, MOST["micro_batches"] + 1)), stored=False),
            Setting("virtual", "virtual stages", tuple(range(1, MOST["virtual"] + 1))),
            Setting("ratio", "backward", among("ratio", RATIOS), words=_times),
            Setting("p2p", "transfer", among("p2p", TRANSFERS), words=_transfer),
            Setting("slow", "slow stage", (NONE, *range(MOST["stages"])), words=_slow, menu=True, stored=False),
            Setting("forward_ns", "forward", among("forward_ns", (1000, FORWARD_NS)), "ns", stored=False),
        )


def _slow(value: Any) -> str:
    return str(value) if value == NONE else f"stage {value}"


class Stages(Instrument):
    """A pipeline's passes over time, and what each of its stages computes and keeps at every moment.

    order: a name in ORDERS, your own ones, too. virtual: virtual stages a stage, for orders that take several. ratio:
    how many times as long as a forward pass the backward pass is; p2p: how long a transfer is, as its share.
    slow: the number of a stage that takes 1.5 times as long as the others, or None. forward_ns: a forward pass through
    a whole stage. time: where the playhead is, in ns. All of these can be set afterwards, too.

    >>> stages = ae.Stages("gpipe", stages=2, micro_batches=4)
    >>> stages.order = "1f1b"
    >>> stages.run.in_flight
    (2.0, 1.0)
    """

    settings: ClassVar[tuple[Setting, ...]] = _Settings()  # type: ignore[assignment]
    start: ClassVar[Values] = {
        **{"order": "1f1b", "stages": 4, "micro_batches": 8, "virtual": 2, "ratio": 2, "p2p": 0},
        **{"slow": NONE, "forward_ns": FORWARD_NS},
    }

    def __init__(
        self, order: str = "1f1b", stages: int = 4, micro_batches: int = 8, controls: Sequence[str] = (), **given: Any
    ) -> None:
        """Show one setting; further keywords are those of the class. Raises ConfigError for one that can't be run."""
        names = (*self.start, "time")
        if unknown := given.keys() - set(names):
            raise ConfigError(f"unknown setting {min(unknown)!r}; there are {', '.join(names)}.")
        text = instance_of(
            "order", order, str, f"there are {', '.join(ORDERS)}; @ae.ORDERS.add('name') adds one of yours"
        )
        time = not_negative("time", given.pop("time", 0))
        self.given: dict[str, set[Any]] = {}
        if "=" in text:
            self._remember(numbers(text))
            super().__init__(text, controls=controls, **given)
        else:
            values = valid({"order": order, "stages": stages, "micro_batches": micro_batches} | given)
            self._remember(values)
            super().__init__(controls=controls, **values)
        self.time = time

    @property
    def run(self) -> PipelineRun:
        """The run on show: the last setting that could be run."""
        return run(self._values_on_show())

    @property
    def time(self) -> float:
        """Where the playhead is, in ns."""
        return moments(self.run)[round(self.step)]

    @time.setter
    def time(self, time: float) -> None:
        times = moments(self.run)
        self.step = float(min(range(len(times)), key=lambda k: abs(times[k] - time)))

    def check(self, values: Values) -> None:
        """See Instrument."""
        check(values)

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        done = run(values)
        title = f"{done.order}: {several(done.stages, 'stage')}, {several(done.micro_batches, 'micro-batch')}"
        if done.virtual > 1:
            title += f", {done.virtual} virtual stages each"
        most = max(done.in_flight)
        return Scene(
            title=title,
            headline=f"{format_ns(done.total_ns)}, bubble {100 * done.bubble:.1f} %; at most {most:.4g} kept",
            sentences=sentences(done, values),
            numbers={
                "time": (done.total_ns, format_ns(done.total_ns)),
                "bubble": (done.bubble, f"{100 * done.bubble:.1f} %"),
                "kept": (most, f"{most:.4g}"),
            },
            bars=(kept_bars(done), time_bars(done)),
            stage=stages_stage(title, done),
            lanes=(stage_lanes(done),),
            code=code(values),
        )

    def question(self, values: Values) -> Question:
        """How large the bubble is, or which order is faster, or which keeps more: in turn."""
        about = f"{several(values['stages'], 'stage')}, {several(values['micro_batches'], 'micro-batch')}"
        asked = self._asked(values)
        if asked == "bubble":
            return Question(f"{values['order']}, {about}: for which share of the time does a stage wait?", "%")
        kinds = tuple(self._compared(values))
        what = "takes longest" if asked == "time" else "keeps the activations of most micro-batches on stage 0"
        return Question(f"{about}: which order {what}?", choices=(*kinds, ALIKE))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        asked = self._asked(values)
        if asked == "bubble":
            done = run(values)
            return Answer(round(100 * done.bubble, 1), sentences(done, values)[1], near=1.15)
        runs = {order: run(values | {"order": order}) for order in self._compared(values)}
        sizes = {order: done.total_ns if asked == "time" else done.in_flight[0] for order, done in runs.items()}
        longest = [order for order, size in sizes.items() if size >= 0.999 * max(sizes.values())]
        said = {o: format_ns(sizes[o]) if asked == "time" else f"{sizes[o]:.4g}" for o in sizes}
        why = ", ".join(f"{order} {words}" for order, words in said.items())
        return Answer(longest[0] if len(longest) == 1 else ALIKE, f"{why}.")

    def _remember(self, values: Values) -> None:
        """Have these values among those of the sliders."""
        for name, value in values.items():
            self.given.setdefault(name, set()).add(value)

    def _asked(self, values: Values) -> str:
        if values["order"] not in closed_form.FORMULAS:
            return "bubble"
        places = [values[name] for name in ("stages", "micro_batches", "virtual")]
        places += [setting.values.index(values[setting.name]) for setting in self.settings if setting.name == "order"]
        return ("kept", "time", "bubble")[(sum(places) + values["stages"]) % 3]

    def _compared(self, values: Values) -> list[str]:
        """The orders of this package that are for these numbers."""
        return [order for order in closed_form.FORMULAS if not self._impossible(values | {"order": order})]

    def _moved(self, change: Any = None) -> None:
        slow, count = self.values.get("slow"), self.values.get("stages")
        before = self._values_on_show()
        if (
            slow == before["slow"] != NONE
            and isinstance(count, int)
            and 0 < count <= slow
            and count != before["stages"]
        ):
            self.values = self.values | {"slow": NONE}  # and this comes back here
            return
        super()._moved(change)
        if not self.data["problem"]:
            self.step = min(self.step, len(moments(self.run)) - 1)


def _property(name: str) -> property:
    def read(stages: Stages) -> Any:
        value = stages.values[name]
        return None if value == NONE else value

    def write(stages: Stages, value: Any) -> None:
        value = valid({name: value})[name] if name != "order" else value
        stages._remember({name: value})
        stages.values = stages.values | {name: value}

    return property(read, write, doc=f"The setting {name}.")


for _name in Stages.start:
    setattr(Stages, _name, _property(_name))
