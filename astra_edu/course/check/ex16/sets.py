"""Exercise 16's cards: runs that the project works out, some of them changed by a fault, and a measured one as it is.

Which cards lie isn't written down anywhere: a fault is put in, and the laws say what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

from astra_edu.base.errors import whole
from astra_edu.base.units import GIB
from astra_edu.course.check.ex16.card import Card
from astra_edu.explore.iteration import estimate
from astra_edu.measured import runs, sources
from astra_edu.network import Dimension
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload
from astra_edu.workload.compute import Machine, machine
from astra_edu.workload.models import model
from astra_edu.workload.strategies import Strategy, memory

JOBS: tuple[tuple[str, str, Strategy], ...] = (
    ("gpt3", "a100", Strategy(tensor=8, pipeline=8, data=16, batch=1536)),
    ("llama3-70b", "h100", Strategy(tensor=8, pipeline=4, data=8, batch=256, zero=1, sequence_parallel=True)),
    (
        "llama3-405b",
        "h100",
        Strategy(
            tensor=8, pipeline=16, data=8, batch=512, zero=1, sequence_parallel=True, stage_blocks="ends"
        ),
    ),
    ("llama3-8b", "a100", Strategy(tensor=8, pipeline=4, data=4, batch=128)),
    ("llama3-70b", "b200", Strategy(tensor=8, pipeline=4, data=16, batch=512, sequence_parallel=True)),
    (
        "gpt3",
        "h200",
        Strategy(tensor=8, pipeline=16, data=4, batch=256, zero=1, virtual=2, pipeline_order="interleaved"),
    ),
)  # fmt: skip
"""Model, machine and strategy of what is worked out."""
SHEETS = ("a vendor's sheet", "a simulator", "a colleague's sheet", "a talk")
"""Who says it; that tells nothing."""
BITS = {"bf16": 16, "fp8": 8, "mxfp8": 8, "nvfp4": 4}
FEWEST, MOST = 1, 2
"""Cards of a set that lie."""


def _peaks(on: Machine) -> dict[int, float]:
    """TFLOP/s by bits."""
    each = {16: on.device.flops_per_s} | {bits: peak for bits, peak in on.device.peaks.items() if bits < 16}
    return {bits: peak / 1e12 for bits, peak in each.items()}


@dataclass(frozen=True)
class Worked:
    """A run as it is worked out, with what faults need."""

    card: Card
    model: str
    strategy: Strategy


@lru_cache(maxsize=len(JOBS))
def worked(number: int) -> Worked:
    """One of the jobs, with nothing wrong."""
    name, on, strategy = JOBS[number]
    found, shape = machine(on), model(name)
    took = estimate(shape, strategy, found.device, found.platform(strategy.npus))
    run, stages = took.pipeline, strategy.pipeline
    passes = [
        sum(run.forward_ns[k] + run.backward_ns[k] for k in range(stage, stages * run.virtual, stages)) / 1e6
        for stage in range(stages)
    ]
    gradients = 2 * shape.parameters / (strategy.tensor * stages)
    words = f"{name} on {strategy.npus:,} {on.upper()}, {strategy.samples} sequences at once"
    card = Card(
        name="",
        number=0,
        source="",
        job=words,
        measured=False,
        bits=16,
        peaks=_peaks(found),
        flops_per_token=took.flops / took.tokens,
        parameters=shape.parameters,
        tensor=strategy.tensor,
        pipeline=stages,
        virtual=run.virtual,
        copies=strategy.data,
        zero=strategy.zero,
        micro_batches=run.micro_batches,
        gradient_bytes=gradients,
        gbit_s=found.nic_bytes_per_s * 8 / 1e9,
        tokens_per_s=took.tokens_per_s,
        iteration_ms=took.total_ns / 1e6,
        pass_ms=min(passes),
        mfu=took.mfu,
        exchange_ms=_exchange_ms(gradients, strategy.data, found),
        state_gb=memory(shape, strategy).state / 1e9,
    )
    return Worked(card, name, strategy)


def _exchange_ms(size: float, copies: int, on: Machine) -> float:
    """An all-reduce over network cards, simulated."""
    links = Dimension.of("Switch", copies, on.nic_bytes_per_s / GIB, on.nic_ns)
    platform = Platform((links,), SystemConfig.of("halvingDoubling"))
    return simulate(Workload.micro("all-reduce", int(size)), platform).total_ns / 1e6


def _faster(card: Card, factor: float) -> dict[str, Any]:
    """The claims that follow from an iteration so many times as fast."""
    return {"tokens_per_s": card.tokens_per_s * factor, "iteration_ms": card.iteration_ms / factor}


def _sparse(of: Worked) -> Card:
    """The peak is the vendor's for matrices half of which is zero; the share of it that is reached stays."""
    return replace(of.card, pass_ms=(of.card.pass_ms or 0) / 2, **_faster(of.card, 2))


