"""What frameworks do by rule, each seen in a job: how a sample, a batch and parameters are shared out, what is kept."""

from __future__ import annotations

import pandas as pd
import pytest

from astra_edu import measured
from astra_edu.measured.clock import Clock, Group
from astra_edu.measured.jobs import job_of
from astra_edu.measured.kept import Kept, by_pieces, kept_of
from astra_edu.measured.parameters import MemoryParameters, Parameters
from astra_edu.measured.predicted import fits
from astra_edu.measured.step import Step, step_of
from astra_edu.measured.stored import every, memory_for

LLAMA = {"model": "Llama 2 7B", "hardware": "A100", "gpus": 64, "gbs_seq": 256, "mbs": 1, "seq": 4096}
LLAMA |= {"precision": "bf16", "system": "Megatron-LM"}


def cut(**cells: object):
    return job_of(LLAMA | cells).cut


def step(**cells: object) -> Step:
    job = job_of(LLAMA | cells)
    return step_of(job, Clock(job.machine, Parameters(), job.bits))


def predicted(**cells: object) -> pd.Series:
    return measured.predict(pd.DataFrame([LLAMA | cells], dtype=object)).iloc[0]


def test_a_batch_and_how_many_micro_batches_it_has_say_their_size():
    """MLPerf's GPT-3 on 512 H100: 2,304 samples, 16 copies, 72 micro-batches of 2."""
    row = {"gpus": 512, "tp": 4, "pp": 8, "gbs_seq": 2304, "grad_acc": 72, "mbs": None}
    assert (cut(**row).micro_batch, cut(**row).micro_batches, cut(**row).data) == (2, 72, 16)
    assert cut(**row | {"mbs": 1}).micro_batches == 144
    assert cut(**row | {"grad_acc": 71}).micro_batch == 1  # which would be no whole number of samples
    assert cut(**row | {"gbs_seq": None}).micro_batch == 1


@pytest.mark.parametrize(
    ("cells", "sizes"),
    [
        ({"dp": 8, "pp": 2}, (4, 2, 1)),
        ({"dp": 8, "tp": 2}, (2, 4, 1)),
        ({"dp": 8, "tp": 2, "pp": 1}, (2, 1, 4)),
        ({"dp": 8, "tp": 2, "cp": 2}, (2, 2, 2)),
        ({"dp": 64}, (1, 1, 1)),
        ({"dp": None}, (1, 1, 1)),
    ],
)
def test_the_one_group_that_isn_t_given_is_what_the_others_leave(cells, sizes):
    found = cut(**cells)
    assert (found.tensor, found.pipeline, found.context) == sizes
    assert found.npus == 64


def test_two_groups_that_aren_t_given_may_be_anything():
    assert predicted(dp=8).refused == (
        "there are 64 NPUs and 8 copies, and neither tp nor pp says what 8 NPUs of each copy do."
    )
    assert (
        "tensor × pipeline × context × data is 16, and there are 64 NPUs." in predicted(dp=8, tp=2, pp=1, cp=1).refused
    )
    assert "is 8, and there are 9 NPUs" in predicted(dp=8, gpus=9).refused


@pytest.mark.parametrize(
    ("npus", "batch", "groups"), [(64, 32, (1, 2, 32)), (64, 60, (1, 16, 4)), (6144, 2048, (3, 1, 2048))]
)
def test_more_npus_than_samples_share_them_by_tokens_or_else_by_heads(npus, batch, groups):
    """PaLM 540B's 6,144 TPUs have a third of a sample each, and 2,048 tokens have no third; 48 heads do."""
    found = cut(model="PaLM 540B", seq=2048, gpus=npus, gbs_seq=batch, hardware="TPU v4", system="Pathways", mbs=None)
    assert (found.tensor, found.context, found.data) == groups


def test_tokens_that_a_tensor_group_can_t_share_out_are_all_on_each_of_it():
    whole, shared = (job_of(LLAMA | {"model": "PaLM 540B", "tp": 3, "gpus": 48, "seq": seq}) for seq in (2048, 1536))
    assert (whole.stack.sequence_parallel, shared.stack.sequence_parallel) == (False, True)
    assert whole.blocks[0][0].kept > shared.blocks[0][0].kept * 2048 / 1536


def test_so_many_npus_that_nobody_could_try_their_divisors():
    assert predicted(gpus=10**17, gbs_seq=1, mbs=None, tp=None).refused


