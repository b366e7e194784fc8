"""Where the modules of release 0.1 are now: their old names work for one more release, with a warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

SHORT = {
    "check": "course.check",
    "plots": "course.plots",
    "studies": "course.studies",
    "widgets": "course.widgets",
    "measured": "course.studies.measured",
}
"""Names that stay, because people type them: without a warning."""

MOVED = {
    "case_studies": "course.studies.case_studies",
    "chrome_trace": "run.chrome_trace",
    "chrome_trace_2": "run.chrome_trace",
    "endpoint": "course.studies.endpoint",
    "errors": "base.errors",
    "execution": "",
    "execution.as_graph": "network.as_graph",
    "execution.buffers": "network.buffers",
    "execution.carriers": "network.carriers",
    "execution.clock": "clock.events",
    "execution.config": "system.trace_config",
    "execution.custom": "system.custom",
    "execution.effort": "run.effort",
    "execution.endpoint": "system.endpoint",
    "execution.everyone": "run.everyone",
    "execution.exchange": "system.exchange",
    "execution.folded": "network.folded",
    "execution.graph": "network.graph",
    "execution.hands": "run.hands",
    "execution.link_times": "run.link_times",
    "execution.links": "network.links",
    "execution.memory": "system.remote_memory",
    "execution.messages": "network.messages",
    "execution.moves": "system.moves",
    "execution.npu": "traces.npu",
    "execution.one_for_all": "run.one_for_all",
    "execution.packets": "network.packets",
    "execution.planning": "system.plan_2",
    "execution.policies": "system.policies_2",
    "execution.queues": "system.queues",
    "execution.result": "run.trace_result",
    "execution.run": "run.run_trace",
    "execution.shortest": "network.shortest",
    "execution.timed": "system.timed",
    "files": "base.files",
    "formats.report_csv": "run.report_csv",
    "intervals": "base.intervals",
    "iteration": "course.studies.iteration",
    "memory_systems": "course.studies.memory_systems",
    "presets": "run.presets",
    "progress": "base.progress",
    "reports": "run.reports",
    "result": "run.result",
    "synchronisation": "course.studies.synchronisation",
    "system.bus": "system.faithful.bus",
    "system.clock": "clock.lookback",
    "system.contention": "network.bound",
    "system.messages": "system.faithful.bus_phases",
    "system.npu_order": "system.faithful.npu_order",
    "system.phases": "system.plan_1",
    "system.reference": "system.faithful.quirks",
    "units": "base.units",
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


class _Moved(Loader):
    """Gives the module at its new place instead of the one that is asked for."""

    def __init__(self, new: str) -> None:
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.new)
        self.own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.own  # the import system has put the old name there


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = new_name(fullname)
        if found is None:
            return None
        new, going = found
        if going:
            warnings.warn(
                f"{fullname} is {new} now; the old name goes with release 0.3.", DeprecationWarning, stacklevel=2
            )
        return ModuleSpec(fullname, _Moved(new))


def install() -> None:
    """Make old names work."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
