"""The endpoint: what feeds the network, what it reads from memory for that, and what is left for computing."""

from astra_edu.course.studies.endpoint.published import LESS_MEMORY, NAMES, NETWORK_USE, SPEED_UP, Published
from astra_edu.course.studies.endpoint.torus import network_bytes_per_s, torus, torus_all_reduce
from astra_edu.course.studies.endpoint.traffic import Access, Traffic, accesses, memory_reads_per_network_byte, traffic
from astra_edu.course.studies.endpoint.training import gain, iteration, iterations, network_share, speed_up
from astra_edu.course.studies.endpoint.variants import (
    ACE,
    BASELINES,
    COMM_OPT,
    COMP_OPT,
    ENDPOINTS,
    IDEAL,
    NO_OVERLAP,
    Endpoint,
)

__all__ = [
    "ACE",
    "BASELINES",
    "COMM_OPT",
    "COMP_OPT",
    "ENDPOINTS",
    "IDEAL",
    "LESS_MEMORY",
    "NAMES",
    "NETWORK_USE",
    "NO_OVERLAP",
    "SPEED_UP",
    "Access",
    "Endpoint",
    "Published",
    "Traffic",
    "accesses",
    "gain",
    "iteration",
    "iterations",
    "memory_reads_per_network_byte",
    "network_bytes_per_s",
    "network_share",
    "speed_up",
    "torus",
    "torus_all_reduce",
    "traffic",
]
