"""Context groups and experts as 1.0 workloads: lines by hand, bytes of each group, times by the closed form.

tests/exact has fourteen of them to the ns as the C++ program takes them: generated/context..., generated/experts...
"""

from dataclasses import replace
from random import Random

import pytest

import astra_edu as ae
from astra_edu.explore.iteration import groups
from astra_edu.explore.iteration.network_times import took_by
from astra_edu.formats import format_workload, parse_workload
from astra_edu.workload.compute import Linear, Split

SHAPE = {"hidden": 512, "heads": 8, "blocks": 2, "sequence": 256, "vocabulary": 512}
GPT = ae.transformer("small", **SHAPE)
FLASH = ae.transformer("flash", **SHAPE, attention="flash")
MIXTURE = ae.transformer("mixture", **SHAPE, experts=16, top_k=2)

WAITED = ("context", "expert", "tensor")

WHOLE = {"tensor": 2, "sequence_parallel": True, "whole_experts": True}

CUTS = [
    ({"context": 4}, (4,)),
    ({"context": 8}, (2, 4)),
    ({"context": 2, "data": 4}, (2, 4)),
    ({"context": 2, "data": 4, "zero": 1}, (2, 4)),
    ({"context": 4, "data": 2, "zero": 3}, (4, 2)),
    ({"context": 4, "data": 2, "zero": 3, "reshard": False}, (4, 2)),
    ({"context": 4, "tensor": 2}, (2, 4)),
    ({"context": 4, "tensor": 2, "placement": "data-first", "recompute": "full"}, (4, 2)),
    ({"context": 4, "tensor": 2, "sequence_parallel": True, "zero": 3, "recompute": "selective"}, (2, 4)),
    ({"data": 8, "expert": 8}, (8,)),
    ({"data": 8, "expert": 2}, (2, 4)),
    ({"data": 8, "expert": 4, "zero": 3, "recompute": "full"}, (4, 2)),
    ({"data": 4, "expert": 4, "tensor": 2}, (2, 4)),
    ({"data": 4, "expert": 4, "tensor": 2, "sequence_parallel": True, "recompute": "full"}, (2, 4)),
    ({"context": 4, "data": 2, "expert": 4}, (4, 2)),
    ({"context": 4, "expert": 4, "tensor": 2}, (2, 4)),
    ({"context": 8, "expert": 2}, (2, 4)),
    ({"data": 4, **WHOLE, "expert": 2}, (2, 4)),
    ({"data": 4, **WHOLE, "expert": 2, "placement": "data-first", "recompute": "full"}, (4, 2)),
]

OVER_TWO = [({"context": 2, "data": 4, "expert": 8}, (2, 4)), ({"data": 4, **WHOLE, "expert": 8}, (2, 4))]
"""Over several dimensions all-to-alls send more than the table says: everything once in each of them."""


def rings(*npus):
    dims = [ae.Dimension.of("Ring", each, 100 - 30 * k, 500) for k, each in enumerate(npus)]
    return ae.Platform(dims, ae.SystemConfig.of("_".join(["ring"] * len(npus)), splits=2))


def model(cut):
    return MIXTURE if cut.expert > 1 else GPT


def lines(made, **settings):
    return {layer.name: layer for layer in ae.generate_workload(made, ae.Strategy(**settings), "a100").layers}


def sent(work):
    return (work.collective and str(work.collective), work.size)


def without(work, kept):
    """The same lines with those collectives only, of which kept(line, kind) is true."""
    kinds = ("forward", "input_gradient", "weight_gradient")

    def bare(layer):
        lost = [kind for kind in kinds if not kept(layer, kind)]
        return replace(layer, **{kind: replace(getattr(layer, kind), collective=None, size=0) for kind in lost})

    return replace(work, layers=tuple(map(bare, work.layers)))


# Lines


def test_keys_and_values_come_before_attention_in_both_passes_and_their_gradients_leave_after_it():
    """64 tokens of each sample on an NPU, 512 keys and 512 values each, 2 bytes a number."""
    made = list(lines(FLASH, context=4).values())
    at = [layer.name for layer in made].index("block1_attention")
    before, attention, behind = made[at - 1 : at + 2]
    own = 2 * 64 * 512 * 2
    assert before.name == "block1_attention_keys_and_values"
    assert (sent(before.forward), sent(before.input_gradient)) == (("all-gather", own), ("reduce-scatter", 4 * own))
    assert behind.name == "block1_attention_keys_and_values_back"
    assert (sent(behind.forward), sent(behind.input_gradient)) == ((None, 0), ("all-gather", own))
    for line in (before, behind):
        assert {line.parallelism} == {"MODEL"}
        assert line.forward.compute_ns == line.input_gradient.compute_ns == line.weight_gradient.compute_ns == 0
    assert attention.forward.compute_ns > 0
    assert [attention.forward.collective, attention.input_gradient.collective] == [None, None]


