"""Which of ASTRA-sim's files a text looks like, for error sentences."""

from __future__ import annotations


def looks_like(text: str) -> str:
    """The end of an error sentence for a file that is another kind of ASTRA-sim's files; empty if it is none."""
    start = text.lstrip()[:1]
    if start == "{":
        return " It looks like a network file."
    if "scheduling-policy:" in text:
        return " It looks like a system file."
    if "ALLREDUCE" in text or "ALLTOALL" in text:
        return " It looks like a workload file."
    return ""
