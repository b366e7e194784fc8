"""What became of the strategies that a search for the fastest was given."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

SHOWN = 3
"""Reasons for refusals that the table has."""
LONG = 70


@dataclass(frozen=True)
class Searched:
    """How many strategies there were, and how many of them were refused, didn't fit, and were estimated whole.

    refused: how many by each reason, in whose words numbers are left out. interrupted: whether the search was; then the
    rest was not looked at to the end, else no bound of it is below the fastest.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> found = ae.fastest("gpt2", ae.candidates("gpt2", 8, 16), "v100", pods, fits=True)
    >>> found.searched.not_fitting + found.searched.estimated + found.searched.rest == found.searched.candidates == 243
    True
    """

    candidates: int
    refused: Mapping[str, int]
    not_fitting: int
    estimated: int
    interrupted: bool = False

    @property
    def rest(self) -> int:
        """How many were cut by their bound, or not reached."""
        return self.candidates - sum(self.refused.values()) - self.not_fitting - self.estimated

    @property
    def lines(self) -> dict[str, str]:
        """For a table, by names for people."""
        most = sorted(self.refused.items(), key=lambda each: -each[1])
        reasons = [f"{count:,}: {why if len(why) <= LONG else why[: LONG - 1] + '…'}" for why, count in most[:SHOWN]]
        refused = [f"{sum(self.refused.values()):,}", *reasons, *(["…"] if len(most) > SHOWN else [])]
        return {
            "fastest of": f"{self.candidates:,} strategies{', interrupted' if self.interrupted else ''}",
            "  refused": "; ".join(refused),
            "  not fitting": f"{self.not_fitting:,}",
            ("  not reached" if self.interrupted else "  cut by bound"): f"{self.rest:,}",
            "  estimated": f"{self.estimated:,}",
        }


def reason(error: Exception) -> str:
    """Why something is refused, without its numbers.

    >>> from astra_edu.explore.iteration.searched import reason
    >>> reason(ae.ConfigError("24 blocks can't be cut into 16 stages."))
    "… blocks can't be cut into … stages."
    """
    return re.sub(r"\d[\d,.]*(?<!\.)", "…", str(error))
