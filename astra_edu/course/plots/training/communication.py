"""Figure: what an NPU sends in an iteration, by what it is, a bar for each strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from astra_edu.base.units import GIB, KIB, MIB
from astra_edu.course.plots.axes import in_full, open_frame
from astra_edu.course.plots.figure import WIDE, Picture, percent, text_table
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
            Look("keys and values", "KV", "#cdbdf0", "#5b3fa0"),
            Look("gradients of keys and values", "KVG", "#e6defa", "#5b3fa0", "//"),
            Look("routed tokens", "R", "#f0a58c", "#9c3c1c", "++"),
            Look("gradients of routed tokens", "RG", "#f9d6c9", "#9c3c1c", "oo"),
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


@dataclass(frozen=True)
class _Sent:
    """What is shown. sizes: bytes by strategy and content. unit: of the figure, in bytes."""

    model: str
    sizes: Mapping[str, Mapping[str, float]]
    unit: int
    unit_name: str

    @classmethod
    def of(cls, model: Model, strategies: Mapping[str, Strategy]) -> _Sent:
        sizes = {name: sent_by_content(model, strategy) for name, strategy in named_strategies(strategies).items()}
        longest = max(sum(each.values()) for each in sizes.values())
        unit, name = next(unit for unit in _UNITS if longest >= unit[0] or unit[0] == 1)
        return cls(model.name, sizes, unit, name)

    @property
    def contents(self) -> list[str]:
        """The contents that any strategy sends."""
        return [content for content in CONTENTS if any(sizes[content] for sizes in self.sizes.values())]

    @property
    def longest(self) -> float:
        """All bytes of the strategy that sends most."""
        return max(sum(sizes.values()) for sizes in self.sizes.values())


def communication(model: Model | str, strategies: Mapping[str, Strategy]) -> Picture:
    """Draw for each strategy what an NPU sends in an iteration: activations, gradients and parameters, in bytes.

    strategies: by their names, the first on top. Raises ConfigError if there is none, or if one doesn't fit the model.

    >>> strategies = {"data": ae.Strategy(data=8), "tensor": ae.Strategy(tensor=8)}
    >>> print(ae.plots.communication("vgg16", strategies).table)
    MiB sent  activations  input gradients  weight gradients  in all
    data                0                0               462     462
    tensor           22.6             29.9                 0    52.5
    """
    sent = _Sent.of(named(model), strategies)
    return Picture(_drawn(sent), _alt(sent), _table(sent), _NOTE)


def _drawn(sent: _Sent) -> Figure:
    figure = Figure(figsize=(WIDE, 0.5 * len(sent.sizes) + 1.4), layout="constrained")
    axes = figure.subplots()
    starts = [0.0] * len(sent.sizes)
    for content in sent.contents:
        widths = [sizes[content] / sent.unit for sizes in sent.sizes.values()]
        _bars(axes, _LOOKS[content], starts, widths, _LEAST * sent.longest / sent.unit)
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    for place, end in enumerate(starts):
        words = f"{_number(end)} {sent.unit_name}" if end else "nothing"
        axes.annotate(words, (end, place), (4, 0), textcoords="offset points", va="center")
    axes.set(ylim=(len(sent.sizes) - 0.5, -0.5), xlim=(0, 1.14 * sent.longest / sent.unit or 1))
    axes.set_yticks(range(len(sent.sizes)), list(sent.sizes))
    axes.set_xlabel(f"{sent.unit_name} that an NPU sends in an iteration")
    in_full(axes.xaxis)
    open_frame(axes)
    handles = [_LOOKS[content].patch() for content in sent.contents]
    if handles:
        columns = 2 if any(len(content) > 20 for content in sent.contents) else min(4, len(handles))
        figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
    return figure


def _bars(axes: Axes, look: Look, starts: Sequence[float], widths: Sequence[float], least: float) -> None:
    """A content's part of each bar, with its short name where it is `least` wide."""
    for place, (start, width) in enumerate(zip(starts, widths, strict=True)):
        if width:
            axes.barh(place, width, 0.66, start, **look.style)
        if width >= least:
            axes.text(start + width / 2, place, look.short, size=9.5, ha="center", va="center", bbox=_PAPER)


def _alt(sent: _Sent) -> str:
    sentences = " ".join(_sentence(name, sizes, sent) for name, sizes in sent.sizes.items())
    return f"{sent.model}: a bar for each strategy, the bytes that an NPU sends in an iteration. {sentences}"


def _sentence(name: str, sizes: Mapping[str, float], sent: _Sent) -> str:
    total = sum(sizes.values())
    if not total:
        return f"{name}: nothing."
    parts = ", ".join(f"{content} {percent(size / total)}" for content, size in sizes.items() if size)
    return f"{name}: {_number(total / sent.unit)} {sent.unit_name}, {parts}."


def _table(sent: _Sent) -> str:
    rows: list[list[object]] = []
    for name, sizes in sent.sizes.items():
        amounts = [*(sizes[content] for content in sent.contents), sum(sizes.values())]
        rows.append([name, *(_number(amount / sent.unit) for amount in amounts)])
    return text_table([f"{sent.unit_name} sent", *sent.contents, "in all"], rows)


def _number(amount: float) -> str:
    """With three digits, or all before the point."""
    return f"{amount:,.0f}" if amount >= 100 or amount == 0 else f"{amount:.3g}"
