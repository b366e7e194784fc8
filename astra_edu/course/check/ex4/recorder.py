"""What a training loop asks of its NPU, written down, and how it differs from the reordered data-parallel loop."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from types import GeneratorType
from typing import Any, NamedTuple

from astra_edu.collectives import Collective
from astra_edu.workload import LOOPS, Layer, Work, Workload
from astra_edu.workload.npu import Npu, Task, running_layers
from astra_edu.workload.parallelism import Options, involved

LIMIT = 10_000
"""Calls, or events, after which a loop is taken never to end."""

ENDLESS = f"Your loop asks for more than {LIMIT:,} things and doesn't end."
INSTANT = "issue takes no time: call it without yield, as in `npu.issue(layer.weight_gradient)`."


class Call(NamedTuple):
    """One thing a loop asks of its NPU: "compute", "issue", "wait" or "cycle", and of whose task."""

    what: str
    kind: str = ""
    layer: int = -1

    @property
    def task(self) -> str:
        """Whose task, in words."""
        return f"the {self.kind} of layer {self.layer}"

    @property
    def form(self) -> str:
        """How it has to be written, to be run."""
        return "yield npu.cycle()" if self.what == "cycle" else f"yield from npu.{self.what}(...)"


class MisuseError(Exception):
    """A call that can't be meant so; the message is for the student."""


class Issued:
    """What `issue` returns: true, but nothing to yield."""

    def __iter__(self) -> Iterator[None]:
        """Stop a loop that yields from it."""
        raise MisuseError(INSTANT)


class Recorder(Npu):
    """An NPU that does nothing but write down what a loop asks of it."""

    def __init__(self, workload: Workload, passes: int) -> None:
        """Begin with nothing written down."""
        layers = running_layers(workload, involved(workload, 1, 0))
        super().__init__(layers, passes, Options(), clock=None, scheduler=None)  # type: ignore[arg-type]
        self.calls: list[Call] = []
        self.pending: list[Call] = []

    def compute(self, task: Task) -> Any:
        """Write down that the task is computed, once that is run."""
        return self._steps(self._call("compute", task))

    def wait(self, task: Task) -> Any:
        """Write down that the task's collectives are waited for, once that is run."""
        return self._steps(self._call("wait", task))

    def issue(self, task: Task, urgent: bool = False) -> Any:
        """Write down that the task's collective begins."""
        self._keep(self.calls, self._call("issue", task))
        return Issued()

    def cycle(self) -> Any:
        """Return what is written down once it is yielded."""
        self._keep(self.pending, Call("cycle"))
        return self.pending[-1]

    def run(self, made: Call) -> None:
        """Write down what had only been called so far."""
        self.pending.remove(made)
        self._keep(self.calls, made)

    def _steps(self, made: Call) -> Iterator[None]:
        self._keep(self.pending, made)

        def steps() -> Iterator[None]:
            self.run(made)
            yield

        return steps()

    def _call(self, what: str, task: Task) -> Call:
        if not isinstance(task, Task):
            raise MisuseError(f"npu.{what}(...) takes one of a layer's three tasks, such as layer.forward.")
        return Call(what, task.kind, int(task.layer))

    def _keep(self, calls: list[Call], made: Call) -> None:
        if len(calls) >= LIMIT:
            raise MisuseError(ENDLESS)
        calls.append(made)


def plain_layers(count: int, size: int = 2**20) -> tuple[Layer, ...]:
    """Layers called "0", "1", ... that all compute, and all-reduce `size` bytes of weight gradients."""
    return tuple(
        Layer(
            str(i),
            Work(1000 + 10 * i, None, 0),
            Work(2000 + 10 * i, None, 0),
            Work(3000 + 10 * i, Collective.ALL_REDUCE, size),
        )
        for i in range(count)
    )


