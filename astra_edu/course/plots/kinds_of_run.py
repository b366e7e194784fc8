"""What a figure says of a run that it has no meaning for: what it draws, why not that, and which figure does."""

from __future__ import annotations

from collections.abc import Mapping

from astra_edu.base.errors import ConfigError

Instead = Mapping[type, str]
"""For each kind of run that a figure can't draw, why, and which figure draws it."""


def no_figure_of(run: object, figure: str, draws: str, instead: Instead) -> ConfigError:
    """The error of a figure that draws something else.

    >>> from astra_edu.pipeline import PipelineRun
    >>> run = ae.run_pipeline("gpipe", stages=2, micro_batches=2, forward_ns=10, backward_ns=20)
    >>> print(no_figure_of(run, "chunks", "a collective", {PipelineRun: "a pipeline has none: use ae.plots.stages"}))
    chunks draws a collective; a pipeline has none: use ae.plots.stages.
    >>> print(no_figure_of(5, "chunks", "a collective", {}))
    chunks draws a collective, not int 5.
    """
    said = next((words for kind, words in instead.items() if isinstance(run, kind)), None)
    return ConfigError(
        f"{figure} draws {draws}" + (f"; {said}." if said else f", not {type(run).__name__} {run!r:.60}.")
    )
