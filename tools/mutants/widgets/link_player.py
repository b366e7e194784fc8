"""Faults in the link player."""

from tools.mutants.fault import Fault

TESTS = "tests/js/link_player.test.js::"
JS = "astra_edu/course/widgets/static/link_player"

FAULTS = [
    Fault(
        "messages fly from the receiver to the sender",
        f"{JS}/network.js",
        "const [a, b, c] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];",
        "const [c, b, a] = [(1 - share) ** 2, 2 * share * (1 - share), share ** 2];",
        f"{TESTS}a message is on its link's curve, the number of those that wait beside its beginning",
    ),
]
