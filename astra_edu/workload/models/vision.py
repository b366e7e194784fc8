"""Networks that classify images of 224 × 224 pixels into 1,000 classes: VGG-16 and ResNet-50."""

from __future__ import annotations

from astra_edu.workload.compute import Convolution, Elementwise, Linear, Normalisation, Operator, Pool
from astra_edu.workload.models.model import Model

_VGG16 = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))  # convolutions of a block, filters of each
_RESNET50 = ((3, 64), (4, 128), (6, 256), (3, 512))  # blocks of a stage, filters inside each


def vgg16() -> Model:
    """VGG-16: Simonyan and Zisserman, arXiv 1409.1556, configuration D."""
    operators: list[Operator] = []
    channels, pixels = 3, 224
    for block, (convolutions, filters) in enumerate(_VGG16, start=1):
        for i in range(1, convolutions + 1):
            name = f"block{block}_conv{i}"
            operators.append(
                Convolution(name=name, channels=channels, height=pixels, width=pixels, filters=filters, kernel=3)
            )
            operators.append(_relu(name, filters, pixels))
            channels = filters
        operators.append(Pool(name=f"block{block}_pool", shape=(channels, pixels, pixels), window=2, stride=2))
        pixels //= 2
    for name, inputs, outputs in (("fc1", 512 * 7 * 7, 4096), ("fc2", 4096, 4096)):
        operators.append(Linear(name=name, inputs=inputs, outputs=outputs))
        operators.append(Elementwise(name=f"{name}_relu", shape=(1, outputs), operations=0, kept=0))
    operators.append(Linear(name="predictions", inputs=4096, outputs=1000))
    return Model("VGG-16", tuple(operators), published=138_357_544, exact=True, source="torchvision.models.vgg16")


def resnet50() -> Model:
    """ResNet-50: He et al., arXiv 1512.03385, with the stride in the 3 × 3 convolution as torchvision has it."""
    operators: list[Operator] = [
        Convolution(name="conv1", channels=3, height=224, width=224, filters=64, kernel=7, stride=2, bias=False),
        Normalisation(name="conv1_bn", shape=(64, 112, 112)),
        _relu("conv1", 64, 112),
        Pool(name="pool1", shape=(64, 112, 112), window=3, stride=2, padding=1),
    ]
    channels, pixels = 64, 56
    for stage, (blocks, filters) in enumerate(_RESNET50, start=2):
        for block in range(1, blocks + 1):
            stride = 2 if block == 1 and stage > 2 else 1
            operators += _bottleneck(f"conv{stage}_{block}", operators[-1].name, channels, pixels, filters, stride)
            channels, pixels = 4 * filters, pixels // stride
    operators.append(Pool(name="pool5", shape=(channels, pixels, pixels), window=pixels, stride=pixels))
    operators.append(Linear(name="fc", inputs=channels, outputs=1000))
    return Model("ResNet-50", tuple(operators), published=25_557_032, exact=True, source="torchvision.models.resnet50")


def _bottleneck(name: str, entry: str, channels: int, pixels: int, filters: int, stride: int) -> list[Operator]:
    """1 × 1, 3 × 3 and 1 × 1 convolutions, added to the block's input, which is reshaped where it doesn't fit."""
    after = pixels // stride
    operators: list[Operator] = []
    layers = (
        (channels, filters, 1, pixels, 1),
        (filters, filters, 3, pixels, stride),
        (filters, 4 * filters, 1, after, 1),
    )
    for i, (inputs, outputs, kernel, size, step) in enumerate(layers, start=1):
        operators += _normalised(f"{name}_{i}", inputs, outputs, kernel, size, step)
        if i < 3:
            operators.append(_relu(f"{name}_{i}", outputs, size // step))
    added = (operators[-1].name, entry)
    if stride > 1 or channels != 4 * filters:
        operators += _normalised(f"{name}_shortcut", channels, 4 * filters, 1, pixels, stride, after=(entry,))
        added = (added[0], operators[-1].name)
    shape = (4 * filters, after, after)
    operators.append(Elementwise(name=f"{name}_add", shape=shape, inputs=2, kept=0, after=added))
    operators.append(_relu(name, 4 * filters, after))
    return operators


def _normalised(
    name: str, inputs: int, outputs: int, kernel: int, pixels: int, stride: int, after: tuple[str, ...] = ()
) -> list[Operator]:
    convolution = Convolution(
        name=name,
        channels=inputs,
        height=pixels,
        width=pixels,
        filters=outputs,
        kernel=kernel,
        stride=stride,
        bias=False,
        after=after,
    )
    return [convolution, Normalisation(name=f"{name}_bn", shape=convolution.gives)]


def _relu(name: str, channels: int, pixels: int) -> Elementwise:
    """In place: what the next operator keeps is all the backward pass needs."""
    return Elementwise(name=f"{name}_relu", shape=(channels, pixels, pixels), operations=0, kept=0)
