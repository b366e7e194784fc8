"""One training iteration whose parameters live in remote memory: streamed in, computed with, gradients streamed out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from astra_edu.base.deprecated import renamed
from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.units import format_ns
from astra_edu.course.studies.memory_systems.experts import BlockWork, MixtureOfExperts
from astra_edu.course.studies.memory_systems.fabric import IN_NODE, OUT_NODE, REMOTE, Fabric
from astra_edu.course.studies.memory_systems.lanes import Lanes, Span
from astra_edu.course.studies.memory_systems.pool import HierarchicalPool, Moves, PrivateMemory
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device

COMPUTE = "compute"
OPTIMISER_BYTES = 16
"""For each parameter, what an update reads, and writes again: ZeRO-Infinity's count (arXiv 2104.07857, section 4)."""


class RemoteSystem(Protocol):
    """What PrivateMemory and HierarchicalPool have in common."""

    @property
    def fabric(self) -> Fabric:
        """The network of the GPUs."""

    def load(self, shared: int, own: int) -> Moves:
        """Bytes that all GPUs need, and bytes that each needs for itself."""

    def store(self, shared: int, own: int) -> Moves:
        """The same way back."""


@dataclass(frozen=True)
class TrainingTime:
    """Where an iteration's time goes, in ns; the parts add up to total_ns.

    compute_ns: kernels, by the roofline of the GPU and its local memory. The others are exposed, that is, nothing is
    computed meanwhile: waiting for the remote memory, for the links between nodes, for those inside a node. A transfer
    through several stages counts as its slowest. spans: what ran when, on the lanes of one GPU.

    >>> from astra_edu.studies.memory_systems import case_study_3
    >>> time = case_study_3()["HierMem, optimised"]
    >>> {part: round(ns / 1e6) for part, ns in time.split.items()}
    {'compute': 202, 'remote memory': 257, 'out-node fabric': 0, 'in-node fabric': 11}
    """

    compute_ns: float
    remote_ns: float
    out_node_ns: float
    in_node_ns: float
    spans: tuple[Span, ...] = field(repr=False, compare=False)

    @property
    def total_ns(self) -> float:
        """The whole iteration."""
        return self.compute_ns + self.exposed_ns

    @property
    def exposed_ns(self) -> float:
        """All but the compute."""
        return self.remote_ns + self.out_node_ns + self.in_node_ns

    @property
    def split(self) -> dict[str, float]:
        """The parts in ns, by names for people."""
        return {COMPUTE: self.compute_ns, REMOTE: self.remote_ns, OUT_NODE: self.out_node_ns, IN_NODE: self.in_node_ns}

    def __repr__(self) -> str:
        return (
            f"<{format_ns(self.total_ns)}: {', '.join(f'{name} {format_ns(ns)}' for name, ns in self.split.items())}>"
        )


@renamed(gpu="device")
def zero_infinity(
    model: MixtureOfExperts,
    device: Device | str,
    memory: PrivateMemory,
    samples: int = 1,
    optimiser_bytes: int = OPTIMISER_BYTES,
) -> TrainingTime:
    """An iteration with a private remote memory behind each GPU, as in ZeRO-Infinity (arXiv 2104.07857).

    Parameters that all GPUs need are fetched in parts and all-gathered, their gradients reduce-scattered and stored in
    parts; experts are fetched and stored by their own GPU. All else as in `hiermem`.

    >>> from astra_edu.studies.memory_systems import Fabric, MixtureOfExperts, PrivateMemory, zero_infinity
    >>> fabric = Fabric(nodes=4, gpus_per_node=8, in_bandwidth=256, out_switches=4, out_bandwidth=64)
    >>> model = MixtureOfExperts(hidden=1024, heads=16, blocks=4, experts=32)
    >>> round(zero_infinity(model, "a100", PrivateMemory(fabric, bandwidth=100)).total_ns)
    13739099
    """
    if not isinstance(memory, PrivateMemory):
        raise ConfigError(f"zero_infinity needs a PrivateMemory, not {memory!r:.60}; for a pool there is hiermem.")
    return _iteration(model, device, memory, samples, optimiser_bytes)


