"""How long each part of a pipeline takes, and what an iteration made of them can't be shorter than."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from astra_edu.explore.iteration.exchange import exchanged_ns, exchanging_ns, exposed_ns, weights_alone
from astra_edu.explore.iteration.hidden import first_pass_late_ns, prefetched
from astra_edu.explore.iteration.network_times import message_ns, shares_links
from astra_edu.explore.iteration.operator_steps import operator_steps
from astra_edu.explore.iteration.parts import Part, Step, paced, part_of
from astra_edu.pipeline import PipelineRun
from astra_edu.system import Platform
from astra_edu.workload.compute import Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Communication, Strategy
from astra_edu.workload.strategies.alike import Abridged, Places
from astra_edu.workload.strategies.precision import update_ns
from astra_edu.workload.strategies.sent import FORWARD, WEIGHT_GRADIENT


@dataclass(frozen=True)
class StageTimes:
    """An iteration before its pipeline is simulated. Times in ns.

    parts: of the model, in the order of the forward pass; `strategy.parts_on` says which of them a stage has.
    messages_ns: from each part to the next one. exposed_ns: what is left of the copies' collectives after the passes,
    on the stage where most is; it is added to the end of all passes, though other stages end earlier.
    update_ns: the optimiser. exchanges: of each part its operators, where their gradients are exchanged behind each
    of a stage's passes, which exposed_ns then doesn't know. overhead_ns: what no kernel accounts for, by the device's
    calibration. at_least: the same with no collective faster than its links, where messages of one share some.

    >>> from astra_edu.explore.iteration.stage_times import stage_times
    >>> from astra_edu.workload.strategies.alike import abridged
    >>> ring = ae.Platform((ae.Dimension.of("Ring", 2, 220, 1000),), ae.SystemConfig.of("ring"))
    >>> cut = ae.Strategy(pipeline=2, batch=4)
    >>> stage_times(abridged(ae.model("gpt2"), cut), cut, ae.device("a100"), ring).bound_ns
    148200202
    """

    model: Model
    strategy: Strategy
    parts: tuple[Part, ...]
    messages_ns: tuple[int, ...]
    exposed_ns: int
    update_ns: int
    device: Device | None = None
    at_least: StageTimes | None = None
    overhead_ns: int = 0
    exchanges: tuple[tuple[Step, ...], ...] = ()

    def exchange_left_ns(self, run: PipelineRun) -> int:
        """Of gradients that are exchanged behind each pass, how long after all passes they are."""
        if not self.exchanges:
            return 0
        passes: list[list[tuple[float, tuple[Step, ...]]]] = [[] for _ in range(self.strategy.pipeline)]
        for span in sorted(run.spans, key=lambda span: span.start_ns):
            if run.is_last(span):
                passes[span.stage].append((span.start_ns, self.exchanges[run.part(span)]))
        return max(0, round(max(map(exchanged_ns, passes))) - run.total_ns)

    @property
    def forward_ns(self) -> list[int]:
        """Of each part."""
        return [round(part.forward_ns) for part in self.parts]

    @property
    def backward_ns(self) -> list[int]:
        """Of each part."""
        return [round(part.backward_ns) for part in self.parts]

    @property
    def weight_ns(self) -> list[int]:
        """Of each part's backward pass, what the gradients of its weights take."""
        return [min(round(part.weight_ns), whole) for part, whole in zip(self.parts, self.backward_ns, strict=True)]

    @property
    def busy_ns(self) -> list[int]:
        """How long each stage computes and waits for collectives, in all micro-batches."""
        both, stages = [f + b for f, b in zip(self.forward_ns, self.backward_ns, strict=True)], self.strategy.pipeline
        passes = self.strategy.micro_batches_of_part
        return [sum(both[k] for k in self.strategy.parts_on(stage)) * passes for stage in range(stages)]

    def of_stage(self, stage: int, time: Callable[[Part], float]) -> int:
        """A time of all a stage's parts together, in all micro-batches."""
        own = [self.parts[k] for k in self.strategy.parts_on(stage)]
        return round(sum(map(time, own)) * self.strategy.micro_batches_of_part)

    @property
    def hidden_ns(self) -> list[int]:
        """Of each part's forward pass together with the backward pass of the part beside it, both ways.

        All-to-alls of either hide behind what the other computes.
        """
        if not self.strategy.both_ways:
            return [0] * len(self.parts)
        found = []
        for one, other in zip(self.parts, reversed(self.parts), strict=True):
            (sent, _), (_, sent_back) = one.routed_ns, other.routed_ns
            behind = min(sent, other.backward_ns - sent_back), min(sent_back, one.forward_ns - sent)
            found.append(max(0, min(int(sum(behind)), round(one.forward_ns), round(other.backward_ns))))
        return found

    @property
    def bound_ns(self) -> int:
        """What the iteration can't be shorter than, whatever the order of the passes.

        A stage begins once a micro-batch has come through the stages before it, and one has to go back through them.
        Where backward passes are split, it may do weights meanwhile, so that either of the two ways is counted, the
        one back with what nobody can put off: all other passes, and the last micro-batch's weights of the first part.
        """
        if self.strategy.both_ways:
            return self._bound_both_ways_ns + self.exposed_ns + self.update_ns + self.overhead_ns
        ahead, back, bound = 0, 0, 0
        weights = self.weight_ns if self.strategy.splits_backward else [0] * len(self.parts)
        inputs = [whole - own for whole, own in zip(self.backward_ns, weights, strict=True)]
        for stage, busy in enumerate(self.busy_ns):
            put_off = sum(weights[k] for k in self.strategy.parts_on(stage)) * self.strategy.micro_batches
            bound = max(bound, ahead + busy, ahead + busy - put_off + back + weights[0])
            if stage < self.strategy.pipeline - 1:
                ahead += self.forward_ns[stage] + self.messages_ns[stage]
                back += inputs[stage] + self.messages_ns[stage]
        return bound + self.exposed_ns + self.update_ns + self.overhead_ns

    @property
    def _bound_both_ways_ns(self) -> int:
        """Each stage's passes, with all that can be hidden, once a micro-batch has come from the nearer end."""
        way, bound, stages = [0], 0, self.strategy.pipeline
        for forward, message in zip(self.forward_ns, self.messages_ns, strict=False):
            way.append(way[-1] + forward + message)
        for stage, busy in enumerate(self.busy_ns):
            hidden = sum(self.hidden_ns[k] for k in self.strategy.parts_on(stage)) * self.strategy.micro_batches_of_part
            bound = max(bound, min(way[stage], way[stages - 1 - stage]) + busy - hidden)
        return bound