def test_tokens_leave_behind_their_dispatch_and_return_in_front_of_their_combination():
    made = list(lines(MIXTURE, data=4, expert=4).values())
    names = [layer.name for layer in made if layer.name.startswith("block2")]
    at = names.index("block2_dispatch")
    assert names[at : at + 6] == [
        "block2_dispatch",
        "block2_dispatch_routed_tokens",
        "block2_mlp1",
        "block2_mlp2",
        "block2_combine_routed_tokens",
        "block2_combine",
    ]
    for layer in made:
        if layer.name.endswith("_tokens"):
            assert sent(layer.forward) == sent(layer.input_gradient) == ("all-to-all", 2 * 256 * 512 * 2)
            assert layer.parallelism == "MODEL"
        elif "mlp" in layer.name:
            assert layer.weight_gradient.collective is None  # nobody else has them


@pytest.mark.parametrize(
    ("settings", "line", "parallelism"),
    [
        ({"context": 2, "data": 4}, "block1_scores_keys_and_values", "HYBRID_DATA_MODEL"),
        ({"context": 2, "data": 4}, "block1_qkv", "DATA"),
        ({"context": 4, "tensor": 2}, "block1_scores_keys_and_values", "HYBRID_MODEL_DATA"),
        ({"context": 4, "tensor": 2}, "block1_projection_activations", "HYBRID_DATA_MODEL"),
        ({"context": 4, "tensor": 2}, "block1_qkv_input_gradients", "HYBRID_DATA_MODEL"),
        ({"context": 4, "tensor": 2}, "block1_qkv", "HYBRID_DATA_MODEL"),
        ({"context": 4, "tensor": 2, "placement": "data-first"}, "block1_qkv", "HYBRID_MODEL_DATA"),
        ({"data": 8, "expert": 2}, "block1_dispatch_routed_tokens", "HYBRID_DATA_MODEL"),
        ({"data": 8, "expert": 2}, "block1_mlp1", "HYBRID_DATA_MODEL"),
        ({"data": 8, "expert": 2}, "block1_router", "DATA"),
        ({"data": 8, "expert": 2, "zero": 3}, "block1_mlp1_parameters", "HYBRID_MODEL_DATA"),
        ({"data": 8, "expert": 2, "zero": 3}, "block1_router_parameters_back", "MODEL"),
    ],
)
def test_each_line_names_the_dimensions_of_its_group(settings, line, parallelism):
    assert lines(model(ae.Strategy(**settings)), **settings)[line].parallelism == parallelism


def test_full_recomputation_sends_everything_of_the_forward_pass_again():
    none, full = (lines(MIXTURE, tensor=2, data=4, expert=4, recompute=how) for how in ("none", "full"))
    again = {name: layer for name, layer in full.items() if name not in none}
    assert list(again)[:4] == [
        "block1_projection_activations_again",
        "block1_dispatch_routed_tokens_again",
        "block1_combine_routed_tokens_again",
        "block1_combine_activations_again",
    ]
    for name, layer in again.items():
        assert sent(layer.input_gradient) == sent(full[name.removesuffix("_again")].forward)
        assert layer.forward.collective is None


@pytest.mark.parametrize(("settings", "npus"), CUTS + OVER_TWO)
def test_files_of_them_say_the_same(settings, npus):
    cut = ae.Strategy(**settings)
    work = ae.generate_workload(model(cut), cut, "a100", platform=rings(*npus))
    assert parse_workload(format_workload(work)) == work
    assert len({layer.name for layer in work.layers}) == len(work.layers)


def test_a_stage_has_the_lines_of_its_blocks():
    settings = {"data": 4, "expert": 4, "pipeline": 2, "batch": 8}
    whole = lines(MIXTURE, data=4, expert=4)
    for stage in (0, 1):
        own = ae.generate_workload(MIXTURE, ae.Strategy(**settings), "a100", stage=stage, platform=rings(4))
        assert all(whole[layer.name] == layer for layer in own.layers if layer.name != "input")
        assert {layer.name.split("_")[0] for layer in own.layers if "block" in layer.name} == {f"block{stage + 1}"}


