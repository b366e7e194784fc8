"""Right and wrong answers of exercise 3."""

from pathlib import Path


def conv(pixels, inputs, filters, tera, operations=2, unit=2**40):
    return operations * pixels * inputs * filters / (tera * unit) * 1e9


def carry(sent_mib, links, bandwidth):
    return sent_mib / 1024 / (links * bandwidth) * 1e6


INPUTS = Path(__file__).parents[2] / "exercises" / "inputs" / "asplos2022" / "ex3"

# question: (a right answer, [(a wrong one, words of what it is told)])
QUESTIONS = {
    "conv_ns": (
        lambda **c: round(conv(**c)),
        [
            (lambda **c: conv(**c, operations=1), "two operations"),
            (lambda **c: conv(**c, unit=1e12), "10¹²"),
            (lambda **c: conv(**c) / 1e9, "in seconds"),
            (lambda **c: conv(**c) / 1e3, "in µs"),
            (lambda **c: 3 * conv(**c), "three passes"),
            (lambda pixels, inputs, filters, tera: 2 * pixels * inputs * filters, "how long do they take"),
            (lambda **c: conv(**(c | {"pixels": 1})), "one pixel"),
            (lambda **c: 3429, "right in 1 of the 4"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "weight_bytes": (
        lambda inputs, filters: 2 * (inputs + 1) * filters,
        [
            (lambda inputs, filters: 2 * inputs * filters, "each filter has a bias"),
            (lambda inputs, filters: inputs * filters, "not yet bytes"),
            (lambda inputs, filters: (inputs + 1) * filters, "how many bytes"),
            (lambda inputs, filters: 4 * (inputs + 1) * filters, "in 16"),
            (lambda inputs, filters: 4 * inputs * filters, "and biases"),
            (lambda inputs, filters: 2 * inputs * (filters + 1), "one for each input"),
            (lambda inputs, filters: 16 * (inputs + 1) * filters, "in bits; a byte"),
            (lambda inputs, filters: 16 * inputs * filters, "in bits, and without"),
        ],
    ),
    "carry_us": (
        carry,
        [
            (lambda **c: carry(**c) * 2**30 / 1e9, "2³⁰"),
            (lambda **c: carry(**(c | {"links": 1})), "over one link"),
            (lambda **c: carry(**c) / 1e3, "in ms"),
            (lambda **c: carry(**c) * 1e3, "in ns"),
            (lambda **c: carry(**c) / 1e6, "in seconds"),
            (lambda **c: 1.024 * carry(**c), "1024 MiB"),
            (lambda **c: 2 * carry(**c), "Twice too long"),
            (lambda **c: 8 * carry(**c), "You count bits"),
            (lambda **c: carry(**c) / 8, "8 times the bandwidth"),
            (lambda **c: 0, "too small"),
        ],
    ),
    "hidden": (
        lambda: ["weight gradient"],
        [
            (lambda: ["forward"], "as soon as it has asked for it"),
            (lambda: ["weight gradient", "input gradient"], "Not all of those"),
            (lambda: [], "Give a list"),
            (lambda: ["backward"], "Give a list"),
        ],
    ),
    "enough_images": (
        lambda: 3,
        [
            (lambda: 2, "TPUs are still faster"),
            (lambda: 8, "with fewer"),
            (lambda: 2.5, "whole number"),
            (lambda: 0, "whole number"),
            (lambda: 1e6, "memory"),
        ],
    ),
}
GUESSES = ("predicted_total", "predicted_winners")
GIVEN = {question: {"folder": INPUTS} for question in ("hidden", "enough_images", *GUESSES)}
