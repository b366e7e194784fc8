"""Kinds of measured runs beside what their predictions were to reach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from astra_edu.base.table import text_table
from astra_edu.measured.table import compared

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Goal:
    """How near predictions of some runs were to come. sources: a pattern of the whole source_id. of: which error.

    median, mean: the most that its size was to be, as a part of what was measured.
    """

    name: str
    sources: str
    of: Literal["time", "memory"]
    median: float
    mean: float


GOALS = (
    Goal("vTrain, one node: time", "vtrain_single", "time", 0.06, 0.08),
    Goal("vTrain, several nodes: time", "vtrain_multi", "time", 0.07, 0.10),
    Goal("nanotron: time", "nanotron", "time", 0.10, 0.15),
    Goal("nanotron: memory", "nanotron", "memory", 0.08, 0.12),
    Goal(
        "Megatron-LM, MegaScale, MLPerf, Llama 3, MT-NLG: time",
        r"megatron(?!_?bridge).*|megascale.*|mlperf.*|llama.*|mt_?nlg.*",
        "time",
        0.06,
        0.08,
    ),
    Goal(
        "Megatron-Bridge, TorchTitan, MPT, InternEvo, TPUs: time",
        "megatron_?bridge|torchtitan|mpt|internevo|tpu.*|maxtext|levanter",
        "time",
        0.10,
        0.14,
    ),
    Goal("SimuMax: time", "simumax.*", "time", 0.05, 0.07),
    Goal("SimuMax: memory", "simumax.*", "memory", 0.05, 0.06),
)
"""Set before anything was fitted, with the errors of the best programs known in mind."""


def agreement(rows: DataFrame) -> DataFrame:
    """A line for each kind of runs of which there are some with an error: how many, the median and the mean error of
    their predictions, the goals that were set for both, and whether both are reached.

    rows: measured runs, or what `compared` made of them. Errors as parts of what was measured, without their sign; of
    runs that ran, at 5 % of the peak or more. No line where nothing is predicted: `compared(rows).refused` says
    why. Raises ConfigError as `compared` does.

    >>> from astra_edu import measured
    >>> found = measured.agreement(measured.runs().query("source_id == 'simumax_b200'"))
    >>> list(found.index), bool(found.reached.all())
    (['SimuMax: time', 'SimuMax: memory'], True)
    """
    import pandas as pd

    found = compared(rows)
    lines = []
    for goal in GOALS:
        own = [bool(re.fullmatch(goal.sources, str(name))) for name in found.compared_source]
        errors = found[f"{goal.of}_error"][own].abs().dropna()
        if len(errors):
            lines.append(
                {
                    "kind": goal.name,
                    "runs": len(errors),
                    "median": errors.median(),
                    "median to reach": goal.median,
                    "mean": errors.mean(),
                    "mean to reach": goal.mean,
                    "reached": bool(errors.median() <= goal.median and errors.mean() <= goal.mean),
                }
            )
    columns = ["kind", "runs", "median", "median to reach", "mean", "mean to reach", "reached"]
    return pd.DataFrame(lines, columns=columns).set_index("kind")


def agreement_in_words(found: DataFrame) -> str:
    """The same for a terminal; "" where there is no line."""
    lines = [
        [
            kind,
            f"{row['runs']:,}",
            f"{row['median']:.1%} ({row['median to reach']:.0%})",
            f"{row['mean']:.1%} ({row['mean to reach']:.0%})",
            "yes" if row["reached"] else "no",
        ]
        for kind, row in found.iterrows()
    ]
    return text_table(["runs of", "runs", "median (to reach)", "mean (to reach)", "reached"], lines) if lines else ""
