"""By how many per cent a total changes for one per cent of an input, and what changes nothing. All is simulated.

The elasticity of an input x is d ln(total) / d ln(x): -1 where the total halves with twice the bandwidth, +1 where it
doubles with twice the bytes, 0 where nothing changes. It is taken from two runs, with a little less and a little more
(for counts: the next ones), as ln(total_more / total_less) / ln(x_more / x_less), which is exact for a power of x.

Times are whole ns, and a step has to be large against that: it is the smallest of STEPS for which rounding can't move
an elasticity by more than ROUNDING, or the largest. The column "rounding" says by how much it still can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.base.progress import Bar
from astra_edu.explain.inputs import Choice, Input, Inputs, Outcome

if TYPE_CHECKING:
    import pandas as pd

STEPS = (1.01, 1.02, 1.05, 1.1)
ROUNDING = 0.01
KINK = 0.1
"""Elasticities below and above that differ by more than this, and rounding, show a jump or a kink."""


@dataclass(frozen=True)
class Elasticity:
    """What came of an input's change: less, more: with a little less and more, as far as these could be simulated."""

    input: Input
    tried: tuple[Outcome, ...]
    total_ns: float
    rounded: float

    @property
    def ends(self) -> tuple[Outcome, Outcome] | None:
        """The outcomes that are compared; None where there is nothing to compare with."""
        every = sorted({Outcome(self.input.value, self.total_ns), *self.tried})
        if every[0].value == every[-1].value:
            return None
        return every[0], every[-1]

    @property
    def value(self) -> float:
        """The elasticity; NaN where no other value could be simulated."""
        if self.ends is None:
            return float("nan")
        return _slope(*self.ends)

    @property
    def rounding(self) -> float:
        """By how much it may be wrong as times are whole ns."""
        if self.ends is None:
            return float("nan")
        less, more = self.ends
        return self.rounded / self.total_ns / log(more.value / less.value)

    @property
    def smooth(self) -> bool:
        """Whether less and more of it tell the same; else the total jumps or has a kink here."""
        if self.ends is None or self.input.value in (self.ends[0].value, self.ends[1].value):
            return True
        less, more = self.ends
        here = Outcome(self.input.value, self.total_ns)
        below, above = _slope(less, here), _slope(here, more)
        return abs(above - below) <= KINK + 4 * self.rounding

    @property
    def nothing(self) -> bool:
        """Whether the total was the same each time."""
        return self.ends is not None and all(total == self.total_ns for _, total in self.tried)


class Dependence:
    """What a run's total depends on, found when it is asked for. total_ns: of the run as it is."""

    def __init__(self, total_ns: float, inputs: Callable[[], Inputs]) -> None:
        """Nothing is simulated yet."""
        self._total_ns = total_ns
        self._inputs = inputs

    @cached_property
    def inputs(self) -> Inputs:
        """All inputs, without those whose value is 0."""
        found = self._inputs()
        return found._replace(numbers=tuple(each for each in found.numbers if each.value))

    @cached_property
    def found(self) -> tuple[Elasticity, ...]:
        """Of all numbers."""
        numbers, step = self.inputs.numbers, self._step
        with Bar("elasticities", " inputs", len(numbers)) as bar:
            found = []
            for k, each in enumerate(numbers):
                values = each.others or (each.value / step, each.value * step)
                found.append(Elasticity(each, self._tried(each, values), self._total_ns, self.inputs.rounded))
                bar.show(k + 1)
        return tuple(found)

    @property
    def _step(self) -> float:
        for step in STEPS:
            if self.inputs.rounded <= ROUNDING * 2 * log(step) * self._total_ns:
                return step
        return STEPS[-1]

    @staticmethod
    def _tried(each: Input, values: tuple[float, ...]) -> tuple[Outcome, ...]:
        found = []
        for value in values:
            with suppress(ConfigError):
                found.append(each.at(value))
        return tuple(found)

    @cached_property
    def elasticities(self) -> pd.DataFrame:
        """A row for each number: value, unit, less and more of it, elasticity, what rounding can make of it, smooth.

        The largest elasticities come first.
        """
        import pandas as pd

        rows = {
            each.input.name: (each.input.value, each.input.unit, *_ends(each), each.value, each.rounding, each.smooth)
            for each in sorted(self.found, key=lambda each: -abs(each.value))
        }
        columns = ["value", "unit", "less", "more", "elasticity", "rounding", "smooth"]
        return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("input")

    @cached_property
    def independent_of(self) -> pd.DataFrame:
        """A row for each number and choice that changes nothing: what was tried, and the reason where it is known."""
        import pandas as pd

        rows = {name: (tried, why) for name, tried, why in self._numbers()}
        rows |= {name: (tried, why) for name, tried, why in self._choices()}
        return pd.DataFrame.from_dict(rows, orient="index", columns=["tried", "reason"]).rename_axis("input")

    def _numbers(self) -> Iterator[tuple[str, str, str]]:
        """Those that change nothing, even halved and doubled."""
        for each in self.found:
            if not each.nothing:
                continue
            one = each.input
            further = () if one.others else self._tried(one, (one.value / 2, one.value * 2))
            if all(total == self._total_ns for _, total in further):
                values = sorted({value for value, _ in (*each.tried, *further)} - {one.value})
                tried = f"{one.value:g} {one.unit}".strip() + f"; {', '.join(f'{value:g}' for value in values)}"
                yield one.name, tried, one.why

    def _choices(self) -> Iterator[tuple[str, str, str]]:
        numbers = {each.input.name for each in self.found if each.nothing}
        for choice in self.inputs.choices:
            totals = dict(self._totals(choice))
            if totals and set(totals.values()) == {self._total_ns}:
                through = f"the {choice.through} changes nothing, either" if choice.through in numbers else ""
                yield choice.name, f"{choice.now}; {', '.join(totals)}", choice.why or through or choice.otherwise

    @staticmethod
    def _totals(choice: Choice) -> Iterator[tuple[str, float]]:
        for name, simulated in choice.alternatives.items():
            with suppress(ConfigError):
                yield name, simulated()


def _slope(less: Outcome, more: Outcome) -> float:
    return log(more.total_ns / less.total_ns) / log(more.value / less.value)


def _ends(each: Elasticity) -> tuple[float, float]:
    if each.ends is None:
        return float("nan"), float("nan")
    less, more = each.ends
    return less.value, more.value
