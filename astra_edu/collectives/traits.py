"""What an engine must know of an algorithm beyond its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Traits(NamedTuple):
    """What an engine must know of an algorithm beyond its steps; the defaults are any algorithm's.

    windowed: an NPU need not wait for a whole step: it sends on as messages come in, with a window of them on their
    way at once ("direct4"). exchanges: an NPU's k-th message goes where the k-th it receives comes from. halves: what
    is sent halves from step to step and doubles again. tree: whatever it is asked for, each NPU adds up what its
    children send, passes it to its parent, and passes on what comes back. twin: of a tree, the other one that every
    other chunk takes. tokens: ASTRA-sim's own pace (see system.exchange); else an NPU goes step by step. others: with
    tokens on a shared bus, how many messages come in before the next may go out, by the number of NPUs; None: as many
    as the window is wide. most_npus: how many can be followed, where one stands for all and where they differ.
    in_switch: switches add up and copy, so that it needs some.

    >>> from astra_edu.collectives import ALGORITHMS
    >>> ALGORITHMS["halving-doubling"].traits.halves, ALGORITHMS["ring"].traits.halves
    (True, False)
    """

    windowed: bool = False
    exchanges: bool = False
    halves: bool = False
    tree: bool = False
    twin: str = ""
    tokens: bool = False
    others: Callable[[int], int] | None = None
    most_npus: tuple[int, int] = (2**12, 2**10)
    in_switch: bool = False


USUAL = Traits()
"""Any algorithm's."""
