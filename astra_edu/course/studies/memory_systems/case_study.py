"""Case study 3 of ASTRA-sim 2.0 (ISPASS 2023): a mixture of experts on remote memory, by stated parameters.

The paper's own table couldn't be read here: what is unverified is recalled from it, what is ours is chosen without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from astra_edu.course.studies.memory_systems.experts import MixtureOfExperts
from astra_edu.course.studies.memory_systems.fabric import Fabric
from astra_edu.course.studies.memory_systems.pool import HierarchicalPool, PrivateMemory
from astra_edu.course.studies.memory_systems.training import OPTIMISER_BYTES, TrainingTime, hiermem, zero_infinity
from astra_edu.workload.compute import Device

GPU = Device("GPU of case study 3", 2048e12, 4096e9, source="ISPASS 2023, case study 3; 2,048 TFLOPS is unverified")

_FABRIC = Fabric(nodes=16, gpus_per_node=16, in_bandwidth=256, out_switches=16, out_bandwidth=512)

SYSTEMS: Mapping[str, PrivateMemory | HierarchicalPool] = MappingProxyType(
    {
        "ZeRO-Infinity": PrivateMemory(_FABRIC, bandwidth=100),
        "HierMem, baseline": HierarchicalPool(_FABRIC, groups=256, group_bandwidth=100),
        "HierMem, optimised": HierarchicalPool(replace(_FABRIC, in_bandwidth=512), groups=256, group_bandwidth=500),
    }
)
"""The three systems that are compared, by their names in the paper."""

MOE_1T = MixtureOfExperts(hidden=4096, heads=32, blocks=60, experts=256)
"""A trillion parameters, nearly all in experts: in every second block 256 of them, and each token goes to two."""

PUBLISHED_SPEED_UP = 4.6
"""HierMem, optimised, over ZeRO-Infinity and HierMem's baseline, which are near-identical: the paper's slides.

A public summary of the paper says it of exposed times.
"""

UNVERIFIED, OURS = "unverified", "ours"


class Parameter(NamedTuple):
    """A row of the table of parameters: one value for each of SYSTEMS, and how well it is known."""

    name: str
    values: tuple[float, ...]
    known: str


def parameters(model: MixtureOfExperts = MOE_1T, samples: int = 1) -> tuple[Parameter, ...]:
    """What the case study is computed from."""
    memories = tuple(SYSTEMS.values())
    fabrics = [memory.fabric for memory in memories]
    pools = [memory if isinstance(memory, HierarchicalPool) else None for memory in memories]

    def same(value: float) -> tuple[float, ...]:
        return (value,) * len(memories)

    return (
        Parameter("nodes", tuple(fabric.nodes for fabric in fabrics), UNVERIFIED),
        Parameter("GPUs of a node", tuple(fabric.gpus_per_node for fabric in fabrics), UNVERIFIED),
        Parameter("GPU: 10¹² operations/s", same(GPU.flops_per_s / 1e12), UNVERIFIED),
        Parameter("GPU: local memory", same((GPU.memory_bytes_per_s or 0) / 1e9), "ASTRA-sim's sample files"),
        Parameter("GPU: in-node link", tuple(fabric.in_bandwidth for fabric in fabrics), f"{UNVERIFIED}; first {OURS}"),
        Parameter("out-node switches", tuple(fabric.out_switches for fabric in fabrics), UNVERIFIED),
        Parameter("out-node link", tuple(fabric.out_bandwidth for fabric in fabrics), OURS),
        Parameter(
            "remote memories",
            tuple(pool.groups if pool else fabric.gpus for pool, fabric in zip(pools, fabrics, strict=True)),
            UNVERIFIED,
        ),
        Parameter(
            "remote memory, each",
            tuple(m.bandwidth if isinstance(m, PrivateMemory) else m.group_bandwidth for m in memories),
            UNVERIFIED,
        ),
        Parameter("packet (KiB)", tuple(fabric.packet_bytes / 2**10 for fabric in fabrics), OURS),
        Parameter("model: 10⁹ parameters", same(model.parameters / 1e9), f"1T; its shape is {OURS}"),
        Parameter("tokens of a GPU", same(samples * model.sequence), OURS),
    )


def case_study_3(
    model: MixtureOfExperts = MOE_1T, samples: int = 1, optimiser_bytes: int = OPTIMISER_BYTES
) -> dict[str, TrainingTime]:
    """An iteration of `model` on each of SYSTEMS; see `hiermem` for samples and optimiser_bytes.

    >>> from astra_edu.studies.memory_systems import case_study_3
    >>> for name, time in case_study_3().items():
    ...     print(f"{name}: {time.total_ns / 1e6:.0f} ms, of which {time.compute_ns / 1e6:.0f} ms compute")
    ZeRO-Infinity: 1677 ms, of which 202 ms compute
    HierMem, baseline: 1707 ms, of which 202 ms compute
    HierMem, optimised: 469 ms, of which 202 ms compute
    """
    return {
        name: zero_infinity(model, GPU, memory, samples, optimiser_bytes)
        if isinstance(memory, PrivateMemory)
        else hiermem(model, GPU, memory, samples, optimiser_bytes)
        for name, memory in SYSTEMS.items()
    }
