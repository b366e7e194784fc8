"""Devices: what their makers publish, and the roofline worked out by hand."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import astra_edu as ae
from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute import Compute, Convolution, Folding, SystolicArray

GIB = 2**30

# Operations a second, bytes a second (10^9), memory (GiB), as the makers publish them.
PUBLISHED = {
    "v100": (125e12, 900, 32),
    "a100": (312e12, 2039, 80),
    "h100": (989.4e12, 3350, 80),
    "tpu-v2": (46e12, 700, 16),
    "tpu-v3": (123e12, 900, 32),
}

SIMPLE = ae.Device("simple", flops_per_s=100e9, memory_bytes_per_s=10e9, memory_bytes=10**9)
"""100 operations or 10 bytes a ns: 10 operations for each byte are the ridge."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_figures(name):
    device = ae.device(name)
    flops, bandwidth, memory = PUBLISHED[name]
    assert (device.flops_per_s, device.memory_bytes_per_s) == (flops, bandwidth * 10**9)
    assert device.memory_bytes == memory * GIB
    assert device.matrix_efficiency == device.memory_efficiency == 1


def test_every_device_has_a_source_and_its_name():
    assert set(ae.DEVICES) >= {*PUBLISHED, "tutorial-46", "tutorial-62"}
    for name, device in ae.DEVICES.items():
        assert device.name == name
        assert len(device.source) > 20


NO_FASTER = {"gaudi3", "tpu-v5e", "tpu-v5p", "tpu-v6e", "dojo-d1"}
"""Their makers have FP8 (D1: CFP8) as fast as 16 bits."""

CORES = {"a100": (1410, 432, 256), "h100": (1830, 528, 512)} | {
    name: (mhz, 4 * ae.device(name).units, each)
    for name, mhz, each in (("mi300x", 2100, 256), ("mi350x", 2200, 512), ("mi355x", 2400, 512))
}
"""MHz, matrix cores, and how many products of 16 bits each adds up in a cycle."""


@pytest.mark.parametrize("name", sorted(set(ae.DEVICES) - {"tutorial-46", "tutorial-62"}))
def test_fewer_bits_are_no_slower_and_half_as_many_twice_as_fast(name):
    device = ae.device(name)
    rates = [device.peak(bits) for bits in (32, 16, 8, 4) if bits == 16 or bits in device.peaks]
    assert rates == sorted(rates)
    assert device.units >= 1
    if 8 in device.peaks:
        assert device.peak(8) / device.peak(16) == pytest.approx(1 if name in NO_FASTER else 2, rel=2e-3)
    if 4 in device.peaks:
        assert device.peak(4) / device.peak(8) >= 1.99
    assert list(device.peaks) == sorted(device.peaks)
    assert hash(device) == hash(replace(device))
    assert pickle.loads(pickle.dumps(device)) == device


@pytest.mark.parametrize("name", CORES)
def test_a_peak_is_clock_times_cores_times_products_of_two_operations(name):
    mhz, cores, products = CORES[name]
    assert ae.device(name).flops_per_s == pytest.approx(mhz * 1e6 * cores * products * 2, rel=1e-3)


def test_variants_of_one_chip_differ_in_memory_or_links_only():
    for names in (("a100", "a100-40", "a100-pcie"), ("h100", "h100-96", "h800", "gh200", "h200"), ("v100", "v100-16")):
        first, *others = map(ae.device, names)
        for other in others:
            assert (other.flops_per_s, other.peaks, other.units) == (first.flops_per_s, first.peaks, first.units)
    memories = [ae.device(name).memory_bytes for name in ("h100", "h100-96", "h200")]
    assert memories == sorted(set(memories))


def test_peaks_of_ones_own_are_kept_from_the_narrowest_on():
    given = {np.int64(8): np.float32(2e12), 4: 4e12}
    mine = ae.Device("mine", 1e12, peaks=given)
    given[4] = 0
    assert mine.peaks == {4: 4e12, 8: np.float32(2e12)}
    assert [type(value) for value in mine.peaks.values()] == [float, float]
    assert (mine.peak(), mine.peak(8), ae.Device("mine", 1e12).peaks) == (1e12, np.float32(2e12), {})
    assert mine != ae.Device("mine", 1e12)


