"""Devices by name, and how long they compute by the roofline: what takes longer, the operations or the bytes.

The roofline: Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model", CACM 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

from astra_edu.base.errors import ConfigError, choice, instance_of, not_negative, positive, shown, text_of
from astra_edu.base.table import Table
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.kernels import Kernels
from astra_edu.workload.compute.operator import Compute
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

SMALLEST, LARGEST = 1e-9, 1e30
GB, GIB = 10**9, 2**30
TERA = 10**12


@dataclass(frozen=True)
class Device:
    """What one NPU computes with.

    flops_per_s: peak of matrix products in 16 bits. memory_bytes_per_s: None leaves memory out of account.
    memory_bytes: what fits. matrix_efficiency, memory_efficiency: the share of each peak that is reached.
    array, clock_hz: systolic arrays that matrix products are folded onto, by the best dataflow for each; with them a
    product takes no less than its folds do. kernels: how products become tiles and waves, and what launching costs;
    without, a product of any shape reaches the peak, and kernels follow each other without a pause.

    >>> mine = ae.Device("mine", flops_per_s=100e12, memory_bytes_per_s=1e12)
    >>> mine.ridge
    100.0
    >>> mine.gemm_ns(ae.Gemm(1024, 1024, 1024), element_bytes=2)
    21474.83648
    """

    name: str
    flops_per_s: float
    memory_bytes_per_s: float | None = None
    memory_bytes: int | None = None
    source: str = ""
    matrix_efficiency: float = 1
    memory_efficiency: float = 1
    array: SystolicArray | None = None
    clock_hz: float | None = None
    kernels: Kernels | None = None

    def __post_init__(self) -> None:
        text_of("name of a device", self.name)
        text_of(f"{self.name}: source", self.source)
        self._keep("operations per second", "flops_per_s")
        for what in ("memory_bytes_per_s", "memory_bytes"):
            if getattr(self, what) is not None:
                self._keep(what, what)
        for what in ("matrix_efficiency", "memory_efficiency"):
            if self._keep(what, what) > 1:
                raise ConfigError(
                    f"{self.name}: {what} is {getattr(self, what)}; it is a share of the peak, 1 at most."
                )
        if not isinstance(self.array, SystolicArray | None):
            raise ConfigError(f"{self.name}: array is {shown(self.array)}; give one such as SystolicArray(128, 128).")
        if not isinstance(self.kernels, Kernels | None):
            raise ConfigError(f"{self.name}: kernels is {shown(self.kernels)}; give some such as Kernels(units=108).")
        if (self.array is None) != (self.clock_hz is None):
            raise ConfigError(f"{self.name} has array={self.array} and clock_hz={self.clock_hz}; give both or neither.")
        if self.clock_hz is not None:
            self._keep("clock_hz", "clock_hz")

    def _keep(self, what: str, name: str) -> float:
        """Check a rate or a share, and keep a number of another library as one of Python's."""
        value = getattr(self, name)
        number = positive(f"{self.name}: {what}", value)
        if not SMALLEST <= number <= LARGEST:
            raise ConfigError(f"{self.name}: {what} is {number:g}; {SMALLEST:g} to {LARGEST:g} can be calculated with.")
        object.__setattr__(self, name, _plain(number, value))
        return number

    @property
    def ridge(self) -> float:
        """Operations for each byte above which a kernel is bound by the operations (0 without memory)."""
        bandwidth = self.memory_bytes_per_s
        if bandwidth is None:
            return 0
        return self.flops_per_s * self.matrix_efficiency / (bandwidth * self.memory_efficiency)

    def gemm_ns(self, gemm: Gemm, element_bytes: float = 2) -> float:
        """ns of one matrix product whose factors are read and whose result is written once."""
        instance_of("gemm", gemm, Gemm, "give a product such as ae.Gemm(64, 48, 40)")
        element_bytes = _plain(positive("element_bytes", element_bytes), element_bytes)
        return max(self._busy_ns(gemm), self.memory_ns(gemm.elements * element_bytes)) + self._launch_ns

    def compute_ns(self, compute: Compute, element_bytes: float = 2) -> float:
        """ns of a phase: its matrix products one after the other, then its other kernels."""
        element_bytes = self._checked(compute, element_bytes)
        others = max(self.operations_ns(compute.operations), self.memory_ns(compute.elements * element_bytes))
        if self.kernels:
            others += (compute.launches - len(compute.gemms)) * self._launch_ns
        return sum(self.gemm_ns(gemm, element_bytes) for gemm in compute.gemms) + others

    def host_ns(self, compute: Compute) -> float:
        """ns that the host takes to launch a phase's kernels; 0 for a device without `kernels`."""
        self._checked(compute, 1)
        return compute.launches * self.kernels.host_ns if self.kernels else 0

    def bound(self, compute: Compute, element_bytes: float = 2) -> str:
        """Which bound holds: "operations" (with their folds, or their tiles), or "memory"."""
        element_bytes = self._checked(compute, element_bytes)
        moved = (compute.elements + sum(gemm.elements for gemm in compute.gemms)) * element_bytes
        busy = sum(map(self._busy_ns, compute.gemms)) + self.operations_ns(compute.operations)
        return "operations" if busy >= self.memory_ns(moved) else "memory"

    def _busy_ns(self, gemm: Gemm) -> float:
        """ns of a product without its memory."""
        alone = self.operations_ns(gemm.flops) / (self.kernels.share(gemm) if self.kernels else 1)
        return max(alone, self.folds_ns(gemm))

    @property
    def _launch_ns(self) -> float:
        return self.kernels.launch_ns if self.kernels else 0

    def folds_ns(self, gemm: Gemm) -> float:
        """ns that the product's folds take on the systolic arrays alone; 0 without arrays."""
        instance_of("gemm", gemm, Gemm, "give a product such as ae.Gemm(64, 48, 40)")
        if self.array is None or self.clock_hz is None:
            return 0
        last = min(Folding(gemm, self.array, flow).cycles for flow in DATAFLOWS)  # the last cycle's number, from 0 on
        return (last + 1) / self.clock_hz * 1e9

    def operations_ns(self, flops: float) -> float:
        """ns that the operations alone take."""
        return not_negative("flops", flops) / (self.flops_per_s * self.matrix_efficiency) * 1e9

    def memory_ns(self, moved_bytes: float) -> float:
        """ns that reading and writing alone take."""
        if self.memory_bytes_per_s is None:
            return 0
        return not_negative("moved_bytes", moved_bytes) / (self.memory_bytes_per_s * self.memory_efficiency) * 1e9

    @staticmethod
    def _checked(compute: Compute, element_bytes: float) -> float:
        instance_of("compute", compute, Compute, "give what a phase computes, such as operator.forward(batch)")
        return _plain(positive("element_bytes", element_bytes), element_bytes)


