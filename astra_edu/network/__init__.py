"""The network layer: how long one message takes."""

from astra_edu.network.block import Block
from astra_edu.network.dimension import Dimension, Topology, dimensions
from astra_edu.network.wires import Part, Row, Wires

__all__ = ["Block", "Dimension", "Part", "Row", "Topology", "Wires", "dimensions"]
