"""Figure: a run over time, with compute, what each dimension does, and the time without compute."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from matplotlib.figure import Figure

from astra_edu.base.bound import caveat, total_words
from astra_edu.base.intervals import covered
from astra_edu.base.run import Run
from astra_edu.base.span import COMPUTE, Span
from astra_edu.course.plots.figure import Picture, TimeUnit, percent, text_table, time_unit
from astra_edu.course.plots.kinds_of_run import no_figure_of
from astra_edu.course.plots.looks import EXPOSED, LOOKS
from astra_edu.course.plots.timelines.lanes import Block, Lanes, Window, lane_name, rows_of
from astra_edu.run.lanes import Lane, chosen_npus, lanes
from astra_edu.run.result import Result

MOST_NPUS = 6
"""NPUs that are drawn, unless they are named."""
_TOGETHER = 10  # pixels between two blocks of a layer that share its name

Blocks = dict[str, list[Block]]


def timeline(
    result: Run, start_ns: float = 0, end_ns: float | None = None, npus: Iterable[int] | None = None
) -> Picture:
    """Draw what happened when: a lane for compute, one for the time without it, and one for each dimension.

    Communication is exposed while the compute lane is idle; that time is shaded through all lanes. Work narrower
    than a pixel is drawn together, and pauses of less than half a pixel are not shaded; the table counts everything.

    result: what ae.simulate or ae.run_pipeline returns; links are drawn by link_use. Where NPUs differ, each has lanes
    of its own; npus: whose, by default all, the first 6 of them. start_ns, end_ns: the part to draw, by default all.
    Raises ConfigError for a part with nothing in it, and for NPUs that aren't there.

    >>> import astra_edu as ae
    >>> run = ae.simulate(ae.Workload.micro("all-reduce", 2**20), ae.preset("ring"))
    >>> timeline(run).table.splitlines()[3].split()
    ['dimension', '0', 'all-reduce', '4', '0.000', '45.680', '45.680', '100.0', '%']
    """
    if not isinstance(result, Run):
        raise no_figure_of(result, "timeline", "what ae.simulate or ae.run_pipeline returns", {})
    shown = _Shown.of(result, Window.of(result.total_ns, start_ns, end_ns), chosen_npus(result, npus, MOST_NPUS))
    return Picture(_drawn(shown), _alt(shown), _table(shown.blocks, shown.window, shown.unit), _note(shown))


@dataclass(frozen=True)
class _Shown:
    """What is shown of a run. lanes: by what they are called in the words. blocks: what lies in the window of each.

    idle: the names of those of the time without compute. left: NPUs that are not drawn.
    """

    result: Run
    window: Window
    unit: TimeUnit
    lanes: Mapping[str, Lane]
    idle: Collection[str]
    blocks: Blocks
    left: int

    @classmethod
    def of(cls, result: Run, window: Window, npus: Sequence[int]) -> _Shown:
        unit, every = time_unit(window.end), lanes(result)
        shown = {_name(result, lane, npus): lane for npu in npus for lane in every if lane.npu == npu}
        idle = {name for name, lane in shown.items() if lane.name == result.own_lanes[1]}
        blocks = {name: _blocks(lane, window, unit if name in idle else None) for name, lane in shown.items()}
        return cls(result, window, unit, shown, idle, blocks, len(result.npu_names) - len(npus))

    @cached_property
    def visible(self) -> Blocks:
        """The blocks that are drawn: of pauses of compute, those that are not too narrow."""
        least = self.window.pixel_ns / 2
        return {
            name: [b for b in found if b.end - b.start >= least] if name in self.idle else found
            for name, found in self.blocks.items()
        }

    @property
    def hidden(self) -> int:
        """How many pauses are not drawn."""
        return sum(len(self.blocks[name]) - len(self.visible[name]) for name in self.idle)


def _drawn(shown: _Shown) -> Figure:
    pixel = shown.window.pixel_ns
    picture = Lanes.of([_label(shown.result, *named) for named in shown.lanes.items()], shown.window, shown.unit)
    if len(shown.idle) == 1:
        picture.shade(block for name in shown.idle for block in shown.visible[name])
    rows = [[found] if name in shown.idle else rows_of(found) for name, found in shown.visible.items()]
    for place, here in enumerate(rows):
        picture.draw(place, here)
    looks = {block.look for found in shown.visible.values() for block in found}
    picture.legend(look for look in LOOKS if look in looks)
    picture.title(_title(shown))
    for place, (name, here) in enumerate(zip(shown.visible, rows, strict=True)):
        picture.write(place, here if name in shown.idle else [_labels(row, pixel) for row in here])
    return picture.figure


def _name(result: Run, lane: Lane, chosen: Sequence[int]) -> str:
    """What a lane is called in the words: "exposed", or "NPU 3, exposed" where there are several."""
    short = "exposed" if lane.name == EXPOSED.name else lane.name
    return f"{result.npu_names[lane.npu or 0]}, {short}" if len(chosen) > 1 else short


def _label(result: Run, name: str, lane: Lane) -> str:
    """What stands before the lane."""
    if name == "exposed":
        return "exposed\ncommunication"
    d = lane_number(lane)
    return lane_name(result, d) if isinstance(result, Result) and d is not None else name


def lane_number(lane: Lane) -> int | None:
    """Of which dimension it is; None for other lanes."""
    return Span(lane.name, "", "", None, None, "", 0, 0, 0, 0).dimension


def _blocks(lane: Lane, window: Window, unit: TimeUnit | None) -> list[Block]:
    """What of a lane lies in the window. unit: of the length that is written on it, instead of the layer's name."""
    spans = sorted((span for row in lane.rows for span in row), key=lambda span: span.end_ns)
    clipped = [b for span in spans if (b := window.clip(_block(span)))]
    if unit is None:
        return clipped
    return [block._replace(texts=(unit.named(block.end - block.start),)) for block in clipped]


