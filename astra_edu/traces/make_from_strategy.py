"""An iteration of a model under a strategy as an execution trace: tensor, data and pipeline parallelism together.

Every NPU has its own operations; the passes of a stage come in the order of strategy.pipeline_order, operator by
operator (`make_from_operators`), and take as long as ae.estimate says. Where embeddings are exchanged, a pass is what
generate_workload's loop does. A stage exchanges its gradients when it has sent its last message, as an NPU of ASTRA-sim
2.x has one communication at a time on its way; with ZeRO-2, which has no room for whole ones, behind every pass. Left
out: the optimiser's update, which `ae.estimate` adds, and the host, which may launch kernels no faster.
"""

from __future__ import annotations

from astra_edu.base.errors import positive
from astra_edu.base.few_collections import few_collections
from astra_edu.base.so_far import leaves_nothing
from astra_edu.traces.built import Built
from astra_edu.traces.dimensions import Network
from astra_edu.traces.make_from_exchange import built_from_exchange
from astra_edu.traces.make_from_operators import built_from_operators
from astra_edu.traces.trace import Trace
from astra_edu.workload.compute import Device
from astra_edu.workload.compute import device as named_device
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies import Strategy
from astra_edu.workload.strategies.precision import check_multiplied
from astra_edu.workload.strategies.strategy import checked


@leaves_nothing()
@few_collections()
def from_strategy(
    model: Model | str,
    strategy: Strategy,
    device: Device | str,
    network: Network | None = None,
    rounding: str = "carry",
    peak_performance: float | None = None,
) -> Trace:
    """One iteration of all micro-batches on data × context × tensor × pipeline NPUs.

    NPUs are counted along the tensor group first (or the copies, data-first), then along the copies (neighbours of them
    are a context group, share out experts, or are a shard group), then along the stages. network: a platform or the
    NPUs of each dimension; where they are the groups' (say, 8 tensor-parallel NPUs in dimension 0, 4 copies in
    dimension 1), collectives run over dimensions, else over process groups, which ASTRA-sim 2.x takes for rings.
    rounding, peak_performance: as in from_workload.

    Raises ConfigError where the strategy doesn't fit the model, or the network has another number of NPUs.

    >>> model = ae.transformer("tiny", hidden=8, heads=2, blocks=2, sequence=4, vocabulary=16)
    >>> ae.traces.from_strategy(model, ae.Strategy(data=2, pipeline=2, batch=4), "a100")
    <trace of 4 NPUs, 15 to 23 nodes each>
    """
    return built_from_strategy(model, strategy, device, network, rounding, peak_performance).builder.build()


def built_from_strategy(
    model: Model | str,
    strategy: Strategy,
    device: Device | str,
    network: Network | None = None,
    rounding: str = "carry",
    peak_performance: float | None = None,
) -> Built:
    """The same before it is a trace, with what its nodes don't say. Raises ConfigError as from_strategy does."""
    model, strategy, device = named(model), checked(strategy), named_device(device)
    check_multiplied(device, strategy)
    if peak_performance is not None:
        peak_performance = positive("peak_performance", peak_performance)
    build = built_from_exchange if strategy.exchange_embeddings else built_from_operators
    return build(model, strategy, device, network, rounding, peak_performance)
