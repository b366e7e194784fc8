"""A torus: a mesh whose rows are closed to rings."""

from __future__ import annotations

from astra_edu.network.topologies.mesh import Mesh


class Torus(Mesh):
    """Torus() is as square as its number of NPUs allows; Torus(4, 4, 4) is a cube. All in one dimension.

    Several dimensions that are rings make a torus, too; then a collective runs along one ring after the other.
    Messages go along the first side first, the shorter way round, upwards if both are as long.

    >>> Torus().route(16, 0, 11), len(Torus(4, 4, 4).links(64))
    ([0, 3, 7, 11], 384)
    """

    spelling = "Torus"
    closed = True
    _shift = 0.12  # so that the links which close a row are not hidden behind it
