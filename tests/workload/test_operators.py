"""Operators: their products really compute them and their gradients, and count what counting by hand counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from astra_edu.base.errors import ConfigError
from astra_edu.workload.compute import (
    Compute,
    Context,
    Convolution,
    Elementwise,
    Embedding,
    Gemm,
    Interaction,
    Linear,
    Loss,
    Lstm,
    Normalisation,
    Operator,
    Pool,
    Scores,
    Softmax,
    Split,
)
from astra_edu.workload.models.translation import AdditiveAttention

SMALL = st.integers(1, 6)


class Products:
    """Multiplies matrices, and writes down the shapes (m, n, k) of those that it multiplied."""

    def __init__(self):
        self.seen = Counter()

    def __call__(self, a, b):
        self.seen[(len(a), b.shape[1], len(b))] += 1
        return a @ b

    def expect(self, compute: Compute):
        assert self.seen == gemms(compute)


def gemms(compute):
    """The shapes of a phase's products, and how many there are of each."""
    found = Counter()
    for gemm in compute.gemms:
        found[(gemm.m, gemm.n, gemm.k)] += gemm.count
    return found


def numbers(*shape):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape)


def gradient(function, at, of):
    """The gradient of sum(function() · of) by the array `at`, by small steps of each of its numbers."""
    found, step = np.zeros_like(at), 1e-6
    for place in np.ndindex(at.shape):
        for sign in (1, -1):
            at[place] += sign * step
            found[place] += sign * (function() * of).sum() / (2 * step)
            at[place] -= sign * step
    return found


# ---- linear ----


def test_a_linear_layers_three_products_are_its_output_and_its_two_gradients():
    layer, batch = Linear(name="fc", inputs=4, outputs=5, tokens=3), 2
    x, w, g = numbers(batch * 3, 4), numbers(4, 5), numbers(batch * 3, 5)
    forward, back, weights = Products(), Products(), Products()

    def out():
        return x @ w

    assert np.allclose(forward(x, w), out())
    assert np.allclose(back(g, w.T), gradient(out, x, g))
    assert np.allclose(weights(x.T, g), gradient(out, w, g))
    forward.expect(layer.forward(batch))
    back.expect(layer.input_gradient(batch))
    weights.expect(layer.weight_gradient(batch))


@given(SMALL, SMALL, SMALL, SMALL)
def test_a_linear_layer_multiplies_as_often_as_loops_do(batch, tokens, inputs, outputs):
    layer = Linear(name="fc", inputs=inputs, outputs=outputs, tokens=tokens)
    multiplications = sum(1 for _ in product(range(batch), range(tokens), range(inputs), range(outputs)))
    for phase in (layer.forward, layer.input_gradient, layer.weight_gradient):
        assert phase(batch).flops == 2 * multiplications  # each with an addition


# ---- convolution ----

CONVOLUTIONS = [
    {"channels": 2, "height": 5, "width": 4, "filters": 3, "kernel": 3},
    {"channels": 3, "height": 4, "width": 6, "filters": 2, "kernel": 1},
    {"channels": 3, "height": 4, "width": 5, "filters": 2, "kernel": 1, "stride": 2},
    {"channels": 2, "height": 6, "width": 5, "filters": 2, "kernel": 3, "stride": 2},
    {"channels": 1, "height": 5, "width": 5, "filters": 2, "kernel": 2, "stride": 2, "padding": 0},
    {"channels": 2, "height": 4, "width": 4, "filters": 1, "kernel": 3, "padding": 2},
    {"channels": 1, "height": 7, "width": 7, "filters": 2, "kernel": 7, "stride": 2},
]


def convolved(layer, x, w):
    """The output by loops, and how often they multiply. x: (batch, channels, height, width) with its padding."""
    filters, height, width = layer.gives
    out, multiplications = np.zeros((len(x), filters, height, width)), 0
    for b, f, i, j in product(range(len(x)), range(filters), range(height), range(width)):
        top, left = i * layer.stride, j * layer.stride
        seen = x[b, :, top : top + layer.kernel, left : left + layer.kernel]
        out[b, f, i, j] = (seen * w[f]).sum()
        multiplications += w[f].size
    return out, multiplications


