"""DLRM: embedding tables beside a small network, and a larger network behind both."""

from __future__ import annotations

from itertools import pairwise

from astra_edu.workload.compute import Elementwise, Embedding, Interaction, Linear, Operator, Split
from astra_edu.workload.models.model import INPUT, Model

# Rows of the 26 tables of the Criteo terabyte data, 40 million at most (MLPerf: --max-ind-range=40000000).
TABLES = (
    *(39_884_406, 39_043, 17_289, 7_420, 20_263, 3, 7_120, 1_543, 63, 38_532_951, 2_953_546, 403_346, 10),
    *(2_208, 11_938, 155, 4, 976, 14, 39_979_771, 25_641_295, 39_664_984, 585_935, 12_972, 108, 36),
)
BOTTOM = (13, 512, 256, 128)
TOP = (479, 1024, 1024, 512, 256, 1)


def dlrm() -> Model:
    """DLRM as MLPerf trains it: Naumov et al., arXiv 1906.00091; 26 tables of vectors of 128."""
    width = BOTTOM[-1]
    operators: list[Operator] = [
        Embedding(name="tables", rows=TABLES, width=width, pooled=True, split=Split.TABLES),
        *_mlp("bottom", BOTTOM, after=INPUT),
    ]
    pairs = Interaction(name="interaction", vectors=len(TABLES) + 1, width=width, after=("tables", operators[-1].name))
    operators += [pairs, *_mlp("top", TOP, after=pairs.name)]
    return Model(
        "DLRM",
        tuple(operators),
        published=24_000_000_000,
        source="mlcommons/inference, recommendation/dlrm: tables, layers, and a checkpoint of 90 GiB in 32 bits",
    )


def _mlp(name: str, sizes: tuple[int, ...], after: str) -> list[Operator]:
    operators: list[Operator] = []
    for i, (inputs, outputs) in enumerate(pairwise(sizes), start=1):
        source = (after,) if i == 1 else ()
        operators.append(Linear(name=f"{name}{i}", inputs=inputs, outputs=outputs, after=source, split=Split.COPIED))
        operators.append(Elementwise(name=f"{name}{i}_relu", shape=(1, outputs), operations=0, kept=0))
    return operators
