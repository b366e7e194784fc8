"""A training iteration on the stage: the NPU goes from layer to layer, its chunks wait for the dimensions below."""

from __future__ import annotations

from astra_edu.base.units import format_bytes, format_ns
from astra_edu.course.instruments.scene import Box, Frame, Piece, Stage
from astra_edu.course.instruments.training_bars import EXPOSED, LAYERS, asked_by
from astra_edu.course.instruments.training_lanes import waited_for
from astra_edu.course.instruments.training_waits import TrainingRun, task_of
from astra_edu.system.queues import Stay

LEFT, WIDE, GAP = 100.0, 602.0, 3.0
LAYER_Y, LAYER_HIGH = 15.0, 34.0
NAMED = 8
"""Up to so many layers stand with their names, more with their numbers."""
TOP, LANE = 78.0, 46.0
QUEUE, RUN_X = 316.0, LEFT + 322.0
LARGE, SMALL = (13.0, 2), (6.0, 4)
"""How large a chunk is, and how many stand above each other."""
MOST_STEPS, MOST_CHUNKS = 60, 160
"""Of more chunks fewer steps are shown, as a page that is saved holds them all."""


def layer_frame(name: str) -> str:
    """A layer's name on the stage."""
    return f"layer {name}"


def training_stage(title: str, run: TrainingRun) -> Stage:
    """The NPU and all chunks at every moment of `moments`."""
    places = _Places(run)
    times = moments(run)
    pieces = [*_chunks(run, times, places), _npu(run, times, places)]
    steps = tuple(_said(run, t) for t in times)
    return Stage(
        title,
        (WIDE, TOP + len(run.result.logical) * LANE - 8),
        steps,
        tuple(places.frames()),
        tuple(pieces),
        still=len(steps) // 2,
        clock=True,
        times=tuple(t / run.unit[1] for t in times),
    )


def moments(run: TrainingRun) -> list[float]:
    """In ns: when the NPU begins to wait or goes on, and when it computes something else or a chunk begins.

    At most about 60, or half of that where there are many chunks: of more, every other, or every third, ... of the
    latter, then of the former.
    """
    result = run.result
    waits = {t for wait in run.waits for t in (wait.start_ns, wait.end_ns)} | {0.0, result.total_ns}
    computed = {start for _, start, _ in result.computed}
    chunks = {stay.start_ns for stay in result.stays}
    rest = sorted((computed | chunks) - waits)
    walks = {(id(stay.issued), stay.chunk) for stay in result.stays}
    most = MOST_STEPS if len(walks) <= MOST_CHUNKS else MOST_STEPS // 2
    room = max(10, most - len(waits))
    return sorted({*_thinned(sorted(waits), most), *_thinned(rest, room), 0.0, result.total_ns})