def windows(layer, x):
    """im2col: a row for each output pixel, with all that its window sees."""
    _, height, width = layer.gives
    rows = [
        x[b, :, i * layer.stride :, j * layer.stride :][:, : layer.kernel, : layer.kernel].ravel()
        for b, i, j in product(range(len(x)), range(height), range(width))
    ]
    return np.array(rows)


def put_back(layer, rows, x):
    """col2im: each window's numbers added up where they are from."""
    _, height, width = layer.gives
    found, k = np.zeros_like(x), layer.kernel
    for row, (b, i, j) in zip(rows, product(range(len(x)), range(height), range(width)), strict=True):
        found[b, :, i * layer.stride :, j * layer.stride :][:, :k, :k] += row.reshape(-1, k, k)
    return found


@pytest.mark.parametrize("sizes", CONVOLUTIONS)
def test_a_convolutions_three_products_are_its_output_and_its_two_gradients(sizes):
    layer, batch = Convolution(name="conv", **sizes), 2
    border = (0, 0), (0, 0), (layer.padding,) * 2, (layer.padding,) * 2
    x = np.pad(numbers(batch, *layer.takes), border)
    w, g = numbers(layer.filters, layer.channels, layer.kernel, layer.kernel), numbers(batch, *layer.gives)
    flat_w, flat_g = w.reshape(layer.filters, -1).T, g.transpose(0, 2, 3, 1).reshape(-1, layer.filters)
    forward, back, weights = Products(), Products(), Products()
    out, multiplications = convolved(layer, x, w)

    product_out = forward(windows(layer, x), flat_w)
    assert np.allclose(product_out.reshape(batch, *layer.gives[1:], -1).transpose(0, 3, 1, 2), out)
    by_window = back(flat_g, flat_w.T)
    assert np.allclose(put_back(layer, by_window, x), gradient(lambda: convolved(layer, x, w)[0], x, g))
    by_weight = weights(windows(layer, x).T, flat_g)
    assert np.allclose(by_weight.T.reshape(w.shape), gradient(lambda: convolved(layer, x, w)[0], w, g))

    for products, phase in ((forward, layer.forward), (back, layer.input_gradient), (weights, layer.weight_gradient)):
        products.expect(phase(batch))
        assert phase(batch).flops == 2 * multiplications


@given(SMALL, SMALL, SMALL, st.sampled_from([1, 2, 3, 5]), st.integers(1, 3), st.integers(5, 9))
def test_a_convolutions_three_phases_count_the_same(batch, channels, filters, kernel, stride, pixels):
    layer = Convolution(
        name="c", channels=channels, height=pixels, width=pixels, filters=filters, kernel=kernel, stride=stride
    )
    forward, *gradients = (phase(batch) for phase in (layer.forward, layer.input_gradient, layer.weight_gradient))
    assert {phase.flops for phase in gradients} == {forward.flops}
    assert all(sorted(astuple(phase)) == sorted(astuple(forward)) for phase in gradients)  # the same M, N, K, turned


def astuple(compute):
    (gemm,) = compute.gemms
    return (gemm.m, gemm.n, gemm.k)


def test_a_convolution_of_one_pixel_is_a_linear_layer():
    pixels = Convolution(name="c", channels=7, height=4, width=5, filters=3, kernel=1)
    tokens = Linear(name="l", inputs=7, outputs=3, tokens=20)
    assert astuple(pixels.forward(2)) == astuple(tokens.forward(2))
    assert pixels.forward(2).gemms[0].elements == tokens.forward(2).gemms[0].elements
    assert pixels.parameters == tokens.parameters


def test_a_convolution_reads_its_image_once_however_often_windows_overlap():
    layer = Convolution(name="c", channels=3, height=8, width=8, filters=5, kernel=3)
    for phase in (layer.forward, layer.input_gradient, layer.weight_gradient):
        (gemm,) = phase(4).gemms
        assert gemm.elements == 4 * (3 + 5) * 8 * 8 + 3 * 3 * 3 * 5


