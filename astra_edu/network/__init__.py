"""The network layer: how long one message takes."""

from astra_edu.network.dimension import Dimension, Topology, dimensions
from astra_edu.network.wires import Flat, Part, Wires

__all__ = ["Dimension", "Flat", "Part", "Topology", "Wires", "dimensions"]
