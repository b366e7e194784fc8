"""Figure: what devices reach at most for work of every intensity, and where some work stands under these roofs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from astra_edu.base.errors import ConfigError, whole
from astra_edu.course.plots.axes import grid
from astra_edu.course.plots.figure import COLOURS, MARKERS, WIDE, Picture, percent, text_table
from astra_edu.workload.compute.device import TERA, Device
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.operator import Compute

_LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_MOST = len(_LINES)
_NEAR = 0.035
"""Labels nearer than this share of the axis stand above each other."""


@dataclass(frozen=True)
class _Point:
    """Some work. number: its label. bytes: read and written, each factor and each product once."""

    number: int
    name: str
    work: Compute
    bytes: int

    @property
    def intensity(self) -> float:
        return self.work.flops / self.bytes


@dataclass(frozen=True)
class _Roofline:
    """What is shown: work as points, on every device."""

    devices: Sequence[Device]
    points: Sequence[_Point]
    element_bytes: int

    @property
    def ends(self) -> tuple[float, float]:
        """Of the horizontal axis, around all points and all ridges."""
        marks = [point.intensity for point in self.points]
        marks += [device.ridge for device in self.devices if device.ridge]
        return min(marks) / 3, max(marks) * 3

    def reached(self, device: Device, point: _Point) -> float:
        """Operations per second."""
        return point.work.flops / device.compute_ns(point.work, self.element_bytes) * 1e9

    def bound(self, device: Device, point: _Point) -> str:
        """What bounds this work on the device."""
        return device.bound(point.work, self.element_bytes)


def roofline(devices: Device | Sequence[Device], work: Mapping[str, Compute | Gemm], element_bytes: int = 2) -> Picture:
    """Draw the roof of each device over operations for each byte, and each piece of work as a point on every device.

    work: by names, as operator.forward(batch) gives it. A point is below the roof where several kernels follow each
    other, some bound by the operations and some by memory. Raises ConfigError for work without operations or bytes.

    >>> gemms = {"large": ae.Gemm(4096, 4096, 4096), "one row": ae.Gemm(1, 4096, 4096)}
    >>> print(ae.plots.roofline(ae.device("a100"), gemms).table)
    work        operations a byte    on    bound by  10¹² operations/s  of the peak
    1  large                1,365  a100  operations                312      100.0 %
    2  one row                  1  a100      memory               2.04        0.7 %
    """
    shown = _devices(devices)
    element_bytes = whole("element_bytes", element_bytes, at_least=1)
    roofs = _Roofline(shown, _points(work, element_bytes), element_bytes)
    return Picture(_drawn(roofs), _alt(roofs), _table(roofs))


def _drawn(roofs: _Roofline) -> Figure:
    figure = Figure(figsize=(WIDE, 5.2), layout="constrained")
    axes = figure.subplots()
    low, high = roofs.ends
    for i, device in enumerate(roofs.devices):
        axes.plot(*_roof(device, low, high), color=COLOURS[i], ls=_LINES[i], lw=2)
    for i, device in enumerate(roofs.devices):
        reached = [roofs.reached(device, point) / TERA for point in roofs.points]
        look: dict[str, Any] = {"color": COLOURS[i], "markeredgecolor": "black", "markersize": 8, "zorder": 3}
        axes.plot([point.intensity for point in roofs.points], reached, MARKERS[i], **look)
    _name(axes, roofs.points, low, high)
    axes.set(xscale="log", yscale="log", xlim=(low, high))
    axes.set(xlabel="operations for each byte of memory traffic", ylabel="10¹² operations a second")
    grid(axes)
    names = "\n".join(f"{point.number}  {point.name}" for point in roofs.points)
    axes.annotate(names, (1.02, 1), xycoords="axes fraction", va="top", size=9, linespacing=1.5)
    handles = [
        Line2D([], [], color=COLOURS[i], ls=_LINES[i], lw=2, marker=MARKERS[i], label=device.name)
        for i, device in enumerate(roofs.devices)
    ]
    axes.legend(handles=handles, loc="lower right", frameon=True)
    return figure


def _roof(device: Device, low: float, high: float) -> tuple[list[float], list[float]]:
    """The corners of a device's roof."""
    peak = device.flops_per_s * device.matrix_efficiency / TERA
    if not device.ridge:
        return [low, high], [peak, peak]
    xs = [low, device.ridge, high]
    return xs, [peak * min(1, x / device.ridge) for x in xs]


