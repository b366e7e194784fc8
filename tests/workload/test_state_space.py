"""Mamba-2 by NumPy: chunks with their states say what the recurrence says; and Nemotron 3 Super out of it."""

from __future__ import annotations

import numpy as np
import pytest
from small_models import rings
from workload.test_operators import Products, numbers

import astra_edu as ae
from astra_edu.workload.compute import FlashAttention, StateSpace
from astra_edu.workload.strategies.alike import abridged

TOKENS, HEADS, WIDTH, STATE, GROUPS = 12, 4, 3, 5, 2


def given():
    """x, B, C and how much of a state is left after each token."""
    x, b, c = numbers(TOKENS, HEADS, WIDTH), numbers(TOKENS, GROUPS, STATE), numbers(TOKENS, GROUPS, STATE) + 0.3
    return x, b, c, 1 / (1 + np.exp(-numbers(TOKENS, HEADS)))


def token_by_token(x, b, c, left):
    """The recurrence: state = left · state + B x, output = C · state."""
    out = np.zeros_like(x)
    for h in range(HEADS):
        state = np.zeros((STATE, WIDTH))
        for t in range(TOKENS):
            state = left[t, h] * state + np.outer(b[t, h // 2], x[t, h])
            out[t, h] = c[t, h // 2] @ state
    return out


def by_chunks(x, b, c, left, chunk, multiply):
    """arXiv 2405.21060, listing 1: products of each chunk; states go on from chunk to chunk."""
    out, states = np.zeros_like(x), np.zeros((HEADS, STATE, WIDTH))
    for at in range(0, TOKENS, chunk):
        rows = slice(at, at + chunk)
        pairs = [multiply(c[rows, g], b[rows, g].T) for g in range(GROUPS)]
        for h in range(HEADS):
            sums = np.cumsum(np.log(left[rows, h]))
            masked = np.tril(np.exp(sums[:, None] - sums[None, :]))
            near = multiply(masked * pairs[h // 2], x[rows, h])
            far = multiply(np.exp(sums)[:, None] * c[rows, h // 2], states[h])
            out[rows, h] = near + far
            ended = multiply((np.exp(sums[-1] - sums)[:, None] * b[rows, h // 2]).T, x[rows, h])
            states[h] = np.exp(sums[-1]) * states[h] + ended
    return out


@pytest.mark.parametrize("chunk", [3, 4, 12])
def test_chunks_give_what_the_recurrence_gives_by_the_products_that_are_counted(chunk):
    multiply = Products()
    np.testing.assert_allclose(by_chunks(*given(), chunk, multiply), token_by_token(*given()))
    shape = {"tokens": TOKENS, "heads": HEADS, "width": WIDTH, "state": STATE, "groups": GROUPS, "chunk": chunk}
    scan = StateSpace(name="scan", **shape)
    multiply.expect(scan.forward(1))
    forward, back = (sum(gemm.flops for gemm in work(2).gemms) for work in (scan.forward, scan.input_gradient))
    assert back == 2 * forward + scan.repeated_flops(2)
    again = 2 * chunk * STATE * (chunk * GROUPS + WIDTH * HEADS) * TOKENS // chunk
    assert scan.repeated_flops(2) == 2 * again


def test_time_grows_with_tokens_and_not_with_their_pairs():
    scans = [StateSpace(name="s", tokens=n, heads=8, width=64, state=128, groups=2) for n in (1024, 2048)]
    attentions = [FlashAttention(name="a", tokens=n, heads=8, width=64) for n in (1024, 2048)]
    for pair, times in ((scans, 2), (attentions, 4)):
        one, two = (sum(gemm.flops for gemm in each.forward(1).gemms) for each in pair)
        assert two == times * one


def test_each_npu_has_whole_groups_of_heads():
    scan = StateSpace(name="scan", tokens=256, heads=8, width=64, state=128, groups=2)
    half = scan.part(2)
    assert 2 * half.parameters == scan.parameters
    assert 2 * half.takes[1] == scan.takes[1]
    for phase in ("forward", "input_gradient", "weight_gradient"):
        assert 2 * getattr(half, phase)(3).flops == getattr(scan, phase)(3).flops
    assert 2 * half.kept_bytes(3) == scan.kept_bytes(3)
    with pytest.raises(ae.ConfigError, match="2 groups of heads can't be divided among 4 NPUs; 2 would do"):
        scan.part(4)
    with pytest.raises(ae.ConfigError, match="8 heads can't be divided among 3 groups; 2 or 4 would do"):
        StateSpace(name="scan", tokens=256, heads=8, width=64, state=128, groups=3)
    with pytest.raises(ae.ConfigError, match="can't be shared out by tokens; leave context out"):
        ae.memory(ae.model("nemotron3-super", sequence=1024), ae.Strategy(context=2))


def test_nemotron_3_super_by_hand():
    """Its card says 120B, of which 12B are active; words' embedding and its module for a second word are left out."""
    h, inner, latent = 4096, 128 * 64, 1024
    mamba = h * (2 * inner + 2 * 8 * 128 + 128) + (inner + 2 * 8 * 128) * 5 + 3 * 128 + inner + inner * h + h
    expert, rest = 2 * latent * 2688, 512 * h + 512 + 2 * h * latent + 2 * h * 5376 + h
    attention = h * (32 + 2 * 2) * 128 + 32 * 128 * h + h
    model = ae.model("nemotron3-super")
    words = 131_072 * h
    assert model.parameters == 40 * (mamba + 512 * expert + rest) + 8 * attention + 2 * words + h
    assert model.parameters / 1e9 == pytest.approx(120, abs=1)
    assert (model.active_parameters - words) / 1e9 == pytest.approx(12.2, abs=0.1)
    more = ae.model("nemotron3-super", next_tokens=1)
    assert more.parameters - model.parameters == 512 * expert + rest + attention + 2 * h * h + 3 * h
    assert model.published == model.parameters
    assert (model.exact, more.exact, more.published) == (True, False, None)


def test_its_blocks_are_looked_at_once_each_and_go_through_the_rest():
    model = ae.model("nemotron3-super", pattern="MEM*EMEM", sequence=1024)
    assert len(abridged(ae.model("nemotron3-super")).short.blocks) == 4
    kinds = [{o.name.split("_", 1)[1] for o in (model.operators[i] for i in block)} for block in model.blocks]
    assert ["scan" in each for each in kinds] == [letter == "M" for letter in "MEM*EMEM"]
    assert ["router" in each for each in kinds] == [letter == "E" for letter in "MEM*EMEM"]
    assert ["attention" in each for each in kinds] == [letter == "*" for letter in "MEM*EMEM"]
    cut = ae.Strategy(data=2, tensor=2, sequence_parallel=True, recompute="full")
    assert ae.simulate(ae.generate_workload(model, cut, "a100"), rings(2, 2), progress=False).total_ns > 0
    assert ae.estimate(model, ae.Strategy(data=4, expert=4, pipeline=2, batch=8), "a100", rings(8)).total_ns > 0
    with pytest.raises(ae.ConfigError, match="pattern has 'X'; M, E and"):
        ae.model("nemotron3-super", pattern="MEX")


def test_experts_of_latent_features_send_few():
    """Each token goes to its experts with 1,024 of its 4,096 features."""
    model = ae.model("nemotron3-super", pattern="EE", sequence=1024)
    sizes = {c.size for c in ae.communications(model, ae.Strategy(data=4, expert=4)) if c.group == "expert"}
    assert sizes == {1024 * 22 * 1024 * 2}
    names = [model.operators[i].name.removeprefix("block1_") for i in model.blocks[0]]
    assert names == [
        "norm2", "router", "latent_down", "dispatch", "mlp1", "relu2", "mlp2", "combine", "latent_up", "shared1",
        "shared_relu2", "shared2", "added2",
    ]  # fmt: skip
