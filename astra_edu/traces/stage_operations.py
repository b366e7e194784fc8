"""Puts what the NPUs of a stage do into a trace, operator by operator.

Within a pass they wait for what is sent; what hides is after what it needs only. Of two passes that run together,
DualPipe's, one sends tokens to experts while the other computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from astra_edu.traces.builder import Builder
from astra_edu.traces.copies_cut import Cut
from astra_edu.traces.dimensions import Space
from astra_edu.traces.operation import Operation
from astra_edu.traces.passes_of_operators import Piece
from astra_edu.traces.passes_together import alternating, routed
from astra_edu.traces.rounding import Rounding
from astra_edu.workload.strategies import Communication
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT


class StagePass(NamedTuple):
    """label: before the names of its operations. exchanges: whether gradients are exchanged after it; now: behind it
    already.
    """

    pieces: Sequence[Piece]
    label: str
    exchanges: bool = False
    now: bool = False


class StageOperations:
    """What the NPUs of a stage do. ended: what its next pass, or what comes after the last, waits for.

    sent: what they send each other so far, and whose it is.
    """

    def __init__(self, trace: Builder, space: Space, cut: Cut, npus: range, rounding: str, peak: float | None) -> None:
        """rounding, peak: as from_strategy takes them."""
        self.trace, self.space, self.cut, self.npus = trace, space, cut, npus
        self.ended: Sequence[Operation] = ()
        self.sent: list[tuple[Operation, str]] = []
        self._rounding, self._peak = Rounding(rounding), peak
        self._position: tuple[Operation, ...] = ()
        self._computing: tuple[str, float] = ("", 0.0)
        self._gathered: dict[str, Operation] = {}
        self._asked: dict[str, Operation] = {}
        self._held: list[Piece] = []
        self._started = False
        self._exchanged: dict[str, Operation] = {}

    def gather(self, parts: Sequence[Sequence[Piece]], hides: bool) -> None:
        """What is gathered before the first pass. hides: whether each operator waits for its own only."""
        for piece in (piece for part in parts for piece in part):
            self._gathered[piece.name] = self._begin(piece.name, piece.sent[0], ())
        if not hides:
            self._position = self.ended = tuple(self._gathered.values())
            self._gathered = {}

    def play(self, passes: Sequence[StagePass], after: Sequence[Operation]) -> tuple[Operation, ...]:
        """A pass, or two that run together, after others."""
        self._position = tuple(after) if self._started else (*after, *self.ended)
        self._started = True
        if len(passes) > 1 and any(routed(each.pieces) for each in passes):
            self._together(passes)
        else:
            for each in passes:
                self._play(each.pieces, each)
                self._now()  # what they compute stays apart
        self.ended = self._now()
        return tuple(self.ended)

    def _together(self, passes: Sequence[StagePass]) -> None:
        """Their chunks in turn, those of the second one first; what a chunk is sent hides behind the other's next."""
        second_first = passes[::-1]
        arrived = [self._position] * 2
        for chunk in alternating(*(each.pieces for each in second_first)):
            each = second_first[chunk.of]
            after = arrived[chunk.of]
            if chunk.pieces:
                self._position = (*self._position, *after)
                self._play(chunk.pieces, each)
                after = self._now()
            for name, one in chunk.sent:
                after = (self._begin(f"{each.label}{name} {one.content}", one, after),)
            arrived[chunk.of] = after
        self._position = (*self._now(), *arrived[0], *arrived[1])

    def _play(self, pieces: Iterable[Piece], within: StagePass) -> None:
        for piece in pieces:
            name = f"{within.label}{piece.name}"
            if piece.action == "compute":
                self._computing = (name, self._computing[1] + piece.ns)
            elif piece.action == "first":
                if piece.name in self._gathered:
                    self._position = (*self._now(), self._gathered.pop(piece.name))
            elif piece.action == "ask":
                self._asked[piece.name] = self._begin(f"{name} parameters", piece.sent[0], self._now())
            elif piece.action == "use":
                self._position = (*self._now(), self._asked.pop(piece.name))
            elif piece.action == "items":
                self._items(name, piece)
            elif piece.action == "wait":
                for one in piece.sent:
                    self._position = (self._begin(f"{name} {one.content}", one, self._now()),)
            elif within.exchanges and within.now:
                self._exchange(name, piece, self._now())
            elif within.exchanges:
                self._held.append(piece._replace(name=name))

    def exchange(self) -> tuple[Operation, ...]:
        """Gradients that aren't on their way yet; what waits for all has to wait for what is returned.

        What has waited for these waits for all before them, which aren't returned again.
        """
        for piece in self._held:
            self._exchange(piece.name, piece, self.ended)
        self._held = []
        self.ended = tuple(self._exchanged.values()) or tuple(self.ended)
        self._exchanged = {}
        return self.ended

    def gather_last(self, parts: Sequence[Sequence[Piece]], after: Sequence[Operation]) -> None:
        """The parameters that are gathered when all gradients are added up.

        All but the first wait for the first one, which waits for all gradients: an NPU has one on its way at a time,
        and each waiting for all itself would be operators × operators × micro-batches.
        """
        for k, piece in enumerate(piece for part in parts for piece in part):
            made = self._begin(f"update {piece.name} parameters", piece.sent[0], after)
            after = after if k else (made,)

    def _now(self) -> tuple[Operation, ...]:
        """After all that was computed so far, of which there is one operation."""
        name, ns = self._computing
        if ns:
            self._computing = ("", 0.0)
            self._position = (self._compute(name, ns, self._position),)
        return self._position

    def _compute(self, name: str, ns: float, after: Sequence[Operation]) -> Operation:
        if self._peak is None:
            return self.trace.compute(name, self._rounding.micros(round(ns)), after=after, on=self.npus)
        count = round((round(ns) + 0.5) * self._peak * 1000)
        return self.trace.compute(name, num_ops=count, tensor_size=1, after=after, on=self.npus)

    def _begin(self, name: str, sent: Communication, after: Sequence[Operation]) -> Operation:
        where = self.space.where(self.cut.uses(sent.group), self.npus)
        assert where is not None
        assert sent.collective is not None
        kind = sent.collective.value
        begin: Callable[..., Operation] = getattr(self.trace, kind.replace("-", "_"))
        given: dict[str, Any] = where or {"on": self.npus}
        made = begin(f"{name} {kind}", sent.size, after=after, **given)
        self.sent.append((made, self._group(sent)))
        return made

    def _group(self, sent: Communication) -> str:
        """Whose it is; gathers of ZeRO-3 count as the tensor group's, as in ae.estimate."""
        if sent.group in ("tensor", "context", "expert"):
            return sent.group
        within = sent.phase in (FORWARD, INPUT_GRADIENT) and not self.cut.strategy.gathers_once
        return "tensor" if within else "data"

    def _exchange(self, name: str, piece: Piece, after: Sequence[Operation]) -> None:
        for one in piece.sent:
            after = (self._begin(f"{name} {one.content}", one, after),)
        self._exchanged[name] = after[0]

    def _items(self, name: str, piece: Piece) -> None:
        """A list of computations and pieces that are sent, in which each waits for some of the others."""
        start = self._now()
        made: list[tuple[Operation, ...]] = []
        for item, ns in zip(piece.items, piece.items_ns, strict=True):
            after = [one for k in item.after for one in made[k]] if item.after else list(start)
            if item.sent is None:
                made.append((self._compute(name, ns, after),))
            elif item.sent.collective is None:
                made.append(tuple(self._ring(f"{name} {item.sent.content}", item.sent, after)))
            else:
                made.append((self._begin(f"{name} {item.sent.content}", item.sent, after),))
        needed = {k for item in piece.items for k in item.after}
        self._position = tuple(one for k, each in enumerate(made) if k not in needed for one in each)

    def _ring(self, name: str, sent: Communication, after: Sequence[Operation]) -> Iterable[Operation]:
        """A message from each NPU to the next of its ring."""
        for source, to in self.cut.ring(self.npus):
            made = self.trace.message(name, sent.size, source, to, after=[one for one in after if one.is_on(source)])
            self.sent.append((made[0], "context"))
            yield from made
