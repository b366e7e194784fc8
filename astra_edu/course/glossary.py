"""The words of the course, each explained in a sentence or two: the one source of notebook 00's table, of what
widgets say of a word that is pointed at, and of what stands behind the first of its kind in each notebook."""

from __future__ import annotations

import re

from astra_edu.course.glossary_models import MODEL_WORDS
from astra_edu.course.word import Word, word

GLOSSARY = (
    word("NPU", "An accelerator (a GPU, a TPU) with its memory. It computes and has links to others."),
    word("collective", "A communication in which all NPUs of a group take part, such as an all-reduce."),
    word("reduce-scatter", "A collective: every NPU ends with one part of the sum of all buffers."),
    word("all-gather", "A collective: every NPU ends with the parts of all."),
    word(
        "all-reduce",
        "A collective: every NPU ends with the whole sum of all buffers. It is a reduce-scatter, then an all-gather.",
        "all-reduced",
    ),
    word("all-to-all", "A collective: every NPU sends every other one a part of its own."),
    word(
        "dimension",
        "One level of the network, such as the links inside a machine, or those between machines. They are numbered "
        "from 0.",
    ),
    word(
        "chunk",
        "One of the equal pieces into which ASTRA-sim’s system layer splits a collective (“splits” says how many). "
        "They take turns on the dimensions.",
    ),
    word(
        "shard",
        "The piece that an algorithm moves, such as an n-th of a chunk on a ring of n NPUs. NCCL, MSCCL and papers on "
        "all-reduce often call it a chunk.",
    ),
    word("partial sum", "A sum to which only some of the NPUs have added their part so far."),
    Word("phase", "What a chunk does on one dimension, such as a reduce-scatter on dimension 0."),
    Word(
        "step",
        "One round of an algorithm, in which NPUs send and then wait for what they receive. A phase has several.",
    ),
    Word("ring", "An algorithm: every NPU passes shards on to the next one; also a topology of that shape."),
    Word("direct", "An algorithm: every NPU sends every other one its shard in a single step."),
    word(
        "halving-doubling",
        "An algorithm: NPUs exchange with partners 1, 2, 4, … away, and halve what they send each time, or double it.",
        "halvingDoubling",
    ),
    word(
        "double binary tree",
        "An algorithm: sums travel up two trees and the results down again, each tree with half of the data.",
        "doubleBinaryTree",
    ),
    word("endpoint delay", "The time (ns) an NPU needs for each message that it takes in."),
    word(
        "exposed communication",
        "The time in which an NPU idles because it waits for communication. The rest is hidden behind compute.",
    ),
    Word(
        "GEMM",
        "A matrix product, M × K by K × N, which most of a layer’s work comes down to.",
        ("GEMM", "GEMMs"),
    ),
    Word("activations", "What a layer computes from its input and hands on to the next layer.", ("activations",)),
    word("gradient", "How much the loss changes with each weight. Training moves the weights against it."),
    Word(
        "optimiser state",
        "What the optimiser keeps for each parameter from step to step, such as Adam’s two averages.",
        ("optimiser state", "optimiser states"),
    ),
    Word(
        "forward pass, input gradient, weight gradient",
        "The three phases of training a layer. The last two are the backward pass.",
        ("forward pass", "input gradient", "input gradients", "weight gradient", "weight gradients", "backward pass"),
    ),
    Word(
        "data parallel",
        "Every NPU has the whole model and other data. Weight gradients are all-reduced.",
        ("data parallel", "data-parallel", "data parallelism", "data group"),
    ),
    Word(
        "model parallel, tensor parallel",
        "Every NPU has a part of each layer. Activations and their gradients are exchanged.",
        (
            *("model parallel", "model-parallel", "model parallelism"),
            *("tensor parallel", "tensor-parallel", "tensor parallelism", "tensor group"),
        ),
    ),
    Word(
        "sequence parallel",
        "Between its matrices, each NPU of a tensor group keeps only its part of the sequence’s activations.",
        ("sequence parallel", "sequence-parallel", "sequence parallelism"),
    ),
    Word(
        "context parallel",
        "The NPUs of a group have the same weights and a part of each sequence. Attention gathers the keys and values "
        "of all its tokens.",
        ("context parallel", "context-parallel", "context parallelism", "context group"),
    ),
    Word(
        "mixture of experts, expert parallel",
        "A block has many MLPs, the experts, and a router sends each token to a few of them. Each NPU of a group keeps "
        "some; tokens travel there and back by all-to-all.",
        (
            *("mixture of experts", "mixtures of experts", "expert parallel", "expert parallelism"),
            *("expert group", "experts in a block"),
        ),
    ),
    *MODEL_WORDS,
    Word(
        "pipeline parallel",
        "Every NPU has some of the layers, a stage. Activations go on to the next stage.",
        ("pipeline parallel", "pipeline-parallel", "pipeline parallelism", "pipeline stage", "pipeline stages"),
    ),
    word(
        "virtual stage",
        "One of several groups of layers that a stage of a pipeline holds. Papers on pipelines also call it a (model) "
        "chunk.",
    ),
    Word(
        "micro-batch",
        "The samples that go through a pipeline together. A batch has many.",
        ("micro-batch", "micro-batches"),
    ),
    word("bubble", "The time in which the stages of a pipeline wait for each other."),
    Word(
        "ZeRO",
        "Data parallel, but optimiser state (1), gradients (2) and parameters (3) are shared out, not copied.",
        ("ZeRO", "ZeRO-1", "ZeRO-2", "ZeRO-3"),
    ),
    Word(
        "recomputation",
        "Activations are computed again in the backward pass rather than kept.",
        ("recomputation", "recomputed", "computed again"),
    ),
    word("parameter server", "NPUs that keep the model. The others send gradients and fetch parameters."),
    word("straggler", "An NPU that takes longer than the others."),
    Word(
        "LIFO, FIFO",
        "Who is next in a queue: the collective asked for last (LIFO), or first (FIFO).",
        ("LIFO", "FIFO"),
    ),
    Word("Themis", "A scheduler that lets each chunk begin on the dimension with the least load so far.", ("Themis",)),
    Word("SCF", "Smallest chunk first: the smallest one is next in a dimension’s queue.", ("SCF",)),
    word(
        "execution trace",
        "For every NPU a graph of operations (nodes): computations, collectives, messages, memory accesses, and what "
        "each waits for.",
    ),
    word(
        "role",
        "NPUs play the same role if they do the same, and so do those that they send to, receive from and reduce with, "
        "as far away. One of them can be followed for all.",
    ),
    word("process group", "Some of the NPUs, which have collectives of their own."),
    Word(
        "logical topology",
        "Which NPUs send to each other: the dimensions that the algorithms see.",
        ("logical topology", "logical topologies"),
    ),
    Word(
        "physical topology",
        "Which wires and switches there are, and what each can carry.",
        ("physical topology", "physical topologies"),
    ),
    word("link", "One direction of a wire, which carries one message after the other."),
    Word("scale-up domain", "NPUs on quick links of their own: a board, a rack, a pod. Network cards lead to others."),
    Word("NVLink", "NVIDIA’s links between GPUs, mostly by way of switches (NVSwitch).", ("NVLink", "NVLinks")),
    Word("ICI", "Inter-chip interconnect: Google’s links between neighbouring TPUs. A pod of them is a torus."),
    Word("rail-optimised", "A network in which the NPUs with equal places in their nodes share a switch, the rail."),
    Word(
        "congestion-aware, congestion-unaware",
        "Whether the simulated messages wait for each other on links.",
        ("congestion-aware", "congestion-unaware"),
    ),
    Word(
        "store and forward",
        "A switch or an NPU passes a message on when all of it has arrived.",
        ("store and forward", "store-and-forward"),
    ),
    Word("incast", "Many NPUs send to one at the same time.", ("incast",)),
    Word(
        "goodput",
        "What is of use, divided by the time. What is lost and done again counts once: bytes that are sent again, "
        "training that is repeated after a failure.",
        ("goodput",),
    ),
    word("Pareto frontier", "The designs that no other beats: none is as good in every measure, and better in one."),
    Word(
        "elasticity",
        "By how many per cent a result changes for one per cent of an input. -1: twice as much halves it.",
        ("elasticity", "elasticities"),
    ),
    Word("MTBF", "Mean time between failures. Of n NPUs together it is an n-th of one NPU’s.", ("MTBF",)),
    Word(
        "checkpoint",
        "A training’s state (parameters, optimiser state) as stored, to go on from after a failure. Activation "
        "checkpoints are others: what is kept when activations are recomputed.",
    ),
    word(
        "roofline",
        "A time: compute at the peak, or as fast as the memory feeds it, whichever is slower.",
    ),
    Word(
        "remote memory",
        "Memory behind the NPU’s own: one for each NPU, one for each node, or a pool for all.",
        ("remote memory", "remote memories"),
    ),
    Word("pool", "A remote memory that all NPUs share.", ("memory pool", "memory pools")),
)
"""In the order in which they build on each other."""

FORMS = {form.lower(): word for word in GLOSSARY for form in word.forms}
"""The word that a form in small letters belongs to."""


def spelled(form: str) -> str:
    """A form as a regular expression, for Python and JavaScript: its first letter may be a capital one."""
    first, rest = form[0], re.escape(form[1:])
    return (f"[{first}{first.upper()}]" if first.islower() else re.escape(first)) + rest.replace(r"\ ", r"\s+").replace(
        r"\-", "-"
    )


PATTERN = (
    r"(?<![\w-])(?:"
    + "|".join(spelled(form) for form in sorted((f for w in GLOSSARY for f in w.forms), key=lambda f: (-len(f), f)))
    + r")(?![\w-])"
)
"""Every form of every word; of two that begin alike the longer one counts."""


def meant(text: str) -> Word:
    """The word that a text found by PATTERN is a form of.

    >>> from astra_edu.course.glossary import meant
    >>> meant("All-reduces").name
    'all-reduce'
    """
    return FORMS[re.sub(r"\s+", " ", text).lower()]