def _thinned(times: list[float], most: int) -> list[float]:
    return times[:: -(-len(times) // most)] if times else []


class _Places:
    """Where things stand."""

    def __init__(self, run: TrainingRun) -> None:
        self.run = run
        self.names = [layer.name for layer in run.result.running]
        self.pitch = (WIDE - LEFT) / len(self.names)
        self.wide = self.pitch - GAP
        most = max((len(self.waiting(d, t)) for d in range(len(run.result.logical)) for t in self._full(d)), default=0)
        room = LARGE[1] * int(QUEUE // (LARGE[0] + 2))
        self.size, self.rows = LARGE if most <= room and run.result.platform.system.active_chunks <= LARGE[1] else SMALL

    def _full(self, d: int) -> list[float]:
        return [stay.queued_ns for stay in self.run.result.stays if stay.phase.dimension == d]

    def waiting(self, d: int, t: float) -> list[Stay]:
        """Who is in the queue of dimension d at t, who goes first first."""
        stays = self.run.result.stays
        found = [stay for stay in stays if stay.phase.dimension == d and stay.queued_ns <= t < stay.start_ns]
        return sorted(found, key=lambda stay: (stay.start_ns, stay.chunk))

    def layer(self, name: str) -> float:
        return LEFT + self.names.index(name) * self.pitch

    def frames(self) -> list[Frame]:
        found = [_words("words: NPU", "the NPU, at layer", LAYER_Y + 20), *map(self._layer, self.names)]
        if len(self.names) <= NAMED:
            sizes = [(name, asked_by(self.run, name)) for name in self.names]
            found += [
                _words(f"sends {name}", said.partition(" of ")[0], LAYER_Y + LAYER_HIGH + 11, self.layer(name))
                for name, said in sizes
            ]
            found.append(_words("words: sends", "which sends", LAYER_Y + LAYER_HIGH + 11))
        for d, logical in enumerate(self.run.result.logical):
            y, titles = TOP + d * LANE, ("wait for the dimension, the next at the right", "on the dimension")
            rate = self.run.result.platform.network[logical.physical]
            found += [
                _words(f"words: dimension {d}", f"dimension {d}", y + 12),
                _words(f"words: rate {d}", f"{logical.npus} NPUs, {rate.bandwidth * rate.usable_links:g} GB/s", y + 23),
                Frame(f"queue of dimension {d}", (LEFT, y, QUEUE, LANE - 14), titles[0] if d == 0 else ""),
                Frame(f"dimension {d}", (RUN_X, y, WIDE - RUN_X - 1, LANE - 14), titles[1] if d == 0 else ""),
            ]
        return found

    def _layer(self, name: str) -> Frame:
        number = self.names.index(name)
        each = self.run.result.workload.layers[number].forward.compute_ns
        text = f"{number + 1} {name}, {each / 1000:g} µs" if len(self.names) <= NAMED else str(number + 1)
        return Frame(layer_frame(name), (self.layer(name), LAYER_Y, self.wide, LAYER_HIGH), text)

    def npu(self, name: str, along: float) -> Box:
        wide = min(40.0, 0.6 * self.wide)
        return (round(self.layer(name) + along * (self.wide - wide), 2), LAYER_Y + 10, wide, 14.0)

    def queued(self, d: int, before: int) -> Box:
        """In the queue, so many before it."""
        column, row = divmod(before, self.rows)
        pitch = self.size + 2
        x = LEFT + QUEUE - 1 - (column + 1) * pitch
        return (round(x, 2), TOP + d * LANE + 2 + row * pitch, self.size, self.size)

    def on(self, stay: Stay, t: float, row: int) -> Box:
        """On the dimension, as far along as it has got."""
        along = (t - stay.start_ns) / (stay.end_ns - stay.start_ns)
        x = RUN_X + 2 + along * (WIDE - RUN_X - self.size - 6)
        y = TOP + stay.phase.dimension * LANE + 2 + (row % self.rows) * (self.size + 2)
        return (round(x, 2), y, self.size, self.size)


def _words(name: str, text: str, y: float, x: float = 0.0) -> Frame:
    """Words without a frame."""
    return Frame(name, (x, y, 0, 0), text)


def _chunks(run: TrainingRun, times: list[float], places: _Places) -> list[Piece]:
    walks: dict[tuple[int, int], list[Stay]] = {}
    for stay in sorted(run.result.stays, key=lambda stay: stay.start_ns):
        walks.setdefault((id(stay.issued), stay.chunk), []).append(stay)
    before = [_queues(run, t, places) for t in times]
    return [_chunk(number, walk, times, before, places) for number, walk in enumerate(walks.values())]


def _queues(run: TrainingRun, t: float, places: _Places) -> dict[int, int]:
    """{id of a stay: how many go before it in its queue, or run beside it}."""
    found = {}
    for d in range(len(run.result.logical)):
        running = [s for s in run.result.stays if s.phase.dimension == d and s.start_ns <= t < s.end_ns]
        for group in (places.waiting(d, t), running):
            found.update({id(stay): place for place, stay in enumerate(group)})
    return found


def _chunk(number: int, walk: list[Stay], times: list[float], before: list[dict[int, int]], places: _Places) -> Piece:
    at: list[Box | None] = []
    looks = []
    task = task_of(walk[0])
    for t, queue in zip(times, before, strict=True):
        now = next((stay for stay in walk if stay.queued_ns <= t < stay.end_ns), None)
        looks.append(str((now or walk[0]).phase.collective))
        if now is None:
            at.append(None)
        elif t < now.start_ns:
            at.append(places.queued(now.phase.dimension, queue[id(now)]))
        else:
            at.append(places.on(now, t, queue[id(now)]))
    of = f"{task.layer}’s {LAYERS[task.kind].removeprefix('the ')}"
    title = f"chunk {walk[0].chunk} of {of}, {format_bytes(walk[0].phase.chunk_bytes)}"
    text = str(places.names.index(task.layer) + 1) if places.size > 8 else ""
    return Piece(f"{number}: {title}", tuple(at), tuple(looks), text, title)


def _npu(run: TrainingRun, times: list[float], places: _Places) -> Piece:
    computed = run.result.computed
    at, looks = [], []
    for t in times:
        going = [k for k, (_, start, _) in enumerate(computed) if start <= t]
        wait = next((wait for wait in run.waits if wait.start_ns <= t < wait.end_ns), None)
        task, start, end = computed[going[-1] if going else 0]
        if wait:
            name = task.layer if wait.task is None else wait.task.layer
            at.append(places.npu(name, 0.5))
            looks.append(EXPOSED)
        else:
            along = min(1.0, max(0.0, (t - start) / (end - start)))
            at.append(places.npu(task.layer, along if task.kind == "forward" else 1 - along))
            looks.append(task.kind)
    return Piece("NPU", tuple(at), tuple(looks), "NPU" if places.wide > 44 else "", "the NPU, at the layer it computes")


def _said(run: TrainingRun, t: float) -> str:
    """What the NPU does at t, and how many chunks wait."""
    result = run.result
    parts = [f"{format_ns(round(t))}."]
    wait = next((wait for wait in run.waits if wait.start_ns <= t < wait.end_ns), None)
    now = next(((task, end) for task, start, end in result.computed if start <= t < end), None)
    if wait:
        parts.append(f"{waited_for(wait)[0].upper()}{waited_for(wait)[1:]}.")
    elif now:
        parts.append(f"The NPU computes {LAYERS[now[0].kind]} of {now[0].layer}.")
    for d in range(len(result.logical)):
        mine = [stay for stay in result.stays if stay.phase.dimension == d]
        on = list(dict.fromkeys(task_of(s).layer for s in mine if s.start_ns <= t < s.end_ns))
        waiting = sum(stay.queued_ns <= t < stay.start_ns for stay in mine)
        does = f"carries {' and '.join(on)}" if on else "is idle"
        parts.append(f"Dimension {d} {does}{f', {waiting} wait' if waiting else ''}.")
    return " ".join(parts) if t < result.total_ns else f"{format_ns(t)}. All is done."
