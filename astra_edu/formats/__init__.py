"""The files of ASTRA-sim 1.0, read and written."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike

from astra_edu.formats.files import read_text, write_text
from astra_edu.formats.network_json import format_network, parse_network
from astra_edu.formats.system_text import format_system, parse_system
from astra_edu.formats.workload_text import format_workload, parse_workload
from astra_edu.system import Platform
from astra_edu.workload import Workload

__all__ = [
    "format_network",
    "format_system",
    "format_workload",
    "load_astra_sim",
    "load_workload",
    "parse_network",
    "parse_system",
    "parse_workload",
    "save_astra_sim",
    "save_workload",
]

Path = str | PathLike[str]


def load_astra_sim(
    network: Path,
    system: Path,
    injection_scale: float = 1,
    num_queues_per_dim: int = 1,
    rendezvous_protocol: bool = False,
) -> Platform:
    """Read a platform from ASTRA-sim 1.0's network file (JSON) and system file (text).

    The others are its command line's: injection_scale multiplies the endpoint delay; num_queues_per_dim are the
    queues that a dimension's active chunks are divided over; with the rendezvous protocol a message waits for a
    request. Raises ConfigError naming the file, the key, the value and what is allowed.
    """
    dimensions = parse_network(read_text(network, "a network file (JSON)"), str(network))
    settings = parse_system(read_text(system, "a system file"), str(system))
    settings = replace(settings, queues=num_queues_per_dim, rendezvous=rendezvous_protocol)
    return Platform(dimensions, settings.with_injection_scale(injection_scale))


def save_astra_sim(platform: Platform, network: Path, system: Path) -> None:
    """Write a platform as ASTRA-sim 1.0's network file and system file, for the real simulator to read."""
    write_text(network, format_network(platform.network))
    write_text(system, format_system(platform.system))


def save_workload(workload: Workload, path: Path) -> None:
    """Write ASTRA-sim 1.0's workload file."""
    write_text(path, format_workload(workload))


def load_workload(path: Path, comm_scale: float = 1, compute_scale: float = 1) -> Workload:
    """Read ASTRA-sim 1.0's workload file. The scales multiply all communication sizes and all compute times."""
    return parse_workload(read_text(path, "a workload file"), comm_scale, compute_scale, str(path))
