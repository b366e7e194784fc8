"""How far measured times spread around predicted ones, for runs of a kind: a range beside a value.

The parameters were fitted to these runs, so that new ones of another kind may be further off.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.measured.cells import Row, records, text
from astra_edu.measured.jobs import job_of
from astra_edu.measured.shapes import by_size_alone
from astra_edu.measured.stacks import is_known
from astra_edu.workload.compute.alike import kind_of

if TYPE_CHECKING:
    from pandas import DataFrame

FILE = Path(__file__).with_name("spread.csv")
FEWEST = 5
"""Runs of a kind, at least, for it to have a range of its own."""
SHARES = (0.16, 0.5, 0.84)
"""Two thirds of the runs are between the first and the last, as within a normal distribution's standard deviation."""

BY_SIZE = (0.79, 1.03)
"""Two thirds of what runs of dense models were predicted to take are so many times what is predicted where nothing but
their size is given; of 1,624 runs of 45 models."""


class Spread(NamedTuple):
    """Of the runs of a kind: measured / predicted, below which 16, 50 and 84 % of them are. "" stands for any."""

    stack: str
    machines: str
    runs: int
    low: float
    middle: float
    high: float


def spread() -> DataFrame:
    """Measured / predicted of the runs that ship, for each kind of stack and machines: stack, machines, runs, and low,
    middle and high, below which 16, 50 and 84 % of them are. The last line is of all.

    >>> from astra_edu import measured
    >>> found = measured.spread().set_index(["stack", "machines"])
    >>> bool(found.low["nanotron", "Hopper"] < 1 < found.high["nanotron", "Hopper"])
    True
    """
    import pandas as pd

    return pd.DataFrame(_kinds(), columns=list(Spread._fields))


def ranges(rows: DataFrame) -> DataFrame:
    """low_ms and high_ms of each row: two thirds of the measured runs of its kind are as far from their prediction, or
    nearer; wider where nothing but its size tells a model's shape. kind says which runs those are: of the same stack
    and machine, else those of a like machine that are most. Same index. Empty where nothing is predicted. Raises
    ConfigError as `predict`.

    >>> from astra_edu import measured
    >>> some = measured.runs().query("source_id == 'simumax_b200'").head(2)
    >>> bool((measured.ranges(some).low_ms < measured.predict(some).predicted_ms * 1.1).all())
    True
    """
    import pandas as pd

    from astra_edu.measured.predicted import predict

    found = []
    for row, ms in zip(records(rows), predict(rows).predicted_ms, strict=True):
        found.append(range_of(row, ms) if ms == ms else (float("nan"), float("nan"), ""))
    return pd.DataFrame(found, columns=["low_ms", "high_ms", "kind"], index=rows.index)


def range_of(row: Row, ms: float) -> tuple[float, float, str]:
    """The same of one row, of which so many ms are predicted: low_ms, high_ms, kind."""
    stack, machines = _kind(row)
    kind = _nearest(stack if is_known(text(row, "system")) else "", machines)
    if by_size_alone(row):
        return ms * kind.low * BY_SIZE[0], ms * kind.high * BY_SIZE[1], f"{_words(kind)}, its shape by its size alone"
    return ms * kind.low, ms * kind.high, _words(kind)


def spread_for(stack: str, machine: str) -> Spread:
    """Of the same stack and machines like it; else of such machines and most runs; else of all. stack: "" for any.

    >>> from astra_edu.measured.spread import spread_for
    >>> spread_for("nanotron", "h100").runs
    495
    """
    return _nearest(stack, kind_of(machine))


def runs_of_kind(stack: str, machine: str) -> int:
    """How many runs of a stack on machines like one are known, if enough for a range."""
    same = (stack, kind_of(machine))
    return next((each.runs for each in _kinds() if (each.stack, each.machines) == same), 0)


def measured_spread(rows: DataFrame, say: Callable[[str], None] = print) -> list[Spread]:
    """The same of other runs, and of all of them at the end; what `python -m astra_edu.measured spread` stores."""
    from astra_edu.measured.table import compared

    ratios: dict[tuple[str, str], list[float]] = {}
    for row, error in zip(records(rows), compared(rows).time_error, strict=True):
        if error == error:
            ratios.setdefault(_kind(row), []).append(1 / (1 + error))
    if not ratios:
        raise ConfigError("none of these runs has both a measured and a predicted time.")
    every = sorted(ratio for some in ratios.values() for ratio in some)
    found = [_summed(*kind, some) for kind, some in sorted(ratios.items()) if len(some) >= FEWEST]
    found.append(_summed("", "", every))
    for each in found:
        say(f"{each.runs:>6,} runs, {each.low:.3f} {each.middle:.3f} {each.high:.3f}: {_words(each)}")
    return found


def store(found: list[Spread]) -> None:
    """Write them to the file that ships."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Spread._fields)
        writer.writerows(found)


def two_thirds(ratios: Iterable[float]) -> tuple[float, float, float]:
    """Below which 16, 50 and 84 % of some ratios are.

    >>> from astra_edu.measured.spread import two_thirds
    >>> two_thirds([0.7, 1.0, 0.9, 1.1, 1.5, 1.2, 0.8])
    (0.8, 1.0, 1.2)
    """
    ascending = sorted(ratios)
    low, middle, high = (ascending[round(share * (len(ascending) - 1))] for share in SHARES)
    return low, middle, high


def _summed(stack: str, machines: str, ratios: list[float]) -> Spread:
    low, middle, high = (round(ratio, 4) for ratio in two_thirds(ratios))
    return Spread(stack, machines, len(ratios), low, middle, high)


@cache
def _kinds() -> tuple[Spread, ...]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Spread(row["stack"], row["machines"], int(row["runs"]), *(float(row[k]) for k in ("low", "middle", "high")))
            for row in csv.DictReader(file)
        )


def _kind(row: Row) -> tuple[str, str]:
    job = job_of(row)
    return job.stack.name, kind_of(job.machine.name)


def _nearest(stack: str, machines: str) -> Spread:
    """Of the same stack and machines; else of the same machines and most runs; else of all."""
    same = [each for each in _kinds() if (each.stack, each.machines) == (stack, machines)]
    alike = [each for each in _kinds() if each.machines == machines]
    return max(same or alike or _kinds()[-1:], key=lambda each: each.runs)


def _words(each: Spread) -> str:
    return f"{each.stack} on {each.machines}" if each.stack else "all runs"
