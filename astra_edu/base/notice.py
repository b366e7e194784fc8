"""What a default costs, said where it is first used, once, and only to those who call us."""

from __future__ import annotations

import warnings


class DefaultNotice(UserWarning):
    """A default that one may not want, and what to write instead."""


warnings.filterwarnings("once", category=DefaultNotice)
warnings.filterwarnings("ignore", category=DefaultNotice, module=r"astra_edu\.")


def notice(sentence: str) -> None:
    """Say it to whoever has called the function that calls this one; nothing within the package is told."""
    warnings.warn(sentence, DefaultNotice, stacklevel=3)
