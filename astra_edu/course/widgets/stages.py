"""The stages of a pipeline: choose an order and its numbers, see who waits for whom, and what each stage holds."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, choice, instance_of, not_negative, whole
from astra_edu.base.units import format_ns, several
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.view import View
from astra_edu.pipeline import ORDERS, PipelineRun, closed_form, run_pipeline
from astra_edu.pipeline.checked import takes_virtual

FORWARD_NS = 12_000
"""A forward pass through a stage, if not said; it and its backward pass divide evenly by 2, 3 and 4 virtual stages."""
SLOWER = 1.5
RATIOS = (0.5, 1, 1.5, 2, 3)
TRANSFERS = (0, 0.05, 0.1, 0.25, 0.5, 1)
MOST = {"stages": 16, "micro_batches": 64, "virtual": 4}
SETTINGS = ("order", "stages", "micro_batches", "virtual", "ratio", "p2p", "slow", "forward_ns")

Payload = dict[str, Any]


class Stages(View):
    """A pipeline's passes over time, with controls for everything and a cursor that says what each stage holds.

    order: a name in ORDERS, your own ones, too. virtual: virtual stages a stage, for orders that take several. ratio:
    how many times as long as a forward pass the backward pass is; p2p: how long a transfer is, as its share.
    slow: the number of a stage that takes 1.5 times as long as the others, or None. forward_ns: a forward pass through
    a whole stage. time: where the cursor is, in ns. The view and Python share all of these.

    >>> stages = ae.Stages("gpipe", stages=2, micro_batches=4)
    >>> stages.order = "1f1b"
    >>> stages.run.in_flight
    (2.0, 1.0)
    """

    _shared = (*SETTINGS, "time", "data")
    _esm = script("stages")
    _css = style("stages")
    order = traitlets.Unicode("1f1b").tag(sync=True)
    stages = traitlets.Any(4).tag(sync=True)
    micro_batches = traitlets.Any(8).tag(sync=True)
    virtual = traitlets.Any(2).tag(sync=True)
    ratio = traitlets.Any(2).tag(sync=True)
    p2p = traitlets.Any(0).tag(sync=True)
    slow = traitlets.Any(None).tag(sync=True)
    forward_ns = traitlets.Any(FORWARD_NS).tag(sync=True)
    time = traitlets.Any(0).tag(sync=True)
    data = traitlets.Dict().tag(sync=True)

    def __init__(self, order: str = "1f1b", stages: int = 4, micro_batches: int = 8, **settings: Any) -> None:
        """Show one setting; further keywords are the shared traits. Raises ConfigError for one that can't be run."""
        if unknown := settings.keys() - {*SETTINGS, "time"}:
            raise ConfigError(f"unknown setting {min(unknown)!r}; there are {', '.join((*SETTINGS, 'time'))}.")
        instance_of("order", order, str, f"there are {', '.join(ORDERS)}; @ae.ORDERS.add('name') adds one of yours")
        self._run: PipelineRun | None = None
        super().__init__(order=order, stages=stages, micro_batches=micro_batches, **settings)
        self._run = self._simulated()
        self.data = payload(self)
        self.observe(self._changed, SETTINGS)

    @property
    def run(self) -> PipelineRun:
        """The run on show: the last setting that could be run."""
        assert self._run is not None
        return self._run

    def summary(self) -> str:
        """What the view says, as plain text: time and bubble, the formula's bubble, and a line for each stage."""
        rows = [["stage", "idle", "keeps at most", "by formula"], *self.data["rows"]]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join([*self.data["sentences"], *lines])

    def __repr__(self) -> str:
        return f"Stages({self._run!r})"

    @traitlets.validate("order")
    def _valid_order(self, proposal: dict[str, Any]) -> str:
        return choice("order", proposal["value"], ORDERS)

    @traitlets.validate("stages", "micro_batches", "virtual")
    def _valid_count(self, proposal: dict[str, Any]) -> int:
        name = proposal["trait"].name
        count = whole(name, proposal["value"], at_least=1)
        if count > MOST[name]:
            raise ConfigError(
                f"{name} is {count}; this view shows {MOST[name]} at most. run_pipeline has no such limit."
            )
        return count

    @traitlets.validate("forward_ns")
    def _valid_forward(self, proposal: dict[str, Any]) -> int:
        return whole("forward_ns", proposal["value"], at_least=1)

    @traitlets.validate("ratio", "p2p", "time")
    def _valid_share(self, proposal: dict[str, Any]) -> float:
        return not_negative(proposal["trait"].name, proposal["value"])

    @traitlets.validate("slow")
    def _valid_slow(self, proposal: dict[str, Any]) -> int | None:
        return None if proposal["value"] is None else whole("slow", proposal["value"], at_least=0)

    def _changed(self, change: dict[str, Any]) -> None:
        """Show the run of the new setting, or say why there is none."""
        if change["name"] == "stages" and self.slow is not None and self.slow >= self.stages:
            self.slow = None  # and this comes back here
            return
        try:
            self._run = self._simulated()
        except Exception as error:  # an order of one's own may stop with anything
            problem = str(error) if isinstance(error, ConfigError) else f"{type(error).__name__}: {error}"
            self.data = self.data | {"problem": problem}
            return
        self.time = min(self.time, self._run.total_ns)
        self.data = payload(self)

    def _simulated(self) -> PipelineRun:
        if self.slow is not None and self.slow >= self.stages:
            raise ConfigError(f"slow is {self.slow}; stages are 0 to {self.stages - 1}.")
        factors = [SLOWER if stage == self.slow else 1 for stage in range(self.stages)]
        return run_pipeline(
            self.order,
            self.stages,
            self.micro_batches,
            [round(self.forward_ns * factor) for factor in factors],
            [round(self.forward_ns * self.ratio * factor) for factor in factors],
            round(self.forward_ns * self.p2p),
            self.virtual if takes_virtual(ORDERS[self.order]) else 1,
        )


