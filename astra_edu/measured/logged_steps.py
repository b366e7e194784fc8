"""The steps that logs of MLPerf Training have, and how much an NPU's computing would have to vary for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import expm1, log, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError, list_of, positive, shown, whole
from astra_edu.base.files import path_of

if TYPE_CHECKING:
    from pandas import DataFrame

MARK = ":::MLLOG "
STAT = "train_step_time"
LONGEST_NS = 1e18


def mlperf_steps(path: str | Path) -> DataFrame:
    """The logged steps of a run: its result_*.txt, where that has train_step_time as NVIDIA's submissions do.

    Columns: step and samples (numbers so far, empty where the log has none), ns of that one step; a log may have every
    32nd only. Raises ConfigError for a file that can't be read, or has none.

    >>> from pathlib import Path
    >>> line = ':::MLLOG {"value": {"train_step_time": 0.45}, "metadata": {"step": 31, "samples_count": 512}}'
    >>> _ = Path("result_0.txt").write_text(line)
    >>> from astra_edu import measured
    >>> measured.mlperf_steps("result_0.txt").to_dict("records")
    [{'step': 31, 'samples': 512, 'ns': 450000000}]
    """
    import pandas as pd

    path = path_of(path)
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise ConfigError(f"{path} can't be read: {error.strerror}; give a result_*.txt of MLPerf Training.") from None
    rows = []
    for number, line in enumerate(lines, 1):
        if MARK not in line or STAT not in line:
            continue
        try:
            found = json.loads(line.split(MARK, 1)[1])
            seconds, about = found["value"][STAT], found.get("metadata") or {}
            rows.append((_whole(about.get("step")), _whole(about.get("samples_count")), seconds))
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
            raise ConfigError(f"{path}, line {number}: {STAT} can't be read: {line[:80]}") from None
    if not rows:
        raise ConfigError(f"{path} has no {STAT} of an MLPerf log ({MARK.strip()} ...).")
    ns = [_ns(f"{path}: {STAT}", seconds) for *_, seconds in rows]
    steps, samples, _ = zip(*rows, strict=True)
    counts = {"step": steps, "samples": samples}
    return pd.DataFrame({name: pd.array(each, dtype="Int64") for name, each in counts.items()} | {"ns": ns})


def spread_of(ns: Sequence[float], npus: int) -> float:
    """The coefficient of variation of an NPU's computing by which `ae.step_times` has p95 / p50 of these steps, if
    nothing else makes them vary. Raises ConfigError for fewer than 20 steps.

    >>> from astra_edu import measured
    >>> steps = ae.step_times(2e9, steps=20_000, npus=64, spread=0.02, pauses_per_h=0)
    >>> round(measured.spread_of(steps.ns, npus=64), 3)
    0.02
    """
    from astra_edu.explore.iteration import StepTimes

    npus = whole("npus", npus, at_least=1)
    given = [positive("a step's time", each) for each in list_of("ns", ns, "give the times of steps")]
    if len(given) < 20:
        raise ConfigError(f"there are {len(given)} steps; p95 takes 20 or more.")
    found = StepTimes(0, npus, 0, given)
    above = [-NormalDist().inv_cdf(-expm1(log(share) / npus)) for share in (0.5, 0.95)]
    deviation = log(found.p95_ns / found.p50_ns) / (above[1] - above[0])
    return sqrt(expm1(deviation * deviation))


def _whole(count: object) -> int | None:
    """Logs write some as 31.0. Raises ValueError or OverflowError for what is no count."""
    if not isinstance(count, int | float):
        return None
    if count != int(count) or not 0 <= count < 2**63:
        raise ValueError
    return int(count)


def _ns(name: str, seconds: object) -> int:
    ns = positive(name, seconds) * 1e9
    if not 1 <= ns <= LONGEST_NS:
        raise ConfigError(f"{name} is {shown(seconds)}; it must be in s, from 1 ns to {LONGEST_NS:.0e} ns, 31.7 years.")
    return round(ns)