def stage_times(about: Abridged, strategy: Strategy, device: Device, platform: Platform) -> StageTimes:
    """The times of all parts of a model. Raises ConfigError as estimate does."""
    times, sent, networks = _stage_times(about, strategy, device, platform, bounded=False)
    if not shares_links(sent, networks):
        return times
    return replace(times, at_least=stage_times_on_links(about, strategy, device, platform))


def stage_times_on_links(about: Abridged, strategy: Strategy, device: Device, platform: Platform) -> StageTimes:
    """The same with no collective faster than its links: `stage_times`' at_least, or all that there is."""
    return _stage_times(about, strategy, device, platform, bounded=True)[0]


def _stage_times(
    about: Abridged, strategy: Strategy, device: Device, platform: Platform, bounded: bool
) -> tuple[StageTimes, tuple[Communication, ...], dict[str, Platform]]:
    """(the times, what is sent, the groups' networks). bounded: no collective is faster than its links."""
    steps, sent, networks = operator_steps(about, strategy, device, platform, bounded)
    stages, every = strategy.pipeline, about.parts(strategy)
    of_stages = {tuple(every[k] for k in strategy.parts_on(stage)) for stage in range(stages)}
    exchanged = max((one.times for one in sent if one.phase == WEIGHT_GRADIENT), default=1)
    pace = paced if device.kernels else list[Step]
    hides = {name: name in strategy.overlap for name in ("gradients", "parameters")}
    numbers = {part: _numbered(about, part) for part in set(every)} if hides["parameters"] else {}
    passed = {part: [steps[i] for i in part] for part in set(every)}
    if numbers:
        split = strategy.splits_backward
        passed = {part: prefetched(own, numbers[part], split) for part, own in passed.items()}
    passed = {part: list(pace(own)) for part, own in passed.items()}
    after_each = exchanged > 1 and stages > 1
    left, gathers = [], []
    for own in of_stages:
        every_step = [step for part in own for step in passed[part]]
        places = [(k, number) for k, part in enumerate(own) for number in numbers[part]] if numbers else None
        if strategy.splits_backward:
            every_step, places = list(map(weights_alone, every_step)), None
        if after_each:
            every_step = [step._replace(exchange=None) for step in every_step]
        left.append(exposed_ns(every_step, exchanged, hides["gradients"] and not strategy.both_ways, places))
        gathers.append(sum(step.gather_ns for step in every_step))
    parts = {part: part_of(steps) for part, steps in passed.items()}
    if after_each and not hides["gradients"]:
        parts = {part: each.waits_for(exchanging_ns(passed[part])) for part, each in parts.items()}
    most = max(sum(parts[part].parameters for part in own) for own in of_stages)
    update = update_ns(device, strategy, most)
    behind = {}
    if after_each and hides["gradients"]:
        split = strategy.splits_backward
        behind = {part: tuple(map(weights_alone, own) if split else own) for part, own in passed.items()}
    overhead = device.calibration.overhead_ns(strategy.micro_batches) if device.calibration else 0
    sizes = [one.size for one in sent if one.group == "pipeline" and one.phase == FORWARD]
    if about.short is not about.model:
        sizes *= len(every) - 1  # from one block to the next it is always the same
    elif strategy.folded and stages > 1:
        sizes.insert(stages - 1, 0)
    messages = tuple(message_ns(networks["pipeline"], size, _boundary(strategy, k)) for k, size in enumerate(sizes))
    exposed = max(left)
    if hides["parameters"] and max(gathers):
        alone = max(ns - gather for ns, gather in zip(left, gathers, strict=True))
        exposed = alone + first_pass_late_ns([passed[part] for part in every], messages, _places(strategy))
    if strategy.both_ways:
        exposed += _mirrored_ns(strategy, networks["pipeline"], most)
    times = StageTimes(
        about.model,
        strategy,
        tuple(parts[part] for part in every),
        messages,
        round(exposed),
        round(update),
        device,
        overhead_ns=round(overhead),
        exchanges=tuple(behind[part] for part in every) if behind else (),
    )
    return times, sent, networks


