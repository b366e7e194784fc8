"""Figure: what an NPU sends in an iteration, by what it is, a bar for each strategy."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from astra_edu.base.units import GIB, KIB, MIB
from astra_edu.course.plots.figure import Picture, percent, text_table
from astra_edu.course.plots.looks import Look
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.tables import CONTENTS, named_strategies, sent_by_content

_LOOKS = dict(
    zip(
        CONTENTS,
        (
            Look("activations", "A", "#57ad88", "#00694f"),
            Look("input gradients", "IG", "#f3e79b", "#8a7a00", ".."),
            Look("weight gradients", "WG", "#e2b6d2", "#9c3f78", "--"),
            Look("parameters", "P", "#93c8ee", "#0072b2", "\\\\"),
            Look("embeddings", "E", "#4d9c92", "#12564e", "||"),
            Look("embedding gradients", "EG", "#b7dcd7", "#12564e", "xx"),
        ),
        strict=True,
    )
)
_PAPER = {"facecolor": "white", "alpha": 0.85, "linewidth": 0, "pad": 0.8}
_UNITS = ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1, "B"))
_LEAST = 0.05  # of the longest bar: what is labelled
_NOTE = (
    "Bytes are what an algorithm sends that sends nothing twice, such as a ring. Of a pipeline, those of the stage "
    "that sends most."
)


def communication(model: Model | str, strategies: Mapping[str, Strategy]) -> Picture:
    """Draw for each strategy what an NPU sends in an iteration: activations, gradients and parameters, in bytes.

    strategies: by their names, the first on top. Raises ConfigError if there is none, or if one doesn't fit the model.

    >>> strategies = {"data": ae.Strategy(data=8), "tensor": ae.Strategy(tensor=8)}
    >>> print(ae.plots.communication("vgg16", strategies).table)
    MiB sent  activations  input gradients  weight gradients  in all
    data                0                0               462     462
    tensor           22.6             29.9                 0    52.5
    """
    model = named(model)
    sent = {name: sent_by_content(model, strategy) for name, strategy in named_strategies(strategies).items()}
    present = [content for content in CONTENTS if any(sizes[content] for sizes in sent.values())]
    longest = max(sum(sizes.values()) for sizes in sent.values())
    unit, unit_name = next(unit for unit in _UNITS if longest >= unit[0] or unit[0] == 1)
    figure = Figure(figsize=(9.5, 0.5 * len(sent) + 1.4), layout="constrained")
    axes = figure.subplots()
    starts = [0.0] * len(sent)
    for content in present:
        look = _LOOKS[content]
        widths = [sizes[content] / unit for sizes in sent.values()]
        for place, (start, width) in enumerate(zip(starts, widths, strict=True)):
            if width:
                axes.barh(place, width, 0.66, start, facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch)
            if width * unit >= _LEAST * longest:
                axes.text(start + width / 2, place, look.short, size=8.5, ha="center", va="center", bbox=_PAPER)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    for place, end in enumerate(starts):
        words = f"{_number(end)} {unit_name}" if end else "nothing"
        axes.annotate(words, (end, place), (4, 0), textcoords="offset points", va="center")
    axes.set(ylim=(len(sent) - 0.5, -0.5), xlim=(0, 1.14 * longest / unit or 1))
    axes.set_yticks(range(len(sent)), list(sent))
    axes.set_xlabel(f"{unit_name} that an NPU sends in an iteration")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axes.spines[["top", "right"]].set_visible(False)
    if present:
        handles = [_LOOKS[content].patch() for content in present]
        figure.legend(handles=handles, loc="outside upper center", ncols=min(4, len(handles)), frameon=False)
    rows: list[list[object]] = [
        [name, *(_number(sizes[content] / unit) for content in present), _number(sum(sizes.values()) / unit)]
        for name, sizes in sent.items()
    ]
    header = [f"{unit_name} sent", *present, "in all"]
    sentences = [_sentence(name, sizes, unit, unit_name) for name, sizes in sent.items()]
    alt = f"{model.name}: a bar for each strategy, the bytes that an NPU sends in an iteration. {' '.join(sentences)}"
    return Picture(figure, alt, text_table(header, rows), _NOTE)


def _number(amount: float) -> str:
    """With three digits, or all before the point."""
    return f"{amount:,.0f}" if amount >= 100 or amount == 0 else f"{amount:.3g}"


def _sentence(name: str, sizes: Mapping[str, float], unit: int, unit_name: str) -> str:
    total = sum(sizes.values())
    if not total:
        return f"{name}: nothing."
    parts = ", ".join(f"{content} {percent(size / total)}" for content, size in sizes.items() if size)
    return f"{name}: {_number(total / unit)} {unit_name}, {parts}."