def test_the_tutorials_first_layer_of_vgg16():
    """Slides of exercise 3: 2 · 50,176 · 27 · 64 operations, 28 · 64 parameters of 2 bytes."""
    conv1 = Convolution(name="conv1", channels=3, height=224, width=224, filters=64, kernel=3)
    (gemm,) = conv1.forward(1).gemms
    assert (gemm.m, gemm.k, gemm.n) == (50_176, 27, 64)
    assert conv1.forward(1).flops == 2 * 50_176 * 27 * 64 == 173_408_256
    assert 2 * conv1.parameters == 2 * (27 + 1) * 64 == 3584


def test_none_as_padding_keeps_the_size_of_odd_kernels():
    for kernel in (1, 3, 5, 7):
        layer = Convolution(name="c", channels=1, height=9, width=8, filters=2, kernel=kernel)
        assert layer.gives == (2, 9, 8)
    assert replace(layer, kernel=2, padding=None).gives == (2, 8, 7)


# ---- attention ----

HEADS = {"tokens": 3, "heads": 2, "width": 4}


def test_the_scores_products_are_their_output_and_the_gradients_of_queries_and_keys():
    scores, batch = Scores(name="qk", **HEADS), 2
    forward, queries, keys = Products(), Products(), Products()
    for _ in range(batch * scores.heads):
        q, k, g = numbers(3, 4), numbers(3, 4) + 1, numbers(3, 3)
        assert np.allclose(forward(q, k.T), np.einsum("if,jf->ij", q, k))
        assert np.allclose(queries(g, k), gradient(lambda q=q, k=k: q @ k.T, q, g))
        assert np.allclose(keys(g.T, q), gradient(lambda q=q, k=k: q @ k.T, k, g))
    forward.expect(scores.forward(batch))
    queries.expect(scores.input_gradient(batch))
    keys.expect(scores.weight_gradient(batch))


def test_the_contexts_products_are_their_output_and_the_gradients_of_scores_and_values():
    context, batch = Context(name="c", **HEADS), 2
    forward, scores, values = Products(), Products(), Products()
    for _ in range(batch * context.heads):
        s, v, g = numbers(3, 3), numbers(3, 4), numbers(3, 4) + 1
        assert np.allclose(forward(s, v), np.einsum("ij,jf->if", s, v))
        assert np.allclose(scores(g, v.T), gradient(lambda s=s, v=v: s @ v, s, g))
        assert np.allclose(values(s.T, g), gradient(lambda s=s, v=v: s @ v, v, g))
    forward.expect(context.forward(batch))
    scores.expect(context.input_gradient(batch))
    values.expect(context.weight_gradient(batch))


def test_attention_by_heads_is_attention():
    """Shapes: queries, keys and values side by side become scores, and scores become features again."""
    scores, softmax, context = (kind(name="a", **HEADS) for kind in (Scores, Softmax, Context))
    assert scores.takes == (3, 3 * 2 * 4)
    assert scores.gives == softmax.takes == softmax.gives == context.takes == (3, 2 * 3)
    assert context.gives == (3, 2 * 4)
    assert sum(operator.parameters for operator in (scores, softmax, context)) == 0


def test_causal_attention_sees_half_of_the_tokens():
    whole, half = (Scores(name="qk", tokens=2048, heads=96, width=128, causal=causal) for causal in (False, True))
    assert (whole.seen, half.seen) == (2048, 1024)
    for phase in ("forward", "input_gradient", "weight_gradient"):
        assert getattr(half, phase)(16).flops * 2 == getattr(whole, phase)(16).flops
    assert Scores(name="qk", tokens=1, heads=1, width=1, causal=True).seen == 1
    assert Scores(name="qk", tokens=5, heads=1, width=1, causal=True).seen == (1 + 2 + 3 + 4 + 5) / 5


