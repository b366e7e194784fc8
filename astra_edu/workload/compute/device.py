"""A device, and how long it computes by the roofline: what takes longer, the operations or the bytes.

The roofline: Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance Model", CACM 2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from astra_edu.base.errors import ConfigError, instance_of, not_negative, positive, shown, text_of, whole
from astra_edu.workload.compute.calibration import Calibration
from astra_edu.workload.compute.formats import HALVES, USUAL, checked_halves, checked_peaks, in_words, plain, rate
from astra_edu.workload.compute.gemm import Gemm
from astra_edu.workload.compute.kernels import Kernels
from astra_edu.workload.compute.operator import Compute
from astra_edu.workload.compute.systolic import DATAFLOWS, Folding, SystolicArray

TERA = 10**12


@dataclass(frozen=True)
class Device:
    """What one NPU computes with.

    flops_per_s: peak of matrix products in 16 bits; peaks: those in other widths of floating point numbers, by bits.
    halves: which formats of 16 bits it has, of "bf16" and "fp16"; with them it has no widths but 16 and those of peaks.
    None: whatever is asked for, and where there are no peaks the same for all widths.
    memory_bytes_per_s: None leaves memory out of account. memory_bytes: what fits. matrix_efficiency,
    memory_efficiency: the share of each peak that is reached. units: of its processors (streaming multiprocessors,
    compute units, TensorCores, matrix engines), for `Kernels`. array, clock_hz: systolic arrays that matrix products
    are folded onto, by the best dataflow for each; with them a product takes no less than its folds do. kernels: how
    products become tiles and waves, and what launching costs; without, a product of any shape reaches the peak, and
    kernels follow each other without a pause. attention_efficiency: the share of the peak in 16 bits that attention's
    products reach in any shape; None: what others do. expert_efficiency: of what other products reach, the share that
    experts' do. softmax: how many times what its operators say attention's takes beside its products; 0: its operations
    at the products' rate. calibration: what else was measured; `measured.device` makes calibrated devices.

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
    peaks: Mapping[int, float] = field(default_factory=dict, hash=False)
    units: int | None = None
    halves: tuple[str, ...] | None = None
    attention_efficiency: float | None = None
    expert_efficiency: float = 1
    softmax: float = 0
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        text_of("name of a device", self.name)
        text_of(f"{self.name}: source", self.source)
        self._keep("operations per second", "flops_per_s")
        for what in ("memory_bytes_per_s", "memory_bytes"):
            if getattr(self, what) is not None:
                self._keep(what, what)
        shares = ["matrix_efficiency", "memory_efficiency", "expert_efficiency"]
        for what in shares + ["attention_efficiency"] * (self.attention_efficiency is not None):
            if self._keep(what, what) > 1:
                raise ConfigError(
                    f"{self.name}: {what} is {getattr(self, what)}; it is a share of the peak, 1 at most."
                )
        if not isinstance(self.array, SystolicArray | None):
            raise ConfigError(f"{self.name}: array is {shown(self.array)}; give one such as SystolicArray(128, 128).")
        if not isinstance(self.kernels, Kernels | None):
            raise ConfigError(f"{self.name}: kernels is {shown(self.kernels)}; give some such as Kernels(units=108).")
        if not isinstance(self.calibration, Calibration | None):
            raise ConfigError(
                f"{self.name}: calibration is {shown(self.calibration)}; measured.device makes devices with one."
            )
        not_negative(f"{self.name}: softmax", self.softmax)
        if (self.array is None) != (self.clock_hz is None):
            raise ConfigError(f"{self.name} has array={self.array} and clock_hz={self.clock_hz}; give both or neither.")
        if self.clock_hz is not None:
            self._keep("clock_hz", "clock_hz")
        object.__setattr__(self, "peaks", checked_peaks(self.name, self.peaks))
        if self.halves is not None:
            object.__setattr__(self, "halves", checked_halves(self.name, self.halves))
        if self.units is not None:
            object.__setattr__(self, "units", whole(f"{self.name}: units", self.units, at_least=1))

    @property
    def formats(self) -> tuple[str, ...]:
        """The formats that it is known to multiply, by width.

        >>> ae.device("v100").formats, ae.device("h100").formats
        (('fp16', 'fp32'), ('fp8', 'bf16', 'fp16', 'fp32'))
        """
        by_width = {**{bits: (f"fp{bits}",) for bits in self.peaks}, USUAL: self.halves or HALVES}
        return tuple(name for _, names in sorted(by_width.items()) for name in names)

    def check_format(self, bits: int, name: str = "") -> None:
        """Raises ConfigError for numbers that it doesn't multiply. bits: how long they are; name: such as "bf16".

        A device that has neither `peaks` nor `halves` multiplies any.

        >>> try:
        ...     ae.device("v100").check_format(16, "bf16")
        ... except ae.ConfigError as error:
        ...     print(error)
        v100 computes nothing in bf16; it has fp16 and fp32.
        """
        if self.peaks or self.halves:
            self.peak(bits)
        if self.halves and name in HALVES and name not in self.halves:
            raise ConfigError(f"{self.name} computes nothing in {name}; it has {in_words(self.formats)}.")

    def peak(self, bits: int = USUAL) -> float:
        """Operations a second of matrix products in so many bits. Raises ConfigError with the formats there are.

        >>> [ae.device("b200").peak(bits) / 10**12 for bits in (16, 8, 4)]
        [2250.0, 4500.0, 9000.0]
        """
        every = {**self.peaks, USUAL: self.flops_per_s}
        bits = whole("bits", bits, at_least=1)
        if bits not in every:
            there = in_words([f"{each}" for each in sorted(every)])
            raise ConfigError(f"{self.name} computes nothing in {bits} bits; it has {there}.")
        return every[bits]

    def _keep(self, what: str, name: str) -> float:
        """Check a rate or a share, and keep a number of another library as one of Python's."""
        value = getattr(self, name)
        number = rate(f"{self.name}: {what}", value)
        object.__setattr__(self, name, plain(number, value))
        return number

    @property
    def ridge(self) -> float:
        """Operations for each byte above which a kernel is bound by the operations (0 without memory)."""
        bandwidth = self.memory_bytes_per_s
        if bandwidth is None:
            return 0
        return self.flops_per_s * self.matrix_efficiency / (bandwidth * self.memory_efficiency)

    def gemm_ns(self, gemm: Gemm, element_bytes: float = 2, bits: int | None = None) -> float:
        """ns of one matrix product whose factors are read and whose result is written once. bits: see compute_ns."""
        instance_of("gemm", gemm, Gemm, "give a product such as ae.Gemm(64, 48, 40)")
        element_bytes = plain(positive("element_bytes", element_bytes), element_bytes)
        launches = self.kernels.launches(gemm) if self.kernels else 0
        return self.product_ns(gemm, element_bytes, bits) + launches * self._launch_ns

    def product_ns(self, gemm: Gemm, element_bytes: float = 2, bits: int | None = None) -> float:
        """The same without its launch."""
        return max(self._busy_ns(gemm, bits), self.memory_ns(gemm.elements * element_bytes))

    def softmax_ns(self, operations: float) -> float:
        """ns that a softmax takes beside its products, of so many operations as they have; see `softmax`."""
        rate = self.flops_per_s * (self.attention_efficiency or self.matrix_efficiency)
        return not_negative("operations", operations) * self.softmax / rate * 1e9

    def compute_ns(self, compute: Compute, element_bytes: float = 2, bits: int | None = None) -> float:
        """ns of a phase: its matrix products one after the other, then its other kernels.

        bits: of the numbers that are multiplied with weights, at the device's peak for them; one that has neither peaks
        nor halves has the same for all. Products of activations are in element_bytes. None: 16, read in element_bytes.
        """
        element_bytes = self._checked(compute, element_bytes)
        softmax = self.softmax_ns(compute.softmax)
        operations = 0 if softmax else compute.operations
        others = max(self.operations_ns(operations), self.memory_ns(compute.elements * element_bytes)) + softmax
        if self.kernels:
            others += (compute.launches - len(compute.gemms)) * self._launch_ns
        of_activations = None if bits is None else round(8 * element_bytes)
        factors = element_bytes if bits is None else whole("bits", bits, at_least=1) / 8
        return others + sum(
            self.gemm_ns(gemm, element_bytes, of_activations)
            if gemm.of_activations
            else self.gemm_ns(gemm, factors, bits)
            for gemm in compute.gemms
        )

    def host_ns(self, compute: Compute) -> float:
        """ns that the host takes to launch a phase's kernels; 0 for a device without `kernels`."""
        self._checked(compute, 1)
        if not self.kernels:
            return 0
        return (sum(map(self.kernels.launches, compute.gemms)) + (compute.kernels or 0)) * self.kernels.host_ns

    def bound(self, compute: Compute, element_bytes: float = 2) -> str:
        """Which bound holds: "operations" (with their folds, or their tiles), or "memory"."""
        element_bytes = self._checked(compute, element_bytes)
        moved = (compute.elements + sum(gemm.elements for gemm in compute.gemms)) * element_bytes
        busy = sum(map(self._busy_ns, compute.gemms)) + self.operations_ns(compute.operations)
        return "operations" if busy >= self.memory_ns(moved) else "memory"

    def _busy_ns(self, gemm: Gemm, bits: int | None = None) -> float:
        """ns of a product without its memory."""
        if gemm.kernel == "attention" and self.attention_efficiency is not None:
            return max(gemm.flops / (self.flops_per_s * self.attention_efficiency) * 1e9, self.folds_ns(gemm))
        alone = self.operations_ns(gemm.flops) / (self.kernels.share(gemm) if self.kernels else 1)
        if gemm.kernel == "experts":
            alone /= self.expert_efficiency
        bits = USUAL if bits is None else whole("bits", bits, at_least=1)
        if bits != USUAL and (self.peaks or self.halves):
            alone *= self.flops_per_s / self.peak(bits)
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
        return plain(positive("element_bytes", element_bytes), element_bytes)
