"""Machines by name: today's accelerators with what connects them, as their makers publish it."""

from __future__ import annotations

from math import prod
from typing import Any

from astra_edu.base.errors import ConfigError, choice, shown, suggestion
from astra_edu.base.table import Table
from astra_edu.workload.compute.devices import DEVICES, GB
from astra_edu.workload.compute.machine import Machine
from astra_edu.workload.compute.machine_names import like_a_chip, meant

PCIE_NS = 500.0
"""Of each of the two links between GPUs behind one PCIe switch: NCCL's own model has 1 µs for a step of a ring."""
ICI_NS = 1000.0
"""Of a link between TPUs: ASTRA-sim's files for TPU v3."""


def machine(name: str | Machine) -> Machine:
    """The machine called so, by its own name or as a list of runs may call it, or one that is given.

    Raises ConfigError with the names there are for any other, and for a name that may mean several.

    >>> ae.machine("NVIDIA H100-SXM5-80GB") is ae.MACHINES["h100"]
    True
    >>> ae.machine("TPU7x Ironwood (chip)").name
    'ironwood'
    """
    if isinstance(name, Machine):
        return name
    return named_machine("machine", name)


def named_machine(what: str, name: object) -> Machine:
    """The machine of a name. what: what the error's sentence calls it.

    Raises ConfigError for a name that is unknown, and for one that may be several machines', naming these.
    """
    if isinstance(name, str) and name not in MACHINES:
        several = meant(name)
        if len(several) > 1:
            raise ConfigError(f"{what} is {shown(name)}, which may be {' or '.join(several)}; give one of them.")
        if several:
            return MACHINES[several[0]]
        raise ConfigError(f"{what} is {shown(name)}; {suggestion(like_a_chip(name), MACHINES)}")
    return MACHINES[choice(what, name, MACHINES)]


def _machine(name: str, node: int, link: float, nic: float, source: str, **more: Any) -> Machine:
    """link, nic: 10⁹ bytes a second of one NPU in one direction."""
    return Machine(DEVICES[name], node, link * GB, nic * GB, source, **more)


def _tpu(name: str, link: float, nic: float, source: str, *sides: int) -> Machine:
    return _machine(name, prod(sides), link, nic, source, wiring="Torus", sides=sides, link_ns=ICI_NS)