def payload(stages: Stages) -> Payload:
    """What the view draws; spans[stage] is flat: (0 forward, 1 backward; virtual stage; micro-batch; start; end)."""
    run = stages.run
    formula = _formula(run)
    return {
        "title": f"{run.order}: {several(run.stages, 'stage')}, {several(run.micro_batches, 'micro-batch')}",
        "orders": [[name, takes_virtual(order)] for name, order in ORDERS.items()],
        "ratios": RATIOS,
        "transfers": TRANSFERS,
        "most": MOST,
        "stages": run.stages,
        "virtual": run.virtual,
        "total_ns": run.total_ns,
        "spans": [
            [n for s in spans for n in ("FB".index(s.kind), s.virtual_stage, s.micro_batch, s.start_ns, s.end_ns)]
            for _, spans in groupby(run.spans, lambda span: span.stage)
        ],
        "keeps": run.in_flight,
        "sentences": _sentences(stages, run),
        "rows": [
            [str(stage), f"{100 * run.idle_shares[stage]:.1f} %", f"{run.in_flight[stage]:.4g}", formula[stage]]
            for stage in range(run.stages)
        ],
        "problem": "",
    }


def _formula(run: PipelineRun) -> list[str]:
    """For how many micro-batches each stage keeps activations by formula; a dash where there is none."""
    if run.order not in closed_form.FORMULAS:
        return ["—"] * run.stages
    numbers = (run.order, run.stages, run.micro_batches, run.virtual)
    return [f"{closed_form.in_flight(numbers[0], stage, *numbers[1:]):.4g}" for stage in range(run.stages)]


def _sentences(stages: Stages, run: PipelineRun) -> list[str]:
    first = f"{format_ns(run.total_ns)} in all; the bubble is {100 * run.bubble:.1f} % of it."
    if run.order not in closed_form.FORMULAS:
        return [first, "There is no formula here for an order of your own."]
    p, m, v = run.stages, run.micro_batches, run.virtual
    share = closed_form.bubble(p, m, v)
    symbols, below = ("(p − 1) / (m + p − 1)", f"{m} + {p - 1}") if v == 1 else (
        "(p − 1) / (v m + p − 1)", f"{v} × {m} + {p - 1}"
    )  # fmt: skip
    formula = f"{symbols} = {p - 1} / ({below}) = {100 * share:.1f} %"
    if abs(share - run.bubble) < 1e-9:
        return [first, f"By formula: {formula}, the same."]
    reasons = [
        *([f"stage {stages.slow} takes {SLOWER:g} times as long"] if stages.slow is not None else []),
        *([f"a transfer takes {format_ns(round(stages.forward_ns * stages.p2p))}"] if stages.p2p else []),
        *([f"{stages.forward_ns:,} ns aren't divided evenly by {v}"] if stages.forward_ns % v else []),
    ]
    why = f"; but {' and '.join(reasons)}" if reasons else "; this order differs"
    return [first, f"By formula, for equal stages and transfers that take no time: {formula}{why}."]