def test_the_tutorials_devices_compute_without_memory():
    """3,429 ns for the first layer of VGG-16, from the slides."""
    conv1 = Convolution(name="conv1", channels=3, height=224, width=224, filters=64, kernel=3)
    device = ae.device("tutorial-46")
    assert device.flops_per_s == 46 * 2**40
    assert round(device.compute_ns(conv1.forward(1))) == 3429
    assert (device.ridge, device.memory_ns(10**12), device.memory_bytes) == (0, 0, None)
    assert device.bound(Compute((), operations=1, elements=10**9)) == "operations"
    assert ae.device("tutorial-62").flops_per_s == 62 * 2**40


def test_the_ridge_is_where_both_bounds_meet():
    assert SIMPLE.ridge == 10
    for name, (flops, bandwidth, _) in PUBLISHED.items():
        assert ae.device(name).ridge == pytest.approx(flops / (bandwidth * 1e9))
    at_the_ridge = Compute((), operations=20, elements=1)  # 20 operations on 2 bytes
    assert SIMPLE.operations_ns(20) == SIMPLE.memory_ns(2) == SIMPLE.compute_ns(at_the_ridge) == 0.2


def test_either_bound_by_hand():
    """(6 × 10) · (10 × 15): 1,800 operations are 18 ns; 60 + 150 + 90 elements are 600 bytes, which are 60 ns."""
    small = ae.Gemm(6, 15, 10)
    assert SIMPLE.gemm_ns(small) == pytest.approx(60)
    assert SIMPLE.gemm_ns(small, element_bytes=4) == pytest.approx(120)
    assert SIMPLE.bound(Compute((small,))) == "memory"
    large = ae.Gemm(100, 100, 100)  # 2 · 10^6 operations are 20,000 ns, 60,000 bytes are 6,000 ns
    assert SIMPLE.gemm_ns(large) == pytest.approx(20_000)
    assert SIMPLE.bound(Compute((large,))) == "operations"


def test_a_phase_is_its_products_and_kernels_one_after_the_other():
    """Each waits for its own bound: 60 ns of memory, 20,000 ns of operations, 500 bytes of a kernel in 50 ns."""
    phase = Compute((ae.Gemm(6, 15, 10), ae.Gemm(100, 100, 100)), operations=1000, elements=250)
    assert SIMPLE.compute_ns(phase) == pytest.approx(60 + 20_000 + 50)
    assert SIMPLE.compute_ns(Compute()) == 0


def test_what_of_the_peaks_is_reached():
    half = ae.Device("half", 100e9, 10e9, matrix_efficiency=0.5, memory_efficiency=0.25)
    assert half.gemm_ns(ae.Gemm(100, 100, 100)) == pytest.approx(40_000)
    assert half.gemm_ns(ae.Gemm(6, 15, 10)) == pytest.approx(240)
    assert half.ridge == pytest.approx(20)


