"""The training loops: in which order an NPU computes, asks for collectives and waits for them.

A loop is a generator over an Npu, as in SimPy. `ae.LOOPS["MY_LOOP"] = my_loop`, or @ae.LOOPS.add("MY_LOOP") in front
of the function, makes another one known. The one ns of `npu.cycle()` is ASTRA-sim's: its loops are state machines that
take one from state to state.
"""

from __future__ import annotations

from astra_edu.workload.layer import LOOPS
from astra_edu.workload.npu import Npu, RunningLayer, Steps


def micro(npu: Npu) -> Steps:
    """One collective, the first layer's, for each pass; all begin at once."""
    for _ in range(npu.passes):
        npu.issue(npu.layers[0].weight_gradient)
    yield from ()


def data(npu: Npu) -> Steps:
    """Data parallel: only weight gradients are exchanged; a layer's next forward pass waits for its own."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from npu.wait(layer.weight_gradient)
            yield from npu.compute(layer.forward)
            yield npu.cycle()
        for layer in reversed(npu.layers):
            yield from npu.compute(layer.weight_gradient)
            npu.issue(layer.weight_gradient)
            yield npu.cycle()
            if layer.index > 0:
                yield from npu.compute(layer.input_gradient)
                yield npu.cycle()


def data_reorder(npu: Npu) -> Steps:
    """Exercise 4 of the tutorial: data parallel, with the input gradient before the weight gradient."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from npu.wait(layer.weight_gradient)
            yield from npu.compute(layer.forward)
            yield npu.cycle()
        for layer in reversed(npu.layers):
            if layer.index > 0 or len(npu.layers) == 1:
                yield from npu.compute(layer.input_gradient)
                yield npu.cycle()
            yield from npu.compute(layer.weight_gradient)
            npu.issue(layer.weight_gradient)
            yield npu.cycle()


def model(npu: Npu) -> Steps:
    """Model parallel: activations after every forward pass, their gradients while the weight gradient is computed."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from _forward(npu, layer)
        for layer in reversed(npu.layers):
            yield from _backward(npu, layer, gradients=False)


def hybrid(npu: Npu) -> Steps:
    """Model and data parallel on different dimensions: as in model, and weight gradients are exchanged, too."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from _forward(npu, layer)
        for layer in reversed(npu.layers):
            yield from _backward(npu, layer, gradients=True)


def transformer(npu: Npu) -> Steps:
    """Model-parallel groups: every layer waits for its activations' gradients before it computes its weights'."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from _forward(npu, layer)
        for layer in reversed(npu.layers):
            yield from _grouped_backward(npu, layer)


def transformer_forward_in_backward(npu: Npu) -> Steps:
    """The same with checkpoints: some layers first repeat the forward pass from the checkpoint before them."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from _forward(npu, layer)
        for layer in reversed(npu.layers):
            if layer.index in npu.options.initiates:
                start = max(kept for kept in npu.options.checkpoints if kept <= layer.index)
                yield npu.cycle()
                for again in npu.layers[start : layer.index]:
                    yield from _forward(npu, again)
            yield from _grouped_backward(npu, layer)


def dlrm(npu: Npu) -> Steps:
    """Recommendation: layer 0 is the embeddings, exchanged all-to-all while the bottom layers compute."""
    yield from _dlrm(npu, waits=True)


def dlrm_enhanced(npu: Npu) -> Steps:
    """The same without waiting for the exchange of the embeddings' gradients."""
    yield from _dlrm(npu, waits=False)


def inference(npu: Npu) -> Steps:
    """Forward passes only, with activations exchanged after every layer."""
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from _forward(npu, layer)


def _forward(npu: Npu, layer: RunningLayer) -> Steps:
    yield from npu.wait(layer.weight_gradient)
    yield from npu.compute(layer.forward)
    yield from npu.communicate(layer.forward)
    yield npu.cycle()


def _backward(npu: Npu, layer: RunningLayer, gradients: bool) -> Steps:
    yield from npu.compute(layer.input_gradient)
    if layer.index > 0:
        npu.issue(layer.input_gradient)
    yield npu.cycle()
    yield from npu.compute(layer.weight_gradient)
    if gradients:
        npu.issue(layer.weight_gradient)
    yield from npu.wait(layer.input_gradient)
    yield npu.cycle()


def _grouped_backward(npu: Npu, layer: RunningLayer) -> Steps:
    yield from npu.compute(layer.input_gradient)
    yield from npu.communicate(layer.input_gradient)
    yield npu.cycle()
    yield from npu.compute(layer.weight_gradient)
    npu.issue(layer.weight_gradient)
    yield npu.cycle()


def _dlrm(npu: Npu, waits: bool) -> Steps:
    embeddings = npu.layers[0]
    last_bottom = npu.options.last_bottom
    for _ in range(npu.passes):
        for layer in npu.layers:
            yield from npu.wait(layer.weight_gradient)
            yield from npu.compute(layer.forward)
            if layer.forward.work.collective == "all-to-all":
                npu.issue(layer.forward, urgent=True)
            elif layer.index == last_bottom:
                yield from npu.wait(embeddings.forward)
            yield npu.cycle()
        for layer in reversed(npu.layers):
            yield from npu.compute(layer.weight_gradient)
            npu.issue(layer.weight_gradient)
            if waits:
                yield from npu.wait(layer.input_gradient)
            yield npu.cycle()
            if layer.index > 0:
                yield from npu.compute(layer.input_gradient)
                if layer.index == last_bottom + 1:
                    npu.issue(embeddings.input_gradient, urgent=True)
                yield npu.cycle()


LOOPS.update(
    {
        "MICRO": micro,
        "DATA": data,
        "DATA_REORDER": data_reorder,
        "MODEL": model,
        "HYBRID_DATA_MODEL": hybrid,
        "HYBRID_MODEL_DATA": hybrid,
        "HYBRID_CUSTOMIZED": hybrid,
        "HYBRID_TRANSFORMER": transformer,
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD": transformer_forward_in_backward,
        "HYBRID_DLRM": dlrm,
        "HYBRID_DLRM_ENHANCED": dlrm_enhanced,
        "DISTRIBUTED_INFERENCE": inference,
    }
)
