"""Build a trace: which node of a training step waits for which is clicked, run and judged."""

from __future__ import annotations

from typing import Any, ClassVar

from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.instruments.trace_job import EDGES, NEEDS, Edge, Step, code, fastest, step_of, stretched
from astra_edu.course.instruments.trace_lanes import trace_lanes
from astra_edu.course.instruments.trace_stage import trace_stage
from astra_edu.course.instruments.trace_words import (
    ENOUGH,
    exposed_us,
    headline,
    in_time_words,
    micros,
    missing_words,
    sentences,
    time_bars,
    without_words,
)

ON, OFF = "on", "off"
NONE = "none of them"
LONGER = 20
NOT, LESS, ALL = "not at all", f"by less than {LONGER} µs", f"by {LONGER} µs"
READY = ("all-reduce 2", "all-reduce 1", "update 2", "update 1")
EDGE, EARLY, HARM, END = "edge", "early", "harm", "end"


def _step(values: Values) -> Step:
    edges = frozenset(edge for name, edge in EDGES.items() if values[name] == ON)
    return step_of(edges, values["bandwidth"])


def _switched(value: Any) -> str:
    return ON if value == OFF else OFF


class BuildATrace(Instrument):
    """A training step of two layers as an execution trace: which node waits for which is yours to say.

    Eight NPUs do the same. Edges are switched by a click or with the menus; the graph is run by ae.simulate. Without an
    edge that the data need it is wrong, with one too many it may be slow. Which graph is right and fastest?

    >>> step = ae.BuildATrace("backward1_reduce2=off")
    >>> step.predict("all-reduce 1 → update 2").right
    True
    >>> print(step.summary().splitlines()[1])
    233.4 µs: right, but another right graph ends 10.0 µs sooner
    """

    settings: ClassVar[tuple[Setting, ...]] = (
        *(Setting(name, str(edge), (ON, OFF), menu=True, free=True) for name, edge in EDGES.items()),
        Setting("bandwidth", "network", (25, 50, 100), "GB/s", stored=False, free=True),
    )
    start: ClassVar[Values] = {**dict.fromkeys(EDGES, ON), "bandwidth": 50}
    _use = "click its arrows"

    def check(self, values: Values) -> None:
        """Everything can be set."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        step = _step(values)
        title = f"A training step of two layers, {len(step.edges)} of {len(EDGES)} edges, {step.bandwidth} GB/s"
        return Scene(
            title=title,
            headline=headline(step),
            sentences=sentences(step),
            numbers={
                "step": (step.us, micros(step.us)),
                "exposed communication": (exposed_us(step), micros(exposed_us(step))),
            },
            bars=(time_bars(step),),
            stage=trace_stage(title, step),
            code=code(step),
            lanes=(trace_lanes(step),),
            sets={str(edge): {name: _switched(values[name])} for name, edge in EDGES.items()},
        )

    def question(self, values: Values) -> Question:
        """Which edge costs most; of a graph that lacks one, which node is hurt; of the best, what a delay does."""
        step = _step(values)
        asked = _asked(step)
        if asked == EDGE:
            on = [str(edge) for edge in EDGES.values() if edge in step.edges]
            return Question(
                "An arrow, an edge of the graph, says what must be over first. Which one, taken away, would save the "
                "most time, with the step still right? Click it.",
                choices=(*on, NONE),
                places={name: name for name in on},
            )
        if asked == EARLY:
            return Question(
                "Which node may begin before the data that it needs are there? Click the node.",
                choices=(*READY, NONE),
                places={name: name for name in READY},
            )
        if asked == HARM:
            name = _delayed(step)
            return Question(
                f"If {name} took {LONGER} µs longer, how much later would the step end?", "", (NOT, LESS, ALL)
            )
        return Question("Right or wrong, when does the step end? Below each node stands how long it takes.", "µs")

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        step = _step(values)
        asked = _asked(step)
        if asked == EDGE:
            on = [edge for edge in EDGES.values() if edge in step.edges]
            best = _best(step)
            others = {str(edge): without_words(step, edge) for edge in on if edge != best}
            if best:
                return Answer(str(best), without_words(step, best), others=others)
            return Answer(NONE, "Take any single arrow away: the step is wrong, or it takes as long.", others=others)
        if asked == EARLY:
            others = {need.after: in_time_words(step, need) for need in NEEDS if need not in step.missing}
            if step.missing:
                return Answer(step.missing[0].after, missing_words(step, step.missing[0]), others=others)
            return Answer(
                NONE, "Every way that the data take is there, if need be by way of other nodes.", others=others
            )
        if asked == HARM:
            name = _delayed(step)
            more = stretched(step, name, LONGER) - step.us
            where = "on the critical path" if name in step.path else "not on the critical path"
            why = f"The step would end {micros(more)} later: {name} is {where}"
            said = NOT if more < ENOUGH else ALL if more > LONGER - ENOUGH else LESS
            return Answer(said, f"{why}.")
        return Answer(step.us, f"The end waits for {', '.join(step.path)}, one after the other.", near=1.02)


def _best(step: Step) -> Edge | None:
    """The edge whose loss saves most, with the step still right."""
    right = [edge for edge in EDGES.values() if edge in step.edges and not step.without(edge).missing]
    best = max(right, key=step.saves, default=None)
    return best if best and step.saves(best) > ENOUGH else None


def _delayed(step: Step) -> str:
    return "backward 1" if step.needless else "update 2"


def _asked(step: Step) -> str:
    if len(step.missing) > 1:
        return END
    if step.missing or (not _best(step) and step.us - fastest(step.bandwidth) > ENOUGH):
        return EARLY
    return EDGE if _best(step) else HARM
