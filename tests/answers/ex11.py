"""Right and wrong answers of exercise 11."""

from astra_edu.course.check.ex11.faults import fill
from astra_edu.traces import from_nodes
from astra_edu.traces.builder import Builder


def step(
    forward, backward, gradients, npus,
    *, reverse=True, waits=True, blocks=False, joined=True, late=False, chained=False, forward_chain=True,
    kind="all_reduce", compute="compute", more=None, only=None, built=True, sizes=lambda size: size, extra=False,
):  # fmt: skip
    """A data-parallel step with one thing wrong."""
    trace, last = Builder(npus), None
    for k, micros in enumerate(forward):
        done = getattr(trace, compute)(f"forward {k}", micros, after=last if forward_chain else None, on=only)
        last = done
    if not joined:
        last = None
    layers = list(range(len(backward)))
    backs, reduces = [], []
    for k in reversed(layers) if reverse else layers:
        last = trace.compute(f"backward {k}", backward[k], after=last, on=only)
        backs.append(last)
        if not late:
            after = [last if waits else None, reduces[-1] if chained and reduces else None]
            reduces.append(
                getattr(trace, kind)(f"gradients {k}", sizes(gradients[k]), after=after, on=only, **(more or {}))
            )
            if blocks:
                last = reduces[-1]
    if late:
        for k in layers:
            trace.all_reduce(f"gradients {k}", gradients[k], after=backs[-1])
    if extra:
        trace.compute("update", 5)
    return trace.build() if built else trace


def buckets(backward, gradients, bucket, npus, *, filled=fill, after="last", blocks=False):
    trace, last = Builder(npus), None
    backs = {}
    plan = list(filled(gradients, bucket))
    ends = {layers[-1]: layers for layers in plan}
    for k in reversed(range(len(backward))):
        last = backs[k] = trace.compute(f"backward {k}", backward[k], after=last)
        if after == "last" and k in ends:
            done = trace.all_reduce("bucket", sum(gradients[one] for one in ends[k]), after=last)
            last = done if blocks else last
    if after != "last":
        for layers in plan:
            first = {"first": layers[0], "end": 0}[after]
            trace.all_reduce("bucket", sum(gradients[one] for one in layers), after=backs[first])
    return trace.build()


def relay(stages, micro_batches, micros, bytes, *, wrong=""):
    trace = Builder(stages)
    arrived = {}
    last = {}
    for i in range(micro_batches):
        for k in range(stages):
            after = [arrived.get(k) if wrong != "unread" else None, last.get(k)]
            done = trace.compute(f"F {i}", micros, after=after, on=k)
            last[k] = done
            if k + 1 < stages:
                sender = None if wrong == "early" else done
                sent, arrived[k + 1] = trace.message(f"M {i}", bytes, k, k + 1, after=sender)
                if wrong == "blocking":
                    last[k] = sent
    return trace.build()


def groups(tensor, data, forward, backward, activations, gradients, *, wrong=""):
    trace = Builder(tensor * data)
    rows = [list(range(first, first + tensor)) for first in range(0, tensor * data, tensor)]
    columns = [list(range(first, tensor * data, tensor)) for first in range(tensor)]
    if wrong == "swapped":
        rows, columns = columns, rows
    ahead = trace.compute("forward", forward)
    summed = trace.all_reduce(
        "activations",
        activations,
        after=None if wrong == "too early" else ahead,
        group=None if wrong == "all" else rows,
    )
    back = trace.compute("backward", backward, after=ahead if wrong == "not blocking" else summed)
    if wrong == "wrong groups":
        columns = [list(range(first, first + data)) for first in range(0, tensor * data, data)]
    trace.all_reduce("gradients", gradients, after=ahead if wrong == "no gradients" else back, group=columns)
    return trace.build()


def with_one(function, **more):
    return lambda **case: function(**case, **more)


RIGHT = {
    "step": [step],
    "buckets": [buckets],
    "relay": [relay],
    "groups": [groups],
}


def backwards(gradients):
    return list(reversed(range(len(gradients))))


def late_start(forward, backward, gradients, npus):
    """Only layer 0's backward pass waits for the forward pass, not the last layer's, which comes first."""
    trace, end, last = Builder(npus), None, None
    for k, micros in enumerate(forward):
        end = trace.compute(f"forward {k}", micros, after=end)
    for k in reversed(range(len(backward))):
        last = trace.compute(f"backward {k}", backward[k], after=[last, None if k and len(backward) > 1 else end])
        trace.all_reduce(f"gradients {k}", gradients[k], after=last)
    return trace.build()


def not_built(**case):
    return step(**case, built=False).compute("more", 7)