def test_softmax_counts_each_score_of_each_head():
    softmax = Softmax(name="s", **HEADS)
    scores = 5 * 2 * 3 * 3  # batch, heads, tokens, tokens
    assert softmax.forward(5) == Compute((), 6 * scores, 4 * scores, kernels=2)  # dropout is one of its own
    assert softmax.input_gradient(5) == Compute((), 6 * scores, 5 * scores, kernels=2)
    assert softmax.weight_gradient(5).flops == 0
    assert softmax.kept_bytes(5) == softmax.recomputable_bytes(5) == 3 * scores  # two bytes, and one of the mask


def test_additive_attentions_products_are_the_sum_of_the_keys_and_its_two_gradients():
    attention, batch = AdditiveAttention(name="a", tokens=3, width=4), 2
    forward, back = Products(), Products()
    for _ in range(batch):
        s, k, g = numbers(3, 3), numbers(3, 4), numbers(3, 4) + 1
        assert np.allclose(forward(s, k), np.einsum("ij,jf->if", s, k))
        assert np.allclose(back(g, k.T), gradient(lambda s=s, k=k: s @ k, s, g))
        assert np.allclose(back(s.T, g), gradient(lambda s=s, k=k: s @ k, k, g))
    forward.expect(attention.forward(batch))
    back.expect(attention.input_gradient(batch))
    pairs = batch * 3 * 3 * 4  # of each, tanh(query + key) is weighted and added up
    assert attention.forward(batch).operations == attention.input_gradient(batch).operations == 4 * pairs
    assert attention.forward(batch).elements == attention.input_gradient(batch).elements == 2 * pairs
    assert attention.parameters == 4 + 4 + 1
    assert attention.kept_bytes(batch) == 2 * (2 * batch * 3 * 4)
    assert (attention.takes, attention.gives) == ((3, 8), (3, 4))


# ---- long short-term memory ----


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_an_lstms_products_are_its_output_and_its_gradients():
    layer, batch = Lstm(name="lstm", inputs=3, hidden=2, tokens=4), 2
    hidden, tokens = layer.hidden, layer.tokens
    x, w, u = numbers(tokens, batch, 3), numbers(3, 8), numbers(2, 8)
    g = numbers(tokens, batch, 2)

    def run(at_once=np.matmul, in_turn=np.matmul):
        """All states, and what the way back needs: gates in the order in, forget, out, new."""
        entered = at_once(x.reshape(-1, 3), w).reshape(tokens, batch, -1)
        h, c = np.zeros((batch, hidden)), np.zeros((batch, hidden))
        states, kept = [], []
        for entry in entered:
            i, f, o, n = np.split(entry + in_turn(h, u), 4, axis=1)
            i, f, o, n, before = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(n), c
            c = f * before + i * n
            kept.append((i, f, o, n, before, c, h))
            h = o * np.tanh(c)
            states.append(h)
        return np.array(states), kept

    forward, back, weights = Products(), Products(), Products()
    states, kept = run(forward, forward)
    assert states.shape == (tokens, batch, layer.gives[1])

    gates, dh, dc = [], np.zeros((batch, hidden)), np.zeros((batch, hidden))
    for (i, f, o, n, before, c, _), from_above in zip(reversed(kept), g[::-1], strict=True):
        dh = dh + from_above
        dc = dc + dh * o * (1 - np.tanh(c) ** 2)
        parts = [dc * n * i * (1 - i), dc * before * f * (1 - f), dh * np.tanh(c) * o * (1 - o), dc * i * (1 - n**2)]
        gates.append(np.concatenate(parts, axis=1))
        dh, dc = back(gates[-1], u.T), dc * f
    by_gate = np.array(gates[::-1]).reshape(-1, 4 * hidden)
    by_input = back(by_gate, w.T)
    before = np.array([h for *_, h in kept]).reshape(-1, hidden)

    assert np.allclose(by_input.reshape(x.shape), gradient(lambda: run()[0], x, g), atol=1e-7)
    assert np.allclose(weights(x.reshape(-1, 3).T, by_gate), gradient(lambda: run()[0], w, g), atol=1e-7)
    assert np.allclose(weights(before.T, by_gate), gradient(lambda: run()[0], u, g), atol=1e-7)
    forward.expect(layer.forward(batch))
    back.expect(layer.input_gradient(batch))
    weights.expect(layer.weight_gradient(batch))
    gated = Compute((), 2 * by_gate.size, 2 * by_gate.size)  # each gate is read and written, by two operations
    for phase in (layer.forward, layer.input_gradient):
        assert replace(phase(batch), gemms=()) == gated
    assert layer.weight_gradient(batch).operations == 0
    assert layer.parameters == w.size + u.size + 2 * 8  # the field's libraries have two biases for each gate
    assert layer.kept_bytes(batch) == 2 * (x.size + by_gate.size + states.size)  # inputs, gates, cells


