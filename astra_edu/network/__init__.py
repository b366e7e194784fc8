"""The network layer: how long one message takes."""

from astra_edu.network.dimension import Dimension, Topology, dimensions

__all__ = ["Dimension", "Topology", "dimensions"]