@given(*[st.integers(1, 500)] * 4, st.sampled_from(sorted(PUBLISHED)), st.sampled_from([1, 2, 4]))
def test_a_product_takes_as_long_as_the_slower_of_its_bounds(m, n, k, count, name, element_bytes):
    device, gemm = ae.device(name), ae.Gemm(m, n, k, count)
    bounds = device.operations_ns(gemm.flops), device.memory_ns(gemm.elements * element_bytes)
    assert device.gemm_ns(gemm, element_bytes) == max(bounds)
    assert device.gemm_ns(ae.Gemm(m, n, k), element_bytes) * count == pytest.approx(max(bounds))
    intensity = gemm.flops / (gemm.elements * element_bytes)
    if abs(intensity / device.ridge - 1) > 1e-9:
        expected = "operations" if intensity > device.ridge else "memory"
        assert device.bound(Compute((gemm,)), element_bytes) == expected


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ae.device("A100"), "device is 'A100'; did you mean 'a100'?"),
        (lambda: ae.device("b100"), "Allowed: tutorial-46, tutorial-62, v100, a100, a100-40, a800, h100, "),
        (lambda: ae.device("h100").peak(4), "h100 computes nothing in 4 bits; it has 8, 16 and 32."),
        (lambda: ae.device("tpu-v4").peak(8), "tpu-v4 computes nothing in 8 bits; it has 16."),
        (lambda: ae.device("b200").peak(0), "bits is 0"),
        (lambda: ae.device("v100").check_format(16, "bf16"), "v100 computes nothing in bf16; it has fp16 and fp32."),
        (lambda: ae.device("tpu-v3").check_format(16, "fp16"), "tpu-v3 computes nothing in fp16; it has bf16."),
        (lambda: ae.device("ascend-910b").check_format(8), "ascend-910b computes nothing in 8 bits; it has 16."),
        (lambda: ae.Device("mine", 1e12, halves=("bf17",)), "mine: halves is 'bf17'; did you mean 'bf16'?"),
        (lambda: ae.Device("mine", 1e12, halves=()), "mine: halves is (); give formats of 16 bits"),
        (lambda: ae.Device("mine", 1e12, halves="bf16"), "mine: halves is 'bf16'; give formats of 16 bits"),
        (lambda: ae.Device("mine", 1e12, peaks={16: 1e12}), "mine: peaks has 16 bits; flops_per_s says what"),
        (lambda: ae.Device("mine", 1e12, peaks={8: 0}), "mine: operations per second in 8 bits is 0; it must be"),
        (lambda: ae.Device("mine", 1e12, peaks={8: 1e31}), "mine: operations per second in 8 bits is 1e+31"),
        (lambda: ae.Device("mine", 1e12, peaks={"8": 1}), "mine: bits is '8'"),
        (lambda: ae.Device("mine", 1e12, peaks=2e12), "mine: peaks is 2000000000000.0; give them by bits"),
        (lambda: ae.Device("mine", 1e12, units=0), "mine: units is 0"),
        (lambda: ae.Device("mine", 0), "mine: operations per second is 0; it must be greater than 0."),
        (lambda: ae.Device("mine", 1e12, -5), "mine: memory_bytes_per_s is -5; it must be greater than 0."),
        (lambda: ae.Device("mine", 1e12, 5, 0), "mine: memory_bytes is 0; it must be greater than 0."),
        (
            lambda: ae.Device("mine", 1e12, matrix_efficiency=70),
            "mine: matrix_efficiency is 70; it is a share of the peak, 1 at most.",
        ),
        (lambda: ae.Device("mine", 1e12, memory_efficiency=0), "mine: memory_efficiency is 0; it must be greater than"),
    ],
)
def test_what_is_wrong_is_said_with_its_numbers(make, sentence):
    with pytest.raises(ConfigError) as error:
        make()
    assert sentence in str(error.value)


def test_with_systolic_arrays_a_product_takes_what_its_folds_take():
    array = SystolicArray(128, 128, 2)
    folded = replace(ae.device("tpu-v2"), array=array, clock_hz=0.7e9)
    short, large = ae.Gemm(84, 1024, 4096), ae.Gemm(4096, 4096, 4096)
    cycles = min(Folding(short, array, flow).cycles for flow in ("weight", "output", "input"))
    assert folded.gemm_ns(short) == pytest.approx((cycles + 1) / 0.7)
    assert folded.gemm_ns(short) > 1.3 * ae.device("tpu-v2").gemm_ns(short)
    assert folded.gemm_ns(large) == pytest.approx(ae.device("tpu-v2").gemm_ns(large), rel=0.1)
    vector = ae.Gemm(1, 4096, 4096)  # its folds would take longer than the memory does
    assert folded.gemm_ns(vector) == folded.folds_ns(vector) > folded.memory_ns(vector.elements * 2)


@pytest.mark.parametrize("half", [{"array": SystolicArray(8, 8)}, {"clock_hz": 1e9}])
def test_arrays_come_with_a_clock(half):
    with pytest.raises(ConfigError, match="give both or neither"):
        replace(ae.device("tpu-v2"), **half)


@pytest.mark.parametrize(
    ("name", "formats"),
    [
        ("v100", ("fp16", "fp32")),
        ("t4", ("fp16", "fp32")),
        ("a100", ("bf16", "fp16", "fp32")),
        ("b200", ("fp4", "fp8", "bf16", "fp16", "fp32")),
        ("tpu-v2", ("bf16",)),
        ("ironwood", ("fp8", "bf16")),
    ],
)
def test_a_device_says_which_formats_it_has(name, formats):
    assert ae.device(name).formats == formats


def test_known_devices_have_no_other_width_and_ones_own_may():
    product = Compute((ae.Gemm(64, 64, 64),))
    for known in ae.DEVICES.values():
        for bits in {4, 8, 32} - set(known.peaks) if known.halves else ():
            with pytest.raises(ConfigError, match=f"computes nothing in {bits} bits; it has"):
                known.compute_ns(product, bits / 8, bits)
    assert [name for name, known in ae.DEVICES.items() if known.halves is None] == ["tutorial-46", "tutorial-62"]
    own = ae.Device("own", 1e12)
    assert own.compute_ns(product, 1, 8) == own.compute_ns(product, 2, 16)
    own.check_format(8)
    own.check_format(16, "fp16")
