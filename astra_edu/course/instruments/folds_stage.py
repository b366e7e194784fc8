"""A product's plane, cut into folds, beside the arrays that have them one round after the other."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.course.instruments.folds_job import arrays_said, counted, of_round
from astra_edu.course.instruments.folds_plane import Grid, arrays_of, plane_of
from astra_edu.course.instruments.folds_said import said, taken
from astra_edu.course.instruments.scene import Box, Frame, Piece, Stage
from astra_edu.workload.compute.systolic import AXES, Fold, Folding

WIDE, HIGH = 602.0, 230.0
FINEST = 3.0
"""Between two lines."""
NOW, NEXT, DONE, IDLE = "on the arrays", "next", "done", "idle PEs"


@dataclass(frozen=True)
class Limits:
    """How many rounds a stage has at most, and about how many boxes: of more every other, or every third, is drawn."""

    steps: int
    boxes: int


SHOWN, STORED = Limits(120, 20_000), Limits(30, 1_000)


@dataclass(frozen=True)
class Step:
    """A moment on the stage. number: the round that is on the arrays, 0 before the first; folds: its folds."""

    number: int
    folds: tuple[Fold, ...]

    @property
    def product(self) -> int:
        """Whose plane is shown: that of the last product on the arrays."""
        return self.folds[-1].product if self.folds else 0


def drawn_rounds(folding: Folding, limits: Limits = SHOWN) -> list[int]:
    """The rounds that are drawn within limits, counted from 1: all of them, or some and the last."""
    return sorted({*range(1, folding.rounds + 1, every(folding, limits)), folding.rounds})


def every(folding: Folding, limits: Limits = SHOWN) -> int:
    """Of how many rounds one is drawn."""
    return -(-folding.rounds // min(limits.steps, max(3, limits.boxes // (4 * folding.array.count + 2))))


def folds_stage(title: str, folding: Folding, limits: Limits = SHOWN) -> Stage:
    """The plane and the arrays before the first round and in each that is drawn."""
    drawn = drawn_rounds(folding, limits)
    steps = [Step(0, ()), *(Step(number, tuple(of_round(folding, number))) for number in drawn)]
    plane, arrays = plane_of(folding), arrays_of(folding)
    pieces = _done(folding, steps, plane, limits.boxes // 5)
    for slot, array in enumerate(arrays):
        pieces.append(Piece(f"array {slot}", (array.box,) * len(steps), (IDLE,) * len(steps), title=f"array {slot}"))
    pieces += _in_plane(folding, steps, plane)
    for slot, array in enumerate(arrays):
        pieces += _on_array(slot, steps, plane if _apart(folding, plane) else None, array)
    edge = (k for k, step in enumerate(steps) if sum(f.pes for f in step.folds) < folding.array.pes and step.folds)
    return Stage(
        title,
        (WIDE, HIGH),
        tuple(said(folding, step.number, step.folds) for step in steps),
        tuple(_frames(folding, steps, plane, arrays)),
        tuple(piece for piece in pieces if any(piece.at)),
        still=next(edge, len(steps) // 2),
        hidden=True,
    )


def _frames(folding: Folding, steps: list[Step], plane: Grid, arrays: list[Grid]) -> list[Frame]:
    along, across, _ = AXES[folding.dataflow]
    x, y, wide, high = plane.box
    rows = f"{along} = {counted(plane.rows)}"
    columns = f"{across} = {counted(plane.columns)}{'' if plane.exact else ' (not to scale)'}"
    found = [
        Frame("plane", plane.box, columns),
        Frame("words: rows", (x - 5.4 * len(rows) - 6, y + high / 2 + 6, 0, 0), rows),
        *_strips(folding, plane),
    ]
    if folding.gemm.count > 1:
        says = tuple(f"product {counted(step.product + 1)} of {counted(folding.gemm.count)}" for step in steps)
        found.append(Frame("words: product", (x + wide / 2, y + high + 11, 0, 0), says=says))
    called = arrays_said(folding.array) + ("" if arrays[0].exact else " (not to scale)")
    left, right = arrays[0].box[0], max(array.box[0] + array.box[2] for array in arrays)
    bottom = arrays[-1].box[1] + arrays[-1].box[3]
    says = tuple(taken(folding, step.folds) for step in steps)
    return [
        *found,
        Frame("words: arrays", (left, y, 0, 0), called),
        Frame("words: taken", ((left + right) / 2, bottom + 11, 0, 0), says=says),
    ]


def _strips(folding: Folding, plane: Grid) -> list[Frame]:
    """A frame for each row and each column of folds, as long as they can be told apart."""
    down, across = folding.grid
    rows, columns = folding.array.rows, folding.array.columns
    found = []
    if down > 1 and plane.box[3] * rows / plane.rows >= FINEST:
        for k in range(down):
            found.append(Frame(f"row {k}", plane.part(k * rows, min(rows, plane.rows - k * rows), 0, plane.columns)))
    if across > 1 and plane.box[2] * columns / plane.columns >= FINEST:
        for k in range(across):
            wide = min(columns, plane.columns - k * columns)
            found.append(Frame(f"column {k}", plane.part(0, plane.rows, k * columns, wide)))
    return found


def _done(folding: Folding, steps: list[Step], plane: Grid, cells: int) -> list[Piece]:
    """What is done of the product on show: its folds, or of more than `cells` in all steps whole columns and a part."""
    down, across = folding.grid
    before = [max(0, _place(folding, step)) for step in steps]
    if down * across * len(steps) > cells or not _apart(folding, plane):
        return _merged(DONE, [_runs(folding, plane, 0, done) for done in before])
    boxes = [plane.fold(folding.fold(i)) for i in range(down * across)]
    looks = (DONE,) * len(steps)
    return [
        Piece(f"done {i}", tuple(box if i < done else None for done in before), looks, title=f"fold {i + 1}, done")
        for i, box in enumerate(boxes)
    ]


def _in_plane(folding: Folding, steps: list[Step], plane: Grid) -> list[Piece]:
    """Where in the plane the folds are that the arrays have: each, or those in a column together."""
    if not _apart(folding, plane):
        starts = [_place(folding, step) for step in steps]
        ends = [start + len(step.folds) for start, step in zip(starts, steps, strict=True)]
        return _merged(
            NOW, [_runs(folding, plane, max(0, start), end) for start, end in zip(starts, ends, strict=True)]
        )
    found = []
    for slot in range(min(folding.array.count, folding.fold_count)):
        at = tuple(plane.fold(fold) if (fold := _fold(step, slot, step.product)) else None for step in steps)
        found.append(Piece(f"plane {slot}", at, (NOW,) * len(steps), title=f"on array {slot}"))
    return found


def _merged(look: str, boxes: list[tuple[Box | None, ...]]) -> list[Piece]:
    return [
        Piece(f"{look}, {name}", at, (look,) * len(at), title=look)
        for name, at in zip(("end of a column", "columns", "start of a column"), zip(*boxes, strict=True), strict=True)
    ]


def _runs(folding: Folding, plane: Grid, start: int, end: int) -> tuple[Box | None, Box | None, Box | None]:
    """The folds from `start` to before `end` of a product: the end of a column, whole columns, the start of one."""
    down, _ = folding.grid
    (first, top), (last, bottom) = divmod(start, down), divmod(end, down)
    if start == end:
        return None, None, None
    if first == last:
        return _column(folding, plane, first, top, bottom), None, None
    begun = _column(folding, plane, first, top, down) if top else None
    first += bool(top)
    columns = folding.array.columns
    whole = plane.seen(0, plane.rows, first * columns, min(last * columns, plane.columns) - first * columns)
    part = _column(folding, plane, last, 0, bottom) if bottom else None
    return begun, whole if last > first else None, part


def _column(folding: Folding, plane: Grid, column: int, start: int, end: int) -> Box:
    """The folds from row `start` to before `end` of a column."""
    rows, columns = folding.array.rows, folding.array.columns
    left = column * columns
    high = min(end * rows, plane.rows) - start * rows
    return plane.seen(start * rows, high, left, min(columns, plane.columns - left))


def _place(folding: Folding, step: Step) -> int:
    """The number of a round's first fold in the product on show; negative where that is of the product before."""
    down, across = folding.grid
    return (step.number - 1) * folding.array.count - step.product * down * across if step.number else 0


