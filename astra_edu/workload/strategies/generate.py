"""A model, a strategy and a device as an ASTRA-sim 1.0 workload: one line for each operator, one micro-batch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.system import Platform
from astra_edu.workload.compute import Compute, Device, Operator, Split
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.layer import Layer, Work, Workload
from astra_edu.workload.models import INPUT, Model
from astra_edu.workload.models import model as named
from astra_edu.workload.parallelism import DLRM, GROUPED
from astra_edu.workload.strategies.alike import Abridged
from astra_edu.workload.strategies.communication import communications
from astra_edu.workload.strategies.own_lines import NOTHING, UPDATE_NS, has_own_lines, with_own_lines
from astra_edu.workload.strategies.precision import adding_ns, check_multiplied, computing_ns
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, WEIGHT_GRADIENT, Communication
from astra_edu.workload.strategies.strategy import Strategy
from astra_edu.workload.strategies.which_loop import check_platform, options_of, training_loop

Row = Sequence[Operator]
"""The operators of one line of the file: one, and the minor ones after it."""

SUMMED = ("data", "expert data", "shard")
"""The groups that add up gradients; hybrid sharding's two collectives make an all-reduce."""

Sent = dict[tuple[str, str], Communication]
"""Communications by operator and phase."""


def generate_workload(
    model: Model | str,
    strategy: Strategy,
    device: Device | str,
    *,
    stage: int | None = None,
    platform: Platform | None = None,
) -> Workload:
    """What one NPU does with a micro-batch of strategy.micro_batch samples, as ASTRA-sim 1.0's training loops have it.

    `ae.save_workload` writes the file. Model and device may be given by name. Minor kernels (activations, dropout,
    pooling) are part of the line before them. Most loops pass no gradient on from their first line; where there is one
    to pass on, a line "input" without work stands before it. ASTRA-sim 1.0 has no messages between two NPUs and
    repeats nothing for several micro-batches, so of a pipeline it is one stage's micro-batch, and `stage` says which
    one; ae.estimate puts whole iterations together. ZeRO-1 and ZeRO-2 are written as all-reduces, whose two halves
    they are. With a context group, or experts that are shared out, every collective but those of gradients has a line
    of its own, and each group has to be dimension 0, all the others, or all (`own_lines`).

    platform: where it is to run, if that is to be checked: a workload file doesn't say how many NPUs it is for. Which
    loop and why: `which_loop.training_loop`.

    Raises ConfigError where the model can't be shared out so, where no loop of ASTRA-sim 1.0 can say it, and for a
    platform with other groups of NPUs.

    Worked example: two linear layers of 1,024 inputs and outputs, 32 samples at once. A line has a name, then ns,
    collective and bytes of the forward pass, of the input gradient and of the weight gradient. Eight copies exchange
    the gradients of 1,024 · 1,024 weights and 1,024 biases, 2 bytes each. Eight NPUs that share each layer compute an
    eighth of it (which takes more than an eighth of the time, as it is bound by memory), gather the outputs, 32 · 128
    of 2 bytes each, and add up the gradients of all 32 · 1,024 inputs:

    >>> from astra_edu.formats import format_workload
    >>> from astra_edu.workload.compute import Linear
    >>> mlp = ae.Model("mlp", tuple(Linear(name=name, inputs=1024, outputs=1024) for name in ("fc1", "fc2")))
    >>> copies = ae.generate_workload(mlp, ae.Strategy(data=8, micro_batch=32), "a100")
    >>> print(format_workload(copies), end="")
    DATA
    2
    fc1 -1 1093 NONE 0 1093 NONE 0 1093 ALLREDUCE 2099200 1
    fc2 -1 1093 NONE 0 1093 NONE 0 1093 ALLREDUCE 2099200 1
    >>> sharing = ae.generate_workload(mlp, ae.Strategy(tensor=8, micro_batch=32), "a100")
    >>> print(format_workload(sharing), end="")
    MODEL
    2
    fc1 -1 165 ALLGATHER 8192 165 NONE 0 165 NONE 0 1
    fc2 -1 165 ALLGATHER 8192 165 ALLREDUCE 65536 165 NONE 0 1
    """
    model, device = named(model), named_device(device)
    found = communications(model, strategy)
    check_multiplied(device, strategy)
    loop = training_loop(model, strategy)
    if platform is not None:
        check_platform(platform, strategy, loop)
    own_lines = has_own_lines(strategy)
    activations = {(c.operator, c.phase): c for c in found if c.group in ("tensor", "all") and not own_lines}
    summed = (c for c in found if c.group in SUMMED)
    parameters = {(c.operator, c.phase): c for c in summed}

    rows = list(_rows(model, strategy, stage, _with_a_line(model, found, loop)))
    again = _computed_again(model, strategy, loop)
    layers = [_layer(row, strategy, device, activations, parameters, row[0].name in again) for row in rows]
    if own_lines:
        layers = list(with_own_lines(layers, model, strategy, found))
    elif loop == "HYBRID_CUSTOMIZED":
        layers = list(_with_gathers(layers, strategy, parameters))
    if _passes_a_gradient_on(layers[0], loop, stage):
        layers.insert(0, Layer(INPUT, NOTHING, NOTHING, NOTHING, UPDATE_NS, layers[0].parallelism))
    return Workload(loop, tuple(layers), options_of(loop, model, strategy, [row[0].name for row in rows]))


