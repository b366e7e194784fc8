"""The colours of every widget and of its still picture, for light and for dark paper."""

from __future__ import annotations

PALETTE = {
    "reduce": ("#d55e00", "#f0913f"),  # Okabe and Ito's vermilion and blue: told apart by everybody
    "copy": ("#0072b2", "#56b4e9"),
    "reduce-pale": ("#fde6d3", "#fde6d3"),
    "copy-pale": ("#dceef9", "#dceef9"),
    "partial": ("#f8cfa6", "#8a4a14"),
    "kept": ("#c9e2f3", "#1f4e6e"),
    "final": ("#00694f", "#0a7f62"),
    "paper": ("#ffffff", "#16181b"),
    "ink": ("#1b1b1b", "#ececec"),
    "soft": ("#595959", "#b4b4b4"),
    "line": ("#b9b9b9", "#5a5d62"),
    "faint": ("#f0f0f0", "#26292d"),
}
"""name: (on light, on dark). Text on the pale colours is always dark, on "final" always white."""
LEVELS = {
    "0": ("#c9c9c9", "#4b4e53"),
    "1": ("#a9cfe5", "#2d5f86"),
    "2": ("#6fb0d9", "#3f86bd"),
    "3": ("#3385bf", "#67aede"),
    "4": ("#0c5699", "#a2d1f1"),
    "5": ("#08306b", "#e6f3fc"),
}
"""Shade of a link, (on light, on dark), by how many fifths of the time it sends, rounded up."""


def properties() -> str:
    """All of them as CSS custom properties: --astra-reduce, ..., --astra-level-5."""
    named = PALETTE | {f"level-{level}": shades for level, shades in LEVELS.items()}
    return "".join(f"  --astra-{name}: light-dark({light}, {dark});\n" for name, (light, dark) in named.items())
