"""The folds: watch how a matrix product covers a systolic array, in a notebook or in a page of its own."""

from __future__ import annotations

from array import array
from itertools import islice
from typing import Any

import traitlets

from astra_edu.base.errors import ConfigError, shown, whole
from astra_edu.course.widgets.bundle import script, style
from astra_edu.course.widgets.drawing import Payload
from astra_edu.course.widgets.view import View
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import AXES, Folding, SystolicArray

MOST_FOLDS = 10_000
"""More folds than this are counted, but can't be stepped through."""
CONTROLS = ("m", "n", "k", "rows", "columns", "count", "dataflow")
MOST_ARRAYS = 256


class Folds(View):
    """An animation of how the folds of `gemm` cover `array`, one round of folds after the other.

    step: 0 before the first round, k when round k is over. The view and Python share it. The view's controls change
    sizes, array and dataflow; so does assigning another `folding`.

    >>> folds = ae.Folds(ae.Gemm(300, 300, 300), ae.SystolicArray(128, 128), dataflow="output")
    >>> folds.step = 3
    >>> folds.folding.cycles
    4985
    """

    _use = "step through them"
    _shared = ("data", "step")
    _esm = script("folds")
    _css = style("folds")
    data = traitlets.Dict().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)  # what the view's controls say, with a number that the answer bears

    def __init__(self, gemm: Gemm, array: SystolicArray, dataflow: str = "weight", step: int = 0) -> None:
        """Draw the folds. Raises ConfigError for what is no product, array, dataflow or step."""
        self._folding = _drawable(Folding(gemm, array, dataflow))
        step = whole("step", step, at_least=0)
        super().__init__(data=payload(self._folding))
        self.step = step

    @property
    def folding(self) -> Folding:
        """What is on show; assigning another one shows it, as far through as before."""
        return self._folding

    @folding.setter
    def folding(self, folding: Folding) -> None:
        if not isinstance(folding, Folding):
            raise ConfigError(f"this shows a Folding(gemm, array, dataflow), not {shown(folding)}.")
        self._show(_drawable(folding), number=0)

    @property
    def steps(self) -> int:
        """Rounds that can be stepped through."""
        return len(self.data["first"])

    def summary(self) -> str:
        """What the view shows, as text: the folding, the cycles of a fold, and how many folds have which size."""
        parts = " + ".join(f"{cycles:,} {name}" for name, cycles in self._folding.parts.items())
        sizes = [f"{many:,} of {r:,} × {c:,} PEs" for (r, c), many in self._folding.sizes().items()]
        return f"{self._folding}\na fold: {parts} cycles\nfolds: {', '.join(sizes)}"

    def __repr__(self) -> str:
        return f"Folds({self._folding})"

    def _name(self) -> str:
        return "Folds"  # the summary begins with what they are of

    @traitlets.validate("step")
    def _valid_step(self, proposal: dict[str, Any]) -> int:
        return min(whole("step", proposal["value"], at_least=0), self.steps)

    @traitlets.observe("asked")
    def _answer(self, change: dict[str, Any]) -> None:
        """Show what the controls ask for, or say what is wrong with it."""
        asked = change["new"]
        try:
            self._show(_built(asked), asked["number"])
        except ConfigError as error:
            self.data = self.data | {"problem": str(error), "number": asked["number"]}

    def _show(self, folding: Folding, number: int) -> None:
        share = self.step / self.steps
        data = payload(folding) | {"number": number}
        self._folding = folding
        with self.hold_sync():
            self.data = data
            self.step = round(share * self.steps)


def payload(folding: Folding) -> Payload:
    """What the view draws. folds: columns of float64, one after the other: product, array, row, rows, column, columns.

    By round: first, the number of its first fold; end, its last cycle; held, the share of all PEs that hold something;
    done, the share of the MACs possible so far that are done.
    """
    arrays, pes = folding.array.count, folding.array.pes
    rounds = min(folding.rounds, max(1, MOST_FOLDS // arrays))
    folds = list(islice(folding.folds(), rounds * arrays))
    first = list(range(0, len(folds), arrays))
    taken = [sum(fold.pes for fold in folds[start : start + arrays]) for start in first]
    done, macs = [], 0
    for k, held in enumerate(taken, start=1):
        macs += held * folding.temporal
        done.append(macs / (k * folding.fold_cycles * pes))
    along, across, in_time = AXES[folding.dataflow]
    return {
        "title": f"{folding.gemm} on {folding.array}, {folding.dataflow} stationary",
        "number": 0,
        "problem": "",
        "controls": _controls(folding),
        "axes": [along, across, in_time],
        "plane": [folding.spatial_rows, folding.spatial_columns],
        "grid": list(folding.grid),
        "products": folding.gemm.count,
        "array": [folding.array.rows, folding.array.columns, arrays],
        "holds": folding.dataflow,
        "parts": list(folding.parts.items()),
        "fold_cycles": folding.fold_cycles,
        "cycles": folding.cycles,
        "fold_count": folding.fold_count,
        "rounds": folding.rounds,
        "first": first,
        "end": [folds[start].first_cycle + folding.fold_cycles - 1 for start in first],
        "held": [held / pes for held in taken],
        "done": done,
        "mapping": folding.mapping_utilisation,
        "compute": folding.compute_utilisation,
        "folds": b"".join(array("d", column) for column in list(zip(*folds, strict=True))[:6]),
    }


def _controls(folding: Folding) -> dict[str, Any]:
    gemm, on = folding.gemm, folding.array
    values = (gemm.m, gemm.n, gemm.k, on.rows, on.columns, on.count, folding.dataflow)
    return dict(zip(CONTROLS, values, strict=True)) | {"products": gemm.count}


def _built(asked: dict[str, Any]) -> Folding:
    """What the controls say. Raises ConfigError for what is impossible or too large to be drawn."""
    gemm = Gemm(asked["m"], asked["n"], asked["k"], asked["products"])
    array = SystolicArray(asked["rows"], asked["columns"], asked["count"])
    return _drawable(Folding(gemm, array, asked["dataflow"]))


def _drawable(folding: Folding) -> Folding:
    """`folding`, if its picture can be drawn. Raises ConfigError otherwise."""
    if folding.array.count > MOST_ARRAYS:
        raise ConfigError(f"{folding.array.count:,} arrays are too many to draw; {MOST_ARRAYS} are the most.")
    return folding
