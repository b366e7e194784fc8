"""Which dimensions a layer's collectives run over, as the training loop and the words in its first line have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from astra_edu.base.errors import ConfigError, choice, instance_of, whole
from astra_edu.workload.layer import Workload

GROUPED = ("HYBRID_TRANSFORMER", "HYBRID_TRANSFORMER_FWD_IN_BCKWD")
CHECKPOINTED = "HYBRID_TRANSFORMER_FWD_IN_BCKWD"
DLRM = ("HYBRID_DLRM", "HYBRID_DLRM_ENHANCED")
CUSTOMIZED = "HYBRID_CUSTOMIZED"


class Options(NamedTuple):
    """What a workload file's first line says after the loop.

    group: NPUs of a model-parallel group. checkpoints: layers whose input is kept; initiates: layers whose backward
    pass first repeats the forward pass from the checkpoint before them. last_bottom: DLRM's last bottom layer.
    """

    group: int = 1
    checkpoints: tuple[int, ...] = ()
    initiates: tuple[int, ...] = ()
    last_bottom: int = 0


def options(workload: Workload) -> Options:
    """Read the words after the loop. Raises ConfigError saying what should be there."""
    instance_of("workload", workload, Workload, "give one such as ae.load_workload(...) returns")
    words = list(workload.options)
    layers = len(workload.layers)
    should = f"the first line must be like {_EXAMPLES.get(workload.loop)!r}."

    def number(name: str, limit: int | None = None) -> int:
        word = words.pop(0) if words else ""
        if not (word.isascii() and word.isdigit() and len(word) < 19):
            raise ConfigError(f"{workload.loop}: {name} is {word!r}; {should}")
        if limit is not None and int(word) >= limit:
            raise ConfigError(f"{workload.loop}: {name} is {word}; there are only layers 0 to {limit - 1}.")
        return int(word)

    def label(name: str) -> None:
        if not words or words.pop(0).rstrip(":").lower() != name.lower():
            raise ConfigError(f"{workload.loop}: the word '{name}:' is missing; {should}")

    group, bottom = 1, 0
    kept: tuple[int, ...] = ()
    initiates: tuple[int, ...] = ()
    if workload.loop in GROUPED:
        label("model_parallel_NPU_group")
        group = whole("model_parallel_NPU_group", number("model_parallel_NPU_group"), at_least=1)
    if workload.loop == CHECKPOINTED:
        label("checkpoints")
        kept = tuple(number("a checkpoint", layers) for _ in range(number("the number of checkpoints")))
        label("checkpoint_initiates")
        initiates = tuple(number("an initiating layer", layers) for _ in range(number("the number of initiates")))
        _check_checkpoints(kept, initiates)
    if workload.loop in DLRM:
        bottom = number("the last bottom layer", layers)
    if words:
        raise ConfigError(f"{workload.loop}: {' '.join(words)!r} in the first line means nothing.")
    return Options(group, kept, initiates, bottom)


def _check_checkpoints(kept: tuple[int, ...], initiates: tuple[int, ...]) -> None:
    for layer in initiates:
        below = [checkpoint for checkpoint in kept if checkpoint <= layer]
        if not below:
            raise ConfigError(
                f"layer {layer} initiates a forward pass in the backward pass, but no checkpoint comes before it."
            )
        between = [other for other in initiates if max(below) < other <= layer]
        if max(below) == layer or between != [layer]:
            raise ConfigError(
                f"layer {layer} initiates a forward pass from checkpoint {max(below)}; between them there must be "
                "another layer, and no other that initiates."
            )


_EXAMPLES = {
    "HYBRID_TRANSFORMER": "HYBRID_TRANSFORMER model_parallel_NPU_group: 16",
    CHECKPOINTED: f"{CHECKPOINTED} model_parallel_NPU_group: 16 checkpoints: 2 0 9 checkpoint_initiates: 2 17 8",
    "HYBRID_DLRM": "HYBRID_DLRM 3",
    "HYBRID_DLRM_ENHANCED": "HYBRID_DLRM_ENHANCED 3",
}


class Involved(NamedTuple):
    """For each logical dimension, whether a layer's collectives run over it.

    activations: those of activations and of their gradients; gradients: those of weight gradients.
    """

    activations: tuple[bool, ...]
    gradients: tuple[bool, ...]


def involved(workload: Workload, dims: int, boundary: int) -> list[Involved]:
    """For each layer. dims: how many logical dimensions there are, boundary: how many a model-parallel group takes."""
    rules = (_rules(workload, index, boundary) for index in range(len(workload.layers)))
    return [Involved(*(tuple(map(rule, range(dims))) for rule in either)) for either in rules]


Rule = Callable[[int], bool]


def _rules(workload: Workload, index: int, boundary: int) -> tuple[Rule, Rule]:
    """(dimensions of activations and their gradients, dimensions of weight gradients)."""
    loop, layer = workload.loop, workload.layers[index]
    if loop in GROUPED:
        return (lambda d: d < boundary), (lambda d: d >= boundary)
    if loop in DLRM and index == 0:
        return _all, _all
    if loop == CUSTOMIZED:
        return PARALLELISMS[choice(f"parallelism of layer {layer.name}", layer.parallelism, PARALLELISMS)]
    return PARALLELISMS.get(loop, (_all, _all))


def _all(d: int) -> bool:
    return True


def _none(d: int) -> bool:
    return False


PARALLELISMS: dict[str, tuple[Rule, Rule]] = {
    "DATA": (_none, _all),
    "DATA_REORDER": (_none, _all),
    "MICRO": (_none, _all),
    "MODEL": (_all, _none),
    "DISTRIBUTED_INFERENCE": (_all, _none),
    "HYBRID_DATA_MODEL": (lambda d: d == 0, lambda d: d > 0),
    "HYBRID_MODEL_DATA": (lambda d: d > 0, lambda d: d == 0),
    "HYBRID_DLRM": (_none, _all),
    "HYBRID_DLRM_ENHANCED": (_none, _all),
}
"""What a layer of HYBRID_CUSTOMIZED may name, and what most loops are: rules for model- and data-parallel traffic.

The collectives of a loop that isn't here, such as one of your own, run over all dimensions.
"""
