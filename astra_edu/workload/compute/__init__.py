"""What computing takes: operators by their shapes, their GEMMs, and the devices that run them."""

from astra_edu.workload.compute.attention import Context, Scores, Softmax
from astra_edu.workload.compute.convolution import Convolution, Pool
from astra_edu.workload.compute.device import DEVICES, Device, device
from astra_edu.workload.compute.elementwise import Elementwise, Normalisation
from astra_edu.workload.compute.embedding import Embedding, Interaction
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.linear import Linear, Lstm
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split

__all__ = [
    "DEVICES",
    "Compute",
    "Context",
    "Convolution",
    "Device",
    "Elementwise",
    "Embedding",
    "Gemm",
    "Interaction",
    "Linear",
    "Lstm",
    "Normalisation",
    "Operator",
    "Pool",
    "Scores",
    "Shape",
    "Softmax",
    "Split",
    "device",
]
