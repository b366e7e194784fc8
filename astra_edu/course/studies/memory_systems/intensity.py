"""How fast remote memory has to be: ZeRO-Infinity's arithmetic intensities (Rajbhandari et al., arXiv 2104.07857).

An intensity is how many operations a GPU does for each byte that it moves, over a whole iteration. An iteration does
8 · tokens · P operations for P parameters: 2 in the forward pass, 2 again when it is repeated, 4 in the backward pass.
The formulas were compared with a public course text that restates the paper's section 4.
"""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, positive, whole


def parameter_intensity(sequence: int, batch: int) -> int:
    """Operations for each byte of parameters and gradients: 8 · s · b · P over 4 · 2 P bytes.

    Parameters are read in the forward pass, when it is repeated, and in the backward pass, and gradients written.

    >>> from astra_edu.studies.memory_systems import parameter_intensity
    >>> parameter_intensity(sequence=1024, batch=4)
    4096
    """
    return whole("sequence", sequence, at_least=1) * whole("batch", batch, at_least=1)


def optimiser_intensity(sequence: int, batch: int) -> float:
    """Operations for each byte of the optimiser's state: 8 · s · b · P over 2 · 16 P, read once and written once.

    >>> from astra_edu.studies.memory_systems import optimiser_intensity
    >>> optimiser_intensity(sequence=1024, batch=4)
    1024.0
    """
    return parameter_intensity(sequence, batch) / 4


def activation_intensity(hidden: int, blocks: int = 1) -> int:
    """Operations for each byte of activation checkpoints, one every `blocks` blocks of 12 h² parameters.

    8 · s · b · 12 h² · blocks over 2 · 2 · s · b · h: a checkpoint is written once and read once, whatever the batch.

    >>> from astra_edu.studies.memory_systems import activation_intensity
    >>> activation_intensity(hidden=4096)
    98304
    """
    return 24 * whole("hidden", hidden, at_least=1) * whole("blocks", blocks, at_least=1)


def efficiency(intensity: float, bandwidth: float, flops_per_ns: float) -> float:
    """The share of the time spent computing if no transfer is hidden: bandwidth in bytes/ns, flops_per_ns reached.

    >>> from astra_edu.studies.memory_systems import efficiency
    >>> f"{efficiency(intensity=2048, bandwidth=16, flops_per_ns=70_000):.1%}"
    '31.9%'
    """
    reached = positive("intensity", intensity) * positive("bandwidth", bandwidth)
    return reached / (reached + positive("flops_per_ns", flops_per_ns))


def needed_bandwidth(share: float, intensity: float, flops_per_ns: float) -> float:
    """The bandwidth in bytes/ns for this efficiency. Raises ConfigError for a share that isn't between 0 and 1.

    >>> from astra_edu.studies.memory_systems import needed_bandwidth
    >>> round(needed_bandwidth(0.5, intensity=2048, flops_per_ns=70_000), 1)
    34.2
    """
    if not 0 < positive("efficiency", share) < 1:
        raise ConfigError(f"efficiency is {share}; it is a share of the time, between 0 and 1, such as 0.9.")
    return share / (1 - share) * positive("flops_per_ns", flops_per_ns) / positive("intensity", intensity)
