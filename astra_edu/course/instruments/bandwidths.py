"""What if a dimension had another bandwidth? A slider for each dimension of a training job's platform."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.course.instruments.instrument import Instrument
from astra_edu.course.instruments.question import Answer, Question
from astra_edu.course.instruments.scene import Bar, Bars, Part, Scene
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.course.instruments.which import answered, asked
from astra_edu.course.studies.case_studies.changes import with_bandwidths
from astra_edu.course.studies.case_studies.platforms import npu_bandwidths
from astra_edu.course.studies.case_studies.training import Job, train
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform

FACTORS = (0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8)
MOST_KNOWN = 512
"""How many runs are kept: rather more than a saved page of two dimensions needs."""


class BandwidthSliders(Instrument):
    """An iteration of a training job, with a slider for the bandwidth of each dimension, in multiples of what it was.

    Raises ConfigError where the job doesn't run on the platform. A job that takes more than about 100 ms to simulate
    lags behind its sliders.

    >>> from astra_edu.studies.case_studies import Job, suited
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8))
    >>> sliders = ae.BandwidthSliders(job, suited((ae.Block("Ring", 8, 50, 500),)))
    >>> sliders.set(factor_0=2)
    >>> sliders.factors
    [2.0]
    """

    def __init__(self, job: Job, platform: TracePlatform, controls: Sequence[str] = ()) -> None:
        """Start with the platform as it is."""
        self._job = instance_of("job", job, Job, "give a Job(name, model, strategy)")
        self._platform = instance_of("platform", platform, TracePlatform, "give a TracePlatform")
        if not platform.blocks:
            raise ConfigError("the sliders are for dimensions; a network given as a graph has none of its own.")
        settings = tuple(
            Setting(
                f"factor_{d}", f"{d}: {block.topology} of {block.npus}", FACTORS, words=partial(_times, block.bandwidth)
            )
            for d, block in enumerate(platform.blocks)
        )
        start = {setting.name: 1 for setting in settings}
        self.__dict__.update(settings=settings, start=start)  # its own, in place of the class's
        self._known: dict[tuple[float, ...], TraceResult] = {}
        super().__init__(controls=controls)

    @property
    def factors(self) -> list[float]:
        """How many times its bandwidth each dimension has."""
        return list(self._factors(self.values))

    @property
    def result(self) -> TraceResult:
        """The iteration on show."""
        return self._run(self._factors(self._values_on_show()))

    def check(self, values: Values) -> None:
        """See Instrument; every bandwidth can be."""

    def scene(self, values: Values) -> Scene:
        """See Instrument."""
        now, start = self._run(self._factors(values)), self._run(tuple(1.0 for _ in self.settings))
        rates = npu_bandwidths(with_bandwidths(self._platform, list(self._factors(values))))
        share = 100 * now.exposed_ns[0] / now.total_ns
        gain = start.total_ns / now.total_ns
        change = "as at the start" if now.total_ns == start.total_ns else f"{gain:.3f} times as fast as at the start"
        names = [setting.label for setting in self.settings]
        return Scene(
            title=f"{self._job.name} on {now.platform.npus:,} NPUs",
            headline=f"{ms(now.total_ns)}, {change}; {share:.0f} % exposed",
            sentences=(f"An NPU can send {sum(rates):,.6g} GB/s in all; one GB/s is 2³⁰ bytes/s here.",),
            numbers={
                "time": (now.total_ns, ms(now.total_ns)),
                "exposed communication": (now.exposed_ns[0], ms(now.exposed_ns[0])),
                "bandwidth of an NPU": (sum(rates), f"{sum(rates):,.6g} GB/s"),
            },
            bars=(
                Bars("An iteration", (_bar("now", now), _bar("at the start", start)), "ms"),
                Bars(
                    "Bandwidth of an NPU",
                    tuple(
                        Bar(name, (Part("links", rate),), f"{rate:,.6g}")
                        for name, rate in zip(names, rates, strict=True)
                    ),
                    "GB/s",
                ),
            ),
        )

    def question(self, values: Values) -> Question:
        """On which dimension twice the bandwidth helps most."""
        rates = ", ".join(setting.called(values[setting.name]) for setting in self.settings)
        return asked(f"{self._job.name} ({rates})", len(self.settings))

    def answer(self, values: Values) -> Answer:
        """See Instrument."""
        factors = self._factors(values)
        found = [self._run((*factors[:d], 2 * one, *factors[d + 1 :])) for d, one in enumerate(factors)]
        now = self._run(factors)
        return answered((now.total_ns, ms(now.total_ns)), [(run.total_ns, ms(run.total_ns)) for run in found])

    def __repr__(self) -> str:
        scene = self._on_show
        return f"BandwidthSliders({scene.title}{'' if self.veiled else f': {scene.headline}'})"

    def _factors(self, values: Values) -> tuple[float, ...]:
        return tuple(float(values[setting.name]) for setting in self.settings)

    def _run(self, factors: tuple[float, ...]) -> TraceResult:
        if factors not in self._known:
            if len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[factors] = train(self._job, with_bandwidths(self._platform, list(factors)))
        return self._known[factors]


def _times(bandwidth: float, factor: Any) -> str:
    return f"{factor:g} × {bandwidth:g} GB/s"


def _bar(name: str, run: TraceResult) -> Bar:
    parts = Part("compute", run.compute_ns[0] / 1e6), Part("exposed communication", run.exposed_ns[0] / 1e6)
    return Bar(name, tuple(part for part in parts if part.size), ms(run.total_ns))


def ms(time_ns: float) -> str:
    """A time in milliseconds, with its unit."""
    return f"{time_ns / 1e6:,.3f} ms"
