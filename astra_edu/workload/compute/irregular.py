"""Matrix products of real models that don't have the shape of an array: the slides' table of irregular GEMMs."""

from __future__ import annotations

from typing import NamedTuple

from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray


class Irregular(NamedTuple):
    """A product and where it comes from."""

    workload: str
    application: str
    gemm: Gemm

    def __str__(self) -> str:
        return f"{self.workload} {self.gemm.m}, {self.gemm.n}, {self.gemm.k}"


_TABLE = (
    ("GNMT", "machine translation", ((128, 2048, 4096), (320, 3072, 4096), (1632, 36548, 1024), (2048, 4096, 32))),
    ("DeepBench", "general workload", ((1024, 16, 500_000), (35, 8457, 2560))),
    ("Transformer", "language understanding", ((31_999, 1024, 84), (84, 1024, 4096))),
    ("NCF", "collaborative filtering", ((2048, 1, 128), (256, 256, 2048))),
)

IRREGULAR = tuple(Irregular(name, use, Gemm(m, n, k)) for name, use, shapes in _TABLE for m, n, k in shapes)
"""M, N, K of ten products of four workloads.

Source: Qin et al., "SIGMA: A Sparse and Irregular GEMM Accelerator with Flexible Interconnects for DNN Training",
HPCA 2020, Figure 1.
"""


def irregular_foldings(array: SystolicArray) -> dict[Irregular, dict[str, Folding]]:
    """Each product of the table on `array`, by dataflow.

    >>> from astra_edu.workload.compute import irregular_foldings
    >>> found = irregular_foldings(ae.SystolicArray(128, 128))
    >>> product, foldings = next(iter(found.items()))
    >>> product.workload, {name: round(folding.compute_utilisation, 3) for name, folding in foldings.items()}
    ('GNMT', {'weight': 0.251, 'output': 0.942, 'input': 0.843})
    """
    return {found: {name: Folding(found.gemm, array, name) for name in DATAFLOWS} for found in IRREGULAR}