def _no_bubble(of: Worked) -> Card:
    """Every stage is taken to be busy all the time."""
    factor = of.card.iteration_ms / (of.card.micro_batches * (of.card.pass_ms or 0))
    return replace(of.card, mfu=(of.card.mfu or 0) * factor, **_faster(of.card, factor))


def _no_optimiser(of: Worked) -> Card:
    """Parameters and gradients alone are counted."""
    return replace(of.card, state_gb=memory(of.model, of.strategy, optimiser_bytes=0).state / 1e9)


FAULTS: Mapping[str, tuple[Callable[[Worked], Card], ...]] = {
    "operations": (_sparse,),
    "bytes": (
        lambda of: replace(of.card, exchange_ms=(of.card.exchange_ms or 0) / 8),  # Gbit/s as GB/s
        lambda of: replace(of.card, exchange_ms=(of.card.exchange_ms or 0) / 2),  # the reduce-scatter alone
    ),
    "memory": (
        _no_optimiser,
        lambda of: replace(of.card, state_gb=(of.card.state_gb or 0) / of.card.copies),  # shared out once more
    ),
    "pipeline": (_no_bubble,),
}
"""What somebody gets wrong, by the law that is broken then."""


@lru_cache(maxsize=1)
def surprising() -> tuple[Card, ...]:
    """Measured rows with more operations a second than their machine's peak in 16 bits."""
    found = []
    rows = runs().query("source_id == 'megatron_bridge' and tflops_per_gpu > 0 and hardware.notna()")
    for index, row in rows.iterrows():
        on, bits = machine(row.hardware), BITS.get(row.precision.lower(), 16)
        peaks = _peaks(on)
        if bits not in peaks or row.tflops_per_gpu <= peaks[16]:
            continue
        tensor, stages, copies = (int(row[name]) for name in ("tp", "pp", "dp"))
        shape = row.params_B * 1e9
        found.append(
            Card(
                name="",
                number=0,
                source=f"measured: row {index} of measured.runs(), {sources()['where'][row.source_id].split(':')[0]}",
                job=f"{row.model} on {row.gpus:,} {row.hardware}, {row.precision}, {row.gbs_seq:.0f} sequences at once",
                measured=True,
                bits=bits,
                peaks=peaks,
                flops_per_token=row.tflops_per_gpu * 1e12 / row.tokens_per_s_per_gpu,
                parameters=shape,
                tensor=tensor,
                pipeline=stages,
                virtual=1 if row.vp != row.vp else int(row.vp),
                copies=copies,
                zero=0,
                micro_batches=round(row.gbs_seq / copies / row.mbs),
                gradient_bytes=2 * shape / (tensor * stages),
                gbit_s=on.nic_bytes_per_s * 8 / 1e9,
                tokens_per_s=row.tokens_per_s_per_gpu,
                iteration_ms=row.iter_time_ms,
            )
        )
    return tuple(found)


@lru_cache(maxsize=64)
def cards(number: int = 1) -> tuple[Card, ...]:
    """Five cards, A to E, other ones for another number: one is measured, of the others one or two lie.

    >>> from astra_edu.course.check import ex16
    >>> [card.name for card in ex16.cards(1)], sum(card.measured for card in ex16.cards(1))
    (['A', 'B', 'C', 'D', 'E'], 1)
    """
    dice = Random(whole("number", number, at_least=0))
    chosen = [worked(k) for k in dice.sample(range(len(JOBS)), 4)]
    laws = dice.sample(sorted(FAULTS), dice.randint(FEWEST, MOST))
    made = [dice.choice(FAULTS[law])(each) for law, each in zip(laws, chosen, strict=False)]
    made += [each.card for each in chosen[len(laws) :]]
    made = [replace(card, source=dice.choice(SHEETS)) for card in made]
    made.append(dice.choice(surprising()))
    dice.shuffle(made)
    return tuple(replace(card, name=name, number=number) for name, card in zip("ABCDE", made, strict=True))
