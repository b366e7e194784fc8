"""Workers on the stage: the three modes side by side on one clock, a lane for each worker, and where gradients go."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from astra_edu.course.instruments.scene import Box, Frame, Piece, Stage
from astra_edu.course.instruments.setting import Values
from astra_edu.course.instruments.waits_job import Race
from astra_edu.course.studies.synchronisation import WorkerSpan

STEP_NS, STEPS = 2_500_000, 80
"""From one moment of the stage to the next, and how many there are after the first."""
WIDE, TOP, FOOT = 210.0, 32.0, 16.0
PITCH = {2: 34.0, 4: 26.0, 8: 18.0}
"""How high a worker's lane is, by how many there are."""
LANE_X, LANE, GATE_X, HOME_X, HOME = 59.0, 78.0, 140.0, 158.0, 44.0
"""Of each mode: where the lanes begin and how long they are, where one waits, and the server or the all-reduce."""
TOKEN = 13.0
LOOK = {"compute": "compute", "communicate": "sends", "queue": "queues for the server", "wait": "waits for others"}
DOES = {"compute": "compute", "communicate": "send", "queue": "queue", "wait": "wait"}


@dataclass(frozen=True)
class Doing:
    """What a worker does in a span. pull: whether that is to get new parameters, after its gradient was pushed."""

    span: WorkerSpan
    pull: bool

    def along(self, t: float) -> float:
        """The share of it that is over at t ns."""
        return (t - self.span.start_ns) / (self.span.end_ns - self.span.start_ns)


def waits_stage(title: str, raced: Sequence[Race], values: Values) -> Stage:
    """Every worker of the three modes, from moment to moment."""
    times = [step * STEP_NS for step in range(STEPS + 1)]
    doing = [[_log(race, worker, times) for worker in range(race.run.workers)] for race in raced]
    frames = [frame for k, race in enumerate(raced) for frame in _frames(k, race, times, values)]
    pieces = [
        _piece(race, worker, log, times, k)
        for k, race in enumerate(raced)
        for worker, log in enumerate(doing[k])
    ]  # fmt: skip
    short = ("BSP", f"Bound {values['bound']}", "Asynchronous")
    said = [_said(short, [[log[step] for log in logs] for logs in doing], t) for step, t in enumerate(times)]
    hands = f"Pull worker {values['straggler']} to the left, and it is slower; click a lane to slow another one."
    steps = (f"{said[0]} {hands}", *said[1:])
    size = (3 * WIDE, TOP + values["workers"] * PITCH[values["workers"]] + FOOT)
    in_ms = tuple(t / 1e6 for t in times)
    return Stage(title, size, steps, tuple(frames), tuple(pieces), still=10, clock=True, times=in_ms)


def name_of(race: Race, worker: int) -> str:
    """Of a worker's piece on the stage."""
    return f"{race.mode}, worker {worker}"


def lane_of(race: Race, worker: int) -> str:
    """Of its lane."""
    return f"{race.mode}, lane of worker {worker}"


def _log(race: Race, worker: int, times: Sequence[float]) -> list[Doing]:
    """What a worker does at each time. After a gradient is pushed comes the pull; an all-reduce is both."""
    found = list(_doings([span for span in race.run.spans if span.worker == worker]))
    starts = [doing.span.start_ns for doing in found]
    return [found[bisect_right(starts, t) - 1] for t in times]


def _doings(spans: Sequence[WorkerSpan]) -> Iterator[Doing]:
    pushed = False
    for span in spans:
        if span.kind == "compute":
            pushed = False
        yield Doing(span, pushed)
        pushed |= span.kind == "communicate"


def _titles(values: Values) -> tuple[str, ...]:
    return ("bulk-synchronous (BSP):", f"bounded staleness, bound {values['bound']}:", "asynchronous:")


def _frames(k: int, race: Race, times: Sequence[float], values: Values) -> Iterator[Frame]:
    x, pitch, workers = k * WIDE, PITCH[values["workers"]], values["workers"]
    exchange = "all-reduce" if race.mode == "bulk-synchronous" else "server"
    yield Frame(race.mode, (x, 12, 0, 0), _titles(values)[k])
    for place, word in ((LANE_X, "computes"), (GATE_X - 10, "waits")):
        yield Frame(f"{race.mode}, {word}", (x + place, TOP - 1, 0, 0), word)
    box = (x + HOME_X, TOP, HOME, workers * pitch - 3)
    yield Frame(f"{race.mode}, {exchange}", box, exchange)
    for worker in range(workers):
        y = TOP + worker * pitch
        slow = values["slow"] != 1 and worker == values["straggler"]
        told = f"worker {worker} ×{values['slow']:g}" if slow else f"worker {worker}"
        yield Frame(f"{race.mode}, name of worker {worker}", (x, y + pitch / 2 + 4.5, 0, 0), told)
        yield Frame(lane_of(race, worker), (x + LANE_X, y, LANE, pitch - 3))
    applied = [update.applied_ns for update in race.run.updates]
    counts = tuple(_counter(race, bisect_right(applied, t), t) for t in times)
    yield Frame(f"{race.mode}, counter", (x + LANE_X, TOP + workers * pitch, 143, 12), "", counts)


def _counter(race: Race, done: int, t: float) -> str:
    """What has been reached at t ns: so many updates, and how far the loss is above the smallest one."""
    loss = race.training.at(t)
    return f"{done} updates, loss {f'{loss:.2g}' if isfinite(loss) and loss < 1e4 else 'too large'}"


def _piece(race: Race, worker: int, log: Sequence[Doing], times: Sequence[float], k: int) -> Piece:
    pitch = PITCH[race.run.workers]
    y = TOP + worker * pitch + (pitch - 3 - TOKEN) / 2

    def box(x: float) -> Box:
        return (round(k * WIDE + x, 1), y, TOKEN, TOKEN)

    home = HOME_X + (HOME - TOKEN) / 2
    at = [_x(doing, t, race.mode) for doing, t in zip(log, times, strict=True)]
    applied = [update.applied_ns for update in race.run.updates if update.worker == worker]
    by = {}
    for step in range(1, len(times)):
        over = bisect_right(applied, times[step]) > bisect_left(applied, times[step - 1])
        if over and at[step] < GATE_X and at[step - 1] < home:
            by[step] = box(home)
    looks = tuple(LOOK[doing.span.kind] for doing in log)
    return Piece(name_of(race, worker), tuple(map(box, at)), looks, str(worker), f"{race.mode}: worker {worker}", by)


def _x(doing: Doing, t: float, mode: str) -> float:
    """How far to the right a worker stands in its lane."""
    home, kind, along = HOME_X + (HOME - TOKEN) / 2, doing.span.kind, doing.along(t)
    if kind == "compute":
        return LANE_X + 1 + along * (LANE - TOKEN - 2)
    if kind == "wait" or (kind == "queue" and not doing.pull):
        return GATE_X
    if kind == "queue" or mode == "bulk-synchronous":
        return home
    return home + along * (LANE_X + 1 - home) if doing.pull else GATE_X + along * (home - GATE_X)


def _said(names: Sequence[str], doing: Sequence[Sequence[Doing]], t: float) -> str:
    """What the workers of each mode do at t ns."""
    found = []
    for name, now in zip(names, doing, strict=True):
        kinds = Counter(one.span.kind for one in now)
        does = ", ".join(f"{kinds[kind]} {words}" for kind, words in DOES.items() if kinds[kind])
        found.append(f"{name}: {does}.")
    return " ".join([f"{t / 1e6:g} ms.", *found])
