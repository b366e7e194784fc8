"""Whether the engine that is installed is compiled (docs/speed.md)."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES

from astra_edu.clock import events


def kind() -> str:
    """How the engine that is installed here runs: "compiled" or "pure Python"."""
    return "compiled" if str(events.__file__).endswith(tuple(EXTENSION_SUFFIXES)) else "pure Python"
