"""The slides' two tables, made from what the strategies send: what is communicated, and when which collective. A third
one says what they send and keep.

Each returns what `ae.plots.text_table` takes: `print(text_table(*what_is_communicated(model, strategies)))`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from astra_edu.base.errors import ConfigError
from astra_edu.base.units import format_bytes
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies.communication import by_stage
from astra_edu.workload.strategies.memory import memory
from astra_edu.workload.strategies.sent import FORWARD, INPUT_GRADIENT, PHASES, WEIGHT_GRADIENT, Communication
from astra_edu.workload.strategies.strategy import Strategy

Table = tuple[list[str], list[list[object]]]
"""A header and rows."""

COLUMNS = {FORWARD: "activations", INPUT_GRADIENT: "input gradients", WEIGHT_GRADIENT: "weight gradients"}

BY_TOKENS = ("keys and values", "gradients of keys and values", "routed tokens", "gradients of routed tokens")

CONTENTS = (*COLUMNS.values(), "parameters", "embeddings", "embedding gradients", *BY_TOKENS)
"""What may be sent."""

NOTHING = "–"


def what_is_communicated(model: Model | str, strategies: Mapping[str, Strategy]) -> Table:
    """A row for each strategy: which of activations, gradients and parameters an NPU sends, and how many bytes.

    Bytes are those of an iteration; of a pipeline, those of the stage that sends most. Embeddings stand with the
    activations, their gradients with the input gradients. Raises ConfigError if a strategy doesn't fit.
    """
    columns = [*COLUMNS.values(), "parameters"]
    rows: list[list[object]] = []
    for name, strategy in named_strategies(strategies).items():
        sizes = dict.fromkeys(columns, 0.0)
        for one in of_busiest_stage(model, strategy):
            sizes["parameters" if one.content == "parameters" else COLUMNS[one.phase]] += one.sent_bytes
        rows.append([name, *map(_mark, sizes.values()), format_bytes(round(sum(sizes.values())))])
    return ["strategy", *columns, "in all"], rows


def when_collectives_are_needed(model: Model | str, strategies: Mapping[str, Strategy]) -> Table:
    """A row for each strategy, a column for each phase: the collectives that it needs there.

    "m ×": once for each micro-batch, else once in an iteration. "*": what comes next waits for it. "send": a message to
    a neighbouring stage. Raises ConfigError if a strategy doesn't fit.
    """
    model = named(model)
    rows: list[list[object]] = []
    for name, strategy in named_strategies(strategies).items():
        twice = replace(strategy, batch=2 * strategy.samples)
        cells: dict[str, dict[str, None]] = {phase: {} for phase in PHASES}
        for once, two in zip(*(chain(*by_stage(model, each)) for each in (strategy, twice)), strict=True):
            often = "m × " if two.times == 2 * once.times else ""
            cells[once.phase][f"{often}{once.collective or 'send'}{'*' if once.blocking else ''}"] = None
        rows.append([name, *(", ".join(cell) or NOTHING for cell in cells.values())])
    return ["strategy", *PHASES], rows


def what_is_sent_and_kept(model: Model | str, strategies: Mapping[str, Strategy]) -> Table:
    """A row for each strategy: what an NPU sends in an iteration, what of that with nothing to compute meanwhile, and
    what it keeps: parameters, gradients and optimiser state, activations, and in buffers for a moment what is others'.

    In 10⁹ bytes; of a pipeline, of the stage that sends or keeps most. Raises ConfigError if a strategy doesn't fit.
    """
    rows: list[list[object]] = []
    for name, strategy in named_strategies(strategies).items():
        sent, kept = of_busiest_stage(model, strategy), memory(model, strategy)
        sizes = (
            sum(one.sent_bytes for one in sent),
            sum(one.sent_bytes for one in sent if one.blocking),
            kept.parameters,
            kept.gradients,
            kept.optimiser,
            kept.activations,
            kept.buffers,
        )
        rows.append([name, *(f"{size / 1e9:,.2f}" if size else NOTHING for size in sizes)])
    header = ["10⁹ bytes", "sent", "waited for", "parameters", "gradients", "optimiser", "activations", "buffers"]
    return header, rows


def sent_by_content(model: Model | str, strategy: Strategy) -> dict[str, float]:
    """Bytes that an NPU sends in an iteration, by what they are; of a pipeline, on the stage that sends most."""
    sizes = dict.fromkeys(CONTENTS, 0.0)
    for one in of_busiest_stage(model, strategy):
        sizes[one.content] += one.sent_bytes
    return sizes


def of_busiest_stage(model: Model | str, strategy: Strategy) -> tuple[Communication, ...]:
    """What an NPU of the stage that sends most sends in an iteration."""
    model = named(model)
    return max(by_stage(model, strategy), key=lambda sent: sum(one.sent_bytes for one in sent))


def named_strategies(strategies: Mapping[str, Strategy]) -> Mapping[str, Strategy]:
    """`strategies` if there are some, by their names. Raises ConfigError otherwise."""
    given = isinstance(strategies, Mapping) and strategies
    if not given or not all(isinstance(strategy, Strategy) for strategy in strategies.values()):
        raise ConfigError(
            'strategies must have names, such as {"data": ae.Strategy(data=8), "tensor": ae.Strategy(tensor=8)}; they '
            f"are {type(strategies).__name__} {strategies!r:.60}."
        )
    return strategies


def _mark(size: float) -> str:
    return f"✓ {format_bytes(round(size))}" if size else NOTHING
