"""Whether a switch is there to add up, for an algorithm that needs one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from astra_edu.base.errors import ConfigError
from astra_edu.network import Row, Wires
from astra_edu.network.topologies import Topology

if TYPE_CHECKING:
    from astra_edu.system.implementation import Implementation
    from astra_edu.system.trace_config import TracePlatform


def check_adds_up(algorithm: str, wires: Wires, dimension: int) -> None:
    """Raise ConfigError where a dimension that switches are to add up on has none, or several in a row."""
    if isinstance(wires, Row):
        raise ConfigError(f"{algorithm} over several dimensions at once: it needs one switch that all NPUs hang on.")
    check_is_switch(algorithm, wires.path(0, 1)[1].topology, dimension)


def check_is_switch(algorithm: str, topology: Topology, dimension: int) -> None:
    """Raise ConfigError for any topology but a switch.

    >>> from astra_edu.network.topologies import Topology
    >>> from astra_edu.system.adds_up import check_is_switch
    >>> try:
    ...     check_is_switch("in-switch", Topology.RING, 0)
    ... except ae.ConfigError as error:
    ...     print(error)
    in-switch has a switch add up, and dimension 0 is a Ring; take ring there, or a Switch.
    """
    if topology != Topology.SWITCH:
        raise ConfigError(
            f"{algorithm} has a switch add up, and dimension {dimension} is a {topology}; take {topology.suits} there, "
            "or a Switch."
        )


def check_trace_platform(platform: TracePlatform, algorithm: str, dimension: int) -> None:
    """Raise ConfigError where no switch adds up, or it isn't known how long that takes, in a trace's platform."""
    if not platform.blocks:
        raise ConfigError(
            f"{algorithm} has one switch add up that a dimension's NPUs hang on; a graph says of no switch that it is "
            "such a one. Take a Block of a Switch, or ring."
        )
    check_is_switch(algorithm, platform.blocks[dimension].topology, dimension)
    if platform.congestion_aware:
        raise ConfigError(
            f"{algorithm}: a switch of the congestion-aware network sends a message on when all of it is there; one "
            "that adds up doesn't wait for that. Take congestion_aware=False, or ring."
        )
    if platform.system.rendezvous:
        raise ConfigError(f"rendezvous-protocol: {algorithm} asks nobody; take ring, or turn it off.")


def check_group(platform: TracePlatform, how: Implementation, given: bool) -> None:
    """Raise ConfigError where switches are to add up for a process group whose NPUs may hang on several of them.

    given: see on_network.
    """
    if not how.traits.in_switch:
        return
    check_trace_platform(platform, how.algorithm, 0)
    if (dims := len(platform.dims)) > 1:
        raise ConfigError(
            f"{how.algorithm} in a process group: its NPUs may hang on several switches, as there are {dims} "
            "dimensions. Give an implementation for each dimension; groups then take a ring, as in ASTRA-sim."
        )
    on_network((how,), given)


def on_network(hows: tuple[Implementation, ...], given: bool) -> tuple[Implementation, ...]:
    """`hows`. Raises ConfigError where switches are to add up on a network that was given, by network=."""
    for how in hows:
        if given and how.traits.in_switch:
            raise ConfigError(
                f"{how.algorithm}: the network that network= gives carries each message by itself, and its switches "
                "add up nothing. Leave network= out, or take ring."
            )
    return hows
