"""Right and wrong answers of exercise 17."""

from math import prod

GIB = 2**30


def cheapest(points, share, longest=1.0):
    limit = min(ns for _, ns in points) * (1 + share) * longest
    return min((dollars, ns, k) for k, (dollars, ns) in enumerate(points) if ns <= limit)[2]


def by_sorting(points, share):
    """The other way: from the cheapest on, the first that is fast enough."""
    fastest = sorted(points, key=lambda point: point[1])[0][1]
    order = sorted(range(len(points)), key=lambda k: points[k])
    return next(k for k in order if points[k][1] <= fastest + share * fastest)


def beats(one, other):
    return one[0] <= other[0] and one[1] <= other[1] and one != other


def unbeaten(points):
    return [k for k, each in enumerate(points) if not any(beats(other, each) for other in points)]


def unbeaten_by_price(points):
    """From the cheapest on, what is faster than all before, and its equals."""
    found, fastest = set(), float("inf")
    for k in sorted(range(len(points)), key=lambda k: points[k]):
        if points[k][1] < fastest:
            fastest = points[k][1]
            found |= {j for j, point in enumerate(points) if point == points[k]}
    return found


def than_the_one_before(points):
    order = sorted(range(len(points)), key=lambda k: points[k])
    return [k for i, k in enumerate(order) if i == 0 or points[k][1] < points[order[i - 1]][1]]


def bytes_of(size, npus, half=1, shrink=True):
    return [2 * size * (n - 1) / (prod(npus[: d + 1]) if shrink else n) / half for d, n in enumerate(npus)]


def times(size, npus, gb_s, **how):
    return [part / (gb * GIB) * 1e9 for part, gb in zip(bytes_of(size, npus, **how), gb_s, strict=True)]


def bound(**case):
    return max(times(**case))


def needed(limit_ns, size, npus, **how):
    return [part / limit_ns * 1e9 / GIB for part in bytes_of(size, npus, **how)]


def dollars(limit_ns, size, npus, prices, **how):
    return sum(gb * price for gb, price in zip(needed(limit_ns, size, npus, **how), prices, strict=True))


QUESTIONS = {
    "cheapest_within": (
        [cheapest, by_sorting],
        [
            (lambda points, share: min(range(len(points)), key=lambda k: points[k][1]), "the fastest one"),
            (lambda points, share: min(range(len(points)), key=lambda k: points[k][0]), "the cheapest one"),
            (lambda points, share: cheapest(points, share / 100), "not a percentage"),
            (
                lambda points, share: min(
                    (ns, k)
                    for k, (dollars, ns) in enumerate(points)
                    if dollars <= (1 + share) * min(each for each, _ in points)
                )[1],
                "what may be longer is the time",
            ),
            (
                lambda points, share: min(
                    (-ns, k) for k, (_, ns) in enumerate(points) if ns <= (1 + share) * min(each for _, each in points)
                )[1],
                "the slowest one within the limit",
            ),
            (
                lambda points, share: min(
                    (dollars, k)
                    for k, (dollars, ns) in enumerate(points)
                    if ns <= (1 + share) * min(each for _, each in points)
                )[1],
                "you don't take the faster one",
            ),
            (
                lambda points, share: min(range(len(points)), key=lambda k: points[k][0] * points[k][1]),
                "dollars times time",
            ),
            (lambda points, share: points[cheapest(points, share)], "it should return a number"),
            (lambda points, share: cheapest(points, share) + 1, "too large"),
        ],
    ),
    "frontier": (
        [unbeaten, unbeaten_by_price, lambda points: reversed(unbeaten(points))],
        [
            (
                lambda points: [k for k, (d, t) in enumerate(points) if not any(a < d and b < t for a, b in points)],
                "costs the same as another and is slower",
            ),
            (
                lambda points: [
                    k
                    for k, (d, t) in enumerate(points)
                    if not any(a <= d and b <= t for j, (a, b) in enumerate(points) if j != k)
                ],
                "both stay",
            ),
            (lambda points: [k for k in unbeaten(points) if points.index(points[k]) == k], "you keep one"),
            (
                than_the_one_before,
                "faster than all before it",
            ),
            (lambda points: sorted(set(range(len(points))) - set(unbeaten(points))), "points that are beaten"),
            (
                lambda points: {
                    min(range(len(points)), key=lambda k: points[k][0]),
                    min(range(len(points)), key=lambda k: points[k][1]),
                },
                "the two ends",
            ),
            (lambda points: range(len(points)), r"you keep point 2 \(30 dollars, 60 ns\).*beaten by point 1"),
            (lambda points: unbeaten(points)[:1], r"you leave out point 1 \(20 dollars, 50 ns\)"),
            (lambda points: [points[k] for k in unbeaten(points)], "return their numbers"),
            (lambda points: [k + 1 for k in range(len(points))], "There is no point 5"),
            (lambda points: unbeaten(points) * 2, "twice"),
        ],
    ),
    "bound_ns": (
        [bound],
        [
            (lambda **c: max(times(**c, half=2)), "half of an all-reduce"),
            (lambda **c: sum(times(**c)), "times don't add up"),
            (lambda **c: max(times(**c, shrink=False)), "what those before it have left"),
            (lambda **c: sum(times(**c, shrink=False)), "Later dimensions carry less"),
            (lambda **c: min(times(**c)), "binds nobody"),
            (lambda **c: times(**c)[-1], "the last dimension's time"),
            (lambda **c: times(**c)[0], "the first dimension's time"),
            (
                lambda size, npus, gb_s: max(2 * size / prod(npus[:d]) / gb / GIB * 1e9 for d, gb in enumerate(gb_s)),
                "of its own share",
            ),
            (lambda **c: bound(**c) * GIB / 1e9, "10⁹ bytes"),
            (lambda size, npus, gb_s: sum(bytes_of(size, npus)) / sum(gb_s) / GIB * 1e9, "lend its bandwidth"),
            (lambda **c: bound(**c) / 1e9, "in seconds"),
            (lambda **c: bound(**c) + 1e6, "too large"),
        ],
    ),
    "least_dollars": (
        [dollars],
        [
            (
                lambda limit_ns, size, npus, prices: max(
                    gb * price for gb, price in zip(needed(limit_ns, size, npus), prices, strict=True)
                ),
                "one dimension's price",
            ),
            (lambda **c: dollars(**c) * len(c["npus"]), "share the time out"),
            (
                lambda limit_ns, size, npus, prices: max(needed(limit_ns, size, npus)) * sum(prices),
                "Each needs its own",
            ),
            (lambda **c: dollars(**c, half=2), "half of an all-reduce"),
            (lambda **c: dollars(**c) * GIB / 1e9, "GB of 10⁹ bytes"),
            (lambda **c: dollars(**c, shrink=False), "all bytes on every dimension"),
            (lambda **c: dollars(**c) * 0.9, "too small"),
        ],
    ),
}
GUESSES = ("predicted_share",)