def test_the_first_line_of_a_stage_sends_its_gradient_too():
    """A training loop leaves out its first line's; a part of a model may begin with an operator that sends one."""
    up = Linear(name="up", inputs=8, outputs=16, tokens=4, split=Split.COLUMNS)
    down = Linear(name="down", inputs=16, outputs=8, tokens=4, split=Split.ROWS)
    made = ae.generate_workload(ae.Model("bare", (up, down), (range(2),)), ae.Strategy(tensor=2, context=2), "a100")
    first, second, *_ = made.layers
    assert (first.name, second.name) == ("input", "up_input_gradients")
    assert sent(second.input_gradient) == ("all-reduce", 2 * 8 * 2)
    ran = ae.simulate(made, rings(2, 2), progress=False).running[1]
    assert [task.communication_ns > 0 for task in ran.tasks] == [False, True, False]


# Bytes


@pytest.mark.parametrize(("settings", "npus"), CUTS)
def test_each_group_sends_what_its_strategy_says(settings, npus):
    """Each group's lines simulated by themselves, against the table's bytes of an iteration."""
    cut, platform = ae.Strategy(**settings), rings(*npus)
    work = ae.generate_workload(model(cut), cut, "a100", platform=platform)
    table = ae.communications(model(cut), cut)
    found = {one.group for one in table}
    assert found >= {name for name in WAITED if getattr(cut, name) > 1}
    for group in found:
        own = {(f"{one.operator}_{one.content.replace(' ', '_')}", one.phase) for one in table if one.group == group}
        of_weights = {one.operator for one in table if one.group == group and one.phase == "weight gradient"}
        back = {name.replace("gradients_of_", "") for name, phase in own if phase == "input gradient"}

        def kept(layer, kind, own=own, of_weights=of_weights, back=back):
            plain = layer.name.removesuffix("_back").removesuffix("_again")
            if kind == "weight_gradient":
                return layer.name in of_weights
            return plain in {name for name, _ in own} | back

        ran = ae.simulate(without(work, kept), platform, progress=False)
        assert ran.message_bytes == pytest.approx(sum(one.sent_bytes for one in table if one.group == group)), group
    everything = ae.simulate(work, platform, progress=False).message_bytes
    assert everything == pytest.approx(sum(one.sent_bytes for one in table))


# Times


def waits_and_bounds(made, cut, device, platform):
    """Checks that all is waited for as the closed form has it, and that gradients' exchange adds no more than it takes.

    A line takes 1 ns in the forward pass and 2 in the backward pass, where a collective hides one of them; a finished
    collective takes another ns to be used.
    """
    work, found = (
        ae.generate_workload(made, cut, device, platform=platform),
        ae.estimate(made, cut, device, platform),
    )
    bare = ae.simulate(without(work, lambda layer, kind: kind != "weight_gradient"), platform, progress=False)
    ahead = sum(layer.forward.collective is not None for layer in work.layers)
    waited = found.tensor_ns + found.context_ns + found.expert_ns
    assert bare.total_ns == bare.compute_ns + waited + 3 * len(work.layers) + ahead
    assert bare.compute_ns == pytest.approx(found.compute_ns, abs=1.5 * len(work.layers))
    ran = ae.simulate(work, platform, progress=False)
    of_group = groups(platform, cut)
    exchange = sum(
        took_by(of_group[one.group], one.collective, one.size).total_ns
        for one in ae.communications(made, cut)
        if one.phase in ("weight gradient", "update")
    )
    assert bare.total_ns <= ran.total_ns <= bare.total_ns + exchange + 2 * len(work.layers)
    return (found.total_ns - found.update_ns) / ran.total_ns - 1


@pytest.mark.parametrize(("settings", "npus"), CUTS + OVER_TWO)
def test_what_is_waited_for_takes_what_the_closed_form_says_to_the_ns(settings, npus):
    cut = ae.Strategy(**settings)
    waits_and_bounds(model(cut), cut, "a100", rings(*npus))


def random_cut(rng):
    tensor, context = rng.choice([1, 1, 2, 4]), rng.choice([1, 2, 4])
    data = 1 if tensor > 1 and context > 1 else rng.choice([2, 4] if context == 1 else [1, 2, 4])
    copies = context * data
    expert = rng.choice([1, copies] if tensor > 1 else [1, context, copies] if context > 1 else [2, copies])
    expert = copies if expert * context == 1 else expert
    size = rng.choice([1, 2, 4])
    return ae.Strategy(
        data=data,
        tensor=tensor,
        context=context,
        expert=expert,
        batch=data * size,
        micro_batch=size,
        zero=rng.choice([0, 1, 3]),
        sequence_parallel=tensor > 1 and rng.random() < 0.5,
        recompute=rng.choice(["none", "selective", "full"]),
    )


