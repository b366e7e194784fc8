"""A round of folds in words: which rows and columns are on the arrays, when, and what they leave idle."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.units import several
from astra_edu.course.instruments.folds_job import counted, done_after
from astra_edu.workload.compute.systolic import AXES, Fold, Folding

HOLD = {"weight": "a weight", "output": "an output", "input": "an input"}


def percent(share: float) -> str:
    """A share with a decimal, or with two digits that count where it is small.

    >>> from astra_edu.course.instruments.folds_said import percent
    >>> percent(0.8333), percent(0.00026)
    ('83.3 %', '0.026 %')
    """
    return f"{100 * share:.1f} %" if share >= 0.01 or not share else f"{100 * share:.2g} %"


def taken(folding: Folding, folds: Sequence[Fold]) -> str:
    """How much of the arrays is taken."""
    if not folds:
        return "nothing yet"
    if len(folds) > 1:
        return f"{percent(_share(folding, folds))} of all PEs hold {HOLD[folding.dataflow]}"
    [fold] = folds
    idle = folding.array.pes - fold.pes
    return f"{counted(fold.rows)} × {counted(fold.columns)} PEs hold {HOLD[folding.dataflow]}, {counted(idle)} idle"


def said(folding: Folding, number: int, folds: Sequence[Fold]) -> str:
    """What happens in a round, counted from 1; number 0 is before the first."""
    if not folds:
        return f"Before the first of {several(folding.fold_count, 'fold')}."
    last = number * folding.fold_cycles - 1
    when = f"cycles {counted(last - folding.fold_cycles + 1)} to {counted(last)}"
    held = f"{percent(_share(folding, folds))} of {'all' if folding.array.count > 1 else 'the'} PEs hold"
    end = (
        f"{held} {HOLD[folding.dataflow]}; {percent(done_after(folding, number))} of the possible MACs are done so far."
    )
    first = (number - 1) * folding.array.count + 1
    if len(folds) > 1:
        which = f"folds {counted(first)} to {counted(first + len(folds) - 1)}"
        on = f"one fold on each of {len(folds)} arrays"
        return f"Round {counted(number)} of {counted(folding.rounds)}, {which}, {when}: {on}; {end}"
    [fold] = folds
    along, across, _ = AXES[folding.dataflow]
    rows, columns = _range(fold.row, fold.rows), _range(fold.column, fold.columns)
    where = f"{along} {rows} along the rows, {across} {columns} along the columns"
    return f"Fold {counted(first)} of {counted(folding.fold_count)}, {when}: {where}; {end}"


def _share(folding: Folding, folds: Sequence[Fold]) -> float:
    return sum(fold.pes for fold in folds) / folding.array.pes


def _range(first: int, size: int) -> str:
    return f"{counted(first)} to {counted(first + size - 1)}" if size > 1 else counted(first)
