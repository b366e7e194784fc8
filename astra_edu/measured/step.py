"""How long a training step takes: passes of all micro-batches through the stages, then what is left to exchange."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.measured.clock import Clock, Group, group
from astra_edu.measured.jobs import Job
from astra_edu.measured.stages import pipeline_seconds
from astra_edu.measured.work import Passes
from astra_edu.workload.compute.alike import kind_of

US = 1e-6
PIECES = 8
"""Of a product and of the collective that hides behind it: the first one can't."""
HIDING = ("Hopper", "Blackwell")
"""Machines whose products and tensor groups' collectives go side by side (tp_comm_overlap): Transformer Engine's
buffers
came with them; runs of Megatron-LM on A100 are from before."""
BACKWARD = 2 / 3
"""Of both passes, what the backward one takes if nothing is recomputed."""


@dataclass(frozen=True)
class Took:
    """Of one micro-batch, in s: what the device computes, what it waits for the host, for collectives of its groups."""

    compute: float = 0.0
    host: float = 0.0
    sent: float = 0.0

    def __add__(self, other: Took) -> Took:
        return Took(self.compute + other.compute, self.host + other.host, self.sent + other.sent)

    def times(self, often: float) -> Took:
        """As often."""
        return Took(self.compute * often, self.host * often, self.sent * often)

    @property
    def total(self) -> float:
        """All of it."""
        return self.compute + self.host + self.sent


@dataclass(frozen=True)
class Step:
    """A step's parts in s, on the stage that is busy longest; they add up to `total`.

    compute: kernels. host: waiting for the host to launch them. sent: collectives within a micro-batch. bubble:
    waiting for other stages. exchange: what is left of the copies' collectives. rest: the optimiser, and what no
    kernel accounts for.
    """

    compute: float
    host: float
    sent: float
    bubble: float
    exchange: float
    rest: float

    @property
    def total(self) -> float:
        """The step."""
        return self.compute + self.host + self.sent + self.bubble + self.exchange + self.rest


