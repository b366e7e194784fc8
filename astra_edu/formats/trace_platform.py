"""The platform of ASTRA-sim 2.x from its three files, and back."""

from __future__ import annotations

from dataclasses import replace

from astra_edu.base.errors import ConfigError
from astra_edu.base.files import FileName, read_text, write_text
from astra_edu.formats.custom_traces import CustomTraces
from astra_edu.formats.kinds import is_graph
from astra_edu.formats.memory_json import format_memory, parse_memory
from astra_edu.formats.network_graph import format_graph, parse_graph
from astra_edu.formats.network_yaml import format_network_2, parse_network_2
from astra_edu.formats.notices import notice
from astra_edu.formats.system_json import format_system_2, parse_system_2
from astra_edu.network import GraphNetwork
from astra_edu.system import RemoteMemory, TracePlatform


def trace_platform(
    network: FileName,
    system: FileName,
    texts: tuple[str, str],
    memory: FileName | None,
    congestion_aware: bool,
    injection_scale: float,
    queues: int,
    rendezvous: bool,
) -> TracePlatform:
    """The platform in these files. Raises ConfigError where they contradict each other.

    texts: what is in the first two. Warns where a collective has an implementation for the first dimensions only: it
    doesn't use the others.
    """
    for option, value in (("congestion_aware", congestion_aware), ("rendezvous_protocol", rendezvous)):
        if not isinstance(value, bool):
            raise ConfigError(f"{option} is {value!r:.60}; it must be True or False.")
    text, system_text = texts
    wires = (parse_graph if is_graph(text) else parse_network_2)(text, str(network))
    settings = parse_system_2(system_text, str(system), CustomTraces(system), injection_scale)
    settings = replace(settings, queues=queues, rendezvous=rendezvous)
    try:
        platform = TracePlatform(wires, settings, RemoteMemory(), congestion_aware)
    except ConfigError as error:
        raise ConfigError(f"{network}: {error}") from None
    _compare_dimensions(platform, network, system)
    if memory is None:
        return platform
    text = read_text(memory, "a remote memory file")
    return replace(platform, memory=parse_memory(text, str(memory), platform.npus))


def _compare_dimensions(platform: TracePlatform, network: FileName, system: FileName) -> None:
    dims = len(platform.dims)
    few = []
    for collective, hows in platform.system.implementations.items():
        try:
            used = platform.implementations(collective)
        except ConfigError as error:
            raise ConfigError(f"{system} and {network}: {error}") from None
        if not used[0].flat and len(used) < dims:
            few.append(f"{collective}-implementation ({len(hows)})")
    if few:
        notice(
            f"{system}: {', '.join(few)} {'has' if len(few) == 1 else 'have'} fewer entries than the {dims} dimensions "
            f"of {network}; such a collective runs over the first dimensions only, and nothing crosses the others."
        )


def save_trace_platform(platform: TracePlatform, network: FileName, system: FileName, memory: FileName | None) -> None:
    """Write the files. Raises ConfigError for what they have no place for: buffers, a memory without a file.

    Warns of a network that ASTRA-sim doesn't read: a graph, and topologies of ours.
    """
    if platform.buffers:
        raise ConfigError(
            "ASTRA-sim's files have no place for the buffers of switches; take it out of the platform to save it."
        )
    if memory is None and platform.memory != RemoteMemory():
        raise ConfigError(
            f"the platform has a remote memory ({platform.memory.kind}); give its file a name, too: memory=..."
        )
    if isinstance(platform.network, GraphNetwork):
        notice(f"{network}: ASTRA-sim reads no graphs; astra_edu reads this network file, the original doesn't.")
        wires = format_graph(platform.network)
    else:
        wires = format_network_2(platform.blocks)
    texts = wires, format_system_2(platform.system)
    for path, text in zip((network, system), texts, strict=True):
        write_text(path, text)
    if memory is not None:
        write_text(memory, format_memory(platform.memory, platform.npus))
