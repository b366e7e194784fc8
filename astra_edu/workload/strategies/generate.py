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
from astra_edu.workload.strategies.communication import (
    FORWARD,
    INPUT_GRADIENT,
    WEIGHT_GRADIENT,
    Communication,
    communications,
)
from astra_edu.workload.strategies.strategy import Strategy, stages

UPDATE_NS = 1
"""What a finished collective takes to be used, in the tutorials' files."""

NOTHING = Work(0, None, 0)

Row = Sequence[Operator]
"""The operators of one line of the file: one, and the minor ones after it."""

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
    they are.

    The loop: DATA without tensor parallelism, HYBRID_DLRM with exchanged embeddings, MODEL for tensor parallelism
    alone, HYBRID_DATA_MODEL (tensor-first: the group is dimension 0) or HYBRID_MODEL_DATA (data-first: the copies are)
    for both; for transformers tensor-first HYBRID_TRANSFORMER, ..._FWD_IN_BCKWD where all is recomputed;
    HYBRID_CUSTOMIZED for ZeRO-3, where a line "X_parameters" gathers those of X, and in the backward pass those of the
    line that comes next (the last line's are still there). (Over several passes, such a gather doesn't wait for the
    gradients of the pass before.)

    platform: where it is to run, if that is to be checked: a workload file doesn't say how many NPUs it is for.

    Raises ConfigError where the model can't be shared out so, where no loop of ASTRA-sim 1.0 can say it, and for a
    platform with other groups of NPUs.

    >>> dgx2, strategy = ae.preset("dgx2"), ae.Strategy(tensor=16, data=16)
    >>> work = ae.generate_workload("gpt3", strategy, "v100", platform=dgx2)
    >>> work.loop, len(work.layers)
    ('HYBRID_TRANSFORMER', 868)
    """
    model = named(model)
    on = named_device(device)
    found = communications(model, strategy)
    activations = {(c.operator, c.phase): c for c in found if c.group in ("tensor", "all")}
    parameters = {(c.operator, c.phase): c for c in found if c.group == "data"}
    loop = _loop(model, strategy)
    if platform is not None:
        _check_platform(platform, strategy, loop)
    by_loop = loop.endswith("FWD_IN_BCKWD")
    own_row = {c.operator for c in found if c.group != "pipeline"}
    if by_loop:
        own_row |= {model.operators[block[-1]].name for block in model.blocks}
    rows = list(_rows(model, strategy, stage, own_row))
    options = _options(loop, model, strategy, [row[0].name for row in rows])
    repeated_rows = set()
    if strategy.recompute == "full" and not by_loop:
        repeated_rows = {model.operators[i].name for block in model.blocks for i in block}
    layers = [_layer(row, strategy, on, activations, parameters, row[0].name in repeated_rows) for row in rows]
    if loop == "HYBRID_CUSTOMIZED":
        layers = list(_with_gathers(layers, strategy, parameters))
    first = layers[0].input_gradient
    if loop not in GROUPED + DLRM and (first.collective or (stage and first.compute_ns)):
        layers.insert(0, Layer(INPUT, NOTHING, NOTHING, NOTHING, UPDATE_NS, layers[0].parallelism))
    return Workload(loop, tuple(layers), options)


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
    for part in stages(model, strategy.pipeline * strategy.virtual)[strategy.stage(stage) :: strategy.pipeline]:
        for operator in (model.operators[i] for i in part):
            if row and (not operator.minor or operator.name in own_row):
                yield row
                row = []
            row.append(operator)
    yield row


def _loop(model: Model, strategy: Strategy) -> str:
    if strategy.exchange_embeddings:
        if strategy.tensor > 1 or strategy.pipeline > 1 or strategy.zero == 3:
            raise ConfigError(
                "HYBRID_DLRM has all NPUs exchange embeddings and reduce gradients; use tensor=1, pipeline=1 and "
                "zero=0, 1 or 2."
            )
        _check_tables(model)
        return "HYBRID_DLRM"
    transformer = bool(model.blocks) and strategy.placement == "tensor-first"
    if strategy.zero == 3 and strategy.data > 1:
        loop = "HYBRID_CUSTOMIZED"
    elif strategy.tensor == 1:
        return "DATA"
    elif transformer:
        return "HYBRID_TRANSFORMER" + ("_FWD_IN_BCKWD" if strategy.recompute == "full" else "")
    elif strategy.data == 1:
        loop = "MODEL"
    else:
        loop = "HYBRID_DATA_MODEL" if strategy.placement == "tensor-first" else "HYBRID_MODEL_DATA"
    if strategy.recompute == "full" and strategy.tensor > 1:
        raise ConfigError(
            f"ASTRA-sim 1.0 can't repeat the activations' collectives in a backward pass of {loop}, only for "
            "transformers, tensor-first, without ZeRO-3; or use recompute='selective' or 'none'."
        )
    return loop


def _check_tables(model: Model) -> None:
    """HYBRID_DLRM takes line 0 for the tables, and waits for their vectors at the last line before they are used."""
    tables, *others = (operator for operator in model.operators if operator.split is Split.TABLES)
    using = [operator for operator in model.operators if tables.name in operator.after]
    if others or tables is not model.operators[0] or not using or using[0].minor:
        raise ConfigError(
            f"{model.name}: HYBRID_DLRM needs one operator with tables, the first of all, and a layer that names it in "
            "`after`, such as an Interaction."
        )


def _check_platform(platform: Platform, strategy: Strategy, loop: str) -> None:
    """Whether its NPUs are the strategy's, and its dimension 0 the group that the loop takes it for."""
    npus, first = strategy.npus // strategy.pipeline, platform.network[0].npus
    if platform.npus != npus:
        raise ConfigError(
            f"data × tensor = {strategy.data} × {strategy.tensor} takes {npus} NPUs, but the platform has "
            f"{platform.npus}."
        )
    group = strategy.tensor if strategy.placement == "tensor-first" else strategy.data
    by_dimension = loop in ("HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_CUSTOMIZED")
    if by_dimension and strategy.tensor > 1 and first != group:
        raise ConfigError(
            f"{loop} takes dimension 0 of the network for a group of {group} NPUs ({strategy.placement}), but it has "
            f"{first}; give it {group}, or choose groups of {first}."
        )