# ---- tables, and what DLRM does with them ----


def test_an_interactions_products_are_its_output_and_its_gradient():
    interaction, batch = Interaction(name="i", vectors=4, width=3), 2
    forward, back = Products(), Products()
    upper = np.triu_indices(4, 1)
    for _ in range(batch):
        x, g = numbers(4, 3), numbers(6)

        def pairs(x=x):
            return np.array([x[i] @ x[j] for i in range(4) for j in range(i + 1, 4)])

        assert np.allclose(forward(x, x.T)[upper], pairs())
        both_ways = np.zeros((4, 4))
        both_ways[upper] = g
        assert np.allclose(back(both_ways + both_ways.T, x), gradient(pairs, x, g))
    forward.expect(interaction.forward(batch))
    back.expect(interaction.input_gradient(batch))
    assert interaction.gives == (1, 6 + 3)
    assert interaction.kept_bytes(batch) == 2 * batch * 4 * 3
    assert Interaction(name="i", vectors=27, width=128).gives == (1, 479)  # as DLRM's top layers take it


def test_an_embedding_of_words_reads_a_vector_for_each_token():
    words = Embedding(name="words", rows=(50,), width=8, lookups=6)
    assert words.parameters == 50 * 8
    assert (words.takes, words.gives) == ((1, 6), (6, 8))
    vectors = 3 * 6 * 8  # batch, tokens, features
    assert words.forward(3).elements == 2 * vectors  # read and written
    assert words.input_gradient(3) == Compute()  # an index has no gradient
    assert words.weight_gradient(3) == Compute((), vectors, 2 * vectors)
    assert words.kept_bytes(3) == 0


def test_pooled_tables_give_one_vector_each():
    tables = Embedding(name="tables", rows=(50, 7), width=8, lookups=6, pooled=True)
    assert tables.parameters == 57 * 8
    assert tables.gives == (2, 8)
    read, written = 3 * 2 * 6 * 8, 3 * 2 * 8
    assert tables.forward(3) == Compute((), read, read + written)
    assert tables.weight_gradient(3) == Compute((), read, 2 * read)


# ---- element by element ----


def test_an_elementwise_operation_reads_its_inputs_and_writes_its_output():
    added = Elementwise(name="add", shape=(3, 4), operations=3, inputs=2, kept=1)
    assert added.forward(5) == added.input_gradient(5) == Compute((), 3 * 60, 3 * 60)
    assert added.weight_gradient(5) == Compute()
    assert added.kept_bytes(5) == 60  # dropout's mask
    assert replace(added, kept=None).kept_bytes(5, element_bytes=4) == 240  # its input
    assert replace(added, kept=0, operations=0).forward(5).flops == 0  # a ReLU compares


def test_a_normalisation_trains_a_gain_and_a_bias_for_each_feature():
    of_tokens, of_pixels = Normalisation(name="n", shape=(3, 4)), Normalisation(name="n", shape=(5, 3, 4))
    assert (of_tokens.parameters, of_pixels.parameters) == (2 * 4, 2 * 5)
    assert replace(of_tokens, trained=False).parameters == 0
    assert of_tokens.forward(5) == Compute((), 120, 120)
    assert of_tokens.input_gradient(5) == Compute((), 120, 180)
    assert of_tokens.weight_gradient(5) == Compute((), 120, 0)
    assert of_tokens.kept_bytes(5) == 120


