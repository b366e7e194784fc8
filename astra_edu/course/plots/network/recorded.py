"""Runs whose links were recorded: what figures of links are drawn of."""

from __future__ import annotations

from collections.abc import Mapping

from astra_edu.base.errors import ConfigError
from astra_edu.base.run import Run
from astra_edu.course.plots.kinds_of_run import Instead, no_figure_of
from astra_edu.pipeline import PipelineRun
from astra_edu.run.link_times import uses_of
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult

_INSTEAD: Instead = {
    Result: "a run of ASTRA-sim 1.0's kind has dimensions without links: ae.plots.utilisation draws those",
    PipelineRun: "a pipeline's run has none: ae.plots.stages draws when its passes run",
}


def recorded(results: Mapping[str, TraceResult] | TraceResult, figure: str) -> Mapping[str, TraceResult]:
    """Recorded runs by their names; one alone by an empty name.

    Raises ConfigError for none, for one without a record, and for what no figure of links can be drawn of.
    """
    runs = results if isinstance(results, Mapping) else {"": results}
    if not runs:
        raise ConfigError("results is empty; give at least one recorded run.")
    for run in runs.values():
        if not isinstance(run, Run) or isinstance(run, tuple(_INSTEAD)):
            raise no_figure_of(
                run, figure, "the links of what ae.simulate(trace, platform, record=True) returns", _INSTEAD
            )
        uses_of(run)  # says what is missing where nothing was recorded
    return runs
