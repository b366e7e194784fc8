"""A still figure with its words: alt text for who can't see it, the numbers as a table, a caption."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from html import escape

from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, which people with any colour vision can tell apart; lines differ in marker as well."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")


@dataclass(frozen=True)
class Picture:
    """A figure as a notebook shows it. table: the plotted numbers as text, one line a row."""

    figure: Figure = field(repr=False)
    alt: str
    table: str

    def _repr_html_(self) -> str:
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
        source = base64.b64encode(buffer.getvalue()).decode()
        return (
            f'<figure style="margin:0"><img alt="{escape(self.alt)}" src="data:image/png;base64,{source}" '
            f'style="max-width:100%;background:white"><figcaption><pre>{escape(self.table)}</pre></figcaption></figure>'
        )

    def __repr__(self) -> str:
        return f"{self.alt}\n{self.table}"


def text_table(header: list[str], rows: list[list[object]]) -> str:
    """Rows as aligned text: the first column to the left, the others to the right."""
    cells = [header, *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)
