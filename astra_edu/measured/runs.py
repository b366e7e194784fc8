"""The measured training runs that ship: figures read from public repositories, each with its source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

FOLDER = Path(__file__).parent


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
