"""How a device and a stack fall short of the peaks: a handful of parameters, each physical."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """Of one device and stack; `TABLE` says what each means, and in what unit.

    The defaults are where a fit begins: orders of magnitude by judgement, of no source. What no run depends on stays
    there.
    """

    matrix: float = 0.75
    attention: float = 0.45
    memory: float = 0.8
    small_tile: float = 0.8
    experts: float = 0.8
    launch_us: float = 5.0
    host_us: float = 15.0
    host_tensor_us: float = 40.0
    host_tensor_grows: float = 0.5
    host_pipeline: float = 1.0
    link: float = 0.75
    exchange: float = 0.6
    nic: float = 0.75
    link_us: float = 3.0
    nic_us: float = 15.0
    collective_us: float = 20.0
    micro_batch_us: float = 500.0
    optimiser_bytes: float = 30.0
    step_ms: float = 10.0


@dataclass(frozen=True)
class MemoryParameters:
    """Of a stack; `MEMORY_TABLE` says what each means."""

    weight_bytes: float = 6.0
    optimiser_bytes: float = 12.0
    gathered_bytes: float = 4.0
    activations: float = 1.0
    scores: float = 1.0
    block: float = 1.0
    base_gigabytes: float = 1.0


@dataclass(frozen=True)
class Meaning:
    """A parameter's unit, what it says, and between what it must be."""

    unit: str
    words: str
    least: float
    most: float


TABLE: dict[str, Meaning] = {
    "matrix": Meaning("", "share of the peak that a product of full tiles reaches", 0.3, 1.0),
    "attention": Meaning("", "share of the peak that attention reaches, softmax included", 0.1, 1.0),
    "memory": Meaning("", "share of the memory's bandwidth that is reached", 0.3, 1.0),
    "small_tile": Meaning("", "share of its peak that a unit reaches with a tile of half the size", 0.5, 1.0),
    "experts": Meaning("", "of what other products reach, the share that experts' products do", 0.2, 1.0),
    "launch_us": Meaning("µs", "from one kernel's end to the next one's beginning", 0.5, 40),
    "host_us": Meaning("µs", "that the host takes to launch a kernel", 2, 100),
    "host_tensor_us": Meaning("µs", "that the host takes for a collective of a tensor group", 5, 400),
    "host_tensor_grows": Meaning("", "power of the tensor group's size that this grows with", 0.1, 1.0),
    "host_pipeline": Meaning("", "how much longer the host takes where stages are on several nodes", 1.0, 8.0),
    "link": Meaning("", "share of the links' bandwidth that a ring reaches within a node", 0.3, 1.0),
    "exchange": Meaning("", "share of the links' and cards' bandwidth that an all-to-all reaches", 0.1, 1.0),
    "nic": Meaning("", "share of the network cards' bandwidth that a ring reaches between nodes", 0.15, 1.0),
    "link_us": Meaning("µs", "latency of a step of a ring within a node", 0.5, 20),
    "nic_us": Meaning("µs", "latency of a step of a ring between nodes", 3, 100),
    "collective_us": Meaning("µs", "to begin a collective", 1, 200),
    "micro_batch_us": Meaning("µs", "of a micro-batch that no kernel accounts for", 5, 10_000),
    "optimiser_bytes": Meaning("bytes", "that the optimiser moves for each parameter", 10, 200),
    "step_ms": Meaning("ms", "of a step that nothing else accounts for", 0.5, 200),
}
MEMORY_TABLE: dict[str, Meaning] = {
    "weight_bytes": Meaning("bytes", "of a parameter's weight and gradients", 2, 12),
    "optimiser_bytes": Meaning("bytes", "of a parameter's optimiser state", 4, 16),
    "gathered_bytes": Meaning("bytes", "of a parameter that is gathered: of a block, or of all (ZeRO-3)", 2, 12),
    "activations": Meaning("", "what is kept of activations, as a multiple of what the operators must keep", 0.4, 2),
    "scores": Meaning("", "what is kept of the words' scores, as such a multiple", 0.3, 3),
    "block": Meaning("", "what a block needs while it is at hand, as such a multiple", 0.1, 8),
    "base_gigabytes": Meaning("10⁹ bytes", "of every process: kernels, buffers of collectives", 0.2, 6),
}
