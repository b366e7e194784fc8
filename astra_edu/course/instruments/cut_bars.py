"""The bars of a cut: what an iteration's time, an NPU's memory and the collectives' sizes are made of."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.bound import total_words
from astra_edu.base.units import several
from astra_edu.collectives import Collective
from astra_edu.course.instruments.cut_job import on_links
from astra_edu.course.instruments.scene import Bar, Bars, Part
from astra_edu.explore.iteration import Iteration
from astra_edu.workload.compute import Device, Experts
from astra_edu.workload.strategies import Communication, Memory

GIB = 2**30
GROUPS = {
    **{"tensor": "tensor group", "context": "context group", "expert": "expert group", "data": "data group"},
    **{"expert data": "data group", "pipeline": "bubble and transfers"},
    "mirror": "data group",
}
"""The look of what each group sends."""

SUMS, GRADIENTS, LAYERS = (
    "sums of activations, in both passes",
    "sums of gradients, or new parameters",
    "activations for another stage, and their gradients",
)
KEYS, TOKENS = "keys and values of all tokens, and their gradients", "tokens on their way to experts and back"
CONTENTS = {"tensor": SUMS, "pipeline": LAYERS, "context": KEYS, "expert": TOKENS}


def times(run: Iteration) -> list[tuple[str, float]]:
    """(look, ns) of each part of an iteration."""
    return [
        ("compute", run.compute_ns - run.repeated_ns),
        ("recomputed", run.repeated_ns),
        ("tensor group", run.tensor_ns),
        *((("context group", run.context_ns),) if run.strategy.context > 1 else ()),
        *((("expert group", run.expert_ns),) if run.strategy.expert > 1 else ()),
        ("bubble and transfers", run.waiting_ns),
        ("data group", run.data_ns),
        ("update", run.update_ns),
    ]


def kept_parts(kept: Memory) -> list[tuple[str, float]]:
    """(look, bytes) of each kind of memory."""
    return [
        ("parameters", kept.parameters),
        ("gradients", kept.gradients),
        ("optimiser state", kept.optimiser),
        ("activations", kept.activations),
        ("recomputed", kept.recomputed),
        ("buffers", kept.buffers),
        ("fragmentation", kept.fragmentation),
    ]


def _sizes(sent: Sequence[Communication]) -> dict[str, dict[str, float]]:
    """{group: {kind of collective: bytes of an iteration}}, of the first stage."""
    found: dict[str, dict[str, float]] = {}
    for each in sent:
        group = found.setdefault(each.group, {})
        kind = str(each.collective or "messages")
        whole = each.size * each.npus if each.collective is Collective.ALL_GATHER else each.size
        group[kind] = group.get(kind, 0) + whole * each.times
    return found


def time_bars(run: Iteration) -> Bars:
    """An iteration's parts, in ms."""
    parts = tuple(Part(name, ns / 1e6) for name, ns in times(on_links(run)) if ns > 0)
    return Bars(
        "Time of an iteration, as the model has it",
        (Bar("an iteration", parts, total_words(run.total_ns, run.bound_ns)),),
        "ms",
    )


def memory_bars(kept: Memory, on: Device) -> Bars:
    """What an NPU keeps, against what its device has, in GiB."""
    parts = tuple(Part(name, size / GIB) for name, size in kept_parts(kept))
    limit = (on.memory_bytes or 0) / GIB
    return Bars(
        "Memory of an NPU",
        (Bar("an NPU", parts, f"{kept.total / GIB:,.1f} GiB", limit),),
        "GiB",
        f"what the device has, {limit:,.0f} GiB",
    )


def size_bars(sent: Sequence[Communication]) -> Bars:
    """What the first stage's NPUs ask of collectives, by group and kind, in GiB."""
    bars = []
    for group, kinds in _sizes(sent).items():
        for kind, size in kinds.items():
            part = Part(GROUPS.get(group, "embeddings"), size / GIB)
            bars.append(Bar(f"{group}: {kind}", (part,), f"{size / GIB:,.2f} GiB"))
    if not bars:
        bars.append(Bar("none", (), "0 GiB: there is one NPU"))
    return Bars("What the first stage’s collectives and messages carry in an iteration", tuple(bars), "GiB")


def most_sent(sent: Sequence[Communication]) -> dict[str, float]:
    """{what it is: bytes that an NPU sends, all but its own share} of an iteration, the most first."""
    found: dict[str, float] = {}
    for each in sent:
        rounds = 2 if each.collective is Collective.ALL_REDUCE else 1
        whole = each.size * each.npus if each.collective is Collective.ALL_GATHER else each.size
        share = rounds * (each.npus - 1) / each.npus if each.collective else 1
        what = CONTENTS.get(each.group, GRADIENTS)
        found[what] = found.get(what, 0) + whole * share * each.times
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _of_tokens(run: Iteration) -> list[str]:
    """Which tokens an NPU has, and which experts."""
    found, cut = [], run.strategy
    if cut.context > 1:
        found.append(
            f"The {cut.context} NPUs of a context group have the same weights and {cut.context} parts of each sequence."
        )
    mixture = next((each for each in run.model.operators if isinstance(each, Experts)), None)
    if mixture:
        experts = mixture.experts
        has = f"{experts // cut.expert} of the {experts}" if cut.expert > 1 else f"all {experts}"
        found.append(f"An NPU has {has} experts of a block, and a token goes through {mixture.top_k} of them.")
    if run.at_least and run.at_least.total_ns > run.total_ns:
        found.append(
            "The parts are those that the links allow: in ASTRA-sim 1.0's model, the messages of an all-to-all over a "
            "switch don't slow each other down."
        )
    return found


def sentences(run: Iteration, kept: Memory, on: Device) -> tuple[str, ...]:
    """What takes most, and whether it fits."""
    shown = on_links(run)
    name, longest = max(times(shown), key=lambda part: part[1])
    most, size = max(kept_parts(kept), key=lambda part: part[1])
    times_share, memory_share = longest / shown.total_ns, size / kept.total
    most_of = f"Most of the time goes to: {name}, {times_share:.0%}; most of the memory to: {most}, {memory_share:.0%}."
    each = run.strategy.micro_batches * run.strategy.micro_batch
    said = [most_of, f"An iteration is {several(each * run.strategy.data, 'sequence')}"]
    said[-1] += f", {each} for each of the {run.strategy.data} copies." if run.strategy.data > 1 else "."
    said += _of_tokens(run)
    if run.strategy.zero == 3 and run.strategy.data > 1:
        said.append(
            "“tensor group” is all that is waited for within a micro-batch: ZeRO-3’s all-gathers of parameters, too."
        )
    if run.strategy.zero in (1, 2) and run.strategy.data > 1:
        said.append(
            "“data group”: the gradients’ sums hide behind the backward pass as far as it lasts, but the all-gather of "
            "what each NPU has updated comes last, when nothing is left to compute."
        )
    if run.strategy.both_ways:
        said.append("“mirror”: each part of the model is on two stages, which add up its gradients.")
    if run.strategy.sequence_parallel or (run.strategy.zero and run.strategy.data > 1):
        said.append(
            "The last bars count what collectives work on: a reduce-scatter or an all-gather sends half of what an "
            "all-reduce of as much does."
        )
    if kept.fits(on):
        return tuple(said)
    there = (on.memory_bytes or 0) / GIB
    return *said, f"It doesn't fit: {kept.total / GIB:,.1f} GiB are needed and there are {there:,.0f}."
