"""What computing takes: operators by their shapes, their GEMMs, and the devices that run them."""

from astra_edu.workload.compute.attention import Context, Scores, Softmax
from astra_edu.workload.compute.calibration import Calibration
from astra_edu.workload.compute.convolution import Convolution, Pool
from astra_edu.workload.compute.device import Device
from astra_edu.workload.compute.devices import DEVICES, device
from astra_edu.workload.compute.elementwise import Elementwise, Gated, Normalisation
from astra_edu.workload.compute.embedding import Embedding, Interaction
from astra_edu.workload.compute.experts import Combine, Dispatch, Experts
from astra_edu.workload.compute.flash import FlashAttention
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.irregular import IRREGULAR, irregular_foldings
from astra_edu.workload.compute.kernels import Kernels, Tile
from astra_edu.workload.compute.linear import Linear, Lstm
from astra_edu.workload.compute.loss import Loss
from astra_edu.workload.compute.machine import Machine
from astra_edu.workload.compute.machines import MACHINES, machine
from astra_edu.workload.compute.operator import Compute, Operator, Shape, Split
from astra_edu.workload.compute.positions import QueryKeyNorm, Rotary
from astra_edu.workload.compute.projections import Latent, LatentKeysValues, QueryKeyValue
from astra_edu.workload.compute.sparsity import two_of_four
from astra_edu.workload.compute.state_space import StateSpace
from astra_edu.workload.compute.systolic import DATAFLOWS, Fold, Folding, SystolicArray

__all__ = [
    "DATAFLOWS",
    "DEVICES",
    "IRREGULAR",
    "MACHINES",
    "Calibration",
    "Combine",
    "Compute",
    "Context",
    "Convolution",
    "Device",
    "Dispatch",
    "Elementwise",
    "Embedding",
    "Experts",
    "FlashAttention",
    "Fold",
    "Folding",
    "Gated",
    "Gemm",
    "Interaction",
    "Kernels",
    "Latent",
    "LatentKeysValues",
    "Linear",
    "Loss",
    "Lstm",
    "Machine",
    "Normalisation",
    "Operator",
    "Pool",
    "QueryKeyNorm",
    "QueryKeyValue",
    "Rotary",
    "Scores",
    "Shape",
    "Softmax",
    "Split",
    "StateSpace",
    "SystolicArray",
    "Tile",
    "device",
    "irregular_foldings",
    "machine",
    "two_of_four",
]
