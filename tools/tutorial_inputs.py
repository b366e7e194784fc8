"""Writes the tutorials' input files again from their figures: `python -m tools.tutorial_inputs`.

Source of the figures: the repository astra-sim/tutorials, asplos2022/exercise_1 to _4, asplos2023/exercise_3,
micro2024/chakra-demo/demo2. The platforms' are in astra_edu/run/presets.py.
"""

from __future__ import annotations

from pathlib import Path

from astra_edu import Collective, Dimension, Platform, Strategy, SystemConfig, Workload, generate_workload
from astra_edu.base.files import write_text
from astra_edu.formats import format_congested_network, format_network, format_system, format_workload
from astra_edu.run.presets import preset
from astra_edu.workload import Layer, Work

FOLDER = Path(__file__).parent.parent / "exercises" / "inputs"

# Exercises 1 and 2 of 2022, 3-1 and 3-2 of 2023: one all-reduce, which the command line scales.

ALL_REDUCE = Workload(
    "MICRO",
    (Layer("allreduce", Work(1, None, 0), Work(1, None, 0), Work(1, Collective.ALL_REDUCE, 2**20), update_ns=1),),
)

# Exercise 3 of 2022 comes out of the models. VGG-16 data-parallel: one sample at 46 * 2**40 operations a second, as a
# TPU v2 has; weights and biases in 16 bits. GPT-3 in tensor-parallel groups of 16: 16 samples, 62 * 2**40 a second.

VGG16 = generate_workload("vgg16", Strategy(data=256), "tutorial-46")
GPT3 = generate_workload("gpt3-tutorial", Strategy(tensor=16, data=16, micro_batch=16, recompute="full"), "tutorial-62")

# Exercise 4 of 2022: ns of forward pass, input gradient and weight gradient, bytes of the weights, ns of the update.

EXERCISE_4 = (
    ("conv1", 13003, 12864, 32291, 37632, 3229),
    ("layer_64_1_conv4", 3456, 3648, 7488, 65536, 749),
    ("layer_64_1_conv1", 3456, 3456, 7488, 16384, 749),
    ("layer_64_1_conv2", 10944, 10368, 14144, 147456, 1414),
)

# Demo 2 of 2024, a model-parallel MLP: ns of forward pass, of the weight gradient, bytes, ns of the update. The input
# gradient takes as long as the forward pass.

MLP = (
    (32291, 12864, 37632, 3229),
    (7488, 3648, 65536, 749),
    (7488, 3456, 65536, 749),
    (14144, 10368, 147456, 1414),
    (7488, 3648, 65536, 749),
    (9984, 3456, 65536, 998),
)


def mlp() -> Workload:
    layers = (
        Layer(
            f"mlp{k}",
            Work(forward, Collective.ALL_GATHER, size),
            Work(forward, Collective.ALL_REDUCE, size),
            Work(weight_gradient, None, 0),
            update,
        )
        for k, (forward, weight_gradient, size, update) in enumerate(MLP)
    )
    return Workload("MODEL", tuple(layers))


def exercise_4(loop: str) -> Workload:
    layers = (
        Layer(
            name, Work(forward, None, 0), Work(input_gradient, None, 0), Work(ns, Collective.ALL_REDUCE, size), update
        )
        for name, forward, input_gradient, ns, size, update in EXERCISE_4
    )
    return Workload(loop, tuple(layers))


def files() -> dict[str, str]:
    """The text of every file by its path below the folder."""
    misfit = Platform(
        (Dimension.of("Switch", 64, 50, 500),), SystemConfig.of("direct", boost=False)
    )  # what 3-2 of 2023 is about
    platforms = {
        "asplos2022/ex1/ring": preset("ring"),
        "asplos2022/ex2/ring": preset("ring"),
        "asplos2022/ex2/switch": preset("switch"),
        "asplos2022/ex2/fullyconnected": preset("fully-connected"),
        "asplos2022/ex3/dgx2": preset("dgx2"),
        "asplos2022/ex3/tpu": preset("tpu"),
        "asplos2022/ex4/torus": preset("torus"),
        "asplos2023/ex3-2/direct": misfit,
    }
    workloads = {
        "asplos2022/ex1/all_reduce": ALL_REDUCE,
        "asplos2022/ex2/all_reduce": ALL_REDUCE,
        "asplos2022/ex3/vgg16": VGG16,
        "asplos2022/ex3/gpt3": GPT3,
        "asplos2022/ex4/vanilla": exercise_4("DATA"),
        "asplos2022/ex4/reorder": exercise_4("DATA_REORDER"),
        "asplos2023/ex3-1/all_reduce": ALL_REDUCE,
        "asplos2023/ex3-2/all_reduce": ALL_REDUCE,
        "micro2024/mlp": mlp(),
    }
    return {
        **{f"{path}.json": format_network(platform.network) for path, platform in platforms.items()},
        **{f"{path}.txt": format_system(platform.system) for path, platform in platforms.items()},
        "asplos2023/ex3-2/congestion.yml": format_congested_network(misfit.network),
        "asplos2023/ex3-1/3d_switch.json": format_network(preset("3d-switch").network),
        "asplos2023/ex3-1/3d_switch_baseline.txt": format_system(preset("3d-switch").system),
        "asplos2023/ex3-1/3d_switch_themis.txt": format_system(preset("3d-switch-themis").system),
        **{f"{path}.txt": format_workload(workload) for path, workload in workloads.items()},
    }


def write(folder: Path = FOLDER) -> None:
    """Write every file below `folder`."""
    for path, text in files().items():
        write_text(folder / path, text)


if __name__ == "__main__":
    write()
