"""critical_path(run): what the end of a run has waited for, moment by moment."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.base.run import VIEWS, Run
from astra_edu.explain.path_of_layers import path_of_layers
from astra_edu.explain.path_of_nodes import path_of_nodes
from astra_edu.explain.path_of_passes import path_of_passes
from astra_edu.explain.segment import Segment
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult


def critical_path(run: Run) -> tuple[Segment, ...]:
    """The segments from 0 to total_ns, in this order, of what simulate or run_pipeline returns.

    At every moment of the path something is at work, and what comes next has waited for it. Raises ConfigError for
    what is no run.

    >>> import astra_edu as ae
    >>> path = critical_path(ae.run_pipeline("gpipe", stages=2, micro_batches=1, forward_ns=10, backward_ns=20))
    >>> [(segment.npu, segment.work, segment.end_ns) for segment in path]
    [(0, 'forward', 10), (1, 'forward', 20), (1, 'backward', 40), (0, 'backward', 60)]
    """
    match run:
        case Result():
            return path_of_layers(run)
        case TraceResult():
            return path_of_nodes(run)
        case PipelineRun():
            return path_of_passes(run)
    raise ConfigError(f"critical_path takes what ae.simulate or ae.run_pipeline returns, not {run!r:.60}.")


VIEWS["critical_path"] = critical_path
