"""Writes the tutorials' input files again from their figures: `python -m tools.tutorial_inputs`.

Source of the figures: the repository astra-sim/tutorials, asplos2022/exercise_1 to _4, asplos2023/exercise_3. The
platforms' are in astra_edu/presets.py.
"""

from __future__ import annotations

from pathlib import Path

from astra_edu import Collective, Dimension, Platform, SystemConfig, Workload
from astra_edu.formats import format_network, format_system, format_workload
from astra_edu.formats.files import write_text
from astra_edu.presets import preset
from astra_edu.workload import Layer, Work

FOLDER = Path(__file__).parent.parent / "exercises" / "inputs"

# Exercises 1 and 2 of 2022, 3-1 and 3-2 of 2023: one all-reduce, which the command line scales.

ALL_REDUCE = Workload(
    "MICRO",
    (Layer("allreduce", Work(1, None, 0), Work(1, None, 0), Work(1, Collective.ALL_REDUCE, 2**20), update_ns=1),),
)

# Exercise 3 of 2022: ns on a TPU v2 (each of the three phases takes as long), bytes of a layer's weights (fp16).

VGG16 = (
    ("block1_conv1", 3429, 3584),
    ("block1_conv2", 73143, 73856),
    ("block2_conv1", 36571, 147712),
    ("block2_conv2", 73143, 295168),
    ("block3_conv1", 36571, 590336),
    ("block3_conv2", 73143, 1180160),
    ("block3_conv3", 73143, 1180160),
    ("block4_conv1", 36571, 2360320),
    ("block4_conv2", 73143, 4719616),
    ("block4_conv3", 73143, 4719616),
    ("block5_conv1", 18286, 4719616),
    ("block5_conv2", 18286, 4719616),
    ("block5_conv3", 18286, 4719616),
    ("fc1", 4063, 205529088),
    ("fc2", 663, 33562624),
    ("predictions", 162, 8194000),
)

# GPT-3's first three layers on 16-way tensor parallelism: fp16, batch 16, sequence 2048, hidden 12288. The ns are
# those of 62 * 2**40 operations a second, VGG16's those of 46 * 2**40, which is what a TPU v2 has.

ACTIVATIONS = 2 * 16 * 2048 * 12288  # bytes
WEIGHTS = 2 * 12288 * 12288 // 16  # bytes of one of the 16 parts of a matrix of hidden * hidden
VOCABULARY = 2250  # a part's share of the words

Communication = tuple[Collective | None, int]
NONE: Communication = (None, 0)
REDUCE: Communication = (Collective.ALL_REDUCE, ACTIVATIONS)
GATHER: Communication = (Collective.ALL_GATHER, ACTIVATIONS // 16)
GATHER_WORDS: Communication = (Collective.ALL_GATHER, 2 * 16 * 2048 * VOCABULARY)

GPT3_LAYER = (  # name, ns of each phase, forward, input gradient, bytes of the weight gradient
    ("Q{}", 9072581, NONE, REDUCE, WEIGHTS),
    ("K{}", 9072581, NONE, NONE, WEIGHTS),
    ("V{}", 9072581, NONE, NONE, WEIGHTS),
    ("QK{}", 756048, NONE, NONE, 0),
    ("softmax{}", 756048, NONE, NONE, 0),
    ("concat{}", 9072581, REDUCE, GATHER, WEIGHTS),
    ("X{}W1b1", 36290323, NONE, REDUCE, 4 * WEIGHTS),
    ("X{}W2b2", 36290323, REDUCE, NONE, 4 * WEIGHTS),
    ("layerNorm{}", 11813, NONE, NONE, 0),
)
GPT3_LAST = ("projection", 26579826, GATHER_WORDS, REDUCE, 2 * 12288 * VOCABULARY)
GPT3_OPTIONS = "model_parallel_NPU_group: 16 checkpoints: 3 0 9 18 checkpoint_initiates: 3 26 17 8"

# Exercise 4 of 2022: ns of forward pass, input gradient and weight gradient, bytes of the weights, ns of the update.

EXERCISE_4 = (
    ("conv1", 13003, 12864, 32291, 37632, 3229),
    ("layer_64_1_conv4", 3456, 3648, 7488, 65536, 749),
    ("layer_64_1_conv1", 3456, 3456, 7488, 16384, 749),
    ("layer_64_1_conv2", 10944, 10368, 14144, 147456, 1414),
)


def weight_gradient(ns: int, size: int) -> Work:
    return Work(ns, Collective.ALL_REDUCE if size else None, size)


def vgg16() -> Workload:
    layers = (
        Layer(name, Work(ns, None, 0), Work(ns, None, 0), weight_gradient(ns, size), update_ns=1)
        for name, ns, size in VGG16
    )
    return Workload("DATA", tuple(layers))


def gpt3() -> Workload:
    rows = [(row, n) for n in (1, 2, 3) for row in GPT3_LAYER] + [(GPT3_LAST, 0)]
    layers = (
        Layer(name.format(n), Work(ns, *forward), Work(ns, *input_gradient), weight_gradient(ns, size), update_ns=1)
        for (name, ns, forward, input_gradient, size), n in rows
    )
    return Workload("HYBRID_TRANSFORMER_FWD_IN_BCKWD", tuple(layers), tuple(GPT3_OPTIONS.split()))


def exercise_4(loop: str) -> Workload:
    layers = (
        Layer(name, Work(forward, None, 0), Work(input_gradient, None, 0), weight_gradient(ns, size), update)
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
        "asplos2022/ex3/vgg16": vgg16(),
        "asplos2022/ex3/gpt3": gpt3(),
        "asplos2022/ex4/vanilla": exercise_4("DATA"),
        "asplos2022/ex4/reorder": exercise_4("DATA_REORDER"),
        "asplos2023/ex3-1/all_reduce": ALL_REDUCE,
        "asplos2023/ex3-2/all_reduce": ALL_REDUCE,
    }
    return {
        **{f"{path}.json": format_network(platform.network) for path, platform in platforms.items()},
        **{f"{path}.txt": format_system(platform.system) for path, platform in platforms.items()},
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
