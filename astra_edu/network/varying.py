"""Links whose bandwidth varies over the time, as a function of one's own says: slower, broken for a while, for ever.

Otherwise this is the congestion-aware network (links.py). A message that is on a link when its bandwidth changes goes
on with the new one: its bytes are the sum of bandwidth × time, calculated in fractions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import Any, Protocol

from astra_edu.base.errors import ConfigError, answer_of, function, list_of, shown, whole
from astra_edu.base.units import bytes_per_ns, format_ns, several
from astra_edu.network.block import Block
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.links import Link, Links, Travel, Use
from astra_edu.network.shortest import LinkName

Share = Callable[[LinkName, int], float]
"""share(link, ns) of the link's bandwidth that there is from ns on, until the next change."""
Latency = Callable[[LinkName, int, float], float]
"""latency(link, number, ns) of the link's number-th message (from 0), where the link's latency is ns."""
MOST_CHANGES = 100_000
"""In which a link carries nothing: from there on it is taken to be broken for good."""
MOST_FOR_A_MESSAGE = 1_000_000
"""Changes while one message is on a link; more than a second."""


class HasLinks(Protocol):
    """What is asked of a platform."""

    @property
    def network(self) -> tuple[Block, ...] | GraphNetwork:
        """Its links."""

    @property
    def congestion_aware(self) -> bool:
        """Whether messages wait for each other on them."""


@dataclass(frozen=True)
class Varying:
    """For `simulate(..., network=)`: the platform's links with a bandwidth, or a latency, that varies.

    bandwidth: bandwidth(link, ns) gives the share of a link's bandwidth that there is; 0: it carries nothing. A link is
    (from, to), NPUs as numbers and switches by their names, such as (0, 1) or (3, "switch 0.0"). changes: the times
    (ns) at which that may change, in ascending order, or a number: every so many ns. Between them it is constant.
    latency: latency(link, number, ns) gives the latency in ns that a link's number-th message has in place of ns; such
    as ae.jitter(0.2).

    The platform must be congestion-aware. Raises ConfigError for a bandwidth that has changed at another time.

    >>> system = ae.TraceSystem.of("ring", splits=1)
    >>> ring = ae.TracePlatform(ae.Block("Ring", 4, 50, 500), system, congestion_aware=True)
    >>> trace = ae.traces.collective("all_reduce", "64 MiB", npus=4)
    >>> slow = lambda link, ns: 0.25 if link == (0, 1) and 1_000_000 <= ns < 2_000_000 else 1
    >>> varying = ae.Varying(slow, changes=(1_000_000, 2_000_000))
    >>> for network in (None, varying):
    ...     print(ae.simulate(trace, ring, network=network).total_ns)
    1878070
    2628070
    """

    bandwidth: Share | None = None
    changes: int | Iterable[int] = ()
    latency: Latency | None = None

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            function("bandwidth", self.bandwidth, "give a function of a link and ns that returns a share")
        if self.latency is not None:
            function("latency", self.latency, "give a function of a link, a number and ns that returns ns")
        if isinstance(self.changes, (int, float)):
            every: int | tuple[int, ...] = whole("changes", self.changes, at_least=1)
        else:
            right = "give times in ns, or every so many ns as a number"
            given = list_of("changes", self.changes, right)
            every = tuple(whole("a time in changes", time, at_least=1) for time in given)
            if any(a >= b for a, b in pairwise(every)):
                raise ConfigError(f"changes is {shown(every, 80)}; give times in ascending order.")
        object.__setattr__(self, "changes", every)

    def __call__(self, platform: HasLinks) -> VaryingLinks:
        """The network of a run."""
        if not platform.congestion_aware:
            raise ConfigError(
                "links vary, but without congestion messages know nothing of links; give the platform "
                "congestion_aware=True."
            )
        return VaryingLinks(platform.network, self)


