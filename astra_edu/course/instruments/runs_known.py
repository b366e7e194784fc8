"""Measured training runs of a kind, as settings of an instrument: which there are, and which is like another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from math import log2
from operator import ne
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.setting import Values
from astra_edu.measured.cells import Row, number, text, whole
from astra_edu.measured.cuts import cut_of
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.machine_rows import machine_of
from astra_edu.measured.measured_time import ran, seconds_of, usable
from astra_edu.measured.names import dashed, known_name
from astra_edu.measured.predicted import Predictor
from astra_edu.measured.published import published
from astra_edu.measured.runs import shipped
from astra_edu.measured.shapes import model_of, sequence_of
from astra_edu.measured.stacks import stack_of_row
from astra_edu.measured.step import Step
from astra_edu.workload.models import Model


@dataclass(frozen=True)
class Kind:
    """Runs of one software stack on one machine. called: in words. models: of its runs, as they are called here."""

    stack: str
    machine: str
    called: str
    models: tuple[str, ...]


_GPT = (
    *("gpt-24x2048", "gpt-12x1024", "gpt-12x2048", "gpt-16x1024", "gpt-16x2048", "gpt-20x1024", "gpt-20x2048"),
    *("gpt-24x1024", "gpt-30x3072", "gpt-40x6144", "gpt-48x8192", "gpt-96x12288"),
)
_MPT = ("mpt-7b", "mpt-125m", "mpt-350m", "mpt-760m", "mpt-1b", "mpt-3b", "mpt-13b", "mpt-30b", "mpt-70b")
_LLAMA_3 = ("llama3-8b", "llama3-70b", "llama3-405b")
_QWEN_3 = ("qwen3-30b-a3b", "qwen3-235b-a22b")

KINDS = {
    "nanotron-h100": Kind(
        "nanotron", "h100", "nanotron on H100", ("nanotron-8b", "nanotron-1b", "nanotron-3b", "nanotron-80b")
    ),
    "deepspeed-a100": Kind("Megatron-DeepSpeed", "a100", "Megatron-DeepSpeed on A100", _GPT),
    "mpt-a100-40": Kind("llm-foundry", "a100-40", "llm-foundry on A100, 40 GiB", _MPT[:7]),
    "mpt-a100": Kind("llm-foundry", "a100", "llm-foundry on A100, 80 GiB", _MPT),
    "mpt-h100": Kind("llm-foundry", "h100", "llm-foundry on H100", (_MPT[0], *_MPT[3:])),
    "internevo-a100": Kind("InternEvo", "a100", "InternEvo on A100", ("internlm-7b",)),
    "torchtitan-h100": Kind("TorchTitan", "h100-96", "TorchTitan on H100, 96 GiB", _LLAMA_3),
    "bridge-h100": Kind("Megatron-Bridge", "h100", "Megatron-Bridge on H100", (*_LLAMA_3[1:], _QWEN_3[0])),
    "bridge-b200": Kind(
        "Megatron-Bridge", "b200", "Megatron-Bridge on B200", ("gpt-oss-120b", _QWEN_3[0], "nemotron3-super")
    ),
    "bridge-b300": Kind(
        "Megatron-Bridge", "b300", "Megatron-Bridge on B300",
        ("deepseek-v3", "gpt-oss-120b", "nemotron3-super", _QWEN_3[1]),
    ),
    "bridge-gb200": Kind(
        "Megatron-Bridge", "gb200", "Megatron-Bridge on GB200",
        (*_LLAMA_3[1:], *_QWEN_3, "nemotron3-super", "deepseek-v4-flash"),
    ),
    "bridge-gb300": Kind(
        "Megatron-Bridge", "gb300", "Megatron-Bridge on GB300",
        ("deepseek-v3", "gpt-oss-120b", _QWEN_3[1], "nemotron3-super", *_LLAMA_3[1:], "kimi-k2"),
    ),
    "megatron-b200": Kind(
        "Megatron-LM", "b200", "Megatron-LM on B200",
        ("llama3-70b-of-12-blocks", "llama3-405b-of-4-blocks", "deepseek-v2-of-4-blocks", "deepseek-v3-of-4-blocks"),
    ),
    "maxtext-v6e": Kind(
        "MaxText", "tpu-v6e", "MaxText on TPU v6e",
        (*_LLAMA_3, "mistral-7b", "mixtral-8x7b", "mixtral-8x22b", "gemma-3-12b"),
    ),
    "maxtext-ironwood": Kind(
        "MaxText", "ironwood", "MaxText on Ironwood",
        (
            *("deepseek-v3", "gpt-oss-120b", "llama3-70b", "llama3-405b", _QWEN_3[1]),
            *("gemma-4-4b", "gemma-4-26b-a4b", "gemma-4-31b"),
        ),
    ),
}  # fmt: skip
"""With eight runs or more that can be held against a prediction."""

COLUMNS = {
    **{"npus": "gpus", "tensor": "tp", "pipeline": "pp", "virtual": "vp", "context": "cp", "expert": "ep"},
    **{"micro_batch": "mbs", "batch": "gbs_seq", "sequence": "seq"},
    **{"sharding": "sharding", "recompute": "recompute", "precision": "precision"},
}
"""Settings, and the columns of measured runs that they stand for."""
NUMBERS = tuple(COLUMNS)[:9]


@dataclass(frozen=True, eq=False)
class Run:
    """A measured run. row: what was published. values: the settings that say the same. number: in `measured.runs()`.

    predicted: a step's parts in s. measured_s: of a step. mfu: predicted and measured, in % of the peak.
    """

    number: int
    row: Row
    values: Values
    job: Job
    predicted: Step
    measured_s: float
    mfu: tuple[float, float]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What its settings are, in the order of COLUMNS."""
        return key_of(self.values)

    @property
    def ratio(self) -> float:
        """Measured time / predicted time."""
        return self.measured_s / self.predicted.total