def _apart(folding: Folding, plane: Grid) -> bool:
    """Whether folds are large enough in the plane to be drawn one by one."""
    _, _, wide, high = plane.box
    array = folding.array
    return min(wide * array.columns / plane.columns, high * array.rows / plane.rows) >= FINEST


def _on_array(slot: int, steps: list[Step], plane: Grid | None, array: Grid) -> list[Piece]:
    """The folds of an array: each is next in the plane, then on the array, then gone; three pieces take turns.

    Without a plane it comes from nowhere.
    """
    found = []
    for turn in range(3):
        at: list[Box | None] = [None] * len(steps)
        looks = [NEXT] * len(steps)
        for k in range(turn + 1, len(steps), 3):
            if fold := _fold(steps[k], slot):
                at[k], looks[k] = array.held(fold), NOW
            if plane and (fold := _fold(steps[k], slot, steps[k - 1].product)):
                at[k - 1] = plane.fold(fold)
        found.append(Piece(f"array {slot}, {'abc'[turn]}", tuple(at), tuple(looks), title=f"fold of array {slot}"))
    return found


def _fold(step: Step, slot: int, product: int | None = None) -> Fold | None:
    """The fold that an array has in a step, if it is one of that product."""
    if slot >= len(step.folds):
        return None
    fold = step.folds[slot]
    return fold if product in (None, fold.product) else None
