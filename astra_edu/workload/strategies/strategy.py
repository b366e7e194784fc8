"""How a model is shared out among NPUs: by samples, tokens, operators, experts and blocks; ZeRO, and recomputing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from astra_edu.base.deprecated import renamed_fields
from astra_edu.base.errors import ConfigError, choice, flag, instance_of, shown, whole
from astra_edu.pipeline import ORDERS
from astra_edu.pipeline.closed_form import FORMULAS
from astra_edu.pipeline.places import BOTH_WAYS, FOLDED, part_of, placement_of
from astra_edu.workload.compute import Experts, Operator, Split
from astra_edu.workload.models import Model
from astra_edu.workload.strategies.own_part import own_part, tokens_part
from astra_edu.workload.strategies.precision import Precision, alike, precision_of
from astra_edu.workload.strategies.refused import check_experts, check_model, check_pipeline, checked_sharing, multiples
from astra_edu.workload.strategies.stages import Shared, checked_shared, stages

PIPELINE_ORDERS = ("gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "v-half", "v-min", "dualpipe")
RECOMPUTE = ("none", "selective", "full")
PLACEMENTS = ("tensor-first", "data-first")

A_MODEL = "give one such as ae.model('gpt3')"


@renamed_fields(order="placement", schedule="pipeline_order")
@dataclass(frozen=True, kw_only=True)
class Strategy:
    """data × context × tensor × pipeline NPUs, and what each of them keeps and sends.

    data: copies of the model, each with its own samples. tensor: NPUs that share every operator (Megatron-LM's tensor
    parallelism where operators are split by columns and rows, gathered activations elsewhere). pipeline: stages.
    context: NPUs that share the tokens of each sample; each has the whole weights of its tensor group's part.
    context_by: how they get at keys and values of all tokens: "all-gather" (arXiv 2407.21783, section 3.3.2), or "ring"
    (2310.01889): blocks of them go round while attention meets the one before; for causal attention each NPU has an
    early and a late part of the tokens (zigzag), so that all steps are alike. expert: NPUs among which the experts of a
    mixture are shared out, of the data × context that would all have the same (arXiv 2006.16668).
    placement: which of the data and tensor groups are neighbours on the network.
    batch: samples of an iteration, on all NPUs; None means one micro-batch for each copy. micro_batch: samples at once.
    pipeline_order: of the stages' passes; virtual: virtual stages of each stage, for "interleaved" and, 2, for
    the folded "zb-v", "v-half" and "v-min". "dualpipe" has every part of the model on two stages, for micro-batches
    from both ends.
    stage_blocks: how stages (virtual ones included) share the blocks: "even", which must divide them; "uneven", as
    evenly as may be; "ends", where what is before and behind the blocks counts as one each (arXiv 2407.21783, section
    3.3.2); or the number of each.
    zero: ZeRO's stage; 1 shares out the optimiser's state, 2 the gradients, 3 the parameters, too, among the copies.
    shard_group: ... among as many neighbours of them, with copies of what they share (hybrid sharding, arXiv
    2304.11277): gradients are reduce-scattered within it and all-reduced across. reshard: ZeRO-3 drops parameters after
    each pass and gathers them again for the next; False keeps them until the backward pass is over, with stages until
    the last one is, so that they are gathered once, at the iteration's start. With stages ZeRO-3 adds gradients up
    whole and reduces them once, at its end, as PyTorch's pipelines do (which, from memory, unverified, keep parameters
    from a backward pass to the forward pass behind it, and so gather them half as often at best).
    overlap: what hides behind computing. "gradients": their exchange, behind the backward pass. "parameters": their
    gathering, ZeRO-3's for the next block behind this one, ZeRO-1's and 2's behind the first forward pass. "tensor",
    "expert": a sequence-parallel group's collectives behind their matrix product, all-to-alls behind experts, in
    `pieces` (arXiv 2206.03382 for experts).
    sequence_parallel: tokens are shared out where operators are not (arXiv 2205.05198).
    recompute: what the backward pass computes again, instead of keeping it: none, selective (the attention), or full.
    exchange_embeddings: tables are shared out among all NPUs, and vectors exchanged all-to-all (DLRM).
    precision: in how many bits numbers are multiplied, kept and sent: "fp32", "bf16", "fp16", "fp8", or an
    ae.Precision; without it all of them have element_bytes, and the optimiser's state 12 bytes a parameter.
    whole_experts: a sequence-parallel group's NPUs have different experts, each whole, not a part of each; `expert`
    counts them, too: 16 with tensor=4 are 4 of the copies (parallel folding, arXiv 2504.14960).

    >>> cut = ae.Strategy(data=4, tensor=8, pipeline=2, batch=64)
    >>> cut.npus, cut.micro_batches
    (64, 16)
    """

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    placement: str = "tensor-first"
    micro_batch: int = 1
    batch: int | None = None
    pipeline_order: str = "1f1b"
    virtual: int = 1
    zero: int = 0
    sequence_parallel: bool = False
    recompute: str = "none"
    exchange_embeddings: bool = False
    element_bytes: int = 2
    context: int = 1
    expert: int = 1
    stage_blocks: Shared = "even"
    context_by: str = "all-gather"
    shard_group: int | None = None
    reshard: bool = True
    overlap: tuple[str, ...] = ("gradients",)
    pieces: int = 4
    precision: Precision | str | None = None
    whole_experts: bool = False

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for name in ("data", "tensor", "pipeline", "micro_batch", "virtual", "element_bytes", "context", "expert"):
            set_(self, name, whole(name, getattr(self, name), at_least=1))
        for name in ("sequence_parallel", "exchange_embeddings", "whole_experts"):
            flag(name, getattr(self, name))
        set_(self, "precision", precision_of(self.precision, self.element_bytes))
        choice("placement", self.placement, PLACEMENTS)
        choice("pipeline_order", self.pipeline_order, PIPELINE_ORDERS)
        choice("recompute", self.recompute, RECOMPUTE)
        set_(self, "stage_blocks", checked_shared(self.stage_blocks))
        set_(self, "zero", whole("zero", self.zero, at_least=0))
        if self.zero > 3:
            raise ConfigError(f"zero is {self.zero}; ZeRO has the stages 1, 2 and 3, and 0 means without.")
        at_once = self.micro_batch * self.data
        set_(self, "batch", at_once if self.batch is None else whole("batch", self.batch, at_least=1))
        if self.samples % at_once:
            raise ConfigError(
                f"a batch of {self.samples} can't be divided into micro-batches of {self.micro_batch} for each of "
                f"{self.data} copies; {multiples(self.samples, at_once)} would do."
            )
        check_pipeline(self)
        check_experts(self)
        if self.exchange_embeddings and self.context > 1:
            raise ConfigError("samples with tables of embeddings have no tokens to share out; leave context out.")
        set_(self, "overlap", checked_sharing(self))

    @property
    def bits(self) -> Precision:
        """In how many bits numbers are."""
        return self.precision if isinstance(self.precision, Precision) else alike(self.element_bytes)

    @property
    def both_ways(self) -> bool:
        """Whether each part of the model is on two stages, for the micro-batches that come from either end."""
        return placement_of(ORDERS[self.pipeline_order]) == BOTH_WAYS

    @property
    def folded(self) -> bool:
        """Whether each stage has two parts of the model, the first stage the first and the last one."""
        return placement_of(ORDERS[self.pipeline_order]) == FOLDED

    @property
    def splits_backward(self) -> bool:
        """Whether its order has passes for the gradients of weights by themselves, which no other pass waits for."""
        return self.pipeline_order not in FORMULAS

    def parts_on(self, stage: int) -> tuple[int, ...]:
        """The numbers of the parts of the model that a stage has."""
        return _parts_on(self.pipeline_order, stage, self.pipeline, self.virtual)

    @property
    def npus(self) -> int:
        """How many NPUs it takes."""
        return self.copies * self.tensor * self.pipeline

    @property
    def copies(self) -> int:
        """How many NPUs have the same part of the weights: data × context."""
        return self.data * self.context

    @property
    def expert_copies(self) -> int:
        """How many of the copies share experts out: all of `expert` but what a tensor group has of them."""
        return self.expert // self.tensor if self.whole_experts else self.expert

    def sharing(self, operator: Operator) -> int:
        """How many NPUs have the same parameters of an operator: fewer where its experts are shared out."""
        return self.copies // self.expert_copies if isinstance(operator, Experts) else self.copies

    def shards(self, operator: Operator) -> int:
        """Among how many of them ZeRO shares out what belongs to the operator."""
        return self.shard_group or self.sharing(operator)

    @property
    def gathers_once(self) -> bool:
        """Whether parameters are gathered at the start of an iteration and kept until its end: ZeRO-3 with stages that
        doesn't reshard, as TorchTitan has it unless it is told otherwise.
        """
        return self.zero == 3 and self.pipeline > 1 and not self.reshard

    @property
    def reduces_once(self) -> bool:
        """Whether whole gradients of all micro-batches are added up before they are exchanged: without ZeRO-2 and 3,
        and with stages in ZeRO-3, too, as PyTorch's pipelines run it, which exchange behind the last backward pass.
        """
        return self.zero < 2 or (self.zero == 3 and self.pipeline > 1)

    @property
    def samples(self) -> int:
        """Samples of an iteration, on all NPUs."""
        return self.batch or 0

    @property
    def micro_batches(self) -> int:
        """How many micro-batches each copy of the model goes through in an iteration."""
        return self.samples // (self.micro_batch * self.data)

    @property
    def micro_batches_of_part(self) -> int:
        """How many of them go through each part that a stage has: half of them, if they come from both ends."""
        return self.micro_batches // (1 + self.both_ways)

    def part(self, operator: Operator) -> Operator:
        """What one NPU has of an operator: its tokens, its experts, its share of the tensor group's."""
        operator = self.own_tokens(operator)
        if operator.split is Split.TABLES:
            return operator.part(self.npus) if self.exchange_embeddings else operator
        return own_part(operator, self.expert, self.tensor, self.sequence_parallel, self.whole_experts)

    def own_tokens(self, operator: Operator) -> Operator:
        """The operator for the tokens of one NPU of a context group."""
        instance_of("operator", operator, Operator, "give one of a model, such as Linear(...)")
        return operator if self.context == 1 else tokens_part(operator, self.context)

    def stage(self, number: int) -> int:
        """The number of a stage, checked. Raises ConfigError saying which there are."""
        if whole("stage", number, at_least=0) >= self.pipeline:
            raise ConfigError(f"stage is {number}; there are the stages 0 to {self.pipeline - 1}.")
        return int(number)

    def check(self, model: Model) -> None:
        """Raises ConfigError where the model can't be shared out like this, naming the nearest numbers that can."""
        instance_of("model", model, Model, A_MODEL)
        check_model(self, model)
        self.parts(model)

    def parts(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """The indices of the operators of each part of the pipeline; `parts_on` says which of them a stage has.

        Raises ConfigError as `stages` does.
        """
        return stages(model, self.pipeline * self.virtual, self.stage_blocks)

    def divides(self, model: Model) -> bool:
        """Whether every operator can be shared out within a tensor group."""
        instance_of("model", model, Model, A_MODEL)
        try:
            return all(self.part(operator) for operator in model.operators)
        except ConfigError:
            return False


@lru_cache(maxsize=65_536)
def _parts_on(order: str, stage: int, stages: int, virtual: int) -> tuple[int, ...]:
    placement = placement_of(ORDERS[order])
    return tuple(part_of(stage, v, stages, placement) for v in range(2 if placement == BOTH_WAYS else virtual))


def checked(strategy: object) -> Strategy:
    """The strategy itself. Raises ConfigError for anything else."""
    if isinstance(strategy, Strategy):
        return strategy
    raise ConfigError(f"strategy is {shown(strategy, 60)}; give one such as ae.Strategy(data=16, tensor=8).")