def by_hand(case, nodes):
    return from_nodes([nodes] * case["npus"])


WRONG = [
    ("step", with_one(step, reverse=False), "Backwards goes from the last layer to the first"),
    ("step", with_one(step, waits=False), "starts before its gradients are there"),
    ("step", with_one(step, blocks=True), "nothing overlaps: the backward pass of layer"),
    ("step", with_one(step, late=True), "waits for that of layer 0, too"),
    ("step", with_one(step, joined=False), "begins without waiting for the end of the forward pass"),
    ("step", with_one(step, forward_chain=False), "forward pass of layer 1 doesn't wait for that of layer 0"),
    ("step", with_one(step, kind="reduce_scatter"), "is no all-reduce, but of the kind reduce-scatter"),
    ("step", with_one(step, only=range(1)), "All NPUs do the same here, but NPU 1 has 0 nodes"),
    ("step", with_one(step, sizes=lambda size: size // 2), "has no all-reduce of"),
    ("step", with_one(step, extra=True), "computations, and there should be"),
    ("step", lambda forward, backward, gradients, npus: step(forward, forward, gradients, npus), "no computation of"),
    ("step", lambda npus, **case: step(**case, npus=npus + 1), "Your trace is for . NPUs, and there are"),
    ("step", lambda **case: None, "Your function returns None; it should return trace.build"),
    ("step", lambda **case: Builder(3), "the builder; it should return its trace"),
    ("step", not_built, "should return trace.build"),
    ("step", late_start, "begins without waiting for the end of the forward pass"),
    ("step", with_one(step, more={"involved_dim": [False, True]}), "involved_dim"),
    ("step", with_one(step, more={"group": [0, 1]}), "has a `group` here"),
    ("step", with_one(step, compute="cpu"), "runs on the CPU"),
    ("step", lambda **case: step(**case, built=False).build, "Call build, with"),
    ("step", with_one(step, built=False), "the builder; it should return its trace"),
    ("step", with_one(step, chained=True), "waits for the one for layer"),
    ("buckets", with_one(buckets, filled=lambda g, b: fill(g, b + 1)), "buckets|bucket"),
    ("step", lambda **case: by_hand(case, [{"id": 1, "type": "COMP_NODE", "data_deps": [1]}]), "in a circle"),
    ("step", lambda forward: None, "takes forward; it gets 4"),
    ("buckets", with_one(buckets, filled=lambda g, b: [[k] for k in backwards(g)]), "an all-reduce for each"),
    ("buckets", with_one(buckets, filled=lambda g, b: [backwards(g)]), "one all-reduce for everything"),
    ("buckets", with_one(buckets, filled=lambda g, b: list(fill(g, b))[:-1]), "last gradients are never sent"),
    ("buckets", with_one(buckets, after="first"), "starts before the gradients of layer"),
    ("buckets", with_one(buckets, after="end"), "waits for that of layer 0, too"),
    ("buckets", with_one(buckets, blocks=True), "nothing overlaps"),
    ("relay", with_one(relay, wrong="unread"), "computes micro-batch 0 before it has arrived"),
    ("relay", with_one(relay, wrong="early"), "sends micro-batch 0 on before it has computed it"),
    ("relay", with_one(relay, wrong="blocking"), "It could compute while that is on its way"),
    ("relay", lambda bytes, **case: relay(**case, bytes=bytes * 2), "has 8 KiB, not 4 KiB"),
    ("relay", lambda micros, **case: relay(**case, micros=micros + 1), "and it should take 20 µs"),
    ("relay", lambda micro_batches, **case: relay(**case, micro_batches=micro_batches + 1), "1 micro-batch take 1"),
    ("relay", lambda stages, **case: relay(**case, stages=stages + 1), "one for each of the 2 stages"),
    ("groups", with_one(groups, wrong="swapped"), "taken the groups, or the sizes, for each other"),
    ("groups", with_one(groups, wrong="all"), "among all NPUs; give `group`"),
    ("groups", with_one(groups, wrong="wrong groups"), "have the same part of the layer as it has"),
    ("groups", with_one(groups, wrong="too early"), "activations are all-reduced before they are computed"),
    ("groups", with_one(groups, wrong="not blocking"), "begins before the activations are added up"),
    ("groups", with_one(groups, wrong="no gradients"), "gradients are all-reduced before they are computed"),
    ("groups", lambda tensor, data, **case: groups(tensor, data + 1, **case), "tensor × data = "),
]  # fmt: skip
QUESTIONS = {
    name: (rights, [(wrong, words) for of, wrong, words in WRONG if of == name]) for name, rights in RIGHT.items()
}
GUESSES = ("predicted_us",)
