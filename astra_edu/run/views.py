"""What a run can say of itself that is made further up: explain plugs itself in here, as imports point downwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

EXPLAINERS: dict[type, Callable[[Any, Any], Any]] = {}
"""For each kind of run what explains it: explainer(run, changes)."""
