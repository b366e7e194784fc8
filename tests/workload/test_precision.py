"""In how many bits numbers are: what that does to computing, memory, messages, the update, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

import astra_edu as ae
from astra_edu.workload.strategies import PRECISIONS
from astra_edu.workload.strategies.memory import memory_of

MODEL = ae.transformer("m", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000)
PODS = ae.Platform((ae.Dimension.of("Switch", 8, 220, 1000),), ae.SystemConfig.of("halvingDoubling", splits=1))
CUTS = [
    {"data": 8, "zero": 1},
    {"data": 4, "tensor": 2, "zero": 3, "sequence_parallel": True},
    {"tensor": 2, "pipeline": 4, "batch": 8},
]


@pytest.mark.parametrize("how", CUTS)
def test_sixteen_bits_are_what_a_strategy_has_anyway(how):
    plain, named = ae.Strategy(**how), ae.Strategy(**how, precision="bf16")
    assert ae.communications(MODEL, plain) == ae.communications(MODEL, named)
    assert ae.memory(MODEL, plain) == ae.memory(MODEL, named)
    took = ae.estimate(MODEL, named, "h100", PODS)
    assert took.total_ns == ae.estimate(MODEL, plain, "h100", PODS).total_ns
    assert took.range_ns is not None


def test_products_with_weights_are_quicker_in_fewer_bits_and_attentions_are_not():
    """By the roofline alone, without memory: half the time for all that isn't attention's."""
    device = ae.Device("d", 100e12, peaks={8: 200e12})
    cut, narrow = (ae.Strategy(data=8, precision=each) for each in ("bf16", "fp8"))
    wide_ns, narrow_ns = (ae.estimate(MODEL, each, device, PODS).compute_ns for each in (cut, narrow))
    works = [each.forward(1) for each in MODEL.operators]
    flops = {of: sum(g.flops for work in works for g in work.gemms if g.of_activations == of) for of in (False, True)}
    others = sum(work.operations for work in works)
    assert flops[True] == 2 * 2 * 8 * 512 * 512 * 1024  # scores and context of 8 blocks: s² h each
    assert wide_ns > narrow_ns > wide_ns / 2
    forward = sum(device.compute_ns(work, 2, 16) - device.compute_ns(work, 2, 8) for work in works)
    assert forward == pytest.approx(flops[False] / 200e12 * 1e9)
    assert others > 0


def test_attention_by_tiles_stays_in_its_width():
    flash = ae.transformer("f", hidden=1024, heads=8, blocks=8, sequence=512, vocabulary=1000, attention="flash")
    works = [each.forward(1) for each in flash.operators]
    of_attention = sum(g.flops for work in works for g in work.gemms if g.of_activations)
    assert of_attention == 2 * 8 * 512 * 512 * 1024  # causal: half of it
    backward = [each.input_gradient(1) for each in flash.operators if type(each).__name__ == "FlashAttention"]
    assert all(g.of_activations for work in backward for g in work.gemms)


def test_each_kind_is_kept_and_sent_in_its_own_width():
    how = {"data": 4, "tensor": 2, "zero": 3}
    plain = ae.Strategy(**how)
    kinds = ("activations", "parameters", "gradients", "optimiser")
    of_content = {"activations": "activations", "parameters": "parameters", "weight gradients": "gradients"}
    for wide in kinds:
        cut = replace(plain, precision=ae.Precision(**{wide: 2 * getattr(ae.Precision(), wide)}))
        for one, other in zip(ae.communications(MODEL, plain), ae.communications(MODEL, cut), strict=True):
            kind = of_content.get(one.content, "activations")
            assert other.size == one.size * (1 + (kind == wide)), (wide, one)
        before, after = ae.memory(MODEL, plain, fragmentation=0), ae.memory(MODEL, cut, fragmentation=0)
        for kind in kinds:
            if kind == "activations" == wide:
                assert before.activations < after.activations < 2 * before.activations  # dropout's masks stay bytes
            else:
                assert after.kinds[kind] == before.kinds[kind] * (1 + (kind == wide))


def test_the_update_moves_the_state_in_and_out_and_the_gradient_in_32_bits():
    device = replace(ae.device("h100"), memory_bytes_per_s=1e12)
    parameters = MODEL.parameters
    for precision, moved in (("bf16", 30), ("fp32", 24), (ae.Precision(optimiser=64), 22), ("fp8", 30)):
        took = ae.estimate(MODEL, ae.Strategy(data=8, precision=precision), device, PODS)
        assert took.update_ns == pytest.approx(parameters * moved / (1e12 * device.memory_efficiency) * 1e9, rel=1e-3)


def test_element_bytes_are_multiplied_at_their_own_peak():
    narrow, wide = (ae.estimate(MODEL, ae.Strategy(data=8, element_bytes=each), "a100", PODS) for each in (2, 4))
    assert wide.compute_ns > 1.9 * narrow.compute_ns
    assert ae.memory(MODEL, ae.Strategy(element_bytes=4)).gradients == 4 * MODEL.parameters


def test_mfu_is_of_the_peak_that_products_have():
    took = {each: ae.estimate(MODEL, ae.Strategy(data=8, precision=each), "h100", PODS) for each in ("bf16", "fp8")}
    for name, peak in (("bf16", 989.4e12), ("fp8", 1978.9e12)):
        assert took[name].mfu == pytest.approx(took[name].flops_per_s / peak)
    assert took["fp8"].range_ns is None  # measured runs of its kind are in 16 bits
    assert ", fp8" in took["fp8"].table
    assert "bf16" not in took["bf16"].table
    assert (
        "64 bits of optimiser"
        in ae.estimate(MODEL, ae.Strategy(data=8, precision=ae.Precision(optimiser=64)), "h100", PODS).table
    )


def test_the_fastest_knows_them():
    cuts = [ae.Strategy(data=8, precision=each) for each in PRECISIONS]
    assert ae.fastest(MODEL, cuts, "h100", PODS).strategy.precision == PRECISIONS["fp8"]


def test_what_is_given_beats_it():
    cut = ae.Strategy(precision=ae.Precision(gradients=32, optimiser=64))
    assert ae.memory(MODEL, cut).gradients == 4 * MODEL.parameters
    assert ae.memory(MODEL, cut).optimiser == 8 * MODEL.parameters
    kept = ae.memory(MODEL, cut, gradient_bytes=0, optimiser_bytes=0)
    assert (kept.gradients, kept.optimiser) == (0, 0)
    assert memory_of.__defaults__[1:3] == (None, None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("fp9", "did you mean 'fp8'"),
        (8, "precision is 8; give 'fp32', 'bf16', 'fp16', 'fp8', or an ae.Precision"),
        (ae.Precision, "or an ae.Precision"),
    ],
)
def test_what_is_no_precision(given, said):
    with pytest.raises(ae.ConfigError, match=said):
        ae.Strategy(precision=given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"gradients": 12}, "gradients has 12 bits; whole bytes are kept and sent: 8 or 16"),
        ({"activations": 4}, r"activations has 4 bits; .*sent: 8\.$"),
        ({"optimiser": 4}, "optimiser has 4 bits; .*sent: 0 or 8"),
        ({"products": 0}, "products is 0"),
        ({"optimiser": -8}, "optimiser is -8"),
        ({"parameters": "16"}, "parameters is '16'"),
    ],
)
def test_what_are_no_bits(given, said):
    with pytest.raises(ae.ConfigError, match=said):
        ae.Precision(**given)


def test_widths_that_a_device_does_not_multiply_and_both_ways_to_say_it():
    with pytest.raises(ae.ConfigError, match="a100 computes nothing in 8 bits; it has 16 and 32"):
        ae.estimate(MODEL, ae.Strategy(precision="fp8"), "a100", PODS)
    with pytest.raises(ae.ConfigError, match="no element_bytes as well"):
        ae.Strategy(precision="fp8", element_bytes=4)
    assert ae.Precision(products=4).products == 4


def _estimated(cut, device):
    return ae.estimate(MODEL, cut, device, PODS)


def _searched(cut, device):
    return ae.fastest(MODEL, [cut], device, PODS)


def _planned(cut, device):
    return ae.fastest(MODEL, ae.plans(MODEL, 8, 8, groups=2, strategies=[cut]), device, PODS)


WAYS = {
    "estimate": _estimated,
    "fastest": _searched,
    "a plan": _planned,
    "a workload": lambda cut, device: ae.generate_workload(MODEL, cut, device),
    "a trace": lambda cut, device: ae.traces.from_strategy(MODEL, cut, device),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("device", "precision", "sentence"),
    [
        ("v100", "bf16", "v100 computes nothing in bf16; it has fp16 and fp32."),
        ("t4", "bf16", "t4 computes nothing in bf16; it has fp16 and fp32."),
        ("tpu-v3", "fp8", "tpu-v3 computes nothing in 8 bits; it has 16."),
        ("tpu-v4", "fp16", "tpu-v4 computes nothing in fp16; it has bf16."),
        ("ascend-910b", "fp8", "ascend-910b computes nothing in 8 bits; it has 16."),
    ],
)
def test_a_format_that_a_device_does_not_have_is_refused_whoever_asks(way, device, precision, sentence):
    WAYS[way](ae.Strategy(data=8), device)  # which is in 16 bits, of the format that it has
    WAYS[way](ae.Strategy(data=8, precision=ae.Precision()), device)
    with pytest.raises(ae.ConfigError, match=sentence):
        WAYS[way](ae.Strategy(data=8, precision=precision), device)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_both_formats_of_sixteen_bits_take_the_same(precision):
    cut, plain = ae.Strategy(data=8, precision=precision), ae.Strategy(data=8)
    assert _estimated(cut, "a100").total_ns == _estimated(plain, "a100").total_ns
    assert ae.memory(MODEL, cut) == ae.memory(MODEL, plain)


def test_a_half_that_products_do_not_have():
    with pytest.raises(ae.ConfigError, match="half is 'fp16', a format of 16 bits, and products are in 8"):
        ae.Precision(products=8, half="fp16")
    with pytest.raises(ae.ConfigError, match="half is 'bf17'; did you mean 'bf16'"):
        ae.Precision(half="bf17")
