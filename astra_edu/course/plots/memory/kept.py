"""Figure: what one NPU keeps, by several strategies, and what its memory holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError
from astra_edu.base.units import GIB
from astra_edu.course.plots.figure import Picture, text_table
from astra_edu.course.plots.looks import Look
from astra_edu.course.plots.stacked import by_name, stacked
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.strategies import Memory

PARAMETERS = Look("parameters", "", "#93c8ee", "#0072b2", "\\\\")
GRADIENTS = Look("gradients", "", "#e2b6d2", "#9c3f78", "--")
OPTIMISER = Look("optimiser state", "", "#f7b787", "#d55e00", "//")
ACTIVATIONS = Look("activations", "", "#57ad88", "#00694f")
RECOMPUTED = Look("recomputed", "", "#f3e08c", "#7d6c14", "..")
BUFFERS = Look("buffers", "", "#c3c9f2", "#3f4aa0", "xx")
FRAGMENTATION = Look("fragmentation", "", "#e4e4e4", "#46494e", "||")
_LOOKS = (PARAMETERS, GRADIENTS, OPTIMISER, ACTIVATIONS, RECOMPUTED, BUFFERS, FRAGMENTATION)


@dataclass(frozen=True)
class _Kept:
    """What one NPU keeps with one strategy. parts: GiB in the order of _LOOKS. verdict: whether it fits, in words."""

    parts: tuple[float, ...]
    total: float
    verdict: str

    @classmethod
    def of(cls, memory: Memory, there: int | None) -> _Kept:
        return cls(tuple(part / GIB for part in memory.kinds.values()), memory.total / GIB, _verdict(memory, there))

    @property
    def note(self) -> str:
        """What stands behind its bar."""
        return f"{self.total:,.1f} GiB{self.verdict}"


@dataclass(frozen=True)
class _Line:
    """The memory of a device, in GiB."""

    device: str
    gib: float


@renamed(on="device")
def memory_bars(kept: Mapping[str, Memory], device: Device | str | None = None) -> Picture:
    """Draw a bar for each strategy: parameters, gradients, optimiser state, activations of one NPU, what it has for a
    moment, and fragmentation, in GiB; kinds that none has are left out.

    kept: as `ae.memory` gives it, by names, the first on top. device: one whose memory is drawn as a line.
    Raises ConfigError if there is nothing to draw, and for a device whose memory isn't given.

    >>> kept = {f"ZeRO-{zero}": ae.memory("gpt2", ae.Strategy(data=8, zero=zero)) for zero in (0, 3)}
    >>> print(ae.plots.memory_bars(kept, device="v100").table)
    GiB for each NPU  parameters  gradients  optimiser state  activations  buffers  fragmentation  in all     in 32 GiB
    ZeRO-0                  2.90       2.90            17.41         8.55     0.00           0.98   32.74  0.7 too much
    ZeRO-3                  0.36       0.36             2.18         8.55     0.39           0.37   12.21          fits
    """
    kept = by_name(kept, Memory, '{"ZeRO-2": ae.memory("gpt2", ae.Strategy(data=8, zero=2))}')
    device = None if device is None else named_device(device)
    if device is not None and device.memory_bytes is None:
        raise ConfigError(f"{device.name} has no memory_bytes that a line could show.")
    there = device.memory_bytes if device else None
    line = _Line(device.name, there / GIB) if device and there else None
    bars = {name: _Kept.of(memory, there) for name, memory in kept.items()}
    return Picture(_drawn(bars, line), _alt(bars, line), _table(bars, line))


def _words(bars: Mapping[str, _Kept]) -> dict[int, str]:
    """The names of the kinds that some bar has, by their numbers."""
    return {k: look.name for k, look in enumerate(_LOOKS) if any(bar.parts[k] for bar in bars.values())}


def _verdict(memory: Memory, there: int | None) -> str:
    if there is None:
        return ""
    return ", fits" if memory.total <= there else f", {(memory.total - there) / GIB:,.1f} too much"


def _drawn(bars: Mapping[str, _Kept], line: _Line | None) -> Figure:
    columns = zip(*(bar.parts for bar in bars.values()), strict=True)
    figure, axes = stacked(list(bars), list(zip(_LOOKS, columns, strict=True)), [bar.note for bar in bars.values()])
    axes.set_xlabel("memory of one NPU (GiB = 2³⁰ bytes)")
    if line:
        _mark(axes, line)
    return figure


def _mark(axes: Axes, line: _Line) -> None:
    axes.axvline(line.gib, color="black", lw=1.5, linestyle="--")
    right = line.gib > axes.get_xlim()[1] / 2
    axes.set_xlim(0, max(axes.get_xlim()[1], 1.05 * line.gib))
    axes.annotate(
        f"{line.device}: {line.gib:,.0f} GiB ", (line.gib, 1), (-4 if right else 4, 3),
        xycoords=("data", "axes fraction"), textcoords="offset points", ha="right" if right else "left", va="bottom",
        size=9,
    )  # fmt: skip


def _alt(bars: Mapping[str, _Kept], line: _Line | None) -> str:
    alt = "A bar for each strategy, of what one NPU keeps. " + " ".join(
        f"{name}: {bar.note}, of which "
        f"{', '.join(f'{bar.parts[k]:,.1f} GiB {word}' for k, word in _words(bars).items())}."
        for name, bar in bars.items()
    )
    return f"{alt} A line marks the {line.gib:,.0f} GiB of {line.device}." if line else alt


def _table(bars: Mapping[str, _Kept], line: _Line | None) -> str:
    rows: list[list[object]] = [
        [name, *(f"{gib:,.2f}" for gib in (*(bar.parts[k] for k in _words(bars)), bar.total)), bar.verdict.strip(", ")]
        for name, bar in bars.items()
    ]
    header = ["GiB for each NPU", *_words(bars).values(), "in all", f"in {line.gib:,.0f} GiB" if line else ""]
    return text_table(header, rows)
