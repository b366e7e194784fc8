"""Workloads to try out: single collectives, two of the tutorial's files where they are found, and two made here.

The two made here are small and plausible; no measured model has exactly these shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from astra_edu.collectives import Collective
from astra_edu.formats import format_workload, load_workload, parse_workload
from astra_edu.workload import Layer, Work, Workload

SINGLE = tuple(
    map(str, (Collective.ALL_REDUCE, Collective.ALL_GATHER, Collective.REDUCE_SCATTER, Collective.ALL_TO_ALL))
)
DLRM = "DLRM-like"
TRANSFORMER = "small transformer"
MADE_HERE = (DLRM, TRANSFORMER)
FILES = {"VGG-16": "vgg16.txt", "GPT-3, 3 layers": "gpt3.txt"}
TUTORIAL_SCALES = {"dgx2": 0.41, "tpu": 1}
"""The files' compute times are a TPU's. By these the tutorial multiplies them on a platform: a V100 is faster."""
FOLDER = Path("exercises/inputs/asplos2022/ex3")

_OPERATIONS_PER_NS = 46 * 2**40 / 1e9  # of the NPU for which the tutorial derives VGG-16's compute times
_BYTES = 2  # of a 16-bit number


def find_inputs() -> Path | None:
    """The tutorial's folder of exercise 3, from here or from one of the folders above; None if there is none."""
    for up in ("", "..", "../..", "../../.."):
        if all((folder := Path(up) / FOLDER).joinpath(name).is_file() for name in FILES.values()):
            return folder
    return None


def samples(inputs: Path | None = None) -> dict[str, Workload]:
    """The tutorial's workloads, if there is a folder with their files, and those made here, by their names."""
    files = {name: load_workload(inputs / file) for name, file in FILES.items()} if inputs else {}
    return files | {DLRM: dlrm(), TRANSFORMER: transformer()}


def dlrm(batch: int = 256, tables: int = 512, width: int = 64) -> Workload:
    """A recommendation model: embeddings spread over all NPUs (all-to-all), and data-parallel dense layers.

    batch: samples of one NPU; tables: embeddings looked up for each, with `width` numbers.
    """
    looked_up = Work(20_000, Collective.ALL_TO_ALL, batch * tables * width * _BYTES)
    embeddings = Layer("embeddings", looked_up, looked_up, Work(20_000, None, 0), 1)
    bottom = [(1024, 2048), (2048, 1024), (1024, 64)]
    top = [(4096, 4096), (4096, 4096), (4096, 1024), (1024, 1)]
    layers = [_dense(f"bottom{i}", batch, *shape) for i, shape in enumerate(bottom, 1)]
    layers += [_dense(f"top{i}", batch, *shape) for i, shape in enumerate(top, 1)]
    return Workload("HYBRID_DLRM", (embeddings, *layers), (str(len(bottom)),))


def transformer(blocks: int = 4, hidden: int = 1024, tokens: int = 4096, group: int = 4) -> Workload:
    """Transformer blocks, their matrices spread over `group` NPUs, everything else data parallel.

    tokens: of one group's batch. Each block all-reduces its activations in the group after the attention and after
    the MLP, and their gradients on the way back; weight gradients go to the other groups.
    """
    activations = tokens * hidden * _BYTES
    layers = []
    for block in range(1, blocks + 1):
        for name, weights in (("attention", 4 * hidden**2), ("mlp", 8 * hidden**2)):
            own = weights // group
            time = _compute_ns(tokens, own)
            passed_on = Work(time, Collective.ALL_REDUCE, activations)
            gradients = Work(time, Collective.ALL_REDUCE, own * _BYTES)
            layers.append(Layer(f"{name}{block}", passed_on, passed_on, gradients, 1))
    return Workload("HYBRID_TRANSFORMER", tuple(layers), ("model_parallel_NPU_group:", str(group)))


def _dense(name: str, batch: int, inputs: int, outputs: int) -> Layer:
    """A data-parallel fully connected layer."""
    time = _compute_ns(batch, inputs * outputs)
    work = Work(time, None, 0)
    return Layer(name, work, work, Work(time, Collective.ALL_REDUCE, inputs * outputs * _BYTES), 1)


def _compute_ns(rows: int, weights: int) -> int:
    """A multiplication and an addition for each row and weight."""
    return round(2 * rows * weights / _OPERATIONS_PER_NS)


def job(workloads: Mapping[str, Workload], values: Mapping[str, Any]) -> Workload:
    """The workload that values say. Raises ConfigError where it can't be scaled."""
    name = values["workload"]
    if name not in workloads:
        return Workload.micro(name, values["size"])
    return _scaled(workloads[name], values["compute_scale"], values["comm_scale"])


def in_the_tutorial(values: Mapping[str, Any]) -> tuple[str, ...]:
    """How the tutorial scales compute times, in a sentence, where what is on show is its run but for that."""
    scale = TUTORIAL_SCALES.get(values["platform"], values["compute_scale"])
    if values["workload"] not in FILES or values["compute_scale"] == scale:
        return ()
    return (f"The file's compute times are a TPU's; on {values['platform']} the tutorial takes them × {scale}.",)


@lru_cache(maxsize=32)
def _scaled(workload: Workload, compute: float, comm: float) -> Workload:
    """As ASTRA-sim's command line scales it, in 32-bit floats."""
    return workload if compute == comm == 1 else parse_workload(format_workload(workload), comm, compute)
