"""The files of ASTRA-sim 1.0 and 2.x, read and written. Which of the two a file is for is told by its content."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from astra_edu.base.errors import ConfigError, flag, instance_of
from astra_edu.base.files import FileName, read_text, write_text
from astra_edu.base.late import is_a
from astra_edu.formats.kinds import GRAPH, NETWORK_2, OF_2, SYSTEM, SYSTEM_2, has_one_topology, kinds_of

if TYPE_CHECKING:
    from astra_edu.system import Platform, SystemConfig, TracePlatform
    from astra_edu.workload import Workload


def load_astra_sim(
    network: FileName,
    system: FileName,
    injection_scale: float = 1,
    num_queues_per_dim: int = 1,
    rendezvous_protocol: bool = False,
    *,
    memory: FileName | None = None,
    congestion_aware: bool = False,
) -> Any:
    """Read a platform: a Platform from ASTRA-sim 1.0's files (JSON, text), a TracePlatform from 2.x's (YAML, JSON).

    The network of a TracePlatform may be a graph, too (node-link JSON, as save_astra_sim writes it). The network of
    1.0's congestion-aware program is YAML with one topology; its Platform is congestion_aware.

    injection_scale, num_queues_per_dim and rendezvous_protocol are its command line's: the first multiplies the
    endpoint delay; the second are the queues that a dimension's active chunks are divided over; with the third a
    message waits for a request. memory (2.x): the remote memory file. congestion_aware (2.x): whether messages wait
    for each other on the links; with several dimensions that is as in an unmerged branch of ASTRA-sim. Raises
    ConfigError naming the file, the key, the value and what is allowed.

    >>> ae.save_astra_sim(ae.preset("dgx2"), network="dgx2.json", system="dgx2.txt")
    >>> platform = ae.load_astra_sim(network="dgx2.json", system="dgx2.txt")
    >>> platform == ae.preset("dgx2"), platform.npus
    (True, 256)
    """
    flag("congestion_aware", congestion_aware)
    network_text, system_text = read_text(network, "a network file"), read_text(system, "a system file")
    first, second = kinds_of(network_text, system_text)
    if first in (NETWORK_2, GRAPH) and second == SYSTEM_2:
        from astra_edu.formats.trace_platform import trace_platform

        texts = network_text, system_text
        return trace_platform(
            network, system, texts, memory, congestion_aware, injection_scale, num_queues_per_dim, rendezvous_protocol
        )
    from astra_edu.system.config import Platform

    if (first, second) == (NETWORK_2, SYSTEM) and has_one_topology(network_text):
        from astra_edu.formats.network_yaml import parse_congested_network
        from astra_edu.network import Dimension

        block = parse_congested_network(network_text, str(network))
        wires = Dimension.of(block.topology.value, block.npus, block.bandwidth, block.latency)
        settings = _settings(system_text, system, injection_scale, num_queues_per_dim, rendezvous_protocol)
        return Platform((wires,), settings, congestion_aware=True)
    if first in OF_2 or second in OF_2:
        raise ConfigError(
            "a network file and a system file of the same version are expected, in this order; "
            f"{network} is {first}, and {system} is {second}."
        )
    if memory is not None or congestion_aware:
        raise ConfigError(
            f"{network} is for ASTRA-sim 1.0, which knows neither remote memory nor congestion (on the command line "
            "`run` is for it, not `run2`)."
        )
    from astra_edu.formats.network_json import parse_network

    dimensions = parse_network(network_text, str(network))
    return Platform(
        dimensions, _settings(system_text, system, injection_scale, num_queues_per_dim, rendezvous_protocol)
    )


def _settings(text: str, name: FileName, injection_scale: float, queues: int, rendezvous: bool) -> SystemConfig:
    from astra_edu.formats.system_text import parse_system

    settings = replace(parse_system(text, str(name)), queues=queues, rendezvous=rendezvous)
    return settings.with_injection_scale(injection_scale)


def save_astra_sim(
    platform: Platform | TracePlatform, network: FileName, system: FileName, memory: FileName | None = None
) -> None:
    """Write a platform as ASTRA-sim's files, for the real simulator to read: of 2.x where it is a TracePlatform.

    A network that is a graph becomes node-link JSON, which NetworkX and load_astra_sim read, but ASTRA-sim doesn't.
    What is an option of ASTRA-sim's command line (num_queues_per_dim, rendezvous_protocol) or the choice of its
    program (congestion_aware) isn't in the files. memory (2.x): where the remote memory file goes.

    >>> from pathlib import Path
    >>> ae.save_astra_sim(ae.preset("ring"), network="ring.json", system="ring.txt")
    >>> print(Path("ring.txt").read_text().splitlines()[0])
    scheduling-policy: LIFO
    """
    if is_a(platform, "astra_edu.system.trace_config.TracePlatform"):
        from astra_edu.formats.trace_platform import save_trace_platform

        save_trace_platform(cast("TracePlatform", platform), network, system, memory)
        return
    if memory is not None:
        raise ConfigError("ASTRA-sim 1.0 has no remote memory file; only a TracePlatform has one.")
    from astra_edu.formats.network_json import format_network
    from astra_edu.formats.network_yaml import format_congested_network
    from astra_edu.formats.system_text import format_system
    from astra_edu.system.config import Platform

    made = instance_of("platform", platform, Platform, 'give one such as ae.preset("dgx2")')
    text = format_system(made.system)
    wires = (format_congested_network if made.congestion_aware else format_network)(made.network)
    write_text(network, wires)
    write_text(system, text)


def save_workload(workload: Workload, path: FileName) -> None:
    """Write ASTRA-sim 1.0's workload file.

    >>> from pathlib import Path
    >>> ae.save_workload(ae.Workload.micro("all-reduce", 2**20), "all_reduce.txt")
    >>> print(Path("all_reduce.txt").read_text(), end="")
    MICRO
    1
    all-reduce -1 0 NONE 0 0 NONE 0 0 ALLREDUCE 1048576 1
    """
    from astra_edu.formats.workload_text import format_workload

    write_text(path, format_workload(workload))


def load_workload(
    path: FileName, comm_scale: float = 1, compute_scale: float = 1, *, groups: FileName | None = None
) -> Any:
    """Read a workload: a Workload from ASTRA-sim 1.0's text file, or a Trace from 2.x's execution traces.

    A trace is given by the prefix of its files (traces/all_reduce for traces/all_reduce.0.et, ...) or as one JSON
    file; groups: the file of its process groups. The scales multiply all communication sizes and all compute times
    of a text file; ASTRA-sim 2.x ignores them, and so does a trace.

    >>> ae.save_workload(ae.Workload.micro("all-to-all", 4096), "work.txt")
    >>> work = ae.load_workload("work.txt", comm_scale=2)
    >>> work.layers[0].weight_gradient.size
    8192
    """
    from astra_edu.traces.trace_files import is_trace

    if groups is not None or is_trace(path):
        from astra_edu.traces.load import load_trace

        return load_trace(path, groups)
    from astra_edu.formats.workload_text import parse_workload

    return parse_workload(read_text(path, "a workload file"), comm_scale, compute_scale, str(path))
