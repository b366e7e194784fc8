"""The fastest of many strategies: what has the lowest bound is looked at more closely, until that is a whole iteration.

First comes what is computed alone, then that with what micro-batches wait for, then what stages take with all that they
send, then the pipeline; each is a bound for what comes after it. Where messages of a collective share links, all of it
is at the links' rate, and what the model of ASTRA-sim says beside that is asked of the fastest alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.explore.iteration.compute_bound import compute_bound_ns, waited_bound_ns
from astra_edu.explore.iteration.estimate import iteration, on_links
from astra_edu.explore.iteration.groups import groups
from astra_edu.explore.iteration.result import Iteration
from astra_edu.explore.iteration.searched import Searched, reason
from astra_edu.explore.iteration.stage_times import StageTimes, stage_times, stage_times_on_links
from astra_edu.run.interrupted import Interrupted
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.strategies import Memory, Strategy
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.memory import memory_of
from astra_edu.workload.strategies.precision import check_multiplied

FEW = 10_000
"""Strategies of which the fastest is found soon enough to need no bar."""


class _Fits(NamedTuple):
    """A strategy that isn't too large."""

    strategy: Strategy


class BestFirst:
    """A search among strategies; what it knows of them stays when it is interrupted.

    too_large: what those keep that don't fit, by their places. problem: why one was refused.
    """

    def __init__(self, about: Abridged, several: Sequence[Strategy], device: Device, platform: Platform) -> None:
        """Nothing is looked at yet."""
        self.about, self.several, self.device, self.platform = about, several, device, platform
        self.too_large: dict[int, Memory] = {}
        self.problem = ConfigError("there are no strategies to choose the fastest from.")
        self._refused = Counter[str]()
        self._groups: dict[tuple[object, ...], dict[str, Platform]] = {}
        self._looked_at = 0
        self._estimated = 0
        self._best: tuple[float, int] | None = None
        self._alike = len({strategy.samples for strategy in several}) < 2

    def fastest(self, fits: bool) -> Iteration | None:
        """The shortest iteration, of different batches for each sample, of equal ones the first; None where none is
        left. fits: leave out what doesn't.

        Raises Interrupted with the best so far, where one is known.
        """
        try:
            with Bar("the fastest", " strategies", len(self.several)) as bar:
                place = self._search(fits, bar)
            return None if place is None else self._whole(place)
        except KeyboardInterrupt:
            if self._best is None:
                raise
            so_far = self._whole(self._best[1], interrupted=True)
            done = f"{self._looked_at:,} of {len(self.several):,} strategies"
            raise Interrupted(so_far, done, "the fastest that was estimated") from None

    def _search(self, fits: bool, bar: Bar) -> int | None:
        """The place of the fastest."""
        about, device, platform = self.about, self.device, self.platform
        queue: list[tuple[float, int, Strategy | _Fits | StageTimes | None]] = []
        for place, strategy in enumerate(self.several):
            try:
                check_multiplied(device, strategy)
                queue.append((self._each(compute_bound_ns(about, strategy, device), place), place, strategy))
            except ConfigError as error:
                self._refuse(error)
        heapify(queue)
        while queue:
            _, place, known = heappop(queue)
            if known is None:
                return place
            try:
                if isinstance(known, StageTimes):
                    total_ns = self._each(on_links(known), place)
                    self._estimated += 1
                    self._best = min(self._best or (total_ns, place), (total_ns, place))
                    heappush(queue, (total_ns, place, None))
                    continue
                if isinstance(known, _Fits):
                    times = stage_times_on_links(about, known.strategy, device, platform)
                    heappush(queue, (self._each(times.bound_ns, place), place, times))
                    continue
                self._looked_at += 1
                if len(self.several) > FEW or bar.told:
                    bar.show(self._looked_at)
                if fits and not (kept := memory_of(about, known)).fits(device):
                    self.too_large[place] = kept
                    continue
                bound = waited_bound_ns(about, known, device, self._networks(known))
                heappush(queue, (self._each(bound, place), place, _Fits(known)))
            except ConfigError as error:
                self._refuse(error)
        return None

    def _each(self, ns: float, place: int) -> float:
        """What strategies are compared by: an iteration's time, of different batches that of a sample."""
        return ns if self._alike else ns / self.several[place].samples

    def _refuse(self, error: ConfigError) -> None:
        """Count a strategy that the model or the platform can't have."""
        self.problem = error
        self._refused[reason(error)] += 1

    def _networks(self, strategy: Strategy) -> dict[str, Platform]:
        """The parts of the network of its groups, looked for once for groups of the same sizes."""
        names = ("placement", "tensor", "data", "pipeline", "context", "expert", "shard_group")
        key = tuple(getattr(strategy, name) for name in names)
        if key not in self._groups:
            self._groups[key] = groups(self.platform, strategy)
        return self._groups[key]

    def _whole(self, place: int, interrupted: bool = False) -> Iteration:
        """An iteration by one of the strategies, and what became of the others."""
        found = iteration(stage_times(self.about, self.several[place], self.device, self.platform))
        refused, too_large = dict(self._refused), len(self.too_large)
        return replace(found, searched=Searched(len(self.several), refused, too_large, self._estimated, interrupted))
