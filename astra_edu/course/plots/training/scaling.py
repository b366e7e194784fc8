"""Figure: how many times as fast more NPUs are, and how much of each of them is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive, whole
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, percent, text_table

Series = Mapping[int, float]
"""By the number of NPUs."""


@dataclass(frozen=True)
class _Scaling:
    """What is shown: for each name the speed-up over the fewest NPUs."""

    speed_ups: Mapping[str, Series]

    @classmethod
    def of(cls, rates: Mapping[str, Series]) -> _Scaling:
        """Raises ConfigError for no series, and for series that don't begin with the same number of NPUs."""
        scaling = cls({name: _speed_ups(name, series) for name, series in rates.items()})
        if not scaling.speed_ups:
            raise ConfigError("rates has no series; give at least one name with its rates by the number of NPUs.")
        fewest = scaling.npus[0]
        for name, series in scaling.speed_ups.items():
            if min(series) > fewest:
                raise ConfigError(
                    f"{name} begins with {min(series)} NPUs; give it a rate with {fewest} as well, as others have."
                )
        return scaling

    @property
    def npus(self) -> list[int]:
        """All numbers of NPUs, in ascending order."""
        return sorted({n for series in self.speed_ups.values() for n in series})

    @property
    def ideal(self) -> list[float]:
        """What so many NPUs would give."""
        return [n / self.npus[0] for n in self.npus]

    @property
    def efficiencies(self) -> Mapping[str, Series]:
        """The speed-up over what so many more NPUs would give."""
        fewest = self.npus[0]
        return {name: {n: times * fewest / n for n, times in series.items()} for name, series in self.speed_ups.items()}


def scaling(rates: Mapping[str, Mapping[int, float]]) -> Picture:
    """Left: speed-up over the fewest NPUs. Right: efficiency, the speed-up over what so many more NPUs would give.

    rates: for each named series, samples a second (or any other unit of speed) by the number of NPUs, two or more
    numbers, the fewest the same in all series. Raises ConfigError otherwise.

    >>> print(ae.plots.scaling({"data parallel": {1: 100, 2: 195, 4: 370}}).table)
    NPUs  data parallel
    1      1.0  100.0 %
    2      1.9   97.5 %
    4      3.7   92.5 %
    """
    shown = _Scaling.of(rates)
    return Picture(_drawn(shown), _alt(shown), _table(shown), "Each column: speed-up, and efficiency.")


def _speed_ups(name: str, series: Series) -> dict[int, float]:
    """The rates over that of the fewest NPUs, in ascending order of NPUs."""
    if len(series) < 2:
        raise ConfigError(
            f"{name} has {len(series)} rate{'s' * (len(series) != 1)}; a comparison takes two or more numbers of NPUs."
        )
    checked = {
        whole(f"NPUs of {name}", n, at_least=1): positive(f"the rate of {name} with {n} NPUs", series[n])
        for n in sorted(series)
    }
    fewest = checked[min(checked)]
    return {n: rate / fewest for n, rate in checked.items()}


def _drawn(shown: _Scaling) -> Figure:
    figure = Figure(figsize=(WIDE, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(shown.npus, shown.ideal, color="0.5", linestyle="--", linewidth=1, label="ideal")
    right.axhline(1, color="0.5", linestyle="--", linewidth=1)
    _lines(left, shown.speed_ups, shown.npus)
    _lines(right, shown.efficiencies, shown.npus)
    fewest = shown.npus[0]
    left.set(yscale="log", title=f"speed-up over {fewest} NPU{'s' * (fewest > 1)}")
    left.set_yticks(shown.ideal, [f"{times:,.10g}" for times in shown.ideal])
    left.minorticks_off()
    right.set(title="efficiency", ylim=(0, None))
    right.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    return figure


def _lines(axes: Axes, by_name: Mapping[str, Series], npus: list[int]) -> None:
    for i, (name, series) in enumerate(by_name.items()):
        style: dict[str, Any] = {"color": COLOURS[i % 7], "marker": MARKERS[i % 7], "ms": 5}
        axes.plot(list(series), list(series.values()), label=name, **style)
    axes.set(xscale="log", xlabel="NPUs")
    axes.set_xticks(npus, [f"{n:,}" for n in npus])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def _alt(shown: _Scaling) -> str:
    return "Speed-up and efficiency over the number of NPUs. " + " ".join(
        f"{name}: {max(series):,} NPUs are {series[max(series)]:,.1f} times as fast as {min(series):,}, an efficiency "
        f"of {percent(shown.efficiencies[name][max(series)])}."
        for name, series in shown.speed_ups.items()
    )


def _table(shown: _Scaling) -> str:
    efficiencies = shown.efficiencies
    rows: list[list[object]] = [
        [f"{n:,}", *(_cell(series.get(n), efficiencies[name].get(n)) for name, series in shown.speed_ups.items())]
        for n in shown.npus
    ]
    return text_table(["NPUs", *shown.speed_ups], rows)


def _cell(speed_up: float | None, efficiency: float | None) -> str:
    return "" if speed_up is None or efficiency is None else f"{speed_up:,.1f} {percent(efficiency):>8}"
