"""What has been reported of long trainings: NPUs, interruptions, and the share of the time that was useful."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Report:
    """A training as its source reports it; None where that says nothing.

    failures: unexpected interruptions, in `days`. at_least: of the time, effective for training. told: what else the
    source says of it. source: where. unverified: what of this is read off, or taken from a second source.
    """

    name: str
    npus: int
    days: float | None
    failures: float | None
    at_least: float | None
    told: str
    source: str
    unverified: str = ""

    @property
    def npu_mtbf_h(self) -> float | None:
        """Mean time between failures of one NPU, in hours, that these numbers make."""
        return None if self.days is None or self.failures is None else 24 * self.days * self.npus / self.failures


REPORTS = (
    Report(
        "Llama 3 405B",
        16_384,
        54,
        419,
        0.9,
        "466 interruptions, 47 of them planned",
        "The Llama 3 Herd of Models, arXiv 2407.21783, 3.3.4",
    ),
    Report(
        "OPT-175B",
        992,
        60,
        105,
        None,
        "at least 35 manual and an estimated 70 automatic restarts in 2 months, over 100 hosts replaced",
        "OPT: Open Pre-trained Transformer Language Models, arXiv 2205.01068, 2.5",
        "60 days: 'two months'",
    ),
    Report(
        "BLOOM 176B",
        384,
        105,
        22.5,
        None,
        "1 to 2 failures a week, a checkpoint of 2.3 TB every 3 hours, 4 spare nodes of 8",
        "The Technology Behind BLOOM Training, Hugging Face, 2022; arXiv 2211.05100",
        "22.5: 1.5 a week; 105 days: '3.5 months'",
    ),
    Report(
        "MegaScale, a production run",
        10_000,
        None,
        100,
        0.9,
        "over 100 restarts in several weeks on more than 10,000, found and tested in less than 10 minutes, caught up "
        "in 15 from the last checkpoint",
        "MegaScale, arXiv 2402.15627, 6.3",
    ),
    Report(
        "ByteRobust, a pre-training",
        9_600,
        90,
        None,
        0.97,
        "97 % of the time effective, over three months",
        "Robust LLM Training Infrastructure at ByteDance, arXiv 2509.16293, abstract",
        "90 days: 'three months'",
    ),
)


def reports() -> pd.DataFrame:
    """A row for each report, with the MTBF of one NPU that it makes.

    >>> from astra_edu.reliability.published import reports
    >>> reports().set_index("training")["npu_mtbf_h"].round(-2).dropna().to_dict()
    {'Llama 3 405B': 50700.0, 'OPT-175B': 13600.0, 'BLOOM 176B': 43000.0}
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "training": report.name,
                "NPUs": report.npus,
                "days": report.days,
                "failures": report.failures,
                "npu_mtbf_h": report.npu_mtbf_h,
                "effective at least": report.at_least,
                "told": report.told,
                "source": report.source,
                "unverified": report.unverified,
            }
            for report in REPORTS
        ]
    )
