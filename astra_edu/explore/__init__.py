"""Many runs: a grid of settings swept, kept in a file, and picked up again where it was stopped."""

from __future__ import annotations

from astra_edu.explore.sweep import sweep

__all__ = ["sweep"]
