"""A training iteration that was estimated: its time and where that goes, its throughput, its memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from astra_edu.base.bound import SHARED
from astra_edu.base.errors import ConfigError
from astra_edu.explore.iteration.beside import Beside, in_words, ratios_of
from astra_edu.explore.iteration.candidates import described
from astra_edu.explore.iteration.kept_over_time import Moment, kept_over_time
from astra_edu.explore.iteration.searched import Searched
from astra_edu.pipeline import PipelineRun
from astra_edu.run.trace_result import TraceResult
from astra_edu.workload.compute import Calibration, Device
from astra_edu.workload.models import Model
from astra_edu.workload.strategies import Memory, Strategy
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.generate import repeated, without_input_gradient
from astra_edu.workload.strategies.memory import memory_of


@dataclass(frozen=True)
class Iteration:
    """Where an iteration's time goes, in ns, on the stage that is busy longest; the parts add up to total_ns.

    compute_ns: operators, with repeated_ns of them computed again in the backward pass. tensor_ns: collectives that are
    waited for within a micro-batch: a tensor group's, and the gathers of ZeRO-3. waiting_ns: for other stages and their
    messages, the bubble. data_ns: exposed collectives among the copies. update_ns: the optimiser. pipeline: its run.
    context_ns, expert_ns: collectives of these groups, which are waited for, too. launching_ns: for the host, which
    launches kernels no faster than that. overhead_ns: what nothing accounts for, by the device's calibration.
    device: what each NPU is.
    at_least: the same with no collective faster than its links, where messages of one share some and ASTRA-sim's
    contention-free model doesn't see it; None where none do. bound_ns: how long that takes.
    searched: of one that ae.fastest found, what became of the other strategies.
    simulated: of one on a TracePlatform, the run of its trace; pipeline then says when passes ran there.

    >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
    >>> took = ae.estimate("gpt2", ae.Strategy(data=8), "a100", pods)
    >>> for part, ns in took.split.items():
    ...     print(f"{part}: {ns / 1e6:.1f} ms")
    compute: 53.3 ms
    repeated: 0.0 ms
    tensor group: 0.0 ms
    waiting: 0.0 ms
    exchange: 4.6 ms
    update: 22.9 ms
    """

    compute_ns: int
    repeated_ns: int
    tensor_ns: int
    waiting_ns: int
    data_ns: int
    update_ns: int
    pipeline: PipelineRun
    model: Model
    strategy: Strategy
    context_ns: int = 0
    expert_ns: int = 0
    launching_ns: int = 0
    device: Device | None = None
    at_least: Iteration | None = None
    searched: Searched | None = field(default=None, compare=False)
    simulated: TraceResult | None = field(default=None, compare=False)
    overhead_ns: int = 0

    @property
    def bound_ns(self) -> int | None:
        """What the iteration takes at least, if that is more than the model sees."""
        return self.at_least.total_ns if self.at_least else None

    @property
    def total_ns(self) -> int:
        """The whole iteration."""
        return sum(self.split.values())

    @property
    def split(self) -> dict[str, int]:
        """The parts in ns, by names for people: compute counts nothing twice, repeated is what is computed again."""
        return {
            "compute": self.compute_ns - self.repeated_ns,
            "repeated": self.repeated_ns,
            "tensor group": self.tensor_ns,
            **({"context group": self.context_ns} if self.strategy.context > 1 else {}),
            **({"expert group": self.expert_ns} if self.strategy.expert > 1 else {}),
            **({"launching": self.launching_ns} if self.launching_ns else {}),
            "waiting": self.waiting_ns,
            "exchange": self.data_ns,
            "update": self.update_ns,
            **({"overhead": self.overhead_ns} if self.overhead_ns else {}),
        }

    @property
    def exposed(self) -> dict[str, int]:
        """What is waited for collectives, in ns, by groups: copies' gradients and parameters are the exchange."""
        names = ("tensor group", "context group", "expert group", "exchange")
        return {name: ns for name, ns in self.split.items() if name in names}

    @property
    def bubble(self) -> float:
        """The share of the iteration in which the stage that is busy longest waits for other stages."""
        return self.waiting_ns / self.total_ns

    @property
    def memory(self) -> Memory:
        """What an NPU keeps at the worst moment, by kind, as ae.memory says."""
        return memory_of(abridged(self.model), self.strategy)

    @property
    def memory_bytes(self) -> float:
        """All of that."""
        return self.memory.total

    def memory_timeline(self, stage: int) -> tuple[Moment, ...]:
        """What an NPU of a stage keeps as the iteration goes on: `kept_over_time`'s moments."""
        return kept_over_time(self.model, self.strategy, self.pipeline, stage, self.total_ns)

    @property
    def fits(self) -> bool | None:
        """Whether that is no more than the device has; None where that isn't known."""
        known = self.device is not None and self.device.memory_bytes is not None
        return self.memory.fits(self.device) if known and self.device else None

    @property
    def range_ns(self) -> tuple[float, float] | None:
        """Within which two thirds of measured iterations like it would be.

        On a calibrated device (`measured.device`) as far around this one as measured ones are around what
        `measured.predict` says. On one of ae.DEVICES, whose kernels reach the peak, all of it is longer than this one:
        as many times as `astra_edu.explore.iteration.beside` says. None where fewer than five like it are known, for
        other than 16-bit elements, for another device, and on a TracePlatform, as runs were compared with estimates by
        1.0's clock.
        """
        ratios = self._ratios
        least = self.bound_ns or self.total_ns
        return (least * ratios.low, least * ratios.high) if ratios else None

    @property
    def _ratios(self) -> Calibration | Beside | None:
        if self.device is None or self.simulated is not None:  # runs were compared with estimates by 1.0's clock
            return None
        bits, compute_ms = self.strategy.bits.products, self.compute_ns / self.strategy.micro_batches / 1e6
        return ratios_of(self.device, bits, compute_ms)

    @property
    def tokens(self) -> int:
        """Tokens of the iteration, on all NPUs; for a model without blocks of tokens, samples."""
        model = self.model
        each = model.operators[model.blocks[0].start].takes[0] if model.blocks else 1
        return each * self.strategy.samples

    @property
    def tokens_per_s(self) -> float:
        """What each NPU gets through in a second."""
        return self.tokens / self.strategy.npus / self.total_ns * 1e9

    @property
    def flops(self) -> int:
        """Operations of the iteration, on all NPUs, counting nothing twice, and no gradient of the samples."""
        about, samples = abridged(self.model), self.strategy.samples
        first = without_input_gradient(about, about.alone(about.strategy(self.strategy)))
        samples_gradient = sum(about.short.operators[i].input_gradient(samples).flops for i in first)
        return self.model.flops(samples) - samples_gradient

    @property
    def repeated_flops(self) -> int:
        """Operations that the backward pass computes again, on all NPUs."""
        about, samples, strategy = abridged(self.model), self.strategy.samples, self.strategy
        inside = {i for block in about.short.blocks for i in block} if strategy.recompute == "full" else set[int]()
        again = [
            operator.forward(samples).flops * (i in inside or repeated(operator, strategy))
            for i, operator in enumerate(about.short.operators)
        ]
        return sum(again[place] for place in about.places)

    @property
    def flops_per_s(self) -> float:
        """What each NPU achieves, not counting what is computed again."""
        return self.flops / self.strategy.npus / self.total_ns * 1e9

    @property
    def mfu(self) -> float:
        """Model FLOPs utilisation (arXiv 2204.02311, appendix B): flops_per_s as a share of the device's peak for
        elements of this size, attention counted, nothing twice. Raises ConfigError where no device is known.
        """
        return self.flops_per_s / self._peak

    @property
    def hfu(self) -> float:
        """Hardware FLOPs utilisation: the same, with what is computed again."""
        return self.mfu * (1 + self.repeated_flops / self.flops)

    @property
    def _peak(self) -> float:
        if self.device is None:
            raise ConfigError("this iteration doesn't know its device; ae.estimate's does.")
        return self.device.peak(self.strategy.bits.products)

    @property
    def table(self) -> str:
        """All of it, line by line.

        >>> pods = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling"))
        >>> took = ae.estimate("gpt2", ae.Strategy(data=8, zero=1, recompute="selective"), "a100", pods)
        >>> print(took.table)
        strategy         data 8 × tensor 1 × pipeline 1, micro-batches of 1, ZeRO-1, selective recomputation
        iteration        83.218 ms
          compute        53.326 ms, 64.1%
          repeated       7.714 ms, 9.3%
          tensor group   0.000 ms, 0.0%
          waiting        0.000 ms, 0.0%
          exchange       19.314 ms, 23.2%
          update         2.865 ms, 3.4%
        throughput       12,305 tokens/s on each NPU
        operations       126.7 TFLOP/s on each NPU
        measured         runs like it took 1.49 to 1.99 times as long (two thirds of them)
          rates          the device's peaks, which no run reaches; measured.device has a calibrated one
        of its peak      MFU 40.6%, HFU 41.9%
        memory           11.94 × 10⁹ bytes on each NPU, which fits
          parameters     3.12
          gradients      3.12
          optimiser      2.34
          activations    2.89
          recomputed     0.13
          buffers        0.00
          fragmentation  0.36
        """
        kept, gb = self.memory, 1e9
        room = "" if self.fits is None else ", which fits" if self.fits else ", which doesn't fit"
        lines = {
            "strategy": described(self.strategy),
            "iteration": f"{self.total_ns / 1e6:,.3f} ms",
            **{f"  {name}": f"{ns / 1e6:,.3f} ms, {ns / self.total_ns:.1%}" for name, ns in self.split.items()},
            "throughput": f"{self.tokens_per_s:,.0f} {'tokens' if self.model.blocks else 'samples'}/s on each NPU",
            "operations": f"{self.flops_per_s / 1e12:,.1f} TFLOP/s on each NPU",
        }
        lines |= in_words(self._ratios, self.device)
        if self.device is not None:
            lines["of its peak"] = f"MFU {self.mfu:.1%}, HFU {self.hfu:.1%}"
        lines["memory"] = f"{kept.total / gb:,.2f} × 10⁹ bytes on each NPU{room}"
        for name, size in kept.kinds.items():
            lines[f"  {name}"] = f"{size / gb:,.2f}"
        lines |= self.searched.lines if self.searched else {}
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {ns / 1e6:,.3f}" for name, ns in self.split.items())
        total = f"{self.total_ns / 1e6:,.3f} ms"
        if self.bound_ns is None:
            return f"<{total} by {described(self.strategy)}: {parts}>"
        return f"<at least {self.bound_ns / 1e6:,.3f} ms: {SHARED} {total} by {described(self.strategy)}: {parts}>"