@renamed(gpu="device")
def hiermem(
    model: MixtureOfExperts,
    device: Device | str,
    memory: HierarchicalPool,
    samples: int = 1,
    optimiser_bytes: int = OPTIMISER_BYTES,
) -> TrainingTime:
    """An iteration with a hierarchical pool of remote memory (HierMem of ASTRA-sim 2.0, ISPASS 2023).

    samples: of each GPU. A GPU loads each block's parameters twice, for the forward and for the backward pass, while it
    computes with those of the block before, and stores its gradients. Tokens go to the experts and back by all-to-alls,
    which are waited for. Loads and stores take turns; all-to-alls neither slow them down nor are slowed down.
    Activations stay on the GPU, and nothing is repeated.

    optimiser_bytes: for each parameter, what the update on the GPU reads and writes again after the backward pass. With
    0 the update takes place where its state is kept, and isn't waited for.

    >>> from astra_edu.studies.memory_systems import Fabric, HierarchicalPool, MixtureOfExperts, hiermem
    >>> fabric = Fabric(nodes=4, gpus_per_node=8, in_bandwidth=256, out_switches=4, out_bandwidth=64)
    >>> model = MixtureOfExperts(hidden=1024, heads=16, blocks=4, experts=32)
    >>> hiermem(model, "a100", HierarchicalPool(fabric, groups=16, group_bandwidth=100))
    <26,435.806 µs: compute 7,349.853 µs, remote memory 0 ns, out-node fabric 19,085.953 µs, in-node fabric 0 ns>
    """
    if not isinstance(memory, HierarchicalPool):
        raise ConfigError(
            f"hiermem needs a HierarchicalPool, not {memory!r:.60}; for private memories there is zero_infinity."
        )
    return _iteration(model, device, memory, samples, optimiser_bytes)


class _Pass(NamedTuple):
    """What a GPU does with a block: load (shared, own) bytes, then these steps (kind, ns), then store bytes."""

    load: tuple[int, int]
    steps: Sequence[tuple[str, float]]
    store: tuple[int, int] = (0, 0)


def _iteration(
    model: MixtureOfExperts, device: Device | str, memory: RemoteSystem, samples: int, optimiser_bytes: int
) -> TrainingTime:
    device, optimiser_bytes = named_device(device), whole("optimiser_bytes", optimiser_bytes, at_least=0)
    blocks = model.work(device, memory.fabric.gpus, samples)
    lanes, done = Lanes(), list[Span]()
    passes = list(_passes(blocks, memory.fabric, device, optimiser_bytes))
    ready = _move(lanes, memory.load(*passes[0].load), ())
    for this, following in zip(passes, [*passes[1:], None], strict=True):
        needed = ready
        if following:  # a GPU has room for two blocks: it loads one while it computes with the other
            ready = _move(lanes, memory.load(*following.load), done[-1:])
        for number, (kind, ns) in enumerate(this.steps):
            span = lanes.add(COMPUTE, kind, ns, () if number else needed)
        done.append(span)
        _move(lanes, memory.store(*this.store), (span,))
    parts = defaultdict[str, float](float)
    for kind, ns in [*lanes.works(COMPUTE), *lanes.waits(COMPUTE)]:
        parts[kind] += ns
    return TrainingTime(parts[COMPUTE], parts[REMOTE], parts[OUT_NODE], parts[IN_NODE], tuple(lanes.spans))


def _passes(blocks: Sequence[BlockWork], fabric: Fabric, device: Device, optimiser_bytes: int) -> Iterator[_Pass]:
    for block in blocks:
        yield _Pass((block.shared_bytes, block.expert_bytes), _steps(block, fabric, 0))
    for block in reversed(blocks):
        both = (block.shared_bytes, block.expert_bytes)
        yield _Pass(both, _steps(block, fabric, 1)[::-1], both)
    for block in reversed(blocks) if optimiser_bytes else ():
        state = round((block.shared_bytes / fabric.gpus + block.expert_bytes) / 2 * optimiser_bytes)
        yield _Pass((0, state), [(COMPUTE, device.memory_ns(2 * state))], (0, state))


def _steps(block: BlockWork, fabric: Fabric, way: int) -> list[tuple[str, float]]:
    """A block's steps on the GPU in the order of the forward pass (way 0) with their times, or those of the backward
    pass (way 1): all-to-alls are around the experts."""
    steps = [(COMPUTE, block.shared_ns[way])]
    if block.expert_bytes:
        exchange = fabric.all_to_all(block.exchanged_bytes)
        exchanged = (_kind(exchange.slowest), exchange.ns)
        steps += [exchanged, (COMPUTE, block.expert_ns[way]), exchanged]
    return steps


def _move(lanes: Lanes, moves: Moves, after: Sequence[Span]) -> list[Span]:
    """Put transfers on their lanes; returns the last of each chain."""
    last = []
    for chain in filter(None, moves):
        spans = list(after)
        for lane, transfer in chain:
            spans = [lanes.add(lane, _kind(transfer.slowest), transfer.ns, spans)]
        last += spans
    return last


def _kind(stage: str) -> str:
    """The part of the time that a stage belongs to: both sides of the out-node fabric are one."""
    return stage.partition(",")[0]