def _layer(row: Row, strategy: Strategy, on: Device, activations: Sent, parameters: Sent, again: bool) -> Layer:
    first = row[0]

    def work(phase: str, sent: Sent) -> Work:
        ns = round(sum(on.compute_ns(compute, strategy.element_bytes) for compute in computed[phase]))
        communication = sent.get((first.name, phase))
        return Work(ns, communication.collective, communication.size) if communication else Work(ns, None, 0)

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
            next_back = now
        yield replace(layer, parallelism=computing)


def _options(loop: str, model: Model, strategy: Strategy, names: Sequence[str]) -> tuple[str, ...]:
    """The words after the loop in the file's first line."""
    if loop == "HYBRID_DLRM":
        pooled = next(operator for operator in model.operators if operator.split is Split.TABLES)
        joined = next(i for i, operator in enumerate(model.operators) if pooled.name in operator.after)
        return (str(names.index(model.operators[joined].name) - 1),)
    if not loop.startswith("HYBRID_TRANSFORMER"):
        return ()
    options = ["model_parallel_NPU_group:", str(strategy.tensor)]
    if loop.endswith("FWD_IN_BCKWD"):
        of_block = [[model.operators[i].name for i in block] for block in model.blocks]
        spans = [[names.index(name) for name in block if name in names] for block in of_block]
        first, last = [span[0] for span in spans if span], [span[-1] for span in spans if span]
        options += ["checkpoints:", str(len(first)), *map(str, first)]
        options += ["checkpoint_initiates:", str(len(last)), *map(str, reversed(last))]
    return tuple(options)