def _block(span: Span) -> Block:
    return Block(span.start_ns, span.end_ns, span.kind, (span.layer,))


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


def _note(shown: _Shown) -> str:
    return f"{shown.hidden} of the pauses of compute are narrower than half a pixel and not shaded." * bool(
        shown.hidden
    )


def _title(shown: _Shown) -> str:
    result, window, unit = shown.result, shown.window, shown.unit
    part = f"{total_words(result.total_ns, result.bound_ns, unit.named)} in all"
    if result.bound_ns is not None:
        part += f":\n{caveat(result.total_ns, result.bound_ns, unit.named)}"
    if window.length < result.total_ns:
        part = f"{unit.named(window.start)} to {unit.named(window.end)} of {unit.named(result.total_ns)}"
    if COMPUTE not in shown.blocks:  # but "NPU 0, compute", and so on
        return part
    compute, idle = (unit.named(_time(shown.blocks[name])) for name in list(shown.blocks)[:2])
    end = ": " if result.bound_ns is None else ";\n"
    return f"{part}{end}compute {compute}, {result.own_lanes[1]} {idle}"


def _time(blocks: Iterable[Block]) -> float:
    return covered([(block.start, block.end) for block in blocks])


def _alt(shown: _Shown) -> str:
    result, window, unit = shown.result, shown.window, shown.unit
    what = result.title
    if isinstance(result, Result):
        what = "one pass" if result.passes == 1 else f"{result.passes} passes"
    words = [f"Timeline of {what}, "]
    if window.length < result.total_ns:
        words += [f"from {unit.named(window.start)} to {unit.named(window.end)} of {unit.named(result.total_ns)}. "]
    else:
        words += [f"{unit.named(result.total_ns)} long. "]
    if result.bound_ns is not None:
        words += [
            f"It takes at least {unit.named(result.bound_ns)}: {caveat(result.total_ns, result.bound_ns, unit.named)}. "
        ]
    for name, found in shown.blocks.items():
        if name not in shown.idle:
            words += [f"{name[0].upper()}{name[1:]} is busy for {_amount(found, window, unit)}. "]
    free = ((name, found) for name, found in shown.blocks.items() if name in shown.idle)
    words += [". ".join(_without_compute(result, name, found, window, unit) for name, found in free)]
    left = f" {shown.left} more NPUs are not drawn." if shown.left else ""
    return "".join(words) + "." + left


def _without_compute(result: Run, name: str, free: Sequence[Block], window: Window, unit: TimeUnit) -> str:
    whose = name.removesuffix("exposed").removesuffix(result.own_lanes[1])
    lane = f"{whose}{result.own_lanes[1]}"
    words = f"{lane[0].upper()}{lane[1:]}, while compute is idle, takes {_amount(free, window, unit)}"
    if not free:
        return words
    longest = max(free, key=lambda block: block.end - block.start)
    return f"{words}; its longest stretch is from {unit.named(longest.start)} to {unit.named(longest.end)}"


def _amount(blocks: Sequence[Block], window: Window, unit: TimeUnit) -> str:
    return f"{unit.named(_time(blocks))} ({percent(_time(blocks) / window.length)})"


def _table(blocks: Mapping[str, Sequence[Block]], window: Window, unit: TimeUnit) -> str:
    """A row for each look in each lane: how often, from when to when, how long together."""
    rows: list[list[object]] = []
    for name, here in blocks.items():
        for look in (look for look in LOOKS if any(block.look == look for block in here)):
            found = [block for block in here if block.look == look]
            ends = (min(block.start for block in found), max(block.end for block in found), _time(found))
            what = "compute idle" if look == EXPOSED.name else look
            rows.append([name, what, len(found), *map(unit.text, ends), percent(_time(found) / window.length)])
        if not here:
            rows.append([name, "nothing", 0, "", "", unit.text(0), percent(0)])
    rows.append(["all", "", 1, *map(unit.text, (*window, window.length)), percent(1)])
    times = [f"{word} ({unit.name})" for word in ("from", "to", "time")]
    return text_table(["lane", "what", "times", *times, "share"], rows)
