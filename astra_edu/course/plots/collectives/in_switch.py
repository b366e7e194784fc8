"""Figure: what adding up in the switch brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.collectives.sizes import DASHES
from astra_edu.course.plots.figure import COLOURS, MARKERS, Picture, text_table
from astra_edu.measured.models import in_switch, ring
from astra_edu.measured.tables import table

ON, OFF = "on (10^9 bytes/s)", "off (10^9 bytes/s)"
Gain = Mapping[int, float]
"""How many times as fast as the ring, by GPUs."""


@dataclass(frozen=True)
class _Gains:
    """What is shown: gains by system as they were measured, and by model."""

    measured: Mapping[str, Gain]
    at_best: Mapping[str, Gain]

    @classmethod
    def of(cls) -> _Gains:
        rows = [row for row in table("in_switch").rows if row["bytes"] == str(2**33)]
        measured = {
            system: {int(row["gpus"]): float(row[ON]) / float(row[OFF]) for row in rows if row["system"] == system}
            for system in ("H200", "B200")
        }
        npus = sorted({n for gain in measured.values() for n in gain})
        models = {"up and down at once": True, "first up, then down": False}
        return cls(measured, {name: {n: _gain(n, pipelined) for n in npus} for name, pipelined in models.items()})

    @property
    def npus(self) -> list[int]:
        """All numbers of GPUs."""
        return sorted({n for gain in self.measured.values() for n in gain})

    @property
    def named(self) -> Mapping[str, Gain]:
        """All of them as the table names them."""
        return {**self.measured, **{f"model: {name}": gain for name, gain in self.at_best.items()}}


def in_switch_gain() -> Picture:
    """Draw how many times as fast an all-reduce in the switch is as a ring, measured and at best, by GPUs.

    >>> print(ae.plots.in_switch_gain().table)
    GPUs  H200  B200  model: up and down at once  model: first up, then down
    4     1.00  1.00                        1.50                        0.75
    5     1.14  1.00                        1.60                        0.80
    6     1.19  1.15                        1.67                        0.83
    7     1.26  1.19                        1.71                        0.86
    8     1.29  1.23                        1.75                        0.88
    """
    gains = _Gains.of()
    note = "Where NCCL doesn't take the switch by itself, up to 4 and 5 GPUs, the measured gain is 1."
    return Picture(_drawn(gains), _alt(gains), _table(gains), note)


def _gain(npus: int, pipelined: bool) -> float:
    """In the switch over the ring on the same links, for large sizes."""
    return ring(npus, 1).us_per_byte / in_switch(1, pipelined=pipelined).us_per_byte


def _drawn(gains: _Gains) -> Figure:
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    for i, (name, gain) in enumerate({**gains.measured, **gains.at_best}.items()):
        marks: dict[str, Any] = {"linestyle": "", "marker": MARKERS[i], "ms": 8 + 3 * i, "mfc": "none", "mew": 2}
        kind = marks if name in gains.measured else {"linestyle": DASHES[i - 1]}
        label = f"{name}, measured" if name in gains.measured else f"model: {name}"
        axes.plot(list(gain), list(gain.values()), color=COLOURS[i], label=label, **kind)
    axes.axhline(1, color="black", lw=0.8)
    axes.set(xlabel="GPUs", ylabel="times as fast as the ring", ylim=(0.7, 2), xticks=gains.npus)
    grid(axes)
    axes.legend(loc="upper left", ncols=2, frameon=False)
    return figure


def _alt(gains: _Gains) -> str:
    first, last = gains.npus[0], gains.npus[-1]
    return "How many times as fast as a ring an all-reduce of 8 GiB in the switch is, over the GPUs. " + " ".join(
        f"{name}: {gain[first]:.2f} with {first}, {gain[last]:.2f} with {last}." for name, gain in gains.named.items()
    )


def _table(gains: _Gains) -> str:
    rows: list[list[object]] = [[n, *(f"{gain[n]:.2f}" for gain in gains.named.values())] for n in gains.npus]
    return text_table(["GPUs", *gains.named], rows)
