"""Right and wrong answers of exercise 1."""

GIB = 2**30 / 1e9

# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "steps": (
        lambda npus: 2 * (npus - 1),
        [
            (lambda npus: npus - 1, "one phase"),
            (lambda npus: 2 * npus, "too many"),
            (lambda npus: npus, "two phases apart"),
            (lambda npus: npus * (npus - 1), "all NPUs"),
            (lambda npus: 14, "too large for npus = 2: you have 14. It is right in 1 of the 5"),
        ],
    ),
    "message_bytes": (
        lambda size, splits, npus: size // splits // npus,
        [
            (lambda size, splits, npus: size // npus, "preferred-dataset-splits"),
            (lambda size, splits, npus: size // splits, "a whole chunk"),
            (lambda size, splits, npus: size, "the whole collective"),
            (lambda size, splits, npus: 14 * size, "too large"),
        ],
    ),
    "message_ns": (
        lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * links * GIB)),
        [
            (lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * links)), "2³⁰"),
            (lambda size, bandwidth, links, latency: latency + int(size / (bandwidth * GIB)), "one link"),
            (lambda size, bandwidth, links, latency: int(size / (bandwidth * links * GIB)), "latency is missing"),
            (lambda size, bandwidth, links, latency: 2 * latency + int(size / (bandwidth * links * GIB)), "1 hop away"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * links * GIB), "whole nanoseconds"),
            (lambda size, bandwidth, links, latency: latency, "latency alone"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * links), "2³⁰"),
            (lambda size, bandwidth, links, latency: latency + size / (bandwidth * GIB), "one link"),
            (lambda size, bandwidth, links, latency: latency + int(size / bandwidth), "Two things"),
            (lambda size, bandwidth, links, latency: size / (bandwidth * links * GIB), "latency is missing"),
            (lambda size, bandwidth, links, latency: latency + round(size / (bandwidth * links * GIB)), "rounds down"),
        ],
    ),
    "total_ns": (
        lambda npus, splits, one_message_ns, endpoint_delay: (
            splits * (endpoint_delay + 2 * (npus - 1) * (one_message_ns + endpoint_delay))
        ),
        [
            (lambda npus, splits, one_message_ns, endpoint_delay: splits * 2 * (npus - 1) * one_message_ns, "missing"),
            (
                lambda npus, splits, one_message_ns, endpoint_delay: (
                    endpoint_delay + 2 * (npus - 1) * (one_message_ns + endpoint_delay)
                ),
                "That is one chunk",
            ),
            (
                lambda npus, splits, one_message_ns, endpoint_delay: (
                    splits * 2 * (npus - 1) * (one_message_ns + endpoint_delay)
                ),
                "before its first message",
            ),
            (
                lambda npus, splits, one_message_ns, endpoint_delay: (
                    splits * (endpoint_delay + (npus - 1) * (one_message_ns + endpoint_delay))
                ),
                "the all-gather is as long again",
            ),
            (lambda npus, splits, one_message_ns, endpoint_delay: 45681, "too large"),
        ],
    ),
    "sent_mib": (
        lambda npus, size_mib: 2 * (npus - 1) / npus * size_mib,
        [
            (lambda npus, size_mib: (npus - 1) / npus * size_mib, "sends as much again"),
            (lambda npus, size_mib: size_mib, "share of the data"),
            (lambda npus, size_mib: 2 * size_mib, "not exact"),
            (lambda npus, size_mib: 2 * (npus - 1) * size_mib, "all NPUs send together"),
        ],
    ),
}
GUESSES = ("predicted_time",)
