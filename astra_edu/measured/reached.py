"""A device as a stack's runs reach its peaks: what `Clock` computes with, and `measured.device` gives to estimates."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.measured.parameters import Parameters
from astra_edu.workload.compute import Device, Kernels, Tile

EACH, FEW = 989.4e12 / 132, 8
"""Operations a second of a multiprocessor of H100, for which flash.py has what a softmax takes: the more of them, the
more a softmax takes beside, as exponentials have been 16 a clock in each since A100. Devices of few units are of
another kind."""
RAMP = 64
"""Of k: what filling and emptying a tile takes."""


def reached(device: Device, given: Parameters) -> Device:
    """A device at the shares of its peaks that were fitted, with kernels of tiles and waves.

    >>> from astra_edu.measured.parameters import Parameters
    >>> from astra_edu.measured.reached import reached
    >>> h100, gemm = ae.device("h100"), ae.Gemm(4096, 4096, 4096)
    >>> f"{gemm.flops / reached(h100, Parameters()).gemm_ns(gemm) / h100.flops_per_s * 1e9:.2f} of the peak"
    '0.70 of the peak'
    """
    units, small = device.units or 1, given.small_tile
    tiles = (Tile(256, 128), Tile(128, 128, small), Tile(64, 64, small * small))
    return replace(
        device,
        matrix_efficiency=given.matrix,
        memory_efficiency=given.memory,
        kernels=Kernels(
            units,
            tiles,
            splits=(1, 2, 4),
            ramp=RAMP,
            launch_ns=given.launch_us * 1e3,
            host_ns=given.host_us * 1e3,
            each_expert=True,
        ),
        attention_efficiency=given.attention,
        expert_efficiency=given.experts,
        softmax=device.flops_per_s / units / EACH if units > FEW else 1.0,
    )
