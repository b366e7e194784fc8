"""How long each link was busy in a recorded run, and which of them hold up the others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_ns
from astra_edu.network.links import Use
from astra_edu.network.shortest import LinkName, natural

if TYPE_CHECKING:
    from astra_edu.run.trace_result import TraceResult

KINDS = ("NPU → NPU", "NPU → switch", "switch → switch", "switch → NPU")
"""What a link can lead from and to, in the order in which links are listed."""
SAME = 0.01
"""Links whose busy shares differ by less are said to be as busy."""


class LinkTime(NamedTuple):
    """What a link had to do: messages and their bytes, ns in which it sent, that as a share of the run, longest wait.

    A message waits from when it reaches a link until its first byte is sent.
    """

    link: LinkName
    messages: int
    size: int
    busy_ns: int
    share: float
    longest_wait_ns: int


def uses_of(result: TraceResult) -> dict[LinkName, list[Use]]:
    """What was on each link, in the order of their names. Raises ConfigError where nothing was recorded."""
    if not getattr(result, "uses", ()):
        raise ConfigError(
            "this run has no record of its links; use ae.simulate(trace, platform, record=True) with a TracePlatform "
            "that is congestion_aware=True, a trace that sends something, and no other network= (what such a one has "
            "to say is in result.statistics)."
        )
    found: defaultdict[LinkName, list[Use]] = defaultdict(list)
    for use in result.uses:
        found[use.link].append(use)
    return {link: found[link] for link in sorted(found, key=_order)}


def link_times(result: TraceResult) -> list[LinkTime]:
    """All links that were used, the busiest first; equally busy ones in the order of their names."""
    found = [
        LinkTime(
            link,
            len(uses),
            sum(use.size for use in uses),
            busy := sum(use.free_ns - use.start_ns for use in uses),
            busy / result.total_ns,
            max(use.start_ns - use.queued_ns for use in uses),
        )
        for link, uses in uses_of(result).items()
    ]
    return sorted(found, key=lambda time: -time.busy_ns)


def bottleneck(result: TraceResult) -> str:
    """Which links are busiest and for what share of the run, where messages wait longest, and what that means."""
    times = link_times(result)
    first = times[0]
    alike = [time for time in times if first.share - time.share < SAME]
    one = len(alike) == 1
    name = f"the link {link_name(first.link)} is" if one else f"{len(alike)} of {len(times)} links are"
    sentences = [f"{name[0].upper()}{name[1:]} busiest: {_percent(first.share)} of {format_ns(result.total_ns)}."]
    if not one:
        kinds = " and ".join(kind for kind in KINDS if any(kind_of(time.link) == kind for time in alike))
        sentences.append(f"They lead {kinds}; the first is {link_name(first.link)}.")
    rest = times[len(alike) :]
    if rest:
        sentences.append(
            f"The other {len(rest)} are busy for {_percent(sum(t.share for t in rest) / len(rest))} in the mean."
        )
    waits = max(times, key=lambda time: time.longest_wait_ns)
    if waits.longest_wait_ns:
        sentences.append(
            f"The longest wait is {format_ns(waits.longest_wait_ns)}, in front of {link_name(waits.link)}."
        )
    else:
        sentences.append("No message waits for a link.")
    if first.share < 0.5:
        sentences.append("No link is busy for half of the time: latencies, endpoints or other NPUs are waited for.")
    return " ".join(sentences)


def kind_of(link: LinkName) -> str:
    """One of KINDS."""
    return " → ".join("switch" if isinstance(end, str) else "NPU" for end in link)


def link_name(link: LinkName) -> str:
    """Such as "0 → switch 0.0"."""
    return f"{link[0]} → {link[1]}"


def _order(link: LinkName) -> tuple[int, object, object]:
    return KINDS.index(kind_of(link)), natural(link[0]), natural(link[1])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
