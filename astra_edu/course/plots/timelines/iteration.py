"""Figure: a training iteration over time, with compute, every dimension, and the exposed communication."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from astra_edu.base.intervals import covered, gaps
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.plots.looks import EXPOSED, LOOKS
from astra_edu.course.plots.timelines.lanes import Block, Lanes, Window, lane_name, rows_of
from astra_edu.run.result import Result, Span

_TOGETHER = 10  # pixels between two blocks of a layer that share its name


def timeline(result: Result, start_ns: float = 0, end_ns: float | None = None) -> Picture:
    """Draw what happened when: a lane for compute, one for exposed communication, and one for each dimension.

    Communication is exposed while the compute lane is idle; that time is shaded through all lanes. Work narrower
    than a pixel is drawn together, and pauses of less than half a pixel are not shaded; the table counts everything.
    start_ns, end_ns: the part to draw, by default all. Raises ConfigError for a part with nothing in it.

    >>> result = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> print(ae.plots.timeline(result).table)
    lane                 what  times  from (µs)  to (µs)  time (µs)    share
    compute           nothing      0                          0.000    0.0 %
    exposed      compute idle      1      0.000   45.681     45.681  100.0 %
    dimension 0    all-reduce      4      0.000   45.680     45.680  100.0 %
    all                            1      0.000   45.681     45.681  100.0 %
    """
    window = Window.of(result.total_ns, start_ns, end_ns)
    unit = time_unit(window.end)
    dimensions = range(len(result.logical))
    lanes: dict[str, list[Block]] = {
        name: [] for name in ("compute", "exposed", *map("dimension {}".format, dimensions))
    }
    for span in result.timeline:
        if block := window.clip(_block(span)):
            lanes[span.lane].append(block)
    lanes["exposed"] = _idle(lanes["compute"], window, unit)
    names = ["compute", "exposed\ncommunication", *(lane_name(result, d) for d in dimensions)]
    picture = Lanes.of(names, window, unit)
    visible = [b for b in lanes["exposed"] if b.end - b.start >= picture.pixel_ns / 2]
    picture.shade(visible)
    for place, (name, blocks) in enumerate(lanes.items()):
        rows = [visible] if name == "exposed" else rows_of(blocks)
        picture.draw(place, rows)
        picture.write(place, rows if name == "exposed" else [_labels(row, picture.pixel_ns) for row in rows])
    found = {block.look for blocks in (*lanes.values(), visible) for block in blocks if blocks is not lanes["exposed"]}
    picture.legend(look for look in LOOKS if look in found)
    picture.axes.set_title(_title(result, lanes, window, unit), size=10, loc="left")
    hidden = len(lanes["exposed"]) - len(visible)
    note = f"{hidden} of the pauses of compute are narrower than half a pixel and not shaded." if hidden else ""
    return Picture(picture.figure, _alt(result, lanes, window, unit), _table(lanes, window, unit), note)


def _block(span: Span) -> Block:
    look = span.work if span.lane == "compute" else span.phase
    return Block(span.start_ns, span.end_ns, look, (span.layer,))


def _idle(compute: Sequence[Block], window: Window, unit: TimeUnit) -> list[Block]:
    """The time between the compute, with its length as text."""
    free = gaps([block[:2] for block in compute], *window)
    return [Block(start, end, EXPOSED.name, (unit.named(end - start),)) for start, end in free]


def _labels(row: Sequence[Block], pixel_ns: float) -> list[Block]:
    """One block for all neighbours of the same layer, forward or backward, so that its name is written once."""
    groups: list[Block] = []
    for block in row:
        if groups and _same(groups[-1], block) and block.start - groups[-1].end < _TOGETHER * pixel_ns:
            groups[-1] = groups[-1]._replace(end=block.end)
        else:
            groups.append(block)
    return groups


def _same(a: Block, b: Block) -> bool:
    return a.texts == b.texts and (a.look == "forward") == (b.look == "forward")


def _title(result: Result, lanes: dict[str, list[Block]], window: Window, unit: TimeUnit) -> str:
    part = f"{unit.named(result.total_ns)} in all"
    if window.length < result.total_ns:
        part = f"{unit.named(window.start)} to {unit.named(window.end)} of {unit.named(result.total_ns)}"
    compute, exposed = (unit.named(_time(lanes[name])) for name in ("compute", "exposed"))
    return f"{part}: compute {compute}, exposed communication {exposed}"


def _time(blocks: Iterable[Block]) -> float:
    return covered([(block.start, block.end) for block in blocks])


def _alt(result: Result, lanes: dict[str, list[Block]], window: Window, unit: TimeUnit) -> str:
    idle = lanes["exposed"]
    words = [f"Timeline of {'one pass' if result.passes == 1 else f'{result.passes} passes'}, "]
    if window.length < result.total_ns:
        words += [f"from {unit.named(window.start)} to {unit.named(window.end)} of {unit.named(result.total_ns)}. "]
    else:
        words += [f"{unit.named(result.total_ns)} long. "]
    for name, blocks in lanes.items():
        if name != "exposed":
            words += [f"{name[0].upper()}{name[1:]} is busy for {_amount(blocks, window, unit)}. "]
    words += [f"Exposed communication, while compute is idle, takes {_amount(idle, window, unit)}"]
    if idle:
        longest = max(idle, key=lambda block: block.end - block.start)
        words += [f"; its longest stretch is from {unit.named(longest.start)} to {unit.named(longest.end)}"]
    return "".join(words) + "."


def _amount(blocks: Sequence[Block], window: Window, unit: TimeUnit) -> str:
    return f"{unit.named(_time(blocks))} ({percent(_time(blocks) / window.length)})"


def _table(lanes: dict[str, list[Block]], window: Window, unit: TimeUnit) -> str:
    """A row for each look in each lane: how often, from when to when, how long together."""
    rows: list[list[object]] = []
    for name, blocks in lanes.items():
        for look in (look for look in LOOKS if any(block.look == look for block in blocks)):
            found = [block for block in blocks if block.look == look]
            ends = (min(block.start for block in found), max(block.end for block in found), _time(found))
            what = "compute idle" if look == EXPOSED.name else look
            rows.append([name, what, len(found), *map(unit.text, ends), percent(_time(found) / window.length)])
        if not blocks:
            rows.append([name, "nothing", 0, "", "", unit.text(0), percent(0)])
    rows.append(["all", "", 1, *map(unit.text, (*window, window.length)), percent(1)])
    times = [f"{word} ({unit.name})" for word in ("from", "to", "time")]
    return text_table(["lane", "what", "times", *times, "share"], rows)