def test_internevo_says_among_how_many_it_shares_out():
    row = {"system": "InternEvo", "gpus": 64, "gbs_seq": 64}
    said = {how: cut(**row, sharding=how) for how in ("zero1=8", "zero1=-1", "zero1=1000", "zero1=7")}
    assert [each.shards for each in said.values()] == [8, 64, 64, 64]
    given = MemoryParameters(weight_bytes=4, optimiser_bytes=12)
    few, all_ = (kept_of(job_of(LLAMA | row | {"sharding": how}), given).states for how in ("zero1=8", "zero1=-1"))
    assert few - all_ == pytest.approx(12 * 6_738_415_616 * (1 / 8 - 1 / 64), rel=1e-3)


def test_internevo_sends_each_tensor_to_all_by_itself():
    """195 tensors go through all NPUs, or eight parts through those of a node; little of it hides behind few tokens."""
    row = {"system": "InternEvo", "gpus": 512, "gbs_seq": 512, "seq": 16}
    among_all, within = (step(**row, sharding=how).exchange for how in ("zero1=-1", "zero1=8"))
    job = job_of(LLAMA | row)
    clock = Clock(job.machine, Parameters(), 16)
    tensors = 32 * 6 + 3  # of a block: two norms, four products; words, a last norm, scores
    longer = tensors * clock.latency(Group(512, 8)) - 8 * clock.latency(Group(8, 8))
    assert among_all - within == pytest.approx(longer, rel=0.15)
    other = {how: step(**row | {"system": "Megatron-LM", "sharding": how}).exchange for how in ("zero1=-1", "zero1=8")}
    assert other["zero1=-1"] == other["zero1=8"]


def test_hsdp_gathers_within_a_node_and_adds_gradients_up_between_nodes():
    row = {"system": "fms-fsdp", "recompute": "none", "gbs_seq": 64}
    whole, hybrid = (job_of(LLAMA | row | {"sharding": how}) for how in ("FSDP", "HSDP"))
    assert (whole.cut.shards, hybrid.cut.shards) == (64, 8)
    given = MemoryParameters()
    ratio = kept_of(hybrid, given).states / kept_of(whole, given).states
    assert ratio == pytest.approx(8)
    slow = Parameters(nic=0.2, matrix=1, memory=1)
    exchanged = [step_of(job, Clock(job.machine, slow, 16)).exchange for job in (whole, hybrid)]
    assert exchanged[1] < exchanged[0] / 2
    alone = job_of(LLAMA | row | {"sharding": "HSDP", "gpus": 8, "gbs_seq": 8})
    same = job_of(LLAMA | row | {"sharding": "FSDP", "gpus": 8, "gbs_seq": 8})
    one_node = step_of(alone, Clock(alone.machine, slow, 16))
    assert one_node == step_of(same, Clock(same.machine, slow, 16))
    assert exchanged[1] > 1.1 * one_node.exchange


def test_what_is_offloaded_takes_no_memory_here():
    row = {"system": "DeepSpeed", "sharding": "ZeRO-3 + CPU offload"}
    given = MemoryParameters(weight_bytes=6, optimiser_bytes=12)
    off, on = (kept_of(job_of(LLAMA | row | {"sharding": how}), given) for how in (row["sharding"], "ZeRO-3"))
    assert on.states / off.states == pytest.approx(3)
    assert on.activations == off.activations


def test_deepspeed_adds_up_bfloat16_s_gradients_in_32_bits():
    row = {"system": "Megatron-DeepSpeed", "recompute": "full", "tp": 8}
    half, brain = (job_of(LLAMA | row | {"precision": precision}) for precision in ("fp16", "bf16"))
    assert (half.stack.gradient_bytes, brain.stack.gradient_bytes) == (2, 4)
    clock = Clock(half.machine, Parameters(memory=1), 16)
    longer = (step_of(brain, clock).compute - step_of(half, clock).compute) / half.cut.micro_batches
    parameters = 6_738_415_616 / 8
    assert longer == pytest.approx(12 * parameters / half.machine.memory_bytes_per_s, rel=0.01)
    assert job_of(LLAMA | {"system": "DeepSpeed"}).stack.gradient_bytes == 2


