"""Figure: what one NPU keeps, by several strategies, and what its memory holds."""

from __future__ import annotations

from collections.abc import Mapping

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


@renamed(on="device")
def memory_bars(kept: Mapping[str, Memory], device: Device | str | None = None) -> Picture:
    """Draw a bar for each strategy: parameters, gradients, optimiser state and activations of one NPU, in GiB.

    kept: as `ae.memory` gives it, by names, the first on top. device: one whose memory is drawn as a line.
    Raises ConfigError if there is nothing to draw, and for a device whose memory isn't given.

    >>> kept = {f"ZeRO-{zero}": ae.memory("gpt2", ae.Strategy(data=8, zero=zero)) for zero in (0, 3)}
    >>> print(ae.plots.memory_bars(kept, device="v100").table)
    GiB for each NPU  parameters  gradients  optimiser state  activations  in all  in 32 GiB
    ZeRO-0                  2.90       2.90            17.41         8.55   31.76       fits
    ZeRO-3                  0.36       0.36             2.18         8.55   11.45       fits
    """
    kept = by_name(kept, Memory, '{"ZeRO-2": ae.memory("gpt2", ae.Strategy(data=8, zero=2))}')
    device = None if device is None else named_device(device)
    if device is not None and device.memory_bytes is None:
        raise ConfigError(f"{device.name} has no memory_bytes that a line could show.")
    there = device.memory_bytes if device else None
    numbers = {name: [each / GIB for each in _parts(memory)] for name, memory in kept.items()}
    columns = list(zip(*numbers.values(), strict=True))
    looks = (PARAMETERS, GRADIENTS, OPTIMISER, ACTIVATIONS)
    verdicts = [_verdict(memory, there) for memory in kept.values()]
    notes = [f"{memory.total / GIB:,.1f} GiB{verdict}" for memory, verdict in zip(kept.values(), verdicts, strict=True)]
    figure, axes = stacked(list(kept), list(zip(looks, columns, strict=True)), notes)
    axes.set_xlabel("memory of one NPU (GiB = 2³⁰ bytes)")
    if device and there:
        axes.axvline(there / GIB, color="black", lw=1.5, linestyle="--")
        text = f"{device.name}: {there / GIB:,.0f} GiB "
        right = there / GIB > axes.get_xlim()[1] / 2
        axes.set_xlim(0, max(axes.get_xlim()[1], 1.05 * there / GIB))
        axes.annotate(
            text, (there / GIB, 1), (-4 if right else 4, 3), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="right" if right else "left", va="bottom", size=9,
        )  # fmt: skip
    words = [look.name for look in looks]
    rows: list[list[object]] = [
        [name, *(f"{number:,.2f}" for number in numbers[name]), f"{memory.total / GIB:,.2f}", verdict.strip(", ")]
        for (name, memory), verdict in zip(kept.items(), verdicts, strict=True)
    ]
    alt = "A bar for each strategy, of what one NPU keeps. " + " ".join(
        f"{name}: {note}, of which "
        f"{', '.join(f'{number:,.1f} GiB {word}' for number, word in zip(numbers[name], words, strict=True))}."
        for name, note in zip(kept, notes, strict=True)
    )
    if device and there:
        alt += f" A line marks the {there / GIB:,.0f} GiB of {device.name}."
    header = ["GiB for each NPU", *words, "in all", f"in {there / GIB:,.0f} GiB" if there else ""]
    return Picture(figure, alt, text_table(header, rows))


def _parts(memory: Memory) -> tuple[float, ...]:
    return memory.parameters, memory.gradients, memory.optimiser, memory.activations


def _verdict(memory: Memory, there: int | None) -> str:
    if there is None:
        return ""
    return ", fits" if memory.total <= there else f", {(memory.total - there) / GIB:,.1f} too much"