_V100 = (
    "6 NVLinks of 25 GB/s; 8 on NVSwitches with 100 Gb/s each as in the MLSys 2022 tutorial (DGX-2: 16 with 50 Gb/s)"
)
_DGX_A100 = "DGX A100: 12 NVLinks of 25 GB/s, 8 × 200 Gb/s of InfiniBand"
_DGX_H100 = "DGX H100, H200: 18 NVLinks of 25 GB/s, 8 × 400 Gb/s of InfiniBand"
_TETON = "Grand Teton as in TorchTitan's benchmarks: 8 on NVLink, 400 Gb/s each"
_PCIE = "PCIe 5.0 × 16 (bridges between pairs left out); unverified: 8 in a computer, 400 Gb/s each"
_A800 = "unverified: 400 GB/s of NVLink in both directions, 8 × 200 Gb/s of InfiniBand as DGX A100"
_H800 = "400 GB/s of NVLink in both directions; unverified: second-hand; 400 Gb/s each as in DeepSeek-V3's report"
_B200 = "DGX B200: 18 NVLinks of 50 GB/s, 8 × 400 Gb/s of InfiniBand"
_B300 = "DGX B300: 18 NVLinks of 50 GB/s, 8 × 800 Gb/s of InfiniBand"
_GB200 = "GB200 NVL72: 18 NVLinks of 50 GB/s; unverified: 400 Gb/s each; 18 trays of 4"
_GB300 = "GB300 NVL72: 18 NVLinks of 50 GB/s; 72 ConnectX-8 of 800 Gb/s; 18 trays of 4"
_MI300X = "7 Infinity Fabric links of 128 GB/s in both directions; 8 × 400 Gb/s as in Azure's ND MI300X v5"
_MI350 = "7 Infinity Fabric links of 153 GB/s in both directions; 8 × 400 Gb/s as in ROCm's set-up of MI355X"
_TPU_V2 = "4 links of 496 Gb/s (ASPLOS 2022 tutorial); unverified: 50 Gb/s between pods"
_TPU_V3 = "4 links of 656 Gb/s, which Google's all-reduce bandwidth of a pod confirms; unverified: 50 Gb/s between pods"
_TPU_V4 = "6 links of 45 GB/s (How to Scale Your Model, 2025); unverified: 50 Gb/s between pods"
_CLOUD = "Google's Cloud TPU documentation: 1,200 GB/s in both directions"
_TPU_V5E = "Google's Cloud TPU documentation: 400 GB/s in both directions, 6.4 Tb/s for a pod of 256"
_TPU_V6E = "Google's Cloud TPU documentation: 800 GB/s in both directions, 100 Gb/s between pods"
_GAUDI = "HLS-Gaudi2: 24 × 100 Gb/s of Ethernet, 3 to each of 7 others and 3 to a switch"
_CARD = "unverified: 8 cards on PCIe {} × 16, {} Gb/s for each pair of them"
_PAIRS = "unverified: 8 cards on PCIe 4.0 × 16 (bridges between pairs left out), 100 Gb/s for each pair of them"
_P100 = "unverified: DGX-1: 4 NVLinks of 20 GB/s, 4 × 100 Gb/s"
_H20 = "unverified: 18 NVLinks of 25 GB/s, 8 × 400 Gb/s"
_GH200 = "unverified: Alps: 4 in a computer, 150 GB/s between any two, 200 Gb/s each"
_FRONTIER = "unverified: Frontier: 4 modules in a computer, 200 GB/s to the others in one direction, 200 Gb/s each"
_GCD = "unverified: Frontier: 8 chips in a computer, 100 GB/s to the others in one direction, 100 Gb/s each"
_MI200 = "unverified: 8 in a computer, 3 Infinity Fabric links of 50 GB/s, 200 Gb/s each"
_MI300A = "unverified: El Capitan: 4 in a computer, 3 × 128 GB/s, 200 Gb/s each"
_GAUDI_3 = "unverified: 24 × 200 Gb/s of Ethernet, 3 to each of 7 others and 3 to a switch"
_TRN1 = "unverified: trn1.32xlarge: 16 on NeuronLink, 192 GB/s in one direction, 800 Gb/s for all"
_TRN2 = "unverified: trn2.48xlarge: 16 on NeuronLink, 512 GB/s in one direction, 3.2 Tb/s for all"
_910B = "unverified: 8 in a computer, 196 GB/s in one direction, 200 Gb/s each"