class VaryingLinks(Links):
    """The congestion-aware network with links that vary."""

    def __init__(self, network: tuple[Block, ...] | GraphNetwork, how: Varying) -> None:
        """All links are free."""
        super().__init__(network)
        self.how = how
        self._rates: dict[tuple[LinkName, int], float] = {}
        self._counts: dict[LinkName, int] = {}
        self._met = self._looked = 0
        self._broken: dict[LinkName, tuple[Link, int]] = {}

    def statistics(self) -> Mapping[str, Any]:
        """How many links were used, and how many messages met a change of bandwidth on the way."""
        return {**super().statistics(), "messages_that_met_a_change": self._met}

    def blocked(self) -> str:
        """Which links carry nothing any more, and how many messages that holds up."""
        said = []
        for (tail, head), (link, since) in self._broken.items():
            waiting = f", {several(len(link.queue), 'other')} behind it" if link.queue else ""
            nothing = f"the link {tail} -> {head} carries nothing from {format_ns(since)} on"
            said.append(f"{nothing}, with a message on it{waiting}")
        return "; ".join(said)

    def _start(self, link: Link, travel: Travel) -> None:
        link.busy = True
        size, now = travel.size, self.now
        latency = self._latency(link)
        took = self._carried_ns(link, size)
        if took is None:
            return
        occupied, crossing = int(took), int(latency + took)
        self.schedule(now + crossing, self._there, travel)
        self.schedule(now + occupied, self._free, link)
        if self.uses is not None:
            self.uses.append(Use(link.name, size, travel.queued_ns, now, now + occupied, now + crossing))

    def _latency(self, link: Link) -> float | Fraction:
        """Of the next message on a link."""
        ns = link.block.latency
        if self.how.latency is None:
            return ns
        number = self._counts[link.name] = self._counts.get(link.name, -1) + 1
        return _checked(
            answer_of("latency", self.how.latency, link.name, number, ns),
            f"latency({link.name}, {number}, {ns:g})",
            "ns",
        )

    def _carried_ns(self, link: Link, size: int) -> float | Fraction | None:
        """How long a link needs for so many bytes from now on; None where it never carries them."""
        now: int = self.now
        at = now
        self._looked = 0
        left: int | Fraction = size
        self._known(link, now)
        while True:
            rate = self._rate(link, at)
            change = self._next_rate(link, at, rate, left)
            if rate and (change is None or left <= Fraction(rate) * (change - at)):
                break
            if change is None:
                self._broken[link.name] = link, at
                return None
            self._look(link)
            left -= Fraction(rate) * (change - at)
            at = change
        if at == now:
            return size / rate
        self._met += 1
        return at - now + left / Fraction(rate)

    def _next_rate(self, link: Link, ns: int, rate: float, left: int | Fraction) -> int | None:
        """The next change to another rate; None if there is none, or none before `left` bytes are carried."""
        change, looked = self._change(ns), 0
        while change is not None and self._rate(link, change) == rate:
            looked += 1
            self._look(link)
            if rate * (change - ns) > left or (not rate and looked > MOST_CHANGES):
                return None
            change = self._change(change)
        return change

    def _look(self, link: Link) -> None:
        """Raise ConfigError where a message meets too many changes."""
        self._looked += 1
        if self._looked > MOST_FOR_A_MESSAGE:
            tail, head = link.name
            raise ConfigError(
                f"a message meets more than {MOST_FOR_A_MESSAGE:,} changes of the bandwidth on the "
                f"link {tail} -> {head}; give changes that are further apart, or larger shares."
            )

    def _change(self, ns: int) -> int | None:
        """The next one after ns."""
        changes = self.how.changes
        if isinstance(changes, int):
            return (ns // changes + 1) * changes
        assert isinstance(changes, tuple)
        place = bisect_right(changes, ns)
        return changes[place] if place < len(changes) else None

    def _last(self, ns: int) -> int:
        """The last change until ns; 0 before the first."""
        changes = self.how.changes
        if isinstance(changes, int):
            return ns // changes * changes
        assert isinstance(changes, tuple)
        place = bisect_right(changes, ns)
        return changes[place - 1] if place else 0

    def _rate(self, link: Link, ns: int) -> float:
        """Bytes per ns from the last change on."""
        key = link.name, self._last(ns)
        rate = self._rates.get(key)
        if rate is None:
            rate = self._rates[key] = bytes_per_ns(self._share(link, key[1]) * link.block.bandwidth)
        return rate

    def _share(self, link: Link, ns: int) -> float:
        if self.how.bandwidth is None:
            return 1.0
        return _checked(
            answer_of("bandwidth", self.how.bandwidth, link.name, ns), f"bandwidth({link.name}, {ns})", "a share"
        )

    def _known(self, link: Link, ns: int) -> None:
        """Raise ConfigError where the bandwidth is another one now than at the last change."""
        last = self._last(ns)
        then, now = self._share(link, last), self._share(link, ns)
        if then != now:
            raise ConfigError(
                f"bandwidth({link.name}, ns) is {then:g} at {last} ns and {now:g} at {ns} ns, but changes has no time "
                "between them (if it is by chance, let it depend on the link and ns alone)."
            )


def _checked(found: object, what: str, unit: str) -> float:
    if isinstance(found, bool) or not hasattr(found, "__float__") or not isfinite(found) or found < 0:  # type: ignore[operator]
        raise ConfigError(f"{what} gave {shown(found)}; give {unit}, 0 or more.")
    return float(found)
