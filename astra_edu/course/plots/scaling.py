"""Figure: how many times as fast more NPUs are, and how much of each of them is used."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from astra_edu.base.errors import ConfigError, positive, whole
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, percent, text_table


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
    speed_ups = {name: _speed_ups(name, series) for name, series in rates.items()}
    if not speed_ups:
        raise ConfigError("rates has no series; give at least one name with its rates by the number of NPUs.")
    npus = sorted({n for series in speed_ups.values() for n in series})
    for name, series in speed_ups.items():
        if min(series) > npus[0]:
            raise ConfigError(
                f"{name} begins with {min(series)} NPUs; give it a rate with {npus[0]} as well, as others have."
            )
    efficiencies = {name: {n: times * npus[0] / n for n, times in series.items()} for name, series in speed_ups.items()}
    figure = Figure(figsize=(11, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(npus, [n / npus[0] for n in npus], color="0.5", linestyle="--", linewidth=1, label="ideal")
    right.axhline(1, color="0.5", linestyle="--", linewidth=1)
    for axes, by_name in ((left, speed_ups), (right, efficiencies)):
        for i, (name, series) in enumerate(by_name.items()):
            style = {"color": COLOURS[i % 7], "marker": MARKERS[i % 7], "ms": 5}
            axes.plot(list(series), list(series.values()), label=name, **style)
        axes.set(xscale="log", xlabel="NPUs")
        axes.set_xticks(npus, [f"{n:,}" for n in npus])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    left.set(yscale="log", title=f"speed-up over {npus[0]} NPU{'s' * (npus[0] > 1)}")
    left.set_yticks([n / npus[0] for n in npus], [f"{n / npus[0]:,.10g}" for n in npus])
    left.minorticks_off()
    right.set(title="efficiency", ylim=(0, None))
    right.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
    rows: list[list[object]] = [
        [f"{n:,}", *(_cell(speed_ups[name].get(n), efficiencies[name].get(n)) for name in speed_ups)] for n in npus
    ]
    alt = "Speed-up and efficiency over the number of NPUs. " + " ".join(
        f"{name}: {max(series):,} NPUs are {series[max(series)]:,.1f} times as fast as {min(series):,}, an efficiency "
        f"of {percent(efficiencies[name][max(series)])}."
        for name, series in speed_ups.items()
    )
    return Picture(figure, alt, text_table(["NPUs", *speed_ups], rows), "Each column: speed-up, and efficiency.")


def _cell(speed_up: float | None, efficiency: float | None) -> str:
    return "" if speed_up is None or efficiency is None else f"{speed_up:,.1f} {percent(efficiency):>8}"


def _speed_ups(name: str, series: Mapping[int, float]) -> dict[int, float]:
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
