"""What an NPU keeps, against the formulas of ZeRO (arXiv 1910.02054) and of Korthikanti et al. (2205.05198)."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import pytest

import astra_edu as ae
from astra_edu.measured import megatron
from astra_edu.pipeline.closed_form import in_flight
from astra_edu.workload.compute import DEVICES, Linear
from astra_edu.workload.models import Model
from astra_edu.workload.strategies.alike import abridged
from astra_edu.workload.strategies.memory import FRAGMENTATION

GIB = 2**30
HIDDEN, HEADS, TOKENS, WORDS = 256, 8, 128, 1000


def blocks(count=6, vocabulary=WORDS):
    return ae.transformer("small", hidden=HIDDEN, heads=HEADS, blocks=count, sequence=TOKENS, vocabulary=vocabulary)


# --- the state of the model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt2", "bert-large", "vgg16", "resnet50", "gnmt", "dlrm"])
@pytest.mark.parametrize("copies", [1, 2, 8, 64])
def test_zero_shares_out_what_its_paper_says(name, copies):
    model = ae.model(name)
    parameters = model.parameters
    kept = [ae.memory(model, ae.Strategy(data=copies, zero=zero)) for zero in range(4)]
    assert [memory.state / parameters for memory in kept] == pytest.approx(
        [16, 4 + 12 / copies, 2 + 14 / copies, 16 / copies]
    )
    assert [memory.parameters / parameters for memory in kept] == pytest.approx([2, 2, 2, 2 / copies])
    assert [memory.gradients / parameters for memory in kept] == pytest.approx([2, 2, 2 / copies, 2 / copies])
    assert len({memory.activations for memory in kept}) == 1
    largest = max(sum(model.operators[i].parameters for i in unit) for unit in units(model))
    of_gradients, of_parameters = 2 * 2 * largest, 2 * largest  # the next block's hide behind this one; gathers don't
    whole = [0, 0, of_gradients, of_gradients + of_parameters]
    assert [memory.buffers for memory in kept] == pytest.approx([size * (1 - 1 / copies) for size in whole])
    assert [memory.total * 0.97 for memory in kept] == pytest.approx(
        [memory.state + memory.activations + memory.buffers for memory in kept]
    )
    assert all(memory.total == sum(memory.kinds.values()) for memory in kept)


def units(model):
    """Blocks, and each operator that is in none."""
    inside = {i for block in model.blocks for i in block}
    return [*model.blocks, *([i] for i in range(len(model.operators)) if i not in inside)]


def test_other_optimisers_and_gradients_are_counted_as_given():
    parameters = ae.model("gpt2").parameters
    assert ae.memory("gpt2", ae.Strategy(), optimiser_bytes=0).state == 4 * parameters
    assert ae.memory("gpt2", ae.Strategy(), gradient_bytes=4).state == 18 * parameters
    assert ae.memory("gpt2", ae.Strategy(element_bytes=4), gradient_bytes=4, optimiser_bytes=8).state == 16 * parameters


def test_a_tensor_group_shares_out_all_but_small_vectors():
    """Biases of row-parallel layers, gains and positions are on every NPU of the group."""
    whole, part = (ae.memory("gpt3", ae.Strategy(tensor=tensor)).state for tensor in (1, 16))
    copied = 16 * (96 * (2 + 4) * 12_288 + 2 * 12_288 + 2048 * 12_288)  # 2 biases, 2 normalisations; last; positions
    padded = 16 * 12_288 * (16 * -(-50_257 // 16) - 50_257)
    assert 16 * part == whole + padded + 15 * copied


@pytest.mark.parametrize("stages", [1, 2, 4, 8])
def test_a_pipelines_stages_keep_the_whole_model_and_another_copy_of_the_words(stages):
    words = ae.model("gpt3").operators[0].parameters
    kept = [ae.memory("gpt3", ae.Strategy(pipeline=stages), stage=stage).parameters for stage in range(stages)]
    assert sum(kept) == 2 * (ae.model("gpt3").parameters + (words if stages > 1 else 0))


# --- activations of each block and micro-batch: the formulas of 2205.05198, table 2 ---------------------------------

PER_BLOCK = {  # (tensor parallel, sequence parallel, recompute): bytes / (s b h), with attention a s / h and t NPUs
    (False, False, "none"): lambda attention, t: 34 + 5 * attention,
    (True, False, "none"): lambda attention, t: 10 + Fraction(24, t) + 5 * attention / t,
    (True, True, "none"): lambda attention, t: Fraction(34, t) + 5 * attention / t,
    (False, False, "selective"): lambda attention, t: 34,
    (True, False, "selective"): lambda attention, t: 10 + Fraction(24, t),
    (True, True, "selective"): lambda attention, t: Fraction(34, t),
    (False, False, "full"): lambda attention, t: 2,
    (True, False, "full"): lambda attention, t: 2,
    (True, True, "full"): lambda attention, t: Fraction(2, t),
}


@pytest.mark.parametrize(("parallel", "sequence", "recompute"), PER_BLOCK)
@pytest.mark.parametrize("micro_batch", [1, 4])
def test_a_block_keeps_what_the_formula_says(parallel, sequence, recompute, micro_batch):
    tensor = 4 if parallel else 1
    strategy = ae.Strategy(tensor=tensor, sequence_parallel=sequence, recompute=recompute, micro_batch=micro_batch)
    six, five = (ae.memory(blocks(count), strategy).activations for count in (6, 5))
    formula = PER_BLOCK[parallel, sequence, recompute](Fraction(HEADS * TOKENS, HIDDEN), tensor)
    assert six - five == formula * TOKENS * micro_batch * HIDDEN


def test_what_isnt_a_block_is_kept_however_blocks_are_recomputed():
    """Dropout after embedding (s b h), the last norm's and the scores' input (2 s b h each), the loss (4 s b V)."""
    for recompute, each in (("none", 34 + 5 * 4), ("selective", 34), ("full", 2)):
        kept = ae.memory(blocks(6), ae.Strategy(recompute=recompute)).activations
        assert kept == (6 * each + 1 + 2 + 2) * TOKENS * HIDDEN + 4 * TOKENS * WORDS


@pytest.mark.parametrize(
    ("schedule", "virtual", "micro_batches"), [("gpipe", 1, 6), ("1f1b", 1, 6), ("1f1b", 1, 2), ("interleaved", 2, 8)]
)
def test_a_stage_keeps_as_many_micro_batches_as_are_in_flight(schedule, virtual, micro_batches):
    stages, model = 4, blocks(16)
    strategy = ae.Strategy(pipeline=stages, pipeline_order=schedule, virtual=virtual, batch=micro_batches)
    block = (34 + 5 * HEADS * TOKENS / HIDDEN) * TOKENS * HIDDEN
    more = {0: HIDDEN, 3: 4 * HIDDEN + 4 * WORDS}  # the embeddings' dropout; last normalisation and scores, loss
    for stage in range(stages):
        held = in_flight(schedule, stage, stages, micro_batches, virtual)
        of_end = {0: 2 * stages, 3: 1}.get(stage, 0) if virtual > 1 else held  # of the model's first or last part
        kept = (held * 4 * block, of_end * more.get(stage, 0) * TOKENS)
        assert ae.memory(model, strategy, stage=stage).activations == pytest.approx(sum(kept))


def test_without_a_stage_the_one_that_keeps_most_is_given():
    strategy = ae.Strategy(pipeline=4, batch=8)
    each = [ae.memory("gpt3", strategy, stage=stage) for stage in range(4)]
    assert ae.memory("gpt3", strategy) == max(each, key=lambda memory: memory.total)
    assert len({memory.total for memory in each}) > 1


def test_one_stage_keeps_one_micro_batch_whatever_the_batch():
    kept = [ae.memory("gpt2", ae.Strategy(batch=batch)).activations for batch in (1, 8, 64)]
    assert len(set(kept)) == 1
    assert ae.memory("gpt2", ae.Strategy(batch=8, pipeline_order="gpipe")).activations == 8 * kept[0]


# --- published figures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", megatron(), ids=lambda row: f"{row.model}-{row.recompute}")
def test_published_state_is_18_bytes_for_each_of_a_stages_weights(row):
    """Figure 1 of 2205.05198 counts 12 h² for each block; we count biases and gains, too, and embeddings."""
    hidden, here = hidden_of(row), len(ae.model(row.model).blocks) // row.strategy.pipeline
    weights = here * 12 * hidden**2 // row.strategy.tensor
    assert 18 * weights / GIB == pytest.approx(row.state_gib, abs=0.006)  # printed with two decimals
    vectors = here * (7 * hidden // row.strategy.tensor + 6 * hidden)  # biases of columns; of rows, and normalisations
    words = -(-51_200 // 8) * hidden if row.model != "gpt3" else -(-50_257 // 8) * hidden
    more = {0: words + 2048 * hidden, row.strategy.pipeline - 1: words + 2 * hidden}
    if row.strategy.pipeline == 1:
        more = {0: words + 2048 * hidden + 2 * hidden}
    for stage in {0, row.strategy.pipeline // 2, row.strategy.pipeline - 1}:
        ours = ae.memory(row.model, row.strategy, stage=stage, gradient_bytes=4).state
        assert ours == 18 * (weights + vectors + more.get(stage, 0))


@pytest.mark.parametrize("row", megatron(), ids=lambda row: f"{row.model}-{row.recompute}")
def test_published_activations_are_the_formula_for_the_first_stages_blocks(row):
    """Figure 1 of 2205.05198 has those of blocks ("full" rows: without recomputing); ours have a little more."""
    strategy = replace(row.strategy, recompute="none") if row.recompute == "full" else row.strategy
    ours = ae.memory(row.model, strategy, stage=0).activations
    held = in_flight(strategy.pipeline_order, 0, strategy.pipeline, strategy.micro_batches, strategy.virtual)
    alone = strategy.pipeline == 1
    dropout, norm_and_scores = 1, 4 if alone else 0
    more = (dropout + norm_and_scores) * 2048 * strategy.micro_batch * hidden_of(row)
    more *= 1 if alone else min(2 * strategy.pipeline, strategy.micro_batches) if strategy.virtual > 1 else held
    if strategy.sequence_parallel:
        more /= strategy.tensor
    loss = 4 * 2048 * strategy.micro_batch * 51_200 / strategy.tensor if alone else 0
    assert (ours - more - loss) / GIB == pytest.approx(row.kept_gib, abs=0.006)  # printed with two decimals


def hidden_of(row):
    return ae.model(row.model).operators[0].width


# --- short models ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt3", "bert-large", "vgg16"])
def test_a_short_model_stands_for_the_whole(name):
    model, about = ae.model(name), abridged(ae.model(name))
    for operator, place in zip(model.operators, about.places, strict=True):
        like = about.short.operators[place]
        assert replace(like, name="", after=()) == replace(operator, name="", after=())
    assert len(about.short.operators) < 40
    assert len(about.short.blocks) == min(2, len(model.blocks))


def test_unlike_blocks_are_not_abridged():
    model = blocks(4)
    where = model.blocks[2][9]  # the activation function of the third block
    operators = list(model.operators)
    operators[where] = replace(operators[where], kept=1)
    odd = Model("odd", tuple(operators), model.blocks)
    assert abridged(odd).short is odd
    plain, other = (ae.memory(m, ae.Strategy()).activations for m in (model, odd))
    assert plain - other == TOKENS * 4 * HIDDEN  # 1 byte instead of 2 for each of the feed-forward's features


def test_exchanged_tables_are_shared_out_among_all():
    whole = ae.memory("dlrm", ae.Strategy(data=8))
    shared = ae.memory("dlrm", ae.Strategy(data=8, exchange_embeddings=True))
    layers = sum(op.parameters for op in ae.model("dlrm").operators if isinstance(op, Linear))
    tables = ae.model("dlrm").parameters - layers
    assert whole.state == 16 * (tables + layers)
    assert shared.state == pytest.approx(16 * (tables / 8 + layers), rel=1e-6)


# --- what is there for a moment -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt2", "bert-large", "vgg16", "mixtral-8x7b"])
def test_gathering_ahead_takes_as_much_room_again(name):
    waits, hides = (ae.Strategy(data=8, zero=3, overlap=names) for names in ((), ("gradients", "parameters")))
    one, two = (ae.memory(name, cut).buffers for cut in (waits, hides))
    assert two == 2 * one > 0


def test_what_stays_gathered_is_no_buffer():
    """Of ZeRO-3 that keeps what it gathered, gradients alone are whole for a moment: as ZeRO-2 has it."""
    kept = ae.Strategy(data=8, zero=3, reshard=False)
    assert ae.memory(blocks(), kept) == ae.memory(blocks(), ae.Strategy(data=8, zero=2))


@pytest.mark.parametrize("recompute", ["selective", "full"])
@pytest.mark.parametrize("tensor", [1, 4])
def test_a_block_that_is_computed_again_has_what_it_has_without(recompute, tensor):
    """A block keeps what the formula says; computed again, it has the rest of what it would keep otherwise."""
    cut = ae.Strategy(tensor=tensor, recompute=recompute)
    plain = replace(cut, recompute="none")
    less, more = ([ae.memory(blocks(count), each).activations for count in (5, 6)] for each in (cut, plain))
    assert ae.memory(blocks(), cut).recomputed == (more[1] - more[0]) - (less[1] - less[0])
    assert ae.memory(blocks(), plain).recomputed == 0


@pytest.mark.parametrize("stage", range(4))
def test_stages_have_room_for_what_comes_from_both_sides(stage):
    message = 2 * TOKENS * HIDDEN
    both = (stage > 0) + (stage < 3)
    assert ae.memory(blocks(8), ae.Strategy(pipeline=4), stage=stage).buffers == both * message
    looped = ae.Strategy(pipeline=4, batch=4, pipeline_order="interleaved", virtual=2)
    assert ae.memory(blocks(8), looped, stage=stage).buffers == 2 * message


def test_sequence_parallel_groups_gather_all_tokens_and_others_add_up_in_place():
    plain, parallel = (ae.memory(blocks(), ae.Strategy(tensor=4, sequence_parallel=p)).buffers for p in (False, True))
    assert (plain, parallel) == (0, 3 / 4 * 2 * TOKENS * HIDDEN)


def test_rings_hold_two_blocks_of_keys_and_values_and_gathers_all_others():
    flash = ae.transformer(
        "flash", hidden=HIDDEN, heads=HEADS, blocks=4, sequence=TOKENS, vocabulary=WORDS, attention="flash"
    )
    gather, ring = (ae.memory(flash, ae.Strategy(context=8, context_by=by)).buffers for by in ("all-gather", "ring"))
    own = 2 * 2 * TOKENS * HIDDEN // 8
    assert (gather, ring) == (7 * own, 2 * own)


def test_fragmentation_is_a_share_of_all_that_is_taken():
    cut = ae.Strategy(data=8, zero=3)
    none, tenth = (ae.memory("gpt2", cut, fragmentation=share) for share in (0, 0.1))
    assert none.fragmentation == 0
    assert tenth.fragmentation == pytest.approx(0.1 * tenth.total) == pytest.approx(tenth.total - none.total)
    assert ae.memory("gpt2", cut) == ae.memory("gpt2", cut, fragmentation=FRAGMENTATION)


# --- what fits, and bad input ---------------------------------------------------------------------------------------


def test_what_fits():
    just = ae.memory("gpt2", ae.Strategy())
    device = replace(DEVICES["a100"], memory_bytes=ceil(just.total))
    assert just.fits(device)
    assert not just.fits(replace(device, memory_bytes=ceil(just.total) - 1))
    assert just.fits("a100")


def test_a_device_without_memory_says_so():
    with pytest.raises(ae.ConfigError, match="tutorial-46 has no memory_bytes"):
        ae.memory("gpt2", ae.Strategy()).fits("tutorial-46")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"model": "gpt3", "strategy": ae.Strategy(tensor=10)}, "can't be divided among 10 NPUs"),
        ({"model": "gpt3", "strategy": ae.Strategy(pipeline=7, batch=7)}, "96 blocks, which 7 stages can't share"),
        ({"model": "gpt3", "strategy": ae.Strategy(pipeline=128)}, "96 blocks; it can't be cut into 128 stages"),
        ({"model": "vgg16", "strategy": ae.Strategy(sequence_parallel=True)}, "VGG-16 has no blocks of tokens"),
        ({"model": "gpt2", "strategy": ae.Strategy(), "stage": 1}, "stage is 1; there are the stages 0 to 0"),
        ({"model": "gpt2", "strategy": ae.Strategy(), "gradient_bytes": -1}, "gradient_bytes is -1"),
        ({"model": "gpt2", "strategy": ae.Strategy(), "fragmentation": 1}, "fragmentation is 1; it is a share of all"),
        ({"model": "gpt2", "strategy": ae.Strategy(), "fragmentation": -0.1}, "fragmentation is -0.1"),
        ({"model": "gpt5", "strategy": ae.Strategy()}, "did you mean 'gpt"),
    ],
)
def test_bad_input_is_told_in_a_sentence(arguments, sentence):
    with pytest.raises(ae.ConfigError, match=sentence):
        ae.memory(**arguments)


def test_exchanged_tables_are_nobody_elses_so_zero_has_nothing_to_share_out():
    tables = sum(ae.model("dlrm").operators[0].rows) * 128
    for zero in range(3):
        kept = ae.memory("dlrm", ae.Strategy(data=8, exchange_embeddings=True, zero=zero))
        assert kept.optimiser / 12 >= tables / 8