def _plain(number: float, value: object) -> float:
    """What was given, where it is a number of Python's: a whole one stays whole. Else the same as a float."""
    return value if type(value) in (int, float) else number  # type: ignore[return-value]


def device(name: str | Device) -> Device:
    """The device called `name`, such as "a100", or one that is given. Raises ConfigError with the names for others.

    >>> a100 = ae.device("a100")
    >>> f"{a100.ridge:.0f} operations for each byte"
    '153 operations for each byte'
    """
    return name if isinstance(name, Device) else DEVICES[choice("device", name, DEVICES)]


def _cells(device: Device) -> list[str]:
    bandwidth = f"{device.memory_bytes_per_s / GB:,.0f}" if device.memory_bytes_per_s else ""
    memory = f"{device.memory_bytes / GIB:,.0f}" if device.memory_bytes else ""
    return [f"{device.flops_per_s / TERA:,.1f}", bandwidth, memory, device.source]


_TPU = "Jouppi et al., CACM 2020, table 2: a chip of 2 cores, bfloat16"

DEVICES: Table[Device] = Table(
    "devices",
    ["10¹² operations/s", "10⁹ bytes/s", "GiB", "source"],
    _cells,
    {
        d.name: d
        for d in (
            Device("tutorial-46", 46 * 2**40, source="ASPLOS 2022 tutorial, exercise 3: VGG-16, 46 × 2⁴⁰ a second"),
            Device("tutorial-62", 62 * 2**40, source="ASPLOS 2022 tutorial, exercise 3: GPT-3, 62 × 2⁴⁰ a second"),
            Device("v100", 125 * TERA, 900 * GB, 32 * GIB, "NVIDIA V100 datasheet: SXM2, tensor cores, 32 GB of HBM2"),
            Device("a100", 312 * TERA, 2039 * GB, 80 * GIB, "NVIDIA A100 datasheet: SXM, 80 GB of HBM2e, dense FP16"),
            Device("h100", 989.4 * TERA, 3350 * GB, 80 * GIB, "NVIDIA H100 datasheet: SXM5, 80 GB of HBM3, dense FP16"),
            Device("tpu-v2", 46 * TERA, 700 * GB, 16 * GIB, f"{_TPU}, 16 GB of HBM"),
            Device("tpu-v3", 123 * TERA, 900 * GB, 32 * GIB, f"{_TPU}, 32 GB of HBM"),
        )
    },
)
"""Every device by its name. Peaks are the makers' figures for dense products in 16 bits.

Compared with public pages: V100's 125 × 10¹² with NVIDIA's "Programming Tensor Cores in CUDA 9", its memory, A100 and
H100 with tables made from NVIDIA's datasheets (glennklockwood.com; jeffcarp.github.io/ml-hyperpolyglot, whose 1,979 for
H100 counts sparse products), TPU v3 with cloud.google.com/tpu/docs/v3, TPU v2 with the figures that ParaGraph
(paragraph-sim on GitHub) takes from the CACM article; its 16 GB with 64 GB for four (RiseML's comparison with V100).
"""
