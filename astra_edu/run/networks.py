"""The network of a run: what its platform says, or what simulate(..., network=...) was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal, TypeAlias

from astra_edu.base.errors import ConfigError, answer_of, instance_of, shown
from astra_edu.network.carriers import carrier
from astra_edu.network.ns3 import Ns3
from astra_edu.network.protocol import METHODS, Network
from astra_edu.run.own_network import watched
from astra_edu.system.trace_config import TracePlatform
from astra_edu.traces import Trace
from astra_edu.traces.node import COLLECTIVES, NodeType

MakesNetwork: TypeAlias = Callable[[TracePlatform], Network] | Literal["ns-3"]
"""What simulate(..., network=...) takes: network(platform) gives a Network of its own for one run."""


def network_of(platform: TracePlatform, network: MakesNetwork | None = None) -> Network:
    """The network for one run. Raises ConfigError for what makes none."""
    if network is None:
        return carrier(platform.network, platform.congestion_aware, platform.buffers)
    if platform.buffers is not None:
        raise ConfigError(
            "the platform has buffers=SwitchBuffers(...), which only its own network knows; leave out one of buffers= "
            "and network=."
        )
    if isinstance(network, str):
        network = _ns3(network)
    if not callable(network):
        raise ConfigError(
            f'network is {shown(network, 60)}; give "ns-3", or what is called with the platform and gives a network '
            "(send, schedule, ...; see CONTRIBUTING, A network)."
        )
    made = answer_of("network", network, platform)
    missing = [name for name in METHODS if not callable(getattr(made, name, None))]
    missing += [] if hasattr(made, "now") else ["now"]
    if missing:
        raise ConfigError(
            f"network(platform) gave {shown(made, 60)}, which has no {' and no '.join(missing)}; see CONTRIBUTING, A "
            "network, for what a network needs."
        )
    if isinstance(made.now, bool) or made.now != 0:
        raise ConfigError(
            f"network(platform) gave a network whose time (now) is {shown(made.now)}; a run begins at 0 ns, so make a "
            "new network for each."
        )
    own = type(made).__module__.partition(".")[0] == __name__.partition(".")[0]
    return made if own else watched(made)


def check_switches(trace: Trace, platform: TracePlatform) -> None:
    """Raise ConfigError for a trace's collectives that switches add up, where another network carries messages."""
    system = platform.system
    kinds = {
        (node.comm_type, bool(node.group))
        for own in trace.templates.templates
        for node in own
        if node.type is NodeType.COMM_COLL_NODE and node.id not in system.custom_nodes
    }
    for kind, group in kinds:
        what = COLLECTIVES.get(kind)
        hows = system.implementations.get(what, ()) if what and what not in system.custom else ()
        how = next((how for how in hows if how.traits.in_switch), None)
        if how and not (group and len(hows) > 1):
            raise ConfigError(
                f"{how.spelling}: what simulate(..., network=) is given carries each message by itself, and its "
                "switches don't add up; leave it out, or take ring."
            )


def said_of(network: Network) -> dict[str, Any]:
    """What a network says after a run. Raises ConfigError where that is no mapping."""
    return dict(instance_of("what statistics() gave", network.statistics(), Mapping, "give a dict, such as {}"))


def check_times(finish_ns: Sequence[object]) -> None:
    """Raise ConfigError where a network has told things at times that are none."""
    for npu, ns in enumerate(finish_ns):
        if (type(ns) is not int and not isinstance(ns, Integral)) or ns < 0:
            raise ConfigError(
                f"NPU {npu} has finished at {shown(ns)} ns by the network's clock; its times must be whole ns that "
                "never go back."
            )


def _ns3(word: str) -> Ns3:
    if word != "ns-3":
        raise ConfigError(f'network is {shown(word)}; the only word is "ns-3".')
    return Ns3()
