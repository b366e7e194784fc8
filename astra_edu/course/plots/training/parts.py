"""The two parts of any run's time: compute, and the time without it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from astra_edu.base.run import Run
from astra_edu.course.plots.looks import BUBBLE, EXPOSED, Look
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult


class Parts(NamedTuple):
    """In ns; together they are the run's total. look: of the time without compute, EXPOSED or BUBBLE.

    bound_ns: what the run takes at least where its messages share links; see Run.
    """

    compute_ns: float
    without_ns: float
    look: Look = EXPOSED
    bound_ns: float | None = None

    @property
    def short(self) -> str:
        """The time without compute in a word: "exposed" or "bubble"."""
        return "exposed" if self.look is EXPOSED else self.look.name

    @property
    def total_ns(self) -> float:
        """The whole time."""
        return self.compute_ns + self.without_ns


def looks_of(every: Iterable[Parts]) -> list[Look]:
    """How the time without compute looks in any of these runs."""
    found = [parts.look for parts in every]
    return [look for look in (EXPOSED, BUBBLE) if look in found]


def without(every: Iterable[Parts]) -> str:
    """The time without compute of all these runs in a word or two, for the head of a column."""
    return " or ".join(
        dict.fromkeys(parts.short for parts in sorted(every, key=lambda parts: parts.look is not EXPOSED))
    )


def parts_of(run: Run) -> Parts:
    """Of a trace, those of the NPU that finished last; of a pipeline, the mean of its stages, and its bubble.

    >>> parts_of(ae.run_pipeline("gpipe", stages=2, micro_batches=2, forward_ns=10, backward_ns=20))[:2]
    (60.0, 30.0)
    """
    if isinstance(run, Result):
        return Parts(run.compute_ns, run.exposed_ns, bound_ns=run.bound_ns)
    if isinstance(run, TraceResult):
        return Parts(run.compute_ns[run.last], run.exposed_ns[run.last], bound_ns=run.bound_ns)
    assert isinstance(run, PipelineRun)
    return Parts(run.ideal_ns, run.total_ns - run.ideal_ns, BUBBLE)