MACHINES: Table[Machine] = Table(
    "machines",
    ["NPUs", "wiring", "10⁹ bytes/s", "beyond", "source"],
    lambda m: [m.node, m.wiring, f"{m.link_bytes_per_s / GB:g}", f"{m.nic_bytes_per_s / GB:g}", m.source],
    {
        m.name: m
        for m in (
            _machine("v100", 8, 150, 12.5, _V100),
            _machine("a100-40", 8, 300, 25, _DGX_A100),
            _machine("a100", 8, 300, 25, _DGX_A100),
            _machine("a800", 8, 200, 25, _A800),
            _machine("h100", 8, 450, 50, _DGX_H100),
            _machine("h100-96", 8, 450, 50, _TETON),
            _machine("h100-pcie", 8, 64, 50, _PCIE, link_ns=PCIE_NS),
            _machine("h800", 8, 200, 50, _H800),
            _machine("h200", 8, 450, 50, _DGX_H100),
            _machine("b200", 8, 900, 50, _B200),
            _machine("b300", 8, 900, 100, _B300),
            _machine("gb200", 72, 900, 50, _GB200, tray=4),
            _machine("gb300", 72, 900, 100, _GB300, tray=4),
            _machine("mi300x", 8, 448, 50, _MI300X, wiring="FullyConnected"),
            _machine("mi350x", 8, 535.5, 50, _MI350, wiring="FullyConnected"),
            _machine("mi355x", 8, 535.5, 50, _MI350, wiring="FullyConnected"),
            _tpu("tpu-v2", 248, 6.25, _TPU_V2, 16, 16),
            _tpu("tpu-v3", 328, 6.25, _TPU_V3, 32, 32),
            _tpu("tpu-v4", 270, 6.25, _TPU_V4, 16, 16, 16),
            _tpu("tpu-v5e", 200, 3.125, _TPU_V5E, 16, 16),
            _tpu("tpu-v5p", 600, 6.25, f"{_CLOUD}, 50 Gb/s between pods", 16, 20, 28),
            _tpu("tpu-v6e", 400, 12.5, _TPU_V6E, 16, 16),
            _tpu("ironwood", 600, 12.5, f"{_CLOUD}, 100 Gb/s between pods; unverified: a pod's sides", 16, 24, 24),
            _machine("gaudi2", 8, 262.5, 37.5, _GAUDI, wiring="FullyConnected"),
            _machine("p100", 8, 80, 6.25, _P100),
            _machine("t4", 8, 16, 6.25, _CARD.format("3.0", 100), link_ns=PCIE_NS),
            _machine("v100-16", 8, 150, 12.5, _V100),
            _machine("a100-pcie", 8, 32, 12.5, _PAIRS, link_ns=PCIE_NS),
            _machine("a10", 8, 32, 6.25, _CARD.format("4.0", 100), link_ns=PCIE_NS),
            _machine(
                "a10g", 8, 32, 1.5625, "unverified: g5.48xlarge: 8 on PCIe 4.0, 100 Gb/s for all", link_ns=PCIE_NS
            ),
            _machine("a30", 8, 32, 6.25, _PAIRS, link_ns=PCIE_NS),
            _machine("a40", 8, 32, 6.25, _PAIRS, link_ns=PCIE_NS),
            _machine("a6000", 8, 32, 6.25, _PAIRS, link_ns=PCIE_NS),
            _machine("rtx-3090", 8, 32, 6.25, _PAIRS, link_ns=PCIE_NS),
            _machine("rtx-4090", 8, 32, 6.25, _CARD.format("4.0", 100), link_ns=PCIE_NS),
            _machine("rtx-5090", 8, 64, 12.5, _CARD.format("5.0", 200), link_ns=PCIE_NS),
            _machine("l4", 8, 32, 6.25, _CARD.format("4.0", 100), link_ns=PCIE_NS),
            _machine("l40", 8, 32, 12.5, _CARD.format("4.0", 200), link_ns=PCIE_NS),
            _machine("l40s", 8, 32, 25, _CARD.format("4.0", 400), link_ns=PCIE_NS),
            _machine("h100-nvl", 8, 64, 25, _CARD.format("5.0", 400), link_ns=PCIE_NS),
            _machine("h20", 8, 450, 50, _H20),
            _machine("gh200", 4, 450, 25, _GH200, wiring="FullyConnected"),
            _machine("mi210", 8, 150, 25, _MI200, wiring="FullyConnected"),
            _machine("mi250", 4, 200, 25, _FRONTIER, wiring="FullyConnected"),
            _machine("mi250x", 4, 200, 25, _FRONTIER, wiring="FullyConnected"),
            _machine("mi250x-gcd", 8, 100, 12.5, _GCD, wiring="FullyConnected"),
            _machine("mi300a", 4, 384, 25, _MI300A, wiring="FullyConnected"),
            _machine("mi325x", 8, 448, 50, _MI300X, wiring="FullyConnected"),
            _machine("gaudi3", 8, 525, 75, _GAUDI_3, wiring="FullyConnected"),
            _machine("trainium1", 16, 192, 6.25, _TRN1, wiring="Torus", sides=(4, 4)),
            _machine("trainium2", 16, 512, 25, _TRN2, wiring="Torus", sides=(4, 4)),
            _machine("ascend-910b", 8, 196, 25, _910B, wiring="FullyConnected"),
        )
    },
)
"""Every machine by its device's name. "10⁹ bytes/s" are of an NPU in its scale-up domain, "beyond" of its network card.

Compared with stas00/ml-engineering (August 2026), which has the makers' pages; MLCommons' descriptions of B200 and
GB200 systems; docs.cloud.google.com/tpu, docs.habana.ai, and rocm.docs.amd.com.
"""
