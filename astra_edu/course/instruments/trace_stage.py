"""The graph of a training step on the stage: nodes that wait, run and are over; edges to be clicked."""

from __future__ import annotations

from astra_edu.course.instruments.scene import Box, Frame, Link, Piece, Point, Stage
from astra_edu.course.instruments.trace_job import EDGES, GIVEN, NODES, REDUCES, Edge, Step
from astra_edu.course.instruments.trace_lanes import CRITICAL, kind
from astra_edu.course.instruments.trace_words import micros, missing_words, needless_words

SIZE = (600.0, 178.0)
WIDE, HIGH, PITCH, LEFT = 92.0, 26.0, 166.0, 5.0
ROWS = {"2": 40.0, "1": 128.0}
"""Of each layer, from above."""
COLUMNS = ("forward", "backward", "all-reduce", "update")
CRITICAL_EDGE = "critical arrow"
NOT_BEGUN, WRONG = "not begun", "may be too early"
GIVEN_LOOK, ON, NEEDLESS, OFF, BUSY = "given edge", "edge", "needless edge", "edge left out", "NPU was busy"


def trace_stage(title: str, step: Step) -> Stage:
    """A step of the stage for every moment at which a node begins or ends."""
    ran = step.ran.values()
    moments = sorted({one.start_ns for one in ran} | {one.end_ns for one in ran})
    count = 1 + len(moments)
    links = [_edge(step, edge, count) for edge in (*GIVEN, *EDGES.values())]
    links += [_busy(edge, count) for edge in step.critical if not step.has(edge)]
    return Stage(
        title,
        SIZE,
        (_TASK, *(_said(step, moment) for moment in moments)),
        tuple(_duration(step, name) for name in NODES),
        tuple(_node(step, name, moments) for name in NODES),
        links=tuple(links),
        times=(0.0, *(moment / 1000 for moment in moments)),
        hidden=True,
    )


_TASK = "An arrow says what must be over first. Click an arrow to take it away or to put it in: right and fastest?"


def _box(name: str) -> Box:
    what, layer = name.split()
    return (LEFT + COLUMNS.index(what) * PITCH, ROWS[layer], WIDE, HIGH)


def _duration(step: Step, name: str) -> Frame:
    x, y, _, high = _box(name)
    ran = step.ran[name]
    return Frame(f"time of {name}", (x + 2, y + high + 14, 0.0, 0.0), micros((ran.end_ns - ran.start_ns) / 1000))


def _early(step: Step) -> list[str]:
    return [need.after for need in step.missing]


def _node(step: Step, name: str, moments: list[int]) -> Piece:
    ran, end = step.ran[name], moments[-1]
    looks, says = [kind(name)], [name]
    for moment in moments:
        done = ran.end_ns <= moment
        look = kind(name) if ran.start_ns <= moment else NOT_BEGUN
        if name in _early(step) and look != NOT_BEGUN:
            look = WRONG
        elif moment == end and name in step.path:
            look = CRITICAL
        looks.append(look)
        says.append(f"✗ {name}" if look == WRONG else f"✓ {name}" if done else name)
    title = f"{name}: {'communicates' if name in REDUCES else 'computes'}"
    return Piece(name, (_box(name),) * len(looks), tuple(looks), title=title, says=tuple(says))


def _points(edge: Edge) -> tuple[Point, ...]:
    (x, y, _, _), (a, b, _, _) = _box(edge.first), _box(edge.after)
    if a - x > 1.5 * PITCH:  # over the node between
        return ((x + WIDE / 2, y - 1), (x + WIDE / 2 + 18, y - 22), (a + WIDE / 2 - 18, y - 22), (a + WIDE / 2, b - 2))
    if a == x:
        down = b > y
        return ((x + WIDE / 2, y + HIGH if down else y), (x + WIDE / 2, b - 2 if down else b + HIGH + 2))
    if b == y:
        return ((x + WIDE, y + HIGH / 2), (a - 2, b + HIGH / 2))
    return ((x + WIDE - 6, y), (a - 1, b + HIGH - 1))


def _edge(step: Step, edge: Edge, count: int) -> Link:
    """A line with words; what is wrong and what is critical are told from the first moment and in the last one."""
    critical, needless, missing = edge in step.critical, edge in step.needless, edge in step.missing
    plain = GIVEN_LOOK if edge in GIVEN else NEEDLESS if needless else ON if step.has(edge) else OFF
    wide = {GIVEN_LOOK: 1.6, ON: 2.2, NEEDLESS: 1.2, OFF: 1.3}[plain]
    later = WRONG if missing else plain
    looks = (plain, *[later] * (count - 2), CRITICAL_EDGE if critical else later)
    widths = (wide, *[2.2 if missing else wide] * (count - 2), 4.5 if critical else 2.2 if missing else wide)
    word = "needless" if needless else "" if step.has(edge) else "off"
    says = (word, *["✗ missing" if missing else word] * (count - 1))
    return Link(str(edge), _points(edge), looks, widths, says, _title(step, edge, needless, missing), arrow=True)


def _title(step: Step, edge: Edge, needless: bool, missing: bool) -> str:
    words = f"{edge.after} waits for {edge.first}"
    if edge in GIVEN:
        return f"{words}: it needs what that computes. This edge stays."
    if needless:
        return needless_words(step, edge)
    return f"{words}. Click to take it away." if step.has(edge) else f"Left out: {words}. Click to put it in."


def _busy(edge: Edge, count: int) -> Link:
    looks, widths = (BUSY,) * count, (*[0.0] * (count - 1), 3.0)
    title = f"No edge: {edge.after} waited as the NPU was busy with {edge.first}"
    return Link(f"busy: {edge}", _points(edge), looks, widths, ("",) * (count - 1) + ("NPU busy",), title, arrow=True)


def _said(step: Step, moment: int) -> str:
    over = [name for name, ran in step.ran.items() if ran.end_ns == moment]
    begin = [name for name, ran in step.ran.items() if ran.start_ns == moment]
    words = f"At {micros(moment / 1000)} "
    if over:
        words += f"{_and(over)} {'is' if len(over) == 1 else 'are'} over"
        words += f"; {_and(begin)} begin{'s' if len(begin) == 1 else ''}." if begin else "."
    else:
        words += f"{_and(begin)} {'begins: it waits' if len(begin) == 1 else 'begin: they wait'} for nothing."
    for name in begin:
        _, busy = step.waited_for(name)
        if busy:
            unit = "communication" if name in REDUCES else "computation"
            words += f" {name.capitalize()} had to wait for {busy}: an NPU does one {unit} at a time."
    early = [need for need in step.missing if need.after in begin]
    if early:
        words += " ✗ " + " ".join(missing_words(step, need) for need in early)
    if moment == step.result.total_ns:
        words += " That ends the step. Cross-hatched nodes and thick arrows: what the end had to wait for."
    return words


def _and(names: list[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
