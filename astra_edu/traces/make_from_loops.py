"""An iteration as generate_workload's loops have it, as a trace: passes in two, and DLRM's exchange of embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective
from astra_edu.pipeline import PassSpan, run_pipeline
from astra_edu.pipeline.places import FOLDED
from astra_edu.traces.builder import Builder
from astra_edu.traces.built import Built
from astra_edu.traces.dimensions import Network, Space, sizes_of
from astra_edu.traces.loop_parts import ModelPart, exchanges
from astra_edu.traces.loop_steps import LoopStep
from astra_edu.traces.make_from_operators import MOST_NODES
from astra_edu.traces.make_from_pipeline import name_of, weave
from astra_edu.traces.make_from_workload import Player
from astra_edu.traces.operation import Operation
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.npu import Task
from astra_edu.workload.strategies import Strategy, communications
from astra_edu.workload.strategies.sent import FORWARD, WEIGHT_GRADIENT


def built_from_loops(
    model: Model, strategy: Strategy, device: Device, network: Network | None, rounding: str, peak: float | None
) -> Built:
    """One iteration, as from_strategy has it. Raises ConfigError as it does."""
    if strategy.zero and strategy.both_ways:
        raise ConfigError(
            f"a trace of {strategy.pipeline_order} doesn't know ZeRO-{strategy.zero}, whose shares two stages would "
            "add up; use zero=0, or ae.estimate, which knows both."
        )
    groups = [strategy.tensor, strategy.data]
    inner = groups if strategy.placement == "tensor-first" else groups[::-1]
    logical, width = [*inner, strategy.pipeline], strategy.data * strategy.tensor
    physical = [strategy.npus] if network is None else sizes_of(network)
    trace = Builder(strategy.npus)
    if trace.npus != prod(physical):
        raise ConfigError(f"data × tensor × pipeline takes {strategy.npus} NPUs, but the network has {prod(physical)}.")
    space = Space(logical, physical)
    parts = [ModelPart.of(model, strategy, device, part) for part in range(strategy.pipeline * strategy.virtual)]
    each = sum(len(part.forward) + len(part.backward) for part in parts)
    if (count := each * strategy.micro_batches) > MOST_NODES:
        raise ConfigError(
            f"{strategy.micro_batches:,} micro-batches make about {count:,} different nodes; {MOST_NODES:,} are the "
            "most. Take fewer micro-batches (a smaller batch, or a larger micro_batch)."
        )
    sent = communications(model, strategy)
    sizes = [one.size for one in sent if one.collective is None and one.phase == FORWARD]
    at_the_end = all(one.times == 1 for one in sent if one.phase == WEIGHT_GRADIENT)
    run = run_pipeline(
        strategy.pipeline_order,
        strategy.pipeline,
        strategy.micro_batches,
        [part.forward_ns for part in parts],
        [part.backward_ns for part in parts],
        virtual=strategy.virtual,
        weight_ns=[part.weight_ns for part in parts],
    )
    stages = [range(stage * width, (stage + 1) * width) for stage in range(strategy.pipeline)]
    players = [Player(trace, space, rounding, peak, npus) for npus in stages]
    if run.placement == FOLDED and run.stages > 1:
        sizes.insert(run.stages - 1, 0)  # both parts are on the last stage
    last = {(span.stage, run.part(span)): span for span in run.spans if run.is_last(span)}
    ended: dict[int, Sequence[Operation]] = {}
    held: list[tuple[int, str, list[LoopStep]]] = []
    passes: dict[PassSpan, Sequence[Operation]] = {}

    def does(span: PassSpan, after: Sequence[Operation]) -> Sequence[Operation]:
        whole, label = span.kind == "B" and run.is_last(span), f"{name_of(span, run)} "
        steps, is_last = parts[run.part(span)].steps(span.kind, not whole), last[span.stage, run.part(span)] is span
        if at_the_end and (not is_last or span.stage or span.virtual_stage or run.both_ways):
            if is_last:
                held.append((span.stage, label, [step for step in steps if exchanges(step)]))
            steps = [step for step in steps if not exchanges(step)]
        before = len(trace.operations)
        ended[span.stage] = players[span.stage].play(steps, after, label)
        passes[span] = trace.operations[before:]
        return ended[span.stage]

    def carries(boundary: int, stage: int, to: int, name: str, after: Sequence[Operation]) -> Sequence[Operation]:
        made = trace.messages(name, sizes[boundary], stages[stage], stages[to], after=after)
        ended[stage] = [one for one in made if one.npus[0] in stages[stage]]
        return [one for one in made if one.npus[0] in stages[to]]

    weave(run, does, carries)
    for stage, label, steps in held:
        players[stage].play(steps, ended[stage], label)
    for stage in range(strategy.pipeline):
        gathers = [step for k in strategy.parts_on(stage) for step in parts[k].gathers(sent)]
        ended[stage] = players[stage].play(gathers, ended[stage], "update ")
    of_groups = [(one, _group(task)) for player in players for one, task in player.issued]
    if strategy.both_ways:
        added_up = _mirror(trace, strategy, [part.gradients(sent) for part in parts], players, stages, ended)
        of_groups += [(one, "data") for one in added_up]
    return Built(trace, of_groups, run, passes)


def _mirror(
    trace: Builder,
    strategy: Strategy,
    gradients: Sequence[tuple[int, list[LoopStep]]],
    players: Sequence[Player],
    stages: Sequence[range],
    ended: Mapping[int, Sequence[Operation]],
) -> list[Operation]:
    """Two stages that have the same parts add up their gradients: each sends those of one part, and then the sums.

    Returns what is sent.
    """
    sent = []
    for one in range(strategy.pipeline // 2):
        other = strategy.pipeline - 1 - one
        own = [gradients[k] for k in strategy.parts_on(one)]
        half = max(1, sum(size for size, _ in own) // 2)
        done = {}
        for stage in (one, other):
            done[stage] = players[stage].play([step for _, waits in own for step in waits], ended[stage])
        for name in ("gradients", "summed gradients"):
            there = trace.messages(f"{name} to stage {other}", half, stages[one], stages[other], after=done[one])
            back = trace.messages(f"{name} to stage {one}", half, stages[other], stages[one], after=done[other])
            done = {one: (there[0], back[1]), other: (back[0], there[1])}
            sent += [there[0], back[0]]
    return sent


def _group(task: Task) -> str:
    """Whose collective it is."""
    routed = task.work.collective is Collective.ALL_TO_ALL  # embeddings, among all copies
    return "data" if task.kind in (WEIGHT_GRADIENT, "parameters") or routed else "tensor"
