"""What NPUs send in a phase on ASTRA-sim 1.0's shared bus, found once for each kind of phase."""

from __future__ import annotations

from astra_edu.base.errors import ConfigError
from astra_edu.system.config import Platform
from astra_edu.system.faithful import quirks
from astra_edu.system.faithful.kth_messages import RowMessage
from astra_edu.system.moves import Moves, moves
from astra_edu.system.plan_1 import Phase
from astra_edu.system.routes import Routes

MOST_NPUS = 256
"""The most NPUs of a dimension whose messages are followed."""


class BusRows:
    """Phases' messages; see of."""

    def __init__(self, platform: Platform, alike: bool) -> None:
        """alike: whether NPU 0 stands for all."""
        self._system = platform.system
        self._alike = alike
        self._rows: dict[tuple[int, int, int, bool], tuple[list[list[RowMessage]], Moves]] = {}

    def of(self, phase: Phase) -> tuple[list[list[RowMessage]], Moves]:
        """(the messages of each NPU in a phase, or of NPU 0 alone, what one of them does).

        Raises ConfigError for algorithms that ASTRA-sim's bus isn't known for, for too many NPUs, and where NPU 0 is to
        stand for NPUs that aren't alike.
        """
        queues = self._system.queues
        clockwise = queues == 1 or phase.queue < queues // 2
        key = id(phase.schedule), id(phase.logical), phase.chunk_bytes, clockwise
        if key not in self._rows:
            self._check(phase)
            wires = phase.logical.dimension.wires
            routes = Routes(phase.schedule, [wires], 0, None, self._system.rendezvous)
            rows = [routes.row(npu, phase.chunk_bytes, clockwise) for npu in range(1 if self._alike else wires.npus)]
            own = moves(phase.schedule, phase.chunk_bytes, 0, phase.logical.how.window, quirks.memory_ns)
            self._rows[key] = rows, own
        return self._rows[key]

    def _check(self, phase: Phase) -> None:
        wires = phase.logical.dimension.wires
        if phase.schedule.traits.tree:
            raise ConfigError("ASTRA-sim's double binary trees aren't modelled with a shared bus; choose another one.")
        if not phase.schedule.traits.tokens:
            raise ConfigError(
                f"how {phase.schedule.algorithm} uses a shared bus isn't known; take ring, direct or halvingDoubling."
            )
        if wires.npus > MOST_NPUS:
            raise ConfigError(
                f"with a shared bus every message is followed, and {wires.npus:,} NPUs in a dimension are too much for "
                f"that; {MOST_NPUS:,} is the most."
            )
        if self._alike and not wires.symmetric:
            raise ConfigError("with a shared bus, NPUs that aren't alike are followed in boost mode only; set it to 1.")