def test_the_tutorials_normalisation_of_gpt3():
    """Its file has 11,813 ns for 16 samples and all three phases, at 62 · 2^40 operations a second."""
    norm = Normalisation(name="n", shape=(2048, 12_288), trained=False)
    assert round(norm.forward(16).flops / (62 * 2**40) * 1e9) == 11_813


def test_pooling_compares():
    pool = Pool(name="p", shape=(2, 6, 7), window=2, stride=2)
    assert pool.gives == (2, 3, 3)
    assert pool.forward(5) == pool.input_gradient(5) == Compute((), 0, 5 * (2 * 6 * 7 + 2 * 3 * 3))
    assert pool.kept_bytes(5) == 5 * 2 * 3 * 3
    assert Pool(name="p", shape=(64, 112, 112), window=3, stride=2, padding=1).gives == (64, 56, 56)


# ---- what any operator keeps, and its parts ----

SPLIT_EVENLY: list[Operator] = [
    Linear(name="columns", inputs=6, outputs=8, tokens=4, bias=False, split=Split.COLUMNS),
    Linear(name="gathered", inputs=6, outputs=8, tokens=4, bias=False, split=Split.GATHERED),
    Linear(name="rows", inputs=8, outputs=6, tokens=4, bias=False, split=Split.ROWS),
    Convolution(name="conv", channels=3, height=4, width=4, filters=8, kernel=3),
    Scores(name="scores", tokens=4, heads=8, width=2),
    Softmax(name="softmax", tokens=4, heads=8, width=2),
    Context(name="context", tokens=4, heads=8, width=2),
    Lstm(name="lstm", inputs=6, hidden=8, tokens=4),
    Elementwise(name="gelu", shape=(4, 8), operations=8, split=Split.COLUMNS),
    Elementwise(name="relu", shape=(8, 4, 4), split=Split.GATHERED),
    Embedding(name="tables", rows=(8, 16), width=4, pooled=True, split=Split.TABLES),
]


@pytest.mark.parametrize("operator", SPLIT_EVENLY, ids=lambda operator: operator.name)
@pytest.mark.parametrize("parts", [1, 2, 4])
def test_parts_add_up_to_the_whole(operator, parts):
    part = operator.part(parts)
    assert part.parameters * parts == operator.parameters
    assert part.part(1) == part
    if not isinstance(operator, Embedding):  # of exchanged tables, each looks up fewer for more samples
        for phase in ("forward", "input_gradient", "weight_gradient"):
            assert getattr(part, phase)(3).flops * parts == getattr(operator, phase)(3).flops
    columns = {Split.COLUMNS, Split.GATHERED, Split.HEADS}
    if operator.split in columns and not isinstance(operator, Embedding | Elementwise | Convolution):
        assert part.gives[-1] * parts == operator.gives[-1]
    if operator.split is Split.ROWS:
        assert (part.takes[-1] * parts, part.gives) == (operator.takes[-1], operator.gives)


def test_each_part_of_rows_has_the_whole_bias_and_each_part_of_columns_its_own():
    rows = Linear(name="rows", inputs=8, outputs=6, split=Split.ROWS).part(2)
    columns = Linear(name="columns", inputs=8, outputs=6, split=Split.COLUMNS).part(2)
    assert (rows.parameters, columns.parameters) == (4 * 6 + 6, 8 * 3 + 3)


def test_words_are_padded_to_be_shared_out():
    words = Embedding(name="words", rows=(50_257,), width=4, split=Split.ROWS)
    scores = Linear(name="scores", inputs=4, outputs=50_257, bias=False, tied=True, split=Split.COLUMNS)
    assert scores.parameters == 0
    assert words.part(8).rows == (scores.part(8).outputs,) == (6283,)  # 8 · 6,283 = 50,264
    assert words.part(1) == words


