"""Faults in what today's models are made of: attention in its kinds, experts, state spaces, and their sharing out."""

from tools.mutants.fault import Fault

COMPUTE, MODELS, STRATEGIES = (f"astra_edu/workload/{part}" for part in ("compute", "models", "strategies"))
KINDS, PUBLISHED, SPACE = (
    f"tests/workload/test_{part}.py::test_" for part in ("attention_kinds", "published_models", "state_space")
)

FAULTS = [
    Fault(
        "every query has keys and values of its own",
        f"{COMPUTE}/attention.py",
        "self._queries, self.seen, self.width, batch * self.shared_heads, of_activations",
        "self.tokens, self.seen, self.width, batch * self.heads, of_activations",
        f"{KINDS}queries_that_share_keys_are_the_rows_of_one_product",
    ),
    Fault(
        "copied heads of keys and values are left out",
        f"{COMPUTE}/heads.py",
        "        return own, 1\n",
        "        return own, kv_heads\n",
        f"{KINDS}every_npu_has_the_keys_and_values_that_its_queries_need",
    ),
    Fault(
        "the first tokens of a sample see a whole window",
        f"{COMPUTE}/heads.py",
        "window * (window + 1) // 2 + (keys - window) * window",
        "keys * window + keys",
        f"{KINDS}a_window_is_counted_token_by_token",
    ),
    Fault(
        "tiles' scores are not computed again",
        f"{COMPUTE}/flash.py",
        "            self._scores(batch),\n            self._product(batch, seen, features",
        "            self._product(batch, seen, features",
        f"{KINDS}two_and_a_half_times_as_many_operations_back_where_values_are_as_wide_as_keys",
    ),
    Fault(
        "what tiles compute again counts as useful",
        f"{COMPUTE}/flash.py",
        "return self._scores(batch).flops",
        "return 0",
        f"{KINDS}attention_by_tiles_is_attention_with_five_products_back_for_two_forward",
    ),
    Fault(
        "tiles keep their scores",
        f"{COMPUTE}/flash.py",
        "return batch * self.heads * self.tokens * LOGSUMEXP_BYTES",
        "return batch * self.heads * self.tokens * self.tokens * LOGSUMEXP_BYTES",
        f"{PUBLISHED}attention_by_tiles_keeps_no_scores",
    ),
    Fault(
        "a gate keeps one half",
        f"{COMPUTE}/elementwise.py",
        '        """Both halves."""\n        return batch * prod(self.takes) * element_bytes',
        '        """Both halves."""\n        return batch * prod(self.gives) * element_bytes',
        f"{KINDS}a_gate_needs_both_halves_for_its_gradients",
    ),
    Fault(
        "RMSNorm has biases",
        f"{COMPUTE}/elementwise.py",
        "return (1 + self.bias) * self.features if self.trained else 0",
        "return 2 * self.features if self.trained else 0",
        f"{PUBLISHED}llamas_by_hand_and_as_published[llama3-8b]",
    ),
    Fault(
        "latent layers are computed for all tokens, though each NPU has some",
        f"{COMPUTE}/projections.py",
        "        return self.tokens_part(parts)\n",
        "        return self.part(parts)\n",
        f"{KINDS}a_latent_layer_is_whole_on_every_npu_and_shares_out_tokens_only",
    ),
    Fault(
        "keys end without what is turned by position",
        f"{COMPUTE}/projections.py",
        "return (self.tokens, self.outputs + self.heads * self.rope)",
        "return (self.tokens, self.outputs)",
        f"{KINDS}keys_and_values_from_latent_features_attend_as_those_from_all",
    ),
    Fault(
        "all experts are active",
        f"{COMPUTE}/experts.py",
        "return min(self.top_k, self.experts) * super().parameters",
        "return self.parameters",
        f"{PUBLISHED}mixtures_as_published_all_of_them_and_those_that_a_token_meets[deepseek-v3]",
    ),
    Fault(
        "a shared expert's input is kept twice",
        f"{MODELS}/feedforward.py",
        "replace(first, after=(norm,), shares_input=True)",
        "replace(first, after=(norm,))",
        f"{PUBLISHED}a_shared_expert_takes_the_tokens_that_are_there_already",
    ),
    Fault(
        "the last of every few blocks has a window, too",
        f"{MODELS}/transformer.py",
        "full if every and k % every == 0 else local",
        "local",
        f"{PUBLISHED}a_window_in_every_second_block",
    ),
    Fault(
        "dense blocks come last",
        f"{MODELS}/transformer.py",
        "dense if k <= dense_blocks else mixed",
        "dense if k > blocks - dense_blocks else mixed",
        f"{PUBLISHED}a_models_layers_are_of_the_kinds_that_its_paper_names",
    ),
    Fault(
        "a copied block comes after its original's entry",
        f"{MODELS}/transformer.py",
        "names = len(was), {came: entry}",
        "names = len(was), {came: came}",
        f"{PUBLISHED}each_block_comes_after_the_one_before_it",
    ),
    Fault(
        "of blocks of several kinds the second stands for all",
        f"{STRATEGIES}/alike.py",
        "return tuple(k if k in kept else first[look] for k, look in enumerate(looks))",
        "return tuple(k if k in kept else 1 for k, look in enumerate(looks))",
        f"{PUBLISHED}blocks_of_several_kinds_are_looked_at_once_each",
    ),
    Fault(
        "states of a chunk are not computed again",
        f"{COMPUTE}/state_space.py",
        "Compute((made.pairs, made.states, *gradients))",
        "Compute((made.pairs, *gradients))",
        f"{SPACE}chunks_give_what_the_recurrence_gives_by_the_products_that_are_counted",
    ),
    Fault(
        "vTrain's models on one node have samples of 2,048 tokens",
        f"{MODELS}/gpt.py",
        "(hidden, 16, blocks), 1024, None",
        "(hidden, 16, blocks), 2048, None",
        f"{PUBLISHED}vtrains_gpts_by_hand_and_as_they_are_called",
    ),
]
