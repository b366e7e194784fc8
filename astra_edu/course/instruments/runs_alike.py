"""Settings of measured runs that make no difference to a prediction: which values are alike, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import several
from astra_edu.course.instruments.adjustable import Alike
from astra_edu.course.instruments.runs_job import job_for
from astra_edu.course.instruments.runs_known import runs_like, runs_of
from astra_edu.course.instruments.setting import Setting, Values
from astra_edu.measured.cells import text

KEEPS = {"none": "nothing", "selective": "only attention", "full": "a whole block"}


def alike_in(settings: Sequence[Setting], values: Values) -> dict[str, Alike]:
    """For each setting that has them its values that are predicted as the one on show is.

    A setting of which all that can be chosen are, and none was measured apart, makes no difference at all.
    """
    now, used = _facts(values), runs_of(values["kind"])
    found = {}
    for setting in settings:
        name, others, alike, apart = setting.name, 0, [], False
        for place, value in enumerate(setting.values if setting.shown(values) else ()):
            wanted = values | {name: value}
            if value == values[name] or not _possible(wanted):
                continue
            others += 1
            if _facts(wanted) == now:
                alike.append(place)
                apart |= bool(runs_like(wanted))
        if alike:
            every = len(alike) == others and not apart
            known = {run.values[name] for run in used}
            foreign = tuple(p for p in alike if setting.menu and setting.values[p] not in known)
            own = [setting.called(setting.values[p]) for p in alike if p not in foreign]
            why = _why(setting.called(values[name]), own, _reason(name, values), every, apart)
            found[name] = Alike(tuple(alike), why, every, foreign)
    return found


def _possible(values: Values) -> bool:
    try:
        job_for(values)
    except ConfigError:
        return False
    return True


def _facts(values: Values) -> tuple[Any, ...]:
    """All that a prediction is made of."""
    row, job = job_for(values)
    keeps_what_fits = not job.stack.recompute and not text(row, "recompute")
    return id(job.model), job.cut, job.machine, job.stack, job.bits, job.tokens, job.step_tokens, keeps_what_fits


def _why(now: str, own: Sequence[str], reason: str, every: bool, apart: bool) -> str:
    """A sentence; "" where only words of other stacks are alike."""
    if every:
        return f"No difference here: {reason}."
    return f"Predicted as {now}: {', '.join(own)}; {reason}{', but measured apart' * apart}." if own else ""


def _reason(name: str, values: Values) -> str:
    _, job = job_for(values)
    cut = job.cut
    if name == "micro_batch" and job.stack.cuts_batches and cut.pipeline > 1:
        return f"with stages, {job.stack.name} has micro-batches of {several(cut.micro_batch, 'sample')}"
    if name == "expert" and cut.expert < values["expert"]:
        return f"copies share the experts out among {cut.expert}, the tensor group shares out each"
    return {
        "precision": f"only the {job.bits} bits count",
        "sharding": f"all are ZeRO stage {cut.zero}",
        "recompute": f"{KEEPS[cut.recompute]} is computed again",
    }.get(name, "a prediction doesn’t depend on it")
