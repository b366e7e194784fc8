"""The network layer: how long one message takes, and who waits for whom.

One message: dimension.py in ASTRA-sim 1.0, block.py in 2.x. Many: messages.py without congestion, links.py with it,
packets.py where switches' buffers end, drops/ with packets under TCP or an RDMA-like control. How NPUs are wired:
topologies/, or a graph of your own, graph.py.
"""

from astra_edu.network.block import Block
from astra_edu.network.buffers import SwitchBuffers
from astra_edu.network.dimension import Dimension, dimensions
from astra_edu.network.drops import Packets
from astra_edu.network.graph import GraphNetwork
from astra_edu.network.ns3 import Ns3
from astra_edu.network.topologies import Topology
from astra_edu.network.wires import Part, Row, Wires

__all__ = [
    "Block",
    "Dimension",
    "GraphNetwork",
    "Ns3",
    "Packets",
    "Part",
    "Row",
    "SwitchBuffers",
    "Topology",
    "Wires",
    "dimensions",
]
