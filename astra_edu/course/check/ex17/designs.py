"""Exercise 17's platforms: two switches, one in each machine and one between them, of any bandwidth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from astra_edu.explore.sweep import sweep
from astra_edu.network import Dimension
from astra_edu.network.cost import network_cost
from astra_edu.run.simulate import simulate
from astra_edu.system import Platform, SystemConfig
from astra_edu.workload import Workload

SIZE = 2**30
"""Bytes of the all-reduce."""
NPUS = (8, 8)
"""Of each dimension."""
PLATFORM = Platform(
    (Dimension.of("Switch", 8, 320, 100), replace(Dimension.of("Switch", 8, 40, 500), kind="Pod")),
    SystemConfig.of("halvingDoubling_halvingDoubling", splits=16),
)
GIVEN = {"workload": Workload.micro("all-reduce", SIZE), "platform": PLATFORM}
"""What every run is given."""
GRID = {
    "platform.network[0].bandwidth": [40, 80, 120, 160, 200, 240, 280, 320, 400, 480, 640],
    "platform.network[1].bandwidth": [5, 10, 15, 20, 25, 30, 35, 40],
    "platform.system.splits": [1, 4, 16, 64],
}
"""What is swept: GB/s (of 2**30) of an NPU's link in a machine and between machines, and chunks of the all-reduce."""

Points = Sequence[tuple[float, float]]
"""Dollars and ns of each design."""


def prices() -> list[float]:
    """Dollars for 1 GB/s of every NPU in each dimension, by ASTRA-sim 1.0's cost model.

    >>> from astra_edu.course.check.ex17.designs import prices
    >>> [round(dollars, 1) for dollars in prices()]
    [1088.0, 5049.6]
    """
    one = [replace(dimension, bandwidth=1.0) for dimension in PLATFORM.network]
    more = [[replace(each, bandwidth=1.0 + (k == d)) for k, each in enumerate(one)] for d in range(len(one))]
    return [network_cost(each) - network_cost(one) for each in more]


@lru_cache(maxsize=1)
def swept() -> list[tuple[float, float]]:
    """Dollars and ns of every platform of the grid, in the order of the sweep."""
    table = sweep(simulate, GRID, given=GIVEN, progress=False)
    return list(zip(table["network_cost"].tolist(), table["at_least_ns"].tolist(), strict=True))