def step_of(job: Job, clock: Clock) -> Step:
    """The step of a job."""
    cut, given = job.cut, clock.given
    blocks = [_block(job, clock, each) for each, _ in job.blocks]
    stages = [sum((b.times(n) for b, n in zip(blocks, own, strict=True)), Took()) for own in job.stages]
    ends = 2 * clock.ring(group(job.machine, cut.tensor, 1), job.tokens * job.width * 2)
    stages[0] += _took(job, clock, job.first, again=False, sends=0, sent=ends)  # the words' vectors added up
    stages[-1] += _took(job, clock, job.last, again=False, sends=0, sent=ends)  # and the gradients of their scores
    busiest = max(stages, key=lambda each: each.total)
    bubble = 0.0
    if cut.pipeline > 1:
        size = job.tokens * job.width * 2 / (cut.tensor if job.stack.sequence_parallel else 1)
        message = clock.message(size, far=cut.tensor * cut.context * cut.data >= job.machine.node)
        forward = 1 / (3 + (cut.recompute == "full"))
        took = pipeline_seconds([each.total for each in stages], cut.micro_batches, cut.virtual, message, forward)
        bubble = took - busiest.total * cut.micro_batches
    whole = busiest.times(cut.micro_batches)
    parameters = _parameters(job)
    exchange = _sharded(job, clock, parameters, whole) if cut.zero == 3 else _copies(job, clock, parameters, whole)
    own = parameters[0] / cut.shards + parameters[1] / max(1, cut.shards // cut.expert) if cut.zero else sum(parameters)
    rest = own * given.optimiser_bytes / clock.memory + given.step_ms * 1e-3
    rest += cut.micro_batches * given.micro_batch_us * US
    return Step(whole.compute, whole.host, whole.sent, bubble, exchange, rest)


def _block(job: Job, clock: Clock, each: Passes) -> Took:
    """Both passes of a block, with the collectives of its tensor, context and expert groups."""
    cut = job.cut
    tokens = job.tokens * job.width * 2
    ring = clock.ring(group(job.machine, cut.tensor, 1), tokens)
    repeated = each.repeated
    sent = ring * (4 + 4 + 4 * repeated + job.stack.sequence_parallel)
    computed = clock.computes(each.forward) + clock.computes(each.backward)
    if job.stack.hides or (job.stack.hides_tensor and kind_of(job.machine.name) in HIDING):
        sent = max(sent / PIECES, sent - computed)
    if cut.context > 1:
        among = group(job.machine, cut.context, cut.tensor)
        sent += clock.ring(among, each.gathered * 2 * cut.context) * (3 + repeated)  # again behind it, with gradients
    if cut.expert > 1 and each.routed:
        among = group(job.machine, cut.expert, cut.tensor)
        routed = clock.exchange(among, each.routed * 2, each.copies if job.stack.by_nodes else 1) * (4 + 2 * repeated)
        if 0 < job.stack.hides_experts <= cut.virtual:
            routed = max(routed / PIECES, routed - computed)
        sent += routed
    took = _took(job, clock, each, repeated, sends=2 * (cut.tensor > 1), sent=sent)
    return took


def _took(job: Job, clock: Clock, each: Passes, again: bool, sends: int, sent: float = 0.0) -> Took:
    """Both passes of some operators. sends: collectives of a forward pass that the host launches for a tensor group."""
    given, cut = clock.given, job.cut
    forward, backward = clock.computes(each.forward), clock.computes(each.backward)
    backward += (each.parameters + each.expert_parameters) * job.stack.adds_bytes / clock.memory
    backward += again * forward
    launched = [each.forward.launches, each.backward.launches + again * each.forward.launches]
    hosts = [count * given.host_us * US for count in launched]
    if sends:
        one = sends * given.host_tensor_us * US * cut.tensor**given.host_tensor_grows
        hosts = [hosts[0] + one, hosts[1] + one * (1 + again)]
    if cut.pipeline > 1 and cut.npus > job.machine.node:
        hosts = [host * given.host_pipeline for host in hosts]
    ahead = sent / (2 + again)
    late = max(0.0, hosts[0] - forward - ahead) + max(0.0, hosts[1] - backward - (sent - ahead))
    return Took(forward + backward, late, sent)


def _parameters(job: Job) -> tuple[float, float]:
    """Of the stage that has most: those that all copies have, and those of its experts."""
    most = (0.0, 0.0)
    for s, own in enumerate(job.stages):
        ends = [job.first] * (s == 0) + [job.last] * (s == len(job.stages) - 1)
        rows = [(each, n) for (each, _), n in zip(job.blocks, own, strict=True)] + [(each, 1) for each in ends]
        dense = sum(each.parameters * n for each, n in rows)
        most = max(most, (dense, sum(each.expert_parameters * n for each, n in rows)), key=sum)
    return most


def _groups(job: Job) -> tuple[Group, Group]:
    """Those that have the same parameters, and the same experts."""
    cut, copies = job.cut, job.cut.data * job.cut.context
    apart = cut.tensor * cut.expert
    return group(job.machine, copies, cut.tensor), group(job.machine, copies // cut.expert, apart)


def _copies(job: Job, clock: Clock, parameters: tuple[float, float], busy: Took) -> float:
    """Gradients added up among the copies, or shared out and the parameters gathered; what isn't hidden."""
    cut, stack = job.cut, job.stack
    if stack.by_tensors and cut.zero:
        return _by_tensors(job, clock, parameters, busy)
    both = list(zip(_groups(job), parameters, strict=True))
    reduces = sum(clock.ring(among, count * stack.gradient_bytes) for among, count in both)
    gathers = sum(clock.ring(among, count * (2 if cut.zero else stack.gradient_bytes)) for among, count in both)
    left = reduces + gathers
    if stack.hides:
        return max(left / job.depth, left - busy.total)
    if stack.overlap:
        left = max(left / job.depth, left - busy.total / cut.micro_batches)
    if stack.ddp and not cut.zero:
        left = max(left / job.depth, left - BACKWARD * busy.total / cut.micro_batches)
    return left


def _by_tensors(job: Job, clock: Clock, parameters: tuple[float, float], busy: Took) -> float:
    """Gradients added up on all copies, behind the last backward pass; then each NPU of a ZeRO group sends the tensors
    that are its own to the others, behind the next forward pass (InternEvo, HybridZeroOptimizer, with its overlaps).
    """
    cut, one = job.cut, busy.total / job.cut.micro_batches
    owners = group(job.machine, cut.shards, cut.tensor)
    both = zip(_groups(job), parameters, strict=True)
    reduces = 2 * sum(clock.ring(among, count * job.stack.gradient_bytes) for among, count in both)
    often = min(cut.shards, sum(each.parameters > 0 for each in job.model.operators) // cut.pipeline)
    sends = clock.ring(owners, sum(parameters) * 2) + max(0, often - 1) * clock.latency(owners)
    left = max(reduces / job.depth, reduces - BACKWARD * one)
    return left + max(sends / job.depth, sends - (1 - BACKWARD) * one)


def _sharded(job: Job, clock: Clock, parameters: tuple[float, float], busy: Took) -> float:
    """ZeRO-3: parameters gathered ahead of each block, gradients shared out behind it; what isn't hidden.

    With stages both are done once in a step, as PyTorch's pipelines and Llama 3's training do. Where fewer NPUs than
    there are copies share them out (HSDP), gradients are then added up among those that have the same part.
    """
    cut, often = job.cut, job.cut.micro_batches
    both = list(zip(_sharing(job), parameters, strict=True))
    frozen = sum(each.frozen * count for each, count in job.blocks) + job.first.frozen + job.last.frozen
    gathers = sum(clock.ring(among, count * 2) for among, count in both) * (1 + cut.reshards)
    gathers += clock.ring(both[0][0], frozen / cut.pipeline * 2) * (1 + cut.reshards)
    reduces = sum(clock.ring(among, count * job.stack.gradient_bytes) for among, count in both)
    if (replicas := cut.data * cut.context // cut.shards) > 1:
        apart = group(job.machine, replicas, cut.tensor * cut.shards)
        reduces += 2 * clock.ring(apart, sum(parameters) / cut.shards * job.stack.gradient_bytes)
    sent = gathers * (often if cut.reshards else 1) + reduces * (often if cut.pipeline == 1 else 1)
    first = (gathers + reduces) / job.depth
    return max(first, sent - busy.total)


def _sharing(job: Job) -> tuple[Group, Group]:
    """Those that ZeRO shares parameters out among, and experts."""
    cut, apart = job.cut, job.cut.tensor * job.cut.expert
    experts = max(1, cut.shards // cut.expert)
    return group(job.machine, cut.shards, cut.tensor), group(job.machine, experts, apart)
