"""What is simulated of a cut: the model, the strategy, nodes of 8 NPUs, and the same in Python."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from astra_edu.base.errors import ConfigError
from astra_edu.course.instruments.cut_matrices import block_of
from astra_edu.course.instruments.cut_settings import HIDES, START, TOP_K, dense, folded, has_experts
from astra_edu.course.instruments.setting import Values
from astra_edu.explore.iteration import Iteration, estimate
from astra_edu.network import Dimension
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload.models import Model, model, with_experts
from astra_edu.workload.strategies import Communication, Strategy, communications
from astra_edu.workload.strategies.alike import abridged

IN_A_NODE, BETWEEN = (300.0, 700.0), (25.0, 2500.0)
"""(GB/s of an NPU, latency in ns): round figures, near those of NVLink 3 and HDR InfiniBand."""
NODE = 8


def job(values: Values) -> tuple[Model, Strategy]:
    """The model and how it is cut. Raises ConfigError for what can't be."""
    cut = Strategy(**chosen(values))
    if cut.npus > NODE and cut.npus % NODE:
        raise ConfigError(f"{cut.npus} NPUs don't fill nodes of {NODE}.")
    return _model(values["model"], values["experts"] if dense(values["model"]) else 1), cut


def chosen(values: Values) -> dict[str, Any]:
    """What is given to a Strategy: what is always set, and of the rest what applies."""
    copies, order = values["data"], values["order"]
    found = {
        **{"tensor": values["tensor"], "data": copies, "pipeline": values["pipeline"]},
        **{"batch": copies * values["micro_batches"], "zero": values["zero"]},
        **{"sequence_parallel": values["sequence"], "recompute": values["recompute"]},
    }
    if values["context"] > 1 or has_experts(values):
        found["context"] = values["context"]
    if has_experts(values):
        found["expert"] = values["expert"]
    if values["pipeline"] > 1:
        parts = {"interleaved": values["virtual"]}.get(order, 2 if folded(order) else 1)
        found |= {"pipeline_order": order} if order != START["order"] else {}
        found |= {"virtual": parts} if parts > 1 else {}
        found |= {"stage_blocks": values["shared"]} if values["shared"] != START["shared"] else {}
    if values["context"] > 1 and values["context_by"] != START["context_by"]:
        found["context_by"] = values["context_by"]
    if values["zero"] and values["shard_group"]:
        found["shard_group"] = values["shard_group"]
    if values["zero"] == 3 and not values["reshard"]:
        found["reshard"] = False
    if values["hides"] != START["hides"]:
        found["overlap"] = HIDES[values["hides"]]
    return found


@cache
def _model(name: str, experts: int) -> Model:
    return with_experts(model(name), experts, TOP_K) if experts > 1 else model(name)


def refused(values: Values) -> str:
    """Why a cut can't be; "" where it can. Nothing in it depends on the device."""
    return _refused(tuple((name, value) for name, value in values.items() if name != "device"))


@lru_cache(maxsize=4096)
def _refused(values: tuple[tuple[str, Any], ...]) -> str:
    try:
        what, cut = job(dict(values))
        abridged(what, cut.exchange_embeddings).checked_alone(cut)  # as memory does, which takes long of many passes
    except ConfigError as error:
        return str(error)
    return ""


def sent(what: Model, cut: Strategy) -> tuple[Communication, ...]:
    """What the NPUs of the first stage send in an iteration."""
    return communications(what, cut, stage=0 if cut.pipeline > 1 else None)


def sent_of_block(what: Model, cut: Strategy) -> tuple[Communication, ...]:
    """What the NPUs that have the block on the stage send for it, among other things."""
    return communications(what, cut) if cut.pipeline > 1 and block_of(what).number > 1 else sent(what, cut)


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
    what, experts = f'"{values["model"]}"', values["experts"] if dense(values["model"]) else 1
    if experts > 1:
        what = f"ae.with_experts(ae.model({what}), {experts}, top_k={TOP_K})"
    given = [f"{name}={value!r}".replace("'", '"') for name, value in chosen(values).items()]
    lines = ",\n    ".join(", ".join(given[k : k + 4]) for k in range(0, len(given), 4))
    return f"""model = {what}
cut = ae.Strategy({lines})
platform = ae.Platform(({dims}),
    ae.SystemConfig.of("{"_".join(["halvingDoubling"] * (1 + (npus > NODE)))}", splits=4))
print(ae.estimate(model, cut, "{values["device"]}", platform))
print(ae.memory(model, cut))"""
