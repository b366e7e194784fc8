"""What the abstract of the ACE paper says: Rashidi et al., ISCA 2021, arXiv 2007.00156.

Averages are over several sizes of the network. How the effective network bandwidth is defined isn't said there.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Published(NamedTuple):
    """How many times as much, or as fast, with ACE as with the best baseline.

    >>> from astra_edu.studies.endpoint import SPEED_UP
    >>> for model, published in SPEED_UP.items():
    ...     print(model, published.mean, published.most)
    resnet50 1.41 1.51
    gnmt 1.12 1.17
    dlrm 1.13 1.19
    """

    mean: float
    most: float


SPEED_UP: Mapping[str, Published] = MappingProxyType(
    {"resnet50": Published(1.41, 1.51), "gnmt": Published(1.12, 1.17), "dlrm": Published(1.13, 1.19)}
)
"""Of a training iteration, by the model's name here."""

NETWORK_USE = Published(1.44, 2.67)
"""Of the effective network bandwidth. The abstract on the authors' page at research.facebook.com says 2.52 at most."""

NAMES: Mapping[str, str] = MappingProxyType({"resnet50": "ResNet-50", "gnmt": "GNMT", "dlrm": "DLRM"})
"""How the paper writes them."""

LESS_MEMORY = 3.5
"""How many times less memory bandwidth is needed to drive the same network bandwidth."""