def test_fms_recomputes_some_layers_as_a_whole_as_many_as_memory_asks_for():
    """A share of the blocks: each that is recomputed goes forward twice, and keeps what comes into it alone."""
    row = {"model": "Llama 2 70B", "system": "fms-fsdp", "sharding": "FSDP", "gpus": 128, "mbs": 2, "gbs_seq": 256}
    row |= {"precision": "bf16", "recompute": "selective"}
    none, full = (job_of(LLAMA | row | {"recompute": how}).blocks[0][0] for how in ("none", "full"))
    for share, count in ((0.25, 20), (1 / 3, 26), (0.5, 40), (1, 80)):
        job = job_of(LLAMA | row, repeats=share)
        blocks = dict(job.blocks)
        assert blocks.get(full) == count
        assert blocks.get(none, 0) == 80 - count
    found = predicted(**row)
    assert found.fits
    assert "75% of the layers recomputed" in found.assumed
    times = [predicted(**row | {"recompute": how}).predicted_ms for how in ("none", "full")]
    assert found.predicted_ms == pytest.approx(times[0] / 4 + times[1] * 3 / 4, rel=0.01)
    small = predicted(**row | {"model": "Llama 2 7B", "mbs": 1})
    assert "25% of the layers recomputed" in small.assumed
    assert not job_of(LLAMA | row | {"system": "TorchTitan"}).blocks[0][0].repeated


@pytest.mark.parametrize("system", ["Pathways", "PaxML", "JAX", "T5X", "EasyLM", "", "MLPerf Training v4.0", "NeMo"])
def test_on_tpus_xla_shares_everything_out(system):
    found = job_of(LLAMA | {"hardware": "TPU v5p", "system": system, "gpus": 128})
    assert found.stack.name == "MaxText"
    assert (found.cut.zero, found.cut.recompute, found.cut.shards) == (3, "full", 128)


def test_a_framework_of_its_own_on_tpus_keeps_its_rules():
    assert job_of(LLAMA | {"hardware": "TPU v5p", "system": "TorchTitan"}).stack.name == "TorchTitan"
    assert job_of(LLAMA | {"system": "MLPerf"}).stack.name == "MLPerf"


def test_gpt_s_attention_is_computed_by_tiles_where_that_is_usual():
    row = {"model": "GPT-3 175B", "tp": 8, "seq": 2048}

    def kernels(**cells: object) -> set[str]:
        return {type(each).__name__ for each in job_of(LLAMA | row | cells).model.operators}

    for hardware in ("H100", "B200", "MI300X", "TPU v5p"):
        assert "FlashAttention" in kernels(hardware=hardware)
    for hardware in ("A100", "V100"):
        assert "FlashAttention" not in kernels(hardware=hardware)
    assert "FlashAttention" in kernels(system="MegaScale")


def test_scores_that_would_be_more_than_everything_else_are_computed_by_pieces():
    little, much = Kept(6, 1, 8, 2, 1), Kept(6, 1, 12, 2, 1)
    assert by_pieces(little) == little
    assert (by_pieces(much).scores, by_pieces(much).total) == (0, 10)
    row = {"model": "Llama 3.1 8B", "hardware": "H200", "gpus": 8, "gbs_seq": 8, "system": "DeepSpeed"}
    row |= {"sharding": "ZeRO-3 + CPU offload", "seq": 131_072}
    # 66.5 GiB were measured (stas00/ml-engineering, insights/when-to-upgrade-gpus), with a loss by pieces.
    assert predicted(**row).predicted_GB == pytest.approx(66.5 * 2**30 / 1e9, rel=0.2)


def test_what_a_stack_keeps_is_its_own_on_any_machine_and_nobody_else_s():
    own = {each.stack: each.memory for each in every() if each.memory}
    for machine in ("a100", "h100", "b200", "tpu-v5p"):
        assert memory_for(machine, "TorchTitan") is own["TorchTitan"]
        assert memory_for(machine, "Megatron-LM") is memory_for(machine, "Megatron-Bridge") is own["Megatron-LM"]
        assert memory_for(machine, "DeepSpeed") is memory_for(machine, "unheard-of") is None


def test_who_only_knows_the_time_to_a_target_did_run():
    rows = pd.DataFrame([LLAMA | {"status": status} for status in ("time_to_target_only", "ok", "", "crash_or_oom")])
    assert measured.compared(rows).compared_ran.tolist() == [True, True, True, False]


