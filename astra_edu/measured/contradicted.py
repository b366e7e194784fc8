"""What a row says that its job doesn't have, because something else of the row goes before it."""

from __future__ import annotations

import re

from astra_edu.measured.cells import Row, number, text
from astra_edu.measured.jobs import Job
from astra_edu.measured.machine_rows import half_of
from astra_edu.measured.names import exact_name, gpt_shape, known_name
from astra_edu.measured.published import published
from astra_edu.measured.shapes import has_own_shape
from astra_edu.workload.compute.machine_names import meant
from astra_edu.workload.compute.machines import MACHINES
from astra_edu.workload.models import model as named

OFF = 1.5
"""Parameters that are as many times more or fewer are another model's: tables of words and their scores are sometimes
left out, and of mixtures only those that a token meets are counted."""


def contradicted(row: Row, job: Job) -> list[str]:
    """What was taken, and for what of the row, in words for `assumed`.

    >>> from astra_edu.measured.contradicted import contradicted
    >>> from astra_edu.measured.jobs import job_of
    >>> row = {"model": "llama3-8b", "params_B": 70, "hardware": "H100", "gpus": 8, "gbs_seq": 8, "system": "nanotron"}
    >>> contradicted(row, job_of(row))
    ['params_B 8 for 70']
    """
    return [*_sizes(row, job), *_micro_batches(row, job), *_parts(row, job), *_computers(row, job), *_format(row, job)]


def _sizes(row: Row, job: Job) -> list[str]:
    found, model = [], job.model
    layers = number(row, "layers")
    if layers is not None and layers != job.depth:
        found.append(f"layers {job.depth} for {layers:g}")
    elif layers is not None and (usual := _usual_layers(row)) not in (None, job.depth):
        found.append(f"layers {job.depth} of its model's {usual}")
    heads = number(row, "heads")
    if heads is not None and (those := _heads(job)) not in (None, heads):
        found.append(f"heads {those} for {heads:g}")
    if (billions := number(row, "params_B")) is not None:
        own = model.parameters / 1e9
        if not _near(own, billions) and not _near(model.active_parameters / 1e9, billions):
            found.append(f"params_B {own:.2g} for {billions:g}")
    return found


def _near(one: float, other: float) -> bool:
    return 1 / OFF < one / other < OFF


def _heads(job: Job) -> int | None:
    """Of the model's queries; None where it has no attention."""
    of_blocks = job.model.operators[job.model.blocks[0].start :]
    return next((each.heads for each in of_blocks if hasattr(each, "heads")), None)


def _usual_layers(row: Row) -> int | None:
    """Of the model that a row names, where its shape is that one's."""
    name = text(row, "model")
    if has_own_shape(row):
        return None
    if known := known_name(name) or exact_name(name):
        return len(named(known).blocks)
    if listed := published(name):
        return int(dict(listed.sizes)["blocks"])
    shape = gpt_shape(name, number(row, "params_B"))
    return shape[0] if shape and number(row, "hidden") is None else None


def _micro_batches(row: Row, job: Job) -> list[str]:
    given = number(row, "grad_acc")
    if given is None or given == job.cut.micro_batches or (job.stack.cuts_batches and job.cut.pipeline > 1):
        return []
    return [f"grad_acc {job.cut.micro_batches} for {given:g}"]


def _parts(row: Row, job: Job) -> list[str]:
    """Virtual stages that the blocks can't be shared out among evenly, or of one stage."""
    parts, given = job.cut.pipeline * job.cut.virtual, number(row, "vp")
    if job.cut.pipeline == 1 and given not in (None, 1):
        return [f"vp 1 for {given:g}, as there is one stage"]
    if given is None or job.cut.virtual == 1 or job.depth % parts == 0:
        return []
    where = f"{parts} parts ({job.cut.pipeline} stages × vp {job.cut.virtual})"
    if (job.depth + 2) % parts == 0:
        return [f"{job.depth} layers with the words and their scores as one each on {where}"]
    few = job.depth // parts
    return [f"{job.depth} layers as {few} or {few + 1} on each of {where}"]


def _computers(row: Row, job: Job) -> list[str]:
    given, on = number(row, "gpus_per_node"), job.machine
    if given is None or on.wiring == "Torus":
        return []
    if on.tray:
        return [f"domains of {on.node} for gpus_per_node {given:g}"] * (given not in (on.tray, on.node))
    usual = next(
        (MACHINES[name].node for name in (*meant(text(row, "hardware")), on.name) if name in MACHINES), on.node
    )
    return [f"{on.node} NPUs of a computer on links that are known of {usual}"] * (on.node > usual)


def _format(row: Row, job: Job) -> list[str]:
    precision, halves = text(row, "precision"), job.machine.device.halves or ()
    if re.search(r"\bu?int\d", precision):
        return [f"precision fp{job.bits} for {precision}"]
    half = half_of(precision)
    other = job.bits == 16 and half and halves and half not in halves
    return [f"precision {halves[0]} for {precision}"] if other else []
