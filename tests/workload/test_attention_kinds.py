"""Attention in its kinds, by NumPy: heads that share keys and values, tiles, windows, latent features, positions."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workload.test_operators import Products, gemms, gradient, numbers

import astra_edu as ae
from astra_edu.workload.compute import (
    Context,
    FlashAttention,
    Gated,
    Latent,
    LatentKeysValues,
    Linear,
    Normalisation,
    QueryKeyNorm,
    QueryKeyValue,
    Rotary,
    Scores,
    Softmax,
    Split,
)

TOKENS, HEADS, SHARED, WIDTH, VALUE = 6, 4, 2, 3, 5


def softmax(scores):
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def attend(q, k, v):
    """Heads of queries one after the other, each with the keys and values of its group."""
    group = len(q) // len(k)
    return np.array([softmax(q[h] @ k[h // group].T) @ v[h // group] for h in range(len(q))])


def qkv():
    return numbers(HEADS, TOKENS, WIDTH), numbers(SHARED, TOKENS, WIDTH), numbers(SHARED, TOKENS, VALUE)


SHAPE = {"tokens": TOKENS, "heads": HEADS, "kv_heads": SHARED, "width": WIDTH, "value_width": VALUE}


# ---- shared keys and values ----


def test_queries_that_share_keys_are_the_rows_of_one_product():
    q, k, v = qkv()
    out, multiply, together = attend(q, k, v), Products(), Products()
    for g in range(SHARED):
        rows = np.concatenate(q[2 * g : 2 * g + 2])
        weights = softmax(multiply(rows, k[g].T))
        np.testing.assert_allclose(together(weights, v[g]), np.concatenate(out[2 * g : 2 * g + 2]))
    assert multiply.seen == gemms(Scores(name="s", **SHAPE).forward(1))
    assert together.seen == gemms(Context(name="c", **SHAPE).forward(1))


def test_gradients_of_shared_keys_and_values_are_one_product_each():
    q, k, v = qkv()
    of_out = numbers(HEADS, TOKENS, VALUE)

    def out():
        return attend(q, k, v)

    scores, context = (kind(name="a", **SHAPE) for kind in (Scores, Context))
    of = {name: Products() for name in ("queries", "keys", "values", "weights")}
    for g in range(SHARED):
        heads = slice(2 * g, 2 * g + 2)
        rows, back = np.concatenate(q[heads]), np.concatenate(of_out[heads])
        weights = softmax(rows @ k[g].T)
        of_values = of["values"](weights.T, back)
        of_weights = of["weights"](back, v[g].T)
        of_scores = weights * (of_weights - (weights * of_weights).sum(axis=1, keepdims=True))
        of_queries, of_keys = of["queries"](of_scores, k[g]), of["keys"](of_scores.T, rows)
        np.testing.assert_allclose(of_values, gradient(out, v, of_out)[g], atol=1e-6)
        np.testing.assert_allclose(of_keys, gradient(out, k, of_out)[g], atol=1e-6)
        np.testing.assert_allclose(of_queries, np.concatenate(gradient(out, q, of_out)[heads]), atol=1e-6)
    assert of["queries"].seen == gemms(scores.input_gradient(1))
    assert of["keys"].seen == gemms(scores.weight_gradient(1))
    assert of["weights"].seen == gemms(context.input_gradient(1))
    assert of["values"].seen == gemms(context.weight_gradient(1))


def test_kept_for_the_backward_pass_are_queries_keys_values_scores_and_masks():
    q, k, v = qkv()
    kept = [each(name="a", **SHAPE).kept_bytes(3) for each in (Scores, Softmax, Context)]
    pairs = HEADS * TOKENS**2
    assert kept == [3 * 2 * (q.size + k.size), 3 * 3 * pairs, 3 * 2 * (v.size + pairs)]
    dry = [each(name="a", **SHAPE, dropout=False).kept_bytes(3) for each in (Softmax, Context)]
    assert dry == [3 * 2 * pairs, 3 * 2 * v.size]  # the softmax itself, once


@pytest.mark.parametrize("kv_heads", [1, 2, 4, 8])
@pytest.mark.parametrize("parts", [1, 2, 4, 8])
def test_every_npu_has_the_keys_and_values_that_its_queries_need(kv_heads, parts):
    layer = QueryKeyValue(name="qkv", inputs=16, heads=8, kv_heads=kv_heads, width=4)
    attention = FlashAttention(name="a", tokens=5, heads=8, kv_heads=kv_heads, width=4)
    group = 8 // kv_heads
    for npu in range(parts):
        queries = range(npu * 8 // parts, (npu + 1) * 8 // parts)
        needed = {head // group for head in queries}
        part = layer.part(parts)
        assert (part.heads, part.kv_heads) == (len(queries), len(needed))
        assert part.parameters == 17 * 4 * (len(queries) + 2 * len(needed))
        assert attention.part(parts).takes == (5, part.outputs)
    assert parts * layer.part(parts).parameters >= layer.parameters


@pytest.mark.parametrize(
    ("heads", "kv_heads", "parts", "says"),
    [
        (12, 4, 6, "4 heads of keys and values can't be divided among 6 NPUs, nor each be copied to as many of them"),
        (12, 4, 6, "4 or 12 would do"),
        (12, 4, 5, "12 heads can't be divided among 5 NPUs; 4 or 6 would do"),
    ],
)
def test_heads_that_cannot_be_shared_out_say_which_can(heads, kv_heads, parts, says):
    with pytest.raises(ae.ConfigError, match=says):
        QueryKeyValue(name="qkv", inputs=16, heads=heads, kv_heads=kv_heads, width=4).part(parts)


@pytest.mark.parametrize("kind", [Scores, Softmax, Context, FlashAttention, Rotary, QueryKeyNorm])
def test_heads_share_evenly_or_say_so(kind):
    with pytest.raises(ae.ConfigError, match="32 heads can't share 5 heads of keys and values evenly; 4 or 8 would do"):
        kind(name="a", tokens=4, heads=32, kv_heads=5, width=8)
    with pytest.raises(ae.ConfigError, match="looks back only; give causal=True"):
        kind(name="a", tokens=4, heads=32, width=8, window=2)


# ---- which tokens are seen ----


@given(st.integers(1, 40), st.integers(1, 50))
def test_a_window_is_counted_token_by_token(tokens, window):
    pairs = sum(max(0, i - window + 1) <= j <= i for i in range(tokens) for j in range(tokens))
    seen = Scores(name="s", tokens=tokens, heads=1, width=1, causal=True, window=window).seen
    assert tokens * (seen - 1) < pairs <= tokens * seen or seen == (tokens + 1) // 2


# ---- by tiles ----


def by_tiles(q, k, v, of_out, tile, multiply):
    """FlashAttention of one head, tile by tile: its output, what it keeps of each row, and the three gradients."""
    tiles = range(0, len(k), tile)
    most, total = np.full(len(q), -np.inf), np.zeros(len(q))
    out = np.zeros((len(q), v.shape[1]))
    for at in tiles:
        scores = multiply["forward"](q, k[at : at + tile].T)
        new = np.maximum(most, scores.max(axis=1))
        weights, shrink = np.exp(scores - new[:, None]), np.exp(most - new)
        total = total * shrink + weights.sum(axis=1)
        out = out * shrink[:, None] + multiply["forward"](weights, v[at : at + tile])
        most = new
    out /= total[:, None]
    kept = most + np.log(total)
    both = (of_out * out).sum(axis=1)
    of_q, of_k, of_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for at in tiles:
        keys, values = k[at : at + tile], v[at : at + tile]
        weights = np.exp(multiply["backward"](q, keys.T) - kept[:, None])
        of_v[at : at + tile] = multiply["backward"](weights.T, of_out)
        of_scores = weights * (multiply["backward"](of_out, values.T) - both[:, None])
        of_q += multiply["backward"](of_scores, keys)
        of_k[at : at + tile] = multiply["backward"](of_scores.T, q)
    return out, kept, (of_q, of_k, of_v)


def flops(compute):
    return sum(gemm.flops for gemm in compute.gemms)


@pytest.mark.parametrize("tile", [1, 2, 3, 6])
def test_attention_by_tiles_is_attention_with_five_products_back_for_two_forward(tile):
    q, k, v = numbers(TOKENS, WIDTH), numbers(TOKENS, WIDTH) + 0.5, numbers(TOKENS, VALUE)
    of_out = numbers(TOKENS, VALUE) - 0.2
    multiply = {"forward": Products(), "backward": Products()}

    def whole():
        return softmax(q @ k.T) @ v

    out, kept, gradients = by_tiles(q, k, v, of_out, tile, multiply)
    np.testing.assert_allclose(out, whole())
    for found, at in zip(gradients, (q, k, v), strict=True):
        np.testing.assert_allclose(found, gradient(whole, at, of_out), atol=1e-6)
    shape = {"tokens": TOKENS, "heads": 1, "width": WIDTH, "value_width": VALUE}
    attention = FlashAttention(name="a", **shape)
    counted = {
        name: sum(2 * prod(shape) * times for shape, times in each.seen.items()) for name, each in multiply.items()
    }
    assert counted == {"forward": flops(attention.forward(1)), "backward": flops(attention.input_gradient(1))}
    again = 2 * TOKENS * TOKENS * WIDTH
    assert attention.repeated_flops(1) == again
    assert attention.kept_bytes(1) == 2 * (q.size + k.size + v.size) + 4 * kept.size
    kinds = [Scores(name="s", **shape), Context(name="c", **shape)]
    assert flops(attention.forward(1)) == sum(flops(each.forward(1)) for each in kinds)
    back = sum(flops(each.input_gradient(1)) + flops(each.weight_gradient(1)) for each in kinds)
    assert flops(attention.input_gradient(1)) == back + again


def test_two_and_a_half_times_as_many_operations_back_where_values_are_as_wide_as_keys():
    attention = FlashAttention(name="a", tokens=64, heads=8, kv_heads=2, width=16, causal=True)
    assert flops(attention.input_gradient(3)) == 2.5 * flops(attention.forward(3))
    assert attention.weight_gradient(3).flops == 0


def test_scores_are_neither_read_nor_written():
    """Twice as many tokens are twice as many queries, keys, values and outputs, and four times as many operations."""
    shape = {"heads": 8, "kv_heads": 2, "width": 16}
    short, long = (FlashAttention(name="a", tokens=tokens, **shape) for tokens in (256, 512))
    for phase in ("forward", "input_gradient"):
        one, two = (getattr(each, phase)(1) for each in (short, long))
        moved = [sum(gemm.elements for gemm in each.gemms) + each.elements for each in (one, two)]
        assert moved[1] == 2 * moved[0]
        assert flops(two) == 4 * flops(one)
    q, kv = 256 * 8 * 16, 256 * 2 * 16
    assert sum(gemm.elements for gemm in short.forward(1).gemms) == q + kv + kv + q
    back = short.input_gradient(1)
    # read: q, k, v, outputs and their gradient, twice where the rows' sums are taken first; written: three gradients
    assert sum(gemm.elements for gemm in back.gemms) + back.elements == (q + 2 * kv) + 3 * q + (q + 2 * kv)


def test_causal_tiles_compute_half():
    whole, causal, near = (
        FlashAttention(name="a", tokens=4096, heads=8, width=64, **how).forward(1).flops
        for how in ({}, {"causal": True}, {"causal": True, "window": 128})
    )
    assert causal == whole / 2
    assert near / causal == pytest.approx(2 * 128 / 4096, rel=0.02)


@pytest.mark.parametrize("kind", [Softmax, FlashAttention])
def test_a_sink_is_a_number_for_each_head(kind):
    sinks = kind(name="a", tokens=4, heads=8, width=2, sinks=True)
    assert (sinks.parameters, sinks.part(4).parameters) == (8, 2)
    assert kind(name="a", tokens=4, heads=8, width=2).parameters == 0


# ---- positions, norms, gates ----


def test_turning_queries_and_keys_leaves_products_to_the_distance():
    def turned(x, position):
        angles = position * np.array([1.0, 0.1])
        half = x.reshape(2, 2)
        cos, sin = np.cos(angles), np.sin(angles)
        return np.concatenate([half[0] * cos - half[1] * sin, half[0] * sin + half[1] * cos])

    q, k = numbers(4), numbers(4) + 1
    assert turned(q, 7) @ turned(k, 4) == pytest.approx(turned(q, 13) @ turned(k, 10))
    np.testing.assert_allclose(turned(turned(q, 7), -7), q)  # back without anything kept
    rope = Rotary(name="rope", tokens=10, heads=4, kv_heads=2, width=4)
    assert rope.forward(3).elements == 2 * 3 * 10 * 6 * 4
    assert (rope.parameters, rope.kept_bytes(3)) == (0, 0)
    assert rope.part(2).forward(3).elements * 2 == rope.forward(3).elements
    one = Rotary(name="rope", tokens=10, heads=4, width=6, value_width=4, turned=2, one_key=True)
    assert one.forward(1).elements == 2 * 10 * 5 * 2
    with pytest.raises(ae.ConfigError, match="8 features can't be turned; a head has 4"):
        Rotary(name="rope", tokens=10, heads=4, width=4, turned=8)


def test_queries_and_keys_are_normalised_by_the_gains_that_all_heads_share():
    norm = QueryKeyNorm(name="norm", tokens=10, heads=8, kv_heads=2, width=4)
    assert (norm.parameters, norm.part(4).parameters) == (8, 8)
    assert norm.kept_bytes(3) == 2 * 3 * 10 * (8 + 2) * 4
    assert norm.takes == norm.gives == (10, (8 + 2 * 2) * 4)


def test_rms_norm_has_gains_alone_and_may_leave_features_as_they_are():
    layer, rms = (Normalisation(name="n", shape=(10, 8), bias=bias) for bias in (True, False))
    some = Normalisation(name="n", shape=(10, 8), bias=False, first=6)
    assert [each.parameters for each in (layer, rms, some)] == [16, 8, 6]
    assert some.gives == (10, 8)
    assert some.kept_bytes(2) == 2 * 2 * 10 * 6
    assert some.forward(2).elements == rms.forward(2).elements * 6 / 8
    with pytest.raises(ae.ConfigError, match="the first 9 of 8 features can't be normalised; 8 is the most"):
        Normalisation(name="n", shape=(10, 8), first=9)


def test_a_gate_needs_both_halves_for_its_gradients():
    x, g = numbers(2, 6), numbers(2, 3)

    def out():
        return x[:, :3] / (1 + np.exp(-x[:, :3])) * x[:, 3:]

    share = 1 / (1 + np.exp(-x[:, :3]))
    of_gate = g * x[:, 3:] * (share + x[:, :3] * share * (1 - share))
    by_hand = np.concatenate([of_gate, g * x[:, :3] * share], axis=1)
    np.testing.assert_allclose(by_hand, gradient(out, x, g), atol=1e-6)
    gate = Gated(name="gate", tokens=2, features=3)
    assert gate.kept_bytes(5) == 5 * 2 * x.size
    assert gate.forward(5).elements == 5 * (x.size + g.size)
    assert gate.input_gradient(5).elements == 5 * (x.size + g.size + x.size)
    assert gate.part(3).takes == (2, 2)
    with pytest.raises(ae.ConfigError, match="3 features can't be divided among 2 NPUs; 1 or 3 would do"):
        gate.part(2)


# ---- latent features ----


def test_keys_and_values_from_latent_features_attend_as_those_from_all():
    """arXiv 2405.04434, equations 9 to 19, for one token's keys: what kv_up gives is [key · value] of every head."""
    heads, nope, rope, value, rank = 2, 3, 2, 4, 5
    layer = LatentKeysValues(
        name="kv", inputs=rank, heads=heads, width=nope, rope=rope, value_width=value, tokens=TOKENS, bias=False
    )
    x, up = numbers(TOKENS, rank + rope), numbers(rank, heads * (nope + value))
    multiply = Products()
    made = multiply(x[:, :rank], up).reshape(TOKENS, heads, nope + value)
    shared = np.repeat(x[:, None, rank:], heads, axis=1)
    keys = np.concatenate([made[..., :nope], shared], axis=2)
    assert multiply.seen == gemms(layer.forward(1))
    assert keys.size + made[..., nope:].size == prod(layer.gives)
    assert (x.shape, up.size) == (layer.takes, layer.parameters)
    part = layer.part(2)
    assert (part.parameters * 2, part.takes) == (layer.parameters, layer.takes)
    assert part.gives == (TOKENS, layer.gives[1] // 2)
    with pytest.raises(ae.ConfigError, match="2 heads can't be divided among 4 NPUs; 2 would do"):
        layer.part(4)


def test_a_latent_layer_is_whole_on_every_npu_and_shares_out_tokens_only():
    latent = Latent(name="down", inputs=64, outputs=8, tokens=16, bias=False)
    assert latent.part(4) == latent
    assert latent.sequence_part(4) == latent.tokens_part(4)
    assert latent.sequence_part(4).gives == (4, 8)
    assert Linear(name="down", inputs=64, outputs=8, tokens=16, split=Split.COPIED).sequence_part(4).gives == (16, 8)


# ---- parts ----

SPLIT = [
    Scores(name="a", **SHAPE),
    Softmax(name="a", **SHAPE),
    Context(name="a", **SHAPE),
    FlashAttention(name="a", **SHAPE, causal=True),
    Rotary(name="a", **SHAPE),
    QueryKeyNorm(name="a", **SHAPE),
    Gated(name="a", tokens=TOKENS, features=8),
]


@pytest.mark.parametrize("operator", SPLIT, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("how", ["part", "tokens_part"])
def test_two_npus_together_do_what_one_does(operator, how):
    half = getattr(operator, how)(2)
    for phase in ("forward", "input_gradient", "weight_gradient"):
        assert 2 * getattr(half, phase)(3).flops == getattr(operator, phase)(3).flops
    assert 2 * prod(half.gives) == prod(operator.gives)
    if how == "part":
        assert 2 * half.kept_bytes(3) == operator.kept_bytes(3)


def test_a_copied_head_is_not_shared_out():
    copied = Scores(name="a", **SHAPE, split="copied")
    assert copied.part(2) is copied
    gate = Gated(name="g", tokens=2, features=3, split=Split.COPIED)
    assert gate.part(2) is gate