COPIED: list[Operator] = [
    Linear(name="linear", inputs=6, outputs=8, split=Split.COPIED),
    Convolution(name="conv", channels=3, height=4, width=4, filters=8, kernel=3, split=Split.COPIED),
    Lstm(name="lstm", inputs=6, hidden=8, tokens=4, split=Split.COPIED),
    Scores(name="scores", tokens=4, heads=8, width=2, split=Split.COPIED),
    Elementwise(name="relu", shape=(4, 8)),
    Normalisation(name="norm", shape=(4, 8)),
    Embedding(name="words", rows=(8,), width=4),
    Pool(name="pool", shape=(2, 4, 4), window=2, stride=2),
    Interaction(name="pairs", vectors=4, width=4),
]


@pytest.mark.parametrize("operator", COPIED, ids=lambda operator: operator.name)
def test_what_is_copied_stays_whole(operator):
    assert operator.part(4) == operator


def test_sequence_parallelism_shares_the_tokens_of_what_is_copied():
    dropout, norm = Elementwise(name="drop", shape=(8, 6), kept=1), Normalisation(name="norm", shape=(8, 6))
    assert dropout.sequence_part(4).shape == norm.sequence_part(4).shape == (2, 6)
    assert norm.sequence_part(4).parameters == norm.parameters  # each has the whole gain and bias
    gelu = Elementwise(name="gelu", shape=(8, 12), split=Split.COLUMNS)
    assert gelu.sequence_part(4) == gelu.part(4)
    assert gelu.part(4).shape == (8, 3)
    assert Elementwise(name="relu", shape=(8, 6, 4), split=Split.GATHERED).part(2).shape == (4, 6, 4)  # channels
    linear = Linear(name="l", inputs=6, outputs=8, tokens=8, split=Split.COLUMNS)
    assert linear.sequence_part(4) == linear.part(4)


def test_what_is_kept_for_the_way_back():
    linear = Linear(name="l", inputs=6, outputs=8, tokens=4)
    assert linear.kept_bytes(3) == 3 * 4 * 6 * 2
    assert linear.kept_bytes(3, element_bytes=4) == 3 * 4 * 6 * 4
    assert replace(linear, shares_input=True).kept_bytes(3) == 0  # as keys and values share the queries' input
    conv = Convolution(name="c", channels=2, height=4, width=5, filters=8, kernel=3)
    assert conv.kept_bytes(3) == 3 * prod(conv.takes) * 2
    assert replace(conv, shares_input=True).kept_bytes(3) == 0
    scores, context = Scores(name="s", **HEADS), Context(name="c", **HEADS)
    features, all_scores = 5 * 3 * 2 * 4, 5 * 2 * 3 * 3
    assert scores.kept_bytes(5) == 2 * (2 * features)  # queries and keys
    assert context.kept_bytes(5) == 2 * all_scores + 2 * features  # scores after dropout, and values
    assert context.recomputable_bytes(5) == 2 * all_scores
    assert scores.recomputable_bytes(5) == linear.recomputable_bytes(5) == 0


# ---- a product itself ----


def test_a_gemm_counts_its_operations_and_elements():
    gemm = Gemm(2, 3, 4, count=5)
    assert gemm.flops == 2 * (2 * 3 * 4) * 5
    assert gemm.elements == (2 * 4 + 4 * 3 + 2 * 3) * 5
    assert str(gemm) == "5 × (2 × 4) · (4 × 3)"
    assert str(Gemm(2, 3, 4, count=2)) == "2 × (2 × 4) · (4 × 3)"
    assert str(Gemm(2, 3, 4)) == "(2 × 4) · (4 × 3)"


def test_the_work_of_two_phases_adds_up():
    both = Compute((Gemm(2, 3, 4),), 5, 6) + Compute((Gemm(1, 1, 1),), 50, 60)
    assert both == Compute((Gemm(2, 3, 4), Gemm(1, 1, 1)), 55, 66, kernels=2)
    assert (both.launches, (both + Compute()).launches) == (4, 4)
    assert both.flops == 2 * 24 + 2 + 55


