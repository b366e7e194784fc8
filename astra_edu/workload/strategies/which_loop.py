"""Which training loop of ASTRA-sim 1.0 a strategy needs, its words in the file's first line, and where it can run."""

from __future__ import annotations

from collections.abc import Sequence

from astra_edu.base.errors import ConfigError, instance_of
from astra_edu.system import Platform, TracePlatform
from astra_edu.workload.compute import Split
from astra_edu.workload.models import Model
from astra_edu.workload.parallelism import CUSTOMIZED
from astra_edu.workload.strategies.own_lines import first_dimension, has_own_lines
from astra_edu.workload.strategies.strategy import Strategy


def training_loop(model: Model, strategy: Strategy) -> str:
    """The loop's name in a workload file.

    DATA                  copies of the model alone, each on its own samples
    MODEL                 a tensor group alone
    HYBRID_DATA_MODEL     both, tensor-first: the tensor group is dimension 0
    HYBRID_MODEL_DATA     both, data-first: the copies are dimension 0
    HYBRID_TRANSFORMER    tensor groups of a transformer, tensor-first; ..._FWD_IN_BCKWD where all is recomputed
    HYBRID_CUSTOMIZED     ZeRO-3: a line "X_parameters" gathers those of X, and in the backward pass those of the line
                          that comes next (the last line's are still there); over several passes such a gather doesn't
                          wait for the gradients of the pass before
                          Context groups and experts: each collective on a line of its own (`own_lines`)
    HYBRID_DLRM           exchanged embeddings

    Raises ConfigError where no loop of ASTRA-sim 1.0 can say it.
    """
    unknown: list[str] = [name for name in ("tensor", "expert") if name in strategy.overlap]
    unknown += ["parameters"] * (strategy.zero == 3 and "parameters" in strategy.overlap)
    if unknown or "gradients" not in strategy.overlap:
        what = f"hide {' and '.join(unknown)} behind computing" if unknown else "wait for gradients at once"
        if strategy.exchange_embeddings:
            raise ConfigError(
                f"only ASTRA-sim 1.0's training loops exchange embeddings, and they can't {what}; leave overlap or "
                "exchange_embeddings out."
            )
        raise ConfigError(f"ASTRA-sim 1.0's training loops can't {what}; ae.traces.from_strategy and ae.estimate can.")
    if strategy.shard_group and strategy.zero == 3:
        raise ConfigError(
            "a line of HYBRID_CUSTOMIZED has two groups, its gathers' and its gradients'; hybrid sharding sums up "
            "gradients over both. ae.traces.from_strategy and ae.estimate know it."
        )
    if strategy.exchange_embeddings:
        if strategy.tensor > 1 or strategy.expert > 1 or strategy.pipeline > 1 or strategy.zero == 3:
            raise ConfigError(
                "HYBRID_DLRM has all NPUs exchange embeddings and reduce gradients; use tensor=1, expert=1, pipeline=1 "
                "and zero=0, 1 or 2."
            )
        _check_tables(model)
        return "HYBRID_DLRM"
    if has_own_lines(strategy):
        first_dimension(strategy)
        return CUSTOMIZED
    transformer = bool(model.blocks) and strategy.placement == "tensor-first"
    if strategy.zero == 3 and strategy.data > 1:
        loop = CUSTOMIZED
    elif strategy.tensor == 1:
        return "DATA"
    elif transformer:
        return "HYBRID_TRANSFORMER" + ("_FWD_IN_BCKWD" if strategy.recompute == "full" else "")
    elif strategy.data == 1:
        loop = "MODEL"
    else:
        loop = "HYBRID_DATA_MODEL" if strategy.placement == "tensor-first" else "HYBRID_MODEL_DATA"
    if strategy.recompute == "full" and strategy.tensor > 1:
        raise ConfigError(
            f"ASTRA-sim 1.0 can't repeat the activations' collectives in a backward pass of {loop}, only for "
            "transformers, tensor-first, without ZeRO-3; or use recompute='selective' or 'none'."
        )
    return loop


def _check_tables(model: Model) -> None:
    """HYBRID_DLRM takes line 0 for the tables, and waits for their vectors at the last line before they are used."""
    tables, *others = (operator for operator in model.operators if operator.split is Split.TABLES)
    using = [operator for operator in model.operators if tables.name in operator.after]
    if others or tables is not model.operators[0] or not using or using[0].minor:
        raise ConfigError(
            f"{model.name}: HYBRID_DLRM needs one operator with tables, the first of all, and a layer that names it in "
            "`after`, such as an Interaction."
        )


def check_platform(platform: Platform, strategy: Strategy, loop: str) -> None:
    """Whether its NPUs are the strategy's, and its dimension 0 the group that the loop takes it for."""
    if isinstance(platform, TracePlatform):
        raise ConfigError(
            "platform is a TracePlatform, which runs ASTRA-sim 2.x's traces: ae.traces.from_strategy makes one. This "
            'workload is for 1.0; give a Platform such as ae.preset("dgx2").'
        )
    instance_of("platform", platform, Platform, 'give one such as ae.preset("dgx2")')
    npus, first = strategy.npus // strategy.pipeline, platform.network[0].npus
    if platform.npus != npus:
        names = ("data", *(("context",) if strategy.context > 1 else ()), "tensor")
        sizes = " × ".join(str(getattr(strategy, name)) for name in names)
        raise ConfigError(f"{' × '.join(names)} = {sizes} takes {npus} NPUs, but the platform has {platform.npus}.")
    if has_own_lines(strategy):
        group = first_dimension(strategy)
        by_dimension = group < npus
    else:
        group = strategy.tensor if strategy.placement == "tensor-first" else strategy.data
        by_dimension = loop in ("HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", CUSTOMIZED) and strategy.tensor > 1
    if by_dimension and first != group:
        raise ConfigError(
            f"{loop} takes dimension 0 of the network for a group of {group} NPUs ({strategy.placement}), but it has "
            f"{first}; give it {group}, or choose groups of {first}."
        )


def options_of(loop: str, model: Model, strategy: Strategy, names: Sequence[str]) -> tuple[str, ...]:
    """The words after the loop in the file's first line."""
    if loop == "HYBRID_DLRM":
        pooled = next(operator for operator in model.operators if operator.split is Split.TABLES)
        joined = next(i for i, operator in enumerate(model.operators) if pooled.name in operator.after)
        return (str(names.index(model.operators[joined].name) - 1),)
    if not loop.startswith("HYBRID_TRANSFORMER"):
        return ()
    options = ["model_parallel_NPU_group:", str(strategy.tensor)]
    if loop.endswith("FWD_IN_BCKWD"):
        of_block = [[model.operators[i].name for i in block] for block in model.blocks]
        spans = [[names.index(name) for name in block if name in names] for block in of_block]
        first, last = [span[0] for span in spans if span], [span[-1] for span in spans if span]
        options += ["checkpoints:", str(len(first)), *map(str, first)]
        options += ["checkpoint_initiates:", str(len(last)), *map(str, reversed(last))]
    return tuple(options)
