"""From the operations of a Builder to the nodes of its NPUs: found once for NPUs that do the same up to names.

NPUs are in a cell if they have the same operations for the same time, and groups that are equal where each other's
are. The nodes of a cell are made once. Cells of one NPU are put together where their nodes differ in peers, groups, and
numbers and tags that grow evenly from NPU to NPU.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Mapping, Sequence

from astra_edu.base.few_collections import few_collections
from astra_edu.base.progress import Bar
from astra_edu.traces.cells import Cell, cells_of
from astra_edu.traces.node import Attribute, Node, attribute_of
from astra_edu.traces.operation import Operation
from astra_edu.traces.shared_nodes import SharedNodes, Step

_LEAST = 3
"""So many cells of one NPU at least make a template: any two differ evenly."""
_OPEN = 4
"""An NPU is compared with so many templates that begin like it."""


@few_collections()
def nodes_of(npus: int, operations: Sequence[Operation]) -> Sequence[tuple[Node, ...]]:
    """The nodes of every NPU; plain tuples where NPUs that share them have the very same."""
    cells = cells_of(npus, operations)
    with Bar("making the trace", " operations", len(operations)) as bar:
        _give(cells, operations, bar)
        for cell in cells:
            cell.sort()
        cells = [part for cell in cells for part in cell.by_groups()]
        cells = _together(cells)
        shared = _shared(npus, cells)
    return shared.simplest()


def _give(cells: Sequence[Cell], operations: Sequence[Operation], bar: Bar) -> None:
    """Every cell the operations that it is on, in their order."""
    firsts = [cell.first for cell in cells]
    place = {first: k for k, first in enumerate(firsts)}
    for done, operation in enumerate(operations):
        bar.show(done)
        own = operation.npus
        if isinstance(own, range):
            for k in range(bisect_left(firsts, own.start), bisect_left(firsts, own.stop)):
                cells[k].operations.append(operation)
        else:
            for npu in own:
                if npu in place:
                    cells[place[npu]].operations.append(operation)


def _together(cells: list[Cell]) -> list[Cell]:
    """Cells of one NPU that are alike up to names as one; the others as they are."""
    alike: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        if len(cell.npus) == 1:
            alike.setdefault(tuple([one.type for one in cell.operations]), []).append(cell)
    made: dict[int, Cell] = {}
    gone: set[int] = set()
    contents: dict[object, int] = {}
    for similar in alike.values():
        if len(similar) < _LEAST:
            continue
        same: dict[tuple[object, ...], list[Cell]] = {}
        for cell in similar:
            same.setdefault(_content(cell, contents), []).append(cell)
        for equal in same.values():
            for run in _even(equal) if len(equal) >= _LEAST else ():
                made[run[0].first] = _one(run)
                gone.update(cell.first for cell in run)
    return [made.get(cell.first, cell) for cell in cells if cell.first in made or cell.first not in gone]


def _content(cell: Cell, contents: dict[object, int]) -> tuple[object, ...]:
    """What its nodes are, without peers, numbers, tags and the names of groups."""
    npu = cell.first
    places = {id(one): place for place, one in enumerate(cell.operations)}
    names = cell.names[0] if cell.names else ()
    found = []
    for one in cell.operations:
        attributes = {name: attribute for name, attribute in one.attributes.items() if name != "comm_tag"}
        for end in ("comm_src", "comm_dst"):
            if end in attributes:
                attributes[end] = attributes[end]._replace(value=one.attributes_on(npu)[end].value - npu)
        parents = tuple([places[id(parent)] for parent in one.after if id(parent) in places])
        group = names.index(one.groups[npu]) if one.groups else -1
        what = one.name, one.type, one.micros_on(npu), tuple(attributes.items()), parents, group
        found.append(contents.setdefault(what, len(contents)))
    return tuple(found)


def _even(cells: list[Cell]) -> list[list[Cell]]:
    """Those whose numbers and tags grow evenly from NPU to NPU, together."""
    runs: list[list[Cell]] = []
    growth: list[list[tuple[int, ...]]] = []
    for cell in cells:
        for k in range(len(runs) - 1, max(-1, len(runs) - 1 - _OPEN), -1):
            steps = _growth(runs[k][0], cell)
            if steps is not None and (len(runs[k]) == 1 or steps == growth[k][0]):
                growth[k] = [steps]
                runs[k].append(cell)
                break
        else:
            runs.append([cell])
            growth.append([])
    return [run for run in runs if len(run) >= _LEAST]


def _growth(one: Cell, other: Cell) -> tuple[int, ...] | None:
    """By how much numbers and tags grow with each NPU from one to another; None where by no whole numbers."""
    by = other.first - one.first
    found = []
    for mine, theirs in zip(_numbers(one), _numbers(other), strict=True):
        whole, left = divmod(theirs - mine, by)
        if left:
            return None
        found.append(whole)
    return tuple(found)


def _numbers(cell: Cell) -> list[int]:
    npu = cell.first
    found = []
    for one in cell.operations:
        found.append(one.number_on(npu))
        if "comm_tag" in one.attributes:
            found.append(int(one.attributes_on(npu)["comm_tag"].value))
    return found


def _one(run: list[Cell]) -> Cell:
    growth = iter(_growth(run[0], run[1]) or ())
    steps = {}
    for one in run[0].operations:
        step = Step(next(growth), next(growth) if "comm_tag" in one.attributes else 0)
        if any(step):
            steps[one.number_on(run[0].first)] = step
    names = [cell.names[0] for cell in run if cell.names]
    return Cell([cell.first for cell in run], run[0].operations, names, steps)


def _shared(npus: int, cells: Sequence[Cell]) -> SharedNodes:
    of = [0] * npus
    names: list[tuple[str, ...]] = [()] * npus if any(cell.names for cell in cells) else []
    times = Counter(one.number for cell in cells for one in cell.operations)
    made = _Nodes({number for number, count in times.items() if count > 1})
    templates = []
    for number, cell in enumerate(cells):
        for npu in cell.npus:
            of[npu] = number
        for npu, own in zip(cell.npus, cell.names, strict=False):
            names[npu] = own
        templates.append(tuple([made.of(one, cell.first) for one in cell.operations]))
    steps = tuple(cell.steps for cell in cells) if any(cell.steps for cell in cells) else ()
    return SharedNodes(tuple(templates), tuple(of), tuple(cell.first for cell in cells), True, tuple(names), steps)


class _Nodes:
    """The nodes that there are so far; those of an operation that are alike are one, and so are equal attributes."""

    def __init__(self, several: Container[int]) -> None:
        """None yet. several: the numbers of operations that more than one cell has."""
        self._several = several
        self._made: dict[tuple[int, int, str, tuple[int, ...]], Node] = {}
        self._named: dict[tuple[int, str], tuple[object, Mapping[str, Attribute]]] = {}

    def of(self, operation: Operation, npu: int) -> Node:
        parents = operation.parents_on(npu)
        micros, group = operation.micros_on(npu), operation.groups.get(npu, "")
        several = operation.step is None and operation.number in self._several
        key = operation.number, micros, group, parents
        if several and key in self._made:
            return self._made[key]
        attributes = operation.attributes_on(npu)
        if group:
            attributes = self._with(attributes, group)
        made = Node(operation.number_on(npu), operation.name, operation.type, parents, (), micros, 0, attributes)
        if several:
            self._made[key] = made
        return made

    def _with(self, attributes: Mapping[str, Attribute], group: str) -> Mapping[str, Attribute]:
        key = id(attributes), group
        if key not in self._named:
            self._named[key] = attributes, {**attributes, "pg_name": attribute_of("pg_name", group)}
        return self._named[key][1]
