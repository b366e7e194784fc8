"""Training iterations with an endpoint: computation slowed by what it reserves, collectives by what it can feed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from astra_edu.base.errors import ConfigError
from astra_edu.collectives import Collective, hierarchical
from astra_edu.course.studies.endpoint.published import NAMES
from astra_edu.course.studies.endpoint.torus import network_bytes_per_s, torus
from astra_edu.course.studies.endpoint.traffic import memory_reads_per_network_byte
from astra_edu.course.studies.endpoint.variants import ACE, BASELINES, ENDPOINTS, Endpoint
from astra_edu.run.result import Result
from astra_edu.run.simulate import simulate
from astra_edu.workload import Work, Workload
from astra_edu.workload.compute import Split
from astra_edu.workload.models import Model
from astra_edu.workload.models import model as named
from astra_edu.workload.strategies import Strategy, generate_workload


def iteration(
    model: Model | str, endpoint: Endpoint, dims: Sequence[int] = (4, 4, 4), samples: int = 32, passes: int = 2
) -> Result:
    """Simulate data-parallel training on the torus: `passes` iterations, samples on each NPU in each of them.

    Computation takes what the roofline says for what the endpoint leaves, all the time, as it is reserved. Collectives
    have the share of the network that it can feed (see network_share); all-to-alls, which need fewer reads, the same.
    Embedding tables are spread over all NPUs. Without overlap, all gradients are exchanged at once, after the backward
    pass. Whether a model fits into memory isn't asked.
    Raises ConfigError for a torus or samples that can't be, and if the endpoint leaves nothing to compute with.

    >>> from astra_edu.studies.endpoint import ACE, COMM_OPT, iteration
    >>> for endpoint in (COMM_OPT, ACE):
    ...     result = iteration("vgg16", endpoint, dims=(4, 2, 2), passes=1)
    ...     print(endpoint.name, round(result.total_ns / 1e6, 1), "ms")
    CommOpt 36.9 ms
    ACE 30.2 ms
    """
    model, platform = named(model), torus(dims, network_share(endpoint, dims))
    tables = any(operator.split is Split.TABLES for operator in model.operators)
    npus = platform.npus
    strategy = Strategy(data=npus, batch=npus * samples, micro_batch=samples, exchange_embeddings=tables)
    work = generate_workload(model, strategy, endpoint.remaining())
    return simulate(work if endpoint.overlap else in_turn(work), platform, passes)


def network_share(endpoint: Endpoint, dims: Sequence[int]) -> float:
    """The share of the torus's bandwidth that the endpoint can feed while an all-reduce keeps a dimension always busy.

    It feeds all dimensions at once, so what it lacks slows all of them. The all-reduce is the one of `simulate`.

    >>> from astra_edu.studies.endpoint import ACE, COMP_OPT, network_share
    >>> [round(network_share(endpoint, (4, 4, 4)), 2) for endpoint in (COMP_OPT, ACE)]
    [0.33, 0.96]
    """
    network, reads = _all_reduce(tuple(dims), endpoint.on_chip)
    return min(1.0, endpoint.bytes_per_s(reads) / network)


def in_turn(workload: Workload) -> Workload:
    """The same with one all-reduce of all gradients, the first layer's, which comes last in the backward pass."""
    size = sum(layer.weight_gradient.size for layer in workload.layers)
    first, *others = (
        replace(layer, weight_gradient=Work(layer.weight_gradient.compute_ns, None, 0)) for layer in workload.layers
    )
    last = replace(first, weight_gradient=Work(first.weight_gradient.compute_ns, Collective.ALL_REDUCE, size))
    return replace(workload, layers=(last, *others))


def speed_up(results: Mapping[str, Result]) -> float:
    """How many times as fast as the fastest baseline ACE is; results by the endpoints' names.

    Raises ConfigError if ACE or all baselines are missing.

    >>> from astra_edu.studies.endpoint import ACE, COMM_OPT, iteration, speed_up
    >>> runs = {each.name: iteration("vgg16", each, dims=(4, 2, 2), passes=1) for each in (COMM_OPT, ACE)}
    >>> round(speed_up(runs), 2)
    1.22
    """
    baselines = [results[endpoint.name].total_ns for endpoint in BASELINES if endpoint.name in results]
    if ACE.name not in results or not baselines:
        names = ", ".join(endpoint.name for endpoint in BASELINES)
        raise ConfigError(f"results are of {', '.join(results) or 'nothing'}; a speed-up needs {ACE.name} and {names}.")
    return min(baselines) / results[ACE.name].total_ns


def iterations(samples: Mapping[str, int], dims: Sequence[int] = (4, 4, 4)) -> dict[str, dict[str, Result]]:
    """Each of the paper's models with its samples on each NPU, with every endpoint: by their names.

    >>> from astra_edu.studies.endpoint import iterations
    >>> for model, results in iterations({"dlrm": 128}).items():
    ...     print(model, *results)
    DLRM NoOverlap CommOpt CompOpt ACE Ideal
    """
    return {
        NAMES.get(model, model): {each.name: iteration(model, each, dims, count) for each in ENDPOINTS}
        for model, count in samples.items()
    }


def gain(model: str, samples: int, dims: Sequence[int] = (4, 4, 4)) -> float:
    """How many times as fast as the fastest baseline ACE is, with so many samples on each NPU.

    >>> from astra_edu.studies.endpoint import gain
    >>> round(gain("resnet50", 1), 2), round(gain("resnet50", 32), 2)
    (1.47, 0.92)
    """
    return speed_up({each.name: iteration(model, each, dims, samples) for each in (*BASELINES, ACE)})


@lru_cache
def _all_reduce(dims: tuple[int, ...], on_chip: bool) -> tuple[float, float]:
    """Of the all-reduce that is simulated: what an NPU can send, in bytes/s, and what it reads for each byte."""
    found = hierarchical("all-reduce", "ring", dims)
    return network_bytes_per_s(found), memory_reads_per_network_byte(found, on_chip)
