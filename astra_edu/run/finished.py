"""Runs in which nothing happens any more though NPUs have more to do: how many never finish, and what stops them."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.network.lanes import Key
from astra_edu.traces.npu import TraceNpu


def check_finished(
    npus: Sequence[TraceNpu],
    unmatched: Sequence[tuple[Key, bool]],
    blocked: str = "",
    stands_for: Sequence[int] | None = None,
) -> None:
    """Raise ConfigError where an NPU never finishes, and say what it waits for.

    npus: those that were followed. unmatched: (tag, source, destination, bytes) of what never found its other end, and
    whether it was sent. stands_for: for each NPU who was followed in its place, where it wasn't itself.
    """
    stuck = {npu.npu: npu for npu in npus if npu.finished_ns is None}
    if not stuck:
        return
    everyone = [npu.npu for npu in npus] if stands_for is None else stands_for
    count = sum(followed in stuck for followed in everyone)
    npu = stuck[min(stuck)]
    on_the_way, waiting = npu.waiting()
    parts = [f"{count:,} of {len(everyone):,} NPUs never finish; first {npu.where}"]
    if on_the_way:
        names = {ran.id: ran for ran in npu.nodes}
        parts.append(f"node {on_the_way[0]} ({names[on_the_way[0]].name}) never ends")
    elif waiting:
        parts.append(
            f"node {waiting[0]} is never started (after an INVALID or METADATA node ASTRA-sim looks for nodes to start "
            "only when something else ends)"
        )
    if blocked:
        raise ConfigError("; ".join([*parts, blocked]) + ".")
    if unmatched:
        (tag, source, destination, size), sent = min(unmatched, key=_by_npus)
        what = "sends it, but no receive" if sent else "is waited for, but no send"
        parts.append(
            f"NPU {source} to NPU {destination}, tag {tag}, {size} bytes: it {what} with the same tag and size comes"
        )
    raise ConfigError("; ".join(parts) + ".")


def _by_npus(one: tuple[Key, bool]) -> tuple[int, bool, int, int, int, int]:
    """The lowest NPU that waits comes first, and with what it waits for before what it has sent."""
    (tag, source, destination, size), sent = one
    return source if sent else destination, sent, source, destination, tag, size
