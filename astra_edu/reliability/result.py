"""What a job has done with its time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.units import several
from astra_edu.reliability.job import HOUR_S, TrainingJob

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("useful", "checkpoint", "lost", "restart", "waiting", "shrunk")
"""What a job's time goes to. waiting: for a spare, or for storage that is busy with the checkpoint before. shrunk: the
share of NPUs that are missing while the others train."""
DAY_S = 24 * HOUR_S


class JobSpan(NamedTuple):
    """What all did from start_s to end_s: one of KINDS, with so many nodes.

    >>> job = ae.TrainingJob(8, iteration_s=10, npu_mtbf_h=1000, checkpoint_every=100, checkpoint_bytes="1 TB",
    ...                      storage_gb_s=10)
    >>> ae.goodput(job, days=1).spans[1]
    JobSpan(kind='checkpoint', start_s=1000.0, end_s=1100.0, nodes=8)
    """

    kind: str
    start_s: float
    end_s: float
    nodes: int


@dataclass(frozen=True, eq=False)
class Goodput:
    """A job over `days`, as one seed has its failures.

    spans: what was done when. failures_s: when something failed. What is trained but not stored at the end is useful.

    >>> job = ae.TrainingJob(16_384, iteration_s=10, npu_mtbf_h=50_000, checkpoint_every=100,
    ...                      checkpoint_bytes="6 TB", storage_gb_s=100, restart_s=600)
    >>> ae.goodput(job, days=54)
    <goodput 84.2 % of 54 days: 467 failures; checkpoint 5.1 %, lost 4.9 %, restart 5.8 %>
    """

    job: TrainingJob
    days: float
    seed: int
    spans: Sequence[JobSpan] = field(repr=False)
    failures_s: Sequence[float] = field(repr=False)

    @property
    def total_s(self) -> float:
        """How long was looked at."""
        return self.days * DAY_S

    @cached_property
    def seconds(self) -> Mapping[str, float]:
        """The seconds of each of KINDS; together total_s."""
        found = dict.fromkeys(KINDS, 0.0)
        for span in self.spans:
            there = span.nodes / self.job.nodes if span.kind == "useful" else 1
            found[span.kind] += there * (span.end_s - span.start_s)
            found["shrunk"] += (1 - there) * (span.end_s - span.start_s)
        return found

    def share_of(self, kind: str) -> float:
        """The share of the time that one of KINDS takes."""
        return self.seconds[kind] / self.total_s

    @property
    def share(self) -> float:
        """The goodput: useful time, of all time."""
        return self.share_of("useful")

    @property
    def iterations(self) -> float:
        """How many iterations are kept."""
        assert isinstance(self.job.iteration_s, float)
        return self.seconds["useful"] / self.job.iteration_s

    @property
    def lost_npu_h(self) -> float:
        """NPU hours of work that had to be done again."""
        lost = (span for span in self.spans if span.kind == "lost")
        return sum(span.nodes * (span.end_s - span.start_s) for span in lost) * self.job.node_npus / HOUR_S

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each of KINDS: hours, and the share of all time."""
        import pandas as pd

        return pd.DataFrame(
            [{"kind": kind, "hours": self.seconds[kind] / HOUR_S, "share": self.share_of(kind)} for kind in KINDS]
        )

    def __repr__(self) -> str:
        rest = ", ".join(
            f"{kind} {100 * self.share_of(kind):.1f} %" for kind in KINDS[1:] if self.share_of(kind) >= 0.0005
        )
        failed = several(len(self.failures_s), "failure")
        head = f"<goodput {100 * self.share:.1f} % of {several_days(self.days)}: {failed}"
        return f"{head}; {rest}>" if rest else f"{head}>"


def several_days(days: float) -> str:
    """ "1 day", "54 days"."""
    return f"{days:g} day{'' if days == 1 else 's'}"
