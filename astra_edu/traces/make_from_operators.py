"""An iteration as a trace, operator by operator, each with what it sends.

As in ae.estimate, within a pass an NPU waits for what is sent; what hides is after what it needs only, and an NPU of
ASTRA-sim 2.x does one computation and one communication at a time. Where an order splits backward passes, all that is
waited for is in the one for the input; with the one for the weights only their gradients' exchange goes out, behind it
once the stage has sent its last message, with ZeRO-2 of every micro-batch at once. In an order that goes both ways
gradients are exchanged at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.pipeline import PassSpan, PipelineRun, run_pipeline
from astra_edu.traces.builder import Builder
from astra_edu.traces.built import Built
from astra_edu.traces.copies_cut import Cut
from astra_edu.traces.dimensions import Network, Space, sizes_of
from astra_edu.traces.make_from_pipeline import following, name_of, weave
from astra_edu.traces.operation import Operation
from astra_edu.traces.passes_of_operators import Passes
from astra_edu.traces.stage_operations import StageOperations, StagePass
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Strategy

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
    passes = Passes(model, strategy, device)
    _check_size(passes, strategy)
    trace, space, width = Builder(strategy.npus), Space(cut.logical, physical), strategy.npus // strategy.pipeline
    stages = [range(stage * width, (stage + 1) * width) for stage in range(strategy.pipeline)]
    players = [StageOperations(trace, space, cut, npus, rounding, peak) for npus in stages]
    run = run_pipeline(
        strategy.pipeline_order,
        strategy.pipeline,
        strategy.micro_batches,
        passes.forward_ns,
        passes.backward_ns,
        virtual=strategy.virtual,
        weight_ns=passes.weight_ns or None,
    )
    for stage, player in enumerate(players):
        gathers = [passes.first_gathers[part] for part in sorted(strategy.parts_on(stage))]
        player.gather(gathers, hides="parameters" in strategy.overlap)
    last, silent = _ends(run)
    every, hides = passes.exchanges_every_pass, "gradients" in strategy.overlap and not strategy.both_ways

    put_in: dict[PassSpan, Sequence[Operation]] = {}

    def made_of(span: PassSpan) -> StagePass:
        part, whole = run.part(span), run.is_last(span)
        ends = last[span.stage, part] is span
        now = hides and (every or (ends and span in silent))
        return StagePass(passes.of(part, span.kind, whole), f"{name_of(span, run)} ", whole and (ends or every), now)

    def does(spans: Sequence[PassSpan], after: Sequence[Operation]) -> Sequence[Operation]:
        player = players[spans[0].stage]
        own, before = [made_of(span) for span in spans], len(trace.operations)
        passed = player.play(own, after)
        made = trace.operations[before:]
        put_in.update(
            (span, [one for one in made if one.name.startswith(each.label)])
            for span, each in zip(spans, own, strict=True)
        )
        waits = every and not hides and run.is_last(spans[-1])
        return player.exchange() if waits else passed

    def carries(boundary: int, stage: int, to: int, name: str, after: Sequence[Operation]) -> Sequence[Operation]:
        made = trace.messages(name, passes.messages[boundary], stages[stage], stages[to], after=after)
        players[stage].ended = [one for one in made if one.npus[0] in stages[stage]]
        return [one for one in made if one.npus[0] in stages[to]]

    weave(run, does, carries)
    exchanged: list[Sequence[Operation]] = [player.exchange() for player in players]
    mirrored = _mirror(trace, passes.mirrored, stages, exchanged) if strategy.both_ways else []
    for stage, player in enumerate(players):
        player.gather_last([passes.last_gathers[part] for part in strategy.parts_on(stage)], exchanged[stage])
    sent = [*(one for player in players for one in player.sent), *((one, "data") for one in mirrored)]
    return Built(trace, sent, run, put_in)


def _ends(run: PipelineRun) -> tuple[dict[tuple[int, int], PassSpan], set[PassSpan]]:
    """(of each stage's parts the last pass with gradients of weights, the passes after which a stage sends nothing)."""
    last = {(span.stage, run.part(span)): span for span in run.spans if run.is_last(span)}
    silent, sending = set[PassSpan](), set[int]()
    for span in reversed(run.spans):
        if span.stage not in sending and following(span, run) in (None, span.stage):
            silent.add(span)
        else:
            sending.add(span.stage)
    return last, silent


def _mirror(
    trace: Builder, sizes: Sequence[int], stages: Sequence[range], done: list[Sequence[Operation]]
) -> list[Operation]:
    """Two stages that have the same parts add up their gradients: each sends half of them, and then half of the sums.

    sizes: of the parts' gradients. done: of each stage, what it has to wait for before and, then, afterwards.
    Returns what is sent.
    """
    sent = []
    for one in range(len(stages) // 2):
        other = len(stages) - 1 - one
        size = sizes[one] + sizes[other]
        for name, half in (("gradients", size // 2), ("summed gradients", size - size // 2)):
            there = trace.messages(f"{name} to stage {other}", half, stages[one], stages[other], after=done[one])
            back = trace.messages(f"{name} to stage {one}", half, stages[other], stages[one], after=done[other])
            done[one], done[other] = (there[0], back[1]), (back[0], there[1])
            sent += [there[0], back[0]]
    return sent


def check_nodes(each: int, strategy: Strategy) -> None:
    """Raises ConfigError where all micro-batches, with so many nodes each, make too many."""
    if (nodes := each * strategy.micro_batches) > MOST_NODES:
        raise ConfigError(
            f"{strategy.micro_batches:,} micro-batches make about {nodes:,} different nodes; {MOST_NODES:,} are the "
            "most. Take fewer micro-batches (a smaller batch, or a larger micro_batch)."
        )


def _check_size(passes: Passes, strategy: Strategy) -> None:
    check_nodes(sum(len(part) for way in (passes.forward, passes.backward) for part in way), strategy)
    rings = passes.ring_messages * strategy.micro_batches * strategy.npus // strategy.pipeline
    if rings > MOST_MESSAGES:
        raise ConfigError(
            f"rings make about {rings:,} messages, each with NPUs of its own; {MOST_MESSAGES:,} are the most. Take "
            'fewer NPUs or micro-batches, or context_by="all-gather".'
        )
