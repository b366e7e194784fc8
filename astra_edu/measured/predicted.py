"""Predictions for measured rows: a step's time, the memory of the NPU that keeps most, and whether it fits."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.measured.assumed import assumed
from astra_edu.measured.cells import Row, records, text
from astra_edu.measured.clock import Clock
from astra_edu.measured.jobs import Job, job_of
from astra_edu.measured.kept import Kept, by_pieces, kept_of, logged_of
from astra_edu.measured.parameters import MemoryParameters, Parameters
from astra_edu.measured.stacks import OTHERS
from astra_edu.measured.step import Step, step_of
from astra_edu.measured.stored import closest, memory_for, parameters_for
from astra_edu.measured.words import recompute_of
from astra_edu.workload.compute import Machine
from astra_edu.workload.strategies.memory import FRAGMENTATION

if TYPE_CHECKING:
    from pandas import DataFrame


NAN = float("nan")
REPEATS = (1 / 3, 1 / 2, 2 / 3, 3 / 4, 1)
"""Shares of the blocks that are recomputed, tried one after the other until there is room."""
NODE = 8
"""NPUs of a tensor group at most, where a row says nothing of how its model is shared out."""


class Predictor:
    """Predicts one job after the other; keeps what all jobs on a machine have in common."""

    def __init__(self, given: Parameters | None = None) -> None:
        """given: instead of the parameters that ship."""
        self._given = given
        self._clocks: dict[tuple[Machine, str, int], Clock] = {}

    def clock(self, job: Job) -> Clock:
        """The clock of a job's machine, stack and number format."""
        key = (job.machine, job.stack.name, job.bits)
        if key not in self._clocks:
            given = self._given or parameters_for(job.machine.name, job.stack.name)
            if job.stack.exchange:
                given = replace(given, exchange=job.stack.exchange)
            self._clocks[key] = Clock(job.machine, given, job.bits)
        return self._clocks[key]

    def step(self, job: Job) -> Step:
        """Where a step's time goes, in s."""
        return step_of(job, self.clock(job))

    def kept(self, job: Job) -> Kept:
        """What the NPU keeps that keeps most, in bytes."""
        given = memory_for(job.machine.name, job.stack.name)
        return kept_of(job, given) if given else by_pieces(kept_of(job, MemoryParameters()))

    def logged(self, job: Job) -> Kept:
        """What the NPU keeps whose peak the job's framework logs, in bytes."""
        given = memory_for(job.machine.name, job.stack.name)
        return logged_of(job, given) if given else by_pieces(logged_of(job, MemoryParameters()))


def fits(kept: Kept, machine: Machine) -> bool:
    """Whether there is room for it, beside what `ae.memory` takes for fragmentation, too."""
    return kept.total <= machine.memory_bytes * (1 - FRAGMENTATION)


def predict(rows: DataFrame) -> DataFrame:
    """What a step takes and keeps, of each row of measured runs; the columns are those of `measured.runs()`.

    Columns of the result: predicted_ms, predicted_GB (10⁹ bytes, of the NPU that keeps most, or of the first one with
    nanotron, which logs that), fits (all NPUs), refused: "" or a sentence that says why there is no prediction, and
    assumed: "" or what was taken for cells that are empty. Same index.

    A model may be one of `MODELS` or another published one by its name, or have layers and hidden of its own, or be
    known by its size alone; without seq it has its own or its family's. Where a row has gpus and dp, what they leave is
    the size of the group that it doesn't give. Where neither a row nor its framework says what is recomputed, it keeps
    what fits, and takes what it takes without; where it says nothing of how its model is shared out and that doesn't
    fit, it is shared out as Megatron does. A system that isn't known goes by Megatron-Bridge's parameters, on TPUs by
    MaxText's. LoRA in a row's source, model, system or note trains adapters alone. What is offloaded to the host takes
    no memory, and its time isn't counted. A batch that copies and micro-batches don't divide is rounded; where neither
    it nor the micro-batches' number is known, eight for each stage are taken, or one without stages. Raises ConfigError
    for anything but a DataFrame whose columns have different names.

    >>> import pandas as pd
    >>> from astra_edu import measured
    >>> row = {"model": "GPT", "layers": 24, "hidden": 2048, "heads": 16, "hardware": "A100", "gpus": 8, "dp": 8,
    ...     "gbs_seq": 64, "mbs": 4, "seq": 1024, "precision": "fp16", "system": "Megatron-DeepSpeed"}
    >>> measured.predict(pd.DataFrame([row, row | {"gpus": 9}], index=["a", "b"])).refused["b"]
    'tensor × pipeline × context × data is 8, and there are 9 NPUs.'
    """
    import pandas as pd

    instance_of("rows", rows, pd.DataFrame, "give a pandas DataFrame with a run in each row")
    predictor = Predictor()
    found = [prediction(predictor, row) for row in records(rows)]
    columns = ["predicted_ms", "predicted_GB", "fits", "refused", "assumed"]
    made = pd.DataFrame(found, columns=columns, index=rows.index)
    return made.astype({"predicted_ms": float, "predicted_GB": float, "fits": bool})


class Prediction(NamedTuple):
    """The same of one row."""

    ms: float
    gigabytes: float
    fits: bool
    refused: str
    assumed: str


def prediction(predictor: Predictor, row: Row) -> Prediction:
    """Of one row."""
    try:
        job = job_of(row)
        keeps, kept = job, predictor.kept(job)
        if not job.stack.recompute and not recompute_of(row):
            for more in ("selective", "full"):
                if not fits(kept, job.machine):
                    keeps = job_of(row, more)
                    kept = predictor.kept(keeps)
        for share in REPEATS if job.cut.repeats < 1 else ():
            if not fits(kept, job.machine):
                job = keeps = job_of(row, repeats=share)
                kept = predictor.kept(job)
        if not fits(kept, job.machine) and (other := divided(predictor, row, job)):
            keeps, kept = other, predictor.kept(other)
            if job.stack.pattern != OTHERS.pattern:  # how well theirs hides what it sends, nothing says
                job = other
        ms, gigabytes = predictor.step(job).total * 1e3, predictor.logged(keeps).total / 1e9
        told = assumed(row, job, keeps, closest(job.machine.name, job.stack.name))
        return Prediction(ms, gigabytes, fits(kept, job.machine), "", told)
    except ConfigError as error:
        return Prediction(NAN, NAN, False, str(error), "")


STRATEGY = ("tp", "pp", "cp", "ep", "vp", "dp", "sharding", "recompute")
"""Columns that say how a model is shared out."""


def divided(predictor: Predictor, row: Row, job: Job) -> Job | None:
    """A job that fits, where a row says nothing of how its model is shared out. None where none does, or a row says.

    Stacks of Megatron's family: a node's tensor group, of a mixture a node's expert group, and as few stages as there
    is room for; else parameters are shared out among all (ZeRO-3), and all is recomputed.
    """
    if job.stack.fsdp or job.machine.wiring == "Torus" or any(text(row, name) for name in STRATEGY):
        return None
    if job.stack.pattern == OTHERS.pattern:
        other = job_of({**row, "sharding": "ZeRO-3"}, "full")
        return other if fits(predictor.kept(other), other.machine) else None
    mixed = any(each.expert_parameters for each, _ in job.blocks)
    near, stages = gcd(min(job.machine.node, NODE), job.cut.npus), 1
    while stages <= min(job.depth, job.cut.npus // near):
        try:
            other = job_of({**row, "ep" if mixed else "tp": near, "pp": stages})
        except ConfigError:
            return None
        if fits(predictor.kept(other), other.machine):
            return other
        stages *= 2
    return None
