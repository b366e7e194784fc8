"""What is simulated of a cut: the model, the strategy, nodes of 8 NPUs, and the same in Python."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.setting import Values
from astra_edu.explore.iteration import Iteration, estimate
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload.models import Model, model, with_experts
from astra_edu.workload.strategies import Communication, Strategy, communications, memory

IN_A_NODE, BETWEEN = (300.0, 700.0), (25.0, 2500.0)
"""(GB/s of an NPU, latency in ns): round figures, near those of NVLink 3 and HDR InfiniBand."""
NODE = 8
TOP_K = 2
"""Experts that a token goes to, where there are several."""


def job(values: Values) -> tuple[Model, Strategy]:
    """The model and how it is cut. Raises ConfigError for what can't be."""
    copies, together = values["data"], values["micro_batches"]
    cut = Strategy(
        tensor=values["tensor"], data=copies, pipeline=values["pipeline"], batch=copies * together,
        zero=values["zero"], sequence_parallel=values["sequence"], recompute=values["recompute"],
        context=values["context"], expert=values["expert"] if values["experts"] > 1 else 1,
    )  # fmt: skip
    if cut.npus > NODE and cut.npus % NODE:
        raise ConfigError(f"{cut.npus} NPUs don't fill nodes of {NODE}.")
    return _model(values["model"], values["experts"]), cut


@cache
def _model(name: str, experts: int) -> Model:
    return with_experts(model(name), experts, TOP_K) if experts > 1 else model(name)


def refused(values: Values) -> str:
    """Why a cut can't be; "" where it can. Nothing in it depends on the device."""
    return _refused(tuple((name, value) for name, value in values.items() if name != "device"))


@lru_cache(maxsize=4096)
def _refused(values: tuple[tuple[str, Any], ...]) -> str:
    try:
        memory(*job(dict(values)))
    except ConfigError as error:
        return str(error)
    return ""


def sent(what: Model, cut: Strategy) -> tuple[Communication, ...]:
    """What the NPUs of the first stage send in an iteration."""
    return communications(what, cut, stage=0 if cut.pipeline > 1 else None)


def platform_of(npus: int) -> Platform:
    """Nodes of 8 NPUs, by switches; halving-doubling, as no two of its messages share a link of a switch."""
    inside = Dimension.of("Switch", min(npus, NODE), *IN_A_NODE)
    dims = (inside,) if npus <= NODE else (inside, Dimension.of("Switch", npus // NODE, *BETWEEN))
    return Platform(dims, SystemConfig.of("_".join(["halvingDoubling"] * len(dims)), splits=4))


def iteration(values: Values) -> Iteration:
    """How long an iteration takes."""
    return _of(tuple(values.items()))


def on_links(run: Iteration) -> Iteration:
    """The same with no collective faster than its links: where an all-to-all's messages share some, it is slower."""
    return run.at_least or run


@lru_cache(maxsize=4096)
def _of(values: tuple[tuple[str, Any], ...]) -> Iteration:
    named = dict(values)
    what, cut = job(named)
    return estimate(what, cut, named["device"], platform_of(cut.npus))


def code(values: Values) -> str:
    """The same in Python."""
    npus = job(values)[1].npus
    dims = f'ae.Dimension.of("Switch", {min(npus, NODE)}, 300, 700),'
    if npus > NODE:
        dims += f' ae.Dimension.of("Switch", {npus // NODE}, 25, 2500)'
    what, experts, groups = f'"{values["model"]}"', values["experts"], ""
    if values["context"] > 1 or experts > 1:
        groups = f", context={values['context']}" + (f", expert={values['expert']}" if experts > 1 else "")
    if experts > 1:
        what = f"ae.with_experts(ae.model({what}), {experts}, top_k={TOP_K})"
    return f"""model = {what}
cut = ae.Strategy(tensor={values["tensor"]}, data={values["data"]}, pipeline={values["pipeline"]},
    batch={values["data"] * values["micro_batches"]}, zero={values["zero"]},
    sequence_parallel={values["sequence"]}, recompute="{values["recompute"]}"{groups})
platform = ae.Platform(({dims}),
    ae.SystemConfig.of("{"_".join(["halvingDoubling"] * (1 + (npus > NODE)))}", splits=4))
print(ae.estimate(model, cut, "{values["device"]}", platform))
print(ae.memory(model, cut))"""
