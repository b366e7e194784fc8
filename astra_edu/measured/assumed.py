"""What a prediction takes that its row doesn't say: read off the job, so that it is what was computed with."""

from __future__ import annotations

from astra_edu.measured.cells import Row, number, text
from astra_edu.measured.contradicted import contradicted
from astra_edu.measured.cuts import batch_of
from astra_edu.measured.jobs import Job
from astra_edu.measured.shapes import by_size_alone, has_own_shape, own_sizes
from astra_edu.measured.stacks import OTHERS, is_known, stack_of
from astra_edu.measured.stored import Fitted
from astra_edu.measured.words import recompute_of, recomputed, says_sharding

ZERO = {0: "none", 1: "ZeRO-1", 3: "ZeRO-3"}


def assumed(row: Row, job: Job, keeps: Job, fitted: Fitted | None) -> str:
    """What was taken for cells of a row that are empty or can't be taken as they are, and whose efficiencies; "" if
    nothing was.

    keeps: the job whose memory was predicted, where it isn't the one whose time was. fitted: see `closest`. Groups of
    one NPU, and single parts of a stage, aren't told.

    >>> import pandas as pd
    >>> from astra_edu import measured
    >>> row = {"model": "Llama 2 7B", "hardware": "H100", "gpus": 8, "tp": 2, "gbs_seq": 32, "mbs": 1}
    >>> row |= {"precision": "bf16", "system": "Megatron-LM", "recompute": "none"}
    >>> print(measured.predict(pd.DataFrame([row])).assumed[0])
    Taken where the row doesn't say: dp 4, seq 4096, sharding ZeRO-1. Efficiencies are those of Megatron-Bridge on h100.
    """
    taken = [*_shape(row, job), *_groups(row, job), *_batch(row, job), *contradicted(row, job)]
    taken += _rules(row, job, keeps)
    said = [f"Taken where the row doesn't say: {', '.join(taken)}."] if taken else []
    return " ".join([*said, *_efficiencies(job, fitted)])


def _shape(row: Row, job: Job) -> list[str]:
    if by_size_alone(row):
        return [f"{job.depth} layers and hidden {job.width} by its size"]
    if not has_own_shape(row):
        return []
    gpt = job.model.name == "GPT"
    cells = own_sizes(row).items()
    return [f"{name} {size}" for name, size in cells if number(row, name) is None and (name != "kv_heads" or not gpt)]


def _groups(row: Row, job: Job) -> list[str]:
    cut = job.cut
    sizes = {"gpus": cut.npus, "tp": cut.tensor, "pp": cut.pipeline, "vp": cut.virtual, "cp": cut.context}
    sizes |= {"ep": cut.expert, "dp": cut.data}
    nodes = not job.machine.tray and job.machine.wiring != "Torus" and cut.npus > job.machine.node
    found = [f"{name} {size}" for name, size in sizes.items() if size > 1 and number(row, name) is None]
    if (copies := number(row, "dp")) is not None and copies != cut.data:  # of what FSDP shares out
        found.append(f"dp {cut.data} for {copies:g}")
    return found + [f"gpus_per_node {job.machine.node}"] * (nodes and number(row, "gpus_per_node") is None)


def _batch(row: Row, job: Job) -> list[str]:
    cut, said = job.cut, batch_of(row)
    batch = cut.data * cut.micro_batch * cut.micro_batches
    found = [f"mbs {cut.micro_batch}"] * (number(row, "mbs") is None)
    if said is None:
        found.append(f"gbs_seq {batch}")
    elif said != batch:
        found.append(f"gbs_seq {batch} for {said}")
    return found + [f"seq {job.step_tokens // batch}"] * (number(row, "seq") is None)


def _rules(row: Row, job: Job, keeps: Job) -> list[str]:
    cut, precision, system = job.cut, text(row, "precision"), text(row, "system")
    sharding = text(row, "sharding")
    found = [f"precision {job.bits} bits"] * (not precision or "closed" in precision)
    if not says_sharding(sharding):
        other = f" ({ZERO[keeps.cut.zero]} for its memory)" * (keeps.cut.zero != cut.zero)
        found.append(f"sharding {ZERO[cut.zero]}{_instead_of(sharding)}{other}")
    if not recompute_of(row):
        other = f" ({keeps.cut.recompute} for its memory)" * (keeps.cut.recompute != cut.recompute)
        found.append(f"recompute {cut.recompute}{_instead_of(text(row, 'recompute'))}{other}")
    if job.stack.repeats_blocks and cut.recompute == "full" and recomputed(recompute_of(row)) != "full":
        found.append(f"{cut.repeats:.0%} of the layers recomputed")
    if job.stack.pattern == OTHERS.pattern:
        found.append("what most frameworks do")
    elif not is_known(system):
        found.append(f"system {job.stack.name}")
    elif stack_of(system).name != job.stack.name:
        found.append(f"system {job.stack.name} for {system}")
    return found


def _instead_of(words: str) -> str:
    """Words of a row that mean nothing."""
    return f" for {words!r}" if words else ""


def _efficiencies(job: Job, fitted: Fitted | None) -> list[str]:
    if fitted is None:
        return ["No efficiencies are known of such a machine; usual ones are taken."]
    if fitted.stack == job.stack.name and job.machine.name in fitted.machines:
        return []
    return [f"Efficiencies are those of {fitted.stack} on {', '.join(fitted.machines)}."]
