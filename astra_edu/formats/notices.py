"""Warnings that name the caller's line, not one of this package."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from astra_edu.network.topologies import Topology
    from astra_edu.system import Implementation

_PACKAGE = __name__.partition(".")[0]


def notice(text: str) -> None:
    """Warn with `text` whoever called into the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)


def notice_in_switch(hows: Iterable[Implementation]) -> None:
    """Warn of algorithms in a system file whose switches add up, which ASTRA-sim's don't."""
    names = dict.fromkeys(how.spelling for how in hows if how.traits.in_switch)
    if names:
        notice(
            f"ASTRA-sim has no switches that add up, so it doesn't know {' and '.join(names)}: astra_edu reads this "
            "system file, the original doesn't."
        )


def notice_unknown(topologies: Iterable[Topology]) -> None:
    """Warn of topologies in a network file that ASTRA-sim doesn't know."""
    names = dict.fromkeys(topology.value for topology in topologies if not topology.in_astra_sim)
    if names:
        notice(
            f"ASTRA-sim doesn't know {' and '.join(names)}: astra_edu reads this network file, the original doesn't. "
            "ae.as_graph(network) has the same links as a graph."
        )
