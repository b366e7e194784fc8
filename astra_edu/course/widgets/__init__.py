"""Things to look at and to move in a notebook; needs anywidget, which the core does without."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from astra_edu.base.late import public_names

_load, __dir__, __all__ = public_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    """What is an instrument now, built of widgets; by this name until release 0.3."""
    if name in ("BandwidthSliders", "Explorer", "Folds", "Stages", "WhatIf"):
        warnings.warn(f"widgets.{name} is an instrument now: astra_edu.{name}.", DeprecationWarning, stacklevel=2)
        return getattr(sys.modules["astra_edu"], name)
    return _load(name)
