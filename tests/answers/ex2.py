"""Right and wrong answers of exercise 2."""

GIB = 2**30 / 1e9

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
                    endpoint_delay + 2 * (npus - 1) * (latency + endpoint_delay)
                ),
                "one chunk's",
            ),
            (lambda npus, latency, endpoint_delay, splits: 0, "too small"),
        ],
    ),
    "crossover_mib": (
        lambda floor_us, slope_us_per_mib: floor_us / slope_us_per_mib,
        [
            (lambda floor_us, slope_us_per_mib: slope_us_per_mib / floor_us, "Upside down"),
            (lambda floor_us, slope_us_per_mib: floor_us * slope_us_per_mib, "no size"),
            (lambda floor_us, slope_us_per_mib: floor_us, "a time"),
            (lambda floor_us, slope_us_per_mib: 1, "too small"),
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
        lambda links, bandwidth: links * bandwidth,
        [
            (lambda links, bandwidth: bandwidth, "one link"),
            (lambda links, bandwidth: links * bandwidth / 2, "each direction"),
            (lambda links, bandwidth: 2 * links * bandwidth, "sending and receiving together"),
            (lambda links, bandwidth: 350, "too large"),
        ],
    ),
    "my_reduce_scatter": (
        lambda step, npu, npus: ((npu + 1) % npus, (npu - 1 - step) % npus),
        [
            (lambda step, npu, npus: ((npu + 1) % npus, npu), "Step 2: NPU 0 sends shard X0 .* second time"),
            (lambda step, npu, npus: ((npu + 1) % npus, (npu - step) % npus), r"Nearly: on 4 NPUs .* at NPU i \+ 3"),
            (lambda step, npu, npus: (npu + 1, (npu - 1 - step) % npus), r"there is no NPU 4"),
            (lambda step, npu, npus: ((npu + 1 + step) % npus, (npu + 1 + step) % npus), "but no ring"),
            (lambda step, npu, npus: npu, "two numbers"),
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
