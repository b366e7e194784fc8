"""Platforms by name: those of the tutorials, the wafer-scale and conventional ones of the ASTRA-sim 2.0 paper, today's.

    simulate(workload, preset("dgx2"))

Bandwidths are in GB/s of 2**30 bytes, latencies in ns. Every preset says where its figures are from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from astra_edu.base.errors import choice
from astra_edu.base.table import Table
from astra_edu.network import Dimension, Topology
from astra_edu.run.todays import TODAY
from astra_edu.system import Implementation, Platform, SystemConfig
from astra_edu.system.implementation import suited


@dataclass(frozen=True)
class Preset:
    """A platform with a name, a title for people, and the source of its figures ("unverified" where recalled)."""

    name: str
    title: str
    source: str
    platform: Platform


def preset(name: str) -> Platform:
    """The platform called `name`, such as "dgx2". Raises ConfigError with the names there are for any other.

    >>> platform = ae.preset("dgx2")
    >>> platform.npus, [dimension.npus for dimension in platform.network]
    (256, [16, 16])
    """
    return PRESETS[choice("preset", name, PRESETS)].platform


def one_switch(platform: Platform) -> Platform:
    """The flat counterpart: the same NPUs on one switch, with the bandwidth of all the dimensions together.

    Each NPU has one link (GB/s: the sum over its links), with the latency (ns) of its slowest one. Comparing the two
    shows what the hierarchy costs.
    """
    bandwidth = sum(dimension.bandwidth * dimension.usable_links for dimension in platform.network)
    latency = max(dimension.latency for dimension in platform.network)
    network = (Dimension.of("Switch", platform.npus, bandwidth, latency),)
    return Platform(network, replace(platform.system, **suited(network)))


def _platform(*network: Dimension, **settings: Any) -> Platform:
    """The dimensions, each with the algorithm that suits it; `settings` as SystemConfig's."""
    return Platform(network, SystemConfig(**(suited(network) | settings)))


# The tutorials: 4 chunks and an endpoint delay of 10 ns, unless their files say otherwise.

_EXERCISES_1_AND_2 = "astra-sim/tutorials, asplos2022/exercise_1 and _2: 50 GB/s and 500 ns a link"


def _torus() -> Platform:
    """The torus of exercise 4, with its own all-to-all, delay, and memory figures that a scale of 0 turns off."""
    network = tuple(
        Dimension(Topology.RING, 4, links=2, bandwidth=bandwidth, latency=1, hbm_latency=500, hbm_bandwidth=370)
        for bandwidth in (32, 16, 16)
    )
    ring = Implementation.parse_all("ring_ring_ring")
    return _platform(*network, endpoint_delay=1, all_to_all=ring, boost=False)


_TUTORIALS = (
    Preset("ring", "Ring of 8 NPUs", _EXERCISES_1_AND_2, _platform(Dimension.of("Ring", 8, 50, 500))),
    Preset("switch", "Switch with 8 NPUs", _EXERCISES_1_AND_2, _platform(Dimension.of("Switch", 8, 50, 500))),
    Preset(
        "fully-connected",
        "8 fully connected NPUs",
        _EXERCISES_1_AND_2,
        _platform(Dimension.of("FullyConnected", 8, 50, 500)),
    ),
    Preset(
        "dgx2",
        "16 DGX-2 of 16 V100: 6 NVLinks to the NVSwitch, and 50 Gb/s of InfiniBand for each",
        "astra-sim/tutorials, asplos2022/exercise_3: 6 × 25 GB/s and 6.25 GB/s, 500 ns a link",
        _platform(Dimension.of("Switch", 16, 25, 500, links=6), Dimension.of("Switch", 16, 6.25, 500)),
    ),
    Preset(
        "tpu",
        "TPU v2 pod, a torus of 16 × 16",
        "astra-sim/tutorials, asplos2022/exercise_3: 496 Gb/s = 62 GB/s and 500 ns a link",
        _platform(Dimension.of("Ring", 16, 62, 500), Dimension.of("Ring", 16, 62, 500)),
    ),
    Preset(
        "torus",
        "Torus of 4 × 4 × 4 NPUs",
        "astra-sim/tutorials, asplos2022/exercise_4: 32, 16 and 16 GB/s, 1 ns a link",
        _torus(),
    ),
)

_SWITCHES = tuple(Dimension.of("Switch", 8, 50, 1) for _ in range(3))
_EXERCISE_3_1 = "astra-sim/tutorials, asplos2023/exercise_3: 50 GB/s and 1 ns a link, 64 chunks"
_THEMIS = (
    Preset(
        "3d-switch", "Three levels of switches with 8 × 8 × 8 NPUs", _EXERCISE_3_1, _platform(*_SWITCHES, splits=64)
    ),
    Preset(
        "3d-switch-themis",
        "The same, its chunks ordered by Themis",
        _EXERCISE_3_1,
        _platform(*_SWITCHES, splits=64, intra_dimension="SCF", inter_dimension="themis"),
    ),
)


# The 512 NPUs of the ASTRA-sim 2.0 paper. Each hierarchy has a flat counterpart of the same bandwidth per NPU:
# conv-3d of 350 GB/s, w-2d of 500, conv-4d of 600.

_ISPASS_2023 = (
    "ASTRA-sim 2.0 (ISPASS 2023), systems of 512 NPUs; unverified: shapes and GB/s are recalled, not read there, and "
    "taken as an NPU's bandwidth in a dimension, all its links together; 500 ns a link and 64 chunks are our choice"
)


def _shared(topology: str, npus: int, bandwidth: float) -> Dimension:
    """A dimension whose `bandwidth` (GB/s) is what an NPU has in all, shared by the fewest links it needs."""
    links = Dimension.of(topology, npus, bandwidth, 500)
    return replace(links, bandwidth=bandwidth / links.links)


_W_2D = (_shared("Switch", 32, 250), _shared("Switch", 16, 250))
_CONV_3D = (_shared("Ring", 16, 200), _shared("FullyConnected", 8, 100), _shared("Switch", 4, 50))
_CONV_4D = (
    _shared("Ring", 2, 250),
    _shared("FullyConnected", 8, 200),
    _shared("Ring", 8, 100),
    _shared("Switch", 4, 50),
)

_PAPER = tuple(
    Preset(name, title, _ISPASS_2023, _platform(*network, splits=64))
    for name, title, network in (
        ("w-1d-350", "Wafer of 512 NPUs, one flat switch, 350 GB/s", (_shared("Switch", 512, 350),)),
        ("w-1d-500", "Wafer of 512 NPUs, one flat switch, 500 GB/s", (_shared("Switch", 512, 500),)),
        ("w-1d-600", "Wafer of 512 NPUs, one flat switch, 600 GB/s", (_shared("Switch", 512, 600),)),
        ("w-2d", "Wafer of 32 × 16 NPUs, two levels of switches, 250 + 250 GB/s", _W_2D),
        ("conv-3d", "Conventional: ring of 16, fully connected 8, switch of 4; 200 + 100 + 50 GB/s", _CONV_3D),
        ("conv-4d", "Conventional: ring of 2, fully connected 8, ring of 8, switch of 4; 250 + … + 50 GB/s", _CONV_4D),
    )
)

PRESETS: Table[Preset] = Table(
    "platforms",
    ["NPUs", "what it is"],
    lambda preset: [preset.platform.npus, preset.title],
    {p.name: p for p in (*_TUTORIALS, *_THEMIS, *_PAPER, *(Preset(*today) for today in TODAY))},
)
"""Every preset by its name."""
