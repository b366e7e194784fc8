"""The lanes of a run's timeline: what each NPU did in each of its units and dimensions, and what each link carried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered, in_rows
from astra_edu.base.run import Run
from astra_edu.base.span import Span, lane_order


class Lane(NamedTuple):
    """One lane of an NPU, or a link: spans in time order; those that overlap are in different rows.

    npu: whose; None for a link. name: "compute", "exposed communication", "dimension 0", "0 → 1", ...
    """

    npu: int | None
    name: str
    rows: list[list[Span]]

    @property
    def spans(self) -> int:
        """How many spans it has."""
        return sum(map(len, self.rows))

    @property
    def busy_ns(self) -> float:
        """For how long it has at least one span."""
        return covered([interval(span) for row in self.rows for span in row])


def lanes(run: Run) -> list[Lane]:
    """All lanes: of one NPU after the other, in each the time without compute below compute; then links, busiest first.

    >>> import astra_edu as ae
    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> [(lane.name, lane.spans) for lane in lanes(run)]
    [('compute', 0), ('exposed communication', 1), ('dimension 0', 4)]
    """
    found: dict[tuple[int | None, str], list[Span]] = {
        (npu, name): [] for npu in run.npu_names for name in run.own_lanes
    }
    for span in (*run.timeline, *run.idle):
        found.setdefault((span.npu, span.lane), []).append(span)
    made = [Lane(npu, name, in_rows(spans, interval) or [[]]) for (npu, name), spans in found.items()]
    of_npus = sorted(
        (lane for lane in made if lane.npu is not None), key=lambda lane: (lane.npu, lane_order(lane.name))
    )
    links = sorted((lane for lane in made if lane.npu is None), key=lambda lane: (-lane.busy_ns, lane_order(lane.name)))
    return of_npus + links


def chosen_npus(run: Run, npus: Iterable[int] | None, most: int) -> list[int]:
    """The NPUs to show: those that are asked for, by default all, the first `most` of them.

    Where one NPU stands for all, or for others of its role, it does so here. Raises ConfigError for NPUs that the run
    doesn't have, and for none.
    """
    here = list(run.npu_names)
    if npus is None:
        return here[:most]
    chosen = list(npus) if isinstance(npus, Iterable) else [npus]
    count = run.npus
    for npu in chosen:
        if type(npu) is not int or not 0 <= npu < count:
            raise ConfigError(f"npus has {npu!r:.60}; there are the NPUs 0 to {count - 1}.")
    if not chosen:
        raise ConfigError("npus is empty; name the NPUs to draw.")
    return list(dict.fromkeys(map(run.shown_for, chosen)))


def short_name(run: Run, npu: int) -> str:
    """What a picture calls an NPU: "NPU 3", or "NPU 3 ×128" where it stands for 128."""
    count = run.count_of(npu)
    return run.npu_names[npu].partition(" (")[0] + (f" ×{count:,}" if count > 1 else "")


def interval(span: Span) -> tuple[float, float]:
    """From when to when it lasts."""
    return span.start_ns, span.end_ns