# ---- sentences for people ----


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Gemm(0, 3, 4), "M of a GEMM is 0; it must be a whole number, 1 or more."),
        (lambda: Gemm(1, 3, 4.5), "K of a GEMM is 4.5; it must be a whole number, 1 or more."),
        (lambda: Linear(name="fc", inputs=0, outputs=5), "fc: inputs is 0; it must be a whole number, 1 or more."),
        (lambda: Lstm(name="l", inputs=1, hidden=-2, tokens=1), "l: hidden is -2; it must be a whole number, 1 or"),
        (lambda: Scores(name="qk", tokens=3, heads=0, width=1), "qk: heads is 0; it must be a whole number, 1 or"),
        (lambda: Embedding(name="e", rows=(5, 0), width=1), "e: rows is 0; it must be a whole number, 1 or more."),
        (lambda: Elementwise(name="r", shape=(3, 0)), "r: a number of its shape is 0; it must be a whole number, 1 or"),
        (lambda: Normalisation(name="n", shape=(2.5, 3)), "n: a number of its shape is 2.5; it must be a whole number"),
        (
            lambda: Convolution(name="c", channels=3, height=4, width=6, filters=1, kernel=9, padding=1),
            "c: a kernel of 9 doesn't fit into 4 × 6 pixels with a padding of 1; it can be 6 at most.",
        ),
        (
            lambda: Convolution(name="c", channels=3, height=4, width=6, filters=1, kernel=3, padding=-1),
            "c: padding is -1; it must be a whole number, 0 or more.",
        ),
        (
            lambda: Pool(name="p", shape=(3, 4, 4), window=5, stride=1),
            "p: a window of 5 doesn't fit into 3 × 4 × 4 with a padding of 0; a pool takes (channels, height, width), "
            "both as large as its window.",
        ),
        (lambda: Pool(name="p", shape=(4, 4), window=2, stride=1), "a pool takes (channels, height, width)"),
        (
            lambda: Scores(name="qk", tokens=3, heads=25, width=1).part(8),
            "qk: 25 heads can't be divided among 8 NPUs; 5 or 25 would do.",
        ),
        (
            lambda: Linear(name="fc", inputs=6, outputs=1000, split=Split.COLUMNS).part(16),
            "fc: 1000 outputs can't be divided among 16 NPUs; 10 or 20 would do.",
        ),
        (
            lambda: Linear(name="fc", inputs=6, outputs=8, split=Split.ROWS).part(16),
            "fc: 6 inputs can't be divided among 16 NPUs; 6 would do.",
        ),
        (
            lambda: Convolution(name="c", channels=3, height=4, width=6, filters=64, kernel=3).part(3),
            "c: 64 filters can't be divided among 3 NPUs; 2 or 4 would do.",
        ),
        (
            lambda: Lstm(name="l", inputs=6, hidden=10, tokens=4).part(4),
            "l: 10 units can't be divided among 4 NPUs; 2 or 5 would do.",
        ),
        (
            lambda: Normalisation(name="n", shape=(10, 8)).sequence_part(4),
            "n: 10 tokens can't be divided among 4 NPUs; 2 or 5 would do.",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_numbers(make, sentence):
    with pytest.raises(ConfigError) as error:
        make()
    assert sentence in str(error.value)


def test_the_loss_reads_16_bits_and_keeps_32_for_each_score():
    loss = Loss(name="loss", tokens=5, words=7)
    assert loss.kept_bytes(3) == 4 * 3 * 5 * 7
    assert loss.forward(3).elements * 2 == (2 + 4) * 3 * 5 * 7
    assert loss.input_gradient(3).elements * 2 == (4 + 2) * 3 * 5 * 7
    assert loss.part(4) == loss
    assert replace(loss, split=Split.COLUMNS).part(4).words == 2  # padded, as the words' scores are
