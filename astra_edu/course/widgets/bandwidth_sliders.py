"""What if a dimension had another bandwidth? A slider for each; every setting is simulated at once."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets

from astra_edu.base.errors import ConfigError
from astra_edu.course.studies.case_studies.changes import with_bandwidths
from astra_edu.course.studies.case_studies.platforms import npu_bandwidths
from astra_edu.course.studies.case_studies.training import Job, train
from astra_edu.course.widgets.what_if_parts import Stepped, Words
from astra_edu.run.trace_result import TraceResult
from astra_edu.system import TracePlatform

FACTORS = (0.125, 0.25, 0.5, 0.75, 1, 1.5, 2, 4, 8)
_WIDTH_EM = 16
_FILLS = {"compute": "#57ad88", "exposed": "repeating-linear-gradient(45deg, #8f8f8f 0 3px, #dcdcdc 3px 7px)"}


class BandwidthSliders(ipywidgets.VBox):  # type: ignore[misc]
    """An iteration of a training job, with a slider for the bandwidth of each dimension, in multiples of what it was.

    Arrow keys move a slider too. Raises ConfigError where the job doesn't run on the platform. A job that takes more
    than about 100 ms to simulate lags behind its sliders.

    >>> from astra_edu.studies.case_studies import Job, suited
    >>> job = Job("VGG-16", ae.model("vgg16"), ae.Strategy(data=8))
    >>> sliders = ae.widgets.BandwidthSliders(job, suited((ae.Block("Ring", 8, 50, 500),)))
    >>> sliders.factors
    [1.0]
    """

    def __init__(self, job: Job, platform: TracePlatform) -> None:
        """Start with the platform as it is."""
        if not platform.blocks:
            raise ConfigError("the sliders are for dimensions; a network given as a graph has none of its own.")
        self.job, self.platform = job, platform
        self.start = self.result = train(job, platform)
        self.sliders = [
            Stepped(
                f"{d}: {block.topology} of {block.npus}",
                FACTORS,
                1,
                f"× {block.bandwidth:g} GB/s",
                "multiplies the bandwidth of this dimension; 1 GB/s is 2**30 bytes/s here",
            )
            for d, block in enumerate(platform.blocks)
        ]
        self.words = Words()
        super().__init__([*self.sliders, self.words])
        self.add_class("astra-with-sliders")
        for slider in self.sliders:
            slider.style.description_width = "12em"
            slider.observe(self._moved, "value")
        self._say()

    @property
    def factors(self) -> list[float]:
        """How many times its bandwidth each dimension has."""
        return [float(slider.value) for slider in self.sliders]

    @property
    def summary(self) -> str:
        """The iteration beside that at the start, in a sentence."""
        now, before = self.result, self.start
        gain = before.total_ns / now.total_ns
        change = "as at the start" if now.total_ns == before.total_ns else f"{gain:.3f} times as fast as at the start"
        return f"{self.job.name}: {_ms(now.total_ns)}, {change}; {now.exposed_ns[0] / now.total_ns:.0%} exposed"

    def __repr__(self) -> str:
        return f"BandwidthSliders({self.summary})"

    def _moved(self, change: Any) -> None:
        self.result = train(self.job, with_bandwidths(self.platform, self.factors))
        self._say()

    def _say(self) -> None:
        longest = max(self.start.total_ns, self.result.total_ns)
        before = sum(npu_bandwidths(self.platform))
        now = sum(npu_bandwidths(with_bandwidths(self.platform, self.factors)))
        rows = "".join(
            f'<tr><th scope="row">{name}</th>{_bar(result, longest)}<td>{_ms(result.compute_ns[0])}</td>'
            f"<td>{_ms(result.exposed_ns[0])}</td><td>{_ms(result.total_ns)}</td><td>{bandwidth:,.6g}</td></tr>"
            for name, result, bandwidth in (("at the start", self.start, before), ("now", self.result, now))
        )
        head = "".join(
            f'<th scope="col">{name}</th>' for name in ("", "", "compute", "exposed", "in all", "GB/s of an NPU")
        )
        html = f'<p class="astra-total">{escape(self.summary)}</p><table><tr>{head}</tr>{rows}</table>'
        self.words.put(html=html, said=self.summary)


def _bar(result: TraceResult, longest_ns: int) -> str:
    """Compute and exposed communication as two boxes in a cell, the second one striped."""
    parts = (("compute", result.compute_ns[0]), ("exposed", result.exposed_ns[0]))
    style = "display:inline-block;height:1em;"
    boxes = "".join(
        f'<span style="{style}width:{_WIDTH_EM * ns / longest_ns:.3f}em;background:{_FILLS[name]}"></span>'
        for name, ns in parts
    )
    return f'<td style="text-align:left">{boxes}</td>'


def _ms(time_ns: float) -> str:
    return f"{time_ns / 1e6:,.3f} ms"