def record(loop: Any, layers: int, passes: int) -> list[Call] | str:
    """What the loop asks of its NPU, in order; or a sentence on why it can't be run."""
    npu = Recorder(Workload("DATA", plain_layers(layers)), passes)
    try:
        steps = loop(npu)
        if not isinstance(steps, GeneratorType):
            return "Your loop has to be a generator: everything that takes time is yielded (yield, or yield from)."
        for count, event in enumerate(steps):
            if count >= LIMIT:
                return ENDLESS
            if isinstance(event, Issued):
                return INSTANT
            if isinstance(event, GeneratorType):
                return "compute, wait and communicate take several events: write `yield from`, not `yield`."
            if isinstance(event, Call):
                npu.run(event)
            elif event is not None:
                return f"Your loop yields {event!r}; yield npu.cycle(), or yield from what the npu offers."
    except MisuseError as problem:
        return str(problem)
    if npu.pending:
        return f"Something is called, but never run: write `{npu.pending[0].form}`."
    return npu.calls


def difference(given: list[Call], layers: int, passes: int) -> str:
    """The first thing by which a record differs from DATA_REORDER's that a student can do something about."""
    wanted = _recorded("DATA_REORDER", layers, passes)
    for what, explain in (("compute", _computing), ("issue", _asking), ("wait", _waiting)):
        found = explain(given, _only(what, given), _only(what, wanted), passes)
        if found:
            return found
    mine, right = len(_only("cycle", given)), len(_only("cycle", wanted))
    if mine != right:
        return (
            f"too {'few' if mine < right else 'many'} cycles: each computation is followed by one `yield npu.cycle()`."
        )
    made = next(a for a, b in zip(given, wanted, strict=True) if a != b)
    return (
        f"all is there, but not in the right order: something at or before an `npu.{made.what}` stands in the wrong "
        "place. Compare with data(): what comes right after a weight gradient?"
    )


def _recorded(name: str, layers: int, passes: int) -> list[Call]:
    calls = record(LOOPS[name], layers, passes)
    assert isinstance(calls, list)
    return calls


def _only(what: str, calls: list[Call]) -> list[Call]:
    return [made for made in calls if made.what == what]


def _computing(given: list[Call], mine: list[Call], right: list[Call], passes: int) -> str:
    if mine == right:
        return ""
    layers = 1 + max(made.layer for made in right)
    if mine == _only("compute", _recorded("DATA", layers, passes)):
        return "that is the tutorial's own order; a layer's input gradient should come before its weight gradient."
    if mine == right[: len(right) // passes]:
        return f"your loop runs 1 pass of {passes}; npu.passes says how many there are."
    if Call("compute", "input gradient", 0) in mine:
        return "your loop computes an input gradient of layer 0; its input is data, and nobody needs that gradient."
    if missing := [made for made in right if made not in mine]:
        return f"your loop never computes {missing[0].task}."
    if len(mine) > len(right):
        return f"your loop computes {len(mine)} things, some of them more often than it should."
    place = next((i for i, (a, b) in enumerate(zip(mine, right, strict=False)) if a != b), len(mine) - 1)
    return f"computation number {place + 1} of your loop is {mine[place].task}; something else is due there."


def _asking(given: list[Call], mine: list[Call], right: list[Call], passes: int) -> str:
    if not mine:
        return "your loop never asks for an all-reduce; npu.issue(task) begins one."
    if other := [made for made in mine if made.kind != "weight gradient"]:
        return f"your loop asks for {other[0].task} to be all-reduced; data parallel shares weight gradients only."
    for made in mine:
        if Call("compute", made.kind, made.layer) not in given[: given.index(made)]:
            return f"your loop asks for the all-reduce of layer {made.layer} before there is a gradient to send."
    if len(mine) != len(right):
        side = "fewer" if len(mine) < len(right) else "more"
        return f"your loop asks for {len(mine)} all-reduces, {side} than there are weight gradients."
    return ""


def _waiting(given: list[Call], mine: list[Call], right: list[Call], passes: int) -> str:
    if not mine:
        return "nothing waits for an all-reduce: a layer's next forward pass needs its new weights (npu.wait)."
    if other := [made for made in mine if made.kind != "weight gradient"]:
        return f"your loop waits for {other[0].task}, which isn't sent."
    for before, after in pairwise(given):
        if before.what == "issue" and after == Call("wait", before.kind, before.layer) and after.layer > 0:
            return "your loop waits for an all-reduce as soon as it has begun it, so that nothing can overlap with it."
        if before == Call("compute", "forward", after.layer) and after.what == "wait":
            return "your loop waits for a layer's new weights after its forward pass, which uses them."
    if len(mine) != len(right):
        return f"your loop waits {len(mine)} times; each forward pass of each layer has something to wait for."
    return ""
