"""Names as people write them: "All-Reduce", all_reduce and allreduce are one collective."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from astra_edu.base.errors import ConfigError, suggestion

PHASES = {
    "fwd": "forward", "forwardpass": "forward", "ig": "input gradient", "inputgrad": "input gradient",
    "inputgradients": "input gradient", "wg": "weight gradient", "weightgrad": "weight gradient",
    "weightgradients": "weight gradient",
}  # fmt: skip
COLLECTIVES = {"a2a": "all-to-all", "alltoallv": "all-to-all", "ar": "all-reduce", "ag": "all-gather"} | {
    "rs": "reduce-scatter"
}
"""What else the names are called: {letters: name}."""


def letters(name: Any) -> str:
    """A name without what people spell differently: "DGX-2" and "dgx2" are the same."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


def named(given: Any, names: Iterable[str], others: Mapping[str, str] = {}) -> str | None:
    """That one of `names` which is meant, in any spelling; None if it is none. others: {letters: name} of synonyms."""
    if not isinstance(given, str):
        return None
    known = {letters(name): name for name in names}
    wanted = letters(given)
    return known.get(wanted) or (others[wanted] if others.get(wanted) in known.values() else None)


def name_of(what: str, given: Any, names: Iterable[str], others: Mapping[str, str] = {}) -> str:
    """As `named`, but a ConfigError that says what there is where it is none."""
    names = list(names)
    found = named(given, names, others)
    if found is None:
        raise ConfigError(f"{what} is {given!r:.80}; {suggestion(given, names)}")
    return found
