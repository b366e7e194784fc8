"""Run: what every simulated run has, whether of ASTRA-sim 1.0's kind, of a trace or of a pipeline."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.base.bound import caveat, in_all, total_words
from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.intervals import covered, shares_of_periods
from astra_edu.base.late import view
from astra_edu.base.span import COMMUNICATION, COMPUTE, CPU, EXPOSED, RECEIVES, Span, lane_order

if TYPE_CHECKING:
    import pandas as pd

Intervals = list[tuple[float, float]]


class Run(ABC):
    """One simulated run. Times in ns.

    total_ns: its end. timeline: all its spans, by the time at which they ended. Everything else is a view of these.

    >>> import astra_edu as ae
    >>> run = ae.run_pipeline("gpipe", stages=2, micro_batches=2, forward_ns=10, backward_ns=20)
    >>> [(span.npu, span.layer, span.work, span.end_ns) for span in run.timeline[:2]]
    [(0, 'micro-batch 0', 'forward', 10), (0, 'micro-batch 1', 'forward', 20)]
    >>> run.utilisation(30)["compute"].tolist()
    [0.6666666666666666, 0.6666666666666666, 0.6666666666666666]
    """

    interrupted: bool = False
    """Whether it was stopped before its end, at total_ns."""

    if TYPE_CHECKING:

        @property
        def total_ns(self) -> float:
            """The end of the run."""

    @property
    @abstractmethod
    def timeline(self) -> tuple[Span, ...]:
        """Everything that happened, by the time at which it ended."""

    @property
    @abstractmethod
    def idle(self) -> tuple[Span, ...]:
        """The time in which NPUs compute nothing, and why; not a part of the timeline, but the rest of it."""

    @property
    @abstractmethod
    def npus(self) -> int:
        """How many NPUs (stages of a pipeline) there are."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What has run on what: "1 pass of a DATA workload with 16 layers on 256 NPUs"."""

    @property
    @abstractmethod
    def times(self) -> str:
        """Where the time goes, in a few words: "compute 3 µs, exposed communication 5 µs"."""

    @property
    def bound_ns(self) -> float | None:
        """The least time in ns that the links allow, where messages share some and the model doesn't see it.

        None where no messages share a link, and where the network lets them wait for each other; total_ns is what
        ASTRA-sim says in any case.
        """
        return None

    @property
    def total(self) -> str:
        """The number that leads: the total time, or "at least ..." where there is a bound."""
        return total_words(self.total_ns, self.bound_ns)

    @property
    def caveat(self) -> str:
        """Why it is a bound, and ASTRA-sim's total instead; "" where there is none."""
        return caveat(self.total_ns, self.bound_ns)

    @property
    def in_all(self) -> str:
        """The total time and its caveat: "45.681 µs in all"."""
        if self.interrupted:
            return f"{self.total} until it was interrupted"
        return in_all(self.total_ns, self.bound_ns)

    @property
    def own_lanes(self) -> tuple[str, ...]:
        """The lanes that every NPU has, even where nothing happens in them; the second is that of `idle`."""
        return COMPUTE, EXPOSED

    @property
    def npu_names(self) -> Mapping[int, str]:
        """{number of each NPU that has spans: what to call it}."""
        return {0: "NPU 0 (all NPUs do the same)"}

    def count_of(self, npu: int | None) -> int:
        """For how many NPUs, itself included, one stands in the timeline and in tables; 1 for a link (None).

        More than 1 only where one NPU is shown for each role; where all do the same, tables are of NPU 0.
        """
        return 1

    def shown_for(self, npu: int) -> int:
        """The NPU that is shown for one, which is itself where all are shown."""
        return npu if npu in self.npu_names else next(iter(self.npu_names))

    @property
    def counted(self) -> Iterable[tuple[Span, int]]:
        """The timeline's spans, and how often each counts in tables; see count_of."""
        return ((span, 1) for span in self.timeline)

    @property
    def layers(self) -> pd.DataFrame:
        """A row for each layer (node, micro-batch) and work: how often, mean and longest time, first start, last end.

        Times in ns; what several NPUs do counts as often. Without what is on dimensions and links.
        """
        import pandas as pd

        own = (COMPUTE, CPU, COMMUNICATION, RECEIVES)
        groups = _grouped((one for one in self.counted if one[0].lane in own), lambda span: (span.layer, span.work))
        rows = {
            key: {
                "times": sum(count for _, count in spans),
                "mean_ns": _mean([(span.end_ns - span.start_ns, count) for span, count in spans]),
                "longest_ns": max(span.end_ns - span.start_ns for span, _ in spans),
                "start_ns": min(span.start_ns for span, _ in spans),
                "end_ns": max(span.end_ns for span, _ in spans),
            }
            for key, spans in groups.items()
        }
        table = pd.DataFrame.from_dict(rows, orient="index")
        table.index = pd.MultiIndex.from_tuples(rows, names=["layer", "work"])
        return table

    @property
    def dimensions(self) -> pd.DataFrame:
        """A row for each dimension or link: chunks or messages, their mean time and waiting in ns, bytes, busy share.

        Raises ConfigError where nothing was recorded of the network.
        """
        import pandas as pd

        spans = [one for one in self.counted if one[0].npu is None or one[0].dimension is not None]
        if not spans:
            raise ConfigError(
                "this run has no record of its network; for a trace use ae.simulate(trace, platform, record=True)."
            )
        rows, groups = {}, _grouped(spans, lambda span: span.lane)
        for lane in sorted(groups, key=lane_order):
            found = groups[lane]
            busy = [
                (covered([(span.start_ns, span.end_ns) for span, _ in own]), self.count_of(npu))
                for npu, own in _grouped(found, lambda span: span.npu).items()
            ]
            rows[lane] = {
                "times": sum(count for _, count in found),
                "mean_ns": _mean([(span.end_ns - span.start_ns, count) for span, count in found]),
                "queueing": _mean([(span.start_ns - span.queued_ns, count) for span, count in found]),
                "bytes": sum(span.size * count for span, count in found),
                "busy": _mean(busy) / self.total_ns,
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("lane")

    def presence(self) -> dict[str, dict[int | None, Intervals]]:
        """{lane: {NPU that has it (None for a link): when something was there, waiting or running}}."""
        found: dict[str, dict[int | None, Intervals]] = {}
        for span in self.timeline:
            found.setdefault(span.lane, {}).setdefault(span.npu, []).append((span.queued_ns, span.end_ns))
        return {lane: found[lane] for lane in sorted(found, key=lane_order)}

    def utilisation(self, period_ns: int = 10_000) -> pd.DataFrame:
        """The share of every period in which each lane had something, waiting or running; rows by the period's end.

        Where NPUs differ it is the mean of all. The last, incomplete period is left out, as in ASTRA-sim's
        dimension_utilization.csv. That has dimensions only, and so has a run of ASTRA-sim 1.0's kind.
        """
        import pandas as pd

        period_ns = whole("period_ns", period_ns, at_least=1)
        ends = range(period_ns, int(self.total_ns) + 1, period_ns)
        shares = {}
        for lane, npus in self.presence().items():
            counts = list(map(self.count_of, npus))
            each = [shares_of_periods(intervals, period_ns, len(ends)) for intervals in npus.values()]
            many = 1 if None in npus else sum(map(self.count_of, self.npu_names))
            shares[lane] = [
                sum(share * count for share, count in zip(period, counts, strict=True)) / many
                for period in zip(*each, strict=True)
            ]
        return pd.DataFrame(shares, index=pd.Index(ends, name="end_ns"))

    def critical_path(self) -> Any:
        """What the end of the run has waited for, from 0 to total_ns; see astra_edu.explain.critical_path."""
        return view("critical_path")(self)

    def explain(self, changes: Any = True) -> Any:
        """What bounds this run and what would help; see astra_edu.explain.explain."""
        return view("explain")(self, changes)

    def save_chrome_trace(self, path: str | Path) -> Path:
        """Write the timeline for Perfetto or chrome://tracing and return the path.

        Raises ConfigError where it can't be written.
        """
        saved: Path = view("save_chrome_trace")(self, path)
        return saved


def _grouped(spans: Iterable[tuple[Span, int]], key: Callable[[Span], Any]) -> dict[Any, list[tuple[Span, int]]]:
    found: dict[Any, list[tuple[Span, int]]] = {}
    for span, count in spans:
        found.setdefault(key(span), []).append((span, count))
    return found


def _mean(values: Sequence[tuple[float, int]]) -> float:
    """The mean of values that count several times each."""
    return sum(value * count for value, count in values) / sum(count for _, count in values)
