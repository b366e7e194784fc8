"""A word of the glossary."""

from __future__ import annotations

from typing import NamedTuple


class Word(NamedTuple):
    """A word of the field. meaning: plain sentences. forms: how it stands in texts; none where only the context says
    whether it is meant.

    >>> from astra_edu.course.glossary import GLOSSARY
    >>> print(GLOSSARY[0].meaning)
    An accelerator (a GPU, a TPU) with its memory. It computes and has links to others.
    """

    name: str
    meaning: str
    forms: tuple[str, ...] = ()


def word(name: str, meaning: str, *more: str) -> Word:
    """A word that stands in texts as it is called, with an s, and as `more` says."""
    return Word(name, meaning, (name, f"{name}s", *more))
