"""explain(run): what bounds a run, and what one change would help most.

What is said of the run is taken from its critical path; what is said of a change, from simulating it.
"""

from __future__ import annotations

from collections.abc import Iterable

from astra_edu.base.errors import ConfigError, instance_of, list_of, shown
from astra_edu.base.run import Run
from astra_edu.base.units import format_ns
from astra_edu.explain.changes import try_changes
from astra_edu.explain.elasticities import Dependence
from astra_edu.explain.explanation import Explanation
from astra_edu.explain.facts import Change, Facts
from astra_edu.explain.inputs_of_layers import inputs_of_layers
from astra_edu.explain.of_pipeline import OF_PIPELINE
from astra_edu.explain.of_trace import OF_TRACE
from astra_edu.explain.path_of_layers import path_of_layers
from astra_edu.explain.segment import Segment
from astra_edu.explain.shares import shares
from astra_edu.explain.words import find_bound, sentences
from astra_edu.pipeline import PipelineRun
from astra_edu.run.result import Result
from astra_edu.run.trace_result import TraceResult

__all__ = ["Change", "Explanation", "Segment", "critical_path", "explain", "shares"]

LONGEST_NS = 2**53

OF_LAYERS = Facts(path_of_layers, shares, try_changes, find_bound, sentences, inputs_of_layers, tables=True)
FACTS: dict[type[Run], Facts] = {Result: OF_LAYERS, TraceResult: OF_TRACE, PipelineRun: OF_PIPELINE}
"""Where the facts about each kind of run come from."""


def explain(run: Run, changes: bool | Iterable[Change] = True) -> Explanation:
    """What bounds the run, in words, from its critical path and from simulating changes of one thing each.

    run: what ae.simulate or ae.run_pipeline returns. changes: True tries some of our own (fewer where a run is large);
    False tries none and takes milliseconds; or give your own. Raises ConfigError for what is no run or takes no time,
    and for a change of yours that can't be simulated.

    >>> import astra_edu as ae
    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> explain(run, changes=False).sentences[0]
    "Dimension 0's latency bounds this run."
    """
    facts = _facts("explain", run)
    path = facts.path(run)
    shares = facts.shares(run, path)
    if not shares:
        raise ConfigError("this run takes no time, so there is nothing to explain.")
    if not isinstance(changes, bool):
        changes = list_of("changes", changes, 'give True, False, or a list of ae.Change("what", platform=...)')
        for change in changes:
            instance_of("a change", change, Change, 'give ae.Change("what it is", platform=...)')
    tried = facts.changes(run, shares, changes)
    bound = facts.bound(run, shares, tried)
    said = tuple(facts.sentences(run, shares, bound, tried))
    totals = sorted(((change.description, total) for change, total in tried.totals), key=lambda item: item[1])
    depends = Dependence(run.total_ns, lambda: facts.inputs(run, shares))
    return Explanation(bound, shares, said, tuple(totals), tried.before_ns, tried.passes, path, facts.tables, depends)


def critical_path(run: Run) -> tuple[Segment, ...]:
    """The segments from 0 to total_ns, in this order, of what simulate or run_pipeline returns.

    At every moment of the path something is at work, and what comes next has waited for it. Raises ConfigError for
    what is no run.

    >>> import astra_edu as ae
    >>> path = critical_path(ae.run_pipeline("gpipe", stages=2, micro_batches=1, forward_ns=10, backward_ns=20))
    >>> [(segment.npu, segment.work, segment.end_ns) for segment in path]
    [(0, 'forward', 10), (1, 'forward', 20), (1, 'backward', 40), (0, 'backward', 60)]
    """
    return _facts("critical_path", run).path(run)


def _facts(what: str, run: Run) -> Facts:
    if type(run) not in FACTS:
        raise ConfigError(f"{what} takes what ae.simulate or ae.run_pipeline returns, not {shown(run, 60)}.")
    if run.total_ns > LONGEST_NS:
        raise ConfigError(
            f"the run takes {format_ns(run.total_ns)}; up to 2**53 ns, 104 days, its moments can be told apart."
        )
    return FACTS[type(run)]