@cache
def rows_of(kind: str) -> tuple[tuple[int, Row], ...]:
    """The rows of a kind with their numbers, also those that crashed."""
    wanted = KINDS[kind]
    return tuple((number, row) for number, row in enumerate(shipped()) if _is(row, wanted))


@cache
def runs_of(kind: str) -> tuple[Run, ...]:
    """The runs of a kind that can be held against a prediction."""
    return tuple(_runs(kind))


@cache
def by_model(kind: str) -> dict[str, tuple[Run, ...]]:
    """The same for each model."""
    found: dict[str, list[Run]] = {}
    for run in runs_of(kind):
        found.setdefault(run.values["model"], []).append(run)
    return {model: tuple(runs) for model, runs in found.items()}


@cache
def varied(kind: str) -> frozenset[str]:
    """Settings that the runs of a kind differ in."""
    runs = runs_of(kind)
    return frozenset(name for name in COLUMNS if len({run.values[name] for run in runs}) > 1)


def runs_like(values: Values) -> tuple[Run, ...]:
    """The measured runs of just these settings; several if they were repeated."""
    key = key_of(values)
    return tuple(run for run in by_model(values["kind"]).get(values["model"], ()) if run.key == key)


def key_of(values: Values) -> tuple[Any, ...]:
    """The settings that differ within a kind and a model."""
    return tuple(values[name] for name in COLUMNS)


def crashed(values: Values) -> int:
    """How many runs of just these settings are known that crashed, or ran out of memory."""
    rows = (row for _, row in rows_of(values["kind"]) if not ran(row))
    return sum(_values(values["kind"], row) == values for row in rows if whole(row, "gpus") == values["npus"])


def nearest(values: Values) -> Run:
    """The measured run of the kind and model with most settings in common; of several, the one with nearest sizes.

    Raises ConfigError where the model wasn't measured there.
    """
    known = by_model(values["kind"])
    if values["model"] not in known:
        called, there = KINDS[values["kind"]].called, ", ".join(known)
        raise ConfigError(f"model is {values['model']}; no run of it is known of {called}; there are {there}.")
    key = key_of(values)
    fewest = min(sum(map(ne, run.key, key)) for run in known[values["model"]])
    near = [run for run in known[values["model"]] if sum(map(ne, run.key, key)) == fewest]
    return min(near, key=lambda run: apart(run.key, key))


def apart(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[int, float]:
    """How many settings of two keys differ, and by how many doublings."""
    numbers = zip(one[: len(NUMBERS)], other[: len(NUMBERS)], strict=True)
    return sum(map(ne, one, other)), sum(abs(log2(a / b)) for a, b in numbers if a != b)


def mfu(job: Job, seconds: float) -> float:
    """The share of the peak that a step's operations are, in %, counting nothing twice."""
    samples = job.step_tokens / sequence_length(job)
    npus = job.cut.tensor * job.cut.pipeline * job.cut.context * job.cut.data
    return 100 * _flops(id(job.model), job.model) * samples / (npus * job.machine.peak(job.bits) * seconds)


def sequence_length(job: Job) -> int:
    """Tokens of a sample."""
    return job.model.operators[job.model.blocks[0].start].takes[0]


_counted: dict[int, tuple[Model, int]] = {}


def _flops(key: int, model: Model) -> int:
    if key not in _counted:
        _counted[key] = model, model.flops(1)
    return _counted[key][1]


def _is(row: Row, kind: Kind) -> bool:
    try:
        return stack_of_row(row).name == kind.stack and machine_of(row).name == kind.machine
    except ConfigError:
        return False


def _runs(kind: str) -> Iterator[Run]:
    predictor = Predictor()
    for place, row in rows_of(kind):
        if not usable(row):
            continue
        try:
            job = job_of(row)
            step = predictor.step(job)
        except ConfigError:
            continue
        adapted = any(each.frozen for each, _ in job.blocks)  # no setting says so
        if not adapted and (seconds := seconds_of(row, job)):
            shares = mfu(job, step.total), mfu(job, seconds)
            yield Run(place, row, _values(kind, row), job, step, seconds, shares)


def _values(kind: str, row: Row) -> Values:
    cut, sequence = cut_of(row, stack_of_row(row)), sequence_of(row)
    numbers = {name: whole(row, COLUMNS[name], 1) for name in NUMBERS}
    numbers |= {"batch": cut.data * cut.micro_batch * cut.micro_batches, "sequence": sequence}
    words = {name: text(row, column) for name, column in COLUMNS.items() if name not in NUMBERS}
    return {"kind": kind, "model": _model(row, sequence), **numbers, **words}


def _model(row: Row, sequence: int) -> str:
    """What a row's model is called here: its name in ae.MODELS, with its blocks if it has others; or its shape."""
    known = known_name(text(row, "model"))
    if known is None and (listed := published(text(row, "model"))):
        return dashed(listed.name)
    if known is None:
        return f"gpt-{whole(row, 'layers')}x{whole(row, 'hidden')}"
    cut_short = "truncated" in text(row, "model") and number(row, "layers") is not None
    return f"{known}-of-{len(model_of(row, sequence).blocks)}-blocks" if cut_short else known
