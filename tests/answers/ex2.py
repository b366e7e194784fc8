"""Right and wrong answers of exercise 2."""

GIB = 2**30 / 1e9


def line(sizes_mib, times_us):
    slope = (times_us[1] - times_us[0]) / (sizes_mib[1] - sizes_mib[0])
    return times_us[0] - slope * sizes_mib[0], slope


def injection(topology, npus, bandwidth, links=None):
    return ({"Ring": 2, "Switch": 1, "FullyConnected": npus - 1} | (links or {}))[topology] * bandwidth


# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "latency_floor_ns": (
        lambda npus, latency, endpoint_delay, splits: (
            splits * (endpoint_delay + 2 * (npus - 1) * (latency + endpoint_delay))
        ),
        [
            (
                lambda npus, latency, endpoint_delay, splits: splits * 2 * (npus - 1) * latency,
                "endpoint has a delay too",
            ),
            (lambda npus, latency, endpoint_delay, splits: latency + endpoint_delay, "count the steps"),
            (
                lambda npus, latency, endpoint_delay, splits: (
                    endpoint_delay + splits * 2 * (npus - 1) * (latency + endpoint_delay)
                ),
                "its own first endpoint delay",
            ),
            (
                lambda npus, latency, endpoint_delay, splits: (
                    endpoint_delay + 2 * (npus - 1) * (latency + endpoint_delay)
                ),
                "one chunk's",
            ),
            (lambda npus, latency, endpoint_delay, splits: 0, "too small"),
        ],
    ),
    "crossover_mib": (
        [
            lambda sizes_mib, times_us: line(sizes_mib, times_us)[0] / line(sizes_mib, times_us)[1],
            lambda **c: round(line(**c)[0] / line(**c)[1], 3),
        ],
        [
            (lambda **c: line(**c)[1] / line(**c)[0], "Upside down"),
            (lambda **c: line(**c)[1] * line(**c)[0], "no size"),
            (lambda **c: line(**c)[0], "the floor"),
            (lambda **c: line(**c)[1], "the slope"),
            (lambda **c: sum(line(**c)), "the time for 1 MiB"),
            (lambda sizes_mib, times_us: times_us[0] / line(sizes_mib, times_us)[1], "isn't the floor"),
            (lambda sizes_mib, times_us: times_us[0] / (times_us[-1] / sizes_mib[-1]), "has the floor in it"),
            (lambda **c: 1, "too small"),
        ],
    ),
    "ranking": (
        lambda: ["FullyConnected", "Ring", "Switch"],
        [
            (lambda: ["FullyConnected", "Ring", "Ring"], "list of the three names"),
            (lambda: ["Ring", "Switch"], "list of the three names"),
            (lambda: "Ring", "list of the three names"),
        ],
    ),
    "injection_gb_s": (
        injection,
        [
            (lambda topology, npus, bandwidth: bandwidth, "one link"),
            (lambda **c: injection(**c) / 2, "each direction"),
            (lambda **c: 2 * injection(**c), "sending and receiving together"),
            (lambda **c: injection(**c) / c["bandwidth"], "how many links"),
            (lambda **c: injection(**c) * c["npus"], "all NPUs"),
            (lambda **c: injection(**c, links={"FullyConnected": c["npus"]}), "to itself"),
            (lambda **c: injection(**c, links={"Switch": c["npus"]}), "a port for every NPU"),
            (lambda **c: injection(**c, links={"Switch": c["npus"] - 1}), "leads to all others"),
            (lambda **c: injection(**c, links={"Ring": 1}), "two neighbours"),
            (lambda topology, npus, bandwidth: (npus - 1) * bandwidth, "how many others"),
            (lambda **c: 1e6, "too large"),
        ],
    ),
    "my_reduce_scatter": (
        lambda step, npu, npus: ((npu + 1) % npus, (npu - 1 - step) % npus),
        [
            (
                lambda step, npu, npus: ((npu + 1) % npus, npu),
                r"Step 2 \(step = 1\): NPU 0 sends shard X0 .* second time",
            ),
            (lambda step, npu, npus: ((npu + 1) % npus, (npu - step) % npus), r"Nearly: on 4 NPUs .* at NPU i \+ 3"),
            (lambda step, npu, npus: (npu + 1, (npu - 1 - step) % npus), r"there is no NPU 4"),
            (lambda step, npu, npus: ((npu + 1 + step) % npus, (npu + 1 + step) % npus), "but no ring"),
            (lambda step, npu, npus: npu, "two numbers"),
            (lambda step, npu, npus: (npu + 0.9, npu), "and in it 0.9; that should be a whole number"),
            (lambda step, npu, npus: None, "Does it end with `return`"),
            (lambda step, npu, npus: (str(npu), npu), "a text"),
            (lambda step, npu, npus: (npu, npu), "doesn't send to itself"),
        ],
    ),
    "one_port_ns": (
        lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / (bandwidth * GIB),
        [
            (lambda npus, size, splits, bandwidth: 2 * size / npus / (bandwidth * GIB), "share one port"),
            (lambda npus, size, splits, bandwidth: (npus - 1) * size / npus / (bandwidth * GIB), "one phase"),
            (lambda npus, size, splits, bandwidth: 2 * (npus - 1) * size / npus / bandwidth, "2³⁰"),
            (lambda npus, size, splits, bandwidth: 2 * size / (bandwidth * GIB), "keeps its own share"),
        ],
    ),
}
GUESSES = ("predicted_growth",)
