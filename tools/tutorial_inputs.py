"""Writes the tutorials' input files again from their figures: `python -m tools.tutorial_inputs`.

Source of the figures: the repository astra-sim/tutorials, asplos2022/exercise_1 and _2, asplos2023/exercise_3.
"""

from __future__ import annotations

from pathlib import Path

from astra_edu import Collective, Dimension, Platform, SystemConfig, Workload, save_astra_sim, save_workload
from astra_edu.workload import Layer, Work

FOLDER = Path(__file__).parent.parent / "exercises" / "inputs"

NOTHING = Work(1, None, 0)
ALL_REDUCE_1_MIB = Workload(
    "MICRO", (Layer("allreduce", NOTHING, NOTHING, Work(1, Collective.ALL_REDUCE, 2**20), update_ns=1),)
)

RING = Platform((Dimension.of("Ring", 8, 50, 500),), SystemConfig.of("ring"))
SWITCH = Platform((Dimension.of("Switch", 8, 50, 500),), SystemConfig.of("halvingDoubling"))
FULLY_CONNECTED = Platform((Dimension.of("FullyConnected", 8, 50, 500),), SystemConfig.of("direct"))
SWITCH_64 = Platform((Dimension.of("Switch", 64, 50, 500),), SystemConfig.of("direct"))

PLATFORMS = {
    "asplos2022/ex1": {"ring": RING},
    "asplos2022/ex2": {"ring": RING, "switch": SWITCH, "fullyconnected": FULLY_CONNECTED},
    "asplos2023/ex3-2": {"direct": SWITCH_64},
}


def write(folder: Path = FOLDER) -> None:
    """Write every file below `folder`."""
    for exercise, platforms in PLATFORMS.items():
        for name, platform in platforms.items():
            save_astra_sim(platform, folder / exercise / f"{name}.json", folder / exercise / f"{name}.txt")
        save_workload(ALL_REDUCE_1_MIB, folder / exercise / "all_reduce.txt")


if __name__ == "__main__":
    write()