def _mirrored_ns(strategy: Strategy, network: Platform, parameters: float) -> int:
    """What the two stages take that have the same parts to add up their gradients, as if they were neighbours.

    Each sends the gradients of one part and gets those of the other, and then the sums.
    """
    return 2 * message_ns(network, round(parameters * strategy.bits.gradient_bytes / 2), strategy.pipeline // 2 - 1)


def _places(strategy: Strategy) -> list[int]:
    """The stage of each part; both ways one of two, as each gathers the earlier part first."""
    if strategy.both_ways:
        return [min(k, strategy.pipeline - 1 - k) for k in range(strategy.pipeline)]
    places = {k: stage for stage in range(strategy.pipeline) for k in strategy.parts_on(stage)}
    return [places[k] for k in range(len(places))]


def _boundary(strategy: Strategy, k: int) -> int:
    """The lower of the two stages between which part k's output goes; from the last stage to the first, the last."""
    if strategy.folded and k >= strategy.pipeline:
        return 2 * strategy.pipeline - 2 - k
    return k % strategy.pipeline


def _numbered(about: Abridged, part: Places) -> list[int]:
    """For each of a part's operators the number of its block; what is before or behind them counts as one."""
    starts, inside = {block.start for block in about.short.blocks}, {i for block in about.short.blocks for i in block}
    number, numbers, before = 0, [], False
    for i in part:
        number += i in starts or (before and i not in inside)
        before = i in inside
        numbers.append(number)
    return numbers
