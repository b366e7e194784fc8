"""Which machines are alike: generations of a maker's accelerators, by their names."""

from __future__ import annotations

import re

KINDS = {
    "Volta": r"v\d",
    "Ampere": r"a\d",
    "Hopper": r"g?h\d",
    "Blackwell": r"g?b\d",
    "Ada": r"l\d|rtx",
    "AMD": r"mi\d",
    "TPU": r"tpu|ironwood",
}
"""Machines that are alike, by patterns of their names."""


def kind_of(machine: str) -> str:
    """What machines alike are called; a machine that is like none, by its own name."""
    return next((name for name, pattern in KINDS.items() if re.match(pattern, machine)), machine)