def test_twenty_random_ones_do_so_on_switches_and_are_near_where_zero_3_leaves_little_to_queue_behind():
    """Gradients go over the same links as what is waited for, which queues behind them; an estimate's groups don't."""
    of_zero_3 = []
    for seed in range(20):
        rng = Random(seed)
        cut = random_cut(rng)
        made = ae.transformer(
            "m",
            hidden=rng.choice([1024, 2048]),
            heads=16,
            kv_heads=rng.choice([8, 16]),
            blocks=2,
            sequence=rng.choice([1024, 2048]),
            vocabulary=1024,
            attention=rng.choice(["flash", "scores"]),
            experts=16 if cut.expert > 1 else 1,
            top_k=2 if cut.expert > 1 else 1,
        )
        inner = cut.tensor if cut.tensor > 1 else cut.context if 1 < cut.context < cut.copies else cut.expert
        dims = [(inner, 300, 500), (cut.npus // inner, rng.choice([25, 50, 100]), 1000)]
        there = [ae.Dimension.of("Switch", *dim) for dim in dims if dim[0] > 1]
        system = ae.SystemConfig.of("_".join(["halvingDoubling"] * len(there)), splits=1)
        off = waits_and_bounds(made, cut, "h100", ae.Platform(there, system))
        of_zero_3 += [off] * (cut.zero == 3)
    assert len(of_zero_3) > 4
    assert max(map(abs, of_zero_3)) < 0.05


# What no file can say

TWICE = r"can send over dimension 0, all the others or all, and these groups \({}\) need more; .*{}"


@pytest.mark.parametrize(
    ("made", "settings", "message"),
    [
        (
            GPT,
            {"tensor": 2, "context": 2, "data": 4},
            TWICE.format("tensor 2, data 8, context 2 NPUs", r"all 8 copies \(data × context\) .* \(expert=8 or 1\)"),
        ),
        (
            MIXTURE,
            {"context": 2, "data": 4, "expert": 4},
            TWICE.format(
                "data 8, context 2, expert 4, expert data 2 NPUs",
                r"context group \(2\) and the one of experts \(4\) .* one of them all 8 copies .* a trace for 2\.x",
            ),
        ),
        (MIXTURE, {"tensor": 2, "data": 8, "expert": 4}, "these groups"),
        (MIXTURE, {"tensor": 2, "data": 8, "expert": 4, "placement": "data-first"}, "these groups"),
        (FLASH, {"context": 2, "context_by": "ring"}, r"a ring's messages .* use context_by='all-gather'; ae\.traces"),
        (MIXTURE, {"data": 2, "expert": 2, "overlap": ("gradients", "expert")}, "hide expert behind computing"),
        (GPT, {"context": 2, "overlap": ()}, r"can't wait for gradients at once; ae\.traces"),
        (GPT, {"context": 2, "data": 2, "zero": 3, "shard_group": 2}, "hybrid sharding sums up gradients over both"),
    ],
)
def test_what_no_file_can_say_is_told_with_what_can_be(made, settings, message):
    cut = ae.Strategy(**settings)
    with pytest.raises(ae.ConfigError, match=message):
        ae.generate_workload(made, cut, "a100")
    if "shard_group" not in settings:
        assert ae.traces.from_strategy(made, cut, "a100").nodes


@pytest.mark.parametrize(
    ("settings", "npus", "message"),
    [
        ({"context": 2, "data": 4}, (4, 2), r"dimension 0 of the network for a group of 2 NPUs .* but it has 4; give"),
        ({"context": 4, "tensor": 2}, (4, 2), "for a group of 2 NPUs"),
        ({"context": 4, "tensor": 2, "placement": "data-first"}, (2, 4), r"for a group of 4 NPUs \(data-first\)"),
        ({"context": 4, "data": 2}, (4,), r"data × context × tensor = 2 × 4 × 1 takes 8 NPUs, but the platform has 4"),
    ],
)
def test_a_platform_must_have_the_groups_as_dimensions(settings, npus, message):
    with pytest.raises(ae.ConfigError, match=message):
        ae.generate_workload(GPT, ae.Strategy(**settings), "a100", platform=rings(*npus))


def test_a_group_that_is_all_npus_runs_over_any_dimensions():
    for npus in ((8,), (2, 4), (4, 2), (2, 2, 2)):
        work = ae.generate_workload(GPT, ae.Strategy(context=8), "a100", platform=rings(*npus))
        assert ae.simulate(work, rings(*npus), progress=False).message_bytes > 0
