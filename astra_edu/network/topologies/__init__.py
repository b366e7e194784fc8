"""How the NPUs of a dimension are wired: one file a topology, and all of them by their names."""

from astra_edu.network.topologies.dragonfly import Dragonfly
from astra_edu.network.topologies.fully_connected import FullyConnected
from astra_edu.network.topologies.hypercube import Hypercube
from astra_edu.network.topologies.mesh import Mesh
from astra_edu.network.topologies.ring import Ring
from astra_edu.network.topologies.switch import Switch
from astra_edu.network.topologies.topology import TOPOLOGIES, Topology, find, register
from astra_edu.network.topologies.torus import Torus

__all__ = [
    "TOPOLOGIES",
    "Dragonfly",
    "FullyConnected",
    "Hypercube",
    "Mesh",
    "Ring",
    "Switch",
    "Topology",
    "Torus",
    "find",
    "register",
]

Topology.RING = register(Ring())
Topology.FULLY_CONNECTED = register(FullyConnected())
Topology.SWITCH = register(Switch())
TOPOLOGIES |= {example.value: example for example in (Mesh(), Torus(), Hypercube(), Dragonfly())}
