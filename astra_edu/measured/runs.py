"""The measured training runs that ship: figures read from public repositories, each with its source."""

from __future__ import annotations

import csv
import gzip
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from astra_edu.measured.cells import Row

if TYPE_CHECKING:
    from pandas import DataFrame

FOLDER = Path(__file__).parent
WORDS = (*("source_id", "case", "model", "hardware", "sharding", "recompute", "precision", "system", "status", "note"),)
"""Columns of words; all others are numbers."""
COLUMNS = (
    *("source_id", "case", "model", "params_B", "layers", "hidden", "heads", "kv_heads", "ffn", "vocab", "hardware"),
    *("gpus", "gpus_per_node", "tp", "pp", "vp", "dp", "cp", "ep", "sharding", "recompute", "gbs_seq", "mbs"),
    *("grad_acc", "seq", "precision", "system", "iter_time_ms", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct"),
    *("hfu_pct", "mem_GB", "status", "note"),
)
"""Of the runs that ship, in their order."""


def runs() -> DataFrame:
    """Every measured run that ships, one a row; `sources` says where each is from.

    params_B: parameters in 10⁹. gbs_seq, mbs: samples of a step and of a micro-batch. grad_acc: micro-batches of a
    copy. tp, pp, cp, ep, dp: sizes of groups; vp: virtual stages. gpus_per_node: of a computer. iter_time_ms: of a
    step. mfu_pct, hfu_pct: as the source counts them. mem_GB: peak, in 10⁹ bytes unless the note says GiB. status: ok,
    as an empty one, or crash_or_oom. note: what was derived, assumed or recalled ([RECALL] is unverified). Empty cells
    are unknown. Rows whose licence is in doubt (MLPerf's results, texts under CC-BY-SA) are left out.

    >>> from astra_edu import measured
    >>> len(measured.runs()), len(measured.sources())
    (2677, 13)
    """
    import pandas as pd

    return pd.read_csv(FOLDER / "training_runs.csv.gz")


def sources() -> DataFrame:
    """For each source_id where the runs are from, under which licence that is, and which machines they ran on.

    >>> from astra_edu import measured
    >>> measured.sources().machines["nanotron"]
    'H100'
    """
    import pandas as pd

    return pd.read_csv(FOLDER / "sources.csv", index_col="source_id")


@cache
def shipped() -> tuple[Row, ...]:
    """The runs that ship as `records(runs())` has them, but without pandas, which takes longer to load than they do.

    >>> from astra_edu.measured.runs import shipped
    >>> shipped()[0]["model"], shipped()[0]["gpus"], shipped()[0]["cp"]
    ('llama-like 1B', 8.0, None)
    """
    with gzip.open(FOLDER / "training_runs.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return tuple({name: _cell(name, text) for name, text in row.items()} for row in csv.DictReader(file))


@cache
def shipped_sources() -> dict[str, dict[str, str]]:
    """Each row of `sources` by its source_id, without pandas."""
    with (FOLDER / "sources.csv").open(encoding="utf-8", newline="") as file:
        return {row["source_id"]: row for row in csv.DictReader(file)}


def _cell(name: str, text: str) -> Any:
    if not text:
        return None
    return text if name in WORDS else float(text)
