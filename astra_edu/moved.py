"""Where the modules of release 0.1 are now: their old names work for one more release, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # loading importlib.abc takes longer than all of this package's own names

SHORT = {
    "check": "course.check",
    "plots": "course.plots",
    "studies": "course.studies",
    "widgets": "course.widgets",
}
"""Names that stay, because people type them: without a warning."""

SCATTERED = "astra_edu.execution"

_KEPT = {
    ("", "base."): "errors files intervals progress units",
    ("", "course.studies."): "case_studies endpoint memory_systems synchronisation",
    ("", "explore."): "iteration",
    ("", "run."): "chrome_trace presets reports result",
    ("execution.", "network."): "as_graph buffers carriers folded graph links messages packets shortest",
    ("execution.", "run."): "effort everyone hands link_times one_for_all",
    ("execution.", "system."): "custom endpoint exchange moves policies queues timed",
    ("plots.", "course.plots.collectives."): "costs sweep",
    ("plots.", "course.plots.models."): "array_use folds growth roofline",
    ("plots.", "course.plots.network."): "link_use queues",
    ("plots.", "course.plots.timelines."): "chunks iteration lanes per_layer stages trace_timeline usage",
    ("plots.", "course.plots.training."): "bars communication descent scaling validation",
    ("system.", "system.faithful."): "bus npu_order",
}
"""(Old package, new package): the modules that have moved and kept their names."""

MOVED = {
    "course.studies.measured": "measured",
    "check.broken_simulations": "course.check.ex13.broken",
    "check.busiest_link": "course.check.ex12.busiest_link",
    "check.cables": "course.check.ex12.more_cables",
    "check.congestion_cases": "course.check.ex12.cases",
    "check.design_advice": "course.check.ex14.advice",
    "check.design_search": "course.check.ex14.search",
    "check.loop_record": "course.check.ex4.recorder",
    "check.mended": "course.check.ex13.mended",
    "check.mended_files": "course.check.ex13.files",
    "check.mended_groups": "course.check.ex13.groups",
    "check.mended_messages": "course.check.ex13.messages",
    "check.mended_times": "course.check.ex13.times",
    "check.order_run": "course.check.ex8.runs",
    "check.parallelism_cases": "course.check.ex7.cases",
    "check.staleness_rule": "course.check.ex10.rule",
    "check.strategy_choice": "course.check.ex9.choice",
    "check.synchronisation_cases": "course.check.ex10.cases",
    "check.themis_cases": "course.check.ex5.cases",
    "check.trace_faults": "course.check.ex11.faults",
    "check.trace_rules": "course.check.ex11.rules",
    "check.trace_runs": "course.check.ex11.runs",
    "check.what_is_sent": "course.check.ex7.sent",
    "course.studies.iteration": "explore.iteration",
    "course.widgets.explorer": "course.instruments.explorer",
    "course.widgets.folds": "course.instruments.folds",
    "course.widgets.stages": "course.instruments.stages",
    "chrome_trace_2": "run.chrome_trace",
    "execution.clock": "clock.events",
    "execution.config": "system.trace_config",
    "execution.memory": "system.remote_memory",
    "execution.npu": "traces.npu",
    "execution.planning": "system.plan_2",
    "execution.result": "run.trace_result",
    "execution.run": "run.run_trace",
    "explain.trace": "explain.of_trace",
    "explain.trace_collectives": "explain.of_trace_collectives",
    "formats.report_csv": "run.report_csv",
    "plots.case_studies": "course.plots",
    "plots.critical_path": "explain.path_of_nodes",
    "plots.endpoint": "course.plots",
    "plots.endpoint_times": "course.plots",
    "plots.measured_collectives": "course.plots",
    "plots.memory_hierarchy": "course.plots.memory.hierarchy",
    "plots.memory_systems": "course.plots",
    "plots.ring_or_tree": "course.plots",
    "plots.synchronisation": "course.plots",
    "plots.trace_boxes": "course.plots.traces.boxes",
    "plots.trace_graph": "course.plots.traces.graph",
    "plots.trace_layout": "course.plots.traces.layout",
    "plots.trace_looks": "course.plots.traces.looks",
    "studies.iteration": "explore.iteration",
    "system.clock": "clock.lookback",
    "system.contention": "network.bound",
    "system.messages": "system.faithful.bus_phases",
    "system.phases": "system.plan_1",
    "system.reference": "system.faithful.quirks",
    "system.window": "system.followed",
    **{old + name: new + name for (old, new), names in _KEPT.items() for name in names.split()},
}
"""Old module (and all that is below it): where it is now, both without "astra_edu."."""


def new_name(name: str) -> tuple[str, bool] | None:
    """(Where a module is now, whether its old name is going) of one that has moved, else None."""
    top, _, path = name.partition(".")
    if top != "astra_edu":
        return None
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        old, rest = ".".join(parts[:length]), parts[length:]
        for table in (SHORT, MOVED):
            if old in table:
                return ".".join(["astra_edu", *filter(None, [table[old]]), *rest]), table is MOVED
    return None


class _MovedLoader(Loader):
    """Gives the module at its new place instead of the one that is asked for."""

    def __init__(self, new: str) -> None:
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.new)
        if self.new == "astra_edu":  # a folder that has gone; its modules mustn't become attributes of astra_edu
            module, names = ModuleType(spec.name), module
            module.__path__ = []
            module.__dict__["__getattr__"] = lambda name: getattr(names, name)
            module.__spec__ = ModuleSpec(self.new, self)
        self.own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own  # the import system has put the old name there


def _of_the_front(name: str) -> object:
    """A name of a package that is no more; run_trace is one that astra_edu itself never had."""
    return getattr(import_module("astra_edu.run.run_trace" if name == "run_trace" else "astra_edu"), name)


class _Scattered(Loader):
    """A package whose modules have gone to several places: its names are astra_edu's own."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__dict__.update({"__path__": [], "__getattr__": _of_the_front})
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == SCATTERED:
            sentence = f"{fullname} is no more: take its names from astra_edu."
            warnings.warn(sentence, DeprecationWarning, stacklevel=2)
            return ModuleSpec(fullname, _Scattered(), is_package=True)
        found = new_name(fullname)
        if found is None:
            return None
        new, going = found
        if going:
            warnings.warn(
                f"{fullname} is {new} now; the old name goes with release 0.3.", DeprecationWarning, stacklevel=2
            )
        return ModuleSpec(fullname, _MovedLoader(new))


def install() -> None:
    """Make old names work."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
