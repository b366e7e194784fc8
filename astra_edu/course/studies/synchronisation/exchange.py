"""What one exchange of gradients costs: every worker gives S bytes and has the sum, or the new parameters, at the end.

All on the same switch, a port for each NPU: a is the time that a message of 0 bytes takes (2 hops × link latency), B
what a message gets of a port (bytes/ns). Sending and receiving don't disturb each other, adding up takes no time, and
only messages that go through the same port wait for each other. Here are the sums; `server` plays the parameter
servers out as messages that queue, and `all_reduce_ns` asks the simulator.
"""

from __future__ import annotations

from astra_edu.base.errors import ConfigError, positive, whole
from astra_edu.base.units import bytes_per_ns
from astra_edu.network import Dimension, Topology
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload


def central_ns(size: int, network: Dimension, servers: int = 1, server_bandwidth: float | None = None) -> float:
    """2 (a + n S / (k B_s)): n workers push S bytes to k servers and pull as much, each server S/k of it.

    The servers are k ≤ n more ports of the switch, with server_bandwidth (GB/s of 2**30 bytes/s; None: the NPUs').
    Where B_s is larger than B, so that a worker's own port may be the limit, messages in queues take up to S / B more.
    Raises ConfigError for what is no switch, and for more servers than workers.

    >>> from astra_edu.studies.synchronisation import central_ns
    >>> switch = ae.Dimension.of("Switch", 8, 50, 500)
    >>> [round(central_ns(2**20, switch, servers=k)) for k in (1, 2, 8)]
    [314500, 158250, 41062]
    """
    a, bandwidth = port(network)
    size, k = whole("size in bytes", size, at_least=1), server_count(servers, network)
    return 2 * (a + max(network.npus * size / (k * server_port(network, server_bandwidth)), size / bandwidth))


def colocated_ns(size: int, network: Dimension) -> float:
    """2 a + 2 (n − 1)/n S / B: every NPU is the server of an n-th of the parameters. Raises as central_ns.

    >>> from astra_edu.studies.synchronisation import colocated_ns
    >>> round(colocated_ns(2**20, ae.Dimension.of("Switch", 8, 50, 500)))
    36180
    """
    a, bandwidth = port(network)
    n = network.npus
    return 2 * a + 2 * (n - 1) / n * whole("size in bytes", size, at_least=1) / bandwidth


def ring_ns(size: int, network: Dimension) -> float:
    """2 (n − 1) (a + S / (n B)): an all-reduce round a ring of the NPUs. Raises as central_ns.

    >>> from astra_edu.studies.synchronisation import ring_ns
    >>> round(ring_ns(2**20, ae.Dimension.of("Switch", 8, 50, 500)))
    48180
    """
    a, bandwidth = port(network)
    return 2 * (network.npus - 1) * (a + whole("size in bytes", size, at_least=1) / (network.npus * bandwidth))


def all_reduce_ns(size: int, network: Dimension, algorithm: str = "ring", endpoint_delay: int = 0) -> float:
    """What the simulator says of an all-reduce of S bytes on the network, in one piece.

    algorithm: as in a system file. endpoint_delay: ns for each message at the NPU. It counts, beyond the sums, the
    memory time of adding up, and truncates to whole ns. Its messages never wait for each other: that is true for "ring"
    and "halvingDoubling" on a switch, and too good to be true, (n − 1) times, for "direct".

    >>> from astra_edu.studies.synchronisation import all_reduce_ns
    >>> all_reduce_ns(2**20, ae.Dimension.of("Switch", 8, 50, 500))
    48175
    """
    port(network)
    if not isinstance(algorithm, str):
        raise ConfigError(f'algorithm is {algorithm!r:.60}; give its name in a system file, such as "ring".')
    system = SystemConfig.of(algorithm, splits=1, endpoint_delay=endpoint_delay)
    work = Workload.micro("all-reduce", whole("size in bytes", size, at_least=1))
    return simulate(work, Platform((network,), system)).total_ns


def port(network: Dimension) -> tuple[float, float]:
    """(a, in ns; B, in bytes/ns) of an NPU's port. Raises ConfigError unless it is a switch with 2 NPUs or more."""
    if not isinstance(network, Dimension) or network.topology is not Topology.SWITCH or network.npus < 2:
        what = f"a {network.topology} of {network.npus}" if isinstance(network, Dimension) else repr(network)
        raise ConfigError(
            f"the network is {what}; a parameter server is one more port of a switch, so give a Switch with 2 NPUs or "
            'more, such as Dimension.of("Switch", 8, bandwidth=50, latency=500).'
        )
    return network.message_ns(0), network.message_bandwidth


def server_count(servers: int, network: Dimension) -> int:
    """`servers` if there are no more of them than workers. Raises ConfigError otherwise."""
    k = whole("servers", servers, at_least=1)
    if k > network.npus:
        raise ConfigError(
            f"servers is {k}; with {network.npus} workers, {network.npus} are the most: then a worker's own port is as "
            "busy as a server's, and more of them have nothing to gain."
        )
    return k


def server_port(network: Dimension, server_bandwidth: float | None) -> float:
    """B_s in bytes/ns."""
    if server_bandwidth is None:
        return network.message_bandwidth
    return bytes_per_ns(positive("server_bandwidth", server_bandwidth))
