"""Congestion controls: how much, or how fast, a sender may send."""

from astra_edu.network.drops.controls.control import Control, Fixed
from astra_edu.network.drops.controls.cubic import Cubic
from astra_edu.network.drops.controls.dcqcn import Dcqcn
from astra_edu.network.drops.controls.dctcp import Dctcp
from astra_edu.network.drops.controls.newreno import NewReno

CONTROLS: dict[str, type[Control]] = {
    "none": Fixed,
    "newreno": NewReno,
    "cubic": Cubic,
    "dctcp": Dctcp,
    "dcqcn": Dcqcn,
}
"""By the names that Packets(control=...) takes."""

__all__ = ["CONTROLS"]
