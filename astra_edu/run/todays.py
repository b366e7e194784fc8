"""Today's platforms that the lectures name: what `presets` shows of them.

Where the figures are those of a machine of `ae.MACHINES`, so is their source. Neither of ASTRA-sim's versions adds up
in switches: only "dgx-h100-sharp" does, whose times are ours alone. NVSwitches can from DGX H100 on, those of DGX A100
can't.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from astra_edu.collectives.in_switch import IN_SWITCH
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig
from astra_edu.system.implementation import Implementation, suited
from astra_edu.workload.compute.machines import machine

_GB = 10**9 / 2**30
CHUNKS = 4
"""As in the tutorials."""


class Today(NamedTuple):
    """A platform's name, its title for people, the source of its figures, and itself."""

    name: str
    title: str
    source: str
    platform: Platform


def _of(of: str, npus: int, name: str, title: str) -> Today:
    known = machine(of)
    return Today(name, title, known.source, known.platform(npus, splits=CHUNKS))


def _switches(*network: Dimension) -> Platform:
    return Platform(network, SystemConfig(**suited(network), splits=CHUNKS))


def _rings(*network: Dimension, splits: int = CHUNKS) -> Platform:
    rings = tuple(Implementation.parse("ring") for _ in network)
    own = dict.fromkeys(("all_reduce", "all_gather", "reduce_scatter"), rings)
    return Platform(network, SystemConfig(**suited(network) | own, splits=splits))


def _sharp() -> Platform:
    """DGX H100 as it is without, with switches that add up at both levels."""
    plain = machine("h100").platform(256, splits=CHUNKS)
    how = tuple(Implementation.parse(IN_SWITCH.name) for _ in plain.network)
    return replace(plain, system=replace(plain.system, all_reduce=how, all_gather=how, reduce_scatter=how))


_SHARP = (
    "NVSwitches that add up: NVIDIA's page on the Hopper architecture, Hot Chips 34 (2022); Quantum-2 with the third "
    "SHARP: its data sheet; unverified: that all-gathers and reduce-scatters are done so at both levels. Bandwidths "
    "are the links' own: NVLS on 8 H200 takes 1/0.6 of the time that they allow (ml-engineering, 8 GiB). "
)
_HGX = (
    "ASTRA-sim's documentation, validation on an HGX-H100: hgx_h100_8gpu.yml, 400 GB/s (of 10⁹ bytes, as its times "
    "say) and 936.25 ns a link, fitted to NCCL's rings; one chunk"
)
_ZION = (
    "Mudigere et al., ISCA 2022: ZionEX, the second Zion, has 8 GPUs in a node and a RoCE card for each; unverified: "
    "A100 on NVSwitches, 200 Gb/s, 16 nodes"
)
_DOJO = (
    "Tesla AI Day 2021, Hot Chips 2022: a tile is 5 × 5 D1; 576 lanes of 112 Gb/s, so 2 TB/s in each direction at each "
    "of a D1's four edges; unverified: 100 ns a link"
)
_CS_2 = "Cerebras, Andromeda (2022): 16 CS-2, 12 × 100 Gb/s each; unverified: 1,350 ns a link, as of other networks"

_HGX_H100 = Dimension.of("Switch", 8, 400 * _GB, 936.25)
_ROW = Dimension.of("Mesh", 5, 2000 * _GB, 100)
_SWARM_X = Dimension.of("Switch", 16, 150 * _GB, 1350)

TODAY = (
    _of("a100", 256, "dgx-a100", "32 DGX A100: 8 GPUs on NVSwitches, 200 Gb/s of InfiniBand for each"),
    _of("h100", 256, "dgx-h100", "32 DGX H100: 8 GPUs on NVSwitches, 400 Gb/s of InfiniBand for each"),
    Today(
        "dgx-h100-sharp",
        "The same, where NVSwitches and InfiniBand's switches add up (SHARP)",
        _SHARP + machine("h100").source,
        _sharp(),
    ),
    Today("hgx-h100", "HGX-H100: 8 H100 on 4 NVSwitches", _HGX, _rings(_HGX_H100, splits=1)),
    _of("gb200", 72, "gb200-nvl72", "GB200 NVL72: 72 GPUs on NVLink"),
    _of("gaudi2", 32, "hls-gaudi2", "4 HLS-Gaudi2: 8 fully connected Gaudi2, 3 × 100 Gb/s to a switch for each"),
    _of("tpu-v4", 4096, "tpu-v4", "TPU v4 pod, a torus of 16 × 16 × 16"),
    _of("tpu-v5p", 8960, "tpu-v5p", "TPU v5p pod, a torus of 16 × 20 × 28"),
    Today(
        "zion",
        "ZionEX: 16 nodes of 8 GPUs, a RoCE card of 200 Gb/s for each",
        _ZION,
        machine("a100").platform(128, splits=CHUNKS),
    ),
    Today(
        "dojo", "Training tile of Dojo: a mesh of 5 × 5 D1, each row and column as a ring", _DOJO, _rings(_ROW, _ROW)
    ),
    Today("cs-2", "16 CS-2 on the switches of SwarmX", _CS_2, _switches(_SWARM_X)),
)