def test_no_more_is_recomputed_than_memory_asks_for():
    """A step's memory by what it recomputes: attention alone where that is enough, all where it isn't."""
    row = {"model": "GPT-3 175B", "layers": 24, "system": "NeMo", "tp": 8, "gbs_seq": 192, "seq": 2048}
    told = {}
    for samples in (1, 8, 24):
        found = predicted(**row | {"mbs": samples})
        assert found.fits
        told[samples] = {
            how: predicted(**row | {"mbs": samples, "recompute": how}) for how in ("none", "selective", "full")
        }
        first = next(how for how in told[samples] if told[samples][how].fits)
        assert found.predicted_GB == told[samples][first].predicted_GB
        assert found.predicted_ms == told[samples]["none"].predicted_ms
        told[samples] = first
    assert list(told.values()) == ["none", "selective", "full"]


def test_what_fits_leaves_room_for_fragments():
    """3 % of an H100's 80 GiB, as `ae.memory` has it."""
    h100 = job_of(LLAMA | {"hardware": "H100"}).machine
    assert [fits(Kept(size * 2**30, 0, 0, 0, 0), h100) for size in (77.5, 77.7, 79.9)] == [True, False, False]


def test_a_mixture_that_fits_nowhere_has_expert_groups():
    row = {"model": "Mixtral 8x7B", "hardware": "H100", "gpus": 64, "gbs_seq": 64, "system": "NeMo"}
    found, other = predicted(**row), predicted(**row | {"ep": 8, "pp": 2})
    assert found.predicted_ms == other.predicted_ms
    assert "ep 8" in found.assumed
    assert "tp" not in found.assumed


def test_deepseek_s_own_framework_is_taken_on_its_own_machine_alone():
    row = {"model": "DeepSeek-V3", "system": "", "gpus": 2048, "gbs_seq": 15360}
    names = {hardware: job_of(LLAMA | row | {"hardware": hardware}).stack.name for hardware in ("H800", "H100")}
    assert names["H800"] == "HAI-LLM" != names["H100"]
    assert job_of(LLAMA | row | {"hardware": "H800", "system": "Megatron-LM"}).stack.name == "Megatron-LM"


@pytest.mark.parametrize(("npus", "groups"), [(6, 2), (8, 8), (12, 4), (128, 8)])
def test_fsdp_shares_out_experts_among_as_many_as_divide_them(npus, groups):
    """Mixtral's eight experts; copies beyond them have the same ones."""
    row = {"model": "Mixtral 8x7B", "system": "MaxText", "hardware": "TPU v5p", "gpus": npus, "gbs_seq": npus}
    assert cut(**row).expert == groups
    assert cut(**row | {"ep": 2}).expert == 2


def test_memory_is_in_the_unit_that_the_note_names():
    rows = pd.DataFrame([LLAMA | {"mem_GB": 30, "note": note} for note in ("memory in GiB", "", None)])
    gib, *gb = measured.compared(rows).memory_error + 1
    assert gb == [gib * 2**30 / 1e9] * 2


def test_deepseek_cut_short_has_one_dense_block():
    """Of its first three dense ones; SimuMax's measured memory has room for no more."""
    row = {"model": "DeepSeek-V3 truncated", "layers": 4, "hardware": "B200", "gpus": 8, "ep": 8, "gbs_seq": 64}
    whole, short = (job_of(LLAMA | row | {"layers": layers}) for layers in (None, 4))
    routed = [[count for each, count in job.blocks if each.routed] for job in (whole, short)]
    assert routed == [[58], [3]]


def test_copies_of_what_fsdp_shares_out_are_fewer_than_its_npus():
    """dp 2 of 64 NPUs: two copies, each of 32, which have samples of their own; as where all 64 share out."""
    row = {"system": "TorchTitan", "sharding": "FSDP", "hardware": "H100", "gbs_seq": 64}
    two, one, all_ = cut(**row, dp=2), cut(**row, dp=1), cut(**row, dp=64)
    assert [(each.data, each.shards) for each in (two, one, all_)] == [(64, 32), (64, 64), (64, 64)]
    assert cut(**row, dp=2, tp=4, pp=1).shards == 8
    assert "neither tp nor pp says" in predicted(**row | {"sharding": "ZeRO-1", "system": "NeMo"}, dp=2).refused
    assert "and there are 64 NPUs" in predicted(**row | {"gbs_seq": 4}, dp=2).refused  # or else they share samples