def _with_a_line(model: Model, found: Sequence[Communication], loop: str) -> set[str]:
    """The operators that start a line even if they are minor: those that send, and what ends a repeated block."""
    sending = {c.operator for c in found if c.group != "pipeline"}
    if not loop.endswith("FWD_IN_BCKWD"):
        return sending
    return sending | {model.operators[block[-1]].name for block in model.blocks}


def _computed_again(model: Model, strategy: Strategy, loop: str) -> set[str]:
    """The operators whose line repeats the forward pass in the backward pass, where the loop doesn't do it itself."""
    if strategy.recompute != "full" or loop.endswith("FWD_IN_BCKWD"):
        return set()
    return {model.operators[i].name for block in model.blocks for i in block}


def _passes_a_gradient_on(first: Layer, loop: str, stage: int | None) -> bool:
    """Whether the first line has a gradient for what is before it, which most loops leave out of their first line."""
    if loop in GROUPED + DLRM:
        return False
    return bool(first.input_gradient.collective or (stage and first.input_gradient.compute_ns))


def phases(operators: Row, strategy: Strategy, again: bool) -> dict[str, list[Compute]]:
    """What an NPU computes in each phase of a micro-batch. again: the backward pass repeats the forward pass."""
    batch = strategy.micro_batch
    parts = [strategy.part(operator) for operator in operators]
    forward = [part.forward(batch) for part in parts]
    return {
        FORWARD: forward,
        INPUT_GRADIENT: [part.input_gradient(batch) for part in parts] + (forward if again else []),
        WEIGHT_GRADIENT: [part.weight_gradient(batch) for part in parts],
    }


def repeated(operator: Operator, strategy: Strategy) -> bool:
    """Whether selective recomputation repeats it: the attention between its linear layers."""
    return strategy.recompute == "selective" and operator.split is Split.HEADS


def _rows(model: Model, strategy: Strategy, stage: int | None, own_row: Collection[str]) -> Iterator[list[Operator]]:
    """The operators of each line. own_row: the minor ones that have one: what sends, and what ends a repeated block."""
    if stage is None:
        if strategy.pipeline > 1:
            raise ConfigError(
                "ASTRA-sim 1.0's files can't send from stage to stage: give stage=0 to "
                f"{strategy.pipeline - 1} for one stage's micro-batch, or use ae.estimate for the whole pipeline."
            )
        stage = 0
    row: list[Operator] = []
    parts = strategy.parts(model)
    for part in (parts[k] for k in strategy.parts_on(strategy.stage(stage))):
        for operator in (model.operators[i] for i in part):
            if row and (not operator.minor or operator.name in own_row):
                yield row
                row = []
            row.append(operator)
    yield row


def _layer(row: Row, strategy: Strategy, device: Device, activations: Sent, parameters: Sent, again: bool) -> Layer:
    first = row[0]

    def work(phase: str, sent: Sent) -> Work:
        ns = sum(computing_ns(device, strategy, compute) for compute in computed[phase])
        if phase == WEIGHT_GRADIENT:
            ns += sum(adding_ns(device, strategy, operator) for operator in row)
        communication = sent.get((first.name, phase))
        took = round(ns)
        return Work(took, communication.collective, communication.size) if communication else Work(took, None, 0)

    computed = phases(row, strategy, again or repeated(first, strategy))
    gradient = work(WEIGHT_GRADIENT, parameters)
    if strategy.zero in (1, 2) and gradient.collective:
        gradient = replace(gradient, collective=Collective.ALL_REDUCE)
    return Layer(first.name, work(FORWARD, activations), work(INPUT_GRADIENT, activations), gradient, UPDATE_NS)


def _with_gathers(layers: Sequence[Layer], strategy: Strategy, parameters: Sent) -> Iterator[Layer]:
    """ZeRO-3: before each line with parameters another one, which gathers them."""
    if strategy.tensor == 1:
        gathering, computing = "MODEL", "DATA"
    else:
        gathering, computing = "HYBRID_MODEL_DATA", "HYBRID_DATA_MODEL"
        if strategy.placement == "data-first":
            gathering, computing = computing, gathering
    next_back = NOTHING
    for layer in layers:
        gather = parameters.get((layer.name, FORWARD))
        if gather:
            now = Work(0, gather.collective, gather.size)
            yield Layer(f"{layer.name}_parameters", now, next_back, NOTHING, UPDATE_NS, gathering)
            next_back = now if strategy.reshard else NOTHING
        yield replace(layer, parallelism=computing)


def without_input_gradient(about: Abridged, strategy: Strategy) -> Collection[int]:
    """The operators of a workload's first line, unless its gradient is sent: no loop computes it for the samples."""
    sent = communications(about.short, strategy)
    operators = about.short.operators
    if any(one.operator == operators[0].name and one.phase == INPUT_GRADIENT for one in sent):
        return ()
    sending = {one.operator for one in sent if one.group != "pipeline"}
    ends = (i for i, each in enumerate(operators) if i and (not each.minor or each.name in sending))
    return range(next(ends, len(operators)))
