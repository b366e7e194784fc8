"""How many passes of a training loop can be gone through."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, whole
from astra_edu.base.units import several

MOST_PASSES = 100_000
MOST_LAYERS = 1_000_000
"""Layers gone through, over all passes: a few minutes."""


def checked_passes(passes: object, layers: int) -> int:
    """The number of passes through so many layers. Raises ConfigError for more than can be gone through."""
    count = whole("passes", passes, at_least=1)
    most = min(MOST_PASSES, max(1, MOST_LAYERS // layers))
    if count > most:
        raise ConfigError(
            f"passes is {count:,}; of {several(layers, 'layer')} {most:,} are the most. A pass takes as long as the "
            "one before it once the first ones are over, so a few of them say what many would."
        )
    return count
