"""Figure: one collective's chunks on their way through the dimensions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from astra_edu.base.errors import ConfigError
from astra_edu.base.intervals import covered
from astra_edu.base.run import Run
from astra_edu.base.units import format_bytes
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.plots.looks import LOOKS, OTHER
from astra_edu.course.plots.timelines.chunk_ways import Asked, Way, choose, collectives, dimension_names
from astra_edu.course.plots.timelines.lanes import Block, Lanes, Window, rows_of


def chunks(
    result: Run,
    layer: str | None = None,
    work: str | None = None,
    which: int = 0,
    start_ns: float | None = None,
    end_ns: float | None = None,
    npu: int = 0,
) -> Picture:
    """Draw the chunks of one collective as numbered blocks, a lane for each dimension.

    layer, work ("forward", "input gradient" or "weight gradient"): whose collective; the largest one of those that
    fit. which: the how-manieth of several of that size, from 0. start_ns, end_ns: the part to draw, by default from
    the call to the end. Chunks of other collectives are drawn grey and without a number.

    Of a trace, which has to be simulated with record=True, layer is a node's name and work the collective that it asks
    for; npu: on which NPU. Raises ConfigError where there is no such collective, or nothing of it in the part.

    >>> import astra_edu as ae
    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> chunks(run).figure.axes[0].get_title(loc="left")
    'all-reduce of 1 MiB in 4 chunks, weight gradient of layer all-reduce'
    """
    found = collectives(result, npu)
    chosen = choose(found, layer, work, which)
    begin, over = chosen.begin_ns, chosen.end_ns
    window = Window.of(over, begin if start_ns is None else start_ns, end_ns)
    seen = [way for way in chosen.ways if way.start_ns < window.end and way.end_ns > window.start]
    if not seen:
        raise ConfigError(
            f"no chunk is on a dimension from {window.start:g} to {window.end:g} ns; this collective lasts from "
            f"{begin:g} to {over:g} ns."
        )
    unit = time_unit(window.end)
    names = dimension_names(result)
    picture = Lanes.of(names, window, unit)
    lanes = []
    digits = len(str(max(way.chunk for way in chosen.ways)))
    for d in range(len(names)):
        here = [(way, asked) for asked in found for way in asked.ways if way.dimension == d]
        lanes.append(rows_of(b for way, asked in here if window.clip(b := _block(way, asked is chosen, digits))))
        picture.draw(d, lanes[d])
    looks = {block.look for rows in lanes for row in rows for block in row}
    picture.legend(look for look in LOOKS if look in looks)
    count = len({way.chunk for way in chosen.ways})
    what = (
        f"{chosen.collective} of {format_bytes(chosen.size)} in {count} "
        f"{'chunk' if count == 1 else 'chunks'}, {chosen.whose}"
    )
    picture.title(what)
    if not sum([picture.write(d, rows, room=1.1) for d, rows in enumerate(lanes)]):
        picture.title(f"{what} (too narrow for the chunks' numbers: draw a part)")
    return Picture(picture.figure, _alt(what, len(names), chosen, window, unit), _table(seen, unit))


def _block(way: Way, chosen: bool, digits: int) -> Block:
    if not chosen:
        return Block(way.start_ns, way.end_ns, OTHER.name)
    number = str(way.chunk)
    texts = (f"{LOOKS[way.phase].short} {number}".ljust(digits + 3), number.rjust(digits))
    return Block(way.start_ns, way.end_ns, way.phase, texts)


def _alt(what: str, dimensions: int, chosen: Asked, window: Window, unit: TimeUnit) -> str:
    begin, over = chosen.begin_ns, chosen.end_ns
    words = [f"Chunks of the {what}: from {unit.named(begin)} to {unit.named(over)}, a lane for each dimension."]
    for d in range(dimensions):
        mine = [way for way in chosen.ways if way.dimension == d]
        if not mine:
            words.append(f"Dimension {d} takes no part.")
            continue
        phases = dict.fromkeys(way.phase for way in sorted(mine, key=lambda way: way.start_ns))
        busy = covered([(way.start_ns, way.end_ns) for way in mine])
        words.append(
            f"Dimension {d} is busy with it for {unit.named(busy)} ({percent(busy / (over - begin))}): "
            f"{len(mine)} blocks of {' and '.join(phases)}."
        )
    if window != (begin, over):
        words.append(f"Drawn is the part from {unit.named(window.start)} to {unit.named(window.end)}.")
    return " ".join(words)


def _table(ways: Sequence[Way], unit: TimeUnit) -> str:
    """A row for each chunk: its phases in their order, on which dimension, from when to when."""
    phases: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for way in ways:
        times = f"{unit.text(way.start_ns)} to {unit.text(way.end_ns)}"
        phases[way.chunk][way.step] = f"{LOOKS[way.phase].short} on {way.dimension}: {times}"
    steps = range(max(way.step for way in ways) + 1)
    rows: list[list[object]] = [[chunk, *(phases[chunk].get(step, "") for step in steps)] for chunk in sorted(phases)]
    return text_table(["chunk", *(f"phase {step + 1} ({unit.name})" for step in steps)], rows)
