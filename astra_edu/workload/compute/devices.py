"""Devices by name: what their makers publish.

Peaks are of dense products; makers' sheets often have those of sparse ones, which are twice as high. In 8 and 4 bits
they are of floating point numbers (FP8, MXFP4, NVFP4), in 32 of TF32 where there is such a thing. In 16 bits Pascal's,
Volta's and Turing's are of fp16 alone, TPUs' and Dojo's of bf16 alone (makers' pages). GB of memory are
2**30 bytes: so much of it the makers' drivers show, or a little less.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from astra_edu.base.errors import choice
from astra_edu.base.table import Table
from astra_edu.workload.compute.device import TERA, Device
from astra_edu.workload.compute.formats import HALVES

GB, GIB = 10**9, 2**30


def device(name: str | Device) -> Device:
    """The device called `name`, such as "a100", or one that is given. Raises ConfigError with the names for others.

    >>> a100 = ae.device("a100")
    >>> f"{a100.ridge:.0f} operations for each byte"
    '153 operations for each byte'
    """
    return name if isinstance(name, Device) else DEVICES[choice("device", name, DEVICES)]


def _cells(device: Device) -> list[str]:
    widths = [f"{device.peaks[bits] / TERA:,.1f}" if bits in device.peaks else "" for bits in (8, 4)]
    bandwidth = f"{device.memory_bytes_per_s / GB:,.0f}" if device.memory_bytes_per_s else ""
    memory = f"{device.memory_bytes / GIB:.3g}" if device.memory_bytes else ""
    return [f"{device.flops_per_s / TERA:,.1f}", *widths, bandwidth, memory, device.source]


NO_BF16 = r"v100|p100|t4"
"""Pascal, Volta and Turing, whose matrix products in 16 bits are of fp16."""
NO_FP16 = r"tpu|ironwood|dojo"
"""Matrix units for bfloat16."""


def _device(
    name: str, tera: float, gb_s: float, gib: float, units: int, source: str, peaks: Mapping[int, float] | None = None
) -> Device:
    """tera: 10¹² operations a second in 16 bits; peaks: in others. gb_s: 10⁹ bytes a second of memory. gib: of it."""
    others = {bits: peak * TERA for bits, peak in (peaks or {}).items()}
    halves = ("fp16",) if re.match(NO_BF16, name) else ("bf16",) if re.match(NO_FP16, name) else HALVES
    return Device(name, tera * TERA, gb_s * GB, round(gib * GIB), source, peaks=others, units=units, halves=halves)


_HOPPER = {32: 494.7, 8: 1978.9}
_H100_96 = "SXM5, 96 GB of HBM2e: memory by TorchTitan's benchmarks, peaks as of H100"
_A800 = "A100 for China, with slower links; unverified: no datasheet was found"
_H800 = "H100 for China, with slower links; unverified: no datasheet was found"
_B200 = "NVIDIA DGX B200 datasheet, an eighth of it; dense"
_B300 = "NVIDIA DGX B300 datasheet, an eighth of it; dense; 4 bits are unverified: 12.6 to 15 × 10¹⁵ are said"
_GB200 = "NVIDIA GB200 NVL72 page, a 72nd of it; dense"
_GB300 = "NVIDIA GB300 NVL72 page, a 72nd of it; dense; 152 multiprocessors, as of GB200, are unverified"
_TPU = "Jouppi et al., CACM 2020, table 2: a chip of 2 cores, bfloat16"
_CLOUD = "Google's Cloud TPU documentation, bfloat16"
_NO_FP8 = f"{_CLOUD}; FP8 is no faster (INT8 is twice as fast)"
_GAUDI = "Intel Gaudi 2 white paper: its two matrix engines, 96 GB of HBM2E"
_D1 = "Tesla AI Day 2021, Hot Chips 2022: 354 nodes with 1.25 MB of SRAM, read at 400 GB/s each"
_CS_2 = "Cerebras CS-2, 40 GB of SRAM at 20 PB/s; a 16th of Andromeda's 120 × 10¹⁵ dense operations in 16 bits"

_SHEET = "unverified: NVIDIA's datasheet as remembered; dense"
_AMD = "unverified: AMD's datasheet as remembered; dense"
_AWS = "unverified: AWS's pages as remembered; dense"
_GAUDI_3 = "unverified: Intel's Gaudi 3 white paper as remembered; its eight matrix engines"
_910B = "unverified: second-hand, Huawei publishes no datasheet; 24 cores"

_KNOWN = (
    Device("tutorial-46", 46 * 2**40, source="ASPLOS 2022 tutorial, exercise 3: VGG-16, 46 × 2⁴⁰ a second"),
    Device("tutorial-62", 62 * 2**40, source="ASPLOS 2022 tutorial, exercise 3: GPT-3, 62 × 2⁴⁰ a second"),
    _device("v100", 125, 900, 32, 80, "NVIDIA V100 datasheet: SXM2, tensor cores, 32 GB of HBM2", {32: 15.7}),
    _device("a100", 312, 2039, 80, 108, "NVIDIA A100 datasheet: SXM, 80 GB of HBM2e, dense FP16", {32: 156}),
    _device("a100-40", 312, 1555, 40, 108, "NVIDIA A100 datasheet: SXM, 40 GB of HBM2, dense FP16", {32: 156}),
    _device("a800", 312, 2039, 80, 108, _A800, {32: 156}),
    _device("h100", 989.4, 3350, 80, 132, "NVIDIA H100 datasheet: SXM5, 80 GB of HBM3, dense FP16", _HOPPER),
    _device("h100-96", 989.4, 2400, 96, 132, _H100_96, _HOPPER),
    _device("h100-pcie", 756, 2000, 80, 114, "NVIDIA H100 datasheet: PCIe, 80 GB of HBM2e, dense", {32: 378, 8: 1513}),
    _device("h800", 989.4, 3350, 80, 132, _H800, _HOPPER),
    _device("h200", 989.4, 4800, 141, 132, "NVIDIA H200 datasheet: SXM, 141 GB of HBM3e, peaks as of H100", _HOPPER),
    _device("b200", 2250, 8000, 180, 148, _B200, {32: 1125, 8: 4500, 4: 9000}),
    _device("b300", 2250, 8000, 270, 148, _B300, {32: 1125, 8: 4500, 4: 13500}),
    _device("gb200", 2500, 8000, 186, 152, _GB200, {32: 1250, 8: 5000, 4: 10000}),
    _device("gb300", 2500, 8000, 279, 152, _GB300, {32: 1250, 8: 5000, 4: 15000}),
    _device("mi300x", 1307.4, 5300, 192, 304, "AMD MI300X datasheet: dense, at 2,100 MHz", {32: 653.7, 8: 2614.9}),
    _device(
        "mi350x", 2306.9, 8000, 288, 256, "AMD MI350X page: dense, at 2,200 MHz", {32: 144.2, 8: 4613.7, 4: 9227.5}
    ),
    _device(
        "mi355x", 2516.6, 8000, 288, 256, "AMD MI355X page: dense, at 2,400 MHz", {32: 157.3, 8: 5033.2, 4: 10066.3}
    ),
    _device("tpu-v2", 46, 700, 16, 2, f"{_TPU}, 16 GB of HBM"),
    _device("tpu-v3", 123, 900, 32, 2, f"{_TPU}, 32 GB of HBM"),
    _device("tpu-v4", 275, 1200, 32, 2, f"{_CLOUD}: v4"),
    _device("tpu-v5e", 197, 819, 16, 1, f"{_NO_FP8}: v5e", {8: 197}),
    _device("tpu-v5p", 459, 2765, 95, 2, f"{_NO_FP8}: v5p, TPU7x", {8: 459}),
    _device("tpu-v6e", 918, 1638, 32, 1, f"{_NO_FP8}: v6e, TPU7x", {8: 918}),
    _device("ironwood", 2307, 7380, 192, 2, f"{_CLOUD}: TPU7x, a chip of 2 cores", {8: 4614}),
    _device("gaudi2", 432, 2460, 96, 2, _GAUDI, {8: 865}),
    _device("p100", 21.2, 732, 16, 56, f"{_SHEET}: P100 SXM2, no tensor cores", {32: 10.6}),
    _device("t4", 65, 320, 16, 40, f"{_SHEET}: T4", {32: 8.1}),
    _device("v100-16", 125, 900, 16, 80, "NVIDIA V100 datasheet: SXM2, tensor cores, 16 GB of HBM2", {32: 15.7}),
    _device("a100-pcie", 312, 1935, 80, 108, "NVIDIA A100 datasheet: PCIe, 80 GB of HBM2e, dense FP16", {32: 156}),
    _device("a10", 125, 600, 24, 72, f"{_SHEET}: A10", {32: 62.5}),
    _device("a10g", 70, 600, 24, 80, f"{_SHEET}: A10G, as in AWS's g5", {32: 35}),
    _device("a30", 165, 933, 24, 56, f"{_SHEET}: A30", {32: 82}),
    _device("a40", 149.7, 696, 48, 84, f"{_SHEET}: A40", {32: 74.8}),
    _device("a6000", 154.8, 768, 48, 84, f"{_SHEET}: RTX A6000", {32: 77.4}),
    _device("rtx-3090", 71, 936, 24, 82, f"{_SHEET}: RTX 3090, added up in 32 bits", {32: 35.6}),
    _device("rtx-4090", 165.2, 1008, 24, 128, f"{_SHEET}: RTX 4090, added up in 32 bits", {32: 82.6, 8: 330.3}),
    _device("rtx-5090", 209.5, 1792, 32, 170, f"{_SHEET}: RTX 5090, added up in 32 bits", {32: 104.8, 8: 419}),
    _device("l4", 121, 300, 24, 58, f"{_SHEET}: L4", {32: 60, 8: 242}),
    _device("l40", 181, 864, 48, 142, f"{_SHEET}: L40", {32: 90.5, 8: 362}),
    _device("l40s", 366.5, 864, 48, 142, f"{_SHEET}: L40S", {32: 183, 8: 733}),
    _device("h100-nvl", 835.5, 3900, 94, 132, f"{_SHEET}: H100 NVL, 94 GB of HBM3", {32: 417.8, 8: 1671}),
    _device("h20", 148, 4000, 96, 78, f"{_SHEET}: H20 for China, 96 GB of HBM3", {32: 74, 8: 296}),
    _device("gh200", 989.4, 4000, 96, 132, f"{_SHEET}: GH200, 96 GB of HBM3, peaks as of H100", _HOPPER),
    _device("mi210", 181, 1638, 64, 104, f"{_AMD}: MI210", {32: 45.3}),
    _device("mi250", 362.1, 3277, 128, 208, f"{_AMD}: MI250, a module of two chips", {32: 90.5}),
    _device("mi250x", 383, 3277, 128, 220, f"{_AMD}: MI250X, a module of two chips", {32: 95.7}),
    _device("mi250x-gcd", 191.5, 1638, 64, 110, f"{_AMD}: one of MI250X's two chips", {32: 47.9}),
    _device("mi300a", 980.6, 5300, 128, 228, f"{_AMD}: MI300A", {32: 490.3, 8: 1961.2}),
    _device("mi325x", 1307.4, 6000, 256, 304, f"{_AMD}: MI325X, peaks as of MI300X", {32: 653.7, 8: 2614.9}),
    _device("gaudi3", 1835, 3700, 128, 8, _GAUDI_3, {8: 1835}),
    _device("trainium1", 190, 820, 32, 2, f"{_AWS}: Trainium, a chip of 2 cores", {32: 47.5}),
    _device("trainium2", 667, 2900, 96, 8, f"{_AWS}: Trainium2, a chip of 8 cores", {32: 181}),
    _device("ascend-910b", 320, 1600, 64, 24, _910B),
    _device("dojo-d1", 362, 354 * 400, 354 * 1.25 / 1024, 354, _D1, {32: 22.6, 8: 362}),
    _device("cs-2", 7500, 20e6, 40, 850_000, _CS_2),
)

DEVICES: Table[Device] = Table(
    "devices",
    ["10¹² operations/s", "in 8 bits", "in 4 bits", "10⁹ bytes/s", "GiB", "source"],
    _cells,
    {known.name: known for known in _KNOWN},
)
"""Every device by its name. Peaks are the makers' figures for dense products.

Compared with public pages: V100's 125 × 10¹² with NVIDIA's "Programming Tensor Cores in CUDA 9", its memory, A100 and
H100 with tables made from NVIDIA's datasheets (glennklockwood.com; jeffcarp.github.io/ml-hyperpolyglot, whose 1,979 for
H100 counts sparse products), TPU v3 with cloud.google.com/tpu/docs/v3, TPU v2 with the figures that ParaGraph
(paragraph-sim on GitHub) takes from the CACM article; its 16 GB with 64 GB for four (RiseML's comparison with V100).
Those from H200 on, and Gaudi2, with the tables of stas00/ml-engineering (August 2026), which name a datasheet for each;
the Blackwells with glennklockwood.com and verda.com, too, their multiprocessors with what users' machines show; AMD's
units and memory with ROCm's "GPU specifications", peaks are clock × matrix cores × operations; H100 PCIe's units with
NVIDIA's LaunchPad; TPU v4 to TPU7x with docs.cloud.google.com/tpu; D1 and CS-2 with reports on their makers' talks.
"""
