"""What a network is: it takes bytes from one NPU to another, and it is the clock by which everything else goes.

Sends and receives find each other above it (messages.py), for every network in the same way. `ae.simulate(trace,
platform, network=...)` takes anything that makes one: a function or an object that is called with the platform.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from astra_edu.clock.events import Action, Schedules

if TYPE_CHECKING:
    from astra_edu.network.links import Use
    from astra_edu.network.packets import Lost
    from astra_edu.network.way import Way

RENDEZVOUS_BYTES = 8192
"""The size of the request that a message waits for under the rendezvous protocol."""


class Network(Schedules, Protocol):
    """What carries messages. now: the time in ns. NPUs are numbers from 0 on; no message goes to its sender.

    Besides these methods it may have `uses` and `lost`; see Records and Loses.
    """

    def send(self, source: int, destination: int, message_bytes: int, arrived: Action, what: Any) -> None:
        """Begin to carry `message_bytes` now; call arrived(what) at the time at which the last of them is there."""

    def run(self, watch: Callable[[], object] | None = None) -> None:
        """Go on until nothing is left to do. watch: to be called now and then, where a bar shows how far it is."""

    def statistics(self) -> Mapping[str, Any]:
        """What there is to say after a run: numbers and tables, each by a name that ends with its unit."""

    def blocked(self) -> str:
        """What keeps messages from arriving for ever, in words; "" where nothing does."""


@runtime_checkable
class Records(Protocol):
    """A network that can keep what was on its links: where that is asked for, `uses` is made a list before the run."""

    uses: list[Use] | None


class Loses(Protocol):
    """A network that loses packets. lost: those that were lost, in their order."""

    lost: list[Lost]


class HasWays(Protocol):
    """A network that gives ways. Then they are asked to carry, and not the network's `send`."""

    def way(self, source: int, destination: int, message_bytes: int) -> Way | None:
        """How messages of `message_bytes` go; None where `send` must be asked for each."""


METHODS = ("schedule", "send", "run", "statistics", "blocked")
"""What every network can do."""
