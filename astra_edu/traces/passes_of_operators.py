"""What an NPU computes and sends in a pass through a part of a model, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy, communications
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.generate import phases, repeated, without_input_gradient
from astra_edu.workload.strategies.overlapped import Items, Unit, units
from astra_edu.workload.strategies.precision import adding_ns, computing_ns
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, UPDATE, WEIGHT_GRADIENT


class Piece(NamedTuple):
    """action: "first" waits for parameters gathered before all passes; "compute" takes ns; "wait" is for all that is
    sent, one after the other; "ask" for parameters and "use" them; "items", a list in which some hide behind others;
    "exchange" gradients.
    """

    action: str
    name: str
    ns: float = 0
    sent: tuple[Communication, ...] = ()
    items: Items = ()
    items_ns: tuple[float, ...] = ()


class Passes:
    """Of each part of the model its passes, what is gathered before the first and after the last, and the messages.

    backward: whole; inputs and weights: the two that some orders split it into. forward_ns, backward_ns, weight_ns:
    what each part computes at least. messages: from each part to the next. mirrored: bytes of gradients that the two
    stages of a part add up. ring_messages: of each NPU in a micro-batch.
    """

    def __init__(self, model: Model, strategy: Strategy, device: Device) -> None:
        """Raises ConfigError where the strategy doesn't fit."""
        self._model, self._strategy, self._device = model, strategy, device
        sent = communications(model, strategy)
        self._sent: dict[tuple[str, str], list[Communication]] = {}
        for one in (one for one in sent if one.group != "mirror"):
            self._sent.setdefault((one.operator, one.phase), []).append(one)
        about = abridged(model)
        places = set(without_input_gradient(about, about.alone(about.strategy(strategy))))
        self._first = {i for i, place in enumerate(about.places) if place in places}
        self._units = {unit.at: unit for unit in units(model, strategy, sent)}
        self._in_units = {i for unit in self._units.values() for i in unit.operators}
        self._blocks = {i: k for k, block in enumerate(model.blocks, 1) for i in block}
        self._early = strategy.gathers_once or ("parameters" in strategy.overlap and strategy.zero < 3)
        parts = strategy.parts(model)
        self.forward = [list(self._pass(part, FORWARD)) for part in parts]
        self.backward = [list(self._pass(part[::-1], INPUT_GRADIENT, WEIGHT_GRADIENT)) for part in parts]
        split = parts if strategy.splits_backward else ()
        self.inputs = [list(self._pass(part[::-1], INPUT_GRADIENT)) for part in split]
        self.weights = [list(self._pass(part[::-1], WEIGHT_GRADIENT)) for part in split]
        self.forward_ns, self.backward_ns = (
            [max(1, _computing(part)) for part in way] for way in (self.forward, self.backward)
        )
        self.weight_ns = [
            min(_computing(part), whole - 1) for part, whole in zip(self.weights, self.backward_ns, strict=False)
        ]
        early = self._early
        phase = FORWARD if strategy.gathers_once else UPDATE
        gathers = [[piece for i in part for piece in self._gathers(i, phase)] for part in parts]
        nothing: list[list[Piece]] = [[] for _ in parts]
        late = strategy.zero in (1, 2) and not early
        self.first_gathers, self.last_gathers = (gathers if early else nothing), (gathers if late else nothing)
        self.messages = [one.size for one in sent if one.group == "pipeline" and one.phase == FORWARD]
        if strategy.folded and strategy.pipeline > 1:
            self.messages.insert(strategy.pipeline - 1, 0)  # both parts are on the last stage
        mirrored = {one.operator: one.size for one in sent if one.group == "mirror"}
        self.mirrored = [sum(mirrored.get(model.operators[i].name, 0) for i in part) for part in parts]
        self.exchanges_every_pass = any(one.times > 1 for one in sent if one.phase == WEIGHT_GRADIENT)
        rings = (one for one in sent if one.group == "context" and one.collective is None)
        self.ring_messages = sum(one.times for one in rings) // strategy.micro_batches

    def _gathers(self, i: int, phase: str) -> Iterator[Piece]:
        name = self._model.operators[i].name
        for one in self._sent.get((name, phase), ()):
            if one.content == "parameters":
                yield Piece("ask", name, sent=(one,))

    def of(self, part: int, kind: str, whole: bool) -> Sequence[Piece]:
        """What a pass "F", "B" or "W" does; whole: whether B is all of the backward pass."""
        if kind == "F":
            return self.forward[part]
        return self.backward[part] if whole and kind == "B" else (self.inputs if kind == "B" else self.weights)[part]

    def _pass(self, part: Sequence[int], phase: str, then: str = "") -> Iterator[Piece]:
        """A pass, its blocks' parameters asked for when the block before begins, if they hide. then: another phase,
        operator by operator.
        """
        asks = self._strategy.zero == 3 and not self._strategy.gathers_once
        blocks = [list(each) for _, each in groupby(part, key=lambda i: self._blocks.get(i, -1))]
        gathers = [[piece for i in block for piece in self._gathers(i, phase)] if asks else [] for block in blocks]
        hides = "parameters" in self._strategy.overlap
        if hides:
            yield from gathers[0]
        for k, block in enumerate(blocks):
            if hides:
                yield from (piece._replace(action="use", sent=()) for piece in gathers[k])
                yield from gathers[k + 1] if k + 1 < len(blocks) else ()
            for i in block:
                if asks and not hides:
                    yield from (piece._replace(action="wait") for piece in self._gathers(i, phase))
                yield from self._operator(i, phase)
                yield from self._operator(i, then) if then else ()

    def _operator(self, i: int, phase: str) -> Iterator[Piece]:
        operator, strategy = self._model.operators[i], self._strategy
        if phase == WEIGHT_GRADIENT:
            yield from self._gradients(i)
            return
        ahead, back = (self._waited(operator.name, each) for each in (FORWARD, INPUT_GRADIENT))
        again = [one for one in ahead if one.times > strategy.micro_batches]
        if phase == FORWARD and self._early:
            those = self._units[i].operators if i in self._units else (i,)
            yield from (Piece("first", self._model.operators[k].name) for k in those)
        if waits := ahead if phase == FORWARD else [*again, *back]:
            yield Piece("wait", operator.name, sent=tuple(waits))
        if i in self._units:
            yield self._hidden(self._units[i], phase)
            own = (self._model.operators[k] for k in self._units[i].operators)
            adds = phase == INPUT_GRADIENT and not strategy.splits_backward
            if adds and (ns := sum(adding_ns(self._device, strategy, each) for each in own)):
                yield Piece("compute", operator.name, ns)
        if i not in self._in_units and (ns := self._ns(i, phase)):
            yield Piece("compute", operator.name, ns)

    def _gradients(self, i: int) -> Iterator[Piece]:
        """Those of an operator's weights, unless its list computes them, and their exchange."""
        name, in_list = self._model.operators[i].name, i in self._in_units and not self._strategy.splits_backward
        if not in_list and (ns := self._ns(i, WEIGHT_GRADIENT)):
            yield Piece("compute", name, ns)
        if sent := self._sent.get((name, WEIGHT_GRADIENT)):
            yield Piece("exchange", name, sent=tuple(sent))

    def _waited(self, name: str, phase: str) -> list[Communication]:
        found = self._sent.get((name, phase), ())
        return [one for one in found if one.blocking and one.content != "parameters" and one.collective]

    def _hidden(self, unit: Unit, phase: str) -> Piece:
        items = unit.forward if phase == FORWARD else unit.backward
        times = tuple(sum(computing_ns(self._device, self._strategy, work) for work in item.computes) for item in items)
        return Piece("items", self._model.operators[unit.at].name, items=items, items_ns=times)

    def _ns(self, i: int, phase: str) -> float:
        operator, strategy = self._model.operators[i], self._strategy
        again = repeated(operator, strategy) or (strategy.recompute == "full" and i in self._blocks)
        works = phases((operator,), strategy, again)
        if i in self._first:
            del works[INPUT_GRADIENT][0]
        ns = sum(computing_ns(self._device, strategy, work) for work in works[phase])
        return ns + adding_ns(self._device, strategy, operator) if phase == WEIGHT_GRADIENT else ns


def _computing(pieces: Iterable[Piece]) -> int:
    return round(sum(piece.ns + sum(piece.items_ns) for piece in pieces))
