"""Three things that were measured and look impossible, what can be said for them, and what people say."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from astra_edu.course.check.asked import Answer, call, listed
from astra_edu.course.check.question import question
from astra_edu.course.check.verdict import NoAnswerError, Verdict
from astra_edu.measured import runs
from astra_edu.workload.compute import machine

if TYPE_CHECKING:
    from pandas import DataFrame, Series

REASONS: Mapping[str, str] = {
    "sparsity": "half of each matrix is zero and is left out, so that the peak is twice as high",
    "bits": "the numbers that are multiplied have fewer bits, and for these the peak is higher",
    "recomputed": "one of the two figures counts what is computed again, the other one doesn't",
    "spread": "runs that are alike in all that is known of them take different times all the same",
    "hidden": "communication is hidden behind computing",
    "false": "it can't be: the source is wrong",
}
"""What `why` may say."""
WHY = ("bits", "recomputed", "spread")
OUTCOMES = ("iter_time_ms", "tokens_per_s_per_gpu", "tflops_per_gpu", "mfu_pct", "hfu_pct", "mem_GB", "note")
"""Columns of what came of a run; the others say what was run."""


@lru_cache(maxsize=1)
def rows() -> tuple[DataFrame, DataFrame, DataFrame]:
    """The measured rows of each: a run, a run, and two of one job."""
    every = runs()
    fast = every.query("source_id == 'megatron_bridge' and precision == 'NVFP4'").nlargest(1, "tflops_per_gpu")
    both = every.query("source_id == 'mpt' and hfu_pct > mfu_pct").nlargest(1, "hfu_pct")
    job = [name for name in every.columns if name not in OUTCOMES]
    some = every.query("source_id == 'nanotron' and iter_time_ms > 0")
    times = some.groupby(job, dropna=False).iter_time_ms
    apart = times.transform("max") / times.transform("min")
    return fast, both, some[apart > 1.05]


def _on(row: Series) -> str:
    return f"{row.source_id}, row {row.name}: {row.model} on {row.gpus} {row.hardware}"


def surprises() -> tuple[str, str, str]:
    """What is surprising, in words.

    >>> from astra_edu.course.check import ex16
    >>> [words.split(",")[0] for words in ex16.surprises()]
    ['megatron_bridge', 'mpt', 'nanotron']
    """
    fast, both, twins = rows()
    one, other = fast.iloc[0], both.iloc[0]
    peak = machine(one.hardware).device.peak(16) / 1e12
    names = " and ".join(map(str, twins.index))
    times = " and ".join(f"{ms:,.0f} ms" for ms in sorted(twins.iter_time_ms))
    job = twins.iloc[0]
    return (
        f"{_on(one)}: {one.tflops_per_gpu:,.0f} TFLOP/s on each. In 16 bits its peak is {peak:,.0f}.",
        f"{_on(other)}: of the peak {other.mfu_pct:g} % are reached by the MFU, {other.hfu_pct:g} % by the HFU.",
        f"{job.source_id}, rows {names}: {job.model} on {job.gpus} {job.hardware}, alike in all that says what was "
        f"run. An iteration takes {times}.",
    )


_OTHER: Mapping[str, str] = {
    "sparsity": "Nobody trains with half of each matrix left out, and none of these sources says so.",
    "bits": "Look at `precision`: these numbers have 16 bits.",
    "recomputed": "Does anything in it differ by what is computed again?",
    "spread": "Two runs of one job differ by some per cent; is that enough here?",
    "hidden": "Hiding makes exposed communication shorter. Does that explain what is above, or different?",
    "false": "Which law would it break? If you find none, it is possible.",
}
_NOT_SO: tuple[Mapping[str, str], ...] = (
    {"false": "The peak that it is compared with is that of 16 bits. Does it multiply numbers of 16 bits?"},
    {
        "spread": "Both figures are of one run. What does each of them count?",
        "false": "HFU above MFU is how it should be where something is computed again; below would be a lie.",
    },
    {
        "false": "Is there a law that says a machine takes the same time twice? `measured.ranges` has how far runs "
        "spread.",
        "recomputed": "Both rows are of the same job: what is computed again is the same, too.",
    },
)


@question
def why(answer: Answer) -> Verdict:
    """why(): for each of `surprises()` its reason, a key of REASONS; a list of three."""
    try:
        given = listed(call(answer, {}))
    except NoAnswerError as problem:
        return problem.verdict
    if given is None or len(given) != len(WHY) or not all(isinstance(key, str) and key in REASONS for key in given):
        return Verdict(False, f"Return a list of three of {', '.join(REASONS)}: a reason for each, in order.")
    if tuple(given) == WHY:
        return Verdict(True, "Right: all three were measured, and none breaks a law.")
    place = next(k for k, (mine, right) in enumerate(zip(given, WHY, strict=True)) if mine != right)
    words = _NOT_SO[place].get(given[place]) or _OTHER[given[place]]
    return Verdict(False, f"Number {place + 1} isn't because of “{given[place]}”. {words}")
