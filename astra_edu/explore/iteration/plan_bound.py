"""What a plan that is begun can't be shorter than: memory has a price, and the cheapest rest is a shortest path.

With a price for each byte of memory, the best plan without a limit is found at once. Its ns and its price, less the
price of all the memory that there is, are a bound for every plan within the limit (Lagrangian relaxation; Handler and
Zang, Networks 10, 1980). Exposed exchanges count as 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

from astra_edu.explore.iteration.parts import Step
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.memory import FRAGMENTATION, lost_bytes

PRICES = 24
"""So many prices are tried."""


class Behind(NamedTuple):
    """What some operators' backward passes make of three times, in ns from the end of the passes so far, if these were
    never kept waiting: late, when they really end, free, when the network has its next turn, and exchanged, when the
    last collective ends. A time becomes the latest of what each of the three has added to it, a number for each pair;
    exchanged is in nobody's way.
    """

    late_late: float = 0.0
    late_free: float = -inf
    free_late: float = -inf
    free_free: float = 0.0
    exchanged_late: float = -inf
    exchanged_free: float = -inf
    exchanged_exchanged: float = 0.0

    def then(self, next_: Behind) -> Behind:
        """Both, one after the other."""
        ll, lf, fl, ff, el, ef, ee = self
        return Behind(
            max(next_.late_late + ll, next_.late_free + fl),
            max(next_.late_late + lf, next_.late_free + ff),
            max(next_.free_late + ll, next_.free_free + fl),
            max(next_.free_late + lf, next_.free_free + ff),
            max(next_.exchanged_late + ll, next_.exchanged_free + fl, next_.exchanged_exchanged + el),
            max(next_.exchanged_late + lf, next_.exchanged_free + ff, next_.exchanged_exchanged + ef),
            next_.exchanged_exchanged + ee,
        )

    def more(self, other: Behind) -> float:
        """By how much more ns, at most, it leaves any of the times than the other does."""
        return max(a - b if a > b else 0.0 for a, b in zip(self, other, strict=True))

    def of(self, free: float, exchanged: float) -> tuple[float, float, float]:
        """(late, free, exchanged) afterwards, the last two from when the passes really end, which come in time."""
        late = max(self.late_late, free + self.late_free)
        free, exchanged = (
            max(self.free_late, free + self.free_free),
            max(self.exchanged_late, free + self.exchanged_free, exchanged + self.exchanged_exchanged),
        )
        return late, free - late, exchanged - late


def behind(steps: Sequence[Step]) -> Behind:
    """Of a backward pass, as exchange.exposed_ns counts it."""
    whole = Behind()
    for step in reversed(steps):
        if turn := step.gathers_ns[1]:
            whole = whole.then(Behind(late_free=0.0, free_late=turn, free_free=turn))
        past = -step.backward_ns
        whole = whole.then(Behind(free_free=past, exchanged_exchanged=past))
        if step.exchange:
            turn, total = step.exchange.turn_ns, step.exchange.total_ns
            whole = whole.then(Behind(0.0, -inf, turn, turn, total, total, 0.0))
    return whole


class Choice(NamedTuple):
    """A strategy for a layer group: its ns in all micro-batches, bytes that it keeps, and what its backward pass does
    to Behind; at last bytes that it has for a moment."""

    strategy: Strategy
    ns: float
    kept: float
    behind: Behind
    moment: float = 0.0


Between = dict[tuple[int, int], Step]
"""(NPUs of the tensor groups before, after): what is sent between two layer groups, for one micro-batch."""


def whole_bytes(kept: float, moment: float) -> float:
    """What an NPU has to have: what all groups keep, what one of them has for a moment at most, and fragmentation."""
    return kept + moment + lost_bytes(kept + moment)


def kept_bytes(groups: Sequence[float]) -> float:
    """What all layer groups keep together, added up in the order of the search: the last bit decides about a limit."""
    whole = 0.0
    for own in reversed(groups):
        whole += own
    return whole


@dataclass(frozen=True)
class Table:
    """Of every layer group its choices, and what is sent before it. most: bytes that an NPU has. moment: those that
    are left for what any group has for a moment."""

    choices: Sequence[Sequence[Choice]]
    before: Sequence[Between]
    micro_batches: int
    most: float
    moment: float = 0.0

    def fits(self, kept: float) -> bool:
        """Whether an NPU can keep so many bytes."""
        return whole_bytes(kept, self.moment) <= self.most

    @property
    def room(self) -> float:
        """Bytes that can be kept, but for rounding."""
        return self.most * (1 - FRAGMENTATION) - self.moment

    def within(self, moment: float) -> Table | None:
        """With those choices alone that have no more bytes for a moment; None where a layer group has none."""
        few = [[choice for choice in choices if choice.moment <= moment] for choices in self.choices]
        return replace(self, choices=few, moment=moment) if all(few) else None

    def between_ns(self, g: int, tensor: int, next_: int) -> float:
        """Of what is sent before group g, in all micro-batches."""
        step = self.before[g].get((tensor, next_))
        return 0.0 if step is None else (step.forward_ns + step.backward_ns) * self.micro_batches

    def whole_ns(self, chosen: Sequence[Choice]) -> float:
        """An iteration with these choices, with its exposed exchange."""
        free, exchanged, ns = 0.0, 0.0, 0.0
        for g in reversed(range(len(chosen))):
            late, free, exchanged = chosen[g].behind.of(free, exchanged)
            ns += chosen[g].ns + late
            if g and (step := self.before[g].get((chosen[g - 1].strategy.tensor, chosen[g].strategy.tensor))):
                free, exchanged = free - step.backward_ns, exchanged - step.backward_ns
                ns += self.between_ns(g, chosen[g - 1].strategy.tensor, chosen[g].strategy.tensor)
        return ns + max(0.0, exchanged)


class Priced:
    """The cheapest first layer groups up to each, if a byte costs `price` ns."""

    def __init__(self, table: Table, price: float) -> None:
        """Find them."""
        self.table, self.price = table, price
        self.costs: list[dict[int, float]] = []
        self._chosen: list[dict[int, Choice]] = []
        for g, choices in enumerate(table.choices):
            costs: dict[int, float] = {}
            chosen: dict[int, Choice] = {}
            for choice in choices:
                tensor = choice.strategy.tensor
                cost = self.before(g, tensor) + choice.ns + price * choice.kept
                if cost < costs.get(tensor, inf):
                    costs[tensor], chosen[tensor] = cost, choice
            self.costs.append(costs)
            self._chosen.append(chosen)

    def before(self, g: int, tensor: int) -> float:
        """What all groups before g cost at least, with what is sent to group g with such tensor groups."""
        if not g:
            return 0.0
        return min(cost + self.table.between_ns(g, t, tensor) for t, cost in self.costs[g - 1].items())

    @property
    def bound_ns(self) -> float:
        """What no plan within the limit can be below."""
        return min(self.costs[-1].values()) - (self.price * self.table.room if self.price else 0.0)

    @property
    def chosen(self) -> list[Choice]:
        """The cheapest plan, which may be beyond the limit."""
        tensor = min(self.costs[-1], key=self.costs[-1].__getitem__)
        found = []
        for g in reversed(range(len(self.costs))):
            found.append(self._chosen[g][tensor])
            if g:
                costs = self.costs[g - 1]
                tensor = min(costs, key=lambda t: costs[t] + self.table.between_ns(g, t, tensor))
        return found[::-1]


def relaxed(table: Table) -> tuple[list[Priced], list[Choice] | None]:
    """(two prices whose bounds are good: none, and the best that was tried; the best plan found within the limit)."""
    free = Priced(table, 0.0)
    best: list[Choice] | None = None
    best_ns = inf
    tried = [free]
    low, high = 0.0, max((choice.ns for choices in table.choices for choice in choices), default=1.0)
    for _ in range(PRICES):
        chosen = tried[-1].chosen
        fits = table.fits(kept_bytes([choice.kept for choice in chosen]))
        if fits and (ns := table.whole_ns(chosen)) < best_ns:
            best, best_ns = chosen, ns
        price = tried[-1].price
        if fits and not price:
            break
        low, high = (low, price) if fits else (max(low, price), high)
        tried.append(Priced(table, (low * high) ** 0.5 if low else high / 2**40 if len(tried) == 1 else high / 16))
    return [free, max(tried, key=lambda each: each.bound_ns)], best
