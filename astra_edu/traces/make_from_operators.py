"""An iteration of what no loop of ASTRA-sim 1.0 can say as a trace: operator by operator, each with what it sends.

Context groups and experts, hybrid sharding, and what hides behind computing. As in ae.estimate, within a pass an NPU
waits for what is sent; what hides is after what it needs only, and an NPU of ASTRA-sim 2.x does one computation and one
communication at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.pipeline import PassSpan, run_pipeline
from astra_edu.pipeline.closed_form import FORMULAS
from astra_edu.traces.builder import Builder
from astra_edu.traces.built import Built
from astra_edu.traces.copies_cut import Cut
from astra_edu.traces.dimensions import Network, Space, sizes_of
from astra_edu.traces.make_from_pipeline import name_of, weave
from astra_edu.traces.operation import Operation
from astra_edu.traces.passes_of_operators import Passes, Piece
from astra_edu.traces.rounding import Rounding
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT

MOST_NODES = 5_000_000
"""Different ones, which are made: a minute, and as many as a trace that is read may have."""

MOST_MESSAGES = 400_000
"""Of rings: each NPU has its own."""


def built_from_operators(
    model: Model, strategy: Strategy, device: Device, network: Network | None, rounding: str, peak: float | None
) -> Built:
    """One iteration, as from_strategy has it. Raises ConfigError as it does."""
    cut = Cut.of(strategy)
    physical = [strategy.npus] if network is None else sizes_of(network)
    if strategy.npus != prod(physical):
        raise ConfigError(f"the strategy takes {strategy.npus} NPUs, but the network has {prod(physical)}.")
    if strategy.pipeline_order not in FORMULAS:
        raise ConfigError(
            f"a trace of context groups, experts, hybrid sharding or hidden communication has no passes in two, as "
            f"{strategy.pipeline_order} asks for; {', '.join(FORMULAS)} would do, and ae.estimate knows both."
        )
    passes = Passes(model, strategy, device)
    _check_size(passes, strategy)
    trace, space, width = Builder(strategy.npus), Space(cut.logical, physical), strategy.npus // strategy.pipeline
    stages = [range(stage * width, (stage + 1) * width) for stage in range(strategy.pipeline)]
    players = [_Stage(trace, space, cut, npus, rounding, peak) for npus in stages]
    run = run_pipeline(
        strategy.pipeline_order,
        strategy.pipeline,
        strategy.micro_batches,
        passes.forward_ns,
        passes.backward_ns,
        virtual=strategy.virtual,
    )
    for stage, player in enumerate(players):
        player.gather(passes.first_gathers[stage :: strategy.pipeline], hides="parameters" in strategy.overlap)
    last = {(span.stage, span.virtual_stage): span for span in run.spans if span.kind == "B"}
    put_in: dict[PassSpan, Sequence[Operation]] = {}
    every, hides = passes.exchanges_every_pass, "gradients" in strategy.overlap

    def does(span: PassSpan, after: Sequence[Operation]) -> Sequence[Operation]:
        part = span.virtual_stage * strategy.pipeline + span.stage
        pieces = passes.forward[part] if span.kind == "F" else passes.backward[part]
        ends = span.kind == "B" and last[span.stage, span.virtual_stage] is span
        now = hides and (every or (ends and not part))
        before = len(trace.operations)
        passed = players[span.stage].play(pieces, after, f"{name_of(span, run)} ", ends or every, now)
        put_in[span] = trace.operations[before:]
        waits = every and not hides and span.kind == "B"
        return players[span.stage].exchange() if waits else passed

    def carries(boundary: int, stage: int, to: int, name: str, after: Sequence[Operation]) -> Sequence[Operation]:
        made = trace.messages(name, passes.messages[boundary], stages[stage], stages[to], after=after)
        players[stage].ended = [one for one in made if one.npus[0] in stages[stage]]
        return [one for one in made if one.npus[0] in stages[to]]

    weave(run, does, carries)
    for stage, player in enumerate(players):
        player.end(passes.last_gathers[stage :: strategy.pipeline])
    return Built(trace, [one for player in players for one in player.sent], run, put_in)


def _check_size(passes: Passes, strategy: Strategy) -> None:
    count = sum(map(len, passes.forward)) + sum(map(len, passes.backward))
    if (nodes := count * strategy.micro_batches) > MOST_NODES:
        raise ConfigError(
            f"{strategy.micro_batches:,} micro-batches make about {nodes:,} different nodes; {MOST_NODES:,} are the "
            "most. Take fewer micro-batches (a smaller batch, or a larger micro_batch)."
        )
    rings = passes.ring_messages * strategy.micro_batches * strategy.npus // strategy.pipeline
    if rings > MOST_MESSAGES:
        raise ConfigError(
            f"rings make about {rings:,} messages, each with NPUs of its own; {MOST_MESSAGES:,} are the most. Take "
            'fewer NPUs or micro-batches, or context_by="all-gather".'
        )


class _Stage:
    """Puts what the NPUs of a stage do into the trace. sent: what they send each other so far, and whose it is."""

    def __init__(self, trace: Builder, space: Space, cut: Cut, npus: range, rounding: str, peak: float | None) -> None:
        self.trace, self.space, self.cut, self.npus = trace, space, cut, npus
        self.ended: Sequence[Operation] = ()
        self.sent: list[tuple[Operation, str]] = []
        self._rounding, self._peak = Rounding(rounding), peak
        self._position: tuple[Operation, ...] = ()
        self._computing: tuple[str, float] = ("", 0.0)
        self._gathered: dict[str, Operation] = {}
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

    def play(
        self, pieces: Iterable[Piece], after: Sequence[Operation], label: str, exchanges: bool, now: bool
    ) -> tuple[Operation, ...]:
        """A pass, after others. exchanges: whether gradients are exchanged after it; now: behind it already."""
        self._position = tuple(after) if self._started else (*after, *self.ended)
        self._started = True
        asked: dict[str, Operation] = {}
        for piece in pieces:
            name = f"{label}{piece.name}"
            if piece.action == "compute":
                self._computing = (name, self._computing[1] + piece.ns)
            elif piece.action == "first":
                if piece.name in self._gathered:
                    self._position = (*self._now(), self._gathered.pop(piece.name))
            elif piece.action == "ask":
                asked[piece.name] = self._begin(f"{name} parameters", piece.sent[0], self._now())
            elif piece.action == "use":
                self._position = (*self._now(), asked.pop(piece.name))
            elif piece.action == "items":
                self._items(name, piece)
            elif piece.action == "wait":
                for one in piece.sent:
                    self._position = (self._begin(f"{name} {one.content}", one, self._now()),)
            elif exchanges and now:
                self._exchange(name, piece, self._now())
            elif exchanges:
                self._held.append(piece._replace(name=name))
        self.ended = self._now()
        return tuple(self.ended)

    def exchange(self) -> tuple[Operation, ...]:
        """Gradients that aren't on their way yet; what waits for all has to wait for what is returned."""
        for piece in self._held:
            self._exchange(piece.name, piece, self.ended)
        self._held = []
        return tuple(self._exchanged.values()) or tuple(self.ended)

    def end(self, parts: Sequence[Sequence[Piece]]) -> None:
        """What is exchanged when all is sent that others wait for, and the parameters that are gathered then."""
        done = self.exchange()
        for piece in (piece for part in parts for piece in part):
            self._begin(f"update {piece.name} parameters", piece.sent[0], done)

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