def _name(axes: Axes, points: Sequence[_Point], low: float, high: float) -> None:
    """A number and a thin line for each point, above the axes; numbers that would meet stand above each other."""
    wide = log10(high / low)
    before, level = -1.0, 0
    for point in sorted(points, key=lambda point: point.intensity):
        place = log10(point.intensity / low) / wide
        level = (level + 1) % 4 if place - before < _NEAR else 0
        before = place
        axes.axvline(point.intensity, color="0.6", lw=0.7, ls=":", zorder=1)
        at = (point.intensity, 1)
        up = (0, 3 + 11 * level)
        axes.annotate(
            str(point.number),
            at,
            up,
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            size=9,
        )


def _points(work: Mapping[str, Compute | Gemm], element_bytes: int) -> list[_Point]:
    if not isinstance(work, Mapping) or not work:
        raise ConfigError(f"give work by name, such as {{'a layer': layer.forward(32)}}, not {work!r:.60}.")
    points = []
    for number, (name, what) in enumerate(work.items(), start=1):
        compute = Compute((what,)) if isinstance(what, Gemm) else what
        if not isinstance(compute, Compute):
            raise ConfigError(f"{name} is {what!r:.60}; give what operator.forward(batch) returns, or a Gemm.")
        moved = compute.elements + sum(gemm.elements for gemm in compute.gemms)
        if not compute.flops or not moved:
            raise ConfigError(
                f"{name} has {compute.flops:,} operations and moves {moved:,} elements; neither may be 0."
            )
        points.append(_Point(number, name, compute, moved * element_bytes))
    return points


def _devices(devices: Device | Sequence[Device]) -> list[Device]:
    if not isinstance(devices, Device | Iterable):
        raise ConfigError(f'{devices!r:.60} is no device; write device("a100"), for example, or a list of devices.')
    shown = [devices] if isinstance(devices, Device) else list(devices)
    if not 1 <= len(shown) <= _MOST:
        raise ConfigError(f"{len(shown)} devices are too many or too few for one figure: give 1 to {_MOST}.")
    for device in shown:
        if not isinstance(device, Device):
            raise ConfigError(f'{device!r} is no device; write device("a100"), for example.')
    return shown


def _alt(roofs: _Roofline) -> str:
    peaks = "; ".join(
        f"{device.name}: {device.flops_per_s * device.matrix_efficiency / TERA:,.4g} × 10¹² operations a second at most"
        + (f", from {device.ridge:,.0f} operations a byte on" if device.ridge else ", whatever the intensity")
        for device in roofs.devices
    )
    places = "; ".join(
        f"{point.name} at {point.intensity:,.3g} operations a byte, bound by "
        + ", ".join(f"{roofs.bound(device, point)} on {device.name}" for device in roofs.devices)
        for point in roofs.points
    )
    return f"Roofline, both axes logarithmic. {peaks}. {places}."


def _table(roofs: _Roofline) -> str:
    rows: list[list[object]] = [
        [
            f"{point.number}  {point.name}",
            f"{point.intensity:,.3g}" if point.intensity < 1000 else f"{point.intensity:,.0f}",
            device.name,
            roofs.bound(device, point),
            f"{roofs.reached(device, point) / TERA:,.3g}",
            percent(roofs.reached(device, point) / device.flops_per_s),
        ]
        for point in roofs.points
        for device in roofs.devices
    ]
    return text_table(["work", "operations a byte", "on", "bound by", "10¹² operations/s", "of the peak"], rows)
