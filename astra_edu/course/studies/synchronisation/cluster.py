"""How many workers there are, how long they compute, and what their messages cost; and the means of what they do."""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, not_negative, whole
from astra_edu.course.studies.synchronisation.exchange import all_reduce_ns, port, server_port
from astra_edu.course.studies.synchronisation.times import ComputeTimes
from astra_edu.network import Dimension

MOST_WORKERS = 1024


@dataclass(frozen=True)
class Cluster:
    """n workers, and what their messages cost, in ns.

    transfer_ns: S / B_s, for how long a push or a pull keeps the server's port; latency_ns: what it takes on top;
    exchange_ns: an all-reduce among all. Raises ConfigError for times below 0, and for more than MOST_WORKERS.

    >>> from astra_edu.studies.synchronisation import Cluster, ComputeTimes
    >>> Cluster(4, ComputeTimes(mean_ns=1000, slow=2), exchange_ns=500).synchronous_ns()
    2500.0
    """

    workers: int
    compute: ComputeTimes
    transfer_ns: float = 0.0
    latency_ns: float = 0.0
    exchange_ns: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", whole("workers", self.workers, at_least=1))
        if self.workers > MOST_WORKERS:
            raise ConfigError(f"workers is {self.workers:,}; {MOST_WORKERS:,} are the most that can be followed.")
        if not isinstance(self.compute, ComputeTimes):
            raise ConfigError(f'compute is {self.compute!r}; give ComputeTimes, such as ComputeTimes("exponential").')
        for name in ("transfer_ns", "latency_ns", "exchange_ns"):
            object.__setattr__(self, name, not_negative(name, getattr(self, name)))

    @classmethod
    def on(cls, network: Dimension, compute: ComputeTimes, size: int, server_bandwidth: float | None = None) -> Cluster:
        """The NPUs of a switch, which exchange `size` bytes: in a ring all-reduce, or with a server on the switch.

        server_bandwidth: GB/s (2**30 bytes/s), by default the NPUs'. A message is as fast as the slower of its ports.
        Raises ConfigError for what is no switch.
        """
        latency, bandwidth = port(network)
        slower = min(bandwidth, server_port(network, server_bandwidth))
        exchange = all_reduce_ns(size, network)
        return cls(network.npus, compute, size / slower, latency, exchange)

    def synchronous_ns(self) -> float:
        """E[max(c_i)] + t_exchange: a bulk-synchronous iteration on average. Raises as ComputeTimes.slowest_ns."""
        return self.compute.slowest_ns(self.workers) + self.exchange_ns

    def asynchronous_updates_per_s(self) -> float:
        """The sum of 1 / (c_i + t_push + t_pull), or what the server takes, if that is less.

        It says nothing of queues: near the server's limit a run has fewer.
        """
        messages = 2 * (self.transfer_ns + self.latency_ns)
        wanted = sum(1 / (self.compute.mean_of(worker) + messages) for worker in range(self.workers))
        return 1e9 * (min(wanted, 1 / self.transfer_ns) if self.transfer_ns else wanted)
